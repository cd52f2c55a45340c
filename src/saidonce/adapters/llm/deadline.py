"""A chat model that is given up after a while, and left alone for a while after it failed often."""

from __future__ import annotations

import asyncio
import queue
import threading
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime

from saidonce.errors import ModelUnavailableError
from saidonce.foundation.ports import ChatModel

FAILURES = 3
REST_S = 60.0


class BoundedChat:
    """Wraps a chat model; see `saidonce.foundation.ports.conversations.DeadlineChat`.

    After three failures in a row nobody asks it for a minute (an open circuit); then one call tries again.
    Calls run in threads of its own, which are used again; a call that is given up keeps its thread until the model
    lets go, and its reply is dropped.
    """

    def __init__(self, chat: ChatModel, rest_s: float = REST_S, now: Callable[[], float] = time.monotonic) -> None:
        self._chat = chat
        self._rest_s = rest_s
        self._now = now
        self._lock = threading.Lock()
        self._idle: list[_Caller] = []
        self._n_failures = 0
        self._asked_again_at = 0.0
        self._failing_since: datetime | None = None

    @property
    def failing_since(self) -> datetime | None:
        """When the first of the latest calls failed that all did; None if the last one did not."""
        return self._failing_since

    @property
    def name(self) -> str:
        """Name of the model, as it stands in settings."""
        return self._chat.name

    def complete_within(self, instructions: str, prompt: str, schema: Mapping[str, object], timeout_s: float) -> str:
        """Return the model's reply; the caller trusts nothing of it.

        Raises:
            ModelUnavailableError: the model failed, took longer, or is not asked because it failed often.
        """
        caller = self._free()
        call = _Call(instructions, prompt, schema)
        caller.calls.put(call)
        if not call.done.wait(timeout_s):
            caller.calls.put(None)
            self._record_failure()
            raise ModelUnavailableError(self.name, f"no reply within {timeout_s:g} s")
        with self._lock:
            self._idle.append(caller)
        if call.failure is not None:
            self._record_failure()
            raise call.failure
        with self._lock:
            self._n_failures = 0
            self._failing_since = None
        return call.reply

    def close(self) -> None:
        """End the threads that wait for calls."""
        with self._lock:
            idle, self._idle = self._idle, []
        for caller in idle:
            caller.calls.put(None)
            caller.join()

    def _free(self) -> _Caller:
        with self._lock:
            if self._n_failures >= FAILURES and self._now() < self._asked_again_at:
                raise ModelUnavailableError(self.name, "circuit open after repeated failures")
            if self._idle:
                return self._idle.pop()
        caller = _Caller(self._chat)
        caller.start()
        return caller

    def _record_failure(self) -> None:
        with self._lock:
            self._n_failures += 1
            self._failing_since = self._failing_since or datetime.now(UTC)
            self._asked_again_at = self._now() + self._rest_s


class _Call:
    """One question, and what came of it."""

    def __init__(self, instructions: str, prompt: str, schema: Mapping[str, object]) -> None:
        self.asked = (instructions, prompt, schema)
        self.reply = ""
        self.failure: Exception | None = None
        self.done = threading.Event()


class _Caller(threading.Thread):
    """Asks a model, one call after the other; a daemon, so that a hanging model never holds up the program's end."""

    def __init__(self, chat: ChatModel) -> None:
        super().__init__(daemon=True)
        self._chat = chat
        self.calls: queue.SimpleQueue[_Call | None] = queue.SimpleQueue()

    def run(self) -> None:
        """Answer calls until there is None."""
        loop = asyncio.new_event_loop()
        asyncio.set_event_loop(loop)
        while (call := self.calls.get()) is not None:
            try:
                call.reply = self._chat.complete(*call.asked).text
            except Exception as failed:  # noqa: BLE001  a worker loop: whoever asked gets it
                call.failure = failed
            call.done.set()
        loop.close()
