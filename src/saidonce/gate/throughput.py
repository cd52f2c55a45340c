"""How fast people work off what a gate holds, how much of it was taken back, and how much others found right."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from saidonce.foundation.model import GateAct, GateEvent
from saidonce.foundation.ports import Gates

MOST_LOOKED_AT = 10_000
"""Newest entries of the log that are counted."""

PAUSE = timedelta(minutes=5)
"""Between two decisions of a person farther apart than this, they did something else."""

_LONE_ACT = timedelta(seconds=30)
_DECIDED = frozenset({GateAct.CONFIRMED, GateAct.OVERRIDDEN, GateAct.LINKED})


@dataclass(frozen=True, slots=True)
class HeldThroughput:
    """What a person did with what a gate held.

    Attributes:
        n_decided: submissions decided, single and in bulk.
        n_acts: decisions made by hand: what was decided at once counts once.
        n_taken_back: of the submissions, those whose decision was undone; `n_by_others` of them by somebody else, who
            did not agree.
        hours: time spent, per hour, not counting pauses of more than five minutes; an act after a pause counts half a
        minute.
        n_audits: clears of a judge that the person audited; `n_wrong` of them found wrong.
        n_audited: of the submissions, those whose decision another person audited; `n_agreed` of them as right.
    """

    person: str
    n_decided: int
    n_acts: int
    n_taken_back: int
    n_by_others: int
    hours: float
    n_audits: int
    n_wrong: int
    n_audited: int = 0
    n_agreed: int = 0

    @property
    def agreement(self) -> float | None:
        """Share of audited decisions that the audit called right; None without an audit."""
        return self.n_agreed / self.n_audited if self.n_audited else None

    @property
    def per_hour(self) -> float:
        """Submissions decided in an hour of work."""
        return self.n_decided / self.hours if self.hours else 0.0


def held_throughput(gates: Gates, gate: str = "") -> tuple[HeldThroughput, ...]:
    """Return what each person did, busiest first, ties by name.

    Args:
        gate: only this one; all by default.
    """
    events = list(reversed(gates.events(gate, limit=MOST_LOOKED_AT)))
    undone = {(e.decision, e.verdict_id): e.actor for e in events if e.act is GateAct.UNDONE}
    decisions = {(e.decision, e.verdict_id) for e in events if e.act in _DECIDED}
    audits = {_about(e): _is_right(e) for e in events if e.act is GateAct.AUDITED and _about(e) in decisions}
    by_person: dict[str, list[GateEvent]] = {}
    for event in events:
        is_of_clear = event.act is GateAct.AUDITED and _about(event) not in decisions
        if event.decision and (event.act in _DECIDED or is_of_clear):
            by_person.setdefault(event.actor, []).append(event)
    rows = [_row(person, done, undone, audits) for person, done in by_person.items()]
    return tuple(sorted(rows, key=lambda row: (-row.n_decided, -row.n_audits, row.person)))


def _about(event: GateEvent) -> tuple[str, str]:
    return event.decision, event.verdict_id


def _is_right(audit: GateEvent) -> bool:
    return not audit.detail.startswith("wrong")


def _row(
    person: str, events: Sequence[GateEvent], undone: dict[tuple[str, str], str], by_others: dict[tuple[str, str], bool]
) -> HeldThroughput:
    decided = [e for e in events if e.act in _DECIDED]
    audits = [e for e in events if e.act is GateAct.AUDITED]
    acts = {e.decision: e.at for e in decided}
    back = [undone[_about(e)] for e in decided if _about(e) in undone]
    audited = [by_others[_about(e)] for e in decided if _about(e) in by_others]
    return HeldThroughput(
        person, len(decided), len(acts), len(back), sum(by != person for by in back), _hours(acts.values()),
        len(audits), sum(not _is_right(e) for e in audits), len(audited), sum(audited),
    )  # fmt: skip


def _hours(moments: Iterable[datetime]) -> float:
    """Return the time between decisions without long pauses."""
    spent, last = timedelta(0), None
    for at in moments:
        gap = at - last if last is not None else None
        spent += gap if gap is not None and gap <= PAUSE else _LONE_ACT
        last = at
    return spent / timedelta(hours=1)
