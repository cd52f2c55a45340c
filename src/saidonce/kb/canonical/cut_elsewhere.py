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
    changed, added or taken out stands on one side alone. The items of a list must come in one order.

    Args:
        kind: of both pieces.
        pieces: their texts.
        wholes: all pieces of the list of which each is one, in their order.
    """
    if kind not in CUT_KINDS:
        return False
    mine, theirs = (_parts(kind, piece) for piece in pieces)
    whole, other_whole = ([part for piece in pieces for part in _parts(kind, piece)] for pieces in wholes)
    only = [part for one, two in ((mine, theirs), (theirs, mine)) for part in one if part not in two]
    if not only or (kind is Kind.LIST and any(len(text.words(part)) < FEWEST_WORDS for part in only)):
        return False
    if kind is Kind.TABLE:
        return set(mine) <= set(other_whole) and set(theirs) <= set(whole)
    return _is_in_order(mine, other_whole) and _is_in_order(theirs, whole)


def _parts(kind: Kind, piece: str) -> list[str]:
    """Return the rows of a table, or the items of a list with what introduces it, without indents."""
    if kind is Kind.TABLE:
        parts: Iterable[str] = piece.splitlines()
    else:
        starts = [m.start() for m in _ITEM.finditer(piece)]
        cuts = [0, *starts, len(piece)]
        parts = (piece[start:end] for start, end in pairwise(cuts))
    return [" ".join(part.split()) for part in parts if part.strip()]


def _is_in_order(parts: Sequence[str], whole: Sequence[str]) -> bool:
    left = iter(whole)
    return all(part in left for part in parts)
