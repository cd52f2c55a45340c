"""The derived cache of kept texts' vectors, by which the ladder finds what a candidate may repeat."""

from __future__ import annotations

from collections.abc import Sequence

from saidonce.foundation.model import Vector
from saidonce.foundation.ports import Store, VectorRow
from saidonce.matching.vectors import IndexChange, RevisionIndex

POOL = 50
"""Nearest kept texts at or above the investigating threshold among which a candidate's matches are chosen."""


class BlockIndex(RevisionIndex):
    """Exact search over the texts of canonical blocks of one model, by collection.

    Unlike a search index it knows texts only, without titles and headings.
    """

    def __init__(self, model: str, dim: int) -> None:
        super().__init__(dim)
        self.model = model

    def catch_up(self, store: Store) -> None:
        """Take in all changes since the last call."""
        with self._lock:
            for batch in store.changes(self.model, self._seen):
                self._take_in(_changes(store, batch))

    def forget(self) -> None:
        """Clear the index; the next catch-up reloads everything. Call it after a rolled-back read."""
        with self._lock:
            self._drop_all()

    def near(
        self, collection: str, vectors: Vector, similarity_from: float, n_passed_over: int = 0
    ) -> list[list[tuple[str, float]]]:
        """Return for each vector the kept texts at or above a similarity, nearest first, ties by id.

        Args:
            collection: whose texts are searched.
            vectors: shape (n, dim) float32, unit rows.
            similarity_from: canonical cosine.
            n_passed_over: how many texts the caller will leave out; so many more than POOL are given.
        """
        with self._lock:
            return self._nearest_in(collection, vectors, POOL + n_passed_over, similarity_from)

    def similarities(self, collection: str, vector: Vector, ids: Sequence[str]) -> dict[str, float]:
        """Return the canonical similarity of a text to some kept ones; those that are not kept are left out."""
        return self._similarities(vector, ids, collection)


def _changes(store: Store, batch: Sequence[VectorRow]) -> list[IndexChange]:
    # Read after the changes: a collection made in between has its rows among them already.
    canonical = {c.name for c in store.collections() if c.is_canonical}
    return [
        IndexChange(row.block_id, row.rev, row.text if row.collection in canonical else None, row.collection)
        for row in batch
    ]
