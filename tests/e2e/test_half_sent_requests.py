"""Connections that never send a whole request: they are dropped, others are answered, and the log stays short."""

from __future__ import annotations

import asyncio
import logging
import resource
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import httpx
import pytest
import uvicorn
from fastapi import FastAPI, Request, Response
from starlette.requests import ClientDisconnect

from saidonce.interfaces.http import connections
from saidonce.interfaces.http.connections import BoundedConfig, BoundedServer, FewLines, connection_limit
from waiting_for import eventually

application = FastAPI()
MOST = 50


@application.get("/")
def answer() -> str:
    return "ok"


@application.exception_handler(ClientDisconnect)
def gone(_request: Request, _error: Exception) -> Response:
    return Response(status_code=400)


@application.post("/")
async def take(request: Request) -> int:
    return len(await request.body())


@dataclass
class Served:
    port: int
    server: uvicorn.Server
    clients: list[socket.socket] = field(default_factory=list)

    def opened(self, content: bytes = b"", of: str = "127.0.0.1") -> socket.socket:
        client = socket.create_connection(("127.0.0.1", self.port), timeout=30, source_address=(of, 0))
        self.clients.append(client)
        client.sendall(content)
        return client

    def flooded(self, n: int, of: str = "127.0.0.1") -> None:
        """Open connections that send half a request and no more."""
        for _ in range(n):
            self.opened(b"GET / HTTP/1.1\r\n", of)

    def get(self) -> int:
        return httpx.get(f"http://127.0.0.1:{self.port}/", timeout=30).status_code

    @contextmanager
    def busy(self) -> Iterator[None]:
        """Let nothing be read or answered for a while."""
        until = threading.Event()
        self.server.servers[0].get_loop().call_soon_threadsafe(until.wait)
        try:
            yield
        finally:
            until.set()

    @property
    def n_open(self) -> int:
        return len(self.server.server_state.connections)


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    for name, figure in (("HEADER_S", 1.0), ("BODY_S", 1.0), ("LOOK_S", 0.2), ("MOST_CONNECTIONS", MOST)):
        monkeypatch.setattr(connections, name, figure)
    for logger in (logging.getLogger("uvicorn.error"), logging.getLogger("saidonce.connections")):
        monkeypatch.setattr(logger, "filters", [])  # they count what other tests brought about
    with socket.create_server(("127.0.0.1", 0), backlog=512) as listening:
        server = BoundedServer(BoundedConfig(application, log_level="warning"))
        thread = threading.Thread(target=lambda: asyncio.run(server.serve([listening])))
        thread.start()
        eventually(lambda: server.started)
        site = Served(listening.getsockname()[1], server)
        yield site
        for client in site.clients:
            client.close()
        server.should_exit = True
        thread.join(30)


def is_closed(client: socket.socket) -> bool:
    """Whether the server ends a connection within the client's time-out."""
    try:
        return client.recv(1_000) == b""
    except ConnectionResetError:
        return True


def test_a_head_that_never_ends_is_dropped(served: Served) -> None:
    silent, begun = served.opened(), served.opened(b"GET / HTTP/1.1\r\nHost: here\r\nX-Long: ")
    for _ in range(8):
        time.sleep(0.1)
        begun.sendall(b"a")
    assert served.get() == 200
    assert is_closed(silent)
    assert is_closed(begun)
    eventually(lambda: served.n_open == 0)


def test_a_body_that_drips_is_dropped_and_one_that_flows_is_taken(served: Served) -> None:
    head = b"POST / HTTP/1.1\r\nHost: here\r\nContent-Length: %d\r\n\r\n"
    slow, quick = served.opened(head % 1_000), served.opened(head % 200_000)
    for _ in range(20):
        quick.sendall(b"a" * 10_000)
        time.sleep(0.1)
    assert b"200 OK" in quick.recv(1_000)
    assert is_ended_while_it_drips(slow)


def is_ended_while_it_drips(client: socket.socket) -> bool:
    """Whether the server ends a connection that sends a byte now and then, long before its body is whole."""
    begun = time.monotonic()
    try:
        while not is_ended(client):
            if time.monotonic() - begun > 20:
                return False
            client.sendall(b"a")
            time.sleep(0.05)
    except OSError:  # it is ended already, and told so by the sending
        pass
    return True


def is_ended(client: socket.socket) -> bool:
    client.setblocking(False)
    try:
        return client.recv(1_000) == b""
    except BlockingIOError:
        return False
    except ConnectionResetError:
        return True
    finally:
        client.setblocking(True)


def test_a_kept_connection_may_ask_again(served: Served) -> None:
    with httpx.Client(base_url=f"http://127.0.0.1:{served.port}", timeout=30) as client:
        for _ in range(3):
            assert client.get("/").status_code == 200
            time.sleep(0.5)
        client.post("/", content=b"a" * 300_000).raise_for_status()


def test_too_many_connections_give_way_to_whole_requests(served: Served, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        served.flooded(400)
        assert [served.get() for _ in range(20)] == [200] * 20
        assert served.n_open <= MOST + 1
    assert 0 < len(caplog.records) <= 2 * connections.LINES_A_MINUTE


WHOLE = b"GET / HTTP/1.1\r\nHost: here\r\n\r\n"


def test_a_whole_request_that_came_before_a_flood_is_answered(served: Served) -> None:
    with served.busy():
        honest = [served.opened(WHOLE) for _ in range(10)]
        served.flooded(400)
    assert [client.recv(12) for client in honest] == [b"HTTP/1.1 200"] * 10


def test_who_floods_takes_room_from_its_own_address_alone(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "HEADER_S", 300.0)  # nobody is dropped for time
    slow = [served.opened(WHOLE[:-2]) for _ in range(5)]
    assert served.get() == 200
    served.flooded(200, of="127.0.0.2")
    assert served.get() == 200
    for client in slow:
        client.sendall(b"\r\n")
    assert [client.recv(12) for client in slow] == [b"HTTP/1.1 200"] * 5


def test_connections_that_are_kept_open_for_nothing_give_way(served: Served) -> None:
    for _ in range(MOST):
        assert served.opened(WHOLE).recv(12) == b"HTTP/1.1 200"
    assert [served.get() for _ in range(20)] == [200] * 20
    assert served.n_open <= MOST + 1


DRIP = b"POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 9000\r\n\r\n"


@pytest.mark.parametrize("sent", [[WHOLE, DRIP], [WHOLE + DRIP], [WHOLE + WHOLE + DRIP[:9], DRIP[9:]]])
def test_a_body_that_drips_behind_a_whole_request_is_dropped_too(served: Served, sent: list[bytes]) -> None:
    client = served.opened()
    for piece in sent:
        client.sendall(piece)
        if WHOLE in piece:
            assert b"200 OK" in client.recv(4_000)
    assert is_ended_while_it_drips(client)


def test_what_is_no_http_floods_no_log(served: Served, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        for _ in range(100):
            served.opened(b"\x16\x03\x01 nonsense\r\n\r\n").close()
        assert served.get() == 200
    assert len(caplog.records) <= 2 * connections.LINES_A_MINUTE


def test_what_was_left_out_of_the_log_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    lines, now = FewLines(), 600.0
    monkeypatch.setattr(time, "monotonic", lambda: now)

    def line(wording: str) -> logging.LogRecord:
        return logging.LogRecord("x", logging.WARNING, "", 0, wording, None, None)

    assert sum(lines.filter(line("again")) for _ in range(100)) == connections.LINES_A_MINUTE
    assert lines.filter(line("another"))
    now = 660.0
    first = line("again")
    assert lines.filter(first)
    assert "80 further lines" in first.getMessage()


def test_the_limit_leaves_files_for_the_database() -> None:
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    assert 16 <= connection_limit() <= connections.MOST_CONNECTIONS
    assert connection_limit() <= max(16, resource.getrlimit(resource.RLIMIT_NOFILE)[0] - connections.SPARE_FILES)
    assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] >= soft
