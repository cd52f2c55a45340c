"""Conversations, homes and files on their way out of a store and into another, and through an upgrade."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from saidonce.adapters.postgres import archive
from saidonce.adapters.postgres.archive import line_of
from saidonce.errors import StoreCorruptError, UsageError
from saidonce.foundation.model.conversation import LandlordEvent, LandlordNotice
from saidonce.foundation.model.residents import Property, Resident, Tenancy
from saidonce.foundation.ports import Store
from saidonce.testing import MemoryStore
from talk_cases import FILE, HOSTILE, SENDER, T, due, message, whole
from thinned import on_stores

Open = Callable[[str], Store]


@pytest.fixture
def store(opened: Open, org: str) -> Store:
    made = opened(org)
    whole(made)
    return made


def altered(line: bytes, **values: Any) -> bytes:
    """The line with other values and a checksum of its own."""
    read = json.loads(line)
    del read["crc"]
    return line_of({**read, **values})


def rows(lines: list[bytes], kind: str) -> list[int]:
    return [n for n, line in enumerate(lines) if line.startswith(f'{{"row":"{kind}"'.encode())]


def test_everything_goes_out_and_in_byte_for_byte(opened: Open, store: Store, org: str) -> None:
    lines = list(store.dump())
    kinds = {json.loads(line).get("row") for line in lines[1:-1]}
    assert kinds == {
        "property", "resident", "tenancy", "conversation", "inbound", "turn", "issue", "emergency", "outbox",
        "landlord_notice", "media", "waiting_media", "issue_move", "call_out",
    }  # fmt: skip
    copy, memory = opened(f"{org}-copy"), MemoryStore("memory")
    for other in (copy, memory):
        assert other.load(iter(lines)) == len(lines)
        assert list(other.dump()) == lines
    assert copy.conversations.conversations() == store.conversations.conversations()
    assert copy.conversations.homes() == store.conversations.homes()


def test_a_conversation_goes_on_in_an_organisation_of_another_name(opened: Open, store: Store, org: str) -> None:
    copy = opened(f"{org}-copy")
    copy.load(store.dump())
    talk = copy.conversations
    before = {c.id for c in talk.conversations()}
    repeated, is_new = talk.receive(message(text="again"), due)
    assert (is_new, repeated.text) == (False, HOSTILE.replace("\0", "\ufffd").replace("\ud800", "\ufffd"))
    kept, is_new = talk.receive(message("m3", 9), due)
    assert (is_new, kept.seq, kept.conversation_id in before) == (True, 3, True)
    told = LandlordNotice("k3", LandlordEvent.ESCALATED, kept.conversation_id, T)
    talk.record_scan(kept, 1, (), (), (told,))
    assert [n.dedupe_key for n in talk.notices()] == ["k1", "k2", "k3"]
    assert [h.tenancy.id for h in talk.homes_named(["ex12ab"], T)] == ["t1"]
    assert [h.tenancy.id for h in talk.homes_of(["web:\u00fc"], None, T)] == ["t1"]


def test_nothing_is_imported_into_what_is_not_empty(opened: Open, store: Store, org: str) -> None:
    lines = list(store.dump())
    homely, heard, filed = (opened(f"{org}-{n}") for n in range(3))
    homely.conversations.put_home(Property("p9", "9 Oak Way"), Resident("r9", "Di"), Tenancy("t9", "p9", "r9", T))
    heard.conversations.receive(message(), due)
    filed.media.put(b"x", "image/png")
    for full in (homely, heard, filed):
        before = list(full.dump())
        with pytest.raises(UsageError, match="not empty"):
            full.load(lines)
        assert list(full.dump()) == before


@pytest.mark.parametrize(
    ("opened", "kind", "values"),
    on_stores(4, [
        ("conversation", {"identity": "known"}),
        ("conversation", {"parked": ["x"]}),
        ("conversation", {"sender": {"via": "web", "external_user_id": "u", "phone": 3}}),
        ("conversation", {"started_at": "2026-01-01T00:00:00"}),
        ("conversation", {"mood": "good"}),
        ("inbound", {"media": "{"}),
        ("inbound", {"text": "\0"}),
        ("inbound", {"conversation_id": "none"}),
        ("turn", {"calls": [1]}),
        ("issue", {"state": "gone"}),
        ("issue", {"property_id": "none"}),
        ("issue_move", {"after": "gone"}),
        ("issue_move", {"issue_id": "none"}),
        ("issue_move", {"n": "1"}),
        ("tenancy", {"resident_id": "none"}),
        ("emergency", {"inbound_seq": 99}),
        ("outbox", {"message": {"kind": "letter"}}),
        ("landlord_notice", {"notice": None}),
        ("media", {"content": "AAAA"}),
        ("media", {"content": "*"}),
    ]),
    indirect=["opened"],
)  # fmt: skip
def test_a_row_that_is_none_is_refused_by_itsline_of(
    opened: Open, store: Store, org: str, kind: str, values: dict[str, Any]
) -> None:
    lines = list(store.dump())
    place = rows(lines, kind)[0]
    bad = [*lines[:place], altered(lines[place], **values), *lines[place + 1 :]]
    other = opened(f"{org}-other")
    with pytest.raises(StoreCorruptError, match=f"line {place + 1} "):
        other.load(bad)
    assert len(list(other.dump())) == 2
    assert other.load(lines) == len(lines)


def test_an_export_from_before_conversations_is_read(opened: Open, org: str) -> None:
    header = line_of({"saidonce": "export", "format": 3, "rev": 0})
    footer = list(archive.export(0, ()))[-1]
    old = altered(footer, sha256=hashlib.sha256(header).hexdigest())
    assert opened(org).load([header, old]) == 2


def test_files_are_kept_once_by_content(opened: Open, org: str) -> None:
    media = opened(org).media
    sha256 = media.put(FILE, "image/jpeg")
    assert sha256 == hashlib.sha256(FILE).hexdigest()
    assert media.put(FILE, "image/png") == sha256
    assert media.get(sha256) == (FILE, "image/jpeg")
    assert media.get("0" * 64) is None
    assert media.get(HOSTILE) is None
    empty = media.put(b"", "text/\0plain")
    assert media.get(empty) == (b"", "text/\ufffdplain")
    large = bytes(range(256)) * 4_096 * 4
    assert media.get(media.put(large, "video/mp4")) == (large, "video/mp4")


def test_what_is_imported_of_files_is_whole(opened: Open, org: str) -> None:
    store = opened(org)
    kept = [store.media.put(bytes([n]) * 1_000, f"image/{n}") for n in range(11)]
    copy = opened(f"{org}-copy")
    copy.load(store.dump())
    assert [copy.media.get(sha256) for sha256 in kept] == [(bytes([n]) * 1_000, f"image/{n}") for n in range(11)]


def test_a_moment_without_a_time_zone_is_refused(opened: Open, org: str) -> None:
    talk = opened(org).conversations
    with pytest.raises(UsageError, match="time zone"):
        talk.receive(replace(message(), sent_at=T.replace(tzinfo=None)), due)
    assert talk.conversations() == ()


def test_senders_are_told_apart_as_they_are_kept(opened: Open, org: str) -> None:
    talk = opened(org).conversations
    for n, user in enumerate(("u\0", "u\ufffd", "u")):
        talk.receive(message(f"m{n}", n, replace(SENDER, external_user_id=user)), due)
    assert sorted(len(talk.inbounds(c.id)) for c in talk.conversations()) == [1, 2]
    assert talk.conversations(1)[0].last_inbound_at == T + timedelta(seconds=2)
