"""Expanding and contracting migrations: an old and a new program side by side on one database."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from psycopg import Connection
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.rows import TupleRow
from typer.testing import CliRunner

from saidonce.adapters.postgres import migrate as migrate_module
from saidonce.adapters.postgres.embedded import EmbeddedServer
from saidonce.adapters.postgres.migrate import Migration, Phase, migrate, migrations, pending_migrations
from saidonce.adapters.postgres.postgres import PostgresStore
from saidonce.adapters.postgres.upgrade import apply_migrations, migrations_waiting
from saidonce.errors import StoreError, StoreUnavailableError
from saidonce.interfaces.cli import app

OLD = migrations()
NEXT = len(OLD) + 1
ADDS = Migration(NEXT, "adds", "-- phase: expand\nalter table counter add column unit text not null default '';")
TAKES = Migration(NEXT + 1, "takes", "-- phase: contract\nalter table counter drop column unit;")
CHANGES = Migration(NEXT + 2, "changes", "create table further (n integer);")


@contextmanager
def made(url: str, template: str = "template0") -> Iterator[str]:
    """Connection string of a new database, with what the template has."""
    name = f"db_{uuid.uuid4().hex}"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"create database {name} template {template}")
    yield make_conninfo(url, dbname=name)
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"drop database {name} with (force)")


@pytest.fixture(scope="module")
def template(embedded_server: EmbeddedServer) -> Iterator[str]:
    """Name of a database with the schema of this program."""
    with made(embedded_server.url) as url:
        with psycopg.connect(url, autocommit=True) as connection:
            migrate(connection)
        yield str(conninfo_to_dict(url)["dbname"])


@pytest.fixture
def database(embedded_server: EmbeddedServer, template: str) -> Iterator[str]:
    """Connection string of a database with the schema of this program."""
    with made(embedded_server.url, template) as url:
        yield url


@pytest.fixture
def connection(database: str) -> Iterator[Connection[TupleRow]]:
    with psycopg.connect(database, autocommit=True) as opened:
        yield opened


def applied(connection: Connection[TupleRow]) -> list[tuple[int, str]]:
    rows = connection.execute("select number, phase from saidonce.migration order by number").fetchall()
    return [(number, phase) for number, phase in rows if number >= NEXT]


def test_a_phase_stands_in_the_first_line() -> None:
    assert (ADDS.phase, TAKES.phase, CHANGES.phase) == (Phase.EXPAND, Phase.CONTRACT, Phase.TOGETHER)
    assert Migration(1, "later", "select 1;\n-- phase: expand\n").phase is Phase.TOGETHER
    assert Migration(1, "unknown", "-- phase: maybe\nselect 1;").phase is Phase.TOGETHER


def test_an_old_program_goes_on_beside_a_new_one_and_starts_again(
    connection: Connection[TupleRow], database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = PostgresStore(database, "acme")
    old.add_counters({"n": 1.0})
    monkeypatch.setattr(migrate_module, "migrations", lambda: (*OLD, ADDS, TAKES))
    new = PostgresStore(database, "acme")
    assert applied(connection) == [(NEXT, "expand")], "what takes something away waits"
    assert pending_migrations(connection) == (TAKES,)
    monkeypatch.undo()
    old.add_counters({"n": 1.0})
    new.add_counters({"n": 1.0})
    again = PostgresStore(database, "acme")
    assert again.counters() == {"n": 3.0}
    for store in (old, new, again):
        store.close()


def test_a_step_gives_way_to_who_holds_its_tables_and_comes_again(
    connection: Connection[TupleRow], database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each holds what the other wants: the running program gets it, and the step has its turn later."""
    both = Migration(NEXT, "both", f"{ADDS.text} alter table org add column unit text;")
    monkeypatch.setattr(migrate_module, "LOCK_WAIT_MS", 50)
    pauses: list[float] = []
    with psycopg.connect(database) as running:
        running.execute("select 1 from saidonce.org for share")

        def goes_on(pause_s: float) -> None:
            pauses.append(pause_s)
            running.execute("select count(*) from saidonce.counter")
            if len(pauses) == 2:
                running.commit()

        monkeypatch.setattr("saidonce.adapters.postgres.migrate.time.sleep", goes_on)
        migrate(connection, (*OLD, both))
    assert len(pauses) == 2
    assert applied(connection) == [(NEXT, "expand")]


def test_a_step_whose_tables_are_held_for_good_says_so_and_changes_nothing(
    connection: Connection[TupleRow], database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"LOCK_WAIT_MS": 20, "LOCK_ATTEMPTS": 2, "ATTEMPT_PAUSE_S": 0}.items():
        monkeypatch.setattr(migrate_module, name, value)
    with psycopg.connect(database) as running:
        running.execute("select 1 from saidonce.counter for share")
        with pytest.raises(StoreUnavailableError, match="in constant use"):
            migrate(connection, (*OLD, ADDS))
    assert applied(connection) == []
    migrate(connection, (*OLD, ADDS))
    assert applied(connection) == [(NEXT, "expand")]


def test_what_takes_something_away_is_asked_for_and_ends_the_old_program(connection: Connection[TupleRow]) -> None:
    new = (*OLD, ADDS, TAKES)
    migrate(connection, new)
    migrate(connection, new)
    assert applied(connection) == [(NEXT, "expand")]
    migrate(connection, new, contract=True)
    assert applied(connection) == [(NEXT, "expand"), (NEXT + 1, "contract")]
    assert pending_migrations(connection, new) == ()
    with pytest.raises(StoreError, match=f"migration {NEXT + 1}, which this version does not know; upgrade"):
        migrate(connection, (*OLD, ADDS))
    with pytest.raises(StoreError, match=f"migration {NEXT + 1}, "):
        migrate(connection, OLD)


def test_a_step_that_ends_old_programs_anyway_takes_the_waiting_ones_along(connection: Connection[TupleRow]) -> None:
    migrate(connection, (*OLD, ADDS, TAKES, CHANGES))
    assert applied(connection) == [(NEXT, "expand"), (NEXT + 1, "contract"), (NEXT + 2, "together")]
    with pytest.raises(StoreError, match=f"migration {NEXT + 2}, "):
        migrate(connection, OLD)


def test_a_new_database_gets_everything_at_once(embedded_server: EmbeddedServer) -> None:
    with made(embedded_server.url) as url, psycopg.connect(url, autocommit=True) as fresh:
        migrate(fresh, (*OLD, ADDS, TAKES))
        assert applied(fresh) == [(NEXT, "expand"), (NEXT + 1, "contract")]


def test_a_database_from_before_phases_is_read(connection: Connection[TupleRow]) -> None:
    """Its migrations end a program that does not know them, as they always did."""
    connection.execute("alter table saidonce.migration drop column phase")
    migrate(connection)
    with pytest.raises(StoreError, match="upgrade saidonce"):
        migrate(connection, OLD[:-1])
    migrate(connection, (*OLD, ADDS))
    assert applied(connection) == [(NEXT, "expand")]


def test_an_altered_step_is_refused_whatever_its_phase(connection: Connection[TupleRow]) -> None:
    migrate(connection, (*OLD, ADDS))
    altered = Migration(NEXT, "adds", "-- phase: expand\nselect 1;")
    with pytest.raises(StoreError, match=f"migration {NEXT} was altered"):
        migrate(connection, (*OLD, altered))


def test_functions_are_the_programs_alone_whoever_owns_them(connection: Connection[TupleRow]) -> None:
    made = Migration(
        NEXT, "opens", "create function n_orgs() returns bigint language sql as $$ select 1::bigint $$;"
        " grant create on schema {schema} to saidonce_reader; alter function n_orgs() owner to saidonce_reader;"
        " revoke create on schema {schema} from saidonce_reader;",
    )  # fmt: skip
    migrate(connection, (*OLD, made))
    for role, may in (("public", False), ("saidonce_app", True)):
        asked = connection.execute("select has_function_privilege(%s, 'saidonce.n_orgs()', 'execute')", (role,))
        assert asked.fetchone() == (may,), role


def test_who_runs_it_asks_for_steps_and_sees_what_waits(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def run(*words: str) -> tuple[int, str]:
        done = CliRunner().invoke(app, ["--database-url", database, "db", "migrate", *words])
        return done.exit_code, done.stdout

    assert run("--check") == (0, "the database schema is up to date\n")
    monkeypatch.setattr(migrate_module, "migrations", lambda: (*OLD, ADDS, TAKES))
    both = f"{NEXT:04d} adds: pending (expand)\n{NEXT + 1:04d} takes: pending (contract)\n"
    assert run("--check") == (1, both)
    code, printed = run()
    assert code == 0
    assert printed.startswith(f"{NEXT:04d} adds: applied\n{NEXT + 1:04d} takes: pending (contract)\n")
    assert "--contract" in printed
    assert run("--contract") == (0, f"{NEXT + 1:04d} takes: applied\n")
    assert run() == (0, "the database schema is up to date\n")
    monkeypatch.undo()
    done = CliRunner().invoke(app, ["--database-url", database, "db", "migrate"])
    assert done.exit_code == 1, "an older program is told to be upgraded"
    assert run("--check")[0] == 1


def test_steps_of_a_database_that_is_away_are_not_guessed(tmp_path: Path) -> None:
    for ask in (migrations_waiting, lambda url, folder: apply_migrations(url, folder, False)):
        with pytest.raises(StoreUnavailableError):
            ask("host=127.0.0.1 port=1 dbname=x user=x", tmp_path)
