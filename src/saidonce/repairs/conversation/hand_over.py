"""Handing a resident to a person, and turns without progress that end there.

A wish for a person, a complaint, a claim or a threat hands over at once; so does the same line twice, and the third
turn without progress. No limit stands against it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from itertools import pairwise

from saidonce.foundation.model.conversation import Gathering, LandlordEvent, OutboxKind, Path, Tool
from saidonce.repairs.conversation import wording
from saidonce.repairs.conversation.acts import SpeechAct, first_shown
from saidonce.repairs.conversation.executor import execute, turn_id
from saidonce.repairs.conversation.phrases import plain
from saidonce.repairs.conversation.rules import Rules
from saidonce.repairs.conversation.view import Call, NoticeDraft, Plan, Refused, ResidentReply, TurnView

REASONS = {
    SpeechAct.PERSON: "asked_for_a_person",
    SpeechAct.LEGAL: "legal",
    SpeechAct.COMPLAINT: "complaint",
    SpeechAct.THREAT: "threat",
}
"""Reasons of a hand-over by what was said, the first that fits; they stand in the turn and in the notice."""

UNCLEAR = "unclear"
NOTED = "noted"
NO_PROGRESS = frozenset({"no_repair_word", "nothing_fits", "waiting_for_photo", "question_passed_on", UNCLEAR})
"""Reasons of turns that understood nothing and did nothing."""

MIN_SAME_WORDS = 2


def reason_for_person(texts: Sequence[str], language: str) -> tuple[str, str]:
    """Return why a person is due, with the sentence that shows it; empty strings if nothing does."""
    for act, reason in REASONS.items():
        quote = first_shown(act, texts, language)
        if quote:
            return reason, quote
    return "", ""


def hand_over_text(rules: Rules, now: datetime) -> wording.Text:
    """Return the reply that a person takes over, with the time at which to expect them by business hours."""
    next_ = rules.office.around(now)
    if next_ is None:
        return wording.ESCALATED
    if next_.is_now:
        return wording.escalated_until(f"{next_.closes:%H:%M}")
    return wording.escalated_from(wording.WEEKDAYS[next_.opens.weekday()], f"{next_.opens:%H:%M}")


def person_plan(view: TurnView) -> Plan | None:
    """Return the plan for a message that asks for a person, or needs one; None otherwise."""
    reason, _ = reason_for_person(view.texts, view.language)
    offers = (wording.NOT_UNDERSTOOD, wording.ASK_OTHERWISE)
    last = next((line.text for line in reversed(view.history) if not line.is_resident), "")
    if last in offers and first_shown(SpeechAct.AGREE, view.texts, view.language):
        reason = "asked_for_a_person"
    if reason:
        return handed_over(view, reason)
    if view.texts and first_shown(SpeechAct.BOT, view.texts, view.language):
        replies = (ResidentReply(OutboxKind.REPLY, wording.AUTOMATIC),)
        return Plan(view.conversation, Path.FAST, Tool.RESPOND, "asked_what_we_are", replies)
    return None


def handed_over(view: TurnView, reason: str) -> Plan:
    """Return the plan that hands the conversation to a person; code decides it, so that no limit stands against it."""
    call = Call(Tool.ESCALATE, hand_over_text(view.rules, view.now), why=reason)
    plan = execute(view, call, Path.FAST, by_code=True)
    assert not isinstance(plan, Refused), "a hand-over by code is refused only while a person has the conversation"
    return plan


def beside(view: TurnView, plan: Plan, is_silent: bool = False) -> Plan:
    """Return a plan of an alarm, or of somebody who opted out, that hands over as well if a person is asked for.

    Args:
        view: of the turn.
        plan: what is done anyway.
        is_silent: the resident wants no messages: only the landlord is notified.
    """
    reason, _ = reason_for_person(view.texts, view.language)
    if not reason or plan.conversation.handed_off_at is not None:
        return plan
    reply = ResidentReply(OutboxKind.REPLY, hand_over_text(view.rules, view.now))
    return replace(
        plan, conversation=replace(plan.conversation, handed_off_at=view.now),
        replies=plan.replies if is_silent else (*plan.replies, reply),
        notices=(*plan.notices, NoticeDraft(LandlordEvent.ESCALATED, turn_id(view), detail=reason)),
        effects=(*plan.effects, "handed_off"),
    )  # fmt: skip


def with_progress(view: TurnView, plan: Plan) -> Plan:
    """Return a plan that repeats no question without a new fact, and ends in a hand-over if nothing gets on."""
    if not view.texts or view.photos or plan.tool is Tool.ESCALATE:
        return plan
    waits = plan.tool is Tool.ASK_FOR_DETAILS and plan.conversation.draft.detail_asks > 1
    if plan.reason not in NO_PROGRESS and not waits:
        return _noted_once(view, plan) if plan.reason == NOTED else plan
    if _is_same_line(view):
        return handed_over(view, "same_line_twice")
    if plan.reason in NO_PROGRESS and view.n_stuck + 1 >= view.rules.max_stuck:
        return handed_over(view, "no_progress")
    return _in_other_words(view, plan)


def _is_same_line(view: TurnView) -> bool:
    """Return whether the resident writes the same words as in their line before."""
    before = next((line.text for line in reversed(view.history) if line.is_resident), "")
    lines = [plain(before), *map(plain, view.texts)]
    return any(a == b and len(b.split()) >= MIN_SAME_WORDS for a, b in pairwise(lines))


def _in_other_words(view: TurnView, plan: Plan) -> Plan:
    """Return the plan with other words for a reply that was sent already since the resident's last new fact."""
    earlier = [line.text for line in view.history if not line.is_resident][-3:]
    if not any(reply.text in earlier for reply in plan.replies):
        return plan
    if plan.conversation.gathering is Gathering.AWAITING_PHOTO:
        return _noted_once(view, plan)
    other = wording.ASK_OTHERWISE if plan.tool is Tool.ASK_FOR_DETAILS else wording.NOT_UNDERSTOOD
    if other in earlier:
        return handed_over(view, "no_progress")
    replies = tuple(replace(r, text=other, buttons=()) if r.text in earlier else r for r in plan.replies)
    return replace(plan, replies=replies, reason=UNCLEAR)


def _noted_once(view: TurnView, plan: Plan) -> Plan:
    """Return the plan with a shorter reply where the longer one about the awaited photo was sent already."""
    earlier = [line.text for line in view.history if not line.is_resident][-3:]
    replies = tuple(
        replace(r, text=wording.NOTED_FOR_REPORT) if r.text == wording.WAITS_FOR_PHOTO and r.text in earlier else r
        for r in plan.replies
    )
    return replace(plan, replies=replies)
