"""A text too short for its language to be known is read in English where all its words are English."""

from __future__ import annotations

import pytest

from saidonce.foundation.model import UNKNOWN_LANGUAGE, Candidate
from saidonce.foundation.text import content_hash, language
from saidonce.matching.agreement import Agreement, agreement
from saidonce.matching.facts import read_language

TRAY = "Empty the drip tray every evening."
EMPTIED = "The drip tray has to be emptied every evening."


def text(words: str, tag: str = UNKNOWN_LANGUAGE) -> Candidate:
    return Candidate(words, content_hash(words), language=tag)


@pytest.mark.parametrize("tags", [(UNKNOWN_LANGUAGE, UNKNOWN_LANGUAGE), (UNKNOWN_LANGUAGE, "en"), ("en", "en")])
def test_it_says_the_same_as_a_text_whose_language_is_known(tags: tuple[str, str]) -> None:
    assert language(TRAY) == UNKNOWN_LANGUAGE
    for a, b in ((TRAY, EMPTIED), (EMPTIED, TRAY)):
        assert agreement(text(a, tags[0]), text(b, tags[1])).agreement is Agreement.SAME


@pytest.mark.parametrize(
    "other",
    [EMPTIED.replace("evening", "morning"), EMPTIED.replace("has to be", "is not"), EMPTIED[:-1] + " and washed."],
)
def test_what_differs_stays_apart(other: str) -> None:
    assert agreement(text(TRAY), text(other)).agreement is not Agreement.SAME


@pytest.mark.parametrize(
    ("words", "tag", "read"),
    [
        (TRAY, UNKNOWN_LANGUAGE, "en"),
        ("Backups are kept for a year.", UNKNOWN_LANGUAGE, "en"),
        (TRAY, "de", "de"),
        ("Leere die Schale jeden Abend.", UNKNOWN_LANGUAGE, UNKNOWN_LANGUAGE),
        ("Die Lampe am Boiler.", UNKNOWN_LANGUAGE, UNKNOWN_LANGUAGE),
        ("Pain, gravier et boulanger.", UNKNOWN_LANGUAGE, UNKNOWN_LANGUAGE),
        ("ERR_CONN 5042", UNKNOWN_LANGUAGE, UNKNOWN_LANGUAGE),
        ("托盘每天晚上清空。", UNKNOWN_LANGUAGE, UNKNOWN_LANGUAGE),
        ("", UNKNOWN_LANGUAGE, UNKNOWN_LANGUAGE),
    ],
)
def test_a_text_is_read_in_english_only_where_it_is_english(words: str, tag: str, read: str) -> None:
    assert read_language(words, tag) == read
