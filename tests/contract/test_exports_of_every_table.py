"""An export holds every table of an organisation, or the reason why not; secrets are in none."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest
from store_cases import collection, simple
from test_store_isolation import TABLES as ALL_TABLES
from test_store_isolation import decide

from saidonce.adapters.postgres import archive
from saidonce.adapters.postgres.postgres import PostgresStore
from saidonce.adapters.postgres.tables import BY_NAME, LEFT_OUT, TABLES
from saidonce.errors import StoreCorruptError
from saidonce.foundation.model import (
    ApiKey,
    Channel,
    ChannelKind,
    Notice,
    Opinion,
    Original,
    Person,
    Role,
    Ruling,
    Scope,
)
from saidonce.foundation.ports import Store
from saidonce.testing import MemoryStore
from world import NOON

Open = Callable[[str], Store]
HOOK = "https://hooks.example.com/services/T0/B0/secret-path"


def fill(store: Store) -> None:
    """Put something of every kind into an organisation."""
    people = store.people
    people.put_person(Person("ann", "ann@example.com", Role.OWNER, NOON, active_at=NOON))
    people.put_key(
        ApiKey(
            "k1", "ann", "laptop", frozenset({Scope.READ, Scope.ADMIN}), "f" * 64, NOON,
            expires_at=NOON + timedelta(days=90), addresses=("10.0.0.0/8",),
        )
    )  # fmt: skip
    store.security.note_key_use("k1", NOON)
    people.put_channel(Channel("c1", ChannelKind.WEBHOOK, HOOK, "ann", 60, "signing-secret", 3, NOON))
    people.put_channel(Channel("c2", ChannelKind.EMAIL, "ann@example.com", "", 0, "", 0, NOON, told_at=NOON))
    people.put_notice(Notice("n1", "c1", 0, 3, NOON, 2, "answered 500"))
    store.gates.remember({"k": Ruling(Opinion.UNSURE, confidence=0.5)})
    store.gates.spend(NOON.date(), 3, 0.25)


def test_every_table_of_the_database_is_exported_or_named_with_its_reason() -> None:
    held = {table.name for table in TABLES}
    assert held.isdisjoint(LEFT_OUT)
    assert held | set(LEFT_OUT) >= set(ALL_TABLES)
    assert all(LEFT_OUT.values())


def test_people_keys_channels_notices_rulings_and_budgets_come_back(opened: Open, org: str) -> None:
    store = opened(org)
    fill(store)
    lines = list(store.dump())
    copy = opened(f"{org}-copy")
    assert copy.load(lines) == len(lines)
    assert list(copy.dump()) == lines, "what goes out comes in again"
    assert copy.people.people() == store.people.people()
    assert copy.people.notices("c1") == store.people.notices("c1")
    assert copy.gates.rulings(["k"]) == store.gates.rulings(["k"])
    assert copy.gates.spent(NOON.date()) == (3, 0.25)
    (key,) = copy.people.keys()
    assert (key.hash, key.label, key.used_at, key.addresses) == ("", "laptop", NOON, ("10.0.0.0/8",))
    hook, mail = copy.people.channels()
    assert (hook.secret, hook.target) == ("", "https://hooks.example.com/...")
    assert mail == store.people.channels()[1]
    oracle = MemoryStore("oracle")
    oracle.load(lines)
    assert list(oracle.dump()) == lines


def test_no_secret_is_in_an_export(opened: Open, org: str) -> None:
    store = opened(org)
    fill(store)
    written = b"".join(store.dump())
    for secret in (b"f" * 64, b"signing-secret", b"secret-path"):
        assert secret not in written


def test_who_is_there_already_stays_as_they_are(opened: Open, org: str) -> None:
    store = opened(org)
    fill(store)
    lines = list(store.dump())
    copy = opened(f"{org}-copy")
    copy.people.put_person(Person("ann", "", Role.READER, NOON))
    copy.people.put_key(ApiKey("k1", "ann", "", frozenset({Scope.READ}), "e" * 64, NOON))
    copy.load(lines)
    assert [p.role for p in copy.people.people()] == [Role.READER]
    (key,) = copy.people.keys()
    assert key.hash == "e" * 64


@pytest.mark.parametrize(
    ("table", "values"),
    [
        ("api_key", {"scopes": ["everything"]}),
        ("gate_ruling", {"ruling": "{"}),
        ("gate_budget", {"day": "tomorrow"}),
        ("person", {"role": "king"}),
        ("notice", {"channel": "nobody's"}),
    ],
)
def test_a_row_that_is_none_is_refused(opened: Open, org: str, table: str, values: dict[str, object]) -> None:
    store = opened(org)
    fill(store)
    lines = list(store.dump())
    place = next(n for n, line in enumerate(lines) if json.loads(line).get("row") == table)
    read = json.loads(lines[place])
    del read["crc"]
    copy = opened(f"{org}-copy")
    with pytest.raises(StoreCorruptError, match=f"line {place + 1} "):
        copy.load([*lines[:place], archive.line_of({**read, **values}), *lines[place + 1 :]])
    assert copy.people.people() == ()


PICTURE = Original(hashlib.sha256(b"picture").hexdigest(), 0, "image/png", b"picture")


def test_the_table_of_tables_drives_a_whole_round_trip(opened: Open, org: str) -> None:
    """Every table of `TABLES` has a row, goes out, and comes in as the same bytes."""
    store = opened(org)
    if not isinstance(store, PostgresStore):
        pytest.skip("rows of every table are made by SQL too")
    store.ensure_collection(collection())
    store.put_document(simple("a", "Backups are kept for 30 days."))
    store.put_document(simple("b", "gone"))
    store.put_document(replace(simple("c", "A notice."), originals=(PICTURE,)))
    store.remove_document("main", "b")
    store.add_counters({"n": 1.0})
    decide(store)
    lines = list(store.dump())
    kinds = {json.loads(line).get("row") for line in lines} - {None}
    assert kinds == set(BY_NAME)
    copy = opened(f"{org}-copy")
    copy.load(lines)
    assert list(copy.dump()) == lines
