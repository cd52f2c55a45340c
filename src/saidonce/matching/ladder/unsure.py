"""Rung 6: what nobody settled falls to the side that a person can see and undo."""

from __future__ import annotations

from saidonce.foundation.model import Outcome, Reason, Step
from saidonce.matching.ladder.rung import Case, Finding


def when_unsure(case: Case) -> Finding:
    """Settle by the policy: as it says for an objection, or else as it says for doubt."""
    outcome = case.policy.on_objection if _is_held_apart(case) else case.policy.when_unsure
    reason = case.doubt or (Reason.OBJECTION if case.objected else Reason.UNSURE)
    top = case.matches[0]
    of = "" if outcome is Outcome.DISTINCT else top.id
    return Finding(Step("when_unsure", f"policy says {outcome}", top.id, top.similarity), case, outcome, reason, of)


def _is_held_apart(case: Case) -> bool:
    """Return whether every match that would settle is objected to; where only values count, in a value."""
    if not case.objected or not case.policy.values_only:
        return case.objected
    objections = dict(case.objections)
    near = [match.id for match in case.matches if match.similarity >= case.policy.duplicate_from]
    return all(any(o.differs_in_value for o in objections.get(id, ())) for id in near)
