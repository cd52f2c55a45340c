"""What is written to a resident goes out once, or somebody learns that it did not."""

from __future__ import annotations

from itertools import pairwise

from saidonce.errors import DeliveryError
from saidonce.foundation.model.conversation import LandlordEvent, OutboxState
from saidonce.repairs import conversation
from talking import Recorder, World


def test_the_outbox_is_sent_again_after_failures_and_reconciled() -> None:
    world = World()
    world.say("hello")
    messenger = Recorder(TimeoutError(), DeliveryError("whatsapp", "busy"))
    assert conversation.send(world.deps, messenger) == 0
    states = {m.id: m.state for m in world.store.outbox()}
    assert sorted(states.values()) == [OutboxState.QUEUED, OutboxState.UNKNOWN]
    unknown = next(id_ for id_, s in states.items() if s is OutboxState.UNKNOWN)
    assert conversation.send(world.deps, messenger) == 0, "it waits for its next try"
    world.clock.forward(5)
    assert conversation.send(world.deps, messenger) == 1
    assert conversation.requeue_unknown(world.deps) == 0, "a status may still come"
    world.clock.forward(200)
    assert conversation.requeue_unknown(world.deps) == 1
    assert conversation.send(world.deps, messenger) == 1
    conversation.record_status(world.deps, unknown, OutboxState.READ)
    conversation.record_status(world.deps, unknown, OutboxState.DELIVERED)
    assert {m.state for m in world.store.outbox()} == {OutboxState.SENT, OutboxState.READ}
    assert len(messenger.sent) == 2


def test_a_channel_that_always_refuses_ends_in_failed() -> None:
    world = World()
    world.say("hello")
    messenger = Recorder(*[DeliveryError("whatsapp", "no")] * 20)
    left = []
    for _ in range(1_000):
        conversation.send(world.deps, messenger)
        left.append(len(messenger.failures))
        world.clock.forward(1)
    n = len(world.store.outbox())
    tried_at = [s for s, (a, b) in enumerate(pairwise([20, *left])) if a != b]
    assert n == 2
    assert tried_at == [0, 5, 25, 105, 425, 430, 450, 530, 850], "the second waits for the first"
    assert left[-1] == 20 - 5 * n
    assert {m.state for m in world.store.outbox()} == {OutboxState.FAILED}
    told = [x for x in world.store.notices() if x.event is LandlordEvent.MESSAGE_FAILED]
    assert [x.dedupe_key for x in told] == [f"message_failed:{m.id}" for m in world.store.outbox()]
    assert [x.detail for x in told] == ["identity: no", "reply: no"]
    assert (told[1].at - told[0].at).total_seconds() == 425


def test_what_may_have_been_sent_so_often_that_it_is_given_up_is_told() -> None:
    world = World()
    world.say("hello")
    for _ in range(5):
        assert world.store.notices() == ()
        conversation.send(world.deps, Recorder(TimeoutError(), TimeoutError()))
        world.clock.forward(500)
        conversation.requeue_unknown(world.deps)
    assert {m.state for m in world.store.outbox()} == {OutboxState.FAILED}
    assert sorted(n.detail for n in world.store.notices()) == [
        "identity: no status after 5 tries", "reply: no status after 5 tries",
    ]  # fmt: skip


def test_a_status_settles_a_message_that_may_have_been_sent() -> None:
    world = World()
    world.say("hello")
    conversation.send(world.deps, Recorder(TimeoutError(), TimeoutError()))
    for message in world.store.outbox():
        conversation.record_status(world.deps, message.id, OutboxState.DELIVERED, "wamid")
    world.clock.forward(500)
    assert conversation.requeue_unknown(world.deps) == 0


def test_a_final_refusal_is_not_tried_again_and_a_wait_that_is_asked_for_is_kept() -> None:
    world = World()
    world.say("hello")
    n = len(world.store.outbox())
    asked = Recorder(DeliveryError("whatsapp", "slowly", wait_s=90.0))
    conversation.send(world.deps, asked)
    world.clock.forward(89)
    assert conversation.send(world.deps, asked) == 0
    world.clock.forward(1)
    refused = Recorder(*[DeliveryError("whatsapp", "never", is_final=True)] * n)
    assert conversation.send(world.deps, refused) == 0
    assert {m.state for m in world.store.outbox()} == {OutboxState.FAILED}
    assert {n.event for n in world.store.notices()} == {LandlordEvent.MESSAGE_FAILED}
    assert len(world.store.notices()) == n
