"""What an ordinary month showed: dangers told quietly in eleven languages, what calms, and what a complaint is."""

from __future__ import annotations

import pytest

from saidonce.repairs.conversation.acts import SpeechAct, shown_by
from saidonce.repairs.conversation.dangers import by_words
from saidonce.repairs.conversation.emergency import named_pack
from saidonce.repairs.conversation.everyday import without_everyday
from saidonce.repairs.conversation.gloss import gloss
from saidonce.repairs.conversation.lexicon import place_in
from saidonce.repairs.conversation.no_danger import masked
from saidonce.repairs.conversation.phrase_syntax import MASK, Phrases
from saidonce.repairs.conversation.problems import troubles
from saidonce.repairs.conversation.questions import read_messages

UK = named_pack("uk")


@pytest.mark.parametrize(
    "message",
    [
        "the heating has been off three days and it's 11 degrees in the nursery",
        "our radio fell in the bath",
        "the carbon gadget keeps going off so I sat on it",
        "he says he'll set light to the house",
        "die Heizung ist aus und es hat nur noch 9 Grad",
        "riscaldamento spento, ci sono 8 gradi",
        "não consigo fechar a torneira e está a jorrar da parede",
        "de traplift is blijven staan met mijn vader erin",
        "priza e fierbinte",
        "liftul s-a oprit cu doi copii",
        "رجل يتبعني كل يوم",
        "السقف منتفخ فوق السرير",
        "墙裂了一条大缝",
        "her baby has gone all limp",
        "奶奶摔在厨房里起不来",
    ],
)
def test_dangers_told_quietly_are_heard_by_their_words(message: str) -> None:
    assert by_words(UK, message)


@pytest.mark.parametrize(
    ("calm", "danger"),
    [
        ("w lodówce pali się lampka", "pali się w lodówce"),
        ("l'interphone grésille", "l'interphone fume et grésille"),
        ("the intercom crackles", "the intercom sparks and crackles"),
        ("the dryer goes round but there's no heat in it", "there's no heat in the flat, not even the dryer is warm"),
        ("the place looks like a bomb hit it", "somebody says there is a bomb in the hall"),
        ("das Licht brennt", "es brennt, das Licht ist aus"),
    ],
)
def test_a_reason_that_calms_takes_out_its_own_words_alone(calm: str, danger: str) -> None:
    assert not by_words(UK, calm)
    assert by_words(UK, danger)


def test_a_figure_of_speech_stands_in_one_clause() -> None:
    assert MASK in masked("brennt das licht noch")
    assert MASK not in masked("es brennt, das licht ist aus")


def test_a_gap_of_a_script_without_spaces_ends_with_the_clause() -> None:
    phrases = Phrases.of(["天花板~响"], is_spaced=False)
    assert phrases.search("天花板晚上会响")
    assert not phrases.search("天花板很白，门铃会响")


@pytest.mark.parametrize(
    "message",
    [
        "I waited in all afternoon and nobody turned up",
        "no one showed for the third time",
        "took the day off and they never came",
        "the electrician was really rude to my mother",
        "your builders left the hall in a mess",
    ],
)
def test_a_visit_that_failed_is_a_complaint(message: str) -> None:
    assert shown_by(SpeechAct.COMPLAINT, message)


@pytest.mark.parametrize(
    "message",
    [
        "I waited in and the plumber came at five",
        "we waited for hot water all day and it never came back",
        "your man left no mess at all",
        "the handle came off a third time",
    ],
)
def test_a_visit_that_went_well_is_none(message: str) -> None:
    assert not shown_by(SpeechAct.COMPLAINT, message)


@pytest.mark.parametrize(
    ("message", "language"),
    [
        ("esperé todo el día y no apareció nadie", "es"),
        ("j'ai attendu toute la journée et personne ne s'est présenté", "fr"),
        ("stundenlang gewartet und keiner kam", "de"),
        ("czekałam cały dzień i nikt się nie zjawił", "pl"),
    ],
)
def test_a_visit_that_failed_is_a_complaint_in_other_languages(message: str, language: str) -> None:
    assert shown_by(SpeechAct.COMPLAINT, gloss(message, language).text, language)


@pytest.mark.parametrize(
    ("message", "places"),
    [
        ("Couple of niggles in the ensuite: the seat is cracked, and the rail is loose", ["ensuite", "ensuite"]),
        ("so two things really the fridge in the kitchen has no light and the doorbell it won't ring", ["kitchen", ""]),
        ("Thanks for the shower! The doorbell downstairs is broken", ["downstairs"]),
    ],
)
def test_problems_that_are_counted_or_thanked_for(message: str, places: list[str]) -> None:
    found = troubles([message], "en")
    assert [each.place for each in found if each.place != "doorbell"] == [p for p in places if p]
    assert len(found) == len(places)


def test_a_thing_tells_its_place_where_nothing_else_does() -> None:
    assert place_in("the doorbell is dead") == "doorbell"
    assert place_in("the intercom in the hall has no sound") == "hall"


def test_a_plan_belongs_to_the_question_whether_it_may_be() -> None:
    read = read_messages(["thinking of doing the bedroom wall in blue, is that ok?"])
    assert [a.whole for a in read.asked] == ["thinking of doing the bedroom wall in blue, is that ok?"]
    assert not read.rest[0]
    assert read_messages(["the bedroom wall is damp, is that ok?"]).rest[0]


def test_mould_and_a_thing_that_was_repaired_are_everyday_and_what_stands_beside_is_not() -> None:
    assert not without_everyday("there's black mould in the corner of the bedroom", small_faults=True)
    assert not without_everyday("fixed the loo in ten minutes flat", small_faults=True)
    assert without_everyday("black mould in the bedroom and the baby wheezes", small_faults=True)
    assert without_everyday("he fixed the boiler and now we all feel sick", small_faults=True)
