"""A quotation that leans on its heading is read with it; one that says it all is quoted alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from saidonce.kb.answer import answer
from saidonce.kb.packed_context import Origin, PackedContext, PackedPassage

LEANS = [
    ("Are pets allowed?", "Yes, with the landlord's consent."),
    ("Are pets allowed?", "No."),
    ("Backups", "Kept for thirty days, then deleted."),
    ("How do I report a leak?", "Call the caretaker at once and close the main valve."),
    ("Rooftop terrace", "Open from May to October."),
    ("2026", "The rent of a parking space is 60 euros."),
    ("Not allowed in the yard", "Barbecues, tents and parked cars."),
    ("Wie melde ich einen Schaden?", "Mit einem Anruf beim Hausmeister."),
    ("Puis-je sous-louer mon appartement ?", "Oui, avec l'accord écrit du propriétaire."),
    ("¿Quién paga el agua?", "El inquilino, según el contador."),
    ("Обогрев", "С октября по апрель."),
    ("可以养狗吗？", "可以，但须房东同意。"),
]
SAYS_IT_ALL = [
    ("Rubbish collection", "Rubbish is collected every Tuesday: the collection starts at eight."),
    ("Pets", "Pets are allowed with the landlord's consent."),
    ("Are pets allowed?", "Pets are allowed with the landlord's consent."),
    ("The boiler", "The boiler is serviced in October."),
    ("Hausordnung", "Die Hausordnung gilt für alle Mieter."),
    ("Closed on Sundays", "Closed on Sundays"),
]


def passage(text: str, *path: str, number: int = 1, title: str = "Handbook") -> PackedPassage:
    return PackedPassage(number, Origin("0" * 32, "handbook.md", title, path, None), text)


def headings_of(*passages: PackedPassage) -> list[str]:
    packed = PackedContext("?", 2_000, tuple(replace(p, number=n) for n, p in enumerate(passages, 1)))
    return [sentence.heading for sentence in answer(packed, None).sentences]


@pytest.mark.parametrize(("heading", "text"), LEANS)
def test_a_text_without_the_words_of_its_heading_is_quoted_under_it(heading: str, text: str) -> None:
    assert headings_of(passage(text, "Handbook", heading)) == [heading]


@pytest.mark.parametrize(("heading", "text"), SAYS_IT_ALL)
def test_a_text_that_says_what_its_heading_says_is_quoted_alone(heading: str, text: str) -> None:
    assert headings_of(passage(text, "Handbook", heading)) == [""]


def test_a_heading_that_leans_on_the_one_above_it_is_read_with_that() -> None:
    assert headings_of(passage("Ten requests a second.", "Handbook", "Premium plan", "Limits")) == [
        "Premium plan > Limits"
    ]
    assert headings_of(passage("The premium plan ends.", "Handbook", "Premium plan", "Limits")) == ["Limits"]
    assert headings_of(passage("The boiler is serviced in October.")) == [""]


def test_the_title_counts_only_where_there_is_no_other_heading() -> None:
    assert headings_of(passage("Ten requests a second.", "Premium plan", title="Premium plan")) == ["Premium plan"]


def test_a_heading_stands_once_over_the_quotations_that_it_heads() -> None:
    quoted = (
        passage("Yes, with consent.", "Are pets allowed?"),
        passage("Fish need none.", "Are pets allowed?"),
        passage("Kept for thirty days.", "Backups"),
    )
    assert headings_of(*quoted) == ["Are pets allowed?", "", "Backups"]


@pytest.mark.parametrize(
    ("by", "heading"),
    [
        ({"speaker": "Anna"}, "Boiler, Anna"),
        ({"sender": "Anna Fenn"}, "Boiler, from Anna Fenn"),
        (
            {"speaker": "Anna Fenn", "sender": "Bert Orr", "is_quoted": True},
            "Boiler, from Anna Fenn, quoted by Bert Orr",
        ),
        ({"sender": "Bert Orr", "is_quoted": True}, "Boiler, quoted by Bert Orr"),
    ],
)
def test_who_says_it_is_read_with_it(by: dict[str, Any], heading: str) -> None:
    quoted = passage("It is fixed.", "Boiler")
    assert headings_of(replace(quoted, origin=replace(quoted.origin, **by))) == [heading]


def test_two_who_say_the_same_are_both_named() -> None:
    quoted = passage("It is fixed.")
    both = [replace(quoted, origin=replace(quoted.origin, speaker=who)) for who in ("Anna", "Bert")]
    assert headings_of(*both) == ["Anna", "Bert"]


def test_the_answer_as_one_text_has_each_heading_before_what_leans_on_it() -> None:
    packed = PackedContext("?", 2_000, (passage("Yes, with consent.", "Are pets allowed?"),))
    found = answer(packed, None)
    assert found.text == "Are pets allowed? Yes, with consent."
    assert [c.quote for s in found.sentences for c in s.citations] == ["Yes, with consent."]
