"""Gates in PostgreSQL."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import date, datetime
from typing import Any

from psycopg.rows import TupleRow

from saidonce.adapters.postgres.clean import clean, clean_admission, clean_gate, cleaned
from saidonce.adapters.postgres.connection import Database, WriteTurn
from saidonce.adapters.postgres.postgres_write import Statements, Writer
from saidonce.adapters.postgres.records import AdmissionRow, admission_vector, verdict_row
from saidonce.adapters.postgres.statements import queries
from saidonce.adapters.postgres.tables import rows_to_json
from saidonce.adapters.postgres.wire import unpack
from saidonce.errors import NotFoundError, StoreCorruptError
from saidonce.foundation.codec import ruling_from_json, ruling_to_json, verdict_from_json
from saidonce.foundation.model import (
    WORDING,
    Admission,
    GateDefinition,
    GateEvent,
    GateFigure,
    GateState,
    GateVerdict,
    ReviewNote,
    Ruling,
    Vector,
)
from saidonce.foundation.ports import (
    GateStanding,
    GateTurn,
    GateWrite,
    HeldCount,
    HeldFilter,
    KeptQuery,
    KeptRow,
    NearKept,
)

BATCH = 2_000
FOUND_IDS = 20

NEAR_MEMORY_MB = 64
"""Memory of the server for one search of what a gate keeps: 100,000 kept ones take 11 MB beside their vectors."""


class PostgresGates:
    """Keeps the gates of one organisation in PostgreSQL; see `saidonce.foundation.ports.Gates`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def ensure(self, gate: GateDefinition) -> GateDefinition:
        """Create a gate if its name is free; return the gate with this name."""
        row = clean_gate(gate)
        if not (gates := self._database.nouns(GateDefinition, "gates", names=[row.name])):
            with self._database.turn() as turn:
                writer = Writer(turn)
                writer.put("make_gate", row)
                writer.finish()
                gates = writer.nouns(GateDefinition, "gates", names=[row.name])
        return gates[0]

    def gates(self) -> tuple[GateDefinition, ...]:
        """Return all gates, by name."""
        return tuple(self._database.nouns(GateDefinition, "gates", names=None))

    @contextmanager
    def turn(self, gate: str, keys: Sequence[str] = ()) -> Iterator[GateTurn]:
        """Take the organisation's turn to write, with how a gate stands."""
        with self._database.opened_turn("standing", gate=clean(gate), keys=_keys_json(keys)) as turn:
            yield _PostgresTurn(self._database, turn, _standing_of(gate, turn.opening))

    def write(self, write: GateWrite) -> tuple[GateVerdict, ...]:
        """Write everything, or nothing."""
        with self._database.turn() as turn:
            writer = Writer(turn)
            verdicts = tuple(replace(v, rev=writer.rev) for v in write.verdicts)
            for admission_id, at in write.released:
                if not writer.run("release_admission", id=clean(admission_id), at=at, rev=writer.rev):
                    raise NotFoundError("admission", admission_id)
            _put(writer, write, verdicts)
            writer.counted()
        if write.admissions:
            self._database.refresh_statistics()
        return verdicts

    def verdict(self, id: str) -> GateVerdict | None:
        """Return one verdict, or None."""
        rows = self._database.rows("verdict", id=clean(id))
        return verdict_from_json(rows[0][0]) if rows else None

    def find(self, prefix: str) -> tuple[str, ...]:
        """Return the ids of verdicts that start with a prefix."""
        rows = self._database.rows("find_verdicts", prefix=clean(prefix), limit=FOUND_IDS)
        return tuple(verdict_id for (verdict_id,) in rows)

    def verdicts(
        self, gate: str, state: GateState | None = None, reasons: Sequence[str] = (), before: int | None = None,
        limit: int = 100,
    ) -> tuple[GateVerdict, ...]:  # fmt: skip
        """Return verdicts, newest first."""
        rows = self._database.rows(
            "verdicts", gate=clean(gate) or None, state=state.value if state is not None else None,
            reasons=list(reasons) or None, before=before, limit=limit,
        )  # fmt: skip
        return tuple(verdict_from_json(record) for (record,) in rows)

    def held(
        self, part: HeldFilter, after: tuple[datetime, str] | None = None, limit: int = 100
    ) -> tuple[GateVerdict, ...]:  # fmt: skip
        """Return the verdicts that people are asked about, oldest submission first."""
        after_at, after_id = after if after is not None else (None, "")
        place = {"after_at": after_at, "after_id": clean(after_id), "limit": limit}
        rows = self._database.rows("held_verdicts", **_params(part), **place)
        return tuple(verdict_from_json(record) for (record,) in rows)

    def n_held(self, part: HeldFilter) -> int:
        """Count the verdicts that people are asked about."""
        return int(self._database.rows("n_held", **_params(part))[0][0])

    def held_counts(self, gate: str = "") -> tuple[HeldCount, ...]:
        """Count the verdicts of a gate that people are or were asked about."""
        return tuple(self._database.nouns(HeldCount, "held_counts", gate=clean(gate) or None))

    def decided(self, decision: str) -> tuple[GateVerdict, ...]:
        """Return the verdicts on which a person's decision stands, by id."""
        rows = self._database.rows("decided_verdicts", decision=clean(decision))
        return tuple(verdict_from_json(record) for (record,) in rows)

    def retries(self, ids: Sequence[str]) -> dict[str, tuple[GateVerdict, ...]]:
        """Return the verdicts on later wordings by the id of the verdict that they name, oldest first."""
        rows = self._database.rows("retries", ids=[clean(each) for each in ids]) if ids else []
        later = [verdict_from_json(record) for (record,) in rows]
        return {each: mine for each in ids if (mine := tuple(v for v in later if v.submission.retry_of == each))}

    def wordings(self, admission_id: str) -> tuple[str, ...]:
        """Return the ids of the live admissions that are other wordings of one, sorted."""
        prefix = clean(admission_id) + WORDING
        end = prefix[:-1] + chr(ord(WORDING) + 1)
        return tuple(id_ for (id_,) in self._database.rows("wordings", prefix=prefix, end=end))

    def log(self, gate: str) -> Iterator[GateVerdict]:
        """Yield all verdicts of a gate, by id."""
        for batch in self._database.stream("log_of_gate", BATCH, gate=clean(gate)):
            yield from (verdict_from_json(record) for (record,) in batch)

    def claim(self, now: datetime, until: datetime, limit: int) -> tuple[GateVerdict, ...]:
        """Take up pending verdicts that are due."""
        with self._database.turn() as turn:
            rows = Writer(turn).run("claim", now=now, until=until, limit=limit)
        return tuple(verdict_from_json(record) for (record,) in rows)

    def renew(self, ids: Sequence[str], until: datetime) -> None:
        """Put off when pending verdicts are due."""
        with self._database.writing() as cursor:
            Statements(cursor).run("renew_lease", ids=[clean(each) for each in ids], until=until)

    def n_pending(self, gate: str) -> int:
        """Count pending verdicts."""
        return int(self._database.rows("n_pending", gate=clean(gate) or None)[0][0])

    def standing(self, gate: str, keys: Sequence[str] = ()) -> GateStanding:
        """Return how a gate stands, and the verdicts of idempotency keys."""
        return _standing_of(gate, self._database.rows("standing", gate=clean(gate), keys=_keys_json(keys)))

    def changes(self, gate: str, since: int) -> Iterator[Sequence[KeptRow]]:
        """Yield batches of admissions changed after a revision."""
        for batch in self._database.stream("kept_since", BATCH, gate=clean(gate), since=since):
            vectors = iter(unpack([row[5] for row in batch if row[2]]))
            yield [
                KeptRow(id_, rev, live, partition, content_hash, next(vectors) if live else None)
                for id_, rev, live, partition, content_hash, _ in batch
            ]

    def n_changes(self, gate: str, most: int) -> int:
        """Count what a gate keeps and kept, up to a number."""
        return int(self._database.rows("n_changes", gate=clean(gate), most=most)[0][0])

    def near(self, gate: str, query: KeptQuery) -> NearKept:
        """Return what may be near to a vector."""
        named = {
            "gate": clean(gate), "partition": query.partition, "content_hash": query.content_hash,
            "vector": query.vector, "k": query.k, "slack": query.slack,
        }  # fmt: skip
        with self._database.reading() as connection:  # Both are of one moment.
            ((rev,),) = connection.execute(queries()["kept_rev"], {"gate": named["gate"]}).fetchall()
            # Every vector is read: from end to end, with the rest hashed in memory, costs a third of reading by key.
            # Planned for tables as they are now.
            connection.execute(f"set local enable_seqscan = on; set local work_mem = '{NEAR_MEMORY_MB}MB'")
            rows = connection.execute(queries()["near_kept"], named, binary=True, prepare=False).fetchall()
            connection.execute("set local enable_seqscan = off; set local work_mem to default")
        equal = frozenset(id_ for id_, is_equal, _ in rows if is_equal)
        return NearKept(tuple(id_ for id_, *_ in rows), tuple(unpack([row[2] for row in rows])), equal, int(rev))

    def admissions(self, ids: Sequence[str]) -> dict[str, Admission]:
        """Return admissions, released ones too."""
        cleaned = [clean(each) for each in ids]
        rows = self._database.nouns(AdmissionRow, "admissions", ids=cleaned) if ids else []
        return {row.admission.id: row.admission for row in rows}

    def admitted(self, gate: str) -> Iterator[Sequence[Admission]]:
        """Yield batches of a gate's live admissions, by id."""
        for batch in self._database.stream_nouns(AdmissionRow, "admissions_of_gate", BATCH, gate=clean(gate)):
            yield [row.admission for row in batch]

    def n_admitted(self, gate: str) -> int:
        """Count a gate's live admissions."""
        return int(self._database.rows("n_admitted", gate=clean(gate))[0][0])

    def reembed(self, gate: GateDefinition, vectors: Mapping[str, Vector]) -> None:
        """Put a gate under another embedding model."""
        with self._database.turn() as turn:
            writer = Writer(turn)
            if not writer.run("gates", names=[gate.name]):
                raise NotFoundError("gate", gate.name)
            touched = writer.run("touch_admissions", gate=gate.name, rev=writer.rev)
            live = sorted(admission_id for (admission_id,) in touched)
            if any(admission_id not in vectors for admission_id in live):
                raise StoreCorruptError("a live admission has no vector under the new model")
            writer.run("drop_vectors", ids=live)
            for at in range(0, len(live), BATCH):
                rows = [admission_vector(i, vectors[i], gate.dim) for i in live[at : at + BATCH]]
                writer.insert(rows)
            writer.run("change_gate", name=gate.name, model=gate.model, dim=gate.dim)
            writer.finish()

    def events(self, gate: str, verdict_id: str = "", limit: int = 100) -> tuple[GateEvent, ...]:
        """Return entries of the log, newest first."""
        named = {"gate": clean(gate) or None, "verdict_id": clean(verdict_id) or None}
        return tuple(self._database.nouns(GateEvent, "gate_events", **named, limit=limit))

    def figures(self, gate: str, limit: int) -> tuple[GateFigure, ...]:
        """Return what statistics need of the newest verdicts."""
        return tuple(self._database.nouns(GateFigure, "gate_figures", gate=clean(gate), limit=limit))

    def rulings(self, keys: Sequence[str]) -> dict[str, Ruling]:
        """Return remembered rulings, by key."""
        rows = self._database.rows("rulings", keys=list(keys)) if keys else []
        return {key: ruling_from_json(written) for key, written in rows}

    def remember(self, rulings: Mapping[str, Ruling], anew: bool = False) -> None:
        """Remember rulings; a key that is known keeps its first one, unless they are reached anew."""
        if not rulings:
            return
        with self._database.turn() as turn:
            writer = Writer(turn)
            for key, ruling in sorted(rulings.items()):
                writer.run("remember_ruling", key=clean(key), ruling=clean(ruling_to_json(ruling)), anew=anew)

    def review(self, key: str) -> ReviewNote | None:
        """Return the note of a review, or None."""
        notes = self._database.nouns(ReviewNote, "review_note", key=clean(key))
        return notes[0] if notes else None

    def note_review(self, note: ReviewNote) -> None:
        """Note a review, in place of an earlier note of its key."""
        named = {"key": clean(note.key), "nonce": clean(note.nonce), "review": clean(note.review), "at": note.at}
        with self._database.writing() as cursor:  # No other row depends on it, so that it waits for nobody's turn.
            Statements(cursor).run("note_review", **named)

    def drop_review(self, key: str) -> None:
        """Drop the note of a review."""
        with self._database.writing() as cursor:
            Statements(cursor).run("drop_review", key=clean(key))

    def spent(self, day: date) -> tuple[int, float]:
        """Return the calls of a day and what they cost."""
        rows = self._database.rows("spent", day=day)
        return (int(rows[0][0]), float(rows[0][1])) if rows else (0, 0.0)

    def spend(self, day: date, n_calls: int, cost: float, most_calls: int = 0, most_cost: float = 0.0) -> bool:
        """Add to what was spent on a day, if the budget allows it."""
        with self._database.turn() as turn:
            writer = Writer(turn)  # Its lock makes those who spend wait for each other.
            before = writer.run("spent", day=day) or [(0, 0.0)]
            n_before, cost_before = before[0]
            over = most_calls and n_before + n_calls > most_calls
            if n_calls and (over or (most_cost and cost_before >= most_cost)):
                return False
            writer.run("spend", day=day, n_calls=n_calls, cost=cost)
        return True


class _PostgresTurn:
    """A turn of a gate; see `saidonce.foundation.ports.GateTurn`."""

    def __init__(self, database: Database, turn: WriteTurn, standing: GateStanding) -> None:
        self._database = database
        self._turn = turn
        self.standing = standing

    def settle(self, write: GateWrite) -> tuple[GateVerdict, ...]:
        """Write everything, or nothing, and end the turn."""
        writer = Writer(self._turn)
        verdicts = tuple(replace(v, rev=writer.rev) for v in write.verdicts)
        is_lasting = bool(write.admissions) or any(v.state is GateState.PENDING for v in verdicts)
        columns = _columns(writer.rev, write, verdicts, is_lasting or not self._turn.is_whole)
        rows = self._database.last(self._turn, "write_gate", **columns)
        _check_written(rows[0], write)
        writer.counted()
        if write.admissions and self._turn.is_whole:
            self._database.refresh_statistics()
        return verdicts


def _keys_json(keys: Sequence[str]) -> str:
    return json.dumps(sorted({clean(key) for key in keys if key}))


def _standing_of(gate: str, rows: Sequence[TupleRow]) -> GateStanding:
    """Return how a gate stands.

    Raises:
        NotFoundError: there is none of that name.
    """
    if not rows:
        raise NotFoundError("gate", gate)
    rev, model, kept_rev, known = rows[0]
    return GateStanding(rev, model, kept_rev, {key: verdict_from_json(record) for key, record in known or ()})


def _params(part: HeldFilter) -> dict[str, Any]:
    return {
        "gate": clean(part.gate) or None,
        "states": [state.value for state in part.states],
        "reasons": list(part.reasons) or None,
        "judge": clean(part.judge) or None,
        "assignee": clean(part.assignee) if part.assignee is not None else None,
        "before": part.before,
    }


def _put(writer: Writer, write: GateWrite, verdicts: Sequence[GateVerdict]) -> None:
    """Write what is new in one statement: it is a journey, and each costs as much as what it carries.

    Raises:
        NotFoundError: a gate is not there.
        StoreCorruptError: a vector has another length than the gate's model gives.
    """
    _check_written(writer.run("write_gate", **_columns(writer.rev, write, verdicts))[0], write)


def _columns(
    rev: int, write: GateWrite, verdicts: Sequence[GateVerdict], is_lasting: bool = True
) -> dict[str, Any]:  # fmt: skip
    """Return the values of the statement that writes for a gate.

    Args:
        is_lasting: the end of the transaction waits until it is on the disk; else it is there within a second.
    """
    admissions = [AdmissionRow(clean_admission(a), rev) for a, _ in write.admissions]
    vectors = [admission_vector(a.id, v, len(v)) for a, v in write.admissions]
    return {
        "rev": rev,
        "lasting": is_lasting,
        "verdicts": rows_to_json([verdict_row(v, write.due_at.get(v.id)) for v in verdicts]),
        "admissions": rows_to_json(admissions),
        "vector_ids": [row.admission_id for row in vectors],
        "vectors": [row.vector for row in vectors],
        "events": rows_to_json([cleaned(replace(e, seq=n)) for n, e in enumerate(write.events, 1)]),
    }


def _check_written(counts: TupleRow, write: GateWrite) -> None:
    """Refuse a write of which something found no place.

    Raises:
        NotFoundError: a gate is not there.
        StoreCorruptError: a vector has another length than the gate's model gives.
    """
    n_verdicts, n_admissions, n_vectors, n_events, _ = counts
    if (n_verdicts, n_admissions, n_events) != (len(write.verdicts), len(write.admissions), len(write.events)):
        raise NotFoundError("gate", ", ".join(write.gates))
    if n_vectors != len(write.admissions):
        raise StoreCorruptError("a vector has another length than the gate's model gives")
