"""Exact nearest neighbours: a derived cache over vectors that come and go."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from saidonce.errors import UsageError
from saidonce.foundation.model import Vector
from saidonce.matching.vectors.blas import one_thread
from saidonce.matching.vectors.canonical import canonical_cosines, margin, unit
from saidonce.matching.vectors.codes import Codes, Leading, Places, grown, has_kernels

TILE = 1024
"""Rows in one matrix product of a batch; with 256 queries it takes 1 MiB and stays in the cache."""

QUERY_TILE = 256
FEW_QUERIES = 8
"""A batch of fewer queries is searched one by one, over the codes."""

_LEAST_ROWS = 4
"""Rows that there is room for at first; many partitions of a gate hold one or two."""

N_LEADING = 160
"""Leading coordinates that bound a row first. Source: measured on 100,000 sentences: 19 of 20 searches for the five
nearest let less than 3 of 100 rows through, and with 128 coordinates 18 of 100."""

LEAST_TO_LEAD = 16_384
"""Rows from which the leading coordinates are looked at first; with fewer it saves nothing."""

MOST_TO_LEAD = 16
"""Nearest rows, at most; the bound of a later one lets too many rows through."""

_GROWTH = 4
"""The axes are looked for again when there are so many times as many rows."""

_TRIED = 32
"""Rows of high bounds that are compared first; the k-th nearest of them bounds all that follows."""

_STRIDE = 256

_COLUMNS = 8
_ROOMY = 64
"""Columns for each row that is looked for, whose highest is tried: few of those looked for share one. Fewer rows than
so many for each are sorted."""

_FEW = 4
"""The leading coordinates have helped if they let less than one row in so many through."""

_PASSED = 14
"""Searches, at most, that do without them after several in a row that they did not help: none after the first one,
two after the second, then six. Single queries that are near to nothing say nothing about the next one."""

_PIECE = 1 << 20
"""Bytes of a column that are copied at once."""

LEAST_ASKED = 8
"""Searches after which the leading coordinates are looked for: that reads every row, and takes as long as some scans.
Most processes search once."""

_NOWHERE = -2.0
"""Below every cosine."""

_Mask = NDArray[np.bool_]
_Hit = tuple[str, float]


@dataclass(frozen=True, slots=True)
class Column:
    """Some rows of an array, and room for more behind them; read piece by piece, so that nobody holds them twice."""

    array: NDArray[Any]
    slots: Places
    room: int

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of all rows with the room."""
        return (len(self.slots) + self.room, *self.array.shape[1:])

    def pieces(self) -> Iterator[NDArray[Any]]:
        """Yield the rows in order, then zeros for the room, about a mebibyte each."""
        row = self.array[:1]
        most = max(1, _PIECE // max(1, row.nbytes))
        for at in range(0, len(self.slots), most):
            yield self.array[self.slots[at : at + most]]
        for at in range(0, self.room, most):
            yield np.zeros((min(most, self.room - at), *self.array.shape[1:]), dtype=self.array.dtype)


class ExactIndex:
    """Rows by id, searched exactly by canonical similarity; every answer equals that of a full scan.

    Similarities are bounded first (over int8 codes, or by float32 products), rows that the bound
    cannot rule out are compared in float32, and those still possible by the canonical cosine.

    Every row has a slot, a small number that stays its own until it is removed; a later row may
    then get it. Masks and a caller's own data are indexed by slot. Not for
    several threads at once if one of them changes rows.
    """

    def __init__(self, dim: int) -> None:
        self._dim = dim
        self._n_slots = 0
        self._free: list[int] = []
        self._ids: list[str] = []
        self._slots: dict[str, int] = {}
        self._live: _Mask = np.zeros(0, dtype=np.bool_)
        self._rows: Vector = np.zeros((0, dim), dtype=np.float32)
        self._codes = Codes(dim) if has_kernels() else None
        self._leading: Leading | None = None
        self._n_to_pass = 0
        self._n_missed = 0
        self._n_asked = 0

    def reserve(self, n: int) -> None:
        """Make room for so many rows at once, so that adding them copies none; memory is taken as they come."""
        if n > len(self._rows):
            self._grow(n)

    def columns(self, room: int) -> tuple[list[str], dict[str, Column]]:
        """Return all ids and, in their order, what `restored` takes, with room for so many more rows."""
        slots = np.flatnonzero(self._live[: self._n_slots])
        held: dict[str, NDArray[Any]] = {"rows": self._rows}
        if self._codes:
            held["codes"], held["scales"], held["errors"] = self._codes.arrays()
        columns = {name: Column(array, slots, room) for name, array in held.items()}
        return [self._ids[slot] for slot in slots.tolist()], columns

    @classmethod
    def restored(cls, dim: int, ids: list[str], columns: Mapping[str, NDArray[Any]]) -> Self:
        """Return an index of what `columns` gave, without copying: writable arrays, also memory-mapped ones.

        Raises:
            UsageError: the arrays do not fit each other, or a kernel's codes are missing.
        """
        index = cls(dim)
        n, size = len(ids), len(columns["rows"])
        shapes = {"rows": (size, dim), "codes": (size, dim), "scales": (size,), "errors": (size,)}
        if n > size or any(name in columns and columns[name].shape != shape for name, shape in shapes.items()):
            raise UsageError("saved rows do not fit their ids or each other")
        if index._codes:
            if "codes" not in columns:
                raise UsageError("saved rows have no codes")
            index._codes.replace(columns["codes"], columns["scales"], columns["errors"])
        index._rows = columns["rows"]
        index._ids, index._n_slots = ids, n
        index._slots = dict(zip(ids, range(n), strict=True))
        index._live = np.zeros(size, dtype=np.bool_)
        index._live[:n] = True
        return index

    def __len__(self) -> int:
        return len(self._slots)

    def __contains__(self, id: str) -> bool:
        return id in self._slots

    @property
    def n_slots(self) -> int:
        """One more than the highest slot ever used: the length of a mask."""
        return self._n_slots

    def ids(self) -> list[str]:
        """Return the ids of all rows."""
        return list(self._slots)

    def places(self) -> dict[str, int]:
        """Return the slots of all rows by id, as a dictionary of the caller's own."""
        return self._slots.copy()

    def slots(self, ids: Sequence[str]) -> Places:
        """Return the slots of rows.

        Raises:
            KeyError: an id has no row.
        """
        return np.array([self._slots[id] for id in ids], dtype=np.intp)

    def vectors(self, ids: Sequence[str]) -> Vector:
        """Return rows, shape (n, dim) float32.

        Raises:
            KeyError: an id has no row.
        """
        return self._rows[self.slots(ids)]

    def add(self, ids: Sequence[str], vectors: Vector) -> Places:
        """Add rows, or replace those of known ids; return their slots.

        Args:
            vectors: shape (n, dim) float32, unit rows.

        Raises:
            UsageError: a row does not have length one or is not finite, an id stands twice, or
                there are not as many ids as rows.
        """
        if not len(ids):
            return np.zeros(0, dtype=np.intp)
        rows = unit(vectors, self._dim)
        if len(ids) != len(rows) or len(set(ids)) != len(ids):
            raise UsageError(f"{len(rows)} rows need as many different ids, not {len(set(ids))} in {len(ids)}")
        slots = np.array([self._slots[id] if id in self._slots else self._claim(id) for id in ids], dtype=np.intp)
        self._reserve()
        self._rows[slots] = rows
        self._live[slots] = True
        for short in (self._codes, self._leading):
            if short:
                short.put(slots, rows)
        return slots

    def remove(self, ids: Sequence[str]) -> None:
        """Remove rows; ids without one are passed over."""
        for id in ids:
            slot = self._slots.pop(id, None)
            if slot is not None:
                self._live[slot] = False
                self._free.append(slot)

    def nearest(self, query: Vector, k: int, threshold: float | None = None, mask: _Mask | None = None) -> list[_Hit]:
        """Return the k rows most similar to a query as (id, similarity), nearest first, ties by id.

        Args:
            query: shape (dim,) float32, a unit vector.
            threshold: rows below this canonical similarity are left out.
            mask: shape (n_slots,), true where a row may be returned; None allows all.

        Raises:
            UsageError: the query does not have length one or is not finite, or the mask's shape is wrong.
        """
        return self._nearest(unit(query[None, :], self._dim)[0], k, threshold, self._allowed(mask))

    def _nearest(self, checked: Vector, k: int, threshold: float | None, allowed: _Mask | None) -> list[_Hit]:
        """Return what `nearest` does for a query that is checked already."""
        if k < 1 or not len(self):
            return []
        floor = _NOWHERE if threshold is None else threshold
        with one_thread():
            slots = self._nominated(checked, k, floor, allowed)
            near = self._rows[slots] @ checked
        return self._settled(checked, slots, near, k, floor)

    def above(self, query: Vector, threshold: float, mask: _Mask | None = None) -> list[_Hit]:
        """Return every row at or above a similarity, nearest first, ties by id; see `nearest`."""
        return self.nearest(query, max(1, len(self)), threshold, mask)

    def nearest_batch(
        self, queries: Vector, k: int, threshold: float | None = None, mask: _Mask | None = None
    ) -> list[list[_Hit]]:
        """Answer many queries, shape (m, dim) float32, at once: for each the same as `nearest`.

        Raises:
            UsageError: a query does not have length one or is not finite, or the mask's shape is wrong.
        """
        checked = unit(queries, self._dim)
        allowed = self._allowed(mask)
        if len(checked) < FEW_QUERIES or k < 1 or not len(self):
            return [self._nearest(query, k, threshold, allowed) for query in checked]
        floor = _NOWHERE if threshold is None else threshold
        hits: list[list[_Hit]] = []
        for at in range(0, len(checked), QUERY_TILE):
            block = checked[at : at + QUERY_TILE]
            with one_thread():
                nominated = self._nominated_by_tiles(block, k, floor, allowed)
            for query, (slots, near) in zip(block, nominated, strict=True):
                hits.append(self._settled(query, slots, near, k, floor))
        return hits

    def _claim(self, id: str) -> int:
        if self._free:
            slot = self._free.pop()
            self._ids[slot] = id
        else:
            slot = self._n_slots
            self._n_slots += 1
            self._ids.append(id)
        self._slots[id] = slot
        return slot

    def _reserve(self) -> None:
        if self._n_slots <= len(self._rows):
            return
        self._grow(max(_LEAST_ROWS, self._n_slots, len(self._rows) * 3 // 2))

    def _grow(self, size: int) -> None:
        self._rows = grown(self._rows, size)
        self._live = grown(self._live, size)
        for short in (self._codes, self._leading):
            if short:
                short.grow(size)

    def _allowed(self, mask: _Mask | None) -> _Mask | None:
        """Return the slots to search, or None for all."""
        if mask is None:
            return self._live[: self._n_slots] if self._free else None
        if mask.shape != (self._n_slots,):
            raise UsageError(f"a mask of shape {mask.shape} does not fit {self._n_slots} slots")
        return mask & self._live[: self._n_slots]

    def _nominated(self, query: Vector, k: int, floor: float, allowed: _Mask | None) -> Places:
        """Return the slots that may be among the k nearest: a proven superset, ties included."""
        if allowed is not None and np.count_nonzero(allowed) * 8 < self._n_slots:
            return np.flatnonzero(allowed)
        if k <= MOST_TO_LEAD and (slots := self._led(query, k, floor, allowed)) is not None:
            return slots
        if self._codes:
            middle, spread = self._codes.bounds(query, slice(0, self._n_slots))
        else:
            middle = self._rows[: self._n_slots] @ query
            spread = np.full_like(middle, margin(self._dim))
        if allowed is not None:
            middle[~allowed] = -np.inf
        floor = max(floor, self._reached(query, k, middle, spread))
        return np.flatnonzero(middle + spread >= floor)

    def _reached(self, query: Vector, k: int, middle: Vector, spread: Vector) -> float:
        """Return a similarity that at least k rows reach, as near to the highest such as is found quickly.

        Args:
            middle: estimated products of the query and each row, -inf for a row that is left out.
            spread: how far they may be off.
        """
        if len(middle) < k * _ROOMY:
            return _kth_highest(middle - spread, k) if len(middle) > k else _NOWHERE
        tried = _high(middle, k, k * _COLUMNS)
        near = self._rows[tried[middle[tried] > _NOWHERE]] @ query
        return float(near.min()) - margin(self._dim) if len(near) == k else _NOWHERE

    def _led(self, query: Vector, k: int, floor: float, allowed: _Mask | None) -> Places | None:
        """Nominate by the leading coordinates first; None if they let too many rows through, or are not available."""
        n = self._n_slots
        if self._codes is None or n < LEAST_TO_LEAD or self._dim <= N_LEADING:
            return None
        self._n_asked += 1
        if self._n_to_pass or self._n_asked <= LEAST_ASKED:
            self._n_to_pass = max(0, self._n_to_pass - 1)
            return None
        if self._leading is None or n >= _GROWTH * self._leading.n_at_first:
            leading = Leading(self._rows[:n], N_LEADING)
            leading.grow(len(self._rows))
            self._leading = leading
        upper = self._leading.upper(query, n)
        if allowed is not None:
            upper[~allowed] = -np.inf
        tried = _high(upper)
        near = self._rows[tried[upper[tried] > _NOWHERE]] @ query
        if len(near) >= k:
            floor = max(floor, _kth_highest(near, k) - margin(self._dim))
        slots = np.flatnonzero(upper >= floor)
        if len(slots) * _FEW > n:
            self._n_missed += 1
            self._n_to_pass = min(_PASSED, 2**self._n_missed - 2)
            return None
        self._n_missed = 0
        if len(slots) <= _STRIDE:
            return slots
        middle, spread = self._codes.bounds(query, slots)
        return slots[middle + spread >= floor]

    def _nominated_by_tiles(
        self, queries: Vector, k: int, floor: float, allowed: _Mask | None
    ) -> list[tuple[Places, Vector]]:
        """Return for each query the slots that may be among its k nearest, with their float32 products."""
        m, buffer = len(queries), np.empty(len(queries) * TILE, dtype=np.float32)
        lowest = np.full(m, floor - margin(self._dim), dtype=np.float32)
        parts: list[tuple[Places, Places, Vector]] = []
        chosen = None if allowed is None else np.flatnonzero(allowed)
        n = self._n_slots if chosen is None else len(chosen)
        for at in range(0, n, TILE):
            end = min(at + TILE, n)
            rows = self._rows[at:end] if chosen is None else self._gathered(chosen[at:end])
            products = np.matmul(queries, rows.T, out=buffer[: m * len(rows)].reshape(m, len(rows)))
            hits = products >= lowest[:, None]
            if np.count_nonzero(hits) > 2 * k * m and len(rows) >= k:
                # At least k rows of this tile are no less similar than its k-th highest product less the margin.
                kth = np.partition(products, len(rows) - k, axis=1)[:, len(rows) - k]
                lowest = np.maximum(lowest, kth - np.float32(2 * margin(self._dim)))
                hits = products >= lowest[:, None]
            flat = np.flatnonzero(hits)
            whose, places = np.divmod(flat, len(rows))
            parts.append((whose, places + at, products.ravel()[flat]))
        if not parts:
            return [(np.zeros(0, np.intp), np.zeros(0, np.float32))] * m
        whose, places, near = (np.concatenate(column) for column in zip(*parts, strict=True))
        slots = places if chosen is None else chosen[places]
        order = np.argsort(whose, kind="stable")
        ends = np.searchsorted(whose[order], np.arange(m + 1))
        return [(slots[order[start:end]], near[order[start:end]]) for start, end in pairwise(ends)]

    def _gathered(self, slots: Places) -> Vector:
        """Return rows by ascending slots, without copying them if no slot is left out."""
        first, last = int(slots[0]), int(slots[-1])
        whole = last - first == len(slots) - 1
        return self._rows[first : last + 1] if whole else self._rows[slots]

    def _settled(self, query: Vector, slots: Places, near: Vector, k: int, floor: float) -> list[_Hit]:
        """Return the k nearest of nominated slots by canonical similarity; `near` has their float32 products."""
        lowest = floor - margin(self._dim)
        if len(near) > k:
            lowest = max(lowest, _kth_highest(near, k) - 2 * margin(self._dim))
        possible = slots[near >= lowest]
        similar = canonical_cosines(query, self._rows[possible])
        hits = [
            (-similarity, self._ids[slot])
            for slot, similarity in zip(possible.tolist(), similar.tolist(), strict=True)
            if similarity >= floor
        ]
        return [(id, -negative) for negative, id in sorted(hits)[:k]]


def _high(numbers: NDArray[np.float32], n: int = _TRIED, n_columns: int = _STRIDE) -> Places:
    """Return places of n of the highest numbers, in a tenth of the time of sorting: the highest of each column.

    The numbers are laid out in rows of so many; what is left over behind the last whole row is not looked at.
    """
    rounds = numbers[: len(numbers) // n_columns * n_columns].reshape(-1, n_columns)
    chosen = np.argpartition(rounds.max(axis=0), n_columns - n)[n_columns - n :]
    highest: Places = rounds[:, chosen].argmax(axis=0) * n_columns + chosen
    return highest


def _kth_highest(numbers: NDArray[np.float32], k: int) -> float:
    return float(np.partition(numbers, len(numbers) - k)[len(numbers) - k])
