"""An exact index over rows of a store that catches up with it by revision: a cache, never the truth."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from saidonce.foundation.model import Vector
from saidonce.matching.vectors.canonical import canonical_cosines
from saidonce.matching.vectors.index import ExactIndex


@dataclass(frozen=True, slots=True)
class IndexChange:
    """A change of one row.

    Attributes:
        vector: shape (dim,) float32, a unit vector; None takes the row out.
        partition: within which it can be searched.
    """

    id: str
    rev: int
    vector: Vector | None
    partition: str = ""


class RevisionIndex:
    """Exact search over rows that a store holds; can be dropped at any time. For several threads.

    Uses derive from it: they read what has changed in the store after `_seen`, and keep beside the rows what else they
    need, all under `_lock`.
    """

    def __init__(self, dim: int, make: Callable[[int], ExactIndex] = ExactIndex) -> None:
        self._dim = dim
        self._make = make
        self._lock = threading.RLock()
        self._seen = 0
        self._partition_of: dict[str, str] = {}
        self._indexes: dict[str, ExactIndex] = {}

    def __len__(self) -> int:
        return len(self._partition_of)

    @property
    def seen(self) -> int:
        """Revision up to which changes are taken in."""
        return self._seen

    def _take_in(self, batch: Sequence[IndexChange]) -> None:
        """Take in what has changed, in the order of revisions."""
        live: dict[str, list[tuple[str, Vector]]] = {}
        for change in batch:
            if (partition := self._partition_of.pop(change.id, None)) is not None:
                self._indexes[partition].remove([change.id])
            if change.vector is not None:
                live.setdefault(change.partition, []).append((change.id, change.vector))
        for partition, rows in live.items():
            ids = [id_ for id_, _ in rows]
            index = self._indexes.get(partition) or self._indexes.setdefault(partition, self._make(self._dim))
            index.add(ids, np.stack([vector for _, vector in rows]))
            self._partition_of.update(dict.fromkeys(ids, partition))
        self._seen = max([self._seen, *(change.rev for change in batch)])

    def _restore(self, seen: int, indexes: dict[str, ExactIndex], partition_of: dict[str, str]) -> None:
        """Go on with rows that were taken in up to a revision."""
        self._seen, self._indexes, self._partition_of = seen, indexes, partition_of

    def _drop_all(self) -> None:
        """Drop everything; the next catching up takes all in anew."""
        self._seen = 0
        self._partition_of.clear()
        self._indexes.clear()

    def _nearest_in(
        self, partition: str, queries: Vector, k: int, similarity_from: float | None = None
    ) -> list[list[tuple[str, float]]]:
        """Return for each query, shape (m, dim) float32, the k nearest rows of a partition as (id, similarity).

        Nearest first, ties by id; rows below `similarity_from` are left out.
        """
        index = self._indexes.get(partition)
        if index is None or not len(queries):
            return [[] for _ in range(len(queries))]
        return index.nearest_batch(queries, k, similarity_from)

    def _similarities(self, query: Vector, ids: Sequence[str], partition: str = "") -> dict[str, float]:
        """Return the canonical similarity of a query to some rows of a partition; ids without one are left out."""
        with self._lock:
            known = [id_ for id_ in ids if self._partition_of.get(id_) == partition]
            if not known:
                return {}
            rows = self._indexes[partition].vectors(known)
            return dict(zip(known, canonical_cosines(query, rows).tolist(), strict=True))
