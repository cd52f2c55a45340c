"""Which sentences and members of a list may stand in another order, and which follow each other."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise

from saidonce.foundation.model import Span
from saidonce.foundation.remembering import remembered
from saidonce.matching.facts.analyse import tokens_of
from saidonce.matching.facts.lexicon import word_list
from saidonce.matching.facts.phrases import HANGS
from saidonce.matching.facts.result import Change

OPENING = 3
"""Words of a sentence among which one says that it follows another."""

LEAST_STATED = 4
"""Content words of a sentence that may stand anywhere among others."""

_ITEM = re.compile(r"\s*[-*+\u2022]\s")


def out_of_turn(a: str, b: str, aligned: Sequence[Change], language: str) -> Change | None:
    """Return the first of the aligned sentences of two texts, in order of `a`, that may not stand where it does."""
    numbered = [c for c in aligned if _is_numbered(a, c.a) and _is_numbered(b, c.b)]
    return _out_of_order(aligned, language) or _first_turned(numbered) or _below_another_number(a, b, aligned)


def _out_of_order(aligned: Sequence[Change], language: str) -> Change | None:
    """Return the first of the aligned sentences that may not stand where it does: in order of `a`.

    What is no statement keeps its order among its like, and so do the members of a list with a step among them; what
    points back keeps the sentence before it, or, if it sums up ("these findings"), all the sentences before it in any
    order.
    """
    turned = sorted(aligned, key=lambda c: c.b.start)
    if turned == list(aligned):
        return None
    if first := _first_turned([*_fixed(aligned)] if language == "en" else aligned):
        return first
    behind = {id(c): before for before, c in pairwise(turned)}
    pairs = ((before, c) for before, c in pairwise(aligned) if _points_back(c.a) or _points_back(c.b))
    bound = (c for before, c in pairs if behind.get(id(c)) is not before)
    return next((c for c in bound if not (_sums_up(c.a) and _has_all_before(c, aligned, turned))), None)


def _fixed(aligned: Sequence[Change]) -> Iterator[Change]:
    """Yield the sentences that may not change places: steps, and what stands in a list with one that is surely one."""
    for is_listed, group in groupby(aligned, key=lambda c: _is_item(c.a) and _is_item(c.b)):
        members = list(group)
        has_step = is_listed and any(_bids_surely(c.a.text) and _bids_surely(c.b.text) for c in members)
        yield from (c for c in members if has_step or not (_is_statement(c.a) and _is_statement(c.b)))


def _is_item(sentence: Span) -> bool:
    return _ITEM.match(sentence.text) is not None


def _has_all_before(change: Change, aligned: Sequence[Change], turned: Sequence[Change]) -> bool:
    """Return whether the same sentences stand before one in both orders."""
    here, there = ({id(c) for c in order[: order.index(change)]} for order in (aligned, turned))
    return here == there


def _sums_up(sentence: Span) -> bool:
    """Return whether a sentence begins with words for all that stands before it."""
    tokens = tokens_of(sentence.text, "en")
    return len(tokens) > 1 and tokens[0].word in ("these", "those") and tokens[1].word in word_list("en", "sums_up")


def _first_turned(aligned: Sequence[Change]) -> Change | None:
    """Return the first of the aligned sentences that stands before one which it stands behind in the other text."""
    return next((after for before, after in pairwise(aligned) if after.b.start < before.b.start), None)


_NUMBER_BEFORE = re.compile(r"(?:^|\n)[ \t]*\(?\d{1,3}[.)][ \t]+$")
_NUMBER_WITHIN = re.compile(r"\(?\d{1,3}[.)][ \t]+")
_MARK_CHARS = 16
"""Characters in which the number of an item fits, its indent included."""


def _is_numbered(text: str, sentence: Span) -> bool:
    """Return whether a sentence begins an item of a numbered list; before a small letter the number belongs to it."""
    if _NUMBER_BEFORE.search(text, max(0, sentence.start - _MARK_CHARS), sentence.start):
        return True
    return (
        bool(_NUMBER_WITHIN.match(sentence.text))
        and not text[text.rfind("\n", 0, sentence.start) + 1 : sentence.start].strip()
    )


_ONLY_POINTS_BELOW = re.compile(
    r"^(?P<indent>[ \t]*)\(?(?P<number>\d{1,3})[.)][ \t]*\n(?P<points>(?:(?P=indent)[ \t]+[^\n]+(?:\n|\Z))+)",
    re.MULTILINE,
)
"""A numbered item without words of its own, and the points below it."""


def _below_another_number(a: str, b: str, aligned: Sequence[Change]) -> Change | None:
    """Return the first of the aligned sentences that stands below one number in one text, and below another there."""
    one, two = (list(_ONLY_POINTS_BELOW.finditer(text)) for text in (a, b))
    if not (one and two):
        return None
    for change in aligned:
        here, there = (_number_above(of, side.start) for of, side in ((one, change.a), (two, change.b)))
        if here and there and here != there:
            return change
    return None


def _number_above(items: Sequence[re.Match[str]], at: int) -> str:
    return next((i["number"] for i in items if i.start("points") <= at < i.end()), "")


def _points_back(sentence: Span) -> bool:
    tokens = tokens_of(sentence.text, "en")
    return bool(tokens) and tokens[0].word in word_list("en", "points_back")


def _is_statement(sentence: Span) -> bool:
    """Return whether a sentence states something that may stand anywhere among others: it is no step and no item."""
    return _states(sentence.text)


@remembered(8_192)
def _states(sentence: str) -> bool:
    if sentence.count("|") >= 2:
        return True  # a row
    if _ITEM.match(sentence):
        return not _is_step(sentence)
    tokens = tokens_of(sentence, "en")
    if not tokens or not sentence.rstrip("\"')]*_ ").endswith((".", "!", "?")) or not sentence[0].isalpha():
        return False
    opening = {t.word for t in tokens[:OPENING]}
    is_step = tokens[0].word in word_list("en", "bids") or bool(opening & word_list("en", "in_turn"))
    is_finite = any(t.word in word_list("en", "finite") or t.word.endswith("ed") for t in tokens)
    return not is_step and is_finite and sum(t.content for t in tokens) >= LEAST_STATED


def _is_step(item: str) -> bool:
    """Return whether a member of a list bids something, or says that it follows."""
    tokens = tokens_of(item, "en")
    if not tokens or tokens[0].word in word_list("en", "bids") or _bids_surely(item):
        return True
    return not {t.word for t in tokens[:OPENING]}.isdisjoint(word_list("en", "in_turn"))


def _bids_surely(item: str) -> bool:
    """Return whether a member of a list begins with a verb right before an article, where no noun stands.

    "Light the flame", and neither "warm socks" nor "near the gate".
    """
    opens = _VERB_AND_ARTICLE.match(item)
    first = opens["verb"].casefold() if opens else ""
    return first not in HANGS | word_list("en", "behind_nouns") | _NO_VERBS and not _TELLS.fullmatch(first)


_TELLS = re.compile(r"(?!focus$)\w+[^s]s|respect|avoid|obey")
"""Verbs that tell what something does, or that bid what is no step: "supports a", "respect the"."""


_VERB_AND_ARTICLE = re.compile(
    r"\s*[-*+\u2022]\s+(?P<verb>[a-z-]+) (?:the|an?|your|it|them|this|these|those)\b", re.IGNORECASE
)
_NO_VERBS = frozenset(
    " all both half not only never always just even also or and but than as above below along around across beyond"
    " beneath opposite outside past what who how when where is are was were has have".split(" ")
)
"""Words before an article that are no verbs that bid; the empty one is that of a member without an article."""
