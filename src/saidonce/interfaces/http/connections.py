"""Limits of connections: requests that never become whole, too many connections, and floods of log lines.

What terminates TLS in front of the server has limits of its own; these hold without it, too.
"""

from __future__ import annotations

import asyncio
import logging
import resource
import signal
import socket
import time
from collections import OrderedDict
from ipaddress import IPv6Network
from types import FrameType
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

HEADER_S = 15.0
"""Time for the head of a request, from the connection or its first byte."""

BODY_S = 30.0
"""Time for a body of no length; each 16 KiB that arrive give a second more."""

BODY_BYTES_PER_S = 16 * 1_024
LOOK_S = 5.0

MOST_CONNECTIONS = 8_000
"""Open connections, of some 6 KiB each; a further one takes the place of one that waits without a whole request."""

QUEUED = 2_048
"""Connections that wait in the system until they are accepted."""

ACCEPTED_AT_ONCE = 64
"""Connections accepted before what has arrived on others is read."""

SPARE_FILES = 200
"""Files kept for the database, sources and logs, of those that the process may open."""

LINES_A_MINUTE = 20
"""Log lines of one wording in a minute; more are counted, and the count is logged."""

_log = logging.getLogger("saidonce.connections")


def connection_limit() -> int:
    """Return the most open connections: as many as files allow, after raising their limit where that is permitted."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = MOST_CONNECTIONS + SPARE_FILES
    if soft < needed and (hard == resource.RLIM_INFINITY or hard > soft):
        soft = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return max(16, min(MOST_CONNECTIONS, soft - SPARE_FILES))


class BoundedConfig(uvicorn.Config):
    """Configuration of a server with these limits.

    Args:
        app: the application.
        options: of `uvicorn.Config`.
    """

    def __init__(self, app: Any, **options: Any) -> None:
        self.most_connections = connection_limit()
        # Of a burst that passes the limit, what has arrived is read before the oldest has to go.
        at_once = min(ACCEPTED_AT_ONCE, self.most_connections // 8)
        super().__init__(app, http=BoundedProtocol, ws="none", server_header=False, backlog=at_once, **options)
        self.waiting = Waiting()
        for name in ("uvicorn.error", "asyncio", _log.name):
            logger = logging.getLogger(name)
            if not any(isinstance(each, FewLines) for each in logger.filters):
                logger.addFilter(FewLines())


class BoundedServer(uvicorn.Server):
    """Server that accepts few connections at once, and lets many wait."""

    is_interrupted = False

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop after the open requests, and say so; at the second interruption drop them, each without a traceback."""
        super().handle_exit(sig, frame)
        self.is_interrupted |= sig == signal.SIGINT
        if self.force_exit:
            logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
        elif n_open := len(self.server_state.tasks):
            _log.warning("http.stopping open_requests=%d, which a second interruption drops", n_open)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen."""
        await super().startup(sockets)
        for server in self.servers:
            for listening in server.sockets:
                with listening.dup() as again:
                    again.listen(QUEUED)


class Waiting:
    """Connections without a whole request, by the address they come from, in the order in which they began to wait."""

    def __init__(self) -> None:
        self._by_address: dict[str, OrderedDict[BoundedProtocol, None]] = {}

    def add(self, one: BoundedProtocol) -> None:
        """Note that a connection waits; it stands behind those that do already."""
        self._by_address.setdefault(one.address, OrderedDict()).setdefault(one)

    def discard(self, one: BoundedProtocol) -> None:
        """Note that a connection waits no longer."""
        its = self._by_address.get(one.address, OrderedDict())
        its.pop(one, None)
        if not its:
            self._by_address.pop(one.address, None)

    def least_fair(self) -> BoundedProtocol | None:
        """Return the one that has waited longest of the address that has most of them; None if none waits."""
        most = max(self._by_address.values(), key=len, default=None)
        return next(iter(most)) if most else None


class BoundedProtocol(H11Protocol):
    """HTTP/1.1 with time limits for the head and the body of a request, and a limit of connections."""

    config: BoundedConfig

    def __init__(self, *values: Any, **options: Any) -> None:
        super().__init__(*values, **options)
        self._waiting = self.config.waiting
        self._timer: asyncio.TimerHandle | None = None
        self._timed: object = None
        self._request_at = 0.0
        self._n_received = 0

    @property
    def address(self) -> str:
        """Whose share of the connections this one takes: an address; of IPv6 the 64 bits that one host has."""
        host = (self.client[0] if self.client else "").removeprefix("::ffff:").partition("%")[0]
        return str(IPv6Network((host, 64), strict=False)) if ":" in host else host

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a connection; when there are too many, one goes that waits without a whole request."""
        super().connection_made(transport)
        if len(self.connections) > self.config.most_connections:
            (self._waiting.least_fair() or self).drop("connection_limit")
        if not transport.is_closing():
            self._await_head()

    def data_received(self, data: bytes) -> None:
        """Count what arrives, and note when the head of a request is whole."""
        self._n_received += len(data)
        super().data_received(data)
        if not self._has_request():
            self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget a connection."""
        self._waiting.discard(self)
        self._disarm()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        """Leave the wait for a next request to the keep-alive limit, or go on with one that has come already."""
        self._disarm()
        super().on_response_complete()
        if not self._has_request():
            self._waiting.add(self)

    def drop(self, why: str) -> None:
        """End a connection without an answer."""
        _log.warning("http.dropped reason=%s", why)
        self._waiting.discard(self)
        if self.transport is not None:
            self.transport.abort()

    def _has_request(self) -> bool:
        """Return whether the head of a request is whole, and its answer is not; a new one's body is timed from here."""
        if self.cycle is None or self.cycle.response_complete:
            return False
        if self.cycle is not self._timed:
            self._timed = self.cycle
            self._waiting.discard(self)
            self._request_at, self._n_received = self.loop.time(), 0
            self._arm(LOOK_S)
            if {b"content-length", b"transfer-encoding"} <= {name for name, _ in self.headers}:
                # Source: RFC 9112, 6.1: a proxy may have seen another end of such a request; nothing behind it is read.
                self.cycle.keep_alive = False
        return True

    def _await_head(self) -> None:
        self._waiting.add(self)
        if self._timer is None:
            self._arm(HEADER_S)

    def _drop_overdue(self) -> None:
        """Drop the connection if its head, or its body, is overdue."""
        self._timer = None
        if not self._has_request():
            self.drop("head_timeout")
            return
        if not self.cycle.more_body:
            return
        if self.flow.read_paused:  # We are the slow ones.
            self._request_at += LOOK_S
        elif self.loop.time() - self._request_at > BODY_S + self._n_received / BODY_BYTES_PER_S:
            self.drop("body_timeout")
            return
        self._arm(LOOK_S)

    def _arm(self, after_s: float) -> None:
        self._disarm()
        self._timer = self.loop.call_later(after_s, self._drop_overdue)

    def _disarm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


class FewLines(logging.Filter):
    """Lets few lines of one wording through in a minute; what was left out is counted in the next one."""

    def __init__(self) -> None:
        super().__init__()
        self._minute = 0
        self._counts: dict[str, int] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether a line is logged."""
        minute = int(time.monotonic() // 60)
        if minute != self._minute:
            n_left_out = sum(max(0, n - LINES_A_MINUTE) for n in self._counts.values())
            self._minute, self._counts = minute, {}
            if n_left_out:
                record.msg = f"{record.msg} (and {n_left_out} further lines were left out in the minute before)"
        wording = str(record.msg)[:80]
        self._counts[wording] = self._counts.get(wording, 0) + 1
        return self._counts[wording] <= LINES_A_MINUTE
