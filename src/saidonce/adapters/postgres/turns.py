"""Turns to write of the threads of one program."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from saidonce.errors import StoreBusyError


class ThreadTurns:
    """Turns to write of this program's threads: one of each organisation at most waits with a connection."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._locks: dict[str, threading.Lock] = {}

    @contextmanager
    def taken(self, org: str, wait_s: float) -> Iterator[float]:
        """Hold an organisation's turn among the threads, and give the seconds left of the wait.

        Raises:
            StoreBusyError: it did not come in time.
        """
        with self._guard:
            lock = self._locks.setdefault(org, threading.Lock())
        until = time.monotonic() + wait_s
        if not lock.acquire(timeout=wait_s):
            raise StoreBusyError(org, wait_s)
        try:
            yield max(0.0, until - time.monotonic())
        finally:
            lock.release()
