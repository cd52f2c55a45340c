"""Alarms to the letter: what each answer to the question about danger leaves, and what a resident is told when."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import pytest

from saidonce.foundation.model.conversation import (
    Alarm,
    EmergencyEvent,
    LandlordEvent,
    LandlordNotice,
    OutboxMessage,
    Path,
)
from saidonce.foundation.text import digest
from saidonce.repairs import conversation
from saidonce.repairs.conversation import alarm, wording
from saidonce.repairs.conversation.alarm_life import claims
from talking import World

QUESTION = "did you hear the alarm? what is it"
AGAIN = "I have kept that. First: is anybody in danger right now? If so ring 999. Reply 1 if yes, 2 if no."


@dataclass(frozen=True)
class Still:
    """A clock that stands."""

    at: datetime

    def now(self) -> datetime:
        return self.at


def asked() -> World:
    """A resident who was asked whether anybody is in danger."""
    world = World()
    world.say("hello")
    world.say(QUESTION)
    return world


def event_of(world: World) -> EmergencyEvent:
    (event,) = world.store.events()
    return event


def last_of(world: World, what: str) -> OutboxMessage:
    """The one message of the alarm with this purpose, which its id tells."""
    (message,) = (m for m in world.store.outbox() if m.id == digest(what, event_of(world).id))
    return message


def alerts(world: World) -> list[LandlordNotice]:
    return [n for n in world.store.notices() if n.event is not LandlordEvent.ISSUE_CREATED]


def paths(world: World) -> list[tuple[Path, str]]:
    return [(turn.path, turn.reason) for turn in world.store.turns(event_of(world).conversation_id)][1:]


def test_a_question_waits_and_keeps_what_was_written_meanwhile() -> None:
    world = asked()
    assert paths(world) == [(Path.EMERGENCY, "danger_asked")]
    assert last_of(world, "asked").text == wording.danger("999")
    held = world.say("it was the neighbour")
    assert held.parked == (world.store.inbounds(held.id)[-1].seq,)
    again = last_of(world, "asked-again")
    assert (again.text, again.buttons) == (AGAIN, wording.DANGER_BUTTONS)
    assert event_of(world).state is Alarm.POSSIBLE
    assert alerts(world) == []


def test_a_second_message_that_answers_nothing_raises_the_alarm_and_says_why() -> None:
    world = asked()
    world.say("it was the neighbour")
    world.say("the neighbour upstairs")
    event = event_of(world)
    assert (event.state, event.is_critical) == (Alarm.SUSPECTED, True)
    assert event.alerted_at is not None
    reply = last_of(world, "unanswered")
    assert reply.text.startswith(wording.unanswered("999"))
    assert world.deps.pack.of("fire").safety in reply.text
    assert reply.text.endswith(wording.PASSED_ON)
    (notice,) = alerts(world)
    assert (notice.event, notice.dedupe_key) == (
        LandlordEvent.EMERGENCY_UNVERIFIED, f"emergency_unverified:{event.id}",
    )  # fmt: skip
    assert (notice.alarm_id, notice.detail) == (event.id, "fire")


def test_a_yes_raises_the_alarm_and_says_how_to_stay_safe() -> None:
    world = asked()
    world.say("yes")
    event = event_of(world)
    assert (event.state, event.is_critical) == (Alarm.VALIDATED, True)
    assert event.alerted_at is not None
    assert event.alerted_at > event.at
    safety = last_of(world, "safety")
    assert safety.text.startswith(world.deps.pack.of("fire").safety[:60])
    assert safety.made_at == event.alerted_at
    (notice,) = alerts(world)
    assert (notice.event, notice.dedupe_key) == (LandlordEvent.EMERGENCY_VALIDATED, f"emergency_validated:{event.id}")


def test_a_no_ends_it_with_a_word_and_alerts_nobody() -> None:
    world = asked()
    world.say("no")
    assert event_of(world).state is Alarm.DISMISSED
    assert last_of(world, "soften").text == wording.SOFTEN
    assert alerts(world) == []


def test_the_moment_by_which_an_answer_has_to_come_is_too_late() -> None:
    world = asked()
    event = event_of(world)
    early, late = (replace(world.deps, clock=Still(event.alert_by - timedelta(seconds=s))) for s in (1, 0))
    assert not alarm._raise_if_overdue(early, event)
    assert event_of(world).state is Alarm.POSSIBLE
    assert alarm._raise_if_overdue(late, event)
    assert event_of(world).state is Alarm.SUSPECTED
    assert not alarm._raise_if_overdue(late, event), "somebody else was faster"


def test_a_model_may_only_raise_a_question() -> None:
    world = World()
    inbound = world.hear("the toaster looks odd")
    event, message = alarm.raise_question(world.deps, inbound)
    assert (event.kind, event.phrase, event.state) == ("danger", "urgency: emergency", Alarm.POSSIBLE)
    assert (event.is_critical, event.replied, event.inbound_seq) == (False, True, inbound.seq)
    assert event.id == digest("emergency", *inbound.key, "danger")
    assert (event.alert_by - event.at).total_seconds() == world.deps.rules.answer_wait_s
    assert message.id == digest("asked", event.id)
    assert (message.text, message.buttons) == (wording.danger("999"), wording.DANGER_BUTTONS)


def test_the_all_clear_of_a_resident_is_told_with_its_turn_issue_and_kind() -> None:
    world = World()
    world.say("hello")
    world.say("I smell gas")
    before = world.store.notices()
    assert claims(before) == {}
    held = world.say("it is over now, the gas is off, all clear")
    (issue,) = world.store.issues()
    (said,) = (n for n in world.store.notices() if n.event is LandlordEvent.ALL_CLEAR_SAID)
    turn = world.store.turns(held.id)[-1]
    assert [t.reason for t in world.store.turns(held.id)][1:] == ["alarm", "all_clear_said"]
    assert (said.dedupe_key, said.issue_id, said.detail) == (f"all_clear_said:{turn.id}", issue.id, "gas")
    assert claims(world.store.notices()) == {held.id: said.at}
    stranger = World()
    stranger.say("I smell gas", phone="+447700900123")
    stranger.say("it is over now, the gas is off, all clear", phone="+447700900123")
    (said,) = (n for n in stranger.store.notices() if n.event is LandlordEvent.ALL_CLEAR_SAID)
    assert (said.issue_id, said.detail) == ("", "gas")


def alarmed() -> tuple[World, EmergencyEvent, LandlordNotice]:
    """An alarm whose notice is on its way."""
    world = World()
    world.hear("I smell gas")
    (notice,) = world.store.notices()
    return world, event_of(world), notice


@pytest.mark.parametrize(("is_reached", "what"), [(True, "told"), (False, "unreached")])
def test_what_a_resident_is_told_of_the_landlord_has_its_own_name_and_moment(is_reached: bool, what: str) -> None:
    world, event, notice = alarmed()
    world.clock.forward(5)
    conversation.tell_resident(world.deps, replace(notice, alarm_id=""), is_reached)
    message = world.store.outbox()[-1]
    assert message.id == digest(what, event.id)
    assert message.text == (wording.LANDLORD_NOTIFIED if is_reached else wording.unreached("999"))
    assert (message.made_at - event.at).total_seconds() == 5


def test_a_resident_is_told_again_only_of_what_reached_somebody_and_after_a_while() -> None:
    world, _, notice = alarmed()
    further = replace(notice, event=LandlordEvent.EMERGENCY_UNACKNOWLEDGED)
    conversation.tell_resident(world.deps, further, is_reached=False)
    assert len(world.store.outbox()) == 1
    conversation.tell_resident(world.deps, further, is_reached=True)
    conversation.tell_resident(world.deps, notice, is_reached=False)
    assert [m.text for m in world.store.outbox()][1:] == [wording.LANDLORD_NOTIFIED], "that they were told stands"
    other = replace(notice, event=LandlordEvent.ISSUE_CREATED)
    conversation.tell_resident(world.deps, other, is_reached=True)
    world.clock.forward(world.deps.rules.safety_again_s)
    conversation.tell_resident(world.deps, notice, is_reached=False)
    assert len(world.store.outbox()) == 2, "half an hour ago is not long enough ago"
    world.clock.forward(1)
    conversation.tell_resident(world.deps, notice, is_reached=False)
    assert [m.text for m in world.store.outbox()][2:] == [wording.unreached("999")]


def test_nobody_is_told_of_an_alarm_that_is_none_or_no_more() -> None:
    world, event, notice = alarmed()
    conversation.tell_resident(world.deps, replace(notice, alarm_id="another"), is_reached=True)
    world.store.settle_event(event, replace(event, state=Alarm.DISMISSED), None, (), ())
    conversation.tell_resident(world.deps, notice, is_reached=True)
    assert len(world.store.outbox()) == 1


def test_an_alarms_issue_keeps_the_time_of_its_message_however_late_it_is_filed() -> None:
    world = World(chat=None)
    heard = world.hear("I smell gas")
    world.clock.forward(7_200)
    while conversation.work(world.deps, "w") is not None:
        pass
    conversation.tend(world.deps)
    (issue,) = world.store.issues()
    assert issue.reported_at == heard.received_at
    assert issue.created_at - heard.received_at >= timedelta(hours=2), "the worker was away"
    limits = {s.limit: s for s in conversation.standings(issue, world.deps.rules, world.clock.now())}
    hours = world.deps.rules.response_h[issue.urgency]
    assert limits[conversation.TimeLimit.RESPONSE].due_at == heard.received_at + timedelta(hours=hours)


def test_any_other_issue_was_reported_when_it_was_filed() -> None:
    world = World(chat=None)
    world.say("hello")
    world.say("the kitchen tap drips")
    world.say("no photo")
    (issue,) = world.store.issues()
    assert (issue.alarmed_at, issue.reported_at) == (None, issue.created_at)
