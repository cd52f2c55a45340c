"""Tables, lists and paragraphs: the same in another layout is joined, and what differs in one thing is not."""

import tomllib
from pathlib import Path

import pytest

from saidonce.foundation.model import Candidate
from saidonce.foundation.text import content_hash
from saidonce.matching.agreement import Accord, Agreement, agreement

FOLDER = Path(__file__).resolve().parents[2] / "cases" / "layouts"
FILES = sorted(FOLDER.glob("*.toml"))
CASES = {kind: [(f.stem, c) for f in FILES for c in tomllib.loads(f.read_text())[kind]] for kind in ("same", "differ")}


def _accord(language: str, a: str, b: str) -> Accord:
    one, two = (Candidate(text.strip(), content_hash(text.strip()), language=language) for text in (a, b))
    return agreement(one, two)


def _names(kind: str) -> list[str]:
    return [f"{language}: {case['form']}" for language, case in CASES[kind]]


@pytest.mark.parametrize(("language", "case"), CASES["same"], ids=_names("same"))
def test_another_layout_of_the_same_is_the_same(language: str, case: dict[str, str]) -> None:
    assert _accord(language, case["a"], case["b"]).agreement is Agreement.SAME
    assert _accord(language, case["b"], case["a"]).agreement is Agreement.SAME


@pytest.mark.parametrize(("language", "case"), CASES["differ"], ids=_names("differ"))
def test_another_layout_of_something_else_is_not_the_same(language: str, case: dict[str, str]) -> None:
    for a, b in ((case["a"], case["b"]), (case["b"], case["a"])):
        assert _accord(language, a, b).agreement is not Agreement.SAME
