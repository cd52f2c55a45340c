"""The nouns of a comparison, and how texts too large to compare whole are cut."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum

from saidonce.foundation.model import FactKind, Objection, Span

LARGE = 30_000
"""Characters up to which texts are compared whole; of larger ones, what their equal ends leave over."""

SHOWN = 200
"""Characters shown of a rest too large to compare."""


class Pairing(StrEnum):
    """How a stretch of one text stands to the other text."""

    EQUAL = "equal"
    REWORDED = "reworded"
    INSERTED = "inserted"
    DELETED = "deleted"
    CONFLICT = "conflict"


@dataclass(frozen=True, slots=True)
class Change:
    """An aligned stretch; the side on which nothing stands has an empty span."""

    a: Span
    b: Span
    relation: Pairing


@dataclass(frozen=True, slots=True)
class Comparison:
    """What two texts say differently.

    Attributes:
        objections: facts that contradict or replace each other, in order of `a`.
        changes: all sentences of both texts, aligned, in order of `a`, insertions where they stand in `b`.
        a_adds, b_adds: whether that text says something that the other leaves out.
        a_facts, b_facts: what would be lost if that text were dropped for the other, though it
            contradicts nothing: values and identifiers in sentences of its own, and two or more
            content words more inside a sentence that both have. The other side of each is an empty
            span at the end of its text.
    """

    objections: tuple[Objection, ...]
    changes: tuple[Change, ...]
    a_adds: bool
    b_adds: bool
    a_facts: tuple[Objection, ...] = ()
    b_facts: tuple[Objection, ...] = ()


def ordered(changes: Iterable[Change]) -> tuple[Change, ...]:
    """Return changes in order of `a`, then of `b`."""
    return tuple(sorted(changes, key=lambda c: (c.a.start, c.a.end, c.b.start)))


def by_place(o: Objection) -> tuple[int, int, str]:
    """Return key that sorts objections by their place in `a`."""
    return o.a.start, o.b.start, o.kind


def mirrored(comparison: Comparison) -> Comparison:
    """Return the same comparison with the two texts swapped."""
    turned = {Pairing.INSERTED: Pairing.DELETED, Pairing.DELETED: Pairing.INSERTED}
    return Comparison(
        _turned(comparison.objections),
        ordered(Change(c.b, c.a, turned.get(c.relation, c.relation)) for c in comparison.changes),
        comparison.b_adds,
        comparison.a_adds,
        _turned(comparison.b_facts),
        _turned(comparison.a_facts),
    )


def _turned(objections: Iterable[Objection]) -> tuple[Objection, ...]:
    return tuple(sorted((o.mirrored for o in objections), key=by_place))


def compare_parts(a: str, b: str, compare: Callable[[str, str], Comparison]) -> Comparison:
    """Compare what two large texts leave between their equal ends.

    What exceeds `LARGE` even then is not read: if it stands on both sides it is an objection, because
    nobody looked, and what nobody looked at is not the same.
    """
    head = _shared(a, b)
    tail = _shared(a[head:][::-1], b[head:][::-1])
    middle_a, middle_b = a[head : len(a) - tail], b[head : len(b) - tail]
    comparison = compare(middle_a[:LARGE], middle_b[:LARGE])
    objections, a_facts, b_facts = (
        [Objection(o.kind, o.a.moved(head), o.b.moved(head)) for o in group]
        for group in (comparison.objections, comparison.a_facts, comparison.b_facts)
    )
    changes = [Change(c.a.moved(head), c.b.moved(head), c.relation) for c in comparison.changes]
    if head:
        changes.append(Change(Span(0, head, a[:head]), Span(0, head, b[:head]), Pairing.EQUAL))
    if tail:
        changes.append(Change(_end(a, tail), _end(b, tail), Pairing.EQUAL))
    long_a, long_b = len(middle_a) > LARGE, len(middle_b) > LARGE
    if long_a and long_b:
        rest_a, rest_b = (_start(m[LARGE:]).moved(head + LARGE) for m in (middle_a, middle_b))
        objections.append(Objection(FactKind.TERM, rest_a, rest_b))
        changes.append(Change(rest_a, rest_b, Pairing.CONFLICT))
    adds = (comparison.a_adds or long_a, comparison.b_adds or long_b)
    return Comparison(tuple(sorted(objections, key=by_place)), ordered(changes), *adds, tuple(a_facts), tuple(b_facts))


def _start(text: str) -> Span:
    return Span(0, min(SHOWN, len(text)), text[:SHOWN])


def _end(text: str, length: int) -> Span:
    return Span(len(text) - length, len(text), text[len(text) - length :])


def _shared(a: str, b: str) -> int:
    """Return length of the equal start of two strings, back to the end of a line or else of a word."""
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if a[low:middle] == b[low:middle] else (low, middle - 1)
    cut = a.rfind("\n", 0, low) + 1
    if low - cut < LARGE // 2:
        return cut
    return a.rfind(" ", 0, low) + 1 or low
