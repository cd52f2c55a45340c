"""The ladder with all its guards, as the flows use it."""

from __future__ import annotations

from collections.abc import Sequence

from saidonce import facts
from saidonce.ladder import STRUCTURAL_GUARDS, Guard
from saidonce.model import Block, Candidate, Objection, Segment


def fact_guard(a: Candidate, b: Candidate) -> Sequence[Objection]:
    """Object where two texts state different facts."""
    return facts.compare(a.text, b.text, a.language).objections


GUARDS: tuple[Guard, ...] = (*STRUCTURAL_GUARDS, fact_guard)
"""Structure first, since it is cheap; facts last."""


def candidate(piece: Segment | Block) -> Candidate:
    """What the ladder sees of a segment or a block."""
    return Candidate(piece.text, piece.content_hash, piece.kind, piece.language, rows=piece.rows)
