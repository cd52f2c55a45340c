"""Restore spaces lost in text recognition where the picture has a gap between words."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray

LEAST_GAP = 0.15
"""Share of a line's height; a space is a quarter of the type size and more, and a line a little higher than that."""

BEYOND_LETTERS = 2.2
"""A gap between words is so many times as wide as the line's usual gap between letters."""

LIKE_SPACES = 0.72
"""And so large a share of the line's gaps where the reader saw a space."""

_CLOSING = frozenset(".,;:!?)]}%’”»'\"")
_OPENING = frozenset("([{‘“«'\"")
_CONSONANTS = frozenset("bcdfghjklmnpqrstvwxz")


def spaced(text: str, centres: Sequence[float], line: NDArray[np.uint8]) -> str:
    """Return a line of text with a space at each gap in its picture that is as wide as a word gap.

    Nothing else is changed. Numbers are never split, and punctuation stays with its word.

    Args:
        text: as recognised.
        centres: of its characters other than spaces, in columns of the picture.
        line: its picture, upright, a byte for each pixel.
    """
    letters = [c for c in text if not c.isspace()]
    if len(letters) != len(centres) or len(letters) < 2 or min(line.shape) < 8:
        return text
    gaps = _gaps(centres, line)
    has_space = _spaces(text)
    between = [gap for gap, is_space in zip(gaps, has_space, strict=True) if not is_space]
    words = [gap for gap, is_space in zip(gaps, has_space, strict=True) if is_space]
    if not between:
        return text
    least = max(LEAST_GAP * line.shape[0], BEYOND_LETTERS * float(np.median(between)))
    if words:
        least = max(least, LIKE_SPACES * float(np.median(words)))
    pieces = [letters[0]]
    for after, gap, is_space in zip(letters[1:], gaps, has_space, strict=True):
        if is_space or (gap >= least and _may_split(pieces[-1], after)):
            pieces.append(after)
        else:
            pieces[-1] += after
    return " ".join(pieces)


def _may_split(piece: str, after: str) -> bool:
    """Return whether a word may end with a piece and the next begin; a single consonant, as in "T he", is no word."""
    is_lone = len(piece) == 1 and piece.isalpha() and normalize("NFD", piece)[0].casefold() in _CONSONANTS
    is_word = piece[-1].isalpha() or after.isalpha()
    return is_word and not is_lone and after not in _CLOSING and piece[-1] not in _OPENING


def _spaces(text: str) -> list[bool]:
    """Return, for each non-space character but the first, whether a space precedes it."""
    text = text.strip()
    places = [at for at, c in enumerate(text) if not c.isspace()]
    return [b - a > 1 for a, b in pairwise(places)]


def _gaps(centres: Sequence[float], line: NDArray[np.uint8]) -> list[int]:
    """Return the widest run of columns without ink between each two neighbouring characters."""
    pixels = line.astype(np.int32)
    ink, paper = np.percentile(pixels, (2, 98))
    is_dark = pixels < (ink + paper) / 2
    if is_dark.mean() > 0.5:
        is_dark = ~is_dark
    has_ink = is_dark.sum(axis=0) >= max(1.0, 0.04 * line.shape[0])
    gaps = []
    for left, right in pairwise(centres):
        widest = run = 0
        for inked in has_ink[max(0, int(left)) : max(0, int(right)) + 1]:
            run = 0 if inked else run + 1
            widest = max(widest, run)
        gaps.append(widest)
    return gaps
