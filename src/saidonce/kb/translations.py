"""Flow: texts of one collection that may be translations of each other, named as pairs; nothing is merged by it.

A multilingual model tells well which text of another language is the nearest, and cannot tell a translation from one
that changes who did what. So pairs are named for people and programs, each with what speaks against it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from saidonce.errors import UsageError
from saidonce.foundation.model import UNKNOWN_LANGUAGE, Segment, Vector
from saidonce.foundation.ports import Embedder, Store
from saidonce.matching import facts

MOST_TEXTS = 50_000
"""Texts of a collection that are compared; their vectors take 100 MB."""

AT_ONCE = 1_024
"""Texts of one language that are compared at once with all of another."""

LEAST_FACTOR = 0.75
"""What is left of a similarity where two texts share none of their figures."""


@dataclass(frozen=True, slots=True)
class TranslationPair:
    """Two texts in different languages, each the nearest of its language to the other.

    Attributes:
        a, b: the texts; `a` of the language that comes first by the alphabet.
        similarity: cosine in the space of the multilingual model.
        shared_figures: share of the figures stated by either that both state; 1.0 where neither states any.
        score: the similarity, lowered by figures that only one states; never raised.
    """

    a: Segment
    b: Segment
    similarity: float
    shared_figures: float
    score: float


def translations(store: Store, embedder: Embedder, collection: str, least: float) -> tuple[TranslationPair, ...]:
    """Return the pairs of texts that may be translations, highest score first, ties by id; nothing is written.

    A text whose language is not known is left out, since it may be in that of the other.

    Args:
        store: of the organisation.
        embedder: of a model for several languages.
        collection: whose live blocks are compared.
        least: score from which a pair is named, 0..1.

    Raises:
        UsageError: the collection has more than MOST_TEXTS texts.
        ModelUnavailableError: the model is absent or failed.
    """
    by_language: dict[str, list[Segment]] = {}
    n_texts = 0
    for batch in store.segments(collection):
        for segment, _, _ in batch:
            if segment.language and segment.language != UNKNOWN_LANGUAGE:
                by_language.setdefault(segment.language, []).append(segment)
                n_texts += 1
        if n_texts > MOST_TEXTS:
            raise UsageError(f"{collection!r} has more than {MOST_TEXTS:,} texts, too many to search for translations")
    if len(by_language) < 2:
        return ()
    vectors = {name: embedder.embed([s.text for s in segments]) for name, segments in by_language.items()}
    pairs = [
        pair
        for one, other in combinations(sorted(by_language), 2)
        for pair in _between(by_language, vectors, one, other)
        if pair.score >= least
    ]
    return tuple(sorted(pairs, key=lambda t: (-t.score, t.a.id, t.b.id)))


def _between(
    texts: Mapping[str, Sequence[Segment]], vectors: Mapping[str, Vector], one: str, other: str
) -> list[TranslationPair]:
    """Return the pairs of two languages that are nearest to each other, both ways."""
    rows, columns = vectors[one], vectors[other]
    best_of_row, best_of_column = _nearest(rows, columns), _nearest(columns, rows)
    pairs = []
    for place, nearest in enumerate(best_of_row):
        if best_of_column[nearest] == place:
            a, b = texts[one][place], texts[other][nearest]
            similarity = round(float(rows[place] @ columns[nearest]), 4)
            shared = shared_figures(a, b)
            pairs.append(TranslationPair(a, b, similarity, shared, round(similarity * _factor(shared), 4)))
    return pairs


def _nearest(rows: Vector, columns: Vector) -> list[int]:
    """Return the place of the nearest column of each row, the first of equal ones."""
    nearest: list[int] = []
    for start in range(0, len(rows), AT_ONCE):
        nearest += np.argmax(rows[start : start + AT_ONCE] @ columns.T, axis=1).tolist()
    return nearest


def shared_figures(a: Segment, b: Segment) -> float:
    """Return the share of the figures that either states which both state, whatever the language writes them in."""
    ours, theirs = facts.figures(a.text, a.language), facts.figures(b.text, b.language)
    return round(len(ours & theirs) / len(ours | theirs), 4) if ours | theirs else 1.0


def _factor(shared: float) -> float:
    return LEAST_FACTOR + (1 - LEAST_FACTOR) * shared
