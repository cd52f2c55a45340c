"""The derived cache of kept texts' vectors, by which the ladder finds what a candidate may repeat."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import numpy as np

from saidonce.foundation.model import Vector
from saidonce.foundation.ports import Store
from saidonce.matching.vectors import ExactIndex, canonical_cosines

POOL = 50
"""Nearest kept texts at or above the investigating threshold among which a candidate's matches are chosen."""


class BlockIndex:
    """Exact search over the texts of canonical blocks of one model, by collection; can be dropped at any time.

    Unlike a search shelf it knows texts only, without titles and headings. For several threads.
    """

    def __init__(self, model: str, dim: int) -> None:
        self.model = model
        self._dim = dim
        self._seen = 0
        self._indexes: dict[str, ExactIndex] = {}
        self._lock = threading.RLock()

    def catch_up(self, store: Store) -> None:
        """Take in all changes since the last call."""
        with self._lock:
            for batch in store.changes(self.model, self._seen):
                # Read after the changes: a collection made in between has its rows told here already.
                canonical = {c.name for c in store.collections() if c.is_canonical}
                changed = [row.block_id for row in batch]
                for index in self._indexes.values():
                    index.remove(changed)
                for name in sorted(canonical.intersection(row.collection for row in batch)):
                    live = [(row.block_id, row.text) for row in batch if row.collection == name and not row.gone]
                    index = self._indexes.setdefault(name, ExactIndex(self._dim))
                    index.add([id_ for id_, _ in live], np.stack([v for _, v in live if v is not None]))
                self._seen = max([self._seen, *(row.rev for row in batch)])

    def forget(self) -> None:
        """Drop everything; the next catching up takes all in anew. For whoever read what was then rolled back."""
        with self._lock:
            self._indexes.clear()
            self._seen = 0

    @property
    def seen(self) -> int:
        """Revision up to which changes are taken in."""
        return self._seen

    def near(
        self, collection: str, vectors: Vector, similarity_from: float, n_passed_over: int = 0
    ) -> list[list[tuple[str, float]]]:
        """For each vector the kept texts at or above a similarity, nearest first, ties by id.

        Args:
            collection: whose texts are searched.
            vectors: shape (n, dim) float32, unit rows.
            similarity_from: canonical cosine.
            n_passed_over: how many texts the caller will leave out; so many more than POOL are given.
        """
        with self._lock:
            index = self._indexes.get(collection)
            if index is None or not len(vectors):
                return [[] for _ in range(len(vectors))]
            return index.nearest_batch(vectors, POOL + n_passed_over, similarity_from)

    def similarities(self, collection: str, vector: Vector, ids: Sequence[str]) -> dict[str, float]:
        """Canonical similarity of a text to some kept ones; those that are not kept are left out."""
        with self._lock:
            index = self._indexes.get(collection)
            known = [id_ for id_ in ids if index is not None and id_ in index]
            if index is None or not known:
                return {}
            return dict(zip(known, canonical_cosines(vector, index.vectors(known)).tolist(), strict=True))
