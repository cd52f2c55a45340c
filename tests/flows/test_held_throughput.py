"""What people get done with what a gate holds: pace, what was taken back, and by whom."""

from __future__ import annotations

import pytest
from test_gate import SHIRTS, SHIRTS_TOO, gate, task

from saidonce.errors import StaleWriteError, UsageError
from saidonce.foundation.model import GateAct, HeldChoice, HeldState
from saidonce.gate import HeldItem, HeldOrder, held, held_throughput
from world import World, world


def holding(w: World, n: int) -> list[str]:
    """Have a gate without a judge hold so many."""
    opened = gate(w)
    opened.check(task(SHIRTS))
    return [opened.check(task(f"{SHIRTS_TOO} {'!' * k}")).id for k in range(1, n + 1)]


def test_bulk_counts_once_by_hand_and_what_others_take_back_is_told() -> None:
    w = world()
    ids = holding(w, 3)
    opened = gate(w)
    of = lambda _name: opened  # noqa: E731
    both = held.decide(w.base, of, [HeldItem(ids[0]), HeldItem(ids[1])], HeldOrder(HeldChoice.REPEAT, "ann"))
    alone = held.decide(w.base, of, [HeldItem(ids[2])], HeldOrder(HeldChoice.REPEAT, "ann"))
    held.undo(w.base, both.decision, "bob")
    held.undo(w.base, alone.decision, "ann")
    (row,) = held_throughput(w.base.store.gates)
    assert (row.person, row.n_decided, row.n_acts) == ("ann", 3, 2)
    assert (row.n_taken_back, row.n_by_others) == (3, 2)
    assert row.per_hour > 0


def test_nobody_did_anything_where_nobody_decided() -> None:
    w = world()
    holding(w, 1)
    assert held_throughput(w.base.store.gates) == ()


def decided(w: World) -> tuple[str, str]:
    """Have Ann let one through that a gate held; return its id and that of the decision."""
    (id_,) = holding(w, 1)
    opened = gate(w)
    done = held.decide(w.base, lambda _name: opened, [HeldItem(id_)], HeldOrder(HeldChoice.LET_THROUGH, "ann", "new"))
    return id_, done.decision


def test_a_decision_is_audited_by_somebody_else_and_counts_for_who_decided() -> None:
    w = world()
    id_, decision = decided(w)
    verdict = held.audit(w.base, id_, right=False, by="bob", why="the same round")
    assert verdict.decision is not None
    assert verdict.decision.audit is not None
    assert (verdict.decision.audit.id, verdict.decision.audit.right) == (decision, False)
    assert verdict.held is HeldState.LET_THROUGH, "it stands until somebody undoes it"
    ann, *others = held_throughput(w.base.store.gates)
    assert (ann.person, ann.n_audited, ann.n_agreed, ann.agreement) == ("ann", 1, 0, 0.0)
    assert others == [], "auditing a decision is not auditing a judge"
    event = w.base.store.gates.events("", id_, 1)[0]
    assert (event.act, event.actor, event.detail) == (GateAct.AUDITED, "bob", "wrong the same round")


def test_who_audited_may_change_their_mind_and_nobody_else() -> None:
    w = world()
    id_, _ = decided(w)
    held.audit(w.base, id_, right=False, by="bob")
    held.audit(w.base, id_, right=True, by="bob")
    with pytest.raises(StaleWriteError, match="bob found the decision on"):
        held.audit(w.base, id_, right=False, by="cem")
    (ann,) = held_throughput(w.base.store.gates)
    assert (ann.n_audited, ann.n_agreed) == (1, 1)


def test_nobody_audits_their_own_decision() -> None:
    w = world()
    id_, _ = decided(w)
    with pytest.raises(UsageError, match="your own"):
        held.audit(w.base, id_, right=True, by="ann")


def test_an_undone_decision_takes_its_audit_along_and_the_log_keeps_both() -> None:
    w = world()
    id_, decision = decided(w)
    held.audit(w.base, id_, right=False, by="bob")
    (verdict,) = held.undo(w.base, decision, "ann").undone
    assert (verdict.decision, verdict.audit, verdict.held) == (None, None, HeldState.OPEN)
    (ann,) = held_throughput(w.base.store.gates)
    assert (ann.n_taken_back, ann.n_by_others, ann.n_audited, ann.n_agreed) == (1, 0, 1, 0)
