"""Corpora as Arrow IPC, files and streams, through the extra `parquet`; Hugging Face data sets are folders of these."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from importlib import import_module
from typing import IO, Any

from saidonce.corpus.files.parquet import ColumnCorpus

_MAGIC = b"ARROW1"


class ArrowCorpus(ColumnCorpus):
    """A file of Arrow record batches, memory-mapped; a stream stays a stream."""

    def _schema(self) -> Any:
        with self._opened() as (reader, _):
            return reader.schema

    def _read(self) -> Iterator[Any]:
        with self._opened() as (reader, is_stream):
            if is_stream:
                yield from reader
                return
            for at in range(reader.num_record_batches):
                yield reader.get_batch(at)

    def _writer(self, file: IO[bytes]) -> AbstractContextManager[Any]:
        ipc = import_module("pyarrow.ipc")
        with self._opened() as (reader, is_stream):
            writer: AbstractContextManager[Any] = (ipc.new_stream if is_stream else ipc.new_file)(file, reader.schema)
        return writer

    @contextmanager
    def _opened(self) -> Iterator[tuple[Any, bool]]:
        ipc, arrow = import_module("pyarrow.ipc"), import_module("pyarrow")
        with self._path.open("rb") as file:
            is_stream = file.read(len(_MAGIC)) != _MAGIC
        opened = ipc.open_stream if is_stream else ipc.open_file
        with arrow.memory_map(str(self._path), "r") as source, opened(source) as reader:
            yield reader, is_stream
