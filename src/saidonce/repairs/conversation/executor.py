"""The executor. Turns a tool call into a plan, or refuses it; checks the tool gate a second time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from saidonce.foundation.model.conversation import (
    Conversation,
    Gathering,
    IdentityStatus,
    Issue,
    IssueDraft,
    IssueState,
    LandlordEvent,
    OutboxKind,
    Path,
    PhotoStatus,
    Slot,
    Tool,
    Urgency,
)
from saidonce.foundation.text import digest, terms, words
from saidonce.repairs.conversation import identity, lexicon, report_state, slots, tools, vulnerable, wording
from saidonce.repairs.conversation.output import filter_reply
from saidonce.repairs.conversation.phrases import parts
from saidonce.repairs.conversation.problems import without_refusal
from saidonce.repairs.conversation.tools import ToolContext, ToolRefusal
from saidonce.repairs.conversation.view import Call, NoticeDraft, Plan, Refused, ResidentReply, TurnView

CLOSED = (IssueState.DONE, IssueState.CANCELLED)


def turn_id(view: TurnView) -> str:
    """Return the id of the present turn: the same after a crash, so that nothing is done twice."""
    return digest("turn", view.conversation.id, str(view.conversation.version + 1))


def tool_context(view: TurnView, draft: IssueDraft, photo_expired: bool = False) -> ToolContext:
    """Return the context for the tool gate, with the draft as it would become."""
    of = view.conversation
    return ToolContext(
        of.identity, of.gathering, handed_off=of.handed_off_at is not None, slots_full=_is_enough(view, draft),
        photo_now=bool(view.photos), photo=draft.photo, photo_expired=photo_expired,
        detail_asks=draft.detail_asks, max_detail_asks=view.rules.detail_asks,
        has_new_fact=slots.has_new_facts(of.draft, draft, view.texts), is_new_problem=_is_new_problem(view, draft),
        puts_off=draft.photo is PhotoStatus.LATER and slots.is_quoted(draft.photo_quote, view.texts),
        only_asks=bool(view.texts) and not view.photos and all(map(lexicon.only_asks, view.texts)),
    )  # fmt: skip


def execute(view: TurnView, call: Call, path: Path, strict: bool = True, by_code: bool = False) -> Plan | Refused:
    """Execute a tool call as a plan, or refuse it.

    Args:
        view: state and messages of the turn.
        call: the tool with its message and slots, all untrusted.
        path: origin of the call.
        strict: whether the content of slots is checked, too; not for the keyword flow.
        by_code: the message is a fixed one and is not filtered.
    """
    proved = slots.verify_slots(view.draft, call.offered, view.texts_of_draft, strict)
    objection = tools.refusal(tool_context(view, proved.draft), call.tool, by_code)
    if objection is None and call.tool is Tool.ESCALATE and not by_code:
        objection = ToolRefusal.TOO_MANY_ESCALATIONS if view.n_escalations >= view.rules.max_escalations else None
    if objection is not None:
        return Refused(call.tool, (objection, *proved.refused))
    message, removed = (call.message, ()) if by_code else _message(view, call)
    plan = _ACTS[call.tool](view, replace(call, message=message), proved.draft)
    dropped = (*(f"slot: {r}" for r in proved.refused), *(f"message: {r}" for r in removed))
    return replace(_with_active_identity(view, plan), path=path, tool=call.tool, reason=call.why, refused=dropped)


def create_issue(view: TurnView, draft: IssueDraft, why: str) -> Plan:
    """Create the issue of a draft, or add to the open one of this unit with the same words."""
    texts = " / ".join(filter(None, _without_refusal(view, draft))) or " / ".join(view.texts_of_draft)
    description = draft.description or Slot(texts[:500] or "(photo)", texts)
    location = draft.location.value if draft.location else ""
    guess = lexicon.category(f"{description.quote} {location}")
    home = view.home
    assert home is not None
    issue = Issue(
        id=digest("issue", turn_id(view)), turn_id=turn_id(view), conversation_id=view.conversation.id,
        tenancy_id=home.tenancy.id, property_id=home.property.id,
        description=slots.full_description(description, location, _without_refusal(view, draft)), location=location,
        category=draft.category or guess, urgency=_urgency(draft), photo=_final_photo(draft),
        created_at=view.now, media=draft.media, needs_call=not draft.is_full,
    )  # fmt: skip
    issue = vulnerable.raised(issue, view.texts_of_draft, view.language)
    twin = _same_issue(view, issue)
    if twin is not None:
        return _extend(view, twin, draft.media, view.texts_of_draft, wording.ALREADY_REPORTED, why)
    after = replace(
        view.conversation, gathering=report_state.next_state(view.conversation.gathering, Tool.CREATE_ISSUE),
        draft=IssueDraft(), draft_expires_at=None, is_nudged=False, issue_id=issue.id, issue_at=view.now,
    )  # fmt: skip
    return Plan(
        after, Path.FAST, Tool.CREATE_ISSUE, why, (ResidentReply(OutboxKind.REPLY, wording.created(issue)),),
        issue=issue, notices=(NoticeDraft(LandlordEvent.ISSUE_CREATED, issue.id, issue.id),),
        effects=(f"issue:{issue.id}",),
    )  # fmt: skip


def _without_refusal(view: TurnView, draft: IssueDraft) -> tuple[str, ...]:
    """Return the texts of a draft without the clauses that refuse the photo, and sentences that tell nothing else."""
    bare = tuple(
        " ".join(p for part in parts(text) if words(p := without_refusal(part, view.language)))
        for text in view.texts_of_draft
    )
    quote = draft.photo_quote if draft.photo is PhotoStatus.DECLINED else ""
    if not quote:
        return bare
    own = " ".join(p for part in parts(quote) if words(p := without_refusal(part, view.language)))
    kept = " ".join(p for p in parts(own) if not lexicon.refuses_photo(p, view.language) or lexicon.reports(p))
    return tuple(kept if text == own else text for text in bare)


def extend_issue(view: TurnView, why: str, answer: str = wording.ATTACHED) -> Plan | None:
    """Add this turn's photos and reports to the issue created last; None if none is open."""
    last = _last_issue(view)
    return _extend(view, last, view.photos, view.texts, answer, why) if last is not None else None


def _create(view: TurnView, call: Call, draft: IssueDraft) -> Plan:
    return create_issue(view, draft, call.why)


def _ask_for_details(view: TurnView, call: Call, draft: IssueDraft) -> Plan:
    updated = replace(draft, detail_asks=draft.detail_asks + 1)
    if draft.description is not None and draft.location is None:
        fixed = wording.ASK_WHERE
    else:
        fixed = wording.ASK_WHAT if draft.location is not None else wording.ASK_DETAILS
    question = call.message if call.message and _asks_for_missing(call.message, draft) else fixed
    return _ask(view, Tool.ASK_FOR_DETAILS, ResidentReply(OutboxKind.REPLY, question), updated)


def _asks_for_missing(message: str, draft: IssueDraft) -> bool:
    """Return whether a question for details asks for a missing slot, not for a known one or a photo."""
    if draft.photo is not PhotoStatus.PROVIDED and lexicon.asks_for_photo(message):
        return False
    if draft.location is not None:
        return not lexicon.asks_where(message)
    return draft.description is None or lexicon.asks_where(message) or lexicon.names_place(message)


def _ask_for_photo(view: TurnView, call: Call, draft: IssueDraft) -> Plan:
    updated = replace(draft, photo=PhotoStatus.ASKED) if draft.photo is PhotoStatus.NONE else draft
    message = call.message if lexicon.asks_for_photo(call.message) else wording.ASK_PHOTO
    reply = ResidentReply(OutboxKind.REPLY, message, wording.PHOTO_BUTTONS)
    return _ask(view, Tool.ASK_FOR_PHOTO, reply, updated)


def _respond(view: TurnView, call: Call, draft: IssueDraft) -> Plan:
    """Make the reply; an open draft takes verified slots, the issue created last takes photos."""
    of = view.conversation
    fixed = wording.TAKE_YOUR_TIME if tool_context(view, draft).puts_off else wording.HOW_CAN_I_HELP
    waits = of.gathering is Gathering.AWAITING_PHOTO and draft.photo is PhotoStatus.LATER
    replies = (ResidentReply(OutboxKind.REPLY, call.message or fixed, (wording.NO_PHOTO_BUTTON,) if waits else ()),)
    if of.gathering is Gathering.ISSUE_CREATED and view.photos:
        added = extend_issue(view, call.why)
        if added is not None:
            return replace(added, replies=replies)
    is_open = of.gathering in (Gathering.GATHERING_DETAILS, Gathering.AWAITING_PHOTO)
    next_draft = draft if is_open or view.photos else of.draft
    return Plan(_with_expiry(view, replace(of, draft=next_draft)), Path.FAST, replies=replies)


def _escalate(view: TurnView, call: Call, draft: IssueDraft) -> Plan:
    of = replace(
        view.conversation, handed_off_at=view.now, draft=draft if view.conversation.draft.since else IssueDraft()
    )
    return Plan(
        of, Path.FAST, replies=(ResidentReply(OutboxKind.REPLY, call.message or wording.ESCALATED),),
        notices=(NoticeDraft(LandlordEvent.ESCALATED, turn_id(view), detail=call.why),), effects=("handed_off",),
    )  # fmt: skip


_ACTS = {
    Tool.ASK_FOR_DETAILS: _ask_for_details,
    Tool.ASK_FOR_PHOTO: _ask_for_photo,
    Tool.CREATE_ISSUE: _create,
    Tool.RESPOND: _respond,
    Tool.ESCALATE: _escalate,
}


def _ask(view: TurnView, tool: Tool, reply: ResidentReply, draft: IssueDraft) -> Plan:
    of = view.conversation
    after = replace(of, gathering=report_state.next_state(of.gathering, tool), draft=draft, is_nudged=False)
    return Plan(_with_expiry(view, after), Path.FAST, replies=(reply,))


def _with_expiry(view: TurnView, of: Conversation) -> Conversation:
    """Return the conversation with its draft's expiry counted from now."""
    lives = {
        Gathering.GATHERING_DETAILS: view.rules.details_ttl_s,
        Gathering.AWAITING_PHOTO: view.rules.photo_ttl_s,
    }.get(of.gathering)
    return replace(of, draft_expires_at=view.now + timedelta(seconds=lives) if lives else None)


def _with_active_identity(view: TurnView, plan: Plan) -> Plan:
    """Return the plan with a confirmed identity made active, since a substantive message was handled."""
    of = plan.conversation
    before = view.conversation.gathering
    moves = (f"gathering:{before}>{of.gathering}",) if of.gathering is not before else ()
    if of.identity is IdentityStatus.CONFIRMED:
        of = identity.activate(of)
        moves = (*moves, f"identity:{IdentityStatus.CONFIRMED}>{IdentityStatus.ACTIVE}")
    return replace(plan, conversation=of, effects=(*plan.effects, *moves))


def _extend(view: TurnView, issue: Issue, media: Sequence[str], texts: Sequence[str], answer: str, why: str) -> Plan:
    more = replace(
        issue, description=slots.full_description(Slot(issue.description, issue.description), issue.location, texts),
        media=tuple(dict.fromkeys((*issue.media, *media))), photo=PhotoStatus.PROVIDED if media else issue.photo,
    )  # fmt: skip
    more = vulnerable.raised(more, texts, view.language)
    after = replace(
        view.conversation, gathering=Gathering.ISSUE_CREATED, draft=IssueDraft(), draft_expires_at=None,
        is_nudged=False, issue_id=issue.id, issue_at=view.conversation.issue_at or view.now,
    )  # fmt: skip
    return Plan(
        after, Path.FAST, Tool.RESPOND, why, (ResidentReply(OutboxKind.REPLY, answer),), extended=more,
        notices=(NoticeDraft(LandlordEvent.ISSUE_EXTENDED, turn_id(view), issue.id),),
        effects=(f"extended:{issue.id}",),
    )  # fmt: skip


def _message(view: TurnView, call: Call) -> tuple[str, tuple[str, ...]]:
    unit = view.home.property.unit if view.home else ""
    known = (*view.texts_of_draft, *(p.text for p in view.passages))
    reply = filter_reply(call.message, view.voice.may_link, unit, known)
    return reply.text, reply.removed


def _is_enough(view: TurnView, draft: IssueDraft) -> bool:
    """Return whether the slots are full; after the last question any text is enough, and somebody will call."""
    return draft.is_full or (draft.detail_asks >= view.rules.detail_asks and bool(view.texts_of_draft))


def _is_new_problem(view: TurnView, draft: IssueDraft) -> bool:
    last = _last_issue(view)
    if last is None:
        return True
    probe = draft.description or (Slot("", " ".join(view.texts)) if view.texts else None)
    return not slots.looks_same(last.description, last.location, probe, draft.location)


def _last_issue(view: TurnView) -> Issue | None:
    return next((i for i in view.open_issues if i.id == view.conversation.issue_id), None)


def _same_issue(view: TurnView, issue: Issue) -> Issue | None:
    since = view.now - timedelta(seconds=view.rules.same_unit_s)
    wanted_terms = _issue_terms(issue)
    return next(
        (i for i in view.open_issues if i.created_at >= since and _issue_terms(i) == wanted_terms),
        None,
    )


def _issue_terms(issue: Issue) -> frozenset[str]:
    """Return the words of an issue, in whatever order and slot."""
    return frozenset(terms(f"{issue.description}\n{issue.location}"))


def _final_photo(draft: IssueDraft) -> PhotoStatus:
    return draft.photo if draft.photo in (PhotoStatus.PROVIDED, PhotoStatus.DECLINED) else PhotoStatus.NONE


def _urgency(draft: IssueDraft) -> Urgency:
    """Return the urgency; a model's "emergency" counts as urgent, since packs alone decide on emergencies."""
    if draft.urgency is Urgency.EMERGENCY:
        return Urgency.URGENT
    return draft.urgency or Urgency.ROUTINE
