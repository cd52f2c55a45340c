"""Room: whether two pieces of one long list or table differ only in where the two editions of it were cut."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from saidonce.foundation import text
from saidonce.foundation.model import Kind

CUT_KINDS = frozenset((Kind.LIST, Kind.TABLE))
"""Kinds that are cut between items or rows; each of these is read by itself."""

FEWEST_WORDS = 5
"""Words of an item that another piece has, too; a shorter one, "default: no", may stand there for something else."""

_ITEM = re.compile(r"^\s*(?:[-*\u2022]|\d+[.)])\s", re.M)


def is_cut_elsewhere(kind: Kind, pieces: tuple[str, str], wholes: tuple[Sequence[str], Sequence[str]]) -> bool:
    """Return whether all that only one of two pieces has stands beside the other one, letter for letter.

    Then either edition states it, and only a person who looks at the two pieces alone misses it. An item that was
    changed, added or taken out stands on one side alone. The items of a list must follow each other there as they do
    here, but for the line that introduces each piece; and a row of which another begins with the same cell, with other
    values behind it, is no row of one table.

    Args:
        kind: of both pieces.
        pieces: their texts.
        wholes: all pieces of the list of which each is one, in their order.
    """
    if kind not in CUT_KINDS:
        return False
    mine, theirs = (_parts(kind, piece) for piece in pieces)
    whole, other_whole = ([_parts(kind, piece) for piece in of_list] for of_list in wholes)
    only = [part for one, two in ((mine, theirs), (theirs, mine)) for part in one if part not in two]
    if not only or (kind is Kind.LIST and any(len(text.words(part)) < FEWEST_WORDS for part in only)):
        return False
    if kind is Kind.TABLE:
        rows, others = ({row for piece in each for row in piece} for each in (whole, other_whole))
        return set(mine) <= others and set(theirs) <= rows and _begin_with_own_cells(rows | others)
    return _is_run(mine, other_whole) and _is_run(theirs, whole)


def _begin_with_own_cells(rows: Iterable[str]) -> bool:
    """Return whether no two different rows begin with the same cell."""
    firsts = [row.split("|", 1)[0].strip() for row in rows]
    return len(set(firsts)) == len(firsts)


def _parts(kind: Kind, piece: str) -> list[str]:
    """Return the rows of a table, or the items of a list with what introduces it, without indents."""
    if kind is Kind.TABLE:
        parts: Iterable[str] = piece.splitlines()
    else:
        starts = [m.start() for m in _ITEM.finditer(piece)]
        cuts = [0, *starts, len(piece)]
        parts = (piece[start:end] for start, end in pairwise(cuts))
    return [" ".join(part.split()) for part in parts if part.strip()]


def _is_run(piece: Sequence[str], pieces: Sequence[Sequence[str]]) -> bool:
    """Return whether the items of a piece follow each other in a whole list, without what introduces each piece."""
    lead = piece[0] if all(piece[0] == other[0] for other in pieces if other) else None
    run = [part for part in piece if part != lead]
    items = [part for other in pieces for part in other if part != lead]
    return any(items[at : at + len(run)] == run for at in range(len(items) - len(run) + 1))
