"""Chinese, Japanese and Korean pairs, class by class: editing is the same both ways, and what comes near it is not."""

import tomllib
from pathlib import Path

import pytest

from saidonce.foundation.model import Candidate
from saidonce.foundation.text import content_hash
from saidonce.matching.agreement import Agreement, agreement

FILES = sorted((Path(__file__).parents[2] / "cases" / "characters").glob("*.toml"))
CASES = [case for file in FILES for case in tomllib.loads(file.read_text("utf-8"))["cases"]]


def _agreement(case: dict[str, str], *sides: str) -> Agreement:
    one, two = (Candidate(case[s], content_hash(case[s]), language=case["language"]) for s in sides)
    return agreement(one, two).agreement


@pytest.mark.parametrize("case", [c for c in CASES if c["label"] == "apart"], ids=lambda c: c["b"])
def test_what_comes_near_an_edit_stays_apart_both_ways(case: dict[str, str]) -> None:
    assert {_agreement(case, *"ab"), _agreement(case, *"ba")} <= {Agreement.OPEN, Agreement.OBJECTED}


@pytest.mark.parametrize("case", [c for c in CASES if c["label"] == "same"], ids=lambda c: c["b"])
def test_an_edit_is_the_same_both_ways(case: dict[str, str]) -> None:
    assert _agreement(case, *"ab") is _agreement(case, *"ba") is Agreement.SAME
