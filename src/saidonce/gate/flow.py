"""The gate: "have we this already?", asked before something is created."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import islice

from saidonce.errors import KeyTakenError, NotFoundError, UsageError
from saidonce.foundation import tracing
from saidonce.foundation.codec import storable
from saidonce.foundation.context import Context
from saidonce.foundation.lookalikes import as_seen
from saidonce.foundation.model import (
    Admission,
    AskedAgain,
    GateAct,
    GateDefinition,
    GateEvent,
    GateFields,
    GateState,
    GateVerdict,
    HeldChoice,
    Submission,
    Vector,
)
from saidonce.foundation.ports import Adjudicator, GateWrite, Store
from saidonce.foundation.text import digest
from saidonce.gate.admitted import AdmittedIndex
from saidonce.gate.authorize import authorize
from saidonce.gate.batch import LEASE, GateDeps, Noted, Open, check_same, query_of, settle
from saidonce.gate.figures import GateStats, stats
from saidonce.gate.first_tries import check_first_tries
from saidonce.gate.held import HeldItem, HeldOrder, decide_one
from saidonce.gate.replay import Replay, differs
from saidonce.gate.rules import Prepared, fields_from, prepare, prepare_new, rules_of

BATCH = 50
"""Submissions that are settled in one transaction. Source: the plan, section 6."""

MAX_WHY = 2_000
VERDICT = "gv-"
"""With this every id of a verdict begins."""


@dataclass(frozen=True, slots=True)
class GateImport:
    """What an import kept; `n_known` were kept already, with the same content."""

    n_kept: int
    n_known: int


def define(context: Context, name: str, fields: GateFields | None = None) -> GateDefinition:
    """Return the definition of a gate, created from the settings if it is new.

    Raises:
        UsageError: it exists and compares other parts than `fields`.
        SettingsError: the settings embed no part.
    """
    compared = fields if fields is not None else fields_from(context.settings)
    embedder = context.embedder
    definition = context.store.gates.ensure(
        GateDefinition(storable(name), compared, embedder.model, embedder.dim, context.clock.now())
    )
    if fields is not None and definition.fields != fields:
        raise UsageError(f"gate {name!r} compares {definition.fields}, not {fields}; use another name for another gate")
    return definition


class Gate:
    """Decides whether a submission repeats one that the gate keeps, and keeps those it lets through.

    Args:
        context: wired ports.
        index: cache of what this gate keeps.
        adjudicator: rules where similarity cannot tell; None holds what nobody may rule on.
        on_verdict: called with every verdict reached.
    """

    authorize = staticmethod(authorize)

    def __init__(
        self,
        context: Context,
        definition: GateDefinition,
        index: AdmittedIndex,
        adjudicator: Adjudicator | None = None,
        on_verdict: Noted = lambda _verdict: None,
    ) -> None:
        self._context = context
        self._adjudicator = adjudicator
        self._noted = on_verdict
        self._index = index
        self.definition = definition

    @property
    def name(self) -> str:
        """Name of the gate."""
        return self.definition.name

    @property
    def asks(self) -> bool:
        """Return whether an adjudicator is asked within the band."""
        return self._deps.adjudicator is not None

    @property
    def index(self) -> AdmittedIndex:
        """Cache of what it keeps."""
        return self._index

    @property
    def noted(self) -> Noted:
        """Called with every verdict reached."""
        return self._noted

    @property
    def _deps(self) -> GateDeps:
        rules = rules_of(self._context.settings, self.definition)
        return GateDeps(self._context, self._index, rules, self._adjudicator if rules.asks else None)

    def check(self, submission: Submission, reserve: bool = True) -> GateVerdict:
        """Return the verdict on a submission; if it is cleared, it is kept in the same transaction.

        Args:
            submission: with a key, the same one returns the stored verdict.
            reserve: keep it, so that nobody else can clear the same; without, two workers both may.

        Raises:
            UsageError: it is empty or too long, or its key stands for another submission.
            ModelMismatchError: the gate keeps vectors of another embedding model.
        """
        return self.check_many([submission], reserve)[0]

    def check_many(self, submissions: Sequence[Submission], reserve: bool = True) -> tuple[GateVerdict, ...]:
        """Return the verdicts on many submissions, in their order: each is also compared with those before it.

        Texts are embedded together, and an adjudicator is asked about all that need it together.

        Raises:
            UsageError: one is empty or too long, or its key stands for another submission; none is judged then.
            ModelMismatchError: the gate keeps vectors of another embedding model.
        """
        with tracing.span("gate", submissions=len(submissions), waits=True):
            return _by_place(self._check(submissions, reserve, waits=True), len(submissions))

    def check_each(
        self, submissions: Sequence[Submission], reserve: bool = True
    ) -> Generator[tuple[int, GateVerdict], None, None]:
        """Check many like `check_many`; yield each verdict with its place, counted from 0, as it is reached.

        Who stops reading leaves what needs a ruling pending: its next check, or a worker, goes on with it.

        Raises:
            UsageError: one is empty or too long, or its key stands for another submission; none is judged then.
            ModelMismatchError: the gate keeps vectors of another embedding model.
        """
        return self._check(submissions, reserve, waits=True)

    def submit_many(self, submissions: Sequence[Submission], reserve: bool = True) -> tuple[GateVerdict, ...]:
        """Check many without waiting for an adjudicator: what needs one stays pending until a worker has it ruled on.

        Raises:
            UsageError: one is empty or too long, or its key stands for another submission; none is judged then.
            ModelMismatchError: the gate keeps vectors of another embedding model.
        """
        with tracing.span("gate", submissions=len(submissions), waits=False):
            return _by_place(self._check(submissions, reserve, waits=False), len(submissions))

    def _check(
        self, submissions: Sequence[Submission], reserve: bool, waits: bool
    ) -> Generator[tuple[int, GateVerdict], None, None]:
        prepared = [prepare_new(each, self.definition.fields) for each in submissions]
        check_first_tries(self._context.store, self.name, [p.submission for p in prepared])
        for at in range(0, len(prepared), BATCH):
            places = range(at, min(at + BATCH, len(prepared)))
            yield from self._check_batch({place: prepared[place] for place in places}, reserve, waits)

    def _check_batch(
        self, batch: dict[int, Prepared], reserve: bool, waits: bool
    ) -> Iterator[tuple[int, GateVerdict]]:  # fmt: skip
        # Of one alone the turn to write tells whether it is known: no journey before it.
        known = self._stored_by_key(list(batch.values())) if len(batch) > 1 else {}
        first: dict[str, int] = {}
        for place, one in batch.items():
            key = one.submission.key
            if key and one.fingerprint != batch[first.setdefault(key, place)].fingerprint:
                raise KeyTakenError(f"the key {key[:80]!r} is used for two submissions; give each its own key")
        stored = {
            place: known[one.submission.key]
            for place, one in batch.items()
            if one.submission.key in known and _is_done(known[one.submission.key], waits)
        }
        repeats: dict[int, list[int]] = {}
        for place, one in batch.items():
            if place not in stored:
                repeats.setdefault(first.get(one.submission.key, place), []).append(place)
        yield from stored.items()
        with tracing.span("gate", "embed", texts=len(repeats)):
            vectors = self._context.embedder.embed([batch[p].embedded for p in repeats])
        started = time.perf_counter()
        opened = [
            Open(place, batch[place], vector, reserve, started, known.get(batch[place].submission.key))
            for place, vector in zip(repeats, vectors, strict=True)
        ]
        for place, verdict in self._settle(opened, waits):
            yield from ((repeat, verdict) for repeat in repeats[place])

    def _stored_by_key(self, prepared: Sequence[Prepared]) -> dict[str, GateVerdict]:
        """Return the stored verdicts of the keys."""
        keys = [p.submission.key for p in prepared if p.submission.key]
        stored = dict(self._context.store.gates.standing(self.name, keys).by_key) if keys else {}
        for one in prepared:
            if one.submission.key in stored:
                check_same(stored[one.submission.key], one)
        return stored

    def _settle(self, opened: Sequence[Open], waits: bool) -> Iterator[tuple[int, GateVerdict]]:
        """Settle submissions, note their verdicts, and yield them by place as they are reached."""
        with closing(settle(self._deps, opened, waits)) as turns:
            for verdicts in turns:
                for place, verdict in sorted(verdicts.items()):
                    self._noted(verdict)
                    yield place, verdict

    def rule(self, pending: Sequence[GateVerdict]) -> tuple[GateVerdict, ...]:
        """Have pending submissions of this gate ruled on and settled; the ruled ones are given as they are stored."""
        with tracing.span("gate", "rule", submissions=len(pending)):
            return _by_place(self.rule_each(pending), len(pending))

    def rule_each(self, pending: Sequence[GateVerdict]) -> Iterator[tuple[int, GateVerdict]]:
        """Rule like `rule`; yield each verdict with its place, counted from 0, as it is reached."""
        prepared = [prepare(v.submission, self.definition.fields) for v in pending]
        vectors = self._context.embedder.embed([p.embedded for p in prepared])
        started = time.perf_counter()
        opened = [
            Open(place, p, vector, v.reserves, started, v)
            for place, (p, vector, v) in enumerate(zip(prepared, vectors, pending, strict=True))
        ]
        return self._settle(opened, waits=True)

    def override(self, verdict_id: str, by: str, why: str) -> GateVerdict:
        """Let a blocked submission through in a person's name; it is kept like any other.

        Raises:
            NotFoundError: no such verdict here.
            UsageError: nobody or no reason is given, it is not blocked, or the same content is kept.
            StaleWriteError: somebody decided about it before, or it was ruled on again.
        """
        if not by.strip() or not why.strip():
            raise UsageError("an override needs the name of a person and a reason")
        item = HeldItem(self._stored_verdict(verdict_id).id)
        order = HeldOrder(HeldChoice.LET_THROUGH, by, why, past_newer=True)
        (stored,) = decide_one(self._context, lambda _name: self, item, order).done
        return stored

    def release(self, verdict_id: str, by: str, why: str = "") -> GateVerdict:
        """Release an admitted submission: it is no longer kept, and its verdict no longer authorises anything.

        Raises:
            NotFoundError: no such verdict here.
            UsageError: nobody's name is given, or it was not kept or was released before.
        """
        if not by.strip():
            raise UsageError("a release needs the name of a person")
        context = self._context
        with context.store.ledger.exclusive():
            verdict = self._stored_verdict(verdict_id)
            if not verdict.admitted or verdict.released_at is not None:
                raise UsageError(f"{verdict.id} is not kept")
            now = context.clock.now()
            event = GateEvent(
                self.name, verdict.id, GateAct.RELEASED, storable(by.strip()), storable(why)[:MAX_WHY], now
            )
            changed = replace(verdict, released_at=now)
            kept = (verdict.admitted, *context.store.gates.wordings(verdict.admitted))
            write = GateWrite(verdicts=(changed,), released=tuple((id_, now) for id_ in kept), events=(event,))
            return context.store.gates.write(write)[0]

    def import_(self, submissions: Iterable[Submission], by: str = "import") -> Iterator[GateImport]:
        """Keep submissions without a check, a batch at a time; what is kept already stays as it is.

        Raises:
            UsageError: one is empty or too long; the batches before it are kept.
            ModelMismatchError: the gate keeps vectors of another embedding model.
        """
        rows = iter(submissions)
        while batch := list(islice(rows, BATCH)):
            yield self._import_batch([prepare_new(each, self.definition.fields) for each in batch], by)

    def _import_batch(self, prepared: Sequence[Prepared], by: str) -> GateImport:
        context = self._context
        vectors = context.embedder.embed([p.embedded for p in prepared])
        with context.store.ledger.exclusive():
            self._index.catch_up(context.store)
            now, rev = context.clock.now(), context.store.rev()
            pools = self._index.pools([query_of(p, vector) for p, vector in zip(prepared, vectors, strict=True)], 1)
            fresh: dict[tuple[str, str], tuple[Admission, Vector]] = {}
            for number, (p, vector, pool) in enumerate(zip(prepared, vectors, pools, strict=True)):
                content = (p.partition, p.candidate.content_hash)
                if not pool.equal and content not in fresh:
                    id_ = digest("import", self.name, str(rev), str(number))
                    admission = Admission(id_, self.name, p.candidate, p.submission, p.partition, "", now)
                    fresh[content] = (admission, vector)
            if fresh:
                event = GateEvent(self.name, "", GateAct.IMPORTED, storable(by), f"{len(fresh)} kept", now)
                context.store.gates.write(GateWrite(admissions=tuple(fresh.values()), events=(event,)))
        return GateImport(len(fresh), len(prepared) - len(fresh))

    def _stored_verdict(self, verdict_id: str) -> GateVerdict:
        verdict = self._context.store.gates.verdict(verdict_id)
        if verdict is None or verdict.gate != self.name:
            raise NotFoundError("verdict", verdict_id, f"'saidonce gate verdict' looks in gate {self.name!r}")
        return verdict

    def log(self) -> Iterator[tuple[GateVerdict, dict[str, Admission]]]:
        """Yield all verdicts by id, each with the admissions it was compared with."""
        verdicts = self._context.store.gates.log(self.name)
        while batch := list(islice(verdicts, BATCH)):
            ids = sorted({n.id for v in batch for n in v.near})
            admissions = self._context.store.gates.admissions(ids)
            for verdict in batch:
                yield verdict, {n.id: admissions[n.id] for n in verdict.near if n.id in admissions}

    def replay(self) -> Replay:
        """Replay all verdicts from their stored inputs, and compare them with the stored ones."""
        return replay(self.log())

    def stats(self) -> GateStats:
        """Return the figures of the gate."""
        return stats(self._context.store, self.definition, self._context.settings.gate_escape_hatch)


def replay(log: Iterable[tuple[GateVerdict, dict[str, Admission]]]) -> Replay:
    """Replay verdicts, each from itself and the admissions it was compared with."""
    n = n_pending = 0
    different: list[tuple[str, str]] = []
    for verdict, compared in log:
        if verdict.state is GateState.PENDING:
            n_pending += 1
            continue
        n += 1
        if flaw := differs(verdict, compared):
            different.append((verdict.id, flaw))
    return Replay(n, n_pending, tuple(different))


@dataclass(frozen=True, slots=True)
class GateAccount:
    """All that is known of a verdict: what it was compared with, and what happened to it, oldest first."""

    verdict: GateVerdict
    kept: dict[str, Admission]
    events: tuple[GateEvent, ...]


def account(store: Store, prefix: str) -> GateAccount:
    """Return everything known about a verdict by its id or the beginning of it.

    Raises:
        NotFoundError: there is none.
        UsageError: several ids begin so, or the prefix is too short.
    """
    id_ = prefix.strip().lower()
    id_ = id_ if id_.startswith(VERDICT) else VERDICT + id_
    if len(id_) < len(VERDICT) + 4:
        raise UsageError(f"{prefix!r} is not a verdict id; give at least four digits after {VERDICT!r}")
    ids = store.gates.find(id_)
    if len(ids) > 1 and id_ not in ids:
        raise UsageError(f"{len(ids)} verdicts begin with {prefix!r}: {', '.join(ids[:5])}; give more digits")
    verdict = store.gates.verdict(id_ if id_ in ids else ids[0]) if ids else None
    if verdict is None:
        raise NotFoundError("verdict", prefix)
    admissions = store.gates.admissions([n.id for n in verdict.near])
    events = store.gates.events(verdict.gate, verdict.id, limit=1_000)
    return GateAccount(verdict, admissions, tuple(reversed(events)))


def rule_due(
    context: Context, gate_of: Callable[[str, AskedAgain | None], Gate], limit: int
) -> tuple[GateVerdict, ...]:  # fmt: skip
    """Claim pending submissions of all gates that are due, have them ruled on and settled; return their verdicts.

    Args:
        gate_of: opens a gate by name, whose adjudicator is that of a repeated question where it is one.
        limit: submissions that are claimed, at most; other workers may claim the rest.
    """
    now = context.clock.now()
    claimed = context.store.gates.claim(now, now + LEASE, limit)
    ruled: list[GateVerdict] = []
    for name, order in dict.fromkeys((v.gate, v.asked_again) for v in sorted(claimed, key=_by_gate)):
        ruled.extend(gate_of(name, order).rule([v for v in claimed if (v.gate, v.asked_again) == (name, order)]))
    return tuple(ruled)


def _by_gate(verdict: GateVerdict) -> tuple[str, str]:
    return verdict.gate, verdict.asked_again.judge if verdict.asked_again is not None else ""


def reembed(context: Context, name: str) -> int:
    """Move a gate to the base's embedding model, all of it or nothing; return the number of its admissions.

    Raises:
        NotFoundError: no such gate.
    """
    gates = context.store.gates
    with context.store.ledger.exclusive():
        definition = next((g for g in gates.gates() if g.name == name), None)
        if definition is None:
            raise NotFoundError("gate", name)
        vectors: dict[str, Vector] = {}
        for batch in gates.admitted(name):
            texts = [as_seen(a.candidate.text) for a in batch]
            vectors.update(zip([a.id for a in batch], context.embedder.embed(texts), strict=True))
        gates.reembed(replace(definition, model=context.embedder.model, dim=context.embedder.dim), vectors)
        event = GateEvent(name, "", GateAct.REEMBEDDED, "gate", context.embedder.model, context.clock.now())
        gates.write(GateWrite(events=(event,)))
    return len(vectors)


def _is_done(known: GateVerdict, waits: bool) -> bool:
    return known.state is GateState.RULED or not waits


def _by_place(reached: Iterable[tuple[int, GateVerdict]], n: int) -> tuple[GateVerdict, ...]:
    verdicts = dict(reached)
    return tuple(verdicts[place] for place in range(n))
