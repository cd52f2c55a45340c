"""Messages that no table understands: a person gets them, with the resident's own words."""

from __future__ import annotations

from dataclasses import replace

from saidonce.foundation.model.conversation import LandlordEvent, OutboxKind, Path, Tool
from saidonce.repairs.conversation import wording
from saidonce.repairs.conversation.catalogue import template_of
from saidonce.repairs.conversation.executor import turn_id
from saidonce.repairs.conversation.view import NoticeDraft, Plan, ResidentReply, TurnView
from saidonce.repairs.conversation.wording import Text

HELPLESS = frozenset({wording.HOW_CAN_I_HELP.template})
"""Replies that only show that nothing was understood."""


def passed_on(view: TurnView, number: str) -> Plan:
    """Return the plan that passes a message in a language without a table to a person.

    Args:
        view: of the turn.
        number: of the emergency services, which the reply names in case it is one.
    """
    return _handed_over(view, wording.language_passed_on(number))


def passed_on_if_lost(view: TurnView, plan: Plan, number: str) -> Plan:
    """Return a plan; one that would only show that a message was not understood passes it to a person instead."""
    is_helpless = any(template_of(r.text)[0] in HELPLESS for r in plan.replies)
    if plan.tool is not Tool.RESPOND or not is_helpless or not view.heard.is_lost:
        return plan
    return _handed_over(replace(view, conversation=plan.conversation), wording.words_passed_on(number))


def _handed_over(view: TurnView, text: Text) -> Plan:
    why = f"language:{view.heard.language}"
    after = replace(view.conversation, handed_off_at=view.now)
    return Plan(
        after, Path.FAST, Tool.ESCALATE, why, (ResidentReply(OutboxKind.REPLY, text),),
        notices=(NoticeDraft(LandlordEvent.ESCALATED, turn_id(view), detail=why),), effects=("handed_off",),
    )  # fmt: skip
