"""The derived search cache of one embedding model: vectors and filterable properties, caught up by `rev`."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from pathlib import Path
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from saidonce.foundation.model import UNKNOWN_LANGUAGE, Filters, Vector
from saidonce.foundation.ports import Marks, Store, VectorRow
from saidonce.kb.search import saved
from saidonce.kb.search.properties import IndexedBlock, Properties
from saidonce.kb.search.relevance import LOW_END, Background
from saidonce.matching.vectors import Exact, ExactIndex, IndexChange, RevisionIndex
from saidonce.matching.vectors.blas import one_thread
from saidonce.matching.vectors.codes import N_THREADS

CONTEXT_WEIGHT = 0.4
"""Part of title and heading path in a block's search vector; docs/decisions/0004 has the measurement."""


SAMPLE = 256
"""Blocks by which the background of a base is measured."""

LEAST_SAMPLE = 64
"""Blocks at least by which that of a language is measured, if it has so many."""

ENOUGH = 20
"""Fewer blocks have no background that could be measured."""

_ANY = ""
"""Stands for all languages together."""

_STALE = 50
"""A copy is written anew when one block in so many has changed since."""

_ROOM = 64
"""Blocks, and one of all in a hundred, that a part of several has room for beyond its share."""

_TRIES = 3
"""Times that a copy is compared with a database that others write to."""


class SearchIndex(RevisionIndex):
    """Exact dense search over the live blocks of one model.

    A block's search vector is its text's vector plus CONTEXT_WEIGHT times its context's,
    normalised. Text vectors stay free of context, so that repeats under other headings are seen.

    Blocks are divided among parts by a hash of their ids. Each part is exact, so that the best of their answers
    together are the answer of one: the same bits for every number of parts.
    """

    def __init__(
        self,
        model: str,
        dim: int,
        n_shards: int = 1,
        copy: Path | None = None,
        make: Callable[[int], ExactIndex] = ExactIndex,
    ) -> None:
        """Make an empty index.

        Args:
            n_shards: parts, searched by as many threads.
            copy: file of a copy, which the first catching up begins with, and which is written anew where it is
                missing, damaged or no longer fits; None for none.
            make: makes a part; those that are elsewhere are all asked at once, and have no copy.
        """
        super().__init__(dim, make)
        self._is_here = make is ExactIndex
        self._most_at_once = N_THREADS if self._is_here else n_shards
        copy = copy if self._is_here else None
        self.model = model
        self._n_shards = n_shards
        self._copy = copy
        self._properties = Properties()
        self._masks: dict[Filters, dict[str, NDArray[np.bool_]]] = {}
        self._lowest: dict[tuple[str, ...], dict[str, list[str]]] = {}
        self._samples: dict[tuple[tuple[str, ...], str], Exact] = {}
        self._languages: dict[tuple[str, ...], tuple[str, ...]] = {}

    def catch_up(self, store: Store) -> None:
        """Take in all changes since the last call."""
        with self._lock:
            if (copy := self._copy) is None:
                self._read_changes(store)
                return
            self._copy = None
            self._catch_up_from(copy, store)

    def drop(self) -> None:
        """Drop everything; the next catching up takes all in anew."""
        with self._lock:
            self._drop_all()

    def _catch_up_from(self, copy: Path, store: Store) -> None:
        """Begin with a copy, if there is one that the database agrees with, and write it anew if need be."""
        whose = saved.Whose(store.identity(), self.model, self._dim, self._n_shards)
        with ThreadPoolExecutor(1) as asking:
            marks = asking.submit(store.marks, self.model)  # the database adds them up while the file is read
            begun = saved.read_copy(copy, whose)
            if begun is not None:
                self._properties = begun.properties
                self._restore(begun.seen, begun.indexes, _parts_of(begun.indexes))
            n_changed, has_gone = self._read_changes(store)
        if begun is not None and not self._agrees(store, marks.result()):
            self._drop_all()
            begun = None
            self._read_changes(store)
        if len(self) < saved.LEAST:
            saved.remove(copy)
        elif begun is None or has_gone or n_changed * _STALE > len(self):
            written = saved.write(copy, whose, saved.Copy(self._seen, self._properties, self._indexes))
            mapped = saved.parts(copy, whose, self._seen) if written else {}
            if _parts_of(mapped) == self._partition_of:
                self._indexes = mapped  # what was read from the database leaves memory
                self._forget()

    def _agrees(self, store: Store, marks: Marks) -> bool:
        """Return whether the database has the same blocks; what was written since `marks` is taken in first."""
        for _ in range(_TRIES):
            if (marks.n, marks.total) == (len(self), self._properties.total()):
                return True
            marks = store.marks(self.model)
            self._read_changes(store)
        return False

    def _read_changes(self, store: Store) -> tuple[int, bool]:
        """Take in changes; return how many there were, and whether one took a known block out."""
        n_changed, has_gone = 0, False
        if self._is_here and not self._seen:
            self._reserve(store.marks(self.model).n)
        for batch in store.changes(self.model, self._seen):
            n_changed += len(batch)
            has_gone = has_gone or any(row.gone and row.block_id in self._partition_of for row in batch)
            self._take_in(self._changes(batch))
        return n_changed, has_gone

    def _reserve(self, n: int) -> None:
        """Make room for so many blocks; in each of several parts for a few more, since a hash fills no two alike."""
        each = n if self._n_shards == 1 else n // self._n_shards + n // 100 + _ROOM
        for part in range(self._n_shards) if n else ():
            self._indexes.setdefault(str(part), self._make(self._dim)).reserve(each)

    def _drop_all(self) -> None:
        """See above."""
        super()._drop_all()
        self._properties.clear()
        self._forget()

    def _forget(self) -> None:
        self._masks.clear()
        self._lowest.clear()
        self._samples.clear()
        self._languages.clear()

    def _changes(self, batch: Sequence[VectorRow]) -> list[IndexChange]:
        """Keep the properties of changed blocks, and return how their vectors change."""
        self._forget()
        self._properties.take_in(batch)
        return [
            IndexChange(row.block_id, row.rev, None if row.gone else _search_vector(row), self._part(row.block_id))
            for row in batch
        ]

    def _part(self, block_id: str) -> str:
        return str(crc32(block_id.encode()) % self._n_shards) if self._n_shards > 1 else "0"

    def nearest(self, query: Vector, limit: int, filters: Filters) -> list[tuple[str, float]]:
        """Return the nearest blocks by search vector that pass the filters, nearest first, ties by id."""
        with self._lock:
            masks = {} if filters == Filters() else self._mask(filters)

            def hits(part: str) -> list[tuple[str, float]]:
                return self._indexes[part].nearest(query, limit, mask=masks.get(part))

            if len(self._indexes) < 2:
                return [hit for part in self._indexes for hit in hits(part)]
            with one_thread(), ThreadPoolExecutor(min(len(self._indexes), self._most_at_once)) as threads:
                everywhere = chain.from_iterable(threads.map(hits, self._indexes))
                return sorted(everywhere, key=lambda hit: (-hit[1], hit[0]))[: max(0, limit)]

    def similarities(self, query: Vector, ids: Sequence[str]) -> dict[str, float]:
        """Return the similarity of a query to some blocks' search vectors."""
        with self._lock:
            similar: dict[str, float] = {}
            for part in self._indexes:
                similar |= self._similarities(query, ids, part)
            return {id_: similar[id_] for id_ in ids if id_ in similar}

    def backgrounds(
        self, query: Vector, collections: Sequence[str], languages: Collection[str]
    ) -> dict[str, Background]:
        """Return how near blocks of the collections in each of some languages usually are to a query.

        Measured on a sample of at most SAMPLE blocks, those with the lowest ids, which are hashes. Where several
        languages have ENOUGH blocks, each has a smaller sample of its own, so that a search costs hardly more; others
        are measured on a sample of all blocks. Unknown for fewer than ENOUGH blocks.
        """
        known: dict[str, Background] = {}
        with self._lock:
            samples = {language: self._sample(tuple(sorted(collections)), language) for language in sorted(languages)}
        for language, (tag, rows) in samples.items():
            if tag not in known:
                known[tag] = _background(query, rows)
            known[language] = known[tag]
        return {language: known[language] for language in samples}

    def _sample(self, collections: tuple[str, ...], language: str) -> tuple[str, Exact]:
        """Return the language of a sample, and its search vectors; kept until something changes."""
        if collections not in self._lowest:
            by_language = self._properties.by_language(collections)
            lowest = {tag: heapq.nsmallest(SAMPLE, ids) for tag, ids in by_language.items()}
            apart = [tag for tag, ids in lowest.items() if len(ids) >= ENOUGH and tag != UNKNOWN_LANGUAGE]
            apart = apart if len(apart) > 1 else []
            size = max(LEAST_SAMPLE, SAMPLE // (len(apart) + 1)) if apart else SAMPLE
            everywhere = heapq.nsmallest(size, chain(*lowest.values()))
            self._lowest[collections] = {**{tag: lowest[tag][:size] for tag in apart}, _ANY: everywhere}
        known = self._lowest[collections]
        tag = language if language in known else _ANY
        if (collections, tag) not in self._samples:
            rows = [self._indexes[self._partition_of[id_]].vectors([id_]) for id_ in known[tag]]
            self._samples[collections, tag] = Exact(
                np.concatenate(rows) if rows else np.zeros((0, self._dim), np.float32)
            )
        return tag, self._samples[collections, tag]

    def languages(self, collections: Sequence[str]) -> tuple[str, ...]:
        """Return the languages of the blocks of the collections, sorted; kept until something changes."""
        within = tuple(sorted(collections))
        with self._lock:
            if within not in self._languages:
                self._languages[within] = self._properties.languages(within)
            return self._languages[within]

    def row(self, block_id: str) -> IndexedBlock | None:
        """Return the properties of a live block, without its vectors; None if it is not in the index."""
        return self._properties.row(block_id)

    def rows(self, block_ids: Collection[str]) -> dict[str, IndexedBlock]:
        """Return the properties of those of some blocks that are live, by id."""
        with self._lock:
            return self._properties.rows(block_ids)

    def _mask(self, filters: Filters) -> dict[str, NDArray[np.bool_]]:
        """Return which slots of each shard pass the filters; cached until something changes."""
        if filters not in self._masks:
            ids: dict[str, list[str]] = {part: [] for part in self._indexes}
            for id_ in self._properties.passing(filters):
                ids[self._partition_of[id_]].append(id_)
            masks = {part: np.zeros(index.n_slots, dtype=np.bool_) for part, index in self._indexes.items()}
            for part, mask in masks.items():
                mask[self._indexes[part].slots(ids[part])] = True
            self._masks.clear()
            self._masks[filters] = masks
        return self._masks[filters]


def _background(query: Vector, sample: Exact) -> Background:
    if len(sample) < ENOUGH:
        return Background()
    low, usual = np.percentile(sample.cosines_to(query), [LOW_END, 50])
    return Background(float(usual), max(0.0, float(low)))


def _parts_of(indexes: Mapping[str, ExactIndex]) -> dict[str, str]:
    """Return the part in which each block is."""
    each = (dict.fromkeys(index.places(), part) for part, index in indexes.items())
    parts = next(each, {})
    for others in each:
        parts |= others
    return parts


def _search_vector(row: VectorRow) -> Vector:
    assert row.text is not None  # a live row has its text's vector
    if row.context is None:
        return row.text
    mixed = row.text.astype(np.float64) + CONTEXT_WEIGHT * row.context.astype(np.float64)
    unit: Vector = (mixed / np.sqrt(np.sum(mixed * mixed))).astype(np.float32)
    return unit
