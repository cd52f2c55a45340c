"""Hyphens at the ends of lines: those of compound words, which stay, and those of broken words, which go."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import resources
from itertools import pairwise

from saidonce.foundation.text import language

BREAK = "\x02"
"""What the library has for a hyphen at the end of a line and the break after it."""

_BROKEN = re.compile("([^\\W_]+)[\x02\ufffe]([^\\W_]+)")
_HYPHENED = re.compile(r"(?<![\w-])[^\W_]+(?:-[^\W_]+)+(?![\w-])")
_WORD = re.compile(r"[^\W_]+")
_BOUND = frozenset(
    "un re in im il ir de dis en em be fore mis non over out under inter sub super anti ante pre pro trans con com"
    " counter micro macro multi semi ultra intra extra hyper bi tri poly tele auto up down mid post".split()
)
"""What begins words, and is a word as well: in front of a rest, it says nothing of a compound."""

_SAMPLE = 4_000


def compounds(pages: Sequence[str]) -> dict[str, str]:
    """Return the compound words broken at their hyphens, joined as a layout joins them, mapped to their right form.

    A hyphen stays only for a reason: the document has the compound elsewhere; a capital or a figure follows, as in no
    broken word; or, in English, its parts are words and the whole is none.
    """
    pairs = {match.groups() for page in pages for match in _BROKEN.finditer(page)}
    if not pairs:
        return {}
    plain = [_BROKEN.sub(" ", page) for page in pages]
    known = {word.casefold() for page in plain for word in _WORD.findall(page)}
    hyphened = {pair for page in plain for word in _HYPHENED.findall(page) for pair in _pairs(word)}
    is_english = language("\n".join(plain)[:_SAMPLE]) == "en"
    return {
        before + after: f"{before}-{after}"
        for before, after in sorted(pairs)
        if _is_compound(before, after, known, hyphened) or (is_english and _is_of_words(before, after, known))
    }


def _pairs(word: str) -> Iterator[str]:
    parts = word.casefold().split("-")
    yield from (f"{a}-{b}" for a, b in pairwise(parts))


def _is_compound(before: str, after: str, known: set[str], hyphened: set[str]) -> bool:
    whole = f"{before}{after}".casefold()
    if f"{before}-{after}".casefold() in hyphened:
        return True
    if whole in known:
        return False
    is_name = after[0].isupper() and not before.isupper()
    return is_name or before[-1].isdigit() or after[0].isdigit()


def _is_of_words(before: str, after: str, known: set[str]) -> bool:
    a, b = before.casefold(), after.casefold()
    whole = a + b
    if whole in known or a in _BOUND or min(len(a), len(b)) < 2 or whole in _english():
        return False
    return {a, b} <= _english()


@cache
def _english() -> frozenset[str]:
    """Return the words of English, in their forms, of the dictionary that symspellpy comes with."""
    rows = (resources.files("symspellpy") / "frequency_dictionary_en_82_765.txt").read_text("utf-8-sig").splitlines()
    return frozenset(row.split(" ", 1)[0] for row in rows)
