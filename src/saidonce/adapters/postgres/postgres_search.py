"""Searches in a PostgreSQL store."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from psycopg import Connection
from psycopg.rows import TupleRow, dict_row

from saidonce.adapters.postgres.connection import Database, batches, nouns_of
from saidonce.adapters.postgres.records import in_order, rare_terms
from saidonce.adapters.postgres.statements import queries
from saidonce.adapters.postgres.trigrams import letters
from saidonce.adapters.postgres.wire import filter_values, unpack, unpack_counts
from saidonce.foundation.model import Attribution, Block, Filters, Kind, Vector
from saidonce.foundation.ports import BlockText, LexicalColumns, LexicalPool, LexicalRow, Marks, VectorRow

BATCH = 2_000


def changes(database: Database, model: str, since: int) -> Iterator[list[VectorRow]]:
    """Yield batches of changed blocks; vectors, which blocks may share, are read once a batch."""
    if not database.rows("has_changed", model=model, since=since)[0][0]:  # as most searches find; one journey
        return
    with database.reading() as connection:
        for batch in batches(connection, "changes", BATCH, {"model": model, "since": since}, dict_row):
            keys = {key for row in batch for key in (row["text_key"], row["context_key"]) if key}
            vectors = read_vectors(connection, keys)
            yield [_change(row, vectors.get(row["text_key"]), vectors.get(row.pop("context_key"))) for row in batch]


def marks(database: Database, model: str) -> Marks:
    """Add up the marks of a model's blocks."""
    ((n, total),) = database.rows("marks", model=model)
    return Marks(int(n), int(total) % 2**64)


def identity(database: Database) -> str:
    """Name the database."""
    return str(database.rows("identity")[0][0])


def _change(row: Mapping[str, Any], text: Vector | None, context: Vector | None) -> VectorRow:
    values: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in row.items()}
    return VectorRow(**{**values, "kind": Kind(row["kind"]), "text": text, "context": context})


def read_vectors(connection: Connection[TupleRow], keys: Iterable[str]) -> dict[str, Vector]:
    """Return those of the embeddings that are stored."""
    with connection.cursor(binary=True) as cursor:
        return _vectors(cursor.execute(queries()["vectors"], {"keys": list(keys)}).fetchall())


def known_vectors(database: Database, keys: Iterable[str]) -> dict[str, Vector]:
    """Return those of the embeddings that are stored, in one journey."""
    return _vectors(database.binary_rows("vectors", keys=list(keys)))


def _vectors(rows: Sequence[TupleRow]) -> dict[str, Vector]:
    return dict(zip((key for key, _ in rows), unpack([packed for _, packed in rows]), strict=True))


def scan(database: Database, model: str, query: Vector, limit: int, filters: Filters) -> list[tuple[str, float]]:
    """Return the nearest blocks to a text vector."""
    rows = database.rows(
        "scan", model=model, query=np.asarray(query, np.float32), limit=limit, **filter_values(filters)
    )
    return [(block_id, similarity) for block_id, similarity in rows]


def lexical(database: Database, terms: Sequence[str], filters: Filters, cap: int) -> LexicalPool:
    """Return the candidates of a lexical search."""
    values = filter_values(filters)
    with database.reading() as connection:
        (_, n_blocks, n_terms), *known = connection.execute(
            queries()["pool"], {"terms": list(set(terms)), "collections": values["collections"]}
        ).fetchall()
        ids = {term: term_id for term, term_id, _ in known}
        containing = {term: n for term, _, n in known}
        rare = [ids[term] for term in rare_terms(terms, containing, cap)]
        rows: Sequence[LexicalRow] = ()
        if rare:
            query_codes = [ids.get(term, 0) for term in terms]
            cursor = connection.cursor(binary=True)
            cursor.execute(queries()["lexical"], {"asked": query_codes, "rare": rare, **values})
            ((block_ids, lengths, counts),) = cursor.fetchall()
            if block_ids:
                rows = LexicalColumns(block_ids, unpack_counts(lengths), unpack_counts(counts))
    mean = n_terms / n_blocks if n_blocks else 0.0
    return LexicalPool(n_blocks, mean, tuple(containing.get(term, 0) for term in terms), rows)


def headings(database: Database, query: str, filters: Filters, limit: int) -> list[tuple[str, float]]:
    """Return the blocks whose title or heading path resembles a query."""
    query_codes = letters(query)
    if not query_codes:
        return []
    rows = database.rows("headings", query=query_codes, limit=limit, **filter_values(filters))
    return [(block_id, similarity) for block_id, similarity in rows]


def correct(database: Database, terms: Mapping[str, str], collections: Sequence[str]) -> dict[str, str]:
    """Map each unknown term to the most alike known one; `terms` are given by their uncleaned form."""
    within = list(collections) or None
    known = {row[0] for row in database.rows("pool", terms=list(terms.values()), collections=within)[1:]}
    unknown = [term for term, cleaned in terms.items() if cleaned not in known and letters(cleaned)]
    if not unknown:
        return {}
    rows = database.rows("corrections", asked=[letters(terms[term]) for term in unknown], collections=within)
    return {unknown[place - 1]: term for place, term in rows}


def block_texts(database: Database, ids: Sequence[str]) -> dict[str, BlockText]:
    """Return the words of live blocks."""
    return {
        id_: BlockText(id_, title, tuple(headings), own, language)
        for id_, title, headings, own, language in database.binary_rows("block_texts", ids=ids)
    }


@dataclass(frozen=True, slots=True)
class _Support:
    """An attribution with the block that it supports."""

    block_id: str
    it: Attribution


def blocks(database: Database, ids: Sequence[str]) -> dict[str, Block]:
    """Return live blocks with their attributions, as of one moment."""
    with database.reading() as connection:
        rows = nouns_of(connection.execute(queries()["blocks"], {"ids": ids}), Block)
        members = [member for row in rows for member in row.members]
        supports = nouns_of(connection.execute(queries()["attributions"], {"members": members}), _Support)
    attributions: dict[str, list[Attribution]] = {}
    for each in supports:
        attributions.setdefault(each.block_id, []).append(each.it)
    return {row.id: replace(row, attributions=in_order(attributions[row.id])) for row in rows}
