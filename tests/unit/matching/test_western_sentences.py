"""Sentences turned round, mostly German, French and Spanish: what only looks like a re-wording, and what is one."""

import tomllib
from pathlib import Path

import pytest

from saidonce.foundation.model import Candidate
from saidonce.foundation.text import content_hash
from saidonce.matching.agreement import Agreement, agreement

SLOTS = Path(__file__).parents[2] / "cases" / "slots"
TABLES = [tomllib.loads((SLOTS / f"{name}.toml").read_text(encoding="utf-8")) for name in ("western", "turned")]
CASES = {
    side: [(language, *pair) for table in TABLES for language, rows in table.items() for pair in rows[side]]
    for side in ("differ", "same")
}


def _agreement(language: str, a: str, b: str) -> Agreement:
    one, two = (Candidate(text, content_hash(text), language=language) for text in (a, b))
    return agreement(one, two).agreement


@pytest.mark.parametrize(("language", "a", "b"), CASES["differ"])
def test_what_says_another_thing_in_like_words_is_not_joined(language: str, a: str, b: str) -> None:
    apart = (Agreement.OPEN, Agreement.OBJECTED)
    assert _agreement(language, a, b) in apart
    assert _agreement(language, b, a) in apart


@pytest.mark.parametrize(("language", "a", "b"), CASES["same"])
def test_what_says_the_same_in_another_construction_is_joined(language: str, a: str, b: str) -> None:
    assert (_agreement(language, a, b), _agreement(language, b, a)) == (Agreement.SAME, Agreement.SAME)
