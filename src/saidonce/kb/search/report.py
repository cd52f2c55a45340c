"""What a search found, and how: hits with their twins and the parts of their scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from saidonce.foundation.model import Block, Objection
from saidonce.kb.search.fusion import Signal


@dataclass(frozen=True, slots=True)
class Twin:
    """A lower ranked block that says what a hit says."""

    block: Block
    similarity: float
    score: float


@dataclass(frozen=True, slots=True)
class HeldApart:
    """A higher hit that is as similar as a repeat but states another fact."""

    block_id: str
    objections: tuple[Objection, ...]


@dataclass(frozen=True, slots=True)
class Hit:
    """A block that answers a query, with its twins and the parts of its score.

    Attributes:
        score: fused; comparable within one search only.
        relevance: score / best attainable score, 0..1.
        also_in: lower ranked repeats, in ranked order.
    """

    block: Block
    score: float
    relevance: float
    signals: tuple[Signal, ...]
    also_in: tuple[Twin, ...] = ()
    held_apart: HeldApart | None = None


@dataclass(frozen=True, slots=True)
class SearchReport:
    """What a search found, hits best first.

    Attributes:
        corrected: query words that nothing contains, and what was searched instead.
        n_pool: ranked blocks looked at, those under the relevance cut (n_below of them) included.
        n_repeats: blocks listed as twins.
        took_ms: milliseconds of each step, by name.
    """

    query: str
    hits: tuple[Hit, ...]
    n_pool: int
    n_below: int
    n_repeats: int
    corrected: Mapping[str, str] = field(default_factory=dict)
    took_ms: Mapping[str, float] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    @property
    def dedup_ratio(self) -> float:
        """Share of the looked-at blocks above the cut that are repeats, 0..1."""
        looked_at = self.n_pool - self.n_below
        return self.n_repeats / looked_at if looked_at else 0.0


def counters(report: SearchReport) -> dict[str, float]:
    """Give what the organisation's running counters gain by a search, by counter name."""
    gained = {
        "search.queries": 1.0,
        "search.empty": float(not report.hits),
        "search.looked_at": float(report.n_pool - report.n_below),
        "search.repeats": float(report.n_repeats),
        "search.hits": float(len(report.hits)),
    }
    return {name: n for name, n in gained.items() if n}
