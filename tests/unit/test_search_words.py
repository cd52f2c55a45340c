"""Words and terms by which a text is searched, where these are not the words between spaces."""

from __future__ import annotations

import pytest

from saidonce.foundation.text import language, search_words, terms
from saidonce.kb.search.asked_language import asked_languages, content_words
from saidonce.kb.search.compounds import is_in_compound


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("ごみ袋", ["ごみ", "袋"]),
        ("水龍頭", ["水龙", "龙头"]),
        ("アイロンを使う", ["アイロン", "使"]),
        ("연차휴가 3일", ["연차", "차휴", "휴가", "3", "일"]),
        ("ขยะมา", ["ขยะ", "ยะม", "ะมา"]),
        ("GP400型号", ["gp400", "型号"]),
        ("पानी का टैंक", ["पानी", "का", "टैंक"]),
        ("تُنظَّف", ["تنظف"]),
        ("שָׁלוֹם", ["שלום"]),
        ("Łódź isn't far", ["łódź", "isn't", "far"]),
    ],
)
def test_words_of_a_script_are_what_it_writes(written: str, expected: list[str]) -> None:
    assert search_words(written) == expected


@pytest.mark.parametrize(
    ("one", "other", "tag"),
    [
        ("水龙头", "水龍頭", "zh"),
        ("السلالم", "سلالم", "ar"),
        ("تُنظف", "تنظف", "und"),
        ("للسكان", "السكان", "ar"),
        ("بتحويل", "التحويل", "und"),
        ("والقطط", "القطط", "ar"),
        ("أدفع", "يدفع", "und"),
        ("كيسان", "كيس", "ar"),
        ("narzędzia", "narzędzi", "pl"),
        ("квартиры", "квартира", "und"),
        ("knihovny", "knihovna", "cs"),
        ("पंखे", "पंखा", "und"),
    ],
)
def test_forms_of_one_word_share_a_term(one: str, other: str, tag: str) -> None:
    assert terms(one, tag).keys() & terms(other, tag).keys()


@pytest.mark.parametrize(("one", "other"), [("مدرسة", "مدينة"), ("بيت", "بنت"), ("水道", "水龍"), ("하늘", "하루")])
def test_different_words_share_none(one: str, other: str) -> None:
    assert not terms(one).keys() & terms(other).keys()


@pytest.mark.parametrize("tag", ["und", "en", "ar"])
def test_a_word_has_the_terms_of_its_script_in_a_text_in_any_language(tag: str) -> None:
    assert terms("المسبح", tag) == terms("المسبح", "ar")


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("Quando e come iscrivo mia figlia al nido?", ("it",)),
        ("Gdzie odkładam wypożyczone narzędzie?", ("pl",)),
        ("Waar leg ik het gereedschap terug?", ("nl",)),
        ("is there a lift in the house?", ()),
        ("backup retention", ()),
        ("what does die casting cost?", ()),
    ],
)
def test_the_language_of_a_question_shows_in_its_small_words(query: str, expected: tuple[str, ...]) -> None:
    assert asked_languages(query, ("de", "en", "it", "nl", "pl", "pt")) == expected


def test_a_language_that_the_base_does_not_have_is_not_searched() -> None:
    assert asked_languages("Gdzie odkładam wypożyczone narzędzie?", ("en", "de")) == ()


def test_words_of_asking_are_left_out_unless_nothing_else_is_asked() -> None:
    assert content_words("Quando è il nido?", ("und", "it")) == ["nido"]
    assert content_words("Quando?", ("und", "it")) == ["quando"]


@pytest.mark.parametrize(
    ("word", "content", "tag", "expected"),
    [
        ("gereedschap", "De planken van het tuingereedschap.", "nl", True),
        ("bijdrage", "De jaarbijdrage is veertig euro.", "nl", True),
        ("compostzakken", "Ieder lid krijgt twee zakken compost.", "nl", True),
        ("Schlüssel", "Der Haustürschlüssel liegt beim Hausmeister.", "de", True),
        ("Mietzahlung", "Die Zahlung der Miete ist am Ersten fällig.", "de", True),
        ("jaar", "De jaarbijdrage is veertig euro.", "nl", False),
        ("gereedschap", "De planken van de schuur.", "nl", False),
        ("right", "The copyright is ours.", "en", False),
        ("compostzakken", "Ieder lid krijgt twee zakken.", "nl", False),
    ],
)
def test_a_compound_holds_its_parts(word: str, content: str, tag: str, expected: bool) -> None:
    assert is_in_compound(word.casefold(), content, tag) is expected


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("कपड़े धोने का कमरा रोज़ सुबह सात बजे खुलता है और रात नौ बजे बंद होता है।", "hi"),
        ("धुलाईघर सकाळी सात वाजता उघडते आणि रात्री नऊ वाजता बंद होते, रविवारी बंद असते.", "mr"),
        ("ห้องซักผ้าเปิดทุกวันตั้งแต่เจ็ดโมงเช้าถึงสามทุ่ม ปิดวันอาทิตย์และวันหยุดราชการ", "th"),
    ],
)
def test_vowel_signs_are_letters_where_a_language_is_detected(written: str, expected: str) -> None:
    assert language(written) == expected
