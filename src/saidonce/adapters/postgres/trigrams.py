"""Trigrams exactly as PostgreSQL's pg_trgm forms them, so that a store in memory answers alike.

What pg_trgm takes for a letter depends on the server's locale, and often ends with ASCII. Texts are
therefore folded to ASCII words here, on their way into either store: accents are dropped, and every
letter without an ASCII base becomes three letters or digits, which its neighbours in the alphabet do not share.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

HEADING_FROM = 0.3
"""Least similarity of a heading to a query; pg_trgm's own default."""

CORRECTION_FROM = 0.4
"""Least similarity of a term to its correction."""

_CODE = "0123456789abcdefghijklmnopqrstuvwxyz"
_SPREAD = 7919
"""A prime: neighbouring letters get codes that differ in all places."""


def letters(text: str) -> str:
    """Fold a text to lower-case ASCII words, one space between."""
    if not text.isascii():
        text = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold())
    return " ".join("".join(map(_letter, text.lower())).split())


@lru_cache(maxsize=16_384)
def _letter(char: str) -> str:
    if char.isascii():
        return char if char.isalnum() else " "
    if char.isdecimal():
        return str(unicodedata.decimal(char))
    if unicodedata.category(char).startswith("M"):
        return ""
    if not char.isalpha():
        return " "
    place = ord(char) * _SPREAD % len(_CODE) ** 3
    return "".join(_CODE[place // len(_CODE) ** n % len(_CODE)] for n in range(3))


def heading_texts(title: str, heading_path: Sequence[str]) -> tuple[str, str, str]:
    """Return the three forms that a query is compared with: title, innermost heading, all of them."""
    leaf = heading_path[-1] if heading_path else ""
    return letters(title), letters(leaf), letters(" ".join((title, *heading_path)))


@lru_cache(maxsize=65_536)
def trigrams(folded: str) -> frozenset[str]:
    """Form the trigrams of a folded text: its words, padded by two spaces before and one after."""
    padded = [f"  {word} " for word in folded.split()]
    return frozenset(word[i : i + 3] for word in padded for i in range(len(word) - 2))


def similarity(a: str, b: str) -> float:
    """Share of common trigrams of two folded texts, rounded to float32: |A & B| / |A | B|."""
    of_a, of_b = trigrams(a), trigrams(b)
    common = len(of_a & of_b)
    if not common:
        return 0.0
    return float(np.float32(common) / np.float32(len(of_a) + len(of_b) - common))
