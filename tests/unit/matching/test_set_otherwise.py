"""One thing set otherwise, from a table: a link, a menu, keys, steps, a heading, points, a command, lines, a table."""

import tomllib
from pathlib import Path

import pytest

from saidonce.foundation.model import Candidate
from saidonce.foundation.text import content_hash
from saidonce.matching.agreement import Agreement, agreement

FILE = Path(__file__).resolve().parents[2] / "cases" / "set_otherwise" / "cases.toml"
CASES = tomllib.loads(FILE.read_text())["case"]
OF_ONE, APART = ([case for case in CASES if case["agreement"] == of] for of in ("same", "apart"))


def _is_same(case: dict[str, str], one: str, other: str) -> bool:
    a, b = (Candidate(case[k], content_hash(case[k]), language=case["language"]) for k in (one, other))
    return agreement(a, b).agreement is Agreement.SAME


def _name(case: dict[str, str]) -> str:
    return f"{case['language']}: {case['form']}"


@pytest.mark.parametrize("case", OF_ONE, ids=_name)
def test_what_is_set_otherwise_is_the_same(case: dict[str, str]) -> None:
    assert _is_same(case, "a", "b")
    assert _is_same(case, "b", "a")


@pytest.mark.parametrize("case", APART, ids=_name)
def test_what_differs_in_one_thing_is_not_the_same(case: dict[str, str]) -> None:
    assert not _is_same(case, "a", "b")
    assert not _is_same(case, "b", "a")
