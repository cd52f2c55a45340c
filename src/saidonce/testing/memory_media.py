"""Files of residents in memory: the shipped fake; see `saidonce.foundation.ports.MediaFiles`."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator

from saidonce.adapters.postgres.clean import clean
from saidonce.adapters.postgres.records import MediaRow


class MemoryMedia:
    """Keeps the files of one organisation in memory."""

    def __init__(self) -> None:
        self._files: dict[str, tuple[bytes, str]] = {}

    def put(self, content: bytes, mime: str) -> str:
        """Keep a file, and return its SHA-256 in 64 lower-case hex digits."""
        sha256 = hashlib.sha256(content).hexdigest()
        self._files.setdefault(sha256, (bytes(content), clean(mime)))
        return sha256

    def get(self, sha256: str) -> tuple[bytes, str] | None:
        """Return a file's content and its type, or None."""
        return self._files.get(sha256)

    def drop(self, sha256s: Collection[str]) -> int:
        """Remove files; return how many were there."""
        return sum(self._files.pop(sha256, None) is not None for sha256 in set(sha256s))

    def is_empty(self) -> bool:
        """Return whether there is no file."""
        return not self._files

    def rows(self) -> Iterator[MediaRow]:
        """Return the files as rows of an export, by SHA-256."""
        return iter([MediaRow(sha256, mime, content) for sha256, (content, mime) in sorted(self._files.items())])

    def load(self, rows: Iterable[MediaRow]) -> None:
        """Keep the rows of an export instead of nothing."""
        self._files = {row.sha256: (row.content, row.mime) for row in rows}
