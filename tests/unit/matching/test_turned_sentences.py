"""Sentences of which a clause, a party or a time has changed its place: what is another thing then, and what is not."""

import tomllib
from pathlib import Path

import pytest

from saidonce.foundation.model import Candidate
from saidonce.foundation.text import content_hash
from saidonce.matching.agreement import Agreement, agreement

TABLE = tomllib.loads((Path(__file__).parents[2] / "cases" / "slots" / "turned.toml").read_text(encoding="utf-8"))
CASES = {
    side: [(language, *pair) for language, rows in TABLE.items() for pair in rows[side]] for side in ("differ", "same")
}


def _agreement(language: str, a: str, b: str) -> Agreement:
    one, two = (Candidate(text, content_hash(text), language=language) for text in (a, b))
    return agreement(one, two).agreement


@pytest.mark.parametrize(("language", "a", "b"), CASES["differ"])
def test_what_is_said_of_another_is_not_joined(language: str, a: str, b: str) -> None:
    apart = (Agreement.OPEN, Agreement.OBJECTED)
    assert _agreement(language, a, b) in apart
    assert _agreement(language, b, a) in apart


@pytest.mark.parametrize(("language", "a", "b"), CASES["same"])
def test_what_is_said_of_the_same_is_joined(language: str, a: str, b: str) -> None:
    assert (_agreement(language, a, b), _agreement(language, b, a)) == (Agreement.SAME, Agreement.SAME)
