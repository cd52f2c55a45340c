"""Limits of connections: requests that never become whole, too many connections, and floods of log lines.

What terminates TLS in front of the server has limits of its own; these hold without it, too.
"""

from __future__ import annotations

import asyncio
import logging
import resource
import time
from collections import OrderedDict
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

HEADER_S = 15.0
"""Time for the head of a request, from the connection or its first byte."""

BODY_S = 30.0
"""Time for a body of no length; each 16 KiB that arrive give a second more."""

BODY_BYTES_PER_S = 16 * 1_024
LOOK_S = 5.0

MOST_CONNECTIONS = 1_000
"""Open connections; a further one takes the place of the one that has waited longest without a whole request."""

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
        super().__init__(app, http=BoundedProtocol, ws="none", server_header=False, **options)
        self.most_connections = connection_limit()
        self.unfinished: OrderedDict[BoundedProtocol, None] = OrderedDict()
        for name in ("uvicorn.error", "asyncio", _log.name):
            logger = logging.getLogger(name)
            if not any(isinstance(each, FewLines) for each in logger.filters):
                logger.addFilter(FewLines())


class BoundedProtocol(H11Protocol):
    """HTTP/1.1 with time limits for the head and the body of a request, and a limit of connections."""

    config: BoundedConfig

    def __init__(self, *values: Any, **options: Any) -> None:
        super().__init__(*values, **options)
        self._unfinished = self.config.unfinished
        self._timer: asyncio.TimerHandle | None = None
        self._request_at = 0.0
        self._n_received = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a connection; when there are too many, the one that has waited longest without a request goes."""
        super().connection_made(transport)
        if len(self.connections) > self.config.most_connections and self._unfinished:
            oldest, _ = self._unfinished.popitem(last=False)
            oldest.drop("connection_limit")
        elif len(self.connections) > self.config.most_connections:
            self.drop("connection_limit")
            return
        self._await_head()

    def data_received(self, data: bytes) -> None:
        """Count what arrives, and note when the head of a request is whole."""
        self._n_received += len(data)
        super().data_received(data)
        if self.cycle is None or self.cycle.response_complete:
            self._await_head()
        elif self in self._unfinished:
            del self._unfinished[self]
            self._request_at, self._n_received = self.loop.time(), 0
            self._arm(LOOK_S)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget a connection."""
        self._unfinished.pop(self, None)
        self._disarm()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        """Leave the wait for a next request to the keep-alive limit."""
        self._disarm()
        super().on_response_complete()

    def drop(self, why: str) -> None:
        """End a connection without an answer."""
        _log.warning("http.dropped reason=%s", why)
        if self.transport is not None:
            self.transport.abort()

    def _await_head(self) -> None:
        if self not in self._unfinished:
            self._unfinished[self] = None
            self._arm(HEADER_S)

    def _look(self) -> None:
        """Drop the connection if its head, or its body, is overdue."""
        now = self.loop.time()
        if self in self._unfinished:
            self.drop("head_timeout")
            return
        if self.cycle is None or self.cycle.response_complete or not self.cycle.more_body:
            return
        if self.flow.read_paused:  # We are the slow ones.
            self._request_at += LOOK_S
        elif now - self._request_at > BODY_S + self._n_received / BODY_BYTES_PER_S:
            self.drop("body_timeout")
            return
        self._arm(LOOK_S)

    def _arm(self, after_s: float) -> None:
        self._disarm()
        self._timer = self.loop.call_later(after_s, self._look)

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
