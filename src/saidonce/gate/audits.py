"""Audits: of an adjudicator's clears, a random share of which is shown to people, and of what people decided."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from saidonce.errors import StaleWriteError, UsageError
from saidonce.foundation.model import ClearAudit, GateAct, GateEvent, GateVerdict, HeldDecision, HeldState
from saidonce.foundation.ports import Gates, HeldCount
from saidonce.foundation.text import digest

_DIGITS = 8


@dataclass(frozen=True, slots=True)
class AuditCount:
    """What audits found of an adjudicator's clears: how many were right, how many wrong, how many wait for a person."""

    judge: str
    n_right: int
    n_wrong: int
    n_open: int


def is_drawn(verdict_id: str, share: float) -> bool:
    """Return whether a verdict is drawn for an audit; the same id is always drawn alike, whoever asks."""
    place = int(digest("audit of a clear", verdict_id)[:_DIGITS], 16) / float(16**_DIGITS)
    return place < share


def audit_counts(counts: Iterable[HeldCount]) -> tuple[AuditCount, ...]:
    """Return what audits found, by adjudicator."""
    by_judge: dict[str, dict[HeldState, int]] = {}
    for count in counts:
        if count.state in {HeldState.AUDIT, HeldState.RIGHT, HeldState.WRONG}:
            mine = by_judge.setdefault(count.judge, {})
            mine[count.state] = mine.get(count.state, 0) + count.n
    ends = (HeldState.RIGHT, HeldState.WRONG, HeldState.AUDIT)
    return tuple(AuditCount(judge, *(mine.get(end, 0) for end in ends)) for judge, mine in sorted(by_judge.items()))


def audited(gates: Gates, judges: Iterable[str]) -> tuple[int, int]:
    """Return how many audited clears of some adjudicators were right, and how many were wrong."""
    names = set(judges)
    mine = [count for count in audit_counts(gates.held_counts()) if count.judge in names]
    return sum(count.n_right for count in mine), sum(count.n_wrong for count in mine)


def is_decision_drawn(decision: HeldDecision, verdict_id: str, share: float) -> bool:
    """Return whether a person's decision on a verdict is drawn for an audit by somebody else."""
    return is_drawn(f"{decision.id} {verdict_id}", share)


def audited_decision(verdict: GateVerdict, decision: HeldDecision, audit: ClearAudit) -> tuple[GateVerdict, GateEvent]:
    """Return a verdict with the audit of its decision, and the log entry.

    Who audited it may change their mind.

    Raises:
        UsageError: it is the auditor's own decision.
        StaleWriteError: somebody else audited it before.
    """
    if decision.by == audit.by:
        raise UsageError(f"the decision on {verdict.id} is your own; somebody else has to audit it")
    if decision.audit is not None and decision.audit.by != audit.by:
        raise _found_already(decision.audit, f"the decision on {verdict.id}")
    of_decision = replace(audit, id=decision.id)
    return replace(verdict, decision=replace(decision, audit=of_decision)), _entry(verdict, of_decision)


def audited_clear(verdict: GateVerdict, audit: ClearAudit) -> tuple[GateVerdict, GateEvent]:
    """Return a verdict with the audit of the adjudicator's clear, and the log entry.

    Raises:
        StaleWriteError: it was audited before.
        UsageError: it was not drawn for an audit.
    """
    if verdict.audit is not None:
        raise _found_already(verdict.audit, f"the clear of {verdict.id}")
    if verdict.held is not HeldState.AUDIT:
        raise UsageError(f"{verdict.id} was not drawn for an audit; 'saidonce gate held --audit' lists those that were")
    return replace(verdict, audit=audit), _entry(verdict, audit)


def _found_already(before: ClearAudit, of: str) -> StaleWriteError:
    return StaleWriteError(f"{before.by} found {of} {audit_outcome(before)} already")


def _entry(verdict: GateVerdict, audit: ClearAudit) -> GateEvent:
    detail = f"{audit_outcome(audit)} {audit.why}".strip()
    return GateEvent(verdict.gate, verdict.id, GateAct.AUDITED, audit.by, detail, audit.at, decision=audit.id)


def audit_outcome(audit: ClearAudit) -> str:
    """Return what an audit came to, in one word."""
    return "right" if audit.right else "wrong"
