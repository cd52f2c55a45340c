"""Italian, Portuguese, Dutch, Polish, and languages without tables: what one small word changes is held apart."""

import tomllib
from pathlib import Path

import pytest

from saidonce.foundation.model import Candidate
from saidonce.foundation.text import content_hash
from saidonce.matching.agreement import Agreement, agreement

_FILE = Path(__file__).parents[2] / "cases" / "slots" / "other_languages.toml"
CASES = tomllib.loads(_FILE.read_text(encoding="utf-8"))


def _agreement(language: str, a: str, b: str) -> Agreement:
    one, two = (Candidate(text, content_hash(text), language=language) for text in (a, b))
    return agreement(one, two).agreement


@pytest.mark.parametrize(("language", "a", "b"), CASES["apart"])
def test_what_only_looks_the_same_is_not_joined_either_way(language: str, a: str, b: str) -> None:
    joined = {Agreement.SAME, Agreement.REPEATS_A, Agreement.REPEATS_B}
    assert not {_agreement(language, a, b), _agreement(language, b, a)} & joined


@pytest.mark.parametrize(("language", "a", "b"), CASES["same"])
def test_what_says_the_same_is_joined_both_ways(language: str, a: str, b: str) -> None:
    assert (_agreement(language, a, b), _agreement(language, b, a)) == (Agreement.SAME, Agreement.SAME)
