"""Originals of evidence in memory: the shipped fake; see `saidonce.foundation.ports.Originals`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from saidonce.adapters.postgres.clean import clean
from saidonce.foundation.model import Original, StoredDocument
from saidonce.testing.memory_state import OrgState


class MemoryOriginals:
    """Gives the originals of one organisation."""

    def __init__(self, now: Callable[[], OrgState]) -> None:
        self._now = now

    def get(self, sha256: str, part: int) -> Original | None:
        """Return a source (part 0) or a picture of it, or None."""
        row = self._now().originals.get((clean(sha256), part))
        return row.original if row is not None else None

    def marks(self, sha256: str = "") -> tuple[Original, ...]:
        """Return what has a mark, without its content, by SHA-256 and part."""
        rows = sorted(self._now().originals.items())
        return tuple(
            replace(row.original, content=b"") for (of, _), row in rows if row.mark and clean(sha256) in ("", of)
        )

    def documents(self, sha256s: Sequence[str]) -> tuple[StoredDocument, ...]:
        """Return the present documents whose sources have these SHA-256, by collection and name."""
        state = self._now()
        present = (state.present(document_id) for document_id in state.documents)
        chosen = [document for document in present if document.fingerprint in {clean(each) for each in sha256s}]
        return tuple(sorted(chosen, key=lambda d: (d.collection, d.name)))
