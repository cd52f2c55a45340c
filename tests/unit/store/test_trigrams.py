"""Folding to letters, and trigrams."""

from __future__ import annotations

import pytest

from saidonce.adapters.postgres.trigrams import heading_texts, letters, similarity, trigrams


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Hello,  World!", "hello world"),
        ("Délais d'Été", "delais d ete"),
        ("Straße ﬁne Ⅳ", "strasse fine iv"),
        ("٣٠ дней", "30 " + letters("дней")),
        ("snake_case-3.5", "snake case 3 5"),
        ("", ""),
        ("\x00\ud800", ""),
    ],
)
def test_letters(text: str, folded: str) -> None:
    assert letters(text) == folded


def test_letters_beyond_ascii_stay_apart() -> None:
    assert letters("жук") != letters("жар")
    assert len(letters("жук")) == 9
    assert similarity(letters("копирование"), letters("копирования")) > 0.6
    assert similarity(letters("копирование"), letters("журналы")) < 0.1
    assert similarity(letters("保存期間"), letters("保存期限")) > 0.3


def test_trigrams_of_words() -> None:
    assert trigrams("cat") == {"  c", " ca", "cat", "at "}
    assert trigrams("a") == {"  a", " a "}
    assert similarity("word", "two words") == pytest.approx(0.3636364, abs=1e-7)
    assert similarity("", "") == 0.0


def test_heading_texts() -> None:
    assert heading_texts("T", ("A", "B b")) == ("t", "b b", "t a b b")
    assert heading_texts("T", ()) == ("t", "", "t")
