"""The derived cache of what a gate keeps, by which it finds what a newcomer may repeat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from saidonce.errors import ModelMismatchError
from saidonce.foundation.model import Vector
from saidonce.foundation.ports import GateStanding, KeptRow, Store
from saidonce.matching.vectors import IndexChange, RevisionIndex


@dataclass(frozen=True, slots=True)
class Pool:
    """Kept ones near a newcomer: (id, canonical similarity), nearest first, ties by id.

    Attributes:
        equal: ids of those that have the same content; one of them is among `near`.
        seen: revision of what was searched.
    """

    near: tuple[tuple[str, float], ...]
    equal: frozenset[str]
    seen: int


@dataclass(frozen=True, slots=True)
class AdmittedQuery:
    """What is looked for: a unit vector, shape (dim,) float32, in one partition, and its content."""

    vector: Vector
    partition: str
    content_hash: str


class AdmittedIndex(RevisionIndex):
    """Exact search over what one gate keeps."""

    def __init__(self, gate: str, model: str, dim: int) -> None:
        super().__init__(dim)
        self.gate = gate
        self.model = model
        self._contents: dict[str, tuple[str, str]] = {}
        self._by_content: dict[tuple[str, str], set[str]] = {}

    def catch_up(self, store: Store, standing: GateStanding | None = None) -> int:
        """Take in all changes since the last call; return the revision up to which they are taken in.

        Args:
            standing: how the gate stands now, if that was asked already.

        Raises:
            ModelMismatchError: the gate was moved to another embedding model.
        """
        now = standing if standing is not None else store.gates.standing(self.gate)
        if now.model != self.model:
            raise ModelMismatchError(self.gate, now.model, self.model)
        with self._lock:
            if now.kept_rev > self._seen:
                for batch in store.gates.changes(self.gate, self._seen):
                    self._take_in(self._changes(batch))
            return self._seen

    def learn(self, rows: Sequence[KeptRow], seen: int) -> None:
        """Take in what this process has just written, if nothing was taken in since it looked at revision `seen`."""
        with self._lock:
            if self._seen == seen and rows:
                self._take_in(self._changes(rows))

    def _changes(self, batch: Sequence[KeptRow]) -> list[IndexChange]:
        """Keep the contents of changed rows, and return how their vectors change."""
        for row in batch:
            if (content := self._contents.pop(row.id, None)) is not None:
                self._by_content[content].discard(row.id)
                if not self._by_content[content]:
                    del self._by_content[content]
        for row in batch:
            if row.live and row.vector is not None:
                self._contents[row.id] = (row.partition, row.content_hash)
                self._by_content.setdefault((row.partition, row.content_hash), set()).add(row.id)
        return [IndexChange(row.id, row.rev, row.vector if row.live else None, row.partition) for row in batch]

    def pools(self, queries: Sequence[AdmittedQuery], k: int) -> list[Pool]:
        """Return what is near to each: the k nearest of its partition, and all of the same content."""
        pools: dict[int, Pool] = {}
        with self._lock:
            for partition in dict.fromkeys(query.partition for query in queries):
                places = [at for at, query in enumerate(queries) if query.partition == partition]
                near = self._nearest_in(partition, np.stack([queries[at].vector for at in places]), k)
                pools.update((at, self._pool(queries[at], hits)) for at, hits in zip(places, near, strict=True))
        return [pools[at] for at in range(len(queries))]

    def _pool(self, query: AdmittedQuery, hits: list[tuple[str, float]]) -> Pool:
        equal = frozenset(self._by_content.get((query.partition, query.content_hash), ()))
        if equal and not equal.intersection(id_ for id_, _ in hits):
            # A crowd of look-alikes must not hide the one that says the same.
            missing = self._similarities(query.vector, [min(equal)], query.partition).items()
            hits = sorted([*hits, *missing], key=lambda hit: (-hit[1], hit[0]))
        return Pool(tuple(hits), equal, self._seen)
