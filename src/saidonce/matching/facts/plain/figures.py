"""Days, spans of time and counted periods in the figures or words in which the other text has them.

"Bis 31.8." is "bis 31. August", "env. 1 h 30" is 90 minutes, "cada 3 meses" is "cada tres meses", and "nave número 7"
is "nave 7". Each is read so only beside a text that writes it so.
"""

from __future__ import annotations

import re
from functools import cache

from saidonce.foundation.remembering import remembered
from saidonce.matching.facts.numerals import months, number_phrases, ordinals
from saidonce.matching.facts.plain.beside import leads_to_a_day
from saidonce.matching.facts.plain.in_full import neighbours
from saidonce.matching.facts.plain.tables import ways


def in_the_figures_of(text: str, other: str, language: str) -> str:
    """Write days, spans, periods and numbers of a text as the other one has them."""
    if not _has_figures(text, language):
        return text
    for rule in (_days_by_month, _in_place_words, _in_minutes, _in_number_words, _without_the_word):
        text = rule(text, other, language)
    return text


@remembered(8_192)
def _has_figures(text: str, language: str) -> bool:
    """Return whether a text has anything that a rule would write as another text has it; most have nothing."""
    if not _DIGIT.search(text):
        return False
    forms = (_DAYS.get(language), _PLACE, _TOGETHER, _lasting(language), _every(language), _numbered(language))
    return any(form.search(text) is not None for form in forms if form is not None)


_DIGIT = re.compile(r"\d")

_DAY = r"(?<![\w./,-])(0?[1-9]|[12]\d|3[01])"
_MONTH = r"(0?[1-9]|1[0-2])"
_DAYS = {
    "de": re.compile(rf"{_DAY}\.{_MONTH}\.(?![\d/])"),
    "nl": re.compile(rf"{_DAY}[/-]{_MONTH}(?![\w/-]|[.,]\d)"),
    **dict.fromkeys(("fr", "es", "it", "pt"), re.compile(rf"{_DAY}/{_MONTH}(?![\w/-]|[.,]\d)")),
}
"""A day and a month in figures without a year, in languages in which the day stands first."""


def _days_by_month(text: str, other: str, language: str) -> str:
    """Write "31.8." as the other text's "31. August", if a word beside it is the same in both."""
    found_by = _DAYS.get(language)
    return found_by.sub(lambda hit: _with_month(hit, other, language), text) if found_by else text


def _with_month(hit: re.Match[str], other: str, language: str) -> str:
    names = _names(language).get(int(hit[2]), "(?!)")
    day = re.compile(rf"(?<![\w.,])0?{int(hit[1])}(?:\.|er|[º°])? (?:de )?(?:{names})(?!\w)", re.IGNORECASE)
    there = day.search(other)
    if there is None or not _is_day(hit, language):
        return hit[0]
    is_same = neighbours(hit.string, *hit.span()) & neighbours(other, *there.span())
    ends = "." if hit[0].endswith(".") and other[there.end() : there.end() + 1] == "." else ""
    return f"{there[0]}{ends}" if is_same else hit[0]


_OF = re.compile(
    r" ?(?:de|du|des|d['\u2019]|della|dello|dell['\u2019]|dei|degli|delle|del|di|da|do|van)(?!\w)", re.IGNORECASE
)


def _is_day(hit: re.Match[str], language: str) -> bool:
    """Return whether two figures are a day: what leads to them does to one, and they are not a share of something."""
    before = hit.string[max(0, hit.start() - 30) : hit.start()]
    is_share = "/" in hit[0] and _OF.match(hit.string, hit.end())
    return not is_share and leads_to_a_day(before, language)


@cache
def _names(language: str) -> dict[int, str]:
    """Return month -> its names as alternatives of an expression."""
    names: dict[int, list[str]] = {}
    for rows in months(language).values():
        for words, n in rows:
            names.setdefault(n, []).append(re.escape(" ".join(words)))
    return {n: "|".join(sorted(listed, key=len, reverse=True)) for n, listed in names.items()}


_PLACE = re.compile(r"(?<=\w )(\d{1,2})\.(?= ([A-Z\u00c4\u00d6\u00dc]\w+))")


def _in_place_words(text: str, other: str, language: str) -> str:
    """Write the German "3. Werktag" as the other text's "dritten Werktag"."""
    if language != "de":
        return text
    small = other.casefold()

    def written(hit: re.Match[str]) -> str:
        places = _places().get(int(hit[1]), ())
        return next((word for word in places if f" {word} {hit[2].casefold()}" in small), hit[0])

    return _PLACE.sub(written, text)


@cache
def _places() -> dict[int, tuple[str, ...]]:
    """Return place -> the German words for it."""
    rows = [(n, " ".join(words)) for listed in ordinals("de").values() for words, n in listed]
    return {n: tuple(word for m, word in rows if m == n) for n, _ in rows}


_HOURS = r"(?:h|hrs?|hours?|Std|Stunden?|heures?|horas?|ore|ora|uur|uren)\b\.?"
_MINUTES = r"(?:min|mins|minutes?|Minuten?|minutos?|minuti)\b"
_TOGETHER = re.compile(
    rf"(?<![\d.,:])(?<!\bà )(?<!\bat )(?<!\bum )(?<!\blas )(?<!\balle )(?<!\bom )(\d{{1,2}}) ?{_HOURS}"
    rf"(?:,? (?:and|und|et|y|e|en))? ?(\d{{1,2}}) ?{_MINUTES}",
    re.IGNORECASE,
)
"""A span in hours and minutes; behind what leads to a time of day it may be one."""

_LASTS = re.compile(rf"(?<![:\d])\b\w+ ?{_MINUTES}|{_HOURS}", re.IGNORECASE)


def _in_minutes(text: str, other: str, language: str) -> str:
    """Write hours and minutes of a span in minutes, where the other text has them otherwise."""
    if not _LASTS.search(other):
        return text

    def written(hit: re.Match[str]) -> str:
        return hit[0] if hit[0] in other else f"{60 * int(hit[1]) + int(hit[2])} min"

    text = _TOGETHER.sub(written, text)
    found_by = _lasting(language)
    return found_by.sub(lambda hit: _spanned(hit, other), text) if found_by else text


@cache
def _lasting(language: str) -> re.Pattern[str] | None:
    """Return the expression for hours and perhaps minutes behind what only a span follows: "dure 1 h 30"."""
    cues = ways(language).get("lasts")
    if cues is None:
        return None
    return re.compile(
        rf"(?P<cue>(?<!\bà )(?<!\balle )\b(?:{cues}) )(?P<hours>\d{{1,2}}) ?h(?: ?(?P<minutes>[0-5]\d))?"
        rf"(?![\w:]| ?\d)(?! {_MINUTES})",
        re.IGNORECASE,
    )


def _spanned(hit: re.Match[str], other: str) -> str:
    if re.search(rf"(?<!\w){re.escape(hit[0].removeprefix(hit['cue']))}(?!\w)", other):
        return hit[0]
    return f"{hit['cue']}{60 * int(hit['hours']) + int(hit['minutes'] or 0)} min"


@cache
def _every(language: str) -> re.Pattern[str] | None:
    cues = ways(language).get("every")
    return re.compile(rf"\b({cues}) (\d{{1,2}})(?= [^\W\d])", re.IGNORECASE) if cues else None


def _in_number_words(text: str, other: str, language: str) -> str:
    """Write "cada 3 meses" as the other text's "cada tres meses"."""
    found_by = _every(language)
    if found_by is None or not found_by.search(text):
        return text
    small = other.casefold()

    def written(hit: re.Match[str]) -> str:
        words = (f"{hit[1]} {word}" for word in _words(language).get(int(hit[2]), ()))
        return next((word for word in words if f"{word.casefold()} " in small), hit[0])

    return found_by.sub(written, text)


@cache
def _words(language: str) -> dict[int, tuple[str, ...]]:
    """Return number -> the words for it."""
    rows = [(n, " ".join(words)) for listed in number_phrases(language).values() for words, n in listed]
    return {n: tuple(word for m, word in rows if m == n) for n, _ in rows}


def _without_the_word(text: str, other: str, language: str) -> str:
    """Write "nave número 7" as the other text's "nave 7"."""
    found_by = _numbered(language)

    def written(hit: re.Match[str]) -> str:
        bare = f"{hit[1]} {hit[2]}"
        return bare if re.search(rf"(?<!\w){re.escape(bare)}(?![.,]?\w)", other, re.IGNORECASE) else hit[0]

    return found_by.sub(written, text) if found_by else text


@cache
def _numbered(language: str) -> re.Pattern[str] | None:
    word = ways(language).get("number_word")
    return re.compile(rf"\b([^\W\d_]{{3,}}) (?:{word}) (\d+)\b(?![.,]\d)") if word else None
