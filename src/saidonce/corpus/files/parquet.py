"""Corpora as Parquet, through the extra `parquet`."""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from importlib import import_module
from pathlib import Path
from typing import IO, Any

import numpy as np

from saidonce.corpus.files.fields import FieldCheck, Fields, identity, numbers
from saidonce.corpus.files.lines import replace_file
from saidonce.errors import Refusal, SourceRefusedError, UsageError
from saidonce.foundation import extras
from saidonce.foundation.model import CorpusRow

BATCH = 8_192


class ColumnCorpus(ABC):
    """A file of record batches; kept rows are written with the same schema."""

    def __init__(self, path: Path, fields: Fields) -> None:
        """Name a file; it is opened when it is read.

        Raises:
            MissingExtraError: pyarrow is not installed.
        """
        extras.need("parquet", path.suffix.removeprefix(".").title())
        self.n_blank = 0
        self._path = path
        self._fields = fields
        self.mark = ""

    def rows(self) -> Iterator[CorpusRow]:
        """See the port."""
        state = hashlib.sha256()
        check = FieldCheck(self._fields, str(self._path))
        number = 0
        for batch in self._batches():
            for record, content, vector in self._records(batch):
                number += 1
                row = self._fields.row(number, content, record, vector)
                state.update(row.identity.encode())
                check.note(record)
                yield row
        check.check()
        self.mark = state.hexdigest()

    def records(self) -> Iterator[dict[str, Any] | None]:
        """See the port."""
        for batch in self._batches():
            yield from batch.to_pylist()

    def write(self, path: Path, kept: Sequence[bool]) -> None:
        """See the port."""
        arrow = import_module("pyarrow")
        state = hashlib.sha256()
        place = 0
        with replace_file(path) as file, self._writer(file) as out:
            for batch in self._batches():
                for _, content, _ in self._records(batch):
                    state.update(identity(content).encode())
                mask = [bool(one) for one in kept[place : place + batch.num_rows]]
                place += batch.num_rows
                if any(mask) and len(mask) == batch.num_rows:
                    out.write_batch(batch.filter(arrow.array(mask)))
            if state.hexdigest() != self.mark or place != len(kept):
                raise UsageError(f"{str(self._path)!r} changed while it was read; run the command again")

    def schema(self) -> Any:
        """Return the Arrow schema.

        Raises:
            SourceRefusedError: the file cannot be read.
        """
        try:
            return self._schema()
        except (OSError, ValueError) as bad:
            raise SourceRefusedError(str(self._path), Refusal.CORRUPT, str(bad)) from bad

    @abstractmethod
    def _schema(self) -> Any:
        """Read the schema."""

    @abstractmethod
    def _read(self) -> Iterator[Any]:
        """Read the record batches."""

    @abstractmethod
    def _writer(self, file: IO[bytes]) -> AbstractContextManager[Any]:
        """Open a writer of record batches."""

    def _records(self, batch: Any) -> Iterator[tuple[dict[str, Any], bytes, bytes]]:
        """Yield each row's cells by name, its vector as an array; the bytes of the row, and those of its vector."""
        name = self._fields.vector
        if name not in batch.schema.names:
            for record in batch.to_pylist():
                yield record, _bytes(record), b""
            return
        records = batch.drop_columns([name]).to_pylist()
        for record, vector in zip(records, _vectors(batch.column(name)), strict=True):
            content, packed = _bytes(record), numbers(vector)
            record[name] = vector
            yield record, content + packed, packed

    def _batches(self) -> Iterator[Any]:
        n_rows = 0
        try:
            for batch in self._read():
                yield batch
                n_rows += batch.num_rows
        except (OSError, ValueError) as bad:
            where = f"after row {n_rows}: " if n_rows else ""
            raise SourceRefusedError(str(self._path), Refusal.CORRUPT, f"{where}{bad}") from bad


class ParquetCorpus(ColumnCorpus):
    """A Parquet file."""

    def _schema(self) -> Any:
        return self._file().schema_arrow

    def _read(self) -> Iterator[Any]:
        yield from self._file().iter_batches(batch_size=BATCH)

    def _writer(self, file: IO[bytes]) -> AbstractContextManager[Any]:
        source = self._file()
        packed = "snappy"
        if source.metadata.num_row_groups and source.metadata.num_columns:
            packed = source.metadata.row_group(0).column(0).compression.lower()
        schema = source.schema_arrow
        writer: AbstractContextManager[Any] = import_module("pyarrow.parquet").ParquetWriter(
            file, schema, compression="none" if packed == "uncompressed" else packed
        )
        return writer

    def _file(self) -> Any:
        return import_module("pyarrow.parquet").ParquetFile(self._path)


def _vectors(column: Any) -> Iterable[Any]:
    """Return the cells of a column, those that are lists of numbers as arrays, None where there is none."""
    if column.null_count or not len(column) or not hasattr(column, "value_lengths"):
        return [np.asarray(x.values) if x.is_valid and hasattr(x, "values") else x.as_py() for x in column]
    ends = np.cumsum(column.value_lengths().to_numpy())
    return np.split(column.flatten().to_numpy(zero_copy_only=False), ends[:-1])


def _bytes(record: dict[str, Any]) -> bytes:
    """Return the bytes that identify a row: its cells by name."""
    return json.dumps(record, sort_keys=True, default=repr).encode()
