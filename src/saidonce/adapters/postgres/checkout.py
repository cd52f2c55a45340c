"""How long somebody waits for a connection: longer for one in use, and before a write, than for a database away."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Any, TypeVar

from psycopg import Connection
from psycopg_pool import ConnectionPool, PoolTimeout

from saidonce.errors import StoreUnavailableError

_Connection = TypeVar("_Connection", bound=Connection[Any])

WAIT_S = 30.0
"""Longest wait: all connections are in use, or what is to be written waits for the database to come back."""

READ_WAIT_S = 3.0
"""A read gives up after so long if the database does not answer."""

REVIVE_AFTER_S = 1.0
"""A server of our own that gives no connection for so long is looked after."""


class _WithoutDiscarded(logging.Filter):
    """Leaves out that a connection which was interrupted in a statement is discarded: the next use opens another."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Keep every other record."""
        return not str(record.msg).startswith("discarding closed connection")


logging.getLogger("psycopg.pool").addFilter(_WithoutDiscarded())


def revived(pool: ConnectionPool[_Connection], revive: Callable[[], None]) -> _Connection:
    """Return a connection of a pool to a server of our own, which is brought back where it gives none.

    Raises:
        PoolTimeout: none came in time.
    """
    try:
        return pool.getconn(timeout=REVIVE_AFTER_S)
    except PoolTimeout:
        revive()
    return pool.getconn(timeout=WAIT_S)


def checked_out(pool: ConnectionPool[_Connection], is_read: bool, ping: Callable[[], None]) -> _Connection:
    """Return a connection of a pool.

    Args:
        pool: connections, made when they are needed.
        is_read: whether nothing is written by it.
        ping: asks the server for a sign of life when none came soon.

    Raises:
        PoolTimeout: none came in time.
        StoreUnavailableError: the server gives no sign of life.
    """
    until = time.monotonic() + WAIT_S
    while True:
        try:
            return pool.getconn(timeout=READ_WAIT_S)
        except PoolTimeout:
            left_s = until - time.monotonic()
            try:
                ping()
            except StoreUnavailableError:
                if is_read or left_s <= 0:
                    raise
                continue
            return pool.getconn(timeout=max(READ_WAIT_S, left_s))
