"""Noun: one protection of a process, on or off, and why; and its form on a pipe."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import astuple, dataclass

NAMES = (
    "environment",
    "network",
    "account",
    "capabilities",
    "memory",
    "processes",
    "written files",
    "open files",
    "core dumps",
    "new privileges",
    "file system",
    "system calls",
)
"""Names of the protections, in the order in which they are told."""

_MAX_WHY = 300


@dataclass(frozen=True, slots=True)
class Protection:
    """One thing that a parsing process cannot do, if it is on.

    Attributes:
        name: one of `NAMES`.
        is_on: it holds in the process.
        why: how it holds, or why it does not.
    """

    name: str
    is_on: bool
    why: str


def to_json(protections: Iterable[Protection]) -> bytes:
    """Return protections as JSON."""
    return json.dumps([astuple(one) for one in protections]).encode()


def read_protections(text: bytes) -> tuple[Protection, ...]:
    """Return the protections that `written` wrote.

    Raises:
        ValueError: the text is something else.
    """
    rows = json.loads(text)
    if not isinstance(rows, list) or [row[0] for row in rows if isinstance(row, list) and row] != list(NAMES):
        raise ValueError("protections other than agreed")
    protections = tuple(Protection(*row) for row in rows)
    for one in protections:
        if type(one.is_on) is not bool or type(one.why) is not str or len(one.why) > _MAX_WHY:
            raise ValueError("a protection of another form than agreed")
    return protections


def summary(protections: Iterable[Protection]) -> str:
    """Return one line that lists the protections that are on, and those that are off with the reason."""
    known = tuple(protections)
    lacking = "; ".join(f"{one.name} ({one.why})" for one in known if not one.is_on)
    held = ", ".join(one.name for one in known if one.is_on)
    return f"on: {held or 'nothing'}" + (f"; off: {lacking}" if lacking else "")
