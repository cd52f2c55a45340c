"""What a turn looks at, what an orchestrator asks for, and what the turn would write: values only."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime

from saidonce.foundation.model.conversation import (
    Button,
    Conversation,
    EmergencyEvent,
    Issue,
    IssueDraft,
    LandlordEvent,
    OutboxKind,
    OutboxMessage,
    Passage,
    Path,
    PhotoStatus,
    Tool,
)
from saidonce.foundation.model.residents import Home, Inbound
from saidonce.repairs.conversation.rules import Rules, Voice
from saidonce.repairs.conversation.slots import Offered
from saidonce.repairs.conversation.tools import ToolRefusal


@dataclass(frozen=True, slots=True)
class PromptLine:
    """One line of the conversation so far, for a prompt."""

    is_resident: bool
    text: str


@dataclass(frozen=True, slots=True)
class TurnView:
    """What a turn looks at.

    Attributes:
        new: messages to be dealt with, in the order in which they were sent; parked ones first.
        said: the resident's texts of this draft with the new ones, oldest first: what may be quoted.
        home: the confirmed home; None without.
        history: what was said before the new messages, oldest first.
        open_issues: of this home's property, oldest first.
        passages: what documents say about the new messages.
        n_escalations: how often today this conversation was handed to a person.
    """

    conversation: Conversation
    new: tuple[Inbound, ...]
    said: tuple[str, ...]
    home: Home | None
    now: datetime
    rules: Rules
    voice: Voice
    history: tuple[PromptLine, ...] = ()
    open_issues: tuple[Issue, ...] = ()
    passages: tuple[Passage, ...] = ()
    n_escalations: int = 0

    @property
    def texts(self) -> tuple[str, ...]:
        """The new messages' texts that are not empty."""
        return tuple(i.text for i in self.new if i.text.strip())

    @property
    def photos(self) -> tuple[str, ...]:
        """Ids of the photos that came with the new messages and lie in our store."""
        return tuple(m.id for i in self.new for m in i.media if m.is_photo)

    @property
    def draft(self) -> IssueDraft:
        """The draft with the new photos; a new one where none is open."""
        kept = self.conversation.draft
        if not kept.since:
            kept = IssueDraft(since=min((i.seq for i in self.new), default=0))
        media = tuple(dict.fromkeys((*kept.media, *self.photos)))
        return replace(kept, media=media, photo=PhotoStatus.PROVIDED if media else kept.photo)


@dataclass(frozen=True, slots=True)
class Call:
    """A tool that an orchestrator asks for.

    Attributes:
        message: what it would say; filtered before it is sent, and not used by `create_issue`.
        why: machine-readable reason, for the turn.
    """

    tool: Tool
    message: str = ""
    offered: Offered = field(default_factory=Offered)
    why: str = ""


@dataclass(frozen=True, slots=True)
class ResidentReply:
    """A message to the resident."""

    kind: OutboxKind
    text: str
    buttons: tuple[Button, ...] = ()


@dataclass(frozen=True, slots=True)
class NoticeDraft:
    """Something to tell the landlord; `subject` makes its dedupe key with the event."""

    event: LandlordEvent
    subject: str
    issue_id: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Refused:
    """A call that the executor did not carry out."""

    tool: str
    reasons: tuple[ToolRefusal, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """What a turn would write: the conversation's new state and everything beside it.

    Attributes:
        wakes: another turn is due at once.
        is_alarming: a model called it an emergency.
        raised: what that leads to: the possible emergency, and the question about it.
    """

    conversation: Conversation
    path: Path
    tool: Tool | None = None
    reason: str = ""
    says: tuple[ResidentReply, ...] = ()
    issue: Issue | None = None
    extended: Issue | None = None
    tells: tuple[NoticeDraft, ...] = ()
    flagged: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    effects: tuple[str, ...] = ()
    wakes: bool = False
    is_alarming: bool = False
    raised: tuple[EmergencyEvent, OutboxMessage] | None = None

    def then(self, other: Plan) -> Plan:
        """Join a plan with the one that follows it in the same turn; the later one's state, path and tool hold."""
        return replace(
            other,
            says=(*self.says, *other.says),
            tells=(*self.tells, *other.tells),
            flagged=(*self.flagged, *other.flagged),
            effects=(*self.effects, *other.effects),
            refused=(*self.refused, *other.refused),
        )
