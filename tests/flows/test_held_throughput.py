"""What people get done with what a gate holds: pace, what was taken back, and by whom."""

from __future__ import annotations

from test_gate import SHIRTS, SHIRTS_TOO, gate, task

from saidonce.foundation.model import HeldChoice
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
