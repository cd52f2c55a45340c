"""Residents read that the landlord's team was told when it was, and the truth before and otherwise."""

from __future__ import annotations

from dataclasses import dataclass

from saidonce.foundation.model.conversation import LandlordEvent, LandlordNotice
from saidonce.repairs import conversation
from saidonce.repairs.board import board
from saidonce.repairs.conversation import wording
from talking import World


@dataclass
class Channels:
    """Whether there is a channel; may change."""

    there: bool

    def has_channel(self) -> bool:
        return self.there


def said(world: World) -> list[str]:
    return [m.text for m in world.store.outbox() if m.kind == "safety"]


def emergency(world: World) -> LandlordNotice:
    return next(n for n in world.store.notices() if n.event is LandlordEvent.EMERGENCY_UNVERIFIED)


def test_the_first_text_says_only_what_is_true_then() -> None:
    world = World(reach=Channels(there=True))
    world.hear("I smell gas")
    (first,) = said(world)
    assert first.endswith(wording.PASSED_ON)
    assert "told" not in first


def test_without_a_channel_nobody_is_said_to_be_told_and_a_number_is_named() -> None:
    world = World(reach=Channels(there=False))
    world.hear("I smell gas")
    (first,) = said(world)
    assert "we could not reach your landlord's team" in first
    assert "0800 111 999" in first
    assert first.endswith("ring 999.")
    assert "told" not in first
    assert wording.PASSED_ON not in first


def test_that_they_were_told_follows_once_a_channel_took_it() -> None:
    world = World(reach=Channels(there=True))
    world.hear("I smell gas")
    for _ in range(3):
        conversation.tell_resident(world.deps, emergency(world), is_reached=True)
    assert said(world)[1:] == [wording.LANDLORD_NOTIFIED]


def test_a_failure_is_told_once_and_a_later_success_after_it() -> None:
    world = World(reach=Channels(there=True))
    world.hear("I smell gas")
    for is_reached in (False, False, True, False):
        conversation.tell_resident(world.deps, emergency(world), is_reached)
    assert said(world)[1:] == [wording.unreached("999"), wording.LANDLORD_NOTIFIED]


def test_notices_of_other_things_say_nothing_to_a_resident() -> None:
    world = World(reach=Channels(there=True))
    world.say("hello")
    world.say("I smell gas")
    n = len(world.store.outbox())
    (created,) = (x for x in world.store.notices() if x.event is LandlordEvent.ISSUE_CREATED)
    conversation.tell_resident(world.deps, created, is_reached=True)
    assert len(world.store.outbox()) == n


def test_the_board_says_whether_anybody_can_be_reached() -> None:
    assert not board(World(reach=Channels(there=False)).deps).is_reached
    assert board(World(reach=Channels(there=True)).deps).is_reached
