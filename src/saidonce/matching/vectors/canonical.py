"""The canonical cosine: the one similarity for thresholds and storage.

Products of two float32 numbers are exact in float64, so the correctly rounded sum of products
depends on the two vectors only: not on the processor, the order or the batch.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product

import numpy as np
from numpy.typing import NDArray

from saidonce.errors import UsageError
from saidonce.foundation.model import Vector

UNIT_TOLERANCE = 1e-5
"""How far the length of a unit row may be from one; rows normalised in float32 stay below 1e-6."""

_FLOAT32_ROUNDING = 2.0**-24
_PAIRS_AT_ONCE = 256
_SLAB = 8_192
_FEW = 8
_N_SLICES = 3
_MORE = 1.0 + 2.0**-40
"""Covers the rounding of a bound's own sum."""


def canonical_cosine(a: Vector, b: Vector) -> float:
    """Return the cosine of two vectors, -1..1: correctly rounded sums over the root of the product of two such sums.

    Symmetric, the same under every common permutation of both vectors, exactly 1.0 for a vector
    and itself, and 0.0 if one of them has no length. The vectors need not have length one.

    Raises:
        UsageError: a vector is not finite, or the two differ in shape.
    """
    if a.shape != b.shape or a.ndim != 1:
        raise UsageError(f"vectors of shapes {a.shape} and {b.shape} have no cosine")
    wide_a, wide_b = a.astype(np.float64), b.astype(np.float64)
    squared = math.fsum((wide_a * wide_a).tolist()) * math.fsum((wide_b * wide_b).tolist())
    if not math.isfinite(squared):
        raise UsageError("a vector is not finite")
    if squared == 0.0:
        return 0.0
    cosine = math.fsum((wide_a * wide_b).tolist()) / math.sqrt(squared)
    return min(1.0, max(-1.0, cosine))


def canonical_cosines(a: Vector, rows: Vector) -> NDArray[np.float64]:
    """Return the cosines of one vector, shape (dim,), and each row, shape (n, dim): the bits of `canonical_cosine`.

    Raises:
        UsageError: a vector is not finite, or dimensions differ.
    """
    if a.ndim != 1 or rows.ndim != 2 or a.shape[0] != rows.shape[1]:
        raise UsageError(f"a vector of shape {a.shape} and rows of shape {rows.shape} have no cosines")
    if len(rows) <= _FEW:
        return _cosines_of_few(a.astype(np.float64), rows.astype(np.float64))
    exact = Exact(np.concatenate([a[None, :], rows]))
    places = np.arange(1, len(rows) + 1)
    return exact.cosines(np.zeros_like(places), places)


def _cosines_of_few(a: NDArray[np.float64], rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Compute the cosines number by number, which is faster for a few rows than slicing them."""
    of_a = math.fsum((a * a).tolist())
    squared = [of_a * math.fsum(numbers) for numbers in (rows * rows).tolist()]
    if not all(map(math.isfinite, squared)):
        raise UsageError("a vector is not finite")
    sums = map(math.fsum, (rows * a).tolist())
    cosines = (dot / math.sqrt(both) if both else 0.0 for dot, both in zip(sums, squared, strict=True))
    return np.array([min(1.0, max(-1.0, cosine)) for cosine in cosines])


class Exact:
    """Rows cut into slices whose dot products have no rounding error, for many cosines at once.

    A row is a power of two times (first + second / 2^bits + third / 4^bits) with whole numbers of
    at most `bits` bits, few enough for the dot products of slices that stand at one power to stay
    below 2^53 together. Such sums are exact in any order, so any kernel may compute them; only the
    sum of the powers is rounded, once. What three slices leave out of a row is bounded; a pair whose
    sum it might round another way is summed number by number.

    Source: Ozaki et al., "Error-free transformations of matrix multiplication" (2012).
    """

    def __init__(self, rows: Vector) -> None:
        """Slice rows, shape (n, dim) float32.

        Raises:
            UsageError: a row is not finite.
        """
        peaks = np.abs(rows).max(axis=1, initial=0.0)
        if not np.isfinite(peaks).all():
            raise UsageError("a vector is not finite")
        self._rows = rows
        self._bits = (52 - max(1, rows.shape[1]).bit_length()) // 2
        self._exponents = np.frexp(peaks)[1]
        scaled = rows * np.ldexp(1.0, self._bits - self._exponents)[:, None]
        self._slices: list[NDArray[np.float64]] = []
        for _ in range(_N_SLICES):
            self._slices.append(np.rint(scaled))
            scaled = (scaled - self._slices[-1]) * 2.0**self._bits
        self._rest = np.abs(scaled).sum(axis=1) * (2.0 ** (-_N_SLICES * self._bits) * _MORE)
        places = np.arange(len(rows))
        self._squares = self._dots(places, places)

    def cosines(self, i: NDArray[np.intp], j: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return the canonical cosines of the pairs (i[0], j[0]), (i[1], j[1]), ... of rows."""
        lengths = np.sqrt(self._squares[i] * self._squares[j])
        cosines = np.zeros(len(i))
        np.divide(self._dots(i, j), lengths, out=cosines, where=lengths > 0)
        np.clip(cosines, -1.0, 1.0, out=cosines)
        return cosines

    def _dots(self, i: NDArray[np.intp], j: NDArray[np.intp]) -> NDArray[np.float64]:
        spread = (self._rest[i] + self._rest[j]) * (2.0**self._bits * _MORE) + self._rest[i] * self._rest[j] * _MORE
        sums = np.fromiter(self._sums(i, j, spread), np.float64, len(i))
        dots: NDArray[np.float64] = np.ldexp(sums, self._exponents[i] + self._exponents[j] - 2 * self._bits)
        for at in np.flatnonzero(np.isnan(sums)):
            products = self._rows[i[at]].astype(np.float64) * self._rows[j[at]]
            dots[at] = math.fsum(products.tolist())
        return dots

    def _sums(self, i: NDArray[np.intp], j: NDArray[np.intp], spread: NDArray[np.float64]) -> Iterator[float]:
        """Yield the correctly rounded sums of the slices' products; not a number where the omitted rest may matter."""
        for at in range(0, len(i), _PAIRS_AT_ONCE):
            ours = [part[i[at : at + _PAIRS_AT_ONCE]] for part in self._slices]
            theirs = [part[j[at : at + _PAIRS_AT_ONCE]] for part in self._slices]
            powers = np.zeros((2 * _N_SLICES - 1, len(ours[0])))
            for (p, a), (q, b) in product(enumerate(ours), enumerate(theirs)):
                powers[p + q] += _row_dots(a, b)
            powers *= np.ldexp(1.0, -self._bits * np.arange(len(powers)))[:, None]
            around = spread[at : at + _PAIRS_AT_ONCE].tolist()
            yield from (_rounded(terms, most) for terms, most in zip(powers.T.tolist(), around, strict=True))


def _rounded(terms: list[float], spread: float) -> float:
    """Return the double nearest to a sum with a known spread; not a number where two doubles are possible."""
    if spread == 0.0:
        return math.fsum(terms)
    low, high = math.fsum((*terms, -spread)), math.fsum((*terms, spread))
    return low if low == high else math.nan


def _row_dots(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    dots: NDArray[np.float64] = np.einsum("ij,ij->i", a, b)
    return dots


def margin(dim: int) -> float:
    """Return the largest error of a float32 dot product of unit rows against their canonical cosine, in any kernel.

    Rounding of a dot product of n terms stays below n u / (1 - n u) times the product of the
    lengths, with u = 2^-24, for every order of summation and with fused or separate additions;
    lengths within `UNIT_TOLERANCE` of one add the effect of the division by them.

    Source: Higham, "Accuracy and Stability of Numerical Algorithms", 2nd edition, section 3.1.
    """
    rounding = dim * _FLOAT32_ROUNDING
    return 1.001 * rounding / (1.0 - rounding) + 2.1 * UNIT_TOLERANCE


def unit(rows: Vector, dim: int) -> Vector:
    """Check unit rows and return them as a contiguous array, shape (n, dim) float32.

    Raises:
        UsageError: another shape, a row that is not finite, or one whose length is not one.
    """
    if rows.ndim != 2 or rows.shape[1] != dim:
        raise UsageError(f"rows of shape {rows.shape} are not of dimension {dim}")
    checked = np.ascontiguousarray(rows, dtype=np.float32)
    if not are_unit(checked):
        raise UsageError("a row does not have length one; only unit vectors are compared")
    return checked


def are_unit(rows: Vector) -> bool:
    """Return whether all rows, shape (n, dim), are finite and of length one within `UNIT_TOLERANCE`."""
    for at in range(0, len(rows), _SLAB):
        wide = rows[at : at + _SLAB].astype(np.float64)
        with np.errstate(invalid="ignore", over="ignore"):
            lengths = np.sqrt(_row_dots(wide, wide))
        if not (np.abs(lengths - 1.0) <= UNIT_TOLERANCE).all():
            return False
    return True
