"""Room: the next step of a report. A model quotes what is reported; what is missing says which step is next."""

from __future__ import annotations

from saidonce.foundation.model.conversation import Gathering, PhotoStatus, Tool
from saidonce.repairs.conversation.tools import ToolContext, ToolRefusal, refusal

REPORT = (Tool.CREATE_ISSUE, Tool.ASK_FOR_PHOTO, Tool.ASK_FOR_DETAILS)
"""Steps of a report, the last one first."""


def borne_out(at: ToolContext, tool: Tool) -> tuple[Tool, ToolRefusal | None]:
    """Give the step that evidence bears out where a step of a report is asked for, and why it is not the one asked for.

    A step that the gate refuses gives way to the furthest one that it allows. So does a question for details when
    nothing is missing, and one for a photo that was declined: what is known is never asked for. A message that only
    asks is answered, and so is a promise of a photo. `respond` and `escalate` stay as they are, and so does a step that
    nothing can stand for; the gate still has its say.

    Args:
        at: the situation with the slots that this turn proved.
        tool: what is asked for.
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
