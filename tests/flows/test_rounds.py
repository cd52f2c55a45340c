"""A message becomes a turn on one way: that of the service, which evaluation goes too."""

from __future__ import annotations

from typing import Any

import pytest

from conversation_scenarios import scenarios
from saidonce.foundation.model.conversation import OutboxState, Path
from saidonce.foundation.model.residents import ChannelIdentity, Inbound, InboundKind, Via
from saidonce.interfaces import worker
from saidonce.quality.conversation import play
from saidonce.repairs import conversation
from saidonce.repairs.conversation import alarm, rounds
from saidonce.repairs.conversation import turn as turns
from saidonce.testing.memory_conversations import MemoryConversations
from talking import Recorder, World

SCENARIO = next(s for s in scenarios() if s.steps[0].row.get("text") and not s.state)


def test_the_service_and_evaluation_share_their_functions() -> None:
    assert conversation.take_in is rounds.take_in
    assert worker.take_turns is conversation.take_turns is rounds.take_turns
    assert worker.once is conversation.once is rounds.once


def test_evaluation_sends_what_it_says_as_the_service_does() -> None:
    store = MemoryConversations()
    assert play(SCENARIO, "v2", lambda: store).turns
    assert {m.state for m in store.outbox() if m.id != "preset"} == {OutboxState.SENT}


@pytest.mark.parametrize(("module", "name"), [(alarm, "scan_message"), (turns, "_once")])
def test_a_defect_is_logged_by_the_service_and_seen_by_evaluation(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, module: Any, name: str
) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise ZeroDivisionError("words of a resident")

    monkeypatch.setattr(module, name, broken)
    with pytest.raises(ZeroDivisionError):
        play(SCENARIO, "v2", MemoryConversations)
    world = World()
    at = world.clock.now()
    who = ChannelIdentity(Via.SMS, "+447700900001", "+447700900001")
    inbound = Inbound(who, "n", "m-1", InboundKind.TEXT, at, at, "The tap drips")
    (kept,) = conversation.take_in(world.deps, [inbound])
    world.clock.forward(30)
    assert conversation.take_turns(world.deps, "w") == ()
    assert kept.conversation_id in caplog.text
    assert "words of a resident" not in caplog.text


def test_a_round_takes_turns_and_sends() -> None:
    world, sent = World(), Recorder()
    world.hear("hello")
    world.clock.forward(30)
    (turn,) = conversation.once(world.deps, sent, "w")
    assert sent.sent == [m.text for m in world.store.outbox()] != []
    assert turn.path is not Path.TIMER
    assert conversation.once(world.deps, sent, "w") == ()


def test_no_more_turns_are_taken_than_asked_for() -> None:
    world = World()
    for phone in ("+447700900001", "+447700900002"):
        world.hear("hello", phone)
    world.clock.forward(30)
    assert len(conversation.take_turns(world.deps, "w", most=1)) == 1
    assert conversation.take_turns(world.deps, "w", is_stopping=lambda: True) == ()
