"""Exact nearest rows: a derived cache over vectors that come and go."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saidonce.errors import UsageError
from saidonce.model import Vector
from saidonce.vectors.blas import one_thread
from saidonce.vectors.canonical import UNIT_TOLERANCE, canonical_cosines, margin, unit

TILE = 1024
"""Rows in one matrix product of a batch; with 256 queries it takes 1 MiB and stays in the cache."""

QUERY_TILE = 256
FEW_QUERIES = 8
"""A batch of fewer queries is searched one by one, over the codes."""

_LEAST_ROWS = 1024
_SLACK = 2.1 * UNIT_TOLERANCE + 5e-6
"""What the int8 bound adds for lengths that are not quite one and for its own float32 rounding."""

_NOWHERE = -2.0
"""Below every cosine."""

_kernels: Any = import_module("simsimd") if find_spec("simsimd") else None

_Places = NDArray[np.intp]
_Mask = NDArray[np.bool_]
_Hit = tuple[str, float]


class ExactIndex:
    """Rows by id, searched exactly by canonical similarity; every answer equals that of a full scan.

    Similarities are bounded first (over int8 codes, or by float32 products), rows that the bound
    cannot rule out are compared in float32, and those still possible by the canonical cosine.

    Every row has a slot, a small number that stays its own until it is removed; a later row may
    then get it. Masks and whatever a caller keeps beside the rows are indexed by slot. Not for
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
        self._codes = _Codes(dim) if _kernels else None

    def __len__(self) -> int:
        return len(self._slots)

    def __contains__(self, id: str) -> bool:
        return id in self._slots

    @property
    def n_slots(self) -> int:
        """One more than the highest slot ever given: the length of a mask."""
        return self._n_slots

    def slots(self, ids: Sequence[str]) -> _Places:
        """Give the slots of rows.

        Raises:
            KeyError: an id has no row.
        """
        return np.array([self._slots[id] for id in ids], dtype=np.intp)

    def vectors(self, ids: Sequence[str]) -> Vector:
        """Give rows, shape (n, dim) float32.

        Raises:
            KeyError: an id has no row.
        """
        return self._rows[self.slots(ids)]

    def add(self, ids: Sequence[str], vectors: Vector) -> _Places:
        """Add rows, or replace those whose id is known; give their slots.

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
        if self._codes:
            self._codes.put(slots, rows)
        return slots

    def remove(self, ids: Sequence[str]) -> None:
        """Remove rows; ids without one are passed over."""
        for id in ids:
            slot = self._slots.pop(id, None)
            if slot is not None:
                self._live[slot] = False
                self._free.append(slot)

    def nearest(self, query: Vector, k: int, threshold: float | None = None, mask: _Mask | None = None) -> list[_Hit]:
        """Give the k rows most similar to a query as (id, similarity), nearest first, ties by id.

        Args:
            query: shape (dim,) float32, a unit vector.
            threshold: rows below this canonical similarity are left out.
            mask: shape (n_slots,), true where a row may be given; None allows all.

        Raises:
            UsageError: the query does not have length one or is not finite, or the mask's shape is wrong.
        """
        wanted = unit(query[None, :], self._dim)[0]
        allowed = self._allowed(mask)
        if k < 1 or not len(self):
            return []
        floor = _NOWHERE if threshold is None else threshold
        with one_thread():
            slots = self._nominated(wanted, k, floor, allowed)
            near = self._rows[slots] @ wanted
        return self._settled(wanted, slots, near, k, floor)

    def above(self, query: Vector, threshold: float, mask: _Mask | None = None) -> list[_Hit]:
        """Give every row at or above a similarity, nearest first, ties by id; see `nearest`."""
        return self.nearest(query, max(1, len(self)), threshold, mask)

    def nearest_batch(
        self, queries: Vector, k: int, threshold: float | None = None, mask: _Mask | None = None
    ) -> list[list[_Hit]]:
        """Answer many queries, shape (m, dim) float32, at once: for each what `nearest` gives.

        Raises:
            UsageError: a query does not have length one or is not finite, or the mask's shape is wrong.
        """
        wanted = unit(queries, self._dim)
        allowed = self._allowed(mask)
        if len(wanted) < FEW_QUERIES or k < 1 or not len(self):
            return [self.nearest(query, k, threshold, mask) for query in wanted]
        floor = _NOWHERE if threshold is None else threshold
        hits: list[list[_Hit]] = []
        for at in range(0, len(wanted), QUERY_TILE):
            block = wanted[at : at + QUERY_TILE]
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
        size = max(_LEAST_ROWS, self._n_slots, len(self._rows) * 3 // 2)
        self._rows = _grown(self._rows, size)
        self._live = _grown(self._live, size)
        if self._codes:
            self._codes.grow(size)

    def _allowed(self, mask: _Mask | None) -> _Mask | None:
        """Slots that may be given, or None if all may."""
        if mask is None:
            return self._live[: self._n_slots] if self._free else None
        if mask.shape != (self._n_slots,):
            raise UsageError(f"a mask of shape {mask.shape} does not fit {self._n_slots} slots")
        return mask & self._live[: self._n_slots]

    def _nominated(self, query: Vector, k: int, floor: float, allowed: _Mask | None) -> _Places:
        """Slots that may be among the k nearest: a proven superset, ties included."""
        if allowed is not None and np.count_nonzero(allowed) * 8 < self._n_slots:
            return np.flatnonzero(allowed)
        if self._codes:
            middle, spread = self._codes.bounds(query, self._n_slots)
        else:
            middle = self._rows[: self._n_slots] @ query
            spread = np.full_like(middle, margin(self._dim))
        if allowed is not None:
            middle[~allowed] = -np.inf
        upper = middle + spread
        if np.count_nonzero(upper >= floor) > k:
            # At least k rows are no less similar than the k-th highest lower bound.
            floor = max(floor, _kth_highest(middle - spread, k))
        return np.flatnonzero(upper >= floor)

    def _nominated_by_tiles(
        self, queries: Vector, k: int, floor: float, allowed: _Mask | None
    ) -> list[tuple[_Places, Vector]]:
        """For each query the slots that may be among its k nearest, with their float32 products."""
        m, buffer = len(queries), np.empty(len(queries) * TILE, dtype=np.float32)
        lowest = np.full(m, floor - margin(self._dim), dtype=np.float32)
        found: list[tuple[_Places, _Places, Vector]] = []
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
            found.append((whose, places + at, products.ravel()[flat]))
        if not found:
            return [(np.zeros(0, np.intp), np.zeros(0, np.float32))] * m
        whose, places, near = (np.concatenate(parts) for parts in zip(*found, strict=True))
        slots = places if chosen is None else chosen[places]
        order = np.argsort(whose, kind="stable")
        ends = np.searchsorted(whose[order], np.arange(m + 1))
        return [(slots[order[start:end]], near[order[start:end]]) for start, end in pairwise(ends)]

    def _gathered(self, slots: _Places) -> Vector:
        """Give rows by ascending slots, without copying them if no slot is left out."""
        first, last = int(slots[0]), int(slots[-1])
        whole = last - first == len(slots) - 1
        return self._rows[first : last + 1] if whole else self._rows[slots]

    def _settled(self, query: Vector, slots: _Places, near: Vector, k: int, floor: float) -> list[_Hit]:
        """Give the k nearest of nominated slots by canonical similarity; `near` has their float32 products."""
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


class _Codes:
    """Rows in one byte a number, with what is needed to bound the error of their products.

    For a query q and a row x with codes q' and x': |q.x - q'.x'| <= |q| |x - x'| + |q - q'| |x'|
    and |x'| <= |x| + |x - x'|.
    """

    def __init__(self, dim: int) -> None:
        self._codes = np.zeros((0, dim), dtype=np.int8)
        self._scales = np.zeros(0, dtype=np.float32)
        self._errors = np.zeros(0, dtype=np.float32)

    def grow(self, size: int) -> None:
        self._codes = _grown(self._codes, size)
        self._scales = _grown(self._scales, size)
        self._errors = _grown(self._errors, size)

    def put(self, slots: _Places, rows: Vector) -> None:
        self._codes[slots], self._scales[slots], self._errors[slots] = _coded(rows)

    def bounds(self, query: Vector, n: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Estimates of the canonical similarity of the first n rows, and how far off each may be."""
        codes, scales, errors = _coded(query[None, :])
        dots = _kernels.cdist(codes, self._codes[:n], metric="dot", out_dtype="float32")
        middle = np.asarray(dots, dtype=np.float32).reshape(n) * self._scales[:n]
        middle *= scales[0]
        spread = self._errors[:n] * (1.0 + errors[0])
        spread += errors[0] + np.float32(_SLACK)
        return middle, spread


def _coded(rows: Vector) -> tuple[NDArray[np.int8], NDArray[np.float32], NDArray[np.float32]]:
    """Codes -127..127, what one step is worth, and an upper bound of the length of what the codes leave out."""
    scales = np.abs(rows).max(axis=1) / np.float32(127)
    codes = np.rint(rows / scales[:, None])
    rest = rows - codes * scales[:, None]
    errors = np.sqrt(np.einsum("ij,ij->i", rest, rest)) * np.float32(1.001) + np.float32(1e-6)
    return codes.astype(np.int8), scales, errors


def _kth_highest(numbers: NDArray[np.float32], k: int) -> float:
    return float(np.partition(numbers, len(numbers) - k)[len(numbers) - k])


def _grown(old: NDArray[Any], size: int) -> NDArray[Any]:
    new = np.zeros((size, *old.shape[1:]), dtype=old.dtype)
    new[: len(old)] = old
    return new
