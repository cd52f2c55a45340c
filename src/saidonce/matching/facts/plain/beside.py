"""What must stand beside an abbreviation that is a day, a month, a unit, a title or a street: else it may be a word.

"Sat" is a day beside a date, a time or another day, "min." minutes behind a number, "St." a saint before a name and a
street behind one.
"""

from __future__ import annotations

import re
from functools import cache

from saidonce.matching.facts.lexicon import language_table, lines, words_of
from saidonce.matching.facts.numerals import may_begin_a_number, months, weekdays

_LOOK = 30
_NUMBER_BEFORE = re.compile(r"(?:[\d\u00bc-\u00be]|(?P<word>[^\W\d_]+))[ \u00a0\u202f]?$")
_COUNTS = frozenset(
    "per a an each every half pro je jede jeder jedem halbe halben halber eine einer einen par chaque demi por cada al"
    " ogni elke een half halve".split()
)
"""Words that one unit follows, in any language."""

_NAME_BEHIND = re.compile(r"[ \u00a0\u202f]*[^\W\d_a-z\u00df-\u00ff]")
_NAME_BEFORE = re.compile(r"[^\W\d_a-z\u00df-\u00ff][\w'\u2019-]* ?$")
_OPENS = re.compile(r"(?:^|[\n|(:,;/&+\u2013\u2014-])[ \t*_]*$")
_LEADS = re.compile(r"(t/m|[^\W\d_]+)['\u2019 \u00a0]*$")
_FOLLOWS = re.compile(r"[*_]{0,2}(?:[.,]? *(?:\d|[\u2013\u2014|&/:)(+-])|,? *(?P<word>t/m|[^\W\d_]+)(?P<stop>\.?))?")


def may_stand_for(long: str, text: str, at: tuple[int, int], language: str) -> bool:
    """Return whether an abbreviation at a place of a text may stand for a word, as far as what is beside it shows."""
    before, behind = text[max(0, at[0] - _LOOK) : at[0]], text[at[1] : at[1] + _LOOK]
    word = long.casefold()
    if word in _counted(language):
        hit = _NUMBER_BEFORE.search(before)
        counts = hit["word"].casefold() if hit and hit["word"] else ""
        return hit is not None and (not counts or counts in _COUNTS or may_begin_a_number(counts, language))
    if word in _named(language, "bounds"):
        return not re.search(r"\d[ \u00a0\u202f]?$", before)
    if word in _named(language, "before_names"):
        return _NAME_BEHIND.match(behind) is not None
    if word in _named(language, "behind_names"):
        return _NAME_BEFORE.search(before) is not None and _NAME_BEHIND.match(behind) is None
    if word in weekdays(language) or word in months(language):
        return is_dated(before, behind, language)
    return True


def is_dated(before: str, behind: str, language: str) -> bool:
    """Return whether a day or month between two stretches is beside a figure, another one, or what leads to a date."""
    follows = _FOLLOWS.match(behind)
    if re.search(r"\d(?:st|nd|rd|th|er|[.\u00ba\u00b0])? ?$", before):
        return True
    leads = _LEADS.search(before)
    if leads is not None and leads[1].casefold() in _named(language, "before_days"):
        return leads[1].casefold() not in _JOINTS or _ends_with_a_day(before[: leads.start()], language)
    if follows is None or not (is_shown := follows[0].strip("*_ .,")):
        return bool(_OPENS.search(before) and before.strip()) or (not before.strip() and not behind.strip(" .*_"))
    if follows["word"] is None:
        return bool(is_shown)
    word = follows["word"].casefold()
    if word in _days(language):
        return True
    return word in _named(language, "behind_days") and (
        word not in _ON_TO or _begins_with_a_day(behind[follows.end() :], language)
    )


_JOINTS = frozenset("and or und oder et ou y o e en of a".split())
_ON_TO = _JOINTS | frozenset("to till until through bis à au al tot t/m até".split())
"""Words that lead from one day to another one, or to a figure."""


def _ends_with_a_day(before: str, language: str) -> bool:
    hit = re.search(r"([^\W_]+)[ .]*$", before)
    return hit is not None and (hit[1].isdigit() or hit[1].casefold() in _days(language))


def _begins_with_a_day(behind: str, language: str) -> bool:
    hit = re.match(r"[ .]*([^\W_]+)", behind)
    return hit is not None and (hit[1][0].isdigit() or hit[1].casefold() in _days(language))


def is_shown_beside(long: str, language: str) -> bool:
    """Return whether what is beside an abbreviation shows that it stands for a word, which is one of those kinds."""
    word = long.casefold()
    kinds = ("counted", "before_names", "behind_names")
    return word in _days(language) or any(word in _named(language, kind) for kind in kinds)


def leads_to_a_day(before: str, language: str) -> bool:
    """Return whether what stands before figures leads to a day, or nothing stands there."""
    hit = _LEADS.search(before.rstrip(" ,.(") + " ") if before.strip() else None
    if hit is None:
        return not before.strip() or before.rstrip()[-1] in "\u2013\u2014-(:|\n"
    word = hit[1].casefold()
    return word in _named(language, "before_days") or word in _days(language)


@cache
def _days(language: str) -> frozenset[str]:
    """Return the days and months of a language, in full and as they are shortened."""
    named = frozenset((*weekdays(language), *months(language)))
    rows = (row.split(" = ") for row in lines(language_table(language).get("abbreviations", {}).get("words", "")))
    short = {short for short, longs in rows if any(long.casefold() in named for long in longs.split("|"))}
    return frozenset(word.rstrip(".").casefold() for word in (*named, *short))


def _counted(language: str) -> frozenset[str]:
    return _named(language, "counted")


@cache
def _named(language: str, name: str) -> frozenset[str]:
    return words_of(language_table(language).get("abbreviations", {}).get(name, ""))
