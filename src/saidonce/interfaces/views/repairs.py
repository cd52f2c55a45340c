"""Conversations, issues and homes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pydantic import AliasPath, Field

from saidonce.foundation.model.board import IssueMove
from saidonce.foundation.model.conversation import (
    Alarm,
    Button,
    Category,
    Conversation,
    Gathering,
    IdentityStatus,
    Issue,
    IssueState,
    LandlordEvent,
    ModelCall,
    OutboxKind,
    OutboxState,
    Path,
    PhotoStatus,
    Slot,
    Tool,
    Urgency,
)
from saidonce.foundation.model.residents import InboundKind, Property, Via
from saidonce.foundation.ports.conversations import Conversations
from saidonce.interfaces.views.base import At, View
from saidonce.repairs.conversation import Difference
from saidonce.repairs.tenancies import Flaw, Planned, RowChange, SharedPhone, TenancySheet


def _named(*names: str) -> Any:
    return Field(validation_alias=AliasPath(*names))


class ResidentView(View):
    """A resident; no channel identity, since a link is made of it."""

    id: str
    name: str
    phones: tuple[str, ...]


class HomeView(View):
    """A tenancy with its property and resident."""

    PARTS = ("tenancy",)

    tenancy: str = _named("tenancy", "id")
    starts_at: At
    ends_at: At | None
    property: Property
    resident: ResidentView


class DraftView(View):
    """What is known of a problem so far."""

    description: Slot | None
    location: Slot | None
    category: Category | None
    urgency: Urgency | None
    photo: PhotoStatus
    photo_quote: str
    detail_asks: int


class ConversationView(View):
    """Where a conversation stands."""

    PARTS = ("sender",)

    id: str
    via: Via
    phone: str | None
    verified: bool
    """the channel itself proved who writes"""
    identity: IdentityStatus
    gathering: Gathering
    tenancy: str = Field(validation_alias="tenancy_id")
    candidates: tuple[str, ...]
    version: int
    draft: DraftView
    draft_expires_at: At | None
    issue: str = Field(validation_alias="issue_id")
    handed_off_at: At | None
    opted_out_at: At | None
    last_inbound_at: At | None


class MediaView(View):
    """A file that a resident sent."""

    id: str
    mime: str
    sha256: str
    stored: bool


class InboundView(View):
    """A message of a resident."""

    seq: int
    message: str = Field(validation_alias="message_id")
    kind: InboundKind
    text: str
    button: str
    sent_at: At
    received_at: At
    media: tuple[MediaView, ...]


class OutboxView(View):
    """A message to a resident."""

    id: str
    turn: str = Field(validation_alias="turn_id")
    kind: OutboxKind
    text: str
    buttons: tuple[Button, ...]
    state: OutboxState
    made_at: At


class TurnDetail(View):
    """A turn with everything that led to it."""

    id: str
    n: int
    at: At
    path: Path
    tool: Tool | None
    reason: str
    inbound: tuple[int, ...]
    identity: tuple[IdentityStatus, IdentityStatus]
    """before and after"""
    gathering: tuple[Gathering, Gathering]
    """before and after"""
    refused: tuple[str, ...]
    effects: tuple[str, ...]
    model: str
    prompt_hash: str
    prompt_tokens: int
    calls: tuple[ModelCall, ...]
    took_ms: float
    shadow: str


class MoveView(View):
    """A move of an issue on the board."""

    n: int
    at: At
    actor: str
    before: IssueState
    after: IssueState
    looked_at: str


class IssueView(View):
    """An issue with its moves on the board, oldest first."""

    id: str
    conversation: str = Field(validation_alias="conversation_id")
    tenancy: str = Field(validation_alias="tenancy_id")
    property: str = Field(validation_alias="property_id")
    description: str
    location: str
    category: Category
    urgency: Urgency
    photo: PhotoStatus
    media: tuple[str, ...]
    state: IssueState
    needs_call: bool
    review: str
    also_affected: tuple[str, ...]
    urgent_because: tuple[str, ...]
    created_at: At
    moves: tuple[MoveView, ...]


class EmergencyView(View):
    """A possible emergency."""

    id: str
    kind: str
    phrase: str
    is_critical: bool
    state: Alarm
    at: At
    alerted_at: At | None
    replied: bool
    inbound: int = Field(validation_alias="inbound_seq")
    issue: str = Field(validation_alias="issue_id")


class LandlordNoticeView(View):
    """A notice to the landlord."""

    key: str = Field(validation_alias="dedupe_key")
    event: LandlordEvent
    at: At
    detail: str
    conversation: str = Field(validation_alias="conversation_id")
    issue: str = Field(validation_alias="issue_id")


class ConversationDetail(ConversationView):
    """A conversation with everything that happened in it, each oldest first."""

    inbounds: tuple[InboundView, ...]
    outbox: tuple[OutboxView, ...]
    turns: tuple[TurnDetail, ...]
    events: tuple[EmergencyView, ...]
    issues: tuple[IssueView, ...]
    notices: tuple[LandlordNoticeView, ...]


class ReplayView(View):
    """A turn taken again, and where it came out differently."""

    turn: TurnDetail
    is_same: bool
    before: tuple[str, ...]
    """turns before it that came out differently"""
    differences: tuple[Difference, ...]


class ImportLine(View):
    """What a line of a table does."""

    line: int = _named("row", "line")
    change: RowChange
    tenancy: str = _named("home", "tenancy", "id")


class HomesImport(View):
    """What a table of homes does."""

    added: int
    changed: int
    same: int
    refused: int
    lines: tuple[ImportLine, ...]
    flaws: tuple[Flaw, ...]
    shared_phones: tuple[SharedPhone, ...]
    """lines whose number somebody else has too"""


class HomeLink(View):
    """The link by which a resident writes."""

    tenancy: str
    link: str


class ChatLine(View):
    """A message of the assistant."""

    kind: OutboxKind
    text: str
    buttons: tuple[Button, ...]


def issue_view(issue: Issue, moves: Iterable[IssueMove]) -> IssueView:
    """Show an issue with its moves; those of other issues are left out."""
    return IssueView.show(issue, moves=[move for move in moves if move.issue_id == issue.id])


def issue_views(issues: Iterable[Issue], moves: Iterable[IssueMove]) -> list[IssueView]:
    """Show issues, each with its moves."""
    by_issue: dict[str, list[IssueMove]] = {}
    for move in moves:
        by_issue.setdefault(move.issue_id, []).append(move)
    return [IssueView.show(issue, moves=by_issue.get(issue.id, ())) for issue in issues]


def conversation_detail(store: Conversations, conversation: Conversation) -> ConversationDetail:
    """Show a conversation with everything that happened in it."""
    id_ = conversation.id
    return ConversationDetail.show(
        conversation,
        inbounds=store.inbounds(id_),
        outbox=store.outbox(id_),
        turns=store.turns(id_),
        events=store.events(id_),
        issues=issue_views((i for i in store.issues() if i.conversation_id == id_), store.issue_moves()),
        notices=[n for n in store.notices() if n.conversation_id == id_],
    )


def homes_import(sheet: TenancySheet, planned: Iterable[Planned], shared: Iterable[SharedPhone]) -> HomesImport:
    """Show what a table does, line by line."""
    lines = list(planned)
    counts = {str(change): sum(line.change is change for line in lines) for change in RowChange}
    return HomesImport.show(sheet, **counts, refused=len(sheet.flaws), lines=lines, shared_phones=tuple(shared))
