"""Two texts as a judge sees them: cleaned, and shortened only where they agree."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

from rapidfuzz.distance import Levenshtein

from saidonce.foundation.model import Candidate, Question, Shown

MAX_LOOKED_CHARS = 200_000
"""Longer texts are not compared word by word, and not ruled on."""

CONTEXT_WORDS = (24, 8, 2)
"""Words left standing on both sides of a difference, as many as fit."""

GAP = " […] "
_TOKEN = re.compile(r"\S+\s*|\s+")


def question_digest(question: Question) -> str:
    """Return 32 hex digits that name a question: texts and fields as they are, ids of matches, objections of guards.

    Similarities do not count: they add nothing to the texts.
    """
    parts = [*_candidate_parts(question.candidate), str(len(question.shown))]
    for shown in question.shown:
        parts += [shown.match.id, *_candidate_parts(shown.match.kept), *_objection_parts(shown)]
    state = hashlib.blake2b(digest_size=16)
    for part in parts:
        encoded = part.encode("utf-8", "surrogatepass")
        state.update(len(encoded).to_bytes(8, "big"))
        state.update(encoded)
    return state.hexdigest()


def _candidate_parts(candidate: Candidate) -> list[str]:
    pairs = [part for pair in candidate.fields for part in pair]
    return [candidate.text, candidate.kind, candidate.language, str(len(candidate.fields)), *pairs]


def _objection_parts(shown: Shown) -> list[str]:
    facts = [part for o in shown.objections for part in (o.kind, o.a.text, o.b.text)]
    return [str(len(shown.objections)), *facts]


def cleaned(text: str) -> str:
    """Return a text without control, invisible, direction and surrogate characters; lines, tabs and spaces stay."""
    return "".join(c if c in "\n\t" or c.isprintable() else " " * c.isspace() for c in text)


def shortened(text: str, kept: Sequence[str], limit: int) -> tuple[str, tuple[str, ...]] | None:
    """Shorten a text and the texts it is compared with to a limit each, without touching any difference.

    A text within the limit stays whole. Of a longer one every word stays that differs from any compared text, with
    its context, and each gap is marked. Words are compared as they are, spaces aside.

    Args:
        limit: characters of each text.

    Returns:
        the text and the kept ones in order, or None if their differences do not fit.
    """
    if all(len(t) <= limit for t in (text, *kept)):
        return text, tuple(kept)
    if any(len(t) > MAX_LOOKED_CHARS for t in (text, *kept)):
        return None
    mine = _TOKEN.findall(text)
    differing: set[int] = set()
    shown: list[str] = []
    for other in kept:
        theirs = _TOKEN.findall(other)
        here, there = _differences(mine, theirs)
        differing |= here
        fitted = _fitted(other, theirs, there, limit)
        if fitted is None:
            return None
        shown.append(fitted)
    first = _fitted(text, mine, differing, limit)
    return None if first is None else (first, tuple(shown))


def _differences(a: Sequence[str], b: Sequence[str]) -> tuple[set[int], set[int]]:
    """Return the places of differing words; where one side only adds, the other's neighbours count as differing."""
    numbers: dict[str, int] = {}
    coded = [[numbers.setdefault(word.strip(), len(numbers)) for word in words] for words in (a, b)]
    here: set[int] = set()
    there: set[int] = set()
    for code in Levenshtein.opcodes(*coded):
        if code.tag != "equal":
            here |= _places(code.src_start, code.src_end, len(a))
            there |= _places(code.dest_start, code.dest_end, len(b))
    return here, there


def _places(start: int, end: int, n: int) -> set[int]:
    return set(range(start, end)) if end > start else {p for p in (start - 1, start) if 0 <= p < n}


def _fitted(text: str, words: Sequence[str], differing: set[int], limit: int) -> str | None:
    if len(text) <= limit:
        return text
    for around in CONTEXT_WORDS:
        windowed = _windowed(words, differing, around)
        if len(windowed) <= limit:
            return windowed
    return None


def _windowed(words: Sequence[str], differing: set[int], around: int) -> str:
    """Return the beginning of a text, and every differing word with its context."""
    visible = set(range(min(around, len(words))))
    for place in differing:
        visible.update(range(max(0, place - around), min(len(words), place + around + 1)))
    pieces: list[str] = []
    previous = -1
    for place in sorted(visible):
        if place != previous + 1:
            pieces.append(GAP)
        pieces.append(words[place])
        previous = place
    return "".join(pieces) + (GAP if previous + 1 < len(words) else "")


_CLAUSE_END = re.compile(r"[.:!?]\s+|\n")


def opening_of(texts: Sequence[str]) -> int:
    """Count the characters of the common opening of all texts, up to the end of a sentence, a heading or a line.

    0 if nothing would be left of one of the texts: a judge sees neither a part of a sentence nor an empty text.
    """
    shortest, longest = min(texts), max(texts)  # by characters, so that what these two share all share
    n = next((i for i, (a, b) in enumerate(zip(shortest, longest, strict=False)) if a != b), len(shortest))
    ends = [match.end() for match in _CLAUSE_END.finditer(shortest[: min(n, len(longest))])]
    return next((end for end in reversed(ends) if all(t[end:].strip() for t in texts)), 0)
