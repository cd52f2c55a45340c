"""Conversations written before the code they test, without a model; their README says when and how they fared."""

from __future__ import annotations

from pathlib import Path

import pytest

from saidonce.quality.conversation import Played, play
from saidonce.quality.scenario import read_scenarios
from saidonce.testing.memory_conversations import MemoryConversations

FOLDER = Path(__file__).resolve().parents[1] / "cases" / "conversation_blind"


@pytest.fixture(scope="module")
def results() -> tuple[Played, ...]:
    return tuple(play(s, "v2", MemoryConversations) for s in read_scenarios(FOLDER))


def test_nine_in_ten_go_through_without_a_flaw(results: tuple[Played, ...]) -> None:
    flawed = {p.scenario: p.failures for p in results if p.failures}
    print(f"{len(results) - len(flawed)} of {len(results)} without a flaw; the others: {sorted(flawed)}")
    assert len(results) >= 60
    assert len(flawed) <= 0.1 * len(results), flawed


def test_nothing_is_filed_that_nobody_reported(results: tuple[Played, ...]) -> None:
    assert [p.scenario for p in results if p.n_false] == []


def test_whoever_wants_a_person_gets_one(results: tuple[Played, ...]) -> None:
    wishes = [p for p in results if p.scenario.startswith("person-")]
    assert len(wishes) >= 10
    assert [(p.scenario, f) for p in wishes for f in p.failures if "not 'escalate'" in f] == []
