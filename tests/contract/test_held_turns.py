"""One organisation whose turn to write is held by somebody: it waits alone, for a limited time, and loses nothing."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest

from conftest import SERVERS
from saidonce.adapters.postgres import connection as connections
from saidonce.adapters.postgres.postgres import PostgresStore
from saidonce.errors import StoreBusyError, StoreUnavailableError
from saidonce.foundation.model import Person, Role
from saidonce.platform import access
from world import TickingClock

NOW = datetime(2026, 1, 17, 12, tzinfo=UTC)


@pytest.fixture(params=SERVERS)
def url(request: pytest.FixtureRequest) -> str:
    server = request.getfixturevalue(request.param)
    return str(getattr(server, "url", server))


@pytest.fixture
def store(url: str, org: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[PostgresStore]:
    monkeypatch.setattr(connections, "TURN_WAIT_S", 1.0)
    opened = PostgresStore(url, org, TickingClock())
    yield opened
    opened.close()


def person(name: str, active_at: datetime | None = None) -> Person:
    return Person(name, "", Role.OWNER, NOW, active_at=active_at)


@contextmanager
def held_elsewhere(url: str, org: str) -> Iterator[None]:
    """Another program that hangs in the middle of a write of this organisation."""
    with psycopg.connect(url) as other:
        other.execute("set role saidonce_app; set search_path = saidonce")
        other.execute("select set_config('saidonce.org', %s, false)", [org])
        assert other.execute("select 1 from org where org_id = %s for no key update", [org]).fetchone() == (1,)
        yield
        other.rollback()


def seconds(act: Callable[[], Any]) -> float:
    begun = time.monotonic()
    act()
    return time.monotonic() - begun


def test_a_turn_held_elsewhere_is_refused_in_time_by_name(url: str, store: PostgresStore) -> None:
    store.people.put_person(person("ana"))
    with held_elsewhere(url, store.org):
        begun = time.monotonic()
        with pytest.raises(StoreBusyError, match=store.org) as refused:
            store.people.put_person(person("ben"))
        assert 0.5 < time.monotonic() - begun < 20
        assert not isinstance(refused.value, StoreUnavailableError), "the database is there; others go on"
        assert [p.name for p in store.people.people()] == ["ana"], "reading goes on meanwhile"
    store.people.put_person(person("ben"))
    assert [p.name for p in store.people.people()] == ["ana", "ben"]


def test_a_crowd_that_waits_for_one_organisation_leaves_the_connections_to_the_others(
    url: str, store: PostgresStore, org: str
) -> None:
    other = store.of_org(f"{org}-other")
    store.people.put_person(person("ana"))
    other.people.put_person(person("bea"))
    n_waiting = 3 * connections.MAX_CONNECTIONS
    with held_elsewhere(url, store.org), ThreadPoolExecutor(n_waiting) as crowd:
        connections.TURN_WAIT_S = 6.0
        waiting = [crowd.submit(store.people.put_person, person(f"p{n}")) for n in range(n_waiting)]
        time.sleep(0.3)
        taken = [seconds(lambda: other.people.put_person(person("bea"))) for _ in range(20)]
        assert sum(not w.done() for w in waiting) == n_waiting, "the crowd waits all the while"
        assert max(taken) < 3
        assert {type(w.exception(60)) for w in waiting} == {StoreBusyError}


def test_threads_of_one_program_take_turns(store: PostgresStore) -> None:
    connections.TURN_WAIT_S = 60.0
    with ThreadPoolExecutor(12) as crowd:
        list(crowd.map(lambda n: store.people.put_person(person(f"p{n:02}")), range(48)))
    assert len(store.people.people()) == 48


def test_noting_who_was_active_never_waits_for_a_turn(url: str, store: PostgresStore) -> None:
    long_ago = NOW - timedelta(days=30)
    ana = person("ana", long_ago)
    store.people.put_person(ana)
    connections.TURN_WAIT_S = 30.0
    with held_elsewhere(url, store.org):
        assert seconds(lambda: access.note_activity(store, ana, NOW)) < 5
        assert store.people.person("ana") == ana, "it is noted with a later request"
    assert access.note_activity(store, ana, NOW).active_at == NOW
    assert store.people.person("ana") == person("ana", NOW)


def test_an_interrupted_change_of_organisation_never_leaks(
    url: str, org: str, store: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server has changed the organisation, and the program was interrupted before it knew."""
    store.people.put_person(person("ana"))
    other = store.of_org(f"{org}-other")
    other.people.put_person(person("bea"))
    execute = connections._OrgConnection.execute

    def interrupted(self: Any, query: Any, *values: Any, **options: Any) -> Any:
        outcome = execute(self, query, *values, **options)
        if "set_config" in str(query):
            raise KeyboardInterrupt
        return outcome

    monkeypatch.setattr(connections._OrgConnection, "execute", interrupted)
    for _ in range(connections.MAX_CONNECTIONS):
        with pytest.raises(KeyboardInterrupt):
            store.people.people()
    monkeypatch.undo()
    for _ in range(2 * connections.MAX_CONNECTIONS):
        assert [p.name for p in other.people.people()] == ["bea"]
        assert [p.name for p in store.people.people()] == ["ana"]


def test_no_statement_lock_or_idle_transaction_lasts_for_ever(store: PostgresStore) -> None:
    with store._database.reading() as connection:
        for name in ("statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"):
            assert connection.execute(f"show {name}").fetchone() not in (None, ("0",)), name


def test_health_is_told_while_every_connection_is_busy(store: PostgresStore) -> None:
    store.people.put_person(person("ana"))
    begin, end = threading.Barrier(connections.MAX_CONNECTIONS + 1), threading.Event()

    def busy() -> None:
        with store._database.reading():
            begin.wait(60)
            end.wait(60)

    with ThreadPoolExecutor(connections.MAX_CONNECTIONS) as crowd:
        for _ in range(connections.MAX_CONNECTIONS):
            crowd.submit(busy)
        begin.wait(60)
        try:
            assert seconds(store.ping) < 5
        finally:
            end.set()


def test_health_of_a_database_that_is_gone(store: PostgresStore) -> None:
    store._database._url = "host=127.0.0.1 port=1 user=nobody dbname=nothing"
    with pytest.raises(StoreUnavailableError):
        store.ping()
