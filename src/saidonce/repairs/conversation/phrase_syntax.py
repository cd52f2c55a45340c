"""The syntax of phrases in packs and lists, as patterns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

MASK = "\N{OBJECT REPLACEMENT CHARACTER}"
"""Stands for each letter of what was taken out of a text."""


def _gap(most: int) -> str:
    """Return the pattern of so many words at most; what follows may be the second part of one (`l'eau`).

    A word is read in one way only, or a text of words with quotes in them would be read in thousands of ways.
    """
    word = r"(?:\W++\w++(?:'\w++)?+)"
    return rf"(?:{word}{{0,{most}}}?\W++|{word}{{0,{most - 1}}}?\W++\w++')"


_GAPS = {"~": _gap(4), "~~": _gap(12)}
_ENDING = r"\w*+(?:'++\w++){0,3}"
"""What may follow where a word ends in a star; no quote at the end, which stands between words."""


@lru_cache(maxsize=4_096)
def phrase_pattern(phrase: str) -> re.Pattern[str]:
    """Return the pattern of a phrase in the syntax of `Class.phrases`."""
    return re.compile(expression(phrase))


def expression(phrase: str) -> str:
    """Return the regular expression of a phrase; `phrase_pattern` compiles it."""
    before, pattern, gap = "", "", ""
    for word in phrase.split():
        if word in _GAPS:
            gap = _GAPS[word]
            continue
        one = "|".join(
            re.escape(w.rstrip("*")) + (_ENDING if w.endswith("*") else "") for w in word.lstrip("-").split("/")
        )
        if word.startswith("-") and not pattern:
            before += "".join(rf"(?<!\b{each}\W)" for each in one.split("|"))
            continue
        if word.startswith("-"):
            pattern += rf"(?!\W++(?:{one})(?!\w))"
            continue
        pattern += (gap or r"\W++") * bool(pattern) + f"(?:{one})"
        gap = ""
    return rf"(?<![\w-]){before}{pattern}(?!\w)"


def any_phrase(phrases: Sequence[str]) -> re.Pattern[str]:
    """Return the pattern of any of some phrases; one that is never found if there are none."""
    return re.compile("|".join(f"(?:{expression(p)})" for p in phrases) if phrases else r"(?!)")


def whole_words(phrases: Iterable[str]) -> frozenset[str]:
    """Return the words of phrases that stand for themselves: no beginnings of words, and none that must not follow."""
    parts = (part for phrase in phrases for part in phrase.split() if not part.startswith(("~", "-")))
    words = (word for part in parts for word in part.split("/") if not word.endswith("*"))
    return frozenset(piece for word in words for piece in word.split("'") if piece.isalpha())
