"""Room: fuse rankings into one: BM25, weighted reciprocal rank fusion, min-max sum, MMR."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from saidonce.foundation.ports import LexicalPool

LEXICAL_CAP = 2_000
"""Blocks that the rarest query terms may nominate. Source: measured, see docs/decisions/0005."""

BM25_K1 = 1.2
BM25_B = 0.75
"""Source: Robertson and Zaragoza (2009), the usual defaults; docs/decisions/0004 has the measurement."""

_ROUNDING = 1e-9
"""What a sum of parts may lose, as a share of the largest one; far more than it does."""

Ranking = Sequence[tuple[str, float]]
"""(id, value), best first, ties by id."""


@dataclass(frozen=True, slots=True)
class Signal:
    """One ranking's part in a fused score.

    Attributes:
        rank: place from 1 in this ranking; None if it does not hold the block.
        value: the ranking's own value (cosine, BM25, salience 0..1, freshness 0..1).
        part: its contribution to the fused score.
    """

    name: str
    weight: float
    rank: int | None
    value: float
    part: float


@dataclass(slots=True)
class _Added:
    """What rankings added to the scores of blocks."""

    weights: Mapping[str, float]
    rankings: Mapping[str, Ranking]
    parts: Mapping[str, Sequence[float]]
    _places: dict[str, dict[str, int]] = field(default_factory=dict)

    def signals(self, id_: str) -> tuple[Signal, ...]:
        """Return what each ranking added to the score of a block; of most blocks nobody asks."""
        if not self._places:
            for name, ranking in self.rankings.items():
                self._places[name] = {each: place for place, (each, _) in enumerate(ranking)}
        return tuple(self._signal(name, self._places[name].get(id_)) for name in self.rankings)

    def _signal(self, name: str, place: int | None) -> Signal:
        if place is None:
            return Signal(name, self.weights[name], None, 0.0, 0.0)
        return Signal(name, self.weights[name], place + 1, self.rankings[name][place][1], self.parts[name][place])


@dataclass(frozen=True, slots=True)
class Fused:
    """A block of the fused ranking.

    Attributes:
        score: sum of the signals' parts; comparable within one search only.
        attained: score / best attainable score, 0..1.
    """

    id: str
    score: float
    attained: float
    _added: _Added | None = field(default=None, repr=False, compare=False)

    @property
    def signals(self) -> tuple[Signal, ...]:
        """Each ranking's part in the score."""
        return self._added.signals(self.id) if self._added is not None else ()


def bm25(
    pool: LexicalPool, n_query: Sequence[int], size: int | None = None, also: Collection[str] = ()
) -> list[tuple[str, float]]:
    """Score lexical candidates by BM25, best first, ties by id; only scores above 0.

    Args:
        pool: candidates and statistics.
        n_query: how often each query term stands in the query.
        size: how many of the best are wanted; None for all.
        also: ids of others that are wanted.
    """
    rows = pool.columns
    if not len(rows):
        return []
    weights = np.array([times * weight for times, weight in zip(n_query, idf(pool), strict=True)])
    counts = rows.counts.astype(float)
    norms = BM25_K1 * (1 - BM25_B + BM25_B * rows.n_terms.astype(float) / (pool.mean_terms or 1.0))
    parts = weights * counts * (BM25_K1 + 1) / (counts + norms[:, None])
    places = _wanted(parts, rows.block_ids, size, also)
    # Summed exactly, so that no order of the terms changes a score.
    scored = zip(map(math.fsum, parts[places].tolist()), (rows.block_ids[place] for place in places), strict=True)
    return [(id_, -negative) for negative, id_ in sorted((-score, id_) for score, id_ in scored if score > 0)]


def _wanted(parts: NDArray[np.float64], ids: Sequence[str], size: int | None, also: Collection[str]) -> list[int]:
    """Return the places of rows among which are those of the highest sums, and some others."""
    if size is None or size >= len(ids):
        return list(range(len(ids)))
    sums = parts.sum(axis=1)
    is_high = sums >= np.partition(sums, -size)[-size] - _ROUNDING * np.abs(parts).max()
    among = set(also)
    return [n for n, (id_, high) in enumerate(zip(ids, is_high.tolist(), strict=True)) if high or id_ in among]


def idf(pool: LexicalPool) -> list[float]:
    """Return the weight of each query term, in the query's order: the rarer, the higher."""
    return [math.log1p((pool.n_blocks - n + 0.5) / (n + 0.5)) for n in pool.n_containing]


def rrf(rankings: Mapping[str, Ranking], weights: Mapping[str, float], k: int, size: int | None = None) -> list[Fused]:
    """Fuse rankings by weighted reciprocal rank: each ranking adds weight / (k + rank).

    The best attainable score is first place in every ranking that holds anything. Best first, ties
    by id; at most `size` blocks.
    Source: seed 003, "RRF fusion, 60/40 vector/keyword weight".
    """
    best = math.fsum(weights[name] / (k + 1) for name, ranking in rankings.items() if ranking)
    parts = {
        name: [weights[name] / (k + rank) for rank in range(1, len(ranking) + 1)] for name, ranking in rankings.items()
    }
    return _fuse(_Added(weights, rankings, parts), best, size)


def minmax(rankings: Mapping[str, Ranking], weights: Mapping[str, float], size: int | None = None) -> list[Fused]:
    """Fuse rankings by the weighted sum of values, scaled to 0..1 between a ranking's lowest and highest value.

    The scale spans at least half of the highest value, so that the last of a few equally good
    blocks does not count as a bad one. An absent block gets nothing. The best attainable score is
    the highest value everywhere. Best first, ties by id; at most `size` blocks.
    """
    best = math.fsum(weights[name] for name, ranking in rankings.items() if ranking)
    parts = {name: _scaled(weights[name], [value for _, value in ranking]) for name, ranking in rankings.items()}
    return _fuse(_Added(weights, rankings, parts), best, size)


def _scaled(weight: float, values: Sequence[float]) -> list[float]:
    """Return a weight times each of a ranking's values, scaled to 0..1."""
    if not values:
        return []
    high = max(values)
    low = min(*values, high / 2)
    if high <= low:
        return [weight] * len(values)
    return [weight * ((value - low) / (high - low)) for value in values]


def _fuse(added: _Added, best: float, size: int | None) -> list[Fused]:
    """Return the best blocks by the sum of their parts."""
    parts: defaultdict[str, list[float]] = defaultdict(list)
    for name, ranking in added.rankings.items():
        for (id_, _), part in zip(ranking, added.parts[name], strict=True):
            parts[id_].append(part)
    ranked = sorted((-math.fsum(each), id_) for id_, each in parts.items())
    return [
        Fused(id_, -negative, min(1.0, -negative / best) if best > 0 else 0.0, added) for negative, id_ in ranked[:size]
    ]


def freshness(authored_at: datetime | None, now: datetime, half_life_days: float) -> float:
    """Return the freshness, 0..1: 1 now or in the future, one half after a half-life; 0 without a date."""
    if authored_at is None:
        return 0.0
    age = max(0.0, (now - authored_at).total_seconds() / 86_400)
    return float(0.5 ** (age / half_life_days))


def diversify(ranked: Sequence[Fused], similarity: Callable[[int, int], float], trade: float) -> list[int]:
    """Reorder by maximal marginal relevance; return places of `ranked`.

    Each step takes the block with the highest trade x attained share - (1 - trade) x (highest similarity
    to those taken); ties by place. trade = 1 keeps the order.
    """
    left = list(range(len(ranked)))
    if trade >= 1.0:
        return left
    nearest = [0.0] * len(ranked)
    taken: list[int] = []
    while left:
        pick = max(left, key=lambda i: (trade * ranked[i].attained - (1 - trade) * nearest[i], -i))
        left.remove(pick)
        taken.append(pick)
        for i in left:
            nearest[i] = max(nearest[i], similarity(pick, i))
    return taken
