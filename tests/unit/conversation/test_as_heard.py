"""Typing mistakes, slang and everyday clauses: what the rules read, and what stays the resident's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from saidonce.repairs.conversation.dangers import by_words, listed_problems
from saidonce.repairs.conversation.emergency import named_pack
from saidonce.repairs.conversation.everyday import says_everyday, unread_words, without_everyday
from saidonce.repairs.conversation.heard import dangers_heard, reading
from saidonce.repairs.conversation.problems import troubles
from saidonce.repairs.conversation.spelling import read

FRESH = Path(__file__).parents[2] / "cases" / "conversation_fresh"


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("tolet dosnt flsh", "toilet doesnt flush"),
        ("heatin off agen", "heating off again"),
        ("the radiater in the bedrom", "radiator in the bedroom"),
        ("the shower hed fell of", "fell off"),
    ],
)
def test_a_mistyped_word_is_read_as_the_word_of_the_rules(written: str, words: str) -> None:
    assert words in read(written).text
    assert read(written).original(read(written).text) == written, "the report keeps the resident's spelling"


@pytest.mark.parametrize(
    "written",
    [
        "the kitchen tap drips from the spout.",
        "please ask Mrs Tappe at 12 Leakey Street",
        "write to tolet@example.org",
        "the leak is in the flat above",
    ],
)
def test_right_words_names_and_addresses_stay(written: str) -> None:
    assert read(written).text == written


def test_problems_that_the_writer_lists_are_read_one_by_one() -> None:
    pack = named_pack("uk")
    assert by_words(pack, "two things: the kitchen tap drips and the light in the hall flickers") == ()
    assert by_words(pack, "the tap drips and the light flickers") != ()
    assert [m.kind for m in by_words(pack, "two things: water drips into the light and the blind is torn")] == [
        "electric_shock"
    ]
    assert listed_problems("1. hall light 2. tap") == ("hall light", "tap")


@pytest.mark.parametrize(
    "clause", ["END", "thank you", "in the kitchen", "can someone call me please", "no photo sorry"]
)
def test_everyday_clauses_are_known_by_their_words(clause: str) -> None:
    assert says_everyday(clause)


@pytest.mark.parametrize(
    "clause",
    ["in the lift", "call me please he is here", "my baby is not breathing", "on the roof", "no photo i cant breathe"],
)
def test_a_clause_that_says_more_is_left_for_the_head(clause: str) -> None:
    assert not says_everyday(clause)


def test_only_what_is_everyday_is_left_out() -> None:
    assert without_everyday("my mum is on oxygen, the plug is brown") == "the plug is brown"
    assert without_everyday("the plug is brown") == "the plug is brown"


@pytest.mark.parametrize(
    "message",
    ["hay fuego en la cocina ayuda", "un hombre con un cuchillo en la cocina", "se quemó el brazo con la comida"],
)
def test_harmless_compounds_hide_no_danger_in_spanish(message: str) -> None:
    assert dangers_heard(named_pack("uk"), message, "en") != ()


def test_words_of_another_language_are_no_mistyped_dangers() -> None:
    assert dangers_heard(named_pack("uk"), "prefiero que me llame alguien, por favor", "en") == ()


def test_a_plug_too_hot_is_a_danger_by_its_words() -> None:
    assert by_words(named_pack("uk"), "socket behind the telly is too hot to touch and has gone brown") != ()


def test_a_mistyped_danger_is_one_by_its_words() -> None:
    assert dangers_heard(named_pack("uk"), "somebody is kicking my dopr in", "en") != ()
    assert by_words(named_pack("uk"), "the fuse box is humming and too hot to touch") != ()


def test_the_same_thing_in_two_rooms_is_two_problems() -> None:
    found = troubles(["The oven door in the kitchen won't close, and the bathroom lock is jammed."], "en")
    assert [t.place for t in found] == ["kitchen", "bathroom"]
    numbered = troubles(["1. hall light out 2. bathroom tap drips 3. bedroom window stuck"], "en")
    assert [t.place for t in numbered] == ["hall", "bathroom", "bedroom"]


def test_a_blind_that_broke_is_nobody_who_must_not_wait() -> None:
    from saidonce.repairs.conversation.acts import SpeechAct, shown_by

    assert not shown_by(SpeechAct.VULNERABLE, reading("la persiana está rota", "es").text)
    assert not shown_by(SpeechAct.VULNERABLE, "the blind in the bedroom snapped")
    assert shown_by(SpeechAct.VULNERABLE, "I am blind")


@pytest.mark.parametrize(
    ("language", "message"),
    [
        ("es", "es una verg\u00fcenza, voy a poner una queja"),
        ("es", "\u00bfpodr\u00eda pagar la semana que viene?"),
        ("fr", "c'est une honte, je vais porter plainte"),
        ("fr", "je voudrais sous-louer une chambre"),
        ("de", "wann kommt der Hausmeister?"),
        ("pl", "drzwi do \u0142azienki si\u0119 nie zamykaj\u0105"),
    ],
)
def test_affairs_and_small_faults_in_other_languages_are_not_left_to_the_head(language: str, message: str) -> None:
    assert unread_words(message, language) == ""


@pytest.mark.parametrize(
    ("language", "message"),
    [
        ("es", "gracias por todo, adi\u00f3s a todos"),
        ("es", "la puerta no se abre y nadie me oye"),
        ("fr", "la porte ne s'ouvre pas"),
        ("de", "die Wand neben dem Schalter ist nass"),
        ("pl", "drzwi do \u0142azienki si\u0119 nie otwieraj\u0105"),
        ("pl", "gniazdko w kuchni nie dzia\u0142a"),
    ],
)
def test_what_may_be_a_danger_is_read_by_the_head(language: str, message: str) -> None:
    assert unread_words(message, language) == message


def test_a_danger_beside_a_complaint_is_still_read() -> None:
    rest = unread_words("es una verg\u00fcenza, mi abuelo no despierta, voy a poner una queja", "es")
    assert rest == "mi abuelo no despierta"


@pytest.mark.parametrize(
    ("message", "places"),
    [
        ("two things: bedroom: blind won't go up, and the cupboard door in the kitchen hangs on one hinge", 2),
        ("1) bedroom: window lost its handle 2) the fridge in the kitchen hums all night", 2),
        ("two things: the tap drips and it makes a noise at the wall", 1),
        ("1. kitchen tap drips 2. it wets the floor", 1),
        ("the fridge in the kitchen is white and I keep milk in the sink", 0),
        ("the fridge in the kitchen hums all night and I keep milk in the sink", 1),
    ],
)
def test_what_is_said_of_things_in_a_list_is_wrong_with_them(message: str, places: int) -> None:
    assert len(troubles([message], "en")) == places
