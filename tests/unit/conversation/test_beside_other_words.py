"""What stands beside other words: beside a refused photo, after a report was filed, in a list; and idioms."""

from __future__ import annotations

import pytest

from conversation_scenarios import in_words, issues_after
from saidonce.repairs.conversation import lexicon
from saidonce.repairs.conversation.corrections import denied
from saidonce.repairs.conversation.dangers import by_words
from saidonce.repairs.conversation.emergency import named_pack
from saidonce.repairs.conversation.everyday import says_everyday
from saidonce.repairs.conversation.hand_over import reason_for_person
from saidonce.repairs.conversation.problems import troubles, without, without_refusal

UK = named_pack("uk")


def _filed(*messages: str) -> list[str]:
    return [in_words(i) for i in issues_after(*messages)]


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("bathroom lock jams, no photo.", "bathroom lock jams"),
        ("the dog bites, can't do a photo, the code is 7733", "the dog bites, the code is 7733"),
        ("no photo", ""),
        ("the picture rail has come down", "the picture rail has come down"),
        ("key with Mr Lowe at number 5. no photo", "key with Mr Lowe at number 5."),
    ],
)
def test_only_the_clause_that_refuses_a_photo_is_left_out(text: str, rest: str) -> None:
    assert without_refusal(text, "en") == rest


@pytest.mark.parametrize(
    ("messages", "facts"),
    [
        (["bathroom lock jams, no photo. i'm home after 4"], ["lock", "after 4"]),
        (["ta. something else, the bath panel has come loose in the bathroom, no photo"], ["bath panel"]),
        (["radiator in the dining room is cold", "no photo", "and the side gate code is 7733"], ["7733"]),
        (["hob in the kitchen clicks, i'm in on tuesday, no photo", "wednesday not tuesday, sorry"], ["wednesday"]),
        (["oven wont turn on, kitchen", "wait no its the microwave", "no pic"], ["microwave"]),
    ],
)
def test_facts_beside_a_refusal_and_after_filing_reach_the_issue(messages: list[str], facts: list[str]) -> None:
    (issue,) = _filed(*messages)
    assert [f for f in facts if f not in issue] == []


def test_what_is_no_fact_about_the_report_is_not_added_after_filing() -> None:
    before = _filed("radiator in the dining room is cold", "no photo")
    for aside in ("and thanks a lot", "and when are the bins emptied?", "and i am moving out next month"):
        assert _filed("radiator in the dining room is cold", "no photo", aside) == before


@pytest.mark.parametrize(
    ("text", "is_so"),
    [
        ("wednesday not tuesday, sorry", True),
        ("it's 5 not tuesday", True),
        ("it is not working", False),
        ("not on tuesday", False),
        ("wednesday not friday", False),
    ],
)
def test_other_words_stand_in_for_known_ones(text: str, is_so: bool) -> None:
    assert denied(text, "hob clicks, i'm in on tuesday") is is_so


@pytest.mark.parametrize(
    ("message", "n"),
    [
        ("3 things. hall bulb. bath plug. kitchen blind stuck.", 3),
        ("Firstly the shelf in the hall fell off, and secondly the drawer in the kitchen sticks", 2),
        ("the shower in the bathroom is cold and then the other thing is the rail in the bedroom is bent", 2),
        ("1) kitchen: cupboard door hangs on one hinge 2) kitchen: door squeaks", 2),
        ("two things: the tap drips, it's the hot one", 1),
        ("the kitchen door sticks and the door squeaks", 1),
    ],
)
def test_problems_that_are_counted_or_numbered_in_words(message: str, n: int) -> None:
    assert len(troubles([message], "en")) == n


def test_a_number_goes_with_the_part_that_it_numbers_only() -> None:
    assert without("1) tap drips 2) door sticks", ["door sticks"]) == "1) tap drips"
    assert without("at number 5. no photo", ["no photo"]) == "at number 5."


@pytest.mark.parametrize("text", ["I have no means of sending a picture", "no have photo", "my camera's bust"])
def test_a_photo_is_refused_in_any_order(text: str) -> None:
    assert lexicon.refuses_photo(text)


@pytest.mark.parametrize("text", ["the photo is not the tap of the bathroom", "picture to follow"])
def test_words_about_a_photo_are_no_refusal(text: str) -> None:
    assert not lexicon.refuses_photo(text)


@pytest.mark.parametrize(
    "text",
    [
        "stop flooding my inbox with newsletters",
        "attack of the ants",
        "my bath bomb stained the tub",
        "exploding with joy",
        "a film about a gas explosion",
        "got a trapped nerve",
        "sorry about the alarm this morning",
        "je suis mort de rire",
    ],
)
def test_an_idiom_is_no_danger_by_its_words(text: str) -> None:
    assert by_words(UK, text) == ()


@pytest.mark.parametrize(
    "text",
    [
        "stop the water, it is flooding my inbox and the kitchen",
        "sorry about the alarm it keeps going",
        "shooting in the yard",
        "the ceiling is attacking us, attack in the flat",
        "he says he will finish me tonight",
        "i can't get up off the floor",
        "the scooter battery is hissing",
        "he is at the door with a crowbar",
        "nobody will miss me",
        "the box on the wall beeps four times",
    ],
)
def test_a_danger_beside_an_idiom_or_in_other_words_is_still_one(text: str) -> None:
    assert by_words(UK, text)


@pytest.mark.parametrize("text", ["i can't get up early", "sorry, i mean the hallway", "oh and", "hey"])
def test_nothing_of_danger_is_read_into_these(text: str) -> None:
    assert by_words(UK, text) == ()


@pytest.mark.parametrize("text", ["oh and", "hey", "landing i meant", "sorry, the hallway not"])
def test_words_that_say_nothing_yet_are_not_given_to_the_head(text: str) -> None:
    assert says_everyday(text)


@pytest.mark.parametrize(
    "text",
    [
        "please call 07700 900333",
        "would somebody kindly telephone me",
        "i wish to complain about the stairs",
        "fetch your owner",
        "operator operator",
        "can i get an actual adult on here",
        "this goes to the local paper",
    ],
)
def test_a_person_is_wanted(text: str) -> None:
    assert reason_for_person([text], "en")[0]


@pytest.mark.parametrize(
    "text", ["the phone line is dead", "my sister can be reached on 07700 900555", "bring a plumber"]
)
def test_a_telephone_alone_wants_no_person(text: str) -> None:
    assert not reason_for_person([text], "en")[0]
