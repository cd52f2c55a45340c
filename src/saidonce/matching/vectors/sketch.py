"""Short rows whose products bound the cosines of long ones from above."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from saidonce.foundation.model import Vector
from saidonce.matching.vectors.blas import one_thread
from saidonce.matching.vectors.canonical import margin, unit

N_SHORT = (48, 128)
"""Numbers in a short row: the first that lets few enough pairs through. Source: measured.

Fewer let too many pairs through, more cost more than they save.
"""

FEW_ENOUGH = 2e-3
"""Share of pairs of a sample that may be let through; looking at one costs as much as bounding a thousand."""

_TRIED = 1_024

SAMPLE = 2_048
"""Rows of the sample for the principal axes of a corpus."""

_SLAB = 4_096
_ROUNDS = 2
ROUNDING = 1e-6
"""More than what storing a short row in float32 can change in a product or in a squared rest."""


@dataclass(frozen=True, slots=True, eq=False)
class Sketch:
    """Unit rows and their short rows.

    A short row holds the row's leading coordinates along orthonormal axes and the length of all
    that is left. By Cauchy and Schwarz the product of the rests is at most the product of their
    lengths, so a product of two short rows is, but for rounding, no less than that of the rows.

    Attributes:
        rows: shape (n, dim) float32.
        short: shape (n, n_short) float32.
        slack: how far a float32 product of short rows may be below the canonical cosine of the rows.
    """

    rows: Vector
    short: Vector
    slack: float


def sketch(vectors: Vector, threshold: float) -> Sketch:
    """Make short rows along the axes on which a sample of the rows varies most.

    Number and choice of axes decide how many pairs the bound lets through, never which are near.

    Args:
        vectors: shape (n, dim) float32, unit rows.
        threshold: similarity from which two rows will be near.

    Raises:
        UsageError: a row does not have length one or is not finite.
    """
    rows = unit(vectors, vectors.shape[1])
    with one_thread():
        axes, slack = chosen_axes(rows, threshold)
        if axes is None:
            return Sketch(rows, rows, slack)
        slabs = (rows[at : at + _SLAB].astype(np.float64) for at in range(0, len(rows), _SLAB))
        return Sketch(rows, np.concatenate([shortened(slab, axes) for slab in slabs]), slack)


def chosen_axes(rows: Vector, threshold: float) -> tuple[NDArray[np.float64] | None, float]:
    """Return the axes of short rows, shape (dim, n_short - 1), and their slack; None where whole rows do as well.

    Args:
        rows: shape (n, dim) float32, unit rows, also memory-mapped: only a sample of them is read.
        threshold: similarity from which two rows will be near.
    """
    dim = rows.shape[1]
    sample = np.ascontiguousarray(rows[:: max(1, len(rows) // SAMPLE)])
    tried = sample[:: max(1, len(sample) // _TRIED)].astype(np.float64)
    for n_short in N_SHORT:
        if dim <= n_short or not len(rows):
            break
        axes, slack = principal_axes(sample, n_short - 1), margin(n_short) + 4 * ROUNDING
        if n_short == N_SHORT[-1] or _let_through(shortened(tried, axes), threshold - slack) <= FEW_ENOUGH:
            return axes, slack
    return None, margin(dim)


def _let_through(short: Vector, floor: float) -> float:
    """Return the share of a sample's pairs whose bound reaches a floor."""
    n_pairs = len(short) * (len(short) - 1)
    return (np.count_nonzero(short @ short.T >= floor) - len(short)) / max(1, n_pairs)


def principal_axes(sample: Vector, n: int) -> NDArray[np.float64]:
    """Return orthonormal columns, shape (dim, n), near the n leading principal axes: subspace iteration."""
    axes = np.linalg.qr(sample[np.arange(n) * len(sample) // n].T.astype(np.float64))[0]
    for _ in range(_ROUNDS):
        grown = sample.T @ (sample @ axes.astype(np.float32))
        axes = np.linalg.qr(grown.astype(np.float64))[0]
    orthonormal: NDArray[np.float64] = axes
    return orthonormal


def shortened(rows: NDArray[np.float64], axes: NDArray[np.float64]) -> Vector:
    """Return short rows: leading coordinates along axes, then an upper bound of the length of the rest."""
    leading = (rows @ axes).astype(np.float32)
    stored = leading.astype(np.float64)
    rest = np.einsum("ij,ij->i", rows, rows) - np.einsum("ij,ij->i", stored, stored)
    lengths = np.sqrt(np.maximum(rest, 0.0) + ROUNDING) * (1.0 + 2.0**-22)
    return np.column_stack([leading, lengths.astype(np.float32)])
