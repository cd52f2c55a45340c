"""The timeline of a conversation: messages, turns, notices, emergencies and moves on the board, in one order."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from saidonce.foundation.model.board import IssueMove
from saidonce.foundation.model.conversation import Conversation, EmergencyEvent, Issue, LandlordNotice, Turn
from saidonce.foundation.model.residents import Home
from saidonce.repairs.conversation import ConversationDeps
from saidonce.repairs.transcript import TranscriptLine, in_order


@dataclass(frozen=True, slots=True)
class Moment:
    """One event; exactly one of its five fields is set."""

    at: datetime
    line: TranscriptLine | None = None
    event: EmergencyEvent | None = None
    turn: Turn | None = None
    notice: LandlordNotice | None = None
    move: IssueMove | None = None

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
    """A conversation with everything about it."""

    conversation: Conversation
    home: Home | None
    issues: tuple[Issue, ...]
    moments: tuple[Moment, ...]

    def issue(self, id: str) -> Issue:
        """Return one of its issues."""
        return next(i for i in self.issues if i.id == id)


def timeline(deps: ConversationDeps, id: str) -> Timeline:
    """Return a conversation with all its events, oldest first.

    Raises:
        NotFoundError: there is none.
    """
    of = deps.store.conversation(id)
    lines = in_order(deps.store.inbounds(id), deps.store.outbox(id))
    moments = [Moment(line.at, line=line) for line in lines]
    moments += [Moment(e.at, event=e) for e in deps.store.events(id)]
    moments += [Moment(t.at, turn=t) for t in deps.store.turns(id)]
    moments += [Moment(n.at, notice=n) for n in deps.store.notices() if n.conversation_id == id]
    home = deps.store.home(of.tenancy_id) if of.tenancy_id else None
    issues = tuple(i for i in deps.store.issues() if i.conversation_id == id)
    moments += [Moment(m.at, move=m) for i in issues for m in deps.store.issue_moves(i.id)]
    return Timeline(of, home, issues, tuple(sorted(moments, key=lambda m: (m.at, m.rank))))
