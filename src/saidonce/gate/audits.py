"""Audits of an adjudicator's clears: a random share of them is shown to people, who say whether they were right."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from saidonce.foundation.model import HeldState
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
