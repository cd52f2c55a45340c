"""How a version of a document comes into PostgreSQL, and how it goes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar, cast

from psycopg import Cursor
from psycopg.rows import RowFactory, TupleRow, tuple_row

from saidonce.adapters.postgres.codec import rows_as
from saidonce.adapters.postgres.connection import WriteTurn
from saidonce.adapters.postgres.records import BlockRow, EmbeddingRow, WriteRows
from saidonce.adapters.postgres.statements import queries
from saidonce.adapters.postgres.tables import BY_NOUN
from saidonce.adapters.postgres.trigrams import heading_texts, letters
from saidonce.adapters.postgres.wire import insert_rows
from saidonce.errors import StoreCorruptError
from saidonce.foundation.model import MOST_NEAR, Collection, Vector
from saidonce.foundation.text import digest

_Noun = TypeVar("_Noun")


class Statements:
    """Named queries and rows of one transaction; it holds no lock but what they take."""

    def __init__(self, cursor: Cursor[TupleRow]) -> None:
        self._cursor = cursor

    def run(self, query: str, /, **values: Any) -> list[TupleRow]:
        """Run a named query, and give the rows if it has any."""
        self._cursor.execute(queries()[query], values)
        return self._cursor.fetchall() if self._cursor.description else []

    def nouns(self, noun: type[_Noun], query: str, /, **values: Any) -> list[_Noun]:
        """Run a named query, and give its rows as nouns."""
        self._cursor.row_factory = cast("RowFactory[TupleRow]", rows_as(noun))
        try:
            return cast("list[_Noun]", self.run(query, **values))
        finally:
            self._cursor.row_factory = tuple_row

    def put(self, query: str, row: object, /, **more: Any) -> list[TupleRow]:
        """Run a named query with the columns of a row."""
        return self.run(query, **BY_NOUN[type(row)].params(row), **more)

    def insert(self, rows: Sequence[object]) -> None:
        """Write rows of one table."""
        if rows:
            table = BY_NOUN[type(rows[0])]
            insert_rows(self._cursor, table.name, table.columns, [table.values(row) for row in rows], table.yields)

    def insert_values(self, table: str, columns: Mapping[str, str], rows: Sequence[Sequence[Any]]) -> None:
        """Write rows of a table that are given as values of columns, whose types are given by name."""
        insert_rows(self._cursor, table, columns, rows)


class Writer(Statements):
    """The statements of one write, in the organisation's turn.

    Attributes:
        rev: revision that the organisation gets by this write.
    """

    def __init__(self, turn: WriteTurn) -> None:
        super().__init__(turn.cursor)
        self._turn = turn
        self._before = turn.rev
        self.rev = turn.rev + 1

    @property
    def rev_before(self) -> int:
        """The organisation's revision without this write."""
        return self._before

    def finish(self, rev: int | None = None) -> None:
        """Count the write."""
        self.run("set_rev", rev=self.rev if rev is None else rev)
        self.counted(rev)

    def counted(self, rev: int | None = None) -> None:
        """Take note that a statement has counted the write."""
        self._turn.rev = self.rev if rev is None else rev

    def collection(self, name: str) -> Collection | None:
        """Return a collection, or None."""
        collections = self.nouns(Collection, "one_collection", name=name)
        return collections[0] if collections else None

    def put_version(self, rows: WriteRows, vectors: Mapping[str, Vector]) -> None:
        """Write a version of a document.

        Raises:
            StoreCorruptError: an embedding is missing, or a segment belongs to another document.
        """
        document = rows.document
        self.put("put_document", document)
        if document.version == 1:
            place = {"collection": document.collection, "name": document.name}
            self.run("make_name", document_id=document.document_id, **place)
        self._put_segments(rows)
        self._put_embeddings(rows, vectors)
        for original in rows.originals:
            self.put("put_original", original)
        if rows.blocks is not None:
            before: dict[str, str] = dict(self.run("block_digests", document_id=document.document_id))
            self.replace_blocks(before, rows.blocks, self._model_of(document.document_id))

    def add_blocks(self, blocks: Sequence[BlockRow]) -> None:
        """Write blocks of one collection that are not there, with everything that their searches need."""
        if not blocks:
            return
        term_ids = self._term_ids({term for block in blocks for term, _ in block.terms})
        heading_keys = self._put_headings(blocks)
        table = BY_NOUN[BlockRow]
        columns = {**table.columns, "terms": "int8[]", "heading_key": "text"}
        values = [(*table.values(b), [term_ids[term] for term, _ in b.terms], heading_keys[b.block_id]) for b in blocks]
        self.insert_values(table.name, columns, values)
        collection = blocks[0].collection
        self.run(
            "count_blocks_in",
            collection=collection, n_blocks=len(blocks), n_terms=sum(block.n_terms for block in blocks),
        )  # fmt: skip
        n_blocks = Counter(term_ids[term] for block in blocks for term, _ in block.terms)
        ids = sorted(n_blocks)
        self.run("raise_counts", collection=collection, term_ids=ids, counts=[n_blocks[i] for i in ids])
        self.run("add_texts", ids=[block.block_id for block in blocks])

    def drop_blocks(self, ids: Sequence[str]) -> list[str]:
        """Remove blocks with everything that their searches need, but without tombstones; give their texts."""
        if not ids:
            return []
        texts = self._texts_of(ids)
        for name in ("count_blocks_out", "drop_counts", "lower_counts"):
            self.run(name, ids=ids)
        keys = {key for (key,) in self.run("drop_blocks", ids=ids)}
        self.run("drop_headings", keys=sorted(keys))
        return texts

    def drop_texts(self, texts: Sequence[str]) -> None:
        """Remove those of some texts that no block has any more, with their pairs."""
        gone = [name for (name,) in self.run("gone_texts", texts=list(texts))] if texts else []
        if gone:
            self.run("unlist", texts=gone, most=MOST_NEAR)
            self.run("drop_texts", texts=gone)

    def drop_document(self, document_id: str, model: str) -> None:
        """Remove a document with all its versions; its names are gone already."""
        blocks = [block_id for block_id, _ in self.run("block_digests", document_id=document_id)]
        self.drop_texts(self.drop_blocks(blocks))
        self.run("bury", model=model, ids=blocks, rev=self.rev)
        self._release("release", [document_id])
        sources = [sha256 for (sha256,) in self.run("sources_of", document_id=document_id)]
        self.run("drop_document", document_id=document_id)
        self.run("drop_originals", sha256s=sources)

    def rename(self, document_id: str, former: str, name: str) -> None:
        """Call a document by another of its names."""
        self.run("rename", document_id=document_id, name=name)
        self.run("rename_blocks", document_id=document_id, former=former, name=name, rev=self.rev)

    def reembed(self, former: Collection, target: Collection, blocks: Sequence[BlockRow]) -> None:
        """Put blocks of a collection under its new model; their embeddings are stored already."""
        self.put("change_collection", target)
        needed: dict[str, set[str]] = {}
        for block in blocks:
            needed.setdefault(block.document_id, set()).update(filter(None, (block.text_key, block.context_key)))
        for document_id, keys in needed.items():
            self.run("add_uses", document_id=document_id, keys=sorted(keys))
        ids = [block.block_id for block in blocks]
        former_texts = self._texts_of(ids)
        self.run(
            "move_blocks",
            model=target.model, rev=self.rev, ids=ids, text_keys=[b.text_key for b in blocks],
            context_keys=[b.context_key for b in blocks], digests=[b.digest for b in blocks],
        )  # fmt: skip
        self.run("add_texts", ids=ids)
        self.drop_texts(former_texts)
        if former.model != target.model:
            self.run("bury", model=former.model, ids=ids, rev=self.rev)
            self.run("unbury", model=target.model, ids=ids)
        documents = [document_id for (document_id,) in self.run("documents_of_collection", collection=target.name)]
        self._release("release_others", documents)

    def missing_keys(self, keys: Iterable[str]) -> set[str]:
        """Return those of the keys whose embeddings are not stored."""
        distinct = set(keys)
        return distinct - {key for (key,) in self.run("known_keys", keys=sorted(distinct))}

    def add_embeddings(self, vectors: Mapping[str, Vector], keys: Iterable[str]) -> None:
        """Store embeddings that are not there."""
        self.insert([EmbeddingRow(key, vectors[key]) for key in sorted(keys)])

    def count(self, counters: Mapping[str, float]) -> None:
        """Add to the running counters."""
        if counters:
            self.run("count", names=list(counters), values=[float(value) for value in counters.values()])

    def _put_segments(self, rows: WriteRows) -> None:
        document_id = rows.document.document_id
        known: dict[str, str] = dict(self.run("owners_of_segments", ids=[s.segment_id for s in rows.segments]))
        for segment_id, owner in known.items():
            if owner != document_id:
                raise StoreCorruptError(f"segment {segment_id!r} belongs to another document")
        self.insert([rows.version])
        self.insert([s for s in rows.segments if s.segment_id not in known])
        self.insert(rows.placements)

    def _put_embeddings(self, rows: WriteRows, vectors: Mapping[str, Vector]) -> None:
        missing = self.missing_keys({*rows.needed_keys, *vectors})
        if absent := missing - vectors.keys():
            raise StoreCorruptError(f"{len(absent)} embeddings are neither given nor stored, such as {min(absent)!r}")
        self.add_embeddings(vectors, missing)
        self.run("add_uses", document_id=rows.document.document_id, keys=sorted({*rows.needed_keys, *vectors}))

    def replace_blocks(self, before: Mapping[str, str], changed: Sequence[BlockRow], model: str) -> None:
        """Put blocks in place of others; those that stay as they are keep their revision.

        Args:
            before: digests of the blocks that were there, by id.
            changed: of one collection.
            model: of that collection.
        """
        after = {block.block_id: block for block in changed}
        fresh = [block for block in changed if before.get(block.block_id) != block.digest]
        gone = [block_id for block_id in before if block_id not in after]
        texts = self.drop_blocks([*gone, *(block.block_id for block in fresh if block.block_id in before)])
        self.add_blocks(fresh)
        self.drop_texts(texts)
        if gone:
            self.run("bury", model=model, ids=gone, rev=self.rev)
        if added := [block.block_id for block in fresh if block.block_id not in before]:
            self.run("unbury", model=fresh[0].model, ids=added)

    def _texts_of(self, ids: Sequence[str]) -> list[str]:
        """Return the names of the texts of some blocks."""
        return [name for (name,) in self.run("texts_of_blocks", ids=list(ids))]

    def _model_of(self, document_id: str) -> str:
        return str(self.run("model_of_document", document_id=document_id)[0][0])

    def _term_ids(self, terms: set[str]) -> dict[str, int]:
        """Return the ids of terms; new ones enter the vocabulary."""
        ids: dict[str, int] = dict(self.run("known_terms", terms=sorted(terms)))
        if fresh := sorted(terms - ids.keys()):
            ids.update(self.run("add_terms", terms=fresh, letters=[letters(term) for term in fresh]))
        return ids

    def _put_headings(self, blocks: Iterable[BlockRow]) -> dict[str, str]:
        """Keep the headings of blocks; give each block's heading key."""
        forms = {b.block_id: heading_texts(b.title, b.heading_path) for b in blocks}
        keys = {block_id: digest(*form) for block_id, form in forms.items()}
        by_key = {key: forms[block_id] for block_id, key in keys.items()}
        titles, leaves, wholes = zip(*by_key.values(), strict=True)
        self.run("add_headings", keys=list(by_key), titles=list(titles), leaves=list(leaves), wholes=list(wholes))
        return keys

    def _release(self, query: str, document_ids: Sequence[str]) -> None:
        keys = {key for (key,) in self.run(query, ids=document_ids)}
        self.run("drop_embeddings", keys=sorted(keys))
