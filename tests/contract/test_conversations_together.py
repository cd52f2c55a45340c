"""Many at once on one store of conversations: nothing twice, nothing lost, nobody in anybody's way."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from store_cases import collection

from saidonce.errors import StaleWriteError
from saidonce.foundation.model.conversation import (
    Category,
    Conversation,
    EmergencyEvent,
    Issue,
    IssueDraft,
    LandlordEvent,
    LandlordNotice,
    OutboxKind,
    OutboxMessage,
    OutboxState,
    PhotoStatus,
    ReportMove,
    TurnWrite,
    Urgency,
)
from saidonce.foundation.model.residents import Inbound, Property, Resident, Tenancy
from saidonce.foundation.ports import Conversations, Store
from talk_cases import SENDER, T, due, message, turn

Open = Callable[[str], Store]
N = 8


@pytest.fixture
def store(opened: Open, org: str) -> Conversations:
    return opened(org).conversations


def at_once(*acts: Callable[[], Any]) -> list[Any]:
    """Do everything at the same moment; an error is a result too."""
    gate = threading.Barrier(len(acts))

    def one(act: Callable[[], Any]) -> Any:
        gate.wait()
        try:
            return act()
        except StaleWriteError as stale:
            return stale

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(one, acts))


def arrived(store: Conversations, n: int) -> list[Inbound]:
    made = [
        store.receive(message(f"m{k}", k / 100, replace(SENDER, external_user_id=f"u{k}")), due)[0] for k in range(n)
    ]
    for each in made:
        store.record_scan(each, 0, (), (), ())
    return made


def turn_of(held: Conversation, seen: int, **more: Any) -> TurnWrite:
    return TurnWrite(held, held.version, seen, turn(held, seen), **more)


def test_one_webhook_eight_times_at_once_is_one_row(store: Conversations) -> None:
    results = at_once(*(lambda k=k: store.receive(message(text=f"text {k}"), due) for k in range(N)))
    assert sorted(is_new for _, is_new in results) == [False] * (N - 1) + [True]
    assert len({kept for kept, _ in results}) == 1
    (held,) = store.conversations()
    assert [i.seq for i in store.inbounds(held.id)] == [1]


def test_one_key_of_several_senders_makes_one_conversation(store: Conversations) -> None:
    senders = [replace(SENDER, external_user_id=f"u{k}") for k in range(N)]
    results = at_once(*(lambda s=s: store.receive(message(sender=s), due) for s in senders))
    assert [is_new for _, is_new in results].count(True) == 1
    assert len(store.conversations()) == 1


def test_many_webhooks_of_one_resident_are_numbered_without_gaps(store: Conversations) -> None:
    names = [f"m{k % 20}" for k in range(40)]
    results = at_once(*(lambda n=n: store.receive(message(n), due) for n in names))
    assert len(store.conversations()) == 1
    assert sorted(i.seq for i in store.inbounds(store.conversations()[0].id)) == list(range(1, 21))
    assert Counter(is_new for _, is_new in results) == {True: 20, False: 20}


def test_workers_claim_different_conversations(store: Conversations) -> None:
    known = {i.conversation_id for i in arrived(store, 20)}
    now = T + timedelta(seconds=60)

    def work(worker: str) -> list[str]:
        claimed = []
        while (held := store.claim(worker, now, now + timedelta(seconds=30))) is not None:
            claimed.append(held.id)
        return claimed

    found = [id_ for each in at_once(*(lambda k=k: work(f"w{k}") for k in range(4))) for id_ in each]
    assert len(found) == 20
    assert set(found) == known


def test_a_turn_and_a_message_at_once_leave_no_message_unseen(store: Conversations) -> None:
    (first,) = arrived(store, 1)
    for k in range(10):
        held = store.conversation(first.conversation_id)
        seen = store.inbounds(held.id)[-1].seq
        wrote, (came, _) = at_once(
            partial(store.commit, turn_of(held, seen)),
            partial(store.receive, message(f"new{k}", k, first.sender), due),
        )
        now = store.conversation(held.id)
        assert now.due_at is not None, "the message that came waits for its turn"
        assert now.version == held.version + (wrote is None)
        assert now.seen == (seen if wrote is None else held.seen) < came.seq


def test_of_two_turns_on_one_version_one_is_written(store: Conversations) -> None:
    (first,) = arrived(store, 1)
    held = store.conversation(first.conversation_id)
    out = [OutboxMessage(f"o{k}", held.id, "t", OutboxKind.REPLY, "hello", T) for k in range(N)]
    results = at_once(*(lambda o=o: store.commit(turn_of(held, first.seq, outbox=(o,))) for o in out))
    assert sorted(type(r).__name__ for r in results) == ["NoneType"] + ["StaleWriteError"] * (N - 1)
    assert (len(store.turns(held.id)), len(store.outbox())) == (1, 1)


def test_issues_and_notices_of_one_key_are_kept_once(opened: Open, org: str) -> None:
    store = opened(org).conversations
    store.put_home(Property("p", "12 Elm Road"), Resident("r", "Ana Bell"), Tenancy("t", "p", "r", T))
    many = arrived(store, N)

    def tell(k: int) -> None:
        held = store.conversation(many[k].conversation_id)
        made = Issue(
            f"i{k}", "one turn", held.id, "t", "p", "tap drips", "kitchen", Category.PLUMBING, Urgency.ROUTINE,
            PhotoStatus.NONE, T,
        )  # fmt: skip
        told = tuple(
            LandlordNotice(key, LandlordEvent.ISSUE_CREATED, held.id, T) for key in ("same", f"own {k}", "same")
        )
        store.commit(turn_of(held, many[k].seq, issue=made, notices=told))

    at_once(*(lambda k=k: tell(k) for k in range(N)))
    assert len(store.issues()) == 1
    assert sorted(n.dedupe_key for n in store.notices()) == sorted(["same", *(f"own {k}" for k in range(N))])
    rows = [json.loads(line) for line in b"".join(opened(org).dump()).splitlines()]
    numbers = [row["seq"] for row in rows if row.get("row") == "landlord_notice"]
    assert numbers == list(range(1, N + 2)), "numbered without gaps"


def test_a_message_is_scanned_once(store: Conversations) -> None:
    kept, _ = store.receive(message(), due)
    event = EmergencyEvent("e", kept.conversation_id, kept.seq, "gas", "gas", True, T, T, True)
    out = OutboxMessage("o", kept.conversation_id, "", OutboxKind.SAFETY, "leave", T)
    at_once(*(lambda: store.record_scan(kept, 0, (event,), (out,), ()) for _ in range(N)))
    assert (len(store.events()), len(store.outbox()), store.unscanned()) == (1, 1, ())


def test_one_of_two_messages_is_answered_in_half_an_hour(store: Conversations) -> None:
    """Both scans read no event before; the second has to look again."""
    many = [store.receive(message(f"m{k}", k), due)[0] for k in range(2)]
    results = at_once(
        *(
            lambda i=i: store.record_scan(
                i, 0, (EmergencyEvent(f"e{i.seq}", i.conversation_id, i.seq, "gas", "gas", True, T, T, True),), (), ()
            )
            for i in many
        )
    )
    assert sorted(type(r).__name__ for r in results) == ["NoneType", "StaleWriteError"]
    assert len(store.unscanned()) == 1


def test_an_event_is_settled_once(store: Conversations) -> None:
    kept, _ = store.receive(message(), due)
    event = EmergencyEvent("e", kept.conversation_id, kept.seq, "water", "flood", False, T, T, True)
    store.record_scan(kept, 0, (event,), (), ())
    results = at_once(
        *(
            lambda k=k: store.settle_event(event, replace(event, alerted_at=T + timedelta(seconds=k)), None, (), ())
            for k in range(N)
        )
    )
    assert sorted(type(r).__name__ for r in results) == ["NoneType"] + ["StaleWriteError"] * (N - 1)


def test_senders_take_each_message_once_and_in_order(store: Conversations) -> None:
    for k, kept in enumerate(arrived(store, 6)):
        out = [
            OutboxMessage(f"{k}-{n}", kept.conversation_id, "t", OutboxKind.REPLY, "x", T + timedelta(seconds=n))
            for n in range(4)
        ]
        store.commit(turn_of(store.conversation(kept.conversation_id), kept.seq, outbox=out))
    sent: list[str] = []
    now, until = T + timedelta(seconds=60), T + timedelta(seconds=120)

    def send() -> None:
        for _ in range(60):
            for each in store.take_outbox(now, until, 3):
                sent.append(each.id)
                store.mark_outbox(each.id, OutboxState.SENT)

    at_once(send, send, send, send)
    assert len(sent) == len(set(sent)) == 24
    for k in range(6):
        mine: Sequence[str] = [each for each in sent if each.startswith(f"{k}-")]
        assert mine == sorted(mine)


def test_a_webhook_does_not_wait_for_documents_that_are_written(opened: Open, org: str) -> None:
    home = opened(org)
    home.ensure_collection(collection())
    other = opened(org).conversations
    with home.ledger.exclusive():
        home.add_counters({"n": 1.0})
        if type(home).__name__ == "MemoryStore":
            kept, is_new = other.receive(message(), due)
        else:
            with ThreadPoolExecutor(1) as pool:
                kept, is_new = pool.submit(other.receive, message(), due).result(timeout=20)
    assert is_new
    assert other.inbounds(kept.conversation_id) == (kept,)


OTHER = replace(SENDER, external_user_id="somebody-else", phone=None)


def moved_write(store: Conversations, to: str, source: str) -> TurnWrite:
    """A turn of one conversation with which the report of another goes on there."""
    of, other = store.conversation(to), store.conversation(source)
    seen = max(i.seq for i in store.inbounds(to))
    move = ReportMove(replace(other, draft=IssueDraft()), other.version, turn(other, 0))
    return TurnWrite(replace(of, draft=other.draft), of.version, seen, turn(of, seen), moved=move)


def two_conversations(store: Conversations) -> tuple[str, str]:
    first, _ = store.receive(message("m1"), due)
    second, _ = store.receive(message("m2", sender=OTHER), due)
    of = store.conversation(first.conversation_id)
    begun = replace(of, draft=IssueDraft(detail_asks=2, since=first.seq))
    store.commit(TurnWrite(begun, of.version, first.seq, turn(of, first.seq)))
    return first.conversation_id, second.conversation_id


def test_a_report_moves_with_the_turn_and_what_the_other_conversation_waits_for_stays(store: Conversations) -> None:
    source, to = two_conversations(store)
    late, _ = store.receive(message("m3", 9), due)
    before = store.conversation(source)
    store.commit(moved_write(store, to, source))
    after = store.conversation(source)
    assert store.conversation(to).draft.detail_asks == 2
    assert after.draft == IssueDraft()
    assert (after.version, after.due_at, after.seen) == (before.version + 1, before.due_at, before.seen)
    assert after.due_at is not None, "its unread message is still due"
    assert late.seq > after.seen
    assert [t.n for t in store.turns(source)] == [1, 2]


def test_a_report_does_not_move_from_a_conversation_that_went_on_meanwhile(store: Conversations) -> None:
    source, to = two_conversations(store)
    write = moved_write(store, to, source)
    of = store.conversation(source)
    store.commit(TurnWrite(of, of.version, of.seen, turn(of, of.seen)))
    before = store.conversation(to)
    with pytest.raises(StaleWriteError):
        store.commit(write)
    assert store.conversation(to) == before
    assert store.turns(to) == ()


def test_of_two_that_take_each_others_report_at_once_one_does(store: Conversations) -> None:
    for n in range(N):
        names = OTHER.external_user_id, f"u-{n}"
        a, _ = store.receive(message(f"a{n}", sender=replace(OTHER, external_user_id=names[0] + str(n))), due)
        b, _ = store.receive(message(f"b{n}", sender=replace(OTHER, external_user_id=names[1])), due)
        ids = a.conversation_id, b.conversation_id
        writes = moved_write(store, ids[0], ids[1]), moved_write(store, ids[1], ids[0])
        results = at_once(*(partial(store.commit, w) for w in writes))
        assert sum(isinstance(r, StaleWriteError) for r in results) == 1
