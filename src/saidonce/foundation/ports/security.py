"""Port: the log of security."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from saidonce.foundation.model.security import SecurityEvent, SecurityFilter


class SecurityLog(Protocol):
    """Keeps what happened in one organisation that matters to security; entries are neither changed nor removed."""

    def append(self, event: SecurityEvent, makes_org: bool = True) -> SecurityEvent | None:
        """Append an entry; inside of the organisation's turn it belongs to that transaction.

        Args:
            event: without its number.
            makes_org: whether an organisation of which nothing is kept yet is begun by it; else nothing is written.

        Returns:
            The entry with its number; None if nothing was written.
        """
        ...

    def events(self, security_filter: SecurityFilter) -> tuple[SecurityEvent, ...]:
        """Return entries, newest first; with `after` oldest first."""
        ...

    def note_key_use(self, key: str, at: datetime) -> bool:
        """Note that a key was used, without waiting for anybody's turn to write; tell whether it was the first time."""
        ...
