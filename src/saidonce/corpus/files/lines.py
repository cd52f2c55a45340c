"""Corpora of lines: JSON lines and plain text, plain or compressed."""

from __future__ import annotations

import hashlib
import json
import zlib
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NoReturn

from saidonce.corpus.files import packing
from saidonce.corpus.files.fields import FieldCheck, Fields, identity
from saidonce.errors import Refusal, SourceRefusedError, UsageError
from saidonce.foundation.disk import naming_full_disk
from saidonce.foundation.files import whole_file
from saidonce.foundation.model import CorpusRow

_BOM = b"\xef\xbb\xbf"


class LineCorpus(ABC):
    """A file whose rows are runs of whole lines; kept rows are written unchanged."""

    def __init__(self, path: Path, fields: Fields) -> None:
        """Name a file; it is opened when it is read."""
        self.n_blank = 0
        self._path = path
        self._fields = fields
        self.mark = ""

    def rows(self) -> Iterator[CorpusRow]:
        """See the port."""
        self.n_blank = 0
        state = hashlib.sha256()
        check = FieldCheck(self._fields, str(self._path))
        for number, content in self._records(self._lines()):
            state.update(content)
            if number == 0:
                continue
            if content.strip():
                yield self._row(number, content, check)
            else:
                self.n_blank += 1
        check.check()
        self.mark = state.hexdigest()

    def write(self, path: Path, kept: Sequence[bool]) -> None:
        """See the port; the line end that a last line lacks is added where a row follows it."""
        state = hashlib.sha256()
        place = 0
        open_end = False
        with replace_file(path) as file, packing.writing(file, path) as out:
            for number, content in self._records(self._lines()):
                state.update(content)
                if number and not content.strip():
                    continue
                if number == 0 or (place < len(kept) and kept[place]):
                    out.write(b"\n" * open_end + content)
                    open_end = not content.endswith(b"\n")
                place += number > 0
            if state.hexdigest() != self.mark or place != len(kept):
                raise UsageError(f"{str(self._path)!r} changed while it was read; run the command again")

    def records(self) -> Iterator[dict[str, Any] | None]:
        """See the port."""
        for number, content in self._records(self._lines()):
            if number and content.strip():
                yield self._record(number, content)

    @abstractmethod
    def _record(self, number: int, content: bytes) -> dict[str, Any] | None:
        """Return the fields of one record by name; None if it cannot be read."""

    def _records(self, lines: Iterator[tuple[int, bytes]]) -> Iterator[tuple[int, bytes]]:
        """Return the number (from 1, or 0 for a header, which is always kept) and bytes of each record."""
        return lines

    @abstractmethod
    def _row(self, number: int, content: bytes, check: FieldCheck) -> CorpusRow:
        """Read one record."""

    def _lines(self) -> Iterator[tuple[int, bytes]]:
        number = 0
        try:
            with packing.reading(self._path) as file:
                for number, line in enumerate(file, 1):
                    yield number, line
        except (OSError, EOFError, zlib.error, packing.damage()) as bad:
            self._refuse(number + 1, str(bad))

    def _refuse(self, number: int, why: str) -> NoReturn:
        raise SourceRefusedError(str(self._path), Refusal.CORRUPT, f"line {number}: {why}")


class JsonLines(LineCorpus):
    """One JSON object a line."""

    def _row(self, number: int, content: bytes, check: FieldCheck) -> CorpusRow:
        try:
            record: Any = json.loads(content)
        except RecursionError:
            return unreadable(number, content, "nested too deeply")
        except json.JSONDecodeError as bad:  # of this line alone, whatever line the library counts
            return unreadable(number, content, f"not JSON: {bad.msg}, column {bad.colno}")
        except ValueError as bad:
            return unreadable(number, content, f"not JSON: {bad}")
        if not isinstance(record, dict):
            return unreadable(number, content, "not a JSON object, {...}")
        check.note(record)
        return self._fields.row(number, content, record)

    def _record(self, number: int, content: bytes) -> dict[str, Any] | None:  # noqa: ARG002 - of tables
        try:
            record: Any = json.loads(content)
        except (RecursionError, ValueError):
            return None
        return record if isinstance(record, dict) else None


class PlainLines(LineCorpus):
    """One text a line; no fields."""

    def __init__(self, path: Path, fields: Fields) -> None:
        """See the base."""
        super().__init__(path, Fields(text="line"))
        if fields.id or fields.date or fields.vector:
            raise UsageError("lines of plain text have no fields")

    def _row(self, number: int, content: bytes, check: FieldCheck) -> CorpusRow:
        try:
            text = content.removeprefix(_BOM if number == 1 else b"").decode("utf-8").strip()
        except UnicodeDecodeError as bad:
            return unreadable(number, content, f"not UTF-8: {bad.reason} at byte {bad.start}")
        record = {"line": text}
        check.note(record)
        return self._fields.row(number, content, record)

    def _record(self, number: int, content: bytes) -> dict[str, Any] | None:
        try:
            return {"line": content.removeprefix(_BOM if number == 1 else b"").decode("utf-8").strip()}
        except UnicodeDecodeError:
            return None


def unreadable(number: int, content: bytes, trouble: str) -> CorpusRow:
    """Return a row whose content cannot be read, with the reason."""
    return CorpusRow(number, identity(content), None, trouble=trouble)


@contextmanager
def replace_file(path: Path) -> Iterator[IO[bytes]]:
    """Write a file beside its place and move it there when all went well.

    Raises:
        UsageError: it cannot be written.
        DiskFullError: there is no space left.
    """
    try:
        with naming_full_disk(path), whole_file(path) as file:
            yield file
    except OSError as bad:
        raise UsageError(f"{str(path)!r} cannot be written: {bad.strerror or bad}") from bad
