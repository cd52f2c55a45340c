"""The derived cache of what a gate keeps, by which it finds what a newcomer may repeat."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from saidonce.errors import ModelMismatchError
from saidonce.foundation.model import Vector
from saidonce.foundation.ports import GateStanding, KeptRow, Store
from saidonce.matching.vectors import ExactIndex, canonical_cosines

_NOBODY = -1


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


class AdmittedIndex:
    """Exact search over what one gate keeps; can be dropped at any time. For several threads."""

    def __init__(self, gate: str, model: str, dim: int) -> None:
        self.gate = gate
        self.model = model
        self._seen = 0
        self._index = ExactIndex(dim)
        self._partitions: dict[str, int] = {}
        self._codes: NDArray[np.int32] = np.zeros(0, dtype=np.int32)
        self._contents: dict[str, tuple[str, str]] = {}
        self._by_content: dict[tuple[str, str], set[str]] = {}
        self._lock = threading.RLock()

    def __len__(self) -> int:
        return len(self._index)

    @property
    def seen(self) -> int:
        """Revision up to which changes are taken in."""
        return self._seen

    def catch_up(self, store: Store, standing: GateStanding | None = None) -> int:
        """Take in all changes since the last call; give the revision up to which they are taken in.

        Args:
            standing: how the gate stands now, if that was asked already.

        Raises:
            ModelMismatchError: the gate was put under another embedding model.
        """
        now = standing if standing is not None else store.gates.standing(self.gate)
        if now.model != self.model:
            raise ModelMismatchError(self.gate, now.model, self.model)
        with self._lock:
            if now.kept_rev > self._seen:
                for batch in store.gates.changes(self.gate, self._seen):
                    self._take_in(batch)
            return self._seen

    def learn(self, rows: Sequence[KeptRow], seen: int) -> None:
        """Take in what this process has just written, if nothing was taken in since it looked at revision `seen`."""
        with self._lock:
            if self._seen == seen and rows:
                self._take_in(rows)

    def _take_in(self, batch: Sequence[KeptRow]) -> None:
        self._drop([row.id for row in batch])
        live = [row for row in batch if row.live and row.vector is not None]
        if live:
            slots = self._index.add(
                [row.id for row in live], np.stack([v for row in live if (v := row.vector) is not None])
            )
            if self._index.n_slots > len(self._codes):
                grown = np.full(max(1024, self._index.n_slots * 3 // 2), _NOBODY, dtype=np.int32)
                grown[: len(self._codes)] = self._codes
                self._codes = grown
            codes = [self._partitions.setdefault(row.partition, len(self._partitions)) for row in live]
            self._codes[slots] = codes
        for row in live:
            self._contents[row.id] = (row.partition, row.content_hash)
            self._by_content.setdefault((row.partition, row.content_hash), set()).add(row.id)
        self._seen = max([self._seen, *(row.rev for row in batch)])

    def _drop(self, ids: Sequence[str]) -> None:
        known = [id_ for id_ in ids if id_ in self._contents]
        self._index.remove(known)
        for id_ in known:
            key = self._contents.pop(id_)
            self._by_content[key].discard(id_)
            if not self._by_content[key]:
                del self._by_content[key]

    def pools(self, wanted: Sequence[AdmittedQuery], k: int) -> list[Pool]:
        """Find what is near to each: the k nearest of its partition, and all of the same content."""
        found: list[Pool | None] = [None] * len(wanted)
        with self._lock:
            for partition in dict.fromkeys(w.partition for w in wanted):
                places = [at for at, w in enumerate(wanted) if w.partition == partition]
                for at, pool in zip(places, self._pools([wanted[at] for at in places], partition, k), strict=True):
                    found[at] = pool
        return [pool for pool in found if pool is not None]

    def _pools(self, wanted: Sequence[AdmittedQuery], partition: str, k: int) -> list[Pool]:
        code = self._partitions.get(partition)
        if code is None:
            return [Pool((), frozenset(), self._seen)] * len(wanted)
        n = self._index.n_slots
        mask = None if len(self._partitions) == 1 else self._codes[:n] == code
        near = self._index.nearest_batch(np.stack([w.vector for w in wanted]), k, mask=mask)
        return [self._pool(w, hits) for w, hits in zip(wanted, near, strict=True)]

    def _pool(self, wanted: AdmittedQuery, hits: list[tuple[str, float]]) -> Pool:
        equal = frozenset(self._by_content.get((wanted.partition, wanted.content_hash), ()))
        if equal and not equal.intersection(id_ for id_, _ in hits):
            missing = [min(equal)]  # A crowd of look-alikes must not hide the one that says the same.
            similar = canonical_cosines(wanted.vector, self._index.vectors(missing)).tolist()
            hits = sorted([*hits, *zip(missing, similar, strict=True)], key=lambda hit: (-hit[1], hit[0]))
        return Pool(tuple(hits), equal, self._seen)
