"""Open pairs without objections, matched anew as the blocks stand now: what may be merged in bulk."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from saidonce.foundation.context import Context
from saidonce.foundation.model import Flag, Opinion, Pair
from saidonce.foundation.ports import QueueFilter
from saidonce.kb.canonical import guards_in_force, vectors_of
from saidonce.kb.canonical.match import canonical_policy
from saidonce.kb.review.commit import state_token
from saidonce.kb.review.queue import cursor, open_pairs, proposes
from saidonce.matching.ladder import first_objection
from saidonce.matching.vectors import canonical_cosine

MOST_EQUALS = 500
"""Most pairs returned at once."""

MOST_JUDGED = 5_000
"""Most open pairs examined, most valuable first."""

PAGE = 200


@dataclass(frozen=True, slots=True)
class MergeablePair:
    """An open pair without an objection.

    Attributes:
        similarity: of the two texts as they stand.
        seen: state token, for the optimistic lock.
    """

    pair: Pair
    similarity: float
    seen: str


@dataclass(frozen=True, slots=True)
class MergeablePairs:
    """Mergeable pairs of a queue, most valuable first; `is_all` unless some were not examined or not returned."""

    pairs: tuple[MergeablePair, ...]
    is_all: bool


def mergeable_pairs(context: Context, queue: QueueFilter, confidence_from: float | None = None) -> MergeablePairs:
    """Return the open pairs of a queue without a present objection, whatever it was when they were flagged.

    Args:
        context: wired ports.
        queue: filter of the flags.
        confidence_from: only pairs called duplicates by a second opinion with this confidence, where the
            collection's mode lets it propose; all by default.
    """
    mergeable: list[MergeablePair] = []
    n_judged = 0
    for page in _pages(context, queue):
        fitting = [p for p in page if not _has_objection(p.flag)]
        if confidence_from is not None:
            fitting = [p for p in fitting if _is_proposed(context, p, confidence_from)]
        mergeable += _mergeable(context, fitting)
        n_judged += len(page)
        if len(mergeable) >= MOST_EQUALS or n_judged >= MOST_JUDGED:
            rest = len(mergeable) > MOST_EQUALS or n_judged < context.store.ledger.n_flags(queue)
            return MergeablePairs(tuple(mergeable[:MOST_EQUALS]), not rest)
    return MergeablePairs(tuple(mergeable), True)


def _pages(context: Context, queue: QueueFilter) -> Iterator[tuple[Pair, ...]]:
    after: tuple[float, int] | None = None
    while flags := context.store.ledger.queue(queue, after, PAGE):
        yield open_pairs(context, queue, after, PAGE)
        after = cursor(context, queue, flags[-1])


def _is_proposed(context: Context, pair: Pair, confidence_from: float) -> bool:
    """Return whether a second opinion proposes to merge this very pair."""
    if pair.opinion is None or not pair.opinion.is_stated or not proposes(context, pair.flag.collection):
        return False
    ruling = pair.opinion.ruling
    is_this = ruling.opinion is Opinion.DUPLICATE and ruling.of in pair.kept.members
    return is_this and ruling.confidence >= confidence_from


def _has_objection(flag: Flag) -> bool:
    """Return whether a guard objected when the pair was flagged; a person then reviews it singly."""
    return not flag.near or any(near.objections for near in flag.near if near.id == flag.of)


def _mergeable(context: Context, pairs: Sequence[Pair]) -> list[MergeablePair]:
    """Return the pairs that are near enough and meet no objection."""
    kept_blocks = context.store.ledger.kept(sorted({b.id for p in pairs for b in (p.candidate, p.kept)}))
    vectors = vectors_of(context, [b.text for p in pairs for b in (p.candidate, p.kept)])
    guards, near_from = guards_in_force(context), canonical_policy(context).clear_below
    mergeable = []
    for p in pairs:
        similarity = canonical_cosine(vectors[p.candidate.text], vectors[p.kept.text])
        if similarity < near_from or p.candidate.id not in kept_blocks or p.kept.id not in kept_blocks:
            continue
        if not first_objection(guards, kept_blocks[p.candidate.id].candidate, kept_blocks[p.kept.id].candidate):
            mergeable.append(MergeablePair(p, similarity, state_token(p.candidate, p.kept)))
    return mergeable
