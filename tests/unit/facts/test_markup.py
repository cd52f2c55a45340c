"""Two texts in one markup: what objects to them is shown where it stands in the texts as they are."""

import pytest

from saidonce.foundation.model import Candidate, Span
from saidonce.foundation.text import content_hash
from saidonce.matching.agreement import IN_OTHER_MARKUP, Agreement, agreement
from saidonce.matching.facts import in_one_markup
from saidonce.matching.facts.written import Written

PLACED = [
    ("Press `Ctrl+D` for 5 seconds.", "Press Ctrl + D for 9 seconds.", "5 seconds", "9 seconds"),
    (
        "Choose **Image > Mirror**. Wait 5 minutes.",
        'In the "Image" menu, choose "Mirror". Wait 9 minutes.',
        "5 minutes",
        "9 minutes",
    ),
    (
        "Ask <desk@lark.example> before 3 May.",
        "Ask desk@lark.example before 4 May.",
        "3 May",
        "4 May",
    ),
    ("Each child may\nhave 20 pounds.", "Each child may have 30 pounds.", "20 pounds", "30 pounds"),
]
"""Two texts, and what differs in each."""


def _candidate(text: str) -> Candidate:
    return Candidate(text, content_hash(text), language="en")


@pytest.mark.parametrize(("a", "b", "in_a", "in_b"), PLACED)
def test_what_differs_is_shown_where_it_stands(a: str, b: str, in_a: str, in_b: str) -> None:
    accord = agreement(_candidate(a), _candidate(b))
    assert [(o.a.text, o.b.text) for o in accord.objections] == [(in_a, in_b)]
    assert all(a[o.a.start : o.a.end] == o.a.text and b[o.b.start : o.b.end] == o.b.text for o in accord.objections)


def test_a_replaced_stretch_stands_for_all_that_it_replaces() -> None:
    written = Written.of("Press the Enter key now.").edited([(6, 19, "Enter")])
    assert written.text == "Press Enter now."
    assert (written.at(6, 11), written.at(12, 15)) == (Span(6, 19, "the Enter key"), Span(20, 23, "now"))
    assert written.at(16, 16) == Span(24, 24, "")


def test_texts_that_write_nothing_in_two_ways_are_left_as_they_are() -> None:
    assert in_one_markup("Press **Enter** now.", "Press **Enter** twice.", "en") is None


def test_the_reason_to_join_two_texts_names_the_markup() -> None:
    accord = agreement(_candidate("Choose **Image > Mirror**."), _candidate('Choose "Mirror" in the "Image" menu.'))
    assert (accord.agreement, accord.reasons) == (Agreement.SAME, (IN_OTHER_MARKUP,))
