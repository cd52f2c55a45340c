"""Whether there is a knowledge base at a place, found without making one."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import psycopg

from saidonce.adapters.postgres.connection import CONNECT_TIMEOUT_S
from saidonce.adapters.postgres.migrate import SCHEMA
from saidonce.errors import NoBaseError


def check_presence(database_url: str, data_dir: Path) -> None:
    """Do nothing if there is a base, or if that cannot be known from here: whoever opens the store reports why.

    Raises:
        NoBaseError: there is none.
    """
    if database_url:
        if not _has_schema(database_url):
            raise NoBaseError()
    elif not has_database(data_dir):
        raise NoBaseError(str(data_dir))


def has_database(data_dir: Path) -> bool:
    """Return whether a data folder holds an embedded database; True if it cannot be read."""
    note = data_dir / "home"
    try:
        return note.exists() or (data_dir / "postgres").is_dir()
    except OSError:
        return True


def _has_schema(url: str) -> bool:
    with suppress(psycopg.Error), psycopg.connect(url, autocommit=True, connect_timeout=CONNECT_TIMEOUT_S) as database:
        return database.execute("select to_regnamespace(%s)", (SCHEMA,)).fetchone() != (None,)
    return True
