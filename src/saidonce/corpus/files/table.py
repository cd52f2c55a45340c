"""Corpora as CSV: records may run over several lines and stay unchanged."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

from saidonce.corpus.files.fields import FieldCheck, Fields
from saidonce.corpus.files.lines import LineCorpus, unreadable
from saidonce.errors import UsageError
from saidonce.foundation.model import CorpusRow

_DELIMITERS = ",;\t|"


class TableLines(LineCorpus):
    """A delimited table with a header line."""

    def __init__(self, path: Path, fields: Fields) -> None:
        """See the base."""
        super().__init__(path, fields)
        self._names: list[str] = []
        self._delimiter = ","

    def _records(self, lines: Iterator[tuple[int, bytes]]) -> Iterator[tuple[int, bytes]]:
        """Yield the header as number 0, then records: whole lines up to the end of a quoted cell."""
        number, header = next(lines, (0, b""))
        if not header.strip():
            raise UsageError(f"{str(self._path)!r} has no header line")
        self._read_header(header)
        yield 0, header
        held: list[bytes] = []

        def fed() -> Iterator[str]:
            for _, line in lines:
                held.append(line)
                yield line.decode("latin-1")  # keeps every byte; the separators are ASCII

        reader = csv.reader(fed(), delimiter=self._delimiter)
        while True:
            try:
                next(reader)
            except StopIteration:
                return
            except csv.Error:  # the row says it again, and is unreadable
                pass
            number += len(held)
            yield number - len(held) + 1, b"".join(held)
            held.clear()

    def _read_header(self, header: bytes) -> None:
        text = header.decode("utf-8-sig", "replace")
        by_delimiter = {d: next(csv.reader([text], delimiter=d), []) for d in _DELIMITERS}
        self._delimiter = next((d for d in _DELIMITERS if self._fields.text in by_delimiter[d]), ",")
        self._names = by_delimiter[self._delimiter]

    def _row(self, number: int, content: bytes, check: FieldCheck) -> CorpusRow:
        try:
            cells = self._cells(content)
        except UnicodeDecodeError as bad:
            return unreadable(number, content, f"not UTF-8: {bad.reason}")
        except csv.Error as bad:
            return unreadable(number, content, str(bad))
        if len(cells) != len(self._names):
            return unreadable(number, content, f"{len(cells)} cells under a header of {len(self._names)}")
        record = dict(zip(self._names, cells, strict=True))
        check.note(record)
        return self._fields.row(number, content, record)

    def _record(self, number: int, content: bytes) -> dict[str, Any] | None:  # noqa: ARG002 - of plain lines
        try:
            cells = self._cells(content)
        except (UnicodeDecodeError, csv.Error):
            return None
        return dict(zip(self._names, cells, strict=True)) if len(cells) == len(self._names) else None

    def _cells(self, content: bytes) -> list[str]:
        lines = [line.decode("utf-8") for line in BytesIO(content)]
        return next(csv.reader(lines, delimiter=self._delimiter), [])
