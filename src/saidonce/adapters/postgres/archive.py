"""The export format: JSON lines, one row a line, in an order that depends on content only.

First a header with the format's version and the revision, last a footer with the number of lines and the
SHA-256 of all lines before it. Every line ends with a CRC-32 of its own, so that a damaged one can be named.
"""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields
from datetime import UTC, datetime
from typing import Any, TypeAlias

import numpy as np

from saidonce.adapters.postgres.clean import clean
from saidonce.adapters.postgres.conversation_records import (
    ConversationRow,
    EmergencyRow,
    InboundRow,
    IssueMoveRow,
    IssueRow,
    LandlordNoticeRow,
    MediaRow,
    OutboxRow,
    PropertyRow,
    ResidentRow,
    TalkRow,
    TenancyRow,
    TurnRow,
    WaitingMediaRow,
)
from saidonce.adapters.postgres.conversation_rows import noun_of
from saidonce.adapters.postgres.gate_records import (
    AdmissionRow,
    AdmissionVectorRow,
    GateEventRow,
    GateRow,
    GateVerdictRow,
)
from saidonce.adapters.postgres.ledger_records import DecisionRow, FlagRow, MemberRow
from saidonce.adapters.postgres.opinion_records import OpinionRow
from saidonce.adapters.postgres.records import (
    BlockRow,
    CounterRow,
    DocumentRow,
    EmbeddingRow,
    GoneRow,
    NameRow,
    PlacementRow,
    SegmentRow,
    UseRow,
    VersionRow,
    objections_from_json,
    objections_to_json,
)
from saidonce.errors import StoreCorruptError
from saidonce.foundation.model import Collection, Kind, Relation, Verb

FORMAT = 5
READABLE = frozenset({2, 3, 4, 5})
"""Format 2 knows no gates, format 3 neither conversations nor second opinions, format 4 no moves of issues."""

Row: TypeAlias = (
    Collection
    | DocumentRow
    | NameRow
    | VersionRow
    | SegmentRow
    | PlacementRow
    | EmbeddingRow
    | UseRow
    | BlockRow
    | GoneRow
    | CounterRow
    | DecisionRow
    | MemberRow
    | FlagRow
    | GateRow
    | GateVerdictRow
    | AdmissionRow
    | AdmissionVectorRow
    | GateEventRow
    | TalkRow
    | MediaRow
    | OpinionRow
)

_KEYS: dict[type[Row], tuple[str, ...]] = {
    Collection: ("name",),
    DocumentRow: ("document_id",),
    NameRow: ("collection", "name"),
    VersionRow: ("document_id", "version"),
    SegmentRow: ("segment_id",),
    PlacementRow: ("segment_id", "version"),
    EmbeddingRow: ("key",),
    UseRow: ("document_id", "key"),
    BlockRow: ("block_id",),
    GoneRow: ("model", "block_id"),
    CounterRow: ("name",),
    DecisionRow: ("seq",),
    MemberRow: ("segment_id",),
    FlagRow: ("seq",),
    GateRow: ("name",),
    GateVerdictRow: ("verdict_id",),
    AdmissionRow: ("admission_id",),
    AdmissionVectorRow: ("admission_id",),
    GateEventRow: ("seq",),
    PropertyRow: ("property_id",),
    ResidentRow: ("resident_id",),
    TenancyRow: ("tenancy_id",),
    ConversationRow: ("conversation_id",),
    InboundRow: ("seq",),
    TurnRow: ("conversation_id", "n"),
    IssueRow: ("issue_id",),
    IssueMoveRow: ("issue_id", "n"),
    EmergencyRow: ("event_id",),
    OutboxRow: ("conversation_id", "seq"),
    LandlordNoticeRow: ("seq",),
    WaitingMediaRow: ("seq", "media_id"),
    MediaRow: ("sha256",),
    OpinionRow: ("seq",),
}
"""The tables in the order of an export, with the columns that order their rows."""

TABLES: tuple[type[Row], ...] = tuple(_KEYS)
_NAMES = {table: table.__name__.removesuffix("Row").lower() for table in TABLES}
_BY_NAME = {name: (place, table) for place, (table, name) in enumerate(_NAMES.items())}


def key_of(row: Row) -> tuple[Any, ...]:
    """Give the key of a row, which orders it among its kind."""
    return tuple(getattr(row, name) for name in _KEYS[type(row)])


def export(rev: int, rows: Iterable[Row]) -> Iterator[bytes]:
    """Write rows, given table by table and by key, as lines."""
    state = hashlib.sha256()
    n_lines = 1
    header = _line({"saidonce": "export", "format": FORMAT, "rev": rev})
    state.update(header)
    yield header
    for row in rows:
        values = {each.name: _written(each.name, getattr(row, each.name)) for each in fields(row)}
        line = _line({"row": _NAMES[type(row)], **values})
        state.update(line)
        n_lines += 1
        yield line
    yield _line({"lines": n_lines, "sha256": state.hexdigest()})


class Import:
    """Reads the lines of an export; every line is checked before its row is given.

    Attributes:
        rev: revision of the organisation that was exported; known after construction.
        n_lines: lines read so far.

    Raises:
        StoreCorruptError: a line is damaged or out of place, naming it.
    """

    def __init__(self, lines: Iterable[bytes]) -> None:
        self._lines = iter(lines)
        self._state = hashlib.sha256()
        self._known: set[tuple[Any, ...]] = set()
        self._promised: set[tuple[Any, ...]] = set()
        self.n_lines = 0
        header = self._next()
        if header.get("saidonce") != "export" or header.get("format") not in READABLE:
            raise self._damaged(f"not an export of format {FORMAT}")
        self.rev = _revision(header)
        if self.rev < 0:
            raise self._damaged("no revision")

    def rows(self) -> Iterator[Row]:
        """Give all rows, and check the footer after the last one."""
        last: tuple[int, tuple[Any, ...]] = (-1, ())
        while True:
            n_before, sum_before = self.n_lines, self._state.hexdigest()
            values = self._next()
            if "row" not in values:
                break
            place, row = self._row(values)
            if (place, key_of(row)) <= last:
                raise self._damaged("out of order")
            last = (place, key_of(row))
            self._check_references(row)
            yield row
        if values != {"lines": n_before, "sha256": sum_before} or next(self._lines, b"").strip():
            raise self._damaged("the count or the checksum of all lines is not that of the last line")
        if self._promised - self._known:
            raise self._damaged("a document's name or present version is missing")

    def _next(self) -> dict[str, Any]:
        line = next(self._lines, None)
        self.n_lines += 1
        if line is None:
            raise self._damaged("the export ends too early")
        line = line.rstrip(b"\r\n") + b"\n"
        body, _, crc = line.rpartition(b',"crc":"')
        if crc != f'{zlib.crc32(body):08x}"}}\n'.encode():
            raise self._damaged("its checksum is wrong")
        self._state.update(line)
        try:
            values = json.loads(body + b"}")
        except ValueError as bad:
            raise self._damaged("not JSON") from bad
        if not isinstance(values, dict):
            raise self._damaged("not an object")
        return values

    def _row(self, values: dict[str, Any]) -> tuple[int, Row]:
        place, table = _BY_NAME.get(values.pop("row"), (-1, None))
        if table is None or [each.name for each in fields(table)] != list(values):
            raise self._damaged("unknown kind of row")
        try:
            row = table(**{each.name: _reader(each.name, str(each.type))(values[each.name]) for each in fields(table)})
            _check(row)
        except (ValueError, TypeError, KeyError, AttributeError) as bad:
            raise self._damaged("a value is not what it should be") from bad
        return place, row

    def _check_references(self, row: Row) -> None:
        own, needed = _references(row)
        if own in self._known or not self._known.issuperset(needed):
            raise self._damaged("it contradicts the lines before")
        self._known.add(own)
        if isinstance(row, DocumentRow):
            self._promised.add((VersionRow, row.document_id, row.version))
            self._promised.add((NameRow, row.collection, row.name))

    def _damaged(self, reason: str) -> StoreCorruptError:
        return StoreCorruptError(f"line {self.n_lines} of the export is damaged or out of place: {reason}")


def _revision(header: dict[str, Any]) -> int:
    rev = header.get("rev")
    return rev if type(rev) is int else -1


def _references(row: Row) -> tuple[tuple[Any, ...], list[tuple[Any, ...]]]:
    """Give the key of a row, and the keys of the rows that it needs."""
    needed: list[tuple[Any, ...]] = []
    match row:
        case DocumentRow():
            needed = [(Collection, row.collection)]
        case NameRow():
            needed = [(Collection, row.collection), (DocumentRow, row.document_id)]
        case VersionRow() | SegmentRow():
            needed = [(DocumentRow, row.document_id)]
        case PlacementRow():
            needed = [(SegmentRow, row.segment_id), (VersionRow, row.document_id, row.version)]
        case UseRow():
            needed = [(DocumentRow, row.document_id), (EmbeddingRow, row.key)]
        case BlockRow():
            needed = [(Collection, row.collection), (DocumentRow, row.document_id), (SegmentRow, row.block_id)]
            needed += [(UseRow, row.document_id, key) for key in (row.text_key, row.context_key) if key]
        case DecisionRow():
            needed = [(Collection, row.collection)]
            needed += [(DecisionRow, seq) for seq in (row.flag, row.reverts) if seq is not None]
        case MemberRow():
            needed = [(SegmentRow, row.segment_id), *([(BlockRow, row.block_id)] if row.block_id else [])]
        case FlagRow():
            needed = [(DecisionRow, row.seq)]
        case _:
            needed = _references_of_gate(row) or _references_of_talk(row)
    return (type(row), *key_of(row)), needed


def _references_of_gate(row: Row) -> list[tuple[Any, ...]]:
    match row:
        case GateVerdictRow() | AdmissionRow() | GateEventRow():
            return [(GateRow, row.gate)]
        case AdmissionVectorRow():
            return [(AdmissionRow, row.admission_id)]
        case OpinionRow():
            return [(FlagRow, row.flag)]
    return []


def _references_of_talk(row: Row) -> list[tuple[Any, ...]]:
    needed: list[tuple[Any, ...]] = []
    match row:
        case TenancyRow():
            needed = [(PropertyRow, row.property_id), (ResidentRow, row.resident_id)]
        case InboundRow() | TurnRow() | OutboxRow() | LandlordNoticeRow():
            needed = [(ConversationRow, row.conversation_id)]
        case WaitingMediaRow():
            needed = [(InboundRow, row.seq)]
        case EmergencyRow():
            needed = [(ConversationRow, row.conversation_id), (InboundRow, row.inbound_seq)]
        case IssueRow():
            needed = [(ConversationRow, row.conversation_id), (TenancyRow, row.tenancy_id)]
            needed.append((PropertyRow, row.property_id))
        case IssueMoveRow():
            needed = [(IssueRow, row.issue_id)]
    return needed


def _line(values: dict[str, Any]) -> bytes:
    body = json.dumps(values, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()[:-1]
    return b'%s,"crc":"%08x"}\n' % (body, zlib.crc32(body))


def _written(name: str, value: Any) -> Any:
    if isinstance(value, datetime):
        return _write_time(value)
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    return _WRITE[name](value) if name in _WRITE else value


def _reader(name: str, wanted: str) -> Callable[[Any], Any]:
    """Give what reads a value of a column: by its type, or by its name if that says more."""
    return _READ_AS.get(wanted) or _READ.get(name) or _plain(wanted)


def _check(row: Row) -> None:
    """Refuse a row that is none of what it should be.

    Raises:
        ValueError, TypeError: a state is unknown, or a file is not the one that it is named after.
    """
    if isinstance(row, TalkRow):
        noun_of(row)
    if isinstance(row, MediaRow) and hashlib.sha256(row.content).hexdigest() != row.sha256:
        raise ValueError(row.sha256)


def _plain(wanted: str) -> Callable[[Any], Any]:
    """Give a reader of one plain type that refuses everything else."""

    def read(value: Any) -> Any:
        if wanted.endswith(" | None") and value is None:
            return value
        if type(value).__name__ != wanted.removesuffix(" | None"):
            raise TypeError(wanted)
        return _text(value) if wanted == "str" else value

    return read


def _text(value: str) -> str:
    if clean(value) != value:
        raise ValueError
    return value


def _write_time(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat()


def _read_time(written: str) -> datetime:
    return datetime.fromisoformat(written).astimezone(UTC)


def _read_texts(values: list[str]) -> tuple[str, ...]:
    return tuple(_text(value) for value in values)


def _read_terms(values: list[tuple[str, int]]) -> tuple[tuple[str, int], ...]:
    return tuple((_text(term), int(n)) for term, n in values)


def _or_none(read: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: None if value is None else read(value)


_READ_AS: dict[str, Callable[[Any], Any]] = {
    "str": _plain("str"),
    "datetime": _read_time,
    "datetime | None": _or_none(_read_time),
    "str | None": _or_none(_plain("str")),
    "bytes": lambda value: base64.b64decode(value, validate=True),
    "tuple[str, ...]": _read_texts,
    "tuple[int, ...]": lambda values: tuple(map(_plain("int"), values)),
}

_WRITE: dict[str, Callable[[Any], Any]] = {
    "objections": lambda objections: json.loads(objections_to_json(objections)),
    "vector": lambda vector: base64.b64encode(vector.astype("<f4").tobytes()).decode(),
}

_READ: dict[str, Callable[[Any], Any]] = {
    "verb": Verb,
    "rows": lambda rows: tuple(map(_read_texts, rows)),
    "terms": _read_terms,
    "kind": Kind,
    "relation": lambda value: None if value is None else Relation(value),
    "objections": lambda value: objections_from_json(json.dumps(value)),
    "vector": lambda value: np.frombuffer(base64.b64decode(value, validate=True), "<f4").astype(np.float32),
}
