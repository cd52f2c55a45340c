"""A resident's own words: whatever the rules read them as, they are shown and kept as they were written.

These cases were written before the code that they test.
"""

from __future__ import annotations

import pytest

from saidonce.repairs import conversation
from saidonce.repairs.board import board
from saidonce.repairs.conversation import Orchestration
from saidonce.repairs.conversation.spelling import read
from talking import World

RARE = "the tiles in the bathroom need regrout behind the bath"


def keyword_world() -> World:
    world = World(rules=conversation.Rules(orchestration=Orchestration.OFF), chat=None)
    world.say("hello")
    return world


def replies(world: World) -> list[str]:
    return [m.text for m in world.store.outbox()]


def test_the_case_needs_a_word_that_the_rules_read_otherwise() -> None:
    assert "regret" in read(RARE).text


@pytest.mark.parametrize("english", [RARE, "the tolet hed fell of / regrout too", "Tolet LEEKS\nin the bathrom"])
def test_during_an_alarm_words_come_back_and_are_kept_as_they_were_written(english: str) -> None:
    world = keyword_world()
    world.say("I smell gas")
    world.say(english)
    written = " ".join(english.split())
    assert written in replies(world)[-1]
    (issue,) = world.store.issues()
    assert written in issue.description
    shown = [card.description for column in board(world.deps).columns.values() for card in column]
    assert any(written in each for each in shown)


def test_words_too_long_to_be_repeated_whole_are_cut_and_not_respelled() -> None:
    world = keyword_world()
    world.say("I smell gas")
    world.say(f"{RARE}, " + "and the water board was told of it twice already " * 8)
    assert f"{RARE}, and the water board" in replies(world)[-1]
    assert "..." in replies(world)[-1]


def test_an_all_clear_repeats_what_was_written() -> None:
    world = keyword_world()
    world.say("I smell gas")
    world.say("false alarm, it was regrout paste")
    assert "false alarm, it was regrout paste" in replies(world)[-1]


def test_a_report_is_named_in_the_residents_own_spelling() -> None:
    world = keyword_world()
    world.say("the tolet in the bathrom is leeking")
    world.say("no photo")
    (issue,) = world.store.issues()
    assert "tolet" in issue.description
    assert "tolet" in replies(world)[-1]
    assert "toilet" not in replies(world)[-1]
    world.say("what is happening with my toilet?")
    assert "tolet" in replies(world)[-1]
