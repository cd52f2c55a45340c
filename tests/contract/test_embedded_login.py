"""The login with which the application uses its embedded database can do nothing but act as an organisation."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg import Connection
from store_cases import collection, simple

from saidonce.adapters.postgres.embedded import EmbeddedServer
from saidonce.adapters.postgres.migrate import APP_ROLE, LOGIN, READER_ROLE
from saidonce.adapters.postgres.postgres import PostgresStore
from saidonce.interfaces.worker.queue_schema import prepare_own


@pytest.fixture
def login(embedded_server: EmbeddedServer, org: str) -> Iterator[Connection[tuple[object, ...]]]:
    """A session of the application's login, in a base that holds somebody's rows."""
    store = PostgresStore(embedded_server.url, org, own=embedded_server.home)
    store.ensure_collection(collection())
    store.put_document(simple("a", "Backups are kept for 30 days."))
    url = psycopg.conninfo.make_conninfo(embedded_server.url, user=LOGIN)
    with psycopg.connect(url, autocommit=True) as connection:
        yield connection
    store.close()


REFUSED = (
    "select pg_read_file('/etc/passwd')",
    "select pg_read_binary_file('postgresql.conf')",
    "select pg_ls_dir('/')",
    "select lo_import('/etc/passwd')",
    "copy (select 1) to program 'true'",
    "copy saidonce.org from program 'echo x'",
    "copy (select 1) to '/tmp/of-saidonce'",
    "create role intruder superuser",
    f"alter role {LOGIN} superuser",
    "alter role saidonce nosuperuser",
    "alter system set fsync = off",
    "create database another",
    "create extension file_fdw",
    "create function public.f() returns int language c as 'libc', 'getpid'",
    "create table public.mine (a int)",
    "create temporary table mine (a int)",
    "create schema mine",
    "drop table saidonce.segment",
    "alter table saidonce.segment disable row level security",
    "update saidonce.migration set checksum = ''",
    "set role saidonce",
    f"set role {READER_ROLE}",
    "set session authorization saidonce",
    "set session_replication_role = replica",
    "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'saidonce' or pid = 1",
    "select * from saidonce.segment",
    "select * from pg_authid",
    "load 'auto_explain'",
)


@pytest.mark.parametrize("acting", ["", f"set role {APP_ROLE}"], ids=["login", "application"])
@pytest.mark.parametrize("statement", REFUSED)
def test_the_login_is_refused(login: Connection[tuple[object, ...]], statement: str, acting: str) -> None:
    if acting:
        login.execute(acting)
    if acting and "saidonce.segment" in statement and statement.startswith("select"):
        assert login.execute(statement).fetchall() == []  # no organisation, no rows
        return
    if "pg_terminate_backend" in statement:
        before = login.execute("select count(*) from pg_stat_activity where usename = 'saidonce'").fetchone()
        assert before is not None
    with pytest.raises(psycopg.Error) as refused:
        login.execute(statement).fetchall()
    assert isinstance(refused.value, psycopg.errors.InsufficientPrivilege), refused.value


def test_rows_of_another_organisation_are_not_seen(login: Connection[tuple[object, ...]], org: str) -> None:
    login.execute(f"set role {APP_ROLE}")
    login.execute("select set_config('saidonce.org', %s, false)", [org])
    assert login.execute("select count(*) from saidonce.segment").fetchone() == (1,)
    login.execute("select set_config('saidonce.org', %s, false)", [f"org-{uuid.uuid4().hex}"])
    assert login.execute("select count(*) from saidonce.segment").fetchone() == (0,)
    login.execute("reset role")
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        login.execute("select count(*) from saidonce.segment")


def test_the_store_acts_by_this_login_alone(embedded_server: EmbeddedServer, org: str) -> None:
    store = PostgresStore(embedded_server.url, org, own=embedded_server.home)
    try:
        with store._database.reading() as connection:
            row = connection.execute("select session_user::text, current_user::text").fetchone()
        assert row == (LOGIN, APP_ROLE)
    finally:
        store.close()


def test_a_base_of_an_older_program_gets_the_login(data_dir: Path) -> None:
    server = EmbeddedServer(data_dir)
    try:
        with psycopg.connect(server.url, autocommit=True) as owner:
            owner.execute(f"drop owned by {LOGIN}; drop role {LOGIN}; grant temporary on database postgres to public")
        for _ in range(2):
            PostgresStore(server.url, "acme", own=server.home).close()
        with psycopg.connect(server.url, autocommit=True) as owner:
            owner.execute(f"alter role {LOGIN} superuser createrole")
        store = PostgresStore(server.url, "acme", own=server.home)
        store.ensure_collection(collection())
        store.close()
        with psycopg.connect(server.url) as owner:
            rights = owner.execute(
                "select rolsuper, rolcreaterole, rolinherit from pg_roles where rolname = %s", (LOGIN,)
            ).fetchone()
        assert rights == (False, False, False)
    finally:
        server.close()


def test_the_job_queue_is_worked_by_this_login(embedded_server: EmbeddedServer) -> None:
    PostgresStore(embedded_server.url, "acme", own=embedded_server.home).close()
    for _ in range(2):
        url = prepare_own(embedded_server.url)
    assert psycopg.conninfo.conninfo_to_dict(url)["user"] == LOGIN
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("set search_path = procrastinate, pg_catalog, pg_temp")
        defer = (
            "insert into procrastinate_jobs (queue_name, task_name, priority, lock, args, status)"
            " values ('q', 't', 0, 'l', '{}', 'todo') returning id"
        )
        assert connection.execute(defer).fetchone() is not None
        assert connection.execute("delete from procrastinate_jobs where queue_name = 'q' returning id").fetchone()
        for statement in ("drop table procrastinate_jobs", "delete from saidonce_applied", "create table mine (a int)"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(statement)
