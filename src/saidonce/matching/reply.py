"""Strict reading of a model's reply."""

from __future__ import annotations

import json
import re
from typing import Any

from saidonce.errors import ReplyError

MAX_REPLY_CHARS = 50_000
MAX_DEPTH = 8
_SURROGATE = re.compile("[\ud800-\udfff]")


def strict_json(reply: str) -> dict[str, Any]:
    """Read a reply of exactly one JSON object.

    Duplicate keys, NaN and infinities, text around the object, lone surrogates, deep nesting and
    over-long replies are refused: each has cleared a duplicate somewhere.

    Raises:
        ReplyError: the reply is anything else.
    """
    if len(reply) > MAX_REPLY_CHARS:
        raise ReplyError(f"{len(reply)} characters; at most {MAX_REPLY_CHARS} are read", reply[:200])
    try:
        content = json.loads(reply, object_pairs_hook=_unique, parse_constant=_no_constant, parse_float=_finite)
    except RecursionError as deep:
        raise ReplyError(f"nested more than {MAX_DEPTH} deep", reply[:200]) from deep
    except ReplyError:
        raise
    except ValueError as bad:  # no JSON, or an integer of thousands of digits
        raise ReplyError(f"not one JSON object: {bad}", reply[:200]) from bad
    if not isinstance(content, dict):
        raise ReplyError("not a JSON object", reply[:200])
    _check_values(content, reply)
    return content


def _check_values(content: dict[str, Any], reply: str) -> None:
    """Check the values rather than the reply's characters: brackets and escapes may stand in strings."""
    level: list[Any] = [content]
    for depth in range(MAX_DEPTH + 1):
        if any(isinstance(value, str) and _SURROGATE.search(value) for value in level):
            raise ReplyError("it holds surrogates", reply[:200])
        if depth == MAX_DEPTH and any(isinstance(value, list | dict) for value in level):
            raise ReplyError(f"nested more than {MAX_DEPTH} deep", reply[:200])
        level = [inner for value in level for inner in _inside(value)]


def _inside(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [*value, *value.values()]
    return value if isinstance(value, list) else []


def only_keys(content: dict[str, Any], expected: frozenset[str]) -> dict[str, Any]:
    """Return an object if it has exactly the expected keys.

    Raises:
        ReplyError: a key is missing or too many.
    """
    if set(content) != expected:
        raise ReplyError(f"keys {sorted(content)} instead of {sorted(expected)}")
    return content


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({key for key, _ in pairs}) != len(pairs):
        raise ReplyError("a key is repeated")
    return dict(pairs)


def _no_constant(name: str) -> Any:
    raise ReplyError(f"{name} is not a number")


def _finite(number: str) -> float:
    value = float(number)
    if value in (float("inf"), float("-inf")):
        raise ReplyError(f"{number} is too large")
    return value
