"""Metrics of ranking and decision quality."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

Z_95 = 1.959963984540054
"""Two-sided 95 % quantile of the normal distribution."""


@dataclass(frozen=True, slots=True)
class Rate:
    """A share per 100 with its 95 % Wilson interval; `per_100` is None when there is nothing to count."""

    n: int
    of: int
    per_100: float | None
    low: float
    high: float

    def __str__(self) -> str:
        return "-" if self.per_100 is None else f"{self.per_100:.2f} ({self.low:.2f}-{self.high:.2f})"


def rate(n: int, of: int) -> Rate:
    """Count n of `of` per 100 with a 95 % Wilson score interval."""
    if of == 0:
        return Rate(0, 0, None, 0.0, 100.0)
    p = n / of
    centre = (p + Z_95**2 / (2 * of)) / (1 + Z_95**2 / of)
    half = Z_95 * math.sqrt(p * (1 - p) / of + Z_95**2 / (4 * of * of)) / (1 + Z_95**2 / of)
    return Rate(n, of, 100 * p, 100 * max(0.0, centre - half), 100 * min(1.0, centre + half))


def ndcg(ranked: Sequence[str], gains: Mapping[str, float], k: int) -> float:
    """Return the normalised discounted cumulative gain of the first k places, linear gains."""
    ideal = sorted(gains.values(), reverse=True)[:k]
    best = math.fsum(g / math.log2(place + 2) for place, g in enumerate(ideal))
    gained = math.fsum(gains.get(id_, 0.0) / math.log2(place + 2) for place, id_ in enumerate(ranked[:k]))
    return gained / best if best else 0.0


def recall(ranked: Sequence[str], gains: Mapping[str, float], k: int) -> float:
    """Return the share of the relevant items in the first k places."""
    relevant = {id_ for id_, g in gains.items() if g > 0}
    return len(relevant.intersection(ranked[:k])) / len(relevant) if relevant else 0.0


def reciprocal_rank(ranked: Sequence[str], gains: Mapping[str, float], k: int) -> float:
    """Return 1 / place of the first relevant item in the first k places, 0 without one."""
    return next((1.0 / place for place, id_ in enumerate(ranked[:k], 1) if gains.get(id_, 0.0) > 0), 0.0)


def precision(ranked: Sequence[str], gains: Mapping[str, float], k: int) -> float:
    """Return relevant items in the first k places / min(k, number of relevant items)."""
    relevant = {id_ for id_, g in gains.items() if g > 0}
    return len(relevant.intersection(ranked[:k])) / min(k, len(relevant)) if relevant else 0.0


def relevance(ranked: Sequence[str], gains: Mapping[str, float], k: int) -> float:
    """Return gain in the first k places / the largest possible gain there: graded relevance of k passages."""
    best = math.fsum(sorted(gains.values(), reverse=True)[:k])
    return math.fsum(gains.get(id_, 0.0) for id_ in ranked[:k]) / best if best > 0 else 0.0


def bootstrap(values: Sequence[float], n_samples: int = 2_000) -> tuple[float, float]:
    """Return the 95 % interval of a mean, by resampling the values; the same values give the same interval."""
    if not values:
        return (0.0, 0.0)
    chance = np.random.default_rng(len(values))
    column = np.asarray(values, dtype=np.float64)
    means = [column[chance.integers(0, len(column), len(column))].mean() for _ in range(n_samples)]
    low, high = np.percentile(means, [2.5, 97.5])
    return (float(low), float(high))


def redundancy(ranked: Sequence[str], group_of: Mapping[str, str], k: int) -> float:
    """Return the share of the first k places whose group ranks higher already; without a group, an item is its own."""
    groups = [group_of.get(id_, id_) for id_ in ranked[:k]]
    return 1.0 - len(set(groups)) / len(groups) if groups else 0.0


def distinct_relevant(ranked: Sequence[str], gains: Mapping[str, float], group_of: Mapping[str, str], k: int) -> float:
    """Return distinct relevant groups in the first k places / min(k, number of relevant groups)."""
    relevant = {group_of.get(id_, id_) for id_, g in gains.items() if g > 0}
    hits = relevant.intersection(group_of.get(id_, id_) for id_ in ranked[:k])
    return len(hits) / min(k, len(relevant)) if relevant else 0.0


def percentile(values: Sequence[float], share: float) -> float:
    """Return the nearest-rank percentile; 0 for no values."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)] if ordered else 0.0


def mean(values: Sequence[float]) -> float:
    """Return the arithmetic mean; 0 for no values."""
    return math.fsum(values) / len(values) if values else 0.0
