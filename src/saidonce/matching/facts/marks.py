"""What the marks between words say, which no word does.

A comma before a verb of saying, a dash between two numbers, a sign before one: the words on both sides are the same.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from saidonce.foundation.model import FactKind
from saidonce.foundation.remembering import remembered
from saidonce.matching.facts.analyse import Token, tokens_of
from saidonce.matching.facts.bearing import OneAndSeveral, one_for_several
from saidonce.matching.facts.lexicon import word_list
from saidonce.matching.facts.phrases import SAYS
from saidonce.matching.facts.sentence_relations import MEASURED, relations_of

_RANGE = re.compile(r"\s?(?:[-\u2010-\u2015\u2212]+|to)\s?")
_TOLERANCE = re.compile(r"(?:\u00b1|\+/-|\+-)\s?$")
_JOINED = frozenset(("and", "or"))
_NUMBERED = frozenset(
    "article chapter clause figure item page paragraph part release rule section step table version".split()
)
"""Words before a number that is a name: 3.2 and 3.20 are two sections."""


def other_mark(a: str, b: str) -> tuple[Token, Token] | None:
    """Return the first words of two English sentences before which other marks stand, or of a score turned round.

    So are "a week" where the other text has "weeks", and "re-sign" where it has "resign". None of the first unless
    both have the same content words in the same order.
    """
    one, two = relations_of(a, "en"), relations_of(b, "en")
    for (start, score), (other_start, other) in zip(_scores(a), _scores(b), strict=False):
        if score != other and sorted(_NO_DIGIT.split(score)) == sorted(_NO_DIGIT.split(other)):
            return _at(start, one.tokens), _at(other_start, two.tokens)
    if (at := one_for_several(_spans(a), _spans(b)) or _other_hyphen(a, b)) is not None:
        return _at(at[0], one.tokens), _at(at[1], two.tokens)
    if one.content_keys != two.content_keys:
        return None
    if turned := _other_stop(one.contents, two.contents, a, b):
        return turned
    for x, y, marks, other_marks in zip(one.contents, two.contents, _marks(a), _marks(b), strict=True):
        if marks != other_marks and any(m and n and m != n for m, n in zip(marks, other_marks, strict=True)):
            return x, y
    return None


_AGAIN = re.compile(r"\b(?:re|co|un|pre)-?[a-z]{2,}\b", re.IGNORECASE)


def _other_hyphen(a: str, b: str) -> tuple[int, int] | None:
    """Return where a hyphen makes another word of one: "re-sign", "resign"."""
    if "-" not in a and "-" not in b:
        return None
    listed = word_list("en", "hyphened")
    here, there = ({m[0].casefold(): m.start() for m in _AGAIN.finditer(text)} for text in (a, b))
    for word in (w for w in here if w not in there):
        other = word.replace("-", "") if "-" in word else next((w for w in there if w.replace("-", "") == word), "")
        if other in there and listed & {_stem_of(word), _stem_of(other)}:
            return here[word], there[other]
    return None


def _stem_of(word: str) -> str:
    """Return a word without the endings of a verb: "re-signed" as "re-sign"."""
    return re.sub(r"(?:ed|ing|s)$", "", word) if len(word) > 6 else word


_STOP = re.compile(r"[;:]\s|\s[\u2013\u2014]\s")


def _other_stop(one: Sequence[Token], two: Sequence[Token], a: str, b: str) -> tuple[Token, Token] | None:
    """Return the first words before which two sentences of the same words, with as many stops, make another stop.

    "They are kept; for a year they lie here" does not say for how long they are kept.
    """
    here, there = _stops(one, a), _stops(two, b)
    if len(here) != len(there) or here == there:
        return None
    return next((one[n], two[m]) for n, m in zip(here, there, strict=True) if n != m)


def _stops(contents: Sequence[Token], text: str) -> list[int]:
    """Return places of the content words right before which a sentence stops."""
    return [n for n, (x, y) in enumerate(pairwise(contents), 1) if _STOP.search(text[x.end : y.start])]


def other_range(a: str, b: str, language: str) -> tuple[Token, Token] | None:
    """Return the first value or name that a dash ties to the next in one of two sentences, and "and" in the other.

    "Monday-Friday" names five days, "Monday and Friday" two. A value with a tolerance ("\u00b12 mm") is another
    without one.
    """
    if not (_may_range(a, language) or _may_range(b, language)):
        return None
    here, there = _ranges(a, language), _ranges(b, language)
    turned = (key for key in here if key in there and "" not in (x := here[key][1], y := there[key][1]) and x != y)
    return next(((here[key][0], there[key][0]) for key in turned), None)


def _may_range(text: str, language: str) -> bool:
    return bool(_MAY_RANGE.search(text)) or not word_list(language, "ranges").isdisjoint(text.casefold().split())


@remembered(4_096)
def _ranges(sentence: str, language: str) -> dict[tuple[str, str], tuple[Token, str]]:
    """Return each two values or names that follow each other -> the first, and what ties them, if that is read.

    Beside a single one stands whether it is a tolerance.
    """
    kinds = (*MEASURED, FactKind.VERSION)
    named = [t for t in tokens_of(sentence, language) if t.kind in kinds or (t.content and t.written[:1].isupper())]
    alone = {(t.key, ""): (t, "\u00b1" if _TOLERANCE.search(sentence[: t.start]) else "none") for t in named}
    beside = {(x.key, y.key): (x, _tie(sentence[x.end : y.start], language)) for x, y in pairwise(named)}
    return alone | beside


def _tie(between: str, language: str) -> str:
    *_, last = between.casefold().split() or ("",)
    if _DASH.search(last) or last in word_list(language, "ranges"):
        return "-"
    return "and" if last in _LISTS or (between.strip() and between.strip()[-1] in _COMMAS) else ""


_LISTS = frozenset("and or und oder et ou y e o u ed en of i lub oraz agus".split())
_COMMAS = ",;&/\u3001\u30fb\u548c\u4e0e\u3068\u3084"
_DASH = re.compile(r"[-\u2010-\u2015\u2212~\u301c\uff5e]$")
_MAY_RANGE = re.compile(r"[-\u2010-\u2015\u2212~\u301c\uff5e\u00b1]|\+/-")

_SCORE = re.compile(r"(?<![\w.,:/-])\d{1,3}(?:[-\u2010-\u2015]\d{1,3})+(?![\w:/-])")
_NO_DIGIT = re.compile(r"\D")


@remembered(4_096)
def _scores(sentence: str) -> tuple[tuple[int, str], ...]:
    """Return each score ("3-1"), and where it begins."""
    return tuple((m.start(), m[0]) for m in _SCORE.finditer(sentence))


_SPANS = "second minute hour day night week month year decade century".split()
_SPAN = re.compile("|".join(span.removesuffix("y") for span in _SPANS))
_ONE_SPAN = re.compile(rf"\b(?:an?|one) ({'|'.join(_SPANS)})\b", re.IGNORECASE)
_SEVERAL = {"centuries" if span == "century" else f"{span}s": span for span in _SPANS}
_SPANS_OF_SEVERAL = re.compile(rf"\b({'|'.join(_SEVERAL)})\b", re.IGNORECASE)


@remembered(4_096)
def _spans(sentence: str) -> OneAndSeveral[int]:
    """Return units of time with where they begin: "a week", and "weeks"."""
    if not _SPAN.search(sentence.casefold()):
        return {}, {}
    several = {m[1].lower(): m.start(1) for m in _SPANS_OF_SEVERAL.finditer(sentence)}
    return (
        {m[1].lower(): m.start(1) for m in _ONE_SPAN.finditer(sentence)},
        {_SEVERAL[written]: start for written, start in several.items() if written in _SEVERAL},
    )


def _at(start: int, tokens: Sequence[Token]) -> Token:
    return next(t for t in tokens if t.end > start)


@remembered(4_096)
def _marks(sentence: str) -> tuple[tuple[str, ...], ...]:
    """Return what stands before each content word of an English sentence."""
    contents = relations_of(sentence, "en").contents
    return tuple(_mark(sentence, before, token) for before, token in pairwise([None, *contents]) if token)


def _mark(text: str, before: Token | None, token: Token) -> tuple[str, ...]:
    """Return what stands before a content word.

    This is read for verbs of saying, adjacent words and numbers; "" for other words.
    """
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
