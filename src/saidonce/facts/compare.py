"""Room facts: what two texts say differently."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from saidonce.facts.align import Diff, difference, matches
from saidonce.facts.analyse import Analysis, Sentence, Token, analyse, guess
from saidonce.facts.guards import GUARDS as LOCAL_GUARDS
from saidonce.facts.guards import Scene
from saidonce.facts.roles import object_to_roles
from saidonce.model import UNKNOWN_LANGUAGE, FactKind, Objection, Span


GUARDS = (*LOCAL_GUARDS, object_to_roles)
"""One guard a kind of fact, in the order in which their objections are listed."""


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
    """

    objections: tuple[Objection, ...]
    changes: tuple[Change, ...]
    a_adds: bool
    b_adds: bool


def compare(a: str, b: str, language: str = UNKNOWN_LANGUAGE) -> Comparison:
    """Compare the facts of two texts; swapping them swaps the sides of the answer and nothing else.

    Args:
        language: two-letter tag of both texts; `und` lets their frequent words decide.
    """
    if a <= b:
        return _compare(a, b, language)
    return _mirrored(_compare(b, a, language))


def covers(newer: str, older: str, language: str = UNKNOWN_LANGUAGE) -> bool:
    """Whether a newer text states every fact and all content of an older one."""
    found = compare(newer, older, language)
    return not found.objections and not found.b_adds


def _mirrored(found: Comparison) -> Comparison:
    turned = {Pairing.INSERTED: Pairing.DELETED, Pairing.DELETED: Pairing.INSERTED}
    return Comparison(
        tuple(sorted((Objection(o.kind, o.b, o.a) for o in found.objections), key=_by_place)),
        _ordered(Change(c.b, c.a, turned.get(c.relation, c.relation)) for c in found.changes),
        found.b_adds,
        found.a_adds,
    )


def _by_place(o: Objection) -> tuple[int, int, str]:
    return o.a.start, o.b.start, o.kind


@lru_cache(maxsize=4_096)
def _compare(a: str, b: str, language: str) -> Comparison:
    if language == UNKNOWN_LANGUAGE:
        language = guess(a + "\n" + b) if len(a) < 300 else guess(a)
    one, two = analyse(a, language), analyse(b, language)
    equal, alike = matches(one.sentences, two.sentences)
    diffs = {(i, j): difference(one.sentences[i], two.sentences[j]) for i, j in alike}
    left_a = _left(one.sentences, equal, alike, 0)
    left_b = _left(two.sentences, equal, alike, 1)
    is_block = bool(equal) or len(diffs) > 1
    objections = {
        key: tuple(_objections(diff, diffs, (left_a, left_b), (one, two), is_block)) for key, diff in diffs.items()
    }
    objections_apart = tuple(_apart(left_a, left_b, one, two))
    a_adds, b_adds = _adds(diffs.values(), left_a, left_b, one, two)
    return Comparison(
        tuple(sorted({*objections_apart, *(o for found in objections.values() for o in found)}, key=_by_place)),
        _ordered(_changes(one, two, equal, objections)),
        a_adds,
        b_adds,
    )


def _left(
    sentences: Sequence[Sentence], equal: list[tuple[int, int]], alike: list[tuple[int, int]], side: int
) -> list[Sentence]:
    taken = {pair[side] for pair in (*equal, *alike)}
    return [s for n, s in enumerate(sentences) if n not in taken]


def _objections(
    diff: Diff,
    diffs: dict[tuple[int, int], Diff],
    left: tuple[list[Sentence], list[Sentence]],
    both: tuple[Analysis, Analysis],
    is_block: bool,
) -> Iterator[Objection]:
    if not diff.blocks:
        return
    others = [d for d in diffs.values() if d is not diff]
    scene = Scene(
        diff,
        _free_keys((t for d in others for t in d.a_free), left[0]),
        _free_keys((t for d in others for t in d.b_free), left[1]),
        both[0].keys,
        both[1].keys,
        both[0].text,
        both[1].text,
        both[0].language,
        is_block,
    )
    for guard in GUARDS:
        yield from guard(scene)


def _apart(left_a: list[Sentence], left_b: list[Sentence], one: Analysis, two: Analysis) -> Iterator[Objection]:
    """Sentences without counterpart on both sides: neither text says all that the other does."""
    lone_a = [s for s in left_a if _lacks(list(s.tokens), two)]
    lone_b = [s for s in left_b if _lacks(list(s.tokens), one)]
    if lone_a and lone_b:
        yield Objection(FactKind.TERM, lone_a[0].span, lone_b[0].span)


def _free_keys(free: Iterator[Token], left: list[Sentence]) -> frozenset[str]:
    return frozenset((*(t.key for t in free if t.kind), *(t.key for s in left for t in s.tokens if t.kind)))


def _adds(diffs: object, left_a: list[Sentence], left_b: list[Sentence], one: Analysis, two: Analysis) -> tuple[bool, bool]:
    diffs = list(diffs)  # type: ignore[call-overload]
    free_a = [t for d in diffs for t in d.a_free] + [t for s in left_a for t in s.tokens]
    free_b = [t for d in diffs for t in d.b_free] + [t for s in left_b for t in s.tokens]
    return _lacks(free_a, two), _lacks(free_b, one)


def _lacks(free: list[Token], other: Analysis) -> bool:
    """Whether the other text leaves out any of these facts and content words."""
    return any(t.content and t.key not in other.keys for t in free)


def _changes(
    one: Analysis,
    two: Analysis,
    equal: list[tuple[int, int]],
    objections: dict[tuple[int, int], tuple[Objection, ...]],
) -> Iterator[Change]:
    for i, j in equal:
        yield Change(one.sentences[i].span, two.sentences[j].span, Pairing.EQUAL)
    for (i, j), found in objections.items():
        relation = Pairing.CONFLICT if found else Pairing.REWORDED
        yield Change(one.sentences[i].span, two.sentences[j].span, relation)
    partner_a = {i: j for i, j in (*equal, *objections)}
    partner_b = {j: i for i, j in partner_a.items()}
    for i, sentence in enumerate(one.sentences):
        if i not in partner_a:
            yield Change(sentence.span, _gap(two, [partner_a[n] for n in range(i) if n in partner_a][-1:]), Pairing.DELETED)
    for j, sentence in enumerate(two.sentences):
        if j not in partner_b:
            yield Change(_gap(one, [partner_b[n] for n in range(j) if n in partner_b][-1:]), sentence.span, Pairing.INSERTED)


def _gap(there: Analysis, before: list[int]) -> Span:
    at = there.sentences[before[0]].span.end if before else 0
    return Span(at, at, "")


def _ordered(changes: object) -> tuple[Change, ...]:
    return tuple(sorted(changes, key=lambda c: (c.a.start, c.a.end, c.b.start)))  # type: ignore[call-overload]
