"""What a gate did: shares, bands, latencies and causes, for the dashboard and the command line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from saidonce.foundation.model import ESCAPE_HATCH, Failure, GateDefinition, GateFigure, GateState, HeldState
from saidonce.foundation.ports import Store
from saidonce.gate.audits import AuditCount, audit_counts

MOST_VERDICTS = 10_000
"""Number of the newest verdicts that figures count."""

UNASKED = frozenset({Failure.BUDGET, Failure.CIRCUIT_OPEN})
"""Failures for which nobody was asked."""


@dataclass(frozen=True, slots=True)
class GateStats:
    """The figures of one gate over its newest verdicts, `MOST_VERDICTS` at most.

    Attributes:
        n_kept, n_pending, n_held: of the whole gate; what is held waits for a person, the oldest since `held_since`.
        n_cleared, n_let_through, n_overridden: by the gate, by the operator's escape hatch, and by people; only the
            first is a clear.
        n_asked: verdicts for which an adjudicator was asked, whether it answered or not; `n_cached` of them from
            memory.
        reasons, bands, failures, overrides: how many by each.
        cleared_for: how many cleared ones by reason.
        held_for: how many wait for a person, by reason; `decided`: what people have decided and what is open.
        audits: results of audits of clears, by adjudicator.
        days: (day, cleared, blocked, let through by a person or the hatch), oldest first.
        check_ms, ruling_ms: the middle, the 95th of 100, and the longest; zeros without any.
        cost: of rulings that were not cached, in US dollars.
        hatch_open: the operator's escape hatch is open now.
    """

    definition: GateDefinition
    n_kept: int
    n_pending: int
    n: int
    n_cleared: int
    n_asked: int
    n_cached: int
    n_let_through: int
    reasons: Mapping[str, int]
    cleared_for: Mapping[str, int]
    bands: Mapping[str, int]
    failures: Mapping[str, int]
    overrides: Mapping[str, int]
    days: tuple[tuple[str, int, int, int], ...]
    check_ms: tuple[int, int, int]
    ruling_ms: tuple[int, int, int]
    n_tokens: int
    cost: float
    hatch_open: bool
    n_overridden: int = 0
    n_held: int = 0
    held_since: datetime | None = None
    held_for: Mapping[str, int] = field(default_factory=dict)
    decided: Mapping[str, int] = field(default_factory=dict)
    audits: tuple[AuditCount, ...] = ()

    @property
    def clear_rate(self) -> float:
        """Share that the gate cleared, 0..1; what somebody let through is none of it."""
        return self.n_cleared / self.n if self.n else 0.0

    @property
    def asked_share(self) -> float:
        """Share that an adjudicator was asked about, 0..1."""
        return self.n_asked / self.n if self.n else 0.0


def stats(store: Store, definition: GateDefinition, hatch_open: bool) -> GateStats:
    """Return the figures of a gate."""
    ruled = [f for f in store.gates.figures(definition.name, MOST_VERDICTS) if f.state == GateState.RULED]
    with_ruling = [f for f in ruled if f.asked and f.failure not in UNASKED]
    paid = [f for f in with_ruling if not f.cached]
    counts = store.gates.held_counts(definition.name)
    waiting = [count for count in counts if count.state is HeldState.OPEN]
    return GateStats(
        definition=definition,
        n_kept=store.gates.n_admitted(definition.name),
        n_pending=store.gates.n_pending(definition.name),
        n=len(ruled),
        n_cleared=sum(_is_cleared(f) for f in ruled),
        n_asked=len(with_ruling),
        n_cached=len(with_ruling) - len(paid),
        n_let_through=sum(f.override_by == ESCAPE_HATCH for f in ruled),
        reasons=_count_names(f.reason for f in ruled),
        cleared_for=_count_names(f.reason for f in ruled if _is_cleared(f)),
        bands=_count_names(f.band for f in ruled),
        failures=_count_names(f.failure for f in ruled if f.failure),
        overrides=_count_names(f.override_by for f in ruled if f.override_by),
        days=_days(ruled),
        check_ms=_spread([f.duration_ms for f in ruled]),
        ruling_ms=_spread([f.ruling_ms for f in paid]),
        n_tokens=sum(f.n_tokens for f in paid),
        cost=round(sum(f.cost for f in paid), 9),
        hatch_open=hatch_open,
        n_overridden=sum(f.override_by not in ("", ESCAPE_HATCH) for f in ruled),
        n_held=sum(count.n for count in waiting),
        held_since=min((count.oldest_at for count in waiting), default=None),
        held_for=_count_names(count.reason for count in waiting for _ in range(count.n)),
        decided=_count_names(str(count.state) for count in counts for _ in range(count.n)),
        audits=audit_counts(counts),
    )


def _is_cleared(figure: GateFigure) -> bool:
    return figure.is_through and not figure.override_by


def _count_names(names: Iterable[str]) -> dict[str, int]:
    counted = Counter(names)
    return dict(sorted(counted.items(), key=lambda item: (-item[1], item[0])))


def _days(ruled: Sequence[GateFigure]) -> tuple[tuple[str, int, int, int], ...]:
    cleared = Counter(f.at.date().isoformat() for f in ruled if _is_cleared(f))
    blocked = Counter(f.at.date().isoformat() for f in ruled if not f.is_through)
    through = Counter(f.at.date().isoformat() for f in ruled if f.override_by)
    days = sorted({*cleared, *blocked, *through})
    return tuple((day, cleared[day], blocked[day], through[day]) for day in days)


def _spread(values: Sequence[int]) -> tuple[int, int, int]:
    if not values:
        return 0, 0, 0
    ranked = sorted(values)
    last = len(ranked) - 1
    return ranked[last // 2], ranked[round(0.95 * last)], ranked[last]
