"""Rows of a PostgreSQL store on their way out of and into an export, table by table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby, islice
from typing import cast

from psycopg import Connection
from psycopg.rows import TupleRow

from saidonce.adapters.postgres.codec import rows_as
from saidonce.adapters.postgres.connection import batches
from saidonce.adapters.postgres.postgres_homes import put_rented
from saidonce.adapters.postgres.postgres_ledger import put_decisions
from saidonce.adapters.postgres.postgres_write import Writer
from saidonce.adapters.postgres.records import BlockRow, MediaRow, OriginalRow
from saidonce.adapters.postgres.tables import TABLES
from saidonce.foundation.model import Collection, Decision
from saidonce.foundation.model.residents import Property, Resident, Tenancy

BATCH = 2_000
FILES = 4
"""Files that are in memory at once."""

_FILE_ROWS = (MediaRow, OriginalRow)


def rows_out(connection: Connection[TupleRow]) -> Iterator[object]:
    """Yield all rows of the organisation, table by table, each by its key."""
    for table in TABLES:
        size = FILES if table.noun in _FILE_ROWS else BATCH
        query = table.dump or f"dump_{table.name}"
        for batch in batches(connection, query, size, {"ids": None}, rows_as(table.noun)):
            yield from batch


def rows_in(writer: Writer, rows: Iterable[object]) -> None:
    """Write the rows of an export into an empty organisation, in the order in which they come."""
    n_batches = 0
    for (noun, _), group in groupby(rows, key=_noun_and_collection):
        while batch := list(islice(group, FILES if noun in _FILE_ROWS else BATCH)):
            _write(writer, noun, batch)
            n_batches += 1
            if n_batches.bit_count() == 1:
                writer.run("refresh_statistics")
    writer.run("count_inbox")


def _write(writer: Writer, noun: type[object], rows: list[object]) -> None:
    if noun is Collection:
        for row in rows:
            writer.put("make_collection", row)
    elif noun is BlockRow:
        writer.add_blocks(cast("list[BlockRow]", rows))
    elif noun is Decision:
        put_decisions(writer, cast("list[Decision]", rows))
    elif noun in (Property, Resident, Tenancy):
        for row in cast("list[Property | Resident | Tenancy]", rows):
            put_rented(writer, row)
    else:
        writer.insert(rows)


def _noun_and_collection(row: object) -> tuple[type[object], str]:
    return type(row), row.collection if isinstance(row, BlockRow) else ""
