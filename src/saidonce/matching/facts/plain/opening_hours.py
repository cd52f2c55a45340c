"""Times of day, and stretches of time between two of them, as the other text writes the same ones.

"8–10 h" is "de 8:00 a 10:00", "dalle 7 alle 22" is "dalle ore 7:00 alle ore 22:00", and "entre 9 h et midi" is "entre
9 heures et 12 heures". A figure is a time of day only where a mark says so: minutes behind a colon, a unit, or the two
words that lead nothing else. What comes some time between two hours does not last from one to the other.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from saidonce.foundation.remembering import remembered
from saidonce.matching.facts.lexicon import language_table


class _Hours(NamedTuple):
    """Where a text names a time of day, or two; what it says, in minutes, and how it is written."""

    start: int
    end: int
    says: tuple[str, int, int]
    written: str


def in_the_hours_of(text: str, other: str, language: str) -> str:
    """Write times of day as the other text writes the same ones."""
    here, there = _hours(text, language), _hours(other, language)
    if not here or not there:
        return text
    parts, at = [], 0
    for hours in here:
        as_there = [each.written for each in there if each.says == hours.says]
        if as_there and hours.written not in as_there:
            parts += [text[at : hours.start], _ended(as_there[0], hours, text)]
            at = hours.end
    return "".join((*parts, text[at:]))


_SENTENCE_ENDS = re.compile(r"\s*$|[ \t]*\n|\s+[A-Z\u00c0-\u00de]")


def _ended(written: str, hours: _Hours, text: str) -> str:
    """Return how the other text writes it, with the full stop that ended the sentence here: "to 6 p.m."."""
    if hours.written.endswith(".") and _SENTENCE_ENDS.match(text, hours.end):
        return f"{written.removesuffix('.')}."
    return written


@remembered(4_096)
def _hours(text: str, language: str) -> tuple[_Hours, ...]:
    """Return all times of day that a text names, two of one stretch as one, in their order."""
    found_by = _expressions(language)
    if found_by is None:
        return ()
    stretches = [hours for hit in found_by[0].finditer(text) if (hours := _stretch(hit, language))]
    alone = [
        hours
        for hit in found_by[1].finditer(text)
        if (hours := _alone(hit, language)) and not any(s.start < hours.end and hours.start < s.end for s in stretches)
    ]
    return tuple(sorted((*stretches, *alone)))


@cache
def _words(language: str) -> dict[str, str]:
    table: dict[str, str] = language_table(language).get("hours", {})
    return table


@cache
def _expressions(language: str) -> tuple[re.Pattern[str], re.Pattern[str]] | None:
    """Return the expressions of a language for two times of day and for one; None without its words."""
    words = _words(language)
    if not words:
        return None
    named = "|".join(row.partition("=")[0] for row in words["named"].split())
    unit, sign = words["unit"], words.get("sign", "")

    def time(n: int) -> str:
        return (
            rf"(?:(?P<name{n}>{named})\b|(?P<sign{n}>{sign or '(?!)'})?(?P<hour{n}>[01]?\d|2[0-4])"
            rf"(?:(?:[:.]| ?h ?)(?P<minutes{n}>[0-5]\d))?(?P<unit{n}> ?(?:{unit})(?!\w))?)"
        )

    starts, ends = r"(?<![\w.,:/$\u20ac\u00a3\u2013-])", r"(?![\w:%\u20ac\u00a3$/]|[.,]\d| ?[%\u20ac\u00a3$])"
    article = rf"(?:(?:{words['article']}) )?" if "article" in words else ""
    two = (
        rf"{starts}(?:(?P<lead>{words['from']}|{words['between']}) )?{article}{time(1)}"
        rf"(?:\s?[-\u2013]\s?| (?P<tie>{words['to']}|{words['and']}) ){article}{time(2)}{ends}"
    )
    one = rf"{starts}(?P<lead>(?:{words['at']}) )?{time(1)}{ends}"
    return re.compile(two, re.IGNORECASE), re.compile(one, re.IGNORECASE)


def _stretch(hit: re.Match[str], language: str) -> _Hours | None:
    """Return a stretch between two times of day; None where a figure may be anything else."""
    words = _words(language)
    lead, tie = (hit["lead"] or "").casefold(), (hit["tie"] or "").casefold()
    is_between = bool(lead) and re.fullmatch(words["between"], lead) is not None
    is_and = bool(tie) and re.fullmatch(words["and"], tie) is not None
    may_last = _SPAN.search(hit[0]) and not (hit["name1"] or hit["name2"])
    if is_between != is_and or may_last or _lasts(hit, language):
        return None
    is_sure = f"{lead} {tie}" in words.get("sure", "").split("|")
    is_marked = any(hit[f"{part}{n}"] for part in ("name", "sign", "unit") for n in (1, 2))
    if not (is_sure or is_marked or (hit["minutes1"] and hit["minutes2"] and ":" in hit[0])):
        return None
    times = _minutes(hit, 1, language), _minutes(hit, 2, language)
    one, two = _of_one_half(hit, *times) if language == "en" else times
    return _Hours(*hit.span(), ("between" if is_between else "to", one, two), hit[0]) if 0 <= one < two else None


_SPAN = re.compile(r"(?:heures?|horas?)\b", re.IGNORECASE)
"""A unit in full, which also counts the hours of a span: "a las 3 horas" may be three hours later."""

_HALF = 720


def _of_one_half(hit: re.Match[str], one: int, two: int) -> tuple[int, int]:
    """Return two times of which the second may say the half of the day for both: "2–6 p.m."; -1 where none does."""
    halves = [re.sub(r"\W", "", hit[f"unit{n}"] or "").casefold() for n in (1, 2)]
    if halves[1] not in ("am", "pm"):
        return one, two
    if halves[0] not in ("am", "pm") and not hit["name1"]:
        one = one + (_HALF if halves[1] == "pm" else 0)
        return (one, two) if one < two and one != _HALF * 2 else (-1, two)
    return one, two


def _alone(hit: re.Match[str], language: str) -> _Hours | None:
    """Return one time of day; a figure with a unit alone may be a span, unless a word says "at" before it."""
    at = hit.start("name1") if hit["name1"] else hit.start("hour1")
    at = hit.start("sign1") if hit["sign1"] else at
    is_at = bool(hit["lead"]) or bool(hit["sign1"]) or (language == "en" and bool(hit["unit1"]))
    is_clock = bool(hit["minutes1"]) and (":" in hit[0] or bool(hit["unit1"]))
    is_named = bool(hit["name1"] or hit["unit1"]) and is_at
    minutes = _minutes(hit, 1, language)
    if not (is_clock or is_named) or minutes < 0 or _SPAN.search(hit[0]) or _lasts(hit, language):
        return None
    return _Hours(at, hit.end(), ("at", minutes, minutes), hit.string[at : hit.end()])


def _lasts(hit: re.Match[str], language: str) -> bool:
    """Return whether the word before says that it is a span of time, and no time of day."""
    before = hit.string[max(0, hit.start() - 30) : hit.start()]
    return re.search(rf"\b(?:{_words(language)['lasts']})\s$", before, re.IGNORECASE) is not None


def _minutes(hit: re.Match[str], n: int, language: str) -> int:
    """Return a time of day in minutes; -1 where an hour and what is behind it do not go together."""
    if name := hit[f"name{n}"]:
        named = dict(row.split("=") for row in _words(language)["named"].split())
        return 60 * int(named[name.casefold()])
    hour, minutes = int(hit[f"hour{n}"]), int(hit[f"minutes{n}"] or 0)
    half = re.sub(r"\W", "", hit[f"unit{n}"] or "").casefold() if language == "en" else ""
    if half in ("am", "pm"):
        if not 0 < hour <= 12:
            return -1
        hour = hour % 12 + (12 if half == "pm" else 0)
    return 60 * hour + minutes
