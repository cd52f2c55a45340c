"""Values on their way to and from PostgreSQL: vectors in pgvector's binary form, filters, rows in bulk."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray
from psycopg import Connection, Cursor
from psycopg.adapt import Dumper
from psycopg.pq import Format
from psycopg.rows import TupleRow
from psycopg.types import TypeInfo

from saidonce.foundation.model import Filters, Vector

_HEADER = struct.Struct(">hh")

_ARRAY_HEADER = 3
"""Words in front of the dimensions of an array, which have two each; every element has its length before it."""


def pack(vector: Vector) -> bytes:
    """Write a vector in pgvector's binary form: length, zero, big-endian float32."""
    return _HEADER.pack(len(vector), 0) + vector.astype(">f4").tobytes()


def unpack(packed: Sequence[bytes]) -> list[Vector]:
    """Read vectors of one length from pgvector's binary form, as rows of one read-only matrix."""
    if not packed:
        return []
    width = len(packed[0])
    if any(len(one) != width for one in packed):
        return [unpack([one])[0] for one in packed]
    raw = np.frombuffer(b"".join(packed), np.uint8).reshape(len(packed), width)
    rows = np.ascontiguousarray(raw[:, _HEADER.size :]).view(">f4").astype(np.float32)
    rows.setflags(write=False)
    return list(rows)


def unpack_counts(packed: bytes) -> NDArray[np.int64]:
    """Read an array of integers without nulls from the binary form that array_send gives, in the array's shape."""
    words = np.frombuffer(packed, ">i4")
    n_dimensions = int(words[0])
    behind = _ARRAY_HEADER + 2 * n_dimensions
    shape = words[_ARRAY_HEADER:behind:2]
    return words[behind + 1 :: 2].astype(np.int64).reshape(shape)


def filter_values(filters: Filters) -> dict[str, Any]:
    """Return filters as query parameters; null does not restrict."""
    values = {each.name: getattr(filters, each.name) for each in fields(filters)}
    return {
        name: [str(each) for each in value] or None if isinstance(value, tuple) else value
        for name, value in values.items()
    }


class _VectorDumper(Dumper):
    """Sends a vector in pgvector's binary form."""

    format = Format.BINARY

    def dump(self, obj: Vector) -> bytes:
        return pack(obj)


def register_vectors(connection: Connection[TupleRow]) -> None:
    """Let a connection send numpy vectors, alone or in lists."""
    info = TypeInfo.fetch(connection, "vector")
    assert info is not None
    info.register(connection)
    dumper = type("VectorDumper", (_VectorDumper,), {"oid": info.oid})
    connection.adapters.register_dumper(np.ndarray, dumper)


def insert_rows(
    cursor: Cursor[TupleRow],
    table: str,
    columns: Mapping[str, str],
    rows: Sequence[Sequence[Any]],
    yields: bool = False,
) -> None:
    """Write rows of one table in one statement; COPY is closed to tables with row-level security.

    Args:
        columns: types by name.
        rows: values of the columns.
        yields: leave rows that are there already as they are.
    """
    if not rows:
        return
    names = ", ".join(f'"{name}"' for name in columns)
    arrays = ", ".join(f"%b::{kind}[]" if kind == "vector" else f"%t::{_element(kind)}[]" for kind in columns.values())
    values = ", ".join(f'v."{name}"::{kind}' for name, kind in columns.items())
    by_column = [
        [_array_literal(value) for value in column] if kind.endswith("[]") else list(column)
        for kind, column in zip(columns.values(), zip(*rows, strict=True), strict=True)
    ]
    cursor.execute(
        f"insert into {table} (org_id, {names}) select current_setting('saidonce.org'), {values}"
        f" from unnest({arrays}) as v ({names})" + (" on conflict do nothing" if yields else ""),
        by_column,
    )


def _element(kind: str) -> str:
    """Return the type in which values of a column travel: arrays as their literals."""
    return "text" if kind.endswith("[]") else kind


def _array_literal(values: Iterable[Any]) -> str:
    return "{" + ",".join(map(_array_item, values)) + "}"


def _array_item(value: Any) -> str:
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{escaped}"'
    return str(value)
