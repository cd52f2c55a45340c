"""The ladder with all its guards, as the flows use it."""

from __future__ import annotations

from collections.abc import Sequence

from saidonce import facts
from saidonce.ladder import STRUCTURAL_GUARDS, Guard
from saidonce.model import Block, Candidate, Objection, Segment
from saidonce.policy import REPEAT, Policy


def fact_guard(a: Candidate, b: Candidate) -> Sequence[Objection]:
    """Object where two texts state different facts."""
    return facts.compare(a.text, b.text, a.language).objections


def nothing_added(a: Candidate, b: Candidate) -> Sequence[Objection]:
    """Object where a candidate states values or names things in sentences of its own that the kept text lacks.

    They contradict nothing, but would be lost if the candidate were dropped.
    """
    return facts.compare(a.text, b.text, a.language).a_facts


GUARDS: tuple[Guard, ...] = (*STRUCTURAL_GUARDS, fact_guard)
"""What may not be merged. Structure first, since it is cheap; facts last."""

REPEAT_GUARDS: tuple[Guard, ...] = (*GUARDS, nothing_added)
"""What may not be dropped for the text it repeats, where only the kept text stays searchable."""


def guards_of(policy: Policy) -> tuple[Guard, ...]:
    """The guards of one use of the ladder."""
    return REPEAT_GUARDS if policy.use == REPEAT.use else GUARDS


def candidate(piece: Segment | Block) -> Candidate:
    """What the ladder sees of a segment or a block."""
    return Candidate(piece.text, piece.content_hash, piece.kind, piece.language, rows=piece.rows)
