"""Figures of rankings, by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from saidonce.quality import figures
from saidonce.quality.retrieval import RankedHits, Task, measure, task

GAINS = {"a": 2.0, "b": 1.0, "c": 0.0}
PROPERTY = Path(__file__).resolve().parents[2] / "cases" / "property_documents"


@pytest.mark.parametrize(
    ("ranked", "k", "precision", "relevance"),
    [
        (["a", "b"], 2, 1.0, 1.0),
        (["a", "x"], 2, 0.5, 2 / 3),
        (["b", "x"], 1, 1.0, 0.5),
        (["x", "c", "a"], 2, 0.0, 0.0),
        ([], 5, 0.0, 0.0),
    ],
)
def test_precision_and_graded_relevance(ranked: list[str], k: int, precision: float, relevance: float) -> None:
    assert figures.precision(ranked, GAINS, k) == pytest.approx(precision)
    assert figures.relevance(ranked, GAINS, k) == pytest.approx(relevance)
    assert figures.precision(ranked, {}, k) == figures.relevance(ranked, {}, k) == 0.0


def test_an_interval_is_the_same_again_and_holds_the_mean() -> None:
    values = [0.0, 1.0, 1.0, 0.5, 0.25] * 8
    low, high = figures.bootstrap(values)
    assert (low, high) == figures.bootstrap(list(values))
    assert low < figures.mean(values) < high
    assert figures.bootstrap([0.5] * 10) == (0.5, 0.5)
    assert figures.bootstrap([]) == (0.0, 0.0)


def test_arms_are_compared_query_by_query() -> None:
    work = Task({"q1": "", "q2": ""}, {"q1": {"a": 1.0}, "q2": {"b": 1.0}})
    hits = {"hybrid": ["a", "b"], "dense": ["b", "b"], "lexical": ["a", "b"]}
    ranked = [
        RankedHits(query, arm, ((doc, 1.0, ()),))
        for arm, docs in hits.items()
        for query, doc in zip(("q1", "q2"), docs, strict=True)
    ]
    report = measure(work, ranked, {}, 5)
    assert report.ahead["dense"][0] == pytest.approx(0.5)
    assert report.ahead["lexical"] == (0.0, 0.0, 0.0)
    assert report.intervals["hybrid"]["ndcg@5"] == (1.0, 1.0)


def test_the_property_documents_are_whole() -> None:
    work = task(PROPERTY, polluted=False, split="")
    there = {json.loads(line)["_id"] for line in (PROPERTY / "corpus.jsonl").read_text(encoding="utf-8").splitlines()}
    assert len(work.queries) >= 40
    assert all(max(gains.values()) == 2.0 and there.issuperset(gains) for gains in work.gains.values())
