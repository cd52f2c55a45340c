"""Prometheus series of an ingest: what the process has counted."""

from __future__ import annotations

from prometheus_client import REGISTRY

from saidonce.app.metrics import record_ingest
from saidonce.kb.ingest import DocumentReport, IngestReport, State

MERGED = DocumentReport(
    "b.md", State.NEW, "md", n_segments=9, n_kept=7, n_exact=1, n_near=1, n_held_apart=1, n_merged=3, n_flagged=2
)
REFUSED = DocumentReport("c.md", State.REFUSED)


def counted(outcome: str) -> float:
    return REGISTRY.get_sample_value("saidonce_segments_total", {"outcome": outcome, "format": "md"}) or 0.0


def test_segments_are_counted_by_fate_with_what_merged_and_what_waits() -> None:
    fates = ("kept", "exact", "near", "set_aside", "held_apart", "merged", "flagged")
    before = {outcome: counted(outcome) for outcome in fates}
    record_ingest(IngestReport("main", (MERGED, REFUSED)), 0.1)
    gained = {outcome: counted(outcome) - before[outcome] for outcome in fates}
    assert gained == {"kept": 7, "exact": 1, "near": 1, "set_aside": 0, "held_apart": 1, "merged": 3, "flagged": 2}


def test_a_document_that_was_there_already_counts_no_segments() -> None:
    before = counted("merged")
    record_ingest(IngestReport("main", (DocumentReport("b.md", State.UNCHANGED, "md", n_merged=3),)), 0.1)
    assert counted("merged") == before
