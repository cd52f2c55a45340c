"""On which days something is open at what time: a table, a list and a sentence may state the same."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

from saidonce.foundation.text import sentences
from saidonce.matching.facts.lexicon import table
from saidonce.matching.facts.numerals import weekdays
from saidonce.matching.facts.plain.stretches import Extent, folded, lists, tables

Times = tuple[tuple[int, int], ...]
"""From when to when something is open, in minutes; none where it is closed."""

_DAYS = 7
_HOUR, _NOON, _DAY = 60, 12, 24
_LONGEST = 600
_TIME = (
    r"(?:{at}\s)?(?P<h{n}>\d{{1,2}})(?:(?:[:.]|\s?h\s?)(?P<m{n}>\d\d))?(?!\d)"
    r"(?:\s?(?P<half{n}>[ap])\.?m\b\.?)?(?:\s?(?:uhr|heures|h|uur|o'clock)\b)?"
)


class OpeningHours(NamedTuple):
    """What a stretch says of the days on which something is open."""

    place: Extent
    is_laid_out: bool
    what: tuple[str, ...]
    hours: Mapping[int, Times]


def with_hours(text: str, other: str, language: str) -> str:
    """Write a table or list of opening hours as the other text states the same ones of the same thing."""
    if not _is_read(language) or not re.search(r"\d", text):
        return text
    laid = [mine for mine in _stated(text, language) if mine.is_laid_out]
    theirs = tuple(_stated(other, language)) if laid else ()
    for mine in reversed(laid):
        form = next((each for each in theirs if each.what == mine.what and each.hours == mine.hours), None)
        if form is not None and text[slice(*mine.place)] != other[slice(*form.place)]:
            before, after = text[: mine.place.start].rstrip(), text[mine.place.end :].lstrip()
            between = "\n\n" if form.is_laid_out else " "
            text = between.join(filter(None, (before, other[slice(*form.place)], after)))
    return text


def _is_read(language: str) -> bool:
    return "closed" in _words(language)


def _words(language: str) -> dict[str, str]:
    words: dict[str, str] = table("layouts").get(language, {})
    return words


def _stated(text: str, language: str) -> Iterator[OpeningHours]:
    """Yield what the tables, the lists and the sentences of a text say of opening hours."""
    for grid in tables(text):
        if len(grid.rows[0]) == len(("day", "hours")) and folded(grid.rows[0][0]) in _named(language, "days"):
            body = "; ".join(f"{day}: {hours}" for day, hours in grid.rows[1:])
            yield from _of(grid.place, (grid.rows[0][1], body), language, is_laid_out=True)
    for points in lists(text):
        lead = points.lead.text
        start = points.lead.start if lead.rstrip("*_ ").endswith(":") else points.place.start
        body = "; ".join(point.text for point in points.points)
        if start < points.place.start:
            yield from _of(Extent(start, points.place.end), (lead, body), language, is_laid_out=True)
    spans = [span for span in sentences(text) if "|" not in span.text]
    for n, span in enumerate(spans):
        ends = [span.end, *(after.end for after in spans[n + 1 : n + 2])]
        for end in reversed(ends):
            yield from _of(Extent(span.start, end), ("", text[span.start : end]), language, is_laid_out=False)


@cache
def _named(language: str, name: str) -> frozenset[str]:
    return frozenset(_words(language).get(name, "").casefold().split("|"))


def _of(place: Extent, stated: tuple[str, str], language: str, *, is_laid_out: bool) -> Iterator[OpeningHours]:
    """Yield what a stretch says of opening hours if each of its words is one of them, or names what is open."""
    lead, body = (folded(part) for part in stated)
    if len(body) > _LONGEST:
        return
    first = _forms(language)["day"].search(body)
    if first is None:
        return
    head = f"{lead} {body[: first.start()]}"
    reader = _HoursReader(language)
    rest = reader.read(body[first.start() :])
    if rest is None or not reader.hours or not any(reader.hours.values()):
        return
    named = [
        word for part in (head, rest) for word in re.findall(r"[^\W\d_]+", _forms(language)["idle"].sub(" ", part))
    ]
    opens = is_laid_out or _forms(language)["open"].search(body)
    if opens and not re.search(r"\d", head):
        yield OpeningHours(place, is_laid_out, tuple(named), reader.hours)


@dataclass
class _HoursReader:
    """Reads days and hours, word by word."""

    language: str
    hours: dict[int, Times] = field(default_factory=dict)
    days: list[int] = field(default_factory=list)
    last: list[int] = field(default_factory=list)
    is_closed: bool = False

    def read(self, body: str) -> str | None:
        """Return what is left behind all that was read; None where days or hours do not go together."""
        forms, at = _forms(self.language), 0
        kinds: tuple[tuple[str, Callable[[re.Match[str]], bool]], ...] = (
            ("days", self._several), ("day", self._day), ("times", self._times), ("closed", self._closed),
            ("other", self._others), ("idle", lambda _: True),
        )  # fmt: skip
        while at < len(body):
            hit, of = next(((h, of) for kind, of in kinds if (h := forms[kind].match(body, at))), (None, None))
            if hit is None or of is None:
                break
            if not of(hit):
                return None
            at = hit.end()
        if self.days and not (self.is_closed and self._give(())):
            return None
        return body[at:]

    def _several(self, hit: re.Match[str]) -> bool:
        first, last = (_number_of(hit[name], self.language) for name in ("first", "last"))
        self.days += range(first, last + 1)
        return first < last

    def _day(self, hit: re.Match[str]) -> bool:
        self.days.append(_number_of(hit["day"], self.language))
        return True

    def _times(self, hit: re.Match[str]) -> bool:
        start, end = (_minutes(hit, n) for n in ("1", "2"))
        if self.is_closed or start is None or end is None or start >= end:
            return False
        if self.days:
            return self._give(((start, end),))
        for day in self.last:
            self.hours[day] = (*self.hours[day], (start, end))
        return bool(self.last)

    def _closed(self, _hit: re.Match[str]) -> bool:
        if self.days:
            return self._give(())
        self.is_closed = True
        return True

    def _others(self, _hit: re.Match[str]) -> bool:
        """Give the days that were not named so far no hours."""
        self.days = [day for day in range(_DAYS) if day not in self.hours]
        return self.is_closed and self._give(())

    def _give(self, times: Times) -> bool:
        """Give the days that were named last their hours; none may have any."""
        is_new = len(set(self.days)) == len(self.days) and not any(day in self.hours for day in self.days)
        self.hours.update(dict.fromkeys(self.days, times))
        self.last, self.days, self.is_closed = (self.days if times else []), [], False
        return is_new


def _minutes(hit: re.Match[str], n: str) -> int | None:
    """Return a time of day; None if it is none, or may be before or after noon."""
    hour, half = int(hit[f"h{n}"]), hit[f"half{n}"]
    if bool(half) != bool(hit["half2"]) or hour > _DAY or (half and hour > _NOON):
        return None
    hour = hour % _NOON + (_NOON if half == "p" else 0) if half else hour
    return hour * _HOUR + int(hit[f"m{n}"] or 0)


def _number_of(word: str, language: str) -> int:
    """Return the number of a day, which may be a plural."""
    known = _known_days(language)
    return known[word] if word in known else known[re.sub("s$", "", word)]


@cache
def _known_days(language: str) -> dict[str, int]:
    named = {word: known[0] for word, known in weekdays(language).items()}
    return {word: number for word, (words, number) in named.items() if words == (word,)}


@cache
def _forms(language: str) -> dict[str, re.Pattern[str]]:
    """Return the expression for each thing that is read."""
    words = _words(language)
    day = "|".join(sorted(map(re.escape, _known_days(language)), key=len, reverse=True))
    to = rf"\s?(?:[\u2013-]|\b(?:{words['until']})\b)\s?(?:(?:{words['idle']})\s)?"
    at = f"(?:{words['clock']})"
    time, until = (_TIME.format(at=at, n=n) for n in (1, 2))
    return {
        "days": re.compile(rf"(?<!\w)(?P<first>{day})s?\.?{to}(?P<last>{day})s?(?!\w)\.?"),
        "day": re.compile(rf"(?<!\w)(?P<day>(?:{day})s?)(?!\w)\.?"),
        "times": re.compile(time + to + until),
        "closed": re.compile(rf"(?<!\w)(?:{words['closed']})(?!\w)"),
        "other": re.compile(rf"(?<!\w)(?:{words['others']})(?!\w)"),
        "open": re.compile(rf"(?<!\w)(?:{words['open']})(?!\w)"),
        "idle": re.compile(rf"[\s,;:.]+|(?<!\w)(?:{words['idle']}|{words['open']})(?!\w)|(?<!\w)[ld]['\u2019]"),
    }
