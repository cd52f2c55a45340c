"""Submissions go up the ladder together: searched, asked about and ruled on outside the lock, settled under it.

Each stage takes frozen values and returns new ones: `Open`, `Searched`, `Ruled`, `Settled`.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import AbstractContextManager, closing
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
from saidonce.foundation.ports import Adjudicator, GateStanding, GateTurn, GateWrite, KeptRow
from saidonce.foundation.text import digest
from saidonce.gate.admitted import AdmittedIndex, AdmittedQuery, Pool
from saidonce.gate.audits import is_drawn
from saidonce.gate.judging import Pace, rulings_as_reached
from saidonce.gate.rules import Prepared, policy_of
from saidonce.matching.fail_closed import overtaken
from saidonce.matching.guards import GUARDS
from saidonce.matching.ladder import Case, Climb, climb, first_objection
from saidonce.matching.vectors import canonical_cosines

MOST_ROUNDS = 3
"""Times that what is kept may change while an adjudicator rules before a submission is held."""

GATE_ACTOR = "gate"
_FAR = Candidate("", "")
"""Stands for kept ones below the band, whose texts nobody compares."""


@dataclass(frozen=True, slots=True)
class GateDeps:
    """What a gate works with."""

    context: Context
    index: AdmittedIndex
    rules: GateRules
    adjudicator: Adjudicator | None


LEASE = timedelta(seconds=90)
"""Time after which any worker may take over a pending submission, unless who judges it renews the lease."""

RENEW_S = 20.0


@dataclass(frozen=True, slots=True)
class Answered:
    """A question, and an adjudicator's ruling on it."""

    question: Question
    ruling: Ruling


@dataclass(frozen=True, slots=True)
class Open:
    """A submission that is to be settled.

    Attributes:
        place: by which it is known among those that are settled together.
        pending: its stored state, if it has one.
        id: of its verdict, chosen before others of its batch are ruled on; empty where nothing is awaited.
        answered: the last question on it that was ruled on.
        n_overtaken: times that what is kept changed while it was ruled on.
    """

    place: int
    prepared: Prepared
    vector: Vector
    reserves: bool
    started: float
    pending: GateVerdict | None = None
    id: str = ""
    answered: Answered | None = None
    n_overtaken: int = 0

    @property
    def query(self) -> AdmittedQuery:
        """Query for equal and near kept submissions."""
        return query_of(self.prepared, self.vector)


@dataclass(frozen=True, slots=True)
class Searched:
    """A submission with what is near to it, nearest first, and how far the ladder takes it without a ruling."""

    open: Open
    pool: Pool
    matches: tuple[Match, ...]
    climb: Climb

    @property
    def answered(self) -> Answered | None:
        """Its question with the ruling on it, if there is one; a ruling on another question counts no more."""
        answered = self.open.answered
        return answered if answered is not None and answered.question == self.climb.question else None

    @property
    def unanswered(self) -> Question | None:
        """Its question, if nobody has ruled on it."""
        return self.climb.question if self.answered is None else None


@dataclass(frozen=True, slots=True)
class Ruled:
    """A searched submission, with the ruling on its question if it has one."""

    searched: Searched
    answered: Answered | None

    @property
    def n_overtaken(self) -> int:
        """Times that what is kept changed while it was ruled on, if it has now."""
        return self.searched.open.n_overtaken + (self.answered is not None)


@dataclass(frozen=True, slots=True)
class Settled:
    """What one turn under the lock came to.

    Attributes:
        verdicts: as they are stored, by place.
        again: submissions that need another ruling, since what is kept has changed.
        admitted: what this turn has admitted.
        seen: revision of what was kept before.
    """

    verdicts: dict[int, GateVerdict]
    again: list[Open]
    admitted: list[KeptRow]
    seen: int


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


def query_of(prepared: Prepared, vector: Vector) -> AdmittedQuery:
    """Return the query of a submission: the same content, or near submissions in the same partition."""
    return AdmittedQuery(vector, prepared.partition, prepared.candidate.content_hash)


def settle(deps: GateDeps, opened: Sequence[Open], waits: bool) -> Generator[dict[int, GateVerdict], None, None]:
    """Settle submissions in their order, each against what was kept before it; yield their verdicts by place.

    What needs a ruling is stored as pending before anybody is asked: if this process dies meanwhile, others go on.
    Rulings are reached in any order and applied in that of the submissions: the first that waits for one holds up those
    behind it. So the verdicts depend on the rulings, and not on which of them was the quickest.

    Args:
        deps: of the gate.
        opened: texts embedded.
        waits: ask the adjudicator now; else leave what needs one pending.
    """
    left: Sequence[Open] = opened
    while left:
        asking, done = _to_ask(deps, _search(deps, left), waits)
        if done:
            yield done
        again: list[Open] = []
        with closing(_rule(deps, asking)) as turns:
            for ruled in turns:
                with _write_turn(deps, [one.searched.open for one in ruled]) as taken:
                    settled = _settle(deps, ruled, taken)
                deps.index.learn(settled.admitted, settled.seen)  # Only what is committed may be searched by others.
                again += settled.again
                yield settled.verdicts
        left = again


def _search(deps: GateDeps, left: Sequence[Open]) -> list[Searched]:
    """Search what is kept, and again what is kept by then if an adjudicator is to be asked.

    What settles without a ruling is searched again under the lock, if anything came in meanwhile.
    """
    searched = _looked_up(deps, left)
    asks = deps.adjudicator is not None and any(one.climb.question is not None for one in searched)
    if asks:
        seen = deps.index.current(deps.context.store, len(left))
        if any(one.pool.seen != seen for one in searched):
            return _looked_up(deps, left)
    return searched


def _looked_up(deps: GateDeps, left: Sequence[Open]) -> list[Searched]:
    """Search the cache for each, and take each up the ladder as far as it comes without a ruling."""
    pools = deps.index.search(deps.context.store, [one.query for one in left], deps.rules.k)
    low = deps.rules.clear_below
    ids = sorted({id_ for pool in pools for id_, similarity in pool.near if similarity >= low or id_ in pool.equal})
    admissions = deps.context.store.gates.admissions(ids) if ids else {}
    searched = []
    for one, pool in zip(left, pools, strict=True):
        matches = tuple(Match(id_, s, admissions[id_].candidate if id_ in admissions else _FAR) for id_, s in pool.near)
        searched.append(Searched(one, pool, matches, _climb(deps, one, matches)))
    return searched


def _climb(deps: GateDeps, one: Open, matches: tuple[Match, ...]) -> Climb:
    return climb(Case(one.prepared.candidate, matches, policy_of(deps.rules), GUARDS))


def _to_ask(
    deps: GateDeps, searched: Sequence[Searched], waits: bool
) -> tuple[list[Searched], dict[int, GateVerdict]]:  # fmt: skip
    """Store what is about to be asked, or left to a worker.

    Returns:
        What goes on, with its stored state; and the verdicts, by place, of what another worker was faster with, or
        of what stays pending.
    """
    if deps.adjudicator is None:
        return list(searched), {}
    asking = [one.open for one in searched if one.unanswered is not None]
    stored, rev = _store_pending(deps, [one for one in asking if one.pending is None], waits)
    states = {one.place: stored.get(one.place, one.pending) for one in asking}
    done = {at: v for at, v in states.items() if v is not None and (v.state is GateState.RULED or not waits)}
    going = [one for one in searched if one.open.place not in done]
    return [replace(one, open=_with_id(deps, _with_state(one.open, stored), rev)) for one in going], done


def _store_pending(
    deps: GateDeps, fresh: Sequence[Open], waits: bool
) -> tuple[dict[int, GateVerdict], int]:  # fmt: skip
    """Store new submissions as pending.

    Returns:
        Their stored states by place, also of what others have stored; and the revision of the write, 0 without any.
    """
    if not fresh:
        return {}, 0
    context = deps.context
    with _write_turn(deps, fresh) as taken:
        draft = _Draft(taken.standing.rev, context.clock.now())
        stored = _stored_verdicts(deps, fresh, taken.standing)
        new: dict[int, str] = {}
        for number, one in enumerate(one for one in fresh if one.place not in stored):
            pending = _blank(deps, one, draft, number)
            event = GateEvent(pending.gate, pending.id, GateAct.SUBMITTED, GATE_ACTOR, "", draft.now)
            draft.add(pending, event, due_at=draft.now + LEASE if waits else None)
            new[one.place] = pending.id
        written = {v.id: v for v in taken.settle(draft.write)} if new else {}
    return stored | {place: written[id_] for place, id_ in new.items()}, draft.rev if new else 0


def _with_id(deps: GateDeps, one: Open, rev: int) -> Open:
    """Return a submission that nobody named by a key with its id, so that it does not depend on who is ruled on first.

    Args:
        rev: of a write for this batch, whose turn nobody else had.
    """
    if not rev or one.id or one.pending is not None or one.prepared.submission.key:
        return one
    named = ("rev", str(rev), "place", str(one.place), one.prepared.fingerprint)
    return replace(one, id="gv-" + digest("verdict", deps.index.gate, *named))


def _first_of_kin(deps: GateDeps, left: Sequence[Searched]) -> list[Searched]:
    """Return those near to no earlier one that is still open: the others would have to be asked about again."""
    first: list[Searched] = []
    for at, one in enumerate(left):
        earlier = [s.open.vector for s in left[:at] if s.open.prepared.partition == one.open.prepared.partition]
        if not earlier or canonical_cosines(one.open.vector, np.stack(earlier)).max() < deps.rules.clear_below:
            first.append(one)
    return first


def _rule(deps: GateDeps, asking: Sequence[Searched]) -> Generator[list[Ruled], None, None]:
    """Have the adjudicator rule on the open questions, but for those of later kin; yield what can be settled, in order.

    Each turn holds all up to the first that waits for its ruling; leases are renewed meanwhile.
    """
    answered = {one.open.place: one.answered for one in asking}
    open_: dict[int, Question] = {}
    if deps.adjudicator is not None and any(one.unanswered is not None for one in asking):
        first = _first_of_kin(deps, asking)
        open_ = {one.open.place: question for one in first if (question := one.unanswered) is not None}
    left = deque(asking)
    if turn := _turn(left, answered, open_):
        yield turn
    if deps.adjudicator is None or not open_:
        return
    pace = Pace(deps.context.settings.gate_rulings_at_once, lambda: _renew(deps, asking), RENEW_S)
    with closing(rulings_as_reached(deps.adjudicator, dict(open_), pace)) as rulings:
        for place, ruling in rulings:
            answered[place] = Answered(open_.pop(place), ruling)
            if turn := _turn(left, answered, open_):
                yield turn


def _turn(
    left: deque[Searched], answered: Mapping[int, Answered | None], open_: Mapping[int, Question]
) -> list[Ruled]:  # fmt: skip
    """Take what stands before the first open question."""
    turn: list[Ruled] = []
    while left and left[0].open.place not in open_:
        one = left.popleft()
        turn.append(Ruled(one, answered[one.open.place]))
    return turn


def _renew(deps: GateDeps, asking: Sequence[Searched]) -> None:
    """Keep other workers away from what is still pending here."""
    ids = [one.open.pending.id for one in asking if one.open.pending is not None]
    if ids:
        deps.context.store.gates.renew(ids, deps.context.clock.now() + LEASE)


def _blank(deps: GateDeps, one: Open, draft: _Draft, number: int) -> GateVerdict:
    submission = one.prepared.submission
    named = (
        ("key", submission.key) if submission.key else ("rev", str(draft.rev), str(number), one.prepared.fingerprint)
    )
    id_ = one.id or "gv-" + digest("verdict", deps.index.gate, *named)
    return GateVerdict(
        id_, deps.index.gate, submission, one.prepared.fingerprint, GateState.PENDING, draft.now, one.reserves
    )


def _write_turn(deps: GateDeps, opened: Sequence[Open]) -> AbstractContextManager[GateTurn]:
    """Take the turn to write, with the state of the gate and the verdicts stored under the keys of submissions."""
    return deps.context.store.gates.turn(deps.index.gate, [one.prepared.submission.key for one in opened])


def _stored_verdicts(deps: GateDeps, opened: Sequence[Open], standing: GateStanding) -> dict[int, GateVerdict]:
    """Return, under the lock, the stored verdicts of submissions by place: another worker may have been faster.

    Raises:
        UsageError: a key stands for another submission.
    """
    gates = deps.context.store.gates
    stored: dict[int, GateVerdict] = {}
    for one in opened:
        key = one.prepared.submission.key
        verdict = gates.verdict(one.pending.id) if one.pending is not None else standing.by_key.get(key)
        if verdict is not None:
            check_same(verdict, one.prepared)
            stored[one.place] = verdict
    return stored


def check_same(verdict: GateVerdict, prepared: Prepared) -> None:
    """Refuse a key that stands for another submission.

    Raises:
        KeyTakenError: it does.
    """
    if verdict.fingerprint != prepared.fingerprint:
        key = prepared.submission.key[:80]
        raise KeyTakenError(f"the key {key!r} was used for another submission, {verdict.id}; use a new key")


def _with_state(one: Open, stored: Mapping[int, GateVerdict]) -> Open:
    return replace(one, pending=stored.get(one.place, one.pending))


def _settle(deps: GateDeps, ruled: Sequence[Ruled], taken: GateTurn) -> Settled:
    """Settle, in the turn to write, what can be settled."""
    opened = [one.searched.open for one in ruled]
    standing = taken.standing
    draft = _Draft(standing.rev, deps.context.clock.now())
    stored = _stored_verdicts(deps, opened, standing)
    done = {place: verdict for place, verdict in stored.items() if verdict.state is GateState.RULED}
    seen = deps.index.current(deps.context.store, len(ruled), standing)
    left = [one for one in ruled if one.searched.open.place not in done]
    present = _present(deps, [replace(one.searched, open=_with_state(one.searched.open, stored)) for one in left], seen)
    again: list[Open] = []
    ids: dict[int, str] = {}
    for number, (before, there) in enumerate(zip(left, present, strict=True)):
        one = _with_own(deps, there, draft)
        answered, question = before.answered, one.climb.question
        ruling = answered.ruling if answered is not None and answered.question == question else None
        if question is not None and ruling is None and deps.adjudicator is not None:
            if before.n_overtaken <= MOST_ROUNDS:
                again.append(replace(one.open, answered=answered, n_overtaken=before.n_overtaken))
                continue
            ruling = overtaken(answered.ruling.adjudicator if answered is not None else "")
        state = one.open.pending or _blank(deps, one.open, draft, number)
        verdict = _verdict(deps, one, ruling, state, draft.now)
        _write(one.open, verdict, draft)
        ids[one.open.place] = verdict.id
    written = {v.id: v for v in taken.settle(draft.write)} if ids else {}
    rev = max((v.rev for v in written.values()), default=0)
    admitted = [KeptRow(a.id, rev, True, a.partition, a.candidate.content_hash, v) for a, v in draft.write.admissions]
    return Settled(done | {place: written[id_] for place, id_ in ids.items()}, again, admitted, seen)


def _present(deps: GateDeps, searched: Sequence[Searched], seen: int) -> list[Searched]:
    """Return submissions with their matches, searched again where the search was at another revision."""
    now = {one.open.place: one for one in _looked_up(deps, [one.open for one in searched if one.pool.seen != seen])}
    return [now.get(one.open.place, one) for one in searched]


def _with_own(deps: GateDeps, one: Searched, draft: _Draft) -> Searched:
    """Return a submission with this batch's earlier admissions among its matches."""
    mine = one.open.prepared
    own = [(a, v) for a, v in draft.write.admissions if a.partition == mine.partition]
    if not own:
        return one
    similar = canonical_cosines(one.open.vector, np.stack([vector for _, vector in own])).tolist()
    new = [Match(a.id, similarity, a.candidate) for (a, _), similarity in zip(own, similar, strict=True)]
    ranked = sorted([*one.matches, *new], key=lambda match: (-match.similarity, match.id))
    near = ranked[: deps.rules.k]
    equal = one.pool.equal | {a.id for a, _ in own if a.candidate.content_hash == mine.candidate.content_hash}
    if equal and not equal.intersection(match.id for match in near):
        near += [match for match in ranked[deps.rules.k :] if match.id in equal][:1]
    return replace(one, matches=tuple(near), climb=_climb(deps, one.open, tuple(near)))


def _verdict(deps: GateDeps, one: Searched, ruling: Ruling | None, state: GateVerdict, now: datetime) -> GateVerdict:
    """Return the verdict on a submission; the operator's escape hatch may let it through."""
    low, mine = deps.rules.clear_below, one.open.prepared.candidate
    near = tuple(
        Near(
            match.id,
            match.similarity,
            first_objection(GUARDS, mine, match.kept) if match.similarity >= low and match.kept is not _FAR else (),
        )
        for match in one.matches
    )
    verdict = one.climb.verdict(ruling)
    is_away = ruling is not None and ruling.failure in AWAY
    is_through = deps.rules.escape_hatch and verdict.reason is Reason.NO_RULING and is_away
    failure = ruling.failure if ruling is not None else None
    return replace(
        state,
        state=GateState.RULED,
        verdict=verdict,
        near=near,
        rules=deps.rules,
        policy=rules_hash(deps.rules),
        ruling=ruling,
        asked_again=None,
        duration_ms=round(1_000 * (time.perf_counter() - one.open.started)),
        override=Override(ESCAPE_HATCH, f"the adjudicator is unavailable: {failure}", now) if is_through else None,
        sampled=verdict.reason is Reason.LLM_CLEARED and is_drawn(state.id, deps.context.settings.gate_audit_share),
    )


def _write(one: Open, verdict: GateVerdict, draft: _Draft) -> None:
    assert verdict.verdict is not None  # it was decided
    events = []
    if (ruling := verdict.ruling) is not None:
        result = f"{ruling.opinion}" if ruling.failure is None else f"failed: {ruling.failure}"
        events.append(GateEvent(verdict.gate, verdict.id, GateAct.RULED, ruling.adjudicator, result, draft.now))
    if verdict.override is not None:
        act, actor = GateAct.LET_THROUGH, verdict.override.by
    else:
        act, actor = (GateAct.CLEARED if verdict.is_through else GateAct.HELD), GATE_ACTOR
    why = str((verdict if verdict.override is None else replace(verdict, override=None)).reason)
    events.append(GateEvent(verdict.gate, verdict.id, act, actor, why, draft.now))
    if verdict.is_through and verdict.reserves:
        admission = admission_of(verdict, one.prepared, draft.now)
        verdict = replace(verdict, admitted=admission.id)
        draft.admit(admission, one.vector)
    draft.add(verdict, *events)


def admission_of(verdict: GateVerdict, prepared: Prepared, now: datetime) -> Admission:
    """Return the admission of a submission that was let through."""
    id_ = digest("admission", verdict.id)
    return Admission(
        id_, verdict.gate, prepared.candidate, prepared.submission, prepared.partition, verdict.id, now
    )  # fmt: skip


Noted = Callable[[GateVerdict], None]
"""Told of every verdict that was reached, for logs and metrics."""
