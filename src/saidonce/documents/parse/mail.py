"""Parse an e-mail message: subject, text, and readable attachments as sections."""

from __future__ import annotations

import email
import re
from collections.abc import Callable, Iterator
from email import policy
from email.header import decode_header
from email.message import Message
from email.utils import getaddresses
from typing import Any

from saidonce.documents.parse import html
from saidonce.documents.parse.dates import from_mail
from saidonce.documents.parse.decode import decode
from saidonce.documents.parse.draft import DocumentDraft, one_line
from saidonce.documents.parse.formats import container_of
from saidonce.documents.parse.mail_quotes import attribute, read_body, read_page
from saidonce.documents.parse.source import NamedBytes
from saidonce.documents.parse.stated import Stated
from saidonce.errors import Refusal, SourceRefusedError
from saidonce.foundation.model import MediaPlace

CALENDAR = "text/calendar"
MAX_PARTS = 500
MAX_MESSAGE_DEPTH = 3
MAX_ATTACHMENT_DEPTH = 1
_MAIL_HTML = re.compile(r"</?(?:p|div|br|table|html|span|td)\b[^<>]*>", re.I)
_HEADED = (("from", "from"), ("to", "to"), ("cc, copied in", "cc"))
_SAVED = re.compile(r"[\s\"<]*saved by\b", re.I)
"""What programs that save pages write for a sender."""

_WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_ENCODINGS = frozenset({"7bit", "8bit", "binary", "base64", "quoted-printable", "x-uuencode", "uuencode", "uue"})
_MAILS = frozenset({"eml", "msg"})
_TEXTS = frozenset({"text/plain", "text/html"})
ReadSource = Callable[[NamedBytes], DocumentDraft]


def read(source: NamedBytes, read_attachment: ReadSource) -> DocumentDraft:
    """Read a message.

    Args:
        read_attachment: reads a source of any family; its refusal becomes a warning.
    """
    draft = DocumentDraft(source)
    message = email.message_from_bytes(_from_utf16(source.content), policy=policy.compat32)
    draft.title = header_text(message, "subject")
    draft.author = next(iter(_named(message, "from")), "")
    dates = (from_mail(header_text(message, name)) for name in ("date", "resent-date"))
    draft.authored_at = next((date for date in dates if date), None)
    if message.get("date") and draft.authored_at is None:
        draft.warn("its date header cannot be read")
    if "\ufffd" in draft.title + draft.author:
        draft.warn("its subject or sender contains characters of an unknown encoding")
    draft.record(_correspondents(message))
    if draft.title:
        draft.heading(draft.title, 1)
    _Message(draft, read_attachment).read(message, 0)
    return draft


def _correspondents(message: Message) -> list[str]:
    """Return who sent a message and who received it, a line each; nothing for one that went to nobody.

    They stand over its subject, apart from its text: so they can be searched for, and two messages of one text to
    other people still say the same.
    """
    lines = [(label, _named(message, name)) for label, name in _HEADED]
    return [f"{label}: {', '.join(named)}" for label, named in lines if named] if any(n for _, n in lines[1:]) else []


def _named(message: Message, header: str) -> list[str]:
    """Return the people whom a header names, each once: their names, or the addresses of those who have none there.

    A program that has saved a page is nobody, however its name is written: without quotes, it reads as an address.
    """
    if _SAVED.match(header_text(message, header)):
        return []
    raw = [str(value) for value in message.get_all(header, [])]
    is_encoded = all(line.isascii() for line in raw)  # its words may hold commas, which end no name
    people = getaddresses(raw if is_encoded else [header_text(message, header)])
    return list(dict.fromkeys(shown for name, address in people if (shown := _decoded(name) or one_line(address))))


def _from_utf16(content: bytes) -> bytes:
    """Return a message saved as UTF-16 in the 8-bit form that its headers describe."""
    decoded = decode(content)
    return decoded.text.encode() if decoded.encoding.startswith(("utf-16", "utf-32")) else content


def header_text(message: Message, name: str) -> str:
    """Return a header as text; broken encodings are decoded as far as possible."""
    raw = message.get(name)
    if raw is None:
        return ""
    return _decoded(raw)


def _decoded(raw: Any) -> str:
    """Return the words of a header as text; many programs encode the names of files like that, too."""
    try:
        parts = decode_header(raw)
    except (ValueError, LookupError):
        return one_line(str(raw))
    texts = []
    for part, charset in parts:
        texts.append(part if isinstance(part, str) else decode(part, charset or "").text)
    return one_line("".join(texts))


class _Message:
    def __init__(self, draft: DocumentDraft, read_attachment: ReadSource) -> None:
        self._draft = draft
        self._read_attachment = read_attachment
        self._n_parts = 0

    def read(self, message: Message, depth: int) -> None:
        """Add a part and all its nested parts."""
        self._count(depth)
        kind = message.get_content_type()
        self._note_defects(message)
        if kind == "message/rfc822":
            self._enclosed(message, depth)
        elif message.is_multipart():
            self._parts(message, depth)
        elif _is_attachment(message) or kind == CALENDAR:
            self._attachment(message)
        else:
            self._text(message, kind)

    def _parts(self, message: Message, depth: int) -> None:
        """Add the parts of a part; of alternatives the best one, and what the others alone hold."""
        inner = _parts(message)
        if message.get_content_type() != "multipart/alternative":
            for part in inner:
                self.read(part, depth + 1)
            return
        chosen = list(_best_alternatives(inner))
        n_before = len(self._draft.elements)
        for part in chosen:
            self.read(part, depth + 1)
        stated = Stated(element.text for element in self._draft.elements[n_before:])
        for part in inner:
            if part not in chosen:
                self._others(part, stated, depth + 1)

    def _others(self, part: Message, stated: Stated, depth: int) -> None:
        """Add the files and mails within an alternative that was not chosen, and the texts that the chosen one lacks.

        Some programs put attached files into the page's alternative; some plain texts only say that there is a page.
        """
        kind = part.get_content_type()
        if kind == "message/rfc822":
            self.read(part, depth)
            return
        self._count(depth)
        if part.is_multipart():
            for inner in _parts(part):
                self._others(inner, stated, depth + 1)
        elif kind == CALENDAR or _is_attachment(part):
            if kind == CALENDAR or (_file_name(part) and part.get_content_maintype() != "image"):
                self._attachment(part)
        elif kind in _TEXTS:
            n_before = len(self._draft.elements)
            self._text(part, kind)
            read = self._draft.elements[n_before:]
            self._draft.elements[n_before:] = [element for element in read if not stated.holds(element.text)]

    def _count(self, depth: int) -> None:
        """Count a part; refuse a message of too many."""
        self._n_parts += 1
        if self._n_parts > MAX_PARTS or depth > self._draft.source.limits.max_depth:
            raise self._draft.source.refuse(
                Refusal.HOSTILE, f"it has more than {MAX_PARTS} parts or is nested too deeply"
            )

    def _note_defects(self, message: Message) -> None:
        for defect in message.defects:
            self._draft.warn(f"the message breaks the mail format: {_WORDS.sub(' ', type(defect).__name__).lower()}")
        encoding = str(message.get("content-transfer-encoding", "7bit")).strip().casefold()
        if encoding not in _ENCODINGS:
            self._draft.warn(f"unknown transfer encoding {encoding[:40]!r}; read without decoding")

    def _enclosed(self, message: Message, depth: int) -> None:
        for inner in _parts(message):
            subject = header_text(inner, "subject")
            if subject:
                self._draft.heading(subject, 2)
            self._draft.record(_correspondents(inner))
            n_before = len(self._draft.elements)
            if depth < MAX_MESSAGE_DEPTH * 2:
                self.read(inner, depth + 1)
                sender = next(iter(_named(inner, "from")), "")
                attribute(self._draft, n_before, MediaPlace(speaker=sender, is_quoted=True))
            else:
                self._draft.warn("nested messages were read to a limited depth only")

    def _text(self, part: Message, kind: str) -> None:
        content = _content(part)
        text = decode(content, part.get_content_charset() or "").text
        if kind == "text/html" or (kind != "text/plain" and _MAIL_HTML.search(text)):
            read = read_page if self._draft.author else html.read_fragment  # a saved page has no sender
            read(text, self._draft)
        else:
            read_body(_join_flowed(part, text), self._draft)

    def _attachment(self, part: Message) -> None:
        is_calendar = part.get_content_type() == CALENDAR
        name = one_line(_file_name(part)) or ("calendar.ics" if is_calendar else "attachment")
        content = _content(part)
        add_attachment(self._draft, name, content, self._read_attachment)


def add_attachment(draft: DocumentDraft, name: str, content: bytes, read_attachment: ReadSource) -> None:
    """Add an attached file to a message as a section; what cannot be read becomes a warning that names it."""
    depth = draft.source.depth + 1
    if container_of(name):
        draft.warn(f"attachment {name!r} was not read: archives in messages are not opened; save it")
        return
    if not content or depth > MAX_ATTACHMENT_DEPTH:
        why = "it is nested too deeply" if content else "it is empty"
        draft.warn(f"attachment {name!r} was not read: {why}")
        return
    try:
        inner = read_attachment(NamedBytes(name, content, draft.source.limits, depth=depth))
    except SourceRefusedError as refused:
        detail = refused.detail.split("; read are: ")[0]
        draft.warn(f"attachment {name!r} was not read ({refused.reason}): {detail}")
        return
    draft.heading(name, 2)
    n_before = len(draft.elements)
    draft.take_in(inner, deeper=2)
    if inner.author and inner.source.family in _MAILS:
        attribute(draft, n_before, MediaPlace(speaker=inner.author, is_quoted=True))


def _join_flowed(part: Message, text: str) -> str:
    """Return format=flowed text with its soft line breaks joined, quoted lines with their mark. Source: RFC 3676, 4."""
    if str(part.get_param("format") or "").casefold() != "flowed":
        return text
    is_deleted = str(part.get_param("delsp") or "").casefold() == "yes"
    joined: list[str] = []
    pieces: list[str] = []
    depth = 0
    for line in text.splitlines():
        n_marks = len(line) - len(line.lstrip(">"))
        body = line[n_marks:].removeprefix(" ")
        if pieces and (n_marks != depth or body in ("-- ", "")):
            joined.append(_marked("".join(pieces), depth))
            pieces = []
        depth = n_marks
        flows = body.endswith(" ") and body != "-- "
        pieces.append(body[:-1] if flows and is_deleted else body)
        if not flows:
            joined.append(_marked("".join(pieces), depth))
            pieces = []
    return "\n".join([*joined, _marked("".join(pieces), depth)] if pieces else joined)


def _marked(text: str, depth: int) -> str:
    return f"{'>' * depth} {text}" if depth else text


def _parts(message: Message) -> list[Message]:
    payload = message.get_payload()
    return [part for part in payload if isinstance(part, Message)] if isinstance(payload, list) else []


def _best_alternatives(alternatives: list[Message]) -> Iterator[Message]:
    """Yield the plain text, or the richest alternative if it is blank; and a calendar in any case."""
    for part in alternatives:
        if part.get_content_type() == "text/plain" and _content(part).strip():
            yield part
            break
    else:
        yield from [part for part in alternatives if part.get_content_type() != CALENDAR][-1:]
    yield from (part for part in alternatives if part.get_content_type() == CALENDAR)


def _is_attachment(part: Message) -> bool:
    disposition = (str(part.get("content-disposition") or "")).strip().casefold()
    if disposition.startswith("attachment") and (_file_name(part) or part.get_content_maintype() != "text"):
        return True
    return bool(_file_name(part)) or part.get_content_maintype() not in ("text", "multipart")


def _file_name(part: Message) -> str:
    try:
        return _decoded(part.get_filename() or "")
    except (ValueError, LookupError, TypeError, AttributeError):
        return ""


def _content(part: Message) -> bytes:
    payload = part.get_payload(decode=True)
    return payload if isinstance(payload, bytes) else b""
