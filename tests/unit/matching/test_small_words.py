"""Pairs that differ in small words, their order or an ending alone: none of them is joined without a judge."""

import tomllib
from pathlib import Path

import pytest

from saidonce.foundation.model import Candidate
from saidonce.foundation.text import content_hash
from saidonce.matching.agreement import Agreement, agreement

FOLDER = Path(__file__).resolve().parents[2] / "cases" / "blind"
PAIRS = [
    (file.stem, a, b)
    for file in sorted((FOLDER / "small_words").glob("*.toml"))
    for a, b in tomllib.loads(file.read_text())["differ"]
]
IN_OTHER_LANGUAGES = [
    (file.stem, row["a"], row["b"])
    for name in ("fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh")
    for file in sorted((FOLDER / name).glob("*.toml"))
    for row in tomllib.loads(file.read_text())["cases"]
    if row["label"] == "changed"
]


def _agreement(language: str, a: str, b: str) -> Agreement:
    one, two = (Candidate(text, content_hash(text), language=language) for text in (a, b))
    return agreement(one, two).agreement


APART = [*PAIRS, *IN_OTHER_LANGUAGES]


@pytest.mark.parametrize("language", sorted({language for language, _, _ in APART}))
def test_what_small_words_part_is_not_joined(language: str) -> None:
    """All pairs of a language in one test: two thousand tests would take longer than what they look at."""
    mine = [(a, b) for of, a, b in APART if of == language]
    assert [(a, b) for a, b in mine if _agreement(language, a, b) not in (Agreement.OPEN, Agreement.OBJECTED)] == []


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("The man who is waiting has a key.", "The man waiting has a key."),
        ("Please close the door.", "Close the door."),
        ("The colour of the label is red.", "The color of the label is red."),
        ("Switch off the pump at night.", "Switch the pump off at night."),
        ("The owner's address is in the lease.", "The address of the owner is in the lease."),
        ("In the morning, take the tablets.", "Take the tablets in the morning."),
        ("Ann speaks Irish, Dutch and Thai.", "Ann speaks Thai, Irish and Dutch."),
        ("How do I get a key?", "What is a good way to get a key?"),
        ("Bring a pen, a ruler and paper.", "Bring paper, a pen and a ruler."),
        ("The plant yields 3 MW.", "The plant yields 3 megawatts."),
        ("The street, which is long, is closed.", "The street, long, is closed."),
    ],
)
def test_words_that_are_free_may_come_and_go(a: str, b: str) -> None:
    assert _agreement("en", a, b) is Agreement.SAME
