"""The export format: JSON lines, one row a line, in an order that depends on content only.

First a header with the format's version and the revision, last a footer with the number of lines and the
SHA-256 of all lines before it. Every line ends with a CRC-32 of its own, so that a damaged one can be named.
A row is the JSON of its noun after the name of its table; a field that a later version added is read as its default.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import fields, replace
from itertools import chain
from typing import Any

from saidonce.adapters.postgres.archive_upgrade import upgrade_row
from saidonce.adapters.postgres.clean import cleaned
from saidonce.adapters.postgres.codec import adapter
from saidonce.adapters.postgres.records import (
    CounterRow,
    DocumentRow,
    GateVerdictRow,
    MediaRow,
    OriginalRow,
    with_columns,
)
from saidonce.adapters.postgres.tables import BY_NAME, BY_NOUN, StoredTable, place_of
from saidonce.errors import StoreCorruptError, UsageError
from saidonce.foundation.model import Collection
from saidonce.foundation.model.syncs import SyncSource

FORMAT = 7
RECORDS_SINCE = 6
BEGIN = b'{"saidonce":"export"'
READABLE = frozenset({2, 3, 4, 5, 6, 7})
"""Those before 6 are brought up to it row by row (`archive_upgrade`); 2 to 4 know fewer tables than 5, and 6 than 7."""

MOST_REVISIONS = 2**63
"""What the database counts to."""

USES = frozenset({"canonical", "evidence"})
MOST_DIM = 65_536
"""More than any model has."""

_ZERO = re.compile(rb"(?<!\\)(?:\\\\)*\\u0000")
"""U+0000 as JSON writes it; the other characters that no store keeps are none that JSON in UTF-8 can hold."""


def export(rev: int, rows: Iterable[object]) -> Iterator[bytes]:
    """Write rows, given table by table and by key, as lines."""
    state = hashlib.sha256()
    n_lines = 1
    header = line_of({"saidonce": "export", "format": FORMAT, "rev": rev})
    state.update(header)
    yield header
    for row in rows:
        written = adapter(type(row)).dump_json(_carried(row))
        line = _seal(b'{"row":"%s",%s' % (BY_NOUN[type(row)].name.encode(), written[1:-1]))
        state.update(line)
        n_lines += 1
        yield line
    yield line_of({"lines": n_lines, "sha256": state.hexdigest()})


def line_of(values: dict[str, Any]) -> bytes:
    """Return a line with its checksum."""
    return _seal(json.dumps(values, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()[:-1])


def _seal(body: bytes) -> bytes:
    return b'%s,"crc":"%08x"}\n' % (body, zlib.crc32(body))


class Import:
    """Reads the lines of an export; every line is checked before its row is given.

    Attributes:
        rev: revision of the organisation that was exported; known after construction.
        n_lines: lines read so far.

    Raises:
        StoreCorruptError: a line is damaged or out of place, naming it.
    """

    def __init__(self, lines: Iterable[bytes]) -> None:
        self._lines = _checked_begin(iter(lines))
        self._state = hashlib.sha256()
        self._known: set[tuple[Any, ...]] = set()
        self._promised: set[tuple[Any, ...]] = set()
        self.n_lines = 0
        header, _ = self._next()
        stated, rev = header.get("format"), header.get("rev")
        if header.get("saidonce") != "export" or type(stated) is not int or stated not in READABLE:
            raise self._damage_error(f"not an export of format {FORMAT}")
        if type(rev) is not int or not 0 <= rev < MOST_REVISIONS:
            raise self._damage_error("no revision")
        self._format = stated
        self.rev = rev

    def rows(self) -> Iterator[object]:
        """Yield all rows, and check the footer after the last one."""
        last: tuple[int, tuple[Any, ...]] = (-1, ())
        while True:
            n_before, sum_before = self.n_lines, self._state.hexdigest()
            values, body = self._next()
            if "row" not in values:
                break
            table, row = self._row(values, body)
            if place_of(row) <= last:
                raise self._damage_error("out of order")
            last = place_of(row)
            self._check_references(table, row)
            yield row
        if values != {"lines": n_before, "sha256": sum_before} or next(self._lines, b"").strip():
            raise self._damage_error("the count or the checksum does not match the last line")
        if self._promised - self._known:
            raise self._damage_error("a document's name or present version is missing")

    def _next(self) -> tuple[dict[str, Any], bytes]:
        """Return the values of the next line, and the line as JSON without its checksum."""
        line = next(self._lines, None)
        self.n_lines += 1
        if line is None:
            raise self._damage_error("the export ends too early")
        line = line.rstrip(b"\r\n") + b"\n"
        body, _, crc = line.rpartition(b',"crc":"')
        if crc != f'{zlib.crc32(body):08x}"}}\n'.encode():
            raise self._damage_error("its checksum is wrong")
        self._state.update(line)
        try:
            values = json.loads(body + b"}")
        except (ValueError, RecursionError) as bad:  # the latter by lists in lists in lists
            raise self._damage_error("not JSON") from bad
        if not isinstance(values, dict):
            raise self._damage_error("not an object")
        return values, body + b"}"

    def _row(self, values: dict[str, Any], body: bytes) -> tuple[StoredTable, object]:
        try:
            if self._format < RECORDS_SINCE:
                values = upgrade_row(values)
                body = json.dumps(values).encode()
            table = BY_NAME[values.pop("row")]
            if not values.keys() <= {each.name for each in fields(table.noun)}:
                raise self._damage_error("unknown kind of row")
            row = _carried(cleaned(adapter(table.noun).validate_json(body, strict=True)))
            if isinstance(row, GateVerdictRow) and "held" not in values:
                row = with_columns(row)
        except (ValueError, TypeError, KeyError, IndexError, AttributeError, UsageError) as bad:
            raise self._damage_error("a value has the wrong type or range") from bad
        if _ZERO.search(body) or not _is_itself(row) or not _is_possible(row):
            raise self._damage_error("a value has the wrong type or range")
        return table, row

    def _check_references(self, table: StoredTable, row: object) -> None:
        own = (table.name, *table.key_of(row))
        if own in self._known or not self._known.issuperset(table.references(row)):
            raise self._damage_error("it contradicts earlier lines")
        self._known.add(own)
        if isinstance(row, DocumentRow):
            self._promised.add(("version", row.document_id, row.version))
            self._promised.add(("name", row.collection, row.name))

    def _damage_error(self, reason: str) -> StoreCorruptError:
        return StoreCorruptError(f"line {self.n_lines} of the export is damaged or misplaced: {reason}")


def _checked_begin(lines: Iterator[bytes]) -> Iterator[bytes]:
    """Return lines that begin as an export does.

    Raises:
        StoreCorruptError: they do not; no checksum of another file would say anything.
    """
    first = next(lines, b"")
    if not first.startswith(BEGIN):
        raise StoreCorruptError("this is no export of saidonce: 'saidonce db export' writes what can be imported")
    return chain((first,), lines)


def _carried(row: object) -> object:
    """Return a row as an export carries it: a source waits for somebody at its new place to ask for its first run.

    A file may have been written by anybody: it must not have a worker read folders of the server, or with its keys.
    """
    return replace(row, next_at=None, is_imported=True) if isinstance(row, SyncSource) else row


def _is_itself(row: object) -> bool:
    """Return whether a row that holds a file holds the one that it names."""
    is_whole = isinstance(row, MediaRow) or (isinstance(row, OriginalRow) and row.part == 0 and bool(row.content))
    return not is_whole or hashlib.sha256(row.content).hexdigest() == row.sha256  # type: ignore[attr-defined]


def _is_possible(row: object) -> bool:
    """Return whether the numbers of a row are some, and a collection is one that a program could have made."""
    if isinstance(row, CounterRow):
        return math.isfinite(row.value)
    return not isinstance(row, Collection) or (row.use in USES and 0 < row.dim <= MOST_DIM)
