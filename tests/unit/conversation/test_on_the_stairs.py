"""What conversations on the stairs showed: denials, noes that go on, relative clauses, returns and refusals."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from saidonce.foundation.model.conversation import Category, Issue, PhotoStatus, Urgency
from saidonce.repairs.conversation import lexicon, no_danger
from saidonce.repairs.conversation.acts import SpeechAct, shown_by
from saidonce.repairs.conversation.corrections import correction
from saidonce.repairs.conversation.emergency import named_pack
from saidonce.repairs.conversation.heard import dangers_heard, hear, issue_as_heard, reading
from saidonce.repairs.conversation.problems import place_of, troubles, without
from saidonce.repairs.conversation.questions import read_messages

UK = named_pack("uk")
ISSUE = Issue(
    id="i1", turn_id="", conversation_id="c", tenancy_id="t", property_id="p", description="la lavadora no funciona",
    location="cocina", category=Category.OTHER, urgency=Urgency.ROUTINE, photo=PhotoStatus.NONE,
    created_at=datetime(2026, 1, 17, tzinfo=UTC),
)  # fmt: skip
"""An issue that no conversation filed, and that is marked as English."""


@pytest.mark.parametrize(
    "message",
    [
        "no smell of gas or anything, its just the knob on the hob thats loose", "blind fell down, next to the stairs",
        "non, personne n'est en danger, juste un bleu", "nein, niemand ist in Gefahr", "no, nadie está en peligro",
        "no, nessuno è in pericolo", "nee, niemand is in gevaar", "pas d'odeur de gaz, le bouton est cassé",
        "last year we had a fire in the bin store and since then the door down there doesnt lock",
    ],
)  # fmt: skip
def test_what_is_denied_or_long_past_is_no_danger(message: str) -> None:
    assert dangers_heard(UK, message, "en") == ()


@pytest.mark.parametrize(
    "message",
    [
        "no, smoke everywhere", "no; smoke in the hall",
        "no - smoke in the hall", "no \u2014 smoke in the hall", "no. fire or anything could start here, it is burning",
        "no smell of gas in the kitchen but the hall stinks of gas", "no smell of gas here, only in the hall",
        "the blind fell on my mums head and she is unconscious", "nobody is in danger but there is smoke",
        "last year we had a fire and since then it smells of smoke", "nein, Rauch im Keller", "non, fumée partout",
        "personne n'est en danger mais il y a de la fumée", "mum fell down the stairs",
    ],
)  # fmt: skip
def test_a_no_that_answers_and_what_stands_beside_a_denial_are_heard(message: str) -> None:
    assert dangers_heard(UK, message, "en")


def test_a_no_before_a_comma_takes_nothing_out() -> None:
    assert no_danger.without("no, smoke everywhere") == "no, smoke everywhere"
    assert "smoke" not in no_danger.without("no smoke, just the hood that does not turn")


@pytest.mark.parametrize(
    ("answer", "is_danger"),
    [
        ("no, nobody is in danger, just a sore bum. but the strip on the stairs is loose", False),
        ("no, we're not in danger but the tap drips", False),
        ("no, nobody is in danger but i'm scared", None), ("no, nobody is in danger but she cant get up", None),
        ("no, nobody is in danger but please come", None), ("no, but the tap drips", None), ("no, but hurry", None),
    ],
)  # fmt: skip
def test_a_no_in_so_many_words_is_one_whatever_stands_behind_a_but(answer: str, is_danger: bool | None) -> None:
    assert lexicon.in_danger(answer, holds_danger=False) is is_danger


def test_a_denial_beside_a_danger_is_no_answer() -> None:
    assert lexicon.in_danger("no, nobody is in danger, but smoke comes in", holds_danger=True) is None


def test_a_relative_clause_asks_nothing() -> None:
    report = "The boiler shows F28, I would like hot water when I come home, which is at seven in the morning."
    reading_ = read_messages([report])
    assert reading_.asked == ()
    assert reading_.rest == (report,)
    assert read_messages(["the tap drips, which is the number of the plumber?"]).asked
    assert read_messages(["were leaving on the 30th, where do the keys go"]).asked


@pytest.mark.parametrize("text", ["it came back to life by itself", "the heating came back on", "back to normal"])
def test_what_comes_back_names_no_place(text: str) -> None:
    assert not place_of(text)
    assert place_of("the lock came off in the back bedroom") == "back bedroom"
    assert place_of("i came back, the back door is stuck") == "back door"


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (SpeechAct.PERSON, "is there a grown up i can talk to please"), (SpeechAct.PERSON, "anyone of flesh and blood"),
        (SpeechAct.ASK_AFTER, "did anyone ever look at my message about the oven door"),
        (SpeechAct.ASK_AFTER, "its been a fortnight. blind. still on the floor."),
        (SpeechAct.REFUSE_NAME, "not giving my name or postcode to a robot, sorry"),
        (SpeechAct.REFUSE_NAME, "i'd rather not say my address"), (SpeechAct.REFUSE_NAME, "i want to stay anonymous"),
    ],
)  # fmt: skip
def test_acts_in_other_words(act: SpeechAct, message: str) -> None:
    assert shown_by(act, message)


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (SpeechAct.ASK_AFTER, "its been dripping for three weeks"), (SpeechAct.REFUSE_NAME, "i dont know my postcode"),
        (SpeechAct.ASK_AFTER, "its been a week since the tap dripped"), (SpeechAct.REFUSE_NAME, "Bell, EX1 2AB"),
    ],
)  # fmt: skip
def test_what_is_none_of_these_acts(act: SpeechAct, message: str) -> None:
    assert not shown_by(act, message)


@pytest.mark.parametrize(
    ("tag", "message"),
    [
        ("es", "¿no hay nadie de carne y hueso por ahí?"), ("fr", "je veux quelqu'un en chair et en os"),
        ("de", "gibt es da jemanden aus Fleisch und Blut"), ("it", "vorrei qualcuno in carne e ossa"),
    ],
)  # fmt: skip
def test_flesh_and_blood_is_a_person_in_other_languages(tag: str, message: str) -> None:
    assert shown_by(SpeechAct.PERSON, reading(message, tag).text)


def test_a_place_that_is_put_right_by_where_it_is_and_is_not() -> None:
    words = "hang on i got that muddled, the machine is in the kitchen not the bathroom"
    change = correction([words], "en")
    assert change is not None
    assert change.place == "kitchen"


def test_a_bell_that_does_not_ring_is_a_second_problem() -> None:
    english = reading("La persiana del salón no sube y además el timbre de la entrada no suena", "es").text
    assert [t.place for t in troubles([english], "es")] == ["living room", "entrance"]


def test_an_issue_of_another_language_is_compared_in_english_words() -> None:
    heard = issue_as_heard(ISSUE)
    assert "washing machine" in heard.description
    assert heard.location == "kitchen"


def test_a_part_is_taken_out_as_whole_words_only() -> None:
    assert without("no, nobody is in danger, just a bruise", ["no"]).strip(" ,") == "nobody is in danger, just a bruise"
    assert without("ok, the book shelf fell", ["ok"]).strip(" ,") == "the book shelf fell"
    assert without("the tap drips. no photo", ["no photo"]) == "the tap drips."


def test_an_issue_of_another_language_is_repeated_in_its_own_words() -> None:
    known = replace(ISSUE, description="la lavadora no centrifuga", location="cocina")
    _, heard = hear((), set(), "es", (known,))
    assert heard.verbatim(issue_as_heard(known).description) == "la lavadora no centrifuga"
