"""Catalogues and tables of languages: complete, with the same numbers, placeholders and words to send."""

from __future__ import annotations

import re
import sys
import tomllib
from importlib import import_module, resources
from pathlib import Path
from typing import Any

import pytest

from saidonce.repairs.conversation import gloss, named_pack
from saidonce.repairs.conversation.catalogue import TAGS, catalogue, in_language, placeholders
from saidonce.repairs.conversation.emergency import PACKS
from saidonce.repairs.conversation.wording import DANGER_BUTTONS, Text

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "docs"))

MESSAGES: Any = import_module("build_messages")
sentences, untranslated = MESSAGES.sentences, MESSAGES.untranslated

OTHERS = TAGS[1:]
WORDS_TO_SEND = re.compile(r"\b(?:START|STOP|NO|YES)\b")
ARABIC_DIGITS = re.compile(r"[\u0660-\u0669\u06f0-\u06f9]")
MARKS_OF_DIRECTION = re.compile(r"[\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def test_the_languages_are_there() -> None:
    assert set(TAGS) == {"en", "es", "fr", "de", "it", "nl", "pl", "pt", "ro", "ar", "zh"}
    assert set(gloss.TAGS) == set(OTHERS)


@pytest.mark.parametrize("tag", OTHERS)
def test_every_sentence_is_translated(tag: str) -> None:
    assert untranslated(tag) == [], "make messages lists them, and puts them into the catalogues"


@pytest.mark.parametrize("tag", OTHERS)
def test_a_translation_keeps_placeholders_digits_and_words_to_send(tag: str) -> None:
    for english, translated in catalogue(tag).items():
        assert placeholders(translated) == placeholders(english), english
        assert re.findall(r"\d+", translated) == re.findall(r"\d+", english), english
        assert sorted(WORDS_TO_SEND.findall(translated)) == sorted(WORDS_TO_SEND.findall(english)), english
        assert not ARABIC_DIGITS.search(translated), english
        assert not MARKS_OF_DIRECTION.search(translated), english


@pytest.mark.parametrize("tag", OTHERS)
@pytest.mark.parametrize("name", PACKS)
def test_a_safety_text_names_the_same_numbers_in_every_language(name: str, tag: str) -> None:
    for one in named_pack(name).classes:
        translated = in_language(one.safety, tag)
        assert translated != one.safety, one.kind
        assert re.findall(r"\d[\d ]*\d", translated) == re.findall(r"\d[\d ]*\d", one.safety), one.kind


@pytest.mark.parametrize("tag", OTHERS)
def test_a_title_of_a_button_stays_short_enough_for_whatsapp(tag: str) -> None:
    titles = ("No photo", "I'll send it later", "1: Yes", "2: No", "None of these")
    assert [t for t in titles if len(in_language(t, tag)) > 24] == []


def test_a_sentence_without_a_translation_goes_out_in_english() -> None:
    assert in_language(Text("No such sentence for {name}.", name="Ana"), "es") == "No such sentence for Ana."
    assert in_language("Written by a person.", "es") == "Written by a person."
    assert in_language(Text("You're welcome!"), "vi") == "You're welcome!"


def test_a_value_that_is_a_sentence_is_translated_and_one_that_is_a_word_of_theirs_is_given_back() -> None:
    reminder = Text("Hello! {reminder}", reminder=Text("You're welcome!"))
    assert in_language(reminder, "de") == "Guten Tag! Gern geschehen!"
    reported = Text("Done, I have reported it: {what} ({where}).", what="leaking tap", where="kitchen")
    own = {"leaking tap": "el grifo gotea", "kitchen": "cocina"}
    assert in_language(reported, "es", own.__getitem__) == "Hecho, he dado el aviso: el grifo gotea (cocina)."


@pytest.mark.parametrize("tag", gloss.TAGS)
def test_a_table_says_nothing_twice(tag: str) -> None:
    rows = tomllib.loads(
        (resources.files("saidonce.repairs.conversation") / "glosses" / f"{tag}.toml").read_text(encoding="utf-8")
    )
    phrases: dict[tuple[bool, str], str] = {}
    twice = []
    for section, entries in rows.items():
        for english, listed in entries.items() if isinstance(entries, dict) else ():
            for phrase in filter(None, (gloss.fold(p).strip() for p in listed.split("|"))):
                key = (section == "whole", phrase)
                twice += [(phrase, phrases[key], english)] if phrases.setdefault(key, english) != english else []
    assert twice == []


def test_all_sentences_are_extracted() -> None:
    templates = sentences()
    assert "Done, I have reported it: {what} ({where})." in templates
    assert "None of these" in templates
    assert any("{n1}" in t for t in templates)


@pytest.mark.parametrize("language", [tag for tag in TAGS if tag != "en"])
def test_numbered_buttons_are_translated_with_their_numbers(language: str) -> None:
    for button in DANGER_BUTTONS:
        title = in_language(button.title, language)
        assert title[0] == button.title[0]
    assert in_language("1: Yes", language) != "1: Yes"
