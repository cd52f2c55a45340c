"""Rung 2: without any kept match there is nothing to repeat."""

from __future__ import annotations

from dataclasses import replace

from saidonce.foundation.model import Outcome, Reason, Step
from saidonce.matching.ladder.rung import Case, Finding


def nearest(case: Case) -> Finding:
    """Settle as distinct if nothing was found; otherwise keep the policy's k nearest matches."""
    if not case.matches:
        return Finding(Step("nearest", "no matches"), case, Outcome.DISTINCT, Reason.NO_MATCHES)
    kept = sorted(case.matches, key=lambda m: (-m.similarity, m.id))[: case.policy.k]
    step = Step("nearest", f"{len(kept)} of {len(case.matches)} matches", kept[0].id, kept[0].similarity)
    return Finding(step, replace(case, matches=tuple(kept)))
