"""Brings the job queue's own schema into the database, and up to the queue library that is installed."""

from __future__ import annotations

import hashlib
from importlib import resources

import psycopg
from procrastinate.schema import SchemaManager
from psycopg import Connection, sql
from psycopg.rows import TupleRow

from saidonce.adapters.postgres.migrate import LOGIN
from saidonce.errors import StoreError, StoreUnavailableError

SCHEMA = "procrastinate"
SEARCH_PATH = f"{SCHEMA}, pg_catalog, pg_temp"
CONNECT_TIMEOUT_S = 10

_APPLIED = f"{SCHEMA}.saidonce_applied"
_LOCK = int.from_bytes(hashlib.sha256(b"saidonce job queue").digest()[:8], "big", signed=True)


def prepare_own(url: str) -> str:
    """Prepare the queue of a server of our own, and let the application's login work in it.

    Returns:
        URL of that login, which has no other rights; see `saidonce.adapters.postgres.migrate`.

    Raises:
        StoreUnavailableError: the database cannot be reached.
        StoreError: the database was prepared by a newer queue library.
    """
    prepare(url)
    grants = (
        f"grant usage on schema {SCHEMA} to {LOGIN}; grant usage on all sequences in schema {SCHEMA} to {LOGIN};"
        f" grant select, insert, update, delete on all tables in schema {SCHEMA} to {LOGIN};"
        f" revoke insert, update, delete on {_APPLIED} from {LOGIN}"
    )
    try:
        with psycopg.connect(url, connect_timeout=CONNECT_TIMEOUT_S) as connection:
            connection.execute("select pg_advisory_xact_lock(%s)", (_LOCK,))
            connection.execute(grants)
    except (psycopg.OperationalError, psycopg.InterfaceError) as failed:
        raise StoreUnavailableError(f"the database is not available ({type(failed).__name__})") from failed
    return psycopg.conninfo.make_conninfo(url, user=LOGIN)


def prepare(url: str) -> None:
    """Make or upgrade the queue's tables; they belong to the login, and nobody else may look into them.

    Raises:
        StoreUnavailableError: the database cannot be reached, or an administrator has to prepare something.
        StoreError: the database was prepared by a newer queue library.
    """
    try:
        with psycopg.connect(url, autocommit=True, connect_timeout=CONNECT_TIMEOUT_S) as connection:
            if not _missing_migrations(connection):
                return
            connection.execute("select pg_advisory_lock(%s)", (_LOCK,))
            try:
                with connection.transaction():
                    _apply(connection)
            finally:
                connection.execute("select pg_advisory_unlock(%s)", (_LOCK,))
    except psycopg.errors.InsufficientPrivilege as refused:
        raise StoreUnavailableError(
            "this login may not use the schema of the job queue; an administrator must run once, in this database: "
            f"create schema {SCHEMA} authorization THE_LOGIN_OF_THE_WORKER"
        ) from refused
    except (psycopg.OperationalError, psycopg.InterfaceError) as failed:
        raise StoreUnavailableError(f"the database is not available ({type(failed).__name__})") from failed


def _steps() -> dict[str, str]:
    """Return the migrations of the installed queue library, in order."""
    files = resources.files("procrastinate.sql").joinpath("migrations").iterdir()
    return {
        f.name: f.read_text(encoding="utf-8") for f in sorted(files, key=lambda f: f.name) if f.name.endswith("sql")
    }


def _missing_migrations(connection: Connection[TupleRow]) -> list[str]:
    """Return the migrations that the database lacks; all of them for one that has no queue."""
    known = list(_steps())
    if connection.execute("select to_regclass(%s)", (_APPLIED,)).fetchone() == (None,):
        return known
    applied = {name for (name,) in connection.execute(f"select name from {_APPLIED}").fetchall()}
    if newer := sorted(applied - set(known)):
        raise StoreError(f"the job queue has {newer[-1]!r}, which this version does not know; upgrade saidonce")
    return [name for name in known if name not in applied]


def _apply(connection: Connection[TupleRow]) -> None:
    is_new = connection.execute("select to_regclass(%s)", (_APPLIED,)).fetchone() == (None,)
    missing = _missing_migrations(connection)
    if is_new:
        if connection.execute("select to_regnamespace(%s)", (SCHEMA,)).fetchone() == (None,):
            connection.execute(sql.SQL("create schema {}").format(sql.Identifier(SCHEMA)))
        connection.execute(f"set local search_path = {SEARCH_PATH}")
        connection.execute(SchemaManager.get_schema())
        connection.execute(f"create table {_APPLIED} (name text primary key)")
    else:
        connection.execute(f"set local search_path = {SEARCH_PATH}")
        for name in missing:
            connection.execute(_steps()[name].encode())
    with connection.cursor() as cursor:
        cursor.executemany(f"insert into {_APPLIED} (name) values (%s)", [(name,) for name in missing])
