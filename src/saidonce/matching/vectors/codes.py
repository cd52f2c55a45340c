"""Rows in few bytes, whose products bound those of the rows."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saidonce.foundation.model import Vector
from saidonce.matching.vectors.blas import one_thread
from saidonce.matching.vectors.canonical import UNIT_TOLERANCE
from saidonce.matching.vectors.sketch import ROUNDING, SAMPLE, principal_axes, shortened

_SLACK = 2.1 * UNIT_TOLERANCE + 5e-6
"""What the int8 bound adds for lengths that are not quite one and for its own float32 rounding."""

_SLAB = 4_096
N_THREADS = max(1, min(4, os.cpu_count() or 1))
"""Threads that share one scan of many codes, the calling one included."""

_SHARE = 1 << 22
"""Bytes that are worth a thread: handing them over takes as long as reading a tenth of them."""

_kernels: Any = import_module("simsimd") if find_spec("simsimd") else None

Places = NDArray[np.intp]


def has_kernels() -> bool:
    """Return whether kernels for products of one-byte numbers are installed."""
    return _kernels is not None


class Codes:
    """Rows of length one at most in one byte a number, with error bounds of their products.

    For a query q and a row x with codes q' and x': |q.x - q'.x'| <= |q| |x - x'| + |q - q'| |x'|
    and |x'| <= |x| + |x - x'|.
    """

    def __init__(self, dim: int) -> None:
        self._codes = np.zeros((0, dim), dtype=np.int8)
        self._scales = np.zeros(0, dtype=np.float32)
        self._errors = np.zeros(0, dtype=np.float32)

    def grow(self, size: int) -> None:
        """Make room for so many rows."""
        self._codes = grown(self._codes, size)
        self._scales = grown(self._scales, size)
        self._errors = grown(self._errors, size)

    def arrays(self) -> tuple[NDArray[np.int8], NDArray[np.float32], NDArray[np.float32]]:
        """Return codes, shape (n, dim), the value of one step, and the length of the rest outside the codes."""
        return self._codes, self._scales, self._errors

    def replace(self, codes: NDArray[np.int8], scales: NDArray[np.float32], errors: NDArray[np.float32]) -> None:
        """Go on with arrays of another one, also memory-mapped."""
        self._codes, self._scales, self._errors = codes, scales, errors

    def put(self, slots: Places, rows: Vector) -> NDArray[np.float32]:
        """Store rows, shape (n, dim) float32, in their slots; return the lengths of the rest outside the codes."""
        self._codes[slots], self._scales[slots], errors = _coded(rows)
        self._errors[slots] = errors
        return errors

    def products(self, query: Vector, chosen: slice | Places) -> tuple[NDArray[np.float32], float]:
        """Return estimates of the products of a query and chosen rows, and the length of the query's rest."""
        codes, scales, errors = _coded(query[None, :])
        estimates = _dots(codes, self._codes[chosen])
        estimates *= self._scales[chosen]
        estimates *= scales[0]
        return estimates, float(errors[0])

    def bounds(self, query: Vector, chosen: slice | Places) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return estimates of the products of a query and chosen rows, and an error bound of each."""
        middle, error = self.products(query, chosen)
        spread = self._errors[chosen] * np.float32(1.0 + error)
        spread += np.float32(error + _SLACK)
        return middle, spread


class Leading:
    """The leading coordinates of rows along the axes on which they vary most, and the length of all that is left.

    By Cauchy and Schwarz the product of the rests is at most the product of their lengths, so that few numbers of a
    row bound its product with a query from above. The choice of axes decides how many rows the bound lets through,
    never which are near.

    Args:
        rows: shape (n, dim) float32, unit rows; they determine the axes, and fill the first n slots.
        n_axes: leading coordinates of each row.
    """

    def __init__(self, rows: Vector, n_axes: int) -> None:
        with one_thread():
            self._axes = principal_axes(rows[:: max(1, len(rows) // SAMPLE)], n_axes)
        self._codes = Codes(n_axes)
        self._beside = np.zeros((2, 0), dtype=np.float32)
        """Of each row the length of what the codes leave out, and of all that is left behind the leading coordinates.

        Side by side, for one product with two numbers takes as long as half of a sum."""
        self.n_at_first = len(rows)
        self.grow(len(rows))
        for at in range(0, len(rows), _SLAB):
            slab = rows[at : at + _SLAB]
            self.put(np.arange(at, at + len(slab)), slab)

    def grow(self, size: int) -> None:
        """Make room for so many rows."""
        self._codes.grow(size)
        self._beside = np.ascontiguousarray(grown(self._beside.T, size).T)

    def put(self, slots: Places, rows: Vector) -> None:
        """Store rows, shape (n, dim) float32, in their slots."""
        with one_thread():
            leading, rests = self._cut(rows)
        self._beside[0, slots] = self._codes.put(slots, leading)
        self._beside[1, slots] = rests

    def upper(self, query: Vector, n: int) -> NDArray[np.float32]:
        """Bound the canonical similarity of a query and each of the first n rows from above."""
        leading, rests = self._cut(query[None, :])
        bound, error = self._codes.products(leading[0], slice(0, n))
        bound += np.array([1.0 + error, rests[0]], dtype=np.float32) @ self._beside[:, :n]
        bound += np.float32(error + _SLACK + 4 * ROUNDING)
        return bound

    def _cut(self, rows: Vector) -> tuple[Vector, Vector]:
        short = shortened(rows.astype(np.float64), self._axes)
        return short[:, :-1], short[:, -1]


def _dots(query: NDArray[np.int8], rows: NDArray[np.int8]) -> NDArray[np.float32]:
    """Return the products of one row of codes, shape (1, dim), and many; equal for any number of threads."""
    n_parts = min(N_THREADS, max(1, rows.size // _SHARE))
    ends = [len(rows) * part // n_parts for part in range(n_parts + 1)]
    parts = [rows[at:end] for at, end in pairwise(ends)]
    others = [_threads(os.getpid()).submit(_dots_of, query, part) for part in parts[1:]]
    first = _dots_of(query, parts[0])
    return np.concatenate([first, *(other.result() for other in others)]) if others else first


def _dots_of(query: NDArray[np.int8], rows: NDArray[np.int8]) -> NDArray[np.float32]:
    dots = _kernels.cdist(query, rows, metric="dot", out_dtype="float32")
    return np.asarray(dots, dtype=np.float32).reshape(len(rows))


@lru_cache(maxsize=1)
def _threads(_pid: int) -> ThreadPoolExecutor:
    """Return the thread pool of this process; a forked process starts its own."""
    return ThreadPoolExecutor(max(1, N_THREADS - 1), thread_name_prefix="saidonce-search")


def _coded(rows: Vector) -> tuple[NDArray[np.int8], NDArray[np.float32], NDArray[np.float32]]:
    """Return codes -127..127, the value of one step, and an upper bound of the length of the rest outside the codes."""
    scales = np.maximum(np.abs(rows).max(axis=1), np.float32(1e-30)) / np.float32(127)
    codes = np.rint(rows / scales[:, None])
    rest = rows - codes * scales[:, None]
    errors = np.sqrt(np.einsum("ij,ij->i", rest, rest)) * np.float32(1.001) + np.float32(1e-6)
    return codes.astype(np.int8), scales, errors


def grown(old: NDArray[Any], size: int) -> NDArray[Any]:
    """Return an array with room for `size` rows, the new ones zero."""
    new = np.zeros((size, *old.shape[1:]), dtype=old.dtype)
    new[: len(old)] = old
    return new
