"""Terms of recognised speech: a compound that is written down as two words is found as one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from saidonce.foundation import text
from saidonce.foundation.model import Kind, Segment
from saidonce.kb.canonical import segment_terms


@pytest.mark.parametrize(
    ("heard", "sought", "language"),
    [
        ("Die Heizung wird am Freitag vor Mittag entlüftet.", "Vormittag", "de"),
        ("Der Schlüssel liegt im Haus Meister Büro.", "Hausmeister", "de"),
        ("Sopor hämtas i sop rummet.", "soprummet", "sv"),
        ("De sleutel ligt in de fietsen stalling.", "fietsenstalling", "nl"),
    ],
)
def test_a_compound_heard_as_two_words_is_found_as_one(heard: str, sought: str, language: str) -> None:
    assert set(text.terms(sought, language)) <= set(text.heard_terms(heard, language))


def test_what_is_heard_is_found_as_it_is_written_down() -> None:
    heard = "Die Heizung wird am Freitag vor Mittag entlüftet."
    assert text.terms(heard, "de") <= text.heard_terms(heard, "de")


def test_languages_that_write_compounds_apart_have_no_others() -> None:
    heard = "The laundry room is closed on Friday."
    assert text.heard_terms(heard, "en") == text.terms(heard, "en")


def test_figures_are_never_joined() -> None:
    assert not {t for t in text.heard_terms("Block 400 Tür 301", "de") if t in ("400301", "block400", "400tür")}


def test_only_speech_has_joined_terms() -> None:
    typed = Segment("a" * 32, 0, Kind.PARAGRAPH, "Am Freitag vor Mittag.", (), None, "de", "", 5, "b" * 32)
    assert "vormittag" not in segment_terms(typed)
    assert "vormittag" in segment_terms(replace(typed, kind=Kind.TRANSCRIPT))
