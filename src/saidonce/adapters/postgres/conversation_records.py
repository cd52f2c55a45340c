"""What a store keeps of conversations, row by row: fields are the columns of its tables, in their order."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeAlias


@dataclass(frozen=True, slots=True)
class PropertyRow:
    """A place that is let."""

    property_id: str
    address: str
    unit: str
    building: str
    postcode: str


@dataclass(frozen=True, slots=True)
class ResidentRow:
    """Somebody who rents, with phones and channel identities in their order."""

    resident_id: str
    name: str
    phones: tuple[str, ...]
    external_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TenancyRow:
    """A resident rents a property."""

    tenancy_id: str
    property_id: str
    resident_id: str
    starts_at: datetime
    ends_at: datetime | None


@dataclass(frozen=True, slots=True)
class ConversationRow:
    """A conversation with its draft; a slot that is not filled is None, a category or urgency not known is empty."""

    conversation_id: str
    via: str
    external_user_id: str
    phone: str | None
    verified: bool
    number_id: str
    started_at: datetime
    identity_status: str
    gathering_state: str
    version: int
    seen: int
    parked: tuple[int, ...]
    waiting_since: datetime | None
    due_at: datetime | None
    wake_at: datetime | None
    tenancy_id: str
    candidates: tuple[str, ...]
    excluded: tuple[str, ...]
    identity_tries: int
    confirmed_at: datetime | None
    description: str | None
    description_quote: str | None
    location: str | None
    location_quote: str | None
    category: str
    urgency: str
    photo_status: str
    photo_quote: str
    media: tuple[str, ...]
    detail_asks: int
    draft_since: int
    draft_expires_at: datetime | None
    is_nudged: bool
    issue_id: str
    issue_at: datetime | None
    handed_off_at: datetime | None
    opted_out_at: datetime | None
    last_inbound_at: datetime | None
    lease_by: str
    lease_until: datetime | None


@dataclass(frozen=True, slots=True)
class InboundRow:
    """A message of a resident; `media` is JSON."""

    seq: int
    via: str
    number_id: str
    message_id: str
    external_user_id: str
    phone: str | None
    verified: bool
    kind: str
    sent_at: datetime
    received_at: datetime
    text: str
    media: str
    button: str
    conversation_id: str
    scanned: bool


@dataclass(frozen=True, slots=True)
class TurnRow:
    """What was done about messages; `calls` is JSON, a tool not used is empty."""

    turn_id: str
    conversation_id: str
    n: int
    at: datetime
    path: str
    inbound: tuple[int, ...]
    identity_before: str
    identity_after: str
    gathering_before: str
    gathering_after: str
    tool: str
    reason: str
    refused: tuple[str, ...]
    effects: tuple[str, ...]
    model: str
    prompt_hash: str
    calls: str
    prompt_tokens: int
    took_ms: float
    shadow: str


@dataclass(frozen=True, slots=True)
class IssueRow:
    """What the landlord gets."""

    issue_id: str
    turn_id: str
    conversation_id: str
    tenancy_id: str
    property_id: str
    description: str
    location: str
    category: str
    urgency: str
    photo_status: str
    created_at: datetime
    media: tuple[str, ...]
    state: str
    needs_call: bool
    review: str
    also_affected: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class IssueMoveRow:
    """A move of an issue on the board; `n` numbers those of the issue, from 1."""

    issue_id: str
    n: int
    at: datetime
    actor: str
    state_before: str
    state_after: str
    looked_at: str


@dataclass(frozen=True, slots=True)
class EmergencyRow:
    """A message that a pack took for an emergency."""

    event_id: str
    conversation_id: str
    inbound_seq: int
    kind: str
    phrase: str
    is_critical: bool
    at: datetime
    alert_by: datetime
    replied: bool
    state: str
    alerted_at: datetime | None
    issue_id: str


@dataclass(frozen=True, slots=True)
class OutboxRow:
    """A message to a resident; `buttons` is JSON.

    Attributes:
        seq: number among the conversation's messages, from 1, as they were written.
        order_at: the latest `made_at` of the conversation's messages up to this one.
    """

    message_id: str
    conversation_id: str
    seq: int
    order_at: datetime
    turn_id: str
    kind: str
    text: str
    made_at: datetime
    buttons: str
    state: str
    external_id: str
    n_tries: int
    lease_until: datetime | None


@dataclass(frozen=True, slots=True)
class LandlordNoticeRow:
    """Something that the landlord was told; `seq` numbers those of the organisation as they were written, from 1."""

    seq: int
    dedupe_key: str
    event: str
    conversation_id: str
    at: datetime
    issue_id: str
    detail: str


@dataclass(frozen=True, slots=True)
class WaitingMediaRow:
    """A file that is still to be fetched; `seq` is that of its message."""

    seq: int
    media_id: str
    n_tries: int
    due_at: datetime


@dataclass(frozen=True, slots=True)
class MediaRow:
    """A file that a resident sent."""

    sha256: str
    mime: str
    content: bytes


TalkRow: TypeAlias = (
    PropertyRow
    | ResidentRow
    | TenancyRow
    | ConversationRow
    | InboundRow
    | TurnRow
    | IssueRow
    | IssueMoveRow
    | EmergencyRow
    | OutboxRow
    | LandlordNoticeRow
    | WaitingMediaRow
)
"""Rows of conversations and of who lives where."""

TABLE_OF: dict[type[Any], str] = {
    PropertyRow: "property",
    ResidentRow: "resident",
    TenancyRow: "tenancy",
    ConversationRow: "conversation",
    InboundRow: "inbound",
    TurnRow: "turn",
    IssueRow: "issue",
    IssueMoveRow: "issue_move",
    EmergencyRow: "emergency",
    OutboxRow: "outbox",
    LandlordNoticeRow: "landlord_notice",
    WaitingMediaRow: "waiting_media",
    MediaRow: "media",
}
"""Their tables, in the order in which they refer to each other."""
