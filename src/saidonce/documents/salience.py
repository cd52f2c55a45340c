"""Salience of a segment in its document: first on its own, then boosted by its repeats.

Initial salience of a segment:

    salience = clamp(kind x words x substance x place)

    kind       1.0 paragraph, 0.95 list and table, 0.8 code, 0.7 caption, 0.6 heading
    words      0.3 + 0.7 x min(1, number of words / 40): a full paragraph counts in full
    substance  share of the characters (white space apart) that are letters, at least 0.6 of it counting
               as 1.0, multiplied by the share of distinct words, at least one half counting as 1.0:
               rules, page numbers and repeated filler fall to nothing
    place      1.0 for the first segment of the document, falling evenly to 0.8 for the last
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from saidonce.foundation import text
from saidonce.foundation.model import Kind, Segment

_KIND = {
    Kind.PARAGRAPH: 1.0,
    Kind.LIST: 0.95,
    Kind.TABLE: 0.95,
    Kind.RECORD: 0.95,
    Kind.CODE: 0.8,
    Kind.IMAGE_TEXT: 0.9,
    Kind.TRANSCRIPT: 0.9,
    Kind.FRAME: 0.8,
    Kind.CAPTION: 0.7,
    Kind.HEADING: 0.6,
}
_FULL_WORDS = 40
_FULL_LETTERS = 0.6
_FULL_VARIETY = 0.5


def rated(segments: Sequence[Segment]) -> tuple[Segment, ...]:
    """Return the segments of one document, in order, with their initial salience."""
    n = len(segments)
    return tuple(replace(s, salience=first(s.kind, s.text, place, n)) for place, s in enumerate(segments))


def first(kind: Kind, content: str, ordinal: int, n_segments: int) -> float:
    """Return the salience of a segment before boosts, 0..1, by the formula at the top of this module.

    Digits of a table count as letters, since its figures are its substance.
    """
    characters = [c for c in content if not c.isspace()]
    words = text.words(content)
    if not characters or not words:
        return 0.0
    counts = str.isalnum if kind is Kind.TABLE else str.isalpha
    letters = sum(counts(c) for c in characters) / len(characters)
    variety = len(set(words)) / len(words)
    substance = min(1.0, letters / _FULL_LETTERS) * min(1.0, variety / _FULL_VARIETY)
    length = 0.3 + 0.7 * min(1.0, len(words) / _FULL_WORDS)
    place = 1.0 - 0.2 * (ordinal / max(1, n_segments - 1))
    return round(min(1.0, max(0.0, _KIND[kind] * length * substance * place)), 6)


def boost(n_near: int, per_repeat: float, decay: str, log_base: float) -> float:
    """Return the relative boost of a segment with `n_near` near-repeats in its document.

    Logarithmic: per_repeat x log_base(1 + n_near); linear: per_repeat x n_near.
    Source: seed 001, "Boost Decay Modes".
    """
    if n_near <= 0:
        return 0.0
    return per_repeat * (n_near if decay == "linear" else math.log(1 + n_near, log_base))


def boosted(salience: float, relative: float, cap: float) -> float:
    """Return the salience after a relative boost, never above the cap unless it was there before."""
    return round(max(salience, min(cap, salience * (1.0 + relative))), 6)
