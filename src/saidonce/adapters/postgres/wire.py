"""Values on their way to and from PostgreSQL: vectors in pgvector's binary form, rows for COPY."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from dataclasses import fields
from datetime import UTC, datetime
from enum import Enum
from typing import Any

import numpy as np
from psycopg import Connection, Cursor
from psycopg.adapt import Dumper
from psycopg.pq import Format
from psycopg.rows import TupleRow
from psycopg.types import TypeInfo

from saidonce.adapters.postgres.conversation_records import TABLE_OF
from saidonce.adapters.postgres.records import (
    PlacementRow,
    SegmentRow,
    objections_from_json,
    objections_to_json,
    table_from_json,
    table_to_json,
)
from saidonce.foundation.model import Filters, Kind, Relation, Segment, SegmentFate, StoredDocument, Vector
from saidonce.foundation.ports import SegmentHistory

_HEADER = struct.Struct(">hh")


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


def filter_values(filters: Filters) -> dict[str, Any]:
    """Give filters as query parameters; null does not restrict."""
    return {
        "collections": list(filters.collections) or None,
        "documents": list(filters.documents) or None,
        "kinds": [kind.value for kind in filters.kinds] or None,
        "languages": list(filters.languages) or None,
        "since": filters.since,
        "until": filters.until,
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


def insert_rows(cursor: Cursor[TupleRow], table: str, rows: Sequence[Sequence[Any]]) -> None:
    """Write rows of one table in one statement; COPY is closed to tables with row-level security.

    Args:
        rows: values of the columns of `COLUMNS[table]`.
    """
    if not rows:
        return
    columns = COLUMNS[table]
    names = ", ".join(f'"{name}"' for name in columns)
    arrays = ", ".join(f"%b::{kind}[]" if kind == "vector" else f"%t::{_element(kind)}[]" for kind in columns.values())
    values = ", ".join(f'v."{name}"::{kind}' for name, kind in columns.items())
    by_column = [
        [_array_literal(value) for value in column] if kind.endswith("[]") else list(column)
        for kind, column in zip(columns.values(), zip(*rows, strict=True), strict=True)
    ]
    cursor.execute(
        f"insert into {table} (org_id, {names}) select current_setting('saidonce.org'), {values}"
        f" from unnest({arrays}) as v ({names})",
        by_column,
    )


def _element(kind: str) -> str:
    """Give the type in which values of a column travel: arrays as their literals."""
    return "text" if kind.endswith("[]") else kind


def _array_literal(values: Iterable[Any]) -> str:
    return "{" + ",".join(map(_array_item, values)) + "}"


def _array_item(value: Any) -> str:
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{escaped}"'
    return str(value)


_KINDS = {
    "str": "text",
    "str | None": "text",
    "int": "int8",
    "float": "float8",
    "bool": "bool",
    "datetime": "timestamptz",
    "datetime | None": "timestamptz",
    "tuple[str, ...]": "text[]",
    "tuple[int, ...]": "int8[]",
    "bytes": "bytea",
}

COLUMNS: dict[str, dict[str, str]] = {
    "document": {"document_id": "text", "collection": "text", "name": "text", "version": "int4"},
    "name": {"collection": "text", "name": "text", "document_id": "text"},
    "version": {
        "document_id": "text", "version": "int4", "fingerprint": "text", "settings_hash": "text", "title": "text",
        "format": "text", "language": "text", "authored_at": "timestamptz", "author": "text", "n_pages": "int4",
        "warnings": "text[]", "ingested_at": "timestamptz", "n_segments": "int4", "n_blocks": "int4",
    },
    "segment": {
        "segment_id": "text", "document_id": "text", "kind": "text", "text": "text", "heading_path": "text[]",
        "content_hash": "text", "rows": "text",
    },
    "placement": {
        "segment_id": "text", "version": "int4", "document_id": "text", "ordinal": "int4", "page": "int4",
        "language": "text", "context": "text", "n_tokens": "int4", "salience": "float8", "relation": "text",
        "of": "text", "similarity": "float8", "objections": "text", "near_miss": "text", "section_role": "text",
    },
    "embedding": {"key": "text", "vector": "vector"},
    "embedding_use": {"document_id": "text", "key": "text"},
    "block": {
        "block_id": "text", "collection": "text", "model": "text", "document_id": "text", "document": "text",
        "kind": "text", "language": "text", "authored_at": "timestamptz", "salience": "float8", "boost": "float8",
        "text_key": "text", "context_key": "text", "terms": "int8[]", "counts": "int4[]", "n_terms": "int4",
        "heading_key": "text", "digest": "text", "rev": "int8", "documents": "text[]", "members": "text[]",
        "approval": "text", "owner": "text",
    },
    "decision": {
        "seq": "int8", "verb": "text", "collection": "text", "members": "text[]", "actor": "text", "reason": "text",
        "at": "timestamptz", "flag": "int8", "reverts": "int8", "detail": "text", "policy": "text",
        "certificate": "text", "key": "text", "live": "bool", "previous": "text", "hash": "text",
    },
    "concern": {"segment_id": "text", "seq": "int8", "joins": "bool"},
    "member": {
        "segment_id": "text", "collection": "text", "document_id": "text", "content_hash": "text",
        "salience": "float8", "boost": "float8", "owner": "text", "dated_at": "timestamptz", "block_id": "text",
        "similarity": "float8",
    },
    "flag": {
        "seq": "int8", "collection": "text", "candidate": "text", "of": "text", "because": "text", "worth": "float8",
        "is_open": "bool", "assignee": "text", "resolved_by": "int8",
    },
    "admission": {
        "admission_id": "text", "gate": "text", "verdict_id": "text", "submission": "text", "partition": "text",
        "text": "text", "content_hash": "text", "language": "text", "shown": "text", "at": "timestamptz",
        "released_at": "timestamptz", "rev": "int8",
    },
    "admission_vector": {"admission_id": "text", "vector": "vector"},
    "gate": {"name": "text", "parts": "text", "model": "text", "dim": "int4", "made_at": "timestamptz"},
    "gate_verdict": {
        "verdict_id": "text", "gate": "text", "key": "text", "state": "text", "reason": "text", "band": "text",
        "asked": "bool", "cached": "bool", "failure": "text", "override_by": "text", "similarity": "float8",
        "duration_ms": "int8", "ruling_ms": "int8", "n_tokens": "int8", "cost": "float8", "at": "timestamptz",
        "due_at": "timestamptz", "rev": "int8", "record": "text",
    },
    "gate_event": {
        "seq": "int8", "gate": "text", "verdict_id": "text", "act": "text", "actor": "text", "detail": "text",
        "at": "timestamptz",
    },
    "opinion": {
        "seq": "int8", "flag": "int8", "texts": "text", "adjudicator": "text", "outcome": "text",
        "likelihood": "float8", "n_failed": "int8", "ruling": "text", "at": "timestamptz",
    },
    "gone": {"model": "text", "block_id": "text", "rev": "int8"},
    "counter": {"name": "text", "value": "float8"},
    **{name: {each.name: _KINDS[str(each.type)] for each in fields(row)} for row, name in TABLE_OF.items()},
}  # fmt: skip
"""Columns of the tables that are written in bulk, with their types."""


def row_values(row: Any) -> tuple[Any, ...]:
    """Give a row as values of its table's columns; rows of blocks are not told by themselves."""
    match row:
        case SegmentRow():
            return (row.segment_id, row.document_id, row.kind.value, row.text, row.heading_path, row.content_hash,
                    table_to_json(row.rows))  # fmt: skip
        case PlacementRow():
            relation = row.relation.value if row.relation else None
            return (row.segment_id, row.version, row.document_id, row.ordinal, row.page, row.language, row.context,
                    row.n_tokens, row.salience, relation, row.of, row.similarity, objections_to_json(row.objections),
                    row.near_miss, row.section_role)  # fmt: skip
        case _:
            values = (getattr(row, each.name) for each in fields(row))
            return tuple(value.value if isinstance(value, Enum) else value for value in values)


def utc(moment: datetime | None) -> datetime | None:
    """Give a moment that the database returned in plain UTC."""
    return moment.astimezone(UTC) if moment is not None else None


def read_document(values: Sequence[Any]) -> StoredDocument:
    """Put a document together from the 14 columns that every query of documents gives."""
    (document_id, collection, name, fingerprint, version, title, form, language, authored_at, ingested_at,
     n_segments, n_blocks, settings_hash, names) = values  # fmt: skip
    others = sorted(other for other in names if other != name)
    return StoredDocument(
        document_id, collection, name, fingerprint, version, title, form, language, utc(authored_at),
        ingested_at.astimezone(UTC), n_segments, n_blocks, settings_hash, (name, *others),
    )  # fmt: skip


def read_segment(values: Sequence[Any]) -> Segment:
    """Put a segment together from the 13 columns that every query of segments gives."""
    (segment_id, ordinal, kind, text, heading_path, page, language, context, n_tokens, content_hash, rows,
     salience, section_role) = values  # fmt: skip
    return Segment(
        id=segment_id, ordinal=ordinal, kind=Kind(kind), text=text, heading_path=tuple(heading_path), page=page,
        language=language, context=context, n_tokens=n_tokens, content_hash=content_hash, rows=table_from_json(rows),
        salience=salience, section_role=section_role,
    )  # fmt: skip


def read_history(values: Sequence[Any]) -> SegmentHistory:
    """Put one version's account of a segment together."""
    segment = read_segment(values[:13])
    relation, of, similarity, objections, near_miss, live = values[13:19]
    fate = SegmentFate(
        segment.id,
        Relation(relation) if relation else None,
        of,
        similarity,
        objections_from_json(objections),
        near_miss,
    )
    return SegmentHistory(segment, read_document(values[19:]), fate, live)
