"""Misbehaving and unusual but correct replies of judges, served by a real server over loopback.

The cases are in `tests/cases/replies`; adding one needs no code. A case that must be held and is cleared, or
the other way round, is a finding.
"""

from __future__ import annotations

import gzip
import json
import re
import socket
import struct
import time
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any

from benchmarks.faulty import Asked, Faulty, bomb, clears
from saidonce.adjudication import AutoRater, RaterOptions
from saidonce.foundation.model import Candidate, Match, Outcome, Ruling
from saidonce.foundation.settings.policy import GATE
from saidonce.foundation.text import content_hash
from saidonce.matching.ladder import Case, ask, decide

CASES = Path(__file__).parents[1] / "tests" / "cases" / "replies"
SLOW = frozenset({"chunks", "drip", "drip headers", "interim"})
"""Ways to send that never come to an end: they are played against a short deadline."""

SHORT_MS = 300
WAITED_MS = 1_000
"""For replies in which nothing is an answer; an answer takes a twentieth of it."""

PATIENT_MS = 20_000
KEYS = ", ".join(f'"key{n}": {n}' for n in range(20_000))
PAUSE_S = 0.02
"""Between two bytes of a slow sender: short enough that no timeout of single reads would notice."""

ASKING = replace(GATE, asks=True, asks_above=True, may_rule=frozenset({Outcome.DISTINCT, Outcome.DUPLICATE}))


def task(subdomain: str, text: str) -> Candidate:
    """Return a generated task with fields, as submitted to the gate."""
    fields = (("persona", "store manager"), ("task type", "inventory reconciliation"), ("subdomain", subdomain))
    return Candidate(text, content_hash(text + subdomain), fields=fields)


def _letter(text: str) -> Candidate:
    fields = (("persona", "housing officer"), ("topic", "repairs"))
    return Candidate(f"{text} Write the reply of the housing officer.", content_hash(text), fields=fields)


def _lesson(text: str) -> Candidate:
    return Candidate(text, content_hash(text), fields=(("persona", "teacher"), ("grade", "seventh")))


def _note(text: str) -> Candidate:
    return Candidate(text, content_hash(text), fields=(("persona", "nurse"), ("shift", "night")))


def _review(text: str) -> Candidate:
    return Candidate(text, content_hash(text), fields=(("persona", "legal adviser"), ("topic", "leases")))


COUNT = "Reconcile the weekly stock count with the ledger and explain every difference."
CASE = Case(
    task("softlines", COUNT),
    (Match("m1", 0.91, task("hardlines", COUNT)), Match("m2", 0.83, task("hardlines", "Count the pallets."))),
    ASKING,
    (),
)
BOILER = Case(
    _letter("A tenant reports that the boiler makes a banging noise at night."),
    (Match("t-12", 0.88, _letter("A tenant reports that the radiator in the bedroom stays cold.")),),
    ASKING,
    (),
)
BEFORE = Case(
    task("footwear", "Reconcile the monthly stock count with the ledger and explain every difference."),
    (Match("m1", 0.9, task("hardlines", "Reconcile the stock count with the ledger.")),),
    ASKING,
    (),
)
SCHOOL = Case(
    _lesson("Explain to a class how photosynthesis turns light into sugar, with one experiment."),
    (Match("q9", 0.86, _lesson("Explain to a class how respiration turns sugar into energy, with one experiment.")),),
    ASKING,
    (),
)
WARD = Case(
    _note("Write the handover note of a dialysis ward on a patient with low blood pressure."),
    (Match("n-3", 0.87, _note("Write the handover note of a dialysis ward on a patient with a clotted catheter.")),),
    ASKING,
    (),
)
LEASE = Case(
    _review("Check the clause of a flat's lease on subletting and list what the tenant may not do."),
    (Match("c-4", 0.89, _review("Check the clause of a flat's lease on pets and list what the tenant may not do.")),),
    ASKING,
    (),
)
ABOUT = {"": CASE, "boiler": BOILER, "school": SCHOOL, "ward": WARD, "lease": LEASE}
"""The questions that replies are about, by `about`."""


@dataclass(frozen=True)
class Play:
    """One case; `must` is hold or clear."""

    must: str
    kind: str
    row: Mapping[str, Any]

    @property
    def name(self) -> str:
        return f"{self.kind}: {self.row['is']}"

    @property
    def is_slow(self) -> bool:
        polls = self.row.get("polls", ())
        never = bool(polls) and (polls[-1] == "pending" or "QUEUED" in polls[-1])
        return bool(self.row.get("short")) or self.row.get("wire") in SLOW or never

    @property
    def deadline_ms(self) -> int:
        """How long its judge is waited for."""
        return SHORT_MS if self.is_slow else WAITED_MS if self.row.get("waits") else PATIENT_MS


def plays(file: str) -> tuple[Play, ...]:
    """Read the cases of `auto_rater` or `chat`, or of one of their further lists, in their order."""
    paths = sorted(CASES.glob(f"{file}*.toml"))
    tables = [tomllib.loads(path.read_text(encoding="utf-8")).items() for path in paths]
    kinds = ((must, kind, rows) for must, table in chain(*tables) for kind, rows in table.items())
    return tuple(Play(must, kind, row) for must, kind, rows in kinds for row in rows)


def sent_whole(connection: socket.socket, row: Mapping[str, Any], body: bytes, is_bent: bool) -> None:
    """Send a body as the case specifies; `is_bent`: with its status, headers and way of sending."""
    bent = row if is_bent else {}
    fields = {"Content-Type": "application/json", **bent.get("headers", {})}
    lines = [f"HTTP/1.1 {bent.get('status', '200 OK')}", *(f"{k}: {v}" for k, v in fields.items() if v)]
    head = "\r\n".join([*lines, "Connection: close"]).encode()
    WIRES[bent.get("wire", "")](connection, head, body)


def _plain(connection: socket.socket, head: bytes, body: bytes) -> None:
    connection.sendall(head + b"\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
    connection.shutdown(socket.SHUT_WR)
    while connection.recv(65536):
        pass


def _drip(connection: socket.socket, content: bytes) -> None:
    for place in range(len(content)):
        connection.sendall(content[place : place + 1])
        time.sleep(PAUSE_S)


def _dripped(connection: socket.socket, head: bytes, body: bytes) -> None:
    connection.sendall(head + b"\r\nContent-Length: %d\r\n\r\n" % len(body))
    _drip(connection, body)


def _chunks(connection: socket.socket, head: bytes, body: bytes) -> None:
    connection.sendall(head + b"\r\nTransfer-Encoding: chunked\r\n\r\n")
    for byte in body + b" " * 10_000:
        connection.sendall(b"1\r\n%c\r\n" % byte)
        time.sleep(PAUSE_S)


def _honest_chunks(connection: socket.socket, head: bytes, body: bytes) -> None:
    parts = [body[at : at + 100] for at in range(0, len(body), 100)]
    chunked = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts)
    connection.sendall(head + b"\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked + b"0\r\n\r\n")


def _interim(connection: socket.socket, _head: bytes, _body: bytes) -> None:
    while True:
        connection.sendall(b"HTTP/1.1 103 Early Hints\r\n\r\n")
        time.sleep(PAUSE_S)


def _reset(connection: socket.socket, head: bytes, body: bytes) -> None:
    connection.sendall(head + b"\r\nContent-Length: %d\r\n\r\n" % len(body) + body[:20])
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def _short(connection: socket.socket, head: bytes, body: bytes) -> None:
    connection.sendall(head + b"\r\nContent-Length: 90000\r\n\r\n" + body)


def _two_lengths(connection: socket.socket, head: bytes, body: bytes) -> None:
    connection.sendall(head + b"\r\nContent-Length: %d\r\nContent-Length: 9\r\n\r\n" % len(body) + body)


def _bomb(connection: socket.socket, head: bytes, body: bytes) -> None:
    _plain(connection, head, gzip.compress(body) + bomb())


def _closed(connection: socket.socket, head: bytes, body: bytes) -> None:
    connection.sendall(head.replace(b"HTTP/1.1", b"HTTP/1.0", 1) + b"\r\n\r\n" + body)


def _trailer(line: bytes) -> Callable[[socket.socket, bytes, bytes], None]:
    def send(connection: socket.socket, head: bytes, body: bytes) -> None:
        chunk = b"%x\r\n%s\r\n0\r\n%s\r\n\r\n" % (len(body), body, line)
        connection.sendall(head + b"\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk)

    return send


WIRES: Mapping[str, Callable[[socket.socket, bytes, bytes], None]] = {
    "": _plain,
    "chunks": _chunks,
    "honest chunks": _honest_chunks,
    "drip": _dripped,
    "drip headers": lambda c, head, _body: _drip(c, head + b"\r\nX: y" * 10_000),
    "torn chunk": lambda c, head, body: c.sendall(head + b"\r\nTransfer-Encoding: chunked\r\n\r\nffff\r\n" + body),
    "short": _short,
    "headers only": lambda c, head, body: c.sendall(head + b"\r\nContent-Length: %d\r\n\r\n" % len(body)),
    "two lengths": _two_lengths,
    "interim": _interim,
    "reset": _reset,
    "bomb": _bomb,
    "closed": _closed,
    "error trailer": _trailer(b"X-Error: the judge died, the answer is a default"),
    "timing trailer": _trailer(b"Server-Timing: total;dur=812"),
    "noise": lambda c, _head, _body: c.sendall(b"SSH-2.0-OpenSSH_9.6\r\n"),
}


@dataclass
class _State:
    """The state of one case's exchange."""

    polls: int = 0
    reviews: int = 0
    clears: list[dict[str, Any]] = field(default_factory=list)


class RaterStage:
    """One server that plays any number of auto-raters, each under its own path."""

    def __init__(self) -> None:
        self._plays: list[Play] = []
        self._states: list[_State] = []
        self._server = Faulty(self._submitted, self._polled)

    def close(self) -> None:
        self._server.close()

    def url(self, play: Play) -> str:
        """Register a case, and return the address of its service."""
        self._plays.append(play)
        self._states.append(_State())
        return f"{self._server.url}/case{len(self._plays) - 1}"

    def _case(self, asked: Asked) -> tuple[Mapping[str, Any], _State]:
        n = int(asked.path.split("/")[1].removeprefix("case"))
        return self._plays[n].row, self._states[n]

    def _submitted(self, connection: socket.socket, asked: Asked) -> None:
        row, state = self._case(asked)
        state.clears.append(clears(asked.body))
        state.reviews += not row.get("same_id", False) or not state.reviews
        is_first = bool(row.get("after")) and len(state.clears) == 1
        body = "pending" if is_first else row.get("submit", "pending")
        sent_whole(connection, row, _filled(body, row, state), row.get("on") == "submit" and not is_first)

    def _polled(self, connection: socket.socket, asked: Asked) -> None:
        row, state = self._case(asked)
        state.polls += 1
        if row.get("after") and len(state.clears) == 1:
            return sent_whole(connection, row, _filled("ok", {}, state), False)
        turns = row.get("turns", ())
        if turns:
            turn = turns[min(state.polls, len(turns)) - 1]
            return sent_whole(connection, turn, _filled(_poll(turn), turn, state), True)
        polls = row.get("polls") or [_poll(row)]
        body = _filled(polls[min(state.polls, len(polls)) - 1], row, state)
        return sent_whole(connection, row, body, row.get("on", "poll") == "poll")


def _poll(row: Mapping[str, Any]) -> str:
    if "body" in row:
        return str(row["body"])
    if "bare" in row:
        return f'{{"id": "$ID", "status": "done", "result": {row["bare"]}}}'
    if "say" in row:
        say = {"classification": "distinct", "review_feedback": row["say"], "confidence": 0.9}
        return f'{{"id": "$ID", "status": "done", "result": {json.dumps(say)}}}'
    return "ok"


def _filled(body: str, row: Mapping[str, Any], state: _State) -> bytes:
    review = f"r-{state.reviews}"
    if body == "pending":
        return json.dumps({"id": review, "status": "pending"}).encode()
    clear = dict(state.clears[-1])
    if "because" in row:
        clear["reason"] = row["because"]
    inside, beside = (f", {row[name]}" if name in row else "" for name in ("inside", "beside"))
    ok = (f'{{"id": "$ID", "status": "done", "result": {{"classification": "distinct", "review_feedback": $CLEARS,'
          f' "confidence": 0.9{inside}}}{beside}}}')  # fmt: skip
    old = state.clears[0]
    values = {
        "OLDQ": old["question"], "OLDN": old["nonce"], "CLEARS": json.dumps(json.dumps(clear)),
        "INNER": json.dumps(json.dumps(clear))[1:-1],
        "CLEAR": json.dumps(clear), "DIGITS": "1" * 5_000, "PAD": "x" * 1_000_000,
        "KEYS": KEYS, "ID": review, "Q": clear["question"], "N": clear["nonce"],
    }  # fmt: skip
    whole = (ok if body == "ok" else body).replace("$OK", ok)
    return re.sub(r"\$(OLDQ|OLDN|INNER|CLEARS|CLEAR|DIGITS|PAD|KEYS|ID|Q|N)\b", lambda m: values[m[1]], whole).encode()


@contextmanager
def rater_stage() -> Iterator[RaterStage]:
    """Run the server of all cases."""
    stage = RaterStage()
    try:
        yield stage
    finally:
        stage.close()


def rated(stage: RaterStage, play: Play) -> tuple[Ruling, bool]:
    """Play one case; return the ruling, and whether the gate would let the candidate pass."""
    case = ABOUT[play.row.get("about", "")]
    question, before = ask(case), ask(BEFORE)
    assert question is not None
    assert before is not None
    rater = AutoRater(stage.url(play), b"a secret", RaterOptions(play.deadline_ms, 1))
    ruling = rater.rule([before, question] if play.row.get("after") else [question])[-1]
    return ruling, decide(replace(case, ruling=ruling)).outcome is Outcome.DISTINCT
