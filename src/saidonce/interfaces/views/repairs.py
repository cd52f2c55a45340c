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
    Way,
)
from saidonce.foundation.model.progress import Contractor, IssueStep, VisitState, WorkState
from saidonce.foundation.model.residents import InboundKind, Property, Via
from saidonce.interfaces.views.base import At, View
from saidonce.repairs.conversation import ConversationDeps, Difference, LimitState, TimeLimit, standings
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
    """the channel itself verified the sender"""
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
    """A move or another step of an issue."""

    n: int
    at: At
    actor: str
    before: IssueState
    after: IssueState
    looked_at: str
    step: IssueStep | None
    """step other than a plain move"""
    note: str
    media: tuple[str, ...]
    """SHA-256 of photos sent with it"""


class SpanView(View):
    """A stretch of time."""

    starts_at: At
    ends_at: At


class VisitView(View):
    """A visit to the resident's home."""

    id: str
    state: VisitState
    slots: tuple[SpanView, ...]
    """offered times"""
    at: SpanView | None
    """agreed time"""
    proposed_at: At
    reminded_at: At | None


class ResidentNoticeView(View):
    """The last message to the resident about an issue, or why there was none."""

    at: At
    about: str
    message: str = Field(validation_alias="message_id")
    obstacle: str
    """why the resident was not notified; empty if a message was sent"""


class AssignmentView(View):
    """An issue given to a contractor."""

    contractor: Contractor
    state: WorkState
    assigned_at: At
    by: str
    expires_at: At
    """when the contractor's link expires"""
    access: str
    may_call: bool
    """the contractor sees the resident's name and phone numbers"""
    proposed: SpanView | None
    """time that the contractor proposed last"""


class ProgressView(View):
    """How far an issue is."""

    owner: str
    responded_at: At | None
    done_at: At | None
    is_fixed: bool | None
    """resident's answer after the work was done"""
    told: ResidentNoticeView | None
    visit: VisitView | None
    assignment: AssignmentView | None


class LimitView(View):
    """A limit of time of an issue."""

    limit: TimeLimit
    due_at: At
    state: LimitState


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
    reported_at: At
    """when the resident reported it; for an alarm, the time of its message"""
    created_at: At
    """when it was filed"""
    progress: ProgressView
    limits: tuple[LimitView, ...]
    moves: tuple[MoveView, ...]


class AssignedView(IssueView):
    """An issue that was given to a contractor."""

    link: str
    """the contractor's page; only the path without the setting `public_url`"""


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
    evidence: tuple[str, ...]
    """results by detector"""
    certainty: float
    """of the trained head that there is any danger, 0 to 1; 0 where it was not asked"""
    acknowledged_at: At | None
    acknowledged_by: str
    acknowledged_via: Way | None
    cleared_at: At | None
    cleared_by: str
    n_calls: int
    exhausted_at: At | None


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
    """earlier turns with a different result"""
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
    """lines whose phone number another resident also has"""


class HomeLink(View):
    """The link by which a resident writes."""

    tenancy: str
    link: str


class ChatLine(View):
    """A message of the assistant."""

    kind: OutboxKind
    text: str
    buttons: tuple[Button, ...]


def issue_view(deps: ConversationDeps, issue: Issue, moves: Iterable[IssueMove]) -> IssueView:
    """Show an issue with its limits and its moves; those of other issues are left out."""
    mine = [move for move in moves if move.issue_id == issue.id]
    return IssueView.show(issue, moves=mine, limits=standings(issue, deps.rules, deps.clock.now()))


def assigned_view(deps: ConversationDeps, issue: Issue, link: str) -> AssignedView:
    """Show an issue that was given to a contractor, with the link to their page."""
    limits = standings(issue, deps.rules, deps.clock.now())
    return AssignedView.show(issue, moves=deps.store.issue_moves(issue.id), limits=limits, link=link)


def issue_views(deps: ConversationDeps, issues: Iterable[Issue], moves: Iterable[IssueMove]) -> list[IssueView]:
    """Show issues, each with its limits and its moves."""
    by_issue: dict[str, list[IssueMove]] = {}
    for move in moves:
        by_issue.setdefault(move.issue_id, []).append(move)
    return [issue_view(deps, issue, by_issue.get(issue.id, ())) for issue in issues]


def conversation_detail(deps: ConversationDeps, conversation: Conversation) -> ConversationDetail:
    """Show a conversation with everything that happened in it."""
    store, id_ = deps.store, conversation.id
    return ConversationDetail.show(
        conversation,
        inbounds=store.inbounds(id_),
        outbox=store.outbox(id_),
        turns=store.turns(id_),
        events=store.events(id_),
        issues=issue_views(deps, (i for i in store.issues() if i.conversation_id == id_), store.issue_moves()),
        notices=[n for n in store.notices() if n.conversation_id == id_],
    )


def homes_import(sheet: TenancySheet, planned: Iterable[Planned], shared: Iterable[SharedPhone]) -> HomesImport:
    """Show what a table does, line by line."""
    lines = list(planned)
    counts = {str(change): sum(line.change is change for line in lines) for change in RowChange}
    return HomesImport.show(sheet, **counts, refused=len(sheet.flaws), lines=lines, shared_phones=tuple(shared))
