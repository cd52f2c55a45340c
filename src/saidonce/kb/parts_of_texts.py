"""Parts of a text with what they stand below in it: the members of a list, the group of a row."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from saidonce.foundation.model import Block, Kind, Row, Span


def indented(content: str, of: Span) -> str:
    """Return a stretch with the white space before it on its line: that says below which member it stands."""
    before = content[content.rfind("\n", 0, of.start) + 1 : of.start]
    return of.text if before.strip() else before + of.text


def own_text(block: Block, own: Sequence[Span]) -> str:
    """Return what a hit adds: these stretches in their order, below what they stand under in it.

    That is the header and the group of a row, and the members of a list that a member lies in. A record is one thing.
    """
    if block.kind is Kind.RECORD:
        return block.text
    lines = block.text.split("\n")
    if not block.rows and (block.kind is not Kind.LIST or len(lines) == 1):
        return "\n".join(span.text.strip() for span in sorted(own, key=lambda span: span.start))
    if block.rows and len(block.rows) != len(lines):
        return block.text
    places = [(span.start, span.start + len(span.text.rstrip())) for span in own]
    kept = {n for a, b in places for n in range(block.text.count("\n", 0, a), block.text.count("\n", 0, b) + 1)}
    kept |= {above for n in tuple(kept) for above in (_heads_of(block.rows, n) if block.rows else _lies_in(lines, n))}
    return "\n".join(lines[n] for n in sorted(kept) if lines[n].strip())


def _heads_of(rows: Sequence[Row], n: int) -> list[int]:
    """Return the header of a table, and the last row above one that has one cell: it heads a group."""
    groups = (place for place in range(n - 1, 0, -1) if sum(bool(cell.strip()) for cell in rows[place]) == 1)
    return [0, *islice(groups, 1)]


def _lies_in(lines: Sequence[str], n: int) -> list[int]:
    """Return the lines above one that are less deep than it, each less than the one below: the members it lies in."""
    depth, above = _depth(lines[n]), []
    for place in range(n - 1, -1, -1):
        if lines[place].strip() and _depth(lines[place]) < depth:
            above.append(place)
            depth = _depth(lines[place])
    return above


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())
