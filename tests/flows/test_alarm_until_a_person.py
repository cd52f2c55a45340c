"""Conversations with an alarm: it stays until a person acknowledges it, and nothing but the truth is said meanwhile.

These cases were written before the code that they test.
"""

from __future__ import annotations

from datetime import timedelta

import pytest

from saidonce.foundation.model.conversation import Alarm, EmergencyEvent, IssueState, LandlordEvent, Way
from saidonce.foundation.model.residents import ChannelIdentity, Inbound, InboundKind, Media, Via
from saidonce.quality.playing import PHONE
from saidonce.repairs import conversation
from saidonce.repairs.board import board
from saidonce.repairs.conversation import ConversationDeps, wording
from talking import World

DAY = 86_400.0
QUESTIONS = ("photo", "which room", "what exactly", "last name", "postcode")


class Channels:
    """Whether there is a channel; may change."""

    def __init__(self, there: bool) -> None:
        self.there = there

    def has_channel(self) -> bool:
        return self.there


def texts(world: World) -> list[str]:
    return [m.text for m in world.store.outbox()]


def asks_nothing(world: World, since: int) -> bool:
    return not any(word in text.casefold() for text in texts(world)[since:] for word in QUESTIONS)


def tended(deps: ConversationDeps, world: World, minutes: float) -> None:
    """Let time pass as it does: the worker looks once a minute."""
    for _ in range(round(minutes)):
        world.clock.forward(60)
        conversation.tend(deps)


def first(world: World) -> EmergencyEvent:
    return world.store.events()[0]


def acknowledge(world: World, event: EmergencyEvent, by: str = "Sam") -> None:
    conversation.acknowledge(world.deps, event.id, by, Way.PAGE)


def calls(world: World) -> int:
    return sum(n.event is LandlordEvent.EMERGENCY_UNACKNOWLEDGED for n in world.store.notices())


def test_days_without_anybody_end_no_alarm_and_everything_still_goes_to_it() -> None:
    world = World()
    world.say("hello")
    world.say("I smell gas")
    before = len(texts(world))
    for n in range(3):
        world.clock.forward(DAY)
        world.say(f"it still hisses behind the cooker, day {n}")
    (issue,) = world.store.issues()
    assert all(f"day {n}" in issue.description for n in range(3))
    assert asks_nothing(world, before)
    assert [e.id for e in board(world.deps).alarms][-1] == first(world).id


def test_an_acknowledged_alarm_goes_the_normal_way_a_day_later_and_not_before() -> None:
    world = World()
    world.say("hello")
    world.say("I smell gas")
    acknowledge(world, first(world))
    world.say("the door to the meters stands open")
    assert "the door to the meters stands open" in texts(world)[-1]
    assert board(world.deps).alarms == ()
    world.clock.forward(DAY + 1)
    world.say("the kitchen tap drips from the spout", "!timeout", "!timeout")
    assert "photo" in texts(world)[-1]


def test_who_acknowledged_when_and_how_is_kept_and_the_resident_reads_it_once() -> None:
    world = World()
    world.say("hello")
    world.say("I smell gas")
    at = world.clock.now()
    acknowledge(world, first(world))
    acknowledge(world, first(world), "Jo")
    event = first(world)
    assert (event.acknowledged_by, event.acknowledged_at, event.acknowledged_via) == ("Sam", at, Way.PAGE)
    seen = [t for t in texts(world) if "has seen your message" in t]
    assert seen == [wording.SEEN_BY_SOMEBODY]
    assert "Sam" not in seen[0]


def test_an_acknowledgement_is_the_first_response_to_the_issue_of_the_alarm() -> None:
    world = World()
    world.say("hello")
    world.say("I smell gas")
    (before,) = world.store.issues()
    assert before.progress.responded_at is None
    at = world.clock.now()
    acknowledge(world, first(world))
    (issue,) = world.store.issues()
    assert issue.progress.responded_at == at


def test_a_person_wanted_in_the_words_of_a_doubtful_danger_is_reached() -> None:
    world = World()
    world.say("hello")
    world.say("something smells of burning maybe, have somebody ring me please")
    assert "escalated" in [n.event for n in world.store.notices()]


def test_a_name_is_told_only_if_the_organisation_says_so() -> None:
    world = World(rules=conversation.Rules(names_staff=True))
    world.say("hello")
    world.say("I smell gas")
    acknowledge(world, first(world))
    assert texts(world)[-1].startswith("Sam from your landlord's team has seen your message.")


def test_a_new_danger_after_an_acknowledgement_is_a_new_alarm_even_of_the_same_kind() -> None:
    world = World()
    world.say("hello")
    world.say("smoke in the hall")
    acknowledge(world, first(world))
    world.say("there is smoke again in the hall")
    old, new = world.store.events()
    assert new.acknowledged_at is None
    assert "999" in texts(world)[-1] or "999" in texts(world)[-2], "the safety text comes again"
    assert [e.id for e in board(world.deps).alarms] == [new.id]
    tended(world.deps, world, 11)
    assert calls(world) == 1
    assert len(world.store.issues()) == 1, "one emergency, one issue"
    assert old.acknowledged_at is not None


def test_two_alarms_are_acknowledged_one_by_one() -> None:
    world = World()
    world.say("hello")
    world.say("I smell gas")
    world.say("and now my son is not breathing")
    gas, medical = world.store.events()
    acknowledge(world, gas)
    assert [e.id for e in board(world.deps).alarms] == [medical.id]
    acknowledge(world, medical)
    assert board(world.deps).alarms == ()
    assert len(world.store.issues()) == 1


def test_no_all_clear_is_told_while_another_alarm_stands() -> None:
    world = World()
    world.say("hello")
    world.say("I smell gas")
    world.say("and now my son is not breathing")
    gas, medical = world.store.events()
    conversation.confirm_all_clear(world.deps, gas.id, "Sam", Way.PAGE)
    assert wording.all_clear("999") not in texts(world)
    world.say("please hurry up")
    assert texts(world)[-1].startswith(world.deps.pack.of("medical").stay)
    conversation.confirm_all_clear(world.deps, medical.id, "Sam", Way.PAGE)
    assert texts(world)[-1] == wording.all_clear("999")


def test_whoever_takes_two_alarms_over_is_announced_once() -> None:
    world = World()
    held = world.say("hello")
    world.say("I smell gas")
    world.say("and now my son is not breathing")
    conversation.take_over(world.deps, held.id, "Sam")
    assert texts(world).count(wording.SEEN_BY_SOMEBODY) == 1


def test_a_later_call_that_goes_through_is_told() -> None:
    world = World(reach=Channels(there=True))
    world.say("hello")
    world.say("I smell gas")
    alert, created = world.store.notices()
    conversation.tell_resident(world.deps, alert, is_reached=False)
    world.say("the door to the meters stands open")
    assert "could not reach" in texts(world)[-1], "nothing else has happened yet"
    tended(world.deps, world, 11)
    again = world.store.notices()[-1]
    assert again.event is LandlordEvent.EMERGENCY_UNACKNOWLEDGED
    conversation.tell_resident(world.deps, again, is_reached=True)
    assert texts(world)[-1] == wording.LANDLORD_NOTIFIED
    before = len(texts(world))
    conversation.tell_resident(world.deps, again, is_reached=False)
    conversation.tell_resident(world.deps, created, is_reached=True)
    assert len(texts(world)) == before
    world.say("the door is still open")
    assert "I am passing this on" in texts(world)[-1]


def test_alarms_of_earlier_versions_that_were_begun_count_as_acknowledged() -> None:
    world = World()
    world.say("hello")
    world.say("I smell gas")
    (issue,) = world.store.issues()
    world.store.move_issue(issue.id, IssueState.DONE, "Jo", world.clock.now())
    tended(world.deps, world, 60)
    assert calls(world) == 0
    assert (first(world).acknowledged_by, first(world).acknowledged_via) == ("Jo", Way.BOARD)


def test_a_repetition_belongs_to_its_alarm() -> None:
    world = World()
    world.say("hello")
    for _ in range(3):
        world.say("I smell gas")
    acknowledge(world, first(world))
    assert board(world.deps).alarms == ()
    assert {e.acknowledged_by for e in world.store.events()} == {"Sam"}


def test_what_is_added_is_repeated_back_with_how_to_stay_safe() -> None:
    world = World()
    world.say("hello")
    world.say("I smell gas")
    world.say("the door to the meters stands open")
    assert texts(world)[-1].startswith("Stay outside.")
    assert "the door to the meters stands open" in texts(world)[-1]


@pytest.mark.parametrize(
    "words",
    ["it was just the toaster, all fine now", "false alarm", "sorry false alarm, the detector is just dodgy",
     "false alrm sorry", "we're all safe and the fire is out", "its ok now, it was the neighbours bbq"],
)  # fmt: skip
def test_an_all_clear_by_the_resident_lowers_nothing_and_waits_for_a_person(words: str) -> None:
    world = World()
    world.say("hello")
    world.say("smoke in the kitchen")
    before = len(texts(world))
    world.say(words)
    assert [n.event for n in world.store.notices()][-1] is LandlordEvent.ALL_CLEAR_SAID
    assert "confirm" in texts(world)[-1]
    assert asks_nothing(world, before)
    assert first(world).state is not Alarm.DISMISSED
    assert [e.id for e in board(world.deps).alarms] == [first(world).id]
    assert board(world.deps).claims[first(world).conversation_id] == world.store.notices()[-1].at
    (issue,) = world.store.issues()
    assert (issue.urgency, issue.state) == ("emergency", IssueState.OPEN)
    assert words in issue.description
    tended(world.deps, world, 11)
    assert calls(world) == 1, "it escalates all the same"


@pytest.mark.parametrize(
    "words",
    ["not all clear, the smoke is back", "nothing is fine", "is it all clear to go back in?",
     "they said it was a false alarm but it still smells", "I don't know if it is over"],
)  # fmt: skip
def test_what_is_no_all_clear_is_only_passed_on(words: str) -> None:
    world = World()
    world.say("hello")
    world.say("smoke in the kitchen")
    world.say(words)
    assert LandlordEvent.ALL_CLEAR_SAID not in {n.event for n in world.store.notices()}


def test_a_person_confirms_the_all_clear_and_the_resident_reads_so() -> None:
    world = World()
    world.say("hello")
    world.say("smoke in the kitchen")
    world.say("it was just the toaster, all fine now")
    conversation.confirm_all_clear(world.deps, first(world).id, "Sam", Way.COMMAND)
    event = first(world)
    assert (event.cleared_by, event.acknowledged_by) == ("Sam", "Sam")
    assert texts(world)[-1] == wording.all_clear("999")
    assert board(world.deps).alarms == ()
    world.say("the kitchen tap drips from the spout", "!timeout", "!timeout")
    assert "photo" in texts(world)[-1], "the normal way at once"


def test_a_handed_off_conversation_has_its_alarm_too_and_the_assistant_adds_no_word() -> None:
    world = World()
    held = world.say("hello")
    conversation.take_over(world.deps, held.id, "Sam")
    world.say("I smell gas")
    before = len(texts(world))
    world.say("the door to the meters stands open")
    assert len(texts(world)) == before, "a person writes there"
    (issue,) = world.store.issues()
    assert "meters" in issue.description
    assert [e.id for e in board(world.deps).alarms] == [first(world).id], "taken over before the alarm"
    tended(world.deps, world, 11)
    assert calls(world) == 1


def test_whoever_takes_the_conversation_over_during_an_alarm_has_acknowledged_it() -> None:
    world = World()
    held = world.say("hello")
    world.say("I smell gas")
    conversation.take_over(world.deps, held.id, "Sam")
    assert (first(world).acknowledged_by, first(world).acknowledged_via) == ("Sam", Way.TAKE_OVER)


def test_a_hand_over_by_the_assistant_acknowledges_nothing() -> None:
    world = World()
    world.say("hello")
    world.say("I smell gas")
    world.say("I want to speak to a human being")
    assert first(world).acknowledged_at is None
    assert [e.id for e in board(world.deps).alarms] == [first(world).id]


def test_an_unknown_sender_is_asked_for_nothing_and_what_they_add_is_passed_on() -> None:
    world = World()
    stranger = "+447700900123"
    world.say("there is smoke coming out of the lift", phone=stranger)
    before = len(texts(world))
    world.say("third floor, my mum is inside", phone=stranger)
    assert asks_nothing(world, before)
    assert "third floor, my mum is inside" in texts(world)[-1]
    assert [n.event for n in world.store.notices()][-1] is LandlordEvent.ALARM_MESSAGE
    world.clock.forward(2 * DAY)
    world.say("hello? anybody", phone=stranger)
    assert asks_nothing(world, before), "nobody acknowledged: no name is asked, days later"


def test_an_opted_out_sender_gets_safety_and_no_more_than_that() -> None:
    world = World()
    world.say("hello")
    world.say("STOP")
    before = len(texts(world))
    world.say("I smell gas")
    world.say("the door to the meters stands open")
    later = world.store.outbox()[before:]
    assert {m.kind for m in later} == {"safety"}
    assert "the door to the meters stands open" in later[-1].text
    (issue,) = world.store.issues()
    assert "meters" in issue.description


def test_without_a_channel_nothing_is_said_to_be_passed_on() -> None:
    world = World(reach=Channels(there=False))
    world.say("hello")
    world.say("I smell gas")
    world.say("the door to the meters stands open")
    last = texts(world)[-1]
    assert "the door to the meters stands open" in last
    assert "could not reach your landlord's team" in last
    assert "999" in last
    assert "pass" not in last


def test_without_a_channel_a_person_is_not_said_to_be_asked() -> None:
    world = World(reach=Channels(there=False))
    world.say("hello")
    world.say("I want to speak to a human being")
    last = texts(world)[-1]
    assert "asked a person" not in last
    assert "could not reach your landlord's team" in last


def test_it_escalates_down_to_its_bound_and_the_board_shouts_then() -> None:
    world = World()
    world.say("hello")
    world.say("I smell gas")
    tended(world.deps, world, 9)
    assert calls(world) == 0
    tended(world.deps, world, 60 * 6)
    n = calls(world)
    assert 3 <= n <= 12
    assert first(world).exhausted_at is not None
    assert board(world.deps).is_exhausted
    tended(world.deps, world, 60)
    assert calls(world) == n, "bounded"
    assert sum(wording.nobody_answered("999") == t for t in texts(world)) == 1


def test_an_acknowledgement_ends_the_calls() -> None:
    world = World()
    world.say("hello")
    world.say("I smell gas")
    tended(world.deps, world, 15)
    assert calls(world) == 1
    acknowledge(world, first(world))
    tended(world.deps, world, 120)
    assert calls(world) == 1


def test_begun_issues_acknowledge_their_alarm_and_a_move_back_takes_that_back() -> None:
    world = World()
    world.say("hello")
    world.say("I smell gas")
    (issue,) = world.store.issues()
    conversation.move_issue(world.deps, issue.id, IssueState.IN_PROGRESS, "Jo")
    assert (first(world).acknowledged_by, first(world).acknowledged_via) == ("Jo", Way.BOARD)
    conversation.move_issue(world.deps, issue.id, IssueState.OPEN, "Jo")
    assert first(world).acknowledged_at is None
    tended(world.deps, world, 30)
    assert calls(world) >= 1


def test_two_residents_have_two_alarms() -> None:
    world = World()
    world.say("hello")
    world.say("I smell gas")
    world.say("I smell gas", phone="+447700900123")
    mine, theirs = sorted(world.store.events(), key=lambda e: e.at)
    acknowledge(world, mine)
    assert [e.id for e in board(world.deps).alarms] == [theirs.id]


def test_a_photo_during_an_alarm_is_in_its_issue() -> None:
    world = World()
    world.say("hello")
    held = world.say("water is pouring through the ceiling", "!timeout")
    world.clock.forward(timedelta(minutes=2).total_seconds())
    at = world.clock.now()
    sender = ChannelIdentity(Via.WHATSAPP, PHONE, PHONE)
    media = (Media("pic", "image/jpeg", "0" * 64, stored=True),)
    conversation.receive(world.deps, Inbound(sender, "n", "photo", InboundKind.MEDIA, at, at, "", media))
    world.clock.forward(11)
    while conversation.work(world.deps, "w") is not None:
        pass
    conversation.tend(world.deps)
    issue = next(i for i in world.store.issues() if i.conversation_id == held.id)
    assert issue.media == ("pic",)
    assert "photo" in texts(world)[-1]
    assert "?" not in texts(world)[-1]
