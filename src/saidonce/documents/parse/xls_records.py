"""Read from the records of an old workbook what its library passes over: margins, boxes, titles, links, pictures."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

from saidonce.documents.parse.sheets import SheetTexts

_BOF, _EOF, _CONTINUE = 0x809, 0x0A, 0x3C
_HEADER, _FOOTER, _OBJECT, _TEXT_BOX, _LINKS = 0x14, 0x15, 0x5D, 0x1B6, 0x1AE
_SERIES, _LABEL, _LABEL_TEXT, _PICTURES = 0x1003, 0x1025, 0x100D, 0xEB
_TAKEN = frozenset((
    _BOF, _EOF, _HEADER, _FOOTER, _OBJECT, _TEXT_BOX, _LINKS, _SERIES, _LABEL, _LABEL_TEXT, _PICTURES
))  # fmt: skip
MOST_CONTINUED = 16
"""Records that continue the text of a box; one holds 8 KB, and a box 32,767 characters."""

_SHEET, _CHART = 0x10, 0x20
_NOTE = 0x19
_PICTURE_HEADS = (b"\x89PNG\r\n", b"\xff\xd8\xff")


@dataclass(slots=True)
class OutsideCells:
    """What stands in a workbook outside cells: by sheet, in the order of the sheets with cells."""

    sheets: list[SheetTexts] = field(default_factory=list)
    is_linked: bool = False
    has_pictures: bool = False
    _levels: list[int] = field(default_factory=list)
    _is_note: bool = False
    _is_label: bool = False

    def take(self, kind: int, data: bytes, following: list[tuple[int, bytes]]) -> None:
        """Take a record in; those that follow it may continue it."""
        if kind == _BOF and len(data) >= 4:
            self._levels.append(int.from_bytes(data[2:4], "little"))
            if self._levels == [_SHEET]:
                self.sheets.append(SheetTexts())
        elif kind == _EOF:
            self._levels[-1:] = []
        elif kind == _LINKS:
            self.is_linked |= len(data) > 4
        elif kind == _PICTURES:
            self.has_pictures |= any(head in data for head in _PICTURE_HEADS)
        elif self.sheets:
            self._take_text(kind, data, following)

    def _take_text(self, kind: int, data: bytes, following: list[tuple[int, bytes]]) -> None:
        if kind in (_HEADER, _FOOTER) and self._levels == [_SHEET]:
            self.sheets[-1].margins.append(_string(data, 2))
        elif kind == _OBJECT and len(data) >= 6:
            self._is_note = int.from_bytes(data[4:6], "little") == _NOTE
        elif kind == _TEXT_BOX and not self._is_note:
            self.sheets[-1].boxes.append(_box_text(data, following))
        elif kind in (_SERIES, _LABEL):
            self._is_label = kind == _LABEL
        elif kind == _LABEL_TEXT and self._is_label and _CHART in self._levels:
            self.sheets[-1].titles.append(_string(data[2:], 1))


def outside_cells(stream: bytes) -> OutsideCells:
    """Read the records of a workbook of Excel 97 or later, as far as they are whole."""
    outside = OutsideCells()
    records = list(_records(stream))
    for at, (kind, data) in enumerate(records):
        if kind in _TAKEN:
            outside.take(kind, data, records[at + 1 : at + 1 + MOST_CONTINUED])
    return outside


def _records(stream: bytes) -> Iterator[tuple[int, bytes]]:
    at = 0
    while at + 4 <= len(stream):
        kind, size = struct.unpack_from("<HH", stream, at)
        yield kind, stream[at + 4 : at + 4 + size]
        at += 4 + size


def _string(data: bytes, n_length: int) -> str:
    """Return a string that begins with its length, in one or two bytes, and a byte that says how it is written."""
    if len(data) <= n_length:
        return ""
    n = int.from_bytes(data[:n_length], "little")
    return _characters(data[n_length], data[n_length + 1 :], n)


def _characters(form: int, data: bytes, n: int) -> str:
    return data[: 2 * n].decode("utf-16-le", "replace") if form & 1 else data[:n].decode("latin-1")


def _box_text(data: bytes, following: list[tuple[int, bytes]]) -> str:
    """Return the text of a box, which stands in the records that continue it."""
    left = int.from_bytes(data[10:12], "little")
    pieces: list[str] = []
    for kind, more in following:
        if kind != _CONTINUE or not more or left <= 0:
            break
        pieces.append(_characters(more[0], more[1:], left))
        left -= len(pieces[-1])
    return "".join(pieces)
