"""Room: acts of residents before any orchestrator: each is shown by their words, and handled by code.

a person -> taken back -> filed reports -> moving out -> (corrected, several problems) -> scripted -> orchestrator
"""

from __future__ import annotations

from dataclasses import replace

from saidonce.foundation.model.conversation import LandlordEvent, OutboxKind, Path, Tool
from saidonce.repairs.conversation import corrections, hand_over, lexicon, queued_reports, wording
from saidonce.repairs.conversation.acts import SpeechAct, first_shown, shown_by
from saidonce.repairs.conversation.executor import turn_id
from saidonce.repairs.conversation.scripted_replies import scripted_plan, withdrawn
from saidonce.repairs.conversation.standing_reports import standing_plan
from saidonce.repairs.conversation.view import NoticeDraft, Plan, ResidentReply, TurnView


def act_plan(view: TurnView) -> Plan | None:
    """Return the plan for an act that stands for itself; None if the messages report or answer something."""
    for rule in (hand_over.person_plan, withdrawn, standing_plan, _moving_out):
        plan = rule(view)
        if plan is not None:
            return plan
    return None


def with_acts(view: TurnView) -> tuple[TurnView, Plan | None, tuple[str, ...]]:
    """Return the view with corrections and problems in its drafts, the plan if code does the rest, and effects."""
    corrected, change = corrections.with_correction(view)
    several = queued_reports.with_problems(corrected)
    plan = queued_reports.queued_plan(several, corrected) or scripted_plan(several)
    if plan is None and change.startswith(corrections.PLACE) and not several.photos and view.conversation.draft.is_full:
        replies = (ResidentReply(OutboxKind.REPLY, wording.CORRECTED_DRAFT),)
        plan = Plan(several.conversation, Path.FAST, Tool.RESPOND, "corrected", replies)
    return several, plan, (change,) if change else ()


def with_notes(view: TurnView, plan: Plan) -> Plan:
    """Return a plan with a notice about what is no repair but said beside one, such as moving out."""
    if plan.reason == "moving_out" or not first_shown(SpeechAct.MOVING_OUT, view.texts, view.language):
        return plan
    return replace(plan, notices=(*plan.notices, _note(view, "moving_out")))


def _moving_out(view: TurnView) -> Plan | None:
    shown = [t for t in view.texts if shown_by(SpeechAct.MOVING_OUT, t, view.language)]
    if not shown or any(lexicon.reports(t) and shown_by(SpeechAct.FAULT, t, view.language) for t in view.texts):
        return None
    replies = (ResidentReply(OutboxKind.REPLY, wording.MOVING_OUT),)
    return Plan(view.conversation, Path.FAST, Tool.RESPOND, "moving_out", replies, notices=(_note(view, "moving_out"),))


def _note(view: TurnView, about: str) -> NoticeDraft:
    return NoticeDraft(LandlordEvent.RESIDENT_NOTE, turn_id(view), detail=about)
