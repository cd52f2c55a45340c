"""Replies without a model: STOP, buttons, courtesies, a photo alone, or a plain no to the question for one."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from itertools import takewhile

from saidonce.foundation.model.conversation import (
    Conversation,
    Gathering,
    IdentityStatus,
    IssueDraft,
    OutboxKind,
    Path,
    PhotoStatus,
    Tool,
)
from saidonce.foundation.model.residents import InboundKind, Via
from saidonce.repairs.conversation import lexicon, problems, wording
from saidonce.repairs.conversation.acts import SpeechAct, first_shown, shown_by
from saidonce.repairs.conversation.executor import create_issue, execute, extend_issue
from saidonce.repairs.conversation.hand_over import UNCLEAR, beside
from saidonce.repairs.conversation.identity import activate
from saidonce.repairs.conversation.phrases import plain
from saidonce.repairs.conversation.view import Call, Plan, Refused, ResidentReply, TurnView

MAX_THANKS_WORDS = 10


def opt_out_plan(view: TurnView) -> Plan | None:
    """Return the plan for STOP and START in any wording, and for silence in between; None otherwise.

    "CANCEL" alone is a channel's word for STOP, too. While a report is open it takes the report back instead, except by
    SMS, whose carriers block further messages after it: there it does both.
    """
    of = view.conversation
    if of.opted_out_at is None:
        if not first_shown(SpeechAct.STOP, view.texts, view.language):
            return None
        is_open = bool(of.draft.since or of.parked)
        is_cancel = [lexicon.phrase(t) for t in view.texts] == ["cancel"]
        if is_cancel and is_open and of.sender.via is not Via.SMS:
            return None
        after = _dropped(view) if is_cancel and is_open else of
        after = replace(after, opted_out_at=view.now)
        return Plan(after, Path.FAST, Tool.RESPOND, "stop", (ResidentReply(OutboxKind.REPLY, wording.STOPPED),))
    if view.texts and shown_by(SpeechAct.START, view.texts[-1], view.language):
        after = replace(of, opted_out_at=None)
        return Plan(after, Path.FAST, Tool.RESPOND, "start", (ResidentReply(OutboxKind.REPLY, wording.STARTED),))
    return beside(view, Plan(of, Path.SILENT, reason="opted_out"), is_silent=True)


def scripted_plan(view: TurnView) -> Plan | None:
    """Return the plan for a turn that code handles alone; None if it needs an orchestrator."""
    rules = (
        _button, _nothing_readable, _photo_on_its_way, _photo_alone, _no_photo, _promise, _enough_asked, _nod,
        _courtesy,
    )  # fmt: skip
    for rule in rules:
        plan = rule(view)
        if plan is not None:
            return plan
    return None


def withdrawal_plan(view: TurnView) -> Plan | None:
    """Return the plan for withdrawing reports not filed yet, and before the writer is known: they are dropped."""
    last = view.texts[-1] if view.texts else ""
    is_cancel = lexicon.phrase(last) == "cancel"
    if not last or not (is_cancel or lexicon.withdraws(last, view.language)):
        return None
    text = wording.WITHDRAWN_AND_MORE if is_cancel else wording.WITHDRAWN
    replies = (ResidentReply(OutboxKind.REPLY, text),)
    return Plan(_dropped(view), Path.FAST, Tool.RESPOND, "withdrawn", replies, effects=("withdrawn",))


def _dropped(view: TurnView) -> Conversation:
    """Return the conversation without anything that is not filed yet."""
    of = view.conversation
    return replace(
        of, parked=(), draft=IssueDraft(), draft_expires_at=None, is_nudged=False, more_drafts=(),
        gathering=Gathering.IDLE if of.draft.since else of.gathering,
    )  # fmt: skip


def withdrawn(view: TurnView) -> Plan | None:
    """Return the plan for a report taken back before it is filed: all of it, or the part that the words name."""
    of = view.conversation
    if not view.texts or not (of.draft.since or any(map(lexicon.reports, view.texts[:-1]))):
        return None
    return _part_withdrawn(view) or withdrawal_plan(view)


def _part_withdrawn(view: TurnView) -> Plan | None:
    """Return the plan that drops one of several open problems: "the tap is sorted but the door still sticks"."""
    of = view.conversation
    each = [c for t in view.texts for c in problems.clauses(t)]
    shown = [c for c in each if lexicon.takes_back(c, view.language) or _sets_aside(view, c)]
    things = frozenset(thing for c in shown for thing in problems.things_in(c))
    drafts = (of.draft, *of.more_drafts)
    gone = [d for d in drafts if d.description and things & problems.things_in(d.description.value)]
    if not things or len(drafts) < 2 or not 0 < len(gone) < len(drafts):
        return None
    kept = tuple(d for d in drafts if d not in gone)
    rest = tuple(d for d in kept if d is not of.draft)
    replies = (ResidentReply(OutboxKind.REPLY, wording.PART_WITHDRAWN),)
    taken = tuple(c for c in each if c in shown or not problems.is_trouble(c, view.language))
    after = replace(of, more_drafts=rest, draft=replace(of.draft, not_mine=(*of.draft.not_mine, *taken)))
    if of.draft in gone:
        after = replace(
            after, draft=IssueDraft(), draft_expires_at=None, is_nudged=False, gathering=Gathering.IDLE
        )  # fmt: skip
    return Plan(after, Path.FAST, Tool.RESPOND, "withdrawn", replies, effects=("withdrawn:part",))


def _sets_aside(view: TurnView, clause: str) -> bool:
    """Return whether a clause sets a thing aside by its name: "forget the fridge"."""
    return bool(shown_by(SpeechAct.TAKE_BACK_THING, clause, view.language))


def with_unreadable(view: TurnView, plan: Plan) -> Plan:
    """Return the plan with replies about unreadable files and messages, each once a turn."""
    replies = tuple(ResidentReply(OutboxKind.REPLY, text) for text in _unread(view))
    return replace(plan, replies=(*plan.replies, *replies)) if replies else plan


def _unread(view: TurnView) -> tuple[str, ...]:
    kinds, files = {i.kind for i in view.new}, [m for i in view.new for m in i.media]
    replies = {
        wording.FILE_REFUSED: InboundKind.FILE_REFUSED in kinds,
        wording.UNSUPPORTED: InboundKind.UNSUPPORTED in kinds,
        wording.VOICE_UNCLEAR: any(m.is_voice and m.unclear for m in files),
        wording.FILE_KEPT: any(m.stored and not m.is_photo and not m.unclear and not m.transcript for m in files),
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
    """Return the plan for a refusal of the photo in any wording; a plain no counts right after the question only."""
    if view.conversation.gathering is not Gathering.AWAITING_PHOTO or any(i.media for i in view.new):
        return None
    replies = [line.text for line in view.history if not line.is_resident]
    just_asked = bool(replies) and lexicon.asks_for_photo(replies[-1])
    bare = len(view.texts) == 1 and just_asked and lexicon.phrase(view.texts[0]) in lexicon.NO_PHOTO
    refusals = [t for t in view.texts if lexicon.refuses_photo(t, view.language)]
    refusals = [t for t in refusals if just_asked or len(t.split()) > 1]
    refusals = refusals or [t for t in view.texts if just_asked and lexicon.has_none(t)]
    if any(map(lexicon.puts_off, view.texts)) or not (bare or refusals):
        return None
    quote = refusals[0] if refusals else view.texts[0]
    declined = replace(view.draft, photo=PhotoStatus.DECLINED, photo_quote=quote)
    of = view.conversation
    if lexicon.refuses_all(quote, view.language):
        more = tuple(replace(d, photo=PhotoStatus.DECLINED, photo_quote=quote) for d in of.more_drafts)
        view = replace(view, conversation=replace(of, more_drafts=more))
    if of.identity is IdentityStatus.CONFIRMED:
        return _filed_soon(view, declined)
    plan = _by_code(_with_draft(view, declined), Tool.CREATE_ISSUE, "", "no_photo")
    is_no = lexicon.phrase(quote).partition(" ")[0] in lexicon.NO and not lexicon.asks_for_photo(quote)
    return _with_home(view, plan) if is_no and plan is not None else plan


def _with_home(view: TurnView, plan: Plan) -> Plan:
    """Return the plan of a plain no, with the home named again if "Reply NO" was open beside the photo.

    A no answers the photo then; whoever meant the home has a second chance, while it is on their mind.
    """
    since = list(takewhile(lambda line: not line.is_resident, reversed(view.history)))
    if view.home is None or not any("Reply NO" in line.text for line in since):
        return plan
    named = ResidentReply(OutboxKind.IDENTITY, wording.for_home(view.home))
    return replace(plan, replies=(*plan.replies, named))


def _filed_soon(view: TurnView, draft: IssueDraft) -> Plan:
    """Return the plan for a home just recognised: the report is filed when "Reply NO" has had its moment."""
    expires = view.now + timedelta(seconds=view.rules.no_wait_s)
    after = replace(activate(view.conversation), draft=draft, draft_expires_at=expires, is_nudged=True)
    replies = (ResidentReply(OutboxKind.REPLY, wording.NOTED_FOR_REPORT),)
    effects = (f"identity:{IdentityStatus.CONFIRMED}>{after.identity}",)
    return Plan(after, Path.FAST, Tool.RESPOND, "no_photo", replies, effects=effects)


def _promise(view: TurnView) -> Plan | None:
    """Return the plan for a plain yes to the question for a photo: it is waited for."""
    if view.conversation.gathering is not Gathering.AWAITING_PHOTO or len(view.texts) != 1 or view.photos:
        return None
    if not shown_by(SpeechAct.PUT_OFF, view.texts[0], view.language):
        return None
    chosen = replace(view.draft, photo=PhotoStatus.LATER, photo_quote=view.texts[0])
    return _by_code(_with_draft(view, chosen), Tool.RESPOND, wording.TAKE_YOUR_TIME, "later")


def _enough_asked(view: TurnView) -> Plan | None:
    """Return the plan that reports without a photo after a second answer that is none, unless one was promised."""
    of = view.conversation
    is_waiting = of.gathering is Gathering.AWAITING_PHOTO and of.identity is IdentityStatus.ACTIVE
    if not is_waiting or view.photos or not view.texts or not of.draft.is_full:
        return None
    if of.draft.photo is PhotoStatus.DECLINED:
        return create_issue(view, of.draft, "no_photo")
    lines = [line.text for line in view.history if not line.is_resident]
    if not lines or lines[-1] not in (wording.WAITS_FOR_PHOTO, wording.NOTED_FOR_REPORT):
        return None
    if lexicon.tells_fact(view.texts):
        return None
    if of.draft.photo is PhotoStatus.LATER or any(map(lexicon.puts_off, view.texts)):
        return None
    return create_issue(view, replace(view.draft, photo=PhotoStatus.NONE), "photo_not_answered")


def _nod(view: TurnView) -> Plan | None:
    """Return the plan for words that add nothing: silence, or while something is asked a word of patience."""
    of = view.conversation
    if not view.new or view.photos or any(i.media or i.button for i in view.new):
        return None
    refusals = [lexicon.phrase(t) in lexicon.NO_PHOTO for t in view.texts]
    is_plain_no = of.gathering is Gathering.ISSUE_CREATED and all(refusals)
    adds_nothing = is_plain_no or all(not plain(t) or shown_by(SpeechAct.NOD, t, view.language) for t in view.texts)
    if not view.texts or not adds_nothing or any("?" in t for t in view.texts):
        return None
    if of.gathering is Gathering.GATHERING_DETAILS:
        replies = (ResidentReply(OutboxKind.REPLY, wording.AT_HAND),)
        return Plan(of, Path.FAST, Tool.RESPOND, UNCLEAR, replies)
    if of.gathering is Gathering.AWAITING_PHOTO:
        return None
    return Plan(of, Path.SILENT, reason="nod")


def _courtesy(view: TurnView) -> Plan | None:
    messages = [lexicon.phrase(t) for t in view.texts]
    if not messages or view.photos or any(i.media for i in view.new):
        return None
    thanks = [_thanks(view, t) for t in view.texts]
    if not all(s in lexicon.GREETINGS or is_thanks for s, is_thanks in zip(messages, thanks, strict=True)):
        return None
    if all(thanks):
        return Plan(
            view.conversation, Path.FAST, Tool.RESPOND, "thanks", (ResidentReply(OutboxKind.REPLY, wording.WELCOME),)
        )
    greeting = ResidentReply(
        OutboxKind.REPLY, wording.hello_again(_reminder(view)) if view.conversation.draft.since else wording.GREETING
    )
    return Plan(view.conversation, Path.FAST, Tool.RESPOND, "greeting", (greeting,))


def _thanks(view: TurnView, text: str) -> bool:
    """Return whether a message is nothing but thanks, in a few words."""
    if lexicon.phrase(text) in lexicon.THANKS:
        return True
    is_short = len(text.split()) <= MAX_THANKS_WORDS and not shown_by(SpeechAct.FAULT, text, view.language)
    return is_short and bool(shown_by(SpeechAct.THANKS, text, view.language)) and not lexicon.only_asks(text)


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
