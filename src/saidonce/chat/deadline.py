"""A chat model that is given up after a while, and left alone for a while after it failed often."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping

from saidonce.errors import ModelUnavailableError
from saidonce.ports import ChatModel

FAILURES = 3
REST_S = 60.0


class DeadlineChat:
    """Wraps a chat model; see `saidonce.ports.conversations.DeadlineChat`.

    After three failures in a row nobody asks it for a minute (an open circuit); then one call tries again.
    A call that is given up goes on in a daemon thread, and its reply is dropped.
    """

    def __init__(self, chat: ChatModel, rest_s: float = REST_S, now: Callable[[], float] = time.monotonic) -> None:
        self._chat = chat
        self._rest_s = rest_s
        self._now = now
        self._lock = threading.Lock()
        self._n_failures = 0
        self._closed_again_at = 0.0

    @property
    def name(self) -> str:
        """Name of the model, as it stands in settings."""
        return self._chat.name

    def complete_within(self, instructions: str, prompt: str, schema: Mapping[str, object], timeout_s: float) -> str:
        """Give the model's reply; the caller trusts nothing of it.

        Raises:
            ModelUnavailableError: the model failed, took longer, or is not asked because it failed often.
        """
        with self._lock:
            if self._n_failures >= FAILURES and self._now() < self._closed_again_at:
                raise ModelUnavailableError(self.name, "circuit open after repeated failures")
        asked = _Call(self._chat, instructions, prompt, schema)
        asked.start()
        asked.join(timeout_s)
        if asked.reply is None:
            self._failed()
            why = asked.failure.reason if asked.failure is not None else f"no reply within {timeout_s:g} s"
            raise ModelUnavailableError(self.name, why)
        with self._lock:
            self._n_failures = 0
        return asked.reply

    def _failed(self) -> None:
        with self._lock:
            self._n_failures += 1
            self._closed_again_at = self._now() + self._rest_s


class _Call(threading.Thread):
    """One call of a model; daemonic, so that a hanging model never holds up the program's end."""

    def __init__(self, chat: ChatModel, instructions: str, prompt: str, schema: Mapping[str, object]) -> None:
        super().__init__(daemon=True)
        self._chat = chat
        self._asked = (instructions, prompt, schema)
        self.reply: str | None = None
        self.failure: ModelUnavailableError | None = None

    def run(self) -> None:
        """Ask the model."""
        try:
            self.reply = self._chat.complete(*self._asked)
        except ModelUnavailableError as failed:
            self.failure = failed
