"""Writers of records in a format that is named by the end of a file's name."""

from __future__ import annotations

import csv
import itertools
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path
from typing import IO, Any

from saidonce.corpus.files import ALLOWED, format_of, packing
from saidonce.corpus.files.lines import replace_file
from saidonce.errors import UsageError
from saidonce.foundation import extras

Records = Callable[[], Iterable[Mapping[str, Any]]]
"""Yields all records; called twice where a format needs to know their fields first."""

_BATCH = 8_192
_ARROW = (".arrow", ".feather", ".ipc")
WRITTEN = (".jsonl", ".ndjson", ".csv", ".tsv", ".parquet", *_ARROW)


def write_records(path: Path, records: Records, schema: Any = None) -> None:
    """Write records to a new file, whole or not at all.

    Args:
        schema: Arrow schema of the records, where it is known; of columns otherwise what their values allow.

    Raises:
        UsageError: the name ends in no format, or values of one field do not fit together.
        MissingExtraError: the format needs an extra that is not installed.
    """
    kind = format_of(path)
    if kind not in WRITTEN:
        raise UsageError(f"{str(path)!r} must be one of {ALLOWED}")
    with replace_file(path) as file, packing.writing(file, path) as out:
        if kind in (".jsonl", ".ndjson"):
            for record in records():
                out.write(json.dumps(record, default=str).encode() + b"\n")
        elif kind in (".csv", ".tsv"):
            _write_table(out, records, "\t" if kind == ".tsv" else ",")
        else:
            _write_columns(out, path, records, schema)


def _write_table(out: IO[bytes], records: Records, delimiter: str) -> None:
    names: dict[str, None] = {}
    for record in records():
        names.update(dict.fromkeys(record))
    text = TextIOWrapper(out, "utf-8", newline="", write_through=True)
    try:
        plain = csv.writer(text, delimiter=delimiter, lineterminator="\n")
        quoting = csv.writer(text, delimiter=delimiter, lineterminator="\n", quoting=csv.QUOTE_ALL)
        rows = ([_cell(record.get(name)) for name in names] for record in records())
        for row in itertools.chain([list[Any](names)], rows):
            # Readers end a row at a lone return, which the module quotes no more than a letter.
            (quoting if any("\r" in cell for cell in row if isinstance(cell, str)) else plain).writerow(row)
    finally:
        text.detach()


def _cell(value: object) -> object:
    if isinstance(value, (list, dict, tuple)):
        return json.dumps(value, default=str)
    return value


def _write_columns(out: IO[bytes], path: Path, records: Records, schema: Any) -> None:
    extras.need("parquet", f"writing {str(path)!r}")
    arrow = import_module("pyarrow")
    try:
        schema = schema or _schema(arrow, records)
        with _column_writer(out, path, schema) as writer:
            for batch in _batches(records()):
                writer.write_batch(arrow.RecordBatch.from_pylist(batch, schema=schema))
    except (arrow.ArrowInvalid, arrow.ArrowTypeError) as bad:
        raise UsageError(
            f"values of one field have incompatible types in {str(path)!r}: {bad}; write JSON lines"
        ) from bad


def _schema(arrow: Any, records: Records) -> Any:
    schemas = [arrow.RecordBatch.from_pylist(batch).schema for batch in _with_all_fields(records())]
    return arrow.unify_schemas(schemas, promote_options="permissive") if schemas else arrow.schema([])


def _with_all_fields(records: Iterable[Mapping[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Yield batches in which every record has every field, since the first one decides on the columns."""
    for batch in _batches(records):
        names = dict.fromkeys(name for record in batch for name in record)
        yield [{name: record.get(name) for name in names} for record in batch]


def _batches(records: Iterable[Mapping[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    flowing = iter(records)
    while batch := [dict(record) for record in itertools.islice(flowing, _BATCH)]:
        yield batch


@contextmanager
def _column_writer(out: IO[bytes], path: Path, schema: Any) -> Iterator[Any]:
    if format_of(path) in _ARROW:
        with import_module("pyarrow.ipc").new_file(out, schema) as writer:
            yield writer
        return
    with import_module("pyarrow.parquet").ParquetWriter(out, schema) as writer:
        yield writer


def with_columns(schema: Any, names: Sequence[tuple[str, str]]) -> Any:
    """Return an Arrow schema with more columns, of (name, type) each; one of the same name is replaced."""
    arrow = import_module("pyarrow")
    for name, kind in names:
        field = arrow.field(name, arrow.type_for_alias(kind))
        at = schema.get_field_index(name)
        schema = schema.append(field) if at < 0 else schema.set(at, field)
    return schema
