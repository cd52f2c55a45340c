"""Notes under a table: "* The pool is closed." belongs to the cells that end in that mark."""

from __future__ import annotations

import re
from collections.abc import Sequence

from saidonce.foundation.model import Row
from saidonce.foundation.rows import MARK, NOTE

_NOTE = re.compile(NOTE)
_MARKED = re.compile(rf"(?<=\S)\s?(?P<mark>{MARK})$")

_LONGEST_MARK = 8
"""Characters at the end of a cell in which its mark is looked for."""


def mark_of(line: str) -> str:
    """Return the mark that a line begins with; empty if it is no note."""
    note = _NOTE.match(line)
    return note["mark"] if note else ""


def marks_in(rows: Sequence[Row]) -> frozenset[str]:
    """Return the marks that end a cell."""
    ends = (_MARKED.search(cell.rstrip()[-_LONGEST_MARK:]) for row in rows for cell in row)
    return frozenset(end["mark"] for end in ends if end)
