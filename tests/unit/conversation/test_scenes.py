"""Scenes: parts of what is seen and felt, in any order, in every language that has their words."""

from __future__ import annotations

import time

import pytest

from saidonce.repairs.conversation import named_pack
from saidonce.repairs.conversation.dangers import by_words
from saidonce.repairs.conversation.foreign_dangers import without_harmless
from saidonce.repairs.conversation.scenes import LANGUAGES, TRIED, WITHIN, find_scenes, scene_words, scenes

UK = named_pack("uk")

GROUPS = {group for scene in scenes() for part in scene.parts for group in part}


def kinds(message: str) -> list[str]:
    return [m.kind for m in find_scenes(without_harmless(message))]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_the_words_of_every_part(language: str) -> None:
    words = scene_words(language)
    joined = {group for each in words.joined.values() for _, group in each}
    known = joined.union(*words.whole.values(), *words.begins.values())
    assert known >= GROUPS
    assert known - GROUPS <= {"compounds"}


def test_a_place_is_free_for_each_part_of_the_longest_scene() -> None:
    assert max(len(scene.parts) for scene in scenes()) <= TRIED


def test_the_classes_of_scenes_are_known_to_every_pack() -> None:
    known = {each.kind for each in UK.classes}
    assert {scene.kind for scene in scenes()} - {"heating"} <= known


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("the balcony has been saggy since the party", "structure"),
        ("seit der Party hängt unser Balkon links durch", "structure"),
        ("nuestro balcón está inclinado", "structure"),
        ("the swollen one is the scooter battery", "fire"),
        ("سكوتر بطارية منتفخة", "fire"),
        ("电池鼓起来了", "fire"),
    ],
)
def test_the_parts_stand_in_any_order_and_language(message: str, kind: str) -> None:
    assert kinds(message) == [kind]


def test_a_scene_only_asks() -> None:
    matches = by_words(UK, "the balcony has been saggy since the party")
    assert [m.is_sure for m in matches] == [False]
    assert matches[0].phrase == "scene: a balcony sags (en)"


def test_the_parts_stand_near_each_other() -> None:
    between = "and the flowers of spring all look so pretty " * 2
    assert kinds("the battery is swollen") == ["fire"]
    assert len(between.split()) > WITHIN
    assert kinds(f"the battery {between} is swollen") == []


def test_a_sentence_that_ends_keeps_its_parts_apart() -> None:
    assert kinds("I put in new batteries at the weekend, hot to hold") == ["fire"]
    assert kinds("I put in new batteries at the weekend. Hot water is back") == []


def test_one_word_is_not_two_parts() -> None:
    assert kinds("the nanny's bare cable") == ["electric_shock"]
    assert kinds("copper, copper, copper") == []


def test_the_door_of_a_balcony_is_no_balcony() -> None:
    assert kinds("our balcony is leaning") == ["structure"]
    assert kinds("our balcony door is leaning") == []
    assert kinds("la puerta del balcón está torcida") == []


def test_small_arabic_words_may_be_glued_to_a_part() -> None:
    assert kinds("والبطارية انتفخت") == ["fire"]


@pytest.mark.parametrize(
    "message",
    [
        "the Flood family's flat is full of smoke",
        "gran collapsed laughing and then she stopped breathing",
        "the bill gave me a shock and so did the kettle",
        "the new smoke alarm looks smart and has been screaming all morning",
        "he passed out leaflets and then he passed out on the stairs",
        "carbon monoxide zero yesterday but the beeper says 80 ppm now",
        "carbon monoxide reading zero until last night",
        "Frau Brand aus dem dritten liegt bewusstlos im Flur",
        "der Wasserschaden vom letzten Jahr ist beseitigt, jetzt kommt Wasser aus der Steckdose",
        "la familia Fuego dice que hay humo en la escalera",
        "monóxido cero ayer, hoy todos mareados",
        "ma fille joue une pompière et il y a le feu dans la cuisine",
        "la bolletta della luce mi ha dato la scossa, e anche la lavatrice dà la scossa",
        "手机没电，厨房着火了",
    ],
)
def test_a_danger_beside_a_figure_of_speech_is_heard(message: str) -> None:
    assert by_words(UK, message)


@pytest.mark.parametrize(
    "message",
    [
        "the Flood family in flat 3 have our parcel",
        "my gran collapsed laughing at your letter",
        "Herr Brand aus dem dritten nimmt das Paket an",
        "el técnico dice que la caldera está perfecta, cero monóxido",
        "la bolletta della luce mi ha dato la scossa",
        "国四楼女儿演消防员",
    ],
)
def test_a_figure_of_speech_asks_nothing(message: str) -> None:
    assert not by_words(UK, message)


@pytest.mark.parametrize("words", ["child bathroom ", "lift door ", "not days taken neighbor ", "x", "门电梯"])
def test_long_texts_take_time_in_proportion(words: str) -> None:
    def took(times: int) -> float:
        start = time.process_time()
        find_scenes(words * times)
        return time.process_time() - start

    short = max(took(1_000), 0.002)
    assert took(8_000) < 40 * short
