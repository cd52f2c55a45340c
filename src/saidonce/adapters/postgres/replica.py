"""A streaming copy of the database, for reads that may be a little old, as long as its age can be shown."""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, TypeVar

import psycopg
from psycopg import Connection
from psycopg.rows import TupleRow
from psycopg_pool import ConnectionPool

from saidonce.foundation.ports.store import ReplicaState

_log = logging.getLogger("saidonce")
_Connection = TypeVar("_Connection", bound=Connection[Any])

RETRY_S = 10.0
"""A copy that did not answer is left alone for so long."""

ANSWERS_WITHIN_S = 1.0
"""Longest wait for a connection to the copy; the database itself is read then."""

CHECK_EVERY_S = 1.0
"""Longest time between two looks at how far the copy is, while it is read."""

CHECKS_A_LAG = 4
"""Looks within the oldest age that is allowed, where that is shorter."""

MOST_NOTED = 64

POSITION = (
    "select system_identifier::text, pg_is_in_recovery(), case when pg_is_in_recovery() then pg_last_wal_replay_lsn()"
    " else pg_current_wal_insert_lsn() end - '0/0'::pg_lsn from pg_control_system()"
)

FAILURES = (psycopg.OperationalError, psycopg.InterfaceError, psycopg.ProgrammingError)
"""Errors after which the database itself is asked: no connection, a query ended by the replay, tables of before."""

_LAGGING: ContextVar[bool] = ContextVar("reads may lag", default=False)


def let_reads_lag() -> None:
    """Say that what this context reads from now on may be a little old: the context of one request, for example."""
    _LAGGING.set(True)


def may_lag() -> bool:
    """Return whether this context said so."""
    return _LAGGING.get()


class Replica:
    """The copy, and how old it is at most.

    Where the database stood at a moment, by its own count of what it wrote, is noted now and then. Once the copy has
    replayed as much, it holds everything from before that moment: its age is the time since the newest such moment.
    Two clocks are never compared, and a copy of which nothing is known is not read.

    Args:
        pool: connections to the copy; opened here, closed with `close`.
        max_lag_s: oldest age at which it is read.
        primary: gives a row of POSITION from the database itself.
        clock: seconds that only grow.
    """

    def __init__(
        self,
        pool: ConnectionPool[Any],
        max_lag_s: float,
        primary: Callable[[], TupleRow],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.pool = pool
        self._max_lag_s = max_lag_s
        self._primary = primary
        self._clock = clock
        self._check_every_s = min(CHECK_EVERY_S, max_lag_s / CHECKS_A_LAG)
        self._checking = threading.Lock()
        self._noted: deque[tuple[float, int]] = deque(maxlen=MOST_NOTED)
        self._holds_until = -float("inf")
        self._checked_at = -float("inf")
        self._left_until = -float("inf")
        self._is_left = False
        self._why = "it has not been checked yet"

    def is_fresh(self) -> bool:
        """Return whether the copy may be read now; looks at it when the last look is too old."""
        now = self._clock()
        if now < self._left_until:
            return False
        if now - self._checked_at >= self._check_every_s and self._checking.acquire(blocking=False):
            try:
                self._check()
            finally:
                self._checking.release()
        return not self._flaw()

    def state(self) -> ReplicaState:
        """Say whether it is read, how old it is at most, and why it is not."""
        flaw = self._flaw()
        return ReplicaState(is_set=True, is_read=not flaw, lag_s=max(0.0, self._clock() - self._holds_until), why=flaw)

    def lost(self) -> None:
        """Leave the copy alone for a while: it failed."""
        self._leave("it does not respond")

    def close(self) -> None:
        """Close the connections."""
        self.pool.close()

    def _flaw(self) -> str:
        """Return why the replica is not read now; empty if it is."""
        now = self._clock()
        if now < self._left_until or self._holds_until == -float("inf"):
            return self._why
        lag_s = now - self._holds_until
        return "" if lag_s <= self._max_lag_s else f"it is more than {self._max_lag_s:g} s behind"

    def _check(self) -> None:
        """Note where the database is, and find the newest moment from before which the copy holds everything."""
        noted, begun = self._noted, self._clock()
        identity, _, written = self._primary()
        noted.append((begun, int(written)))
        try:
            with self.pool.connection(timeout=ANSWERS_WITHIN_S) as connection:
                row = connection.execute(POSITION).fetchone()
        except psycopg.Error:
            self.lost()
            return
        assert row is not None  # the query gives one row
        copy_of, is_copy, replayed = row
        if not is_copy or copy_of != identity:
            self._leave("it is not a streaming replica of this database")
            return
        self._checked_at = self._clock()
        self._why = "it has not caught up yet"
        while noted and noted[0][1] <= int(replayed or 0):
            self._holds_until = noted.popleft()[0]
        if self._is_left and not self._flaw():
            self._is_left = False
            _log.info("replica.back")

    def _leave(self, why: str) -> None:
        if not self._is_left:
            _log.warning("replica.left why=%r", why)
        self._is_left = True
        self._why = why
        self._left_until = self._clock() + RETRY_S
        self._holds_until = -float("inf")
        self._noted = deque(maxlen=MOST_NOTED)


def connection_of(pool: ConnectionPool[_Connection]) -> _Connection:
    """Return a connection to a copy.

    Raises:
        PoolTimeout: it does not answer in time.
    """
    return pool.getconn(timeout=ANSWERS_WITHIN_S)


def open_pool(
    url: str, configure: Callable[[Connection[TupleRow]], None], kind: type[_Connection], most: int
) -> ConnectionPool[_Connection]:
    """Open a pool of connections to a copy; none is made before one is asked for."""
    return ConnectionPool(
        url, min_size=0, max_size=most, num_workers=1, connection_class=kind, configure=configure, open=True,
        reconnect_timeout=ANSWERS_WITHIN_S,
        kwargs={"connect_timeout": 2, "autocommit": True},
    )  # fmt: skip
