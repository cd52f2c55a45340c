"""A judge that takes its clear back after the submission was admitted: seen, told, and decided by a person."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
from benchmarks.rater_server import Rater
from test_gate import SHIRTS, SHIRTS_TOO, gate, task

from saidonce.adjudication import AutoRater, RaterOptions
from saidonce.errors import StaleWriteError
from saidonce.foundation.model import GateAct, GateVerdict, HeldState, Reason
from saidonce.gate import authorize, clears_since, held, recheck
from world import World, world


@pytest.fixture
def rater(monkeypatch: pytest.MonkeyPatch) -> Iterator[Rater]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    served = Rater(0.0, lambda _payload: "distinct")
    yield served
    served.close()


def cleared(w: World, rater: Rater) -> tuple[AutoRater, GateVerdict]:
    """Have the judge clear one submission that is near to a kept one."""
    judge = AutoRater(rater.url, b"a secret", RaterOptions(20_000, 10))
    opened = gate(w, judge)
    opened.check(task(SHIRTS))
    verdict = opened.check(task(SHIRTS_TOO))
    assert (verdict.reason, authorize(verdict)) == (Reason.LLM_CLEARED, True)
    return judge, verdict


def clears(w: World) -> list[GateVerdict]:
    return list(clears_since(w.base, "", w.base.clock.now() - timedelta(days=1)))


def test_a_clear_that_stands_changes_nothing(rater: Rater) -> None:
    w = world(gate_llm_enabled=True)
    judge, verdict = cleared(w, rater)
    done = recheck(w.base, judge, clears(w))
    assert (done.n_stand, done.n_unknown, done.retracted) == (1, 0, ())
    assert w.base.store.gates.verdict(verdict.id) == verdict


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"opinion": "duplicate", "of": "first"}, "duplicate"),
        ({"opinion": "unsure"}, "unsure"),
        ({"confidence": 0.2}, "contradiction"),
        ({"reason": "the same task in other words"}, "contradiction"),
    ],
)
def test_what_is_taken_back_authorises_nothing_and_waits_for_a_person(
    rater: Rater, change: dict[str, object], says: str
) -> None:
    w = world(gate_llm_enabled=True)
    judge, verdict = cleared(w, rater)
    (review,) = rater.reviews.values()
    review.result |= {**change, **({"of": verdict.near[0].id} if "of" in change else {})}
    done = recheck(w.base, judge, clears(w))
    (changed,) = done.retracted
    assert (changed.id, changed.reason, changed.held) == (verdict.id, Reason.RETRACTED, HeldState.AUDIT)
    assert changed.retraction is not None
    assert says in changed.retraction.why
    assert not authorize(changed)
    assert changed.admitted == verdict.admitted != ""
    acts = [event.act for event in w.base.store.gates.events(verdict.gate, verdict.id)]
    assert GateAct.RETRACTED in acts
    assert clears(w) == []
    assert gate(w, judge).replay().different == ()


def test_a_person_who_finds_it_right_makes_it_count_again(rater: Rater) -> None:
    w = world(gate_llm_enabled=True)
    judge, verdict = cleared(w, rater)
    (review,) = rater.reviews.values()
    review.result["opinion"] = "unsure"
    recheck(w.base, judge, clears(w))
    found = held.audit(w.base, verdict.id, right=True, by="ann")
    assert authorize(found)
    assert found.held is HeldState.RIGHT
    with pytest.raises(StaleWriteError, match="ann"):
        held.audit(w.base, verdict.id, right=False, by="bob")


def test_a_service_that_forgot_or_moved_takes_nothing_back(rater: Rater) -> None:
    w = world(gate_llm_enabled=True)
    judge, _ = cleared(w, rater)
    other = Rater(0.0, lambda _payload: "duplicate")
    try:
        moved = AutoRater(other.url, b"a secret", RaterOptions(20_000, 10))
        assert recheck(w.base, moved, clears(w)).n_unknown == 1
    finally:
        other.close()
    rater.reviews.clear()
    done = recheck(w.base, judge, clears(w))
    assert (done.n_stand, done.n_unknown, done.retracted) == (0, 1, ())
    rater.close()
    assert recheck(w.base, judge, clears(w)).n_unknown == 1


def test_what_was_released_is_not_asked_about(rater: Rater) -> None:
    w = world(gate_llm_enabled=True)
    judge, verdict = cleared(w, rater)
    gate(w, judge).release(verdict.id, "ann", "a repeat after all")
    assert clears(w) == []
