"""A resident names the fault first, and answers "what exactly?" with a bare thing: the issue keeps both."""

from __future__ import annotations

import pytest
from test_resident_acts import Talk

from saidonce.foundation.model.conversation import Issue

BLIND = [
    ("something keeps dripping in the utility room", "the washing machine", "no photo"),
    ("there's a bad smell coming from the kitchen", "the fridge", "I can't take a picture"),
    ("Something is broken in the bedroom", "the blind", "no photo, sorry"),
    ("we have a noise in the hallway, please help", "radiator", "no camera here"),
    ("Im Bad ist etwas undicht", "der Wasserhahn", "kein Foto, leider"),
    ("hay una fuga en la cocina", "el lavavajillas", "sin foto, lo siento"),
]
"""Written before the code that they test; three of six when first run, and six now.

The fourth calls for help, so that it is asked about danger first; its last answer is added to the alarm's issue.
"""


def filed(*lines: str) -> Issue:
    talk = Talk()
    talk.tells(*lines)
    (issue,) = talk.store.issues()
    return issue


def test_the_leak_of_the_first_message_stands_before_the_tap_of_the_second() -> None:
    issue = filed("I have a leak in the bathroom", "the tap", "no photo, sorry")
    assert issue.description == "I have a leak in the bathroom / the tap"
    assert issue.location == "bathroom"


@pytest.mark.parametrize(("fault", "thing", "refusal"), BLIND)
def test_the_fault_that_was_named_first_is_part_of_the_issue(fault: str, thing: str, refusal: str) -> None:
    assert filed(fault, thing, refusal).description.startswith(f"{fault} / {thing}")


@pytest.mark.parametrize(
    ("lines", "whole"),
    [
        (("there is water in the kitchen", "the dishwasher"), "there is water in the kitchen / the dishwasher"),
        (("it's in the bathroom", "the tap drips"), "the tap drips"),
        (("the sink in the bathroom is blocked", "there is a smell in the bathroom"),
         "the sink in the bathroom is blocked / there is a smell in the bathroom"),
        (("the tap is dripping in the bathroom", "something is wrong in the bathroom"),
         "the tap is dripping in the bathroom"),
    ],
)  # fmt: skip
def test_a_place_beside_a_trouble_does_not_outweigh_it_and_a_place_alone_adds_nothing(
    lines: tuple[str, ...], whole: str
) -> None:
    assert filed(*lines, "no photo").description == whole
