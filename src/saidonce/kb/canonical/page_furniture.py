"""Room: passages that say something of their own page alone: when it was changed, and which sections it has."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cache
from importlib.resources import files
from types import MappingProxyType

from saidonce.kb.canonical.own_lists import is_name_of_all, is_name_of_contents
from saidonce.matching.facts import months, weekdays

FEWEST_ENTRIES = 3
"""Lines of a list of contents; fewer may be a list of anything."""

MOST_BEFORE = 3
"""First lines of a list among which one may name it: another title may stand before."""

_ITS_CHANGE = re.compile(
    r"(?:(?:this (?:page|document|file|article) (?:was )?|page |document )?"
    r"last (?:updated|modified|changed|reviewed|revised|edited)"
    r"|(?:diese seite|dieses dokument|dieser artikel) wurde zuletzt"
    r"|(?:zuletzt|letzte) (?:ge\u00e4ndert|aktualisiert|bearbeitet|\u00e4nderung|aktualisierung|bearbeitung)"
    r"|derni\u00e8re (?:mise \u00e0 jour|modification|r\u00e9vision)"
    r"|\u00faltima (?:actualizaci\u00f3n|modificaci\u00f3n|revisi\u00f3n|atualiza\u00e7\u00e3o|altera\u00e7\u00e3o)"
    r"|ultim[oa] (?:aggiornamento|modifica|revisione)|laatst (?:bijgewerkt|gewijzigd)"
    r"|ostatnia (?:aktualizacja|zmiana|modyfikacja))\b",
    re.IGNORECASE,
)
_NAMES_PAGE = re.compile(
    r"(?:this )?(?:page|document|file|article) |diese[rs]? (?:seite|dokument|artikel) ", re.IGNORECASE
)
_OF_THE_PAGE = re.compile(r" (?:of|de|di|della|van) (?:this|cette|esta|questa|deze) \w+", re.IGNORECASE)
_BY_WHOM = re.compile(r"\b(?:by|von|par|por|door|przez)(?: (?!\d)[A-Z\u00c0-\u00de][\w'-]*){1,3}")
_TOKEN = re.compile(r"[^\W\d_]+|[+-]\d\d:?\d\d\b|\d+(?:[.,:/-]\d+)*")
_DATE = re.compile(r"(?:19|20)\d\d|\d{1,4}([./-])\d{1,2}\1\d{1,4}")
_PART_OF_TIME = re.compile(r"\d{1,2}|\d{1,2}[:.]\d\d(?::\d\d)?|[+-]\d\d:?\d\d")
_BESIDE_DATES = frozenset(
    "on at am op le el il em w dniu de of the um uhr clock o utc gmt cet cest bst est edt pst pdt cst cdt ist pm a h t"
    " z r st nd rd th er \u00e0 \u00e0s las los kl om ge\u00e4ndert aktualisiert bearbeitet".split()
)
"""Words that stand in a date with its time, or behind one, besides its months and weekdays."""

_MOST_LETTERS = 60
"""Of a day with its time and who changed the page; a longer line says something more."""

_MARKS = r"(?:Copyright|COPYRIGHT|\u00a9)(?: ?(?:\([cC]\)|\u00a9|Copyright|COPYRIGHT))* ?"
_YEAR = r"(?:19|20)\d\d(?: ?[-\u2013] ?(?:(?:19|20)?\d\d\b|present)| ?, ?(?:19|20)\d\d)*"
_YEARS = re.compile(rf"(?:^\W*|(?<=[.!?|] )){_MARKS}{_YEAR}(?=,? (?:by )?[A-Z\u00c0-\u00de]|\.?$)", re.M)
"""The years since which somebody has the rights, at the beginning of a line or sentence and before a name.

"(c) 2000 litres" names none, and within a sentence they say which edition it speaks of.
"""

_COPYRIGHT = re.compile(
    rf"{_MARKS}{_YEAR},? (?P<who>[^\d.;:!?]+(?:\b[A-Z]\.[^\d.;:!?]*)*)\.?",
)
"""Whose a page is: "\u00a9 Copyright 2015-2019 Jo Kern and others"."""

_WORD_OF_NAME = re.compile(r"[^\W\d_]+(?:[-'\u2019&][^\W\d_]+)*")
_MOST_OF_HOLDER = 10
"""Words of a name of those who have rights."""

_ENTRY = re.compile(r"^\s*(?:[-*\u2022]\s+)?(\S.*?)\s*$", re.M)
_SENTENCE = re.compile(r"[.;\u3002!?]$")
"""How a line ends that is no title."""

_LONGEST_TITLE = 200
"""Characters of a title."""

_NUMBERED = re.compile(r"(?:[A-Z]|[IVXL]+|\d+)(?:\.\d+)*\.?\s+[^\W\d]")


def is_stamp(text: str, *, is_of_page: bool = True) -> bool:
    """Return whether a passage says when its own page was last changed, and nothing else.

    Args:
        text: of the passage.
        is_of_page: whether its place shows that it speaks of the page. Elsewhere a line has to name the page: that of
            a filter may say when the filter was last changed.
    """
    line = " ".join(text.split())
    head = _ITS_CHANGE.match(line)
    if head is None or not (is_of_page or _NAMES_PAGE.match(line)):
        return False
    rest = _BY_WHOM.sub(" ", _OF_THE_PAGE.sub(" ", line[head.end() :], count=1), count=1)
    return len(line) - head.end() <= _MOST_LETTERS and _is_day(rest)


@cache
def _rights() -> Mapping[str, frozenset[str]]:
    written = files("saidonce.kb.canonical").joinpath("page_furniture.toml").read_text("utf-8")
    tables = tomllib.loads(written).items()
    return MappingProxyType({use: frozenset(w.replace("_", " ") for w in words.split()) for use, words in tables})


def differ_in_stamps(one: str, other: str, *, is_one_page: bool, are_at_ends: bool = True) -> bool:
    """Return whether two passages say the same, but for what they say about their own pages.

    That is since which years somebody has the rights, and lines at the end: when the page was changed, or whose it is.
    Of one page in two editions it belongs to the same people in both, if both name some.

    Args:
        one: a passage.
        other: one of another document.
        is_one_page: whether both documents may be one page, in two editions.
        are_at_ends: whether both stand at the beginning or at the end of their pages.
    """
    plain, other_plain = (" ".join(_YEARS.sub("#", content).split()) for content in (one, other))
    if plain == other_plain:
        return one != other
    body, stamps = _without_stamps(one, is_of_page=are_at_ends)
    other_body, other_stamps = _without_stamps(other, is_of_page=are_at_ends)
    if not (stamps or other_stamps) or body != other_body:
        return False
    holders, other_holders = ({_holder(line) for line in lines} - {""} for lines in (stamps, other_stamps))
    return not is_one_page or not holders or not other_holders or holders == other_holders


def _without_stamps(content: str, *, is_of_page: bool) -> tuple[str, tuple[str, ...]]:
    """Return a passage without the lines at its end that say when its page was changed or whose it is, and these."""
    lines = [" ".join(line.split()) for line in content.splitlines() if line.strip()]
    n = len(lines)
    while n and (is_stamp(lines[n - 1], is_of_page=is_of_page) or _is_of_rights(lines[n - 1])):
        n -= 1
    return " ".join(lines[:n]), tuple(lines[n:])


def _is_of_rights(line: str) -> bool:
    return line.rstrip(".").casefold() in _rights()["reserved"] or bool(_holder(line))


def _holder(line: str) -> str:
    """Return in small letters who has the rights that a line names since a year; empty for any other line.

    Each word of it begins with a capital or belongs to names: "may not be copied" does not.
    """
    hit = _COPYRIGHT.fullmatch(line)
    words = _WORD_OF_NAME.findall(hit["who"]) if hit else []
    names = _rights()["terms"].isdisjoint(word.casefold() for word in words)
    is_name = (
        names and 0 < len(words) <= _MOST_OF_HOLDER and all(w[0].isupper() or w in _rights()["holders"] for w in words)
    )
    return " ".join(words).casefold() if is_name else ""


def _is_day(content: str) -> bool:
    """Return whether a text is one day, perhaps with its time: "last changed: oil filter at 90,000 km" has none."""
    tokens = _TOKEN.findall(content) if not _TOKEN.sub("", content).strip(" .,/:()-") else []
    n_dates = sum(_DATE.fullmatch(token) is not None for token in tokens)
    return n_dates == 1 and all(_is_of_dates(token) for token in tokens)


def _is_of_dates(token: str) -> bool:
    if token[-1].isdigit():
        return _DATE.fullmatch(token) is not None or _PART_OF_TIME.fullmatch(token) is not None
    word = token.casefold()
    return word in _BESIDE_DATES or word in months("") or word in weekdays("")


def may_be_contents(text: str, over: str = "") -> bool:
    """Return whether at least half of the lines of a text begin with the number of a section, or it is named so.

    Args:
        text: of a passage.
        over: the heading right over it.
    """
    entries = _ENTRY.findall(text)
    if len(entries) < FEWEST_ENTRIES:
        return False
    return _is_named_so(entries, over) or sum(map(_is_numbered, entries)) * 2 >= len(entries)


def is_contents(text: str, headings: AbstractSet[str], over: str = "") -> bool:
    """Return whether a text is a list of contents, whose lines all are titles.

    Each line is a heading or caption with the number that it has there; or all of it is named as a list of contents,
    of figures or of tables, and no line is a sentence. At least half of the entries of a list of figures or tables have
    a number or are a heading or caption.

    Args:
        text: of a passage.
        headings: those of all documents, and their captions, as `heading_of` has them.
        over: the heading right over it.
    """
    if not may_be_contents(text, over):
        return False
    entries = _ENTRY.findall(text)
    n_shown = sum(_is_numbered(entry) or heading_of(entry) in headings for entry in entries)
    are_shown = n_shown * 2 >= len(entries) or any(map(is_name_of_all, (over, *entries)))
    if _is_named_so(entries, over) and are_shown:
        return all(_is_title(entry) for entry in entries)
    return all(heading_of(entry) in headings or is_name_of_contents(entry) for entry in entries)


def _is_named_so(entries: Sequence[str], over: str) -> bool:
    """Return whether the heading over a list, or the line that introduces it, calls it a list of contents."""
    return is_name_of_contents(over) or any(e.endswith(":") and is_name_of_contents(e) for e in entries[:MOST_BEFORE])


def _is_title(entry: str) -> bool:
    return is_name_of_contents(entry) or (len(entry) <= _LONGEST_TITLE and not _SENTENCE.search(entry))


def heading_of(content: str) -> str:
    """Return a heading in the form that entries are compared with."""
    return " ".join(content.split()).rstrip(".").casefold()


def _is_numbered(entry: str) -> bool:
    return _NUMBERED.match(entry) is not None
