"""Values in other notations: none that differs is joined, and how many of those that are one are."""

import tomllib
from pathlib import Path

import pytest

from saidonce.foundation.model import Candidate
from saidonce.foundation.text import content_hash
from saidonce.matching.agreement import Agreement, agreement

FOLDER = Path(__file__).resolve().parents[2] / "cases" / "blind" / "notations"
FILES = sorted(FOLDER.glob("*.toml"))
JOINED = {"de": 30, "en": 57, "es": 20, "fr": 23, "it": 10, "ja": 13, "ko": 10, "zh": 14}
"""Pairs of one value that are joined, by language."""


def _agreement(language: str, a: str, b: str) -> Agreement:
    one, two = (Candidate(text, content_hash(text), language=language) for text in (a, b))
    return agreement(one, two).agreement


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_values_that_differ_are_not_joined(file: Path) -> None:
    pairs = tomllib.loads(file.read_text())["differ"]
    apart = (Agreement.OPEN, Agreement.OBJECTED)
    assert [(a, b) for a, b in pairs if _agreement(file.stem, a, b) not in apart] == []


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_value_is_one_in_another_notation(file: Path) -> None:
    pairs = tomllib.loads(file.read_text())["same"]
    assert sum(_agreement(file.stem, a, b) is Agreement.SAME for a, b in pairs) == JOINED[file.stem]
