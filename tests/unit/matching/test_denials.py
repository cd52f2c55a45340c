"""Negations that deny more than "not": "nobody", "never", "cannot", "refuses" stand for no other."""

import tomllib
from pathlib import Path

import pytest

from saidonce.foundation.model import Candidate
from saidonce.foundation.text import content_hash
from saidonce.matching.agreement import Agreement, agreement

CASES = tomllib.loads((Path(__file__).parents[2] / "cases" / "slots" / "denials.toml").read_text(encoding="utf-8"))


def _agreement(language: str, a: str, b: str) -> Agreement:
    one, two = (Candidate(text, content_hash(text), language=language) for text in (a, b))
    return agreement(one, two).agreement


@pytest.mark.parametrize(("language", "a", "b"), CASES["apart"])
def test_other_denials_are_not_joined_either_way(language: str, a: str, b: str) -> None:
    joined = {Agreement.SAME, Agreement.REPEATS_A, Agreement.REPEATS_B}
    assert not {_agreement(language, a, b), _agreement(language, b, a)} & joined


@pytest.mark.parametrize(("language", "a", "b"), CASES["same"])
def test_one_denial_in_two_spellings_is_joined(language: str, a: str, b: str) -> None:
    assert (_agreement(language, a, b), _agreement(language, b, a)) == (Agreement.SAME, Agreement.SAME)
