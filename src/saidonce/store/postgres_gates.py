"""Gates in PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, astuple, replace
from datetime import UTC, date, datetime
from typing import Any

from saidonce.errors import NotFoundError, StoreCorruptError
from saidonce.model import (
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
from saidonce.ports import GateWrite, KeptRow
from saidonce.store.clean import clean
from saidonce.store.connection import Database
from saidonce.store.gate_records import (
    admission_of,
    admission_row,
    admission_vector,
    definition_of,
    event_row,
    gate_row,
    verdict_of,
    verdict_row,
)
from saidonce.store.postgres_write import Writer
from saidonce.store.wire import unpack
from saidonce.trail import ruling_from_json, ruling_to_json

BATCH = 2_000
FOUND_IDS = 20


class PostgresGates:
    """Keeps the gates of one organisation in PostgreSQL; see `saidonce.ports.Gates`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def ensure(self, wanted: GateDefinition) -> GateDefinition:
        """Make a gate if its name is free; give what the name stands for now."""
        row = gate_row(wanted)
        if not (found := self._database.rows("gates", names=[row.name])):
            with self._database.writing() as cursor:
                writer = Writer(cursor)
                writer.run("make_gate", **asdict(row))
                writer.finish()
                found = writer.run("gates", names=[row.name])
        return definition_of(found[0])

    def gates(self) -> tuple[GateDefinition, ...]:
        """Give all gates, by name."""
        return tuple(map(definition_of, self._database.rows("gates", names=None)))

    def write(self, write: GateWrite) -> tuple[GateVerdict, ...]:
        """Write everything, or nothing."""
        with self._database.writing() as cursor:
            writer = Writer(cursor)
            named = {v.gate for v in write.verdicts} | {a.gate for a, _ in write.admissions}
            dims, last = _standing(writer, named)
            given = tuple(replace(v, rev=writer.rev) for v in write.verdicts)
            vectors = [admission_vector(a.id, v, dims[a.gate]) for a, v in write.admissions]
            for admission_id, at in write.released:
                if not writer.run("release_admission", id=clean(admission_id), at=at, rev=writer.rev):
                    raise NotFoundError("admission", admission_id)
            with cursor.connection.pipeline():  # Nothing is asked from here on: one journey instead of five.
                for verdict in given:
                    writer.run("put_verdict", **_values(verdict_row(verdict, write.due_at.get(verdict.id))))
                writer.insert("admission", [admission_row(a, writer.rev) for a, _ in write.admissions])
                writer.insert("admission_vector", vectors)
                writer.insert("gate_event", [event_row(e, last + n) for n, e in enumerate(write.events, 1)])
                writer.finish()
        if write.admissions:
            self._database.refresh_statistics()
        return given

    def verdict(self, id: str) -> GateVerdict | None:
        """Give one verdict, or None."""
        found = self._database.rows("verdict", id=clean(id))
        return verdict_of(found[0][0]) if found else None

    def by_keys(self, gate: str, keys: Sequence[str]) -> dict[str, GateVerdict]:
        """Give the verdicts of idempotency keys, by key."""
        wanted = sorted({clean(key) for key in keys if key})
        found = self._database.rows("verdicts_by_key", gate=clean(gate), keys=wanted) if wanted else []
        return {key: verdict_of(record) for key, record in found}

    def find(self, prefix: str) -> tuple[str, ...]:
        """Give the ids of verdicts that start with a prefix."""
        found = self._database.rows("find_verdicts", prefix=clean(prefix), limit=FOUND_IDS)
        return tuple(verdict_id for (verdict_id,) in found)

    def verdicts(
        self, gate: str, state: GateState | None = None, reasons: Sequence[str] = (), before: int | None = None,
        limit: int = 100,
    ) -> tuple[GateVerdict, ...]:  # fmt: skip
        """Give verdicts, newest first."""
        found = self._database.rows(
            "verdicts", gate=clean(gate) or None, state=state.value if state is not None else None,
            reasons=list(reasons) or None, before=before, limit=limit,
        )  # fmt: skip
        return tuple(verdict_of(record) for (record,) in found)

    def log(self, gate: str) -> Iterator[GateVerdict]:
        """Give all verdicts of a gate, by id."""
        for batch in self._database.stream("log_of_gate", BATCH, gate=clean(gate)):
            yield from (verdict_of(record) for (record,) in batch)

    def claim(self, now: datetime, until: datetime, limit: int) -> tuple[GateVerdict, ...]:
        """Take up pending verdicts that are due."""
        with self._database.writing() as cursor:
            found = Writer(cursor).run("claim", now=now, until=until, limit=limit)
        return tuple(verdict_of(record) for (record,) in found)

    def n_pending(self, gate: str) -> int:
        """Count pending verdicts."""
        return int(self._database.rows("n_pending", gate=clean(gate) or None)[0][0])

    def standing(self, gate: str) -> tuple[str, int]:
        """Give a gate's embedding model and the newest revision of what it keeps."""
        found = self._database.rows("standing", gate=clean(gate))
        if not found:
            raise NotFoundError("gate", gate)
        return str(found[0][0]), int(found[0][1])

    def changes(self, gate: str, since: int) -> Iterator[Sequence[KeptRow]]:
        """Give batches of admissions changed after a revision."""
        for batch in self._database.stream("kept_since", BATCH, gate=clean(gate), since=since):
            vectors = iter(unpack([row[5] for row in batch if row[2]]))
            yield [
                KeptRow(id_, rev, live, partition, content_hash, next(vectors) if live else None)
                for id_, rev, live, partition, content_hash, _ in batch
            ]

    def admissions(self, ids: Sequence[str]) -> dict[str, Admission]:
        """Give admissions, released ones too."""
        found = self._database.rows("admissions", ids=[clean(each) for each in ids]) if ids else []
        return {row[0]: admission_of(row) for row in found}

    def admitted(self, gate: str) -> Iterator[Sequence[Admission]]:
        """Give batches of a gate's live admissions, by id."""
        for batch in self._database.stream("admissions_of_gate", BATCH, gate=clean(gate)):
            yield [admission_of(row) for row in batch]

    def n_admitted(self, gate: str) -> int:
        """Count a gate's live admissions."""
        return int(self._database.rows("n_admitted", gate=clean(gate))[0][0])

    def reembed(self, wanted: GateDefinition, vectors: Mapping[str, Vector]) -> None:
        """Put a gate under another embedding model."""
        with self._database.writing() as cursor:
            writer = Writer(cursor)
            _standing(writer, {wanted.name})
            touched = writer.run("touch_admissions", gate=wanted.name, rev=writer.rev)
            live = sorted(admission_id for (admission_id,) in touched)
            if any(admission_id not in vectors for admission_id in live):
                raise StoreCorruptError("a live admission has no vector under the new model")
            writer.run("drop_vectors", ids=live)
            for at in range(0, len(live), BATCH):
                rows = [admission_vector(i, vectors[i], wanted.dim) for i in live[at : at + BATCH]]
                writer.insert("admission_vector", rows)
            writer.run("change_gate", name=wanted.name, model=wanted.model, dim=wanted.dim)
            writer.finish()

    def events(self, gate: str, verdict_id: str = "", limit: int = 100) -> tuple[GateEvent, ...]:
        """Give entries of the log, newest first."""
        found = self._database.rows(
            "gate_events", gate=clean(gate) or None, verdict_id=clean(verdict_id) or None, limit=limit
        )
        return tuple(
            GateEvent(of_gate, of, GateAct(act), actor, detail, at.astimezone(UTC), seq)
            for of_gate, of, act, actor, detail, at, seq in found
        )

    def figures(self, gate: str, limit: int) -> tuple[GateFigure, ...]:
        """Give what statistics need of the newest verdicts."""
        found = self._database.rows("gate_figures", gate=clean(gate), limit=limit)
        return tuple(replace(GateFigure(*row), at=row[-1].astimezone(UTC)) for row in found)

    def rulings(self, keys: Sequence[str]) -> dict[str, Ruling]:
        """Give remembered rulings, by key."""
        found = self._database.rows("rulings", keys=list(keys)) if keys else []
        return {key: ruling_from_json(written) for key, written in found}

    def remember(self, rulings: Mapping[str, Ruling]) -> None:
        """Remember rulings; a key that is known keeps its first one."""
        if not rulings:
            return
        with self._database.writing() as cursor:
            writer = Writer(cursor)
            for key, ruling in sorted(rulings.items()):
                writer.run("remember_ruling", key=clean(key), ruling=clean(ruling_to_json(ruling)))

    def spent(self, day: date) -> tuple[int, float]:
        """Give the calls of a day and what they cost."""
        found = self._database.rows("spent", day=day)
        return (int(found[0][0]), float(found[0][1])) if found else (0, 0.0)

    def spend(self, day: date, n_calls: int, cost: float, most_calls: int = 0, most_cost: float = 0.0) -> bool:
        """Add to what was spent on a day, if the budget allows it."""
        with self._database.writing() as cursor:
            writer = Writer(cursor)  # Its lock makes those who spend wait for each other.
            before = writer.run("spent", day=day) or [(0, 0.0)]
            n_before, cost_before = before[0]
            over = most_calls and n_before + n_calls > most_calls
            if n_calls and (over or (most_cost and cost_before >= most_cost)):
                return False
            writer.run("spend", day=day, n_calls=n_calls, cost=cost)
        return True


def _values(row: Any) -> dict[str, Any]:
    return dict(zip(row.__slots__, astuple(row), strict=True))


def _standing(writer: Writer, gates: set[str]) -> tuple[dict[str, int], int]:
    """Give the dimensions of gates, and the number of the newest entry of the log.

    Raises:
        NotFoundError: one of them is not there.
    """
    names, dims, last = writer.run("gates_and_log", names=sorted(gates))[0]
    found = dict(zip(names, dims, strict=True))
    for name in sorted(gates):
        if name not in found:
            raise NotFoundError("gate", name)
    return found, int(last)
