"""Room facts: what the marks between words say, which no word does.

A comma before a verb of saying, a dash between two numbers, a sign before one: the words on both sides are the same.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from saidonce.foundation.model import FactKind
from saidonce.matching.facts.analyse import Token
from saidonce.matching.facts.bearing import OneAndSeveral, one_for_several
from saidonce.matching.facts.phrases import SAYS

_RANGE = re.compile(r"\s?(?:[-\u2010-\u2015\u2212]+|to)\s?")
_TOLERANCE = re.compile(r"(?:\u00b1|\+/-|\+-)\s?$")
_JOINED = frozenset(("and", "or"))
_NUMBERED = frozenset(
    "article chapter clause figure item page paragraph part release rule section step table version".split()
)
"""Words before a number that is a name: 3.2 and 3.20 are two sections."""


def other_mark(a: str, b: str, one: Sequence[Token], two: Sequence[Token]) -> tuple[Token, Token] | None:
    """Return the first words of two English sentences before which other marks stand, or of a score turned round.

    So is "a week" where the other text has "weeks". None of the first unless both have the same content words in the
    same order.

    Args:
        a, b: the texts of the sentences whose words `one` and `two` are.
    """
    here, there = ([t for t in tokens if t.content] for tokens in (one, two))
    for score, other in zip(_SCORE.finditer(a), _SCORE.finditer(b), strict=False):
        if score[0] != other[0] and sorted(re.split(r"\D", score[0])) == sorted(re.split(r"\D", other[0])):
            return _at(score.start(), one), _at(other.start(), two)
    if (span := one_for_several(_spans(a), _spans(b))) is not None:
        return _at(span[0], one), _at(span[1], two)
    if [t.key for t in here] != [t.key for t in there]:
        return None
    before: tuple[Token, Token] | tuple[None, None] = None, None
    for x, y in zip(here, there, strict=True):
        marks = _mark(a, before[0], x), _mark(b, before[1], y)
        if any(mark and other and mark != other for mark, other in zip(*marks, strict=True)):
            return x, y
        before = x, y
    return None


_SCORE = re.compile(r"(?<![\w.,:/-])\d{1,3}(?:[-\u2010-\u2015]\d{1,3})+(?![\w:/-])")


_SPANS = "second minute hour day night week month year decade century".split()
_ONE_SPAN = re.compile(rf"\b(?:an?|one) ({'|'.join(_SPANS)})\b", re.IGNORECASE)
_SEVERAL = {"centuries" if span == "century" else f"{span}s": span for span in _SPANS}
_SPANS_OF_SEVERAL = re.compile(rf"\b({'|'.join(_SEVERAL)})\b", re.IGNORECASE)


def _spans(text: str) -> OneAndSeveral[int]:
    """Units of time with where they begin: "a week", and "weeks"."""
    several = {_SEVERAL[m[1].lower()]: m.start(1) for m in _SPANS_OF_SEVERAL.finditer(text)}
    return {m[1].lower(): m.start(1) for m in _ONE_SPAN.finditer(text)}, several


def _at(start: int, tokens: Sequence[Token]) -> Token:
    return next(t for t in tokens if t.end > start)


def _mark(text: str, before: Token | None, token: Token) -> tuple[str, ...]:
    """What stands before a content word: of a verb of saying, of a word beside another, of a number. "" for others."""
    between = text[before.end if before else 0 : token.start]
    is_number = token.kind is FactKind.NUMBER
    follows_number = before is not None and before.kind is FactKind.NUMBER
    is_name = is_number and before is not None and before.word.removesuffix("s") in _NUMBERED
    spoken = "," if "," in between else "none"
    beside = "and" if between.strip() in _JOINED else "" if between.strip() else "none"
    return (
        spoken if token.key in SAYS and before else "",
        beside if before and not is_number else "",
        ("-" if _RANGE.fullmatch(between) else "none") if is_number and follows_number else "",
        ("\u00b1" if _TOLERANCE.search(between) else "none") if is_number else "",
        token.written if is_name else "",
    )
