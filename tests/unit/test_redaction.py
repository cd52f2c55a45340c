"""What an issue keeps of a resident's words when the resident is erased: the problem, and nobody's name."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from saidonce.foundation.model.conversation import Category, Issue, PhotoStatus, Urgency
from saidonce.repairs.personal_data.redaction import redacted, without_person

ANA = ("Ana", "Bell", "+447700900001", "447700900001")


# Written before the code was.
@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("The tap drips. My name is Ana.", "The tap drips."),
        ("Ana here, the tap drips", ""),
        ("The tap drips! Call me on 07700 900001.", "The tap drips!"),
        (
            "The tap drips. Ring +44 7700 900 001 please. It is the kitchen one.",
            "The tap drips. It is the kitchen one.",
        ),
        ("Water everywhere. write to ana@example.com", "Water everywhere."),
        ("E119 on the boiler, pressure 0.8 bar.", "E119 on the boiler, pressure 0.8 bar."),
        ("The bell is broken.", ""),
        ("The banana plant is wet.", "The banana plant is wet."),
        ("Me llamo Zoe. Gotea el grifo.", "Gotea el grifo."),
        ("No heat / it's Mrs Bell / boiler off", "No heat boiler off"),
        ("", ""),
    ],
)
def test_sentences_that_name_the_person_go(text: str, left: str) -> None:
    assert redacted(text, ANA) == left


def issue(description: str, location: str = "kitchen") -> Issue:
    return Issue(
        "i1", "t1", "c1", "te1", "p1", description, location, Category.PLUMBING, Urgency.URGENT, PhotoStatus.NONE,
        datetime(2026, 1, 1, tzinfo=UTC), review="possible_duplicate:i0",
    )  # fmt: skip


def test_an_issue_keeps_its_problem_and_everything_that_is_nobodys_word() -> None:
    kept = without_person(issue("The tap drips. I am Ana Bell."), ANA, keeps_words=True)
    assert (kept.description, kept.location, kept.review) == ("The tap drips.", "kitchen", "possible_duplicate:i0")
    assert (kept.category, kept.urgency, kept.id) == (Category.PLUMBING, Urgency.URGENT, "i1")


@pytest.mark.parametrize(("description", "keeps_words"), [("Ana Bell here", True), ("The tap drips.", False)])
def test_an_issue_without_words_says_so(description: str, keeps_words: bool) -> None:
    kept = without_person(issue(description), ANA, keeps_words)
    assert kept.description == "Plumbing problem (the resident's words were erased)"
    assert kept.location == ("kitchen" if keeps_words else "")
    assert without_person(kept, ANA, keeps_words=False).description == kept.description, "again changes nothing"
