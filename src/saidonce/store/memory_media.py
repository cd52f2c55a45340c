"""Files of residents in memory: the shipped fake; see `saidonce.ports.MediaFiles`."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from saidonce.store.clean import clean


class MemoryMedia:
    """Keeps the files of one organisation in memory."""

    def __init__(self) -> None:
        self._files: dict[str, tuple[bytes, str]] = {}

    def put(self, content: bytes, mime: str) -> str:
        """Keep a file, and give its SHA-256 in 64 lower-case hex digits."""
        sha256 = hashlib.sha256(content).hexdigest()
        self._files.setdefault(sha256, (bytes(content), clean(mime)))
        return sha256

    def get(self, sha256: str) -> tuple[bytes, str] | None:
        """Give a file's content and its type, or None."""
        return self._files.get(sha256)

    def files(self) -> Iterator[tuple[str, str, bytes]]:
        """Give (sha256, type, content) of every file, by SHA-256."""
        for sha256, (content, mime) in sorted(self._files.items()):
            yield sha256, mime, content
