"""Room: fuse rankings into one: BM25, weighted reciprocal rank fusion, min-max sum, MMR."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from saidonce.foundation.ports import LexicalPool

LEXICAL_CAP = 2_000
"""Blocks that the rarest query terms may nominate. Source: measured, see docs/decisions/0005."""

BM25_K1 = 1.2
BM25_B = 0.75
"""Source: Robertson and Zaragoza (2009), the usual defaults; docs/decisions/0004 has the measurement."""

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
    signals: tuple[Signal, ...]


def bm25(pool: LexicalPool, n_query: Sequence[int]) -> list[tuple[str, float]]:
    """Score lexical candidates by BM25, best first, ties by id; only scores above 0.

    Args:
        pool: candidates and statistics.
        n_query: how often each query term stands in the query.
    """
    if not pool.rows:
        return []
    weights = np.array([times * weight for times, weight in zip(n_query, idf(pool), strict=True)])
    counts = np.array([row.counts for row in pool.rows], dtype=float)
    lengths = np.array([row.n_terms for row in pool.rows], dtype=float)
    norms = BM25_K1 * (1 - BM25_B + BM25_B * lengths / (pool.mean_terms or 1.0))
    parts = weights * counts * (BM25_K1 + 1) / (counts + norms[:, None])
    # Summed exactly, so that no order of the terms changes a score.
    scored = zip((row.block_id for row in pool.rows), map(math.fsum, parts.tolist()), strict=True)
    return sorted(((id_, score) for id_, score in scored if score > 0), key=_best_first)


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

    def part(name: str, rank: int, _value: float) -> float:
        return weights[name] / (k + rank)

    return _fuse(rankings, weights, part, best, size)


def minmax(rankings: Mapping[str, Ranking], weights: Mapping[str, float], size: int | None = None) -> list[Fused]:
    """Fuse rankings by the weighted sum of values, scaled to 0..1 between a ranking's lowest and highest value.

    The scale spans at least half of the highest value, so that the last of a few equally good
    blocks does not count as a bad one. An absent block gets nothing. The best attainable score is
    the highest value everywhere. Best first, ties by id; at most `size` blocks.
    """
    spans = {name: _scale([v for _, v in ranking]) for name, ranking in rankings.items() if ranking}
    best = math.fsum(weights[name] for name in spans)

    def part(name: str, _rank: int, value: float) -> float:
        low, high = spans[name]
        return weights[name] * ((value - low) / (high - low) if high > low else 1.0)

    return _fuse(rankings, weights, part, best, size)


def _scale(values: Sequence[float]) -> tuple[float, float]:
    """Return the ends of the scale of a ranking's values."""
    high = max(values)
    return min(*values, high / 2), high


def _fuse(
    rankings: Mapping[str, Ranking],
    weights: Mapping[str, float],
    part: Callable[[str, int, float], float],
    best: float,
    size: int | None,
) -> list[Fused]:
    """Return the best blocks by the sum of their parts; what each signal adds is noted for these alone."""
    placed: dict[str, dict[str, tuple[int, float, float]]] = {}
    parts: dict[str, list[float]] = {}
    for name, ranking in rankings.items():
        places = placed[name] = {}
        for rank, (id_, value) in enumerate(ranking, 1):
            adds = part(name, rank, value)
            places[id_] = rank, value, adds
            parts.setdefault(id_, []).append(adds)
    ranked = sorted((-math.fsum(adds), id_) for id_, adds in parts.items())
    absent = (None, 0.0, 0.0)
    return [
        Fused(
            id_, -negative, min(1.0, -negative / best) if best > 0 else 0.0,
            tuple(Signal(name, weights[name], *places.get(id_, absent)) for name, places in placed.items()),
        )
        for negative, id_ in ranked[:size]
    ]  # fmt: skip


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


def _best_first(scored: tuple[str, float]) -> tuple[float, str]:
    return -scored[1], scored[0]
