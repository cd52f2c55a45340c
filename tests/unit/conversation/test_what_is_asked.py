"""What asks about the home and its rules is told from what reports, with or without a question mark.

The messages were written beside the code; the blind ones are in tests/cases/residents_questions.
"""

from __future__ import annotations

import pytest

from saidonce.kb.verbatim.judging import CitedPassage, judge_passage
from saidonce.kb.verbatim.reading import read_question
from saidonce.repairs.conversation.questions import asks, read_messages


@pytest.mark.parametrize(
    "message",
    [
        "wheres the bin store", "am i allowed a cat", "how do i set the timer on the heating", "what day is bin day",
        "can i have a bbq on the balcony", "do i have to pay council tax", "any rules about visitors", "bin day?",
        "whats the wifi password", "pets allowed?", "i was wondering if i could hang pictures", "are bills included",
        "not sure how to work the thermostat", "cant find the fuse box", "who pays if i block the drain",
        "need the address of the office", "i want to move out how much notice do i give", "bins when",
        "wann ist nachtruhe?", "darf ich rauchen", "puedo tener un gato?", "can you tell me the office hours",
        "what happens if the smoke alarm is broken", "could i get a parking permit for my brother",
    ],
)  # fmt: skip
def test_these_ask(message: str) -> None:
    assert asks(message)


@pytest.mark.parametrize(
    "message",
    [
        "my tap is leaking", "why is there no hot water?", "can you send a plumber", "is the lift broken?",
        "when will somebody come?", "any news on my sink", "are you a bot?", "how are you?",
        "can i send the photo later", "why do you need a photo?", "when i turn on the shower there is no hot water",
        "where the pipe goes into the wall its dripping", "what a mess, the toilet overflowed",
        "i dont know where it comes from", "when it rains water comes in", "which is why the door is jammed",
        "there is a fire in the hall", "kitchen", "no i cant", "hello?", "can you fix my window please",
        "sorry if this is wrong, the shower only runs cold ?", "bedroom: the curtain rail came off the wall ?",
        "how long will it take", "did you get my message", "should I worry?", "is it normal that the boiler hums",
        "will they call before they come?", "how can a boiler break twice in a month",
    ],
)  # fmt: skip
def test_these_report_or_are_for_somebody_else(message: str) -> None:
    assert not asks(message)


def test_two_questions_are_read_apart() -> None:
    reading = read_messages(["when are the bins emptied and where do i put my bike?"])
    assert [q.text for q in reading.asked] == ["when are the bins emptied", "where do i put my bike?"]
    assert reading.rest == ("",)


def test_a_report_beside_a_question_is_left() -> None:
    reading = read_messages(["the kitchen tap is dripping. also when is the office open?"])
    assert [q.text for q in reading.asked] == ["also when is the office open?"]
    assert reading.rest == ("the kitchen tap is dripping.",)


def test_a_question_that_names_a_fault_is_left_too() -> None:
    reading = read_messages(["who do i talk to about the leak"])
    assert reading.asked
    assert reading.rest == ("who do i talk to about the leak",)


def test_what_leads_to_a_question_is_kept_with_it() -> None:
    (question,) = read_messages(["thinking of getting a cat, is that allowed"]).asked
    assert question.text == "is that allowed"
    assert question.whole == "thinking of getting a cat, is that allowed"


@pytest.mark.parametrize(
    ("question", "deed"),
    [
        ("can i change the lock on my front door", "change"),
        ("are we allowed to paint the hall?", "paint"),
        ("may I have a cat", ""),
        ("when are the bins emptied?", ""),
    ],
)
def test_what_leave_is_asked_for_is_read(question: str, deed: str) -> None:
    assert read_question(question).deed == deed


def test_a_passage_without_the_deed_does_not_answer_whether_it_is_allowed() -> None:
    passage = CitedPassage("Call us if a front door does not lock.", "Contacts", "en", 0.8)
    verdict = judge_passage(read_question("can i change the lock on my front door"), passage, lambda _words, _known: {})
    assert verdict.quote == ""
    assert "what leave is asked for" in verdict.evidence
