"""Open compound files (OLE2) of old Office programs; every chain of sectors is checked before it is read."""

from __future__ import annotations

from io import BytesIO

import olefile

from saidonce.documents.parse.source import MIB, NamedBytes
from saidonce.errors import Refusal

WORKBOOKS = ("Workbook", "Book")
MESSAGE = "__properties_version1.0"


class CompoundFile:
    """The storages and streams of a compound file.

    Raises:
        SourceRefusedError: CORRUPT, its directory cannot be read.
    """

    def __init__(self, source: NamedBytes) -> None:
        self._source = source
        self._left = 2 * len(source.content) + MIB
        try:
            self._file = olefile.OleFileIO(BytesIO(source.content))
        except (OSError, ValueError, IndexError, TypeError, KeyError, OverflowError) as bad:
            raise source.refuse(Refusal.CORRUPT, f"its directory is damaged: {bad}"[:200]) from bad

    def names(self, storage: str = "") -> tuple[str, ...]:
        """Return the names in a storage, sorted."""
        entry = self._entry(storage)
        return tuple(sorted(child.name for child in entry.kids)) if entry is not None else ()

    def stream(self, path: str) -> bytes | None:
        """Return the content of a stream; None if there is none.

        Raises:
            SourceRefusedError: CORRUPT, its sectors are damaged, or HOSTILE, the streams are larger than the file.
        """
        entry = self._entry(path)
        if entry is None or entry.entry_type != olefile.STGTY_STREAM:
            return None
        self._check_sectors(entry.isectStart, entry.size)
        self._left -= entry.size
        if self._left < 0:
            raise self._source.refuse(Refusal.HOSTILE, "its streams share sectors, and are larger than the file")
        try:
            with self._file.openstream(path.split("/")) as opened:
                content: bytes = opened.read()
        except (OSError, ValueError, IndexError, TypeError) as bad:
            raise self._source.refuse(Refusal.CORRUPT, f"a stream is damaged: {bad}"[:200]) from bad
        if len(content) < entry.size:
            raise self._source.refuse(Refusal.CORRUPT, "a stream ends too early")
        return content

    def properties(self) -> olefile.OleMetadata:
        """Return the properties of the document: title, author, times; text as bytes in their code page."""
        return self._file.get_metadata()

    def _entry(self, path: str) -> olefile.OleDirectoryEntry | None:
        entry = self._file.root
        for part in path.split("/") if path else ():
            entry = entry.kids_dict.get(part.lower())
            if entry is None:
                return None
        return entry

    def _check_sectors(self, first: int, size: int) -> None:
        is_small = size < self._file.minisectorcutoff
        if size > len(self._source.content):
            raise self._source.refuse(Refusal.CORRUPT, "a stream claims to be larger than the file")
        if is_small and self._file.minifat is None:
            self._file.loadminifat()
        table = self._file.minifat if is_small else self._file.fat
        n_sectors = -(-size // (self._file.minisectorsize if is_small else self._file.sectorsize))
        seen: set[int] = set()
        at = first
        for _ in range(n_sectors):
            if at in seen:
                raise self._source.refuse(Refusal.CORRUPT, "the sectors of a stream lead in a circle")
            if not 0 <= at < len(table):
                raise self._source.refuse(Refusal.CORRUPT, "a stream ends too early")
            seen.add(at)
            at = table[at]


def family_of(source: NamedBytes) -> str:
    """Return the family of a compound file by its streams; empty if no parser reads it.

    Raises:
        SourceRefusedError: CORRUPT, its directory cannot be read.
    """
    names = CompoundFile(source).names()
    if any(name in names for name in WORKBOOKS):
        return "xls"
    return "msg" if MESSAGE in names else ""
