"""A long text says what another says if each of its sentences does, in one form or another, and none is added."""

from __future__ import annotations

import pytest

from saidonce.foundation.model import Candidate
from saidonce.foundation.text import content_hash
from saidonce.matching.agreement import Accord, Agreement, agreement, borne_out

PAIRS = (
    ("Empty the drip tray every evening.", "The drip tray has to be emptied every evening."),
    ("The repair of the lift is paid for by the landlord.", "The landlord pays for the repair of the lift."),
    ("Before you open the cover, unplug the machine.", "Unplug the machine before you open the cover."),
    ("You have to report a lost badge to the front desk.", "A lost badge must be reported to the front desk."),
    ("Orders are delivered within three days.", "Orders are delivered within 3 days."),
    ("If the lamp is broken, no reading is taken.", "No reading is taken if the lamp is broken."),
    ("Ultrasound can reduce the risk of failed punctures.", "Ultrasound can reduce the risk of faield punctures."),
)
FILLING = (
    "The archive of the old mill holds the ledgers of four generations of millers and their tenants.",
    "A narrow stair leads from the yard to the loft, where sacks of grain were once weighed and counted.",
    "The wheel itself was taken down after a flood and stands in the garden of the museum today.",
    "Visitors see a model of it in the entrance hall, together with tools and a map of the river.",
    "On the map the three weirs are drawn in red, and the fields that they watered in a pale green.",
    "Schools book a tour at the desk, which is open from spring until the first frost of the autumn.",
)


def candidate(*sentences: str) -> Candidate:
    words = " ".join(sentences)
    return Candidate(words, content_hash(words), language="en")


def compared(a: Candidate, b: Candidate) -> Accord:
    assert min(len(a.text), len(b.text)) > 1_000
    accord = borne_out(a, b, agreement(a, b), None)
    mirrored = borne_out(b, a, agreement(b, a), None)
    assert mirrored.agreement is accord.mirrored.agreement
    return accord


def test_each_of_the_pairs_says_the_same() -> None:
    for a, b in PAIRS:
        assert agreement(candidate(a), candidate(b)).agreement is Agreement.SAME


@pytest.mark.parametrize("only", range(len(PAIRS)))
def test_one_sentence_in_another_form(only: int) -> None:
    a, b = [*FILLING, PAIRS[only][0], *FILLING], [*FILLING, PAIRS[only][1], *FILLING]
    assert compared(candidate(*a), candidate(*b)).agreement is Agreement.SAME


def test_all_sentences_in_another_form() -> None:
    a, b = [*(x for x, _ in PAIRS), *FILLING, *FILLING], [*(y for _, y in PAIRS), *FILLING, *FILLING]
    assert compared(candidate(*a), candidate(*b)).agreement is Agreement.SAME


def test_a_sentence_more_makes_it_a_part() -> None:
    a, b = [*(x for x, _ in PAIRS), *FILLING, *FILLING], [*(y for _, y in PAIRS), *FILLING, *FILLING]
    more = "The museum sells honey from its own garden."
    assert compared(candidate(*a), candidate(*b, more)).agreement is Agreement.REPEATS_B
    assert compared(candidate(*a, more), candidate(*b)).agreement is Agreement.REPEATS_A


@pytest.mark.parametrize(
    "other",
    [
        "The drip tray has to be emptied every morning.",
        "The drip tray does not have to be emptied every evening.",
        "The filter has to be emptied every evening.",
        "The drip tray has to be emptied and rinsed every evening.",
    ],
)
def test_one_sentence_that_says_something_else(other: str) -> None:
    a = [*(x for x, _ in PAIRS), *FILLING, *FILLING]
    b = [other, *(y for _, y in PAIRS[1:]), *FILLING, *FILLING]
    assert compared(candidate(*a), candidate(*b)).agreement in (Agreement.OPEN, Agreement.OBJECTED)


def test_a_sentence_that_takes_back_what_another_says() -> None:
    a, b = [*(x for x, _ in PAIRS), *FILLING, *FILLING], [*(y for _, y in PAIRS), *FILLING, *FILLING]
    for more in ("However, this does not apply to tenants.", "None of this holds on Sundays."):
        assert compared(candidate(*a), candidate(*b, more)).agreement in (Agreement.OPEN, Agreement.OBJECTED)


def test_steps_in_another_order() -> None:
    a = [*(x for x, _ in PAIRS), *FILLING, *FILLING]
    b = [*(y for _, y in reversed(PAIRS)), *FILLING, *FILLING]
    assert compared(candidate(*a), candidate(*b)).agreement in (Agreement.OPEN, Agreement.OBJECTED)
