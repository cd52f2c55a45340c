"""Answers before their questions, and one of two open problems set aside."""

from __future__ import annotations

from saidonce.repairs import conversation
from talking import World


def no_model() -> World:
    world = World(chat=None)
    world.say("hello")
    return world


def test_a_report_may_begin_with_its_place() -> None:
    world = no_model()
    world.say("its in the utility room by the way")
    world.say("the tap drips")
    world.say("no photo")
    (issue,) = world.store.issues()
    assert issue.location == "utility room"
    assert "the tap drips" in issue.description


def test_a_photo_refused_before_the_report_is_not_asked_for() -> None:
    world = no_model()
    world.say("just so you know i can't take photos")
    world.say("the curtain rail in the living room came off the wall")
    world.clock.forward(3_600)
    while conversation.work(world.deps, "w") is not None:
        pass
    assert [i.location for i in world.store.issues()] == ["living room"]
    assert not any("Could you send a photo" in m.text for m in world.store.outbox())


def test_one_of_two_open_problems_is_set_aside_by_its_name_and_leaves_no_word() -> None:
    world = no_model()
    world.say("the loo seat in the bathroom is cracked and the fridge door in the kitchen doesn't seal")
    world.say("forget the fridge, it was just a jar in the way")
    world.say("no photo")
    assert [i.description for i in world.store.issues()] == ["the loo seat in the bathroom is cracked"]
