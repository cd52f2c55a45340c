"""The headline figures on public data that nobody of this project wrote; loose, so that they hold for long."""

import gzip
import hashlib
import json
from pathlib import Path
from typing import Any

from saidonce.matching.facts import compare
from shared_data import shared


def _rows(path: Path, share: int) -> list[dict[str, Any]]:
    """Every `share`-th row, by the hash of its line."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if hashlib.md5(line.encode()).digest()[0] % share == 0]


def _objecting(pairs: list[tuple[str, str]]) -> float:
    return sum(bool(compare(a, b).objections) for a, b in pairs) / len(pairs)


def test_releases_of_documentation() -> None:
    rows = _rows(shared("doc_pairs.jsonl.gz"), 3)
    by_label = {
        label: [(r["a"], r["b"]) for r in rows if r["label"] == label]
        for label in ("identical", "reworded", "fact_changed")
    }
    assert _objecting(by_label["identical"]) <= 0.02
    assert _objecting(by_label["reworded"]) <= 0.15
    assert _objecting(by_label["fact_changed"]) >= 0.75


def test_checklist_one_thing_changed() -> None:
    rows = [r for r in _rows(shared("pairs.jsonl.gz"), 3) if r["source"] == "checklist-qqp"]
    assert _objecting([(r["a"], r["b"]) for r in rows if r["label"] == "distinct"]) >= 0.98
    assert _objecting([(r["a"], r["b"]) for r in rows if r["label"] == "duplicate"]) <= 0.25


def test_polluted_abstracts() -> None:
    folder = shared("retrieval/scifact")
    corpus = {r["_id"]: f"{r['title']}\n{r['text']}" for r in _rows(folder / "polluted_corpus.jsonl.gz", 1)}
    truth = [r for r in _rows(folder / "polluted_truth.jsonl.gz", 5) if r["of"] in corpus]
    for relation, least, most in (
        ("changed", 0.98, 1.0),
        ("same", 0.0, 0.02),
        ("part", 0.0, 0.04),
        ("more", 0.0, 0.04),
    ):
        pairs = [(corpus[r["of"]], corpus[r["_id"]]) for r in truth if r["relation"] == relation]
        assert least <= _objecting(pairs) <= most, relation
