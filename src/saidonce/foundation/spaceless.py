"""Room: what the search takes for words where a script writes none apart, and one form of a character."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterator
from functools import cache
from importlib.resources import files

IDEOGRAPHS = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U000323af"
HIRAGANA = "\u3041-\u3096"
KATAKANA = "\u30a1-\u30fa\u30fc"
HANGUL = "\u1100-\u11ff\uac00-\ud7a3"
OTHERS = "\u0e01-\u0e4e\u0e81-\u0ece\u0f40-\u0fbc\u1000-\u109f\u1780-\u17dd"
"""Thai, Lao, Tibetan, Burmese and Khmer."""

_RUN = re.compile(
    f"([{KATAKANA}]+)|([{IDEOGRAPHS}]+)|([{HIRAGANA}]+)|([{HANGUL}]+)|([{OTHERS}]+)"
    f"|[^{KATAKANA}{IDEOGRAPHS}{HIRAGANA}{HANGUL}{OTHERS}]+"
)
_ANY = re.compile(f"[{KATAKANA}{IDEOGRAPHS}{HIRAGANA}{HANGUL}{OTHERS}]")

_PAIR = 2
_LONGER = 3
"""Characters of a term in scripts whose vowels are characters of their own."""

_VOWEL_SIGNS = re.compile("[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670]")
"""Hebrew points, Arabic vowel signs, and the line that draws an Arabic word out."""

_LETTERS_WITH_SIGNS = range(0x0900, 0x1800)
"""Indic and other scripts, a vowel of which is a sign behind its consonant, and a part of the word."""


def without_vowel_signs(text: str) -> str:
    """Return a text without the signs that Arabic and Hebrew may write or leave out."""
    return _VOWEL_SIGNS.sub("", text)


def simplified(text: str) -> str:
    """Return a text with simplified Chinese characters in place of the traditional ones."""
    return text.translate(_simplified())


def is_cut(word: str) -> bool:
    """Return whether a word has letters that terms of a few characters are made of."""
    return _ANY.search(word) is not None


def cut(word: str) -> Iterator[str]:
    """Yield the terms of a word that has such letters, in order.

    They are pairs of ideographs, of hiragana and of Hangul, threes of Thai and its like, runs of katakana, and what is
    written between them in other letters. A run that is shorter is one term, but for a single hiragana beside others.
    """
    for run in _RUN.finditer(word):
        _, ideographs, hiragana, hangul, others = run.groups()
        if hiragana and len(hiragana) == 1 < len(word):
            continue  # a particle, or the end of a verb
        size = _PAIR if ideographs or hiragana or hangul else _LONGER if others else len(run[0])
        for at in range(max(1, len(run[0]) - size + 1)):
            yield run[0][at : at + size]


@cache
def signs() -> str:
    """Return the vowel signs and the like that belong to a word, as the inside of a class of characters."""
    return "".join(re.escape(chr(code)) for code in _LETTERS_WITH_SIGNS if unicodedata.category(chr(code))[0] == "M")


@cache
def _simplified() -> dict[int, str]:
    table = tomllib.loads((files("saidonce.foundation") / "data" / "han.toml").read_text("utf-8"))
    here, there = ("".join(table[name].split()) for name in ("traditional", "simplified"))
    return {ord(one): two for one, two in zip(here, there, strict=True)}
