"""One function under all adapters: ranked texts in, those that say something new out, each with its twins."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np

from saidonce.adapters.embed import open_embedder
from saidonce.errors import UsageError
from saidonce.foundation.model import Candidate, Fate, Objection, Relation, Vector
from saidonce.foundation.ports import Embedder
from saidonce.foundation.settings.policy import REPEAT
from saidonce.foundation.text import content_hash, languages
from saidonce.kb.search.repeats import RepeatRule, fates_down_to, front
from saidonce.matching.guards import REPEAT_GUARDS

THRESHOLD = REPEAT.duplicate_from
"""Source: seed 001, phase 2."""

Vectors: TypeAlias = "Vector | Embedder | Callable[[Sequence[str]], Sequence[Sequence[float]]]"
"""What vectors of texts may come from."""

ALSO_IN = "also_in"
"""Key of a kept document's metadata under which its twins are listed."""


@dataclass(frozen=True, slots=True)
class TextTwin:
    """A lower ranked text that says what a kept one says; `place` is its place in the input."""

    place: int
    similarity: float


@dataclass(frozen=True, slots=True)
class DedupedTexts:
    """What stays of a ranked list.

    Attributes:
        kept: places of the texts that stay, in their order; at most k.
        twins: for each kept place the lower ranked texts that repeat it.
        held_apart: for a kept place that looks like a higher one, that one and which facts differ.
    """

    kept: tuple[int, ...]
    twins: dict[int, tuple[TextTwin, ...]]
    held_apart: dict[int, tuple[int, tuple[Objection, ...]]]

    def also_in(self, place: int, sources: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Return the twins of a kept text: each one's entry in `sources` (one per text), with its similarity."""
        return [{**sources[twin.place], "similarity": twin.similarity} for twin in self.twins[place]]


def dedup_texts(
    texts: Sequence[str],
    vectors: Vectors | None = None,
    *,
    k: int | None = None,
    threshold: float = THRESHOLD,
    guarded: bool = True,
) -> DedupedTexts:
    """Keep of ranked texts those that repeat no higher one; the order never changes.

    Going down the list until k are kept fills the places that repeats leave free.

    Args:
        texts: best first; a blank one is kept.
        vectors: shape (n, dim) float32, unit rows, an embedder of ours, or a function from texts to their vectors of
            any length, such as the embeddings of LangChain or LlamaIndex; the built-in model by default.
        k: maximum number of kept texts; all by default.
        threshold: similarity from which a lower text repeats a higher one.
        guarded: texts that state different facts stay apart.

    Raises:
        UsageError: k is below 1, the threshold is not above 0 and at most 1, or the vectors do not fit.
        ModelUnavailableError: the embedder failed.
    """
    check_options(k, threshold)
    most = len(texts) if k is None else k
    tags = languages(texts)
    ranked = [Candidate(text, content_hash(text), language=tag) for text, tag in zip(texts, tags, strict=True)]
    rule = RepeatRule(threshold, REPEAT_GUARDS if guarded else ())
    fates = fates_down_to(most, front(ranked, _rows(texts, vectors)), rule)
    return _to_deduped(fates, most)


def check_options(k: int | None, threshold: float) -> None:
    """Check the options that every adapter has, when it is made and not when it first runs.

    Raises:
        UsageError: k is below 1, or the threshold is not above 0 and at most 1.
    """
    if k is not None and (isinstance(k, bool) or not isinstance(k, int) or k < 1):
        raise UsageError(f"k must be at least 1, not {k}")
    if isinstance(threshold, bool) or not isinstance(threshold, int | float) or not 0.0 < threshold <= 1.0:
        raise UsageError(f"threshold must be more than 0 and at most 1, not {threshold!r}")


def one_of_both(k: int | None, top_n: int | None) -> int | None:
    """Return the number of texts to keep, under our name or the ecosystem's.

    Raises:
        UsageError: both are given, and differ.
    """
    if k is not None and top_n is not None and k != top_n:
        raise UsageError(f"k={k} and top_n={top_n} mean the same; pass only one of them")
    return top_n if k is None else k


def _rows(texts: Sequence[str], vectors: Vectors | None) -> list[Vector | None]:
    """Return a vector for each text that is not blank."""
    places = [place for place, text in enumerate(texts) if text.strip()]
    if isinstance(vectors, np.ndarray):
        if vectors.ndim != 2 or len(vectors) != len(texts):
            raise UsageError(
                f"vectors of shape {vectors.shape} do not match {len(texts)} texts; pass one vector for each text"
            )
        embedded = vectors[places]
    elif callable(vectors):
        embedded = _unit_rows(vectors([texts[place] for place in places]) if places else [], len(places))
    else:
        embedder = vectors if vectors is not None else _built_in()
        embedded = embedder.embed([texts[place] for place in places])
    rows: list[Vector | None] = [None] * len(texts)
    for place, row in zip(places, embedded, strict=True):
        rows[place] = row
    return rows


def _unit_rows(vectors: Sequence[Sequence[float]], n: int) -> Vector:
    """Return vectors of somebody else's model as unit rows.

    Raises:
        UsageError: they are not one for each text, or one is zero or no number.
    """
    rows = np.asarray(vectors, dtype=np.float32) if n else np.zeros((0, 1), np.float32)
    lengths = np.linalg.norm(rows, axis=-1, keepdims=True) if rows.ndim == 2 else np.zeros(0)
    if rows.ndim != 2 or len(rows) != n or not (np.isfinite(lengths).all() and (lengths > 0).all()):
        raise UsageError(f"embeddings of shape {rows.shape} do not match {n} texts; pass one vector for each text")
    unit: Vector = rows / lengths
    return unit


@lru_cache(maxsize=1)
def _built_in() -> Embedder:
    return open_embedder("minilm")


def _to_deduped(fates: Sequence[Fate], most: int) -> DedupedTexts:
    kept = tuple(f.index for f in fates if f.relation is Relation.KEPT)[:most]
    twins: dict[int, tuple[TextTwin, ...]] = dict.fromkeys(kept, ())
    for fate in fates:
        if fate.relation is not Relation.KEPT and fate.of in twins:
            twins[fate.of] += (TextTwin(fate.index, fate.similarity),)
    apart = {f.index: (f.near_miss, f.objections) for f in fates if f.index in twins and f.near_miss is not None}
    return DedupedTexts(kept, twins, apart)
