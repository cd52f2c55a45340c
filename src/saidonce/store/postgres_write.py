"""How a version of a document comes into PostgreSQL, and how it goes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from psycopg import Cursor
from psycopg.rows import TupleRow

from saidonce.errors import StoreCorruptError
from saidonce.model import Collection, Vector
from saidonce.store.connection import queries
from saidonce.store.records import BlockRow, EmbeddingRow, PlacementRow, SegmentRow, VersionRow, WriteRows
from saidonce.store.records import objections_to_json, table_to_json
from saidonce.store.trigrams import heading_texts, letters
from saidonce.store.wire import copy_embeddings, copy_rows
from saidonce.text import digest


class Writer:
    """The statements of one write; the caller holds the organisation's row lock.

    Attributes:
        rev: revision that the organisation gets by this write.
    """

    def __init__(self, cursor: Cursor[TupleRow], org: str) -> None:
        self._cursor = cursor
        self._org = org
        self.run("make_org")
        (self._before,) = self.run("lock_org")[0]
        self.rev: int = self._before + 1

    @property
    def rev_before(self) -> int:
        """The organisation's revision without this write."""
        return int(self._before)

    def run(self, name: str, **values: Any) -> list[TupleRow]:
        """Run a named query, and give the rows if it has any."""
        self._cursor.execute(queries()[name], values)
        return self._cursor.fetchall() if self._cursor.description else []

    def finish(self, rev: int | None = None) -> None:
        """Count the write."""
        self.run("set_rev", rev=self.rev if rev is None else rev)

    def collection(self, name: str) -> Collection | None:
        """Give a collection, or None."""
        found = self.run("one_collection", name=name)
        return Collection(*found[0]) if found else None

    def put(self, rows: WriteRows, vectors: Mapping[str, Vector]) -> None:
        """Write a version of a document.

        Raises:
            StoreCorruptError: an embedding is missing, or a segment belongs to another document.
        """
        document = rows.document
        self.run(
            "put_document",
            document_id=document.document_id,
            collection=document.collection,
            name=document.name,
            version=document.version,
        )
        self._put_segments(rows)
        self._put_embeddings(rows, vectors)
        self._replace_blocks(document.document_id, rows.blocks)

    def add_blocks(self, blocks: Sequence[BlockRow]) -> None:
        """Write blocks of one collection that are not there, with everything that their searches need."""
        if not blocks:
            return
        term_ids = self._term_ids({term for block in blocks for term, _ in block.terms})
        heading_keys = self._put_headings(blocks)
        copy_rows(
            self._cursor, self._org, "block",
            "block_id, collection, model, document_id, document, kind, language, authored_at, salience, boost, text_key,"
            " context_key, terms, counts, n_terms, heading_key, digest, rev",
            (
                (b.block_id, b.collection, b.model, b.document_id, b.document, b.kind.value, b.language, b.authored_at,
                 b.salience, b.boost, b.text_key, b.context_key, [term_ids[t] for t, _ in b.terms],
                 [n for _, n in b.terms], b.n_terms, heading_keys[b.block_id], b.digest, b.rev)
                for b in blocks
            ),
        )  # fmt: skip
        collection = blocks[0].collection
        self.run(
            "count_blocks_in",
            collection=collection, n_blocks=len(blocks), n_terms=sum(block.n_terms for block in blocks),
        )  # fmt: skip
        n_blocks = Counter(term_ids[term] for block in blocks for term, _ in block.terms)
        ids = sorted(n_blocks)
        self.run("raise_counts", collection=collection, term_ids=ids, counts=[n_blocks[i] for i in ids])

    def drop_blocks(self, ids: Sequence[str]) -> None:
        """Remove blocks with everything that their searches need, but without tombstones."""
        if not ids:
            return
        for name in ("count_blocks_out", "drop_counts", "lower_counts"):
            self.run(name, ids=ids)
        keys = {key for (key,) in self.run("drop_blocks", ids=ids)}
        self.run("drop_headings", keys=sorted(keys))
