"""Room: business hours of the landlord's team, and when somebody is there next."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from saidonce.errors import SettingsError

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_HOURS = re.compile(r"([a-z]{3})(?:-([a-z]{3}))? (\d{1,2}):(\d{2})-(\d{1,2}):(\d{2})")


@dataclass(frozen=True, slots=True)
class OpenHours:
    """Hours on one or several days of the week; 0 is Monday."""

    days: frozenset[int]
    opens: time
    closes: time


@dataclass(frozen=True, slots=True)
class NextHours:
    """The present or next business hours in local time: `is_now` says which of the two."""

    is_now: bool
    opens: datetime
    closes: datetime


def read_hours(content: str) -> tuple[OpenHours, ...]:
    """Read business hours: entries such as "mon-fri 09:00-17:00", separated by commas; empty text gives none.

    Raises:
        SettingsError: an entry has another form, or closes before it opens.
    """
    return tuple(_entry(e, content) for each in content.split(",") if (e := " ".join(each.lower().split())))


def zone(name: str) -> ZoneInfo:
    """Return a time zone.

    Raises:
        SettingsError: there is none of that name.
    """
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as bad:
        raise SettingsError("time_zone", name, "an IANA name such as Europe/London") from bad


def next_hours(hours: tuple[OpenHours, ...], time_zone: str, now: datetime) -> NextHours | None:
    """Return the business hours that run now, or the next ones within eight days; None without any."""
    local = now.astimezone(zone(time_zone))
    spans: list[tuple[datetime, datetime]] = []
    for ahead in range(8):
        day = (local + timedelta(days=ahead)).date()
        spans += [
            (datetime.combine(day, h.opens, local.tzinfo), datetime.combine(day, h.closes, local.tzinfo))
            for h in hours
            if day.weekday() in h.days
        ]
    coming = sorted(span for span in spans if span[1] > local)
    return NextHours(coming[0][0] <= local, *coming[0]) if coming else None


def _entry(entry: str, content: str) -> OpenHours:
    match = _HOURS.fullmatch(entry)
    if match is None or match[1] not in DAYS or (match[2] or "mon") not in DAYS:
        raise SettingsError("business_hours", content[:80], 'entries such as "mon-fri 09:00-17:00"')
    first = DAYS.index(match[1])
    last = DAYS.index(match[2]) if match[2] else first
    days = frozenset((first + n) % 7 for n in range((last - first) % 7 + 1))
    try:
        opens, closes = time(int(match[3]), int(match[4])), time(int(match[5]), int(match[6]))
    except ValueError as bad:
        raise SettingsError("business_hours", content[:80], "times of a day, such as 09:00-17:00") from bad
    if closes <= opens:
        raise SettingsError("business_hours", content[:80], "hours that end after they begin")
    return OpenHours(days, opens, closes)
