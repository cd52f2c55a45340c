"""Calibration of a local judge: map scores to probabilities, and choose two cut-offs around its unsure range."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class PlattScaling:
    """probability = 1 / (1 + exp(-(slope x score + offset))); slope is above 0, so that the order stays.

    Source: Platt, "Probabilistic outputs for support vector machines" (1999).
    """

    slope: float
    offset: float

    def probability(self, score: float) -> float:
        """Return the probability that a pair of this score is a duplicate, 0..1."""
        z = self.slope * score + self.offset
        return 1.0 / (1.0 + math.exp(-z)) if z >= 0 else math.exp(z) / (1.0 + math.exp(z))


@dataclass(frozen=True, slots=True)
class Cuts:
    """A pair is a duplicate from `high` on, distinct up to `low`, and unsure in between."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Bin:
    """Pairs with a probability in [start, end): `said` is its mean, `found` the share of duplicates."""

    start: float
    end: float
    n: int
    said: float
    found: float


LEAST_SLOPE = 0.05


def fitted(scores: Sequence[float], same: Sequence[bool]) -> PlattScaling:
    """Fit by Newton's method, with Platt's targets that keep away from 0 and 1.

    Raises:
        ValueError: one of the two labels is missing.
    """
    n_same, n_other = sum(same), len(same) - sum(same)
    if not n_same or not n_other:
        raise ValueError("calibration needs duplicates and distinct pairs")
    x = np.asarray(scores, dtype=np.float64)
    t = np.where(np.asarray(same), (n_same + 1) / (n_same + 2), 1 / (n_other + 2))
    slope, offset = _newton(x, t, (1.0, 0.0), np.array([1.0, 1.0]))
    if slope < LEAST_SLOPE:
        slope, offset = _newton(x, t, (LEAST_SLOPE, 0.0), np.array([0.0, 1.0]))
    return PlattScaling(round(slope, 6), round(offset, 6))


def _newton(
    x: NDArray[np.float64], t: NDArray[np.float64], start: tuple[float, float], moves: NDArray[np.float64]
) -> tuple[float, float]:
    """Return slope and offset of least cross entropy, halving steps that raise it; 0 in `moves` fixes a parameter."""
    at, loss = np.array(start), _loss(x, t, start[0], start[1])
    for _ in range(100):
        p = 1.0 / (1.0 + np.exp(-np.clip(at[0] * x + at[1], -35, 35)))
        w = p * (1 - p)
        gradient = np.array([((p - t) * x).sum(), (p - t).sum()]) * moves
        curve = np.array([[(w * x * x).sum(), (w * x).sum()], [(w * x).sum(), w.sum()]]) * np.outer(moves, moves)
        step = np.linalg.solve(curve + np.eye(2) * 1e-6, gradient)
        while (new := _loss(x, t, *(at - step))) > loss and np.abs(step).max() > 1e-9:
            step /= 2
        if np.abs(step).max() < 1e-9:
            break
        at, loss = at - step, new
    return float(at[0]), float(at[1])


def _loss(x: NDArray[np.float64], t: NDArray[np.float64], slope: float, offset: float) -> float:
    z = slope * x + offset
    return float((np.logaddexp(0.0, z) - t * z).sum())


LEAST_IN_AN_END = 20
"""An end of fewer pairs is no evidence; it is left empty (low 0, or high 1)."""


def cuts(probabilities: Sequence[float], same: Sequence[bool], wrong_high: float, wrong_low: float) -> Cuts:
    """Choose the widest ranges at both ends in which at most a share of the pairs is on the wrong side.

    Args:
        probabilities: of held-out pairs.
        same: their labels.
        wrong_high: share of distinct pairs allowed at the high end.
        wrong_low: share of duplicates allowed at the low end.
    """
    order = np.argsort(np.asarray(probabilities), kind="stable")
    p, is_same = np.asarray(probabilities)[order], np.asarray(same)[order]
    low = _widest(p, is_same, wrong_low)
    high = _widest(-p[::-1], ~is_same[::-1], wrong_high)
    low_at = 0.0 if low is None else math.floor(low * 1e4) / 1e4
    high_at = 1.0 if high is None else math.ceil(-high * 1e4) / 1e4
    if low_at > high_at:
        # Both ends would do for what lies between; it is shared out evenly.
        low_at = high_at = round((low_at + high_at) / 2, 4)
    return Cuts(low_at, high_at)


def _widest(p: NDArray[np.float64], is_wrong: NDArray[np.bool_], share: float) -> float | None:
    """Return the largest value with at most this share of wrong ones up to it; values are in ascending order."""
    n = np.arange(1, len(p) + 1)
    fine = (np.cumsum(is_wrong) <= share * n) & (n >= LEAST_IN_AN_END)
    return float(p[np.flatnonzero(fine)[-1]]) if fine.any() else None


def reliability(probabilities: Sequence[float], same: Sequence[bool], n_bins: int = 10) -> tuple[Bin, ...]:
    """Compare predicted probabilities with observed shares, in bins of equal width; empty ones are left out."""
    p, is_same = np.asarray(probabilities), np.asarray(same, dtype=np.float64)
    edges = [n / n_bins for n in range(n_bins)] + [1.0 + 1e-9]
    bins = []
    for start, end in pairwise(edges):
        inside = (p >= start) & (p < end)
        if inside.any():
            bins.append(
                Bin(start, min(end, 1.0), int(inside.sum()), float(p[inside].mean()), float(is_same[inside].mean()))
            )
    return tuple(bins)


def auc(scores: Sequence[float], same: Sequence[bool]) -> float:
    """Return the area under the ROC curve, ties counted half; 0.5 if one kind is missing."""
    values, ranks = np.unique(np.asarray(scores, dtype=np.float64), return_inverse=True)
    is_same = np.asarray(same, dtype=bool)
    n_same, n_other = int(is_same.sum()), int((~is_same).sum())
    if not n_same or not n_other:
        return 0.5
    others = np.bincount(ranks[~is_same], minlength=len(values))
    below = np.concatenate([[0], np.cumsum(others)[:-1]])
    return float((below[ranks[is_same]] + 0.5 * others[ranks[is_same]]).sum() / (n_same * n_other))
