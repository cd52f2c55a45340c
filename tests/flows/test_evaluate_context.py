"""What a context holds at equal budgets: counted by groups that say the same."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from saidonce.interfaces.cli import app
from saidonce.kb.packed_context import Origin, PackedContext, PackedPassage
from saidonce.quality import context as flow
from saidonce.quality.retrieval import Task, task
from world import CountingEmbedder, World, world

RULE = "Backups of the archive are written every night by the operations team of the northern office."
KEPT = "Their copies are kept for 30 days in two regions and looked at by the auditors once a year."
LONG = f"{RULE} {KEPT}"
GARDEN = "Whoever waters the garden of the archive in summer writes the amount on the list in the shed."
DOCS = {
    "origin": LONG,
    "copy": f"{LONG}\n",
    "again": LONG.replace("30 days", "30  days"),
    "changed": LONG.replace("30 days", "90 days"),
    "garden": GARDEN,
}
TASK = Task(
    {"q": "how long are the backups of the archive kept"},
    {"q": {"origin": 1.0, "changed": 1.0, "garden": 1.0}},
    {"origin": "a", "copy": "a", "again": "a", "changed": "b", "garden": "c"},
)


@pytest.fixture
def base() -> World:
    filled = world(min_relevance=0.0)
    filled.ingest({f"{name}": text for name, text in DOCS.items()})
    return filled


def report(base: World, *budgets: int) -> flow.ContextReport:
    return flow.run(base.base, TASK, "main", lambda: None, budgets)


def test_a_packed_context_holds_every_group_in_fewer_tokens(base: World) -> None:
    values = report(base, 2_000).values[2_000]
    assert values["packed"]["distinct"] == values["top-k"]["distinct"] == 3
    assert values["packed"]["relevant"] == 3
    assert values["packed"]["redundancy"] == 0 < values["top-k"]["redundancy"]
    assert values["packed"]["tokens"] < values["top-k"]["tokens"]


def test_a_tight_budget_holds_more_that_is_distinct(base: World) -> None:
    (budget,) = tight = (100,)
    values = report(base, *tight).values[budget]
    assert values["packed"]["distinct"] > values["top-k"]["distinct"]
    assert values["packed"]["lost"] == 0
    assert all(figures["tokens"] <= budget for figures in values.values())


def test_the_ideal_order_has_what_is_relevant_first_and_each_group_once(base: World) -> None:
    lone = Task(TASK.queries, {"q": {"garden": 1.0}}, TASK.group_of)
    values = flow.run(base.base, lone, "main", lambda: None, (50,)).values[50]
    assert {arm: figures["relevant"] for arm, figures in values.items()} == dict.fromkeys(flow.ARMS, 0) | {"ideal": 1}
    assert {**report(base, 2_000).values[2_000]["ideal"], "tokens": 0} == {
        "relevant": 3, "distinct": 3, "redundancy": 0, "lost": 0, "lost_above": 0, "tokens": 0
    }  # fmt: skip


def test_what_is_lost_against_the_plain_ranking_is_counted(base: World) -> None:
    values = report(base, 2_000).values[2_000]
    assert {arm: figures["lost"] for arm, figures in values.items()} == dict.fromkeys([*flow.ARMS, flow.IDEAL], 0)


def test_a_loss_counts_as_above_where_the_arm_shows_something_that_ranks_below(base: World) -> None:
    def shown(*documents: str) -> PackedContext:
        passages = (PackedPassage(n, Origin(d, d, "", (), None), DOCS[d]) for n, d in enumerate(documents, 1))
        return PackedContext("q", 100, tuple(passages))

    ranks = {name: rank for rank, name in enumerate(DOCS)}
    plain = shown("origin", "changed", "garden")
    losses = [flow._losses(shown(*few), plain, ranks, TASK) for few in (("again",), ("copy", "garden"), ())]
    assert losses == [
        {"lost": 2, "lost_above": 0},
        {"lost": 1, "lost_above": 1},
        {"lost": 3, "lost_above": 0},
    ]


def test_the_tokens_of_a_passage_are_counted_once(base: World, monkeypatch: pytest.MonkeyPatch) -> None:
    counted: list[str] = []
    count = type(base.embedder).count_tokens

    def counting(embedder: CountingEmbedder, texts: Sequence[str]) -> list[int]:
        counted.extend(texts)
        return count(embedder, texts)

    monkeypatch.setattr(type(base.embedder), "count_tokens", counting)
    report(base, 500, 1_000, 2_000)
    assert len(counted) == len(set(counted))


def test_a_limit_takes_the_first_queries(tmp_path: Path) -> None:
    rows: dict[str, list[dict[str, Any]]] = {
        "corpus": [{"_id": "d", "text": RULE}],
        "queries": [{"_id": f"q{n}", "text": f"query {n}"} for n in range(3)],
        "qrels": [{"query": f"q{n}", "doc": "d", "score": 1} for n in (2, 1)],
    }
    for name, lines in rows.items():
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    assert list(task(tmp_path, False, "").queries) == ["q1", "q2"]
    assert list(task(tmp_path, False, "", 1).queries) == ["q1"]


def test_a_budget_that_nothing_fits_into_is_refused_before_the_corpus_is_read(tmp_path: Path) -> None:
    ran = CliRunner().invoke(app, ["evaluate", "context", str(tmp_path / "none"), "--tokens", "5"])
    assert ran.exit_code == 2
    assert "tokens must be 50 to 200,000, not 5" in ran.output


def test_where_everything_fits_nothing_of_the_first_hits_is_lost(base: World) -> None:
    values = report(base, 200_000).values[200_000]
    assert values["packed"]["lost"] == values["dedup"]["lost"] == 0
