"""Writers that race, processes that are killed, servers that die: nothing acknowledged is lost or doubled."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from store_cases import collection, folded, simple

from saidonce.adapters.postgres import open_store
from saidonce.adapters.postgres.embedded import EmbeddedServer
from saidonce.adapters.postgres.postgres import PostgresStore
from saidonce.errors import StoreUnavailableError
from saidonce.foundation.model import WriteState
from saidonce.foundation.ports import Store
from saidonce.testing import MemoryDatabase, MemoryStore

HERE = Path(__file__).parent

WRITER = textwrap.dedent("""
    import sys
    from pathlib import Path
    sys.path.insert(0, sys.argv[3])
    from store_cases import collection, simple
    from saidonce.errors import StoreUnavailableError
    from saidonce.adapters.postgres import open_store

    store = open_store("", Path(sys.argv[1]), "acme")
    store.ensure_collection(collection())
    for n in range(int(sys.argv[2]), 100_000):
        try:
            store.put_document(simple(f"document {n}", *(f"text {n} {i}" for i in range(20))))
        except StoreUnavailableError:
            continue
        print(n, flush=True)
""")


def writer(data_dir: Path, first: int) -> subprocess.Popen[str]:
    """A process that writes documents and tells each one's number when it is acknowledged."""
    words = [sys.executable, "-c", WRITER, str(data_dir), str(first), str(HERE)]
    return subprocess.Popen(words, stdout=subprocess.PIPE, text=True)


def acknowledged(process: subprocess.Popen[str], n: int) -> list[int]:
    """Wait until so many more documents are acknowledged."""
    assert process.stdout is not None
    return [int(process.stdout.readline()) for _ in range(n)]


def check_nothing_lost_or_doubled(store: Store, numbers: list[int]) -> None:
    documents = {d.name: d for d in store.documents("main")}
    assert {f"document {n}" for n in numbers} <= documents.keys()
    assert all((d.version, d.n_segments, d.n_blocks) == (1, 20, 20) for d in documents.values())
    live = folded(store)
    assert len(live) == 20 * len(documents)
    (counted,) = store.counts()
    assert (counted.n_documents, counted.n_blocks) == (len(documents), len(live))
    assert store.rev() == 1 + len(documents)
    again = simple(f"document {numbers[0]}", *(f"text {numbers[0]} {i}" for i in range(20)))
    assert store.put_document(again).state is WriteState.UNCHANGED


def test_a_killed_writer_loses_nothing_that_it_acknowledged(data_dir: Path) -> None:
    numbers: list[int] = []
    for round_ in range(3):
        process = writer(data_dir, 1_000 * round_)
        numbers += acknowledged(process, 5)
        time.sleep(0.01 * round_)
        process.kill()
        rest, _ = process.communicate()
        numbers += [int(line) for line in rest.split() if line.isdigit()]
    store = open_store("", data_dir, "acme")
    check_nothing_lost_or_doubled(store, numbers)
    store.close()


def test_a_killed_server_comes_back_under_its_clients(data_dir: Path) -> None:
    server = EmbeddedServer(data_dir)
    process = writer(data_dir, 0)
    numbers = acknowledged(process, 5)
    for _ in range(2):
        assert server.pid is not None
        os.kill(server.pid, signal.SIGKILL)
        numbers += acknowledged(process, 5)
    process.kill()
    process.communicate()
    store = open_store("", data_dir, "acme")
    check_nothing_lost_or_doubled(store, numbers)
    store.close()
    server.close()


def test_a_killed_server_is_recovered_by_the_next_client(data_dir: Path) -> None:
    process = writer(data_dir, 0)
    numbers = acknowledged(process, 5)
    pid = int((data_dir / "postgres" / "postmaster.pid").read_text().split("\n")[0])
    process.kill()
    os.kill(pid, signal.SIGKILL)
    process.communicate()
    store = open_store("", data_dir, "acme")
    check_nothing_lost_or_doubled(store, numbers)
    store.close()


def test_a_store_outlives_its_server(data_dir: Path) -> None:
    server = EmbeddedServer(data_dir)
    store = PostgresStore(server.url, "acme", revive=server.ensure)
    store.ensure_collection(collection())
    pid = server.pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    time.sleep(1.0)  # The server's children notice within milliseconds that they are alone.
    assert store.put_document(simple("a", "one")).state is WriteState.NEW
    assert server.pid not in (None, pid)
    store.close()
    server.close()


def test_a_server_that_is_gone_is_told(data_dir: Path) -> None:
    server = EmbeddedServer(data_dir)
    store = PostgresStore(server.url, "acme")
    server.close()
    began = time.monotonic()
    with pytest.raises(StoreUnavailableError):
        store.rev()
    assert time.monotonic() - began < 10, "a read does not wait for a database that is away"
    store.close()
    with pytest.raises(StoreUnavailableError):
        PostgresStore(server.url, "acme")
    with pytest.raises(StoreUnavailableError, match="malformed"):
        PostgresStore("hello world", "acme")


def test_a_write_waits_for_a_server_of_others_that_restarts_and_reads_work_again_at_once(data_dir: Path) -> None:
    server = EmbeddedServer(data_dir)
    store = PostgresStore(server.url, "acme")
    store.ensure_collection(collection())
    server.close()
    with ThreadPoolExecutor(1) as pool:
        written = pool.submit(store.put_document, simple("a", "one"))
        with pytest.raises(StoreUnavailableError):
            store.rev()
        assert not written.done(), "what is to be written waits"
        again = EmbeddedServer(data_dir)
        assert written.result(timeout=20).state is WriteState.NEW
    assert [d.name for d in store.documents("main")] == ["a"]
    store.close()
    again.close()


@pytest.fixture(params=["memory", "embedded"])
def opening(request: pytest.FixtureRequest, org: str) -> Callable[[], Store]:
    if request.param == "memory":
        database = MemoryDatabase()
        return lambda: MemoryStore(org, database)
    url = request.getfixturevalue("embedded_server").url
    return lambda: PostgresStore(url, org)


def test_eight_writers_of_one_document_end_with_one_version(opening: Callable[[], Store]) -> None:
    stores = [opening() for _ in range(8)]
    start = threading.Barrier(8)

    def put(store: Store) -> WriteState:
        start.wait()
        store.ensure_collection(collection())
        return store.put_document(simple("a", "one", "two", "three")).state

    with ThreadPoolExecutor(8) as pool:
        states = list(pool.map(put, stores))
    assert sorted(states) == [WriteState.NEW, *[WriteState.UNCHANGED] * 7]
    assert stores[0].rev() == 2
    assert len(folded(stores[0])) == 3
    for store in stores:
        store.close()


def test_many_writers_share_embeddings_and_terms(opening: Callable[[], Store]) -> None:
    stores = [opening() for _ in range(4)]
    stores[0].ensure_collection(collection())

    def put(place: int) -> None:
        for n in range(12):
            store = stores[place]
            store.put_document(simple(f"{place}-{n}", "the same text", f"own text {place} {n}", title="same"))
            if n % 3 == 2:
                store.remove_document("main", f"{place}-{n - 1}")
            store.add_counters({"n": 1})

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(put, range(4)))
    assert stores[0].counters() == {"n": 48.0}
    assert stores[0].rev() == 1 + 4 * (12 + 4 + 12)
    assert len(folded(stores[0])) == 2 * 4 * 8
    for store in stores:
        store.close()


def test_one_store_may_be_used_by_many_threads(opening: Callable[[], Store]) -> None:
    store = opening()
    store.ensure_collection(collection())
    with ThreadPoolExecutor(16) as pool:
        list(pool.map(lambda n: store.put_document(simple(f"{n}", f"text {n}", f"more {n}")), range(40)))
        assert list(pool.map(lambda _: len(folded(store)), range(16))) == [80] * 16
    store.close()
