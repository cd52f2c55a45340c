"""Rulings as they are reached: stored one by one, some at once, applied in order, asked for again by cause."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from test_gate import SHIRTS, SHIRTS_TOO, gate, near_topics, similar, task, topics

from judges import Judge, distinct, duplicate, failing, unsure
from saidonce.adjudication import AtOnce, Remembering
from saidonce.errors import UsageError
from saidonce.foundation.model import AskedAgain, Failure, GateState, GateVerdict, Question, Reason, Ruling
from saidonce.foundation.ports import Adjudicator
from saidonce.foundation.text import digest
from saidonce.gate import StoredRulings, ask_again, authorize, held_without_ruling, reopen, reopening, rule_due
from saidonce.gate.judging import Pace, rulings_as_reached
from world import World, world


class Killed(BaseException):
    """As a signal that nothing catches."""


def questions(n: int) -> dict[int, Question]:
    """One for each of so many submissions."""
    judge = Judge()
    w = world(gate_llm_enabled=True)
    opened = gate(w, judge)
    opened.check_many(topics(n))
    opened.check_many(near_topics(n))
    return dict(enumerate(judge.asked))


class TestRulingsAsReached:
    def test_so_many_are_asked_at_once_and_no_more(self) -> None:
        inside, most = [0], [0]
        lock, all_in = threading.Lock(), threading.Barrier(3, timeout=20)

        def says(question: Question) -> Ruling:
            with lock:
                inside[0] += 1
                most[0] = max(most[0], inside[0])
            all_in.wait()
            with lock:
                inside[0] -= 1
            return distinct(question)

        reached = dict(rulings_as_reached(Judge(says), questions(6), Pace(3)))
        assert sorted(reached) == list(range(6))
        assert most == [3]

    def test_the_first_reached_is_given_first_and_equal_questions_are_put_once(self) -> None:
        asked = questions(3)
        asked[3] = asked[0]
        go = threading.Event()

        def says(question: Question) -> Ruling:
            if question == asked[0]:
                assert go.wait(20)
            return distinct(question)

        judge = Judge(says)
        order = []
        for place, _ in rulings_as_reached(judge, asked, Pace(2)):
            order.append(place)
            if len(order) == 2:
                go.set()
        assert (sorted(order[:2]), order[2:]) == ([1, 2], [0, 3])
        assert len(judge.asked) == 3

    def test_while_it_waits_it_beats(self) -> None:
        beats = threading.Event()
        judge = Judge(lambda q: distinct(q) if beats.wait(20) else failing(Failure.TIMEOUT)(q))
        (ruling,) = (r for _, r in rulings_as_reached(judge, questions(1), Pace(1, beats.set, 0.01)))
        assert ruling.failure is None

    def test_who_stops_reading_puts_no_further_questions(self) -> None:
        stopped, n_asked = threading.Event(), [0]

        def says(question: Question) -> Ruling:
            n_asked[0] += 1
            assert n_asked[0] == 1 or stopped.wait(20)
            return distinct(question)

        reading = rulings_as_reached(Judge(says), questions(5), Pace(1, beat_s=0.01))
        next(reading)
        reading.close()
        stopped.set()
        for thread in [t for t in threading.enumerate() if t.name == "saidonce-judging"]:
            thread.join(20)
        assert n_asked[0] <= 2

    def test_a_judge_that_is_shared_is_asked_by_some_threads_only(self) -> None:
        inside: list[int] = []
        most = [0]

        def says(question: Question) -> Ruling:
            inside.append(1)
            most[0] = max(most[0], len(inside))
            time.sleep(0.001)
            inside.pop()
            return distinct(question)

        reached = dict(rulings_as_reached(AtOnce(Judge(says), 1), questions(4), Pace(4)))
        assert (len(reached), most) == (4, [1])


class TestStreaming:
    def test_a_verdict_is_given_before_the_next_ruling_is_reached(self) -> None:
        w = world(gate_llm_enabled=True, gate_rulings_at_once=1)
        go = threading.Event()
        asked: list[Question] = []

        def says(question: Question) -> Ruling:
            asked.append(question)
            assert len(asked) == 1 or go.wait(20)
            return distinct(question)

        opened = gate(w, Judge(says))
        opened.check_many(topics(3))
        reached = opened.check_each([*near_topics(3), task(SHIRTS)])
        place, first = next(reached)
        assert (place, first.reason) == (0, Reason.LLM_CLEARED)
        assert w.base.store.gates.n_pending("tasks") == 2
        go.set()
        assert [place for place, _ in reached] == [1, 2, 3]

    def test_who_stops_reading_leaves_the_rest_pending(self) -> None:
        w = world(gate_llm_enabled=True)
        opened = gate(w, Judge())
        opened.check_many(topics(3))
        reached = opened.check_each(near_topics(3))
        next(reached)
        reached.close()
        assert w.base.store.gates.n_pending("tasks") >= 1
        assert {v.state for v in opened.check_many(near_topics(3))} == {GateState.RULED}

    def test_the_order_of_rulings_changes_no_verdict(self) -> None:
        told = {self._decided(at_once, salt) for at_once, salt in ((1, ""), (8, "a"), (8, "b"), (3, "c"))}
        assert len(told) == 1

    def _decided(self, at_once: int, salt: str) -> tuple[Any, ...]:
        w = world(gate_llm_enabled=True, gate_rulings_at_once=at_once)

        def says(question: Question) -> Ruling:
            named = digest(question.candidate.text, salt)
            time.sleep(int(named[:2], 16) / 20_000 if salt else 0)
            right = int(digest(question.candidate.text)[:1], 16) % 3
            return (distinct, duplicate, unsure)[right](question)

        opened = gate(w, Judge(says))
        opened.check_many(topics(6))
        given = [*near_topics(6), *similar(5), *(replace(s, key="") for s in topics(9)[6:]), *similar(7)[5:]]
        return tuple((v.id, v.reason, v.near, v.of, v.admitted, v.verdict) for v in opened.check_many(given))


class TestStoredAsReached:
    def test_who_dies_in_a_batch_pays_for_no_ruling_twice(self) -> None:
        w = world(gate_llm_enabled=True, gate_rulings_at_once=2)
        paid: list[Question] = []
        lock = threading.Lock()

        def says(dies_after: int) -> Callable[[Question], Ruling]:
            def say(question: Question) -> Ruling:
                with lock:
                    if len(paid) >= dies_after:
                        raise Killed
                    paid.append(question)
                return distinct(question)

            return say

        def judge(dies_after: int) -> Adjudicator:
            return Remembering(Judge(says(dies_after)), StoredRulings(w.base.store.gates))

        gate(w, judge(99)).check_many(topics(12))
        with pytest.raises(Killed):
            gate(w, judge(5)).check_many(near_topics(12))
        assert len(paid) == 5
        verdicts = gate(w, judge(99)).check_many(near_topics(12))
        assert len(paid) == 12
        assert {v.reason for v in verdicts} == {Reason.LLM_CLEARED}


CAUSES = {
    "away": failing(Failure.TIMEOUT),
    "canary": failing(Failure.CANARY),
    "contradiction": failing(Failure.CONTRADICTION),
    "malformed": failing(Failure.MALFORMED),
    "unsure": unsure,
}


class TestAskedAgain:
    def held(self, w: World) -> list[GateVerdict]:
        """One for each cause, in their order, one ruled a duplicate, and one for want of a judge."""
        held = []
        opened = gate(w, Judge())
        opened.check_many(topics(len(CAUSES) + 2))
        near = near_topics(len(CAUSES) + 2)
        for submission, says in zip(near, [*CAUSES.values(), duplicate], strict=False):
            held.append(gate(w, Judge(says)).check(submission))
        held.append(gate(w).check(near[-1]))
        assert not any(map(authorize, held))
        return held

    def test_by_its_cause_and_no_other(self) -> None:
        w = world(gate_llm_enabled=True)
        held = self.held(w)
        for place, cause in enumerate(CAUSES):
            assert [v.id for v in held_without_ruling(w.base, "tasks", {cause})] == [held[place].id]
        assert [v.id for v in held_without_ruling(w.base, "tasks", {"nobody"})] == [held[-1].id]
        assert [v.id for v in held_without_ruling(w.base, "tasks", {"timeout"})] == [held[0].id]
        how = reopening("jo", ["canary, unsure", "nobody"])
        wanted = held_without_ruling(w.base, "tasks", how.causes)
        cleared = list(ask_again(w.base, gate(w, Judge()), wanted, how))
        assert {v.id for v in cleared} == {held[1].id, held[4].id, held[6].id}
        assert {(v.reason, v.asked_again) for v in cleared} == {(Reason.LLM_CLEARED, None)}
        assert held_without_ruling(w.base, "tasks", {*CAUSES, "nobody"}) == sorted(
            (held[n] for n in (0, 2, 3)), key=lambda v: (v.at, v.id)
        )

    def test_a_cause_that_is_none_is_refused(self) -> None:
        with pytest.raises(UsageError, match="canary"):
            reopening("jo", ["canaries"])

    def test_where_nobody_rules_it_is_refused(self) -> None:
        w = world(gate_llm_enabled=True)
        held = self.held(w)
        with pytest.raises(UsageError, match="gate_llm_enabled"):
            list(ask_again(w.base, gate(w), held, reopening("jo", list(CAUSES))))
        assert w.base.store.gates.n_pending("tasks") == 0

    def test_what_is_reopened_for_a_worker_is_ruled_on_by_the_judge_that_was_wanted(self) -> None:
        w = world(gate_llm_enabled=True)
        held = self.held(w)
        how = reopening("jo", ["canary"], "another")
        (pending,) = reopen(w.base, held, how, w.base.clock.now())
        assert (pending.asked_again, pending.state) == (AskedAgain("another"), GateState.PENDING)
        wanted: list[tuple[str, AskedAgain | None]] = []

        def opened(name: str, order: AskedAgain | None) -> Any:
            wanted.append((name, order))
            return gate(w, Judge(), name)

        (ruled,) = rule_due(w.base, opened, 10)
        assert (ruled.id, ruled.reason) == (held[1].id, Reason.LLM_CLEARED)
        assert wanted == [("tasks", AskedAgain("another"))]

    def test_an_unsure_that_is_remembered_is_asked_about_anew(self) -> None:
        w = world(gate_llm_enabled=True)
        gates = w.base.store.gates

        def opened(judge: Judge, anew: bool) -> Any:
            return gate(w, Remembering(judge, StoredRulings(gates, anew)))

        opened(Judge(unsure), False).check_many([task(), task(SHIRTS_TOO, "b")])
        how = reopening("jo", ["unsure"])
        assert how.order.anew
        held = held_without_ruling(w.base, "tasks", how.causes)
        (still,) = ask_again(w.base, opened(Judge(distinct), False), held, how)
        assert not authorize(still)
        (cleared,) = ask_again(w.base, opened(Judge(distinct), True), held, how)
        assert authorize(cleared)


def test_a_worker_claims_what_it_was_told_to() -> None:
    w = world(gate_llm_enabled=True)
    opened = gate(w, Judge())
    opened.check_many(topics(5))
    opened.submit_many(near_topics(5))

    def same(name: str, _order: AskedAgain | None) -> Any:
        return gate(w, Judge(), name)

    batches: Sequence[int] = [len(rule_due(w.base, same, 2)) for _ in range(4)]
    assert batches == [2, 2, 1, 0]
