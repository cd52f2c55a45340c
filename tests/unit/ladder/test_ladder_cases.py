"""Runs every decision table of tests/cases/ladder; whoever can read a table can add a case."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from saidonce.foundation.model import (
    Candidate,
    FactKind,
    Failure,
    Kind,
    Match,
    Objection,
    Opinion,
    Outcome,
    Reason,
    Ruling,
    Span,
)
from saidonce.foundation.settings.policy import POLICIES, Policy
from saidonce.matching.ladder import RUNGS, STRUCTURAL_GUARDS, Case, ask, decide

TABLES = Path(__file__).resolve().parents[2] / "cases" / "ladder"


def rows() -> list[Any]:
    found = []
    for table in sorted(TABLES.glob("*.toml")):
        for row in tomllib.loads(table.read_text(encoding="utf-8"))["case"]:
            found.append(pytest.param(row, id=f"{table.stem}: {row['name']}"))
    return found


def policy(row: dict[str, Any]) -> Policy:
    if isinstance(row["policy"], str):
        return POLICIES[row["policy"]]
    made = dict(row["policy"])
    made["on_objection"], made["when_unsure"] = Outcome(made["on_objection"]), Outcome(made["when_unsure"])
    made["may_rule"] = frozenset(Outcome(name) for name in made.get("may_rule", ()))
    return Policy(use="table", **made)


def ruling(row: dict[str, Any]) -> Ruling | None:
    """`ruling` = { opinion, of } or { failure }."""
    if "ruling" not in row:
        return None
    said = row["ruling"]
    if "failure" in said:
        return Ruling(Opinion.UNSURE, failure=Failure(said["failure"]))
    return Ruling(Opinion(said["opinion"]), said.get("of", ""), confidence=0.9)


def text_of(side: dict[str, Any]) -> Candidate:
    """`rows` = [3, 2] stands for a table of three rows and two columns."""
    n_rows, n_columns = side.get("rows", (0, 0))
    return Candidate(
        text=side.get("text", "text"),
        content_hash=side.get("text", "text"),
        kind=Kind(side.get("kind", "paragraph")),
        language=side.get("language", "und"),
        section_role=side.get("section_role", ""),
        rows=tuple(("cell",) * n_columns for _ in range(n_rows)),
        section=side.get("section", ""),
    )


@pytest.mark.parametrize("row", rows())
def test_case(row: dict[str, Any]) -> None:
    matches = tuple(
        Match(m.get("id", "m"), m["similarity"], text_of({"text": f"kept {place}", **m}))
        for place, m in enumerate(row.get("matches", []))
    )
    objected = {m.kept.text for m, said in zip(matches, row.get("matches", []), strict=True) if said.get("objection")}

    def facts(_candidate: Candidate, kept: Candidate) -> Sequence[Objection]:
        return (Objection(FactKind.NUMBER, Span(0, 2, "30"), Span(0, 2, "90")),) if kept.text in objected else ()

    case = Case(text_of(row.get("candidate", {})), matches, policy(row), (*STRUCTURAL_GUARDS, facts), ruling(row))
    question = ask(case)
    assert (question is not None) == row.get("asks", "ruling" in row)
    assert question is None or [s.match.id for s in question.shown] == row.get("shown", ["m"])
    verdict = decide(case)
    assert verdict.outcome is Outcome(row["outcome"])
    assert verdict.reason is Reason(row["reason"])
    assert verdict.of == row.get("of", "" if row["outcome"] == "distinct" else "m")
    assert [o.kind for o in verdict.objections] == [FactKind(kind) for kind in row.get("objections", [])]
    names = [rung.__name__ for rung in RUNGS if case.policy.asks or rung.__name__ != "adjudicate"]
    assert [step.rung for step in verdict.trail] == names[: len(verdict.trail)]
    assert verdict.trail[-1].rung == row["settled_by"]
