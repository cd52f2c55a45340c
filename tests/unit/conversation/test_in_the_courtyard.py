"""What is over, asked or known by its thing; people in lifts, without current, on their own; what stands apart."""

from __future__ import annotations

import pytest

from conversation_scenarios import in_words, issues_after
from saidonce.repairs.conversation import lexicon, no_danger
from saidonce.repairs.conversation.dangers import by_words
from saidonce.repairs.conversation.emergency import named_pack
from saidonce.repairs.conversation.everyday import without_everyday
from saidonce.repairs.conversation.hand_over import reason_for_person

UK = named_pack("uk")


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("trapped", "the elevator is broken and the twins are inside it"),
        ("trapped", "en el ascensor parado sigue una vecina"),
        ("trapped", "l'ascenseur est arrêté avec mon fils dedans"),
        ("trapped", "im defekten Aufzug sitzen zwei Kinder"),
        ("trapped", "nell'ascensore fermo c'è mia nonna"),
        ("medical", "the electric is off and dad is on a ventilator"),
        ("medical", "nie ma prądu a mama ma respirator"),
        ("medical", "der Strom ist weg und mein Bruder braucht Sauerstoff"),
        ("medical", "she swallowed two little magnets"),
        ("medical", "I could not get onto my feet again"),
        ("structure", "the handrail moves when you put weight on it"),
        ("structure", "la ringhiera balla"),
        ("self_harm", "you won't need to keep my room, i won't be here much longer"),
        ("fire", "the whole landing is full of haze"),
        ("carbon_monoxide", "we are all dizzy but only at home"),
        ("intruder", "somebody is fiddling with the lock"),
        ("intruder", "quelqu'un secoue la poignée"),
        ("electric_shock", "l'interruttore ronza e scotta"),
    ],
)
def test_dangers_are_heard_by_what_is_said_of_people_and_things(kind: str, text: str) -> None:
    assert kind in {m.kind for m in by_words(UK, text)}, by_words(UK, text)


@pytest.mark.parametrize(
    "text",
    [
        "burnt the soup yesterday and the alarm went mad, all sorted now",
        "se me quemó la cena y sonó la alarma, no fue nada",
        "ho bruciato il pane ed è partito l'allarme, tutto a posto",
        "mir ist die Milch angebrannt und der Rauchmelder ging los, alles gut",
        "j'ai brûlé le pain et l'alarme a sonné, rien de grave",
    ],
)
def test_a_slip_that_is_named_and_over_is_no_danger(text: str) -> None:
    assert by_words(UK, text) == ()


@pytest.mark.parametrize(
    "text",
    [
        "burnt the soup yesterday and the alarm went mad",  # nobody says that it is over
        "burnt the soup, all sorted, but there is smoke in the hall",
        "burnt the soup, all sorted. still smoke in the hall",
        "the alarm went mad, all sorted",  # nobody says what it was
        "burnt the soup, all fine now, the alarm is going off again",
    ],
)
def test_without_its_cause_or_its_end_it_stays_one(text: str) -> None:
    assert by_words(UK, text)


def test_what_is_over_keeps_its_place_in_the_text() -> None:
    text = "burnt the soup and the alarm went off, all fine now"
    assert len(no_danger.masked(text)) == len(text)


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("how much is a second bin", ""),
        ("who mows the lawn", ""),
        ("may i paint the hall", ""),
        ("ants in the kitchen", ""),
        ("the blind in the bedroom", ""),
        ("is it ok to leave him lying there", "is it ok to leave him lying there"),
        ("can i put water on burning oil", "can i put water on burning oil"),
        ("how often may i take the tablets", "how often may i take the tablets"),
        ("wasps stung my son", "wasps stung my son"),
    ],
)
def test_questions_about_rules_and_small_animals_are_everyday(text: str, rest: str) -> None:
    assert without_everyday(text, small_faults=True) == rest


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("no \U0001f4f7 sry", "en"),
        ("\U0001f6ab\U0001f4f8", "en"),
        ("none of them", "en"),
        ("my phone is a dinosaur", "en"),
    ],
)
def test_a_photo_is_refused_in_pictures_and_by_what_the_telephone_is(text: str, language: str) -> None:
    assert lexicon.refuses_photo(text, language)


@pytest.mark.parametrize("text", ["get me whoever runs this", "find me whoever is responsible"])
def test_whoever_is_in_charge_is_a_person(text: str) -> None:
    assert reason_for_person((text,), "en")[0]


def test_another_thing_at_another_place_is_a_report_of_its_own() -> None:
    filed = [in_words(i) for i in issues_after(
        "bath panel in the bathroom slides about, and the cupboard door in the hall is hanging by a hinge", "no photos"
    )]  # fmt: skip
    assert len(filed) == 2
    assert "bath panel" in filed[0]
    assert "hinge" in filed[1]


def test_another_day_reaches_the_report_that_was_filed() -> None:
    (issue,) = issues_after(
        "the cupboard door in the kitchen has come off, friday suits me",
        "no photo",
        "cant do friday, monday after 2 is ok",
    )
    assert "monday after 2" in in_words(issue)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("gas", "next door cook fish and in my kitchen it smells of gas"),
        ("gas", "el vecino cocina pescado y en mi casa huele a gas"),
        ("gas", "elle cuisine au curry, ça sent le gaz"),
        ("gas", "er kocht Fisch und in der Küche riecht es nach Gas"),
        ("gas", "cucina il pesce e c'è odore di gas in casa mia"),
        ("fire", "the kettle smokes and sparks when it boils"),
        ("fire", "smoke pours out of the heater the first time, and I have lost the manual"),
        ("fire", "se pegó la leche, todo bien, mi hijo se quemó la mano y le salen ampollas"),
    ],
)
def test_a_harmless_reason_calms_nothing_beside_it(kind: str, text: str) -> None:
    assert kind in {m.kind for m in by_words(UK, text)}, by_words(UK, text)


def test_what_is_under_is_no_small_fault() -> None:
    flood = "dishwasher hose split and the whole downstairs is under"
    assert without_everyday(flood, small_faults=True) == flood
    assert without_everyday("the hose is split in the kitchen", small_faults=True) == ""


@pytest.mark.parametrize(
    "text", ["no, he fell", "no, nan is on the floor", "no, the tree fell on the roof", "no, the door is smashed in"]
)
def test_a_no_beside_what_has_happened_is_no_all_clear(text: str) -> None:
    assert lexicon.in_danger(text, holds_danger=False) is None


@pytest.mark.parametrize(
    "text", ["no", "no, it is just dripping", "no, nobody is in danger, a shelf fell", "no only the cat"]
)
def test_a_no_that_says_no_more_is_one(text: str) -> None:
    assert lexicon.in_danger(text, holds_danger=False) is False
