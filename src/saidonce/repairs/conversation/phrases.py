"""Phrases in pack syntax, and where they stand in what residents write."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from rapidfuzz.distance import OSA

from saidonce.foundation.text import normalise

MIN_TYPO_CHARS = 5
"""Shorter words must match exactly."""

_APOSTROPHE = re.compile(r"(?<=\w)'(?=\w)")
_NO_WORD = re.compile(r"[^\w*]+|_+")
_HELD = re.compile(r"([^\W\d_])\1{2,}")
_STOPS = re.compile(r"(?<=[.!?;\u3002\uff01\uff1f])\s*(?=\D)|\n+")
_GAPS = {"~": r" (?:\w+ ){0,4}?", "~~": r" (?:\w+ ){0,12}?"}
_UNSPACED = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af]")


def plain(text: str, spelling: frozenset[str] = frozenset()) -> str:
    """Return a text as words with single spaces: case folded, without punctuation, apostrophes and pictograms.

    A word one typing mistake away from one of `spelling`, from five letters, becomes that word.
    """
    bare = _APOSTROPHE.sub("", _HELD.sub(r"\1", normalise(text)))
    words = _NO_WORD.sub(" ", bare).split()
    return " ".join(_spelled(w, spelling) for w in words) if spelling else " ".join(words)


def parts(text: str) -> tuple[str, ...]:
    """Return the sentences and lines of a text, in order, without empty ones; small letters may begin a sentence."""
    return tuple(p for part in _STOPS.split(text) if (p := " ".join(part.split())))


@lru_cache(maxsize=1_024)
def any_of(phrases: tuple[str, ...]) -> re.Pattern[str] | None:
    """Return the pattern that finds one of several phrases in plain words; None without phrases.

    A phrase is words in order: `word*` also longer words, `a/b` one of several, `~` up to four words between, `~~` up
    to twelve, `-word` not followed by it, `^` in front for the beginning and `$` behind for the end of the text.
    """
    return re.compile("|".join(f"(?:{_pattern(p)})" for p in phrases)) if phrases else None


def _pattern(phrase: str) -> str:
    bare = _APOSTROPHE.sub("", normalise(phrase))
    starts, ends = bare.startswith("^"), bare.endswith("$")
    pattern, gap = "", " "
    for word in bare.strip("^$ ").split():
        if word in _GAPS:
            gap = _GAPS[word]
            continue
        one = "|".join(_word(w) for w in word.lstrip("-").split("/"))
        if word.startswith("-"):
            pattern += rf"(?! (?:{one})(?!\w))"
            continue
        pattern += gap * bool(pattern) + f"(?:{one})"
        gap = " "
    edged = not _UNSPACED.search(bare)
    before = "^" if starts else r"(?<!\w)" if edged else ""
    after = "$" if ends else r"(?!\w)" if edged else ""
    return f"{before}{pattern}{after}"


def _word(word: str) -> str:
    return re.escape(word.rstrip("*")) + (r"\w*" if word.endswith("*") else "")


def _spelled(word: str, spelling: frozenset[str]) -> str:
    if len(word) < MIN_TYPO_CHARS or word.isdigit() or not spelling.isdisjoint((word, word.removesuffix("s"))):
        return word
    near = _near(word, tuple(sorted(spelling)))
    return near or word


@lru_cache(maxsize=65_536)
def _near(word: str, spelling: Sequence[str]) -> str:
    close = [w for w in spelling if w[0] == word[0] and OSA.distance(word, w, score_cutoff=1) <= 1]
    return min(close, key=lambda w: (abs(len(w) - len(word)), w), default="")
