"""Cases of tests/cases/people: sentences of danger cost at least a question, those of tenants' life at most one."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from saidonce.repairs.conversation import lexicon
from saidonce.repairs.conversation.emergency import PACKS, find_dangers, named_pack

FOLDER = Path(__file__).resolve().parents[2] / "cases" / "people"


def cases(name: str) -> Any:
    return tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))


def test_there_are_enough() -> None:
    dangers = cases("dangers")
    assert len(dangers) >= 15
    assert min(map(len, dangers.values())) >= 6
    assert len(cases("harmless")["sentences"]) >= 120


@pytest.mark.parametrize("pack", PACKS)
def test_every_sentence_of_danger_is_noticed(pack: str) -> None:
    missed = [
        said
        for sentences in cases("dangers").values()
        for said in sentences
        if not find_dangers(named_pack(pack), said)
    ]
    assert missed == []


def test_harmless_sentences_cost_nothing_or_a_question() -> None:
    sentences = cases("harmless")["sentences"]
    found = [(said, hit) for said in sentences if (hit := find_dangers(named_pack("uk"), said))]
    sure = [said for said, hit in found if any(h.is_sure for h in hit)]
    print(f"harmless: of {len(sentences)} sure {len(sure)}, asked about {len(found) - len(sure)}")
    assert len(sure) <= 0.05 * len(sentences), sure
    assert len(found) <= 0.20 * len(sentences), [said for said, _ in found]


def test_sentences_that_the_lists_were_not_made_for() -> None:
    found = cases("held_apart")
    noticed = [said for said in found["dangers"] if find_dangers(named_pack("uk"), said)]
    taken = [hit for said in found["harmless"] if (hit := find_dangers(named_pack("uk"), said))]
    sure = sum(any(h.is_sure for h in hit) for hit in taken)
    print(f"noticed {len(noticed)} of {len(found['dangers'])}")
    print(f"harmless: of {len(found['harmless'])} sure {sure}, asked about {len(taken) - sure}")
    assert len(noticed) >= 0.75 * len(found["dangers"])
    assert sure <= 0.05 * len(found["harmless"])
    assert len(taken) <= 0.20 * len(found["harmless"])


@pytest.mark.parametrize(
    "said",
    ["the fire door sticks", "my gas bill is wrong", "is this building smoke-free?", "alarm clock", "a delivery came",
     "no water pressure in the shower", "the socket is loose", "five wires", "fine thanks", "the park is nice"],
)  # fmt: skip
def test_harmless_compounds_and_lookalikes_cost_nothing(said: str) -> None:
    assert find_dangers(named_pack("uk"), said) == ()


@pytest.mark.parametrize(
    ("said", "is_sure"),
    [
        ("the fire door is on fire", True),
        ("the gas man will see the leak", False),
        ("gas cooker stinks of gas", True),
        ("smoke alarm battery is new and it is going off, smoke in the kitchen", False),
        ("what do I do if there is a fire?", False),
        ("fire", True),
        ("FIREEE!!!", True),
        ("help, smoke!", True),
        ("fire?", False),
        ("\U0001f525\U0001f525", True),
        ("we had a fire drill, now there are flames", False),
    ],
)
def test_calming_company_makes_a_question_of_an_alarm_and_never_nothing(said: str, is_sure: bool) -> None:
    found = find_dangers(named_pack("uk"), said)
    assert [h.is_sure for h in found[:1]] == [is_sure]


@pytest.mark.parametrize(
    ("said", "holds_danger", "wanted"),
    [
        ("1", False, True), ("1.", False, True), ("yes", False, True), ("Yes!!", False, True), ("y", False, True),
        ("yes please hurry", False, True), ("danger:yes", False, True), ("help", False, True),
        ("yeah my nan", False, True), ("she is hurt", False, True), ("the flat is full of smoke", True, True),
        ("2", False, False), ("No", False, False), ("nope", False, False), ("no thanks", False, False),
        ("danger:no", False, False), ("nobody", False, False), ("no one is hurt", False, False),
        ("all fine", False, False), ("we're all ok", False, False), ("no, it was a false alarm", False, False),
        ("no, we are just asking", False, False), ("2, it is the neighbour's barbecue", False, False),
        ("no but it's getting worse", False, None), ("no, there is smoke now", True, None),
        ("what do you mean?", False, None), ("I am on the third floor", False, None), ("not sure", False, None),
        ("no one can get out", False, None), ("21 Elm Road", False, None), ("one of the rings", False, None),
        ("nobody can breathe", True, True), ("ok", False, None), ("", False, None),
    ],
)  # fmt: skip
def test_answers_to_the_question(said: str, holds_danger: bool, wanted: bool | None) -> None:
    assert lexicon.in_danger(said, holds_danger) is wanted


def test_what_takes_a_report_back_and_what_does_not() -> None:
    found = cases("withdrawals")
    assert len(found["withdrawn"]) >= 25
    assert len(found["kept"]) >= 15
    assert [said for said in found["withdrawn"] if not lexicon.withdraws(said)] == []
    assert [said for said in found["kept"] if lexicon.withdraws(said)] == []
