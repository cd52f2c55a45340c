"""Brings a database to the schema of this program: numbered migrations, each applied once and never altered.

The first line of a migration may say its phase, `-- phase: expand` or `-- phase: contract`; see `Phase`.
"""

from __future__ import annotations

import hashlib
import re
import time
from dataclasses import dataclass
from enum import StrEnum
from importlib import resources

import psycopg
from psycopg import Connection, sql
from psycopg.rows import TupleRow

from saidonce.errors import StoreError, StoreUnavailableError

SCHEMA = "saidonce"
APP_ROLE = "saidonce_app"
READER_ROLE = "saidonce_reader"
LOGIN = "saidonce_login"
"""Login of the application in a database of our own: it may become `APP_ROLE`, and nothing else."""

EXTENSIONS = ("vector", "pg_trgm", "btree_gin")
OLDEST_SERVER = 160000

_MEMBERSHIP = "with inherit false, set true"
"""A login may become the roles, but must not see what they see without becoming them."""

LOCK_WAIT_MS = 500
"""Longest wait for a table that running programs use. Shorter than the second after which PostgreSQL looks for
deadlocks, so that it is the migration that gives way, never what a running program is writing."""

LOCK_ATTEMPTS = 200
ATTEMPT_PAUSE_S = 0.1
"""Between two attempts, in which running programs go on."""

_LOCK = int.from_bytes(hashlib.sha256(b"saidonce migrations").digest()[:8], "big", signed=True)
_FILE = re.compile(r"(\d{4})_(\w+)\.sql")
_PHASE = re.compile(r"-- phase: (expand|contract)\n")


class Phase(StrEnum):
    """What a migration means for programs from before it that still run on the same database.

    An expanding one only adds: they go on beside it, and may be started again. A contracting one takes away what only
    they use: it waits until it is asked for. Any other is applied at once, and they have to be stopped first.
    """

    EXPAND = "expand"
    TOGETHER = "together"
    CONTRACT = "contract"


@dataclass(frozen=True, slots=True)
class Migration:
    """One numbered step of the schema."""

    number: int
    name: str
    text: str

    @property
    def checksum(self) -> str:
        """SHA-256 of the file."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    @property
    def phase(self) -> Phase:
        """Phase named in its first line; `together` by default."""
        first_line = _PHASE.match(self.text)
        return Phase(first_line[1]) if first_line else Phase.TOGETHER


def migrations() -> tuple[Migration, ...]:
    """Return the migrations of this program, by number."""
    steps = []
    for file in resources.files("saidonce.adapters.postgres").joinpath("migrations").iterdir():
        if named := _FILE.fullmatch(file.name):
            steps.append(Migration(int(named[1]), named[2], file.read_text(encoding="utf-8")))
    return tuple(sorted(steps, key=lambda m: m.number))


def migrate(
    connection: Connection[TupleRow], shipped: tuple[Migration, ...] | None = None, contract: bool = False
) -> str:
    """Apply what is missing, under a lock; give the search path of the schema and its extensions.

    Args:
        connection: autocommitting, as the login that owns or may create the schema.
        shipped: the migrations of this program by default.
        contract: apply contracting migrations too; without, they wait unless the database is new or a later one,
            which older programs do not survive either, needs its turn.

    Raises:
        StoreUnavailableError: the server is too old, an administrator has to prepare something first, or running
            programs keep the tables in use.
        StoreError: the database is newer than this program, or a migration was altered after it was applied.
    """
    steps = migrations() if shipped is None else shipped
    _check_server(connection)
    if not _due(connection, steps, contract):
        return _search_path(connection)
    connection.execute("select pg_advisory_lock(%s)", (_LOCK,))
    try:
        if due := _due(connection, steps, contract):
            _prepare(connection)
            _apply_all(connection, due)
    finally:
        connection.execute("select pg_advisory_unlock(%s)", (_LOCK,))
    return _search_path(connection)


def pending_migrations(
    connection: Connection[TupleRow], shipped: tuple[Migration, ...] | None = None
) -> tuple[Migration, ...]:
    """Return the migrations that the database lacks, by number, those that wait to be asked for too.

    Raises:
        StoreUnavailableError: the login may not use the schema.
        StoreError: the database is newer than this program, or a migration was altered after it was applied.
    """
    return _pending_steps(connection, migrations() if shipped is None else shipped)


def _due(connection: Connection[TupleRow], steps: tuple[Migration, ...], contract: bool) -> tuple[Migration, ...]:
    """Return the pending steps whose turn it is: contracting ones after the last of the others wait."""
    pending = _pending_steps(connection, steps)
    if contract or pending == steps:
        return pending
    last = max((step.number for step in pending if step.phase is Phase.TOGETHER), default=0)
    return tuple(step for step in pending if step.phase is not Phase.CONTRACT or step.number < last)


def _check_server(connection: Connection[TupleRow]) -> None:
    if connection.info.server_version < OLDEST_SERVER:
        raise StoreUnavailableError(
            f"the server runs PostgreSQL {connection.info.server_version // 10_000}; saidonce needs 16 or newer"
        )
    encoding = connection.info.parameter_status("server_encoding")
    if encoding != "UTF8":
        raise StoreUnavailableError(f"the database has the encoding {encoding}; saidonce needs UTF8")


def _pending_steps(connection: Connection[TupleRow], steps: tuple[Migration, ...]) -> tuple[Migration, ...]:
    """Return the steps that the database lacks, after checking those that it has."""
    table = f"{SCHEMA}.migration"
    if connection.execute("select to_regclass(%s)", (table,)).fetchone() == (None,):
        return steps
    try:
        rows = connection.execute(f"select number, checksum, to_jsonb(m) ->> 'phase' from {table} m").fetchall()
    except psycopg.errors.InsufficientPrivilege as refused:
        raise StoreUnavailableError(
            f"this login may not use the schema {SCHEMA!r}; an administrator must run: "
            f"grant {APP_ROLE} to {_login(connection)} {_MEMBERSHIP}; "
            f"grant usage on schema {SCHEMA} to {_login(connection)}; grant select on {table} to {_login(connection)}"
        ) from refused
    known = {step.number: step for step in steps}
    applied: dict[int, str] = {number: checksum for number, checksum, _ in rows}
    if newer := sorted(number for number, _, phase in rows if number not in known and phase != Phase.EXPAND):
        raise StoreError(f"the database has migration {newer[-1]}, which this version does not know; upgrade saidonce")
    for number, checksum in applied.items():
        if number in known and known[number].checksum != checksum:
            raise StoreError(
                f"migration {number} was altered after it was applied to this database; reinstall saidonce"
            )
    return tuple(step for step in steps if step.number not in applied)


def _apply_all(connection: Connection[TupleRow], due: tuple[Migration, ...]) -> None:
    """Apply steps in one transaction; give way to what running programs are doing with the tables, and try again.

    Raises:
        StoreUnavailableError: they keep a table all the time.
    """
    for _ in range(LOCK_ATTEMPTS):
        try:
            with connection.transaction():
                connection.execute(f"set local lock_timeout = '{LOCK_WAIT_MS}ms'")
                for step in due:
                    _apply(connection, step)
                _close_functions(connection)
                return
        except (psycopg.errors.LockNotAvailable, psycopg.errors.DeadlockDetected):
            time.sleep(ATTEMPT_PAUSE_S)
    raise StoreUnavailableError(
        "the tables that a migration changes are in constant use; wait for other programs on this database to"
        " end, such as an export or an ingest, and try again"
    )


def _apply(connection: Connection[TupleRow], step: Migration) -> None:
    text = step.text.replace("{schema}", SCHEMA).replace("{extensions}", _extension_schemas(connection))
    connection.execute(f"set local search_path = {_search_path(connection)}")
    connection.execute(text)
    connection.execute(
        f"insert into {SCHEMA}.migration (number, name, checksum, phase) values (%s, %s, %s, %s)",
        (step.number, step.name, step.checksum, step.phase),
    )


def _close_functions(connection: Connection[TupleRow]) -> None:
    """Leave the schema's functions to the program's role alone.

    A migration that gave a function away does not own it any more, and PostgreSQL only warns that it revoked nothing.
    """
    functions = connection.execute(
        "select oid::regprocedure::text, proowner::regrole::text from pg_proc"
        " where pronamespace = %s::regnamespace and has_function_privilege(0::oid, oid, 'execute') order by 1",
        (SCHEMA,),
    ).fetchall()
    for signature, owner in functions:
        connection.execute(f"set local role {owner}")
        connection.execute(f"revoke execute on function {signature} from public")
        connection.execute(f"grant execute on function {signature} to {APP_ROLE}")
        connection.execute("reset role")


def _prepare(connection: Connection[TupleRow]) -> None:
    """Make sure of extensions, roles and schema; what this login may not make, an administrator must."""
    login = _login(connection)
    for name in EXTENSIONS:
        if connection.execute("select 1 from pg_extension where extname = %s", (name,)).fetchone() is None:
            _attempt(connection, f"create extension if not exists {name}")
    for role in (APP_ROLE, READER_ROLE):
        if connection.execute("select 1 from pg_roles where rolname = %s", (role,)).fetchone() is None:
            _attempt(connection, f"create role {role} nologin nosuperuser nobypassrls")
        if connection.execute("select pg_has_role(%s::name, 'set')", (role,)).fetchone() != (True,):
            _attempt(connection, f"grant {role} to {login} {_MEMBERSHIP}")
    _check_roles(connection)
    if connection.execute("select to_regnamespace(%s)", (SCHEMA,)).fetchone() == (None,):
        _attempt(connection, f"create schema if not exists {SCHEMA}")
    _attempt(connection, f"grant usage on schema {SCHEMA} to {APP_ROLE}, {READER_ROLE}")
    connection.execute(
        f"create table if not exists {SCHEMA}.migration (number integer primary key, name text not null,"
        " checksum text not null, applied_at timestamptz not null default now())"
    )
    connection.execute(
        f"alter table {SCHEMA}.migration add column if not exists phase text not null default '{Phase.TOGETHER}'"
    )


def prepare_login(connection: Connection[TupleRow]) -> None:
    """Make sure of the application's login in a database of our own, and that it has no other right than to act.

    Args:
        connection: autocommitting, as the owner of the server.
    """
    if _is_login_ready(connection):
        return
    connection.execute("select pg_advisory_lock(%s)", (_LOCK,))
    try:
        if connection.execute("select 1 from pg_roles where rolname = %s", (LOGIN,)).fetchone() is None:
            connection.execute(f"create role {LOGIN}")
        with connection.transaction():
            connection.execute(
                f"alter role {LOGIN} login noinherit nosuperuser nocreatedb nocreaterole noreplication nobypassrls;"
                f" grant {APP_ROLE} to {LOGIN} {_MEMBERSHIP}; grant usage on schema {SCHEMA} to {LOGIN};"
                f" grant select on {SCHEMA}.migration to {LOGIN};"
                f" revoke create on schema public from public; revoke temporary on database postgres from public"
            )
    finally:
        connection.execute("select pg_advisory_unlock(%s)", (_LOCK,))


def _is_login_ready(connection: Connection[TupleRow]) -> bool:
    ready = connection.execute(
        "select rolcanlogin and not (rolsuper or rolcreatedb or rolcreaterole or rolreplication or rolbypassrls"
        " or rolinherit) and pg_has_role(rolname, %s, 'set')"
        " and has_table_privilege(rolname, %s, 'select') and not has_database_privilege(rolname, 'postgres', 'temp')"
        " from pg_roles where rolname = %s",
        (APP_ROLE, f"{SCHEMA}.migration", LOGIN),
    ).fetchone()
    return ready == (True,)


def _attempt(connection: Connection[TupleRow], statement: str) -> None:
    """Run a statement that an administrator must run if this login may not."""
    try:
        connection.execute(statement)
    except (psycopg.errors.DuplicateObject, psycopg.errors.UniqueViolation):
        return  # Another process was faster.
    except psycopg.errors.InsufficientPrivilege as refused:
        raise StoreUnavailableError(
            "this login may not prepare the database; an administrator must run once, in this database:\n"
            + admin_sql(_login(connection))
        ) from refused
    except (psycopg.errors.FeatureNotSupported, psycopg.errors.UndefinedFile) as missing:
        raise StoreUnavailableError(
            f"the server lacks what saidonce needs: {missing.diag.message_primary}"
        ) from missing


def admin_sql(login: str) -> str:
    """Return what an administrator runs so that a login without rights can use a database that it owns."""
    return "\n".join(
        [*(f"create extension if not exists {name};" for name in EXTENSIONS)]
        + [f"create role {role} nologin nosuperuser nobypassrls;" for role in (APP_ROLE, READER_ROLE)]
        + [f"grant {APP_ROLE}, {READER_ROLE} to {login} {_MEMBERSHIP};"]
    )


def _check_roles(connection: Connection[TupleRow]) -> None:
    """Refuse roles that row-level security would not bind."""
    unbound = connection.execute(
        "select rolname from pg_roles where rolname = any(%s) and (rolsuper or rolbypassrls)",
        ([APP_ROLE, READER_ROLE],),
    ).fetchall()
    if unbound:
        raise StoreError(
            f"role {unbound[0][0]} is not bound by row-level security; alter role ... nosuperuser nobypassrls"
        )


def _extension_schemas(connection: Connection[TupleRow]) -> str:
    rows = connection.execute(
        "select distinct quote_ident(nspname) from pg_extension join pg_namespace n on n.oid = extnamespace"
        " where extname = any(%s) order by 1",
        (list(EXTENSIONS),),
    ).fetchall()
    return ", ".join(name for (name,) in rows)


def _search_path(connection: Connection[TupleRow]) -> str:
    return f"{SCHEMA}, pg_catalog, {_extension_schemas(connection)}, pg_temp"


def _login(connection: Connection[TupleRow]) -> str:
    return sql.Identifier(connection.info.user).as_string(connection)
