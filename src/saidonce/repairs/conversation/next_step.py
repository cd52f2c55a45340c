"""The next step of a report: a model quotes the report, and the missing slots determine the step."""

from __future__ import annotations

from saidonce.foundation.model.conversation import Gathering, PhotoStatus, Tool
from saidonce.repairs.conversation.tools import ToolContext, ToolRefusal, refusal

REPORT = (Tool.CREATE_ISSUE, Tool.ASK_FOR_PHOTO, Tool.ASK_FOR_DETAILS)
"""Steps of a report, the last one first."""


def supported_step(at: ToolContext, tool: Tool) -> tuple[Tool, ToolRefusal | None]:
    """Return the step supported by evidence for a requested one, and the reason for any change.

    A step refused by the gate is replaced by the furthest allowed one. So is a question for details when nothing is
    missing, and one for a declined photo: known facts are never asked for. Mere questions and promises of a photo get
    an answer. `respond`, `escalate` and steps without a replacement stay as they are, subject to the gate.

    Args:
        at: the tool context with the slots verified in this turn.
        tool: the requested step.
    """
    if tool not in REPORT:
        return tool, None
    if at.only_asks and refusal(at, Tool.RESPOND) is None:
        return Tool.RESPOND, ToolRefusal.ONLY_ASKS
    objection = _objection(at, tool)
    if objection is None:
        return tool, None
    steps = (*REPORT, Tool.RESPOND) if at.puts_off else REPORT
    allowed = (s for s in steps if s is not tool and _objection(at, s) is None)
    step = next(allowed, tool)
    return step, objection if step is not tool else None


def _objection(at: ToolContext, tool: Tool) -> ToolRefusal | None:
    refused = refusal(at, tool)
    if refused is not None:
        return refused
    waits = at.gathering is Gathering.AWAITING_PHOTO
    if tool is Tool.ASK_FOR_DETAILS and at.slots_full and not waits:
        return ToolRefusal.NOTHING_MISSING
    declined = tool is Tool.ASK_FOR_PHOTO and at.photo is PhotoStatus.DECLINED
    return ToolRefusal.NOTHING_MISSING if declined else None
