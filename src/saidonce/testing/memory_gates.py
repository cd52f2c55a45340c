"""Gates in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import astuple, replace
from datetime import UTC, date, datetime

from saidonce.adapters.postgres.clean import clean
from saidonce.adapters.postgres.gate_records import (
    AdmissionRow,
    GateEventRow,
    GateVerdictRow,
    admission_of,
    admission_row,
    admission_vector,
    definition_of,
    event_row,
    figure_of,
    gate_row,
    key_taken,
    verdict_of,
    verdict_row,
)
from saidonce.errors import NotFoundError, StoreCorruptError
from saidonce.foundation.model import (
    Admission,
    GateAct,
    GateDefinition,
    GateEvent,
    GateFigure,
    GateState,
    GateVerdict,
    Ruling,
    Vector,
)
from saidonce.foundation.ports import GateStanding, GateWrite, KeptRow
from saidonce.testing.memory_state import OrgState

BATCH = 1_000
FOUND_IDS = 20


class MemoryGates:
    """Keeps the gates of one organisation in memory; see `saidonce.foundation.ports.Gates`.

    Args:
        now: gives the organisation's state.
        writing: gives a copy of it that takes its place on leaving.
    """

    def __init__(
        self, now: Callable[[], OrgState], writing: Callable[[], AbstractContextManager[OrgState]]
    ) -> None:  # fmt: skip
        self._now = now
        self._writing = writing

    def ensure(self, wanted: GateDefinition) -> GateDefinition:
        """Make a gate if its name is free; give what the name stands for now."""
        row = gate_row(wanted)
        with self._writing() as state:
            if row.name not in state.gates:
                state.gates[row.name] = row
                state.changed = True
            return definition_of(astuple(state.gates[row.name]))

    def gates(self) -> tuple[GateDefinition, ...]:
        """Give all gates, by name."""
        return tuple(definition_of(astuple(row)) for _, row in sorted(self._now().gates.items()))

    def write(self, write: GateWrite) -> tuple[GateVerdict, ...]:
        """Write everything, or nothing."""
        with self._writing() as state:
            rev = state.rev + 1
            for gate in write.gates:
                _found(state, gate)
            given = tuple(replace(v, rev=rev) for v in write.verdicts)
            keys = {(row.gate, row.key): row.verdict_id for row in state.gate_verdicts.values() if row.key}
            for verdict in given:
                row = verdict_row(verdict, write.due_at.get(verdict.id))
                if row.key and keys.setdefault((row.gate, row.key), row.verdict_id) != row.verdict_id:
                    raise key_taken(row.key)
                state.gate_verdicts[row.verdict_id] = row
            for admission, vector in write.admissions:
                _admit(state, admission_row(admission, rev), vector)
            for admission_id, at in write.released:
                if admission_id not in state.admissions:
                    raise NotFoundError("admission", admission_id)
                moment = at.astimezone(UTC)
                state.admissions[admission_id] = replace(state.admissions[admission_id], released_at=moment, rev=rev)
            for event in write.events:
                state.gate_events[len(state.gate_events) + 1] = event_row(event, len(state.gate_events) + 1)
            state.changed = True
        return given

    def verdict(self, id: str) -> GateVerdict | None:
        """Give one verdict, or None."""
        row = self._now().gate_verdicts.get(clean(id))
        return verdict_of(row.record) if row is not None else None

    def find(self, prefix: str) -> tuple[str, ...]:
        """Give the ids of verdicts that start with a prefix."""
        return tuple(sorted(i for i in self._now().gate_verdicts if i.startswith(clean(prefix)))[:FOUND_IDS])

    def verdicts(
        self, gate: str, state: GateState | None = None, reasons: Sequence[str] = (), before: int | None = None,
        limit: int = 100,
    ) -> tuple[GateVerdict, ...]:  # fmt: skip
        """Give verdicts, newest first."""
        found = [
            row
            for row in self._newest(gate)
            if (state is None or row.state == state.value)
            and (not reasons or row.reason in reasons)
            and (before is None or row.rev < before)
        ]
        return tuple(verdict_of(row.record) for row in found[:limit])

    def _newest(self, gate: str) -> list[GateVerdictRow]:
        rows = [r for r in self._now().gate_verdicts.values() if not gate or r.gate == gate]
        return sorted(rows, key=lambda r: (-r.rev, r.verdict_id))

    def log(self, gate: str) -> Iterator[GateVerdict]:
        """Give all verdicts of a gate, by id."""
        for _, row in sorted(self._now().gate_verdicts.items()):
            if row.gate == gate:
                yield verdict_of(row.record)

    def claim(self, now: datetime, until: datetime, limit: int) -> tuple[GateVerdict, ...]:
        """Take up pending verdicts that are due."""
        with self._writing() as state:
            due = [r for r in state.gate_verdicts.values() if r.due_at is not None and r.due_at <= now]
            taken = sorted(due, key=lambda r: (r.due_at or now, r.verdict_id))[:limit]
            for row in taken:
                state.gate_verdicts[row.verdict_id] = replace(row, due_at=until.astimezone(UTC))
                state.changed = True
        return tuple(verdict_of(row.record) for row in taken)

    def n_pending(self, gate: str) -> int:
        """Count pending verdicts."""
        return sum(r.state == GateState.PENDING for r in self._now().gate_verdicts.values() if gate in ("", r.gate))

    def standing(self, gate: str, keys: Sequence[str] = ()) -> GateStanding:
        """Give how a gate stands, and the verdicts of idempotency keys."""
        state = self._now()
        wanted = {clean(key) for key in keys if key}
        named = [r for r in state.gate_verdicts.values() if r.gate == gate and r.key in wanted]
        kept_rev = max((a.rev for a in state.admissions.values() if a.gate == gate), default=0)
        return GateStanding(state.rev, _found(state, gate), kept_rev, {r.key: verdict_of(r.record) for r in named})

    def changes(self, gate: str, since: int) -> Iterator[Sequence[KeptRow]]:
        """Give batches of admissions changed after a revision."""
        state = self._now()
        rows = [a for a in state.admissions.values() if a.gate == gate and a.rev > since]
        rows.sort(key=lambda a: (a.rev, a.admission_id))
        for at in range(0, len(rows), BATCH):
            yield [_kept(state, a) for a in rows[at : at + BATCH]]

    def admissions(self, ids: Sequence[str]) -> dict[str, Admission]:
        """Give admissions, released ones too."""
        state = self._now()
        return {i: _admission(state.admissions[i]) for i in ids if i in state.admissions}

    def admitted(self, gate: str) -> Iterator[Sequence[Admission]]:
        """Give batches of a gate's live admissions, by id."""
        rows = [a for _, a in sorted(self._now().admissions.items()) if a.gate == gate and a.released_at is None]
        for at in range(0, len(rows), BATCH):
            yield [_admission(a) for a in rows[at : at + BATCH]]

    def n_admitted(self, gate: str) -> int:
        """Count a gate's live admissions."""
        return sum(a.gate == gate and a.released_at is None for a in self._now().admissions.values())

    def reembed(self, wanted: GateDefinition, vectors: Mapping[str, Vector]) -> None:
        """Put a gate under another embedding model."""
        with self._writing() as state:
            former = state.gates.get(wanted.name)
            if former is None:
                raise NotFoundError("gate", wanted.name)
            live = [a for a in state.admissions.values() if a.gate == wanted.name and a.released_at is None]
            if any(a.admission_id not in vectors for a in live):
                raise StoreCorruptError("a live admission has no vector under the new model")
            for row in live:
                state.admissions[row.admission_id] = replace(row, rev=state.rev + 1)
                made = admission_vector(row.admission_id, vectors[row.admission_id], wanted.dim)
                state.admission_vectors[row.admission_id] = made.vector
            state.gates[wanted.name] = replace(former, model=wanted.model, dim=wanted.dim)
            state.changed = True

    def events(self, gate: str, verdict_id: str = "", limit: int = 100) -> tuple[GateEvent, ...]:
        """Give entries of the log, newest first."""
        rows = [
            e
            for _, e in sorted(self._now().gate_events.items(), reverse=True)
            if gate in ("", e.gate) and verdict_id in ("", e.verdict_id)
        ]
        return tuple(_event(row) for row in rows[:limit])

    def figures(self, gate: str, limit: int) -> tuple[GateFigure, ...]:
        """Give what statistics need of the newest verdicts."""
        return tuple(figure_of(row) for row in self._newest(gate)[:limit])

    def rulings(self, keys: Sequence[str]) -> dict[str, Ruling]:
        """Give remembered rulings, by key."""
        kept = self._now().gate_rulings
        return {key: kept[key] for key in keys if key in kept}

    def remember(self, rulings: Mapping[str, Ruling]) -> None:
        """Remember rulings; a key that is known keeps its first one."""
        with self._writing() as state:
            for key, ruling in rulings.items():
                state.gate_rulings.setdefault(clean(key), ruling)
                state.changed = True

    def spent(self, day: date) -> tuple[int, float]:
        """Give the calls of a day and what they cost."""
        return self._now().gate_budgets.get(day, (0, 0.0))

    def spend(self, day: date, n_calls: int, cost: float, most_calls: int = 0, most_cost: float = 0.0) -> bool:
        """Add to what was spent on a day, if the budget allows it."""
        with self._writing() as state:
            before = state.gate_budgets.get(day, (0, 0.0))
            n_before, cost_before = before
            over = most_calls and n_before + n_calls > most_calls
            if n_calls and (over or (most_cost and cost_before >= most_cost)):
                return False
            state.gate_budgets[day] = (n_before + n_calls, cost_before + cost)
            state.changed = True
        return True


def _found(state: OrgState, gate: str) -> str:
    """Give a gate's model.

    Raises:
        NotFoundError: there is none of that name.
    """
    if gate not in state.gates:
        raise NotFoundError("gate", gate)
    return state.gates[gate].model


def _admit(state: OrgState, row: AdmissionRow, vector: Vector) -> None:
    if row.admission_id in state.admissions:
        raise StoreCorruptError("what was written contradicts what is stored (an admission stands twice)")
    state.admissions[row.admission_id] = row
    made = admission_vector(row.admission_id, vector, state.gates[row.gate].dim)
    state.admission_vectors[row.admission_id] = made.vector


def _kept(state: OrgState, row: AdmissionRow) -> KeptRow:
    live = row.released_at is None
    vector = state.admission_vectors[row.admission_id] if live else None
    return KeptRow(row.admission_id, row.rev, live, row.partition, row.content_hash, vector)


def _admission(row: AdmissionRow) -> Admission:
    return admission_of(
        (row.admission_id, row.gate, row.verdict_id, row.submission, row.partition, row.text, row.content_hash,
         row.language, row.shown, row.at, row.released_at)
    )  # fmt: skip


def _event(row: GateEventRow) -> GateEvent:
    return GateEvent(row.gate, row.verdict_id, GateAct(row.act), row.actor, row.detail, row.at, row.seq)
