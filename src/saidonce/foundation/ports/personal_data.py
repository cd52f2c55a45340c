"""Port of data protection: erasing, letting go, and the log of both."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from saidonce.foundation.model.conversation import LandlordNotice, OutboxMessage, Turn
from saidonce.foundation.model.personal_data import DataAct, Erasure, Expiry
from saidonce.foundation.model.residents import Inbound


class PersonalData(Protocol):
    """Erases what one organisation keeps about its residents; every method is one transaction."""

    def erase(self, erasure: Erasure) -> DataAct:
        """Write an erasure, and return its log entry; concurrent work on erased data finds it removed.

        Raises:
            NotFoundError: an issue that stays is not there.
        """
        ...

    def expire(self, expiry: Expiry) -> DataAct:
        """Write a round of retention; give its act as the log keeps it."""
        ...

    def record_act(self, act: DataAct) -> DataAct:
        """Append an act to the log; give it as the log keeps it."""
        ...

    def acts(self) -> tuple[DataAct, ...]:
        """Return the log, oldest first."""
        ...

    def files_in_use(self, but_not_of: Sequence[str] = ()) -> frozenset[str]:
        """Return the SHA-256 of every file, thumbnail and original of messages, but of some conversations' ids."""
        ...

    def aged_inbounds(self, before: datetime, limit: int) -> tuple[Inbound, ...]:
        """Return messages received before a moment that still have words or buttons, oldest first."""
        ...

    def aged_media(self, before: datetime, limit: int, after: int = 0) -> tuple[Inbound, ...]:
        """Return messages received before a moment that still have stored files, oldest first.

        Args:
            after: number (`seq`) of the message behind which to go on.
        """
        ...

    def aged_outbox(self, before: datetime, limit: int) -> tuple[OutboxMessage, ...]:
        """Return finished messages to residents, made before a moment, that still have words, oldest first."""
        ...

    def aged_turns(self, before: datetime, limit: int) -> tuple[Turn, ...]:
        """Return turns taken before a moment that still have a model's words, oldest first."""
        ...

    def aged_notices(self, before: datetime, limit: int) -> tuple[LandlordNotice, ...]:
        """Return notices of before a moment, oldest first."""
        ...
