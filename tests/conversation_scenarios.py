"""Where scenarios of conversations lie, and what is played with them."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from saidonce.foundation.model.conversation import Issue
from saidonce.quality.conversation import Played, play
from saidonce.quality.scenario import Scenario, read_scenario, read_scenarios
from saidonce.testing.memory_conversations import MemoryConversations

FOLDER = Path(__file__).parent / "cases" / "conversation"


@lru_cache(maxsize=1)
def scenarios() -> tuple[Scenario, ...]:
    return read_scenarios(FOLDER)


@lru_cache(maxsize=1)
def played() -> dict[tuple[str, str], Played]:
    return {(s.id, flow): play(s, flow, MemoryConversations) for s in scenarios() for flow in s.flows}


_HOME = """
id = "s"
source = "test"
flows = ["v2"]
[[home]]
id = "t1"
unit = "Flat 2"
postcode = "EX1 2AB"
[state]
identity = "active"
"""


def issues_after(*messages: str) -> list[Issue]:
    """All issues of a known resident after these messages, without a model."""
    steps = "".join(f'[[step]]\ntext = """{m}"""\n' for m in messages)
    store = MemoryConversations("test")
    play(read_scenario(_HOME + steps, "s"), "default", lambda: store)
    return list(store.issues())


def in_words(issue: Issue) -> str:
    """What an issue says, and where."""
    return f"{issue.description} ({issue.location})"
