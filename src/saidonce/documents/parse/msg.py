"""Parse MSG, an item of Outlook: a message, an appointment or a card; attached files and messages are sections.

Source: [MS-OXMSG] (storages and streams), [MS-OXPROPS] (numbers of properties).
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from datetime import datetime
from email import message_from_string, policy
from email.utils import parseaddr

import compressed_rtf
from compressed_rtf.crc32 import crc32

from saidonce.documents.parse import rtf
from saidonce.documents.parse.dates import from_mail
from saidonce.documents.parse.decode import decode
from saidonce.documents.parse.draft import DocumentDraft, one_line
from saidonce.documents.parse.mail import MAX_MESSAGE_DEPTH, MAX_PARTS, add_attachment, header_text
from saidonce.documents.parse.mail_quotes import attribute, read_body, read_page
from saidonce.documents.parse.ole import MESSAGE, CompoundFile, encoding_of, from_ticks
from saidonce.documents.parse.source import MIB, NamedBytes
from saidonce.errors import Refusal
from saidonce.foundation.model import MediaPlace

_SUBJECT, _BODY, _HTML, _RICH = 0x0037, 0x1000, 0x1013, 0x1009
_SENDERS = (0x0C1A, 0x0042, 0x5D01, 0x5D02, 0x0C1F, 0x0065)
_HEADERS = 0x007D
_RECEIVED = (("to", 0x0E04), ("cc, copied in", 0x0E03))
"""The names of those who received a message, one behind the other."""

_DATES = (0x0039, 0x0E06)
_CODE_PAGE, _BODY_CODE_PAGE = 0x3FFD, 0x3FDE
_FILE, _FILE_NAMES = 0x3701, (0x3707, 0x3704, 0x3001)
_ATTACHED, _NAMES = "__attach_version1.0_#", "__nameid_version1.0/__substg1.0_00030102"

_WHEN = {"start": (0x820D, 0x0060), "end": (0x820E, 0x0061)}
_WHERE = 0x8208
_CARD = {"name": 0x3001, "organisation": 0x3A16, "role": 0x3A17, "telephone": 0x3A08, "home telephone": 0x3A09,
         "mobile telephone": 0x3A1C}  # fmt: skip
_CARD_MAIL = 0x8083
"""Properties of appointments and cards; those from 0x8000 are named, and stored under other numbers."""

MOST_UNFOLDED = 9
"""Characters of rich text for each packed byte: two bytes stand for 17 at most, and eight such pairs take one more."""

ReadSource = Callable[[NamedBytes], DocumentDraft]


def read(source: NamedBytes, read_attachment: ReadSource) -> DocumentDraft:
    """Read an item.

    Args:
        read_attachment: reads a source of any family; its refusal becomes a warning.
    """
    draft = DocumentDraft(source)
    package = CompoundFile(source)
    item = _Item(package, "", 32)
    headers = message_from_string(item.text(_HEADERS), policy=policy.compat32)
    draft.title = item.text(_SUBJECT)
    draft.author = _sender(item)
    if not draft.author:
        name, address = parseaddr(header_text(headers, "from"))
        draft.author = one_line(name or address)
    draft.authored_at = next((at for n in _DATES if (at := item.time(n))), None) or from_mail(
        header_text(headers, "date")
    )
    draft.record(_correspondents(draft.author, item))
    if draft.title:
        draft.heading(draft.title, 1)
    _ItemReader(draft, package, read_attachment).add(item, 0)
    return draft


def _sender(item: _Item) -> str:
    return next((name for n in _SENDERS if (name := one_line(item.text(n)))), "")


def _correspondents(sender: str, item: _Item) -> list[str]:
    """Return who sent an item and who received it, a line each; nothing for one that went to nobody, such as a card."""
    received = [(label, one_line(item.text(number))) for label, number in _RECEIVED]
    lines = [f"{label}: {names.replace('; ', ', ')}" for label, names in received if names]
    return [f"from: {sender}"] * bool(sender) + lines if lines else []


class _Item:
    """The properties of an item, or of one attached to another.

    Args:
        storage: path of its storage; empty for the item itself.
        n_head: bytes before the properties of fixed length.
    """

    def __init__(self, package: CompoundFile, storage: str, n_head: int) -> None:
        self.storage = storage
        self._package = package
        self._fixed: dict[int, bytes] = {}
        written = package.stream(self._path(MESSAGE)) or b""
        for at in range(n_head, len(written) - 15, 16):
            _, number = struct.unpack_from("<HH", written, at)
            self._fixed.setdefault(number, written[at + 8 : at + 16])
        self._named = self._stored_numbers()

    def number(self, number: int) -> int:
        """Return a number; 0 if there is none."""
        return int.from_bytes(self._fixed.get(number, b"")[:4], "little")

    def time(self, number: int) -> datetime | None:
        """Return a time, aware UTC; None if there is none."""
        return from_ticks(self._fixed.get(self._stored(number), b""))

    def text(self, number: int) -> str:
        """Return a text; empty if there is none."""
        stored = self._stored(number)
        wide = self.stream(stored, 0x1F)
        if wide is not None:
            return wide.decode("utf-16-le", "replace").rstrip("\0")
        narrow = (self.stream(stored, 0x1E) or b"").rstrip(b"\0")
        return decode(narrow, self.encoding(_CODE_PAGE)).text if narrow else ""

    def stream(self, number: int, kind: int) -> bytes | None:
        """Return the content of a property of a type; None if there is none."""
        return self._package.stream(self._path(f"__substg1.0_{number:04X}{kind:04X}"))

    def encoding(self, number: int) -> str:
        """Return the encoding that a property names by its code page; empty if it names none."""
        return encoding_of(self.number(number))

    def attached(self) -> list[str]:
        """Return the paths of the storages of what is attached, in order."""
        return [self._path(name) for name in self._package.names(self.storage) if name.startswith(_ATTACHED)]

    def is_storage(self, number: int) -> bool:
        """Return whether a property is a storage of its own, as an attached item is."""
        return bool(self._package.names(self._path(f"__substg1.0_{number:04X}000D")))

    def _path(self, name: str) -> str:
        return f"{self.storage}/{name}" if self.storage else name

    def _stored(self, number: int) -> int:
        return self._named.get(number, 0xFFFF) if number >= 0x8000 else number

    def _stored_numbers(self) -> dict[int, int]:
        """Return the numbers under which properties with a number for a name are stored, by that number."""
        listed = self._package.stream(_NAMES) or b""
        rows = (struct.unpack_from("<IHH", listed, at) for at in range(0, len(listed) - 7, 8))
        return {name: 0x8000 + n for name, kind, n in rows if not kind & 1}


class _ItemReader:
    """Adds an item, and what is attached to it, to a draft."""

    def __init__(self, draft: DocumentDraft, package: CompoundFile, read_attachment: ReadSource) -> None:
        self._draft = draft
        self._package = package
        self._read_attachment = read_attachment
        self._n_parts = 0

    def add(self, item: _Item, depth: int) -> None:
        """Add the text of an item, then what is attached to it."""
        self._record(item)
        self._text(item)
        for path in item.attached():
            self._n_parts += 1
            if self._n_parts > MAX_PARTS:
                raise self._draft.source.refuse(Refusal.HOSTILE, f"it has more than {MAX_PARTS} parts")
            attached = _Item(self._package, path, 8)
            if attached.is_storage(_FILE):
                self._enclosed(attached, depth)
            else:
                name = next((name for n in _FILE_NAMES if (name := one_line(attached.text(n)))), "attachment")
                add_attachment(self._draft, name, attached.stream(_FILE, 0x102) or b"", self._read_attachment)

    def _enclosed(self, attached: _Item, depth: int) -> None:
        """Add an attached item as a section; an embedded drawing or sheet, which has no properties, is named."""
        inner = _Item(self._package, f"{attached.storage}/__substg1.0_{_FILE:04X}000D", 24)
        if MESSAGE not in self._package.names(inner.storage):
            self._draft.warn(f"attachment {one_line(attached.text(0x3001)) or 'object'!r} was not read")
            return
        if depth >= MAX_MESSAGE_DEPTH:
            self._draft.warn("nested messages were read to a limited depth only")
            return
        if subject := inner.text(_SUBJECT):
            self._draft.heading(subject, 2)
        n_before = len(self._draft.elements)
        self.add(inner, depth + 1)
        attribute(self._draft, n_before, MediaPlace(speaker=_sender(inner), is_quoted=True))

    def _record(self, item: _Item) -> None:
        """Add when and where of an appointment, and who of a card."""
        kind = item.text(0x001A).upper()
        lines: list[str] = []
        if kind.startswith(("IPM.APPOINTMENT", "IPM.SCHEDULE")):
            for label, numbers in _WHEN.items():
                at = next((at for n in numbers if (at := item.time(n))), None)
                lines += [f"{label}: {at:%Y-%m-%d %H:%M} UTC"] if at else []
            lines += [f"location: {where}"] if (where := one_line(item.text(_WHERE))) else []
        elif kind.startswith("IPM.CONTACT"):
            stated = {label: one_line(item.text(n)) for label, n in {**_CARD, "e-mail": _CARD_MAIL}.items()}
            lines += [f"{label}: {text}" for label, text in stated.items() if text]
        if lines:
            self._draft.record(lines)

    def _text(self, item: _Item) -> None:
        """Add the plain text; where that is blank, the markup, or else the rich text."""
        if (text := item.text(_BODY)).strip():
            read_body(text, self._draft)
            return
        markup = item.stream(_HTML, 0x102)
        shown = decode(markup, item.encoding(_BODY_CODE_PAGE)).text if markup else item.text(_HTML)
        if shown.strip():
            read_page(shown, self._draft)
        elif (packed := item.stream(_RICH, 0x102)) is not None:
            self._rich_text(packed)

    def _rich_text(self, packed: bytes) -> None:
        source = self._draft.source
        size, kind, mark = int.from_bytes(packed[4:8], "little"), packed[8:12], int.from_bytes(packed[12:16], "little")
        is_whole = mark == crc32(packed[16:]) if kind == b"LZFu" else kind == b"MELA" and not mark
        if len(packed) < 16 or not is_whole or size > MOST_UNFOLDED * len(packed):
            self._draft.warn("its rich text is damaged and was not read")
            return
        if size > source.limits.max_text_mb * MIB:
            raise source.refuse(Refusal.TOO_LARGE, f"its rich text has more than {source.limits.max_text_mb} MiB")
        unpacked = compressed_rtf.decompress(packed)
        self._draft.take_in(rtf.read(NamedBytes(source.name, unpacked, source.limits, depth=source.depth + 1)), 1)
