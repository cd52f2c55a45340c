"""Room: what stands for words where a script writes none apart: runs of a few characters between small words."""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise

from saidonce.foundation import text
from saidonce.foundation.stop_words import stop_words

_IDEOGRAPHS = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U000323af"
_KATAKANA = "\u30a1-\u30fa\u30fc"
_HANGUL = "\u1100-\u11ff\uac00-\ud7a3"
_OTHERS = "\u0e01-\u0e4e\u0e81-\u0ece\u0f40-\u0fbc\u1000-\u109f\u1780-\u17dd"
"""Thai, Lao, Tibetan, Burmese and Khmer."""

_RUN = re.compile(f"([{_KATAKANA}]{{2,}})|([{_IDEOGRAPHS}]+)|([{_HANGUL}]+)|([{_OTHERS}]+)")
_PARTICLE = re.compile("(?<=..)(?:에서|으로|은|는|이|가|을|를|에|의|도|로|와|과)$")
"""Behind a Korean noun."""

_LONGER = 3
"""Characters of a piece in scripts whose vowels are characters of their own."""


def has_pieces(word: str) -> bool:
    """Return whether a word is written in a script of which pieces are looked up."""
    return text.is_spaceless(word) or _RUN.search(text.normalise(word)) is not None


def pieces(query: str) -> tuple[str, ...]:
    """Return the pieces of a query that say something, each once, in order.

    They are pairs of ideographs, or one that stands alone; runs of katakana; pairs of Hangul; and threes of Thai, Lao,
    Tibetan, Burmese and Khmer. Hiragana writes endings and small words, and is left out.
    """
    runs: dict[str, None] = {}
    for run in _RUN.finditer(_small_words().sub(" ", text.normalise(query))):
        katakana, ideographs, hangul, others = run.groups()
        if katakana:
            runs[katakana] = None
        elif others:
            runs |= dict.fromkeys(others[at : at + _LONGER] for at in range(max(1, len(others) - _LONGER + 1)))
        else:
            runs |= dict.fromkeys(_pairs(ideographs or _PARTICLE.sub("", hangul)))
    return tuple(runs)


def searched_text(title: str, heading_path: tuple[str, ...], content: str) -> str:
    """Return the text of a block with its title and headings, in which pieces are looked up."""
    return text.normalise("\n".join((title, *heading_path, content)))


def _pairs(run: str) -> list[str]:
    return [a + b for a, b in pairwise(run)] or [run]


@cache
def _small_words() -> re.Pattern[str]:
    """Match the small words, the longest first."""
    return re.compile("|".join(sorted(stop_words()["spaceless"], key=lambda word: (-len(word), word))))
