"""Room: the executor. A call of an orchestrator becomes a plan, or is refused; the gate is asked here a second time."""

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
from saidonce.foundation.text import digest, terms
from saidonce.repairs.conversation import gathering, identity, lexicon, slots, tools, wording
from saidonce.repairs.conversation.output import cited, filtered
from saidonce.repairs.conversation.tools import ToolContext, ToolRefusal
from saidonce.repairs.conversation.view import Call, NoticeDraft, Plan, Refused, ResidentReply, TurnView

CLOSED = (IssueState.DONE, IssueState.CANCELLED)


def turn_id(view: TurnView) -> str:
    """Name the turn that is being taken: the same after a crash, so that nothing is done twice."""
    return digest("turn", view.conversation.id, str(view.conversation.version + 1))


def situation(view: TurnView, draft: IssueDraft, photo_expired: bool = False) -> ToolContext:
    """Say what the gate looks at, with a draft as it would become."""
    of = view.conversation
    return ToolContext(
        of.identity, of.gathering, handed_off=of.handed_off_at is not None, slots_full=_is_enough(view, draft),
        photo_now=bool(view.photos), photo=draft.photo, photo_expired=photo_expired,
        detail_asks=draft.detail_asks, max_detail_asks=view.rules.detail_asks,
        has_new_fact=slots.new_facts(of.draft, draft, view.texts), is_new_problem=_is_new_problem(view, draft),
        puts_off=draft.photo is PhotoStatus.LATER and slots.quoted(draft.photo_quote, view.texts),
        only_asks=bool(view.texts) and not view.photos and all(map(lexicon.only_asks, view.texts)),
    )  # fmt: skip


def execute(view: TurnView, call: Call, path: Path, strict: bool = True, by_code: bool = False) -> Plan | Refused:
    """Carry out a call as a plan.

    Args:
        view: what the turn looks at.
        call: the tool with its message and slots; nothing of it is trusted.
        path: what asks for it.
        strict: whether slots are checked by what they say, too; not for the keyword flow.
        by_code: the message is a fixed one of ours and is not filtered.
    """
    proved = slots.checked(view.draft, call.offered, view.said, strict)
    objection = tools.refusal(situation(view, proved.draft), call.tool, by_code)
    if objection is None and call.tool is Tool.ESCALATE and not by_code:
        objection = ToolRefusal.TOO_MANY_ESCALATIONS if view.n_escalations >= view.rules.max_escalations else None
    if objection is not None:
        return Refused(call.tool, (objection, *proved.refused))
    message, removed = (call.message, ()) if by_code else _message(view, call)
    made = _ACTS[call.tool](view, replace(call, message=message), proved.draft)
    dropped = (*(f"slot: {r}" for r in proved.refused), *(f"message: {r}" for r in removed))
    return replace(_handled(view, made), path=path, tool=call.tool, reason=call.why, refused=dropped)


def created(view: TurnView, draft: IssueDraft, why: str) -> Plan:
    """Make the issue of a draft, or add to the open one of this unit that says the same in the same words."""
    said = " / ".join(view.said)
    description = draft.description or Slot(said[:500] or "(photo)", said)
    location = draft.location.value if draft.location else ""
    guess = lexicon.category(f"{description.quote} {location}")
    home = view.home
    assert home is not None
    made = Issue(
        id=digest("issue", turn_id(view)), turn_id=turn_id(view), conversation_id=view.conversation.id,
        tenancy_id=home.tenancy.id, property_id=home.property.id,
        description=slots.in_full(description, location, view.said), location=location,
        category=draft.category or guess, urgency=_urgency(draft), photo=_final_photo(draft),
        created_at=view.now, media=draft.media, needs_call=not draft.is_full,
    )  # fmt: skip
    twin = _twin(view, made)
    if twin is not None:
        return _attached(view, twin, draft.media, view.said, wording.ALREADY_REPORTED, why)
    after = replace(
        view.conversation, gathering=gathering.moved(view.conversation.gathering, Tool.CREATE_ISSUE),
        draft=IssueDraft(), draft_expires_at=None, is_nudged=False, issue_id=made.id, issue_at=view.now,
    )  # fmt: skip
    return Plan(
        after, Path.FAST, Tool.CREATE_ISSUE, why, (ResidentReply(OutboxKind.REPLY, wording.created(made)),), issue=made,
        tells=(NoticeDraft(LandlordEvent.ISSUE_CREATED, made.id, made.id),), effects=(f"issue:{made.id}",),
    )  # fmt: skip


def extended(view: TurnView, why: str, answer: str = wording.ATTACHED) -> Plan | None:
    """Add this turn's photos, and what its messages report, to the issue created last; None if none is open."""
    last = _last_issue(view)
    return _attached(view, last, view.photos, view.texts, answer, why) if last is not None else None


def _create(view: TurnView, call: Call, draft: IssueDraft) -> Plan:
    return created(view, draft, call.why)


def _ask_for_details(view: TurnView, call: Call, draft: IssueDraft) -> Plan:
    asked = replace(draft, detail_asks=draft.detail_asks + 1)
    if draft.description is not None and draft.location is None:
        fixed = wording.ASK_WHERE
    else:
        fixed = wording.ASK_WHAT if draft.location is not None else wording.ASK_DETAILS
    said = call.message if call.message and _asks_for_missing(call.message, draft) else fixed
    return _asked(view, Tool.ASK_FOR_DETAILS, ResidentReply(OutboxKind.REPLY, said), asked)


def _asks_for_missing(message: str, draft: IssueDraft) -> bool:
    """Tell whether a question for details asks for what is missing, not for what is known and not yet for a photo."""
    if draft.photo is not PhotoStatus.PROVIDED and lexicon.asks_for_photo(message):
        return False
    if draft.location is not None:
        return not lexicon.asks_where(message)
    return draft.description is None or lexicon.asks_where(message) or lexicon.names_place(message)


def _ask_for_photo(view: TurnView, call: Call, draft: IssueDraft) -> Plan:
    asked = replace(draft, photo=PhotoStatus.ASKED) if draft.photo is PhotoStatus.NONE else draft
    message = call.message if lexicon.asks_for_photo(call.message) else wording.ASK_PHOTO
    said = ResidentReply(OutboxKind.REPLY, message, wording.PHOTO_BUTTONS)
    return _asked(view, Tool.ASK_FOR_PHOTO, said, asked)


def _respond(view: TurnView, call: Call, draft: IssueDraft) -> Plan:
    """Say something; an open draft takes what was proved, the issue created last takes photos."""
    of = view.conversation
    fixed = wording.TAKE_YOUR_TIME if situation(view, draft).puts_off else wording.HOW_CAN_I_HELP
    waits = of.gathering is Gathering.AWAITING_PHOTO and draft.photo is PhotoStatus.LATER
    said = (ResidentReply(OutboxKind.REPLY, call.message or fixed, (wording.NO_PHOTO_BUTTON,) if waits else ()),)
    if of.gathering is Gathering.ISSUE_CREATED and view.photos:
        added = extended(view, call.why)
        if added is not None:
            return replace(added, says=said)
    is_open = of.gathering in (Gathering.GATHERING_DETAILS, Gathering.AWAITING_PHOTO)
    kept = draft if is_open or view.photos else of.draft
    return Plan(_dated(view, replace(of, draft=kept)), Path.FAST, says=said)


def _escalate(view: TurnView, call: Call, draft: IssueDraft) -> Plan:
    of = replace(
        view.conversation, handed_off_at=view.now, draft=draft if view.conversation.draft.since else IssueDraft()
    )
    return Plan(
        of, Path.FAST, says=(ResidentReply(OutboxKind.REPLY, call.message or wording.ESCALATED),),
        tells=(NoticeDraft(LandlordEvent.ESCALATED, turn_id(view), detail=call.why),), effects=("handed_off",),
    )  # fmt: skip


_ACTS = {
    Tool.ASK_FOR_DETAILS: _ask_for_details,
    Tool.ASK_FOR_PHOTO: _ask_for_photo,
    Tool.CREATE_ISSUE: _create,
    Tool.RESPOND: _respond,
    Tool.ESCALATE: _escalate,
}


def _asked(view: TurnView, tool: Tool, said: ResidentReply, draft: IssueDraft) -> Plan:
    of = view.conversation
    after = replace(of, gathering=gathering.moved(of.gathering, tool), draft=draft, is_nudged=False)
    return Plan(_dated(view, after), Path.FAST, says=(said,))


def _dated(view: TurnView, of: Conversation) -> Conversation:
    """The conversation with its draft's life counted from now."""
    lives = {
        Gathering.GATHERING_DETAILS: view.rules.details_ttl_s,
        Gathering.AWAITING_PHOTO: view.rules.photo_ttl_s,
    }.get(of.gathering)
    return replace(of, draft_expires_at=view.now + timedelta(seconds=lives) if lives else None)


def _handled(view: TurnView, plan: Plan) -> Plan:
    """A substantive message was handled: a confirmed identity becomes active."""
    of = plan.conversation
    before = view.conversation.gathering
    moves = (f"gathering:{before}>{of.gathering}",) if of.gathering is not before else ()
    if of.identity is IdentityStatus.CONFIRMED:
        of = identity.handled(of)
        moves = (*moves, f"identity:{IdentityStatus.CONFIRMED}>{IdentityStatus.ACTIVE}")
    return replace(plan, conversation=of, effects=(*plan.effects, *moves))


def _attached(view: TurnView, issue: Issue, media: Sequence[str], texts: Sequence[str], answer: str, why: str) -> Plan:
    more = replace(
        issue, description=slots.in_full(Slot(issue.description, issue.description), issue.location, texts),
        media=tuple(dict.fromkeys((*issue.media, *media))), photo=PhotoStatus.PROVIDED if media else issue.photo,
    )  # fmt: skip
    after = replace(
        view.conversation, gathering=Gathering.ISSUE_CREATED, draft=IssueDraft(), draft_expires_at=None,
        is_nudged=False, issue_id=issue.id, issue_at=view.conversation.issue_at or view.now,
    )  # fmt: skip
    return Plan(
        after, Path.FAST, Tool.RESPOND, why, (ResidentReply(OutboxKind.REPLY, answer),), extended=more,
        tells=(NoticeDraft(LandlordEvent.ISSUE_EXTENDED, turn_id(view), issue.id),), effects=(f"extended:{issue.id}",),
    )  # fmt: skip


def _message(view: TurnView, call: Call) -> tuple[str, tuple[str, ...]]:
    unit = view.home.property.unit if view.home else ""
    known = (*view.said, *(p.text for p in view.passages))
    made = filtered(call.message, view.voice.may_link, unit, known)
    answers = call.tool is Tool.RESPOND
    return cited(made.text, view.passages) if answers else made.text, made.removed


def _is_enough(view: TurnView, draft: IssueDraft) -> bool:
    """Full slots; after the last question whatever was said is enough, and somebody will call."""
    return draft.is_full or (draft.detail_asks >= view.rules.detail_asks and bool(view.said))


def _is_new_problem(view: TurnView, draft: IssueDraft) -> bool:
    last = _last_issue(view)
    if last is None:
        return True
    probe = draft.description or (Slot("", " ".join(view.texts)) if view.texts else None)
    return not slots.looks_same(last.description, last.location, probe, draft.location)


def _last_issue(view: TurnView) -> Issue | None:
    return next((i for i in view.open_issues if i.id == view.conversation.issue_id), None)


def _twin(view: TurnView, made: Issue) -> Issue | None:
    since = view.now - timedelta(seconds=view.rules.same_unit_s)
    wanted = _said_of(made)
    return next(
        (i for i in view.open_issues if i.created_at >= since and _said_of(i) == wanted),
        None,
    )


def _said_of(issue: Issue) -> frozenset[str]:
    """The words of an issue, in whatever order and whichever slot."""
    return frozenset(terms(f"{issue.description}\n{issue.location}"))


def _final_photo(draft: IssueDraft) -> PhotoStatus:
    return draft.photo if draft.photo in (PhotoStatus.PROVIDED, PhotoStatus.DECLINED) else PhotoStatus.NONE


def _urgency(draft: IssueDraft) -> Urgency:
    """Emergencies are the packs' business: what a model calls one is urgent."""
    if draft.urgency is Urgency.EMERGENCY:
        return Urgency.URGENT
    return draft.urgency or Urgency.ROUTINE
