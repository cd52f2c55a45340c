"""Rows that are read half-way: whoever forgets the rest, or loses the server over it, harms nobody who reads later."""

from __future__ import annotations

import gc
import warnings
from collections.abc import Generator, Iterator
from typing import Any

import psycopg
import pytest
from psycopg.rows import tuple_row
from store_cases import collection, simple

from garbage import searched_for_new_alone
from saidonce.adapters.postgres.connection import MAX_CONNECTIONS, Database, batches
from saidonce.adapters.postgres.embedded import EmbeddedServer
from saidonce.adapters.postgres.postgres import PostgresStore
from saidonce.errors import StoreUnavailableError
from world import TickingClock

NAMES = ["a.md", "b.md", "c.md"]


@pytest.fixture(autouse=True, scope="module")
def _new_alone() -> Iterator[None]:
    with searched_for_new_alone():
        yield


@pytest.fixture
def url(embedded_server: EmbeddedServer) -> str:
    return embedded_server.url


@pytest.fixture
def store(url: str, org: str) -> Iterator[PostgresStore]:
    opened = PostgresStore(url, org, TickingClock())
    opened.ensure_collection(collection())
    for name in NAMES:
        opened.put_document(simple(name, f"The text of {name}."))
    yield opened
    opened.close()


@pytest.fixture
def nothing_left_open() -> Iterator[None]:
    """What is deleted while it is open says so when it is collected, in whichever test that is."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        yield
        gc.collect()
    assert [str(each.message) for each in seen] == []


def one_by_one(database: Database) -> Generator[Any, None, None]:
    reading = database.stream("documents", 1, collection="main")
    assert isinstance(reading, Generator)
    return reading


def in_a_cycle(reading: Iterator[Any]) -> None:
    """Leave a reading to the collector, which ends it in any order with the connection and the cursor."""
    knot: list[Any] = [reading]
    knot.append(knot)


def server_pid(database: Database) -> int:
    with database.reading() as connection:
        return connection.info.backend_pid


@pytest.mark.usefixtures("nothing_left_open")
@pytest.mark.parametrize("how", ["dropped", "closed", "in a cycle"])
def test_a_forgotten_reading_gives_its_connection_back(store: PostgresStore, how: str) -> None:
    for number in range(MAX_CONNECTIONS + 2):
        reading: Any = one_by_one(store._database) if number else store.dump()
        assert next(reading)
        if how == "closed":
            reading.close()
        elif how == "in a cycle":
            in_a_cycle(reading)
        del reading
    gc.collect()
    assert [d.name for d in store.documents("main")] == NAMES


@pytest.mark.usefixtures("nothing_left_open")
@pytest.mark.parametrize("how", ["read on", "closed", "in a cycle"])
def test_a_reading_whose_server_went_away_leaves_nothing_open(url: str, store: PostgresStore, how: str) -> None:
    pid = server_pid(store._database)
    reading = one_by_one(store._database)
    assert next(reading)
    with psycopg.connect(url, autocommit=True) as other:
        assert other.execute("select pg_terminate_backend(%s, 10000)", [pid]).fetchone() == (True,)
    if how == "read on":
        with pytest.raises(StoreUnavailableError):
            list(reading)
    elif how == "closed":
        reading.close()
    else:
        in_a_cycle(reading)
    del reading
    gc.collect()
    assert [d.name for d in store.documents("main")] == NAMES


@pytest.mark.usefixtures("nothing_left_open")
def test_a_reading_forgotten_in_a_turn_ends_with_it_and_harms_no_later_one(store: PostgresStore) -> None:
    """Closed when it is collected, it would fail in what another one had begun on the connection by then."""
    for _ in range(2):
        with store._database.exclusive():
            reading = one_by_one(store._database)
            assert next(reading)
        with store._database.reading() as connection:
            before = connection.info.transaction_status
            reading.close()
            assert connection.info.transaction_status == before
            assert connection.execute("select 1").fetchone() == (1,)


def test_one_query_is_read_twice_at_once_in_a_turn(store: PostgresStore) -> None:
    with store._database.exclusive():
        pairs = list(zip(one_by_one(store._database), one_by_one(store._database), strict=True))
    assert len(pairs) == len(NAMES)
    assert all(one == other for one, other in pairs)


def test_rows_come_whole_whatever_the_size_of_a_batch_and_no_cursor_is_left(store: PostgresStore) -> None:
    with store._database.reading() as connection:
        for size, sizes in ((1, [1, 1, 1]), (2, [2, 1]), (3, [3]), (4, [3])):
            got = list(batches(connection, "documents", size, {"collection": "main"}, tuple_row))
            assert [len(batch) for batch in got] == sizes
        assert connection.execute("select count(*) from pg_cursors").fetchone() == (0,)
