"""Nouns of the conversation with residents: who writes, what they said, what was understood, what was done.

A *turn* is what we did about one or several inbound messages, a *draft* what is known of a problem so far, an
*issue* what the landlord gets. Source of the two state columns: seed 003, section 2.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from saidonce.foundation.model.progress import IssueProgress, IssueStep
from saidonce.foundation.model.residents import ChannelIdentity


class IdentityStatus(StrEnum):
    """How sure we are who writes. Source: seed 003, `identity_status`."""

    UNIDENTIFIED = "unidentified"
    IDENTIFIED = "identified"
    CONFIRMED = "confirmed"
    ACTIVE = "active"

    @property
    def is_known(self) -> bool:
        """Return whether the writer is taken for the resident: they did not object so far, or have written on."""
        return self in (IdentityStatus.CONFIRMED, IdentityStatus.ACTIVE)


class Gathering(StrEnum):
    """How far a report has come. Source: seed 003, `gathering_state`."""

    IDLE = "idle"
    GATHERING_DETAILS = "gathering_details"
    AWAITING_PHOTO = "awaiting_photo"
    ISSUE_CREATED = "issue_created"


class Tool(StrEnum):
    """What an orchestrator may ask for. Source: seed 003, section 1."""

    ASK_FOR_DETAILS = "ask_for_details"
    ASK_FOR_PHOTO = "ask_for_photo"
    CREATE_ISSUE = "create_issue"
    RESPOND = "respond"
    ESCALATE = "escalate"


class PhotoStatus(StrEnum):
    """What is known of the photo of a draft."""

    NONE = "none"
    ASKED = "asked"
    PROVIDED = "provided"
    DECLINED = "declined"
    LATER = "later"


class Category(StrEnum):
    """What kind of trade an issue needs."""

    PLUMBING = "plumbing"
    HEATING = "heating"
    ELECTRICAL = "electrical"
    STRUCTURE = "structure"
    SECURITY = "security"
    APPLIANCE = "appliance"
    DAMP = "damp"
    PESTS = "pests"
    OTHER = "other"


class Urgency(StrEnum):
    """How soon somebody has to come."""

    EMERGENCY = "emergency"
    URGENT = "urgent"
    ROUTINE = "routine"


class Path(StrEnum):
    """What made a turn."""

    V1 = "v1"
    V2 = "v2"
    V1_FALLBACK = "v1_fallback"
    FAST = "fast"
    IDENTITY = "identity"
    EMERGENCY = "emergency"
    SILENT = "silent"
    TIMER = "timer"
    HUMAN = "human"


class OutboxKind(StrEnum):
    """Why a message is sent."""

    REPLY = "reply"
    IDENTITY = "identity"
    SAFETY = "safety"
    NUDGE = "nudge"
    HUMAN = "human"
    PROGRESS = "progress"
    """news of an issue, which the landlord's team or a timer caused"""


class OutboxState(StrEnum):
    """Where a message to a resident is; it moves only forward, and `unknown` is settled by a status of the channel."""

    QUEUED = "queued"
    SENDING = "sending"
    UNKNOWN = "unknown"
    SENT = "sent"
    DELIVERED = "delivered"
    READ = "read"
    FAILED = "failed"


class Alarm(StrEnum):
    """What is known of a possible emergency; `possible`: the resident was asked, and has not answered."""

    POSSIBLE = "possible"
    SUSPECTED = "suspected"
    VALIDATED = "validated"
    DISMISSED = "dismissed"


class Way(StrEnum):
    """By which way a person acknowledged an alarm."""

    PAGE = "page"
    API = "api"
    COMMAND = "command"
    LINK = "link"
    WEBHOOK = "webhook"
    BOARD = "board"
    TAKE_OVER = "take_over"


class IssueState(StrEnum):
    """Columns of the issue board."""

    OPEN = "open"
    IN_PROGRESS = "in_progress"
    DONE = "done"
    CANCELLED = "cancelled"


WITHDRAWN = "withdrawn"
"""`Issue.review` of an issue that its resident took back."""


class LandlordEvent(StrEnum):
    """An event that the landlord is notified of, once each."""

    ISSUE_CREATED = "issue_created"
    ISSUE_EXTENDED = "issue_extended"
    EMERGENCY_UNVERIFIED = "emergency_unverified"
    EMERGENCY_VALIDATED = "emergency_validated"
    EMERGENCY_UNACKNOWLEDGED = "emergency_unacknowledged"
    ALARM_MESSAGE = "alarm_message"
    ALL_CLEAR_SAID = "all_clear_said"
    ESCALATED = "escalated"
    IDENTITY_ASKED = "identity_asked"
    IDENTITY_UNDONE = "identity_undone"
    DRAFT_INCOMPLETE = "draft_incomplete"
    MESSAGE_WHILE_HANDED_OFF = "message_while_handed_off"
    MESSAGE_FAILED = "message_failed"
    QUESTION_UNANSWERED = "question_unanswered"
    VISIT_AGREED = "visit_agreed"
    VISIT_DECLINED = "visit_declined"
    VISIT_CANCELLED = "visit_cancelled"
    ANSWER_UNCLEAR = "answer_unclear"
    ISSUE_REOPENED = "issue_reopened"
    CONTRACTOR_ANSWERED = "contractor_answered"
    LETTER_FAILED = "letter_failed"
    SLA_MISSED = "sla_missed"
    ERASURE_ASKED = "erasure_asked"
    VOICE_NOTE = "voice_note"
    ISSUE_CORRECTED = "issue_corrected"
    ISSUE_WITHDRAWN = "issue_withdrawn"
    ISSUE_ASKED_AFTER = "issue_asked_after"
    RESIDENT_NOTE = "resident_note"
    """something for a person other than a repair, such as moving out"""


@dataclass(frozen=True, slots=True)
class Slot:
    """Something understood, and the resident's own words that say so."""

    value: str
    quote: str


@dataclass(frozen=True, slots=True)
class IssueDraft:
    """What is known of a problem so far.

    Attributes:
        photo_quote: the words by which the photo was declined or put off.
        detail_asks: how often details were asked.
        since: seq of the first inbound that may be quoted.
        own: parts of earlier messages that belong to this problem; those with another problem are left out.
        not_mine: parts of later messages that belong to another problem.
    """

    description: Slot | None = None
    location: Slot | None = None
    category: Category | None = None
    urgency: Urgency | None = None
    photo: PhotoStatus = PhotoStatus.NONE
    photo_quote: str = ""
    media: tuple[str, ...] = ()
    detail_asks: int = 0
    since: int = 0
    own: tuple[str, ...] = ()
    not_mine: tuple[str, ...] = ()

    @property
    def is_full(self) -> bool:
        """Return whether it states the problem and its location."""
        return self.description is not None and self.location is not None


@dataclass(frozen=True, slots=True)
class ReportPart:
    """The messages of an open report on another channel of its resident, up to a seq."""

    conversation_id: str
    upto: int


@dataclass(frozen=True, slots=True)
class Conversation:
    """One resident's conversation on one channel: two orthogonal states, a draft, and who works on it.

    Attributes:
        version: grows by one with each turn; a turn is written only on the version it read.
        seen: seq of the last inbound that a turn has looked at.
        parked: seqs of inbound messages that a turn has seen and put off, until the identity is known.
        waiting_since, due_at: when the oldest unseen inbound came, and when a turn may be taken.
        wake_at: when a timer goes off; None if none is set.
        candidates: ids of tenancies offered to pick from; `excluded`: those that the resident denied.
        confirmed_at: when the tenancy was confirmed; undo ends a day after.
        issue_id: the issue created last, and `issue_at` when.
        lease_by, lease_until: the worker who has it, and until when.
        language: tag of the language in which the resident last wrote.
        erasure_asked_at, erasure_confirmed_at: when they asked to have their data deleted, and when they said yes to
            having it done at once.
        more_drafts: further problems, to be asked about one after another.
        told_on: where else the open report was told before it went on here, the last place last.
    """

    id: str
    sender: ChannelIdentity
    number_id: str
    started_at: datetime
    identity: IdentityStatus = IdentityStatus.UNIDENTIFIED
    gathering: Gathering = Gathering.IDLE
    version: int = 0
    seen: int = 0
    parked: tuple[int, ...] = ()
    waiting_since: datetime | None = None
    due_at: datetime | None = None
    wake_at: datetime | None = None
    tenancy_id: str = ""
    candidates: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    identity_tries: int = 0
    confirmed_at: datetime | None = None
    draft: IssueDraft = field(default_factory=IssueDraft)
    draft_expires_at: datetime | None = None
    is_nudged: bool = False
    issue_id: str = ""
    issue_at: datetime | None = None
    handed_off_at: datetime | None = None
    opted_out_at: datetime | None = None
    last_inbound_at: datetime | None = None
    lease_by: str = ""
    lease_until: datetime | None = None
    language: str = "en"
    erasure_asked_at: datetime | None = None
    erasure_confirmed_at: datetime | None = None
    more_drafts: tuple[IssueDraft, ...] = ()
    told_on: tuple[ReportPart, ...] = ()


@dataclass(frozen=True, slots=True)
class Passage:
    """What a document says, and where it stands, in words for residents; `source` may be empty.

    Attributes:
        quote: its sentences that answer the question, word for word; empty if it does not answer.
        evidence: why it answers or does not, in plain words.
    """

    text: str
    source: str = ""
    quote: str = ""
    evidence: str = ""


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One call of a model: what it said, word for word, and why that was not used (empty if it was)."""

    reply: str
    refused: str = ""


@dataclass(frozen=True, slots=True)
class Turn:
    """What was done about some inbound messages; appended, never altered.

    Attributes:
        inbound: seqs of the messages, in the order in which they were sent.
        tool: what was done; None of silent, timer and human turns that did nothing of the kind.
        reason: machine-readable: why this tool, or why nothing.
        refused: tools that were asked for and refused, with reasons, as "tool: reason".
        effects: what was written, in words such as "issue:ID" and "gathering:idle>gathering_details".
        prompt_hash: 32 hex digits of instructions, prompt and schema; empty without a model.
        prompt_tokens: estimated tokens of the longest prompt.
        shadow: what the other orchestrator would have done, as "tool: reason"; empty without shadow.
    """

    id: str
    conversation_id: str
    n: int
    at: datetime
    path: Path
    inbound: tuple[int, ...]
    identity: tuple[IdentityStatus, IdentityStatus]
    gathering: tuple[Gathering, Gathering]
    tool: Tool | None = None
    reason: str = ""
    refused: tuple[str, ...] = ()
    effects: tuple[str, ...] = ()
    model: str = ""
    prompt_hash: str = ""
    calls: tuple[ModelCall, ...] = ()
    prompt_tokens: int = 0
    took_ms: float = 0.0
    shadow: str = ""


@dataclass(frozen=True, slots=True)
class Issue:
    """What the landlord gets; at most one of a turn.

    Attributes:
        turn_id: the turn, or "emergency:ID", that made it; unique.
        needs_call: asked three times and still not clear.
        review: why a person should look: possible_duplicate, identity_undone, withdrawn; empty if for nothing.
        also_affected: ids of open issues of other units that look alike; never told to residents.
        progress: what was done about it, and what is next.
        language: tag of the language of description and location, which are the resident's own words.
        urgent_because: the resident's words that raised the urgency, by the rule for vulnerable people.
        alarmed_at: when the message of an alarm came; `created_at` is when it was filed, once the home was known.
    """

    id: str
    turn_id: str
    conversation_id: str
    tenancy_id: str
    property_id: str
    description: str
    location: str
    category: Category
    urgency: Urgency
    photo: PhotoStatus
    created_at: datetime
    media: tuple[str, ...] = ()
    state: IssueState = IssueState.OPEN
    needs_call: bool = False
    review: str = ""
    also_affected: tuple[str, ...] = ()
    progress: IssueProgress = field(default_factory=IssueProgress)
    language: str = "en"
    urgent_because: tuple[str, ...] = ()
    alarmed_at: datetime | None = None

    @property
    def reported_at(self) -> datetime:
        """When the resident reported it: an alarm's message, else when it was filed."""
        return self.alarmed_at or self.created_at


@dataclass(frozen=True, slots=True)
class IssueAdvance:
    """One step of an issue, written only if its state, its review and its progress are as they were read.

    Attributes:
        before, after: the issue as it was read, and as it becomes; only state, review and progress are written.
        actor: who did it.
        step: what was done; None of a plain move. What changes neither state nor review and is no step, such as a
            timer that is set anew, leaves nothing in the history.
        note: words about it, for the history.
        media: SHA-256 of photos sent with it.
    """

    before: Issue
    after: Issue
    at: datetime
    actor: str
    step: IssueStep | None = None
    note: str = ""
    media: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EmergencyEvent:
    """A message that a pack took for an emergency.

    Attributes:
        kind: class of the pack, such as "gas".
        replied: the safety text went out for it; one reply a class in half an hour.
        alert_by: when the landlord is alerted unless it was dismissed before; the moment itself of critical ones.
        alerted_at: when the landlord was.
        evidence: what each channel found: "words: smell* of gas", "head: gas 0.97".
        certainty: of the trained head that there is any danger, 0 to 1; 0 where it was not asked.
        acknowledged_at, acknowledged_by, acknowledged_via: when which person of the landlord's has seen it, and by
            which way; a receiver of a link is named as the channel is.
        cleared_at, cleared_by: when a person confirmed that it is over.
        n_calls, called_at: calls of its call-out list so far, the alert itself the first, and the last one's moment.
        step, round: place in the list of the last call, and how often the list was begun.
        exhausted_at: when the list had been called as often as it may be, and nobody had acknowledged.
    """

    id: str
    conversation_id: str
    inbound_seq: int
    kind: str
    phrase: str
    is_critical: bool
    at: datetime
    alert_by: datetime
    replied: bool
    state: Alarm = Alarm.SUSPECTED
    alerted_at: datetime | None = None
    issue_id: str = ""
    evidence: tuple[str, ...] = ()
    certainty: float = 0.0
    acknowledged_at: datetime | None = None
    acknowledged_by: str = ""
    acknowledged_via: Way | None = None
    cleared_at: datetime | None = None
    cleared_by: str = ""
    n_calls: int = 0
    called_at: datetime | None = None
    step: int = 0
    round: int = 1
    exhausted_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Button:
    """A button under a message: what it says, which a channel cuts to what it takes, and what it sends."""

    title: str
    payload: str


@dataclass(frozen=True, slots=True)
class OutboxMessage:
    """A message to a resident; `id` goes along as callback data, so that a crash can be reconciled.

    Attributes:
        lease_until: while it is being sent, the end of the lease; of a queued one, not to be sent before.
        language: tag of the language that `text` is written in.
        english: the same in English, for rules and for the landlord's team; empty if `text` is English, or a person's.
    """

    id: str
    conversation_id: str
    turn_id: str
    kind: OutboxKind
    text: str
    made_at: datetime
    buttons: tuple[Button, ...] = ()
    state: OutboxState = OutboxState.QUEUED
    external_id: str = ""
    n_tries: int = 0
    lease_until: datetime | None = None
    language: str = "en"
    english: str = ""


@dataclass(frozen=True, slots=True)
class LandlordNotice:
    """Something to tell the landlord, kept once for each dedupe key; it points, and holds no resident's words.

    Attributes:
        alarm_id: the emergency that waits for an acknowledgement; empty for other notices.
        channels: ids of the channels of a call-out; empty for all that take notices of residents.
    """

    dedupe_key: str
    event: LandlordEvent
    conversation_id: str
    at: datetime
    issue_id: str = ""
    detail: str = ""
    alarm_id: str = ""
    channels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ReportMove:
    """What becomes of another conversation when its open report goes on in this one, or comes back to it.

    Attributes:
        conversation: its new state; its version is `expected` + 1. What messages alone move stays as it is.
        expected: the version at which it was read.
        turn: says in its own record what was done.
    """

    conversation: Conversation
    expected: int
    turn: Turn


@dataclass(frozen=True, slots=True)
class TurnWrite:
    """Everything that a turn writes, in one transaction.

    Attributes:
        conversation: the new state; its version is `expected` + 1.
        expected: the version that the turn read.
        seen: no inbound of the conversation beyond this seq may have come meanwhile.
        extended: the issue as it becomes when a photo or a message is attached to an existing one; where it stands on
            the board is not written.
        flagged: ids of issues that get the review reason `identity_undone`.
        events: emergencies that a model called so.
        advances: steps of issues that the resident's messages led to.
        withdrawn: ids of issues that get the review reason `withdrawn`: the resident needs nobody any more.
        moved: the other conversation whose report goes on here, or that gets it back.
    """

    conversation: Conversation
    expected: int
    seen: int
    turn: Turn
    outbox: tuple[OutboxMessage, ...] = ()
    issue: Issue | None = None
    extended: Issue | None = None
    notices: tuple[LandlordNotice, ...] = ()
    flagged: tuple[str, ...] = ()
    events: tuple[EmergencyEvent, ...] = ()
    advances: tuple[IssueAdvance, ...] = ()
    withdrawn: tuple[str, ...] = ()
    moved: ReportMove | None = None
