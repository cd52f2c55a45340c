"""The state machine of a report: the next state for each tool."""

from __future__ import annotations

from saidonce.foundation.model.conversation import Gathering, Tool

_IDLE, _DETAILS, _PHOTO, _CREATED = Gathering

MOVES: dict[tuple[Gathering, Tool], Gathering] = {
    (_IDLE, Tool.ASK_FOR_DETAILS): _DETAILS,
    (_IDLE, Tool.ASK_FOR_PHOTO): _PHOTO,
    (_IDLE, Tool.CREATE_ISSUE): _CREATED,
    (_DETAILS, Tool.ASK_FOR_DETAILS): _DETAILS,
    (_DETAILS, Tool.ASK_FOR_PHOTO): _PHOTO,
    (_DETAILS, Tool.CREATE_ISSUE): _CREATED,
    (_PHOTO, Tool.ASK_FOR_DETAILS): _DETAILS,
    (_PHOTO, Tool.CREATE_ISSUE): _CREATED,
    (_CREATED, Tool.ASK_FOR_DETAILS): _DETAILS,
    (_CREATED, Tool.ASK_FOR_PHOTO): _PHOTO,
}
"""`respond` and `escalate` change nothing; other moves do not exist."""


def next_state(gathering: Gathering, tool: Tool) -> Gathering:
    """Return the state after a tool; the same state for tools that change nothing."""
    return MOVES.get((gathering, tool), gathering)
