"""The ladder with all its guards, as the flows use it."""

from __future__ import annotations

from collections.abc import Sequence

from saidonce import facts
from saidonce.facts import Comparison, Pairing
from saidonce.ladder import STRUCTURAL_GUARDS, Guard
from saidonce.model import Block, Candidate, FactKind, Objection, Segment, Span
from saidonce.policy import CANONICAL, REPEAT, Policy


def fact_guard(a: Candidate, b: Candidate) -> Sequence[Objection]:
    """Object where two texts state different facts."""
    return facts.compare(a.text, b.text, a.language).objections


def nothing_added(a: Candidate, b: Candidate) -> Sequence[Objection]:
    """Object where a candidate states values or names things in sentences of its own that the kept text lacks.

    They contradict nothing, but would be lost if the candidate were dropped.
    """
    return facts.compare(a.text, b.text, a.language).a_facts


def newer_covers(a: Candidate, b: Candidate) -> Sequence[Objection]:
    """Object where the older text says something that the newer one, which would stand for both, leaves out.

    A candidate without a date is the newer one; of two texts of one date neither may say more than the other.
    Source: the plan's ruling on seed 002's table, whose older version would have lost the newer one's row.
    """
    found = facts.compare(a.text, b.text, a.language)
    if _is_no_older(a, b) and (lost := found.b_facts or _left_out(found, Pairing.INSERTED, found.b_adds)):
        return lost
    if a.dated_at is not None and _is_no_older(b, a):
        return found.a_facts or _left_out(found, Pairing.DELETED, found.a_adds)
    return ()


def neither_adds(a: Candidate, b: Candidate) -> Sequence[Objection]:
    """Object where one of two texts says something that the other leaves out, whichever is newer."""
    found = facts.compare(a.text, b.text, a.language)
    return (
        found.b_facts
        or found.a_facts
        or _left_out(found, Pairing.INSERTED, found.b_adds)
        or _left_out(found, Pairing.DELETED, found.a_adds)
    )


def same_order(a: Candidate, b: Candidate) -> Sequence[Objection]:
    """Object where words that both texts have stand in another order: who did what to whom may have changed."""
    return facts.moved_words(a.text, b.text)


def same_code(a: Candidate, b: Candidate) -> Sequence[Objection]:
    """Object where one text quotes a name of code that does not stand in the other."""
    return facts.other_code(a.text, b.text)


def _is_no_older(a: Candidate, b: Candidate) -> bool:
    return a.dated_at is None or b.dated_at is None or a.dated_at >= b.dated_at


def _left_out(found: Comparison, relation: Pairing, adds: bool) -> tuple[Objection, ...]:
    """Object to losing the first stretch that stands in one text only."""
    if not adds:
        return ()
    alone = next((c for c in found.changes if c.relation is relation), None)
    return (Objection(FactKind.TERM, alone.a, alone.b) if alone else Objection(FactKind.TERM, _NOTHING, _NOTHING),)


_NOTHING = Span(0, 0, "")

GUARDS: tuple[Guard, ...] = (*STRUCTURAL_GUARDS, fact_guard)
"""What may not be merged. Structure first, since it is cheap; facts last."""

REPEAT_GUARDS: tuple[Guard, ...] = (*GUARDS, nothing_added)
"""What may not be dropped for the text it repeats, where only the kept text stays searchable."""

CANONICAL_GUARDS: tuple[Guard, ...] = (*GUARDS, neither_adds, same_order, same_code)
"""What may not share a block without a person: all that does not say the same."""

COVERING_GUARDS: tuple[Guard, ...] = (*GUARDS, newer_covers, same_order, same_code)
"""The same where a newer text may stand for an older one that says less (setting merge_additions)."""


def guards_of(policy: Policy) -> tuple[Guard, ...]:
    """The guards of one use of the ladder."""
    return {REPEAT.use: REPEAT_GUARDS, CANONICAL.use: CANONICAL_GUARDS}.get(policy.use, GUARDS)


def candidate(piece: Segment | Block) -> Candidate:
    """What the ladder sees of a segment or a block; without a section role, at which only canonical use looks."""
    return Candidate(piece.text, piece.content_hash, piece.kind, piece.language, rows=piece.rows)
