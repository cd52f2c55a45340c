"""Port of the files that residents send: kept whole, by what they contain."""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol


class MediaFiles(Protocol):
    """Keeps the files of one organisation; every method is one transaction."""

    def put(self, content: bytes, mime: str) -> str:
        """Keep a file, and give its SHA-256 in 64 lower-case hex digits.

        The same content is kept once, under the type with which it came first.
        """
        ...

    def get(self, sha256: str) -> tuple[bytes, str] | None:
        """Return a file's content and its type, or None if the organisation has no such file."""
        ...

    def drop(self, sha256s: Collection[str]) -> int:
        """Remove files; give how many were there."""
        ...
