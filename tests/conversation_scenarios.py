"""Where scenarios of conversations lie, and what is played with them."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from saidonce.quality.conversation import Played, play
from saidonce.quality.scenario import Scenario, read_scenarios
from saidonce.testing.memory_conversations import MemoryConversations

FOLDER = Path(__file__).parent / "cases" / "conversation"


@lru_cache(maxsize=1)
def scenarios() -> tuple[Scenario, ...]:
    return read_scenarios(FOLDER)


@lru_cache(maxsize=1)
def played() -> dict[tuple[str, str], Played]:
    return {(s.id, flow): play(s, flow, MemoryConversations) for s in scenarios() for flow in s.flows}
