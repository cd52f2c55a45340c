"""Rows of a PostgreSQL store on their way out of and into an export."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from itertools import groupby, islice
from typing import Any, cast

from psycopg import Connection
from psycopg.rows import TupleRow

from saidonce.adapters.postgres.archive import Row
from saidonce.adapters.postgres.connection import batches
from saidonce.adapters.postgres.conversation_records import (
    TABLE_OF,
    ConversationRow,
    EmergencyRow,
    InboundRow,
    IssueMoveRow,
    IssueRow,
    LandlordNoticeRow,
    MediaRow,
    OutboxRow,
    PropertyRow,
    ResidentRow,
    TenancyRow,
    TurnRow,
    WaitingMediaRow,
)
from saidonce.adapters.postgres.conversation_rows import read
from saidonce.adapters.postgres.gate_records import (
    AdmissionRow,
    AdmissionVectorRow,
    GateEventRow,
    GateRow,
    GateVerdictRow,
)
from saidonce.adapters.postgres.ledger_records import DecisionRow, FlagRow, MemberRow
from saidonce.adapters.postgres.opinion_records import OpinionRow, read_opinion
from saidonce.adapters.postgres.postgres_homes import put_rented
from saidonce.adapters.postgres.postgres_ledger import put_decisions, read_decision
from saidonce.adapters.postgres.postgres_write import Writer, fields_of
from saidonce.adapters.postgres.records import (
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
    table_from_json,
)
from saidonce.adapters.postgres.wire import unpack, utc
from saidonce.foundation.model import Collection, Kind, Relation

BATCH = 2_000
FILES = 4
"""Files of residents that are in memory at once."""


def rows_out(connection: Connection[TupleRow]) -> Iterator[Row]:
    """Give all rows of the organisation, table by table, each by its key."""
    for name, as_row in _TABLES.items():
        size = FILES if name == "dump_media" else BATCH
        for batch in batches(connection, name, size, {"ids": None}):
            yield from map(as_row, batch)


def read_block(values: Sequence[Any]) -> BlockRow:
    """Put a block's row together."""
    (block_id, collection, model, document_id, document, title, heading_path, kind, language, authored_at, salience,
     boost, text_key, context_key, terms, counts, rev, documents, members, approval, owner) = values  # fmt: skip
    return BlockRow(
        block_id, collection, model, document_id, document, title, tuple(heading_path), Kind(kind), language,
        utc(authored_at), salience, boost, text_key, context_key, tuple(zip(terms, counts, strict=True)), rev,
        tuple(documents), tuple(members), approval, owner,
    )  # fmt: skip


def rows_in(writer: Writer, rows: Iterable[Row]) -> None:
    """Write the rows of an export into an empty organisation, in the order in which they come."""
    n_batches = 0
    for (table, _), group in groupby(rows, key=_table_and_collection):
        while batch := list(islice(group, FILES if table is MediaRow else BATCH)):
            _write(writer, table, batch)
            n_batches += 1
            if n_batches.bit_count() == 1:
                writer.run("refresh_statistics")
    writer.run("count_inbox")


def _write(writer: Writer, table: type[Row], rows: list[Row]) -> None:
    if table is Collection:
        for collection in cast("list[Collection]", rows):
            writer.run("make_collection", **fields_of(collection))
    elif table is BlockRow:
        writer.add_blocks(cast("list[BlockRow]", rows))
    elif table is DecisionRow:
        put_decisions(writer, cast("list[DecisionRow]", rows))
    elif table in (PropertyRow, ResidentRow, TenancyRow):
        for row in cast("list[PropertyRow | ResidentRow | TenancyRow]", rows):
            put_rented(writer, row)
    else:
        writer.insert(_TABLE_OF[table], rows)


def _table_and_collection(row: Row) -> tuple[type[Row], str]:
    return type(row), row.collection if isinstance(row, BlockRow) else ""


_TABLE_OF: dict[type[Row], str] = {
    DocumentRow: "document",
    NameRow: "name",
    VersionRow: "version",
    SegmentRow: "segment",
    PlacementRow: "placement",
    EmbeddingRow: "embedding",
    UseRow: "embedding_use",
    GoneRow: "gone",
    CounterRow: "counter",
    MemberRow: "member",
    FlagRow: "flag",
    GateRow: "gate",
    GateVerdictRow: "gate_verdict",
    AdmissionRow: "admission",
    AdmissionVectorRow: "admission_vector",
    GateEventRow: "gate_event",
    **TABLE_OF,
    OpinionRow: "opinion",
}


def _read_version(values: Sequence[Any]) -> VersionRow:
    (document_id, version, fingerprint, settings_hash, title, form, language, authored_at, author, n_pages, warnings,
     ingested_at, n_segments, n_blocks) = values  # fmt: skip
    return VersionRow(
        document_id, version, fingerprint, settings_hash, title, form, language, utc(authored_at), author, n_pages,
        tuple(warnings), ingested_at.astimezone(UTC), n_segments, n_blocks,
    )  # fmt: skip


def _read_segment(values: Sequence[Any]) -> SegmentRow:
    segment_id, document_id, kind, text, heading_path, content_hash, rows = values
    return SegmentRow(
        segment_id, document_id, Kind(kind), text, tuple(heading_path), content_hash, table_from_json(rows)
    )


def _read_placement(values: Sequence[Any]) -> PlacementRow:
    (segment_id, version, document_id, ordinal, page, language, context, n_tokens, salience, relation, of, similarity,
     objections, near_miss, section_role) = values  # fmt: skip
    return PlacementRow(
        segment_id, version, document_id, ordinal, page, language, context, n_tokens, salience,
        Relation(relation) if relation else None, of, similarity, objections_from_json(objections), near_miss,
        section_role,
    )  # fmt: skip


def _read_embedding(values: Sequence[Any]) -> EmbeddingRow:
    return EmbeddingRow(values[0], unpack([values[1]])[0])


def _read_member(values: Sequence[Any]) -> MemberRow:
    (segment_id, collection, document_id, content_hash, salience, boost, owner, dated_at, block_id,
     similarity) = values  # fmt: skip
    return MemberRow(
        segment_id, collection, document_id, content_hash, salience, boost, owner, dated_at.astimezone(UTC), block_id,
        similarity,
    )  # fmt: skip


def _utc(value: Any) -> Any:
    return value.astimezone(UTC) if isinstance(value, datetime) else value


_TABLES: dict[str, Callable[[Sequence[Any]], Row]] = {
    "collections": lambda values: Collection(*values),
    "dump_documents": lambda values: DocumentRow(*values),
    "dump_names": lambda values: NameRow(*values),
    "dump_versions": _read_version,
    "dump_segments": _read_segment,
    "dump_placements": _read_placement,
    "dump_embeddings": _read_embedding,
    "dump_uses": lambda values: UseRow(*values),
    "dump_blocks": read_block,
    "dump_gone": lambda values: GoneRow(*values),
    "counters": lambda values: CounterRow(*values),
    "dump_decisions": read_decision,
    "dump_members": _read_member,
    "dump_flags": lambda values: FlagRow(*values),
    "dump_gates": lambda values: GateRow(*map(_utc, values)),
    "dump_gate_verdicts": lambda values: GateVerdictRow(*map(_utc, values)),
    "dump_admissions": lambda values: AdmissionRow(*map(_utc, values)),
    "dump_admission_vectors": lambda values: AdmissionVectorRow(values[0], unpack([values[1]])[0]),
    "dump_gate_events": lambda values: GateEventRow(*map(_utc, values)),
    "dump_properties": partial(read, PropertyRow),
    "dump_residents": partial(read, ResidentRow),
    "dump_tenancies": partial(read, TenancyRow),
    "dump_conversations": partial(read, ConversationRow),
    "dump_inbounds": partial(read, InboundRow),
    "dump_turns": partial(read, TurnRow),
    "dump_issues": partial(read, IssueRow),
    "dump_issue_moves": partial(read, IssueMoveRow),
    "dump_emergencies": partial(read, EmergencyRow),
    "dump_outbox": partial(read, OutboxRow),
    "notices_to_landlords": partial(read, LandlordNoticeRow),
    "dump_waiting_media": partial(read, WaitingMediaRow),
    "dump_media": partial(read, MediaRow),
    "dump_opinions": read_opinion,
}
