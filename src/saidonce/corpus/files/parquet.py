"""Corpora as Parquet, through the extra `parquet`."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from saidonce.corpus.files.fields import FieldCheck, Fields
from saidonce.corpus.files.lines import replacing
from saidonce.errors import Refusal, SourceRefusedError, UsageError
from saidonce.foundation import extras
from saidonce.foundation.model import CorpusRow

BATCH = 8_192


class ParquetCorpus:
    """A Parquet file; kept rows are written with the same schema."""

    def __init__(self, path: Path, fields: Fields) -> None:
        """Name a file; it is opened when it is read.

        Raises:
            MissingExtraError: pyarrow is not installed.
        """
        extras.need("parquet", "Parquet")
        self.n_blank = 0
        self._path = path
        self._fields = fields
        self._digest = ""

    def rows(self) -> Iterator[CorpusRow]:
        """See the port."""
        state = hashlib.sha256()
        check = FieldCheck(self._fields, str(self._path))
        number = 0
        for batch in self._batches():
            for record in batch.to_pylist():
                number += 1
                row = self._fields.row(number, _bytes(record), record)
                state.update(row.identity.encode())
                check.note(record)
                yield row
        check.check()
        self._digest = state.hexdigest()

    def write(self, path: Path, kept: Sequence[bool]) -> None:
        """See the port."""
        arrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
        state = hashlib.sha256()
        place = 0
        with replacing(path) as file, parquet.ParquetWriter(file, self._file().schema_arrow) as out:
            for batch in self._batches():
                for record in batch.to_pylist():
                    state.update(self._fields.row(0, _bytes(record), record).identity.encode())
                mask = list(kept[place : place + batch.num_rows])
                place += batch.num_rows
                if any(mask) and len(mask) == batch.num_rows:
                    out.write_batch(batch.filter(arrow.array(mask)))
            if state.hexdigest() != self._digest or place != len(kept):
                raise UsageError(f"{str(self._path)!r} was changed while it was read; run the command again")

    def _file(self) -> Any:
        try:
            return import_module("pyarrow.parquet").ParquetFile(self._path)
        except (OSError, ValueError) as bad:
            raise SourceRefusedError(str(self._path), Refusal.CORRUPT, str(bad)) from bad

    def _batches(self) -> Iterator[Any]:
        n_rows = 0
        try:
            for batch in self._file().iter_batches(batch_size=BATCH):
                yield batch
                n_rows += batch.num_rows
        except (OSError, ValueError) as bad:
            raise SourceRefusedError(str(self._path), Refusal.CORRUPT, f"after row {n_rows}: {bad}") from bad


def _bytes(record: dict[str, Any]) -> bytes:
    """Return the bytes that identify a row: its cells by name."""
    return json.dumps(record, sort_keys=True, default=repr).encode()
