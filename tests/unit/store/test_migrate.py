"""Migrations: applied once, in order, never altered; and what an administrator has to do."""

from __future__ import annotations

import base64
import json
import threading
import uuid
from collections.abc import Iterator
from dataclasses import replace

import psycopg
import pytest
from psycopg import Connection, sql
from psycopg.rows import TupleRow

from exports import FORMAT_5
from saidonce.adapters.postgres import migrate as migrate_module
from saidonce.adapters.postgres.embedded import EmbeddedServer
from saidonce.adapters.postgres.migrate import Migration, admin_sql, migrate, migrations
from saidonce.adapters.postgres.postgres import PostgresStore
from saidonce.errors import StoreError, StoreUnavailableError
from saidonce.foundation.model import Collection
from saidonce.testing import MemoryStore
from talk_cases import whole


@pytest.fixture
def database(embedded_server: EmbeddedServer) -> Iterator[str]:
    """Connection string of a new, empty database."""
    name = f"db_{uuid.uuid4().hex}"
    with psycopg.connect(embedded_server.url, autocommit=True) as connection:
        connection.execute(f"create database {name}")
    yield psycopg.conninfo.make_conninfo(embedded_server.url, dbname=name)
    with psycopg.connect(embedded_server.url, autocommit=True) as connection:
        connection.execute(f"drop database {name} with (force)")


@pytest.fixture
def connection(database: str) -> Iterator[Connection[TupleRow]]:
    with psycopg.connect(database, autocommit=True) as made:
        yield made


def test_numbers_are_consecutive() -> None:
    assert [m.number for m in migrations()] == list(range(1, len(migrations()) + 1))


def test_applied_once(connection: Connection[TupleRow]) -> None:
    path = migrate(connection)
    assert path.startswith("saidonce, pg_catalog, ")
    assert migrate(connection) == path
    applied = connection.execute("select number, name from saidonce.migration order by number").fetchall()
    assert applied == [(m.number, m.name) for m in migrations()]


def test_applied_by_one_of_many_at_once(database: str) -> None:
    failed: list[BaseException] = []

    def open_one() -> None:
        try:
            PostgresStore(database, "acme").close()
        except BaseException as error:  # noqa: BLE001  shown below
            failed.append(error)

    threads = [threading.Thread(target=open_one) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []


def test_a_further_step_is_applied_to_an_old_database(connection: Connection[TupleRow]) -> None:
    migrate(connection)
    further = Migration(len(migrations()) + 1, "further", "create table further (n integer);")
    migrate(connection, (*migrations(), further))
    assert connection.execute("select count(*) from saidonce.further").fetchone() == (0,)


def test_a_base_from_before_conversations_keeps_everything_and_gets_them(
    connection: Connection[TupleRow], database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = tuple(step for step in migrations() if step.number <= 5)
    monkeypatch.setattr(migrate_module, "migrations", lambda: before)
    old = PostgresStore(database, "acme")
    old.ensure_collection(Collection("main", "evidence", "paragraph", "m", 4))
    old.add_counters({"n": 2.0})
    old.close()
    monkeypatch.undo()
    store = PostgresStore(database, "acme")
    assert (store.rev(), store.counters(), [c.name for c in store.collections()]) == (2, {"n": 2.0}, ["main"])
    whole(store)
    assert len(store.conversations.issues()) == 1
    copy = store.of_org("copy")
    copy.load(store.dump())
    assert list(copy.dump()) == list(store.dump())
    store.close()


TABLES_MADE_RECORDS = (
    "property", "resident", "tenancy", "conversation", "inbound", "turn", "issue", "issue_move", "emergency", "outbox",
    "landlord_notice", "waiting_media", "media",
)  # fmt: skip


@pytest.mark.parametrize("as_owner", [False, True])
def test_conversations_of_an_old_base_become_records(
    connection: Connection[TupleRow],
    database: str,
    embedded_server: EmbeddedServer,
    monkeypatch: pytest.MonkeyPatch,
    as_owner: bool,
) -> None:
    """What an old base holds comes out as the same rows of its export do after an import."""
    PostgresStore(embedded_server.url, "acme").close()
    # Row-level security that is forced binds an owner, and no superuser.
    url = owner(connection, database) if as_owner else database
    before = tuple(step for step in migrations() if step.number <= 9)
    monkeypatch.setattr(migrate_module, "migrations", lambda: before)
    with psycopg.connect(url, autocommit=True) as old:
        migrate(old)
    monkeypatch.undo()
    lines = FORMAT_5.read_bytes().splitlines(keepends=True)
    fill(connection, lines)
    oracle = MemoryStore("made up")
    oracle.load(lines)
    store = PostgresStore(url, "made up")
    assert store.conversations.inbounds(store.conversations.conversations()[0].id)
    kinds = {f'{{"row":"{name}"'.encode() for name in TABLES_MADE_RECORDS}
    dumps = [[line for line in each.dump() if line[: line.index(b",")] in kinds] for each in (store, oracle)]
    assert dumps[0] == dumps[1]
    assert len(dumps[0]) == 21
    assert store.conversations.issues() == oracle.conversations.issues()
    (fate,) = connection.execute("select objections from saidonce.placement where objections <> '[]'").fetchall()
    assert json.loads(fate[0]) == [
        {"kind": "number", "a": {"start": 0, "end": 1, "text": "p"}, "b": {"start": 2, "end": 2, "text": ""}}
    ]
    store.close()
    if as_owner:
        login = str(psycopg.conninfo.conninfo_to_dict(url)["user"])
        connection.execute(f"reassign owned by {login} to current_user")
        connection.execute(f"drop owned by {login}")
        connection.execute(f"drop role {login}")


def fill(connection: Connection[TupleRow], lines: list[bytes]) -> None:
    """Put the rows of an old export, whose fields are the old columns, into old tables."""
    connection.execute("set search_path = saidonce")
    connection.execute("insert into org (org_id, rev) values ('made up', 1)")
    names = {"issuemove": "issue_move", "landlordnotice": "landlord_notice", "waitingmedia": "waiting_media"}
    for line in lines[1:-1]:
        values = json.loads(line)
        table = names.get(values.pop("row"), json.loads(line)["row"])
        del values["crc"]
        values["org_id"] = "made up"
        if table in ("collection", "document", "version", "segment", "placement"):
            written = ("objections", "rows")
            values |= {name: json.dumps(values[name]) for name in written if name in values}
        elif table not in TABLES_MADE_RECORDS:
            continue
        if table == "property":
            values["postcode_key"] = "key"
        if table == "media":
            values["content"] = "\\x" + base64.b64decode(values["content"]).hex()
        contacts = {"phone": values.pop("phones", []), "identity": values.pop("external_ids", [])}
        columns = ", ".join(f'"{name}"' for name in values)
        query = f"insert into {table} ({columns}) select {columns} from json_populate_record(null::{table}, %s)"
        connection.execute(query, [json.dumps(values)])
        for kind, keys in contacts.items():
            for place, key in enumerate(keys):
                connection.execute(
                    "insert into resident_contact (org_id, resident_id, kind, place, key) values (%s, %s, %s, %s, %s)",
                    ["made up", values["resident_id"], kind, place, key],
                )


def owner(connection: Connection[TupleRow], database: str) -> str:
    """Make a login without rights of its own that owns the database; return its connection string."""
    login = f"poor_{uuid.uuid4().hex}"
    name = psycopg.conninfo.conninfo_to_dict(database)["dbname"]
    connection.execute(f"create role {login} login")
    connection.execute(
        sql.SQL("alter database {} owner to {}").format(sql.Identifier(str(name)), sql.Identifier(login))
    )
    for statement in admin_sql(f'"{login}"').splitlines():
        if not statement.startswith("create role"):  # Roles belong to the whole server and are there already.
            connection.execute(statement)
    return psycopg.conninfo.make_conninfo(database, user=login)


def test_texts_of_an_old_base_wait_for_their_pairs(connection: Connection[TupleRow]) -> None:
    migrate(connection, tuple(m for m in migrations() if m.number < 12))
    connection.execute("""
        set search_path = saidonce, public;
        insert into org (org_id, rev) values ('acme', 7), ('other', 7);
        insert into collection (org_id, name, use, segment_style, model, dim)
            select org_id, 'main', 'evidence', 'paragraph', 'm', 2 from org;
        insert into document (org_id, document_id, collection, name, version)
            select org_id, 'd', 'main', 'd', 1 from org;
        insert into embedding (org_id, key, vector) select org_id, 'k', '[1, 0]' from org;
        insert into embedding_use (org_id, document_id, key) select org_id, 'd', 'k' from org;
        insert into heading (org_id, heading_key, title, leaf, whole) select org_id, 'h', '', '', '' from org;
        insert into segment (org_id, segment_id, document_id, kind, text, heading_path, content_hash, rows)
            select org_id, s, 'd', 'paragraph', 'Words.', '{}', 'c', '[]' from org, unnest(array['s1', 's2']) s;
        insert into block (org_id, block_id, collection, model, document_id, document, kind, language, salience, boost,
            text_key, context_key, terms, counts, n_terms, heading_key, digest, rev, documents, members,
            approval, owner)
            select org_id, segment_id, 'main', 'm', 'd', 'd', 'paragraph', 'en', 0.5, 0, 'k', '', '{}', '{}', 0, 'h',
                'x', 7, '{d}', array[segment_id], 'draft', '' from segment;
    """)
    migrate(connection)
    entered = connection.execute("select org_id, text_id, model, listed_from from saidonce.pair_text order by 1")
    assert entered.fetchall() == [(org, "k paragraph en", "m", 2.0) for org in ("acme", "other")]
    waiting = connection.execute("select * from saidonce.orgs_with_pairs_waiting(0.9, 'guards', null)")
    assert waiting.fetchall() == [("acme",), ("other",)]


def test_a_step_that_fails_leaves_nothing(connection: Connection[TupleRow]) -> None:
    migrate(connection)
    bad = Migration(len(migrations()) + 1, "bad", "create table half (n integer); select 1 / 0;")
    with pytest.raises(psycopg.errors.DivisionByZero):
        migrate(connection, (*migrations(), bad))
    assert connection.execute("select to_regclass('saidonce.half')").fetchone() == (None,)
    migrate(connection)


def test_a_newer_database_is_refused(connection: Connection[TupleRow]) -> None:
    migrate(connection, (*migrations(), Migration(len(migrations()) + 1, "newer", "select 1;")))
    with pytest.raises(StoreError, match="upgrade saidonce"):
        migrate(connection)


def test_an_altered_step_is_refused(connection: Connection[TupleRow]) -> None:
    migrate(connection)
    altered = replace(migrations()[0], text="select 1;")
    with pytest.raises(StoreError, match="migration 1 was altered"):
        migrate(connection, (altered, *migrations()[1:]))


def test_another_encoding_is_refused(database: str, embedded_server: EmbeddedServer) -> None:
    name = psycopg.conninfo.conninfo_to_dict(database)["dbname"]
    with psycopg.connect(embedded_server.url, autocommit=True) as connection:
        connection.execute(f"drop database {name} with (force)")
        connection.execute(
            f"create database {name} encoding 'LATIN1' locale 'C' locale_provider libc template template0"
        )
    with pytest.raises(StoreUnavailableError, match="UTF8"):
        PostgresStore(database, "acme")


def test_a_login_without_rights_is_told_what_an_administrator_must_run(
    connection: Connection[TupleRow], database: str, embedded_server: EmbeddedServer
) -> None:
    PostgresStore(embedded_server.url, "acme").close()  # An administrator made the roles for another database before.
    login = f"poor_{uuid.uuid4().hex}"
    name = psycopg.conninfo.conninfo_to_dict(database)["dbname"]
    connection.execute(f"create role {login} login")
    connection.execute(
        sql.SQL("alter database {} owner to {}").format(sql.Identifier(str(name)), sql.Identifier(login))
    )
    poor = psycopg.conninfo.make_conninfo(database, user=login)
    with pytest.raises(StoreUnavailableError, match="an administrator must run") as refused:
        PostgresStore(poor, "acme")
    asked = str(refused.value).split("\n", 1)[1]
    assert asked == admin_sql(f'"{login}"')
    for statement in asked.splitlines():
        if not statement.startswith("create role"):  # Roles belong to the whole server and are there already.
            connection.execute(statement)
    store = PostgresStore(poor, "acme")
    assert store.rev() == 0
    store.close()
    connection.execute(f"reassign owned by {login} to current_user")
    connection.execute(f"drop owned by {login}")
    connection.execute(f"drop role {login}")
