"""Series of the whole base: set from figures of the database, few whatever the number of organisations."""

from __future__ import annotations

import pytest
from prometheus_client import REGISTRY

from saidonce.app.base_metrics import GOOD_FOR_S, MOST_ORGS, MOST_PARTS, OTHERS, FreshFigures, record_base
from saidonce.foundation.model.base_figures import BaseFigure


def value(name: str, **labels: str) -> float | None:
    return REGISTRY.get_sample_value(f"saidonce_base_{name}", labels)


def counter(name: str, n: float) -> BaseFigure:
    return BaseFigure("north", "counter", name, n)


def test_counters_of_the_database_become_the_five_metrics_of_repeats() -> None:
    record_base(
        [
            counter("ingest.segments.md", 10), counter("ingest.exact.md", 1), counter("ingest.near.md", 2),
            counter("ingest.segments.pdf", 10), counter("ingest.boosts", 4), counter("ingest.boost_sum", 0.8),
            counter("search.repeats", 1), counter("search.looked_at", 4),
            counter("search.queries", 5), counter("search.empty", 2),
            counter("ingest.documents.new", 3), counter("ingest.refused.unsupported", 1),
            BaseFigure("north", "max_boost", "", 0.4),
        ]
    )  # fmt: skip
    assert value("dedup_ratio", org="north", phase="ingest") == pytest.approx(0.15)
    assert value("dedup_ratio", org="north", phase="search") == 0.25
    assert value("dedup_ratio_by_format", org="north", format="md") == pytest.approx(0.3)
    assert value("dedup_ratio_by_format", org="north", format="pdf") == 0
    assert (value("salience_boost_max", org="north"), value("salience_boost_mean", org="north")) == (0.4, 0.2)
    assert value("searches", org="north", outcome="found") == 3
    assert value("ingested_documents", org="north", outcome="new") == 3
    assert value("refused_documents", org="north", reason="unsupported") == 1


def test_what_an_organisation_does_not_have_any_more_has_no_series() -> None:
    record_base([BaseFigure("north", "queue", "unsure", 2), BaseFigure("north", "queue_oldest_s", "", 60)])
    assert (value("queue", org="north", reason="unsure"), value("queue_oldest_seconds", org="north")) == (2, 60)
    record_base([])
    assert value("queue", org="north", reason="unsure") is None
    assert value("queue_oldest_seconds", org="north") is None


def test_many_organisations_and_many_formats_are_summed_up() -> None:
    many = [BaseFigure(f"org-{n:04}", "documents", "md", 1 + (n < 3)) for n in range(MOST_ORGS + 40)]
    late = [BaseFigure(f.org, "syncs_late_s", "", 5.0 * (f.org == many[-1].org)) for f in many]
    formats = [BaseFigure("org-0000", "documents", f"f{n:03}", 1) for n in range(MOST_PARTS + 10)]
    record_base([*many, *late, *formats])
    assert value("documents", org=OTHERS, format="md") == 40
    assert value("syncs_late_seconds", org=OTHERS) == 5, "the longest, not the sum"
    assert value("documents", org="org-0000", format="md") == 2
    assert value("documents", org="org-0000", format=OTHERS) == 11
    documents = next(m for m in REGISTRY.collect() if m.name == "saidonce_base_documents")
    assert len(documents.samples) <= MOST_ORGS + MOST_PARTS + 2
    record_base([])


def test_figures_are_read_again_when_they_are_old() -> None:
    now, reads = [0.0], []

    def read() -> tuple[BaseFigure, ...]:
        reads.append(now[0])
        return (BaseFigure("north", "blocks", "", len(reads)),)

    fresh = FreshFigures(lambda: now[0])
    assert fresh.of(read) == fresh.of(read)
    now[0] = GOOD_FOR_S
    assert fresh.of(read)[0].n == 2
    assert reads == [0.0, GOOD_FOR_S]
