"""A model's sentence about the home stands only if a passage accounts for all that it states."""

from __future__ import annotations

import pytest

from saidonce.foundation.model.conversation import Passage
from saidonce.repairs.conversation.borne_out import bearing_passage, makes_no_claim, names_link

BINS = "The bins are collected on Mondays at 7."
QUIET = "Quiet hours are from 10 pm to 7 am every day."
SMOKING = "Smoking is not allowed on balconies."
OFFICE = "The office at 4 Customs Lane is open Monday to Thursday from 9 am to 5 pm and on Friday from 9 am to 1 pm."
CARETAKER = "The caretaker, Mr Osei, is in the building on working days from 8 am to 2 pm."


@pytest.mark.parametrize(
    ("passage", "sentence"),
    [
        (BINS, "The bins are collected on Mondays at 7."),
        (BINS, "Bins are collected Mondays at 7."),
        (BINS, "The bins are collected at 7 on Mondays."),
        (SMOKING, "No, smoking is not allowed on balconies."),
        (SMOKING, "Smoking is not allowed on the balcony."),
        (OFFICE, "The office is open Monday to Thursday from 9 am to 5 pm."),
        (CARETAKER, "Mr Osei is in the building on working days from 8 am to 2 pm."),
        (f"{SMOKING} {BINS}", "The bins are collected on Mondays at 7."),
    ],
)
def test_these_are_borne_out(passage: str, sentence: str) -> None:
    assert bearing_passage(sentence, [Passage(passage, "House rules")]) is not None


@pytest.mark.parametrize(
    ("passage", "sentence"),
    [
        pytest.param(BINS, "The bins are collected on Tuesdays at 7.", id="wrong day"),
        pytest.param(BINS, "The bins are collected on Mondays at 9.", id="wrong time"),
        pytest.param(QUIET, "Quiet hours are from 10 am to 7 pm every day.", id="swapped halves of the day"),
        pytest.param(QUIET, "Quiet hours are from 10 pm to 8 am.", id="wrong end"),
        pytest.param(
            CARETAKER, "The caretaker, Mr Bell, is in the building on working days from 8 am to 2 pm.", id="name"
        ),
        pytest.param(SMOKING, "Smoking is allowed on balconies.", id="dropped not"),
        pytest.param(BINS, "Bins are not collected on Mondays.", id="added not"),
        pytest.param(OFFICE, "The office is open on Saturday.", id="added day"),
        pytest.param(OFFICE, "The office is open on Friday from 9 am to 5 pm.", id="another day's hours"),
        pytest.param(BINS, "The caretaker collects them.", id="added agent"),
        pytest.param(BINS, "The gym opens at 7.", id="another thing"),
    ],
)
def test_these_are_not(passage: str, sentence: str) -> None:
    assert bearing_passage(sentence, [Passage(passage, "House rules")]) is None


@pytest.mark.parametrize(
    "sentence", ["I don't know.", "Which room is it in?", "Thanks!", "Let me know.", "I'm not sure."]
)
def test_a_courtesy_and_not_knowing_claim_nothing(sentence: str) -> None:
    assert makes_no_claim(sentence)


@pytest.mark.parametrize("sentence", ["Yes, dogs are allowed.", "The gym is free.", "Please leave it in the lobby."])
def test_these_claim_something(sentence: str) -> None:
    assert not makes_no_claim(sentence)


def test_an_allowed_link_may_be_named_but_nothing_beside_it() -> None:
    ours = ("https://acme.example/",)
    assert names_link("It is at https://acme.example/form.", ours)
    assert not names_link("It costs 40 pounds, see https://acme.example/form.", ours)
    assert not names_link("It is at https://other.example/form.", ours)
