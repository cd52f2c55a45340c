"""Prometheus series of the whole base, from its database: what the command line and workers did shows here too."""

from __future__ import annotations

import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

from prometheus_client import Gauge

from saidonce.foundation.model.base_figures import BaseFigure

MOST_ORGS = 100
"""Organisations with series of their own, those with the most documents; the others are summed up as OTHERS."""

MOST_PARTS = 40
"""Formats, states or reasons of an organisation with series of their own, the largest; the rest is one part."""

OTHERS = "(others)"
GOOD_FOR_S = 15.0
"""Seconds for which figures are given again: several monitors cost the database no more than one."""

DOCUMENTS = Gauge("saidonce_base_documents", "Documents in the base, by format", ["org", "format"])
SEGMENTS = Gauge("saidonce_base_segments", "Segments of the documents in the base", ["org"])
BLOCKS = Gauge("saidonce_base_blocks", "Blocks that searches look through", ["org"])
WAITING = Gauge("saidonce_base_queue", "Pairs that wait for a person, by why", ["org", "reason"])
WAITING_AGE = Gauge("saidonce_base_queue_oldest_seconds", "Age of the oldest pair that waits", ["org"])
SOURCES = Gauge("saidonce_base_syncs", "Sources kept in step, by how their last run ended", ["org", "outcome"])
SOURCES_LATE = Gauge("saidonce_base_syncs_late_seconds", "By how much the longest due source is late", ["org"])
GATED = Gauge("saidonce_base_gate_verdicts", "Verdicts in the base, by state or reason", ["org", "reason"])
TALKS = Gauge("saidonce_base_conversations", "Conversations, waiting for an answer or quiet", ["org", "state"])
ISSUES = Gauge("saidonce_base_issues", "Issues, by state", ["org", "state"])
INGESTED = Gauge("saidonce_base_ingested_documents", "Sources ever ingested, by what came of them", ["org", "outcome"])
REFUSED = Gauge("saidonce_base_refused_documents", "Sources ever refused, by reason", ["org", "reason"])
SEARCHED = Gauge("saidonce_base_searches", "Searches ever made, by whether they found anything", ["org", "outcome"])
DEDUP = Gauge(
    "saidonce_base_dedup_ratio", "Share removed as repeats; healthy: 0.1 to 0.4 at ingest, 0.05 to 0.2 in search",
    ["org", "phase"],
)  # fmt: skip
DEDUP_BY_FORMAT = Gauge("saidonce_base_dedup_ratio_by_format", "Share of segments removed at ingest", ["org", "format"])
MAX_BOOST = Gauge("saidonce_base_salience_boost_max", "Largest relative boost of a block; healthy: below 0.6", ["org"])
MEAN_BOOST = Gauge("saidonce_base_salience_boost_mean", "Mean relative boost; healthy: 0.05 to 0.2", ["org"])

SERIES = (
    DOCUMENTS, SEGMENTS, BLOCKS, WAITING, WAITING_AGE, SOURCES, SOURCES_LATE, GATED, TALKS, ISSUES, INGESTED, REFUSED,
    SEARCHED, DEDUP, DEDUP_BY_FORMAT, MAX_BOOST, MEAN_BOOST,
)  # fmt: skip

_PARTED = {
    "documents": DOCUMENTS, "queue": WAITING, "syncs": SOURCES, "verdicts": GATED, "conversations": TALKS,
    "issues": ISSUES,
}  # fmt: skip
_WHOLE = {"segments": SEGMENTS, "blocks": BLOCKS}
_LONGEST = {"queue_oldest_s": WAITING_AGE, "syncs_late_s": SOURCES_LATE, "max_boost": MAX_BOOST}

_lock = threading.Lock()

Parts = Mapping[str, Mapping[str, float]]


class FreshFigures:
    """Figures that are summed up anew when they are older than GOOD_FOR_S."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._at: float | None = None
        self._figures: tuple[BaseFigure, ...] = ()
        self._lock = threading.Lock()

    def of(self, read: Callable[[], tuple[BaseFigure, ...]]) -> tuple[BaseFigure, ...]:
        """Return the figures, read anew if they are old; concurrent callers wait for them."""
        with self._lock:
            now = self._monotonic()
            if self._at is None or now - self._at >= GOOD_FOR_S:
                self._figures, self._at = read(), now
            return self._figures


def record_base(figures: Sequence[BaseFigure]) -> None:
    """Set the series of the whole base; what an organisation does not have has no series."""
    by_org: defaultdict[str, defaultdict[str, dict[str, float]]] = defaultdict(lambda: defaultdict(dict))
    shown = _largest(figures)
    for figure in figures:
        parts = by_org[figure.org if figure.org in shown else OTHERS][figure.name]
        before = parts.get(figure.part, 0.0)
        parts[figure.part] = max(before, figure.n) if figure.name in _LONGEST else before + figure.n
    with _lock:
        for series in SERIES:
            series.clear()
        for org, named in by_org.items():
            _record_org(org, named)


def _record_org(org: str, named: Parts) -> None:
    for name, series in _PARTED.items():
        _set_series(series, org, named.get(name, {}))
    for name, series in (_WHOLE | _LONGEST).items():
        for n in named.get(name, {}).values():
            series.labels(org).set(n)
    counted = named.get("counter", {})
    _set_series(INGESTED, org, _below(counted, "ingest.documents."))
    _set_series(REFUSED, org, _below(counted, "ingest.refused."))
    n_queries, n_empty = counted.get("search.queries", 0.0), counted.get("search.empty", 0.0)
    if n_queries:
        _set_series(SEARCHED, org, {"found": n_queries - n_empty, "empty": n_empty})
    segments, exact, near = (_below(counted, f"ingest.{name}.") for name in ("segments", "exact", "near"))
    removed = {name: (exact.get(name, 0.0) + near.get(name, 0.0)) / n for name, n in segments.items() if n}
    largest = sorted(removed, key=lambda name: (-segments[name], name))[:MOST_PARTS]
    for name in largest:
        DEDUP_BY_FORMAT.labels(org, name).set(removed[name])
    _set_share(DEDUP.labels(org, "ingest"), sum(exact.values()) + sum(near.values()), sum(segments.values()))
    _set_share(DEDUP.labels(org, "search"), counted.get("search.repeats", 0.0), counted.get("search.looked_at", 0.0))
    _set_share(MEAN_BOOST.labels(org), counted.get("ingest.boost_sum", 0.0), counted.get("ingest.boosts", 0.0))


def _largest(figures: Iterable[BaseFigure]) -> frozenset[str]:
    """Return the organisations that are shown by name: most documents first, ties by name."""
    n_documents: Counter[str] = Counter()
    for figure in figures:
        n_documents[figure.org] += int(figure.n) if figure.name == "documents" else 0
    return frozenset(sorted(n_documents, key=lambda org: (-n_documents[org], org))[:MOST_ORGS])


def _set_series(series: Gauge, org: str, parts: Mapping[str, float]) -> None:
    """Set the series of the largest parts, and of all others together."""
    ranked = sorted(parts, key=lambda part: (-parts[part], part))
    for part in ranked[:MOST_PARTS]:
        series.labels(org, part).set(parts[part])
    if rest := ranked[MOST_PARTS:]:
        series.labels(org, OTHERS).set(sum(parts[part] for part in rest))


def _set_share(series: Gauge, part: float, whole: float) -> None:
    series.set(part / whole if whole else 0.0)


def _below(counted: Mapping[str, float], prefix: str) -> dict[str, float]:
    return {name.removeprefix(prefix): n for name, n in counted.items() if name.startswith(prefix)}
