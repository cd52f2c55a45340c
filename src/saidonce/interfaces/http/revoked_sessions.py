"""Sessions that were signed out of; their signed cookies would be good otherwise until they run out."""

from __future__ import annotations

import hashlib
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

SESSION_S = 14 * 24 * 3600
"""Seconds for which a session's cookie is good after its last use."""


@dataclass(frozen=True, slots=True)
class EndedSessions:
    """Ended sessions as empty files, shared by all server processes over one data folder.

    Args:
        folder: created when the first session ends.
    """

    folder: Path

    def add(self, session: str) -> None:
        """Record the end of a session, and drop those whose cookies have expired."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._at(session).touch()
        for old in self.folder.iterdir():
            with suppress(FileNotFoundError):  # Another process was faster.
                if time.time() - old.stat().st_mtime > SESSION_S:
                    old.unlink()

    def has(self, session: str) -> bool:
        """Return whether a session ended."""
        return self._at(session).exists()

    def _at(self, session: str) -> Path:
        return self.folder / hashlib.sha256(session.encode()).hexdigest()
