"""The timeline of a conversation: messages, turns, notices, emergencies and moves on the board, in one order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from saidonce.foundation.model.board import IssueMove
from saidonce.foundation.model.conversation import Conversation, EmergencyEvent, Issue, LandlordNotice, Path, Turn
from saidonce.foundation.model.residents import Home, Via
from saidonce.repairs.conversation import ConversationDeps, joined
from saidonce.repairs.conversation.heard import Heard, hear
from saidonce.repairs.transcript import TranscriptLine, in_order

PATHS_IN_WORDS: Mapping[Path, str] = {
    Path.V1: "by the keyword flow",
    Path.V2: "by the language model",
    Path.V1_FALLBACK: "by the keyword flow, in place of the language model",
    Path.FAST: "by fixed rules",
    Path.IDENTITY: "about who writes",
    Path.EMERGENCY: "about an emergency",
    Path.SILENT: "without an answer",
    Path.TIMER: "when time was up",
    Path.HUMAN: "by a person",
}
"""How a turn was reached, as the landlord's team reads it."""


@dataclass(frozen=True, slots=True)
class Moment:
    """One event; exactly one of its five fields is set. `via` is the channel of a message."""

    at: datetime
    line: TranscriptLine | None = None
    event: EmergencyEvent | None = None
    turn: Turn | None = None
    notice: LandlordNotice | None = None
    move: IssueMove | None = None
    via: Via | None = None

    @property
    def rank(self) -> int:
        """Order within one moment: inbound message, emergency, turn, reply, notice, move."""
        if self.line is not None:
            return 0 if self.line.is_resident else 3
        for rank, happened in ((1, self.event), (2, self.turn), (4, self.notice)):
            if happened is not None:
                return rank
        return 5


@dataclass(frozen=True, slots=True)
class Timeline:
    """A conversation with everything about it, on all channels of its resident.

    Attributes:
        heard: gives the resident's own words for the English ones that the rules of the conversation keep.
        together: the conversation and those of the same resident on other channels, the last heard of first.
    """

    conversation: Conversation
    home: Home | None
    issues: tuple[Issue, ...]
    moments: tuple[Moment, ...]
    together: tuple[Conversation, ...] = ()
    heard: Heard = field(default_factory=Heard)

    def issue(self, id: str) -> Issue:
        """Return one of its issues."""
        return next(i for i in self.issues if i.id == id)


def timeline(deps: ConversationDeps, id: str) -> Timeline:
    """Return a conversation with all its events, on all channels of its resident, oldest first.

    Raises:
        NotFoundError: there is none.
    """
    of = deps.store.conversation(id)
    together = joined(deps, of)
    ids = {c.id for c in together}
    moments = [moment for each in together for moment in _moments(deps, each)]
    moments += [Moment(n.at, notice=n) for n in deps.store.notices() if n.conversation_id in ids]
    home = deps.store.home(of.tenancy_id) if of.tenancy_id else None
    issues = tuple(i for i in deps.store.issues() if i.conversation_id in ids)
    moments += [Moment(m.at, move=m) for i in issues for m in deps.store.issue_moves(i.id)]
    _, heard = hear(deps.store.inbounds(id), set(), of.language)
    return Timeline(of, home, issues, tuple(sorted(moments, key=lambda m: (m.at, m.rank))), together, heard)


def _moments(deps: ConversationDeps, of: Conversation) -> list[Moment]:
    """Return the messages, emergencies and turns of one conversation."""
    lines = in_order(deps.store.inbounds(of.id), deps.store.outbox(of.id))
    moments = [Moment(line.at, line=line, via=of.sender.via) for line in lines]
    moments += [Moment(e.at, event=e) for e in deps.store.events(of.id)]
    return moments + [Moment(t.at, turn=t) for t in deps.store.turns(of.id)]
