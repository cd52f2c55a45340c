"""Values on their way to and from PostgreSQL: vectors in pgvector's binary form, rows for COPY."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, LiteralString, cast

import numpy as np
from psycopg import Cursor
from psycopg.rows import TupleRow

from saidonce.model import Collection, Filters, Kind, Relation, Segment, SegmentFate, StoredDocument, Vector
from saidonce.ports import SegmentHistory
from saidonce.store.records import (
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
    table_from_json,
    table_to_json,
)

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


def as_text(vector: Vector) -> str:
    """Write a vector as SQL reads it."""
    return "[" + ",".join(map(repr, map(float, vector))) + "]"


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


def copy_rows(cursor: Cursor[TupleRow], org: str, table: str, columns: str, rows: Iterable[Sequence[Any]]) -> None:
    """Write rows of one table by COPY, each with the organisation in front."""
    statement = cast("LiteralString", f"copy {table} (org_id, {columns}) from stdin")
    with cursor.copy(statement) as copy:
        for row in rows:
            copy.write_row((org, *row))


def copy_embeddings(cursor: Cursor[TupleRow], org: str, rows: Iterable[EmbeddingRow]) -> None:
    """Write embeddings by binary COPY."""
    with cursor.copy("copy embedding (org_id, key, vector) from stdin (format binary)") as copy:
        copy.set_types(["text", "text", "bytea"])
        for row in rows:
            copy.write_row((org, row.key, pack(row.vector)))


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
    """Put a segment together from the 12 columns that every query of segments gives."""
    (segment_id, ordinal, kind, text, heading_path, page, language, context, n_tokens, content_hash, rows,
     salience) = values  # fmt: skip
    return Segment(
        id=segment_id, ordinal=ordinal, kind=Kind(kind), text=text, heading_path=tuple(heading_path), page=page,
        language=language, context=context, n_tokens=n_tokens, content_hash=content_hash, rows=table_from_json(rows),
        salience=salience,
    )  # fmt: skip


def read_history(values: Sequence[Any]) -> SegmentHistory:
    """Put one version's account of a segment together."""
    segment = read_segment(values[:12])
    relation, of, similarity, objections, near_miss, live = values[12:18]
    fate = SegmentFate(
        segment.id, Relation(relation) if relation else None, of, similarity, objections_from_json(objections), near_miss
    )
    return SegmentHistory(segment, read_document(values[18:]), fate, live)
