"""The order of files in a parallel run: what is named is there, and comes first."""

from __future__ import annotations

from pathlib import Path

from longest_first import LONGEST, place

TESTS = Path(__file__).resolve().parents[1]


def test_every_long_file_is_there() -> None:
    assert [each for each in LONGEST if not (TESTS / each).is_file()] == []


def test_the_longest_comes_first_and_what_is_not_named_last() -> None:
    here = Path(__file__).as_posix()
    paths = [here, *(f"{TESTS}/{each}" for each in reversed(LONGEST))]
    assert sorted(paths, key=place) == [*(f"{TESTS}/{each}" for each in LONGEST), here]
