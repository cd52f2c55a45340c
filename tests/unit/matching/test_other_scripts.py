"""Pairs in Arabic, Hebrew, Hindi, Korean, Chinese and Japanese that differ in a sign, a space or a comma alone.

Beside them stand pairs that say the same in another spelling or notation: see `tests/cases/scripts`.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from saidonce.foundation.model import Candidate
from saidonce.foundation.text import content_hash
from saidonce.matching.agreement import Agreement, agreement

TABLES = {
    file.stem: tomllib.loads(file.read_text())
    for file in sorted((Path(__file__).resolve().parents[2] / "cases" / "scripts").glob("*.toml"))
}
APART = (Agreement.OPEN, Agreement.OBJECTED)


def _agreements(language: str, a: str, b: str) -> list[Agreement]:
    one, two = (Candidate(text, content_hash(text), language=language) for text in (a, b))
    return [agreement(one, two).agreement, agreement(two, one).agreement]


@pytest.mark.parametrize("language", TABLES)
def test_what_a_sign_a_space_or_a_comma_parts_is_not_joined(language: str) -> None:
    pairs = TABLES[language]["differ"]
    assert [pair for pair in pairs if not all(a in APART for a in _agreements(language, *pair))] == []


@pytest.mark.parametrize("language", TABLES)
def test_nor_is_it_an_exact_repeat(language: str) -> None:
    assert [pair for pair in TABLES[language]["differ"] if content_hash(pair[0]) == content_hash(pair[1])] == []


@pytest.mark.parametrize("language", TABLES)
def test_what_only_another_spelling_or_notation_has_is_the_same(language: str) -> None:
    pairs = TABLES[language]["same"]
    assert [pair for pair in pairs if set(_agreements(language, *pair)) != {Agreement.SAME}] == []
