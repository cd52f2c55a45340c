"""How fast people work off what a gate holds, and how much of it was taken back, by themselves or by others."""

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
        hours: time spent, without pauses of more than five minutes; an act after a pause counts half a minute.
        n_audits: clears of a judge that the person audited; `n_wrong` of them found wrong.
    """

    person: str
    n_decided: int
    n_acts: int
    n_taken_back: int
    n_by_others: int
    hours: float
    n_audits: int
    n_wrong: int

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
    by_person: dict[str, list[GateEvent]] = {}
    for event in events:
        if event.decision and event.act in _DECIDED | {GateAct.AUDITED}:
            by_person.setdefault(event.actor, []).append(event)
    rows = [_row(person, done, undone) for person, done in by_person.items()]
    return tuple(sorted(rows, key=lambda row: (-row.n_decided, -row.n_audits, row.person)))


def _row(person: str, events: Sequence[GateEvent], undone: dict[tuple[str, str], str]) -> HeldThroughput:
    decided = [e for e in events if e.act in _DECIDED]
    audits = [e for e in events if e.act is GateAct.AUDITED]
    acts = {e.decision: e.at for e in decided}
    back = [undone[e.decision, e.verdict_id] for e in decided if (e.decision, e.verdict_id) in undone]
    return HeldThroughput(
        person, len(decided), len(acts), len(back), sum(by != person for by in back), _hours(acts.values()),
        len(audits), sum(e.detail.startswith("wrong") for e in audits),
    )  # fmt: skip


def _hours(moments: Iterable[datetime]) -> float:
    """Return the time between decisions without long pauses."""
    spent, last = timedelta(0), None
    for at in moments:
        gap = at - last if last is not None else None
        spent += gap if gap is not None and gap <= PAUSE else _LONE_ACT
        last = at
    return spent / timedelta(hours=1)
