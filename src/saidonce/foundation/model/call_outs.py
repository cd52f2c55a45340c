"""Nouns of call-out lists: who is called about an emergency, one step after the other, until a person acknowledges."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, time
from enum import StrEnum


class CallOutHours(StrEnum):
    """When a step is called."""

    ALWAYS = "always"
    BUSINESS = "business"
    OUT_OF_HOURS = "out_of_hours"


class CallOutScope(StrEnum):
    """Whose emergencies a list is for; the narrowest list of a home holds."""

    ORGANISATION = "organisation"
    BUILDING = "building"
    HOME = "home"


@dataclass(frozen=True, slots=True)
class CallOutStep:
    """One step.

    Attributes:
        channels: ids of the channels that are told; all that take notices of residents if empty.
        wait_minutes: minutes to wait for an acknowledgement before the next step.
    """

    channels: tuple[str, ...]
    wait_minutes: int
    hours: CallOutHours = CallOutHours.ALWAYS


@dataclass(frozen=True, slots=True)
class OpenHours:
    """Business hours of some weekdays, in the list's time zone; they end before `until`.

    Attributes:
        days: weekdays, Monday is 0.
    """

    days: tuple[int, ...]
    since: time
    until: time


WEEKDAYS = (OpenHours((0, 1, 2, 3, 4), time(9), time(17)),)
"""Monday to Friday, nine to five."""


@dataclass(frozen=True, slots=True)
class CallOutList:
    """Who is called about an emergency, in which order.

    Attributes:
        subject: name of the building, or id of the property; empty for the organisation.
        rounds: how often the steps are gone through at most.
        time_zone: name of the IANA data base in which business hours are meant.
    """

    scope: CallOutScope
    subject: str
    steps: tuple[CallOutStep, ...]
    rounds: int = 3
    time_zone: str = "UTC"
    business: tuple[OpenHours, ...] = field(default=WEEKDAYS)


@dataclass(frozen=True, slots=True)
class OrgTroubles:
    """What waits in an organisation because nobody was reached.

    Attributes:
        n_alarms: alarms that no person acknowledged; `oldest_at`: since when.
        n_exhausted: those of them whose call-out list has come to its end.
        n_given_up: notices of any kind that were given up after all tries.
    """

    org: str
    n_alarms: int = 0
    oldest_at: datetime | None = None
    n_exhausted: int = 0
    n_given_up: int = 0
