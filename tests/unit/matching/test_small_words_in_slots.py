"""Small words in their slots and marks between words: what changes places or bears on something else is not joined."""

import tomllib
from pathlib import Path

import pytest

from saidonce.foundation.model import Candidate
from saidonce.foundation.text import content_hash
from saidonce.matching.agreement import Agreement, agreement

FOLDER = Path(__file__).resolve().parents[2] / "cases" / "slots"
TABLES = [
    tomllib.loads((FOLDER / name).read_text(encoding="utf-8")) for name in ("en.toml", "bearing.toml", "placed.toml")
]
CASES = {side: [pair for table in TABLES for pair in table[side]] for side in ("differ", "same")}


def _agreement(a: str, b: str) -> Agreement:
    one, two = (Candidate(text, content_hash(text), language="en") for text in (a, b))
    return agreement(one, two).agreement


@pytest.mark.parametrize(("a", "b"), CASES["differ"])
def test_what_says_something_else_is_not_joined_either_way(a: str, b: str) -> None:
    apart = (Agreement.OPEN, Agreement.OBJECTED)
    assert _agreement(a, b) in apart
    assert _agreement(b, a) in apart


@pytest.mark.parametrize(("a", "b"), CASES["same"])
def test_what_says_the_same_is_joined_either_way(a: str, b: str) -> None:
    assert (_agreement(a, b), _agreement(b, a)) == (Agreement.SAME, Agreement.SAME)


def test_bits_and_bytes_are_not_one_text_by_their_name() -> None:
    assert content_hash("The link carries 5 Gb.") != content_hash("The link carries 5 GB.")
    assert content_hash("The disk holds 5 GB.") == content_hash("the disk holds 5 gb.")
