"""Offered times in the languages of residents: how they are written, and how answers to them are read.

The answers were written before the words that read them.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest

from saidonce.foundation.model.progress import TimeSpan
from saidonce.repairs.conversation import wording
from saidonce.repairs.conversation.catalogue import TAGS, in_language
from saidonce.repairs.conversation.office_hours import numbered, span_words, start_words
from saidonce.repairs.conversation.rendering import titled
from saidonce.repairs.conversation.visit_answers import NONE_FITS, UNCLEAR, read_answer

MOST_TITLE = 20
"""Characters of a button's title. Source: WhatsApp, reply buttons."""


def span(day: int, start: int, end: int, month: int = 2) -> TimeSpan:
    return TimeSpan(datetime(2026, month, day, start, tzinfo=UTC), datetime(2026, month, day, end, tzinfo=UTC))


OFFERED = (span(3, 9, 11), span(4, 13, 15), span(6, 9, 11))
"""Tuesday morning, Wednesday afternoon, Friday morning."""

ANSWERS = [
    ("es", "el martes", 0), ("es", "el miércoles por la tarde", 1), ("es", "la tercera opción, gracias", 2),
    ("es", "el viernes 6 de febrero", 2), ("es", "ninguna me viene bien", NONE_FITS), ("es", "el jueves", UNCLEAR),
    ("es", "por la mañana", UNCLEAR), ("es", "el martes pero después de las diez", UNCLEAR),
    ("fr", "mardi matin", 0), ("fr", "le mercredi me convient", 1), ("fr", "le troisième", 2),
    ("fr", "aucun", NONE_FITS),
    ("fr", "vendredi à 9h", 2), ("fr", "mercredi ou vendredi", UNCLEAR), ("fr", "pas mardi", UNCLEAR),
    ("de", "Dienstag passt mir", 0), ("de", "am Mittwochnachmittag", 1), ("de", "der dritte Termin", 2),
    ("de", "Freitag um 9 Uhr", 2), ("de", "keiner passt", NONE_FITS), ("de", "Dienstag geht leider nicht", UNCLEAR),
    ("pl", "we wtorek", 0), ("pl", "w środę po południu", 1), ("pl", "trzeci termin poproszę", 2),
    ("pl", "w piątek rano", 2), ("pl", "żaden", NONE_FITS), ("pl", "w czwartek", UNCLEAR),
    ("pt", "na terça-feira", 0), ("pt", "quarta à tarde", 1), ("pt", "a terceira, por favor", 2),
    ("pt", "sexta de manhã", 2), ("pt", "nenhuma", NONE_FITS), ("pt", "quinta", UNCLEAR),
    ("ro", "marți", 0), ("ro", "miercuri după-amiaza", 1), ("ro", "a treia", 2), ("ro", "vineri dimineața", 2),
    ("ro", "niciuna", NONE_FITS), ("ro", "joi", UNCLEAR),
    ("ar", "الثلاثاء", 0), ("ar", "يوم الأربعاء بعد الظهر", 1), ("ar", "الثالث من فضلك", 2), ("ar", "الجمعة صباحا", 2),
    ("ar", "لا شيء منها", NONE_FITS), ("ar", "الخميس", UNCLEAR),
    ("zh", "星期二", 0), ("zh", "周三下午可以", 1), ("zh", "第三个", 2), ("zh", "星期五上午", 2),
    ("zh", "都不行", NONE_FITS), ("zh", "星期四", UNCLEAR),
]  # fmt: skip


@pytest.mark.parametrize(("language", "text", "expected"), ANSWERS)
def test_an_answer_in_a_residents_language(language: str, text: str, expected: int | str) -> None:
    assert read_answer(text, OFFERED, UTC, is_asked=True, language=language) == expected


@pytest.mark.parametrize("language", [tag for tag in TAGS if tag != "en"])
@pytest.mark.parametrize("text", ["the tap drips", "Tuesday", "2"])
def test_english_is_read_in_every_language(language: str, text: str) -> None:
    english = read_answer(text, OFFERED, UTC, is_asked=True)
    assert read_answer(text, OFFERED, UTC, is_asked=True, language=language) == english


def test_times_are_written_in_english_as_before() -> None:
    assert span_words(OFFERED[0], UTC) == "Tue 3 Feb, 09:00 to 11:00"
    assert start_words(OFFERED[1], UTC) == "Wed 4 Feb 13:00"
    assert in_language(wording.visit_called_off(span_words(OFFERED[0], UTC)), "en").startswith(
        "The visit on Tue 3 Feb, 09:00 to 11:00 is cancelled."
    )


WEEKDAY = {
    "ar": "الثلاثاء", "de": "Di.", "es": "mar", "fr": "mar.", "pl": "wt.", "pt": "ter.", "ro": "mar.", "zh": "周二",
}  # fmt: skip


@pytest.mark.parametrize("language", sorted(WEEKDAY))
def test_a_time_is_written_in_the_residents_language_with_every_number(language: str) -> None:
    text = in_language(wording.visit_called_off(span_words(OFFERED[0], UTC)), language)
    assert WEEKDAY[language] in text
    assert {"3", "09:00", "11:00"} <= set(re.findall(r"\d+(?::\d+)?", text))
    assert "Tue" not in text
    assert "Feb," not in text


@pytest.mark.parametrize("language", sorted(WEEKDAY))
def test_a_list_of_times_keeps_its_numbers_and_its_buttons_fit(language: str) -> None:
    for month in range(1, 13):
        offered = tuple(span(day, 9, 11, month) for day in range(21, 28))
        written = in_language(numbered(offered, UTC), language)
        assert [line.partition(". ")[0] for line in written.splitlines()] == [str(n) for n in range(1, 8)]
        titles = [start_words(s, UTC) for s in offered]
        for button, s in zip(titled(wording.time_buttons("x", titles)[:-1], language), offered, strict=True):
            assert len(button.title) <= MOST_TITLE
            assert str(s.starts_at.day) in button.title
            assert "09:00" in button.title


@pytest.mark.parametrize("language", sorted(WEEKDAY))
def test_what_is_written_on_a_button_is_read_as_that_time(language: str) -> None:
    for n, offered in enumerate(OFFERED):
        title = in_language(start_words(offered, UTC), language)
        assert read_answer(title, OFFERED, UTC, is_asked=True, language=language) == n


def test_a_stretch_over_midnight_names_both_days() -> None:
    night = TimeSpan(datetime(2026, 2, 3, 22, tzinfo=UTC), datetime(2026, 2, 3, 22, tzinfo=UTC) + timedelta(hours=4))
    text = in_language(span_words(night, UTC), "de")
    assert "3. Feb." in text
    assert "4. Feb." in text
