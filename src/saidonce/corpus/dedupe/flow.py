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
from saidonce.matching.guards import REPEAT_GUARDS
from saidonce.matching.ladder import Guard
from saidonce.matching.selection import SelectionOptions, select_first
from saidonce.matching.vectors import BAND, canonical_cosine
from saidonce.matching.vectors.join import Run

EMBEDDED_AT_ONCE = 1_024
"""Texts of one batch; an interrupted run embeds at most one batch again."""

MOST_ASKED = 1_000
"""Kept rows that the guards check for one row: the nearest of those that state all its figures. A row that could repeat
more of them, and repeats none of these, is reported as undecided. Bounds the work on corpora of one template."""

Progress = Callable[[str, int, int], None]
"""Callback of progress: the name of a step, its finished part, and its whole."""


@dataclass(frozen=True, slots=True)
class DedupeOptions:
    """Options of a deduplication.

    Attributes:
        threshold: canonical similarity from which two rows repeat each other.
        guards: may hold such a pair apart, called in order; without guards similarity alone decides.
        n_threads: threads of the comparison; without effect on the result.
        band: rows compared at once; without effect on the result.
    """

    threshold: float = 0.90
    keep_by: KeepBy = KeepBy.LONGEST
    guards: tuple[Guard, ...] = REPEAT_GUARDS
    n_threads: int = 1
    band: int = BAND

    def __post_init__(self) -> None:
        if not 0.0 < self.threshold <= 1.0:
            raise UsageError(f"a threshold of {self.threshold!r} is out of range: more than 0, at most 1")
        if self.n_threads < 1 or self.band < 1:
            raise UsageError("at least one thread and one row per band are needed")


def dedupe(
    rows: Sequence[CorpusRow],
    vectors: Embedder | Vector,
    options: DedupeOptions | None = None,
    progress: Progress | None = None,
) -> Deduped:
    """Decide on every row of a corpus.

    Texts are processed in the order of `keep_by`: one is dropped for a kept one of the same normal form
    (exact), or else for the most similar kept one at or above the threshold without a guard's objection. The guards
    check up to `MOST_ASKED` kept rows for one row; where more could be repeated, the row is marked as undecided.
    Rows without a text are kept, unreadable rows are neither kept nor compared.

    Args:
        rows: in the order of the corpus.
        vectors: an embedder of the texts, or unit rows, shape (len(rows), dim) float32, one a row.
        options: see `DedupeOptions`.
        progress: called after each batch.

    Raises:
        UsageError: vectors of the wrong shape or length.
        ModelUnavailableError: the embedder failed.
    """
    settings = options or DedupeOptions()
    report = progress or (lambda _step, _done, _total: None)
    ranked, matrix = _embed(rows, settings.keep_by, vectors, report)
    fates = _select(rows, ranked, matrix, settings, report)
    decisions = tuple(_decision(place, row, ranked, fates, matrix) for place, row in enumerate(rows))
    return Deduped(decisions, digest(rows, decisions), len(ranked.places))


def _embed(
    rows: Sequence[CorpusRow], keep_by: KeepBy, vectors: Embedder | Vector, report: Progress
) -> tuple[RankedTexts, Vector]:
    """Return the ranked texts, and their vectors in the same order."""
    if isinstance(vectors, np.ndarray):
        if vectors.ndim != 2 or len(vectors) != len(rows):
            raise UsageError(
                f"vectors of shape {vectors.shape} do not match {len(rows)} rows; pass one vector for each row"
            )
        ranked = rank(rows, keep_by, vectors)
        matrix: Vector = vectors[np.array(ranked.places, dtype=np.intp)]
        return ranked, matrix
    ranked = rank(rows, keep_by)
    n = len(ranked.places)
    matrix = np.empty((n, vectors.dim), dtype=np.float32)
    for at in range(0, n, EMBEDDED_AT_ONCE):
        texts = [rows[place].text or "" for place in ranked.places[at : at + EMBEDDED_AT_ONCE]]
        matrix[at : at + len(texts)] = vectors.embed(texts)
        report("embedding", at + len(texts), n)
    return ranked, matrix


def _select(
    rows: Sequence[CorpusRow], ranked: RankedTexts, matrix: Vector, options: DedupeOptions, report: Progress
) -> tuple[Fate, ...]:
    """Return the fates of the ranked texts."""
    tags = _languages(rows, ranked, options)
    n = len(ranked.places)

    def candidate_at(rank: int) -> Candidate:
        return Candidate(rows[ranked.places[rank]].text or "", ranked.hashes[rank], language=tags[rank])

    with _pool(options.n_threads) as run:
        return select_first(
            candidate_at,
            matrix,
            SelectionOptions(options.threshold, options.guards, MOST_ASKED, options.band, run),
            compared=lambda done: report("comparing", done, n),
        )


@contextmanager
def _pool(n_threads: int) -> Iterator[Run]:
    if n_threads == 1:
        yield map
        return
    with ThreadPoolExecutor(n_threads, "saidonce-tiles") as pool:
        yield pool.map


def _languages(rows: Sequence[CorpusRow], ranked: RankedTexts, options: DedupeOptions) -> Sequence[str]:
    """Return the language of each ranked text; only guards use it."""
    if not options.guards:
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
