"""The one client for services of others: in time, within bounds, telling whether anything was sent, and no secrets."""

from __future__ import annotations

import gc
import gzip
import logging
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email.utils import formatdate
from typing import Any

import pytest

from saidonce.adapters.senders import WebhookSender
from saidonce.errors import SettingsError
from saidonce.foundation.http import (
    LONGEST_PAUSE_S,
    HttpClient,
    HttpReply,
    NoReplyError,
    ReplyTooLargeError,
    base_url,
    bearer,
    host_of,
)
from saidonce.foundation.model import Channel, ChannelKind
from saidonce.foundation.ports.sending import Message
from world import NOW

Served = Callable[[socket.socket, bytes], None]


@pytest.fixture(autouse=True)
def _direct(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


def _whole(connection: socket.socket) -> bytes:
    request = connection.recv(65_536)
    length = re.search(rb"(?i)content-length: (\d+)", request)
    while length and len(request.partition(b"\r\n\r\n")[2]) < int(length[1]):
        request += connection.recv(65_536)
    return request


class Server:
    """Answers each request; counts connections and keeps what was asked."""

    def __init__(self, answer: Served) -> None:
        self._answer = answer
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.n_connections = 0
        self.requests: list[bytes] = []
        self.port = int(self._socket.getsockname()[1])
        self.url = f"http://127.0.0.1:{self.port}/a-secret-path"
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            self.n_connections += 1
            threading.Thread(target=self._talk, args=[connection], daemon=True).start()

    def _talk(self, connection: socket.socket) -> None:
        with connection:
            try:
                while request := _whole(connection):
                    self.requests.append(request)
                    self._answer(connection, request)
            except OSError:
                return

    def close(self) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()


@contextmanager
def serving(answer: Served) -> Iterator[Server]:
    server = Server(answer)
    try:
        yield server
    finally:
        server.close()


def sending(body: bytes, status: str = "200 OK", **headers: str) -> Served:
    lines = [
        f"HTTP/1.1 {status}",
        f"Content-Length: {len(body)}",
        *(f"{k.replace('_', '-')}: {v}" for k, v in headers.items()),
    ]
    return lambda connection, _request: connection.sendall("\r\n".join([*lines, "", ""]).encode() + body)


def silent(_connection: socket.socket, _request: bytes) -> None:
    time.sleep(3)


def dripping(connection: socket.socket, _request: bytes) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n")
    for _ in range(100):
        connection.sendall(b"x")
        time.sleep(0.05)


def test_an_answer_comes_back_whatever_its_status() -> None:
    with serving(sending(b'{"error": 1}', "418 Teapot")) as server:
        reply = HttpClient(5.0, {"X-Key": "k"}).ask("POST", server.url, json={"a": 1})
    assert (reply.status, reply.fields) == (418, {"error": 1})
    (request,) = server.requests
    assert b"x-key: k" in request.lower()
    assert b"accept-encoding: identity" in request.lower()


@pytest.mark.parametrize("slow", [silent, dripping])
def test_one_deadline_covers_the_whole_exchange(slow: Served) -> None:
    with serving(slow) as server, pytest.raises(NoReplyError) as failed:
        HttpClient(0.4).ask("GET", server.url)
    assert (failed.value.is_late, failed.value.is_sent) == (True, True)


def test_requests_may_share_a_deadline() -> None:
    client = HttpClient(60.0)
    with serving(silent) as server, pytest.raises(NoReplyError) as failed:
        client.ask("GET", server.url, until=time.monotonic() + 0.2)
    assert failed.value.is_late


def test_nothing_was_sent_where_nobody_listens() -> None:
    with pytest.raises(NoReplyError) as failed:
        HttpClient(5.0).ask("GET", "http://127.0.0.1:9/a-secret-path")
    assert (failed.value.is_sent, failed.value.is_late) == (False, False)
    assert failed.value.reason == "the connection failed (ConnectError)"


def test_a_connection_that_breaks_may_have_taken_the_request() -> None:
    with serving(lambda connection, _: connection.close()) as server, pytest.raises(NoReplyError) as failed:
        HttpClient(5.0).ask("POST", server.url, content=b"x")
    assert failed.value.is_sent


@pytest.mark.parametrize("url", ["http://a..b/", "http://[::1", "nowhere", "ftp://127.0.0.1/"])
def test_an_address_that_makes_no_sense_is_no_crash(url: str) -> None:
    for keeps in (False, True):
        with pytest.raises(NoReplyError) as failed:
            HttpClient(5.0, keeps_connections=keeps).ask("GET", url)
        assert not failed.value.is_sent


def endless(connection: socket.socket, _request: bytes) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
    while True:
        connection.sendall(b"x" * 65_536)


@pytest.mark.parametrize("answer", [sending(b"x" * 1_001), endless])
def test_a_large_answer_is_not_read(answer: Served) -> None:
    with serving(answer) as server, pytest.raises(ReplyTooLargeError):
        HttpClient(5.0).ask("GET", server.url, 1_000)


def test_an_answer_of_just_the_size_is_read_and_none_if_none_is_wanted() -> None:
    with serving(sending(b"x" * 1_000)) as server:
        assert len(HttpClient(5.0).ask("GET", server.url, 1_000).body) == 1_000
        assert HttpClient(5.0).ask("GET", server.url, 0) == HttpReply(200, {"content-length": "1000"}, b"")


def test_a_packed_answer_stays_packed() -> None:
    packed = gzip.compress(b"{}" + b" " * 1_000_000)
    with serving(sending(packed, Content_Encoding="gzip")) as server:
        reply = HttpClient(5.0).ask("GET", server.url)
    assert (reply.body, reply.is_packed, reply.fields) == (packed, True, {})


def test_a_redirect_is_an_answer_and_is_not_followed() -> None:
    with serving(sending(b"", "302 Found", Location="http://127.0.0.1:9/")) as server:
        assert HttpClient(5.0).ask("GET", server.url).status == 302
        assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("header", "seconds"),
    [("7", 7.0), ("0.5", 0.5), ("-5", None), ("", None), ("soon", None), ("inf", None), ("9" * 400, None),
     ("99999", LONGEST_PAUSE_S), (formatdate(0, usegmt=True), 0.0)],
)  # fmt: skip
def test_what_retry_after_asks_for(header: str, seconds: float | None) -> None:
    assert HttpReply(429, {"Retry-After": header}, b"").retry_after_s == seconds


def test_connections_are_kept_only_by_a_client_that_says_so() -> None:
    with serving(sending(b"{}")) as server:
        fleeting, keeping = HttpClient(5.0), HttpClient(5.0, keeps_connections=True)
        for client, n in ((fleeting, 3), (keeping, 4)):
            for _ in range(3):
                assert client.ask("GET", server.url).status == 200
            assert server.n_connections == n
        del client, fleeting, keeping
        gc.collect()


def test_nothing_secret_is_logged_or_shown(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with serving(sending(b"{}")) as server:
        client = HttpClient(5.0, bearer("key", "sk-verysecret"))
        client.ask("GET", server.url)
    assert "HTTP Request: GET http://127.0.0.1 " in caplog.text
    assert "a-secret-path" not in caplog.text
    assert "sk-verysecret" not in caplog.text + repr(client)


def test_operators_addresses_in_their_normal_form() -> None:
    assert base_url("x", " https://Example.com:443/v1/ ") == "https://example.com/v1"
    assert host_of("https://example.com:8443/v1") == "example.com:8443"
    for url in ("", "ftp://h", "http://u@h", "http://h?q", "http://h:0", "http://h:99999", "http://h%41", "http://[x"):
        with pytest.raises(SettingsError):
            base_url("x", url)


def test_a_webhook_goes_to_the_next_address_of_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    def both(_host: str, port: int, **_: Any) -> list[Any]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (each, port)) for each in ("127.0.0.2", "127.0.0.1")]

    with serving(sending(b"", "204 None")) as server:
        target = f"http://receiver.example:{server.port}/x"
        monkeypatch.setattr(socket, "getaddrinfo", both)
        message = Message("0123abcd", "north", NOW, "subject", "text", {"notice": "0123abcd"})
        WebhookSender(True, 5.0).send(Channel("c1", ChannelKind.WEBHOOK, target, "", 0, "s", 0, NOW), message)
    (request,) = server.requests
    assert f"host: receiver.example:{server.port}".encode() in request.lower()
