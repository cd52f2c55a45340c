"""Rung 3: similarity nominates; it decides only that something is far enough away."""

from __future__ import annotations

from saidonce.foundation.model import Outcome, Reason, Step
from saidonce.matching.ladder.rung import Case, Finding


def band(case: Case) -> Finding:
    """Settle as distinct below `clear_below`; otherwise say in which band the nearest match lies."""
    top = case.matches[0]
    low, high = case.policy.clear_below, case.policy.duplicate_from
    if top.similarity < low:
        step = Step("band", f"below {low:g}", top.id, top.similarity)
        return Finding(step, case, Outcome.DISTINCT, Reason.BELOW_THRESHOLD)
    where = f"at or above {high:g}" if top.similarity >= high else f"between {low:g} and {high:g}"
    return Finding(Step("band", where, top.id, top.similarity), case)
