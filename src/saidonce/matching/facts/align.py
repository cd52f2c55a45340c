"""Which sentences of two texts belong together, and where their words differ."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from rapidfuzz.distance import LCSseq, Opcode
from rapidfuzz.fuzz import ratio
from rapidfuzz.process import cdist

from saidonce.foundation.model import FactKind
from saidonce.matching.facts.analyse import AnalysedSentence, Token
from saidonce.matching.facts.synonymy import same

PAIR_FROM = 55.0
"""Token-sort ratio from which two sentences belong together."""

LAST_PAIR_FROM = 40.0
"""The same where only one sentence is left on each side."""

MAX_CELLS = 4_000
"""Sentence pairs scored; beyond it only sentences that share rare words are."""


@dataclass(slots=True)
class DifferingSpan:
    """A stretch in which two sentences differ.

    Attributes:
        a, b: all tokens of the stretch.
        a_rest, b_rest: facts and content words that have no counterpart in the stretch.
        a_at, b_at: index of its first token in each sentence.
    """

    a: tuple[Token, ...]
    b: tuple[Token, ...]
    a_rest: list[Token]
    b_rest: list[Token]
    a_at: int
    b_at: int


@dataclass(slots=True)
class Diff:
    """Two paired sentences and all stretches in which they differ.

    Attributes:
        a_free, b_free: of the blocks' rests, what has no counterpart in the other sentence at all.
        n_same: content tokens in equal stretches.
        anchors: index in `a` -> index in `b` of the tokens that the alignment holds equal.
        open_blocks: those blocks in which something has no counterpart.
    """

    a: AnalysedSentence
    b: AnalysedSentence
    blocks: tuple[DifferingSpan, ...]
    a_free: list[Token]
    b_free: list[Token]
    n_same: int
    anchors: dict[int, int]
    open_blocks: tuple[DifferingSpan, ...]


def matches(
    a: Sequence[AnalysedSentence], b: Sequence[AnalysedSentence]
) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Return index pairs of sentences with equal keys, and of those that merely resemble each other."""
    equal = list(_equal(a, b))
    taken_a, taken_b = {i for i, _ in equal}, {j for _, j in equal}
    rest_a = [i for i in range(len(a)) if i not in taken_a]
    rest_b = [j for j in range(len(b)) if j not in taken_b]
    return equal, _alike(a, b, rest_a, rest_b)


def _equal(a: Sequence[AnalysedSentence], b: Sequence[AnalysedSentence]) -> Iterator[tuple[int, int]]:
    places: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for j in range(len(b) - 1, -1, -1):
        places[b[j].keys].append(j)
    for i, sentence in enumerate(a):
        if places.get(sentence.keys):
            yield i, places[sentence.keys].pop()


def _alike(
    a: Sequence[AnalysedSentence], b: Sequence[AnalysedSentence], rest_a: list[int], rest_b: list[int]
) -> list[tuple[int, int]]:
    """Return greedy pairs, best first; ties by nearness of place, so that the order of the texts does not matter."""
    if not rest_a or not rest_b:
        return []
    least = PAIR_FROM if len(rest_a) > 1 or len(rest_b) > 1 else 0.0 if len(a) == len(b) == 1 else LAST_PAIR_FROM
    scored = _scores(a, b, rest_a, rest_b, least)
    scored.sort(key=lambda s: (-s[0], abs(s[1] - s[2]), s[1] + s[2]))
    taken_a: set[int] = set()
    taken_b: set[int] = set()
    pairs = []
    for _, i, j in scored:
        if i not in taken_a and j not in taken_b:
            taken_a.add(i)
            taken_b.add(j)
            pairs.append((i, j))
    return pairs


def _scores(
    a: Sequence[AnalysedSentence], b: Sequence[AnalysedSentence], rest_a: list[int], rest_b: list[int], least: float
) -> list[tuple[float, int, int]]:
    if len(rest_a) * len(rest_b) > MAX_CELLS:
        return list(_sparse_scores(a, b, rest_a, rest_b, least))
    if len(rest_a) == len(rest_b) == 1:
        score = _ratio(a[rest_a[0]], b[rest_b[0]])
        return [(score, rest_a[0], rest_b[0])] if score >= least else []
    grid = cdist([a[i].sorted_keys for i in rest_a], [b[j].sorted_keys for j in rest_b], scorer=ratio)
    return [(float(grid[x, y]), rest_a[x], rest_b[y]) for x, y in np.argwhere(grid >= least).tolist()]


def _ratio(a: AnalysedSentence, b: AnalysedSentence) -> float:
    return float(ratio(a.sorted_keys, b.sorted_keys))


def _sparse_scores(
    a: Sequence[AnalysedSentence], b: Sequence[AnalysedSentence], rest_a: list[int], rest_b: list[int], least: float
) -> Iterator[tuple[float, int, int]]:
    """Score only pairs that share one of a sentence's three rarest words."""
    counts = Counter(k for side, rest in ((a, rest_a), (b, rest_b)) for n in rest for k in set(side[n].keys))
    places: dict[str, list[int]] = defaultdict(list)
    for j in rest_b:
        for key in _rarest(b[j], counts):
            places[key].append(j)
    for i in rest_a:
        near = {j for key in _rarest(a[i], counts) for j in places[key][:8]}
        for j in sorted(near):
            if (score := _ratio(a[i], b[j])) >= least:
                yield score, i, j


def _rarest(sentence: AnalysedSentence, counts: Counter[str]) -> list[str]:
    return sorted(set(sentence.keys), key=lambda k: (counts[k], k))[:3]


def difference(a: AnalysedSentence, b: AnalysedSentence) -> Diff:
    """Align two sentences word by word; what has a counterpart is taken out of each stretch's rest."""
    blocks = []
    n_same = 0
    opcodes = LCSseq.opcodes(a.keys, b.keys)
    for equal, a_lo, a_hi, b_lo, b_hi in _runs(a, b, opcodes):
        if equal:
            n_same += sum([t.content for t in a.tokens[a_lo:a_hi]])
        else:
            blocks.append(_block(a.tokens[a_lo:a_hi], b.tokens[b_lo:b_hi], a_lo, b_lo))
    a_free = [t for block in blocks for t in block.a_rest]
    b_free = [t for block in blocks for t in block.b_rest]
    if len(blocks) > 1:
        a_free, b_free = without_pairs(a_free, b_free)
    open_blocks = tuple([block for block in blocks if block.a_rest or block.b_rest])
    return Diff(a, b, tuple(blocks), a_free, b_free, n_same, _anchors(opcodes), open_blocks)


def anchors_of(a: AnalysedSentence, b: AnalysedSentence) -> dict[int, int]:
    """Return index in `a` -> index in `b` of the tokens that the alignment of two sentences holds equal."""
    return _anchors(LCSseq.opcodes(a.keys, b.keys))


def _anchors(opcodes: Iterable[Opcode]) -> dict[int, int]:
    anchors: dict[int, int] = {}
    for op in opcodes:
        if op.tag == "equal":
            anchors.update(zip(range(op.src_start, op.src_end), range(op.dest_start, op.dest_end), strict=True))
    return anchors


Run = tuple[bool, int, int, int, int]


def _runs(a: AnalysedSentence, b: AnalysedSentence, opcodes: Iterable[Opcode]) -> list[Run]:
    """Return equal and different runs in turn; an equal run of one or two words of grammar does not separate."""
    runs: list[Run] = []
    for op in opcodes:
        equal = op.tag == "equal"
        if equal and runs and op.dest_end < len(b.keys) and _is_thin(a.tokens[op.src_start : op.src_end]):
            equal = False
        if runs and runs[-1][0] == equal:
            _, a_lo, _, b_lo, _ = runs.pop()
            runs.append((equal, a_lo, op.src_end, b_lo, op.dest_end))
        else:
            runs.append((equal, op.src_start, op.src_end, op.dest_start, op.dest_end))
    return runs


def _is_thin(tokens: tuple[Token, ...]) -> bool:
    return len(tokens) <= 2 and not any(t.content or t.kind for t in tokens)


def _block(a: tuple[Token, ...], b: tuple[Token, ...], a_at: int, b_at: int) -> DifferingSpan:
    a_rest = [t for t in a if t.content or t.kind]
    b_rest = [t for t in b if t.content or t.kind]
    if a_rest and b_rest:
        a_rest, b_rest = without_pairs(a_rest, b_rest)
    if a_rest and b_rest:
        a_rest, b_rest = _without_compounds(a_rest, b_rest, a)
        b_rest, a_rest = _without_compounds(b_rest, a_rest, b)
        if a_rest and b_rest and _squashed(a) == _squashed(b):
            a_rest, b_rest = [], []
    return DifferingSpan(a, b, a_rest, b_rest, a_at, b_at)


def without_pairs(a: list[Token], b: list[Token]) -> tuple[list[Token], list[Token]]:
    """Take out tokens that have a counterpart, equal keys before mere equivalents."""
    if not a or not b:
        return a, b
    counts = Counter([t.key for t in b])
    keep_a = []
    for token in a:
        if counts[token.key]:
            counts[token.key] -= 1
        else:
            keep_a.append(token)
    keep_b = []
    for token in reversed(b):
        if counts[token.key]:
            counts[token.key] -= 1
            keep_b.append(token)
    keep_b.reverse()
    return _without_equivalents(keep_a, keep_b) if keep_a and keep_b else (keep_a, keep_b)


def _without_equivalents(a: list[Token], b: list[Token]) -> tuple[list[Token], list[Token]]:
    keep_a = []
    for token in a[:60]:
        other = next((n for n, t in enumerate(b[:60]) if same(token, t)), None)
        if other is None:
            keep_a.append(token)
        else:
            b = b[:other] + b[other + 1 :]
    return keep_a + a[60:], b


def _without_compounds(a: list[Token], b: list[Token], whole: tuple[Token, ...]) -> tuple[list[Token], list[Token]]:
    """Take out "data base" against "database", and spelled-out names against their initials.

    Args:
        whole: all tokens of the stretch that `a` is the rest of.
    """
    for other in b[:30]:
        initials = len(other.word) if other.written.isupper() else 0
        for width in (w for w in range(2, min(len(whole), 6) + 1) if w in (2, initials)):
            for lo in range(min(len(whole), 40) - width + 1):
                part = whole[lo : lo + width]
                if _spells(part, other):
                    return [t for t in a if t not in part], [t for t in b if t is not other]
    return a, b


_BRACKETS = re.compile(r"[\s()\[\]{}'\"_]+|(?<=[^\W\d])-|-(?!\d)")


def _squashed(tokens: tuple[Token, ...]) -> str:
    """Return letters and digits of a stretch without what layout puts between them."""
    return _BRACKETS.sub("", "".join(t.word for t in tokens))


def _spells(part: tuple[Token, ...], other: Token) -> bool:
    is_joined = len(part) == 2 and part[0].word + part[1].word == other.word
    if not is_joined and not (other.written.isupper() and "".join([t.word[:1] for t in part]) == other.word):
        return False
    return all(t.kind in (None, FactKind.NAME) and t.word for t in part)
