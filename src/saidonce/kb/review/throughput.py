"""How fast people decide, and how far others agree with what they decided."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from saidonce.foundation.context import Context
from saidonce.foundation.model import POLICY, Decision, Verb

MOST_LOOKED_AT = 10_000
"""Newest decisions that are counted."""

PAUSE = timedelta(minutes=5)
"""Between two decisions of a person farther apart than this, they did something else."""

_PAIR_VERBS = (Verb.MERGE, Verb.KEEP_APART, Verb.CONFLICT, Verb.DISMISS)


@dataclass(frozen=True, slots=True)
class Throughput:
    """What a person decided.

    Attributes:
        n_pairs: pairs decided, single and in bulk.
        n_acts: manual decisions; a bulk decision counts once.
        n_taken_back: of the pairs, those whose decision no longer holds.
        hours: time spent, per hour, not counting pauses of more than five minutes; each act counts at least half a
        minute.
        n_audited: of the pairs, those that another person audited; `n_agreed` of them as right.
    """

    person: str
    n_pairs: int
    n_acts: int
    n_taken_back: int
    hours: float
    n_audited: int
    n_agreed: int

    @property
    def pairs_per_hour(self) -> float:
        """Pairs decided in an hour of work."""
        return self.n_pairs / self.hours if self.hours else 0.0

    @property
    def agreement(self) -> float | None:
        """Share of audited decisions that the audit called right; None without an audit."""
        return self.n_agreed / self.n_audited if self.n_audited else None


def throughput(context: Context, person: str = "") -> tuple[Throughput, ...]:
    """Return what each person decided about pairs, busiest first, ties by name.

    Args:
        context: wired ports.
        person: only this one.
    """
    ledger = context.store.ledger
    newest = ledger.decisions([*_PAIR_VERBS, Verb.BULK, Verb.AUDIT], limit=MOST_LOOKED_AT)
    audits = {d.flag: bool(d.detail.wrong) for d in newest if d.verb is Verb.AUDIT and d.live}
    by_person: dict[str, list[Decision]] = {}
    for d in reversed(newest):
        if d.actor != POLICY and person in ("", d.actor) and d.verb is not Verb.AUDIT:
            by_person.setdefault(d.actor, []).append(d)
    rows = [_row(name, decisions, audits) for name, decisions in by_person.items()]
    return tuple(sorted((r for r in rows if r.n_pairs), key=lambda r: (-r.n_pairs, r.person)))


def _row(person: str, decisions: Sequence[Decision], audits: dict[int | None, bool]) -> Throughput:
    pairs = [d for d in decisions if d.verb in _PAIR_VERBS and (d.flag is not None or d.detail.within is not None)]
    acts = [d for d in decisions if d.detail.within is None and (d.verb is Verb.BULK or d.flag is not None)]
    audited = [audits[d.seq] for d in pairs if d.seq in audits]
    return Throughput(
        person, len(pairs), len(acts), sum(not d.live for d in pairs), _hours(d.at for d in acts), len(audited),
        audited.count(False),
    )  # fmt: skip


def _hours(moments: Iterable[datetime]) -> float:
    """Return the time between decisions without long pauses; an act after a pause counts half a minute."""
    spent, last = timedelta(0), None
    for at in moments:
        gap = at - last if last is not None else None
        spent += gap if gap is not None and gap <= PAUSE else timedelta(seconds=30)
        last = at
    return spent / timedelta(hours=1)
