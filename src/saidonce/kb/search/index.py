"""The derived search cache of one embedding model: vectors and filterable properties, caught up by `rev`."""

from __future__ import annotations

import heapq
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from saidonce.foundation.filters import passes
from saidonce.foundation.model import Filters, Vector
from saidonce.foundation.ports import Store, VectorRow
from saidonce.matching.vectors import ExactIndex, IndexChange, RevisionIndex, canonical_cosines

CONTEXT_WEIGHT = 0.4
"""Part of title and heading path in a block's search vector; docs/decisions/0004 has the measurement."""


SAMPLE = 256
"""Blocks by which the background of a base is measured."""

SPREADS = 1.5
"""How far above the median a background ends, in widths of its lower half. Source: docs/figures.md."""

ENOUGH = 20
"""Fewer blocks have no background that could be measured."""


class SearchIndex(RevisionIndex):
    """Exact dense search over the live blocks of one model.

    A block's search vector is its text's vector plus CONTEXT_WEIGHT times its context's,
    normalised. Text vectors stay free of context, so that repeats under other headings are seen.
    """

    def __init__(self, model: str, dim: int) -> None:
        super().__init__(dim)
        self.model = model
        self._index = self._indexes[""] = ExactIndex(dim)  # its one partition
        self._rows: dict[str, VectorRow] = {}
        self._masks: dict[Filters, NDArray[np.bool_]] = {}
        self._backgrounds: dict[tuple[str, ...], float | None] = {}

    def catch_up(self, store: Store) -> None:
        """Take in all changes since the last call."""
        with self._lock:
            for batch in store.changes(self.model, self._seen):
                self._take_in(self._changes(batch))

    def _changes(self, batch: Sequence[VectorRow]) -> list[IndexChange]:
        """Keep the properties of changed blocks, and return how their vectors change."""
        self._masks.clear()
        self._backgrounds.clear()
        for row in batch:
            self._rows.pop(row.block_id, None)
        self._rows.update((row.block_id, _slim(row)) for row in batch if not row.gone)
        return [IndexChange(row.block_id, row.rev, None if row.gone else _search_vector(row)) for row in batch]

    def nearest(self, query: Vector, limit: int, filters: Filters) -> list[tuple[str, float]]:
        """Nearest blocks by search vector that pass the filters, nearest first, ties by id."""
        with self._lock:
            mask = None if filters == Filters() else self._mask(filters)
            return self._index.nearest(query, limit, mask=mask)

    def similarities(self, query: Vector, ids: Sequence[str]) -> dict[str, float]:
        """Similarity of a query to some blocks' search vectors."""
        return self._similarities(query, ids)

    def background(self, collections: Sequence[str]) -> float | None:
        """The cosine that unrelated blocks of the collections seldom exceed; None for fewer than ENOUGH blocks.

        It lies SPREADS times as far above the median as the 16th percentile lies below it: repeats move neither.
        Measured on the SAMPLE blocks with the lowest ids, which are hashes; kept until something changes.
        """
        with self._lock:
            key = tuple(sorted(collections))
            if key not in self._backgrounds:
                self._backgrounds[key] = self._measured(key)
            return self._backgrounds[key]

    def _measured(self, collections: tuple[str, ...]) -> float | None:
        ids = (id_ for id_, row in self._rows.items() if not collections or row.collection in collections)
        sample = heapq.nsmallest(SAMPLE, ids)
        if len(sample) < ENOUGH:
            return None
        rows = self._index.vectors(sample)
        cosines = np.concatenate([canonical_cosines(rows[at], rows[at + 1 :]) for at in range(len(sample) - 1)])
        low, median = np.percentile(cosines, [16, 50])
        return float(median + SPREADS * (median - low))

    def languages(self, collections: Sequence[str]) -> tuple[str, ...]:
        """Languages of the blocks of the collections, sorted."""
        with self._lock:
            rows = self._rows.values()
            return tuple(sorted({row.language for row in rows if not collections or row.collection in collections}))

    def row(self, block_id: str) -> VectorRow | None:
        """Properties of a live block, without its vectors; None if it is not in the index."""
        return self._rows.get(block_id)

    def _mask(self, filters: Filters) -> NDArray[np.bool_]:
        """Which slots of the index pass the filters; kept until something changes."""
        if filters not in self._masks:
            mask = np.zeros(self._index.n_slots, dtype=np.bool_)
            mask[self._index.slots([id_ for id_, row in self._rows.items() if passes(row, filters)])] = True
            self._masks.clear()
            self._masks[filters] = mask
        return self._masks[filters]


def _search_vector(row: VectorRow) -> Vector:
    assert row.text is not None  # a live row has its text's vector
    if row.context is None:
        return row.text
    mixed = row.text.astype(np.float64) + CONTEXT_WEIGHT * row.context.astype(np.float64)
    unit: Vector = (mixed / np.sqrt(np.sum(mixed * mixed))).astype(np.float32)
    return unit


def _slim(row: VectorRow) -> VectorRow:
    return VectorRow(
        block_id=row.block_id, rev=row.rev, gone=False, collection=row.collection, documents=row.documents,
        kind=row.kind, language=row.language, authored_at=row.authored_at, salience=row.salience,
        text_key=row.text_key, text=None, context=None,
    )  # fmt: skip
