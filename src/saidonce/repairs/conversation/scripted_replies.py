"""Room: replies without a model: STOP, buttons, courtesies, a photo alone, or a plain no to the question for one."""

from __future__ import annotations

from dataclasses import replace

from saidonce.foundation.model.conversation import Gathering, IssueDraft, OutboxKind, Path, PhotoStatus, Tool
from saidonce.foundation.model.residents import InboundKind
from saidonce.repairs.conversation import lexicon, slots, wording
from saidonce.repairs.conversation.executor import execute, extend_issue
from saidonce.repairs.conversation.view import Call, Plan, Refused, ResidentReply, TurnView


def opt_out_plan(view: TurnView) -> Plan | None:
    """Return the plan for STOP and START, and for silence in between; None otherwise."""
    of = view.conversation
    messages = [lexicon.phrase(t) for t in view.texts]
    if of.opted_out_at is None:
        if len(messages) != 1 or messages[0] not in lexicon.STOP:
            return None
        after = replace(of, opted_out_at=view.now)
        return Plan(after, Path.FAST, Tool.RESPOND, "stop", (ResidentReply(OutboxKind.REPLY, wording.STOPPED),))
    if messages and messages[-1] in lexicon.START:
        after = replace(of, opted_out_at=None)
        return Plan(after, Path.FAST, Tool.RESPOND, "start", (ResidentReply(OutboxKind.REPLY, wording.STARTED),))
    return Plan(of, Path.SILENT, reason="opted_out")


def scripted_plan(view: TurnView) -> Plan | None:
    """Return the plan for a turn that code handles alone; None if it needs an orchestrator."""
    for rule in (_withdrawn, _button, _nothing_readable, _photo_on_its_way, _photo_alone, _no_photo, _courtesy):
        plan = rule(view)
        if plan is not None:
            return plan
    return None


def withdrawal_plan(view: TurnView) -> Plan | None:
    """Return the plan for withdrawing a report before the writer is known: parked messages are dropped."""
    if not view.texts or not lexicon.withdraws(view.texts[-1]):
        return None
    after = replace(
        view.conversation, parked=(), draft=IssueDraft(), draft_expires_at=None, is_nudged=False,
        gathering=Gathering.IDLE if view.conversation.draft.since else view.conversation.gathering,
    )  # fmt: skip
    return Plan(after, Path.FAST, Tool.RESPOND, "withdrawn", (ResidentReply(OutboxKind.REPLY, wording.WITHDRAWN),),
                effects=("withdrawn",))  # fmt: skip


def _withdrawn(view: TurnView) -> Plan | None:
    """Withdraw a report not filed yet; words about a filed one are added to it, and the landlord is notified."""
    if not view.texts or not lexicon.withdraws(view.texts[-1]):
        return None
    of = view.conversation
    is_open = of.draft.since or any(map(lexicon.reports, view.texts[:-1]))
    if not is_open and of.gathering is Gathering.ISSUE_CREATED:
        plan = extend_issue(view, "withdrawn_after", wording.WITHDRAWN_LATER)
        if plan is None or plan.extended is None:
            return plan
        more = slots.verbatim(plan.extended.description, view.texts)
        return replace(plan, extended=replace(plan.extended, description=more))
    return withdrawal_plan(view) if is_open else None


def with_unreadable(view: TurnView, plan: Plan) -> Plan:
    """Return the plan with replies about unreadable files and messages, each once a turn."""
    replies = tuple(ResidentReply(OutboxKind.REPLY, text) for text in _unread(view))
    return replace(plan, replies=(*plan.replies, *replies)) if replies else plan


def _unread(view: TurnView) -> tuple[str, ...]:
    kinds = {i.kind for i in view.new}
    replies = {
        wording.FILE_REFUSED: InboundKind.FILE_REFUSED in kinds,
        wording.UNSUPPORTED: InboundKind.UNSUPPORTED in kinds,
        wording.FILE_KEPT: any(m.stored and not m.is_photo for i in view.new for m in i.media),
    }
    return tuple(text for text, is_so in replies.items() if is_so)


def _nothing_readable(view: TurnView) -> Plan | None:
    """Return an empty plan for a turn with unreadable messages only; `with_unreadable` adds the replies."""
    if view.texts or view.photos or any(i.button for i in view.new) or not _unread(view):
        return None
    return Plan(view.conversation, Path.FAST, Tool.RESPOND, "unreadable")


def _button(view: TurnView) -> Plan | None:
    pressed = [i.button for i in view.new if i.button]
    if not pressed or view.texts or view.photos:
        return None
    draft = view.draft
    if view.conversation.gathering is Gathering.AWAITING_PHOTO and pressed[-1] == wording.PHOTO_NONE:
        chosen = replace(draft, photo=PhotoStatus.DECLINED, photo_quote="[button]")
        return _by_code(_with_draft(view, chosen), Tool.CREATE_ISSUE, "", "button_no_photo")
    if view.conversation.gathering is Gathering.AWAITING_PHOTO and pressed[-1] == wording.PHOTO_LATER:
        chosen = replace(draft, photo=PhotoStatus.LATER, photo_quote="[button]")
        return _by_code(_with_draft(view, chosen), Tool.RESPOND, wording.TAKE_YOUR_TIME, "button_later")
    return _by_code(view, Tool.RESPOND, _reminder(view), "button_out_of_place")


def _photo_on_its_way(view: TurnView) -> Plan | None:
    """Return a silent plan while a file is still being fetched; it arrives as a message of its own."""
    if view.texts or view.photos or not any(i.media for i in view.new):
        return None
    return Plan(view.conversation, Path.SILENT, reason="photo_on_its_way")


def _photo_alone(view: TurnView) -> Plan | None:
    if not view.photos or any(lexicon.phrase(t) not in lexicon.HERE_IT_IS for t in view.texts):
        return None
    if view.conversation.gathering is Gathering.ISSUE_CREATED:
        added = extend_issue(view, "photo_for_last_issue")
        if added is not None:
            return added
    plan = execute(view, Call(Tool.CREATE_ISSUE, why="photo_alone"), Path.FAST, by_code=True)
    if isinstance(plan, Plan):
        return plan
    return _by_code(view, Tool.ASK_FOR_DETAILS, wording.ASK_ABOUT_PHOTO, "photo_without_words")


def _no_photo(view: TurnView) -> Plan | None:
    """Return the plan for a plain no right after the question for a photo."""
    replies = [line.text for line in view.history if not line.is_resident]
    just_asked = bool(replies) and lexicon.asks_for_photo(replies[-1])
    if view.conversation.gathering is not Gathering.AWAITING_PHOTO or not just_asked or len(view.texts) != 1:
        return None
    if any(i.media for i in view.new) or lexicon.phrase(view.texts[0]) not in lexicon.NO_PHOTO:
        return None
    chosen = replace(view.draft, photo=PhotoStatus.DECLINED, photo_quote=view.texts[0])
    return _by_code(_with_draft(view, chosen), Tool.CREATE_ISSUE, "", "no_photo")


def _courtesy(view: TurnView) -> Plan | None:
    messages = [lexicon.phrase(t) for t in view.texts]
    if not messages or view.photos or any(i.media for i in view.new):
        return None
    if not all(s in lexicon.GREETINGS or s in lexicon.THANKS for s in messages):
        return None
    if all(s in lexicon.THANKS for s in messages):
        return Plan(
            view.conversation, Path.FAST, Tool.RESPOND, "thanks", (ResidentReply(OutboxKind.REPLY, wording.WELCOME),)
        )
    greeting = ResidentReply(
        OutboxKind.REPLY, wording.hello_again(_reminder(view)) if view.conversation.draft.since else wording.GREETING
    )
    return Plan(view.conversation, Path.FAST, Tool.RESPOND, "greeting", (greeting,))


def _reminder(view: TurnView) -> str:
    return {
        Gathering.GATHERING_DETAILS: wording.NUDGE_DETAILS,
        Gathering.AWAITING_PHOTO: wording.NUDGE_PHOTO,
    }.get(view.conversation.gathering, wording.HOW_CAN_I_HELP)


def _by_code(view: TurnView, tool: Tool, message: str, why: str) -> Plan | None:
    plan = execute(view, Call(tool, message, why=why), Path.FAST, by_code=True)
    return None if isinstance(plan, Refused) else plan


def _with_draft(view: TurnView, draft: IssueDraft) -> TurnView:
    return replace(view, conversation=replace(view.conversation, draft=draft))
