"""Gates in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from datetime import UTC, date, datetime

from saidonce.adapters.postgres.clean import clean, clean_admission, clean_gate, cleaned
from saidonce.adapters.postgres.records import AdmissionRow, GateVerdictRow, admission_vector, compose, verdict_row
from saidonce.errors import NotFoundError, StoreCorruptError
from saidonce.foundation.codec import verdict_from_json
from saidonce.foundation.model import (
    WORDING,
    Admission,
    GateDefinition,
    GateEvent,
    GateFigure,
    GateState,
    GateVerdict,
    HeldState,
    ReviewNote,
    Ruling,
    Vector,
)
from saidonce.foundation.ports import (
    GateStanding,
    GateTurn,
    GateWrite,
    HeldAge,
    HeldCount,
    HeldFilter,
    KeptQuery,
    KeptRow,
    NearKept,
)
from saidonce.testing.memory_state import OrgState

BATCH = 1_000
FOUND_IDS = 20


class MemoryGates:
    """Keeps the gates of one organisation in memory; see `saidonce.foundation.ports.Gates`.

    Args:
        now: gives the organisation's state.
        writing: gives a copy of it that takes its place on leaving.
        exclusive: holds the lock, and puts the state back on an error.
    """

    def __init__(
        self, now: Callable[[], OrgState], writing: Callable[[], AbstractContextManager[OrgState]],
        exclusive: Callable[[], AbstractContextManager[None]],
    ) -> None:  # fmt: skip
        self._now = now
        self._writing = writing
        self._exclusive = exclusive

    @contextmanager
    def turn(self, gate: str, keys: Sequence[str] = ()) -> Iterator[GateTurn]:
        """Take the organisation's turn to write, with how a gate stands."""
        with self._exclusive():
            yield _MemoryTurn(self, self.standing(gate, keys))

    def ensure(self, gate: GateDefinition) -> GateDefinition:
        """Make a gate if its name is free; return what the name stands for now."""
        row = clean_gate(gate)
        with self._writing() as state:
            if row.name not in state.gates:
                state.gates[row.name] = row
                state.changed = True
            return state.gates[row.name]

    def gates(self) -> tuple[GateDefinition, ...]:
        """Return all gates, by name."""
        return tuple(row for _, row in sorted(self._now().gates.items()))

    def write(self, write: GateWrite) -> tuple[GateVerdict, ...]:
        """Write everything, or nothing."""
        with self._writing() as state:
            rev = state.rev + 1
            for gate in write.gates:
                _found(state, gate)
            verdicts = tuple(replace(v, rev=rev) for v in write.verdicts)
            keys = {(row.gate, row.key): row.verdict_id for row in state.gate_verdicts.values() if row.key}
            for verdict in verdicts:
                row = verdict_row(verdict, write.due_at.get(verdict.id))
                if row.key and keys.setdefault((row.gate, row.key), row.verdict_id) != row.verdict_id:
                    raise StoreCorruptError(f"idempotency key {row.key[:40]!r} contradicts what is stored")
                state.gate_verdicts[row.verdict_id] = row
            for admission, vector in write.admissions:
                _admit(state, AdmissionRow(clean_admission(admission), rev), vector)
            for admission_id, at in write.released:
                if admission_id not in state.admissions:
                    raise NotFoundError("admission", admission_id)
                moment = at.astimezone(UTC)
                held = state.admissions[admission_id].admission
                state.admissions[admission_id] = AdmissionRow(replace(held, released_at=moment), rev)
            for event in write.events:
                seq = len(state.gate_events) + 1
                state.gate_events[seq] = cleaned(replace(event, seq=seq))
            state.changed = True
        return verdicts

    def verdict(self, id: str) -> GateVerdict | None:
        """Return one verdict, or None."""
        row = self._now().gate_verdicts.get(clean(id))
        return verdict_from_json(row.record) if row is not None else None

    def find(self, prefix: str) -> tuple[str, ...]:
        """Return the ids of verdicts that start with a prefix."""
        return tuple(sorted(i for i in self._now().gate_verdicts if i.startswith(clean(prefix)))[:FOUND_IDS])

    def verdicts(
        self, gate: str, state: GateState | None = None, reasons: Sequence[str] = (), before: int | None = None,
        limit: int = 100,
    ) -> tuple[GateVerdict, ...]:  # fmt: skip
        """Return verdicts, newest first."""
        rows = [
            row
            for row in self._newest(gate)
            if (state is None or row.state == state.value)
            and (not reasons or row.reason in reasons)
            and (before is None or row.rev < before)
        ]
        return tuple(verdict_from_json(row.record) for row in rows[:limit])

    def _newest(self, gate: str) -> list[GateVerdictRow]:
        rows = [r for r in self._now().gate_verdicts.values() if not gate or r.gate == gate]
        return sorted(rows, key=lambda r: (-r.rev, r.verdict_id))

    def held(
        self, part: HeldFilter, after: tuple[datetime, str] | None = None, limit: int = 100
    ) -> tuple[GateVerdict, ...]:  # fmt: skip
        """Return the verdicts that people are asked about, oldest submission first."""
        rows = sorted((r for r in self._now().gate_verdicts.values() if _is_in(r, part)), key=_by_age)
        rows = [row for row in rows if after is None or _by_age(row) > (after[0].astimezone(UTC), after[1])]
        return tuple(verdict_from_json(row.record) for row in rows[:limit])

    def n_held(self, part: HeldFilter) -> int:
        """Count the verdicts that people are asked about."""
        return sum(_is_in(row, part) for row in self._now().gate_verdicts.values())

    def held_counts(self, gate: str = "") -> tuple[HeldCount, ...]:
        """Count the verdicts of a gate that people are or were asked about."""
        alike: dict[tuple[str, str, str, str, str], list[datetime]] = {}
        for row in self._now().gate_verdicts.values():
            if row.held and gate in ("", row.gate):
                alike.setdefault((row.gate, row.held, row.reason, row.judge, row.assignee), []).append(row.at)
        return tuple(
            HeldCount(name, HeldState(held), reason, judge, assignee, len(moments), min(moments))
            for (name, held, reason, judge, assignee), moments in sorted(alike.items())
        )

    def decided(self, decision: str) -> tuple[GateVerdict, ...]:
        """Return the verdicts on which a person's decision stands, by id."""
        rows = sorted(self._now().gate_verdicts.items())
        mine = [row for _, row in rows if row.decision_id and row.decision_id == decision]
        return tuple(verdict_from_json(row.record) for row in mine)

    def retries(self, ids: Sequence[str]) -> dict[str, tuple[GateVerdict, ...]]:
        """Return the verdicts on later wordings by the id of the verdict that they name, oldest first."""
        rows = sorted((r for r in self._now().gate_verdicts.values() if r.retry_of and r.retry_of in ids), key=_by_age)
        later = [verdict_from_json(row.record) for row in rows]
        return {each: mine for each in ids if (mine := tuple(v for v in later if v.submission.retry_of == each))}

    def wordings(self, admission_id: str) -> tuple[str, ...]:
        """Return the ids of the live admissions that are other wordings of one, sorted."""
        state, prefix = self._now(), admission_id + WORDING
        return tuple(
            id_ for id_, row in sorted(state.admissions.items())
            if id_.startswith(prefix) and row.admission.released_at is None
        )  # fmt: skip

    def log(self, gate: str) -> Iterator[GateVerdict]:
        """Yield all verdicts of a gate, by id."""
        for _, row in sorted(self._now().gate_verdicts.items()):
            if row.gate == gate:
                yield verdict_from_json(row.record)

    def claim(self, now: datetime, until: datetime, limit: int) -> tuple[GateVerdict, ...]:
        """Take up pending verdicts that are due."""
        with self._writing() as state:
            due = [r for r in state.gate_verdicts.values() if r.due_at is not None and r.due_at <= now]
            taken = sorted(due, key=lambda r: (r.due_at or now, r.verdict_id))[:limit]
            for row in taken:
                state.gate_verdicts[row.verdict_id] = replace(row, due_at=until.astimezone(UTC))
                state.changed = True
        return tuple(verdict_from_json(row.record) for row in taken)

    def renew(self, ids: Sequence[str], until: datetime) -> None:
        """Put off when pending verdicts are due."""
        with self._writing() as state:
            for id_ in map(clean, ids):
                row = state.gate_verdicts.get(id_)
                if row is not None and row.state == GateState.PENDING:
                    state.gate_verdicts[id_] = replace(row, due_at=until.astimezone(UTC))
                    state.changed = True

    def n_pending(self, gate: str) -> int:
        """Count pending verdicts."""
        return sum(r.state == GateState.PENDING for r in self._now().gate_verdicts.values() if gate in ("", r.gate))

    def standing(self, gate: str, keys: Sequence[str] = ()) -> GateStanding:
        """Return how a gate stands, and the verdicts of idempotency keys."""
        state = self._now()
        clean_keys = {clean(key) for key in keys if key}
        stored = [r for r in state.gate_verdicts.values() if r.gate == gate and r.key in clean_keys]
        kept_rev = max((a.rev for a in state.admissions.values() if a.admission.gate == gate), default=0)
        return GateStanding(
            state.rev, _found(state, gate), kept_rev, {r.key: verdict_from_json(r.record) for r in stored}
        )

    def changes(self, gate: str, since: int) -> Iterator[Sequence[KeptRow]]:
        """Yield batches of admissions changed after a revision."""
        state = self._now()
        rows = [a for a in state.admissions.values() if a.admission.gate == gate and a.rev > since]
        rows.sort(key=lambda a: (a.rev, a.admission.id))
        for at in range(0, len(rows), BATCH):
            yield [_kept(state, a) for a in rows[at : at + BATCH]]

    def n_changes(self, gate: str, most: int) -> int:
        """Count what a gate keeps and kept, up to a number."""
        return min(most, sum(row.admission.gate == gate for row in self._now().admissions.values()))

    def near(self, gate: str, query: KeptQuery) -> NearKept:
        """Return all of the partition: each may be near."""
        state = self._now()
        rows = sorted((a for a in state.admissions.values() if a.admission.gate == gate), key=lambda a: a.admission.id)
        live = [_kept(state, row) for row in rows if _is_live(row, gate)]
        there = [row for row in live if row.partition == query.partition and row.vector is not None]
        equal = frozenset(row.id for row in there if row.content_hash == query.content_hash)
        vectors = tuple(row.vector for row in there if row.vector is not None)
        return NearKept(tuple(row.id for row in there), vectors, equal, max((row.rev for row in rows), default=0))

    def admissions(self, ids: Sequence[str]) -> dict[str, Admission]:
        """Return admissions, released ones too."""
        state = self._now()
        return {i: state.admissions[i].admission for i in ids if i in state.admissions}

    def admitted(self, gate: str) -> Iterator[Sequence[Admission]]:
        """Yield batches of a gate's live admissions, by id."""
        rows = [a.admission for _, a in sorted(self._now().admissions.items()) if _is_live(a, gate)]
        for at in range(0, len(rows), BATCH):
            yield rows[at : at + BATCH]

    def n_admitted(self, gate: str) -> int:
        """Count a gate's live admissions."""
        return sum(_is_live(a, gate) for a in self._now().admissions.values())

    def reembed(self, gate: GateDefinition, vectors: Mapping[str, Vector]) -> None:
        """Put a gate under another embedding model."""
        with self._writing() as state:
            former = state.gates.get(gate.name)
            if former is None:
                raise NotFoundError("gate", gate.name)
            live = [a for a in state.admissions.values() if _is_live(a, gate.name)]
            if any(a.admission.id not in vectors for a in live):
                raise StoreCorruptError("a live admission has no vector under the new model")
            for row in live:
                id_ = row.admission.id
                state.admissions[id_] = replace(row, rev=state.rev + 1)
                state.admission_vectors[id_] = admission_vector(id_, vectors[id_], gate.dim).vector
            state.gates[gate.name] = replace(former, model=gate.model, dim=gate.dim)
            state.changed = True

    def events(self, gate: str, verdict_id: str = "", limit: int = 100) -> tuple[GateEvent, ...]:
        """Return entries of the log, newest first."""
        rows = [
            e
            for _, e in sorted(self._now().gate_events.items(), reverse=True)
            if gate in ("", e.gate) and verdict_id in ("", e.verdict_id)
        ]
        return tuple(rows[:limit])

    def figures(self, gate: str, limit: int) -> tuple[GateFigure, ...]:
        """Return what statistics need of the newest verdicts."""
        rows = self._newest(gate)[:limit]
        return tuple(compose(GateFigure, r, is_through=verdict_from_json(r.record).is_through) for r in rows)

    def rulings(self, keys: Sequence[str]) -> dict[str, Ruling]:
        """Return remembered rulings, by key."""
        cached = self._now().gate_rulings
        return {key: cached[key] for key in keys if key in cached}

    def remember(self, rulings: Mapping[str, Ruling], anew: bool = False) -> None:
        """Remember rulings; a key that is known keeps its first one, unless they are reached anew."""
        with self._writing() as state:
            for key, ruling in rulings.items():
                if anew or clean(key) not in state.gate_rulings:
                    state.gate_rulings[clean(key)] = ruling
                    state.changed = True
                state.gate_reviews.pop(clean(key), None)

    def review(self, key: str) -> ReviewNote | None:
        """Return the note of a review, or None."""
        return self._now().gate_reviews.get(clean(key))

    def note_review(self, note: ReviewNote) -> None:
        """Note a review, in place of an earlier note of its key."""
        with self._writing() as state:
            state.gate_reviews[clean(note.key)] = replace(note, at=note.at.astimezone(UTC))
            state.changed = True

    def drop_review(self, key: str) -> None:
        """Drop the note of a review."""
        with self._writing() as state:
            state.changed = state.gate_reviews.pop(clean(key), None) is not None or state.changed

    def spent(self, day: date) -> tuple[int, float]:
        """Return the calls of a day and what they cost."""
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


class _MemoryTurn:
    """A turn of a gate; see `saidonce.foundation.ports.GateTurn`."""

    def __init__(self, gates: MemoryGates, standing: GateStanding) -> None:
        self._gates = gates
        self.standing = standing

    def settle(self, write: GateWrite) -> tuple[GateVerdict, ...]:
        """Write everything, or nothing."""
        return self._gates.write(write)


def _found(state: OrgState, gate: str) -> str:
    """Return a gate's model.

    Raises:
        NotFoundError: there is none of that name.
    """
    if gate not in state.gates:
        raise NotFoundError("gate", gate)
    return state.gates[gate].model


def _is_in(row: GateVerdictRow, part: HeldFilter) -> bool:
    return (
        row.held in part.states
        and part.gate in ("", row.gate)
        and (not part.reasons or row.reason in part.reasons)
        and row.judge.startswith(part.judge)
        and part.assignee in (None, row.assignee)
        and (part.before is None or row.at < part.before)
    )


def held_ages(org: str, state: OrgState) -> tuple[HeldAge, ...]:
    """Return what an organisation's gates hold for people, by reason."""
    alike: dict[str, list[datetime]] = {}
    for row in state.gate_verdicts.values():
        if row.held == HeldState.OPEN:
            alike.setdefault(row.reason, []).append(row.at)
    return tuple(HeldAge(org, reason, len(moments), min(moments)) for reason, moments in sorted(alike.items()))


def _by_age(row: GateVerdictRow) -> tuple[datetime, str]:
    return row.at, row.verdict_id


def _is_live(row: AdmissionRow, gate: str) -> bool:
    return row.admission.gate == gate and row.admission.released_at is None


def _admit(state: OrgState, row: AdmissionRow, vector: Vector) -> None:
    admission = row.admission
    if admission.id in state.admissions:
        raise StoreCorruptError("what was written contradicts what is stored (an admission stands twice)")
    state.admissions[admission.id] = row
    stored = admission_vector(admission.id, vector, state.gates[admission.gate].dim)
    state.admission_vectors[admission.id] = stored.vector


def _kept(state: OrgState, row: AdmissionRow) -> KeptRow:
    of = row.admission
    live = of.released_at is None
    vector = state.admission_vectors[of.id] if live else None
    return KeptRow(of.id, row.rev, live, of.partition, of.candidate.content_hash, vector)
