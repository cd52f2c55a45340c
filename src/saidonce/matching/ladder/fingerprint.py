"""Rung 1: a kept text with the same words is an exact duplicate, also one that another text stands for now."""

from __future__ import annotations

from saidonce.foundation.model import Outcome, Reason, Step
from saidonce.matching.ladder.guards import STRUCTURAL_GUARDS, stands_elsewhere
from saidonce.matching.ladder.rung import Case, Finding, first_objection


def fingerprint(case: Case) -> Finding:
    """Settle as duplicate if a match has the same normalised text and no guard of structure objects.

    Source: seed 002: blocks of other types or languages do not merge regardless of similarity.
    """
    structural = [guard for guard in case.guards if guard in STRUCTURAL_GUARDS]
    for match in case.matches:
        same = case.candidate.content_hash in (match.kept.content_hash, *match.hashes)
        if not same or match.kept.kind is not case.candidate.kind:
            continue
        texts = case.candidate, match.kept
        if not first_objection(structural, *texts) and not stands_elsewhere(case.guards, *texts):
            step = Step("fingerprint", "same content", match.id, match.similarity)
            return Finding(step, case, Outcome.DUPLICATE, Reason.SAME_CONTENT, match.id)
    return Finding(Step("fingerprint", "no match with the same content"), case)
