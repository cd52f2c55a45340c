"""Two sentences letter by letter: what stands right behind each letter that both have."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from typing import NamedTuple

from rapidfuzz.distance import Indel

from saidonce.foundation.model import Span

COMMAS = ",\u060c\u3001\uff0c"
"""Commas of all scripts."""

_WORD = re.compile(r"\S+")


class PlacedLetter(NamedTuple):
    """A letter, digit or sign: where it ends, how it is compared, and whether a mark stands right behind it."""

    at: int
    plain: str
    is_marked: bool


def letters(text: str, is_mark: Callable[[str, int], bool]) -> list[PlacedLetter]:
    """Return the letters of a text without blanks and commas, and for each whether a mark stands behind it.

    Signs of vowels are left out, which one of two texts may lack; a comma inside a number is a letter of it.

    Args:
        is_mark: says of a text and a place whether the mark stands there.
    """
    placed: list[PlacedLetter] = []
    for at, c in enumerate(text):
        if is_mark(text, at):
            if placed:
                placed[-1] = placed[-1]._replace(is_marked=True)
        elif unicodedata.category(c).startswith("M"):
            if placed:
                placed[-1] = placed[-1]._replace(at=at)
        elif not c.isspace():
            digit = unicodedata.digit(c, None)
            placed.append(PlacedLetter(at, c.casefold() if digit is None else str(digit), is_marked=False))
    return placed


def is_comma(text: str, at: int) -> bool:
    """Return whether a comma stands at a place that is inside no number."""
    if text[at] not in COMMAS:
        return False
    return not (text[at - 1 : at].isdigit() and text[at + 1 : at + 2].isdigit())


def is_blank(text: str, at: int) -> bool:
    """Return whether white space stands at a place."""
    return text[at].isspace()


def in_turn(one: list[PlacedLetter], two: list[PlacedLetter]) -> Iterator[tuple[slice, slice, bool]]:
    """Yield the stretches of two sequences of letters in order, and of each whether it is one in both."""
    for code in Indel.opcodes([x.plain for x in one], [x.plain for x in two]):
        yield slice(code.src_start, code.src_end), slice(code.dest_start, code.dest_end), code.tag == "equal"


def around(text: str, at: int) -> Span:
    """Return the word at a place with the one behind it."""
    words = [word for word in _WORD.finditer(text) if word.end() >= at][:2]
    start, end = (words[0].start(), words[-1].end()) if words else (at, at)
    return Span(start, end, text[start:end])
