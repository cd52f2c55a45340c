"""The word at a place with the one behind it, and commas where a text has no letter."""

from __future__ import annotations

import pytest

from saidonce.matching.facts.letters import around
from saidonce.matching.facts.pauses import pauses_otherwise


@pytest.mark.parametrize(
    ("text", "at", "shown"),
    [
        ("banana an x", 0, "banana an"),
        ("banana an x", 3, "banana an"),
        ("banana an x", 7, "an x"),
        ("banana an x", 10, "x"),
        ("in  the inn", 0, "in  the"),
        ("수 수 있다", 0, "수 수"),
        (" a", 1, "a"),
    ],
)
def test_the_word_at_a_place_and_the_next(text: str, at: int, shown: str) -> None:
    span = around(text, at)
    assert (span.text, text[span.start : span.end]) == (shown, shown)


@pytest.mark.parametrize("commas", [",", ", ,", "\N{ARABIC COMMA}", " \n,"])
def test_a_text_without_letters_has_no_comma_elsewhere(commas: str) -> None:
    assert pauses_otherwise("Привет, да", commas, "ru") is None
    assert pauses_otherwise(f"مرحبا{commas} نعم", commas, "ar") is None
    assert pauses_otherwise(commas, "Привет, да", "ru") is None
