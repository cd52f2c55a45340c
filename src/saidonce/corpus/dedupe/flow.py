"""The corridor of a corpus: rank, embed, compare, select; reading and writing are its caller's."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from saidonce.corpus.dedupe.ranking import KeepBy, RankedTexts, rank
from saidonce.corpus.dedupe.report import Deduped, digest
from saidonce.errors import UsageError
from saidonce.foundation.model import (
    UNKNOWN_LANGUAGE,
    Candidate,
    CorpusRow,
    Ending,
    Fate,
    Relation,
    RowDecision,
    Vector,
)
from saidonce.foundation.ports import Embedder
from saidonce.foundation.text import languages
from saidonce.matching.guards import REPEAT_GUARDS, adds_figures
from saidonce.matching.ladder import Guard, Selection
from saidonce.matching.vectors import BAND, Join, canonical_cosine
from saidonce.matching.vectors.join import Run

EMBEDDED_AT_ONCE = 1_024
"""Texts after which an interrupted run need not embed again."""

MOST_ASKED = 1_000
"""Nearest kept rows that the guards are asked about for one row; a row that has more, and repeats none of these, is
reported as undecided. Bounds the work on corpora that are made of one template."""

Told = Callable[[str, int, int], None]
"""Takes the name of a step, how much of it is done, and of how much."""


@dataclass(frozen=True, slots=True)
class DedupeOptions:
    """How a corpus is deduplicated.

    Attributes:
        threshold: canonical similarity from which two rows repeat each other.
        guards: what may hold such a pair apart, asked in order; none lets similarity alone decide.
        n_threads: threads that compare; decides nothing.
        band: rows compared at once; decides nothing.
    """

    threshold: float = 0.90
    keep_by: KeepBy = KeepBy.LONGEST
    guards: tuple[Guard, ...] = REPEAT_GUARDS
    n_threads: int = 1
    band: int = BAND

    def __post_init__(self) -> None:
        if not 0.0 < self.threshold <= 1.0:
            raise UsageError(f"a threshold of {self.threshold!r} makes no sense; give more than 0 and at most 1")
        if self.n_threads < 1 or self.band < 1:
            raise UsageError("at least one thread is needed, and one row a band")


def dedupe(
    rows: Sequence[CorpusRow], vectors: Embedder | Vector, wanted: DedupeOptions | None = None, told: Told | None = None
) -> Deduped:
    """Settle what becomes of every row of a corpus.

    Texts are walked in the order of `keep_by`: one is dropped for a kept one of the same normal form
    (exact), or else for the most similar kept one at or above the threshold to which no guard objects,
    of the `MOST_ASKED` most similar ones; what that leaves open is marked as undecided.
    Rows without a text are kept, rows that cannot be read are neither kept nor compared.

    Args:
        rows: in the order of the corpus.
        vectors: what embeds the texts, or unit rows, shape (len(rows), dim) float32, one a row.
        told: is told of progress.

    Raises:
        UsageError: vectors of the wrong shape or length.
        ModelUnavailableError: the embedder failed.
    """
    asked = wanted or DedupeOptions()
    tell = told or (lambda _step, _done, _total: None)
    ranked, matrix = _embedded(rows, asked.keep_by, vectors, tell)
    fates = _selected(rows, ranked, matrix, asked, tell)
    decisions = tuple(_decision(place, row, ranked, fates, matrix) for place, row in enumerate(rows))
    return Deduped(decisions, digest(rows, decisions), len(ranked.places))


def _embedded(
    rows: Sequence[CorpusRow], keep_by: KeepBy, vectors: Embedder | Vector, tell: Told
) -> tuple[RankedTexts, Vector]:
    """Return the ranked texts, and their vectors in the same order."""
    if isinstance(vectors, np.ndarray):
        if vectors.ndim != 2 or len(vectors) != len(rows):
            raise UsageError(f"vectors of shape {vectors.shape} are not one for each of {len(rows)} rows")
        ranked = rank(rows, keep_by, vectors)
        given: Vector = vectors[np.array(ranked.places, dtype=np.intp)]
        return ranked, given
    ranked = rank(rows, keep_by)
    n = len(ranked.places)
    matrix = np.empty((n, vectors.dim), dtype=np.float32)
    for at in range(0, n, EMBEDDED_AT_ONCE):
        texts = [rows[place].text or "" for place in ranked.places[at : at + EMBEDDED_AT_ONCE]]
        matrix[at : at + len(texts)] = vectors.embed(texts)
        tell("embedding", at + len(texts), n)
    return ranked, matrix


def _selected(
    rows: Sequence[CorpusRow], ranked: RankedTexts, matrix: Vector, wanted: DedupeOptions, tell: Told
) -> tuple[Fate, ...]:
    """Return the fates of the ranked texts; each band is compared with the rows kept so far, and itself."""
    n = len(ranked.places)
    if not n:
        return ()
    fates: list[Fate] = []
    selection = Selection(wanted.guards, MOST_ASKED if wanted.guards else 1, adds_figures if wanted.guards else None)
    tags = _languages(rows, ranked, wanted)
    with _pool(wanted.n_threads) as run:
        join = Join(matrix, wanted.threshold, MOST_ASKED + 1 if wanted.guards else 1, run)
        for start in range(0, n, wanted.band):
            stop = min(start + wanted.band, n)
            pairs = join.pairs(start, stop)
            candidates = [
                Candidate(rows[ranked.places[i]].text or "", ranked.hashes[i], language=tags[i])
                for i in range(start, stop)
            ]
            found = selection.take(candidates, pairs)
            join.keep(np.array([f.index for f in found if f.relation is Relation.KEPT], dtype=np.intp))
            fates.extend(found)
            tell("comparing", stop, n)
    return tuple(fates)


@contextmanager
def _pool(n_threads: int) -> Iterator[Run]:
    if n_threads == 1:
        yield map
        return
    with ThreadPoolExecutor(n_threads, "saidonce-tiles") as pool:
        yield pool.map


def _languages(rows: Sequence[CorpusRow], ranked: RankedTexts, wanted: DedupeOptions) -> Sequence[str]:
    """Return the language of each ranked text; only guards use it."""
    if not wanted.guards:
        return [UNKNOWN_LANGUAGE] * len(ranked.places)
    return languages([rows[place].text or "" for place in ranked.places])


def _decision(place: int, row: CorpusRow, ranked: RankedTexts, fates: Sequence[Fate], matrix: Vector) -> RowDecision:
    if row.trouble:
        return RowDecision(place, Ending.UNREADABLE)
    if place not in ranked.of:
        return RowDecision(place, Ending.NO_TEXT)
    fate = fates[ranked.of[place]]
    if fate.relation is not Relation.KEPT:
        return RowDecision(place, Ending(str(fate.relation)), ranked.places[fate.of], fate.similarity)
    stands = ranked.places[fate.index]
    if stands != place:
        return RowDecision(place, Ending.EXACT, stands)
    if fate.near_miss is None:
        return RowDecision(place, Ending.KEPT, undecided=fate.undecided)
    similarity = canonical_cosine(matrix[fate.index], matrix[fate.near_miss])
    return RowDecision(
        place, Ending.HELD_APART, ranked.places[fate.near_miss], similarity, fate.objections, fate.undecided
    )
