"""Many open pairs merged at once: those that no guard objects to, judged anew as they stand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from saidonce.errors import NotFoundError, StaleWriteError, UsageError
from saidonce.foundation.context import Context
from saidonce.foundation.model import Flag, Opinion, Pair, Verb
from saidonce.foundation.ports import QueueFilter
from saidonce.kb.canonical import guards_in_force, vectors_of
from saidonce.kb.canonical.match import canonical_policy
from saidonce.kb.review.command import By, RequestContent, repeated, seen
from saidonce.kb.review.queue import cursor, open_pairs, proposes
from saidonce.kb.review.verbs import merge
from saidonce.matching.ladder import first_objection
from saidonce.matching.vectors import canonical_cosine

MOST_EQUALS = 500
"""Pairs that are offered at once."""

MOST_JUDGED = 5_000
"""Open pairs that are looked through for them, most valuable first."""

PAGE = 200


@dataclass(frozen=True, slots=True)
class Equal:
    """An open pair without an objection.

    Attributes:
        similarity: of the two texts as they stand.
        seen: their state, for the optimistic lock.
    """

    pair: Pair
    similarity: float
    seen: str


@dataclass(frozen=True, slots=True)
class Equals:
    """The equal pairs of a queue, most valuable first; `is_all` unless some were not looked at, or not offered."""

    found: tuple[Equal, ...]
    is_all: bool


@dataclass(frozen=True, slots=True)
class Bulk:
    """What became of pairs that were to be merged: how many were, and the flags of those that were left, with why."""

    n_merged: int
    left: tuple[tuple[int, str], ...]


def equals(context: Context, wanted: QueueFilter, confidence_from: float | None = None) -> Equals:
    """Give the open pairs of a queue that no guard objects to now, whatever was said when they were flagged.

    Args:
        base: wired ports.
        wanted: which flags.
        confidence_from: only those that a second opinion holds for duplicates with this confidence, where the
            collection's mode lets it propose; all by default.
    """
    found: list[Equal] = []
    n_judged = 0
    for page in _pages(context, wanted):
        fitting = [p for p in page if not _objected(p.flag)]
        if confidence_from is not None:
            fitting = [p for p in fitting if _is_proposed(context, p, confidence_from)]
        found += _judged(context, fitting)
        n_judged += len(page)
        if len(found) >= MOST_EQUALS or n_judged >= MOST_JUDGED:
            rest = len(found) > MOST_EQUALS or n_judged < context.store.ledger.n_flags(wanted)
            return Equals(tuple(found[:MOST_EQUALS]), not rest)
    return Equals(tuple(found), True)


def merge_equals(context: Context, by: By, shown: Sequence[tuple[int, str]]) -> Bulk:
    """Merge pairs that were shown as equal, each by a decision of its own; those that changed since are left.

    Args:
        base: wired ports.
        by: who decides; the idempotency key of each decision is made of this one and its flag.
        shown: flags, each with the state of its blocks as it was shown.
    """
    n_merged, left = 0, []
    for seq, state in dict(shown).items():
        try:
            _merged(context, replace(by, key=f"{by.key} {seq}" if by.key else "", flag=seq, seen=state))
            n_merged += 1
        except (NotFoundError, StaleWriteError, UsageError) as refused:
            left.append((seq, str(refused)))
    return Bulk(n_merged, tuple(left))


def _merged(context: Context, by: By) -> None:
    ledger = context.store.ledger
    with ledger.exclusive():
        if repeated(context, by, RequestContent(Verb.MERGE)) is not None:
            return
        flag = ledger.flag(by.flag or 0)
        if flag is None:
            raise NotFoundError("flag", str(by.flag))
        if not flag.open:
            raise StaleWriteError(f"flag {flag.seq} was settled in the meantime")
        blocks = context.store.blocks([flag.candidate, flag.of])
        if len(blocks) != 2 or by.seen != seen(*blocks.values()):
            raise StaleWriteError("one of the two blocks changed in the meantime")
        if not _judged(context, [Pair(flag, blocks[flag.candidate], blocks[flag.of])]):
            raise StaleWriteError("a guard objects to the two as they stand now")
        merge(context, by, flag.of, flag.candidate)


def _pages(context: Context, wanted: QueueFilter) -> Iterator[tuple[Pair, ...]]:
    after: tuple[float, int] | None = None
    while flags := context.store.ledger.queue(wanted, after, PAGE):
        yield open_pairs(context, wanted, after, PAGE)
        after = cursor(context, wanted, flags[-1])


def _is_proposed(context: Context, pair: Pair, confidence_from: float) -> bool:
    """Whether a second opinion proposes to merge this very pair."""
    if pair.opinion is None or not pair.opinion.is_given or not proposes(context, pair.flag.collection):
        return False
    ruling = pair.opinion.ruling
    is_this = ruling.opinion is Opinion.DUPLICATE and ruling.of in pair.kept.members
    return is_this and ruling.confidence >= confidence_from


def _objected(flag: Flag) -> bool:
    """Whether a guard objected when the pair was flagged: then it is shown to a person by itself."""
    return not flag.near or any(near.objections for near in flag.near if near.id == flag.of)


def _judged(context: Context, pairs: Sequence[Pair]) -> list[Equal]:
    """Those of some pairs that are near enough to be looked at, and that no guard objects to."""
    kept = context.store.ledger.kept(sorted({b.id for p in pairs for b in (p.candidate, p.kept)}))
    vectors = vectors_of(context, [b.text for p in pairs for b in (p.candidate, p.kept)])
    guards, near_from = guards_in_force(context), canonical_policy(context).clear_below
    found = []
    for p in pairs:
        similarity = canonical_cosine(vectors[p.candidate.text], vectors[p.kept.text])
        if similarity < near_from or p.candidate.id not in kept or p.kept.id not in kept:
            continue
        if not first_objection(guards, kept[p.candidate.id].candidate, kept[p.kept.id].candidate):
            found.append(Equal(p, similarity, seen(p.candidate, p.kept)))
    return found
