"""Rewrite grid tables of Pandoc into tables of pipes, which the reader of Markdown knows."""

from __future__ import annotations

import re
from collections.abc import Sequence

from docutils.parsers.rst.tableparser import GridTableParser, TableMarkupError
from docutils.statemachine import StringList

_EDGE = re.compile(r"\+(?:[:=-]+\+)+[ \t]*")
_HEAD = re.compile(r"\+(?:[:=]+\+)+[ \t]*")
MAX_ROWS = 5_000
"""Lines of one grid that are looked at."""


def grid_end(lines: Sequence[str], at: int) -> int:
    """Return the line after the grid table that begins at a line; the line itself if none does."""
    if not _EDGE.fullmatch(lines[at]):
        return at
    end = at + 1
    while end < min(len(lines), at + MAX_ROWS) and lines[end][:1] in ("|", "+"):
        end += 1
    return end if end - at > 2 and _EDGE.fullmatch(lines[end - 1]) else at


def as_pipes(grid: Sequence[str]) -> list[str]:
    """Return a grid table as a table of pipes; its own lines if it is none after all."""
    plain = [_HEAD.sub(lambda edge: edge.group().replace(":", "="), line) for line in grid]
    plain = [re.sub(r":(?=[-+])|(?<=[-+]):", "-", line) if line.startswith("+") else line for line in plain]
    try:
        _, head, body = GridTableParser().parse(StringList([line.rstrip() for line in plain], "table"))
    except TableMarkupError:
        return list(grid)
    rows = [_cells(row) for row in (*head, *body)]
    if not rows:
        return list(grid)
    width = max(len(row) for row in rows)
    rows = rows if head else [[""] * width, *rows]
    lines = [f"| {' | '.join(row + [''] * (width - len(row)))} |" for row in rows]
    return ["", lines[0], f"|{'---|' * width}", *lines[1:], ""]


def _cells(row: Sequence[object]) -> list[str]:
    """Return the texts of a row; a cell that another one covers has none of its own."""
    return [" ".join(" ".join(cell[3]).split()).replace("|", "\\|") if cell else "" for cell in row]  # type: ignore[index]
