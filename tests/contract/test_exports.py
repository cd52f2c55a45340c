"""Exports of earlier formats come in whole, on every store."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable

import pytest
from store_cases import answers

from exports import FORMAT_5
from saidonce.adapters.postgres import archive
from saidonce.adapters.postgres.tables import TABLES
from saidonce.errors import StoreCorruptError
from saidonce.foundation import audit_log
from saidonce.foundation.model import FactKind, Filters
from saidonce.foundation.ports import QueueFilter, Store
from saidonce.testing import MemoryStore
from talk_cases import whole

Open = Callable[[str], Store]
SINCE = {
    "data_act", "call_out", "original", "gate_ruling", "gate_budget", "person", "api_key", "channel", "notice",
    "sync_source", "sync_entry",
}  # fmt: skip
"""Tables that there were none of when the old export was made."""


@pytest.fixture
def old() -> list[bytes]:
    return FORMAT_5.read_bytes().splitlines(keepends=True)


@pytest.fixture
def store(opened: Open, org: str, old: list[bytes]) -> Store:
    made = opened(org)
    assert made.load(old) == len(old)
    return made


def test_every_table_is_in_the_old_export(store: Store) -> None:
    kinds = [json.loads(line).get("row") for line in store.dump()]
    assert list(dict.fromkeys(kinds[1:-1])) == [table.name for table in TABLES if table.name not in SINCE]


def test_no_row_is_lost_and_what_goes_out_comes_in_again(
    opened: Open, org: str, store: Store, old: list[bytes]
) -> None:
    lines = list(store.dump())
    assert len(lines) == len(old)
    assert json.loads(lines[0])["format"] == archive.FORMAT == 7
    copy = opened(f"{org}-copy")
    copy.load(lines)
    assert list(copy.dump()) == lines
    oracle = MemoryStore("oracle")
    oracle.load(old)
    assert list(oracle.dump()) == lines
    queries = ("backups thirty days", "pay 12 euro")
    assert answers(store, queries, [Filters()]) == answers(oracle, queries, [Filters()])


def test_conversations_say_what_they_said(store: Store) -> None:
    fresh = MemoryStore("made up")
    whole(fresh)
    now, then = store.conversations, fresh.conversations
    assert now.conversations() == then.conversations()
    assert now.homes() == then.homes()
    assert (now.outbox(), now.events(), now.notices()) == (then.outbox(), then.events(), then.notices())
    assert (now.issues(), now.issue_moves()) == (then.issues(), then.issue_moves())
    for each in then.conversations():
        assert now.inbounds(each.id) == then.inbounds(each.id)
        assert now.turns(each.id) == then.turns(each.id)


def test_decisions_stay_one_chain_and_objections_their_spans(store: Store) -> None:
    log = list(store.ledger.log())
    assert len(log) == 2
    assert audit_log.first_broken(log) is None
    assert [f.seq for f in store.ledger.queue(QueueFilter())] == [1, 2]
    assert [o.n_failed for o in store.opinions.on([1])] == [0, 3]
    fates = [h.fate for id_ in store.find_ids("") for h in store.history(id_)]
    (objection,) = (o for fate in fates for o in fate.objections)
    assert (objection.kind, objection.a.text, objection.b.start) == (FactKind.NUMBER, "p", 2)


def test_gates_keep_what_they_kept(store: Store) -> None:
    assert [g.fields.exact for g in store.gates.gates()] == [("subdomain",)]
    assert len(store.gates.verdicts("tasks")) == 2
    (admitted,) = (a for batch in store.gates.admitted("tasks") for a in batch)
    assert (admitted.candidate.text, admitted.candidate.fields) == ("text 1", (("a", "1"),))


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        ("placement", {"objections": [["number", [0, 1], 3]]}),
        ("decision", {"detail": "{"}),
        ("conversation", {"identity_status": "known"}),
        ("conversation", {"phone": 3}),
        ("inbound", {"media": "[1]"}),
        ("turn", {"calls": "[1]"}),
        ("turn", {"extra": 1}),
        ("landlordnotice", {"at": None}),
        ("use", {"row": "nothing"}),
    ],
)
def test_an_old_row_that_is_none_is_refused_by_its_line(
    opened: Open, org: str, old: list[bytes], kind: str, values: dict[str, object]
) -> None:
    place = next(n for n, line in enumerate(old) if line.startswith(f'{{"row":"{kind}"'.encode()))
    read = json.loads(old[place])
    del read["crc"]
    other = opened(org)
    with pytest.raises(StoreCorruptError, match=f"line {place + 1} "):
        other.load([*old[:place], archive.line_of({**read, **values}), *old[place + 1 :]])
    assert len(list(other.dump())) == 2


def test_a_field_that_a_later_version_added_is_read_as_its_default(opened: Open, org: str, store: Store) -> None:
    lines = list(store.dump())
    rows = []
    for line in lines[1:-1]:
        values = json.loads(line)
        del values["crc"]
        if values["row"] == "issue":
            assert values.pop("also_affected") == ["i9"]
        rows.append(archive.line_of(values))
    body = b"".join([lines[0], *rows])
    copy = opened(f"{org}-copy")
    copy.load([lines[0], *rows, footer(body)])
    assert [i.also_affected for i in copy.conversations.issues()] == [()]


def footer(body: bytes) -> bytes:
    return archive.line_of({"lines": body.count(b"\n"), "sha256": hashlib.sha256(body).hexdigest()})
