"""Scenarios as data: other wordings of a text, and what is refused when one is read."""

from __future__ import annotations

import pytest

from saidonce.errors import UsageError
from saidonce.quality.scenario import read_scenario

DRIP = """
id = "drip"
source = "made up"
[[step]]
text = "the tap drips"
reworded = ["dripping tap", "tap won't stop"]
[step.expect]
tool = "ask_for_details"
description = "tap drips"
[[step]]
text = "in the kitchen"
[step.expect]
tool = "ask_for_photo"
location = "kitchen"
"""


def test_each_other_wording_is_a_scenario_of_its_own() -> None:
    told = read_scenario(DRIP, "drip").wordings()
    assert [s.id for s in told] == ["drip", "drip~1", "drip~2"]
    assert [s.steps[0].row["text"] for s in told] == ["the tap drips", "dripping tap", "tap won't stop"]
    assert {s.steps[1].row["text"] for s in told} == {"in the kitchen"}


def test_another_wording_has_to_lead_to_the_same_tool_and_not_to_the_same_quote() -> None:
    first, other, _ = read_scenario(DRIP, "drip").wordings()
    assert first.steps[0].expect["description"] == "tap drips"
    assert dict(other.steps[0].expect) == {"tool": "ask_for_details"}
    assert other.steps[1].expect == first.steps[1].expect


def test_without_other_wordings_there_is_one() -> None:
    plain = read_scenario(DRIP.replace('reworded = ["dripping tap", "tap won\'t stop"]\n', ""), "drip")
    assert plain.wordings() == (plain,)


@pytest.mark.parametrize("bad", ["photo = 1", 'reworded = ["a"]\nmedia = ["m1"]'])
def test_unknown_keys_and_wordings_of_nothing_are_refused(bad: str) -> None:
    with pytest.raises(UsageError, match="drip"):
        read_scenario(f'id = "drip"\nsource = "made up"\n[[step]]\n{bad}\n', "drip")
