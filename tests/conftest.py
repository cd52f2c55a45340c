"""Servers and folders that tests share; each worker of a parallel run has its own."""

from __future__ import annotations

import fcntl
import gc
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from benchmarks.free_ports import free_port
from hypothesis import settings

from chromium import CHROMIUM, FLAGS
from longest_first import place
from opened_once import opened_once
from saidonce.adapters.postgres import open_store
from saidonce.adapters.postgres.binaries import find_binaries, server_account
from saidonce.adapters.postgres.embedded import EmbeddedServer
from saidonce.adapters.postgres.migrate import admin_sql
from saidonce.adapters.postgres.postgres import PostgresStore
from saidonce.foundation.ports import Store
from saidonce.testing import MemoryDatabase, MemoryStore
from world import TickingClock

# A loaded machine is no fault of ours; and a change is judged on the same examples twice. `make proofs` explores.
settings.register_profile("patient", deadline=None, derandomize=True, max_examples=30)
settings.register_profile("explore", deadline=None)
settings.load_profile(os.environ.get("TEST_PROFILE", "patient"))


def examples(in_check: int, in_proofs: int) -> int:
    """How many examples a test of properties draws: `make proofs` takes its time."""
    return in_proofs if os.environ.get("TEST_PROFILE") == "explore" else in_check


@pytest.fixture(scope="session", autouse=True)
def _no_base_of_ours() -> Iterator[None]:
    """No test touches the base of whoever runs it."""
    folder = reachable_folder()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SAIDONCE_DATA_DIR", str(folder / "default"))
        yield
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session", autouse=True)
def _opened_once() -> Iterator[None]:
    """What takes long to start, and holds nothing of a base, is started once."""
    with opened_once():
        yield


@pytest.fixture(autouse=True)
def _no_base_left_open() -> Iterator[None]:
    """A test that serves a base in this process closes it, and with it the parsing processes."""
    yield
    if "in_process" in sys.modules:  # it imports this module
        sys.modules["in_process"].close_bases()


LOGIN = "acme_login"
PASSWORD = "a password with ' and spaces"


ROOMY = 4 << 30
"""Bytes free in memory's own file system from which on temporary folders are made there."""


def temporary_files() -> str:
    """Where temporary folders are made: in memory where there is room, else on the disk.

    A file system such as ext4 passes all files that were removed in the last seconds whenever one is made: a copy of a
    base, 1,300 files, takes it 0.07 s of the processor alone, and 0.9 s among other tests that remove theirs.
    """
    memory = "/dev/shm"
    try:
        free = shutil.disk_usage(memory).free
    except OSError:
        free = 0
    return memory if free >= ROOMY and os.access(memory, os.W_OK | os.X_OK) else "/tmp"


def reachable_folder() -> Path:
    """A temporary folder that the server's unprivileged account can enter, with a short path."""
    folder = Path(tempfile.mkdtemp(prefix="so-", dir=temporary_files()))
    folder.chmod(0o711)
    return folder


TEMPLATES = "TEST_TEMPLATES"
"""Names the folder with the one empty base that the bases of a test run are copies of."""


_own_templates: list[Path] = []


def pytest_configure() -> None:
    """Make the folder of the template before the workers begin, who get its name with their environment."""
    if TEMPLATES not in os.environ:
        os.environ[TEMPLATES] = str(reachable_folder())
        _own_templates.append(Path(os.environ[TEMPLATES]))


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish() -> None:
    """Remove the template if this process made its folder: neither a worker nor a run inside a test did."""
    for folder in _own_templates:
        shutil.rmtree(folder, ignore_errors=True)
    # Once is enough: pytest looks for garbage twice more, a second each among all that models and pages hold.
    gc.collect()
    gc.freeze()


def pytest_collection() -> None:
    """Look for no garbage while everything that is imported and collected stays."""
    gc.disable()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the longest files first, as soon as the order was drawn; `--no-loadscope-reorder` leaves it so."""
    places = {path: place(path.as_posix()) for path in {item.path for item in items}}
    items.sort(key=lambda item: places[item.path])


def pytest_collection_finish() -> None:
    """Spare every later search for garbage the millions of objects of the collected tests."""
    gc.enable()
    gc.freeze()


def prepared(data_dir: Path) -> Path:
    """Put an empty base where none is yet: making one takes seconds, copying one a fraction of a second."""
    templates = Path(os.environ[TEMPLATES])
    template = templates / "base"
    with (templates / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not template.exists():
            open_store("", templates / "draft", "default").close()
            for left in ("run", "start.lock", "clients.lock", "server.lock"):
                shutil.rmtree(templates / "draft" / left, ignore_errors=True)
                (templates / "draft" / left).unlink(missing_ok=True)
            (templates / "draft").rename(template)
    data_dir.parent.mkdir(exist_ok=True)
    subprocess.run(["cp", "-a", "--reflink=auto", template, data_dir], check=True)
    return data_dir


@pytest.fixture
def new_data_dir() -> Iterator[Path]:
    """A folder for an embedded database that is still to be made."""
    folder = reachable_folder()
    yield folder / "base"
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def data_dir(new_data_dir: Path) -> Path:
    """A folder with an empty embedded database."""
    return prepared(new_data_dir)


@pytest.fixture
def org() -> str:
    """The name of an organisation that no other test uses."""
    return f"org-{uuid.uuid4().hex}"


@pytest.fixture(scope="session")
def embedded_server() -> Iterator[EmbeddedServer]:
    """An embedded server."""
    folder = reachable_folder()
    server = EmbeddedServer(prepared(folder / "base"))
    yield server
    server.close()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def external_server() -> Iterator[str]:
    """A server like those that others run: TCP, a password, and a login that owns its database and no more."""
    folder = reachable_folder()
    server = ExternalServer(folder)
    yield server.url
    server.stop()
    shutil.rmtree(folder, ignore_errors=True)


class ExternalServer:
    """PostgreSQL on a free port of the loopback, prepared as an administrator is told to prepare one."""

    def __init__(self, folder: Path) -> None:
        account = server_account()
        self._as: dict[str, Any] = (
            {"user": account.uid, "group": account.gid, "extra_groups": []} if account.borrowed else {}
        )
        binaries = find_binaries(account)
        if account.borrowed:
            os.chown(folder, account.uid, account.gid)
        secret = folder / "secret"
        secret.write_text("superuser password")
        secret.chmod(0o644)
        self._call(
            binaries / "initdb", "-D", folder / "db", "--username=admin", "--auth=scram-sha-256", f"--pwfile={secret}",
            "--encoding=UTF8", "--locale=C", "--no-sync", "--no-instructions",
        )  # fmt: skip
        port = free_port()
        with (folder / "log").open("wb") as log:
            self._process = subprocess.Popen(
                [binaries / "postgres", "-D", folder / "db", "-p", str(port), "-c", "listen_addresses=127.0.0.1",
                 "-c", "unix_socket_directories=", "-c", "fsync=off"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, **self._as,
            )  # fmt: skip
        self._prepare(f"host=127.0.0.1 port={port} user=admin password='superuser password' dbname=")
        password = PASSWORD.replace("'", "\\'")
        self.url = f"host=127.0.0.1 port={port} user={LOGIN} password='{password}' dbname=kept"

    def _call(self, *words: Any) -> None:
        subprocess.run(words, check=True, capture_output=True, stdin=subprocess.DEVNULL, **self._as)

    def _prepare(self, admin: str) -> None:
        while psycopg.pq.PGconn.ping(f"{admin}postgres".encode()) != psycopg.pq.Ping.OK:
            assert self._process.poll() is None
        with psycopg.connect(f"{admin}postgres", autocommit=True) as connection:
            connection.execute(f"create role {LOGIN} login password {psycopg.sql.quote(PASSWORD)}")
            connection.execute(f"create database kept owner {LOGIN}")
        with psycopg.connect(f"{admin}kept", autocommit=True) as connection:
            connection.execute(admin_sql(LOGIN))

    def stop(self) -> None:
        """Stop the server."""
        self._process.send_signal(signal.SIGINT)
        self._process.wait()


Open = Callable[[str], Store]
"""Opens the store of an organisation."""


SERVERS = ["embedded_server", pytest.param("external_server", marks=pytest.mark.slow)]
"""Both kinds of server, for suites whose second run tells little: `make proofs` makes it."""


@pytest.fixture(params=["memory", "embedded", pytest.param("external", marks=pytest.mark.slow)])
def opened(request: pytest.FixtureRequest) -> Iterator[Open]:
    """Opens stores of one database: of the shipped fake, the embedded server, and one given by its URL."""
    stores: list[Store] = []
    database = MemoryDatabase()

    def open_one(name: str) -> Store:
        if request.param == "memory":
            made: Store = MemoryStore(name, database, TickingClock())
        elif request.param == "embedded":
            server = request.getfixturevalue("embedded_server")
            made = PostgresStore(server.url, name, TickingClock(), own=server.home)
        else:
            made = PostgresStore(request.getfixturevalue("external_server"), name, TickingClock())
        stores.append(made)
        return made

    yield open_one
    for store in stores:
        store.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A Chromium of a module's own."""
    from playwright import sync_api as playwright

    with playwright.sync_playwright() as running:
        opened = running.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield opened
        opened.close()


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """A page of a new session; what goes wrong on it stands in `page.troubles`."""
    context = browser.new_context()
    page = context.new_page()
    page.troubles = []
    page.on("pageerror", lambda error: page.troubles.append(str(error)))
    page.on("console", lambda said: page.troubles.append(said.text) if said.type == "error" else None)
    yield page
    context.close()
