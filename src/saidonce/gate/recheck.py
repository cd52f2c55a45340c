"""Flow: judges are asked whether they stand by their clears; what one took back is told, and waits for a person."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol

from saidonce.foundation.codec import storable
from saidonce.foundation.context import Context
from saidonce.foundation.model import (
    Candidate,
    GateAct,
    GateEvent,
    GateState,
    GateVerdict,
    Match,
    Opinion,
    Question,
    Reason,
    Retraction,
    Ruling,
)
from saidonce.foundation.ports import GateWrite
from saidonce.gate.rules import policy_of, prepare
from saidonce.matching.guards import GUARDS
from saidonce.matching.ladder import Case, ask

MOST_WHY = 500
_PAGE = 200


class LooksAgain(Protocol):
    """An adjudicator that can tell later what it says of a review now."""

    def look_again(self, question: Question, ruling: Ruling) -> Ruling | None:
        """Return the current ruling; None if it is not available."""
        ...


@dataclass(frozen=True, slots=True)
class Rechecked:
    """What looking again at clears came to.

    Attributes:
        n_stand: clears that the judge stands by.
        n_unknown: of those it could not be told: the service was away, or has forgotten the review.
        retracted: verdicts whose clear was taken back; they wait for a person.
    """

    n_stand: int
    n_unknown: int
    retracted: tuple[GateVerdict, ...]


def clears_since(context: Context, gate: str, since: datetime) -> Iterator[GateVerdict]:
    """Yield verdicts that a judge cleared and nobody has audited, newest first; of all gates if none is named."""
    before: int | None = None
    while True:
        page = context.store.gates.verdicts(gate, GateState.RULED, (Reason.LLM_CLEARED,), before, _PAGE)
        yield from (verdict for verdict in page if verdict.at >= since and _may_be_taken_back(verdict))
        if len(page) < _PAGE or all(verdict.at < since for verdict in page):
            return
        before = min(verdict.rev for verdict in page)


def _may_be_taken_back(verdict: GateVerdict) -> bool:
    is_reviewed = verdict.ruling is not None and verdict.ruling.review is not None
    is_settled = verdict.released_at is not None or verdict.retraction is not None or verdict.audit is not None
    return is_reviewed and verdict.reason is Reason.LLM_CLEARED and not is_settled


def recheck(context: Context, judge: LooksAgain, clears: Sequence[GateVerdict]) -> Rechecked:
    """Ask whether clears still stand, and record the retracted ones.

    A clear that was taken back authorises nothing any more. What it admitted stays kept, so that nothing slips in
    beside it, until a person has looked: it is listed for an audit with the reason `retracted`.
    """
    n_stand = n_unknown = 0
    retracted: list[GateVerdict] = []
    for verdict in clears:
        question = question_of(context, verdict)
        now = judge.look_again(question, verdict.ruling) if question is not None and verdict.ruling else None
        if now is None:
            n_unknown += 1
        elif now.opinion is Opinion.DISTINCT and now.failure is None:
            n_stand += 1
        elif (changed := _retract(context, verdict.id, now)) is not None:
            retracted.append(changed)
    return Rechecked(n_stand, n_unknown, tuple(retracted))


def question_of(context: Context, verdict: GateVerdict) -> Question | None:
    """Return the question that a judge ruled on, from what is stored; None if something of it is there no more."""
    rules = verdict.rules
    if rules is None:
        return None
    near = [n for n in verdict.near if n.similarity >= rules.clear_below]
    kept = context.store.gates.admissions([n.id for n in near])
    if len(kept) < len(near):
        return None
    matches = tuple(
        Match(n.id, n.similarity, kept[n.id].candidate if n.id in kept else Candidate("", "")) for n in verdict.near
    )
    return ask(Case(prepare(verdict.submission, rules.fields).candidate, matches, policy_of(rules), GUARDS))


def _retract(context: Context, verdict_id: str, now: Ruling) -> GateVerdict | None:
    """Record that a clear was taken back, unless somebody has dealt with the verdict meanwhile."""
    with context.store.ledger.exclusive():
        verdict = context.store.gates.verdict(verdict_id)
        if verdict is None or not _may_be_taken_back(verdict):
            return None
        at = context.clock.now()
        says = f"it now says {now.failure or now.opinion}"
        why = storable(f"{says}: {now.reason}" if now.reason else says)[:MOST_WHY]
        event = GateEvent(verdict.gate, verdict.id, GateAct.RETRACTED, now.adjudicator, why, at)
        changed = replace(verdict, retraction=Retraction(now.adjudicator, why, at))
        return context.store.gates.write(GateWrite((changed,), events=(event,)))[0]
