"""What every store of conversations promises: in memory, on the embedded server, and on one given by its URL."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, time, timedelta
from typing import Any

import pytest

from saidonce.errors import NotFoundError, StaleWriteError
from saidonce.foundation.model.call_outs import CallOutHours, CallOutList, CallOutScope, CallOutStep, OpenHours
from saidonce.foundation.model.conversation import (
    Alarm,
    Category,
    Conversation,
    EmergencyEvent,
    Gathering,
    IdentityStatus,
    Issue,
    LandlordEvent,
    LandlordNotice,
    OutboxKind,
    OutboxMessage,
    OutboxState,
    Path,
    PhotoStatus,
    Turn,
    TurnWrite,
    Urgency,
    Way,
)
from saidonce.foundation.model.residents import (
    ChannelIdentity,
    Inbound,
    InboundKind,
    Property,
    Resident,
    Tenancy,
    Via,
)
from saidonce.foundation.ports import Conversations, Store

T = datetime(2026, 1, 17, 12, tzinfo=UTC)
SENDER = ChannelIdentity(Via.WHATSAPP, "user", "+447700900001")


Open = Callable[[str], Store]


@pytest.fixture
def store(opened: Open, org: str) -> Conversations:
    made = opened(org).conversations
    for n in (1, 2):
        start = T - timedelta(days=400)
        ended = T - timedelta(days=300)
        made.put_home(
            Property(f"p{n}", "9 Oak Way"), Resident("r0", "Zed Zed"), Tenancy(f"t{n}", f"p{n}", "r0", start, ended)
        )
    return made


def due(waiting_since: datetime | None, due_at: datetime | None, inbound: Inbound) -> datetime:
    return inbound.received_at + timedelta(seconds=2)


def message(name: str = "m1", after_s: float = 0, sender: ChannelIdentity = SENDER, text: str = "hello") -> Inbound:
    at = T + timedelta(seconds=after_s)
    return Inbound(sender, "number", name, InboundKind.TEXT, at, at, text)


def received(store: Conversations, *args: Any, **named: Any) -> Inbound:
    kept, _ = store.receive(message(*args, **named), due)
    store.record_scan(kept, len(store.events(kept.conversation_id)), (), (), ())
    return kept


def write(store: Conversations, of: Conversation, seen: int, **more: Any) -> TurnWrite:
    turn = Turn(
        f"{of.id}-{of.version + 1}", of.id, of.version + 1, T, Path.V2, (seen,), (of.identity, of.identity),
        (of.gathering, of.gathering), reason="why", refused=("a: b",), effects=("x",), prompt_tokens=3, took_ms=1.5,
    )  # fmt: skip
    return TurnWrite(of, of.version, seen, turn, **more)


def issue(name: str, turn: str, of: str, after_s: float = 0, place: str = "p1") -> Issue:
    at = T + timedelta(seconds=after_s)
    return Issue(
        name, turn, of, "t1", place, "tap drips", "kitchen", Category.PLUMBING, Urgency.ROUTINE, PhotoStatus.NONE, at,
        media=("m",),
    )  # fmt: skip


def out(name: str, of: str, kind: OutboxKind = OutboxKind.REPLY, after_s: float = 0) -> OutboxMessage:
    return OutboxMessage(name, of, "turn", kind, f"text {name}", T + timedelta(seconds=after_s))


def event(kept: Inbound, kind: str = "gas") -> EmergencyEvent:
    return EmergencyEvent(f"e-{kind}", kept.conversation_id, kept.seq, kind, "smell* gas", True, T, T, True)


def test_a_message_is_kept_once_for_its_key(store: Conversations) -> None:
    first, is_new = store.receive(message(), due)
    again, is_new_again = store.receive(message(text="another text", after_s=50), due)
    assert (is_new, is_new_again) == (True, False)
    assert first == again
    assert first.seq > 0
    other, is_other = store.receive(replace(message(), number_id="other number"), due)
    assert is_other
    assert other.conversation_id != first.conversation_id
    held = store.conversation(first.conversation_id)
    assert (held.waiting_since, held.due_at, held.last_inbound_at) == (T, T + timedelta(seconds=2), T)
    assert (held.identity, held.gathering, held.version) == (IdentityStatus.UNIDENTIFIED, Gathering.IDLE, 0)


def test_seqs_grow_and_messages_come_by_seq(store: Conversations) -> None:
    kept = [received(store, f"m{n}", n) for n in (3, 1, 2)]
    assert [i.seq for i in kept] == sorted(i.seq for i in kept)
    got = store.inbounds(kept[0].conversation_id)
    assert [i.message_id for i in got] == ["m3", "m1", "m2"]
    assert [i.message_id for i in store.inbounds(kept[0].conversation_id, kept[1].seq)] == ["m1", "m2"]


def test_the_phone_may_be_missing_or_change_and_is_no_key(store: Conversations) -> None:
    first = received(store, "m1")
    for n, phone in enumerate((None, "+447700900002")):
        received(store, f"x{n}", n, replace(SENDER, phone=phone))
    assert len(store.conversations()) == 1
    assert store.conversation(first.conversation_id).sender.phone == "+447700900002"


def test_what_is_to_be_scanned_comes_by_seq_of_one_conversation_or_all(store: Conversations) -> None:
    other = replace(SENDER, external_user_id="other")
    first, second, third = (
        store.receive(message(f"m{n}", -n, sender), due)[0] for n, sender in enumerate((SENDER, other, SENDER))
    )
    received(store, "scanned", 9)
    assert store.unscanned() == (first, second, third)
    assert store.unscanned(first.conversation_id) == (first, third)
    assert store.unscanned(after=first.seq, limit=1) == (second,)
    assert store.unscanned(first.conversation_id, first.seq) == (third,)
    assert store.unscanned("nobody") == store.unscanned(after=third.seq) == ()


def test_scans_are_recorded_once_and_on_what_was_seen(store: Conversations) -> None:
    kept, _ = store.receive(message(), due)
    assert [i.message_id for i in store.unscanned()] == ["m1"]
    notice = LandlordNotice("k1", LandlordEvent.EMERGENCY_UNVERIFIED, kept.conversation_id, T, detail="gas")
    with pytest.raises(StaleWriteError):
        store.record_scan(kept, 1, (event(kept),), (), ())
    for _ in range(2):
        store.record_scan(kept, 0, (event(kept),), (out("o", kept.conversation_id, OutboxKind.SAFETY),), (notice,))
    assert store.unscanned() == ()
    assert store.events(kept.conversation_id) == (event(kept),)
    assert store.notices() == (notice,)
    assert len(store.outbox()) == 1
    assert store.inbounds(kept.conversation_id)[0].scanned


def test_a_conversation_is_leased_to_one_worker(store: Conversations) -> None:
    kept = received(store)
    later, until = T + timedelta(seconds=2), T + timedelta(seconds=32)
    assert store.claim("a", T + timedelta(seconds=1), until) is None
    held = store.claim("a", later, until)
    assert held is not None
    assert (held.id, held.lease_by, held.lease_until) == (kept.conversation_id, "a", until)
    assert store.claim("b", later, until) is None
    store.release(held.id, "b")
    assert store.claim("b", later, until) is None
    store.release(held.id, "a")
    assert store.claim("b", later, until) is not None
    taken = store.claim("c", until, until + timedelta(seconds=30))
    assert taken is not None, "a lease that ended is nobody's"
    assert taken.lease_by == "c"


def test_the_longest_due_comes_first_and_timers_count(store: Conversations) -> None:
    second = received(store, "m2", 5, ChannelIdentity(Via.WEB, "b"))
    first = received(store, "m1", 0)
    until, now = T + timedelta(seconds=99), T + timedelta(seconds=60)
    for kept in (first, second):
        held = store.claim("w", now, until)
        assert held is not None
        assert held.id == kept.conversation_id
        woken = replace(held, wake_at=T + timedelta(seconds=80)) if kept is second else held
        store.commit(write(store, woken, kept.seq))
    assert store.claim("w", now, until) is None
    woken_up = store.claim("w", T + timedelta(seconds=80), until)
    assert woken_up is not None
    assert woken_up.id == second.conversation_id


def test_a_turn_is_written_whole_on_the_version_it_read(store: Conversations) -> None:
    kept = received(store)
    held = store.claim("w", T + timedelta(seconds=3), T + timedelta(seconds=33))
    assert held is not None
    after = replace(
        held, identity=IdentityStatus.ACTIVE, gathering=Gathering.ISSUE_CREATED, tenancy_id="t1", parked=(kept.seq,)
    )
    made = issue("i1", f"{held.id}-1", held.id)
    notice = LandlordNotice("issue_created:i1", LandlordEvent.ISSUE_CREATED, held.id, T, "i1")
    whole = write(store, after, kept.seq, outbox=(out("o1", held.id),), issue=made, notices=(notice,))
    store.commit(whole)
    now = store.conversation(held.id)
    assert (now.version, now.seen, now.due_at, now.waiting_since, now.lease_by) == (1, kept.seq, None, None, "")
    assert (now.identity, now.gathering, now.parked) == (IdentityStatus.ACTIVE, Gathering.ISSUE_CREATED, (kept.seq,))
    assert store.issues() == (made,)
    assert store.turns(held.id) == (whole.turn,)
    assert store.notices() == (notice,)
    with pytest.raises(StaleWriteError):
        store.commit(whole)
    assert len(store.outbox(held.id)) == 1


def test_a_message_that_came_meanwhile_stops_the_turn(store: Conversations) -> None:
    kept = received(store)
    held = store.conversation(kept.conversation_id)
    newer = received(store, "m2", 1)
    with pytest.raises(StaleWriteError):
        store.commit(write(store, held, kept.seq, outbox=(out("o1", held.id),)))
    assert store.outbox() == ()
    assert store.turns(held.id) == ()
    store.commit(write(store, held, newer.seq))


def test_issues_and_notices_are_kept_once(store: Conversations) -> None:
    kept = received(store)
    notice = LandlordNotice("same", LandlordEvent.ISSUE_CREATED, kept.conversation_id, T)
    for n in range(3):
        held = store.conversation(kept.conversation_id)
        store.commit(write(store, held, kept.seq, issue=issue(f"i{n}", "one turn", held.id), notices=(notice,)))
    assert [i.id for i in store.issues()] == ["i0"]
    assert len(store.notices()) == 1


def test_issues_are_extended_but_not_their_turn(store: Conversations) -> None:
    kept = received(store)
    for n, place in ((2, "p2"), (1, "p1")):
        held = store.conversation(kept.conversation_id)
        store.commit(write(store, held, kept.seq, issue=issue(f"i{n}", f"turn {n}", held.id, n, place)))
    assert [i.id for i in store.issues()] == ["i1", "i2"]
    assert [i.id for i in store.issues("p2")] == ["i2"]
    held = store.conversation(kept.conversation_id)
    more = replace(store.issues()[0], media=("m", "m2"), turn_id="other")
    store.commit(write(store, held, kept.seq, extended=more, flagged=("i2",)))
    assert (store.issues()[0].media, store.issues()[0].turn_id) == (("m", "m2"), "turn 1")
    assert store.issues()[1].review == "identity_undone"


def test_events_settle_on_what_was_seen_and_dismissed_ones_park_their_message(store: Conversations) -> None:
    kept, _ = store.receive(message(), due)
    fresh = event(kept, "water")
    store.record_scan(kept, 0, (fresh,), (), ())
    held = store.conversation(kept.conversation_id)
    store.commit(write(store, held, kept.seq))
    assert store.events(is_open=True) == (fresh,)
    gone = replace(fresh, state=Alarm.DISMISSED)
    store.settle_event(fresh, gone, None, (), (out("soft", held.id, OutboxKind.SAFETY),))
    now = store.conversation(held.id)
    assert (now.parked, now.version) == ((kept.seq,), 2)
    assert now.due_at is not None
    assert store.events(is_open=True) == ()
    with pytest.raises(StaleWriteError):
        store.settle_event(fresh, gone, None, (), ())


def test_what_was_possible_and_becomes_an_alarm_makes_a_turn_due_and_parks_nothing(store: Conversations) -> None:
    kept, _ = store.receive(message(), due)
    asked = replace(event(kept), state=Alarm.POSSIBLE)
    store.record_scan(kept, 0, (asked,), (), ())
    store.commit(write(store, store.conversation(kept.conversation_id), kept.seq))
    before = store.conversation(kept.conversation_id)
    assert before.due_at is None
    store.settle_event(asked, replace(asked, state=Alarm.VALIDATED), None, (), ())
    after = store.conversation(before.id)
    assert (after.due_at, after.parked, after.version) == (asked.at, (), before.version + 1)
    assert [e.state for e in store.events(before.id)] == [Alarm.VALIDATED]


def test_an_event_is_open_until_it_is_alerted_has_an_issue_and_is_acknowledged(store: Conversations) -> None:
    kept, _ = store.receive(message(), due)
    fresh = event(kept)
    store.record_scan(kept, 0, (fresh,), (), ())
    alerted = replace(fresh, alerted_at=T)
    store.settle_event(fresh, alerted, None, (), ())
    assert store.events(is_open=True) == (alerted,)
    done = replace(alerted, issue_id="i1")
    store.settle_event(alerted, done, issue("i1", "emergency:e", fresh.conversation_id), (), ())
    assert store.events(is_open=True) == (done,)
    assert [i.id for i in store.issues()] == ["i1"]
    seen = replace(done, acknowledged_at=T, acknowledged_by="Sam", acknowledged_via=Way.LINK, n_calls=2, called_at=T)
    store.settle_event(done, seen, None, (), ())
    assert store.events(is_open=True) == ()
    assert store.events() == (seen,)
    store.settle_event(seen, done, None, (), ())
    assert store.events(is_open=True) == (done,), "taken back"


def test_call_out_lists_are_replaced_as_a_whole(store: Conversations) -> None:
    step = CallOutStep(("c1", "c2"), 5, CallOutHours.OUT_OF_HOURS)
    whole = CallOutList(CallOutScope.ORGANISATION, "", (step, CallOutStep((), 10)), 2, "Europe/London")
    hours = (OpenHours((0, 5), time(8, 30), time(12)),)
    house = CallOutList(CallOutScope.BUILDING, "Elm House \x00", (step,), business=hours)
    store.set_call_outs((whole, house))
    kept = replace(house, subject="Elm House \ufffd")
    assert store.call_outs() == (kept, whole), "by scope"
    store.set_call_outs((whole, replace(whole, rounds=9)))
    assert store.call_outs() == (replace(whole, rounds=9),)
    store.set_call_outs(())
    assert store.call_outs() == ()


def test_the_outbox_sends_safety_first_and_leases(store: Conversations) -> None:
    kept, _ = store.receive(message(), due)
    of = kept.conversation_id
    store.record_scan(kept, 0, (), (out("a", of), out("b", of, after_s=1), out("s", of, OutboxKind.SAFETY, 9)), ())
    until = T + timedelta(seconds=60)
    assert [m.id for m in store.take_outbox(T, until, 2)] == ["s", "a"]
    assert store.take_outbox(T, until) == (), "one after the other"
    store.mark_outbox("a", OutboxState.SENT, "wamid")
    store.mark_outbox("s", OutboxState.SENT)
    assert [(m.id, m.state, m.n_tries) for m in store.take_outbox(T, until)] == [("b", OutboxState.SENDING, 1)]
    assert store.take_outbox(until, until + timedelta(seconds=60)) == ()
    states = {m.id: (m.state, m.external_id) for m in store.outbox()}
    assert states == {
        "a": (OutboxState.SENT, "wamid"), "b": (OutboxState.UNKNOWN, ""), "s": (OutboxState.SENT, ""),
    }  # fmt: skip
    assert [m.id for m in store.outbox(state=OutboxState.UNKNOWN)] == ["b"]
    store.mark_outbox("b", OutboxState.QUEUED)
    assert [(m.id, m.n_tries) for m in store.take_outbox(until, until + timedelta(seconds=60))] == [("b", 2)]


def test_messages_of_a_conversation_keep_their_order_whatever_the_clocks_say(store: Conversations) -> None:
    kept, _ = store.receive(message(), due)
    other, _ = store.receive(message("o1", 1, replace(SENDER, external_user_id="b")), due)
    first = (out("a", kept.conversation_id, after_s=5), out("b", kept.conversation_id, after_s=2))
    store.record_scan(kept, 0, (), first, ())
    between = (out("x", other.conversation_id, after_s=3), out("s", other.conversation_id, OutboxKind.SAFETY, 9))
    store.record_scan(other, 0, (), between, ())
    assert [m.id for m in store.outbox()] == ["x", *sorted(("a", "b")), "s"]
    assert [m.id for m in store.outbox(kept.conversation_id)] == ["a", "b"]
    until = T + timedelta(seconds=60)
    assert [m.id for m in store.take_outbox(T, until)] == ["s", "x", "a", "b"]
    assert [m.made_at for m in store.outbox(kept.conversation_id)] == [T + timedelta(seconds=n) for n in (5, 2)]


def test_a_safety_text_waits_for_nothing(store: Conversations) -> None:
    kept, _ = store.receive(message(), due)
    of = kept.conversation_id
    store.record_scan(kept, 0, (), (out("a", of), out("b", of, after_s=1)), ())
    assert [m.id for m in store.take_outbox(T, T + timedelta(seconds=60), 1)] == ["a"]
    later = received(store, "m2", 1)
    store.commit(write(store, store.conversation(of), later.seq, outbox=(out("s", of, OutboxKind.SAFETY, 2),)))
    assert [m.id for m in store.take_outbox(T, T + timedelta(seconds=60))] == ["s"]


def test_states_of_a_message_move_only_forward(store: Conversations) -> None:
    kept, _ = store.receive(message(), due)
    store.record_scan(kept, 0, (), (out("a", kept.conversation_id),), ())
    steps = [
        (OutboxState.DELIVERED, OutboxState.DELIVERED),
        (OutboxState.SENT, OutboxState.DELIVERED),
        (OutboxState.QUEUED, OutboxState.DELIVERED),
        (OutboxState.READ, OutboxState.READ),
        (OutboxState.FAILED, OutboxState.FAILED),
        (OutboxState.READ, OutboxState.FAILED),
    ]
    for asked, becomes in steps:
        store.mark_outbox("a", asked)
        assert store.outbox()[0].state is becomes
    with pytest.raises(NotFoundError):
        store.mark_outbox("none", OutboxState.SENT)


def test_homes_are_found_by_identity_phone_name_and_postcode(store: Conversations) -> None:
    place, other = Property("p1", "12 Elm Road", "Flat 2", "", "EX1 2AB"), Property("p2", "4 Mill Lane")
    ana = Resident("r1", "Ana Bell", ("+447700900001",), ("whatsapp:user",))
    store.put_home(place, ana, Tenancy("t1", "p1", "r1", T - timedelta(days=9)))
    store.put_home(other, ana, Tenancy("t2", "p2", "r1", T - timedelta(days=9), T))
    store.put_home(other, Resident("r2", "Bo Karlsson"), Tenancy("t3", "p2", "r2", T + timedelta(days=1)))

    def ids(found: Any) -> list[str]:
        return [h.tenancy.id for h in found]

    assert ids(store.homes_of(["whatsapp:user"], None, T - timedelta(days=1))) == ["t1", "t2"]
    assert ids(store.homes_of(["whatsapp:user"], None, T)) == ["t1"]
    assert ids(store.homes_of([], "+447700900001", T)) == ["t1"]
    assert ids(store.homes_of([], None, T)) == []
    assert ids(store.homes_named(["ex12ab"], T)) == ["t1"]
    assert ids(store.homes_named(["bell"], T)) == ["t1"]
    assert ids(store.homes_named(["karlsson"], T)) == []
    assert ids(store.homes_named(["ana", "elm"], T)) == []
    assert [(h.tenancy.id, h.resident.name, h.property.id) for h in store.homes()] == [
        ("t1", "Ana Bell", "p1"), ("t2", "Ana Bell", "p2"), ("t3", "Bo Karlsson", "p2"),
    ]  # fmt: skip
    store.put_home(place, ana, Tenancy("t1", "p1", "r1", T - timedelta(days=9), T))
    assert ids(store.homes()) == ["t1", "t2", "t3"]
    assert ids(store.homes_of([], "+447700900001", T)) == [], "ended"
    assert store.home("t2") is not None
    assert store.home("none") is None


def test_what_is_not_there_is_said(store: Conversations) -> None:
    with pytest.raises(NotFoundError):
        store.conversation("none")
    assert store.turns("none") == ()
    assert store.inbounds("none") == ()
    assert store.outbox("none") == ()


def test_texts_that_a_database_cannot_hold_are_cleaned(store: Conversations) -> None:
    kept = received(store, text="a\0b\ud800")
    assert store.inbounds(kept.conversation_id)[0].text == "a\ufffdb\ufffd"


def test_who_is_leased_is_known_until_the_lease_ends(store: Conversations) -> None:
    of = received(store).conversation_id
    assert store.leased(T) == ()
    claimed = store.claim("w", T + timedelta(seconds=5), T + timedelta(seconds=60))
    assert claimed is not None
    assert [(c.id, c.lease_by) for c in store.leased(T + timedelta(seconds=59))] == [(of, "w")]
    assert store.leased(T + timedelta(seconds=60)) == ()


def test_a_message_beside_any_turn_is_kept_once_and_in_order(store: Conversations) -> None:
    of = received(store).conversation_id
    words = OutboxMessage("o1", of, "t1", OutboxKind.REPLY, "One moment.", T)
    store.queue(words)
    store.queue(replace(words, text="Again."))
    assert [m.text for m in store.outbox(of)] == ["One moment."]
    with pytest.raises(NotFoundError):
        store.queue(replace(words, id="o2", conversation_id="nobody"))


def test_turns_of_all_conversations_since_a_moment(store: Conversations) -> None:
    taken = []
    for n, seconds in enumerate((0.0, 0.5, 86_400.0)):
        kept = received(store, f"m{n}", 0, replace(SENDER, external_user_id=f"u{n}"))
        of = store.conversation(kept.conversation_id)
        written = write(store, of, kept.seq)
        turn = replace(written.turn, at=T + timedelta(seconds=seconds))
        store.commit(replace(written, turn=turn))
        taken.append(turn.id)
    assert [t.id for t in store.turns_since(T)] == taken
    assert [t.id for t in store.turns_since(T + timedelta(milliseconds=1))] == taken[1:]
    assert [t.id for t in store.turns_since(T + timedelta(seconds=86_401))] == []
