"""Claims: of all who may create what a verdict authorises, one does."""

from __future__ import annotations

from saidonce.foundation.context import Context
from saidonce.foundation.model import GateAct, GateEvent, GateState, HeldState
from saidonce.foundation.ports import GateWrite
from saidonce.gate.authorize import authorize

CREATOR = "creator"
"""Actor of the log's entries on what was created."""

CREATED, FAILED = "created", "creating it failed"
_MOST = 1_000


def claim(context: Context, verdict_id: str) -> bool:
    """Return whether the caller is the one who creates what a verdict authorises: the first who asks, and no other."""
    gates = context.store.gates
    with context.store.ledger.exclusive():
        verdict = gates.verdict(verdict_id)
        if verdict is None or not authorize(verdict):
            return False
        entries = gates.events(verdict.gate, verdict.id, _MOST)
        if next((e.detail for e in entries if e.act is GateAct.NOTED and e.actor == CREATOR), FAILED) == CREATED:
            return False
        _note(context, verdict.gate, verdict.id, CREATED)
        return True


def give_up(context: Context, verdict_id: str) -> bool:
    """Note that what was claimed was not created; return whether a person let it through, so that it may be again."""
    gates = context.store.gates
    with context.store.ledger.exclusive():
        verdict = gates.verdict(verdict_id)
        if verdict is None or verdict.state is not GateState.RULED or verdict.held is not HeldState.LET_THROUGH:
            return False
        _note(context, verdict.gate, verdict.id, FAILED)
        return True


def _note(context: Context, gate: str, verdict_id: str, detail: str) -> None:
    event = GateEvent(gate, verdict_id, GateAct.NOTED, CREATOR, detail, context.clock.now())
    context.store.gates.write(GateWrite(events=(event,)))
