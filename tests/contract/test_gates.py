"""The contract of gates, kept by every store; and that workers cannot both clear the same."""

from __future__ import annotations

import multiprocessing
import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import numpy as np
import pytest

from judges import Judge, distinct
from saidonce.adapters.embed.hashed import HashedEmbedder
from saidonce.adapters.postgres.embedded import EmbeddedServer
from saidonce.adapters.postgres.postgres import PostgresStore
from saidonce.errors import NotFoundError, StoreCorruptError
from saidonce.foundation.codec import fingerprint_of
from saidonce.foundation.context import Context
from saidonce.foundation.model import (
    Admission,
    Candidate,
    GateAct,
    GateDefinition,
    GateEvent,
    GateFields,
    GateState,
    GateVerdict,
    Opinion,
    Outcome,
    Override,
    Reason,
    ReviewNote,
    Ruling,
    Submission,
    Vector,
    Verdict,
)
from saidonce.foundation.ports import GateStanding, GateWrite, KeptQuery, Store
from saidonce.foundation.text import digest
from saidonce.gate import AdmittedIndex, Gate, StoredBudget, StoredReviews, StoredRulings, authorize, define, reembed
from saidonce.gate.admitted import AdmittedQuery
from saidonce.testing import MemoryStore
from world import NOON, wired

Open = Callable[[str], Store]
DIM = 4


def definition(name: str = "tasks") -> GateDefinition:
    return GateDefinition(name, GateFields(exact=("subdomain",)), "m1", DIM, NOON)


@pytest.fixture
def store(opened: Open, org: str) -> Store:
    made = opened(org)
    made.gates.ensure(definition())
    return made


def pending(n: int, key: str = "", gate: str = "tasks") -> GateVerdict:
    submission = Submission(f"text {n} \u00fc", "title", (("persona", "a"),), key)
    id_ = "gv-" + digest("v", str(n))
    return GateVerdict(id_, gate, submission, fingerprint_of(submission), GateState.PENDING, NOON)


def admission(n: int, partition: str = "p", gate: str = "tasks") -> tuple[Admission, Vector]:
    vector = np.zeros(DIM, np.float32)
    vector[n % DIM] = 1.0
    submission = Submission(f"text {n}", fields=(("a", "1"),))
    candidate = Candidate(f"text {n}", digest(str(n)), language="en", fields=(("a", "1"),))
    return Admission(digest("a", str(n)), gate, candidate, submission, partition, "", NOON), vector


def kept(store: Store, since: int = 0, gate: str = "tasks") -> list[tuple[str, bool, str, bytes | None]]:
    rows = [row for batch in store.gates.changes(gate, since) for row in batch]
    assert [(r.rev, r.id) for r in rows] == sorted((r.rev, r.id) for r in rows)
    return [(r.id, r.live, r.partition, None if r.vector is None else r.vector.tobytes()) for r in rows]


class TestTheStore:
    def test_a_gate_is_made_once(self, store: Store) -> None:
        other = replace(definition(), fields=GateFields(("text",)), model="m2")
        assert store.gates.ensure(other) == definition()
        store.gates.ensure(definition("b"))
        assert store.gates.gates() == (definition("b"), definition())
        assert store.gates.standing("tasks") == GateStanding(store.rev(), "m1", 0, {})
        with pytest.raises(NotFoundError):
            store.gates.standing("nothing")

    def test_verdicts_are_found_by_id_key_and_state(self, store: Store) -> None:
        one, two = store.gates.write(GateWrite((pending(1, "k\u00e9y"), pending(2))))
        assert one.rev == two.rev == store.rev()
        assert store.gates.verdict(one.id) == one
        assert store.gates.verdict("gv-none") is None
        assert store.gates.standing("tasks", ["k\u00e9y", "other", ""]).by_key == {"k\u00e9y": one}
        store.gates.ensure(definition("other"))
        assert store.gates.standing("other", ["k\u00e9y"]).by_key == {}
        assert store.gates.find(one.id[:9]) == (one.id,)
        assert set(store.gates.find("gv-")) == {one.id, two.id}
        assert store.gates.n_pending("tasks") == store.gates.n_pending("") == 2
        (ruled,) = store.gates.write(GateWrite((replace(two, state=GateState.RULED),)))
        assert store.gates.verdicts("tasks") == (ruled, one)
        assert store.gates.verdicts("tasks", before=ruled.rev) == (one,)
        assert store.gates.verdicts("", GateState.PENDING) == (one,)
        assert store.gates.verdicts("tasks", reasons=["no_ruling"]) == ()
        assert list(store.gates.log("tasks")) == sorted((ruled, one), key=lambda v: v.id)
        assert [f.state for f in store.gates.figures("tasks", 10)] == ["ruled", "pending"]

    def test_figures_tell_what_was_let_through_whatever_the_reason(self, store: Store) -> None:
        ends = [
            (Outcome.DUPLICATE, Reason.OBJECTION, None, False),
            (Outcome.DISTINCT, Reason.OBJECTION, None, True),
            (Outcome.DISTINCT, Reason.BELOW_THRESHOLD, None, True),
            (Outcome.DUPLICATE, Reason.ABOVE_THRESHOLD, None, False),
            (Outcome.DUPLICATE, Reason.OBJECTION, Override("jo", "new", NOON), True),
        ]
        ruled = [
            replace(pending(n), state=GateState.RULED, verdict=Verdict(outcome, reason, "", 0.8, ()), override=override)
            for n, (outcome, reason, override, _) in enumerate(ends)
        ]
        for verdict in ruled:
            store.gates.write(GateWrite((verdict,)))
        assert [f.is_through for f in store.gates.figures("tasks", 10)] == [through for *_, through in reversed(ends)]

    def test_a_key_stands_for_one_verdict(self, store: Store) -> None:
        store.gates.write(GateWrite((pending(1, "k"),)))
        with pytest.raises(StoreCorruptError):
            store.gates.write(GateWrite((pending(2, "k"),), admissions=(admission(2),)))
        assert kept(store) == []

    def test_what_is_due_is_claimed_once(self, store: Store) -> None:
        late = NOON + timedelta(hours=1)
        one, two, three = (pending(n) for n in range(3))
        store.gates.write(GateWrite((one, two, three), due_at={two.id: late}))
        first = store.gates.claim(NOON, late, 1)
        rest = store.gates.claim(NOON, late, 10)
        assert {v.id for v in (*first, *rest)} == {one.id, three.id}
        assert store.gates.claim(NOON, late, 10) == ()
        assert len(store.gates.claim(late, late + timedelta(hours=1), 10)) == 3

    def test_a_lease_is_renewed_while_a_verdict_is_pending(self, store: Store) -> None:
        late = NOON + timedelta(hours=1)
        one, two = pending(1), pending(2)
        store.gates.write(GateWrite((one, two)))
        store.gates.write(GateWrite((replace(two, state=GateState.RULED),)))
        store.gates.renew([one.id, two.id, "gv-none"], late)
        assert store.gates.claim(NOON, late, 10) == ()
        assert [v.id for v in store.gates.claim(late, late, 10)] == [one.id]

    def test_changes_tell_what_is_kept(self, store: Store) -> None:
        a, b = admission(1), admission(2, "q")
        store.gates.write(GateWrite(admissions=(a, b)))
        rev = store.rev()
        assert store.gates.standing("tasks") == GateStanding(rev, "m1", rev, {})
        assert sorted(kept(store)) == sorted(
            [(a[0].id, True, "p", a[1].tobytes()), (b[0].id, True, "q", b[1].tobytes())]
        )
        assert kept(store, rev) == []
        store.gates.write(GateWrite(released=((a[0].id, NOON),)))
        assert kept(store, rev) == [(a[0].id, False, "p", None)]
        assert store.gates.admissions([a[0].id, "none"]) == {a[0].id: replace(a[0], released_at=NOON)}
        assert [x for batch in store.gates.admitted("tasks") for x in batch] == [b[0]]
        assert store.gates.n_admitted("tasks") == 1

    def test_all_or_nothing(self, store: Store) -> None:
        before = store.rev()
        with pytest.raises(NotFoundError):
            store.gates.write(GateWrite((pending(1),), admissions=(admission(1),), released=(("none", NOON),)))
        with pytest.raises(NotFoundError):
            store.gates.write(GateWrite((pending(1, gate="nothing"),)))
        wrong = np.ones(DIM + 1, np.float32)
        with pytest.raises(StoreCorruptError):
            store.gates.write(GateWrite((pending(1),), admissions=((admission(1)[0], wrong),)))
        assert (store.rev(), store.gates.verdicts("tasks"), kept(store)) == (before, (), [])

    def test_the_log_grows(self, store: Store) -> None:
        events = tuple(GateEvent("tasks", v, GateAct.HELD, "gate", f"n{v}", NOON) for v in ("a", "b", "a"))
        store.gates.write(GateWrite(events=events))
        assert [(e.seq, e.detail) for e in store.gates.events("tasks")] == [(3, "na"), (2, "nb"), (1, "na")]
        assert [e.seq for e in store.gates.events("", "a")] == [3, 1]
        assert [e.seq for e in store.gates.events("tasks", limit=1)] == [3]
        assert store.gates.events("other") == ()

    def test_rulings_are_remembered_by_their_first(self, store: Store) -> None:
        first, second = Ruling(Opinion.DISTINCT, reason="a \u20ac"), Ruling(Opinion.DUPLICATE, "x")
        store.gates.remember({"k": first})
        store.gates.remember({"k": second, "l": second})
        assert store.gates.rulings(["k", "l", "m"]) == {"k": first, "l": second}

    def test_a_ruling_reached_anew_replaces_the_one_that_is_known(self, store: Store) -> None:
        first, second = Ruling(Opinion.UNSURE), Ruling(Opinion.DUPLICATE, "x")
        store.gates.remember({"k": first})
        store.gates.remember({"k": second}, anew=True)
        assert store.gates.rulings(["k"]) == {"k": second}
        anew = StoredRulings(store.gates, anew=True)
        anew.put("q", "somebody", first)
        assert StoredRulings(store.gates).get("q", "somebody") == first
        assert anew.get("q", "somebody") is None
        anew.put("q", "somebody", second)
        assert anew.get("q", "somebody") == second

    def test_a_review_is_noted_until_its_ruling_is_remembered(self, store: Store) -> None:
        reviews = StoredReviews(store.gates)
        note = ReviewNote("k", "nonce", "", NOON)
        reviews.note(note)
        accepted = replace(note, review="r-1")
        reviews.note(accepted)
        reviews.note(replace(note, key="l"))
        assert (reviews.open_review("k"), reviews.open_review("m")) == (accepted, None)
        store.gates.remember({"k": Ruling(Opinion.DISTINCT)})
        assert reviews.open_review("k") is None
        reviews.drop("l")
        assert reviews.open_review("l") is None

    def test_a_budget_is_kept(self, store: Store) -> None:
        day = date(2026, 1, 17)
        assert store.gates.spent(day) == (0, 0.0)
        assert store.gates.spend(day, 2, 0.5, most_calls=3)
        assert not store.gates.spend(day, 2, 0.0, most_calls=3)
        assert store.gates.spend(day, 0, 0.25, most_calls=1, most_cost=0.1)
        assert not store.gates.spend(day, 1, 0.0, most_cost=0.75)
        assert store.gates.spend(day, 1, 0.25, most_cost=0.8)
        assert store.gates.spent(day) == (3, 1.0)
        budget = StoredBudget(store.gates, most_calls=4, most_cost=0.0)
        assert [budget.spend(day, n, 0.0) for n in (2, 1, 1, 0)] == [False, True, False, True]
        assert store.gates.spent(day + timedelta(days=1)) == (0, 0.0)

    def test_a_cache_of_rulings_is_by_who_ruled(self, store: Store) -> None:
        cache = StoredRulings(store.gates)
        ruling = Ruling(Opinion.DISTINCT, reason="x", adjudicator="one")
        cache.put("k", "one", ruling)
        assert (cache.get("k", "one"), cache.get("k", "two"), cache.get("l", "one")) == (ruling, None, None)

    def test_organisations_do_not_see_each_other(self, store: Store, opened: Open, org: str) -> None:
        other = opened(f"{org}-2")
        store.gates.write(GateWrite((pending(1, "k"),), admissions=(admission(1),)))
        assert (other.gates.gates(), other.gates.find("gv-"), other.gates.n_pending("")) == ((), (), 0)
        other.gates.ensure(definition())
        assert kept(other) == []
        other.gates.write(GateWrite((pending(1, "k"),), admissions=(admission(1),)))
        assert len(kept(store)) == len(kept(other)) == 1

    def test_an_export_holds_gates(self, store: Store, opened: Open, org: str) -> None:
        a, b = admission(1), admission(2)
        event = GateEvent("tasks", "", GateAct.IMPORTED, "ann", "2", NOON)
        store.gates.write(GateWrite((pending(1, "k"), pending(2)), admissions=(a, b), events=(event,)))
        store.gates.write(GateWrite(released=((b[0].id, NOON),)))
        lines = list(store.dump())
        copy = opened(f"{org}-copy")
        copy.load(lines)
        assert list(copy.dump()) == lines
        assert copy.gates.verdicts("tasks") == store.gates.verdicts("tasks")
        assert kept(copy) == kept(store)
        assert copy.gates.events("tasks") == store.gates.events("tasks")
        assert len(copy.gates.claim(NOON, NOON, 10)) == 2

    def test_another_model_takes_all_vectors(self, store: Store) -> None:
        a, b = admission(1), admission(2)
        store.gates.write(GateWrite(admissions=(a, b)))
        store.gates.write(GateWrite(released=((b[0].id, NOON),)))
        rev = store.rev()
        moved = replace(definition(), model="m2", dim=2)
        with pytest.raises(StoreCorruptError):
            store.gates.reembed(moved, {})
        store.gates.reembed(moved, {a[0].id: np.array([0, 1], np.float32)})
        assert store.gates.gates() == (moved,)
        assert kept(store, rev) == [(a[0].id, True, "p", np.array([0, 1], np.float32).tobytes())]


def gate_of(store: Store, judge: Judge | None = None, **settings: Any) -> Gate:
    base: Context = wired(store, HashedEmbedder(64), **settings)
    made = define(base, "flow")
    return Gate(base, made, AdmittedIndex("flow", made.model, made.dim), judge)


TEXT = "Count the shirts and trousers in the stock room of shop number {} and note what is missing."


class TestTheFlow:
    def test_gives_the_same_bytes_on_every_store(self, opened: Open, org: str) -> None:
        def said(store: Store) -> list[Any]:
            gate = gate_of(store, Judge(distinct), gate_llm_enabled=True)
            given = [Submission(TEXT.format(n), fields=(("n", str(n % 2)),), key=str(n)) for n in (1, 2, 2, 3)]
            keyless = [Submission(TEXT.format(1)), Submission("Something else altogether: \u00fc.")]
            given[2] = replace(given[2], key="again")
            verdicts = [*gate.check_many(given), *gate.check_many(keyless)]
            gate.release(verdicts[0].id, "ann")
            assert gate.replay().different == ()
            return [(v.verdict, v.near, v.ruling, v.policy, v.admitted, authorize(v)) for v in verdicts]

        memory = MemoryStore(org)
        assert said(opened(org)) == said(memory)

    def test_a_cache_is_what_the_store_holds(self, opened: Open, org: str) -> None:
        store = opened(org)
        one, two = gate_of(store), gate_of(store)
        first = one.check(Submission(TEXT.format("one")))
        assert two.check(Submission(TEXT.format("one."))).of == first.admitted
        one.release(first.id, "ann")
        assert two.check(Submission(TEXT.format("one"))).reason is Reason.NO_MATCHES

    def test_odd_names_and_texts_are_kept(self, opened: Open, org: str) -> None:
        base = wired(opened(org), HashedEmbedder(64))
        made = define(base, "odd \x00 \ud800 name")
        gate = Gate(base, made, AdmittedIndex(made.name, made.model, made.dim))
        odd = "\x00 \ud800 \U0010d3dd"
        verdict = gate.check(Submission(f"text {odd}", odd, ((f"name {odd}", odd),), f"key {odd}"))
        assert base.store.gates.verdict(verdict.id) == verdict
        through = gate.check(Submission(f"text {odd}.", odd, ((f"name {odd}", odd),)))
        assert through.of == verdict.admitted
        gate.release(verdict.id, odd, odd)
        assert gate.replay().different == ()

    def test_a_gate_moves_to_another_model(self, opened: Open, org: str) -> None:
        store = opened(org)
        gate_of(store).check(Submission(TEXT.format("one")))
        base = wired(store, HashedEmbedder(32))
        assert reembed(base, "flow") == 1
        made = define(base, "flow")
        moved = Gate(base, made, AdmittedIndex("flow", made.model, made.dim))
        assert moved.check(Submission(TEXT.format("one."))).blocked

    def test_threads_cannot_both_clear_the_same(self, opened: Open, org: str) -> None:
        store = opened(org)
        gates = [gate_of(opened(org)) for _ in range(4)]
        shared = gate_of(store)
        verdicts: list[GateVerdict] = []

        def work(gate: Gate) -> None:
            for n in range(6):
                verdicts.append(gate.check(Submission(TEXT.format("abcdef"[n] * 9))))

        threads = [threading.Thread(target=work, args=(gate,)) for gate in (*gates, shared, shared)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(verdicts) == 36
        contents = [v.submission.text for v in verdicts if authorize(v)]
        assert len(contents) == len(set(contents)) == store.gates.n_admitted("flow")
        assert shared.replay().different == ()


def _process(url: str, org: str, judged: bool, queue: Any) -> None:
    store = PostgresStore(url, org)
    gate = gate_of(store, Judge(distinct) if judged else None, gate_llm_enabled=judged)
    for n in range(8):
        verdict = gate.check(Submission(TEXT.format("abcdefgh"[n] * 9)))
        queue.put((verdict.submission.text, authorize(verdict), verdict.of))
    store.close()


@pytest.mark.parametrize("judged", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_processes_cannot_both_clear_the_same(embedded_server: EmbeddedServer, org: str, judged: bool) -> None:
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    store = PostgresStore(embedded_server.url, org)
    workers = [context.Process(target=_process, args=(embedded_server.url, org, judged, queue)) for _ in range(3)]
    for worker in workers:
        worker.start()
    told = [queue.get(timeout=120) for _ in range(24)]
    for worker in workers:
        worker.join(60)
    cleared = [text for text, is_clear, _ in told if is_clear]
    assert len(cleared) == len(set(cleared)) == store.gates.n_admitted("flow")
    assert len(cleared) == 8 if judged else len(cleared) >= 1
    assert all(is_clear or of for _, is_clear, of in told)
    store.close()


class TestAnIndexThatIsNotLoaded:
    """A few searches do not wait for the cache: the store answers them, bit for bit as the cache does."""

    def test_finds_in_the_store_what_the_cache_finds(self, opened: Open, org: str) -> None:
        store = opened(org)
        rng = np.random.default_rng(3)
        rows = rng.standard_normal((60, 16)).astype(np.float32)
        rows[30:40] = rows[0]  # Ten of one vector: ties, and more of them than are asked for.
        rows[40:50] = rows[:10] + np.float32(1e-4) * rows[10:20]
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        store.gates.ensure(replace(definition(), dim=16))
        given = [
            replace(admission(n, "pq"[n % 7 == 0])[0], candidate=Candidate(f"text {n}", digest(str(n % 50))))
            for n in range(60)
        ]
        store.gates.write(GateWrite(admissions=tuple(zip(given, rows, strict=True))))
        store.gates.write(GateWrite(released=((given[3].id, NOON), (given[31].id, NOON))))
        warm, cold = AdmittedIndex("tasks", "m1", 16), AdmittedIndex("tasks", "m1", 16, many=1)
        warm.catch_up(store)
        queries = [AdmittedQuery(row, "pq"[n % 3 == 0], digest(str(n))) for n, row in enumerate(rows)]
        for query in queries:
            wanted = KeptQuery(query.vector, query.partition, query.content_hash, 5, 1e-4)
            assert set(near := store.gates.near("tasks", wanted).ids) >= {i for i, _ in warm.pools([query], 5)[0].near}
            assert list(near) == sorted(near)
            assert cold._in_store(store, query, 5) == warm.pools([query], 5)[0]
        assert [store.gates.n_changes("tasks", most) for most in (7, 60, 100)] == [7, 60, 60]
        assert cold.current(store, 1) == warm.seen
        (first,) = cold.search(store, queries[:1], 5)
        assert first == warm.pools(queries[:1], 5)[0]
        assert cold.catch_up(store) == warm.seen
        assert cold.search(store, queries, 5) == warm.pools(queries, 5)

    def test_gives_the_same_verdicts(self, opened: Open, org: str) -> None:
        told = []
        for many in (1, 1_000):
            base = wired(opened(f"{org}-{many}"), HashedEmbedder())
            made = define(base, "tasks")
            texts = [f"Count the {thing} of the shop." for thing in ("shirts", "boats", "trousers", "shirts", "keys")]
            for text in texts:
                index = AdmittedIndex("tasks", made.model, made.dim, many)
                verdict = Gate(base, made, index).check(Submission(text, key=text))
                told.append((many, verdict.reason, verdict.similarity, verdict.near))
        assert [t[1:] for t in told[:5]] == [t[1:] for t in told[5:]]
