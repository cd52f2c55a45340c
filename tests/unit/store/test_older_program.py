"""A process of an older program at work while a newer one brings its database to a newer schema."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from psycopg.rows import TupleRow

import older_program
from older_program import one_round, opened
from saidonce.adapters.postgres import migrate as migrate_module
from saidonce.adapters.postgres.embedded import EmbeddedServer
from saidonce.adapters.postgres.migrate import Migration, Phase, migrate, migrations
from saidonce.adapters.postgres.statements import queries

SHIPPED = migrations()
NEXT = len(SHIPPED) + 1
KNOWN = len(SHIPPED) - 1
"""Migrations that the older program knows: all but the last, which expands."""

WIDENS = Migration(
    NEXT, "widens", "-- phase: expand\ndo $$ declare one record; begin for one in select tablename from pg_tables"
    " where schemaname = '{schema}' and tablename <> 'migration' order by 1 loop"
    " execute format('alter table {schema}.%I add column later text not null default %L', one.tablename, ''); end loop;"
    " end $$;",
)  # fmt: skip
"""Adds a column to every table: rows that were read whole, and statements prepared before it, would show it."""

TAKES = Migration(NEXT + 1, "takes", "-- phase: contract\nalter table {schema}.counter drop column later;")
ROUNDS = 6
"""Rounds before and after: a statement is prepared at its fifth call."""


@pytest.fixture
def database(embedded_server: EmbeddedServer) -> Iterator[str]:
    """Connection string of a database with the schema of the older program."""
    with psycopg.connect(embedded_server.url, autocommit=True) as admin:
        admin.execute("create database beside template template0")
        url = make_conninfo(embedded_server.url, dbname="beside")
        with psycopg.connect(url, autocommit=True) as connection:
            migrate(connection, SHIPPED[:KNOWN])
        yield url
        admin.execute("drop database beside with (force)")


@contextmanager
def older(url: str, folder: Path) -> Iterator[subprocess.Popen[str]]:
    """Run the older program."""
    words = [sys.executable, older_program.__file__, url, str(folder), str(KNOWN)]
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def rounds(process: subprocess.Popen[str], n: int) -> list[int]:
    """Wait for rounds of the older program; fewer if it ended."""
    assert process.stdout is not None
    return [int(line) for line in (process.stdout.readline() for _ in range(n)) if line]


def ended(process: subprocess.Popen[str]) -> list[int]:
    """Tell the older program to end, and give its rounds until then.

    Raises:
        AssertionError: it failed.
    """
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdin.close()
    last, failure = [int(line) for line in process.stdout], process.stderr.read()
    assert (process.wait(), failure) == (0, "")
    return last


def numbers(url: str) -> list[int]:
    with psycopg.connect(url) as connection:
        return [n for (n,) in connection.execute("select number from saidonce.migration order by 1")]


def test_a_process_of_an_older_program_works_on_while_the_schema_grows_under_it(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert SHIPPED[-1].phase is WIDENS.phase is Phase.EXPAND
    with older(database, tmp_path / "old") as process:
        before = rounds(process, ROUNDS)
        assert before == list(range(1, ROUNDS + 1)), process.communicate()
        assert numbers(database)[-1] == KNOWN
        monkeypatch.setattr(migrate_module, "migrations", lambda: (*SHIPPED, WIDENS, TAKES))
        with opened(database, str(tmp_path / "new")) as new:
            seen = [one_round(new, "new", number) for number in range(ROUNDS)]
            assert numbers(database)[-1] == NEXT, "what takes something away waits"
            after = rounds(process, ROUNDS)
            after += ended(process)
            n_old = len(before) + len(after)
            assert sorted(document.name for document in new.documents()) == sorted(
                [*(f"new-{n}.md" for n in range(ROUNDS)), *(f"old-{n}.md" for n in range(n_old))]
            )
    assert after[-1] > ROUNDS + len(after), "it sees what the new one wrote"
    assert seen[0] > ROUNDS

    with psycopg.connect(database, autocommit=True) as connection:
        migrate(connection, contract=True)
    with older(database, tmp_path / "old") as late:
        out, err = late.communicate("")
    assert (late.returncode, out) == (1, "")
    assert err == f"the database has migration {NEXT + 1}, which this version does not know; upgrade saidonce\n"


def columns(connection: psycopg.Connection[TupleRow]) -> dict[str, tuple[bytes | None, ...]]:
    """Columns that each named query gives; those whose parameters need their types told are left out."""
    connection.execute("begin")
    described = {}
    for name, text in queries().items():
        words = text
        for n, value in enumerate(dict.fromkeys(re.findall(r"%\(\w+\)s", text)), 1):
            words = words.replace(value, f"${n}")
        connection.execute("savepoint one")
        is_read = connection.pgconn.prepare(b"", words.replace("%%", "%").encode()).status
        if is_read == psycopg.pq.ExecStatus.COMMAND_OK:
            told = connection.pgconn.describe_prepared(b"")
            described[name] = tuple(told.fname(n) for n in range(told.nfields))
        connection.execute("rollback to savepoint one")
    connection.execute("rollback")
    return described


def test_no_query_gives_other_columns_when_tables_have_more(database: str) -> None:
    """A statement that was prepared before would end with an error, as that of a process that goes on beside it."""
    options = "-c search_path=saidonce,public"
    with psycopg.connect(database, autocommit=True, prepare_threshold=None, options=options) as connection:
        migrate(connection)
        before = columns(connection)
        migrate(connection, (*SHIPPED, WIDENS))
        assert columns(connection) == before
    assert len(before) > 0.9 * len(queries()), sorted(queries().keys() - before.keys())
    assert {"documents", "members", "dump_block", "dump_version"} <= before.keys()
