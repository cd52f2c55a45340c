"""Dangers named by what is felt, heard or left behind, in several languages; and what only sounds like one."""

from __future__ import annotations

import pytest

from saidonce.repairs.conversation.acts import SpeechAct, shown_by
from saidonce.repairs.conversation.corrections import denied
from saidonce.repairs.conversation.dangers import by_words
from saidonce.repairs.conversation.emergency import named_pack
from saidonce.repairs.conversation.everyday import says_everyday, unread_words
from saidonce.repairs.conversation.gloss import gloss
from saidonce.repairs.conversation.heard import dangers_heard
from saidonce.repairs.conversation.phrase_syntax import phrase_pattern
from saidonce.repairs.conversation.problems import clauses, troubles

UK = named_pack("uk")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("since they serviced the heater my wife is woozy", "carbon_monoxide"),
        ("J'ai la tête qui tourne depuis ce matin", "carbon_monoxide"),
        ("Mi gira la testa e ho la nausea", "carbon_monoxide"),
        ("Papa is duizelig", "carbon_monoxide"),
        ("locked myself out in my slippers and there is a pan of oil on the hob", "fire"),
        ("ik heb mezelf buitengesloten en het strijkijzer staat aan", "fire"),
        ("the attic door is jammed with my daughter in there", "trapped"),
        ("i'm shut in the cellar and nobody can hear me", "trapped"),
        ("the old lady has not opened her door since sunday", "medical"),
        ("hay una grieta encima de la puerta, cada día es más ancha", "structure"),
        ("the smoke detector beeps every 3 seconds", "fire"),
        ("si è incendiato il cestino, c'è fumo ovunque", "fire"),
        ("Er is brand in de kelder", "fire"),
        ("sento odore di gas", "gas"),
        ("mijn dochter ademt niet", "medical"),
    ],
)
def test_a_danger_is_noticed_by_its_words(text: str, kind: str) -> None:
    assert by_words(UK, text)[0].kind == kind


@pytest.mark.parametrize(
    "text",
    [
        "my lad is on fire at rugby",
        "the new gym is fire",
        "that noise nearly gave me a heart attack",
        "thank you for the smoke alarm",
        "our smoke alarm chirps every minute",
        "our smoke detector beeps once a minute",
        "il pète le feu",
        "sie ist feuer und flamme",
        "la porta tagliafuoco è nuova",
        "de branddeur klemt",
        "sono stanca morta",
    ],
)
def test_an_idiom_is_none_by_its_words(text: str) -> None:
    assert by_words(UK, text) == ()


@pytest.mark.parametrize(
    "text",
    [
        "my lad is on fire",
        "the new gym is on fire at the back",
        "the new gym is fire help",
        "the pain nearly floored me, i think it is a heart attack",
        "thank you for the smoke alarm it is going off",
        "sorry if the alarm is loud, it keeps going",
        "can you test the alarm it won't stop",
        "the smoke alarm keeps beeping every minute and there is smoke",
        "revisen la alarma de humo, no para de sonar",
        "il y a le feu",
        "la porta tagliafuoco è in fiamme, brucia tutto",
    ],
)
def test_a_danger_beside_such_words_is_still_one(text: str) -> None:
    assert dangers_heard(UK, text, "en")


def test_a_long_gap_spans_twelve_words_and_no_more() -> None:
    pattern = phrase_pattern("door ~~ gas")
    assert pattern.search("door " + "x " * 12 + "gas")
    assert not pattern.search("door " + "x " * 13 + "gas")


def test_what_is_everyday_ends_where_another_clause_begins() -> None:
    everyday = "J'ai perdu mon colis"
    assert unread_words(everyday, "fr") == ""
    assert "ma mère" in unread_words(f"{everyday} et ma mère est toute blanche", "fr")


@pytest.mark.parametrize(
    ("clause", "is_battery"),
    [
        ("the smoke alarm chirps every minute", True),
        ("my fire alarm keeps beeping every 40 seconds", True),
        ("the smoke alarm beeps every 3 seconds", False),
        ("the carbon monoxide alarm beeps every minute", False),
        ("the smoke alarm chirps every minute and i feel sick", False),
    ],
)
def test_only_a_chirp_of_a_low_battery_is_everyday(clause: str, is_battery: bool) -> None:
    assert says_everyday(clause) is is_battery


def test_an_for_and_begins_another_problem_only_before_its_thing() -> None:
    assert clauses("the bath leaks an the door sticks") == ("the bath leaks", "the door sticks")
    assert clauses("there is an old tap leaking") == ("there is an old tap leaking",)


@pytest.mark.parametrize(
    ("text", "language"),
    [("Foto hab ich keins", "de"), ("zdjęć nie mam", "pl"), ("fotos no tengo", "es"), ("fotos não tenho", "pt")],
)
def test_a_photo_is_refused_in_another_order_of_words(text: str, language: str) -> None:
    assert gloss(text, language).text.strip() == "no photos"


def test_a_polish_and_joins_two_problems() -> None:
    both = gloss("w łazience cieknie kran a w pokoju nie domyka się okno", "pl").text
    assert [trouble.place for trouble in troubles([both], "en")] == ["bathroom", "room"]


def test_who_only_deals_with_one_person_wants_that_person() -> None:
    assert shown_by(SpeechAct.PERSON, "i only deal with Karen", "en")
    assert not shown_by(SpeechAct.PERSON, "the other team dealt with it", "en")


def test_a_denied_place_gives_way_to_the_other() -> None:
    assert denied("sorry bathroom not kitchen", "kitchen")
    assert not denied("sorry it does not work", "kitchen")
