"""Days of which the first shares the month or the year of the last: "3 to 12 May 2025"."""

from __future__ import annotations

import re
from functools import cache

from saidonce.matching.facts.numerals import months

_DAY = r"(?P<{0}>[12]?\d|3[01])"
_WRITTEN = {
    "de": (
        r"DAY\.(?: (?P<month>MONTH))?",
        r"(?: bis(?: zum| zu dem)?| ?[-\u2013]) ",
        r"LAST\. (?P<of>MONTH)(?: (?P<year>\d{4}))?",
    ),
    "fr": (
        r"(?<=\bdu )DAY(?:er)?(?: (?P<month>MONTH))?",
        r" au ",
        r"LAST (?P<of>MONTH)(?: (?P<year>\d{4}))?",
    ),
    "es": (
        r"(?<=\bdel )DAY(?: de (?P<month>MONTH))?",
        r" al ",
        r"LAST de (?P<of>MONTH)(?: (?:de|del) (?P<year>\d{4}))?",
    ),
}
"""How the first day, what leads to the last one, and the last day are written, by language."""

_WHOLE = {"de": "{day}. {month} {year}", "fr": "{day} {month} {year}", "es": "{day} de {month} de {year}"}


_IN_FIGURES = {
    "de": re.compile(r"(?<![\w.,/-])(0?[1-9]|[12]\d|3[01])\.(0?[1-9]|1[0-2])\.(\d{4})(?![\w/-]|[.,]\d)"),
    **dict.fromkeys(
        ("fr", "es"),
        re.compile(r"(?<![\w.,/-])(0?[1-9]|[12]\d|3[01])/(0?[1-9]|1[0-2])/(\d{4})(?![\w/-]|[.,]\d)"),
    ),
}


def _in_words(hit: re.Match[str], language: str) -> str:
    """Return a date in figures with the name of its month."""
    names = (" ".join(words) for rows in months(language).values() for words, n in rows if n == int(hit[2]))
    month = next(names)
    return _WHOLE[language].format(
        day=int(hit[1]), month=month.capitalize() if language == "de" else month, year=hit[3]
    )


@cache
def _span(language: str) -> re.Pattern[str] | None:
    if language not in _WRITTEN:
        return None
    names = "|".join(sorted({" ".join(words) for rows in months(language).values() for words, _ in rows}, key=len))
    first, to, last = _WRITTEN[language]
    day, until = _DAY.format("day"), _DAY.format("last")
    row = f"(?P<first>{first})(?P<to>{to})(?P<end>{last})".replace("DAY", day).replace("LAST", until)
    return re.compile(rf"(?<!\d)(?<!\d[.,]){row.replace('MONTH', f'(?:{names})')}(?!\w)", re.IGNORECASE)


def with_whole_days(text: str, language: str) -> str:
    """Write dates with the names of their months, of the first of two days as well as of the last.

    The first has the month and the year of the last if it is no later in the year.
    """
    found_by = _span(language)
    if language in _IN_FIGURES:
        text = _IN_FIGURES[language].sub(lambda hit: _in_words(hit, language), text)
    return found_by.sub(lambda hit: _with_both(hit, language), text) if found_by else text


def _with_both(hit: re.Match[str], language: str) -> str:
    month = hit["month"] or hit["of"]
    numbers = {" ".join(words).casefold(): n for rows in months(language).values() for words, n in rows}
    one, two = (numbers[name.casefold()] for name in (month, hit["of"]))
    if (one, int(hit["day"])) >= (two, int(hit["last"])):
        return hit[0]
    written = _WHOLE[language].format(day=hit["day"], month=month, year=hit["year"] or "")
    return f"{written.removesuffix(' ').removesuffix(' de')}{hit['to']}{hit['end']}"
