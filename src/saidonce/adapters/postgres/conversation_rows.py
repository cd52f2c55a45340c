"""Nouns of conversations as the rows that a store keeps, and back."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import astuple, fields, is_dataclass, replace
from datetime import UTC, datetime
from typing import Any, TypeAlias, TypeVar

from saidonce.adapters.postgres.clean import clean, clean_time
from saidonce.adapters.postgres.conversation_records import (
    ConversationRow,
    EmergencyRow,
    InboundRow,
    IssueMoveRow,
    IssueRow,
    LandlordNoticeRow,
    OutboxRow,
    PropertyRow,
    ResidentRow,
    TalkRow,
    TenancyRow,
    TurnRow,
    WaitingMediaRow,
)
from saidonce.foundation.model.board import IssueMove
from saidonce.foundation.model.conversation import (
    Alarm,
    Button,
    Category,
    Conversation,
    EmergencyEvent,
    Gathering,
    IdentityStatus,
    Issue,
    IssueDraft,
    IssueState,
    LandlordEvent,
    LandlordNotice,
    ModelCall,
    OutboxKind,
    OutboxMessage,
    OutboxState,
    Path,
    PhotoStatus,
    Slot,
    Tool,
    Turn,
    Urgency,
)
from saidonce.foundation.model.residents import (
    ChannelIdentity,
    Home,
    Inbound,
    InboundKind,
    Media,
    Property,
    Resident,
    Tenancy,
    Via,
)

Noun: TypeAlias = (
    Property
    | Resident
    | Tenancy
    | Conversation
    | Inbound
    | Turn
    | Issue
    | IssueMove
    | EmergencyEvent
    | OutboxMessage
    | LandlordNotice
    | WaitingMediaRow
)
"""What a store keeps of conversations and of who lives where."""

_Row = TypeVar("_Row")
_Given = TypeVar("_Given")


def cleaned(noun: _Given) -> _Given:
    """Give a noun with every text as a store keeps it and every moment in UTC, however deep they lie.

    Raises:
        UsageError: a moment has no time zone.
    """
    made: Any = noun
    if isinstance(noun, datetime):
        made = clean_time(noun)
    elif type(noun) is str:
        made = clean(str(noun))
    elif isinstance(noun, tuple):
        made = tuple(map(cleaned, noun))
    elif is_dataclass(noun) and not isinstance(noun, type):
        made = replace(noun, **{each.name: cleaned(getattr(noun, each.name)) for each in fields(noun)})
    result: _Given = made
    return result


def read(table: type[_Row], values: Sequence[Any]) -> _Row:
    """Put a row together from the values that the database returned for its columns."""
    return table(*map(_plain, values))


def postcode_key(postcode: str) -> str:
    """Give a postcode as it is looked for: no spaces, lower case."""
    return clean(postcode.replace(" ", "").casefold())


def last_name(name: str) -> str | None:
    """Give the last word of a name in lower case, or None."""
    words = name.casefold().split()
    return clean(words[-1]) if words else None


def home_of(values: Sequence[Any]) -> Home:
    """Put a home together from the columns of the view."""
    (tenancy_id, property_id, resident_id, starts_at, ends_at, address, unit, building, postcode, name, phones,
     external_ids) = map(_plain, values)  # fmt: skip
    return Home(
        Tenancy(tenancy_id, property_id, resident_id, starts_at, ends_at),
        Property(property_id, address, unit, building, postcode),
        Resident(resident_id, name, phones, external_ids),
    )


def noun_of(row: TalkRow) -> Noun:
    """Put a noun together from its row.

    Raises:
        ValueError, TypeError: a value is none that its column may hold.
    """
    return _NOUN_OF[type(row)](row)


def property_row(of: Property) -> PropertyRow:
    """Give a property as its row."""
    return PropertyRow(of.id, of.address, of.unit, of.building, of.postcode)


def property_of(row: PropertyRow) -> Property:
    """Put a property together from its row."""
    return Property(row.property_id, row.address, row.unit, row.building, row.postcode)


def resident_row(of: Resident) -> ResidentRow:
    """Give a resident as their row."""
    return ResidentRow(of.id, of.name, of.phones, of.external_ids)


def resident_of(row: ResidentRow) -> Resident:
    """Put a resident together from their row."""
    return Resident(row.resident_id, row.name, row.phones, row.external_ids)


def tenancy_row(of: Tenancy) -> TenancyRow:
    """Give a tenancy as its row."""
    return TenancyRow(of.id, of.property_id, of.resident_id, of.starts_at, of.ends_at)


def tenancy_of(row: TenancyRow) -> Tenancy:
    """Put a tenancy together from its row."""
    return Tenancy(row.tenancy_id, row.property_id, row.resident_id, row.starts_at, row.ends_at)


def conversation_row(of: Conversation) -> ConversationRow:
    """Give a conversation as its row."""
    draft = of.draft
    return ConversationRow(
        of.id, of.sender.via.value, of.sender.external_user_id, of.sender.phone, of.sender.verified, of.number_id,
        of.started_at, of.identity.value, of.gathering.value, of.version, of.seen, of.parked, of.waiting_since,
        of.due_at, of.wake_at, of.tenancy_id, of.candidates, of.excluded, of.identity_tries, of.confirmed_at,
        *_slot(draft.description), *_slot(draft.location), draft.category.value if draft.category else "",
        draft.urgency.value if draft.urgency else "", draft.photo.value, draft.photo_quote, draft.media,
        draft.detail_asks, draft.since, of.draft_expires_at, of.is_nudged, of.issue_id, of.issue_at, of.handed_off_at,
        of.opted_out_at, of.last_inbound_at, of.lease_by, of.lease_until,
    )  # fmt: skip


def conversation_of(row: ConversationRow) -> Conversation:
    """Put a conversation together from its row."""
    draft = IssueDraft(
        _slot_of(row.description, row.description_quote), _slot_of(row.location, row.location_quote),
        Category(row.category) if row.category else None, Urgency(row.urgency) if row.urgency else None,
        PhotoStatus(row.photo_status), row.photo_quote, row.media, row.detail_asks, row.draft_since,
    )  # fmt: skip
    return Conversation(
        row.conversation_id, ChannelIdentity(Via(row.via), row.external_user_id, row.phone, row.verified),
        row.number_id, row.started_at, IdentityStatus(row.identity_status), Gathering(row.gathering_state), row.version,
        row.seen, row.parked, row.waiting_since, row.due_at, row.wake_at, row.tenancy_id, row.candidates, row.excluded,
        row.identity_tries, row.confirmed_at, draft, row.draft_expires_at, row.is_nudged, row.issue_id, row.issue_at,
        row.handed_off_at, row.opted_out_at, row.last_inbound_at, row.lease_by, row.lease_until,
    )  # fmt: skip


def inbound_row(of: Inbound) -> InboundRow:
    """Give a message of a resident as its row."""
    return InboundRow(
        of.seq, of.sender.via.value, of.number_id, of.message_id, of.sender.external_user_id, of.sender.phone,
        of.sender.verified, of.kind.value, of.sent_at, of.received_at, of.text, _json(of.media), of.button,
        of.conversation_id, of.scanned,
    )  # fmt: skip


def inbound_of(row: InboundRow) -> Inbound:
    """Put a message of a resident together from its row."""
    return Inbound(
        ChannelIdentity(Via(row.via), row.external_user_id, row.phone, row.verified), row.number_id, row.message_id,
        InboundKind(row.kind), row.sent_at, row.received_at, row.text,
        tuple(Media(*each) for each in json.loads(row.media)), row.button, row.conversation_id, row.seq, row.scanned,
    )  # fmt: skip


def turn_row(of: Turn) -> TurnRow:
    """Give a turn as its row."""
    return TurnRow(
        of.id, of.conversation_id, of.n, of.at, of.path.value, of.inbound, of.identity[0].value, of.identity[1].value,
        of.gathering[0].value, of.gathering[1].value, of.tool.value if of.tool else "", of.reason, of.refused,
        of.effects, of.model, of.prompt_hash, _json(of.calls), of.prompt_tokens, float(of.took_ms), of.shadow,
    )  # fmt: skip


def turn_of(row: TurnRow) -> Turn:
    """Put a turn together from its row."""
    return Turn(
        row.turn_id, row.conversation_id, row.n, row.at, Path(row.path), row.inbound,
        (IdentityStatus(row.identity_before), IdentityStatus(row.identity_after)),
        (Gathering(row.gathering_before), Gathering(row.gathering_after)), Tool(row.tool) if row.tool else None,
        row.reason, row.refused, row.effects, row.model, row.prompt_hash,
        tuple(ModelCall(*each) for each in json.loads(row.calls)), row.prompt_tokens, row.took_ms, row.shadow,
    )  # fmt: skip


def issue_row(of: Issue) -> IssueRow:
    """Give an issue as its row."""
    return IssueRow(
        of.id, of.turn_id, of.conversation_id, of.tenancy_id, of.property_id, of.description, of.location,
        of.category.value, of.urgency.value, of.photo.value, of.created_at, of.media, of.state.value, of.needs_call,
        of.review, of.also_affected,
    )  # fmt: skip


def issue_of(row: IssueRow) -> Issue:
    """Put an issue together from its row."""
    return Issue(
        row.issue_id, row.turn_id, row.conversation_id, row.tenancy_id, row.property_id, row.description, row.location,
        Category(row.category), Urgency(row.urgency), PhotoStatus(row.photo_status), row.created_at, row.media,
        IssueState(row.state), row.needs_call, row.review, row.also_affected,
    )  # fmt: skip


def move_row(of: IssueMove) -> IssueMoveRow:
    """Give a move of an issue as its row."""
    return IssueMoveRow(of.issue_id, of.n, of.at, of.actor, of.before.value, of.after.value, of.looked_at)


def move_of(row: IssueMoveRow) -> IssueMove:
    """Put a move of an issue together from its row."""
    before, after = IssueState(row.state_before), IssueState(row.state_after)
    return IssueMove(row.issue_id, row.n, row.at, row.actor, before, after, row.looked_at)


def emergency_row(of: EmergencyEvent) -> EmergencyRow:
    """Give an emergency event as its row."""
    return EmergencyRow(
        of.id, of.conversation_id, of.inbound_seq, of.kind, of.phrase, of.is_critical, of.at, of.alert_by, of.replied,
        of.state.value, of.alerted_at, of.issue_id,
    )  # fmt: skip


def emergency_of(row: EmergencyRow) -> EmergencyEvent:
    """Put an emergency event together from its row."""
    return EmergencyEvent(
        row.event_id, row.conversation_id, row.inbound_seq, row.kind, row.phrase, row.is_critical, row.at, row.alert_by,
        row.replied, Alarm(row.state), row.alerted_at, row.issue_id,
    )  # fmt: skip


def outbox_row(of: OutboxMessage, seq: int, order_at: datetime) -> OutboxRow:
    """Give a message to a resident as its row."""
    return OutboxRow(
        of.id, of.conversation_id, seq, order_at, of.turn_id, of.kind.value, of.text, of.made_at, _json(of.buttons),
        of.state.value, of.external_id, of.n_tries, of.lease_until,
    )  # fmt: skip


def outbox_of(row: OutboxRow) -> OutboxMessage:
    """Put a message to a resident together from its row."""
    return OutboxMessage(
        row.message_id, row.conversation_id, row.turn_id, OutboxKind(row.kind), row.text, row.made_at,
        tuple(Button(*each) for each in json.loads(row.buttons)), OutboxState(row.state), row.external_id, row.n_tries,
        row.lease_until,
    )  # fmt: skip


def notice_row(of: LandlordNotice, seq: int) -> LandlordNoticeRow:
    """Give a notice to the landlord as its row."""
    return LandlordNoticeRow(seq, of.dedupe_key, of.event.value, of.conversation_id, of.at, of.issue_id, of.detail)


def notice_of(row: LandlordNoticeRow) -> LandlordNotice:
    """Put a notice to the landlord together from its row."""
    return LandlordNotice(
        row.dedupe_key, LandlordEvent(row.event), row.conversation_id, row.at, row.issue_id, row.detail
    )


_NOUN_OF: dict[type[TalkRow], Callable[[Any], Noun]] = {
    PropertyRow: property_of,
    ResidentRow: resident_of,
    TenancyRow: tenancy_of,
    ConversationRow: conversation_of,
    InboundRow: inbound_of,
    TurnRow: turn_of,
    IssueRow: issue_of,
    IssueMoveRow: move_of,
    EmergencyRow: emergency_of,
    OutboxRow: outbox_of,
    LandlordNoticeRow: notice_of,
    WaitingMediaRow: lambda row: row,
}


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.astimezone(UTC)
    return tuple(value) if isinstance(value, list) else value


def _json(nouns: Sequence[Any]) -> str:
    return json.dumps([astuple(each) for each in nouns], ensure_ascii=False, separators=(",", ":"))


def _slot(slot: Slot | None) -> tuple[str | None, str | None]:
    return (slot.value, slot.quote) if slot is not None else (None, None)


def _slot_of(value: str | None, quote: str | None) -> Slot | None:
    return Slot(value, quote) if value is not None and quote is not None else None
