"""A passage answers a question for a positive reason only: its words, and the kind of thing that is asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from saidonce.kb.verbatim import (
    Cited,
    CitedPassage,
    QuestionKind,
    best_passage,
    judge_passage,
    plain_query,
    read_question,
)
from saidonce.kb.verbatim.wordlists import light_in


def nothing_alike(words: Sequence[str], known: Sequence[str]) -> Mapping[str, tuple[str, float]]:
    return {}


def judged(question: str, text: str, around: str = "House manual", alike: object = nothing_alike) -> Cited:
    return judge_passage(read_question(question), CitedPassage(text, around, "en", 0.9), alike)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("when is rent due", QuestionKind.DATE),
        ("what time does the gym shut", QuestionKind.TIME),
        ("wheres the stopcock", QuestionKind.PLACE),
        ("how much is a new fob", QuestionKind.SUM),
        ("how many keys do we get", QuestionKind.COUNT),
        ("how much notice do i give", QuestionKind.DURATION),
        ("how often do you inspect", QuestionKind.FREQUENCY),
        ("whats the phone number of the office", QuestionKind.PHONE),
        ("am i allowed a cat", QuestionKind.LEAVE),
        ("how do i bleed a radiator when it is cold", QuestionKind.ANY),
        ("wann ist nachtruhe?", QuestionKind.DATE),
        ("dónde está la basura", QuestionKind.PLACE),
    ],
)
def test_a_question_asks_for_a_kind_of_thing(question: str, kind: QuestionKind) -> None:
    assert read_question(question).kind is kind


@pytest.mark.parametrize(
    "question",
    [
        "who lives in flat 12", "why was i charged last week", "when was the boiler last serviced",
        "has the electrician confirmed", "can you tell me if the girl upstairs has paid her rent", "how much do i owe",
        "what is the landlord's home address", "when does my tenancy end", "will the rent go up next year",
    ],
)  # fmt: skip
def test_no_document_answers_what_concerns_one_person_or_has_happened(question: str) -> None:
    assert read_question(question).is_particular
    assert judged(question, "Rent, tenancy, boiler, flat 12, electrician, address: charged last week.").quote == ""


def test_a_passage_with_the_words_and_the_day_answers() -> None:
    cited = judged("what day are the bins collected", "General waste is collected every Tuesday.", "Bins")
    assert cited.quote == "General waste is collected every Tuesday."
    assert "bins" in cited.evidence


def test_one_that_holds_the_words_but_no_day_does_not() -> None:
    cited = judged("when are the bins emptied", "The bins stand behind the house and are emptied by the council.")
    assert cited.quote == ""
    assert cited.evidence.endswith("but not a day or a time")


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("do my visitors need a parking permit", "Each flat has one parking space in the car park."),
        ("is there a concierge at night", "Guests may stay for one night."),
        ("how much is the deposit for number 5", "The deposit is five weeks' rent: £900."),
        ("do i get a space with a 1 bed", "There is a charging space on level 1."),
        ("what is Mr Oseis mobile number", "The caretaker, Mr Osei, is in on working days."),
        (
            "where is the laundry room",
            "At Quay Court you use the laundry room, and dryers inside flats are banned.",
        ),
    ],
)
def test_a_near_miss_does_not_answer(question: str, text: str) -> None:
    assert judged(question, text).quote == ""


def test_another_word_for_the_same_counts_and_is_named() -> None:
    cited = judged("where do i put my bike", "Bicycles are kept in the store behind the house.")
    assert cited.quote
    assert "bike (bicycles)" in cited.evidence


def test_an_alike_word_counts_unless_it_names_another_thing_of_its_sort() -> None:
    def dogs_for_all(words: Sequence[str], known: Sequence[str]) -> Mapping[str, tuple[str, float]]:
        return dict.fromkeys(words, ("dogs", 0.9))

    text = "Dogs need our consent."
    assert judged("can i have a spaniel", text, alike=dogs_for_all).quote == text
    assert judged("can i have a rabbit", text, alike=dogs_for_all).quote == ""


def test_a_short_passage_is_quoted_whole_so_that_no_exception_is_lost() -> None:
    text = "The terrace is open from 8 am to 9 pm. It is closed in winter."
    assert judged("what time does the terrace open", text).quote == text


def test_a_long_one_is_cut_at_the_ends_of_sentences() -> None:
    filler = " ".join(f"The {n}th stair of the house is painted grey once in every year." for n in range(20))
    cited = judged("when is the gym open", f"{filler} The gym is open from 6 am to 10 pm. {filler}")
    assert "The gym is open from 6 am to 10 pm." in cited.quote
    assert len(cited.quote) <= 600
    assert cited.quote.endswith(".")
    assert cited.quote in f"{filler} The gym is open from 6 am to 10 pm. {filler}"


def test_the_passage_headed_by_the_question_comes_first() -> None:
    notice = judged("when is rent due", "Notice ends on the last day of a rent month.", "Moving out")
    rent = judged("when is rent due", "Rent is due on the first of the month.", "Rent")
    assert best_passage([notice, rent]) == 1
    assert best_passage([]) is None


def test_misspelled_and_parted_words_are_searched_as_they_are_meant() -> None:
    assert "rubbish" in plain_query(read_question("wat day is the rubish colected"))[0]
    assert "stopcock" in plain_query(read_question("wheres the stop cock please"))[2]
    assert judged("wheres the stop cock please", "The stopcock is under the sink.").quote


@pytest.mark.parametrize(
    ("question", "text", "language", "kind"),
    [
        ("¿Dónde podemos dejar las bicicletas?", "Las bicicletas se guardan en el sótano.", "es", QuestionKind.PLACE),
        ("Combien de temps mes invités peuvent-ils rester ?", "Les invités peuvent rester trois semaines.", "fr",
         QuestionKind.DURATION),
        ("Wann bekommen wir denn die Kaution zurück?", "Die Kaution wird innerhalb von 30 Tagen gezahlt.", "de",
         QuestionKind.DATE),
        ("Dove possiamo tenere le biciclette?", "Le biciclette si tengono in cantina.", "it", QuestionKind.PLACE),
        ("Hoe lang mogen logés blijven?", "Logés mogen drie weken blijven.", "nl", QuestionKind.DURATION),
        ("Do której godziny można wiercić?", "Wiercić można w dni robocze do 18:00.", "pl", QuestionKind.TIME),
        ("Onde podemos guardar as bicicletas?", "As bicicletas guardam-se na cave.", "pt", QuestionKind.PLACE),
    ],
)  # fmt: skip
def test_words_that_say_little_need_not_stand_there_in_any_language(
    question: str, text: str, language: str, kind: QuestionKind
) -> None:
    read = read_question(question)
    assert read.kind is kind
    assert judge_passage(read, CitedPassage(text, "", language, 0.9), nothing_alike).quote == text


@pytest.mark.parametrize(
    ("question", "text", "language"),
    [
        ("Wann wird der Sperrmüll abgeholt?", "Der Restmüll wird dienstags abgeholt.", "de"),
        ("¿Cuándo recogen el cartón?", "La basura se recoge los martes.", "es"),
        ("Waar staan de kinderwagens?", "Fietsen staan in de kelder achter de meters.", "nl"),
        ("Do której godziny można grać?", "Wiercić można do 18:00.", "pl"),
    ],
)
def test_a_near_miss_does_not_answer_in_another_language(question: str, text: str, language: str) -> None:
    assert judge_passage(read_question(question), CitedPassage(text, "", language, 0.9), nothing_alike).quote == ""


def test_what_is_light_in_one_language_is_not_in_another() -> None:
    assert judged("can i paint the door", "You may paint walls.").quote == ""
    assert light_in("nl") >= {"van", "door"}
    assert light_in("en") == frozenset()


def test_a_language_that_joins_nouns_answers_by_a_part_of_one() -> None:
    text = "Die Waschküche ist von 7 bis 21 Uhr offen; sonntags bleibt sie zu."
    question = "Darf ich am Sonntag in der Waschküche waschen?"
    cited = judge_passage(read_question(question), CitedPassage(text, "", "de", 0.9), nothing_alike)
    assert cited.quote == text
    assert "waschen (waschküche)" in cited.evidence


def test_opening_times_answer_whether_something_is_allowed_on_a_day_only() -> None:
    text = "The gym is open from 7 am to 9 pm."
    assert judged("can i use the gym on sunday", text.replace("The", "On Sunday the")).quote
    assert judged("am i allowed my own gym", text).quote == ""


def test_a_passage_too_short_to_show_its_language_shows_it_beside_the_question() -> None:
    read = read_question("Combien de temps mes invités peuvent-ils rester ?")
    cited = CitedPassage("Les invités peuvent rester trois semaines.", "Invités", "und", 0.9)
    assert judge_passage(read, cited, nothing_alike).quote
