"""The derived search cache of one embedding model: vectors and filterable properties, caught up by `rev`."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from saidonce.foundation.filters import passes
from saidonce.foundation.model import Filters, Vector
from saidonce.foundation.ports import Store, VectorRow
from saidonce.kb.search.relevance import LOW_END, Background
from saidonce.matching.vectors import ExactIndex, IndexChange, RevisionIndex, canonical_cosines

CONTEXT_WEIGHT = 0.4
"""Part of title and heading path in a block's search vector; docs/decisions/0004 has the measurement."""


SAMPLE = 256
"""Blocks by which the background of a base is measured."""

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
        self._samples: dict[tuple[str, ...], Vector] = {}

    def catch_up(self, store: Store) -> None:
        """Take in all changes since the last call."""
        with self._lock:
            for batch in store.changes(self.model, self._seen):
                self._take_in(self._changes(batch))

    def _changes(self, batch: Sequence[VectorRow]) -> list[IndexChange]:
        """Keep the properties of changed blocks, and return how their vectors change."""
        self._masks.clear()
        self._samples.clear()
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

    def background(self, query: Vector, collections: Sequence[str]) -> Background:
        """How near blocks of the collections usually are to a query; unknown for fewer than ENOUGH blocks.

        Measured on the SAMPLE blocks with the lowest ids, which are hashes.
        """
        with self._lock:
            sample = self._sample(tuple(sorted(collections)))
        if len(sample) < ENOUGH:
            return Background()
        low, usual = np.percentile(canonical_cosines(query, sample), [LOW_END, 50])
        return Background(float(usual), max(0.0, float(low)))

    def _sample(self, collections: tuple[str, ...]) -> Vector:
        """Search vectors of the sample, shape (at most SAMPLE, dim); kept until something changes."""
        if collections not in self._samples:
            ids = (id_ for id_, row in self._rows.items() if not collections or row.collection in collections)
            self._samples[collections] = self._index.vectors(heapq.nsmallest(SAMPLE, ids))
        return self._samples[collections]

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
    return replace(row, text=None, context=None)
