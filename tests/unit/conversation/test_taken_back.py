"""A report taken back beside another one, and places given to queued problems: what goes was named, the rest stays."""

from __future__ import annotations

import pytest

from conversation_scenarios import in_words, issues_after
from saidonce.foundation.model.conversation import IssueState


def _descriptions(*messages: str) -> list[str]:
    """The words of the live issues after these messages."""
    return [in_words(i) for i in issues_after(*messages) if i.state is IssueState.OPEN and not i.review]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("kitchen tap is dripping", "forget the tap, I've tightened it. the oven in the kitchen doesn't heat any more"),
        ("the bedroom door squeaks", "never mind that, I oiled it. But the oven in the kitchen doesn't heat"),
        ("the wardrobe in the bedroom is broken", "the oven in the kitchen is cold and don't worry about the wardrobe"),
    ],
)
def test_what_is_named_goes_and_the_other_problem_is_filed(first: str, second: str) -> None:
    issues = _descriptions(first, second, "no photo, sorry")
    assert len(issues) == 1
    assert "oven" in issues[0]
    assert not {"tap", "door", "wardrobe"} & set(issues[0].replace(",", " ").split())


def test_a_thing_that_nobody_reported_takes_nothing_back() -> None:
    issues = _descriptions("kitchen tap is dripping", "forget the garden gate, it still drips", "no photo, sorry")
    assert len(issues) == 1
    assert "tap" in issues[0]


def test_a_queued_problem_gets_the_place_that_is_said_of_it() -> None:
    issues = _descriptions(
        "the fridge stopped cooling, and also one of the doors won't shut. I can't send pictures",
        "the fridge is in the kitchen, and the door is the one to the bathroom",
    )
    assert sorted(text.rpartition("(")[2] for text in issues) == ["bathroom)", "kitchen)"]
