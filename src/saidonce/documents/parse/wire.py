"""The protocol between parent and worker: framed bytes and a strictly checked reply."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import IO, Any

from saidonce.documents.parse.source import MIB, Limits
from saidonce.errors import Refusal, SourceRefusedError
from saidonce.foundation import plugins
from saidonce.foundation.model import Document, Element, Kind, MediaPlace, PagePicture, Row, Unpacked

_HEADER_BYTES = 8
_LANGUAGE = re.compile(r"[a-z]{2,3}")
_FORMAT = plugins.NAME
MAX_DETAIL = 1_000
_MARK = re.compile(r"(?:[a-z]+:[0-9a-f]{1,16384})?")
_JPEG = b"\xff\xd8\xff"
_MOST_SECONDS = 1e6
NO_MEMORY = 77
"""Exit status of a worker without memory to write a refusal."""

UNPACK = b"\x00unpack\x00"
"""Begins the name of a source that is to be unpacked, not parsed."""

READY = b"ready "
"""Begins the first frame of a worker; what protects it follows as JSON."""

MAX_READY = 16 * 1024
SINGLE_THREADS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "RAYON_NUM_THREADS",
    "TOKIO_WORKER_THREADS",
)
PASSED_ON = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "HOME", "TMPDIR", "SYSTEMROOT", "LD_LIBRARY_PATH", "PYTHONHASHSEED")
"""What a worker gets of its parent's environment."""

RETURNED_FROM = "MALLOC_MMAP_THRESHOLD_"
"""Variable of the C library: memory of so many bytes and more goes back to the system as soon as it is free. Left
alone, the library keeps what the layers of a model needed, and the next ones take as much beside it."""

ENVIRONMENT = (*PASSED_ON, *SINGLE_THREADS, "PYTHONPATH", "PYTHONSAFEPATH", "ORT_DISABLE_TELEMETRY", RETURNED_FROM)
"""All that may stand in a worker's environment."""


class FrameError(ValueError):
    """A frame exceeds its size limit, or a reply breaks its contract."""


def max_reply(limits: Limits) -> int:
    """Return the largest reply size in bytes: fully escaped text, and its envelope."""
    return (3 * limits.max_text_mb + 4) * MIB


def write_frame(stream: IO[bytes], payload: bytes) -> None:
    """Write one frame: its length, then its bytes."""
    stream.write(len(payload).to_bytes(_HEADER_BYTES, "big"))
    stream.write(payload)
    stream.flush()


def read_frame(stream: IO[bytes], at_most: int) -> bytes | None:
    """Read one frame; None if the other side has closed.

    Raises:
        FrameError: the frame is larger than `at_most` bytes.
    """
    header = _exactly(stream, _HEADER_BYTES)
    if header is None:
        return None
    length = int.from_bytes(header, "big")
    if length > at_most:
        raise FrameError(f"a frame of {length} bytes; at most {at_most} are taken")
    return _exactly(stream, length)


def _exactly(stream: IO[bytes], n_bytes: int) -> bytes | None:
    content = stream.read(n_bytes)
    return content if content is not None and len(content) == n_bytes else None


def encode_document(document: Document, *, retire: bool) -> bytes:
    """Encode a document as a reply; the text of tables is left out, since their rows contain it."""
    elements = [
        [e.kind, "" if e.rows else e.text, e.level, e.page, [list(row) for row in e.rows], _place_body(e.place)]
        for e in document.elements
    ]
    body = {
        "title": document.title,
        "format": document.format,
        "language": document.language,
        "authored_at": document.authored_at.isoformat() if document.authored_at else None,
        "author": document.author,
        "n_pages": document.n_pages,
        "warnings": list(document.warnings),
        "elements": elements,
        "pictures": [[p.number, base64.b64encode(p.content).decode(), p.mark] for p in document.pictures],
        "mark": document.mark,
    }
    return _encode({"document": body, "retire": retire})


def encode_refusal(refused: SourceRefusedError, *, retire: bool) -> bytes:
    """Encode a refusal as a reply."""
    return _encode({"refused": [refused.reason, refused.detail[:MAX_DETAIL]], "retire": retire})


def encode_wish(*, retire: bool) -> bytes:
    """Encode the reply that the source needs a recognition process."""
    return _encode({"recognise": True, "retire": retire})


def _place_body(place: MediaPlace | None) -> list[Any] | None:
    if place is None:
        return None
    return [
        place.picture, list(place.box), place.start_s, place.end_s, place.confidence, place.speaker, place.by,
        place.is_generated, place.is_quoted,
    ]  # fmt: skip


def encode_unpacked(unpacked: Unpacked, *, retire: bool) -> tuple[bytes, bytes]:
    """Encode the members of an archive as a reply and a following frame with their bytes in order."""
    body = {
        "members": [[name, len(content)] for name, content in unpacked.members],
        "unread": [[name, reason, detail[:MAX_DETAIL]] for name, reason, detail in unpacked.refused],
        "passed_over": list(unpacked.passed_over),
        "retire": retire,
    }
    return _encode(body), b"".join(content for _, content in unpacked.members)


def decode_unpacked(name: str, payload: bytes, content: bytes) -> tuple[Unpacked, bool]:
    """Decode the untrusted members of an archive; return them, and whether to replace the worker.

    Raises:
        FrameError: the reply breaks its contract.
    """
    body = json.loads(payload)
    if set(body) != {"members", "unread", "passed_over", "retire"}:
        raise FrameError("a reply with other fields than agreed")
    members, at = [], 0
    for one in _of(list, body["members"]):
        inner, size = _fixed(one, 2)
        members.append((_under(name, inner), content[at : at + _count(size)]))
        at += size
    if at != len(content):
        raise FrameError("members of another size than agreed")
    unread = []
    for one in _of(list, body["unread"]):
        inner, reason, detail = _fixed(one, 3)
        unread.append((_under(name, inner), _member(Refusal, reason), _of(str, detail)))
    passed_over = tuple(_under(name, inner) for inner in _of(list, body["passed_over"]))
    return Unpacked(tuple(members), tuple(unread), passed_over), _of(bool, body["retire"])


def _under(name: str, inner: Any) -> str:
    text = _text(inner)
    if text != name and not text.startswith(f"{name}/"):
        raise FrameError("a member under another name than its archive's")
    return text


def _encode(body: dict[str, Any]) -> bytes:
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


class Wish:
    """A worker's request to parse the source in a recognition process, which has the memory and time for it."""


def decode_reply(name: str, payload: bytes) -> tuple[Document | SourceRefusedError | Wish, bool]:
    """Decode an untrusted reply; return its document, refusal or request, and whether to replace the worker.

    Raises:
        FrameError: the reply breaks its contract.
    """
    try:
        body = json.loads(payload)
    except (ValueError, RecursionError) as bad:
        raise FrameError("a reply that is not JSON") from bad
    retire = _of(bool, body.get("retire")) if isinstance(body, dict) else False
    if isinstance(body, dict) and set(body) == {"refused", "retire"}:
        reason, detail = _fixed(body["refused"], 2)
        return SourceRefusedError(name, _member(Refusal, reason), _of(str, detail)[:MAX_DETAIL]), retire
    if isinstance(body, dict) and set(body) == {"recognise", "retire"}:
        return Wish(), retire
    if not isinstance(body, dict) or set(body) != {"document", "retire"}:
        raise FrameError("a reply with other fields than agreed")
    return _document(_of(dict, body["document"])), retire


def _document(body: dict[str, Any]) -> Document:
    fields = {"title", "format", "language", "authored_at", "author", "n_pages", "warnings", "elements", "pictures",
              "mark"}  # fmt: skip
    if set(body) != fields:
        raise FrameError("a document with other fields than agreed")
    elements = tuple(_element(one) for one in _of(list, body["elements"]))
    if not elements:
        raise FrameError("a document without elements")
    return Document(
        title=_text(body["title"]),
        format=_matching(_FORMAT, body["format"]),
        elements=elements,
        language=_matching(_LANGUAGE, body["language"]),
        authored_at=_moment(body["authored_at"]),
        author=_of(str, body["author"]),
        n_pages=_count(body["n_pages"]),
        warnings=tuple(_text(one) for one in _of(list, body["warnings"])),
        pictures=tuple(_picture(number, one) for number, one in enumerate(_of(list, body["pictures"]), 1)),
        mark=_mark(body["mark"]),
    )


def _element(body: Any) -> Element:
    kind_name, text, level, page, rows_body, place_body = _fixed(body, 6)
    kind = _member(Kind, kind_name)
    rows = tuple(_row(row) for row in _of(list, rows_body))
    if (kind is Kind.TABLE) != bool(rows) or len({len(row) for row in rows}) > 1:
        raise FrameError("an element whose rows do not fit its kind")
    if _count(level) > 9 or (kind is Kind.HEADING) != bool(level):
        raise FrameError("an element whose level does not fit its kind")
    visible = "\n".join(" | ".join(row) for row in rows) if rows else _text(text)
    place = None if place_body is None else _place(place_body)
    return Element(kind, visible, level, None if page is None else _count(page), rows, place)


def _place(body: Any) -> MediaPlace:
    picture, box_body, start_s, end_s, confidence, speaker, by, is_generated, is_quoted = _fixed(body, 9)
    box = tuple(_number(edge, 1.0) for edge in _of(list, box_body))
    if len(box) not in (0, 4) or (box and not (box[0] <= box[2] and box[1] <= box[3])):
        raise FrameError("a box other than agreed")
    times = [None if at is None else _number(at, _MOST_SECONDS) for at in (start_s, end_s)]
    surely = None if confidence is None else _number(confidence, 1.0)
    words = [_of(str, word)[:MAX_DETAIL] for word in (speaker, by)]
    signs = [_of(bool, sign) for sign in (is_generated, is_quoted)]
    place = MediaPlace(_count(picture), box, times[0], times[1], surely, words[0], words[1], signs[0])
    return replace(place, is_quoted=signs[1])


def _number(value: Any, most: float) -> float:
    if type(value) not in (int, float) or not 0.0 <= value <= most:
        raise FrameError("a number out of range")
    return float(value)


def _picture(number: int, body: Any) -> PagePicture:
    counted, content_body, mark = _fixed(body, 3)
    try:
        content = base64.b64decode(_of(str, content_body), validate=True)
    except binascii.Error as bad:
        raise FrameError("a picture that is not base64") from bad
    if _count(counted) != number or (content and not content.startswith(_JPEG)):
        raise FrameError("a picture other than agreed")
    return PagePicture(number, content, _mark(mark))


def _mark(value: Any) -> str:
    mark: str = _of(str, value)
    if not _MARK.fullmatch(mark):
        raise FrameError("a mark of another form than agreed")
    return mark


def _row(body: Any) -> Row:
    row = tuple(_of(str, cell) for cell in _of(list, body))
    if any("\n" in cell for cell in row):
        raise FrameError("a cell of several lines")
    return row


def _of(kind: type, value: Any) -> Any:
    if type(value) is not kind:
        raise FrameError(f"a {type(value).__name__} where a {kind.__name__} was agreed")
    if isinstance(value, str):
        _without_surrogates(value)
    return value


def _without_surrogates(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as bad:
        raise FrameError("text that is not Unicode") from bad


def _text(value: Any) -> str:
    text: str = _of(str, value)
    if not text.strip():
        raise FrameError("an empty text")
    return text


def _count(value: Any) -> int:
    number: int = _of(int, value)
    if not 0 <= number < 2**31:
        raise FrameError("a number out of range")
    return number


def _fixed(value: Any, length: int) -> list[Any]:
    items: list[Any] = _of(list, value)
    if len(items) != length:
        raise FrameError("a list of another length than agreed")
    return items


def _matching(pattern: re.Pattern[str], value: Any) -> str:
    text: str = _of(str, value)
    if not pattern.fullmatch(text):
        raise FrameError("a name of another form than agreed")
    return text


def _member(kind: Callable[[str], Any], value: Any) -> Any:
    try:
        return kind(_of(str, value))
    except FrameError:
        raise
    except ValueError as bad:
        raise FrameError("a word outside its closed list") from bad


def _moment(value: Any) -> datetime | None:
    if value is None:
        return None
    try:
        moment = datetime.fromisoformat(_of(str, value))
    except FrameError:
        raise
    except ValueError as bad:
        raise FrameError("a malformed date") from bad
    if moment.utcoffset() is None:
        raise FrameError("a date without a zone")
    return moment.astimezone(UTC)
