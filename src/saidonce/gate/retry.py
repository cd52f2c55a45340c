"""Flow: what was held without a ruling is asked about again, by the same adjudicator or another one."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from saidonce.errors import UsageError
from saidonce.foundation.codec import storable
from saidonce.foundation.context import Context
from saidonce.foundation.model import (
    AWAY,
    AskedAgain,
    Failure,
    GateAct,
    GateEvent,
    GateState,
    GateVerdict,
    HeldState,
    Opinion,
    Reason,
)
from saidonce.foundation.ports import GateWrite
from saidonce.gate.batch import LEASE
from saidonce.gate.flow import BATCH, Gate

AWAY_CAUSE, UNSURE_CAUSE, NOBODY_CAUSE = "away", "unsure", "nobody"

CAUSES = (AWAY_CAUSE, UNSURE_CAUSE, NOBODY_CAUSE, *(str(failure) for failure in Failure))
"""Why a submission is held without a ruling: `away` stands for all failures of an adjudicator that was not there,
`nobody` for no adjudicator, `unsure` for one that could not tell; the others are single failures."""


@dataclass(frozen=True, slots=True)
class Reopening:
    """How held submissions are asked about again.

    Attributes:
        by: who wants it.
        causes: of `CAUSES`; what is held for another one stays held.
        order: by whom, and whether a remembered "unsure" counts.
    """

    by: str
    causes: frozenset[str] = frozenset({AWAY_CAUSE})
    order: AskedAgain = field(default_factory=AskedAgain)


def reopening(by: str, failed: Sequence[str] = (), judge: str = "") -> Reopening:
    """Return the order for asking again about submissions held for some causes, `away` by default.

    Raises:
        UsageError: a cause is none.
    """
    causes = frozenset(part.strip().lower() for each in failed for part in each.split(",") if part.strip())
    if unknown := sorted(causes - set(CAUSES)):
        raise UsageError(f"{unknown[0][:40]!r} is not a cause; choose from {', '.join(CAUSES)}")
    return Reopening(by, causes or frozenset({AWAY_CAUSE}), AskedAgain(judge.strip(), UNSURE_CAUSE in causes))


def held_without_ruling(
    context: Context, gate: str, causes: Collection[str] = frozenset({AWAY_CAUSE})
) -> list[GateVerdict]:  # fmt: skip
    """Return the verdicts of a gate that are held for one of some causes, oldest first, ties by id.

    Reads the whole log of the gate.
    """
    held = (v for v in context.store.gates.log(gate) if _is_held_for(v, causes))
    return sorted(held, key=lambda v: (v.at, v.id))


def ask_again(context: Context, gate: Gate, held: Sequence[GateVerdict], how: Reopening) -> Iterator[GateVerdict]:
    """Have held submissions ruled on, a batch at a time; yield their verdicts as they are reached.

    They are pending meanwhile, and stay so if this is interrupted: a worker, or their next check, settles them. What
    has changed since it was listed is passed over.

    Args:
        gate: with the adjudicator that is to rule.

    Raises:
        UsageError: nobody rules at the gate.
    """
    check_asks(gate)
    for at in range(0, len(held), BATCH):
        reopened = reopen(context, held[at : at + BATCH], how, context.clock.now() + LEASE)
        yield from (verdict for _, verdict in gate.rule_each(reopened))


def check_asks(gate: Gate) -> None:
    """Refuse a retry at a gate without an adjudicator.

    Raises:
        UsageError: nobody rules at the gate.
    """
    if not gate.asks:
        raise UsageError(f"gate {gate.name!r} has no adjudicator; set gate_llm_enabled and gate_adjudicator")


def reopen(
    context: Context, held: Sequence[GateVerdict], how: Reopening, due_at: datetime
) -> tuple[GateVerdict, ...]:  # fmt: skip
    """Make held submissions pending again, all or none; return those that were still held.

    Args:
        due_at: from when on a worker takes them up.
    """
    gates = context.store.gates
    with context.store.ledger.exclusive():
        now = context.clock.now()
        present = [v for each in held if (v := gates.verdict(each.id)) is not None and _is_held_for(v, how.causes)]
        pending = tuple(
            replace(v, state=GateState.PENDING, verdict=None, near=(), rules=None, policy="", ruling=None,
                    duration_ms=0, asked_again=how.order)
            for v in present
        )  # fmt: skip
        detail = storable(how.order.judge)
        events = tuple(GateEvent(v.gate, v.id, GateAct.REOPENED, storable(how.by), detail, now) for v in pending)
        due = dict.fromkeys((v.id for v in pending), due_at)
        return gates.write(GateWrite(pending, due, events=events)) if pending else ()


def _is_held_for(verdict: GateVerdict, causes: Collection[str]) -> bool:
    """Return whether a submission waits because nobody said what it is, for one of some causes."""
    ruling = verdict.ruling
    if verdict.held is not HeldState.OPEN:
        return False
    if ruling is None:
        return NOBODY_CAUSE in causes and verdict.reason is Reason.NO_RULING
    if ruling.failure is None:
        return UNSURE_CAUSE in causes and ruling.opinion is Opinion.UNSURE
    return ruling.failure in causes or (AWAY_CAUSE in causes and ruling.failure in {*AWAY, Failure.OVERTAKEN})
