"""The lines of a PDF page written from right to left, in the order of its own text.

A page's text puts glyphs into the order of reading, with Latin words and figures in their places; layout libraries
order whole words by position. Positions are mirrored here, so that what holds for lines from left to right holds.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from statistics import median
from typing import Any

from saidonce.documents.parse.pdf_lines import LEVEL, WIDE, PageLine, letters_of

MOSTLY = 0.5
"""Share of a page's letters that are written from right to left, from which all its lines are."""

LARGE = 1.3
"""Height of a heading's letters, in the usual ones of a page, at least."""

_LETTERS = "\u05d0-\u05f2\u0620-\u064a\u0671-\u06d3\u06fa-\u06fc\u0710-\u072f\u0750-\u077f\ufb1d-\ufdff\ufe70-\ufefc"
_LETTER = re.compile(f"[{_LETTERS}]")
_LATIN = "A-Za-z\u00c0-\u024f"
_SCRIPTS_MEET = re.compile(f"(?<=[{_LETTERS}])(?=[{_LATIN}])|(?<=[{_LATIN}])(?=[{_LETTERS}])")
_OFFSET_MARK = re.compile("[ \xa0]([\u0591-\u05bd\u064b-\u0652\u0670])(\\w?)")
_LEADING_STOP = re.compile("^([,.;:!?\u060c\u061b\u061f]+)([A-Za-z0-9].*)$")
_BRACKETS = re.compile(r"[()\[\]]")
_MIRRORED = str.maketrans("()[]", ")(][")


@dataclass(frozen=True, slots=True)
class _Word:
    """A word of a page, its first place in the page's text, and its box."""

    text: str
    at: int
    left: float
    foot: float
    right: float
    top: float


def is_mostly_right_to_left(text: str) -> bool:
    """Return whether most letters of a page are written from right to left."""
    n_letters = sum(map(str.isalpha, text))
    return n_letters > 0 and len(_LETTER.findall(text)) > MOSTLY * n_letters


def mirrored_lines(page: Any, text: str, mended: Callable[[str], str]) -> list[PageLine]:
    """Return the lines of a page in writing order, their cells from right to left and their positions mirrored.

    Args:
        text: the page's text, one character for each of its glyphs.
        mended: returns a corrected text.
    """
    lines: list[PageLine] = []
    for match in re.finditer(r"[^\r\n]+", text):
        line = _line(page, text, match.start(), match.end(), mended)
        if line is None:
            continue
        if lines and _is_level(lines[-1], line):
            before, after = sorted((lines[-1], line), key=lambda one: one.left)
            lines[-1] = replace(before, cells=(*before.cells, *after.cells), right=after.right)
        else:
            lines.append(line)
    return lines


def _is_level(a: PageLine, b: PageLine) -> bool:
    """Return whether two pieces stand side by side on one line."""
    return abs(a.foot - b.foot) < LEVEL * a.height and (a.right < b.left or b.right < a.left)


def _line(page: Any, text: str, start: int, end: int, mended: Callable[[str], str]) -> PageLine | None:
    words = [_word(page, text, start + m.start(), start + m.end()) for m in re.finditer(r"\S+", text[start:end])]
    if not words:
        return None
    height = max(words[0].top - words[0].foot, 1.0)
    across = sorted(words, key=lambda word: -word.right)
    cells = [[across[0]]]
    for a, b in pairwise(across):
        if a.left - b.right > WIDE * height:
            cells.append([])
        cells[-1].append(b)
    texts = tuple(_as_written(mended(" ".join(_in_order(cell)))) for cell in cells)
    left, right = min(word.left for word in words), max(word.right for word in words)
    return PageLine(texts, -right, words[0].foot, -left, height)


def _word(page: Any, text: str, start: int, end: int) -> _Word:
    """Return a word by the boxes of its glyphs; Latin letters and figures run from left to right in it."""
    boxes = {at: page.get_charbox(at, loose=True) for at in range(start, end)}
    lefts, feet, rights, tops = zip(*boxes.values(), strict=True)
    signs = text[start:end]
    if _LETTER.search(signs) is None:
        signs = "".join(text[at] for at in sorted(boxes, key=lambda at: boxes[at][0]))
    elif len(signs) > 1 and unicodedata.combining(signs[0]):
        mark_left, _, mark_right, _ = page.get_charbox(start)
        left, _, right, _ = boxes[start + 1]
        if left <= (mark_left + mark_right) / 2 <= right:
            signs = signs[1] + signs[0] + signs[2:]
    return _Word(signs, start, min(lefts), min(feet), max(rights), max(tops))


def _in_order(cell: Sequence[_Word]) -> list[str]:
    """Return the words of a cell, neighbours from right to left, in reading order.

    The page's order holds but inside of Latin text. A stop to the left of figures or Latin text follows it.
    """
    order = sorted(cell, key=lambda word: word.at)
    runs = list(_latin_runs(cell))
    for run in runs:
        places = sorted(order.index(word) for word in run)
        for place, word in zip(places, reversed(run), strict=True):
            order[place] = word
    inner = {word.at for run in runs for word in run[:-1]}
    return [word.text if word.at in inner else _LEADING_STOP.sub(r"\2\1", word.text) for word in order]


def _latin_runs(cell: Sequence[_Word]) -> Iterator[list[_Word]]:
    """Yield neighbours without letters from right to left, if one has others, from right to left."""
    for is_other, run in groupby(cell, key=lambda word: _LETTER.search(word.text) is None):
        words = list(run)
        if is_other and any(map(str.isalpha, "".join(word.text for word in words))):
            yield words


def _as_written(text: str) -> str:
    """Return a text with vowel signs at their letters and a space where two scripts meet."""
    text = _OFFSET_MARK.sub(r"\1\2", text)
    return _SCRIPTS_MEET.sub(" ", text)


def large_lines(lines: Sequence[PageLine]) -> Mapping[str, int]:
    """Return the lines in larger letters than the rest of a page as headings, largest first, by their letters."""
    if not lines:
        return {}
    usual = median(line.height for line in lines)
    large = [line for line in lines if line.height > LARGE * usual and len(line.cells) == 1]
    heights = sorted({round(line.height) for line in large}, reverse=True)
    return {letters_of(line.text): heights.index(round(line.height)) + 1 for line in large}


def with_brackets_turned(text: str) -> str:
    """Return a text whose brackets stand as they are drawn, from left to right, in the order of reading."""
    if not _BRACKETS.search(text) or _is_balanced(text):
        return text
    turned = text.translate(_MIRRORED)
    return turned if _is_balanced(turned) else text


def _is_balanced(text: str) -> bool:
    depth = 0
    for bracket in _BRACKETS.findall(text):
        depth += 1 if bracket in "([" else -1
        if depth < 0:
            return False
    return depth == 0
