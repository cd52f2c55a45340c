"""Brings a base to the schema of this program when somebody asks for it, and says what waits."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from psycopg import Connection
from psycopg.rows import TupleRow

from saidonce.adapters.postgres.connection import CONNECT_TIMEOUT_S, translated
from saidonce.adapters.postgres.embedded import EmbeddedServer
from saidonce.adapters.postgres.migrate import Migration, migrate, pending_migrations
from saidonce.adapters.postgres.presence import check_presence


def migrations_waiting(database_url: str, data_dir: Path) -> tuple[Migration, ...]:
    """Return the migrations that a base lacks, by number; nothing is changed.

    Raises:
        NoBaseError: there is no base.
        StoreUnavailableError: the database cannot be reached, or the login may not read the schema.
        StoreError: the database is newer than this program, or a migration was altered.
    """
    check_presence(database_url, data_dir)
    with _connect(database_url, data_dir) as connection:
        return pending_migrations(connection)


def apply_migrations(database_url: str, data_dir: Path, contract: bool) -> tuple[Migration, ...]:
    """Apply the migrations that a base lacks, and return them; contracting ones only if that is said.

    Raises:
        StoreUnavailableError: the database cannot be reached, or an administrator has to prepare something first.
        StoreError: the database is newer than this program, or a migration was altered.
    """
    with _connect(database_url, data_dir) as connection:
        before = pending_migrations(connection)
        migrate(connection, contract=contract)
        left = {step.number for step in pending_migrations(connection)}
        return tuple(step for step in before if step.number not in left)


@contextmanager
def _connect(database_url: str, data_dir: Path) -> Iterator[Connection[TupleRow]]:
    server = None if database_url else EmbeddedServer(data_dir)
    try:
        with translated(""):
            url = database_url if server is None else server.url
            with psycopg.connect(url, autocommit=True, connect_timeout=CONNECT_TIMEOUT_S) as connection:
                yield connection
    finally:
        if server is not None:
            server.close()
