"""Readable cases: which pairs the guard objects to, and on what ground."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from saidonce.matching.facts import compare

CASES = Path(__file__).resolve().parents[2] / "cases" / "facts"


def _cases() -> list[Any]:
    return [
        pytest.param(case, id=f"{path.stem}-{n}")
        for path in sorted(CASES.glob("*.toml"))
        for n, case in enumerate(tomllib.loads(path.read_text("utf-8"))["cases"], 1)
    ]


@pytest.mark.parametrize("case", _cases())
def test_the_guard_objects_to_just_these_facts(case: dict[str, Any]) -> None:
    found = compare(case["a"], case["b"])
    assert {o.kind.value for o in found.objections} == set(case["objects"]), found.objections
    assert found.a_adds == case.get("a_adds", found.a_adds)
    assert found.b_adds == case.get("b_adds", found.b_adds)


def test_there_are_cases_enough() -> None:
    assert len(_cases()) >= 200
