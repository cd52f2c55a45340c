"""Repeats in a ranked list, looked for only as far down as it takes: seed 001, phase 2."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from saidonce.foundation.model import Candidate, Fate, Relation, Vector
from saidonce.matching.guards import REPEAT_GUARDS
from saidonce.matching.ladder import Guard, keep_first
from saidonce.matching.vectors import near_pairs

LOOK_AT_LEAST = 50
LOOK_PER_HIT = 3
"""Ranked texts that are compared with each other before the list is looked at further down."""


def first_look(wanted: int) -> int:
    """How many ranked texts are looked at before more are."""
    return max(LOOK_AT_LEAST, LOOK_PER_HIT * wanted)


def fates_down_to(
    wanted: int,
    ranked: Sequence[Candidate],
    vectors: Sequence[Vector | None],
    threshold: float,
    guards: Sequence[Guard] = REPEAT_GUARDS,
) -> tuple[Fate, ...]:
    """Fates of the first ranked texts: as many as it takes until `wanted` are kept, and some more for their twins.

    Where most of a list looks alike, the guards would otherwise read all of it for nothing.

    Args:
        ranked: best first; the order never changes.
        vectors: unit rows, shape (dim,) each; a text without one is kept.
        threshold: canonical similarity from which a lower text repeats a higher one.
    """
    n = first_look(wanted)
    while True:
        fates = _fates(ranked[:n], vectors[:n], threshold, guards)
        if n >= len(ranked) or sum(f.relation is Relation.KEPT for f in fates) >= wanted:
            return fates
        n *= 2


def _fates(
    ranked: Sequence[Candidate], vectors: Sequence[Vector | None], threshold: float, guards: Sequence[Guard]
) -> tuple[Fate, ...]:
    compared = [text if v is not None else None for text, v in zip(ranked, vectors, strict=True)]
    places = [place for place, v in enumerate(vectors) if v is not None]
    rows = [v for v in vectors if v is not None]
    near = near_pairs(np.stack(rows), threshold) if len(rows) > 1 else []
    return keep_first(compared, [(places[i], places[j], s) for i, j, s in near], guards)
