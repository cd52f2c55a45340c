"""What is wrong with a value that a request sent, in plain words instead of those of the validating library."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

_OBJECT, _WHOLE, _TRUTH = "must be an object", "must be a whole number", "must be true or false"
_KINDS = {
    "missing": "is missing", "extra_forbidden": "is not known here", "string_type": "must be a string",
    "list_type": "must be a list", "dict_type": _OBJECT, "model_type": _OBJECT, "model_attributes_type": _OBJECT,
    "int_type": _WHOLE, "int_parsing": _WHOLE, "int_from_float": _WHOLE, "bool_type": _TRUTH, "bool_parsing": _TRUTH,
    "float_type": "must be a number", "float_parsing": "must be a number",
}  # fmt: skip
_BRANCHES = frozenset({"str", "int", "float", "bool"})
"""Parts of a place that name a kind of value where several are allowed, and no field."""

_SHOULD = re.compile(r"^\w+ should (?=be|have|match)")


def in_words(error: Mapping[str, Any], place: Sequence[int | str] | None = None) -> str:
    """Return one error of a `ValidationError`, such as "submissions[2].text must be a string".

    Args:
        error: with its `loc`, `type` and `msg`.
        place: where the value stands, instead of `loc`.
    """
    name = _name(error["loc"] if place is None else place)
    message = _KINDS.get(error["type"]) or in_plain_words(error["msg"])
    return f"{name} {message}" if message.startswith(("is ", "must ")) else f"{name}: {message}"


def _name(place: Sequence[int | str]) -> str:
    """Return a place as in JSON: names with dots between them, numbers in brackets."""
    written = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place if part not in _BRANCHES)
    return written.removeprefix(".") or "the request"


def in_plain_words(message: str) -> str:
    """Return a sentence of the validating library in plain words."""
    if message.startswith("Input should be a valid date"):
        return "must be a date such as 2025-03-31"
    bare = message.partition(", unable to ")[0].replace(" after validation", "").removeprefix("Value error, ")
    return _SHOULD.sub("must ", bare)
