"""Migrations: applied once, in order, never altered; and what an administrator has to do."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Iterator
from dataclasses import replace

import psycopg
import pytest
from psycopg import Connection, sql
from psycopg.rows import TupleRow

from saidonce.adapters.postgres import migrate as migrate_module
from saidonce.adapters.postgres.embedded import EmbeddedServer
from saidonce.adapters.postgres.migrate import Migration, admin_sql, migrate, migrations
from saidonce.adapters.postgres.postgres import PostgresStore
from saidonce.errors import StoreError, StoreUnavailableError
from saidonce.foundation.model import Collection
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


def test_a_step_that_fails_leaves_nothing(connection: Connection[TupleRow]) -> None:
    migrate(connection)
    bad = Migration(len(migrations()) + 1, "bad", "create table half (n integer); select 1 / 0;")
    with pytest.raises(psycopg.errors.DivisionByZero):
        migrate(connection, (*migrations(), bad))
    assert connection.execute("select to_regclass('saidonce.half')").fetchone() == (None,)
    migrate(connection)


def test_a_newer_database_is_refused(connection: Connection[TupleRow]) -> None:
    migrate(connection)
    with pytest.raises(StoreError, match="upgrade saidonce"):
        migrate(connection, migrations()[:-1])


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
