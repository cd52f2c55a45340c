"""Room facts: differences too slight for an objection, which still nobody should merge over without asking."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from rapidfuzz.distance import LCSseq

from saidonce.model import FactKind, Objection, Span
from saidonce.text import normalise

_WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")
_CODE = re.compile(r"`([^`\n]+)`")
_LIGHT = frozenset(
    "a an and are as at be been by for from had has have he her his i if in into is it its of on or she so such than"
    " that the their them then there these they this those to was we were what when where which while who whom whose"
    " will with would you your not no nor also both".split()
)
"""Words whose moving says nothing by itself."""

MOST_WORDS = 4_000
"""Longer texts are compared by their first words; what stands behind them is the other guards' business."""


def moved_words(a: str, b: str) -> tuple[Objection, ...]:
    """Object where words that both texts have stand in another order.

    "A paid B" has the words of "B paid A". Honest rewordings move words too; a person tells them apart.
    """
    words_a, words_b = list(_content(a))[:MOST_WORDS], list(_content(b))[:MOST_WORDS]
    both = Counter(_key(w) for w in words_a) & Counter(_key(w) for w in words_b)
    common_a, common_b = _first(words_a, both), _first(words_b, both)
    keys_a, keys_b = [_key(w) for w in common_a], [_key(w) for w in common_b]
    if keys_a == keys_b:
        return ()
    for op in LCSseq.opcodes(keys_a, keys_b):
        if op.tag != "equal":
            at_a = common_a[min(op.src_start, len(common_a) - 1)]
            at_b = common_b[min(op.dest_start, len(common_b) - 1)]
            return (Objection(FactKind.ROLE, at_a, at_b),)
    return ()


def other_code(a: str, b: str) -> tuple[Objection, ...]:
    """Object where one text quotes a name in backticks that does not stand in the other."""
    for here, there, turned in ((a, b, False), (b, a, True)):
        whole = _tokens(there)
        for found in _CODE.finditer(here):
            if found[1].strip() and not _tokens(found[1]) <= whole:
                span, nothing = Span(found.start(1), found.end(1), found[1]), Span(len(there), len(there), "")
                return (Objection(FactKind.IDENTIFIER, *((nothing, span) if turned else (span, nothing))),)
    return ()


def _content(text: str) -> Iterator[Span]:
    for found in _WORD.finditer(text):
        if found.group().casefold() not in _LIGHT:
            yield Span(found.start(), found.end(), found.group())


def _key(word: Span) -> str:
    return normalise(word.text)


def _first(words: list[Span], both: Counter[str]) -> list[Span]:
    """The words that both texts have, as often as both have them, first ones first."""
    left = both.copy()
    kept = []
    for word in words:
        key = _key(word)
        if left[key] > 0:
            left[key] -= 1
            kept.append(word)
    return kept


def _tokens(text: str) -> set[str]:
    return {token.strip(".,;:!?()[]{}\"'`*").casefold() for token in re.split(r"[\s`|]+", text)} - {""}
