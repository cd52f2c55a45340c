"""A message walks one corridor: only doors and the composition call into `converse`, and it calls no other flow."""

from __future__ import annotations

import ast
from datetime import UTC, datetime, timedelta
from pathlib import Path

from test_corridor import traced

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
from saidonce.repairs.conversation import Desk
from saidonce.testing.memory_conversations import MemoryConversations

SOURCES = Path(saidonce.__file__).parent
MAY_CALL = frozenset({"cli", "http", "jobs", "repairs", "repairs_json", "evaluate", "converse"})
"""Doors, the composition root, what tells conversations as JSON, and the evaluation, which plays scenarios."""

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
        part = file.relative_to(SOURCES).parts[0].removesuffix(".py")
        if any(f"{name}.".startswith("saidonce.repairs.conversation.") for name in imports(file)):
            callers.add(part)
    assert "http" in callers
    assert callers <= MAY_CALL


def test_a_message_calls_rooms_below_and_the_store_and_nothing_beside() -> None:
    clock = Clock()
    store = MemoryConversations("acme")
    who = Resident("r1", "Ana Bell", ("+447700900001",))
    store.put_home(Property("p1", "12 Elm Road"), who, Tenancy("t1", "p1", "r1", NOW - timedelta(days=9)))
    desk = Desk(store, clock)

    def walk() -> None:
        sender = ChannelIdentity(Via.WEB, "ana", "+447700900001")
        for n, text in enumerate(("My boiler is not working", "in the kitchen", "no photo", "I smell gas")):
            conversation.receive(desk, Inbound(sender, "web", f"m{n}", InboundKind.TEXT, clock.at, clock.at, text))
            clock.at += timedelta(seconds=5)
            while conversation.work(desk, "walker") is not None:
                pass
            conversation.tend(desk)

    calls = traced(walk)
    assert store.issues()
    assert {callee for caller, callee in calls if caller == "converse"} <= {"model", "store", "text", "reply", "errors"}
    assert {caller for caller, callee in calls if callee == "converse"} <= {"store"}  # the debounce, handed in
