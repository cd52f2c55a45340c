"""A review service that misbehaves in many ways, over raw sockets.

Every part of an answer that is sent would clear the candidate, so that a client that accepts too much is noticed.
"""

from __future__ import annotations

import contextlib
import gzip
import json
import re
import socket
import ssl
import struct
import threading
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from email.utils import formatdate
from functools import cache
from typing import Any

REVIEW = "review-1"

DELIVERED: Counter[str] = Counter()
"""How often each fault was met: connections to its service."""


@dataclass(frozen=True)
class Asked:
    """One request: `n` counts those of its kind (submissions, polls) on this server from 0."""

    method: str
    path: str
    body: dict[str, Any]
    n: int
    clears: dict[str, Any]


Answer = Callable[[socket.socket, Asked], None]


class Faulty:
    """A server for one trial, with its behaviour for submissions and polls."""

    def __init__(self, submit: Answer, poll: Answer, tls: ssl.SSLContext | None = None) -> None:
        self._answers = {"POST": submit, "GET": poll}
        self._tls = tls
        self._counts = {"POST": 0, "GET": 0}
        self._clears: dict[str, Any] = {}
        self.n_connections = 0
        self._listening = socket.create_server(("127.0.0.1", 0), backlog=16)
        self.port = self._listening.getsockname()[1]
        self.url = f"http{'s' if tls else ''}://127.0.0.1:{self.port}"
        self._closing = threading.Event()
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._closing.set()
        with contextlib.suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()

    @property
    def n_polls(self) -> int:
        return self._counts["GET"]

    @property
    def n_submitted(self) -> int:
        return self._counts["POST"]

    def _accept(self) -> None:
        while not self._closing.is_set():
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            self.n_connections += 1
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        try:
            if self._tls is not None:
                connection = self._tls.wrap_socket(connection, server_side=True)
            with connection:
                request = self._read(connection)
                if request is not None:
                    self._answers[request.method](connection, request)
        except OSError:
            connection.close()  # the client hung up, as it should

    def _read(self, connection: socket.socket) -> Asked | None:
        received = b""
        while b"\r\n\r\n" not in received:
            part = connection.recv(65536)
            if not part:
                return None
            received += part
        head, _, rest = received.partition(b"\r\n\r\n")
        method, path, _ = head.split(b"\r\n")[0].decode().split(" ")
        length = re.search(rb"content-length: (\d+)", head.lower())
        while length and len(rest) < int(length[1]):
            part = connection.recv(65536)
            if not part:
                return None  # the client gave up in the middle of its request
            rest += part
        body = json.loads(rest) if rest else {}
        if "custom_evaluation_prompt" in body:
            self._clears = clears(body)
        n = self._counts[method]
        self._counts[method] += 1
        return Asked(method, path, body, n, self._clears)


def clears(body: dict[str, Any]) -> dict[str, Any]:
    """Return the answer that clears the submission, with its echo, as from a correct judge."""
    prompt = body["custom_evaluation_prompt"]
    question, nonce = (re.findall(rf"^{name}: (\S+)$", prompt, re.M)[0] for name in ("question", "nonce"))
    return {
        "question": question, "nonce": nonce, "opinion": "distinct", "of": "",
        "reason": "another subdomain", "confidence": 0.9,
    }  # fmt: skip


def result(said: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return {"classification": "distinct", "review_feedback": json.dumps(said), "confidence": 0.9, **changes}


def done(said: dict[str, Any], **changes: Any) -> bytes:
    return json.dumps({"id": REVIEW, "status": "done", "result": result(said), **changes}).encode()


def sent(connection: socket.socket, body: bytes, status: str = "200 OK", kind: str = "application/json",
         **headers: str) -> None:  # fmt: skip
    """Send one complete answer and close."""
    fields = {"Content-Type": kind, "Content-Length": str(len(body)), "Connection": "close", **headers}
    lines = [f"HTTP/1.1 {status}", *(f"{name.replace('_', '-')}: {value}" for name, value in fields.items())]
    connection.sendall("\r\n".join([*lines, "", ""]).encode() + body)
    connection.shutdown(socket.SHUT_WR)
    while connection.recv(65536):
        pass


# What a server may do with one request


def accepts(connection: socket.socket, _asked: Asked) -> None:
    sent(connection, json.dumps({"id": REVIEW, "status": "pending"}).encode(), "202 Accepted")


def answers(connection: socket.socket, asked: Asked) -> None:
    sent(connection, done(asked.clears))


def status(line: str, **headers: str) -> Answer:
    return lambda connection, asked: sent(connection, done(asked.clears), line, **headers)


def says(make: Callable[[dict[str, Any]], bytes], **headers: str) -> Answer:
    return lambda connection, asked: sent(connection, make(asked.clears), **headers)


def holds(**changes: Any) -> Answer:
    """Return a complete answer with a changed result."""
    return says(lambda said: done(said, result=result(said, **changes)))


def echoes(**changes: Any) -> Answer:
    """Return a complete answer with a changed structured part."""
    return says(lambda said: done({**said, **changes}))


def resets(connection: socket.socket, _asked: Asked) -> None:
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def hangs(connection: socket.socket, _asked: Asked) -> None:
    while connection.recv(65536):
        pass


def drips_headers(connection: socket.socket, _asked: Asked) -> None:
    _drip(connection, b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n" + b"X: y\r\n" * 10_000)


def drips_body(connection: socket.socket, asked: Asked) -> None:
    body = done(asked.clears)
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body))
    _drip(connection, body)


def _drip(connection: socket.socket, content: bytes) -> None:
    for place in range(len(content)):
        connection.sendall(content[place : place + 1])
        time.sleep(0.05)


def never_ends(connection: socket.socket, asked: Asked) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n" + done(asked.clears))
    while True:
        connection.sendall(b" " * 65536)


@cache
def bomb() -> bytes:
    """Return 200 MB of blanks compressed to a few hundred kilobytes."""
    packer = zlib.compressobj(1, wbits=31)
    return b"".join(packer.compress(b" " * 1_000_000) for _ in range(200)) + packer.flush()


def bombs(connection: socket.socket, asked: Asked) -> None:
    sent(connection, gzip.compress(done(asked.clears)) + bomb(), Content_Encoding="gzip")


def packed_answer(connection: socket.socket, asked: Asked) -> None:
    sent(connection, gzip.compress(done(asked.clears)), Content_Encoding="gzip")


def redirects(connection: socket.socket, asked: Asked) -> None:
    if asked.path.endswith("/elsewhere"):
        answers(connection, asked)
    else:
        here = f"http://127.0.0.1:{connection.getsockname()[1]}/api/v1/review/{REVIEW}/elsewhere"
        sent(connection, done(asked.clears), "307 Temporary Redirect", Location=here)


def after(seconds: float) -> Answer:
    def late(connection: socket.socket, asked: Asked) -> None:
        time.sleep(seconds)
        answers(connection, asked)

    return late


def in_turn(*steps: Answer) -> Answer:
    """Return one step for each request, and the last one for all further requests."""
    return lambda connection, asked: steps[min(asked.n, len(steps) - 1)](connection, asked)


duplicate = echoes(opinion="duplicate", of="m1")
"""Disagrees with the answer that clears, in the structured part and beside it."""


@dataclass(frozen=True)
class Fault:
    """A fault; `submit` and `poll` are the parts of a review in which it occurs."""

    name: str
    submit: Answer = accepts
    poll: Answer = answers
    url: str = ""
    tls: bool = False


def faults(deadline_s: float) -> tuple[Fault, ...]:
    """Return every fault; those of single requests once in the submission and once in the poll."""
    single: dict[str, Answer] = {
        "connection reset": resets,
        "400": status("400 Bad Request"),
        "401": status("401 Unauthorized"),
        "404": status("404 Not Found"),
        "409": status("409 Conflict"),
        "429 without Retry-After": status("429 Too Many Requests"),
        "429 with Retry-After in time, for ever": status("429 Too Many Requests", Retry_After="0.2"),
        "429 with Retry-After past the deadline": status("429 Too Many Requests", Retry_After="3600"),
        "429 with a date": status("429 Too Many Requests", Retry_After=formatdate(time.time() + 3600, usegmt=True)),
        "429 with a senseless Retry-After": status("429 Too Many Requests", Retry_After="soon"),
        "500": status("500 Internal Server Error"),
        "502": status("502 Bad Gateway"),
        "503": status("503 Service Unavailable"),
        "503 with Retry-After past the deadline": status("503 Service Unavailable", Retry_After="3600"),
        "no headers at all": hangs,
        "slow headers": drips_headers,
        "slow drip of the body": drips_body,
        "endless body": never_ends,
        "empty body": says(lambda _said: b""),
        "truncated JSON": says(lambda said: done(said)[:-7]),
        "wrong content type": says(done, Content_Type="text/plain"),
        "HTML page": says(lambda said: b"<html><title>distinct</title><p>" + done(said), Content_Type="text/html"),
        "HTML page that claims to be JSON": says(lambda _said: b"<html>distinct</html>"),
        "a key twice": says(lambda said: done(said)[:-1] + b', "status": "done"}'),
        "NaN": says(lambda said: done(said).replace(b'"confidence": 0.9', b'"confidence": NaN')),
        "not UTF-8": says(lambda said: done(said).replace(b"another", b"\xff\xfe")),
        "gzip bomb": bombs,
        "packed, though refused": packed_answer,
        "redirect to loopback": redirects,
        "answer after the deadline": after(deadline_s * 1.3),
        "shorter than it said": lambda c, a: c.sendall(
            b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 90000\r\n\r\n" + done(a.clears)
        ),
        "status unknown": says(lambda said: done(said, status="ready")),
        "malformed id": says(lambda said: done(said, id="../../admin")),
        **{f"result: {name}": answer for name, answer in results().items()},
    }  # fmt: skip
    whole = [Fault(f"{name} (submit)", submit=answer) for name, answer in single.items()]
    whole += [Fault(f"{name} (poll)", poll=answer) for name, answer in single.items()]
    return (*outside(), *whole, *talks())


def results() -> dict[str, Answer]:
    """Return the faults of complete answers whose content must not be accepted."""
    return {
        "unknown classification": holds(classification="cleared", review_feedback=""),
        "unknown classification beside a clear": holds(classification="approved"),
        "empty": says(lambda said: done(said, result={})),
        "only blanks": holds(classification=" ", review_feedback="\n"),
        "no text": holds(classification=0, review_feedback=False),
        "confidence above 1": holds(confidence=1.01),
        "confidence below 0": holds(confidence=-0.1),
        "confidence is text": holds(confidence="0.9"),
        "confidence is a truth value": holds(confidence=True),
        "confidence 1e400": says(lambda said: done(said).replace(b'"confidence": 0.9', b'"confidence": 1e400')),
        "inner confidence outside": echoes(confidence=7),
        "verdict for another candidate": echoes(question="0" * 32),
        "another nonce": echoes(nonce="0" * 16),
        "another opinion": echoes(opinion="clear"),
        "names a match that was not shown": echoes(opinion="duplicate", of="m9"),
        "clears, and names a match": echoes(of="m1"),
        "a key too many": echoes(override=True),
        "inner key twice": says(lambda said: done(said, result=result(
            said, review_feedback=json.dumps(said)[:-1] + ', "opinion": "distinct"}'))),
        "text behind the JSON": says(lambda said: done(said, result=result(
            said, review_feedback=json.dumps(said) + " as asked"))),
        "fields disagree": holds(classification="duplicate"),
        "words disagree": holds(review_feedback="duplicate"),
        "classified distinct, described as duplicate": holds(review_feedback="This is a duplicate of m1."),
        "free text alone clears": holds(classification="", review_feedback="The candidate is not a duplicate."),
        "JSON in a code fence": says(lambda said: done(said, result=result(
            said, classification="", review_feedback=f"```json\n{json.dumps(said)}\n```"))),
        "failed": says(lambda said: done(said, status="failed")),
        "lone surrogate": holds(classification="distinct", review_feedback="\ud800"),
    }  # fmt: skip


def outside() -> tuple[Fault, ...]:
    """Return the faults before a request is read."""
    return (
        Fault("connection refused", url="http://127.0.0.1:1"),
        Fault("unknown host", url="http://no-such-host.invalid"),
        Fault("TLS: not the service's certificate", tls=True),
        Fault("TLS: the service speaks none", url="https"),
    )


def talks() -> tuple[Fault, ...]:
    """Return the faults between requests."""
    pending = accepts
    return (
        Fault("poll that never finishes", poll=pending),
        Fault("done, pending, done", poll=in_turn(answers, pending, answers)),
        Fault("pending, done, pending for ever", poll=in_turn(pending, answers, pending)),
        Fault("duplicate answers that disagree", poll=in_turn(answers, duplicate)),
        Fault("submitted as done, then pending", submit=answers, poll=pending),
        Fault("submitted as done, then duplicate", submit=answers, poll=duplicate),
        Fault("wrong id", poll=says(lambda said: done(said, id="review-2"))),
        Fault("done without a result", poll=says(lambda said: done(said, result=None))),
        Fault("pending with a result", poll=says(lambda said: done(said, status="pending"))),
        Fault("submission names nothing", submit=says(lambda _said: b"{}")),
        Fault("clears without id and echo", submit=says(
            lambda _said: json.dumps({"status": "done", "result": {"classification": "distinct"}}).encode())),
        Fault("every poll fails", poll=in_turn(pending, status("500 Internal Server Error"))),
        Fault("gone after the first look", poll=in_turn(answers, status("404 Not Found"))),
        Fault("resets after the first look", poll=in_turn(answers, resets)),
        Fault("drips after the first look", poll=in_turn(answers, drips_body)),
    )  # fmt: skip


@contextmanager
def serving(fault: Fault, certificate: ssl.SSLContext | None = None) -> Iterator[str]:
    """Run the service of one trial; yield its URL."""
    server = Faulty(fault.submit, fault.poll, certificate if fault.tls else None)
    try:
        plain_as_tls = fault.url == "https"
        yield f"https://127.0.0.1:{server.port}" if plain_as_tls else fault.url or server.url
    finally:
        server.close()
        DELIVERED[fault.name] += server.n_connections
