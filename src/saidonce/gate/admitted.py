"""The derived cache of what a gate keeps, by which it finds what a newcomer may repeat."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from saidonce.errors import ModelMismatchError, StoreError
from saidonce.foundation.model import Vector
from saidonce.foundation.ports import GateStanding, KeptQuery, KeptRow, Store
from saidonce.matching.vectors import IndexChange, RevisionIndex, canonical_cosines, margin


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


MANY = 5_000
"""Kept ones from which a first search is done where they are stored, while they are loaded beside it."""

FEW = 2
"""Searches at once that do so; for more of them it is quicker to wait until all is loaded."""


class AdmittedIndex(RevisionIndex):
    """Exact search over what one gate keeps.

    Args:
        many: kept ones from which a few searches do not wait until all is loaded.
    """

    def __init__(self, gate: str, model: str, dim: int, many: int = MANY) -> None:
        super().__init__(dim)
        self.gate = gate
        self.model = model
        self._many = many
        self._is_small = False
        self._loading: threading.Thread | None = None
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
        self._check(now)
        if (loading := self._loading) is not None:
            loading.join()
        with self._lock:
            if now.kept_rev > self._seen:
                for batch in store.gates.changes(self.gate, self._seen):
                    self._take_in(self._changes(batch))
            return self._seen

    def _check(self, now: GateStanding) -> None:
        if now.model != self.model:
            raise ModelMismatchError(self.gate, now.model, self.model)

    def current(self, store: Store, n: int, standing: GateStanding | None = None) -> int:
        """Return the revision that n searches see: that of the cache, brought up to date, or of the store.

        Args:
            standing: how the gate stands now, if that was asked already.

        Raises:
            ModelMismatchError: the gate was moved to another embedding model.
        """
        if not self._is_cold(store, n):
            return self.catch_up(store, standing)
        now = standing if standing is not None else store.gates.standing(self.gate)
        self._check(now)
        return now.kept_rev

    def search(self, store: Store, queries: Sequence[AdmittedQuery], k: int) -> list[Pool]:
        """Return the neighbours as `pools` does; a few are searched in the store until the cache is loaded."""
        if not self._is_cold(store, len(queries)):
            return self.pools(queries, k)
        pools = [self._in_store(store, query, k) for query in queries]
        self._load(store)
        return pools

    def _is_cold(self, store: Store, n: int) -> bool:
        """Return whether n searches had better not wait for the cache."""
        if self._seen or self._is_small or n > FEW:
            return False
        self._is_small = self._loading is None and store.gates.n_changes(self.gate, self._many) < self._many
        return not self._is_small

    def _in_store(self, store: Store, query: AdmittedQuery, k: int) -> Pool:
        slack = 2.0 * margin(self._dim)
        near = store.gates.near(self.gate, KeptQuery(query.vector, query.partition, query.content_hash, k, slack))
        if not near.ids:
            return Pool((), near.equal, near.rev)
        similar = canonical_cosines(query.vector, np.stack(near.vectors)).tolist()
        ranked = sorted(zip(near.ids, similar, strict=True), key=lambda hit: (-hit[1], hit[0]))
        hits = ranked[:k]
        if near.equal and not near.equal.intersection(id_ for id_, _ in hits):
            hits += [hit for hit in ranked[k:] if hit[0] == min(near.equal)]
        return Pool(tuple(hits), near.equal, near.rev)

    def _load(self, store: Store) -> None:
        """Load what is kept beside the searches that are answered by the store meanwhile."""
        with self._lock:
            if self._loading is None and not self._seen:
                self._loading = threading.Thread(
                    target=self._loaded, args=(store,), name="saidonce-loading", daemon=True
                )
                self._loading.start()

    def _loaded(self, store: Store) -> None:
        fresh = AdmittedIndex(self.gate, self.model, self._dim)
        try:
            fresh.catch_up(store)
        except (StoreError, ModelMismatchError):
            self._loading = None  # The store answers further searches, and the next one tries to load it again.
            return
        with self._lock:
            self._contents, self._by_content = fresh._contents, fresh._by_content
            self._partition_of, self._indexes, self._seen = fresh._partition_of, fresh._indexes, fresh._seen
            self._loading = None

    def learn(self, rows: Sequence[KeptRow], seen: int) -> None:
        """Add what this process has just written, if nothing was added since revision `seen`."""
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
