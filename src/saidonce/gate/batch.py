"""Submissions go up the ladder together: searched, ruled on outside the lock, and settled under it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

import numpy as np

from saidonce.errors import KeyTakenError
from saidonce.foundation.codec import rules_hash
from saidonce.foundation.context import Context
from saidonce.foundation.model import (
    AWAY,
    ESCAPE_HATCH,
    Admission,
    Candidate,
    GateAct,
    GateEvent,
    GateRules,
    GateState,
    GateVerdict,
    Match,
    Near,
    Override,
    Question,
    Reason,
    Ruling,
    Vector,
)
from saidonce.foundation.ports import Adjudicator, GateStanding, GateWrite, KeptRow
from saidonce.foundation.settings.policy import Settings
from saidonce.foundation.text import digest
from saidonce.gate.admitted import AdmittedIndex, AdmittedQuery, Pool
from saidonce.gate.rules import Prepared, policy_of
from saidonce.matching.fail_closed import overtaken, rulings_on
from saidonce.matching.guards import GUARDS
from saidonce.matching.ladder import Case, ask, decide, first_objection
from saidonce.matching.vectors import canonical_cosines

MOST_ROUNDS = 3
"""Times that what is kept may change while an adjudicator rules before a submission is held."""

GATE_ACTOR = "gate"
_FAR = Candidate("", "")
"""Stands for kept ones below the band, whose texts nobody compares."""


@dataclass(frozen=True, slots=True)
class GateDeps:
    """What a gate works with."""

    base: Context
    kept: AdmittedIndex
    rules: GateRules
    adjudicator: Adjudicator | None


def lease(settings: Settings) -> timedelta:
    """Time after which a pending submission that nobody has settled is anybody's."""
    return timedelta(milliseconds=2 * settings.gate_llm_timeout_ms, seconds=60)


@dataclass(slots=True)
class Open:
    """A submission on its way.

    Attributes:
        pending: its stored state, if it has one.
        question: what an adjudicator has to be asked; `ruling` answers it.
        n_overtaken: times that what is kept changed while it was ruled on.
    """

    prepared: Prepared
    vector: Vector
    reserves: bool
    started: float
    pending: GateVerdict | None = None
    pool: Pool = field(default_factory=lambda: Pool((), frozenset(), -1))
    question: Question | None = None
    ruling: Ruling | None = None
    n_overtaken: int = 0
    done: GateVerdict | None = None

    @property
    def wanted(self) -> AdmittedQuery:
        """What is looked for."""
        return AdmittedQuery(self.vector, self.prepared.partition, self.prepared.candidate.content_hash)


@dataclass(slots=True)
class _Draft:
    """What a batch writes, as it grows."""

    rev: int
    now: datetime
    write: GateWrite = field(default_factory=GateWrite)

    def add(self, verdict: GateVerdict, *events: GateEvent, due_at: datetime | None = None) -> None:
        w = self.write
        due = {**w.due_at, verdict.id: due_at} if due_at is not None else w.due_at
        self.write = replace(w, verdicts=(*w.verdicts, verdict), events=(*w.events, *events), due_at=due)

    def admit(self, admission: Admission, vector: Vector) -> None:
        self.write = replace(self.write, admissions=(*self.write.admissions, (admission, vector)))


def settle(deps: GateDeps, opened: Sequence[Open], waits: bool) -> None:
    """Settle submissions in their order, each against what was kept before it; sets their `done`.

    What needs a ruling is stored as pending before anybody is asked: whoever dies meanwhile leaves it to others.

    Args:
        desk: of the gate.
        opened: texts embedded.
        waits: ask the adjudicator now; else leave what needs one pending.
    """
    left = [o for o in opened if o.done is None]
    while left:
        _look(deps, left)
        asking = [o for o in left if o.question is not None and o.ruling is None and deps.adjudicator is not None]
        if asking:
            _keep_pending(deps, asking, waits)
            left = [o for o in left if o.done is None]
            _ask_all(deps, [o for o in _first_of_kin(deps, left) if o in asking])
        with deps.base.store.ledger.exclusive():
            left, learnt, seen = _decide(deps, left)
        deps.kept.learn(learnt, seen)  # Only what is committed may be searched by others.


def _look(deps: GateDeps, left: Sequence[Open]) -> None:
    """Search what is kept, and again what is kept now if somebody is to be asked.

    What settles without a ruling is searched again under the lock, if anything came in meanwhile. A ruling on another
    question counts no more.
    """
    _search(deps, left)
    seen = deps.kept.seen
    is_asked = deps.adjudicator is not None and any(o.question is not None for o in left)
    if is_asked and deps.kept.catch_up(deps.base.store) != seen:
        _search(deps, left)


def _search(deps: GateDeps, left: Sequence[Open]) -> None:
    for one, pool in zip(left, deps.kept.pools([o.wanted for o in left], deps.rules.k), strict=True):
        one.pool = pool
    candidates = _candidates(deps, [o.pool for o in left])
    for one in left:
        question = ask(_case(deps, one, one.pool.near, candidates))
        if question != one.question:
            one.question, one.ruling = question, None


def _first_of_kin(deps: GateDeps, left: Sequence[Open]) -> list[Open]:
    """Those that are near to no earlier one that is still open: the others would have to be asked about again."""
    first: list[Open] = []
    for at, one in enumerate(left):
        earlier = [o.vector for o in left[:at] if o.prepared.partition == one.prepared.partition]
        if not earlier or canonical_cosines(one.vector, np.stack(earlier)).max() < deps.rules.clear_below:
            first.append(one)
    return first


def _candidates(deps: GateDeps, pools: Sequence[Pool]) -> dict[str, Candidate]:
    """What is kept under the ids of pools, as far as anybody compares it."""
    low = deps.rules.clear_below
    ids = sorted({id_ for pool in pools for id_, similarity in pool.near if similarity >= low or id_ in pool.equal})
    return {id_: a.candidate for id_, a in deps.base.store.gates.admissions(ids).items()} if ids else {}


def _case(
    deps: GateDeps, one: Open, near: Sequence[tuple[str, float]], candidates: dict[str, Candidate]
) -> Case:  # fmt: skip
    matches = tuple(Match(id_, similarity, candidates.get(id_, _FAR)) for id_, similarity in near)
    return Case(one.prepared.candidate, matches, policy_of(deps.rules), GUARDS, one.ruling)


def _keep_pending(deps: GateDeps, asking: Sequence[Open], waits: bool) -> None:
    """Store what is about to be asked, or left to a worker."""
    base = deps.base
    fresh = [o for o in asking if o.pending is None]
    if fresh:
        with base.store.ledger.exclusive():
            standing = _standing(deps, fresh)
            draft = _Draft(standing.rev, base.clock.now())
            _recognise(deps, fresh, standing)
            for number, one in enumerate(o for o in fresh if o.done is None and o.pending is None):
                pending = _blank(deps, one, draft, number)
                event = GateEvent(pending.gate, pending.id, GateAct.SUBMITTED, GATE_ACTOR, "", draft.now)
                draft.add(pending, event, due_at=draft.now + lease(base.settings) if waits else None)
                one.pending = pending
            if draft.write.verdicts:
                stored = {v.id: v for v in base.store.gates.write(draft.write)}
                for one in fresh:
                    one.pending = stored.get(one.pending.id, one.pending) if one.pending is not None else None
    if not waits:
        for one in asking:
            one.done = one.done or one.pending


def _blank(deps: GateDeps, one: Open, draft: _Draft, number: int) -> GateVerdict:
    submission = one.prepared.submission
    named = (
        ("key", submission.key) if submission.key else ("rev", str(draft.rev), str(number), one.prepared.fingerprint)
    )
    id_ = "gv-" + digest("verdict", deps.kept.gate, *named)
    return GateVerdict(
        id_, deps.kept.gate, submission, one.prepared.fingerprint, GateState.PENDING, draft.now, one.reserves
    )


def _standing(deps: GateDeps, opened: Sequence[Open]) -> GateStanding:
    """How the gate stands, and what is stored under the keys of submissions."""
    return deps.base.store.gates.standing(deps.kept.gate, [o.prepared.submission.key for o in opened])


def _recognise(deps: GateDeps, opened: Sequence[Open], standing: GateStanding) -> None:
    """Under the lock, look whether another worker was faster with a submission.

    Raises:
        UsageError: a key stands for another submission.
    """
    gates = deps.base.store.gates
    for one in opened:
        key = one.prepared.submission.key
        found = gates.verdict(one.pending.id) if one.pending is not None else standing.by_key.get(key)
        if found is None:
            continue
        check_same(found, one.prepared)
        one.pending = found
        if found.state is GateState.RULED:
            one.done = found


def check_same(found: GateVerdict, prepared: Prepared) -> None:
    """Refuse a key that stands for another submission.

    Raises:
        KeyTakenError: it does.
    """
    if found.fingerprint != prepared.fingerprint:
        raise KeyTakenError(
            f"the key {prepared.submission.key[:80]!r} stands for another submission, {found.id}; give a key of its own"
        )


def _ask_all(deps: GateDeps, asking: Sequence[Open]) -> None:
    if not asking or deps.adjudicator is None:
        return
    rulings = rulings_on(deps.adjudicator, [one.question for one in asking if one.question is not None])
    for one, ruling in zip(asking, rulings, strict=True):
        one.ruling = ruling


def _decide(deps: GateDeps, left: Sequence[Open]) -> tuple[list[Open], list[KeptRow], int]:
    """Under the lock, settle what can be.

    Returns:
        What needs another ruling, since what is kept has changed; what is kept now; and the revision before.
    """
    store = deps.base.store
    standing = _standing(deps, left)
    draft = _Draft(standing.rev, deps.base.clock.now())
    _recognise(deps, left, standing)
    left = [o for o in left if o.done is None]
    seen = deps.kept.catch_up(store, standing)
    stale = [o for o in left if o.pool.seen != seen]
    for one, pool in zip(stale, deps.kept.pools([o.wanted for o in stale], deps.rules.k), strict=True):
        one.pool = pool
    candidates = _candidates(deps, [o.pool for o in left])
    again: list[Open] = []
    settled: list[tuple[Open, str]] = []
    for number, one in enumerate(left):
        near = _with_own(deps, one, draft, candidates)
        question = ask(_case(deps, one, near, candidates))
        if question is None:
            one.ruling = None
        elif deps.adjudicator is not None and (one.ruling is None or question != one.question):
            one.n_overtaken += one.ruling is not None
            if one.n_overtaken <= MOST_ROUNDS:
                again.append(one)
                continue
            one.ruling = overtaken(one.ruling.adjudicator if one.ruling is not None else "")
        verdict = _verdict(deps, one, near, candidates, _blank(deps, one, draft, number))
        _write(one, verdict, draft)
        settled.append((one, verdict.id))
    rev = 0
    if settled:
        stored = {v.id: v for v in store.gates.write(draft.write)}
        for one, id_ in settled:
            one.done = stored[id_]
            rev = stored[id_].rev
    learnt = [
        KeptRow(a.id, rev, True, a.partition, a.candidate.content_hash, vector) for a, vector in draft.write.admissions
    ]
    return again, learnt, seen


def _with_own(
    deps: GateDeps, one: Open, draft: _Draft, candidates: dict[str, Candidate]
) -> tuple[tuple[str, float], ...]:  # fmt: skip
    """What is near, with what this batch has admitted before it."""
    own = [(a, v) for a, v in draft.write.admissions if a.partition == one.prepared.partition]
    if not own:
        return one.pool.near
    similar = canonical_cosines(one.vector, np.stack([vector for _, vector in own])).tolist()
    candidates.update((a.id, a.candidate) for a, _ in own)
    ranked = sorted(
        [*one.pool.near, *zip((a.id for a, _ in own), similar, strict=True)], key=lambda hit: (-hit[1], hit[0])
    )
    wanted = one.prepared.candidate.content_hash
    near = ranked[: deps.rules.k]
    equal = one.pool.equal | {a.id for a, _ in own if a.candidate.content_hash == wanted}
    if equal and not equal.intersection(id_ for id_, _ in near):
        near += [hit for hit in ranked[deps.rules.k :] if hit[0] in equal][:1]
    return tuple(near)


def _verdict(
    deps: GateDeps, one: Open, near: Sequence[tuple[str, float]], candidates: dict[str, Candidate], blank: GateVerdict
) -> GateVerdict:
    """Decide, and let through what the operator's escape hatch lets through."""
    mine = one.prepared.candidate
    low = deps.rules.clear_below
    told = tuple(
        Near(i, s, first_objection(GUARDS, mine, candidates[i]) if s >= low and i in candidates else ())
        for i, s in near
    )
    said = decide(_case(deps, one, near, candidates))
    was_away = one.ruling is not None and one.ruling.failure in AWAY
    is_through = deps.rules.escape_hatch and said.reason is Reason.NO_RULING and was_away
    failure = one.ruling.failure if one.ruling is not None else None
    return replace(
        one.pending or blank,
        state=GateState.RULED,
        verdict=said,
        near=told,
        rules=deps.rules,
        policy=rules_hash(deps.rules),
        ruling=one.ruling,
        duration_ms=round(1_000 * (time.perf_counter() - one.started)),
        override=Override(ESCAPE_HATCH, f"the adjudicator is away: {failure}", blank.at) if is_through else None,
    )


def _write(one: Open, verdict: GateVerdict, draft: _Draft) -> None:
    said = verdict.verdict
    assert said is not None  # it was decided
    events = []
    if (ruling := verdict.ruling) is not None:
        told = f"{ruling.opinion}" if ruling.failure is None else f"failed: {ruling.failure}"
        events.append(GateEvent(verdict.gate, verdict.id, GateAct.RULED, ruling.adjudicator, told, draft.now))
    if verdict.override is not None:
        act, actor = GateAct.LET_THROUGH, verdict.override.by
    else:
        act, actor = (GateAct.CLEARED if verdict.is_through else GateAct.HELD), GATE_ACTOR
    events.append(GateEvent(verdict.gate, verdict.id, act, actor, str(said.reason), draft.now))
    if verdict.is_through and verdict.reserves:
        admission = admission_of(verdict, one.prepared, draft.now)
        verdict = replace(verdict, admitted=admission.id)
        draft.admit(admission, one.vector)
    draft.add(verdict, *events)


def admission_of(verdict: GateVerdict, prepared: Prepared, now: datetime) -> Admission:
    """What is kept of a submission that was let through."""
    id_ = digest("admission", verdict.id)
    return Admission(
        id_, verdict.gate, prepared.candidate, prepared.submission, prepared.partition, verdict.id, now
    )  # fmt: skip


Noted = Callable[[GateVerdict], None]
"""Told of every verdict that was reached, for logs and metrics."""
