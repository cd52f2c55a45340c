"""The derived cache of all texts' vectors, in which the nearest of each are found exactly, and kept up to date."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from saidonce.foundation.model import MOST_NEAR, Listed, NearText, Vector, text_id
from saidonce.foundation.ports import Store, VectorRow
from saidonce.matching.vectors.blas import one_thread
from saidonce.matching.vectors.canonical import margin
from saidonce.matching.vectors.join import similarities

TILE = 1_024
AT_ONCE = 256
"""Texts whose nearest are looked for in one matrix product; with TILE rows it takes 1 MiB."""

_WAITS = 2.0
"""Above every cosine: a text that waits for its list is offered to nobody's."""

_Places = NDArray[np.intp]
_Part = tuple[_Places, _Places, Vector, NDArray[np.bool_]]


class NearTexts:
    """Vectors of the different texts of one model's live blocks, and how near a text must be to enter each list.

    Can be dropped at any time; for several threads, each of which holds `lock` while it works.
    """

    def __init__(self, model: str, dim: int) -> None:
        self.model = model
        self.lock = threading.RLock()
        self._dim = dim
        self._seen = 0
        self._text_of: dict[str, str] = {}
        self._n_blocks: Counter[str] = Counter()
        self._slots: dict[str, int] = {}
        self._names: list[str] = []
        self._free: list[int] = []
        self._rows: Vector = np.zeros((0, dim), dtype=np.float32)
        self._radii = np.zeros(0, dtype=np.float64)
        self._stand: tuple[int, float] | None = None

    def __contains__(self, name: str) -> bool:
        return name in self._slots

    @property
    def is_cold(self) -> bool:
        """Return whether no vector has been read yet."""
        return self._seen == 0

    def catch_up(self, store: Store) -> None:
        """Take in all changes of blocks since the last call."""
        for batch in store.changes(self.model, self._seen):
            for row in batch:
                self._change(row)

    def stand(
        self, step: int, waiting: Sequence[str], similarity_from: float, full: Callable[[], Mapping[str, float]]
    ) -> None:
        """Note which texts have their lists, and how near a text must be to enter one.

        Args:
            step: number of the last write of lists; what somebody else wrote is read anew.
            waiting: texts without a list.
            similarity_from: of the pairs that are listed.
            full: gives the similarity of the farthest text in each full list.
        """
        if self._stand != (step, similarity_from):
            self._radii[:] = similarity_from
            for name, farthest in full().items():
                if name in self._slots:
                    self._radii[self._slots[name]] = farthest
            self._stand = step, similarity_from
        self._radii[[self._slots[name] for name in waiting if name in self._slots]] = _WAITS

    def near(self, names: Sequence[str], similarity_from: float) -> list[NearText]:
        """Return the lists of some texts, and what these add to the lists of others, exactly.

        Costs one matrix product of all rows for each AT_ONCE texts.
        """
        pairs: list[NearText] = []
        for at in range(0, len(names), AT_ONCE):
            slots = np.array([self._slots[name] for name in names[at : at + AT_ONCE]], dtype=np.intp)
            with one_thread():
                parts = list(self._nominate(slots, similarity_from))
            first, second, products, offered = (np.concatenate(column) for column in zip(*parts, strict=True))
            chosen = _may_be_listed(first, products, 2 * margin(self._dim)) | offered
            first, second = first[chosen], second[chosen]
            pairs += self._settle(first, second, similarity_from)
        return pairs

    def written(self, owners: Sequence[str], listed: Listed, similarity_from: float) -> None:
        """Record that this cache's owner has written the neighbour lists of some texts."""
        self._radii[[self._slots[name] for name in owners]] = similarity_from
        for name, farthest in listed.full.items():
            if name in self._slots and self._radii[self._slots[name]] < _WAITS:
                self._radii[self._slots[name]] = farthest
        self._stand = listed.step, similarity_from

    def _nominate(self, slots: _Places, similarity_from: float) -> Iterator[_Part]:
        """Yield what may be near: places of texts and of rows, their products, and whether a row's list may take it."""
        spread = margin(self._dim)
        queries = self._rows[slots]
        lowest = np.full(len(slots), similarity_from - spread, dtype=np.float32)
        radii = np.nextafter((self._radii - spread).astype(np.float32), np.float32(-2))
        for at in range(0, len(self._names), TILE):
            end = min(at + TILE, len(self._names))
            products = queries @ self._rows[at:end].T
            hits = products >= lowest[:, None]
            if np.count_nonzero(hits) > 2 * MOST_NEAR * len(slots) and end - at > MOST_NEAR + 1:
                # At least so many rows of this tile, the text itself among them, are no less near than the last of
                # them less the margin.
                last = end - at - MOST_NEAR - 1
                np.maximum(lowest, np.partition(products, last, axis=1)[:, last] - np.float32(2 * spread), out=lowest)
                hits = products >= lowest[:, None]
            offered = products >= radii[None, at:end]
            which, places = np.divmod(np.flatnonzero(hits | offered), end - at)
            other = places + at != slots[which]
            which, places = which[other], places[other]
            yield slots[which], places + at, products[which, places], offered[which, places]

    def _settle(self, first: _Places, second: _Places, similarity_from: float) -> list[NearText]:
        exact = similarities(self._rows, first, second) if len(first) else np.zeros(0)
        lists: dict[int, list[tuple[float, str]]] = {}
        pairs = []
        for owner, other, similarity in zip(first.tolist(), second.tolist(), exact.tolist(), strict=True):
            if similarity >= similarity_from:
                lists.setdefault(owner, []).append((-similarity, self._names[other]))
            if self._radii[other] < _WAITS and similarity >= self._radii[other]:
                pairs.append(NearText(self._names[other], self._names[owner], similarity))
        for owner, entries in lists.items():
            nearest = sorted(entries)[:MOST_NEAR]
            pairs += [NearText(self._names[owner], name, -negative) for negative, name in nearest]
        return pairs

    def _change(self, row: VectorRow) -> None:
        self._seen = max(self._seen, row.rev)
        former = self._text_of.pop(row.block_id, None)
        if not row.gone:
            assert row.text is not None  # a live row has its text's vector
            name = self._text_of[row.block_id] = text_id(row.text_key, row.kind, row.language)
            self._n_blocks[name] += 1
            if name not in self._slots:
                self._add(name, row.text)
        if former is not None:
            self._n_blocks[former] -= 1
            if not self._n_blocks[former]:
                del self._n_blocks[former]
                self._remove(former)

    def _add(self, name: str, vector: Vector) -> None:
        if self._free:
            slot = self._free.pop()
            self._names[slot] = name
        else:
            slot = len(self._names)
            self._names.append(name)
        if slot >= len(self._rows):
            size = max(TILE, slot + 1, len(self._rows) * 3 // 2)
            self._rows = np.concatenate([self._rows, np.zeros((size - len(self._rows), self._dim), np.float32)])
            self._radii = np.concatenate([self._radii, np.full(size - len(self._radii), _WAITS)])
        self._slots[name] = slot
        self._rows[slot] = vector
        self._radii[slot] = _WAITS

    def _remove(self, name: str) -> None:
        slot = self._slots.pop(name)
        # A row of zeros is near nothing, since only similarities above zero are listed.
        self._rows[slot] = 0.0
        self._radii[slot] = _WAITS
        self._names[slot] = ""
        self._free.append(slot)


def _may_be_listed(first: _Places, products: Vector, spread: float) -> NDArray[np.bool_]:
    """Return which nominated rows may be among the MOST_NEAR of their text, by their float32 products."""
    if not len(first):
        return np.zeros(0, dtype=np.bool_)
    order = np.lexsort((-products, first))
    owners, near = first[order], products[order]
    starts = np.flatnonzero(np.concatenate([[True], owners[1:] != owners[:-1]]))
    lengths = np.diff(np.append(starts, len(owners)))
    floor = near[starts + np.minimum(lengths, MOST_NEAR) - 1] - np.float32(spread)
    may = np.empty(len(first), dtype=np.bool_)
    may[order] = near >= np.repeat(floor, lengths)
    return may
