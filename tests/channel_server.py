"""A scripted HTTP server that stands in for the APIs of WhatsApp and Twilio, and misbehaves on demand."""

from __future__ import annotations

import contextlib
import json
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import benchmarks.faulty as faults


@dataclass(frozen=True)
class Asked:
    """One request as it came."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def fields(self) -> dict[str, Any]:
        return dict(json.loads(self.body))


Reply = Callable[[socket.socket, Asked], None]


@dataclass
class Scripted:
    """Answers requests with replies in turn, the last one for ever."""

    replies: list[Reply]
    asked: list[Asked] = field(default_factory=list)
    url: str = ""

    def serve(self, connection: socket.socket) -> None:
        with contextlib.suppress(OSError), connection:
            asked = _read(connection)
            if asked is not None:
                self.asked.append(asked)
                reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
                reply(connection, asked)


@contextmanager
def scripted(*replies: Reply) -> Iterator[Scripted]:
    """A server on a free port of this machine."""
    with socket.create_server(("127.0.0.1", 0), backlog=32) as listening:
        server = Scripted(list(replies), url=f"http://127.0.0.1:{listening.getsockname()[1]}")

        def accept() -> None:
            while True:
                try:
                    connection, _ = listening.accept()
                except OSError:
                    return
                threading.Thread(target=server.serve, args=(connection,), daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()
        yield server
        with contextlib.suppress(OSError):
            listening.shutdown(socket.SHUT_RDWR)


def _read(connection: socket.socket) -> Asked | None:
    received = b""
    while b"\r\n\r\n" not in received:
        part = connection.recv(65536)
        if not part:
            return None
        received += part
    head, _, body = received.partition(b"\r\n\r\n")
    first, *rest = head.decode("latin-1").split("\r\n")
    method, path, _ = first.split(" ")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in rest)}
    while len(body) < int(headers.get("content-length", "0")):
        part = connection.recv(65536)
        if not part:
            return None
        body += part
    return Asked(method, path, headers, body)


def gives(body: Any, status: str = "200 OK", kind: str = "application/json", **headers: str) -> Reply:
    """A whole answer; anything but bytes is sent as JSON."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return lambda connection, _asked: faults.sent(connection, content, status, kind, **headers)


def gives_address(path: str = "/file", **fields: Any) -> Reply:
    """What WhatsApp says of a file: where it lies, here on this server."""

    def reply(connection: socket.socket, asked: Asked) -> None:
        url = f"http://{asked.headers['host']}{path}"
        gives({"messaging_product": "whatsapp", "url": url, "id": "1", **fields})(connection, asked)

    return reply


def drips(body: bytes) -> Reply:
    """An answer letter by letter: no single read is slow, the whole never ends."""

    def reply(connection: socket.socket, _asked: Asked) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body))
        for place in range(len(body)):
            connection.sendall(body[place : place + 1])
            time.sleep(0.05)

    return reply


def floods(connection: socket.socket, _asked: Asked) -> None:
    """An answer of unknown length that never ends."""
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\n\r\n\xff\xd8\xff")
    while True:
        connection.sendall(b"\0" * 65536)


def hangs(connection: socket.socket, _asked: Asked) -> None:
    """Take everything, answer nothing."""
    while connection.recv(65536):
        pass


def resets(connection: socket.socket, _asked: Asked) -> None:
    """Take the request, then hang up hard."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")


def cut_off(connection: socket.socket, _asked: Asked) -> None:
    """Promise more than is sent."""
    connection.sendall(b'HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{"messages": [{"id": "wamid.')


def accepts(id: str = "wamid.HBgMNDQ3NzAwOTAwMTIzFQIAERgS") -> Reply:
    """How the Cloud API accepts a message."""
    contacts = [{"input": "447700900123", "wa_id": "447700900123"}]
    return gives({"messaging_product": "whatsapp", "contacts": contacts, "messages": [{"id": id}]})


def refuses(status: int, code: int, words: str = "no", **headers: str) -> Reply:
    """How the Graph API refuses."""
    error = {"message": words, "type": "OAuthException", "code": code, "fbtrace_id": "Az8or2yhqkZfEZ-_4Qn_Bam"}
    return gives({"error": error}, f"{status} No", **headers)


def is_hidden(text: str, *secrets: str) -> bool:
    """Whether a text holds none of some secrets."""
    return not any(re.search(re.escape(s), text) for s in secrets)
