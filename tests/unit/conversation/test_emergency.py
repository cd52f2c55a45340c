from __future__ import annotations

import gzip
import json
from datetime import UTC, datetime, timedelta
from itertools import product
from typing import Any

import pytest

from saidonce.errors import SettingsError
from saidonce.foundation.model.conversation import EmergencyEvent
from saidonce.repairs.conversation.emergency import PACKS, find_dangers, named_pack, read_pack, was_warned
from shared_data import shared

CRITICAL = {
    "gas", "carbon_monoxide", "fire", "electric_shock", "intruder", "trapped", "medical", "self_harm", "danger"
}  # fmt: skip
NOW = datetime(2026, 1, 17, 12, tzinfo=UTC)


def recall() -> list[Any]:
    return [(pack, c.kind, said) for pack in PACKS for c in named_pack(pack).classes for said in c.recall]


def spoken(phrase: str) -> str:
    """A message that a phrase stands for: first alternative, no stars, two words in the gap."""
    words = [w.split("/")[0].rstrip("*") for w in phrase.replace("~", "it is").split() if not w.startswith("-")]
    return " ".join(words)


@pytest.mark.parametrize("pack", PACKS)
def test_every_message_of_a_packs_recall_list_hits(pack: str) -> None:
    missed = [
        (k, said)
        for p, k, said in recall()
        if p == pack and k not in [h.kind for h in find_dangers(named_pack(p), said)]
    ]
    assert missed == []


@pytest.mark.parametrize("pack", PACKS)
def test_every_phrase_hits(pack: str) -> None:
    for each in named_pack(pack).classes:
        for phrase, frame in product(each.phrases, ("{}", "Help!! {}, please", "({})")):
            assert each.kind in [h.kind for h in find_dangers(named_pack(pack), frame.format(spoken(phrase)))], phrase


@pytest.mark.parametrize("pack", PACKS)
def test_packs_say_whom_to_call(pack: str) -> None:
    made = named_pack(pack)
    assert {c.kind for c in made.classes if c.is_critical} == CRITICAL
    for each in made.classes:
        assert each.recall
        assert len(each.safety) <= 1_000
        if each.is_critical:
            assert any(number in each.safety for number in made.numbers), each.kind
    foreign = {"uk": ("911",), "us": ("999", "112"), "eu-en": ("999", "911")}[pack]
    for each in made.classes:
        told = each.safety.replace("0800 111 999", "") if pack == "uk" else each.safety
        assert not any(number in told for number in foreign)


@pytest.mark.parametrize(
    "said",
    ["the fire door sticks", "a fire extinguisher is missing", "the gasket of the fridge is torn",
     "I got sparkling water",
     "my boiler is not working", "I have a leak in the bathroom", "gas bill question",
     "the alarm clock radio you gave me",
     "My oven is broken in the kitchen", "the tap broke in the bathroom", "the hall light is broken in the ceiling",
     "the key broke in the lock", "there is a break in the pipe", "the carbon monoxide alarm needs a new battery",
     "the window broke in the storm", "the shelf collapsed",
     "we love the fireplace", "when is the gas safety check?", "Is smoking allowed?", "water meter reading is 300"],
)  # fmt: skip
def test_words_that_are_no_emergency(said: str) -> None:
    assert find_dangers(named_pack("uk"), said) == ()


def test_words_have_boundaries() -> None:
    assert find_dangers(named_pack("uk"), "cease-fire in the news") == ()
    assert [h.kind for h in find_dangers(named_pack("uk"), "FIRE IN THE KITCHEN!!")] == ["fire"]


def event(kind: str, minutes: float, replied: bool = True) -> EmergencyEvent:
    at = NOW + timedelta(minutes=minutes)
    return EmergencyEvent("e", "c", 1, kind, "p", True, at, at, replied)


@pytest.mark.parametrize(
    ("kind", "minutes", "replied", "is_quiet"),
    [("gas", -29, True, True), ("gas", -30, True, False), ("fire", -1, True, False), ("gas", -1, False, False)],
)
def test_one_reply_a_class_in_half_an_hour(kind: str, minutes: float, replied: bool, is_quiet: bool) -> None:
    assert was_warned([event(kind, minutes, replied)], "gas", NOW, 1_800) is is_quiet


@pytest.mark.parametrize("content", ["", "name = 3", "name = 'x'\nnumbers = []\n[class.gas]\ncritical = true", "[["])
def test_malformed_packs_are_refused(content: str) -> None:
    with pytest.raises(SettingsError):
        read_pack(content)


def test_unknown_packs_are_refused() -> None:
    with pytest.raises(SettingsError):
        named_pack("mars")


@pytest.mark.parametrize(
    ("name", "at_most"), [("emergency_word_traps", 0.20), ("disaster_messages", 0.10), ("service_utterances", 0.02)]
)
def test_false_alarms_on_sentences_that_are_no_residents_emergency(name: str, at_most: float) -> None:
    with gzip.open(shared(f"{name}.jsonl.gz"), "rt") as lines:
        rows = [json.loads(line) for line in lines if line.strip()]
    found = [find_dangers(named_pack("uk"), row["text"]) for row in rows]
    n = sum(any(h.is_sure for h in hit) for hit in found)
    print(f"{name}: of {len(rows)} sure {n}, asked about {sum(map(bool, found)) - n}")
    assert n <= at_most * len(rows)
