"""A chat model that can be switched off while the program runs; then it is as if it were down."""

from __future__ import annotations

from collections.abc import Mapping

from saidonce.errors import ModelUnavailableError
from saidonce.foundation.ports.conversations import DeadlineChat


class SwitchedChat:
    """See `saidonce.foundation.ports.conversations.DeadlineChat`; `is_on` may be set by any thread at any time."""

    def __init__(self, chat: DeadlineChat) -> None:
        self._chat = chat
        self.is_on = True

    @property
    def name(self) -> str:
        """Name of the model, as it stands in settings."""
        return self._chat.name

    def complete_within(self, instructions: str, prompt: str, schema: Mapping[str, object], timeout_s: float) -> str:
        """Return the model's reply; the caller trusts nothing of it.

        Raises:
            ModelUnavailableError: the model failed, took longer, or is switched off.
        """
        if not self.is_on:
            raise ModelUnavailableError(self.name, "switched off")
        return self._chat.complete_within(instructions, prompt, schema, timeout_s)
