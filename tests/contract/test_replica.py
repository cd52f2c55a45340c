"""Pages read a streaming copy of the database as long as its age can be shown; all else reads the database itself."""

from __future__ import annotations

import contextvars
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import psycopg
import pytest
from benchmarks.free_ports import free_port
from fastapi.testclient import TestClient
from psycopg.conninfo import make_conninfo

from conftest import ExternalServer, reachable_folder
from saidonce import KnowledgeBase
from saidonce.adapters.postgres import open_store, rights
from saidonce.adapters.postgres.binaries import find_binaries, server_account
from saidonce.adapters.postgres.postgres import PostgresStore
from saidonce.adapters.postgres.replica import Replica
from saidonce.adapters.postgres.rights import replica_check
from saidonce.app.doctor import _replica
from saidonce.errors import SettingsError
from saidonce.foundation.model import Collection, Role
from saidonce.foundation.ports import Store
from saidonce.foundation.settings.policy import displayed_value, load_settings
from saidonce.interfaces.http import create_app
from saidonce.platform.access import add_person
from waiting_for import eventually
from website import token_of

_T = TypeVar("_T")
NOW = datetime(2026, 11, 1, tzinfo=UTC)


class Copy:
    """A streaming replica of an external server, made and run by PostgreSQL's own programs."""

    def __init__(self, primary: str) -> None:
        account = server_account()
        self._as: dict[str, Any] = (
            {"user": account.uid, "group": account.gid, "extra_groups": []} if account.borrowed else {}
        )
        self._folder = reachable_folder()
        if account.borrowed:
            os.chown(self._folder, account.uid, account.gid)
        self._binaries = find_binaries(account)
        admin = make_conninfo(primary, user="admin", password="superuser password", dbname="")
        subprocess.run(
            [self._binaries / "pg_basebackup", "-D", self._folder / "db", "-R", "-X", "stream", "-c", "fast",
             "--no-sync", "-d", admin],
            check=True, capture_output=True, stdin=subprocess.DEVNULL, **self._as,
        )  # fmt: skip
        self.port = free_port()
        self.url = make_conninfo(primary, port=self.port)
        self._admin = make_conninfo(self.url, user="admin", password="superuser password")
        self.start()

    def start(self) -> None:
        """Start it, and wait until it answers."""
        with (self._folder / "log").open("wb") as log:
            self._process = subprocess.Popen(
                [self._binaries / "postgres", "-D", self._folder / "db", "-p", str(self.port), "-c",
                 "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=", "-c", "fsync=off"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, **self._as,
            )  # fmt: skip
        eventually(lambda: psycopg.pq.PGconn.ping(self._admin.encode()) == psycopg.pq.Ping.OK)

    def stop(self) -> None:
        """Stop it at once, as a lost machine would be."""
        self._process.send_signal(signal.SIGQUIT)
        self._process.wait()

    def run(self, statement: str) -> Any:
        """Run a statement on it as its administrator."""
        with psycopg.connect(self._admin, autocommit=True) as connection:
            return connection.execute(statement).fetchone()


@pytest.fixture(scope="module")
def primary() -> Iterator[str]:
    folder = reachable_folder()
    server = ExternalServer(folder)
    PostgresStore(server.url, "first").close()  # the copy has the tables from the beginning
    yield server.url
    server.stop()


@pytest.fixture(scope="module")
def replica(primary: str) -> Iterator[Copy]:
    copy = Copy(primary)
    yield copy
    copy.stop()


@pytest.fixture
def paused(replica: Copy) -> Iterator[Copy]:
    """A copy that stands still: what is written meanwhile reaches it later."""
    yield replica
    replica.run("select pg_wal_replay_resume()")


def opened(primary: str, org: str, url: str, max_lag_s: float = 3_600) -> Store:
    return open_store(primary, Path("/nowhere"), org, replica=(url, max_lag_s))


def lagging(store: Store, read: Callable[[], _T]) -> _T:
    """Read as a page does that may be a little old."""

    def page() -> _T:
        store.let_reads_lag()
        return read()

    return contextvars.copy_context().run(page)


def names(store: Store) -> list[str]:
    return [c.name for c in store.collections()]


def caught_up(store: Store, name: str) -> None:
    """Wait until the copy is read and has a collection."""
    eventually(lambda: name in lagging(store, lambda: names(store)) and store.replica().is_read)


def collection(name: str) -> Collection:
    return Collection(name, "evidence", "paragraph", "model", 4)


def test_only_what_may_lag_reads_the_copy(primary: str, paused: Copy, org: str) -> None:
    store = opened(primary, org, paused.url)
    store.ensure_collection(collection("before"))
    caught_up(store, "before")
    paused.run("select pg_wal_replay_pause()")
    eventually(lambda: paused.run("select pg_get_wal_replay_pause_state()") == ("paused",))
    store.ensure_collection(collection("after"))
    assert lagging(store, lambda: names(store)) == ["before"]
    assert names(store) == ["after", "before"]
    paused.run("select pg_wal_replay_resume()")
    caught_up(store, "after")
    store.close()


def test_what_a_lagging_reader_writes_and_reads_in_its_turn_is_the_database_itself(
    primary: str, paused: Copy, org: str
) -> None:
    store = opened(primary, org, paused.url)
    store.ensure_collection(collection("before"))
    caught_up(store, "before")
    paused.run("select pg_wal_replay_pause()")
    eventually(lambda: paused.run("select pg_get_wal_replay_pause_state()") == ("paused",))

    def write_and_count() -> dict[str, float]:
        store.add_counters({"pages": 1})
        store.add_counters({"pages": 1})  # adds to what the first wrote
        return store.counters()

    assert "pages" not in lagging(store, write_and_count)
    assert store.counters()["pages"] == 2
    store.close()


def test_who_may_do_what_is_never_read_from_the_copy(primary: str, paused: Copy, org: str) -> None:
    store = opened(primary, org, paused.url)
    store.ensure_collection(collection("before"))
    caught_up(store, "before")
    paused.run("select pg_wal_replay_pause()")
    eventually(lambda: paused.run("select pg_get_wal_replay_pause_state()") == ("paused",))
    add_person(store, "ada", "", Role.OWNER, NOW)
    assert [p.name for p in lagging(store, store.people.people)] == ["ada"]
    other = store.of_org(org)
    assert [p.name for p in lagging(other, other.people.people)] == ["ada"]
    store.close()


def test_a_copy_too_far_behind_is_not_read_and_says_so(primary: str, paused: Copy, org: str) -> None:
    store = opened(primary, org, paused.url, max_lag_s=0.5)
    store.ensure_collection(collection("before"))
    caught_up(store, "before")
    paused.run("select pg_wal_replay_pause()")
    eventually(lambda: paused.run("select pg_get_wal_replay_pause_state()") == ("paused",))
    store.ensure_collection(collection("after"))
    eventually(lambda: lagging(store, lambda: names(store)) == ["after", "before"])
    state = store.replica()
    assert (state.is_set, state.is_read, state.why) == (True, False, "it is more than 0.5 s behind")
    assert state.lag_s > 0.5
    store.close()


def test_a_lost_copy_is_done_without_and_comes_back(
    primary: str, replica: Copy, org: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("saidonce.adapters.postgres.replica.RETRY_S", 0.1)
    store = opened(primary, org, replica.url)
    store.ensure_collection(collection("before"))
    caught_up(store, "before")
    replica.stop()
    try:
        # Its connections lie in the pool and are dead; every way of reading gets what it asked for all the same.
        assert lagging(store, lambda: names(store)) == ["before"]
        assert lagging(store, lambda: [d.name for d in store.documents("before")]) == []
        assert lagging(store, store.rev) > 0
        assert store.replica().why == "it does not respond"
        assert [r.getMessage() for r in caplog.records if r.name == "saidonce"] == [
            "replica.left why='it does not respond'"
        ]
    finally:
        replica.start()
    caught_up(store, "before")
    store.close()


@pytest.mark.parametrize("other", ["the database itself", "another database"])
def test_what_is_no_copy_of_the_database_is_never_read(
    primary: str, replica: Copy, external_server: str, org: str, other: str
) -> None:
    url = primary if other == "the database itself" else external_server
    PostgresStore(url, org).close()
    store = opened(primary, org, url)
    store.ensure_collection(collection("here"))
    assert lagging(store, lambda: names(store)) == ["here"]
    assert store.replica().why == "it is not a streaming replica of this database"
    store.close()


def test_a_copy_that_was_never_there_is_done_without(primary: str, org: str) -> None:
    store = opened(primary, org, make_conninfo(primary, port=free_port()))
    store.ensure_collection(collection("here"))
    assert lagging(store, lambda: names(store)) == ["here"]
    assert store.replica().why == "it does not respond"
    store.close()


class _Pool:
    """Stands for connections to a copy that has replayed so much."""

    def __init__(self) -> None:
        self.replayed = 0

    def connection(self, timeout: float) -> _Pool:
        return self

    def __enter__(self) -> _Pool:
        return self

    def __exit__(self, *_: object) -> None: ...

    def execute(self, _query: str) -> _Pool:
        return self

    def fetchone(self) -> tuple[str, bool, int]:
        return "one", True, self.replayed


def test_the_age_is_the_time_since_the_newest_moment_of_which_everything_has_arrived() -> None:
    now, written, pool = [100.0], [7], _Pool()
    copy = Replica(pool, 5.0, lambda: ("one", False, written[0]), lambda: now[0])  # type: ignore[arg-type]
    assert not copy.is_fresh()
    assert copy.state().why == "it has not caught up yet"
    now[0], written[0], pool.replayed = 102.0, 9, 8  # what was written at 100 is there, what was at 102 is not
    assert copy.is_fresh()
    assert copy.state().lag_s == 2.0
    for second in (103, 104, 105):
        now[0] = float(second)
        assert copy.is_fresh()
    now[0] = 105.1
    assert not copy.is_fresh()
    assert copy.state().why == "it is more than 5 s behind"
    now[0], pool.replayed = 107.0, 9
    assert copy.is_fresh()
    assert copy.state().lag_s <= 5.0
    now[0] = 200.0  # nobody asked for long: what is known is old, and looked at again
    assert copy.is_fresh()
    assert copy.state().lag_s == 0.0


def test_doctor_says_how_the_copy_is(primary: str, replica: Copy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rights, "_TIMEOUT_S", 60)
    is_on, why = replica_check(primary, replica.url)
    assert is_on
    assert why.startswith("writes arrive at the replica within")
    assert replica_check(primary, primary) == (
        False, "replica_url is not a streaming replica of this database; pages do not use it"
    )  # fmt: skip
    is_on, why = replica_check(primary, make_conninfo(primary, port=free_port()))
    assert (is_on, "does not respond" in why) == (False, True)
    settings = load_settings(None, database_url=primary, replica_url=replica.url)
    (check,) = _replica(settings)
    assert (check.area, check.name, check.is_on, check.protects) == ("speed", "copy for pages", True, False)
    assert _replica(load_settings(None, database_url=primary)) == ()


def test_a_copy_of_the_embedded_database_is_refused_and_its_url_is_a_secret(tmp_path: Path) -> None:
    base = KnowledgeBase(load_settings(None, data_dir=tmp_path, replica_url="postgresql://u:p@copy/base"))
    with pytest.raises(SettingsError, match=r"replica_url.*database_url"):
        _ = base.store
    assert displayed_value("replica_url", base.settings.replica_url) == "(given)"


def test_pages_say_what_they_read_and_who_changed_something_sees_it(
    primary: str, paused: Copy, org: str, tmp_path: Path
) -> None:
    settings = load_settings(
        None, database_url=primary, replica_url=paused.url, replica_max_lag_s=3_600, org=org, data_dir=tmp_path
    )
    with KnowledgeBase(settings) as base:
        base.store.ensure_collection(collection("before"))
        caught_up(base.store, "before")
        client = TestClient(create_app(base, local=True), "http://127.0.0.1", follow_redirects=False)
        paused.run("select pg_wal_replay_pause()")
        eventually(lambda: paused.run("select pg_get_wal_replay_pause_state()") == ("paused",))
        base.store.ensure_collection(collection("after"))
        old = client.get("/search").text
        assert "Read from a replica of the database" in old
        assert ("before" in old, "after" in old) == (True, False)
        decided = client.get("/queue").text
        assert "Read from" not in decided
        other = TestClient(create_app(base, local=True), "http://127.0.0.1", follow_redirects=False)
        token = token_of(client.get("/sign-in").text)
        client.post("/sources/none/remove", data={"csrf": token})  # whatever comes of it, a form was sent
        new = client.get("/search").text
        assert "Read from" not in new
        assert "after" in new
        assert "after" not in other.get("/search").text
