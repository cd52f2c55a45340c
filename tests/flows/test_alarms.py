"""Emergencies: the reply of the pack comes first, and only a clear no calls an alarm off."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from saidonce.errors import ModelUnavailableError
from saidonce.foundation.model.conversation import Alarm, IssueState, Way
from saidonce.repairs import conversation
from saidonce.repairs.board import board
from saidonce.repairs.conversation import wording
from talking import World


@pytest.mark.parametrize("reply", ["!timeout", "", "{}", '{"emergency": "no"}', '{"emergency": false, "x": 1}', "no"])
def test_only_a_clear_no_calls_an_alarm_off(reply: str) -> None:
    world = World()
    world.say("hello")
    world.say("the basement is flooded", reply)
    world.clock.forward(61)
    conversation.tend(world.deps)
    (event,) = world.store.events()
    assert event.state is Alarm.SUSPECTED
    assert event.alerted_at is not None
    assert [i.urgency for i in world.store.issues()] == ["emergency"]


def test_the_landlord_is_not_alerted_before_the_second_look_had_its_time() -> None:
    world = World()
    world.say("hello")
    world.hear("the basement is flooded")
    conversation.tend(world.deps)
    assert world.store.notices() == ()
    world.clock.forward(61)
    conversation.tend(world.deps)
    assert [n.event for n in world.store.notices()] == ["emergency_unverified", "issue_created"]


def test_an_urgent_issue_waits_for_the_home() -> None:
    world = World()
    held = world.say("I smell gas", phone="+447700900123")
    assert world.store.issues() == ()
    assert [n.event for n in world.store.notices()] == ["emergency_unverified"]
    conversation.approve_identity(world.deps, held.id, "t1", "jo")
    conversation.tend(world.deps)
    assert [i.property_id for i in world.store.issues()] == ["p1"]


def test_an_alert_leaves_the_board_when_its_issue_is_begun() -> None:
    world = World()
    world.say("hello")
    world.say("I smell gas")
    (issue,) = world.store.issues()
    assert [e.issue_id for e in board(world.deps).alarms] == [issue.id]
    for state, n in (
        (IssueState.IN_PROGRESS, 0), (IssueState.OPEN, 1), (IssueState.DONE, 0), (IssueState.CANCELLED, 0)
    ):  # fmt: skip
        conversation.move_issue(world.deps, issue.id, state, "jo")
        assert len(board(world.deps).alarms) == n, state


def test_while_an_alarm_stands_nobody_is_asked_who_they_are() -> None:
    world = World()
    stranger = "+447700900123"
    world.say("my heater is broken", phone=stranger)
    for _ in range(4):
        held = world.say("I smell gas", phone=stranger)
    held = world.say("Nobody", phone=stranger)
    assert held.identity_tries == 1
    assert held.handed_off_at is None
    said = [m.text for m in world.store.outbox() if m.kind == "identity"]
    assert said == [wording.ASK_WHO], "before the alarm, and not again"
    assert sum(m.kind == "safety" for m in world.store.outbox()) == 1
    assert world.store.outbox()[-1].text == wording.passed_on("Stay outside.", "Nobody")
    world.clock.forward(world.deps.rules.alarm_s)
    assert world.say("Nobody", phone=stranger).identity_tries == 1, "a day's silence ends nothing"
    conversation.acknowledge(world.deps, world.store.events()[0].id, "Jo", Way.PAGE)
    world.clock.forward(world.deps.rules.alarm_s)
    assert world.say("Nobody", phone=stranger).identity_tries == 2
    assert world.store.outbox()[-1].text == wording.ASK_WHO_AGAIN


def test_what_was_begun_by_a_person_is_no_alarm_any_more() -> None:
    world = World()
    world.say("hello")
    world.say("I smell gas")
    (issue,) = world.store.issues()
    conversation.move_issue(world.deps, issue.id, IssueState.IN_PROGRESS, "jo")
    world.say("the kitchen tap drips from the spout", "!timeout", "!timeout")
    assert "photo" in world.store.outbox()[-1].text


def test_silence_is_no_all_clear() -> None:
    world = World()
    world.say("hello")
    world.say("did you hear the alarm? what is it")
    (event,) = world.store.events()
    assert event.state is Alarm.POSSIBLE
    assert [e.id for e in board(world.deps).alarms] == [event.id], "the board shows it before anybody answered"
    assert world.store.notices() == ()
    world.clock.forward(world.deps.rules.answer_wait_s)
    conversation.tend(world.deps)
    assert [n.event for n in world.store.notices()] == ["emergency_unverified", "issue_created"]
    assert "999" in world.store.outbox()[-1].text


def test_a_no_goes_on_with_what_was_reported_and_is_not_read_as_anything_else() -> None:
    world = World()
    world.say("hello")
    held = world.say("the kitchen tap drips from the spout and the toaster smoked once", "!timeout", "!timeout")
    assert held.parked == ()
    asked = world.store.outbox()[-1]
    assert asked.text == wording.danger("999")
    assert [b.payload for b in asked.buttons] == [wording.DANGER_YES, wording.DANGER_NO]
    held = world.say("2", "!timeout", "!timeout")
    assert held.draft.description is not None
    assert "2" not in held.draft.description.value.split()
    assert "photo" in world.store.outbox()[-1].text
    assert world.store.issues() == ()


def test_every_message_of_an_alarm_stands_in_its_one_issue_and_none_of_a_draft_is_filed_beside_it() -> None:
    world = World()
    world.say("hello")
    world.say("the kitchen tap drips from the spout", "!timeout", "!timeout")
    for said in ("smoke in the hall", "my son is still in flat 9", "code for the gate is C44", "he is not breathing"):
        world.say(said)
    world.clock.forward(90_000)
    while conversation.work(world.deps, "w") is not None:
        pass
    (issue,) = world.store.issues()
    for said in ("tap drips", "smoke in the hall", "my son is still in flat 9", "C44", "he is not breathing"):
        assert said in issue.description
    assert not any("photo" in m.text for m in world.store.outbox()[3:])


def test_safety_comes_before_identity_and_model_and_needs_neither() -> None:
    class Down:
        name = "down"

        def complete_within(
            self, instructions: str, prompt: str, schema: Mapping[str, object], timeout_s: float
        ) -> str:
            raise ModelUnavailableError(self.name, "down")

    world = World(chat=Down())
    world.hear("I smell gas", "+447700900123")
    assert [m.kind for m in world.store.outbox()] == ["safety"], "at once: no worker has run"
    assert "0800 111 999" in world.store.outbox()[0].text
