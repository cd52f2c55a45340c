"""Originals of evidence in PostgreSQL; see `saidonce.foundation.ports.Originals`."""

from __future__ import annotations

from collections.abc import Sequence

from saidonce.adapters.postgres.clean import clean
from saidonce.adapters.postgres.connection import Database
from saidonce.adapters.postgres.records import OriginalRow
from saidonce.foundation.model import Original, StoredDocument


class PostgresOriginals:
    """Gives the originals of one organisation."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, sha256: str, part: int) -> Original | None:
        """Return a source (part 0) or a picture of it, or None."""
        rows = self._database.nouns(OriginalRow, "original", sha256=clean(sha256), part=part)
        return rows[0].original if rows else None

    def marks(self, sha256: str = "") -> tuple[Original, ...]:
        """Return what has a mark, without its content, by SHA-256 and part."""
        rows = self._database.nouns(OriginalRow, "original_marks", sha256=clean(sha256))
        return tuple(row.original for row in rows)

    def documents(self, sha256s: Sequence[str]) -> tuple[StoredDocument, ...]:
        """Return the present documents whose sources have these SHA-256, by collection and name."""
        fingerprints = sorted({clean(each) for each in sha256s})
        return tuple(self._database.nouns(StoredDocument, "documents_of_sources", fingerprints=fingerprints))
