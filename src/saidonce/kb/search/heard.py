"""Room: in a text that is heard line by line, the line from which a question's answer is heard."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import pairwise

from saidonce.foundation import text
from saidonce.foundation.model import LineStart, Span

MOST_LINES = 4
"""Lines of a sentence; what is longer, or ends without a mark, is speech written without full stops, line by line."""

_ENDS = re.compile(r"[.!?\u2026\u3002\uff01\uff1f\u061f\u0964][\"'\u201d\u2019)\]\u300d\u300f]*$")

_BREAK = re.compile(r"\n(?!>>|[-\u2013\u2014\u266a\[(])(?<![\])]\n)")
"""The end of a line that may lie inside a sentence: the next one begins with no mark of another speaker or of a sound,
and this one does not end with a sound."""


NEARLY_ALL = 0.8
"""Share of the words of two neighbouring lines from which the one line that holds them is taken alone."""


def answering_offset(content: str, lines: Sequence[LineStart], words: Mapping[str, float], language: str) -> int:
    """Return the offset of the line in which the sentence begins that holds most of a question's words.

    Of equals the first is taken; 0 if no sentence holds any word.

    Args:
        content: the text, its lines separated by line breaks.
        lines: where they begin, in order.
        words: the question's words, with their weights.
        language: of the text, in which words are stemmed.
    """
    offsets = [line.offset for line in lines]
    sought = _sought(words, language)
    best_start, best_score = 0, 0.0
    for sentence in text.sentences(_BREAK.sub(" ", content)):
        start, score = _best_part(_parts(sentence, offsets), sought, language)
        if score > best_score:
            best_start, best_score = start, score
    return offsets[_line_at(best_start, offsets)]


def _best_part(parts: Sequence[Span], sought: Mapping[str, float], language: str) -> tuple[int, float]:
    """Return where the best line begins, or the best pair of lines if neither holds nearly all of it, and its score."""
    alone = [_score(part.text, sought, language) for part in parts]
    both = [_score(f"{a.text} {b.text}", sought, language) for a, b in pairwise(parts)]
    at = max(range(len(alone)), key=lambda n: (alone[n], -n))
    at_both = max(range(len(both)), key=lambda n: (both[n], -n), default=None)
    if at_both is not None and alone[at] < NEARLY_ALL * both[at_both]:
        return parts[at_both].start, both[at_both]
    return parts[at].start, alone[at]


def _line_at(offset: int, offsets: Sequence[int]) -> int:
    return max(0, bisect_right(offsets, offset) - 1)


def _parts(sentence: Span, offsets: Sequence[int]) -> list[Span]:
    """Return a sentence, or the lines of what may be several."""
    first, last = _line_at(sentence.start, offsets), _line_at(sentence.end - 1, offsets)
    if last == first or (last - first < MOST_LINES and _ENDS.search(sentence.text)):
        return [sentence]
    starts = [sentence.start, *offsets[first + 1 : last + 1]]
    return [_cut(sentence, start, end) for start, end in pairwise([*starts, sentence.end])]


def _cut(sentence: Span, start: int, end: int) -> Span:
    return Span(start, end, sentence.text[start - sentence.start : end - sentence.start])


def _sought(words: Mapping[str, float], language: str) -> dict[str, float]:
    """Return the searched terms, or pairs of characters where words are not separated, with their weights."""
    sought: dict[str, float] = {}
    for word, weight in words.items():
        for term in _pairs(word) if text.is_spaceless(word) else text.terms(word, language):
            sought[term] = max(weight, sought.get(term, 0.0))
    return sought


def _score(content: str, sought: Mapping[str, float], language: str) -> float:
    held = _pairs(content) if text.is_spaceless(content) else frozenset(text.terms(content, language))
    return sum(weight for term, weight in sought.items() if term in held)


def _pairs(content: str) -> frozenset[str]:
    return frozenset(a + b for a, b in pairwise(text.normalise(content)))
