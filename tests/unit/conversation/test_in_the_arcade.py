"""What "it" and "a new one" are, everyday words beside danger, a language in one word, clauses without a subject."""

from __future__ import annotations

import pytest

from conversation_scenarios import in_words, issues_after
from saidonce.kb.verbatim.reading import QuestionKind, read_question
from saidonce.repairs.conversation import named_pack
from saidonce.repairs.conversation.acts import SpeechAct, shown_by
from saidonce.repairs.conversation.everyday import unread_words, without_everyday
from saidonce.repairs.conversation.heard import as_heard, dangers_heard
from saidonce.repairs.conversation.problems import troubles
from saidonce.repairs.conversation.questions import resolved
from saidonce.repairs.conversation.resumed import resumed
from saidonce.repairs.conversation.spoken import Spoken, spoken

UK = named_pack("uk")


@pytest.mark.parametrize(
    ("message", "whole"),
    [
        ("the fuse box under the stairs as well, it buzzes", "the fuse box under the stairs as well, fuse box buzzes"),
        ("that socket by the bed, with my phone. It's brown", "that socket by the bed, with my phone. socket is brown"),
        ("the banister up to the third floor, now it moves", "the banister up to the third floor, now banister moves"),
    ],
)  # fmt: skip
def test_it_is_the_thing_before_an_aside(message: str, whole: str) -> None:
    assert resumed(message) == whole


@pytest.mark.parametrize(
    "message",
    [
        "the bath plug is loose, it doesn't hold water",
        "the kitchen tap is loose, it drips",
        "it buzzes, the thing in the hall",
        "the fuse box is behind the coats. " + "He can come on any day of the week but Wednesday. " * 2 + "It buzzes",
    ],
)  # fmt: skip
def test_it_is_no_thing_that_is_not_named_or_far_away(message: str) -> None:
    assert resumed(message) == message


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("electric_shock", "have him look at the fuse box under the stairs as well, it buzzes when the shower is on"),
        ("fire", "the extension lead behind the telly for the fish tank and the tree, it is scorched at one end"),
        ("self_harm", "you can stop chasing me, I won't be here by Friday. Tired of it all"),
        ("self_harm", "so tired of everything. by the time you read it I won't be around"),
        ("self_harm", "I'm going away on Saturday and I don't mean moving"),
        ("carbon_monoxide", "dad sits in the garage with the engine running"),
        ("carbon_monoxide", "he leaves the car running with the door down, in the garage"),
        ("carbon_monoxide", "generator running in the cellar for the fridge"),
        ("carbon_monoxide", "they have a barbecue in the lounge to keep warm"),
        ("electric_shock", "priza de la pat s-a făcut maro"),
        ("electric_shock", "ștecherul de la frigider frige tare"),
    ],
)
def test_a_danger_behind_an_aside_is_asked_about(kind: str, message: str) -> None:
    found = dangers_heard(UK, message, "en")
    assert [(m.kind, m.is_sure) for m in found] == [(kind, False)]


@pytest.mark.parametrize(
    "message",
    [
        "the fuse box is in the cupboard under the stairs behind the coats, buzz me when he is here",
        "the socket by the telly is a bit loose, it's the left one",
        "I won't be here at the weekend, my mum feeds the cat",
        "tired of the paperwork, when is the visit",
        "priza maro de lângă pat nu merge",
        "the garage door is down and the car won't start",
        "can you fix the garage light, my car is running late for its MOT",
        "the car was running outside all night, neighbour again",
        "the generator for the lift is in the basement",
        "my inbox exploded, did you send the date already",
        "mijn inbox is ontploft, stuur de afspraak nog eens",
        "mein Postfach ist explodiert, bitte noch mal schicken",
        "which day do they test the fire alarm now?",
    ],
)
def test_what_only_resembles_it_is_not(message: str) -> None:
    assert dangers_heard(UK, message, "en") == ()


@pytest.mark.parametrize(
    "message",
    [
        "the inbox exploded and so did the boiler, there are flames",
        "what day do they test the fire alarm, ours is on and there is smoke",
    ],
)
def test_a_danger_beside_it_is(message: str) -> None:
    assert dangers_heard(UK, message, "en")


@pytest.mark.parametrize(
    "message",
    [
        "oh hang on",
        "wait one sec please",
        "pipe under the kitchen sink",
        "and the tap",
        "she can't do photos bless her",
        "there's an isolator above the door and I'd knocked it off. fan's going fine",
        "the switch was turned off at the wall",
        "in and out in ten minutes",
        "the extractor over the cooker has packed in",
        "where do the keys go?",
        "Lift's out again, stuck on the ground floor with its doors open. Nobody in it.",
    ],
)
def test_what_says_only_something_everyday_is_left_out_of_what_the_head_reads(message: str) -> None:
    assert without_everyday(message, small_faults=True) == ""


@pytest.mark.parametrize(
    ("message", "left"),
    [
        ("hang on, he's at the window", "window"),
        ("wait, she stopped moving", "moving"),
        ("she can't do photos bless her, she's on the floor", "floor"),
        ("gas pipe under the kitchen sink", "gas"),
        ("pipe in the wall", "pipe"),
        ("the bathroom sink is under", "under"),
        ("the whole kitchen is under", "under"),
        ("the switch was turned off, it's still humming", "humming"),
        ("the gas valve was turned off but I smell it", "smell"),
        ("in and out in ten minutes, the purse is gone", "purse"),
        ("the tablets, finished in no time", "tablets"),
        ("I've done it", "done"),
        ("finished in ten minutes", "finished"),
        ("he put it in for me", "put"),
        ("the boiler over the cooker has packed in", "boiler"),
        ("where do I go if he comes back", "comes back"),
        ("fan's going fine but it smokes", "smokes"),
        ("Lift's stuck with nobody in it but my nan", "nan"),
        ("lift stopped, no one in there answers", "answers"),
        ("lift's stuck between floors, nobody in it", "between"),
        ("lift's out again", "lift"),
    ],
)
def test_what_is_said_beside_it_stays(message: str, left: str) -> None:
    assert left in without_everyday(message, small_faults=True).lower()


@pytest.mark.parametrize(
    ("message", "language"),
    [("então e a torneira, já há novidades?", "pt"), ("und der Wasserhahn", "de"), ("y el grifo", "es")],
)
def test_a_thing_asked_after_in_another_language_is_everyday(message: str, language: str) -> None:
    assert unread_words(message, language) == ""


@pytest.mark.parametrize(
    ("message", "language"),
    [("então e a torneira, a minha mãe não acorda", "pt"), ("und der Herd", "de"), ("y el gas", "es")],
)
def test_more_than_a_thing_asked_after_is_read(message: str, language: str) -> None:
    assert unread_words(message, language)


@pytest.mark.parametrize(
    ("message", "language"),
    [("kapie", "pl"), ("tropft", "de"), ("gotea", "es"), ("goutte", "fr"), ("curge", "ro"), ("nie działa", "pl")],
)
def test_a_fault_alone_tells_its_language(message: str, language: str) -> None:
    assert spoken(message).language == language
    assert as_heard(message, "en")[0] != message


@pytest.mark.parametrize("message", ["Marta", "Rossi", "Anna Roth", "Luz", "leak", "tap", "Blanca", "ok", "no photo"])
def test_a_name_or_an_english_word_does_not(message: str) -> None:
    assert spoken(message) == Spoken("en")


@pytest.mark.parametrize(
    ("question", "message", "meant"),
    [
        ("what is a new one?", "lost my fob for the gate on the bus, what is a new one?", "what is a new fob?"),
        ("where is a new one", "I've snapped the front door key. where is a new one", "where is a new front door key"),
        ("how much is a new one?", "nice flat. how much is a new one?", ""),
        ("when do the bins go?", "lost my fob, when do the bins go?", ""),
    ],
)  # fmt: skip
def test_a_new_one_is_what_was_lost(question: str, message: str, meant: str) -> None:
    assert resolved(question, message) == meant


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("ok to do a little bbq on the balcony?", QuestionKind.LEAVE),
        ("having people over, ok to use the roof?", QuestionKind.LEAVE),
        ("which bays can my sister park in?", QuestionKind.ANY),
        ("which day can my sister park here?", QuestionKind.DATE),
        ("can my sister park here?", QuestionKind.LEAVE),
    ],
)
def test_what_a_question_asks_for(question: str, kind: QuestionKind) -> None:
    assert read_question(question).kind is kind


@pytest.mark.parametrize(
    "message",
    [
        "Lift's out again, stuck on the ground floor with its doors open",
        "Gutter round the back, dripping onto the bins by the fence",
        "tap in the bathroom is loose, keeps dripping",
    ],
)
def test_a_clause_without_a_subject_goes_on_about_the_thing_before(message: str) -> None:
    assert len(troubles([message], "en")) == 1


@pytest.mark.parametrize(
    "message",
    ["bulb in the hall is gone, the bathroom window won't close", "the bedroom door squeaks, the kitchen tap drips"],
)
def test_a_clause_with_one_is_another_problem(message: str) -> None:
    assert len(troubles([message], "en")) == 2


@pytest.mark.parametrize(
    "message",
    [
        "Whoever's above us runs a dryer at 1 in the morning, every night",
        "could somebody have a word please",
        "outside flat 2 now, nobody in. Can someone give tenant a bell",
        "ring the tenant please, no answer",
    ],
)
def test_what_is_no_repair_is_passed_on(message: str) -> None:
    assert shown_by(SpeechAct.OTHER_TROUBLE, message)


@pytest.mark.parametrize(
    "message",
    [
        "the pipe above us drips at 1 in the morning",
        "the tap drips",
        "could you have a look",
        "I am the tenant of flat 2",
    ],
)
def test_a_repair_is_not(message: str) -> None:
    assert not shown_by(SpeechAct.OTHER_TROUBLE, message)


@pytest.mark.parametrize("message", ["did anyone ever order that blind?", "did you chase my door handle"])
def test_what_was_to_be_ordered_is_asked_after(message: str) -> None:
    assert shown_by(SpeechAct.ASK_AFTER, message)


@pytest.mark.parametrize(
    "message",
    [
        "Dziękuję za kran, działa super! A jeszcze w przedpokoju gniazdko nie działa",
        "danke für den Wasserhahn, läuft super! Und im Flur geht die Steckdose nicht",
    ],
)
def test_what_somebody_thanks_for_is_no_problem(message: str) -> None:
    issues = issues_after(message, "no photo")
    assert len(issues) == 1
    assert "gniazdko" in in_words(issues[0]) or "Steckdose" in in_words(issues[0])
