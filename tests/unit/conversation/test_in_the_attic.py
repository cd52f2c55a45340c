"""Photos refused for a reason, promises that are none, and questions about what has been reported."""

from __future__ import annotations

import pytest

from conversation_scenarios import in_words, issues_after
from saidonce.repairs.conversation import lexicon
from saidonce.repairs.conversation.questions import read_messages


@pytest.mark.parametrize(
    "answer",
    [
        "I do not know how one sends a photograph, I am sorry",
        "my grandson does the photos and he is at school",
        "pictures are beyond me, I'm eighty",
        "my camera packed up in the summer",
    ],
)
def test_an_answer_with_a_reason_why_there_is_no_photo_refuses_it(answer: str) -> None:
    assert lexicon.has_none(answer)


@pytest.mark.parametrize(
    "answer",
    [
        "photo",
        "the photo is on its way",
        "photo will follow tonight",
        "my wife can take a photo",
        "did you not get the photo?",
        "the photo is attached to the mail of Monday",
        "which photo do you mean",
        "the picture rail in the hall is loose",
        "on the photo the tap is hard to make out",
        "the flat is cold as well",
    ],
)
def test_what_brings_asks_or_reports_something_is_no_refusal(answer: str) -> None:
    assert not lexicon.has_none(answer)


def test_a_photo_that_cannot_be_had_does_not_hold_up_the_report() -> None:
    first = "The brush inside the letterbox of the front door has worn away and there is a draught"
    (issue,) = issues_after(first, "my grandson does the photos and he is at school")
    assert "letterbox" in in_words(issue)


def test_when_i_get_in_is_no_promise_of_a_photo_in_a_report() -> None:
    report = "I shower at seven when I get in from work, and for ten days the shower in the ensuite has run lukewarm"
    assert lexicon.reports(report)
    assert not lexicon.reports("when I get in")
    assert not lexicon.reports("I'll take a photo of the shower when I get in from work tonight, promise")


def test_a_question_beside_such_a_report_does_not_swallow_it() -> None:
    report = "Since Monday when I get in the shower in the ensuite runs lukewarm. Could it be a timer thing?"
    (issue,) = issues_after(report, "no photo")
    assert "lukewarm" in in_words(issue)


def test_an_inverted_question_mark_begins_a_question() -> None:
    (asked,) = read_messages(("Viene mi familia el domingo, ¿podemos hacer una barbacoa?",)).asked
    assert asked.text == "¿podemos hacer una barbacoa?"
