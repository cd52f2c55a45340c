"""Repeats in a ranked list, searched only as far down as needed. Source: seed 001, phase 2."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from saidonce.foundation.model import Candidate, Fate, Relation, Vector
from saidonce.matching.guards import REPEAT_GUARDS
from saidonce.matching.ladder import FactKey, Guard, keep_first
from saidonce.matching.selection import stated_figures
from saidonce.matching.vectors import near_pairs

LOOK_AT_LEAST = 50
LOOK_PER_HIT = 3
"""Ranked texts compared with each other before any further down the list."""


def first_look(n_hits: int) -> int:
    """Return the number of ranked texts compared at first."""
    return max(LOOK_AT_LEAST, LOOK_PER_HIT * n_hits)


def fates_down_to(
    n_hits: int,
    ranked: Sequence[Candidate],
    vectors: Sequence[Vector | None],
    threshold: float,
    guards: Sequence[Guard] = REPEAT_GUARDS,
    same_from: float = 1.0,
) -> tuple[Fate, ...]:
    """Return the fates of the first ranked texts, down to where `n_hits` are kept, and some more for their repeats.

    This spares the guards most of a list of look-alikes.

    Args:
        ranked: best first; the order never changes.
        vectors: unit rows, shape (dim,) each; a text without one is kept.
        threshold: canonical similarity from which a lower text repeats a higher one.
        same_from: similarity from which it does so, too, if each states all of the other.
    """
    n = first_look(n_hits)
    while True:
        fates = _fates(ranked[:n], vectors[:n], (threshold, same_from), guards)
        if n >= len(ranked) or sum(f.relation is Relation.KEPT for f in fates) >= n_hits:
            return fates
        n *= 2


NearPair = tuple[int, int, float]
"""Places of two ranked texts, the higher first, and their canonical similarity."""


def fates_among(
    ranked: Sequence[Candidate | None], near: Sequence[NearPair], guards: Sequence[Guard], threshold: float = 0.0
) -> tuple[Fate, ...]:
    """Return the fates of ranked texts, best first; a text that is None, or in no pair of another content, is kept.

    Pairs below the threshold are repeats only if each text states all of the other.

    Args:
        guards: each of them, or one of several, objects to a figure that only the candidate states.
    """
    key = FactKey(stated_figures) if guards else None
    return keep_first(ranked, near, guards, key=key, one_way_from=threshold)


def _fates(
    ranked: Sequence[Candidate],
    vectors: Sequence[Vector | None],
    thresholds: tuple[float, float],
    guards: Sequence[Guard],
) -> tuple[Fate, ...]:
    compared = [text if v is not None else None for text, v in zip(ranked, vectors, strict=True)]
    places = [place for place, v in enumerate(vectors) if v is not None]
    rows = [v for v in vectors if v is not None]
    near = near_pairs(np.stack(rows), min(thresholds)) if len(rows) > 1 else []
    return fates_among(compared, [(places[i], places[j], s) for i, j, s in near], guards, thresholds[0])
