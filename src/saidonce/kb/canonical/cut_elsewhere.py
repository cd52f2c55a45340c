"""Room: whether two pieces of one long list or table differ only in where the two editions of it were cut."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

from saidonce.foundation import text
from saidonce.foundation.model import Kind

CUT_KINDS = frozenset((Kind.LIST, Kind.TABLE))
"""Kinds that are cut between items or rows; each of these is read by itself."""

FEWEST_WORDS = 5
"""Words of an item that another piece has, too; a shorter one, "default: no", may stand there for something else."""

_ENDS = (".", "!", "?", "\u3002", "\uff01", "\uff1f")
"""How a sentence ends; what stands before a colon may be a condition of what stands behind it."""

_ITEM = re.compile(r"^\s*(?:[-*\u2022]|\d+[.)])\s", re.M)


def is_cut_elsewhere(kind: Kind, pieces: tuple[str, str], wholes: tuple[Sequence[str], Sequence[str]]) -> bool:
    """Return whether all that only one of two pieces has stands beside the other one, letter for letter.

    Then either edition states it, and only a person who looks at the two pieces alone misses it. An item that was
    changed, added or taken out stands on one side alone. The items of a list must follow each other there as they do
    here, but for the line that introduces each piece, and so must the rows of a table that has rows which only name
    those below them. And a row of either piece must be the only one in both editions that begins with its cell: another
    with other values behind it may be what has changed.

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
        are_all = set(mine) <= others and set(theirs) <= rows
        if not are_all or not _begin_with_own_cells({*mine, *theirs}, rows | others):
            return False
        if not any(_is_name_of_rows(row) for row in rows | others):
            return True
    return _is_run(mine, other_whole) and _is_run(theirs, whole)


def _begin_with_own_cells(rows: Iterable[str], whole: Iterable[str]) -> bool:
    """Return whether no row of two editions begins with the same cell as one of some rows and goes on otherwise."""
    firsts = Counter(_first_cell(row) for row in whole)
    return all(firsts[_first_cell(row)] == 1 for row in rows)


def _is_name_of_rows(row: str) -> bool:
    """Return whether one cell of a row alone is filled: "Weekdays | |" says what the rows below it are of."""
    cells = row.split("|")
    return len(cells) > 1 and sum(bool(cell.strip()) for cell in cells) == 1


def _first_cell(row: str) -> str:
    return row.split("|", 1)[0].strip()


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
    """Return whether the items or rows of a piece follow each other in a whole, without what introduces each piece."""
    lead = piece[0] if all(piece[0] == other[0] for other in pieces if other) else None
    run = [part for part in piece if part != lead]
    items = [part for other in pieces for part in other if part != lead]
    return any(items[at : at + len(run)] == run for at in range(len(items) - len(run) + 1))


def is_split_elsewhere(longer: str, shorter: str, before: Sequence[str], behind: Sequence[str]) -> bool:
    """Return whether two passages differ only in where running text was split into passages.

    The longer one has the shorter word for word, and all else that it says stands right before or behind the shorter
    one in the other edition, in the same order; there it begins and ends where a passage or a sentence does.

    Args:
        longer: a passage.
        shorter: one of another edition.
        before: the passages before the shorter one, under the same headings.
        behind: those behind it.
    """
    a, b = shorter.split(), longer.split()
    starts = (at for at in range(len(b) - len(a) + 1) if b[at : at + len(a)] == a)
    return len(a) < len(b) and any(
        _ends_with(before, b[:at]) and _begins_with(behind, b[at + len(a) :]) for at in starts
    )


def _begins_with(passages: Sequence[str], words: Sequence[str]) -> bool:
    """Return whether some passages begin with these words, and a passage or sentence ends behind them."""
    left = list(words)
    for passage in passages:
        if not left:
            break
        mine = passage.split()
        if mine[: len(left)] == left:
            return len(mine) == len(left) or left[-1].endswith(_ENDS)
        if left[: len(mine)] != mine:
            return False
        left = left[len(mine) :]
    return not left


def _ends_with(passages: Sequence[str], words: Sequence[str]) -> bool:
    """Return whether some passages end in these words, and a passage or sentence ends before them."""
    left = list(words)
    for passage in reversed(passages):
        if not left:
            break
        mine = passage.split()
        if mine[-len(left) :] == left:
            return len(mine) == len(left) or mine[-len(left) - 1].endswith(_ENDS)
        if left[-len(mine) :] != mine:
            return False
        left = left[: -len(mine)]
    return not left
