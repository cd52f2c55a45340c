"""What residents do is read from their words, both ways: what shows an act, and what looks like it and does not."""

from __future__ import annotations

import tomllib
from datetime import UTC, datetime
from pathlib import Path

import pytest

from saidonce.foundation.model.conversation import Slot
from saidonce.repairs.conversation import corrections, lexicon, problems
from saidonce.repairs.conversation.acts import SpeechAct, evidence, phrases_of, shown_by
from saidonce.repairs.conversation.office_hours import office_hours
from saidonce.repairs.conversation.phrases import any_of, plain

CASES = tomllib.loads((Path(__file__).resolve().parents[2] / "cases" / "people" / "acts.toml").read_text("utf-8"))
SHOWN = [(act, said) for act, row in CASES.items() for said in row["shown"]]
NOT_SHOWN = [(act, said) for act, row in CASES.items() for said in row["not_shown"]]


@pytest.mark.parametrize(("act", "said"), SHOWN)
def test_an_act_is_shown_by_a_quote_of_the_message(act: str, said: str) -> None:
    quote = shown_by(SpeechAct(act), said)
    assert quote
    assert quote in said


@pytest.mark.parametrize(("act", "said"), NOT_SHOWN)
def test_what_looks_like_an_act_is_none(act: str, said: str) -> None:
    assert shown_by(SpeechAct(act), said) == ""


def test_every_table_of_the_english_file_is_an_act_and_every_act_has_one() -> None:
    known = phrases_of("en")
    assert known is not None
    assert all(lists.phrases or lists.whole for lists in known.acts.values())


def test_a_language_without_a_file_is_read_by_the_english_one_and_no_path_is_followed() -> None:
    assert phrases_of("xx") is None
    assert phrases_of("../en") is None
    assert shown_by(SpeechAct.PERSON, "get me a human", "xx-YY")


def test_phrases_hold_words_gaps_and_exceptions() -> None:
    pattern = any_of(("put ~ through", "light* -bulb", "^news$"))
    assert pattern is not None
    assert pattern.search(plain("Put me straight THROUGH, please"))
    assert pattern.search("the lights are out")
    assert not pattern.search("the light bulb is out")
    assert pattern.search("news")
    assert not pattern.search("no news")


def test_a_typing_mistake_is_read_only_in_words_of_the_list() -> None:
    assert plain("can i speek to a persn", frozenset({"speak", "person"})) == "can i speak to a person"
    assert plain("it's leaking", frozenset({"sorted"})) == "its leaking"


def test_the_words_about_vulnerable_people_are_the_evidence() -> None:
    assert evidence(SpeechAct.VULNERABLE, ["My mum is on oxygen.", "She is 82 and in a wheelchair"]) == (
        "oxygen", "she is 82", "wheelchair",
    )  # fmt: skip
    assert evidence(SpeechAct.VULNERABLE, ["The blind fell down"]) == ()


@pytest.mark.parametrize(
    ("said", "place"),
    [
        ("actually it's the hallway, not the bedroom", "hallway"), ("not the front room, the back room", "back room"),
        ("sorry I meant the kitchen tap", "kitchen"), ("*upstairs bathroom", "upstairs bathroom"),
        ("correction: E24", ""),
    ],
)  # fmt: skip
def test_the_right_place_of_a_correction_is_not_the_wrong_one(said: str, place: str) -> None:
    change = corrections.correction([said], "en")
    assert change is not None
    assert change.place == place


@pytest.mark.parametrize("said", ["the light in the hall is dead", "no photo", "ok", "it's the boiler"])
def test_other_words_correct_nothing(said: str) -> None:
    assert corrections.correction([said], "en") is None


@pytest.mark.parametrize(
    ("said", "places"),
    [
        ("The kitchen tap drips and my bedroom window won't shut", ["kitchen", "bedroom"]),
        ("in the bathroom the tap drips and the fan is dead", ["bathroom", "bathroom"]),
        ("1. hallway light not coming on\n2. kitchen sink draining slowly", ["hallway", "kitchen"]),
        ("the sink is blocked in the kitchen. also the toilet upstairs won't flush", ["kitchen", "upstairs"]),
        ("the washing machine won't drain and the bedroom door handle came off", ["", "bedroom"]),
    ],
)
def test_several_problems_have_their_own_places(said: str, places: list[str]) -> None:
    assert [t.place for t in problems.troubles([said], "en")] == places


@pytest.mark.parametrize(
    "said",
    [
        "the boiler in the kitchen makes a banging noise and loses pressure",
        "the bath leaks and the ceiling below is wet",
        "the boiler is off and there's no hot water", "boiler is broken and the radiators are cold",
        "the tap drips and I have a baby", "the lights are dead and the sockets too, everything tripped",
        "the tap in the bathroom is broken, it drips", "can you fix the door? it sticks and the handle is loose",
    ],
)  # fmt: skip
def test_one_problem_with_its_effects_stays_one(said: str) -> None:
    assert len(problems.troubles([said], "en")) <= 1


def test_the_words_of_another_problem_are_left_out_of_a_report() -> None:
    said = "The kitchen tap drips and my bedroom window won't shut"
    _, other = problems.troubles([said], "en")
    assert problems.texts_of((), other.clauses, [said]) == ("The kitchen tap drips",)
    assert problems.slots_of(other) == (
        Slot("my bedroom window won't shut", "my bedroom window won't shut"), Slot("bedroom", "bedroom"),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("said", "place"),
    [("the bathroom toilet", "bathroom"), ("toilet upstairs", "upstairs"), ("lock on the front door", "front door"),
     ("the toilet's blocked", "toilet"), ("hall cupboard", "hall cupboard")],
)  # fmt: skip
def test_a_place_is_told_from_the_fixture_in_it(said: str, place: str) -> None:
    assert lexicon.place_in(said) == place


HOURS = "mon-fri 09:00-17:00, sat 10:00-13:00"


@pytest.mark.parametrize(
    ("now", "is_now", "opens"),
    [
        ("2026-01-19T10:00", True, "2026-01-19T09:00"), ("2026-01-19T17:00", False, "2026-01-20T09:00"),
        ("2026-01-16T20:00", False, "2026-01-17T10:00"), ("2026-01-17T14:00", False, "2026-01-19T09:00"),
    ],
)  # fmt: skip
def test_the_next_business_hours_are_found(now: str, is_now: bool, opens: str) -> None:
    hours = office_hours("UTC", HOURS).around(datetime.fromisoformat(now).replace(tzinfo=UTC))
    assert hours is not None
    assert hours.is_now is is_now
    assert hours.opens.strftime("%Y-%m-%dT%H:%M") == opens


def test_business_hours_are_local() -> None:
    summer = datetime(2026, 7, 1, 15, 30, tzinfo=UTC)
    assert office_hours("UTC", HOURS).around(summer).is_now  # type: ignore[union-attr]
    assert not office_hours("Europe/Berlin", HOURS).around(summer).is_now  # type: ignore[union-attr]


@pytest.mark.parametrize("content", ["always", "mon 17:00-09:00", "xyz 09:00-10:00", "mon 25:00-26:00", ""])
def test_malformed_hours_are_refused(content: str) -> None:
    with pytest.raises(ValueError, match=r"hours|such as|before|hour must"):
        office_hours("UTC", content)
