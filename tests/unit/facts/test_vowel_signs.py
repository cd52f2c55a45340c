"""Arabic words of the same letters: their signs are compared word by word, whichever text comes first."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saidonce.matching.facts.vowel_signs import signed_otherwise

WORDS = (
    "نحو قوي يقرب الأربعاء ثوان عشرة مترا أدنى يُكلَّف يُكلِّف السَّنة السُّنة الأعمال الإعمال الاعمال آلة ألة"
    " مقدماً مقدمًا إعلام أعلام حضَر حضَّر الحارسُ الحارسَ المديرُ المديرَ"
).split()
SENTENCES = st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("نحو قوي يقرب الأربعاء ثوان عشرة مترا.", "يقرب عشرة قوي أدنى نحو مترا ثوان."),
        ("أدنى ثوان", "ثوان أدنى"),
        ("قرأ العامل", "قال العامل"),
        ("مقدماً", "مقدمًا"),
    ],
)
def test_words_of_other_letters_have_no_signs_to_compare(a: str, b: str) -> None:
    assert signed_otherwise(a, b, "ar") is None
    assert signed_otherwise(b, a, "ar") is None


def test_the_two_words_are_quoted_beside_words_that_one_text_has_alone() -> None:
    a, b = "هنا يُكلَّف الساكن", "يُكلِّف الساكن بالتنظيف"
    places = signed_otherwise(a, b, "ar")
    assert places is not None
    assert [place.text for place in places if place] == ["يُكلَّف", "يُكلِّف"]


@given(SENTENCES, SENTENCES)
def test_which_text_comes_first_makes_no_difference(a: str, b: str) -> None:
    places, turned = signed_otherwise(a, b, "ar"), signed_otherwise(b, a, "ar")
    assert (places and places[::-1]) == turned
    assert signed_otherwise(a, a, "ar") is None
