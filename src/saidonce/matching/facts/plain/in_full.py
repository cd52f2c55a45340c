"""Abbreviations of everyday words written in full, where the words that they stand for are there to see.

"The treas. is away on Sat., 9 May" is "The treasurer is away on Saturday, 9 May". A text is read so only beside one
that has the word in full, and where an abbreviation has several meanings, the word before or behind is to be the same.
"""

from __future__ import annotations

import re
from functools import cache

from saidonce.foundation.remembering import remembered
from saidonce.matching.facts.lexicon import grammar, known_words, language_table, lines, word_list
from saidonce.matching.facts.plain.beside import is_shown_beside, may_stand_for
from saidonce.matching.facts.plain.tables import capital, one_of


def in_full(text: str, other: str, language: str) -> str:
    """Write the abbreviations of a text as the words for which either text has them."""
    if not _is_shortened(text, language):
        return text
    return _in_full(text, other, language)


@remembered(8_192)
def _is_shortened(text: str, language: str) -> bool:
    """Return whether a text has any abbreviation of the table."""
    _, found_by = _abbreviations(language)
    return found_by is not None and found_by.search(text) is not None


@remembered(4_096)
def _in_full(text: str, other: str, language: str) -> str:
    meanings, found_by = _abbreviations(language)
    assert found_by is not None  # a text with an abbreviation
    hit = found_by.search(text)
    written, start = [], 0
    while hit is not None:
        written += [text[start : hit.start()], _written_out(hit, meanings, other, language)]
        start = hit.end()
        hit = found_by.search(text, start)
    return "".join((*written, text[start:]))


@cache
def _abbreviations(language: str) -> tuple[dict[str, tuple[str, ...]], re.Pattern[str] | None]:
    """Return abbreviation -> what it may stand for, and the expression that finds any; none without a table."""
    listed = (row.split(" = ") for row in lines(language_table(language).get("abbreviations", {}).get("words", "")))
    meanings = {short: tuple(longs.split("|")) for short, longs in listed}
    if not meanings:
        return {}, None
    return meanings, re.compile(
        rf"(?<![\w.-])(?:{one_of(map(str.lower, meanings))})(?:(?<=[./°º])|(?![\w-]))", re.IGNORECASE
    )


_BEFORE = re.compile(r"(\w+)\W*$")
_BEHIND = re.compile(r"\W*(\w+)")
_LOOK_AROUND = 40
_FORMS_SHARE = 4
"""First letters that the forms of one word share at least: "incluido" and "incluida" are no two meanings."""

_ENDING = 1
"""Last letters that may differ of the shortest one: "editor" and "edition" are two words."""

_NEW_SENTENCE = re.compile(r"\s+[A-Z\u00c0-\u00de]|\s*$|[ \t]*\n")


def _written_out(hit: re.Match[str], meanings: dict[str, tuple[str, ...]], other: str, language: str) -> str:
    """Return the one meaning of an abbreviation that a text shows; what it finds as it is where none or several do."""
    short, text = hit[0], hit.string
    longs = meanings.get(short) or meanings.get(short.lower(), ())
    if not longs or any(f"({short})" in side or f"{short} (" in side for side in (text, other)):
        return short  # one of the texts says what it means
    shown = [long for long in longs if _is_in(long, other) or _is_in(long, text)]
    shown = [long for long in shown if may_stand_for(long, text, hit.span(), language)]
    if _ends_as_a_word(hit, language) and not any(is_shown_beside(long, language) for long in shown):
        return short
    if len(shown) > 1 or not _are_forms(longs):
        around = neighbours(text, hit.start(), hit.end())
        shown = [long for long in shown if _telling(_beside(long, other) & around, language)]
    if len(shown) != 1:
        return short
    ends = short.endswith(".") and _NEW_SENTENCE.match(text, hit.end()) and re.search(rf"\b{shown[0]}\.", other, re.I)
    return f"{capital(shown[0]) if short[0].isupper() else shown[0]}{'.' if ends else ''}"


def _are_forms(longs: tuple[str, ...]) -> bool:
    """Return whether all that an abbreviation may stand for are forms of one word."""
    shortest = min(map(len, longs))
    shared = next((n for n in range(shortest) if len({long[n] for long in longs}) > 1), shortest)
    return len(longs) == 1 or " " in longs[0][:shared] or shared >= max(_FORMS_SHARE, shortest - _ENDING)


def _ends_as_a_word(hit: re.Match[str], language: str) -> bool:
    """Return whether an abbreviation at the end of a sentence may be a word of its own: "The answer is no."."""
    word = hit[0].rstrip(".")
    is_word = language == "en" and word != hit[0] and word.lower() in known_words()
    return is_word and _NEW_SENTENCE.match(hit.string, hit.end()) is not None


@remembered(4_096)
def _is_in(long: str, text: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(long)}(?![\w-])", text, re.IGNORECASE) is not None


def _telling(words: frozenset[str], language: str) -> bool:
    """Return whether a word beside a place tells what may stand there: "the" and "is" stand beside anything."""
    free = grammar(language).articles | word_list(language, "copulas")
    return any(word.split(maxsplit=1)[1] not in free for word in words)


def _beside(long: str, text: str) -> frozenset[str]:
    """Return the words before and behind all places of a word."""
    places = re.finditer(rf"(?<![\w-]){re.escape(long)}(?![\w-])", text, re.IGNORECASE)
    return frozenset().union(*(neighbours(text, *place.span()) for place in places))


def neighbours(text: str, start: int, end: int) -> frozenset[str]:
    """Return the word before a place and the one behind it, each marked with its side."""
    before = _BEFORE.search(text, max(0, start - _LOOK_AROUND), start)
    behind = _BEHIND.match(text, end, end + _LOOK_AROUND)
    return frozenset(
        f"{side} {word[1].casefold()}" for side, word in (("before", before), ("behind", behind)) if word is not None
    )
