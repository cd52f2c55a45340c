"""Commas in languages that `commas.toml` has no list of, of any script: what one text has alone needs a reason.

Where a language has no reasons at all, every comma that stands on one side, or elsewhere, leaves two texts open.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from saidonce.matching.facts.letters import COMMAS, PlacedLetter, around, in_turn, is_comma, letters
from saidonce.matching.facts.lexicon import table
from saidonce.matching.facts.plain.listed import is_list_in_hangul
from saidonce.matching.facts.sentence_relations import Places

_MOST_IN_FRONT = 12
"""Words before the comma behind what opens a sentence."""

_LISTED_WITHIN = 3
"""Words behind a comma among which "and" shows that it parts members of a list."""

_SCRIPTS = {
    "ar": re.compile("[\u0620-\u064a]"),
    "he": re.compile("[\u05d0-\u05ea]"),
    "hi": re.compile("[\u0904-\u0939]"),
    "ko": re.compile("[\uac00-\ud7a3]"),
}


def language_of_script(text: str, language: str) -> str:
    """Return the language of a text; one that is not known is that of its script, if only one is written in it."""
    if language in _SCRIPTS or language != "und":
        return language
    return next((name for name, script in _SCRIPTS.items() if script.search(text)), language)


def pauses_otherwise(a: str, b: str, language: str) -> Places | None:
    """Return the first comma that one of two sentences has alone, unless a list of its language shows it to be style.

    Never style are commas of which each text has one that the other lacks: it may have been moved.
    """
    if language in table("commas") or not any(comma in a or comma in b for comma in COMMAS):
        return None
    if language == "ko" and is_list_in_hangul(a, b):
        return None  # its commas have gone with its members
    one, two = letters(a, is_comma), letters(b, is_comma)
    lone = list(_lone(one, two)) if one and two else []
    if not lone:
        return None
    language = language_of_script(a, language)
    is_moved = len({is_in_a for _, _, is_in_a in lone}) > 1
    for here, there, is_in_a in lone:
        text, at = (a, here) if is_in_a else (b, there)
        if is_moved or not _is_style(text, at, language):
            return around(a, here), around(b, there)
    return None


def _lone(one: list[PlacedLetter], two: list[PlacedLetter]) -> Iterator[tuple[int, int, bool]]:
    """Yield the places in both texts behind which only one has a comma, and whether it is the first."""
    for here, there, is_equal in in_turn(one, two):
        if is_equal:
            alike = zip(one[here], two[there], strict=True)
            yield from ((x.at, y.at, x.is_marked) for x, y in alike if x.is_marked != y.is_marked)
            continue
        counts = [sum(x.is_marked for x in side[part]) for side, part in ((one, here), (two, there))]
        if counts[0] != counts[1]:
            yield _last(one, here), _last(two, there), counts[0] > counts[1]


def _last(side: list[PlacedLetter], part: slice) -> int:
    """Return where the last letter of a stretch with a comma behind it stands, or the one before the stretch."""
    marked = [x.at for x in side[part] if x.is_marked]
    return marked[-1] if marked else side[max(0, part.start - 1)].at


@cache
def _lists(language: str) -> dict[str, tuple[str, ...]]:
    rows = table("pauses").get(language, {})
    return {name: tuple(rows.get(name, "").split()) for name in ("fronts", "joins", "prefixes", "ends", "denials")}


def _is_style(text: str, at: int, language: str) -> bool:
    """Return whether the comma behind a letter is shown to be style."""
    lists = _lists(language)
    before, behind = _words(text[: at + 1]), _words(text[at + 1 :])
    if not before or not behind or before[-1] in lists["denials"]:
        return False
    if any(before[-1].endswith(end[1:]) if end[0] == "-" else before[-1] == end for end in lists["ends"]):
        return True
    if _joins(behind[0], lists):
        return not set(lists["denials"]) & set(before)
    is_listed = len(before) > 1 and any(_joins(word, lists) for word in behind[1 : 1 + _LISTED_WITHIN])
    is_first = not any(c in COMMAS for c in text[:at])
    opens = before[0] in lists["fronts"] and (len(before) == 1 or language != "ko")
    return opens and is_first and len(before) <= _MOST_IN_FRONT and not is_listed


def _joins(word: str, lists: dict[str, tuple[str, ...]]) -> bool:
    return word in lists["joins"] or any(word.startswith(p) and word != p for p in lists["prefixes"])


_MARKS = re.compile("[\u0591-\u05c7\u064b-\u065f\u0670\u0640]")
_AROUND = ",.;:!?()[]\"'\u060c\u061b\u061f\u06d4\u0964\u3001\uff0c"


def _words(text: str) -> list[str]:
    """Return the words of a text without signs of vowels and the marks around them."""
    return [word for each in _MARKS.sub("", text).split() if (word := each.strip(_AROUND))]


RULES = (pauses_otherwise,)
"""What is looked for in two aligned sentences."""
