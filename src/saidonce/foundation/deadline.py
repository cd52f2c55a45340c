"""Bounded waits for the outside, on one event loop in a thread of its own."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Coroutine
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
