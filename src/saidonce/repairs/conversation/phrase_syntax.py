"""The syntax of phrases in packs and lists, as patterns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
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
_UNSPACED_GAP = r"[^\s,.;:!?\u3001\u3002\uff01\uff0c\uff1b\uff1f]{0,12}"
"""A gap in a script without spaces: some letters of the same clause."""

_ENDING = r"\w*+(?:'++\w++){0,3}"
"""What may follow where a word ends in a star; no quote at the end, which stands between words."""


@lru_cache(maxsize=4_096)
def phrase_pattern(phrase: str) -> re.Pattern[str]:
    """Return the pattern of a phrase in the syntax of `Class.phrases`."""
    return re.compile(_expression(phrase))


def _expression(phrase: str) -> str:
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
    return re.compile("|".join(f"(?:{_expression(p)})" for p in phrases) if phrases else r"(?!)")


@dataclass(frozen=True, slots=True)
class Phrases:
    """Any of some phrases, as one pattern with the letters that they begin with.

    A text that holds none of these is not searched: that takes a tenth of the time, and most texts hold none.
    """

    pattern: re.Pattern[str]
    begins: tuple[str, ...]

    @classmethod
    def of(cls, phrases: Sequence[str], is_spaced: bool = True) -> Phrases:
        """Read phrases in the syntax of `Class.phrases`; in a script without spaces, letters and a `~` for a gap."""
        if not is_spaced:
            each = (_UNSPACED_GAP.join(map(re.escape, phrase.split("~"))) for phrase in phrases)
            return cls(re.compile("|".join(each) or r"(?!)"), _shortest(p.partition("~")[0] for p in phrases))
        return cls(any_phrase(phrases), _shortest(b for phrase in phrases for b in _begins(phrase)))

    def search(self, text: str, *span: int) -> re.Match[str] | None:
        """Return the first of the phrases in a text, or between two of its places."""
        return self.pattern.search(text, *span) if self._may_be_in(text) else None

    def finditer(self, text: str, *span: int) -> Iterator[re.Match[str]]:
        """Yield the phrases in a text, or between two of its places, in order; they do not overlap."""
        return self.pattern.finditer(text, *span) if self._may_be_in(text) else iter(())

    def masked(self, text: str) -> str:
        """Return a text of the same length with each letter of the phrases masked."""
        return self.pattern.sub(lambda m: MASK * len(m.group()), text) if self._may_be_in(text) else text

    def _may_be_in(self, text: str) -> bool:
        return any(begin in text for begin in self.begins)


def _begins(phrase: str) -> list[str]:
    """Return what a phrase may begin with: its first word that is neither a gap nor one that must not be there."""
    first = next(word for word in phrase.split() if word not in _GAPS and not word.startswith("-"))
    return [each.rstrip("*") for each in first.split("/")]


def _shortest(begins: Iterable[str]) -> tuple[str, ...]:
    """Return those of some texts that hold none of the others, shortest first."""
    kept: list[str] = []
    for begin in sorted(set(begins), key=lambda b: (len(b), b)):
        if not any(shorter in begin for shorter in kept):
            kept.append(begin)
    return tuple(kept)


def whole_words(phrases: Iterable[str]) -> frozenset[str]:
    """Return the words of phrases that stand for themselves: no beginnings of words, and none that must not follow."""
    parts = (part for phrase in phrases for part in phrase.split() if not part.startswith(("~", "-")))
    words = (word for part in parts for word in part.split("/") if not word.endswith("*"))
    return frozenset(piece for word in words for piece in word.split("'") if piece.isalpha())
