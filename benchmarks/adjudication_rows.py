"""Labelled pairs to measure a local judge, from data outside the repository; none of it trains shipped weights.

Two sets. *Gate*: pairs as a generator of tasks would hand them in: both texts open with the same persona and task, so
that the scaffold is equal and only the subject may differ (softlines against hardlines); duplicates are other people's
wordings of one subject. *Base*: pairs unchanged, as in a knowledge base's gray zone.
"""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from benchmarks.evaluation_data import needed
from saidonce.foundation.text import digest


@dataclass(frozen=True, slots=True)
class Row:
    """A labelled pair.

    Attributes:
        group: rows of one group share texts, so that a split never cuts through it.
        same: whether the two texts ask for or say the same.
    """

    source: str
    group: str
    a: str
    b: str
    same: bool
    fields_a: tuple[tuple[str, str], ...] = ()
    fields_b: tuple[tuple[str, str], ...] = ()


FRAMES = {
    "mqp": ("patient of a family doctor", "answer a medical question"),
    "parade": ("student of computer science", "explain a term from its definition"),
    "checklist-qqp": ("editor of a questions-and-answers site", "answer a reader's question"),
    "clusters": ("member of the public", "answer a question about the epidemic"),
    "dialogues": ("customer of a booking assistant", "fulfil a request"),
    "utterances": ("resident of a city", "answer what the resident wants to know"),
    "vsaq": ("vendor under security review", "answer a question of the questionnaire"),
    "manuals": ("technical writer", "write one paragraph of the manual"),
}
"""Persona and task type of each source, the same on both sides of every pair."""


def read(name: str) -> list[dict[str, Any]]:
    """Return the rows of one table of the evaluation data."""
    with gzip.open(needed(f"{name}.jsonl.gz"), "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def framed(row: Row) -> Row:
    """Return the pair as a gate receives it: both texts after the same persona and task."""
    persona, task = FRAMES[row.source]
    head = f"As a {persona}, {task}: "
    fields = (("persona", persona), ("task", task))
    return replace(row, a=head + row.a, b=head + row.b, fields_a=fields, fields_b=fields)


def gate_rows(most: int, skip: int = 0) -> list[Row]:
    """Return the gate set, with a limit of rows for each source and label, spread by hash."""
    manuals = (replace(row, source="manuals") for row in _documents(MANUALS))
    raw = [*_pairs(("mqp", "parade", "checklist-qqp")), *_clusters(), *_dialogues(), *manuals]
    return [framed(row) for row in _spread(raw, most, skip)]


def base_rows(most: int, skip: int = 0) -> list[Row]:
    """Return the base set, with a limit of rows for each source and label."""
    everywhere = (*MANUALS, "citizens-dev")
    raw = [*_pairs(("mrpc", "apt", "condaqa", "fever-symmetric", "scifact-claims")), *_documents(everywhere)]
    return _spread(raw, most, skip)


def _spread(rows: Iterable[Row], most: int, skip: int) -> list[Row]:
    by: dict[tuple[str, bool], list[Row]] = defaultdict(list)
    for row in rows:
        if row.a != row.b:
            by[row.source, row.same].append(row)
    chosen: list[Row] = []
    for key in sorted(by):
        chosen += sorted(by[key], key=lambda r: digest(r.a, r.b))[skip : skip + most]
    return chosen


_SAME = frozenset({"duplicate", "reworded"})
_OTHER = frozenset({"distinct", "conflict", "fact_changed"})


def _pairs(sources: Sequence[str]) -> Iterator[Row]:
    for row in read("pairs"):
        if row["source"] in sources and row["label"] in _SAME | _OTHER:
            group = (row.get("meta") or {}).get("term") or row["a"][:40]
            yield Row(row["source"], digest(str(group)), row["a"], row["b"], row["label"] in _SAME)


def _clusters() -> Iterator[Row]:
    """Yield pairs of questions: duplicates of one cluster, and distinct ones of two clusters of one category."""
    by: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for cluster in read("question_clusters"):
        by[cluster["category"]].append(cluster)
    for category, clusters in sorted(by.items()):
        questions = [[q["question"] for q in c["questions"]] for c in clusters]
        for own in questions:
            for a, b in list(combinations(dict.fromkeys(own), 2))[:40]:
                yield Row("clusters", category, a, b, True)
        for one, two in combinations(questions, 2):
            for a in one[:3]:
                for b in two[:3]:
                    yield Row("clusters", category, a, b, False)


def _dialogues() -> Iterator[Row]:
    """Yield pairs of first requests of one intent: duplicates if they have the same slots, else distinct."""
    by: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for dialogue in read("dialogues"):
        for turn in dialogue["turns"]:
            for service, state in (turn.get("state") or {}).items():
                wishes = {k: sorted(v)[0].casefold() for k, v in state["slot_values"].items() if v}
                if len(wishes) >= 1 and len(turn["text"].split()) >= 5 and "INFORM" in turn["acts"]:
                    key = f"{service.split('_')[0]} {state['active_intent']}"
                    by[key].append((json.dumps(wishes, sort_keys=True), turn["text"]))
    for key, told in sorted(by.items()):
        for (wish_a, a), (wish_b, b) in combinations(sorted(set(told)), 2):
            mentioned = all(_mentions(t, w) for t, w in ((a, wish_a), (b, wish_b)))
            if mentioned:
                yield Row("dialogues", key, a, b, wish_a == wish_b)


def _mentions(text: str, wishes: str) -> bool:
    """Return whether a turn itself states every slot of its state, so that none comes from earlier turns."""
    folded = text.casefold()
    return all(value in folded for value in json.loads(wishes).values())


MANUALS = ("etcd-io+website", "kedacore+keda-docs", "hipaa")
"""Manuals that are not used to train the shipped judge."""


def _documents(sources: Sequence[str]) -> Iterator[Row]:
    """Yield blocks of two releases that say the same or state another fact; and distinct look-alikes of one release."""
    for name in ("doc_pairs", "kb_citizens_pairs", "kb_nist_pairs", "coexisting_pairs"):
        for row in read(name):
            if row["source"] not in sources:
                continue
            if row["label"] in _SAME | _OTHER and name != "coexisting_pairs":
                yield Row(row["source"], row["doc_a"], row["a"], row["b"], row["label"] in _SAME)
            elif name == "coexisting_pairs" and row["label"] == "fact_changed":
                yield Row(row["source"], row["doc_a"], row["a"], row["b"], False)
