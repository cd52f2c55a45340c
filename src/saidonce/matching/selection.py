"""Repeats among any number of ranked texts, exactly, in memory that grows with the texts and not with their pairs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from saidonce.foundation.model import Candidate, Fate, Relation, Vector
from saidonce.matching import facts
from saidonce.matching.guards import no_new_figures
from saidonce.matching.ladder import MOST_ASKED, FactKey, Guard, Selection
from saidonce.matching.ladder.guards import same_language
from saidonce.matching.vectors import BAND, Join
from saidonce.matching.vectors.join import Run

LISTED = 64
"""Nearest kept texts listed for each text at first; only where all of these are held apart is it compared further."""

Compared = Callable[[int], None]
"""Callback of progress: the number of texts compared so far."""


def fact_key(guards: Sequence[Guard]) -> FactKey | None:
    """Return a new fact key for guards that object to every figure that a candidate adds; None for others."""
    if no_new_figures not in guards:
        return None
    return FactKey(facts.figures, across_languages=same_language not in guards)


@dataclass(frozen=True, slots=True)
class SelectionOptions:
    """Options of a selection.

    Attributes:
        threshold: canonical similarity from which two texts may repeat each other.
        guards: may hold such a pair apart, called in order; without guards similarity alone decides.
        most_asked: see `keep_first`.
        band: texts compared at once; without effect on the result.
        run: runs the tiles of the comparison; without effect on the result.
    """

    threshold: float
    guards: tuple[Guard, ...]
    most_asked: int = MOST_ASKED
    band: int = BAND
    run: Run = map


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
    fates: list[Fate] = []
    if not len(vectors):
        return ()
    n_listed = LISTED if options.guards else 1
    join = Join(vectors, options.threshold, n_listed, options.run)
    selection = Selection(options.guards, options.most_asked, key or fact_key(options.guards), join.nearest)
    for start in range(0, len(vectors), options.band):
        stop = min(start + options.band, len(vectors))
        pairs = join.pairs(start, stop)
        band = selection.take([candidate_at(place) for place in range(start, stop)], pairs, n_listed)
        join.keep(np.array([f.index for f in band if f.relation is Relation.KEPT], dtype=np.intp))
        fates.extend(band)
        compared(stop)
    return tuple(fates)
