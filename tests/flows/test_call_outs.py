"""Call-out lists: who is called about an emergency, when, once each, and after a program was killed in between."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from saidonce.errors import UsageError
from saidonce.foundation.model import Channel, ChannelKind
from saidonce.foundation.model.call_outs import CallOutHours, CallOutList, CallOutScope, CallOutStep
from saidonce.foundation.model.conversation import LandlordEvent, LandlordNotice, Way
from saidonce.repairs import conversation
from saidonce.repairs.conversation.call_out_sheet import call_outs_as_toml, read_call_outs
from saidonce.repairs.conversation.call_outs import EVERYBODY, first_step, is_business, list_for, next_step
from talking import World

ORGANISATION, BUILDING, HOME = CallOutScope
DAY, NIGHT = CallOutHours.BUSINESS, CallOutHours.OUT_OF_HOURS
CHANNELS = tuple(
    Channel(f"c{n}", ChannelKind.EMAIL, f"{who}@example.com", "", 0, "", 0, datetime(2026, 1, 1, tzinfo=UTC))
    for n, who in enumerate(("office", "jo", "sam"))
)
FILE = """
time_zone = "Europe/London"
business_hours = ["mon-fri 09:00-17:30", "sat 10:00-12:00"]
rounds = 2

[[step]]
channels = ["office@example.com"]
wait_minutes = 5
hours = "business"

[[step]]
channels = ["c1", "sam@example.com"]
wait_minutes = 15

[[step]]
building = "Elm House"
channels = ["sam@example.com"]
hours = "out_of_hours"
"""


def steps(*steps_: tuple[str, int, CallOutHours], **more: Any) -> CallOutList:
    return CallOutList(ORGANISATION, "", tuple(CallOutStep((c,), m, h) for c, m, h in steps_), **more)


def alarmed(*lists: CallOutList) -> World:
    """A resident who smells gas, on a Saturday noon in winter."""
    world = World()
    world.store.set_call_outs(lists)
    world.say("hello")
    world.say("I smell gas")
    return world


def called(world: World) -> list[tuple[str, ...]]:
    kinds = (LandlordEvent.EMERGENCY_UNVERIFIED, LandlordEvent.EMERGENCY_UNACKNOWLEDGED)
    return [n.channels for n in world.store.notices() if n.event in kinds]


def minutes(world: World, n: int) -> None:
    for _ in range(n):
        world.clock.forward(60)
        conversation.tend(world.deps)


def test_steps_are_called_in_order_and_the_list_begins_again_up_to_its_bound() -> None:
    always = CallOutHours.ALWAYS
    world = alarmed(steps(("a", 5, always), ("b", 10, always), ("c", 1, always), rounds=2))
    assert called(world) == [("a",)]
    minutes(world, 4)
    assert called(world) == [("a",)]
    minutes(world, 2)
    assert called(world) == [("a",), ("b",)]
    minutes(world, 9)
    assert called(world) == [("a",), ("b",), ("c",)]
    minutes(world, 200)
    assert called(world) == [("a",), ("b",), ("c",)] * 2
    (event,) = world.store.events()
    assert (event.n_calls, event.round) == (6, 2)
    assert event.exhausted_at is not None


def test_only_steps_for_the_hour_are_called_and_all_if_none_is_meant_for_it() -> None:
    world = alarmed(steps(("office", 5, DAY), ("night", 5, NIGHT)))
    minutes(world, 20)
    assert set(called(world)) == {("night",)}, "a Saturday"
    nobody = alarmed(steps(("office", 5, DAY), ("boss", 5, DAY)))
    minutes(nobody, 6)
    assert called(nobody) == [("office",), ("boss",)]


def test_business_hours_are_those_of_the_time_zone() -> None:
    london = steps(("office", 5, DAY), ("night", 5, NIGHT), time_zone="Europe/London")
    winter, summer = datetime(2026, 1, 19, 8, 30, tzinfo=UTC), datetime(2026, 7, 20, 8, 30, tzinfo=UTC)
    assert (is_business(london, winter), is_business(london, summer)) == (False, True)
    assert (first_step(london, winter), first_step(london, summer)) == (1, 0)
    assert not is_business(london, datetime(2026, 1, 19, 17, tzinfo=UTC)), "the end is not within"
    assert not is_business(london, datetime(2026, 1, 17, 12, tzinfo=UTC)), "a Saturday"
    assert next_step(london, 1, winter) == (1, True), "the only one of the hour begins again"


def test_the_narrowest_list_holds() -> None:
    world = World()
    home = world.store.homes()[0].property
    subjects = ((ORGANISATION, ""), (BUILDING, "elm house"), (HOME, "p1"))
    lists = [replace(EVERYBODY, scope=scope, subject=of, rounds=n) for n, (scope, of) in enumerate(subjects, 1)]
    assert list_for(lists, home).rounds == 3
    assert list_for(lists[:2], home).rounds == 2
    assert list_for(lists[:1], home).rounds == 1
    assert list_for(lists, None).rounds == 1
    assert list_for((), home) is EVERYBODY


def test_a_list_that_is_changed_meanwhile_holds_from_the_next_call_on() -> None:
    always = CallOutHours.ALWAYS
    world = alarmed(steps(("a", 5, always), ("b", 5, always), ("c", 5, always)))
    minutes(world, 11)
    assert called(world) == [("a",), ("b",), ("c",)]
    world.store.set_call_outs((steps(("d", 5, always)),))
    minutes(world, 6)
    assert called(world)[3:] == [("d",)]


class Killed(BaseException):
    """The program dies."""


class Dying:
    """A store whose next write of an event kills the program, before or after it."""

    def __init__(self, world: World, is_after: bool) -> None:
        self._store, self._is_after = world.store, is_after

    def __getattr__(self, name: str) -> Any:
        act: Callable[..., Any] = getattr(self._store, name)
        if name != "settle_event":
            return act

        def dying(*args: Any) -> None:
            if self._is_after:
                act(*args)
            raise Killed

        return dying


@pytest.mark.parametrize("is_after", [False, True])
def test_a_kill_in_a_call_calls_nobody_twice_and_forgets_nobody(is_after: bool) -> None:
    always = CallOutHours.ALWAYS
    world = alarmed(steps(("a", 5, always), ("b", 5, always), rounds=2))
    world.clock.forward(300)
    with pytest.raises(Killed):
        conversation.tend(replace(world.deps, store=Dying(world, is_after)))
    for _ in range(3):
        conversation.tend(world.deps)
    assert called(world) == [("a",), ("b",)]
    world.clock.forward(300)
    conversation.tend(world.deps)
    assert called(world) == [("a",), ("b",), ("a",)]
    keys = [n.dedupe_key for n in world.store.notices()]
    assert len(keys) == len(set(keys))


def test_two_workers_at_once_make_one_call() -> None:
    world = alarmed()
    world.clock.forward(601)
    (event,) = world.store.events()
    conversation.tend(world.deps)

    class Stale:
        """Sees the event as it was before the other one's call."""

        def __getattr__(self, name: str) -> Any:
            if name == "events":
                return lambda *_args, **_named: (event,)
            return getattr(world.store, name)

    conversation.tend(replace(world.deps, store=Stale()))
    assert len(called(world)) == 2


def test_an_alarm_acknowledged_between_two_calls_is_not_called_again() -> None:
    world = alarmed()
    minutes(world, 11)
    conversation.acknowledge(world.deps, world.store.events()[0].id, "jo@example.com", Way.LINK)
    minutes(world, 60)
    assert len(called(world)) == 2


def test_notices_of_an_alarm_name_it() -> None:
    world = alarmed()
    minutes(world, 11)
    of: dict[LandlordEvent, LandlordNotice] = {n.event: n for n in world.store.notices()}
    (event,) = world.store.events()
    assert of[LandlordEvent.EMERGENCY_UNVERIFIED].alarm_id == event.id
    assert of[LandlordEvent.EMERGENCY_UNACKNOWLEDGED].alarm_id == event.id
    assert of[LandlordEvent.ISSUE_CREATED].alarm_id == ""


def test_a_file_is_read_and_written() -> None:
    whole, house = read_call_outs(FILE, CHANNELS, "UTC")
    assert [s.channels for s in whole.steps] == [("c0",), ("c1", "c2")]
    assert [(s.wait_minutes, s.hours) for s in whole.steps] == [(5, DAY), (15, CallOutHours.ALWAYS)]
    assert (whole.rounds, whole.time_zone) == (2, "Europe/London")
    assert (house.scope, house.subject, house.steps[0].wait_minutes) == (BUILDING, "Elm House", 10)
    assert is_business(whole, datetime(2026, 1, 17, 11, tzinfo=UTC)), "Saturday morning"
    assert read_call_outs(call_outs_as_toml((whole, house)), CHANNELS, "UTC") == (whole, house)
    assert call_outs_as_toml(()) == ""


def test_without_a_zone_in_the_file_the_organisations_holds() -> None:
    (whole,) = read_call_outs("[[step]]\n", CHANNELS, "Europe/Berlin")
    assert (whole.time_zone, whole.steps) == ("Europe/Berlin", (CallOutStep((), 10),))


@pytest.mark.parametrize(
    ("file", "why"),
    [
        ("", "tables"), ("step = 3", "tables"), ("[[step]]\nwait_minutes = 0", "wait_minutes"), ("x", "TOML"),
        ("[[step]]\nwait_minutes = true", "wait_minutes"), ('[[step]]\nchannels = ["none"]', "no such channel"),
        ('[[step]]\nhours = "never"', "hours"), ('[[step]]\nwhom = "jo"', "whom"), ("[[step]]\nchannels = 3", "list"),
        ('time_zone = "Europe/Atlantis"\n[[step]]', "time zone"), ('time_zone = "../x"\n[[step]]', "time zone"),
        ('business_hours = ["fri-mon 09:00-17:00"]\n[[step]]', "earlier"), ('rounds = 0\n[[step]]', "rounds"),
        ('business_hours = ["mon 25:00-26:00"]\n[[step]]', "time of day"), ('stop = 1\n[[step]]', "stop"),
        ('[[step]]\nhome = "p1"\nbuilding = "x"', "not both"), ('business_hours = ["always"]\n[[step]]', "mon-fri"),
    ],
)  # fmt: skip
def test_a_flaw_in_a_file_is_named(file: str, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        read_call_outs(file, CHANNELS, "UTC")


def test_a_day_without_a_program_makes_one_call_and_goes_on_from_there() -> None:
    world = alarmed()
    world.clock.forward(timedelta(days=1).total_seconds())
    for _ in range(3):
        conversation.tend(world.deps)
    assert len(called(world)) == 2
