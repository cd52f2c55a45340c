"""What the equivalence judge reads: the tokens of two sentences, with a mark on each that differs.

Training and the shipped judge encode by this module alone.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from rapidfuzz.distance import Indel

from saidonce.foundation.wordpiece import UNKNOWN, WordPiece

VERSION: Final = 1
"""Of the encoding; a judge trained on another one is refused."""

MAX_TOKENS: Final = 192
"""Longest input, special tokens counted; what is longer is not judged."""

MAX_CHARACTERS: Final = 4_000
"""Longest sentence that is tokenized at all."""

SAME_A, SAME_B, DIFFERS_A, DIFFERS_B = range(4)
"""Kinds of tokens: the side they stand on, and whether the other side lacks the word at that place."""

_WORD = re.compile(r"\w+|[^\w\s]")
_UNREADABLE = frozenset(("Cc", "Cf", "Cs", "Co", "Cn"))
"""Categories of characters that the tokenizer drops or refuses: a difference in them would go unseen."""

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Encoded:
    """One order of two sentences: `[CLS] one [SEP] other [SEP]`.

    Attributes:
        ids: of the tokens.
        kinds: of the tokens, one of the four above.
    """

    ids: tuple[int, ...]
    kinds: tuple[int, ...]


def encode(tokenizer: WordPiece, a: str, b: str) -> tuple[Encoded, Encoded] | None:
    """Encode two sentences in both orders; `(a, b)` and `(b, a)` give the same two inputs in the same order.

    Returns:
        None where a judge cannot see what differs: a side is empty or has characters that are no text, both are too
        long together, or they differ in nothing that the tokenizer keeps (it drops case and accents) or in a
        character that it does not know.
    """
    a, b = sorted((" ".join(a.split()), " ".join(b.split())))
    if not a or max(len(a), len(b)) > MAX_CHARACTERS or not (_is_readable(a) and _is_readable(b)):
        return None
    one, two = (tokenizer.encode(side) for side in (a, b))
    if not one.ids or not two.ids or one.ids == two.ids or len(one.ids) + len(two.ids) + 3 > MAX_TOKENS:
        return None
    marked_a, marked_b = differing(a, b)
    differs_a, differs_b = _touched_tokens(one.offsets, marked_a), _touched_tokens(two.offsets, marked_b)
    unknown, cls, sep = map(tokenizer.token_to_id, (UNKNOWN, "[CLS]", "[SEP]"))
    if _has(unknown, one.ids, differs_a) or _has(unknown, two.ids, differs_b):
        return None
    sides = (one.ids, differs_a), (two.ids, differs_b)
    return _join(*sides[0], *sides[1], cls, sep), _join(*sides[1], *sides[0], cls, sep)


def _is_readable(text: str) -> bool:
    return (text.isascii() and text.isprintable()) or not any(unicodedata.category(c) in _UNREADABLE for c in text)


def _has(unknown: int, ids: Sequence[int], differs: Sequence[bool]) -> bool:
    return any(token == unknown and differing for token, differing in zip(ids, differs, strict=True))


def _join(
    ids_a: Sequence[int], differs_a: Sequence[bool], ids_b: Sequence[int], differs_b: Sequence[bool], cls: int, sep: int
) -> Encoded:
    kinds_a = (DIFFERS_A if differs else SAME_A for differs in differs_a)
    kinds_b = (DIFFERS_B if differs else SAME_B for differs in differs_b)
    return Encoded((cls, *ids_a, sep, *ids_b, sep), (SAME_A, *kinds_a, SAME_A, *kinds_b, SAME_B))


def differing(a: str, b: str) -> tuple[list[Span], list[Span]]:
    """Return the spans of the words of either text that the other lacks at that place; case counts for nothing."""
    words_a, words_b = list(_WORD.finditer(a)), list(_WORD.finditer(b))
    steps = Indel.opcodes([w.group().casefold() for w in words_a], [w.group().casefold() for w in words_b])
    spans_a: list[Span] = []
    spans_b: list[Span] = []
    for step in steps:
        if step.tag != "equal":
            spans_a += [words_a[n].span() for n in range(step.src_start, step.src_end)]
            spans_b += [words_b[n].span() for n in range(step.dest_start, step.dest_end)]
    return spans_a, spans_b


def _touched_tokens(tokens: Sequence[Span], marked: Sequence[Span]) -> list[bool]:
    """Return for each token whether it overlaps a marked span; both are in order."""
    touched: list[bool] = []
    at = 0
    for start, end in tokens:
        while at < len(marked) and marked[at][1] <= start:
            at += 1
        touched.append(at < len(marked) and marked[at][0] < end)
    return touched
