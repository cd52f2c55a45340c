"""Room: what stands for words where a script writes none apart: runs of a few characters between small words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from saidonce.foundation import text
from saidonce.foundation.stop_words import stop_words

_IDEOGRAPHS = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U000323af"
_KATAKANA = "\u30a1-\u30fa\u30fc"
_HANGUL = "\u1100-\u11ff\uac00-\ud7a3"
_OTHERS = "\u0e01-\u0e4e\u0e81-\u0ece\u0f40-\u0fbc\u1000-\u109f\u1780-\u17dd"
"""Thai, Lao, Tibetan, Burmese and Khmer."""

_RUN = re.compile(f"([{_KATAKANA}]{{2,}})|([{_IDEOGRAPHS}]+)|([{_HANGUL}]+)|([{_OTHERS}]+)")
_LATIN = "a-z0-9"
_ALL_RUNS = re.compile(f"(?<![{_LATIN}-])[{_LATIN}]+(?:-[{_LATIN}]+)*|{_RUN.pattern}")
_PARTICLE = re.compile("(?<=..)(?:에서|으로|은|는|이|가|을|를|에|의|도|로|와|과)$")
"""Behind a Korean noun."""

_PAIR = 2
_LONGER = 3
"""Characters of a piece in scripts whose vowels are characters of their own."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A few characters of a query that are looked up in a block.

    Attributes:
        text: the characters.
        places: where they stand in the query; neighbours share some.
        weak: those of the places whose character writes a small word as often as a part of a longer one: it counts
            where a block holds it beside another, and is not missed.
        whole: characters of such a script that make one word; each counts as this part of a word.
    """

    text: str
    places: tuple[int, ...]
    weak: frozenset[int]
    whole: int

    def is_in(self, content: str) -> bool:
        """Return whether a text of `searched_text` holds the piece; figures and Latin letters as a word."""
        if self.text not in content:
            return False
        return not self.text.isascii() or bool(
            re.search(f"(?<![{_LATIN}]){re.escape(self.text)}(?![{_LATIN}])", content)
        )


def has_pieces(word: str) -> bool:
    """Return whether a word is written in a script of which pieces are looked up."""
    return text.is_spaceless(word) or _RUN.search(text.normalise(word)) is not None


def pieces(query: str) -> tuple[Piece, ...]:
    """Return the pieces of a query that say something, each once, in order.

    They are pairs of ideographs, or one that stands alone; runs of katakana; pairs of Hangul; threes of Thai, Lao,
    Tibetan, Burmese and Khmer; and Latin letters and figures written together with one of these. Hiragana writes
    endings and small words, and is left out.
    """
    cut: dict[str, Piece] = {}
    for word in re.finditer(r"\S+", text.normalise(query)):
        if not has_pieces(word[0]):
            continue  # its words are searched as words
        for piece in _pieces(_small_words().sub(lambda small: " " * len(small[0]), word[0]), word.start()):
            cut.setdefault(piece.text, piece)
    return tuple(cut.values())


def searched_text(title: str, heading_path: tuple[str, ...], content: str) -> str:
    """Return the text of a block with its title and headings, in which pieces are looked up."""
    return text.normalise("\n".join((title, *heading_path, content)))


def _pieces(written: str, offset: int) -> Iterator[Piece]:
    """Yield the pieces of a word without small words; those of weak characters alone say nothing."""
    for run in _ALL_RUNS.finditer(written):
        _, ideographs, hangul, others = run.groups()
        kept = _PARTICLE.sub("", hangul) if hangul else run[0]
        whole = _PAIR if ideographs or hangul else _LONGER if others else len(kept)
        for at in range(max(1, len(kept) - whole + 1)):
            part = kept[at : at + whole]
            start = offset + run.start() + at
            weak = frozenset(start + n for n, character in enumerate(part) if character in stop_words()["weak"])
            if len(weak) < len(part):
                yield Piece(part, tuple(range(start, start + len(part))), weak, whole)


@cache
def _small_words() -> re.Pattern[str]:
    """Match the small words, the longest first."""
    return re.compile("|".join(sorted(stop_words()["spaceless"], key=lambda word: (-len(word), word))))
