"""Adapter: Prometheus series of ingest and search, in the default registry of the process."""

from __future__ import annotations

from prometheus_client import Counter, Histogram

from saidonce.ingest import IngestReport, State
from saidonce.retrieve import SearchReport

_SHARES = (0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.75, 1.0)

DOCUMENTS = Counter("saidonce_documents", "Sources ingested, by what became of them", ["outcome"])
REFUSALS = Counter("saidonce_refusals", "Sources refused, by reason", ["reason"])
SEGMENTS = Counter("saidonce_segments", "Segments of ingested documents, by fate and format", ["outcome", "format"])
BOOST = Histogram("saidonce_salience_boost", "Relative salience boosts", buckets=(0.15, 0.24, 0.3, 0.4, 0.6, 1.0, 2.0))
RATIO = Histogram("saidonce_dedup_ratio", "Share removed as repeats, by phase", ["phase"], buckets=_SHARES)
SEARCHES = Counter("saidonce_searches", "Searches, by whether they found anything", ["outcome"])
RANKED = Counter("saidonce_ranked_blocks", "Ranked blocks that searches looked at, by fate", ["outcome"])
SECONDS = Histogram("saidonce_flow_seconds", "Duration of a flow", ["phase"])

SERIES = (DOCUMENTS, REFUSALS, SEGMENTS, BOOST, RATIO, SEARCHES, RANKED, SECONDS)


def record_ingest(report: IngestReport, seconds: float) -> None:
    """Count an ingest."""
    for document in report.documents:
        DOCUMENTS.labels(document.state).inc()
        if document.state is State.REFUSED:
            REFUSALS.labels(document.reason).inc()
        if not document.is_written:
            continue
        for outcome in ("kept", "exact", "near", "set_aside", "held_apart", "merged", "flagged"):
            SEGMENTS.labels(outcome, document.format).inc(getattr(document, f"n_{outcome}"))
        RATIO.labels("ingest").observe(document.dedup_ratio)
        for boost in document.boosts:
            BOOST.observe(boost)
    SECONDS.labels("ingest").observe(seconds)


def record_search(report: SearchReport, seconds: float) -> None:
    """Count a search."""
    SEARCHES.labels("found" if report.hits else "empty").inc()
    RANKED.labels("repeat").inc(report.n_repeats)
    RANKED.labels("below").inc(report.n_below)
    RANKED.labels("hit").inc(len(report.hits))
    RATIO.labels("search").observe(report.dedup_ratio)
    SECONDS.labels("search").observe(seconds)
