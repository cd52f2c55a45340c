"""Trigrams exactly as PostgreSQL's pg_trgm forms them, so that a store in memory answers alike."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

HEADING_FROM = 0.3
"""Least similarity of a heading to a query; pg_trgm's own default."""

CORRECTION_FROM = 0.5
"""Least similarity of a term to its correction."""


def letters(text: str) -> str:
    """Fold a text to lower-case words of letters and ASCII digits, one space between.

    On this form Python and every locale of PostgreSQL agree about words and case.
    """
    folded = unicodedata.normalize("NFKC", text).casefold().lower()
    return " ".join("".join(map(_letter, folded)).split())


@lru_cache(maxsize=4096)
def _letter(char: str) -> str:
    if char.isalpha() and char.lower() == char:
        return char
    return str(unicodedata.decimal(char)) if char.isdecimal() else " "


def heading_texts(title: str, heading_path: Sequence[str]) -> tuple[str, str, str]:
    """Give the three forms that a query is compared with: title, innermost heading, all of them."""
    leaf = heading_path[-1] if heading_path else ""
    return letters(title), letters(leaf), letters(" ".join((title, *heading_path)))


@lru_cache(maxsize=65_536)
def trigrams(folded: str) -> frozenset[int]:
    """Form the trigrams of a folded text, as 24-bit numbers: words padded by two spaces before and one after."""
    found: set[int] = set()
    for word in folded.split():
        padded = f"  {word} "
        found.update(_packed(padded[i : i + 3]) for i in range(len(padded) - 2))
    return frozenset(found)


def similarity(a: str, b: str) -> float:
    """Share of common trigrams of two folded texts, rounded to float32: |A & B| / |A | B|."""
    of_a, of_b = trigrams(a), trigrams(b)
    common = len(of_a & of_b)
    if not common:
        return 0.0
    return float(np.float32(common) / np.float32(len(of_a) + len(of_b) - common))


def _packed(three: str) -> int:
    encoded = three.encode("utf-8")
    if len(encoded) == 3:
        return int.from_bytes(encoded, "little")
    crc = 0xFFFFFFFF
    for byte in encoded:
        crc = _TABLE[((crc >> 24) ^ byte) & 0xFF] ^ ((crc << 8) & 0xFFFFFFFF)
    return (crc ^ 0xFFFFFFFF) & 0xFFFFFF


def _crc_table() -> tuple[int, ...]:
    """Table of the reflected CRC-32; pg_trgm walks it from the other end ("legacy CRC")."""
    table = list(range(256))
    for _ in range(8):
        table = [(entry >> 1) ^ (0xEDB88320 if entry & 1 else 0) for entry in table]
    return tuple(table)


_TABLE = _crc_table()
