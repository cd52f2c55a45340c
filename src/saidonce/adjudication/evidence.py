"""Check a judge's claimed difference against the texts, without a second judge."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from saidonce.matching.presentation import cleaned

_WORD = re.compile(r"\w+|[^\w\s.,;:!?\"'`´‘’“”„«»()\[\]{}…]")  # fmt: skip
"""Words, and signs that may matter (5 %, -3, < 20); not the marks of sentences, quotes and brackets."""

_PARTING = re.compile(r"/|\u2260|\bvs\b\.?|\bversus\b", re.IGNORECASE)
"""What may part the words of the one from those of the other."""

ASKING = frozenset("?\u00bf\u037e\u061f\u055e\u2e2e\u203d\u2047\u2048\u2049\uff1f\ufe56")
"""Signs of a question."""

_BETWEEN = " \n "
"""Between parts, so that no quote runs from one into the next; no word holds it."""

MOST_CLAIMS = 16
"""Readings of one claim to try; a claim that needs more names nothing."""


@dataclass(frozen=True, slots=True)
class Sides:
    """Candidate and kept text, each with its fields, as `folded`; `ask`: whether one of them may be a question."""

    candidate: str
    kept: str
    ask: bool = True


def asks(text: str) -> bool:
    """Return whether a text contains a question mark, in any script."""
    return not ASKING.isdisjoint(text)


def folded(*parts: str) -> str:
    """Return the words of a text's parts, without case, spacing, line breaks and punctuation."""
    words = [" ".join(_WORD.findall(unicodedata.normalize("NFKC", cleaned(part)).casefold())) for part in parts]
    return f" {_BETWEEN.join(words)} "


def is_borne_out(differs: str, sides: Sides) -> bool:
    """Return whether a claimed difference, "words of the one / words of the other", is in candidate and kept text.

    Each side must occur in its text as whole words, the two must differ, and one must not occur in the other text.
    The order of the two does not matter. One side may be empty, and words without a slash are of one text.
    Semicolons separate several differences; one visible difference is enough, for it makes two texts distinct. "vs" is
    equivalent to a slash. A question claims nothing.
    """
    if not sides.ask and asks(differs):
        return False
    return any(_is_seen(*claim, sides) for one, other in _readings(differs) for claim in ((one, other), (other, one)))


def _readings(differs: str) -> Iterator[tuple[str, str]]:
    """Yield every reading of a claim, as slashes and semicolons may be part of a quote."""
    n_left = MOST_CLAIMS
    for claim in dict.fromkeys((differs, *differs.split(";"))):
        strokes = [(len(claim), len(claim)), *(match.span() for match in _PARTING.finditer(claim))]
        for start, end in strokes[:n_left]:
            yield claim[:start], claim[end:]
        n_left -= len(strokes[:n_left])


def _is_seen(candidate: str, kept: str, sides: Sides) -> bool:
    mine, theirs = folded(candidate).strip(), folded(kept).strip()
    if mine == theirs or not (_occurs(mine, sides.candidate) and _occurs(theirs, sides.kept)):
        return False
    return not (_occurs(mine, sides.kept) and _occurs(theirs, sides.candidate))


def _occurs(quote: str, side: str) -> bool:
    """Return whether words occur in a text; no words occur in any text, and punctuation alone is not a word."""
    return not quote or (any(c.isalnum() for c in quote) and f" {quote} " in side)
