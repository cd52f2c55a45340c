"""A world of one home whose resident talks to the assistant, on the shipped store in memory."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from saidonce.foundation.model.conversation import Conversation, OutboxMessage
from saidonce.foundation.model.residents import (
    ChannelIdentity,
    Inbound,
    InboundKind,
    Property,
    Resident,
    Tenancy,
    Via,
)
from saidonce.quality.conversation import ScriptedChat
from saidonce.quality.playing import PHONE, ScenarioClock
from saidonce.quality.scenario import NOON
from saidonce.repairs import conversation
from saidonce.repairs.conversation import ConversationDeps, Orchestration, Rules
from saidonce.testing.memory_conversations import MemoryConversations

TAP = (
    '{"tool": "create_issue", "message": "", "description": {"value": "tap drips", "quote": "tap drips"},'
    ' "location": {"value": "kitchen", "quote": "kitchen"}, "photo": {"status": "declined", "quote": "no photos"}}'
)

WEB = ChannelIdentity(Via.WEB, "w-ana", None)


class World:
    def __init__(self, **deps: Any) -> None:
        self.store, self.clock, self.model = MemoryConversations(), ScenarioClock(NOON), ScriptedChat()
        named = {"chat": self.model, "rules": Rules(orchestration=Orchestration.ON), **deps}
        self.deps = ConversationDeps(self.store, self.clock, **named)
        place = Property("p1", "12 Elm Road", "Flat 2", "Elm House", "EX1 2AB")
        self.store.put_home(place, Resident("r1", "Ana Bell", (PHONE,)), Tenancy("t1", "p1", "r1", NOON))

    def hear(self, text: str, phone: str = PHONE, *replies: str) -> Inbound:
        self.model.replies = list(replies)
        self.clock.forward(30)
        at = self.clock.now()
        inbound = Inbound(ChannelIdentity(Via.WHATSAPP, phone, phone), "n", f"m-{at}", InboundKind.TEXT, at, at, text)
        return conversation.receive(self.deps, inbound)

    def say(self, text: str, *replies: str, phone: str = PHONE) -> Conversation:
        kept = self.hear(text, phone, *replies)
        self.clock.forward(11)
        while conversation.work(self.deps, "w") is not None:
            pass
        conversation.tend(self.deps)
        return self.store.conversation(kept.conversation_id)


class Recorder:
    def __init__(self, *failures: Exception) -> None:
        self.failures = list(failures)
        self.sent: list[str] = []

    def send(self, message: OutboxMessage, to: Conversation) -> str:
        if self.failures:
            raise self.failures.pop(0)
        self.sent.append(message.text)
        return f"external-{len(self.sent)}"


def world_of_two_channels(rules: Rules) -> World:
    """Return the world of a resident whose WhatsApp number and web link are theirs."""
    w = World(rules=rules)
    home = w.store.home("t1")
    assert home is not None
    w.store.put_home(home.property, replace(home.resident, external_ids=(WEB.key,)), home.tenancy)
    return w
