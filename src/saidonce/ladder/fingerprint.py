"""Rung 1: a kept text with the same words is an exact duplicate."""

from __future__ import annotations

from saidonce.ladder.rung import Case, Finding
from saidonce.model import Outcome, Reason, Step


def fingerprint(case: Case) -> Finding:
    """Settle as duplicate if a match of the same kind has the same normalised text."""
    for match in case.matches:
        same = match.kept.content_hash == case.candidate.content_hash and match.kept.kind is case.candidate.kind
        if same:
            step = Step("fingerprint", "same content", match.id, match.similarity)
            return Finding(step, case, Outcome.DUPLICATE, Reason.SAME_CONTENT, match.id)
    return Finding(Step("fingerprint", "no match with the same content"), case)
