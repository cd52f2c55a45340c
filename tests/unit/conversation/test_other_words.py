"""What residents write in other words than the usual ones, and words that only look like something else."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from saidonce.repairs.conversation import lexicon
from saidonce.repairs.conversation.acts import SpeechAct, shown_by
from saidonce.repairs.conversation.danger_head import DangerReading, HeadCard
from saidonce.repairs.conversation.dangers import by_words
from saidonce.repairs.conversation.emergency import find_dangers, named_pack
from saidonce.repairs.conversation.everyday import says_everyday, without_everyday
from saidonce.repairs.conversation.hand_over import reason_for_person
from saidonce.repairs.conversation.heard import dangers_heard
from saidonce.repairs.conversation.problems import Trouble, things_in, troubles
from saidonce.repairs.conversation.questions import asks
from saidonce.repairs.conversation.spelling import read

UK = named_pack("uk")


@dataclass
class Afraid:
    """A reader that takes every message for a danger."""

    card: HeadCard = field(default_factory=lambda: HeadCard("e", ("harmless", "structure"), 0.4, 0.99))
    read_texts: list[str] = field(default_factory=list)

    def read(self, message: str) -> DangerReading:
        self.read_texts.append(message)
        return DangerReading("structure", 0.5)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("the shower screen in the en suite has dropped", "en suite"),
        ("en suite: toilet won't flush", "en suite"),
        ("the cupboard door in the kitchen hangs on one hinge", "kitchen"),
        ("the cupboard door hangs on one hinge", "cupboard"),
        ("the shelf in the airing cupboard came down", "airing cupboard"),
        ("the shower drips", "shower"),
    ],
)
def test_a_word_that_says_which_thing_is_meant_is_no_place_beside_a_room(text: str, place: str) -> None:
    assert lexicon.place_in(text) == place


def test_en_suite_is_a_place() -> None:
    assert lexicon.names_place("in the en suite")
    assert lexicon.names_place("En-suite")


@pytest.mark.parametrize("text", ["the washer won't drain Hope that's ok!", "it won't move and that is the one I use"])
def test_a_thing_that_will_not_move_refuses_no_photo(text: str) -> None:
    assert not lexicon.declines(text)


@pytest.mark.parametrize("text", ["I can't send that", "can't take one", "won't send you any pictures", "cant do that"])
def test_a_refusal_of_a_photo_stays_one(text: str) -> None:
    assert lexicon.declines(text)


@pytest.mark.parametrize(
    ("message", "places"),
    [
        ("my boiler loses pressure, it's in the attic. also the toilet in the en suite runs", "attic, en suite"),
        ("bedroom: wardrobe lost a leg. also the door in the kitchen sticks when it rains", "bedroom, kitchen"),
        ("the hob in the kitchen has seen better days. also the tap in the bath drips", "kitchen, bath"),
        ("1) my toilet is blocked, it's in the downstairs loo 2) the kitchen fan rattles", "downstairs, kitchen"),
        ("the gas man came about the boiler yesterday. also the tap in the kitchen drips", "kitchen"),
        ("two things: the wall in the hall is damp, and the rail came off the wall in the lounge", "hall, lounge"),
    ],
)
def test_also_shows_that_there_was_a_problem_before(message: str, places: str) -> None:
    assert ", ".join(t.place for t in troubles([message], "en")) == places


def test_the_words_before_also_belong_to_the_first_problem() -> None:
    first, second = troubles(["hi there, the hob in the kitchen has seen better days. also the tap drips"], "en")
    assert first == Trouble(("hi there", "the hob in the kitchen has seen better days."), "kitchen")
    assert second.clauses == ("also the tap drips",)


def test_what_a_thing_came_off_is_no_second_thing() -> None:
    assert things_in("the curtain rail came off the wall") == {"curtain", "rail"}
    assert things_in("it leaks under the sink") == {"sink"}


def test_a_code_counts_only_on_a_display() -> None:
    assert len(troubles(["the combi in the kitchen says E119"], "en")) == 1
    assert troubles(["the gate code is C44"], "en") == ()


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("let me tlk to a humman", "talk to a human"),
        ("let me takl to a human", "talk to a human"),
        ("can i spk to some1", "can i speak to someone"),
        ("put me thru", "put me through"),
        ("ktchn tap brkn", "kitchen tap broken"),
    ],
)
def test_words_without_vowels_and_swapped_letters_are_read(written: str, words: str) -> None:
    assert words in read(written).text
    assert read(written).original(read(written).text) == written


@pytest.mark.parametrize("written", ["hmm", "the tv and the dvd", "room 1a", "code some12"])
def test_other_words_without_vowels_stay(written: str) -> None:
    assert read(written).text == written


@pytest.mark.parametrize(
    "text",
    [
        "get me someone from the office",
        "im not doing this with a bot",
        "im not leaving the flat while you do the kitchen",
        "we refuse to move out",
        "you can't make us leave",
    ],
)
def test_a_person_is_due(text: str) -> None:
    assert reason_for_person((text,), "en")[0]


@pytest.mark.parametrize(
    "text",
    [
        "get me someone to fix the tap",
        "i wont leave the house until 5 so come before",
        "the drawer won't move",
        "the stain won't leave the carpet",
    ],
)
def test_no_person_is_due(text: str) -> None:
    assert not reason_for_person((text,), "en")[0]


def test_what_you_notice_is_no_notice_to_quit() -> None:
    assert not shown_by(SpeechAct.MOVING_OUT, "they put in a smell so you notice it")
    assert shown_by(SpeechAct.MOVING_OUT, "we put in our notice last week")


@pytest.mark.parametrize("text", ["next to the stais", "it stas cold", "ring firts"])
def test_an_everyday_word_without_a_letter_is_no_danger(text: str) -> None:
    assert find_dangers(UK, text) == ()


@pytest.mark.parametrize("text", ["he stabed me", "smke in the hall", "fier", "there is blod", "stabs"])
def test_a_danger_without_a_letter_stays_one(text: str) -> None:
    assert find_dangers(UK, text) != ()


@pytest.mark.parametrize(
    "clause",
    ["what's happening with my boiler?", "any news about the blind", "i'd rather not", "i'm 79 and live alone"],
)
def test_asking_after_refusing_and_living_alone_are_everyday(clause: str) -> None:
    assert says_everyday(clause)


@pytest.mark.parametrize(
    "clause",
    [
        "what's happening with the lift",
        "what's happening, help",
        "i'm alone",
        "i'd rather not live",
        "i'm 79 and live alone and i have fallen",
        "when will someone come, i can't cope",
    ],
)
def test_more_than_that_is_read_by_the_head(clause: str) -> None:
    assert without_everyday(clause)


@pytest.mark.parametrize(
    "text",
    [
        "what's happening with my smoke alarm?",
        "nobody came about the smoke alarm yet",
        "when will someone look at the smoke alarm?",
        "explosion of cardboard in the bin store",
        "a murder mystery night",
    ],
)
def test_asking_after_an_alarm_and_figures_of_speech_hold_no_danger_word(text: str) -> None:
    assert by_words(UK, text) == ()


@pytest.mark.parametrize(
    "text",
    [
        "what's happening with my smoke alarm, it won't stop",
        "what's happening with the fire alarm?",
        "what's happening with my smoke alarm? it's going off",
        "nobody came about the smoke alarm and it is ringing again",
        "what's going on with the smoke alarm everyone is outside",
        "there was an explosion in the bin store",
        "the fuse board is buzzing and its really hot",
        "every time i light the ring theres a whoosh",
        "my toddler has been drinking bleach",
        "mi hija se ha bebido la lej\u00eda",
        "mon fils a aval\u00e9 de la javel",
        "ta an teach tri thine",
        "t\u00e1 boladh g\u00e1is sa chistin",
    ],
)
def test_an_alarm_that_sounds_and_other_dangers_are_noticed(text: str) -> None:
    assert by_words(UK, text) != ()


@pytest.mark.parametrize("text", ["le toit fuit", "una tuile cass\u00e9e", "inne mieszkanie", "the gas bill"])
def test_irish_words_of_danger_mean_something_else_in_other_languages(text: str) -> None:
    assert by_words(UK, text) == ()


@pytest.mark.parametrize("text", ["kitchen: cupboard door hangs on one hinge", "the blind fell down sort it out"])
def test_a_small_fault_of_a_small_thing_costs_no_question(text: str) -> None:
    assert dangers_heard(UK, text, "en", Afraid()) == ()


@pytest.mark.parametrize(
    "text", ["the window fell on my son", "the blind fell down, he is under it", "the shelf fell down, it's on fire"]
)
def test_a_small_fault_calms_nothing_beside_it(text: str) -> None:
    assert dangers_heard(UK, text, "en", Afraid()) != ()


def test_a_thing_with_its_fault_and_only_a_mark_asks_nothing() -> None:
    assert not asks("the wardrobe in the bedroom lost a leg ?")
    assert not asks("fridge hums all night ?")
    assert asks("is the fridge included in the rent?")
