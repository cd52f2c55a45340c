"""Flow: what was held because nobody was there to rule on it is asked about again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from saidonce.foundation.codec import storable
from saidonce.foundation.context import Context
from saidonce.foundation.model import GateAct, GateEvent, GateState, GateVerdict, HeldState, Reason
from saidonce.foundation.ports import GateWrite
from saidonce.gate.batch import lease
from saidonce.gate.flow import BATCH, Gate


def held_without_ruling(context: Context, gate: str) -> list[GateVerdict]:
    """Return the verdicts of a gate that are held because the adjudicator was away, oldest first, ties by id.

    Reads the whole log of the gate.
    """
    held = (v for v in context.store.gates.log(gate) if _is_held_for_it(v))
    return sorted(held, key=lambda v: (v.at, v.id))


def ask_again(context: Context, gate: Gate, held: Sequence[GateVerdict], by: str) -> Iterator[tuple[GateVerdict, ...]]:
    """Have held submissions ruled on, a batch at a time; yield their verdicts.

    They are pending meanwhile, and stay so if this is interrupted: a worker, or their next check, settles them. What
    has changed since it was listed is passed over.
    """
    for at in range(0, len(held), BATCH):
        reopened = _reopened(context, held[at : at + BATCH], by)
        if reopened:
            yield gate.rule(reopened)


def _reopened(context: Context, held: Sequence[GateVerdict], by: str) -> tuple[GateVerdict, ...]:
    gates = context.store.gates
    with context.store.ledger.exclusive():
        now = context.clock.now()
        present = [v for each in held if (v := gates.verdict(each.id)) is not None and _is_held_for_it(v)]
        pending = tuple(
            replace(v, state=GateState.PENDING, verdict=None, near=(), rules=None, policy="", ruling=None,
                    duration_ms=0)
            for v in present
        )  # fmt: skip
        events = tuple(GateEvent(v.gate, v.id, GateAct.REOPENED, storable(by), "", now) for v in pending)
        due = dict.fromkeys((v.id for v in pending), now + lease(context.settings))
        return gates.write(GateWrite(pending, due, events=events)) if pending else ()


def _is_held_for_it(verdict: GateVerdict) -> bool:
    return verdict.held is HeldState.OPEN and verdict.reason in (Reason.AWAY, Reason.OVERTAKEN)
