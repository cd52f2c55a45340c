"""A turn told anew from what was said then comes out the same; a changed record does not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from saidonce.foundation.model.conversation import Path as Way
from saidonce.foundation.model.residents import Inbound
from saidonce.quality.conversation import play
from saidonce.quality.playing import ScenarioClock
from saidonce.quality.scenario import Scenario, read_scenarios
from saidonce.repairs import conversation
from saidonce.testing.memory_conversations import MemoryConversations

CASES = Path(__file__).parents[1] / "cases" / "conversation"
ALL = [s for s in read_scenarios(CASES) if not s.state and not s.issues]
"""Scenarios that begin at the beginning; a conversation that was set up by hand has no story to tell."""


@pytest.mark.parametrize("scenario", ALL, ids=lambda s: s.id)
def test_every_turn_of_every_scenario_comes_out_the_same(scenario: Scenario) -> None:
    store = MemoryConversations("acme")
    for flow in scenario.flows[-1:]:
        play(scenario, flow, lambda: store)
    deps = conversation.ConversationDeps(
        store, ScenarioClock(scenario.clock), pack=conversation.named_pack(scenario.pack)
    )
    for held in store.conversations():
        for turn in store.turns(held.id):
            told = conversation.replay(deps, turn.id, held.id, MemoryConversations("acme"))
            assert told.is_same, (turn.n, told.differences, told.before)


def test_another_message_than_then_is_noticed() -> None:
    scenario = next(s for s in ALL if any(t for t in s.steps if t.row.get("text")))
    store = Altered("acme")
    play(scenario, scenario.flows[-1], lambda: store)
    deps = conversation.ConversationDeps(
        store, ScenarioClock(scenario.clock), pack=conversation.named_pack(scenario.pack)
    )
    held = store.conversations()[0]
    first = next(t for t in store.turns(held.id) if t.path is not Way.HUMAN)
    store.is_altered = True
    told = conversation.replay(deps, first.id, held.id, MemoryConversations("acme"))
    assert not told.is_same


class Altered(MemoryConversations):
    """A store in which somebody rewrote what residents said."""

    is_altered = False

    def inbounds(self, conversation_id: str, from_seq: int = 0) -> tuple[Inbound, ...]:
        found = super().inbounds(conversation_id, from_seq)
        return tuple(replace(i, text="STOP") for i in found) if self.is_altered else found
