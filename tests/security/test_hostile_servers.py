"""Servers behind settings that do harm: every client ends in time, reads little, and gives its secrets to nobody else.

Operators choose these servers; what answers there may be another thing than they think: somebody took the name over,
a proxy stands between, a process went mad.
"""

from __future__ import annotations

import gzip
import json
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field

import pytest

from saidonce.adapters.embed import openai_compatible
from saidonce.adapters.embed.openai_compatible import OpenAICompatible
from saidonce.adapters.llm.provider import open_chat
from saidonce.adapters.senders import WebhookSender
from saidonce.adapters.senders.email import EmailSender
from saidonce.adapters.upstream import git, web
from saidonce.adapters.upstream.opening import open_upstream
from saidonce.adjudication.auto_rater import AutoRater, RaterOptions
from saidonce.errors import SaidonceError
from saidonce.foundation.model import Candidate, Channel, ChannelKind, Match, Question, Shown
from saidonce.foundation.model.residents import ChannelIdentity, Inbound, InboundKind, Media, Via, WaitingMedia
from saidonce.foundation.model.syncs import SyncSource, UpstreamKind
from saidonce.foundation.ports import UpstreamOptions
from saidonce.foundation.ports.sending import Message
from saidonce.foundation.settings.channels import ChannelSettings
from saidonce.foundation.text import content_hash
from saidonce.platform.sign_in.oidc import OidcProvider
from saidonce.repairs.channels.media import CloudMedia
from world import NOON, NOW

SECRET = "a-secret-that-nobody-else-may-read"
LIMIT_S, ENDS_S = 1.0, 25.0
"""Clients are asked to end after the one, and must have ended after the other, on a busy machine, too."""

LASTS_S = 40.0
"""How long a server goes on that never ends by itself: longer than any client may listen."""

MOST_BYTES = 70_000_000
"""More than any client reads, with what lies in the buffers of the system."""

JSON = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
Behaviour = Callable[["Hostile", socket.socket], None]


@dataclass
class Hostile:
    """A server that answers as it likes, and another that nobody may be sent to."""

    behaviour: Behaviour
    url: str = ""
    other: str = ""
    n_sent: int = 0
    asked: list[bytes] = field(default_factory=list)
    reached: list[bytes] = field(default_factory=list)
    is_over: bool = False

    def send(self, connection: socket.socket, part: bytes) -> None:
        connection.sendall(part)
        self.n_sent += len(part)

    def goes_on(self, begun: float) -> bool:
        return not self.is_over and time.monotonic() - begun < LASTS_S and self.n_sent < 2 * MOST_BYTES


def whole(body: bytes, headers: bytes = b"") -> Behaviour:
    reply = JSON + headers + b"Content-Length: %d\r\n\r\n" % len(body) + body
    return lambda server, connection: server.send(connection, reply)


def raw(reply: bytes) -> Behaviour:
    return lambda server, connection: server.send(connection, reply)


def forever(head: bytes, part: bytes, pause_s: float = 0.0) -> Behaviour:
    def behave(server: Hostile, connection: socket.socket) -> None:
        begun = time.monotonic()
        server.send(connection, head)
        while server.goes_on(begun):
            server.send(connection, part)
            if pause_s:
                time.sleep(pause_s)

    return behave


def redirecting(server: Hostile, connection: socket.socket) -> None:
    server.send(connection, f"HTTP/1.1 307 Go\r\nLocation: {server.other}/x\r\nContent-Length: 0\r\n\r\n".encode())


def circling(server: Hostile, connection: socket.socket) -> None:
    server.send(connection, f"HTTP/1.1 302 Go\r\nLocation: {server.url}/a\r\nContent-Length: 0\r\n\r\n".encode())


def silent(server: Hostile, connection: socket.socket) -> None:
    del connection
    begun = time.monotonic()
    while server.goes_on(begun):
        time.sleep(0.1)


def nested(sign: bytes, end: bytes) -> bytes:
    return sign * 100_000 + end * 100_000


PACKED = gzip.compress(b" " * 100_000_000, 1)

CHUNK = b"10000\r\n" + b"x" * 65_536 + b"\r\n"
BEHAVIOURS: dict[str, Behaviour] = {
    "says nothing": silent,
    "an endless body in chunks": forever(JSON + b"Transfer-Encoding: chunked\r\n\r\n", CHUNK),
    "an endless body without a length": forever(JSON + b"\r\n", b" " * 65_536),
    "an endless body of brackets": forever(JSON + b"\r\n", b"[" * 65_536),
    "five bytes a second": forever(JSON + b"Content-Length: 1000\r\n\r\n", b" ", 0.2),
    "headers at five bytes a second": forever(b"HTTP/1.1 200 OK\r\nX-A: ", b"a", 0.2),
    "a status at five bytes a second": forever(b"HTTP/1.1 2", b"0", 0.2),
    "chunks at five bytes a second": forever(JSON + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n", 0.2),
    "endless headers": forever(b"HTTP/1.1 200 OK\r\n", b"X-A: b\r\n" * 1_000),
    "one endless header": forever(b"HTTP/1.1 200 OK\r\nX-A: ", b"a" * 65_536),
    "an endless status line": forever(b"HTTP/1.1 200 ", b"O" * 65_536),
    "endless continues": forever(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 1_000),
    "continues at five a second": forever(b"", b"HTTP/1.1 100 Continue\r\n\r\n", 0.2),
    "endless trailers": forever(JSON + b"Transfer-Encoding: chunked\r\n\r\n0\r\n", b"X-A: b\r\n" * 1_000),
    "an endless size of a chunk": forever(JSON + b"Transfer-Encoding: chunked\r\n\r\n", b"0" * 65_536),
    "a bomb in gzip": whole(PACKED, b"Content-Encoding: gzip\r\n"),
    "a bomb in gzip in gzip": whole(gzip.compress(PACKED), b"Content-Encoding: gzip, gzip\r\n"),
    "a redirect to somebody else": redirecting,
    "a redirect to itself": circling,
    "a redirect to a file": raw(b"HTTP/1.1 302 Go\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n"),
    "a redirect to nothing": raw(b"HTTP/1.1 302 Go\r\nLocation: \r\nContent-Length: 0\r\n\r\n"),
    "no HTTP": raw(b"SSH-2.0-OpenSSH_9.6\r\n"),
    "an empty reply": raw(b""),
    "a body that breaks off": raw(JSON + b'Content-Length: 5000\r\n\r\n{"data"'),
    "a negative length": raw(JSON + b"Content-Length: -5\r\n\r\n{}"),
    "two lengths": raw(JSON + b"Content-Length: 2\r\nContent-Length: 40\r\n\r\n{}"),
    "a length of a thousand digits": raw(JSON + b"Content-Length: " + b"9" * 1_000 + b"\r\n\r\n{}"),
    "a length in other digits": raw(JSON + "Content-Length: ٣\r\n\r\n{}".encode()),
    "a chunk of a negative size": raw(JSON + b"Transfer-Encoding: chunked\r\n\r\n-5\r\nhello\r\n0\r\n\r\n"),
    "a status of 999": raw(b"HTTP/1.1 999 What\r\nContent-Length: 0\r\n\r\n"),
    "a status of no number": raw(b"HTTP/1.1 abc What\r\nContent-Length: 0\r\n\r\n"),
    "another protocol": raw(b"HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"),
    "a null in a header": raw(b"HTTP/1.1 200 OK\r\nX-A: a\0b\r\nContent-Length: 2\r\n\r\n{}"),
    "deep lists": whole(nested(b"[", b"]")),
    "deep objects": whole(b'{"a":' * 100_000 + b"1" + b"}" * 100_000),
    "deep lists where the answer stands": whole(b'{"data":' + nested(b"[", b"]") + b',"choices":1}'),
    "not a number": whole(b"NaN"),
    "an infinite number": whole(b'{"data":[{"index":0,"embedding":[Infinity,-Infinity,NaN]}]}'),
    "a number of a hundred thousand digits": whole(b'{"data":[{"index":' + b"9" * 100_000 + b"}]}"),
    "an exponent beyond all": whole(b'{"data":[{"index":0,"embedding":[1e999999999]}]}'),
    "half a surrogate": whole(b'{"id":"\\ud800","choices":[{"message":{"content":"\\udfff"}}]}'),
    "no UTF-8": whole(b'{"a":"\xff\xfe"}'),
    "UTF-16": whole('{"a": 1}'.encode("utf-16")),
    "a null": whole(b"null"),
    "a list": whole(b"[1, 2]"),
    "a text": whole(b'"' + b"x" * 10_000 + b'"'),
    "the same name twice": whole(b'{"data":[],"data":{},"choices":[],"choices":null}'),
    "names of another kind": whole(b'{"data":{"a":1},"choices":{"b":2},"usage":[],"issuer":[],"keys":3}'),
    "null everywhere": whole(b'{"data":[null],"choices":[null],"usage":null,"model":null,"id":null}'),
    "a page": raw(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 13\r\n\r\n<html></html>"),
    "a page of scripts as an error": raw(
        b"HTTP/1.1 500 Oh\r\nContent-Type: text/html\r\nContent-Length: 8\r\n\r\n<script>"
    ),
    "come again in a year": raw(b"HTTP/1.1 429 No\r\nRetry-After: 31536000\r\nContent-Length: 0\r\n\r\n"),
    "come again before the beginning": raw(
        b"HTTP/1.1 503 No\r\nRetry-After: Thu, 01 Jan 0000 00:00:00 GMT\r\nContent-Length: 0\r\n\r\n"
    ),
}


def _each(listening: socket.socket, talk: Callable[[socket.socket], None]) -> None:
    """Talk to whoever connects, each in a thread of its own, until nobody listens any more."""
    while True:
        try:
            connection, _ = listening.accept()
        except OSError:
            return
        threading.Thread(target=talk, args=[connection], daemon=True).start()


@pytest.fixture
def hostile(request: pytest.FixtureRequest) -> Iterator[Hostile]:
    server = Hostile(request.param)
    listening = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
    server.url, server.other = (f"http://127.0.0.1:{each.getsockname()[1]}" for each in listening)

    def talk(connection: socket.socket) -> None:
        with connection, suppress(OSError):
            connection.settimeout(LASTS_S)
            server.asked.append(connection.recv(65_536))
            server.behaviour(server, connection)

    def note(connection: socket.socket) -> None:
        with connection, suppress(OSError):
            connection.settimeout(2)
            server.reached.append(connection.recv(65_536))

    for each, work in zip(listening, (talk, note), strict=True):
        threading.Thread(target=_each, args=[each, work], daemon=True).start()
    yield server
    server.is_over = True
    for each in listening:
        each.shutdown(socket.SHUT_RDWR)
        each.close()


MESSAGE = Message("n" * 32, "house", NOW, "subject", "text", {"event": "e"})


_FILE = Media("2754859441498128", "image/jpeg", "0" * 64)
_FROM = Inbound(ChannelIdentity(Via.WHATSAPP, "ana"), "15550100", "m1", InboundKind.MEDIA, NOW, NOW, "", (_FILE,))
PHOTO = WaitingMedia(_FROM, _FILE, 1)


def channel(kind: ChannelKind, target: str) -> Channel:
    return Channel("c" * 32, kind, target, "", 0, SECRET, 0, NOON)


def candidate(text: str) -> Candidate:
    return Candidate(text, content_hash(text), language="en")


def embeds(url: str) -> object:
    return OpenAICompatible(url, SECRET, "m").embed(["a text"])


def chats(url: str) -> object:
    return open_chat("openai:m", LIMIT_S, url, SECRET).complete("answer", "a text", {"type": "object"})


def rates(url: str) -> object:
    judge = AutoRater(url, SECRET.encode(), RaterOptions(int(LIMIT_S * 1_000), 10), SECRET)
    question = Question(candidate("a"), (Shown(Match("m", 0.8, candidate("b"))),))
    (ruling,) = judge.rule([question])
    assert ruling.failure is not None
    return ruling


def notifies(url: str) -> object:
    WebhookSender(True, LIMIT_S).send(channel(ChannelKind.WEBHOOK, f"{url}/hook"), MESSAGE)
    return None


def signs_in(url: str) -> object:
    return OidcProvider(url, "client", SECRET, "https://kb.example.com/back", LIMIT_S).begin()


def redeems(url: str) -> object:
    provider = OidcProvider(url, "client", SECRET, "https://kb.example.com/back", LIMIT_S)
    provider._about = {"token_endpoint": f"{url}/token", "jwks_uri": f"{url}/keys", "authorization_endpoint": url}
    flow = {"state": "s", "nonce": "n", "verifier": "v" * 50, "begun_at": str(int(time.time()))}
    return provider.finish(flow, {"state": "s", "code": "c"})


def photographs(url: str) -> object:
    settings = ChannelSettings(whatsapp_token=SECRET, whatsapp_api_url=url, media_timeout_s=LIMIT_S)
    return CloudMedia(settings).fetch(PHOTO, 1_000_000)


def syncs(kind: UpstreamKind, path: str) -> Callable[[str], object]:
    def read(url: str) -> object:
        options = UpstreamOptions(lambda _: True, 10_000_000, True, per_s=1_000, timeout_s=LIMIT_S)
        upstream = open_upstream(SyncSource("a" * 32, "main", f"{url}{path}", kind, NOON), options)
        try:
            return [file.fetch("") for file in upstream.listing({}).files]
        finally:
            upstream.close()

    return read


CLIENTS: dict[str, Callable[[str], object]] = {
    "embeddings": embeds,
    "chat": chats,
    "auto-rater": rates,
    "webhook": notifies,
    "sign-in": signs_in,
    "token": redeems,
    "photo": photographs,
    "sitemap": syncs(UpstreamKind.SITEMAP, "/map.xml"),
    "list of pages": syncs(UpstreamKind.URLS, "/list.txt"),
    "Git": syncs(UpstreamKind.GIT, "/repo.git"),
}

THROWN_AWAY = (BEHAVIOURS["endless continues"], BEHAVIOURS["endless trailers"])
"""What is read and not kept; the time bounds it."""


@pytest.fixture(autouse=True)
def _shortly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(openai_compatible, "DEADLINE_S", LIMIT_S)
    monkeypatch.setattr(web, "LONGEST_PAUSE_S", LIMIT_S)  # a minute, which a busy server may ask for
    monkeypatch.setattr(git, "STEPS", 5)


IN_EVERY_CHECK = ("auto-rater", "photo")
"""The others take minutes, most of them waiting for a server that says nothing in time."""


@pytest.mark.parametrize("hostile", BEHAVIOURS.values(), ids=BEHAVIOURS, indirect=True)
@pytest.mark.parametrize(
    "client", [name if name in IN_EVERY_CHECK else pytest.param(name, marks=pytest.mark.slow) for name in CLIENTS]
)
def test_no_server_holds_a_client_fills_it_or_learns_what_is_for_another(hostile: Hostile, client: str) -> None:
    begun, shown = time.monotonic(), ""
    try:
        CLIENTS[client](hostile.url)
    except SaidonceError as refused:
        shown = str(refused)
    assert SECRET not in shown
    assert time.monotonic() - begun < ENDS_S
    assert hostile.asked
    assert hostile.n_sent < MOST_BYTES or (client == "Git" and hostile.behaviour in THROWN_AWAY)
    assert hostile.reached == []


MAIL: dict[str, Behaviour] = {
    "says nothing": silent,
    "a greeting at five bytes a second": forever(b"2", b"2", 0.2),
    "an endless greeting": forever(b"220-hello\r\n", b"220-hello\r\n" * 1_000),
    "an endless greeting at five lines a second": forever(b"220-hello\r\n", b"220-hello\r\n", 0.2),
    "an endless line": forever(b"220 ", b"a" * 65_536),
    "a page": raw(b"HTTP/1.1 400 Bad\r\n\r\n"),
    "a greeting of no number": raw(b"\xff\xfe\r\n"),
}


@pytest.mark.parametrize("hostile", MAIL.values(), ids=MAIL, indirect=True)
def test_no_mail_server_holds_the_worker(hostile: Hostile) -> None:
    behave = hostile.behaviour
    taken = socket.create_server(("127.0.0.1", 0))

    def greet() -> None:
        connection, _ = taken.accept()
        with connection, suppress(OSError):
            behave(hostile, connection)

    threading.Thread(target=greet, daemon=True).start()
    begun = time.monotonic()
    sender = EmailSender(f"smtp://127.0.0.1:{taken.getsockname()[1]}", "kb@example.com", LIMIT_S)
    with pytest.raises(SaidonceError):
        sender.send(channel(ChannelKind.EMAIL, "rita@example.com"), MESSAGE)
    assert time.monotonic() - begun < ENDS_S
    assert hostile.n_sent < MOST_BYTES
    taken.close()


def test_the_cases_are_many() -> None:
    assert len(BEHAVIOURS) * len(CLIENTS) + len(MAIL) > 500
    assert all(re.fullmatch(r"[A-Za-z0-9, -]+", name) for name in BEHAVIOURS)
    assert json.loads(b"NaN") != json.loads(b"NaN")
