"""Open compound files (OLE2) of old Office programs; every chain of sectors is checked before it is read."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from io import BytesIO

import olefile

from saidonce.documents.parse.dates import utc
from saidonce.documents.parse.decode import decode
from saidonce.documents.parse.source import MIB, NamedBytes
from saidonce.errors import Refusal

WORKBOOKS = ("Workbook", "Book")
MESSAGE = "__properties_version1.0"
_SUMMARY = "\x05SummaryInformation"
MOST_PROPERTIES = 200
MOST_CHARACTERS = 4_000
_WIDE = b"\x1f"
_EPOCH = datetime(1601, 1, 1, tzinfo=UTC)
_ENCODINGS = {
    1200: "utf-16-le", 10000: "mac-roman", 20127: "ascii", 20866: "koi8-r", 21866: "koi8-u", 32768: "mac-roman",
    32769: "cp1252", 50220: "iso-2022-jp", 51932: "euc-jp", 51949: "euc-kr", 54936: "gb18030", 65001: "utf-8",
}  # fmt: skip
_LATIN_PAGES = range(28591, 28606)


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


@dataclass(frozen=True, slots=True)
class CoreProperties:
    """The core properties of a document, by their names in the newer formats."""

    title: str = ""
    author: str = ""
    modified: datetime | None = None
    created: datetime | None = None
    language: str = ""


def core_properties(package: CompoundFile) -> CoreProperties:
    """Read the core properties, as far as they are whole. Source: [MS-OLEPS]."""
    written = package.stream(_SUMMARY) or b""
    section = written[int.from_bytes(written[44:48], "little") :]
    n_stated = min(int.from_bytes(section[4:8], "little"), MOST_PROPERTIES, max(0, len(section) - 8) // 8)
    places = dict(struct.unpack_from("<II", section, 8 + 8 * n) for n in range(n_stated))
    values = {number: section[at : at + 8 + MOST_CHARACTERS] for number, at in places.items()}
    encoding = encoding_of(int.from_bytes(values.get(1, b"")[4:6], "little") or 1252)

    def text(number: int) -> str:
        value = values.get(number, b"")
        content = value[8 : 8 + int.from_bytes(value[4:8], "little") * (2 if value[:1] == _WIDE else 1)]
        return decode(content, "utf-16-le" if value[:1] == _WIDE else encoding).text.rstrip("\0") if content else ""

    return CoreProperties(
        text(2), text(4), from_ticks(values.get(13, b"")[4:12]), from_ticks(values.get(12, b"")[4:12])
    )


def from_ticks(written: bytes) -> datetime | None:
    """Return a time written as tenths of microseconds since 1601, aware UTC; None if there is none."""
    ticks = int.from_bytes(written, "little")
    try:
        return utc(_EPOCH + timedelta(microseconds=ticks // 10)) if ticks else None
    except OverflowError:
        return None


def encoding_of(page: int) -> str:
    """Return the encoding that a code page of Windows names; empty for none."""
    if page in _LATIN_PAGES:
        return f"iso-8859-{page - _LATIN_PAGES.start + 1}"
    return _ENCODINGS.get(page, f"cp{page}" if page else "")


def family_of(source: NamedBytes) -> str:
    """Return the family of a compound file by its streams; empty if no parser reads it.

    Raises:
        SourceRefusedError: CORRUPT, its directory cannot be read.
    """
    names = CompoundFile(source).names()
    if any(name in names for name in WORKBOOKS):
        return "xls"
    return "msg" if MESSAGE in names else ""
