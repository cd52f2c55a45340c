"""The tool gate: one table for the tools shown to a model and those accepted by the executor."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from saidonce.foundation.model.conversation import Gathering, IdentityStatus, PhotoStatus, Tool


class Condition(StrEnum):
    """Condition of a cell of the gate."""

    NEVER = "never"
    ALWAYS = "always"
    TEMPLATED = "templated"
    """code acts with fixed words, without a model"""
    BY_CODE = "by_code"
    SLOTS_FULL = "slots_full"
    ASKS_LEFT = "asks_left"
    NEW_FACT = "new_fact"
    NEW_PROBLEM = "new_problem"
    NEW_PROBLEM_FULL = "new_problem_full"
    PHOTO_NOW = "photo_now"
    """slots full, and a photo came in this turn"""
    PHOTO_OR_DECLINE = "photo_or_decline"
    """slots full, and a photo is there, was declined, or the wait for it has ended"""


class ToolRefusal(StrEnum):
    """Reason for refusing a call, as reported to the model."""

    NOT_IN_THIS_STATE = "not_in_this_state"
    HANDED_OFF = "handed_off"
    SLOTS_INCOMPLETE = "slots_incomplete"
    NOTHING_MISSING = "nothing_missing"
    DETAILS_ASKED_ENOUGH = "details_asked_enough"
    NO_NEW_FACT = "no_new_fact"
    SAME_PROBLEM = "same_problem"
    NO_PHOTO_AND_NOT_DECLINED = "no_photo_and_not_declined"
    PHOTO_ALREADY_THERE = "photo_already_there"
    UNKNOWN_TOOL = "unknown_tool"
    BAD_ARGUMENTS = "bad_arguments"
    NOT_JSON = "not_json"
    QUOTE_NOT_SAID = "quote_not_said"
    QUOTE_OF_ANOTHER = "quote_of_another"
    LOCATION_IS_NO_PLACE = "location_is_no_place"
    DESCRIPTION_IS_VAGUE = "description_is_vague"
    DESCRIPTION_IS_A_QUESTION = "description_is_a_question"
    ONLY_ASKS = "only_asks"
    DECLINE_NOT_SAID = "decline_not_said"
    EMPTY_MESSAGE = "empty_message"
    TOO_MANY_ESCALATIONS = "too_many_escalations"


@dataclass(frozen=True, slots=True)
class ToolContext:
    """Input of the gate.

    Attributes:
        slots_full: fault and place are known by evidence, or were asked for often enough.
        photo_now: a stored photo arrived in this turn.
        photo: status of the photo, this turn included.
        photo_expired: the wait for the photo has ended.
        has_new_fact: this turn adds a fact to the draft.
        is_new_problem: this turn describes another problem than the issue created last.
        puts_off: this turn promises a photo for later.
        only_asks: this turn asks something and reports nothing.
    """

    identity: IdentityStatus
    gathering: Gathering
    handed_off: bool = False
    slots_full: bool = False
    photo_now: bool = False
    photo: PhotoStatus = PhotoStatus.NONE
    photo_expired: bool = False
    detail_asks: int = 0
    max_detail_asks: int = 3
    has_new_fact: bool = False
    is_new_problem: bool = False
    puts_off: bool = False
    only_asks: bool = False


_RESPOND, _ESCALATE = Tool.RESPOND, Tool.ESCALATE
_DETAILS, _PHOTO, _CREATE = Tool.ASK_FOR_DETAILS, Tool.ASK_FOR_PHOTO, Tool.CREATE_ISSUE
_C = Condition

Gate = dict[Tool, Condition]

UNKNOWN: Gate = {
    _RESPOND: _C.TEMPLATED, _ESCALATE: _C.BY_CODE, _DETAILS: _C.NEVER, _PHOTO: _C.NEVER, _CREATE: _C.NEVER,
}  # fmt: skip
"""Unidentified and identified."""

CONFIRMED: Gate = {
    _RESPOND: _C.ALWAYS, _ESCALATE: _C.ALWAYS, _DETAILS: _C.ALWAYS, _PHOTO: _C.SLOTS_FULL, _CREATE: _C.NEVER,
}  # fmt: skip
"""It becomes active before it creates. A photo only with full slots, as seed 003 has it for every state: "only after
clear details"; the first message of most residents comes here, and "my boiler is not working" is one of them."""

ACTIVE: dict[Gathering, Gate] = {
    Gathering.IDLE: {
        _RESPOND: _C.ALWAYS, _ESCALATE: _C.ALWAYS, _DETAILS: _C.ALWAYS, _PHOTO: _C.SLOTS_FULL, _CREATE: _C.PHOTO_NOW,
    },
    Gathering.GATHERING_DETAILS: {
        _RESPOND: _C.ALWAYS, _ESCALATE: _C.ALWAYS, _DETAILS: _C.ASKS_LEFT, _PHOTO: _C.SLOTS_FULL,
        _CREATE: _C.PHOTO_OR_DECLINE,
    },
    Gathering.AWAITING_PHOTO: {
        _RESPOND: _C.ALWAYS, _ESCALATE: _C.ALWAYS, _DETAILS: _C.NEW_FACT, _PHOTO: _C.NEVER,
        _CREATE: _C.PHOTO_OR_DECLINE,
    },
    Gathering.ISSUE_CREATED: {
        _RESPOND: _C.ALWAYS, _ESCALATE: _C.ALWAYS, _DETAILS: _C.NEW_PROBLEM, _PHOTO: _C.NEW_PROBLEM_FULL,
        _CREATE: _C.NEVER,
    },
}  # fmt: skip
"""Source: the specification's gate table. Photos of a new problem, too, are asked for with full slots only."""


def cell(identity: IdentityStatus, gathering: Gathering, tool: Tool) -> Condition:
    """Return the condition of one cell of identity x gathering x tool."""
    if identity in (IdentityStatus.UNIDENTIFIED, IdentityStatus.IDENTIFIED):
        return UNKNOWN[tool]
    return CONFIRMED[tool] if identity is IdentityStatus.CONFIRMED else ACTIVE[gathering][tool]


def refusal(at: ToolContext, tool: Tool, by_code: bool = False) -> ToolRefusal | None:
    """Return the reason against a tool now; None if it is allowed.

    Args:
        at: the tool context, this turn and the offered slots included.
        tool: the requested tool.
        by_code: code requests it with fixed words, not a model.
    """
    if at.handed_off:
        return ToolRefusal.HANDED_OFF
    condition = cell(at.identity, at.gathering, tool)
    if condition in (Condition.TEMPLATED, Condition.BY_CODE):
        return None if by_code else ToolRefusal.NOT_IN_THIS_STATE
    return _CHECKS[condition](at)


def offered_tools(at: ToolContext) -> tuple[Tool, ...]:
    """Return the tools to show to a model: those that some reply could make legal in this turn."""
    return tuple(t for t in Tool if not at.handed_off and _possible(at, cell(at.identity, at.gathering, t)))


def _possible(at: ToolContext, condition: Condition) -> bool:
    if condition in (Condition.NEVER, Condition.TEMPLATED, Condition.BY_CODE):
        return False
    if condition is Condition.ASKS_LEFT:
        return _asks_left(at) is None
    if condition is Condition.PHOTO_NOW:
        return at.photo_now
    return True


def _asks_left(at: ToolContext) -> ToolRefusal | None:
    return None if at.detail_asks < at.max_detail_asks else ToolRefusal.DETAILS_ASKED_ENOUGH


def _slots_full(at: ToolContext) -> ToolRefusal | None:
    if not at.slots_full:
        return ToolRefusal.SLOTS_INCOMPLETE
    return ToolRefusal.PHOTO_ALREADY_THERE if at.photo is PhotoStatus.PROVIDED else None


def _photo_now(at: ToolContext) -> ToolRefusal | None:
    if not at.slots_full:
        return ToolRefusal.SLOTS_INCOMPLETE
    return None if at.photo_now else ToolRefusal.NO_PHOTO_AND_NOT_DECLINED


def _photo_or_decline(at: ToolContext) -> ToolRefusal | None:
    if not at.slots_full:
        return ToolRefusal.SLOTS_INCOMPLETE
    settled = at.photo in (PhotoStatus.PROVIDED, PhotoStatus.DECLINED) or at.photo_expired
    return None if settled else ToolRefusal.NO_PHOTO_AND_NOT_DECLINED


def _new_problem(at: ToolContext) -> ToolRefusal | None:
    return None if at.is_new_problem else ToolRefusal.SAME_PROBLEM


_CHECKS: dict[Condition, Callable[[ToolContext], ToolRefusal | None]] = {
    Condition.NEVER: lambda _: ToolRefusal.NOT_IN_THIS_STATE,
    Condition.ALWAYS: lambda _: None,
    Condition.SLOTS_FULL: _slots_full,
    Condition.ASKS_LEFT: _asks_left,
    Condition.NEW_FACT: lambda at: None if at.has_new_fact else ToolRefusal.NO_NEW_FACT,
    Condition.NEW_PROBLEM: _new_problem,
    Condition.NEW_PROBLEM_FULL: lambda at: _new_problem(at) or _slots_full(at),
    Condition.PHOTO_NOW: _photo_now,
    Condition.PHOTO_OR_DECLINE: _photo_or_decline,
}
