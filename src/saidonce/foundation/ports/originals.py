"""Port of the originals of evidence: files and the pictures of their pages, as `put_document` keeps them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from saidonce.foundation.model import Original, StoredDocument


class Originals(Protocol):
    """Gives the originals of one organisation; they come with a document, and go with the last one of their bytes."""

    def get(self, sha256: str, part: int) -> Original | None:
        """Return a source (part 0) or a picture of it, or None if the organisation does not keep it."""
        ...

    def marks(self, sha256: str = "") -> tuple[Original, ...]:
        """Return what has a mark, without its content, by SHA-256 and part; of one source, or of all."""
        ...

    def documents(self, sha256s: Sequence[str]) -> tuple[StoredDocument, ...]:
        """Return the present documents whose sources have these SHA-256, by collection and name."""
        ...
