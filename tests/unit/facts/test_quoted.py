"""Stretches in marks: a text is folded once, however many it holds."""

from __future__ import annotations

import pytest

from saidonce.matching.facts import quoted
from saidonce.matching.facts.scan import folded_word


@pytest.mark.parametrize("stretch", ['"I am" ', '"I am here" ', "\u201cI am you\u201d said. "])
def test_a_text_is_folded_once_not_once_a_stretch(stretch: str, monkeypatch: pytest.MonkeyPatch) -> None:
    folded: list[str] = []

    def counted(word: str) -> str:
        folded.append(word)
        return folded_word(word)

    monkeypatch.setattr(quoted, "folded_word", counted)
    text = stretch * 40
    quoted.quoted_otherwise(text, f"{text[3:]} zz", "en")
    assert len(folded) <= 8 * len(text.split())


def test_what_one_text_quotes_is_shown_where_the_other_has_it_without_marks() -> None:
    a, b = 'The agent said "I will pay the rent."', "The agent said. So I will pay the rent soon."
    for one, two in ((a, b), (b, a)):
        (objection,) = quoted.quoted_otherwise(one, two, "en")
        assert {objection.a.text, objection.b.text} == {'"I will pay the rent."', "I will pay the rent"}
        assert (one[objection.a.start : objection.a.end], two[objection.b.start : objection.b.end]) == (
            objection.a.text,
            objection.b.text,
        )
