"""What every store promises of files that are still to be fetched, and of messages that are sent later."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from saidonce.foundation.model.conversation import OutboxKind, OutboxMessage, OutboxState
from saidonce.foundation.model.residents import ChannelIdentity, Inbound, InboundKind, Media, Via, WaitingMedia
from saidonce.foundation.ports import Conversations, Store

T = datetime(2026, 1, 17, 12, tzinfo=UTC)
SENDER = ChannelIdentity(Via.WHATSAPP, "user", "+447700900001")
Open = Callable[[str], Store]


@pytest.fixture
def store(opened: Open, org: str) -> Conversations:
    return opened(org).conversations


def after(seconds: float) -> datetime:
    return T + timedelta(seconds=seconds)


def due(waiting_since: datetime | None, due_at: datetime | None, inbound: Inbound) -> datetime:
    return inbound.received_at


def album(name: str = "m1", n: int = 2, at: datetime = T) -> Inbound:
    media = tuple(Media(f"{name}-{k}", "image/jpeg", "ab" * 32) for k in range(n))
    return Inbound(SENDER, "number", name, InboundKind.MEDIA, at, at, "the tap", media)


def kept(store: Conversations, inbound: Inbound) -> Inbound:
    found, _ = store.receive(inbound, due)
    store.record_scan(found, 0, (), (), ())
    return replace(found, scanned=True)


def ids(taken: tuple[WaitingMedia, ...]) -> list[tuple[str, int]]:
    return [(w.media.id, w.n_tries) for w in taken]


def test_files_wait_from_their_message_on_and_are_leased_one_by_one(store: Conversations) -> None:
    first = kept(store, album())
    kept(store, album("m2", 1, after(5)))
    assert store.take_media(after(-1), after(60)) == ()
    (taken,) = store.take_media(after(5), after(60), 1)
    assert taken == WaitingMedia(first, first.media[0], 1)
    assert ids(store.take_media(after(5), after(60))) == [("m1-1", 1), ("m2-0", 1)]
    assert store.take_media(after(59), after(120)) == (), "they are leased"
    assert ids(store.take_media(after(60), after(120))) == [("m1-0", 2), ("m1-1", 2), ("m2-0", 2)]


def test_files_of_some_conversations_are_left_to_wait(store: Conversations) -> None:
    first = kept(store, album())
    other = replace(album("m2", 1, after(5)), sender=replace(SENDER, external_user_id="another"))
    second = kept(store, other)
    assert ids(store.take_media(after(5), after(60), 10, [first.conversation_id])) == [("m2-0", 1)]
    assert ids(store.take_media(after(5), after(60), 10, [second.conversation_id])) == [("m1-0", 1), ("m1-1", 1)]


def test_a_repeated_message_lets_nothing_wait_twice(store: Conversations) -> None:
    kept(store, album(n=1))
    (taken,) = store.take_media(T, after(60))
    store.end_media(taken)
    store.receive(album(n=1), due)
    assert store.take_media(after(1_000), after(2_000)) == ()


def test_only_files_that_are_not_stored_and_were_not_refused_wait(store: Conversations) -> None:
    twice = Media("a", "image/jpeg")
    stored = Media("b", "image/jpeg", "cd" * 32, stored=True, thumbnail="ef" * 32)
    found = kept(store, replace(album(), media=(twice, stored, twice)))
    kept(store, replace(album("m2"), kind=InboundKind.FILE_REFUSED))
    assert ids(store.take_media(T, after(60))) == [("a", 1)]
    assert store.inbounds(found.conversation_id)[0].media == (twice, stored, twice)


def test_a_file_is_put_off_or_ended_and_nothing_else_moves(store: Conversations) -> None:
    kept(store, album())
    one, other = store.take_media(T, after(60))
    store.put_off_media(one, after(500))
    store.end_media(other)
    store.end_media(other)
    store.put_off_media(other, after(1))
    assert store.take_media(after(499), after(600)) == ()
    assert ids(store.take_media(after(500), after(600))) == [(one.media.id, 2)]


def test_two_workers_never_hold_the_same_file(store: Conversations) -> None:
    kept(store, album(n=20))
    with ThreadPoolExecutor(4) as pool:
        taken = [w for found in pool.map(lambda _: store.take_media(T, after(60), 1), range(24)) for w in found]
    assert sorted(w.media.id for w in taken) == sorted(f"m1-{n}" for n in range(20))


def test_files_of_another_organisation_are_not_seen(opened: Open, org: str, store: Conversations) -> None:
    kept(store, album())
    assert opened(f"{org}-other").conversations.take_media(after(9), after(60)) == ()


def test_what_waits_goes_along_in_an_export(opened: Open, org: str, store: Conversations) -> None:
    kept(store, album())
    store.take_media(T, after(60), 1)
    lines = list(opened(org).dump())
    copy = opened(f"{org}-copy")
    copy.load(lines)
    assert list(copy.dump()) == lines
    assert ids(copy.conversations.take_media(after(60), after(90))) == [("m1-1", 1), ("m1-0", 2)]


def out(name: str, of: str, seconds: float, kind: OutboxKind = OutboxKind.REPLY) -> OutboxMessage:
    return OutboxMessage(name, of, "turn", kind, name, after(seconds))


def test_a_message_that_waits_holds_back_those_after_it_but_no_safety_text(store: Conversations) -> None:
    mine, _ = store.receive(replace(album(n=0), kind=InboundKind.TEXT), due)
    other = replace(SENDER, external_user_id="other")
    theirs, _ = store.receive(replace(album("m2", 0), kind=InboundKind.TEXT, sender=other), due)
    of = mine.conversation_id
    store.record_scan(mine, 0, (), [out("a", of, 0), out("b", of, 1)], ())
    store.record_scan(theirs, 0, (), [out("c", theirs.conversation_id, 2)], ())
    (first,) = store.take_outbox(T, after(60), 1)
    store.mark_outbox(first.id, OutboxState.QUEUED, not_before=after(30))
    assert next(m for m in store.outbox(of) if m.id == "a").lease_until == after(30)
    assert [m.id for m in store.take_outbox(after(1), after(60))] == ["c"]
    again, _ = store.receive(replace(album("m3", 0), kind=InboundKind.TEXT), due)
    store.record_scan(again, 0, (), [out("s", of, 3, OutboxKind.SAFETY)], ())
    assert [m.id for m in store.take_outbox(after(2), after(60))] == ["s"]
    store.mark_outbox("s", OutboxState.SENT)
    store.mark_outbox("c", OutboxState.SENT, not_before=after(999))
    (taken, *_) = store.take_outbox(after(30), after(60))
    assert (taken.id, taken.n_tries) == ("a", 2)
    store.mark_outbox("a", OutboxState.DELIVERED)
    assert all(m.lease_until is None for m in store.outbox() if m.state is not OutboxState.SENDING)
