"""Connections to a PostgreSQL database that act as one organisation and nobody else."""

from __future__ import annotations

import copy
import hashlib
import itertools
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias, TypeVar, cast

import psycopg
from psycopg import Connection, Cursor, sql
from psycopg.pq import TransactionStatus
from psycopg.rows import RowFactory, TupleRow, tuple_row
from psycopg_pool import ConnectionPool

from saidonce.adapters.postgres import replica as copies
from saidonce.adapters.postgres import room
from saidonce.adapters.postgres.checkout import READ_WAIT_S, checked_out, revived
from saidonce.adapters.postgres.codec import rows_as
from saidonce.adapters.postgres.migrate import APP_ROLE, LOGIN, migrate, prepare_login
from saidonce.adapters.postgres.statements import queries
from saidonce.adapters.postgres.turns import ThreadTurns
from saidonce.adapters.postgres.wire import register_vectors
from saidonce.errors import DiskFullError, StoreBusyError, StoreCorruptError, StoreUnavailableError, UsageError

_Noun = TypeVar("_Noun")
_Row = TypeVar("_Row")

MAX_CONNECTIONS = 16
CONNECT_TIMEOUT_S = 10
HEALTH_TIMEOUT_S = 3

TURN_WAIT_S = 60.0
"""Longest wait for an organisation's turn to write."""

LOCK_TIMEOUT_S = 120
"""Longest wait for any other lock: of a row, of a table that is being migrated."""

STATEMENT_TIMEOUT_S = 1_800
"""Longest statement: an index of a very large base takes minutes."""

IDLE_TIMEOUT_S = 600
"""Longest silence of a program inside a transaction; then the server ends it, and with it the locks that it held."""


_CURSORS = itertools.count()
"""Numbers of this program's cursors on servers."""

_WRITES = "begin"
_READS = "begin isolation level repeatable read, read only"


class _OrgConnection(Connection[TupleRow]):
    """A connection that knows which organisation it acts as."""

    org = ""


_Pool: TypeAlias = ConnectionPool[_OrgConnection]


@dataclass(slots=True)
class WriteTurn:
    """An organisation's turn to write, which the lock on its row gives and the end of the transaction takes.

    Attributes:
        rev: revision of the organisation as of now.
        opening: rows of what was asked when it began.
        is_whole: it is a transaction of its own; False within another turn, which goes on.
    """

    cursor: Cursor[TupleRow]
    rev: int
    opening: Sequence[TupleRow] = ()
    is_whole: bool = True


class Database:
    """A pool of connections; each transaction belongs to one organisation.

    Args:
        url: connection string or URL.
        org: organisation of every transaction.
        revive: brings a server of our own back when it does not answer.
        own: folder of our own server: the URL's login prepares it, and one without its rights does all else.

    Raises:
        StoreUnavailableError: the database cannot be reached, or has to be prepared.
    """

    def __init__(self, url: str, org: str, revive: Callable[[], None] | None = None, own: Path | None = None) -> None:
        self._revive = revive
        self._own = own
        self._turns = ThreadTurns()
        self._n_writes = 0
        self._held = threading.local()
        self._is_lent = False
        self.replica: copies.Replica | None = None
        self._org = org
        with self._translate_errors():
            _check_password(url)
            try:
                connection = psycopg.connect(url, autocommit=True, connect_timeout=CONNECT_TIMEOUT_S)
            except psycopg.ProgrammingError:
                raise StoreUnavailableError("the database URL is malformed; see SAIDONCE_DATABASE_URL") from None
            with connection:
                self._search_path = migrate(connection)
                if own is not None:
                    prepare_login(connection)
        self._url = psycopg.conninfo.make_conninfo(url, user=LOGIN) if own is not None else url
        self._pool: _Pool = ConnectionPool(
            self._url,
            min_size=0,
            max_size=MAX_CONNECTIONS,
            num_workers=1,
            connection_class=_OrgConnection,
            configure=self._configure,
            open=True,
            # The driver waits longer after each attempt that failed; a caller who comes later begins anew.
            reconnect_timeout=READ_WAIT_S,
            # Transactions begin with their first statement: one journey to the server instead of two.
            kwargs={"connect_timeout": CONNECT_TIMEOUT_S, "autocommit": True},
        )

    def of_org(self, org: str) -> Database:
        """Return the same pool for the transactions of another organisation; closing it leaves the pool open."""
        other = copy.copy(self)
        other._org = org
        other._held = threading.local()
        other._is_lent = True
        return other

    def use_replica(self, url: str, max_lag_s: float) -> None:
        """Read from a copy where the caller lets reads lag, as long as it is no older than some seconds."""
        with self._translate_errors():
            _check_password(url)
            try:
                pool = copies.open_pool(url, self._configure, _OrgConnection, MAX_CONNECTIONS)
            except psycopg.ProgrammingError:
                raise StoreUnavailableError("the replica's URL is malformed; see SAIDONCE_REPLICA_URL") from None
        self.replica = copies.Replica(pool, max_lag_s, self._position)

    def of_primary(self) -> Database:
        """Return the same database without its copy."""
        other = copy.copy(self)
        other.replica = None
        other._is_lent = True
        return other

    def _position(self) -> TupleRow:
        with self._pool.connection(timeout=READ_WAIT_S) as connection:
            row = connection.execute(copies.POSITION).fetchone()
        assert row is not None  # the query gives one row
        return row

    def _pools_to_read(self) -> Iterator[_Pool]:
        """Yield where to read: the copy where that is allowed; whoever comes back was failed by it."""
        if self.replica is not None and copies.may_lag() and self.replica.is_fresh():
            yield self.replica.pool
            self.replica.lost()
        yield self._pool

    def _failed_on(self, pool: _Pool) -> None:
        """Do without the copy for a while, if it was that."""
        if pool is not self._pool and self.replica is not None:
            self.replica.lost()

    def _configure(self, connection: Connection[TupleRow]) -> None:
        connection.execute(
            f"set role {APP_ROLE}; set search_path = {self._search_path}; set timezone = 'UTC';"
            # All rows are reached by organisation and key. A plan made while a table was small and kept by the
            # session would read it from end to end long after it has grown.
            f" set enable_seqscan = off; set statement_timeout = '{STATEMENT_TIMEOUT_S}s';"
            f" set idle_in_transaction_session_timeout = '{IDLE_TIMEOUT_S}s'; set lock_timeout = '{LOCK_TIMEOUT_S}s'"
        )
        register_vectors(connection)

    def _translate_errors(self) -> AbstractContextManager[None]:
        return translated(self._org, self._own)

    @contextmanager
    def exclusive(self, wait_s: float | None = None) -> Iterator[None]:
        """Take the organisation's turn; what this thread reads and writes meanwhile is one transaction.

        Args:
            wait_s: longest wait for the turn; 0 takes a free one only.

        Raises:
            StoreBusyError: the turn did not come in time.
        """
        if self._turn_held() is not None:
            yield
            return
        with self.turn(wait_s) as turn, self._hold_turn(turn):
            yield

    @contextmanager
    def opened_turn(self, query: str, /, **values: Any) -> Iterator[WriteTurn]:
        """Take the organisation's turn like `exclusive`, with the rows of a query: one journey for both.

        Args:
            query: a named query that changes nothing.

        Raises:
            StoreBusyError: the turn did not come in time.
        """
        if (held := self._turn_held()) is not None:
            with translated(self._org):
                rows = held.cursor.execute(queries()[query], values).fetchall()
                yield WriteTurn(held.cursor, held.rev, rows, is_whole=False)
            return
        # Not prepared: the driver lets go of all prepared statements of a session when something is rolled back.
        written = {name: sql.Literal(value).as_string() for name, value in values.items()}
        call = queries()[query].rstrip(";") % written
        with (
            self._turns.taken(self._org, TURN_WAIT_S) as left_s,
            self._lock_org(TURN_WAIT_S, left_s, call) as turn,
            self._hold_turn(turn),
        ):
            if not turn.opening:  # The organisation has only now been entered.
                turn.opening = turn.cursor.execute(queries()[query], values).fetchall()
            yield turn

    @contextmanager
    def _hold_turn(self, turn: WriteTurn) -> Iterator[None]:
        """Have what this thread reads and writes take place in a turn."""
        self._held.turn = turn
        try:
            yield
        finally:
            self._held.turn = None

    def last(self, turn: WriteTurn, query: str, /, **values: Any) -> list[TupleRow]:
        """Run the last named query of a turn and end the turn, in one journey."""
        if not turn.is_whole:
            return turn.cursor.execute(queries()[query], values).fetchall()
        connection = turn.cursor.connection
        with translated(self._org):
            with connection.pipeline():
                turn.cursor.execute(queries()[query], values)
                connection.execute("commit")
            return turn.cursor.fetchall()

    def _turn_held(self) -> WriteTurn | None:
        held: WriteTurn | None = getattr(self._held, "turn", None)
        return held

    @contextmanager
    def turn(self, wait_s: float | None = None) -> Iterator[WriteTurn]:
        """Take the organisation's turn to write, in a transaction that commits on leaving and rolls back on an error.

        Inside `exclusive` it is that transaction's. A crowd that waits for one organisation holds one connection:
        the others wait in this program.

        Raises:
            StoreBusyError: the turn did not come in time.
        """
        if (held := self._turn_held()) is not None:
            with self._translate_errors():
                yield held
            return
        longest_s = TURN_WAIT_S if wait_s is None else wait_s
        with self._turns.taken(self._org, longest_s) as left_s, self._lock_org(longest_s, left_s) as turn:
            yield turn

    @contextmanager
    def _lock_org(self, longest_s: float, left_s: float, opening: str = "") -> Iterator[WriteTurn]:
        """Begin a transaction with the lock on the organisation's row, which another program may hold.

        Args:
            opening: a statement that is run once there is the lock; its rows go with the turn.
        """
        lock = queries()["lock_org"]
        within = f"set local lock_timeout = {max(1, round(1_000 * left_s))}"
        reset = f"set local lock_timeout = '{LOCK_TIMEOUT_S}s'"
        with self._translate_errors():
            try:
                with self._transaction(";".join(filter(None, (_WRITES, within, lock, reset, opening)))) as begun:
                    begun.nextset()
                    begun.nextset()
                    rows = begun.fetchall()
                    opened = begun.fetchall() if begun.nextset() and begun.nextset() else []
                    with begun.connection.cursor() as cursor:
                        if not rows:
                            cursor.execute(queries()["make_org"])
                            rows = cursor.execute(lock).fetchall()
                        yield WriteTurn(cursor, int(rows[0][0]), opened)
            except psycopg.errors.LockNotAvailable as busy:
                raise StoreBusyError(self._org, longest_s) from busy

    @contextmanager
    def writing(self) -> Iterator[Cursor[TupleRow]]:
        """Yield a cursor in a transaction that commits on leaving, and rolls back on an error."""
        if (held := self._turn_held()) is not None:
            with self._translate_errors():
                yield held.cursor
            return
        with self._translate_errors(), self._transaction(_WRITES) as begun, begun.connection.cursor() as cursor:
            yield cursor

    @contextmanager
    def reading(self) -> Iterator[Connection[TupleRow]]:
        """Yield a connection in a transaction that sees one moment and can change nothing.

        Inside `exclusive` it is that transaction's, which sees what it has written.
        """
        if (held := self._turn_held()) is not None:
            with self._translate_errors():
                yield held.cursor.connection
            return
        with self._translate_errors(), self._begun_reading() as begun:
            yield begun.connection

    @contextmanager
    def _begun_reading(self) -> Iterator[Cursor[TupleRow]]:
        """Begin to read, on the database itself where its copy does not let us begin."""
        for pool in self._pools_to_read():
            try:
                connection, begun = self._execute(_READS, None, pool)
            except copies.FAILURES:
                if pool is self._pool:
                    raise
                continue
            try:
                yield begun
                connection.commit()
            except psycopg.OperationalError:
                self._failed_on(pool)
                raise
            finally:
                self._return_connection(connection, pool)
            return

    def rows(self, query: str, /, **values: Any) -> list[TupleRow]:
        """Run one named query that changes nothing; it sees one moment."""
        return self._read(query, values, lambda cursor: cursor.fetchall())

    def binary_rows(self, query: str, /, **values: Any) -> list[TupleRow]:
        """Do the same with rows that come in binary form, for vectors and for many rows."""
        return self._read(query, values, lambda cursor: cursor.fetchall(), binary=True)

    def nouns(self, noun: type[_Noun], query: str, /, **values: Any) -> list[_Noun]:
        """Run one named query that changes nothing, and give its rows as nouns."""
        return self._read(query, values, lambda cursor: nouns_of(cursor, noun))

    def _read(
        self, query: str, values: Mapping[str, Any], take: Callable[[Cursor[TupleRow]], _Row], binary: bool = False
    ) -> _Row:
        """Run a named query, and take its rows; anew on the database itself where its copy fails."""
        with self._translate_errors():
            if (held := self._turn_held()) is not None:
                return take(held.cursor.connection.execute(queries()[query], values, binary=binary))
            return self._read_anywhere(query, values, take, binary)

    def _read_anywhere(
        self, query: str, values: Mapping[str, Any], take: Callable[[Cursor[TupleRow]], _Row], binary: bool
    ) -> _Row:
        for pool in self._pools_to_read():
            try:
                connection, read = self._execute(queries()[query], values, pool, binary)
                try:
                    return take(read)
                finally:
                    pool.putconn(connection)
            except copies.FAILURES:
                if pool is self._pool:
                    raise
        raise AssertionError("the database itself is the last to be read")

    def stream(self, query: str, size: int, /, **values: Any) -> Iterator[list[TupleRow]]:
        """Run one named query and give its rows in batches, in binary form, as of one moment."""
        with self.reading() as connection:
            yield from batches(connection, query, size, values, tuple_row)

    def stream_nouns(self, noun: type[_Noun], query: str, size: int, /, **values: Any) -> Iterator[list[_Noun]]:
        """Run one named query and give its rows in batches as nouns, as of one moment."""
        with self.reading() as connection:
            yield from batches(connection, query, size, values, rows_as(noun))

    def refresh_statistics(self) -> None:
        """Let the planner know of growth; asked after every write, done after the 1st, 2nd, 4th, 8th and so on."""
        self._n_writes += 1
        if self._n_writes.bit_count() == 1:
            with self.writing() as cursor:
                cursor.execute("select refresh_statistics()")

    def ping(self) -> None:
        """Ask the server for a sign of life, on a connection of its own: all of the pool's may be busy.

        A server of our own that gives none is brought back first.

        Raises:
            StoreUnavailableError: it gives none.
        """
        try:
            self._ping()
        except StoreUnavailableError:
            if self._revive is None:
                raise
            self._revive()
            self._ping()

    def _ping(self) -> None:
        with (
            self._translate_errors(),
            psycopg.connect(self._url, autocommit=True, connect_timeout=HEALTH_TIMEOUT_S) as connection,
        ):
            connection.execute(f"set statement_timeout = '{HEALTH_TIMEOUT_S}s'")
            connection.execute("select 1")

    @contextmanager
    def session_lock(self, name: str) -> Iterator[bool]:
        """Hold a named lock of the organisation on a separate connection: it is released if the program ends.

        Gives False, and holds nothing, if somebody else holds it.

        Raises:
            StoreUnavailableError: the database cannot be reached.
        """
        key = int.from_bytes(hashlib.sha256(f"{self._org}\0{name}".encode()).digest()[:8], "big", signed=True)
        with self._translate_errors():
            connection = psycopg.connect(self._url, autocommit=True, connect_timeout=CONNECT_TIMEOUT_S)
            row = connection.execute("select pg_try_advisory_lock(%s)", [key]).fetchone()
        try:
            yield row == (True,)
        finally:
            with suppress(psycopg.Error):  # Closed alone, it would be free a moment later, when the server notices.
                connection.execute("select pg_advisory_unlock_all()")
            connection.close()

    def close(self) -> None:
        """Close all connections, unless they are another's."""
        if not self._is_lent:
            self._pool.close()
            if self.replica is not None:
                self.replica.close()

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[Cursor[TupleRow]]:
        """Yield the cursor of what began it."""
        connection, begun = self._execute(begin)
        try:
            yield begun
            if is_open(connection):
                connection.commit()
        finally:
            self._return_connection(connection)

    def _execute(
        self, query: str, values: Mapping[str, Any] | None = None, pool: _Pool | None = None, binary: bool = False
    ) -> tuple[_OrgConnection, Cursor[TupleRow]]:
        """Run the first statement on a connection, as the organisation; the caller gives the connection back.

        Without a pool it begins a write, which waits longer for a database that is away than a read does.

        A connection that died while it lay idle is noticed here, before anything was done on it, and
        replaced: with a restarted server all of them may be dead.
        """
        tries_left = MAX_CONNECTIONS
        while True:
            if pool is None or pool is self._pool:
                connection = self._checked_out(is_read=pool is not None)
            else:
                connection = copies.connection_of(pool)
            try:
                self._act(connection)
                return connection, connection.execute(query, values, binary=binary)
            except BaseException as failed:  # an interruption, too, gives the connection back to the others
                self._return_connection(connection, pool)
                tries_left -= 1
                if tries_left < 0 or not (connection.closed and isinstance(failed, psycopg.OperationalError)):
                    raise

    def _return_connection(self, connection: _OrgConnection, pool: _Pool | None = None) -> None:
        """Return a connection to the pool with no transaction open; discard one that was interrupted in a statement."""
        try:
            if not connection.closed and is_open(connection):
                connection.rollback()
        except psycopg.Error:
            connection.close()
        (pool or self._pool).putconn(connection)

    def _act(self, connection: _OrgConnection) -> None:
        """Let a connection act as the organisation; outside of a transaction, so that no rollback undoes it."""
        if connection.org != self._org:
            connection.org = ""  # Unknown, should this be interrupted after the server has changed it.
            connection.execute("select set_config('saidonce.org', %s, false)", [self._org])
            connection.org = self._org

    def _checked_out(self, is_read: bool) -> _OrgConnection:
        return revived(self._pool, self._revive) if self._revive else checked_out(self._pool, is_read, self._ping)


def is_open(connection: Connection[TupleRow]) -> bool:
    """Return whether a transaction, or a statement of one, is open on a connection; asks nobody."""
    return connection.pgconn.transaction_status != TransactionStatus.IDLE


def batches(
    connection: Connection[TupleRow], name: str, size: int, values: Mapping[str, Any], rows: RowFactory[_Row]
) -> Iterator[list[_Row]]:
    """Run a named query through a cursor of the server's; rows come in binary form, in batches of `size`.

    A cursor that is read to its end is closed. One whose reader stops half-way, is forgotten, or loses its connection
    ends with its transaction: nothing is left here that would speak to a connection which serves another by then. The
    names differ, so that a query can be read anew, or twice at once, within one transaction.
    """
    cursor_name = sql.Identifier(f"{name}_{next(_CURSORS)}")
    fetch = sql.SQL("fetch forward {} from {}").format(sql.Literal(size), cursor_name)
    with connection.cursor(binary=True, row_factory=rows) as cursor:
        declare = sql.SQL("declare {} no scroll cursor for {}").format(cursor_name, sql.SQL(queries()[name]))
        cursor.execute(declare, values, prepare=False)
        n_read = size
        while n_read == size and (batch := cursor.execute(fetch, prepare=False).fetchall()):
            n_read = len(batch)
            yield batch
        cursor.execute(sql.SQL("close {}").format(cursor_name), prepare=False)


def nouns_of(cursor: Cursor[TupleRow], noun: type[_Noun]) -> list[_Noun]:
    """Return the rows of a cursor as nouns, by the names of their columns."""
    cursor.row_factory = cast("RowFactory[TupleRow]", rows_as(noun))
    try:
        return cast("list[_Noun]", cursor.fetchall())
    finally:
        cursor.row_factory = tuple_row


@contextmanager
def translated(org: str, own: Path | None = None) -> Iterator[None]:
    """Turn the database's errors into the store's; messages carry no stored text.

    Args:
        org: the organisation whose turn is waited for.
        own: folder of our own server, whose volume is named if it is full.
    """
    try:
        yield
    except psycopg.errors.LockNotAvailable as busy:
        raise StoreBusyError(org, LOCK_TIMEOUT_S) from busy
    except psycopg.IntegrityError as broken:
        raise StoreCorruptError(
            f"the write contradicts what is stored ({broken.diag.constraint_name or type(broken).__name__})"
        ) from broken
    except (psycopg.DataError, psycopg.errors.ProgramLimitExceeded, UnicodeEncodeError) as unfit:
        raise UsageError("a number or a text cannot be stored in the database") from unfit
    except psycopg.errors.DiskFull as full:
        raise _full(own) from full
    except (psycopg.OperationalError, psycopg.InterfaceError) as failed:
        if room.NO_SPACE in str(failed) or (own is not None and room.lacks_space(own)):
            raise _full(own) from failed
        reason = str(failed).strip().splitlines()[0] if str(failed).strip() else type(failed).__name__
        raise StoreUnavailableError(f"the database is not available: {reason}") from failed
    except psycopg.Error as failed:
        raise StoreUnavailableError(f"the database failed ({type(failed).__name__})") from failed


def _full(own: Path | None) -> DiskFullError:
    return DiskFullError("the database on its server") if own is None else room.full(own)


def _check_password(url: str) -> None:
    """Refuse a password with an @ or a stroke in it: its end would be taken for a host, and named in messages.

    Raises:
        StoreUnavailableError: the URL is such a one.
    """
    authority, _, path = url.partition("://")[2].partition("/")
    if authority.count("@") > 1 or "@" in path.partition("?")[0]:
        raise StoreUnavailableError(
            "the database URL is malformed; write @ in the password as %40 and / as %2F; see SAIDONCE_DATABASE_URL"
        )
