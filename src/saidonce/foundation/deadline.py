"""Bounded waits for the outside: on one event loop in a thread of its own, or over a library's own connections."""

from __future__ import annotations

import asyncio
import os
import socket
import threading
import time
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

T = TypeVar("T")

_lock = threading.Lock()
_running: tuple[int, asyncio.AbstractEventLoop] | None = None


def within(work: Coroutine[Any, Any, T], seconds: float) -> T:
    """Run a coroutine to its end, or cancel it at the deadline.

    A timeout of single reads lets a slow sender hold its reader for ever; this deadline covers name resolution,
    connecting, handshakes, headers and body together. Any thread may call it, several at once.

    Raises:
        TimeoutError: the deadline has passed.
    """
    return asyncio.run_coroutine_threadsafe(_bounded(work, seconds), _loop()).result()


async def _bounded(work: Coroutine[Any, Any, T], seconds: float) -> T:
    return await asyncio.wait_for(work, seconds)


def _loop() -> asyncio.AbstractEventLoop:
    """Return this process's loop; a forked process starts its own, since it lacks its parent's thread."""
    global _running  # noqa: PLW0603  one loop a process is the point
    with _lock:
        if _running is None or _running[0] != os.getpid():
            loop = asyncio.new_event_loop()
            threading.Thread(target=loop.run_forever, name="saidonce-waiting", daemon=True).start()
            _running = (os.getpid(), loop)
        return _running[1]


class ConnectionDeadline:
    """Cuts the connections of a library that waits for the outside by itself, all of them at one deadline.

    Such a library bounds the wait for each byte alone: a server that sends a byte a second would hold it for ever.
    """

    def __init__(self) -> None:
        self._held: list[socket.socket] = []
        self._until = 0.0

    @property
    def is_over(self) -> bool:
        """Whether the deadline has passed."""
        return time.monotonic() >= self._until

    @property
    def left_s(self) -> float:
        """The seconds until the deadline; 0 after it."""
        return max(0.0, self._until - time.monotonic())

    @contextmanager
    def after(self, seconds: float) -> Iterator[None]:
        """Cut all connections that are watched meanwhile at a deadline, whatever the library is at."""
        self._until = time.monotonic() + seconds
        timer = threading.Timer(seconds, self._cut)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            for each in self._held:
                each.close()
            self._held.clear()

    def watched(self, connected: socket.socket) -> socket.socket:
        """Take a connection that is to end with the time, and return it."""
        self._held.append(connected.dup())  # TLS takes the other one over, and is found nowhere until it stands
        if self.is_over:
            self._cut()
        return connected

    def _cut(self) -> None:
        for each in self._held:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
