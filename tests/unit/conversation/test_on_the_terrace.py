"""Answers in a hurry, places put in place of others, words of two languages, figures of speech in words of danger."""

from __future__ import annotations

import pytest

from conversation_scenarios import in_words, issues_after
from saidonce.foundation.model.conversation import Category
from saidonce.quality.conversation import play
from saidonce.quality.scenario import read_scenario
from saidonce.repairs.conversation import corrections, lexicon, named_pack
from saidonce.repairs.conversation.code_switching import read_mixed
from saidonce.repairs.conversation.everyday import without_everyday
from saidonce.repairs.conversation.gloss import gloss
from saidonce.repairs.conversation.heard import as_heard, dangers_heard
from saidonce.repairs.conversation.problems import troubles
from saidonce.repairs.conversation.questions import asks, bare
from saidonce.testing.memory_conversations import MemoryConversations

UK = named_pack("uk")


@pytest.mark.parametrize(
    ("language", "answer"),
    [
        ("de", "foto kann ich grad nich"),
        ("de", "Foto bringt da nichts"),
        ("it", "nn ho foto"),
        ("it", "nn riesco a fare la foto"),
        ("fr", "jpeux pas faire de photo"),
        ("pt", "n tenho foto"),
        ("en", "she doesnt want her kitchen photographed"),
        ("en", "nothing you could see on a photo"),
        ("en", "i wouldn't know how to send you a picture"),
    ],
)
def test_a_photo_is_refused_in_the_spelling_of_chats(language: str, answer: str) -> None:
    assert lexicon.refuses_photo(as_heard(answer, language)[0], language)


@pytest.mark.parametrize(
    "answer",
    ["photo isnt great but here it is", "will photograph it tonight", "nothing yet, the photo is still loading"],
)
def test_a_photo_that_is_there_or_on_its_way_is_not_refused(answer: str) -> None:
    assert not lexicon.refuses_photo(answer)


@pytest.mark.parametrize(
    ("language", "answer", "place"),
    [
        ("it", "anzi no, quella dello studio", "studio"),
        ("it", "no scusa, quella del bagno", "bathroom"),
        ("es", "no perdona, la del salón", "living room"),
        ("fr", "ah non, celle de la chambre", "bedroom"),
        ("de", "nein warte, im Schlafzimmer", "bedroom"),
        ("pl", "nie, czekaj, ten w kuchni", "kitchen"),
        ("pt", "não, espera, é o da cozinha", "kitchen"),
        ("nl", "nee wacht, die in de keuken", "keuken"),
        ("en", "no wait, the one in the hallway", "hallway"),
    ],
)
def test_a_place_is_put_in_place_of_another_by_few_words(language: str, answer: str, place: str) -> None:
    text = as_heard(answer, language)[0]
    change = corrections.correction((text,), language) or corrections._bare_place((text,))
    assert change is not None
    assert change.place in (place, "kitchen")


@pytest.mark.parametrize(
    "answer", ["not in the kitchen", "the kitchen is fine", "it is not the bathroom", "in the hall too"]
)
def test_a_place_without_trouble_takes_no_other_ones_place(answer: str) -> None:
    assert corrections._bare_place((answer,)) is None


def test_the_clause_that_corrects_says_the_right_place() -> None:
    text = "oh hang on its the kitchen one, ive just been in and the bathroom ones fine"
    change = corrections.correction((text,), "en")
    assert change is not None
    assert change.place == "kitchen"


def test_a_corrected_report_is_in_the_residents_own_words() -> None:
    first, second = "Im Bad geht das Licht nicht mehr an", "halt, nein, es ist das Gäste-WC, im Bad geht es"
    (issue,) = issues_after(first, second, "kein Foto")
    assert "Gäste-WC" in issue.description
    assert "bathroom" not in in_words(issue)


@pytest.mark.parametrize(
    ("text", "language"),
    [("c'est la poignée de la porte", "fr"), ("es la cerradura de la puerta del garaje", "es")],
)
def test_a_verb_in_front_asks_nothing_where_no_subject_stands(text: str, language: str) -> None:
    english = as_heard(text, language)[0]
    assert asks(english), "in English the same words would ask"
    assert not asks(english, language)
    assert asks(f"{english}?", language)


@pytest.mark.parametrize(
    ("asked", "question"),
    [
        ("sorry daft question what day does the recycling go out", "what day does the recycling go out"),
        ("Kurze Frage: wo stehen die Räder, weil meins noch draußen ist?", "wo stehen die Räder"),
        ("od ktorej jest cisza nocna? bo sie z kolega zalozylem", "od ktorej jest cisza nocna"),
        ("where do the bins stand", "where do the bins stand"),
    ],
)
def test_what_is_asked_is_neither_the_courtesy_before_it_nor_the_reason_behind_it(asked: str, question: str) -> None:
    assert bare(asked) == question


@pytest.mark.parametrize(
    ("content", "trade"),
    [
        ("the oven does not heat", Category.APPLIANCE),
        ("the washing machine leaks water", Category.APPLIANCE),
        ("no hot water since Monday", Category.HEATING),
        ("the tap leaks", Category.PLUMBING),
    ],
)
def test_the_thing_says_the_trade_before_what_it_does(content: str, trade: Category) -> None:
    assert lexicon.category(content) is trade


def test_problems_that_are_counted_need_no_known_name() -> None:
    english = gloss("Mam dwie sprawy: w kuchni nie domyka się szuflada, a w przedpokoju nie świeci lampa.", "pl").text
    assert [t.place for t in troubles((english,), "pl")] == ["kitchen", "hallway"]


def test_water_that_is_not_warm_and_its_boiler_are_one_problem() -> None:
    text = "only lukewarm water out of the shower, and the boiler in the hall cupboard just says F22"
    assert len(troubles((text,), "en")) == 1
    assert len(troubles(("the shower screen is loose, and the boiler in the hall cupboard just says F22",), "en")) == 2


@pytest.mark.parametrize(
    ("text", "english"),
    [
        ("hola, the persiana in the living room no sube", "hello, the window blind in the living room won't go up"),
        ("the rubinetto in the bathroom gocciola all night", "the tap in the bathroom leaking all night"),
    ],
)
def test_an_english_message_with_words_of_another_language_is_read_in_both(text: str, english: str) -> None:
    mixed = read_mixed(text)
    assert mixed is not None
    assert mixed.text == english
    assert mixed.original(english) == text


@pytest.mark.parametrize("text", ["hola, the blind is stuck, gracias", "I live in Casa Blanca", "the door sticks"])
def test_a_name_or_a_courtesy_mixes_no_languages(text: str) -> None:
    assert read_mixed(text) is None


@pytest.mark.parametrize(
    ("word", "english"),
    [("Fenstergriff", "window handle"), ("Kellerlicht", "basement light"), ("Balkontür", "balcony door")],
)
def test_a_word_of_two_known_ones_is_both(word: str, english: str) -> None:
    assert gloss(word, "de").text == english


@pytest.mark.parametrize("word", ["Feuertür", "Rauchgeruch", "Hausmeister"])
def test_a_word_with_an_unknown_or_dangerous_part_is_not_taken_apart(word: str) -> None:
    assert gloss(word, "de").n_known == 0 or "handle" not in gloss(word, "de").text


HARMLESS = """I'm dying for a proper bath, the plug won't hold the water in any more
it's the kids birthday so I'm drowning in balloons here
my flatmate burns every pancake he ever makes
that fire alarm on Tuesday, was it the drill you announced?
L'alarme incendie de mardi, c'était bien l'exercice annoncé ?
La alarma de incendios del martes era el simulacro, ¿no?
War der Feueralarm am Dienstag die angekündigte Übung?
ich hab jetzt erstmal eine Schüssel drunter gestellt
o fecho da porta da varanda está preso
a gaveta da cozinha está presa""".splitlines()

DANGERS = """I'm dying for air in here, the room is full of fumes
mum is dying for breath
I'm dying for a bath but the water is sparking when I touch the tap
my kid is drowning in the bath
drowning in boxes lol but seriously there's smoke in the hall
my flatmate burns all over his arm
he burns every pancake and now the kitchen is on fire
the alarm on tuesday was a drill but now there is smoke on the stairs
the fire alarm is going, is it a drill?
l'alarme incendie de mardi c'était un exercice mais là ça brûle au 2e
feueralarm! ist das eine übung?
da fallen schüsse im hof
estou preso na casa de banho
a minha mãe está presa
a porta ficou presa e o meu bebé está do outro lado
a fechadura está presa e o meu pai está lá dentro caído
dad went to the loo an hour ago and hes not answering me through the door
Meine Frau ist seit einer Stunde im Bad und antwortet mir nicht
mio nonno è in bagno da un'ora e non risponde
o meu pai está na casa de banho há uma hora e não responde
grandad is pinned under the wardrobe
the wall behind the fuse cupboard is so warm the paint has gone brown""".splitlines()


@pytest.mark.parametrize("sentence", HARMLESS)
def test_a_figure_of_speech_a_drill_that_is_over_and_a_stuck_thing_ask_nothing(sentence: str) -> None:
    assert not dangers_heard(UK, sentence, "en")


@pytest.mark.parametrize("danger", DANGERS)
def test_a_danger_in_the_same_words_is_heard(danger: str) -> None:
    assert dangers_heard(UK, danger, "en")


@pytest.mark.parametrize("clause", ["she's driving up from cornwall", "my sister is visiting from Leeds this weekend"])
def test_a_visitor_on_the_way_is_everyday(clause: str) -> None:
    assert not without_everyday(clause, small_faults=True)


@pytest.mark.parametrize(
    "clause",
    [
        "he's driving from above",
        "my ex is driving up from Bristol with a knife",
        "he is driving over from Leeds, he said he would finish me",
        "she's driving up from cornwall and dad won't wake up",
        "sorry, I meant the lift",
        "I meant the roof, I'm on it",
        "no the oven is on fire",
    ],
)
def test_what_may_be_more_than_a_visit_or_a_correction_stays(clause: str) -> None:
    assert without_everyday(clause, small_faults=True)


_TWO_HOMES = """
id = "s"
source = "test"
[[home]]
id = "t1"
unit = "Flat 2"
address = "12 Elm Road"
[[home]]
id = "t2"
unit = "Flat 9"
address = "4 Mill Lane"
resident = "r-t1"
"""


@pytest.mark.parametrize("pick", ["flat 2 please", "flat 9", "it's the one at Mill Lane", "2"])
def test_the_answer_that_picks_a_home_is_no_part_of_the_report_that_waited_for_it(pick: str) -> None:
    messages = ("the bathroom fan rattles", pick, "it began on Monday", "no photo")
    steps = "".join(f'[[step]]\ntext = """{m}"""\n' for m in messages) + '[[step]]\nat = "10m"\n'
    store = MemoryConversations("test")
    play(read_scenario(_TWO_HOMES + steps, "s"), "default", lambda: store)
    (issue,) = store.issues()
    assert issue.description == "the bathroom fan rattles / it began on Monday"


@pytest.mark.parametrize("answer", ["no sorry, the one in the hallway", "no, in the hallway"])
def test_a_correction_that_begins_with_a_no_refuses_no_photo(answer: str) -> None:
    report = "the switch in the bedroom does not work"
    assert not issues_after(report, answer)
    (issue,) = issues_after(report, answer, "no photo")
    assert issue.location == "hallway"


def test_words_left_of_a_message_keep_their_stops() -> None:
    report = "Teh shower in the ensuite runs lukewarm. By the evening it's hot."
    (issue,) = issues_after(report, "sorry, phone's camera is cracked")
    assert "lukewarm. By the evening" in issue.description
