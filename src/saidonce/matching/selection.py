"""Repeats among any number of ranked texts, exactly, in memory that grows with the texts and not with their pairs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from saidonce.foundation.model import Candidate, Fate, Relation, Vector
from saidonce.matching import facts
from saidonce.matching.guards import no_new_figures
from saidonce.matching.ladder import MOST_ASKED, FactKey, Guard, Selection, keep_first
from saidonce.matching.ladder.guards import same_language
from saidonce.matching.vectors import BAND, Join, near_pairs
from saidonce.matching.vectors.join import Run

LISTED = 64
"""Nearest kept texts listed for each text at first; only where all of these are held apart is it compared further."""

Compared = Callable[[int], None]
"""Callback of progress: the number of texts compared so far."""


def fact_key(guards: Sequence[Guard], text_at: Callable[[int], Candidate] | None = None) -> FactKey | None:
    """Return a new fact key for guards that object to every figure that a candidate adds; None for others.

    Args:
        text_at: gives a kept text again, so that it need not stay in memory.
    """
    if no_new_figures not in guards:
        return None
    return FactKey(stated_figures, across_languages=same_language not in guards, text_at=text_at)


def stated_figures(text: str, language: str) -> frozenset[str]:
    """Return the keys of all figures that a text states: what no text may add that repeats another."""
    return facts.figures(text, language)


@dataclass(frozen=True, slots=True)
class SelectionOptions:
    """Options of a selection.

    Attributes:
        threshold: canonical similarity from which two texts may repeat each other.
        guards: may hold such a pair apart, called in order; without guards similarity alone decides.
        most_asked: see `keep_first`.
        band: texts compared at once; without effect on the result.
        run: runs the tiles of the comparison; without effect on the result.
        one_way_from: see `keep_first`.
    """

    threshold: float
    guards: tuple[Guard, ...]
    most_asked: int = MOST_ASKED
    band: int = BAND
    run: Run = map
    one_way_from: float = 0.0


def select_first(
    candidate_at: Callable[[int], Candidate],
    vectors: Vector,
    options: SelectionOptions,
    key: FactKey | None = None,
    compared: Compared = lambda _n: None,
) -> tuple[Fate, ...]:
    """Return what `keep_first` returns for all near pairs, without listing them all.

    Args:
        candidate_at: gives the text at a place; places are ranked, best first.
        vectors: of the texts in their ranking, unit rows, shape (n, dim) float32.
        key: see `keep_first`; a new one, which fits the guards.
        compared: called after each band.

    Raises:
        UsageError: a row does not have length one or is not finite.
    """
    n = len(vectors)
    key = key or fact_key(options.guards)
    if n <= options.band:
        near = near_pairs(vectors, options.threshold)
        ranked = [candidate_at(i) for i in range(n)]
        whole = keep_first(ranked, near, options.guards, options.most_asked, key, options.one_way_from)
        compared(n)
        return whole
    n_listed = LISTED if options.guards else 1
    join = Join(vectors, options.threshold, n_listed, options.run)

    def nearest(place: int, among: NDArray[np.intp], most: int) -> list[tuple[int, float]]:
        return join.nearest(place, among, most)

    selection = Selection(options.guards, options.most_asked, key, nearest, one_way_from=options.one_way_from)
    done: list[Fate] = []
    for start in range(0, n, options.band):
        stop = min(start + options.band, n)
        pairs = iter(join.pairs(start, stop))
        fates = selection.take([candidate_at(i) for i in range(start, stop)], pairs, n_listed)
        join.keep(np.array([f.index for f in fates if f.relation is Relation.KEPT], dtype=np.intp))
        done.extend(fates)
        compared(stop)
    return tuple(done)
