"""The held list, kept alike by every store: what it lists and counts, decisions, retries, wordings, and whose it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

from test_gates import admission, definition, pending

from saidonce.foundation.codec import fingerprint_of
from saidonce.foundation.model import (
    WORDING,
    Failure,
    GateAct,
    GateEvent,
    GateState,
    GateVerdict,
    HeldChoice,
    HeldDecision,
    HeldState,
    Opinion,
    Outcome,
    Override,
    Reason,
    Ruling,
    Verdict,
)
from saidonce.foundation.ports import GateWrite, HeldCount, HeldFilter, Store
from saidonce.foundation.text import digest
from world import NOON

Open = Callable[[str], Store]
UNSURE = Ruling(Opinion.UNSURE, adjudicator="rater v1")
AWAY = Ruling(Opinion.UNSURE, adjudicator="model \u00fc", failure=Failure.TIMEOUT)


def held(n: int, ruling: Ruling | None = UNSURE, reason: Reason = Reason.NO_RULING, **more: object) -> GateVerdict:
    one = pending(n)
    verdict = Verdict(Outcome.DUPLICATE, reason, "k", 0.8, ())
    at = NOON + timedelta(minutes=n)
    return replace(one, state=GateState.RULED, verdict=verdict, ruling=ruling, at=at, **more)  # type: ignore[arg-type]


def ids(store: Store, **part: object) -> list[str]:
    chosen = HeldFilter(**part)  # type: ignore[arg-type]
    rows = store.gates.held(chosen)
    assert store.gates.n_held(chosen) == len(rows)
    return [v.id for v in rows]


def test_what_waits_is_listed_oldest_first_and_filtered(opened: Open, org: str) -> None:
    store = opened(org)
    store.gates.ensure(definition())
    store.gates.ensure(definition("other"))
    one, two, three = held(1), held(2, AWAY, assignee="bo"), held(3, None, Reason.ABOVE_THRESHOLD)
    same, ruled = held(4, None, Reason.SAME_CONTENT), held(5, UNSURE, Reason.RULED_DUPLICATE)
    elsewhere = replace(held(6), gate="other")
    hatch = held(7, AWAY, override=Override("escape hatch", "away", NOON))
    store.gates.write(GateWrite((three, two, one, same, ruled, elsewhere, hatch, pending(8))))
    assert ids(store, gate="tasks") == [one.id, two.id, three.id]
    assert ids(store) == [one.id, two.id, three.id, elsewhere.id]
    assert ids(store, states=(HeldState.RULED,)) == [ruled.id]
    assert ids(store, reasons=("away", "unsure"), gate="tasks") == [one.id, two.id]
    assert ids(store, judge="rater", gate="tasks") == [one.id]
    assert ids(store, judge="model \u00fc") == [two.id]
    assert (ids(store, assignee="bo"), ids(store, assignee="", gate="tasks")) == ([two.id], [one.id, three.id])
    assert ids(store, before=three.at, gate="tasks") == [one.id, two.id]
    first = store.gates.held(HeldFilter("tasks"), None, 2)
    assert [v.id for v in store.gates.held(HeldFilter("tasks"), (first[-1].at, first[-1].id), 2)] == [three.id]
    assert store.gates.held_counts("tasks") == (
        HeldCount("tasks", HeldState.OPEN, "above_threshold", "", "", 1, three.at),
        HeldCount("tasks", HeldState.OPEN, "away", "model \u00fc", "bo", 1, two.at),
        HeldCount("tasks", HeldState.OPEN, "unsure", "rater v1", "", 1, one.at),
        HeldCount("tasks", HeldState.RULED, "ruled_duplicate", "rater v1", "", 1, ruled.at),
    )
    assert [(a.reason, a.n, a.oldest_at) for a in store.held_by_org() if a.org == org] == [
        ("above_threshold", 1, three.at), ("away", 1, two.at), ("unsure", 2, one.at),
    ]  # fmt: skip


def test_what_a_decision_concerns_is_found_by_it(opened: Open, org: str) -> None:
    store = opened(org)
    store.gates.ensure(definition())
    decision = HeldDecision("hd-1", HeldChoice.REPEAT, "ann", "same", NOON, "k", 3)
    one, two = held(1, decision=decision), held(2)
    event = GateEvent("tasks", one.id, GateAct.CONFIRMED, "ann", "same", NOON, decision="hd-1")
    (written, _) = store.gates.write(GateWrite((one, two), events=(event,)))
    assert store.gates.decided("hd-1") == (written,)
    assert (store.gates.decided(""), store.gates.decided("hd-2")) == ((), ())
    assert ids(store, states=(HeldState.REPEAT,)) == [one.id]
    assert store.gates.events("tasks") == (replace(event, seq=1),)
    store.gates.write(GateWrite((replace(written, decision=None),)))
    assert store.gates.decided("hd-1") == ()


def test_later_tries_are_found_by_the_first(opened: Open, org: str) -> None:
    store = opened(org)
    store.gates.ensure(definition())
    first, other = held(1), held(2)
    tries = [pending(n) for n in (3, 4)]
    named = [replace(t, submission=replace(t.submission, retry_of=first.id)) for t in tries]
    named = [replace(t, fingerprint=fingerprint_of(t.submission)) for t in named]
    store.gates.write(GateWrite((first, other, *named)))
    found = store.gates.retries([first.id, other.id, ""])
    assert {key: [v.id for v in rows] for key, rows in found.items()} == {first.id: sorted(v.id for v in named)}
    assert store.gates.retries([]) == {}


def test_wordings_are_those_that_are_live(opened: Open, org: str) -> None:
    store = opened(org)
    store.gates.ensure(definition())
    (root, vector), (other, _) = admission(1), admission(2)
    words = [replace(root, id=f"{root.id}{WORDING}{digest(str(n))[:8]}") for n in range(3)]
    store.gates.write(GateWrite(admissions=tuple((a, vector) for a in (root, other, *words))))
    store.gates.write(GateWrite(released=((words[0].id, NOON),)))
    assert store.gates.wordings(root.id) == tuple(sorted(w.id for w in words[1:]))
    assert store.gates.wordings(other.id) == ()


def test_an_organisation_sees_its_own_list_only(opened: Open, org: str) -> None:
    store, neighbour = opened(org), opened(f"{org}-b")
    decision = HeldDecision("hd-1", HeldChoice.REPEAT, "ann", "same", NOON, "k", 3)
    for each in (store, neighbour):
        each.gates.ensure(definition())
    retried = replace(held(3), submission=replace(held(3).submission, retry_of=held(1).id))
    store.gates.write(GateWrite((held(1), held(2, decision=decision), retried)))
    assert (ids(neighbour), neighbour.gates.held_counts()) == ([], ())
    assert (neighbour.gates.decided("hd-1"), neighbour.gates.retries([held(1).id])) == ((), {})
