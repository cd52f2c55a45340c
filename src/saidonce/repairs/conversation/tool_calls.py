"""The contract of a model's reply: its JSON schema and its strict parser."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from saidonce.errors import ReplyError
from saidonce.foundation.model.conversation import Category, PhotoStatus, Slot, Tool, Urgency
from saidonce.matching.reply import strict_json
from saidonce.repairs.conversation.slots import Offered
from saidonce.repairs.conversation.tools import ToolRefusal
from saidonce.repairs.conversation.view import Call

MAX_CALLS = 5
STATE_CHANGING = (Tool.ASK_FOR_DETAILS, Tool.ASK_FOR_PHOTO, Tool.CREATE_ISSUE, Tool.ESCALATE)

_REQUIRED = ("tool", "message")
_OPTIONAL = ("description", "location", "category", "urgency", "photo")
_NOTHING = frozenset(("", "null", "none", "unknown"))
_SLOT: dict[str, object] = {
    "type": ["object", "null"],
    "additionalProperties": False,
    "required": ["value", "quote"],
    "properties": {"value": {"type": "string"}, "quote": {"type": "string"}},
}


def schema(tools: Sequence[Tool]) -> dict[str, object]:
    """Return the JSON schema of a reply: one of these tools, slots with quotes, and a message; never an id.

    The tool comes first: measured, a small model that fills slots first mistakes questions for reports.
    """
    properties: dict[str, object] = {
        "tool": {"enum": list(tools)},
        "description": _SLOT,
        "location": _SLOT,
        "category": {"enum": [*Category, None]},
        "urgency": {"enum": [*Urgency, None]},
        "photo": {
            "type": ["object", "null"],
            "additionalProperties": False,
            "required": ["status", "quote"],
            "properties": {"status": {"enum": [PhotoStatus.DECLINED, PhotoStatus.LATER]}, "quote": {"type": "string"}},
        },
        "message": {"type": "string"},
    }
    return {
        "type": "object",
        "additionalProperties": False,
        "required": list(properties),
        "properties": properties,
    }


def parse_calls(reply: str) -> tuple[Call, ...]:
    """Parse a reply: one call, or several as {"calls": [...]}; text without any brace is `respond`.

    Raises:
        ReplyError: the reply breaks the contract; the reason begins with a `ToolRefusal`.
    """
    if not re.search(r"[{}\[\]]", reply):
        if not reply.strip():
            raise ReplyError(f"{ToolRefusal.NOT_JSON}: the reply is empty", reply)
        return (Call(Tool.RESPOND, reply.strip(), why="plain_text"),)
    try:
        fields = strict_json(reply)
    except ReplyError as bad:
        raise ReplyError(f"{ToolRefusal.NOT_JSON}: {bad.reason}", reply) from bad
    rows = fields["calls"] if set(fields) == {"calls"} else [fields]
    if not isinstance(rows, list) or not 1 <= len(rows) <= MAX_CALLS:
        raise ReplyError(f"{ToolRefusal.BAD_ARGUMENTS}: calls is no list of 1 to {MAX_CALLS}", reply)
    return tuple(_call(row) for row in rows)


def select_call(calls: Sequence[Call]) -> tuple[Call, tuple[str, ...]]:
    """Return the first call that changes a state, else the first, and the names of the others for the log."""
    first = next((c for c in calls if c.tool in STATE_CHANGING), calls[0])
    return first, tuple(f"{c.tool}: not_first" for c in calls if c is not first)


def _call(row: Any) -> Call:
    if not isinstance(row, dict):
        raise ReplyError(f"{ToolRefusal.BAD_ARGUMENTS}: a call is no object")
    unknown = sorted(set(row) - {*_REQUIRED, *_OPTIONAL})
    if unknown or not set(_REQUIRED) <= set(row):
        raise ReplyError(f"{ToolRefusal.BAD_ARGUMENTS}: keys {sorted(row)}; needed are tool and message")
    if not isinstance(row["message"], str):
        raise ReplyError(f"{ToolRefusal.BAD_ARGUMENTS}: message is no text")
    try:
        tool = Tool(row["tool"])
    except ValueError as bad:
        raise ReplyError(f"{ToolRefusal.UNKNOWN_TOOL}: {row['tool']!r}") from bad
    return Call(tool, row["message"], _offered(row))


def _offered(row: dict[str, Any]) -> Offered:
    photo = _pair(row.get("photo"), "photo", ("status", "quote"))
    try:
        status = PhotoStatus(photo[0]) if photo else None
        category = Category(row["category"]) if row.get("category") is not None else None
        urgency = Urgency(row["urgency"]) if row.get("urgency") is not None else None
    except ValueError as bad:
        raise ReplyError(f"{ToolRefusal.BAD_ARGUMENTS}: {bad}") from bad
    if status not in (None, PhotoStatus.DECLINED, PhotoStatus.LATER):
        raise ReplyError(f"{ToolRefusal.BAD_ARGUMENTS}: photo status {status!r}; allowed: declined, later")
    return Offered(
        _slot(row, "description"), _slot(row, "location"), category, urgency, status, photo[1] if photo else ""
    )


def _slot(row: dict[str, Any], name: str) -> Slot | None:
    pair = _pair(row.get(name), name, ("value", "quote"))
    return Slot(*pair) if pair else None


def _pair(value: Any, name: str, keys: tuple[str, str]) -> tuple[str, str] | None:
    """Return the two texts of an object; None for null, and for an object whose texts are both empty or "none"."""
    if value is None:
        return None
    if not isinstance(value, dict) or set(value) != set(keys) or not all(isinstance(v, str) for v in value.values()):
        raise ReplyError(f"{ToolRefusal.BAD_ARGUMENTS}: {name} is no object of the texts {keys[0]} and {keys[1]}")
    pair = (value[keys[0]], value[keys[1]])
    return pair if any(part.strip().lower() not in _NOTHING for part in pair) else None
