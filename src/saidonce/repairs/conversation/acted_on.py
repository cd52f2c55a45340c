"""Acts of residents before any orchestrator: each is shown by their words, and handled by code.

a person -> taken back -> filed reports -> moving out -> (corrected, several problems) -> scripted -> orchestrator
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from saidonce.foundation.model.conversation import (
    IdentityStatus,
    LandlordEvent,
    OutboxKind,
    Path,
    PhotoStatus,
    Slot,
    Tool,
)
from saidonce.foundation.text import words
from saidonce.repairs.conversation import corrections, hand_over, lexicon, problems, queued_reports, wording
from saidonce.repairs.conversation.acts import SpeechAct, first_shown
from saidonce.repairs.conversation.executor import turn_id
from saidonce.repairs.conversation.phrases import parts
from saidonce.repairs.conversation.scripted_replies import scripted_plan, withdrawn
from saidonce.repairs.conversation.standing_reports import standing_plan
from saidonce.repairs.conversation.view import NoticeDraft, Plan, ResidentReply, TurnView


def act_plan(view: TurnView) -> Plan | None:
    """Return the plan for an act that stands for itself; None if the messages report or answer something."""
    for rule in (hand_over.person_plan, withdrawn, standing_plan, _noted):
        plan = rule(view)
        if plan is not None:
            return plan
    return None


def with_acts(view: TurnView) -> tuple[TurnView, Plan | None, tuple[str, ...]]:
    """Return the view with corrections and problems in its drafts, the plan if code does the rest, and effects."""
    corrected, change = corrections.with_correction(view)
    several = queued_reports.with_problems(corrected)
    # A place put right refuses no photo, although it may begin with a no: "no, the one in the hallway".
    is_place = change.startswith(corrections.PLACE) and not any(map(lexicon.asks_for_photo, several.texts))
    plan = queued_reports.queued_plan(several, corrected) or (None if is_place else scripted_plan(several))
    if plan is None and change.startswith(corrections.PLACE) and not several.photos and view.conversation.draft.is_full:
        replies = (ResidentReply(OutboxKind.REPLY, wording.CORRECTED_DRAFT),)
        plan = Plan(several.conversation, Path.FAST, Tool.RESPOND, "corrected", replies)
    return several, plan, (change,) if change else ()


def with_early_refusal(view: TurnView, plan: Plan) -> Plan:
    """Return the plan that does not ask for a photo refused since the report began: it is filed without one.

    The timer of the draft files it, in a turn of its own: the state machine knows no other way from a first message.
    """
    of_others = (t for d in plan.conversation.more_drafts for t in d.own)
    earlier = [t for t in (*view.texts_of_draft, *of_others, *_refused_before(view)) if len(t.split()) > 1]
    quote = next((t for t in (*view.texts, *earlier) if _refuses_early(view, t)), "")
    if plan.tool is not Tool.ASK_FOR_PHOTO or not quote:
        return plan
    of = plan.conversation
    draft = replace(of.draft, photo=PhotoStatus.DECLINED, photo_quote=quote)
    rest = " ".join(p for part in parts(quote) if words(p := problems.without_refusal(part, view.language)))
    if draft.description is not None and draft.description.value == " ".join(quote.split()) and rest:
        draft = replace(draft, description=Slot(rest, rest))
    more = of.more_drafts
    if lexicon.refuses_all(quote, view.language):
        more = tuple(replace(d, photo=PhotoStatus.DECLINED, photo_quote=quote) for d in more)
    is_sure = view.conversation.identity is IdentityStatus.ACTIVE
    expires = view.now if is_sure else view.now + timedelta(seconds=view.rules.no_wait_s)
    after = replace(of, draft=draft, more_drafts=more, draft_expires_at=expires, is_nudged=True)
    replies = () if is_sure else (ResidentReply(OutboxKind.REPLY, wording.NOTED_FOR_REPORT),)
    return replace(plan, conversation=after, replies=replies, effects=(*plan.effects, "photo:declined"))


def _refused_before(view: TurnView) -> tuple[str, ...]:
    """Return the resident's line before these messages if it says that they are not able to send any photo."""
    line = next((x.text for x in reversed(view.history) if x.is_resident), "")
    is_meant = lexicon.asks_for_photo(line) and not lexicon.puts_off(line)
    return (line,) if is_meant and lexicon.refuses_all(line, view.language) else ()


def _refuses_early(view: TurnView, text: str) -> bool:
    """Return whether words refuse a photo that was not asked for yet: they speak of one, in some clause."""
    if lexicon.declines(text):
        return True
    each = (c for c in problems.clauses(text) if lexicon.asks_for_photo(c))
    return any(lexicon.refuses_photo(c, view.language) for c in each)


NOTES = {SpeechAct.MOVING_OUT: wording.MOVING_OUT, SpeechAct.OTHER_TROUBLE: wording.PASSED_TO_TEAM}
"""What is no repair and is passed on to a person, with the reply to it."""


def with_notes(view: TurnView, plan: Plan) -> Plan:
    """Return a plan with a notice about what is no repair but said beside one, such as moving out."""
    shown = [act for act in NOTES if first_shown(act, view.texts, view.language)]
    return replace(plan, notices=(*plan.notices, *(_note(view, act) for act in shown)))


def _noted(view: TurnView) -> Plan | None:
    """Return the plan that passes on what is no repair; None if the messages report one, too."""
    act = next((act for act in NOTES if first_shown(act, view.texts, view.language)), None)
    if act is None or view.photos:
        return None
    if any(problems.is_trouble(c, view.language) for t in view.texts for c in problems.clauses(t)):
        return None
    replies = (ResidentReply(OutboxKind.REPLY, NOTES[act]),)
    return Plan(view.conversation, Path.FAST, Tool.RESPOND, act.value, replies, notices=(_note(view, act),))


def _note(view: TurnView, act: SpeechAct) -> NoticeDraft:
    return NoticeDraft(LandlordEvent.RESIDENT_NOTE, f"{turn_id(view)}:{act}", detail=act.value)
