"""An organisation's zone and business hours: wall-clock times in words, hours counted while somebody works."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Self
from zoneinfo import ZoneInfo

from saidonce.foundation.model.progress import TimeSpan

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")

MOST_DAYS = 36_600
"""Days that are looked through for business hours: who is open so rarely has a limit in a hundred years."""

_PART = re.compile(r"([a-z]{3})(?:-([a-z]{3}))? ([0-9]{2}):([0-9]{2})-([0-9]{2}):([0-9]{2})")


@dataclass(frozen=True, slots=True)
class OpeningTime:
    """When somebody works on one day of the week, from Monday 0; wall-clock times."""

    weekday: int
    opens: time
    closes: time


@dataclass(frozen=True, slots=True)
class NextHours:
    """The present or next business hours in local time: `is_now` says which of the two."""

    is_now: bool
    opens: datetime
    closes: datetime


@dataclass(frozen=True, slots=True)
class OfficeHours:
    """An organisation's zone and business hours, by day and time."""

    zone: tzinfo = field(default_factory=lambda: ZoneInfo("UTC"))
    openings: tuple[OpeningTime, ...] = tuple(OpeningTime(day, time(9), time(17)) for day in range(5))

    def after(self, start: datetime, hours: float) -> datetime:
        """Return when so many business hours have passed, in UTC."""
        left = timedelta(hours=hours)
        day = start.astimezone(self.zone).date()
        for n in range(MOST_DAYS):
            for opens, closes in self._spans(day + timedelta(days=n)):
                begins = max(opens, start)
                if begins + left <= closes:
                    return (begins + left).astimezone(UTC)
                left -= max(closes - begins, timedelta())
        return start + timedelta(days=MOST_DAYS)

    def around(self, now: datetime) -> NextHours | None:
        """Return the business hours that run now, or the next ones within eight days; None without any."""
        day = now.astimezone(self.zone).date()
        spans = (span for ahead in range(8) for span in self._spans(day + timedelta(days=ahead)))
        opens, closes = next((span for span in spans if span[1] > now), (None, None))
        if opens is None or closes is None:
            return None
        return NextHours(opens <= now, opens.astimezone(self.zone), closes.astimezone(self.zone))

    def _spans(self, day: date) -> list[tuple[datetime, datetime]]:
        mine = sorted((o.opens, o.closes) for o in self.openings if o.weekday == day.weekday())
        return [(self._utc(day, opens), self._utc(day, closes)) for opens, closes in mine]

    def _utc(self, day: date, at: time) -> datetime:
        return datetime.combine(day, at, self.zone).astimezone(UTC)


def office_hours(zone: str, written: str) -> OfficeHours:
    """Read business hours such as "mon-fri 09:00-17:00, sat 10:00-13:00" in a zone.

    Raises:
        ValueError: they are malformed.
    """
    return OfficeHours(ZoneInfo(zone), opening_times(written))


def opening_times(written: str) -> tuple[OpeningTime, ...]:
    """Read business hours.

    Raises:
        ValueError: they are malformed, or there are none.
    """
    openings = tuple(o for part in written.lower().split(",") for o in _part(part.strip()))
    if not openings:
        raise ValueError("no business hours")
    return openings


def _part(part: str) -> list[OpeningTime]:
    match = _PART.fullmatch(part)
    if match is None or match[1] not in DAYS or (match[2] or match[1]) not in DAYS:
        raise ValueError(f"{part!r} is not such as mon-fri 09:00-17:00")
    first, last = DAYS.index(match[1]), DAYS.index(match[2] or match[1])
    opens, closes = time(int(match[3]), int(match[4])), time(int(match[5]), int(match[6]))
    if opens >= closes:
        raise ValueError(f"{part!r} ends before it begins")
    return [OpeningTime(day % 7, opens, closes) for day in range(first, last + (1 if first <= last else 8))]


class TimeWords(str):
    """Times in English words, which are written otherwise in other languages.

    Attributes:
        spans: the times.
        zone: in which they are meant.
        shape: "start" for when the one begins, "span" for all of it, "date" for its day, "list" for one on each line,
            numbered from 1.
    """

    spans: tuple[TimeSpan, ...]
    zone: tzinfo
    shape: str

    def __new__(cls, english: str, spans: Sequence[TimeSpan], zone: tzinfo, shape: str) -> Self:
        """Keep times beside their English words."""
        words = super().__new__(cls, english)
        words.spans, words.zone, words.shape = tuple(spans), zone, shape
        return words


def day_words(at: datetime, zone: tzinfo) -> str:
    """Return a date in words, such as "Tue 3 Feb"."""
    local = at.astimezone(zone)
    return f"{WEEKDAYS[local.weekday()]} {local.day} {MONTHS[local.month - 1]}"


def start_words(span: TimeSpan, zone: tzinfo) -> TimeWords:
    """Return when a stretch of time begins, such as "Tue 3 Feb 09:00": short enough for a button."""
    english = f"{day_words(span.starts_at, zone)} {span.starts_at.astimezone(zone):%H:%M}"
    return TimeWords(english, (span,), zone, "start")


def span_words(span: TimeSpan, zone: tzinfo) -> TimeWords:
    """Return a stretch of time in words, such as "Tue 3 Feb, 09:00 to 11:00"."""
    start, end = span.starts_at.astimezone(zone), span.ends_at.astimezone(zone)
    last = f"{end:%H:%M}" if start.date() == end.date() else f"{day_words(end, zone)} {end:%H:%M}"
    return TimeWords(f"{day_words(start, zone)}, {start:%H:%M} to {last}", (span,), zone, "span")


def date_words(at: datetime, zone: tzinfo) -> TimeWords:
    """Return a date in words, such as "3 February 2026"."""
    return TimeWords(f"{at.astimezone(zone):%-d %B %Y}", (TimeSpan(at, at),), zone, "date")


def numbered(spans: Sequence[TimeSpan], zone: tzinfo) -> TimeWords:
    """Return several stretches of time, numbered from 1, each on a line."""
    english = "\n".join(f"{n}. {span_words(span, zone)}" for n, span in enumerate(spans, 1))
    return TimeWords(english, spans, zone, "list")


def day_before(at: datetime, zone: tzinfo) -> datetime:
    """Return the same wall-clock time on the day before, in UTC; a day of 23 or 25 hours counts as one."""
    local = at.astimezone(zone)
    return datetime.combine(local.date() - timedelta(days=1), local.time(), zone).astimezone(UTC)


def read_span(written: str, zone: tzinfo) -> TimeSpan:
    """Read "2026-02-03 09:00-11:00" as wall-clock times.

    Raises:
        ValueError: it is malformed.
    """
    match = re.fullmatch(r"\s*(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2})\s*(?:-|to)\s*(\d{2}:\d{2})\s*", written)
    if match is None:
        raise ValueError(f"{written[:60]!r} is not such as 2026-02-03 09:00-11:00")
    day = date.fromisoformat(match[1])
    start, end = (datetime.combine(day, time.fromisoformat(match[n]), zone).astimezone(UTC) for n in (2, 3))
    return TimeSpan(start, end)
