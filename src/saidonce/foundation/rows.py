"""What a row of a table is by its form, in every language: one that heads others, or one that repeats what is above."""

from __future__ import annotations

import re
from collections.abc import Sequence

LONGEST_VALUE = 4
"""Letters up to which equal cells of a row are values, such as "yes" and "none"."""

DITTO = r"""[-\u2010-\u2015\s]*(?:["\u201c\u201d\u201e\u2033\u3003\u00bb]|''|,,|``)[-\u2010-\u2015\s]*"""
"""An expression for a mark that stands for what is above it."""

MARK = r"(?:\*+|[\u2020\u2021\u00a7\u00b6]+|[\u00b9\u00b2\u00b3\u2070-\u2079]+|\[\d{1,2}\]|\(\d{1,2}\))"
"""An expression for the mark of a note."""

NOTE = rf"(?P<mark>{MARK})[ \t]*(?=\w)"
"""An expression for the mark of a note in front of it."""

_DITTO = re.compile(DITTO)


def is_ditto(cell: str) -> bool:
    """Return whether a cell is a mark that stands for what is above it."""
    return _DITTO.fullmatch(cell) is not None


def heads_rows(cells: Sequence[str]) -> bool:
    """Return whether a row has one text: in its first cell, or in all, as a cell that spans the table is written."""
    if len(cells) < 2 or not cells[0] or is_ditto(cells[0]):
        return False
    if not any(cells[1:]):
        return True
    return len(set(cells)) == 1 and len(cells[0]) > LONGEST_VALUE and any(map(str.isalpha, cells[0]))
