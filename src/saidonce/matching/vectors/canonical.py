"""The canonical cosine: the one similarity for thresholds and storage.

Products of two float32 numbers are exact in float64, so the correctly rounded sum of products
depends on the two vectors only: not on the processor, the order or the batch.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations_with_replacement, product

import numpy as np
from numpy.typing import NDArray

from saidonce.errors import UsageError
from saidonce.foundation.model import Vector
from saidonce.matching.vectors.blas import one_thread

UNIT_TOLERANCE = 1e-5
"""How far the length of a unit row may be from one; rows normalised in float32 stay below 1e-6."""

_FLOAT32_ROUNDING = 2.0**-24
_PAIRS_AT_ONCE = 256
_ROWS_AT_ONCE = 32
_SLAB = 8_192
_FEW = 8
_N_SLICES = 2
_SELDOM = 32
"""One row in so many may have something left behind these slices: its sums are then made number by number. Where more
have, a third one is cut."""

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
    return Exact(rows).cosines_to(a)


def all_cosines(vectors: Sequence[Vector | None]) -> NDArray[np.float64]:
    """Return the canonical cosines of all pairs of different vectors, shape (n, n), each as `canonical_cosine` has it.

    0.0 for a vector and itself, and for one that is missing.

    Raises:
        UsageError: a vector is not finite.
    """
    cosines = np.zeros((len(vectors), len(vectors)))
    places = np.array([place for place, vector in enumerate(vectors) if vector is not None], np.intp)
    if len(places) > 1:
        i, j = np.triu_indices(len(places), 1)
        pairs = Exact(np.stack([vector for vector in vectors if vector is not None])).cosines(i, j)
        cosines[places[i], places[j]] = cosines[places[j], places[i]] = pairs
    return cosines


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
    sum of the powers is rounded, once. Two slices hold most rows whole, so that the third is cut where
    it is needed. What slices leave out of a row is bounded; a pair whose sum it might round another way
    is summed number by number.

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
        self._slices = list(np.empty((_N_SLICES, *rows.shape)))
        self._rest = np.zeros(len(rows))
        scales = np.ldexp(1.0, self._bits - self._exponents)[:, None]
        for at in range(0, len(rows), _ROWS_AT_ONCE):
            some = slice(at, at + _ROWS_AT_ONCE)
            self._cut(rows[some] * scales[some], some)
        places = np.arange(len(rows))
        self._squares = self._dots(places, self, places, self._powers_of_squares())

    def __len__(self) -> int:
        return len(self._rows)

    def _cut(self, scaled: NDArray[np.float64], some: slice) -> None:
        """Cut scaled rows into slices; note how much of each row these leave out."""
        for part in self._slices[:_N_SLICES]:
            self._take(part[some], scaled)
        if not np.einsum("ij,ij->", scaled, scaled):  # no square of what may be left is too small for a double
            return
        n_slices = _N_SLICES
        if np.count_nonzero(scaled.any(axis=1)) * _SELDOM > len(scaled):
            n_slices += 1
            if len(self._slices) < n_slices:
                self._slices.append(np.zeros_like(self._slices[0]))
            self._take(self._slices[-1][some], scaled)
        self._rest[some] = np.abs(scaled, out=scaled).sum(axis=1) * (2.0 ** (-n_slices * self._bits) * _MORE)

    def _take(self, part: NDArray[np.float64], scaled: NDArray[np.float64]) -> None:
        """Fill the next slice of scaled rows, and leave in these what is behind it."""
        np.rint(scaled, out=part)
        scaled -= part
        scaled *= 2.0**self._bits

    def cosines(self, i: NDArray[np.intp], j: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return the canonical cosines of the pairs (i[0], j[0]), (i[1], j[1]), ... of rows."""
        return self._cosines(i, self, j, self._powers(i, j))

    def cosines_to(self, a: Vector) -> NDArray[np.float64]:
        """Return the canonical cosines of a vector, shape (dim,), and each row.

        Raises:
            UsageError: the vector is not finite.
        """
        one, places = Exact(a[None, :]), np.arange(len(self._rows))
        return self._cosines(places, one, np.zeros_like(places), self._powers_with(one))

    def _cosines(
        self, i: NDArray[np.intp], other: Exact, j: NDArray[np.intp], powers: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the canonical cosines of rows i and rows j of another, from the sums of their slices' products."""
        lengths = np.sqrt(self._squares[i] * other._squares[j])
        cosines = np.zeros(len(i))
        np.divide(self._dots(i, other, j, powers), lengths, out=cosines, where=lengths > 0)
        np.clip(cosines, -1.0, 1.0, out=cosines)
        return cosines

    def _powers_of_squares(self) -> NDArray[np.float64]:
        """Return the sums of the slices' products of each row with itself, by their power, shape (n powers, n)."""
        powers = np.zeros((2 * len(self._slices) - 1, len(self._rows)))
        for p, q in combinations_with_replacement(range(len(self._slices)), 2):
            powers[p + q] += _row_dots(self._slices[p], self._slices[q]) * (1 if p == q else 2)
        return powers

    def _powers_with(self, one: Exact) -> NDArray[np.float64]:
        """Return those of each row with the only one of another."""
        theirs = np.concatenate(one._slices)
        powers = np.zeros((len(self._slices) + len(theirs) - 1, len(self._rows)))
        with one_thread():
            for p, part in enumerate(self._slices):
                powers[p : p + len(theirs)] += (part @ theirs.T).T
        return powers

    def _powers(self, i: NDArray[np.intp], j: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return those of pairs of rows."""
        powers = np.zeros((2 * len(self._slices) - 1, len(i)))
        for at in range(0, len(i), _PAIRS_AT_ONCE):
            some = slice(at, at + _PAIRS_AT_ONCE)
            ours = [part[i[some]] for part in self._slices]
            theirs = [part[j[some]] for part in self._slices]
            for (p, a), (q, b) in product(enumerate(ours), enumerate(theirs)):
                powers[p + q, some] += _row_dots(a, b)
        return powers

    def _dots(
        self, i: NDArray[np.intp], other: Exact, j: NDArray[np.intp], powers: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the dot products, correctly rounded; see `_cosines`."""
        rest_i, rest_j = self._rest[i], other._rest[j]
        spread = (rest_i + rest_j) * (2.0**self._bits * _MORE) + rest_i * rest_j * _MORE
        powers *= np.ldexp(1.0, -self._bits * np.arange(len(powers)))[:, None]
        sums, is_sure = _rounded(powers, spread)
        dots: NDArray[np.float64] = np.ldexp(sums, self._exponents[i] + other._exponents[j] - 2 * self._bits)
        for at in np.flatnonzero(~is_sure):
            products = self._rows[i[at]].astype(np.float64) * other._rows[j[at]]
            dots[at] = math.fsum(products.tolist())
        return dots


def _rounded(terms: NDArray[np.float64], spread: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return the doubles nearest to sums with a known spread, and where no other double is possible.

    Args:
        terms: of each sum, shape (n terms, n).
        spread: how far each sum may be off.
    """
    total, left, size = terms[0], np.zeros_like(spread), np.zeros_like(spread)
    for term in terms[1:]:
        total, error = _sum_and_error(total, term)
        left = left + error
        size = size + np.abs(error)
    total, error = _sum_and_error(total, left)
    # The errors were exact, and their sum is off by at most a few roundings of it.
    off = (np.abs(error) + size * (len(terms) * 2.0**-52) + spread) * _MORE
    gap = np.spacing(np.abs(total))
    half = np.where(np.frexp(total)[0] == np.copysign(0.5, total), 0.25, 0.5) * gap  # doubles are nearer below a power
    return total, (off < half) | (off == 0.0)


def _sum_and_error(a: NDArray[np.float64], b: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the rounded sums of two numbers each, and what the rounding took away, exactly.

    Source: Knuth, "The Art of Computer Programming", volume 2, section 4.2.2, theorem B.
    """
    total = a + b
    of_b = total - a
    return total, (a - (total - of_b)) + (b - of_b)


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
