"""Values of a turn: its view, an orchestrator's call, and the plan to write."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from saidonce.foundation.model.conversation import (
    Button,
    Conversation,
    EmergencyEvent,
    Issue,
    IssueAdvance,
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
from saidonce.repairs.conversation.heard import Heard
from saidonce.repairs.conversation.rules import Rules, Voice
from saidonce.repairs.conversation.slots import Offered
from saidonce.repairs.conversation.tools import ToolRefusal


@dataclass(frozen=True, slots=True)
class PromptLine:
    """One line of the conversation, for a prompt."""

    is_resident: bool
    text: str


@dataclass(frozen=True, slots=True)
class TurnView:
    """State and messages that a turn is based on.

    Attributes:
        new: messages to handle, in the order of sending; parked ones first.
        texts_of_draft: the resident's texts of this draft with the new ones, oldest first: the source of quotes.
        home: the confirmed home; None without.
        history: lines of both sides before the new messages, oldest first.
        open_issues: of this home's property, oldest first.
        passages: of documents, about the new messages.
        n_escalations: escalations of this conversation within a day.
        heard: the language of the new messages, and the resident's own words; all texts above are English words.
        closed_issues: of this tenancy, done or cancelled of late, oldest first.
        moved_at: last moves on the board, by issue.
        n_stuck: turns without progress right before this one.
        spoken_by_voice: seqs of the new messages whose words a recogniser heard.
        agreed: what a person of the landlord's team wrote last, since the conversation was handed over.
        elsewhere: messages of the open report on the resident's other channels, in the order of arrival.
    """

    conversation: Conversation
    new: tuple[Inbound, ...]
    texts_of_draft: tuple[str, ...]
    home: Home | None
    now: datetime
    rules: Rules
    voice: Voice
    history: tuple[PromptLine, ...] = ()
    open_issues: tuple[Issue, ...] = ()
    passages: tuple[Passage, ...] = ()
    n_escalations: int = 0
    heard: Heard = field(default_factory=Heard)
    closed_issues: tuple[Issue, ...] = ()
    moved_at: Mapping[str, datetime] = field(default_factory=dict)
    n_stuck: int = 0
    agreed: str = ""
    spoken_by_voice: frozenset[int] = frozenset()
    elsewhere: tuple[Inbound, ...] = ()

    @property
    def language(self) -> str:
        """Tag of the conversation's language."""
        return self.conversation.language

    @property
    def texts(self) -> tuple[str, ...]:
        """Non-empty texts of the new messages."""
        return tuple(i.text for i in self.new if i.text.strip())

    @property
    def photos(self) -> tuple[str, ...]:
        """Ids of the stored photos of the new messages."""
        return tuple(m.id for i in self.new for m in i.media if m.is_photo)

    @property
    def draft(self) -> IssueDraft:
        """The draft with the new photos; a new one if none is open."""
        draft = self.conversation.draft
        if not draft.since:
            draft = IssueDraft(since=min((i.seq for i in self.new), default=0), not_mine=draft.not_mine)
        media = tuple(dict.fromkeys((*draft.media, *self.photos)))
        return replace(draft, media=media, photo=PhotoStatus.PROVIDED if media else draft.photo)


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call of an orchestrator.

    Attributes:
        message: reply to the resident; filtered before it is sent, and not used by `create_issue`.
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
    """A notice for the landlord; `subject` and the event make its dedupe key."""

    event: LandlordEvent
    subject: str
    issue_id: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Refused:
    """A refused tool call."""

    tool: str
    reasons: tuple[ToolRefusal, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """A turn's writes: the conversation's new state and everything beside it.

    Attributes:
        wakes: another turn is due at once.
        is_alarming: a model reported an emergency.
        withdrawn: ids of issues that the resident takes back.
        raised: the resulting possible emergency, and the question about it.
        advances: steps of issues that the resident's messages led to.
    """

    conversation: Conversation
    path: Path
    tool: Tool | None = None
    reason: str = ""
    replies: tuple[ResidentReply, ...] = ()
    issue: Issue | None = None
    extended: Issue | None = None
    notices: tuple[NoticeDraft, ...] = ()
    flagged: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    effects: tuple[str, ...] = ()
    wakes: bool = False
    is_alarming: bool = False
    raised: tuple[EmergencyEvent, OutboxMessage] | None = None
    advances: tuple[IssueAdvance, ...] = ()
    withdrawn: tuple[str, ...] = ()

    def then(self, other: Plan) -> Plan:
        """Join the following plan of the same turn; the later one's state, path and tool hold."""
        return replace(
            other,
            replies=(*self.replies, *other.replies),
            notices=(*self.notices, *other.notices),
            flagged=(*self.flagged, *other.flagged),
            withdrawn=(*self.withdrawn, *other.withdrawn),
            effects=(*self.effects, *other.effects),
            refused=(*self.refused, *other.refused),
            advances=(*self.advances, *other.advances),
        )
