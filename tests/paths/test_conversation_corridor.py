"""A message walks one corridor: only doors and the composition call the conversation, and it calls no other flow."""

from __future__ import annotations

import ast
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from test_corridor import Calls, entered, lies_in, traced

import saidonce
from saidonce.foundation.model.residents import (
    ChannelIdentity,
    Inbound,
    InboundKind,
    Property,
    Resident,
    Tenancy,
    Via,
)
from saidonce.repairs import conversation
from saidonce.repairs.conversation import ConversationDeps
from saidonce.testing.memory_conversations import MemoryConversations

SOURCES = Path(saidonce.__file__).parent
MAY_CALL = frozenset({"app", "interfaces", "quality", "repairs"})
"""The composition, the doors, what shows conversations, and the evaluation, which plays scenarios."""

INSIDE = "repairs.conversation."
STEPS = frozenset({
    "tool_calls", "debounce", "duplicates", "keyword_flow", "novelty", "prompt", "recognition", "scripted_replies",
    "next_step", "timers", "alarm_state",
})  # fmt: skip
"""What a turn orders: each takes the state that it is handed and knows the vocabulary below, but no other step."""

NOW = datetime(2026, 1, 17, 12, tzinfo=UTC)


class Clock:
    at = NOW

    def now(self) -> datetime:
        return self.at


def imports(file: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {a.name for a in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {f"{node.module}.{a.name}" for a in node.names}
    return found


def test_only_doors_and_the_composition_know_the_conversation() -> None:
    callers = set()
    for file in SOURCES.rglob("*.py"):
        district = file.relative_to(SOURCES).parts[0].removesuffix(".py")
        if any(f"{name}.".startswith("saidonce.repairs.conversation.") for name in imports(file)):
            callers.add(district)
    assert "interfaces" in callers
    assert callers <= MAY_CALL


@pytest.fixture(scope="module")
def message_calls() -> Calls:
    """Messages that report, answer, decline and alarm; every module that they pass through."""
    clock = Clock()
    store = MemoryConversations("acme")
    who = Resident("r1", "Ana Bell", ("+447700900001",))
    store.put_home(Property("p1", "12 Elm Road"), who, Tenancy("t1", "p1", "r1", NOW - timedelta(days=9)))
    deps = ConversationDeps(store, clock)

    def walk() -> None:
        sender = ChannelIdentity(Via.WEB, "ana", "+447700900001")
        for n, text in enumerate(("My boiler is not working", "in the kitchen", "no photo", "I smell gas")):
            conversation.receive(deps, Inbound(sender, "web", f"m{n}", InboundKind.TEXT, clock.at, clock.at, text))
            clock.at += timedelta(seconds=5)
            while conversation.work(deps, "walker") is not None:
                pass
            conversation.tend(deps)

    calls = traced(walk)
    assert store.issues()
    return calls


def test_a_message_calls_rooms_below_and_the_store_and_nothing_beside(message_calls: Calls) -> None:
    below = ("foundation", "errors", "matching.reply", "testing", INSIDE.rstrip("."))
    assert not {callee for callee in entered(message_calls, "repairs.conversation") if not lies_in(callee, below)}
    callers = {a for a, b in message_calls if b.startswith(INSIDE) and not a.startswith(INSIDE)}
    # What is handed in: the debounce, and what is remembered about a text.
    assert callers <= {"adapters.postgres.conversation_steps", "foundation.remembering"}


def test_no_step_of_a_turn_calls_another(message_calls: Calls) -> None:
    inside = {(a.removeprefix(INSIDE), b.removeprefix(INSIDE)) for a, b in message_calls if b.startswith(INSIDE)}
    assert not {(a, b) for a, b in inside if a in STEPS and b in STEPS}
    assert {b for a, b in inside if a == "turn"} >= {"alarm", "recognition", "alarm_state", "debounce"}


def test_no_step_of_a_turn_imports_another() -> None:
    for step in STEPS:
        known = imports(SOURCES / "repairs" / "conversation" / f"{step}.py")
        assert not [name for name in known if lies_in(name, [f"saidonce.{INSIDE}{other}" for other in STEPS])], step
