"""Flow: people work off what the gate holds: they decide, together or one by one, undo, assign and note.

A decision counts only if the submission still stands as the person saw it. Whatever lies between (another person's
decision, a ruling by then, something nearer that was kept meanwhile) leaves that submission as it is, with the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np

from saidonce.errors import NotFoundError, StaleWriteError, UsageError
from saidonce.foundation.codec import storable, verdict_to_json
from saidonce.foundation.context import Context
from saidonce.foundation.model import (
    ESCAPE_HATCH,
    WORDING,
    Admission,
    Candidate,
    ClearAudit,
    GateAct,
    GateDefinition,
    GateEvent,
    GateState,
    GateVerdict,
    HeldChoice,
    HeldDecision,
    HeldState,
    Near,
    Override,
    Reason,
    Vector,
    check_assignable,
    worded_by,
)
from saidonce.foundation.ports import GateWrite
from saidonce.foundation.text import digest
from saidonce.gate.admitted import AdmittedIndex
from saidonce.gate.audits import audited_clear, audited_decision
from saidonce.gate.batch import Noted, admission_of, query_of
from saidonce.gate.rules import Prepared, prepare
from saidonce.matching.guards import GUARDS
from saidonce.matching.ladder import first_objection
from saidonce.matching.vectors import canonical_cosines

MOST_AT_ONCE = 500
"""Submissions that one decision may concern."""

MAX_WHY = 2_000
DECISION = "hd-"
"""With this every id of a decision begins."""

_PAGE = 500
_DEFAULT_WHY = {
    HeldChoice.REPEAT: "a repeat, by both texts",
    HeldChoice.LET_THROUGH: "no repeat, by both texts",
    HeldChoice.LINK: "the same task in other words",
}
_ACTS = {
    HeldChoice.REPEAT: GateAct.CONFIRMED,
    HeldChoice.LET_THROUGH: GateAct.OVERRIDDEN,
    HeldChoice.LINK: GateAct.LINKED,
}
_DECIDABLE = frozenset({HeldState.OPEN, HeldState.RULED})


class KeepingGate(Protocol):
    """What a decision needs of a gate."""

    @property
    def definition(self) -> GateDefinition:
        """What it compares."""
        ...

    @property
    def index(self) -> AdmittedIndex:
        """Cache of what it keeps."""
        ...

    @property
    def noted(self) -> Noted:
        """Called with every verdict reached."""
        ...


GateOf = Callable[[str], KeepingGate]
"""Returns a gate by its name."""


@dataclass(frozen=True, slots=True)
class HeldItem:
    """A held submission that a person decides about.

    Attributes:
        seen: state that the person saw, see `state_of`; empty decides about it as it stands.
        looked_at: ids of kept ones that the person saw beside those of the verdict.
    """

    id: str
    seen: str = ""
    looked_at: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class HeldOrder:
    """What a person decides, and why.

    Attributes:
        of: id of the kept one that it repeats, or its first digits; by default the one of the verdict.
        past_newer: let it through past near ones that were kept since it was held, as one who writes a reason may.
    """

    choice: HeldChoice
    by: str
    why: str = ""
    of: str = ""
    past_newer: bool = False


@dataclass(frozen=True, slots=True)
class HeldLeft:
    """A submission that a decision or an undo left as it was, and why."""

    id: str
    why: str


@dataclass(frozen=True, slots=True)
class HeldResult:
    """What a decision did.

    Attributes:
        decision: its id, by which it is undone; empty if it concerned nothing.
        done: verdicts that it changed, in the order given.
        left: those that it left as they were.
    """

    decision: str
    done: tuple[GateVerdict, ...]
    left: tuple[HeldLeft, ...]


@dataclass(frozen=True, slots=True)
class HeldUndo:
    """What an undo did.

    Attributes:
        undone: verdicts that are held again as they were.
        withdrawn: ids of what is kept no more.
        left: those that it left as they are.
        leaning: ids of verdicts blocked as repeats of withdrawn submissions; they can be submitted again.
    """

    decision: str
    undone: tuple[GateVerdict, ...]
    withdrawn: tuple[str, ...]
    left: tuple[HeldLeft, ...]
    leaning: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HeldPair:
    """A held submission as a person compares it.

    Attributes:
        near: the kept ones near to it now, nearest first, with what the guards say of those that a ruling is asked
            about; `kept` has them by id.
        fresh: ids of those among them that were kept after its verdict.
        text: its compared text; spans of objections lie in it.
        seen: its state, to be given back with the decision.
        retries: verdicts on later wordings that are retries of this one; `first` the one that it names itself.
    """

    verdict: GateVerdict
    near: tuple[Near, ...]
    kept: dict[str, Admission]
    fresh: tuple[str, ...]
    text: str
    seen: str
    retries: tuple[GateVerdict, ...]
    first: GateVerdict | None
    events: tuple[GateEvent, ...]


def state_of(verdict: GateVerdict) -> str:
    """Return what a person relies on who decides about a verdict, in 16 hex digits; whom it is assigned to is not."""
    return digest(verdict_to_json(replace(verdict, assignee="", rev=0)))[:16]


@dataclass(slots=True)
class _Writing:
    """What a decision writes, as it grows."""

    decision: HeldDecision
    write: GateWrite = field(default_factory=GateWrite)
    left: list[HeldLeft] = field(default_factory=list)
    done: list[str] = field(default_factory=list)

    def add(self, verdict: GateVerdict, *events: GateEvent, admission: tuple[Admission, Vector] | None = None) -> None:
        w = self.write
        more = (admission,) if admission is not None else ()
        self.write = replace(
            w,
            verdicts=(*w.verdicts, verdict),
            events=(*w.events, *events),
            admissions=(*w.admissions, *more),
        )
        self.done.append(verdict.id)


def decide(context: Context, gate_of: GateOf, items: Sequence[HeldItem], order: HeldOrder) -> HeldResult:
    """Decide held submissions in one transaction; those that cannot be decided so are skipped, with the reason.

    `let_through` admits them in the person's name; one that resembles what was kept since the person looked, or another
    one of the same decision, is left. `link` keeps them as other wordings of what they repeat, so that the next
    submission in those words is recognised without a ruling. `repeat` only records what they are.

    Raises:
        UsageError: nobody decides, or too many at once are to be decided.
    """
    return _decide_all(context, gate_of, items, order)


def decide_one(context: Context, gate_of: GateOf, item: HeldItem, order: HeldOrder) -> HeldResult:
    """Decide about one held submission.

    Raises:
        NotFoundError: there is none of that id, or nothing kept that it could repeat.
        StaleWriteError: it stands otherwise by now; the message says how, by whom and when.
        UsageError: it cannot be decided so, such as what has the same content as a kept one.
    """
    return _decide_all(context, gate_of, [item], order, strict=True)


def _decide_all(
    context: Context, gate_of: GateOf, named: Sequence[HeldItem], order: HeldOrder, strict: bool = False
) -> HeldResult:  # fmt: skip
    by = _person(order.by)
    items = list({item.id: item for item in reversed(named)}.values())[::-1]
    if not 0 < len(items) <= MOST_AT_ONCE:
        raise UsageError(f"a decision can have 1 to {MOST_AT_ONCE} submissions, not {len(items)}")
    prepared = _prepare_all(context, gate_of, items) if order.choice is not HeldChoice.REPEAT else {}
    with context.store.ledger.exclusive():
        now, rev = context.clock.now(), context.store.rev()
        why = storable(order.why.strip())[:MAX_WHY] or _DEFAULT_WHY[order.choice]
        id_ = DECISION + digest("decision", by, order.choice, str(rev), *(item.id for item in items))
        writing = _Writing(HeldDecision(id_, order.choice, by, why, now, rev=rev))
        for item in items:
            try:
                _decide_about(context, gate_of, writing, (item, order, prepared.get(item.id)))
            except (NotFoundError, StaleWriteError, UsageError) as refused:
                if strict:
                    raise
                writing.left.append(HeldLeft(item.id, str(refused)))
        written = {v.id: v for v in context.store.gates.write(writing.write)} if writing.done else {}
    done = tuple(written[id_] for id_ in writing.done)
    for verdict in done if order.choice is HeldChoice.LET_THROUGH else ():
        gate_of(verdict.gate).noted(verdict)
    return HeldResult(id_ if done else "", done, tuple(writing.left))


def _person(name: str) -> str:
    by = storable(name.strip())
    if not by:
        raise UsageError("a decision needs the name of a person")
    if by == ESCAPE_HATCH:
        raise UsageError(f"{by!r} is reserved for submissions let through without a person; use another name")
    return by


def _prepare_all(
    context: Context, gate_of: GateOf, items: Sequence[HeldItem]
) -> dict[str, tuple[Prepared, Vector]]:  # fmt: skip
    """Embed what may be admitted, before the lock is taken."""
    verdicts = [v for item in items if (v := context.store.gates.verdict(item.id)) is not None]
    texts = {v.id: prepare(v.submission, gate_of(v.gate).definition.fields) for v in verdicts}
    if not texts:
        return {}
    vectors = context.embedder.embed([p.embedded for p in texts.values()])
    return {id_: (p, vector) for (id_, p), vector in zip(texts.items(), vectors, strict=True)}


_One = tuple[HeldItem, HeldOrder, tuple[Prepared, Vector] | None]


def _decide_about(context: Context, gate_of: GateOf, writing: _Writing, one: _One) -> None:
    """Add what a decision writes about one submission.

    Raises:
        NotFoundError, StaleWriteError, UsageError: as for `decide_one`.
    """
    item, order, prepared = one
    verdict = _open_one(context, item)
    decision = replace(writing.decision, of="")
    event = GateEvent(
        verdict.gate, verdict.id, _ACTS[decision.choice], decision.by, decision.why, decision.at, decision=decision.id
    )
    if decision.choice is HeldChoice.REPEAT:
        kept = _repeated_id(context, verdict, order.of)
        writing.add(replace(verdict, decision=replace(decision, of=kept)), event)
        return
    if prepared is None:
        raise NotFoundError("verdict", item.id)
    gate = gate_of(verdict.gate)
    _check_alone(context, gate.index, writing, (item, verdict, prepared, order))
    if decision.choice is HeldChoice.LINK:
        kept = _repeated_id(context, verdict, order.of)
        wording = f"{kept}{WORDING}{digest('wording', verdict.id, decision.id)[:8]}"
        admission = replace(admission_of(verdict, prepared[0], decision.at), id=wording)
        changed = replace(verdict, decision=replace(decision, of=kept, wording=wording))
        writing.add(changed, event, admission=(admission, prepared[1]))
        return
    changed = replace(verdict, override=Override(decision.by, decision.why, decision.at), decision=decision)
    if not verdict.reserves:
        writing.add(changed, event)
        return
    admission = replace(
        admission_of(verdict, prepared[0], decision.at), id=digest("admission", verdict.id, decision.id)
    )  # fmt: skip
    writing.add(replace(changed, admitted=admission.id), event, admission=(admission, prepared[1]))


def _open_one(context: Context, item: HeldItem) -> GateVerdict:
    """Return a verdict that a person may decide about, as it stands under the lock."""
    verdict = context.store.gates.verdict(item.id)
    if verdict is None:
        raise NotFoundError("verdict", item.id)
    if verdict.held not in _DECIDABLE:
        raise why_not(context, verdict)
    if item.seen and item.seen != state_of(verdict):
        raise StaleWriteError(f"{verdict.id} has a new ruling and is now held as {verdict.reason}; look at it again")
    return verdict


def why_not(context: Context, verdict: GateVerdict) -> StaleWriteError | UsageError:
    """Return why a verdict cannot be decided in its current state."""
    if verdict.state is GateState.PENDING:
        return UsageError(f"{verdict.id} is waiting for a ruling; decide once it is held")
    if verdict.decision is not None:
        decision = verdict.decision
        return StaleWriteError(
            f"{decision.by} decided about {verdict.id} at {decision.at:%Y-%m-%d %H:%M} UTC:"
            f" {decision.choice.replace('_', ' ')} ({decision.why}); undo {decision.id} first"
        )
    if verdict.override is not None:
        return StaleWriteError(
            f"{verdict.id} is not blocked: {verdict.override.by} let it through at"
            f" {verdict.override.at:%Y-%m-%d %H:%M} UTC ({verdict.override.why})"
        )
    if verdict.reason is Reason.SAME_CONTENT:
        return UsageError(f"the same content is already kept as {verdict.of}; it cannot be let through twice")
    events = context.store.gates.events(verdict.gate, verdict.id, limit=20)
    reopened = next((e for e in events if e.act is GateAct.REOPENED), None)
    if reopened is None:
        return UsageError(f"{verdict.id} is not blocked: {verdict.reason}")
    return StaleWriteError(
        f"{verdict.id} is not blocked: 'gate retry' by {reopened.actor} at {reopened.at:%Y-%m-%d %H:%M} UTC settled it,"
        f" {verdict.reason}"
    )


def _repeated_id(context: Context, verdict: GateVerdict, of: str) -> str:
    """Return the id of the kept one that a submission repeats, in its first wording.

    Raises:
        NotFoundError: there is none of that id in its gate.
        UsageError: it is kept no more.
    """
    kept_id = worded_by(of.strip().lower() or verdict.of)
    candidates = [kept_id] if len(kept_id) >= 32 else [n.id for n in verdict.near if n.id.startswith(kept_id)]
    kept = context.store.gates.admissions(candidates[:2] if kept_id else [])
    if len(kept) != 1 or next(iter(kept.values())).gate != verdict.gate:
        hint = f"'saidonce gate held show {verdict.id}' lists them"
        raise NotFoundError("kept submission", kept_id or "(none)", hint)
    (admission,) = kept.values()
    if admission.released_at is not None:
        raise UsageError(
            f"{admission.id}, which it would repeat, was released at {admission.released_at:%Y-%m-%d %H:%M} UTC and is"
            " no longer kept; choose another one, or let it through"
        )
    return worded_by(admission.id)


_Alone = tuple[HeldItem, GateVerdict, tuple[Prepared, Vector], HeldOrder]


def _check_alone(context: Context, index: AdmittedIndex, writing: _Writing, alone: _Alone) -> None:
    """Refuse to admit what the person could not compare with all that is near to it.

    Raises:
        UsageError: the same content is kept, or something near was kept since, or stands in the same decision.
    """
    item, verdict, (prepared, vector), order = alone
    index.catch_up(context.store)
    (pool,) = index.pools([query_of(prepared, vector)], verdict.rules.k if verdict.rules is not None else 1)
    if pool.equal:
        raise UsageError(f"the same content is kept as {min(pool.equal)}; release that one first")
    own = [
        (a, v) for a, v in writing.write.admissions if a.gate == verdict.gate and a.partition == prepared.partition
    ]  # fmt: skip
    if twin := next((a for a, _ in own if a.candidate.content_hash == prepared.candidate.content_hash), None):
        raise UsageError(f"it has the same content as {twin.verdict_id} in this decision; only one of them can be kept")
    if order.choice is HeldChoice.LINK or order.past_newer or verdict.rules is None:
        return
    low, known = verdict.rules.clear_below, {n.id for n in verdict.near} | set(item.looked_at)
    fresh = next(((id_, s) for id_, s in pool.near if s >= low and id_ not in known), None)
    if fresh is not None:
        raise UsageError(
            f"{fresh[0]} was kept since it was held, and resembles it by {fresh[1]:.2f}: compare them first"
            f" ('saidonce gate held show {verdict.id}'), and confirm that you looked at it"
        )
    similar = canonical_cosines(vector, np.stack([v for _, v in own])) if own else np.zeros(0)
    if len(similar) and similar.max() >= low:
        other = own[int(similar.argmax())][0]
        raise UsageError(
            f"it resembles {other.verdict_id} in this decision (similarity {float(similar.max()):.2f}); decide these"
            " one by one"
        )


def undo(context: Context, decision_id: str, by: str, why: str = "") -> HeldUndo:
    """Undo a decision in one transaction, and restore the state of its submissions.

    What it let through or linked is kept no more. A submission that somebody released since stays released.

    Raises:
        NotFoundError: there is no such decision, or nothing of it stands any more.
        UsageError: nobody's name is given.
    """
    person = _person(by)
    gates = context.store.gates
    with context.store.ledger.exclusive():
        now = context.clock.now()
        verdicts = gates.decided(decision_id)
        if not verdicts:
            raise NotFoundError("decision", decision_id, "it does not exist, or was already undone")
        write, left = GateWrite(), []
        for verdict in verdicts:
            if verdict.released_at is not None and verdict.audit is None:
                at = f"{verdict.released_at:%Y-%m-%d %H:%M} UTC"
                left.append(HeldLeft(verdict.id, f"it was released at {at} and stays released"))
                continue
            event = GateEvent(
                verdict.gate, verdict.id, GateAct.UNDONE, person, storable(why.strip())[:MAX_WHY], now,
                decision=decision_id,
            )  # fmt: skip
            kept = _kept_by(verdict)
            withdrawn = (kept, *gates.wordings(kept)) if kept else ()
            write = replace(
                write,
                verdicts=(*write.verdicts, _as_before(verdict)),
                events=(*write.events, event),
                released=(*write.released, *((id_, now) for id_ in withdrawn)),
            )
        undone = gates.write(write) if write.verdicts else ()
    released = tuple(id_ for id_, _ in write.released)
    since = min((v.decision.rev for v in verdicts if v.decision is not None), default=0)
    return HeldUndo(decision_id, undone, released, tuple(left), _dependent_verdicts(context, set(released), since))


def _kept_by(verdict: GateVerdict) -> str:
    """Return the id under which a decision keeps a submission; empty if it keeps none."""
    if verdict.decision is None:
        return ""
    return verdict.decision.wording or (verdict.admitted if verdict.override is not None else "")


def _as_before(verdict: GateVerdict) -> GateVerdict:
    if verdict.decision is None:
        return replace(verdict, audit=None)
    return replace(verdict, override=None, decision=None, admitted="")


def _dependent_verdicts(context: Context, withdrawn: set[str], since: int) -> tuple[str, ...]:
    """Return the ids of verdicts that were blocked since a revision as repeats of what is withdrawn, sorted."""
    leaning: list[str] = []
    before: int | None = None
    while withdrawn:
        page = context.store.gates.verdicts("", GateState.RULED, before=before, limit=_PAGE)
        leaning += [
            v.id for v in page if v.blocked and v.verdict is not None and v.verdict.of in withdrawn and v.rev > since
        ]
        before = min((v.rev for v in page), default=0)
        if len(page) < _PAGE or before <= since:
            break
    return tuple(sorted(set(leaning)))


def audit(context: Context, verdict_id: str, right: bool, by: str, why: str = "") -> GateVerdict:
    """Record whether another person's decision, or an adjudicator's clear, was right; wrong ones stand until undone.

    A clear stays kept until somebody releases it, a decision until somebody undoes it.

    Raises:
        NotFoundError: no such verdict.
        StaleWriteError: somebody audited it before.
        UsageError: nobody's name is given, it is one's own decision, or it was not drawn for an audit.
    """
    person = _person(by)
    with context.store.ledger.exclusive():
        verdict = context.store.gates.verdict(verdict_id)
        if verdict is None:
            raise NotFoundError("verdict", verdict_id)
        id_ = DECISION + digest("audit", verdict.id, person, str(context.store.rev()))
        outcome = ClearAudit(id_, right, person, storable(why.strip())[:MAX_WHY], context.clock.now())
        if verdict.decision is not None:
            changed, event = audited_decision(verdict, verdict.decision, outcome)
        else:
            changed, event = audited_clear(verdict, outcome)
        return context.store.gates.write(GateWrite((changed,), events=(event,)))[0]


def assign(context: Context, ids: Sequence[str], to: str, by: str) -> tuple[GateVerdict, ...]:
    """Assign held submissions to a person; an empty name unassigns them.

    Raises:
        NotFoundError: a verdict, or a person where people are registered, is not there.
        UsageError: one waits for nobody, or nobody's name is given.
    """
    person, assignee = _person(by), storable(to.strip())
    check_assignable(assignee, context.store.people.people())
    with context.store.ledger.exclusive():
        now = context.clock.now()
        write = GateWrite()
        for verdict_id in dict.fromkeys(ids):
            verdict = context.store.gates.verdict(verdict_id)
            if verdict is None:
                raise NotFoundError("verdict", verdict_id)
            if verdict.held not in {HeldState.OPEN, HeldState.RULED, HeldState.AUDIT}:
                raise why_not(context, verdict)
            event = GateEvent(verdict.gate, verdict.id, GateAct.ASSIGNED, person, assignee or "nobody", now)
            write = replace(
                write,
                verdicts=(*write.verdicts, replace(verdict, assignee=assignee)),
                events=(*write.events, event),
            )
        return context.store.gates.write(write) if write.verdicts else ()


def note(context: Context, verdict_id: str, text: str, by: str) -> GateVerdict:
    """Append a note to the log of a verdict.

    Raises:
        NotFoundError: no such verdict.
        UsageError: the note is empty, or nobody's name is given.
    """
    person, words = _person(by), storable(text.strip())[:MAX_WHY]
    if not words:
        raise UsageError("a note must not be empty")
    with context.store.ledger.exclusive():
        verdict = context.store.gates.verdict(verdict_id)
        if verdict is None:
            raise NotFoundError("verdict", verdict_id)
        event = GateEvent(verdict.gate, verdict.id, GateAct.NOTED, person, words, context.clock.now())
        context.store.gates.write(GateWrite(events=(event,)))
    return verdict


def compare(context: Context, gate: KeepingGate, verdict: GateVerdict) -> HeldPair:
    """Return a held submission beside its current neighbours, which may be more than when it was held."""
    prepared = prepare(verdict.submission, gate.definition.fields)
    (vector,) = context.embedder.embed([prepared.embedded])
    gate.index.catch_up(context.store)
    (pool,) = gate.index.pools([query_of(prepared, vector)], verdict.rules.k if verdict.rules is not None else 5)
    low = verdict.rules.clear_below if verdict.rules is not None else 0.0
    before = {n.id for n in verdict.near}
    nearby = dict(pool.near) if verdict.admitted == "" else {}
    fresh = tuple(id_ for id_, similarity in nearby.items() if id_ not in before and similarity >= low)
    kept = context.store.gates.admissions([*before, *fresh])
    near = (*verdict.near, *(_near_to(prepared.candidate, kept[id_], nearby[id_]) for id_ in fresh if id_ in kept))
    first = context.store.gates.verdict(verdict.submission.retry_of) if verdict.submission.retry_of else None
    retries = context.store.gates.retries([verdict.id]).get(verdict.id, ())
    events = tuple(reversed(context.store.gates.events(verdict.gate, verdict.id, limit=1_000)))
    ranked = tuple(sorted(near, key=lambda n: (-n.similarity, n.id)))
    text = prepared.candidate.text
    return HeldPair(verdict, ranked, kept, fresh, text, state_of(verdict), retries, first, events)


def _near_to(candidate: Candidate, kept: Admission, similarity: float) -> Near:
    return Near(kept.id, similarity, first_objection(GUARDS, candidate, kept.candidate))
