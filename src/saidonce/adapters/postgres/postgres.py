"""The store in PostgreSQL, embedded or not."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from saidonce.adapters.clock import SystemClock
from saidonce.adapters.postgres import archive, postgres_archive, postgres_search
from saidonce.adapters.postgres import replica as copies
from saidonce.adapters.postgres.clean import (
    clean,
    clean_collection,
    clean_filters,
    clean_name,
    clean_vectors,
    clean_write,
)
from saidonce.adapters.postgres.connection import Database
from saidonce.adapters.postgres.postgres_conversations import PostgresConversations
from saidonce.adapters.postgres.postgres_gates import PostgresGates
from saidonce.adapters.postgres.postgres_homes import PostgresMedia
from saidonce.adapters.postgres.postgres_ledger import PostgresLedger
from saidonce.adapters.postgres.postgres_opinions import PostgresOpinions
from saidonce.adapters.postgres.postgres_originals import PostgresOriginals
from saidonce.adapters.postgres.postgres_pairs import PostgresPairs
from saidonce.adapters.postgres.postgres_people import PostgresPeople
from saidonce.adapters.postgres.postgres_security import PostgresSecurity
from saidonce.adapters.postgres.postgres_syncs import PostgresSyncs
from saidonce.adapters.postgres.postgres_write import Writer
from saidonce.adapters.postgres.records import BlockRow, KeyedSegment, receipt_of, rows_of
from saidonce.errors import NotFoundError, StaleWriteError, StoreCorruptError, UsageError
from saidonce.foundation.model import (
    Block,
    Collection,
    DocumentWrite,
    Filters,
    Receipt,
    Segment,
    StoredDocument,
    Vector,
    WriteState,
)
from saidonce.foundation.model.base_figures import BaseFigure
from saidonce.foundation.model.call_outs import OrgTroubles
from saidonce.foundation.ports import (
    BlockText,
    Clock,
    CollectionCounts,
    Conversations,
    Gates,
    HeldAge,
    Ledger,
    LexicalPool,
    Marks,
    MediaFiles,
    Opinions,
    Originals,
    PairTable,
    People,
    ReplicaState,
    SegmentHistory,
    VectorRow,
)
from saidonce.foundation.ports.security import SecurityLog
from saidonce.foundation.ports.syncs import Syncs

_Read = TypeVar("_Read")

BATCH = 2_000
FOUND_IDS = 20


class PostgresStore:
    """Keeps one organisation's base in PostgreSQL.

    Args:
        url: connection string or URL of the database.
        clock: gives `ingested_at`.
        revive: brings a server of our own back when it does not answer.
        on_close: called after the last connection is given back.
        own: folder of our own server, whose owner the login of the URL is; see `Database`.

    Raises:
        StoreUnavailableError: the database cannot be reached, or has to be prepared.
        StoreError: the database was made by another version of this program.
    """

    def __init__(
        self,
        url: str,
        org: str,
        clock: Clock | None = None,
        revive: Callable[[], None] | None = None,
        on_close: Callable[[], None] | None = None,
        own: Path | None = None,
    ) -> None:
        self._org = clean_name("organisation", org)
        self._clock = clock if clock is not None else SystemClock()
        self._on_close = on_close
        self._wire(Database(url, self._org, revive, own))

    def _wire(self, database: Database) -> None:
        """Let everything that this store gives act on one database, as its organisation."""
        self._database = database
        self._ledger = PostgresLedger(database, self._clock)
        self._people = PostgresPeople(database.of_primary())  # who may do what is never read from a copy
        self._security = PostgresSecurity(database.of_primary())
        self._syncs = PostgresSyncs(database)
        self._gates = PostgresGates(database)
        self._conversations = PostgresConversations(database, self._org)
        self._media = PostgresMedia(database)
        self._originals = PostgresOriginals(database)
        self._opinions = PostgresOpinions(database)
        self._pairs = PostgresPairs(database)

    @property
    def org(self) -> str:
        """Name of the organisation."""
        return self._org

    @property
    def ledger(self) -> Ledger:
        """The log of decisions."""
        return self._ledger

    @property
    def conversations(self) -> Conversations:
        """The organisation's conversations with residents, and who lives where."""
        return self._conversations

    @property
    def media(self) -> MediaFiles:
        """The files that residents sent."""
        return self._media

    @property
    def originals(self) -> Originals:
        """Files of evidence and pictures of them."""
        return self._originals

    @property
    def gates(self) -> Gates:
        """The organisation's gates, with admissions and verdicts."""
        return self._gates

    @property
    def opinions(self) -> Opinions:
        """Second opinions on pairs that wait for a person."""
        return self._opinions

    @property
    def pairs(self) -> PairTable:
        """The pair table."""
        return self._pairs

    @property
    def people(self) -> People:
        """The organisation's people, keys and notifications."""
        return self._people

    @property
    def security(self) -> SecurityLog:
        """The organisation's security log."""
        return self._security

    @property
    def syncs(self) -> Syncs:
        """The sources that the organisation's collections are kept in step with."""
        return self._syncs

    def orgs_to_answer(self, at: datetime) -> tuple[str, ...]:
        """Return the organisations, of all, in whose conversations something may wait at a moment, by name."""
        return tuple(str(org) for (org,) in self._database.rows("orgs_to_answer", at=at))

    def orgs_unreached(self) -> tuple[str, ...]:
        """Return the organisations, of all, that have homes and no channel for notices of residents, by name."""
        return tuple(str(org) for (org,) in self._database.rows("orgs_unreached"))

    def held_by_org(self) -> tuple[HeldAge, ...]:
        """Return the number of held submissions of all organisations, by name and reason; only non-zero ones."""
        return tuple(self._database.nouns(HeldAge, "held_by_org"))

    def figures_by_org(self, at: datetime) -> tuple[BaseFigure, ...]:
        """Return the figures of all organisations at a point in time, by organisation, name and part."""
        return tuple(self._database.nouns(BaseFigure, "figures_by_org", at=at))

    def org_troubles(self, tries: int) -> tuple[OrgTroubles, ...]:
        """Return the alarms and notices of all organisations for which nobody was reached, by name."""
        return tuple(self._database.nouns(OrgTroubles, "org_troubles", tries=tries))

    def ping(self) -> None:
        """Ask the database for a sign of life, however busy this program's connections are."""
        self._database.ping()

    def rev(self) -> int:
        """Return the organisation's revision."""
        rows = self._database.rows("rev")
        return int(rows[0][0]) if rows else 0

    def ensure_collection(self, collection: Collection) -> Collection:
        """Create a collection if its name is free; return the collection with this name."""
        collection = clean_collection(collection)
        for existing in self.collections():
            if existing.name == collection.name:
                return existing
        with self._database.turn() as turn:
            writer = Writer(turn)
            if (present := writer.collection(collection.name)) is not None:
                return present
            writer.put("make_collection", collection)
            writer.finish()
        return collection

    def collections(self) -> tuple[Collection, ...]:
        """Return all collections, by name."""
        return tuple(self._database.nouns(Collection, "collections"))

    def document(self, collection: str, name: str) -> StoredDocument | None:
        """Return the present version of a document, or None."""
        named = {"collection": clean(collection), "name": clean(name)}
        documents = self._database.nouns(StoredDocument, "document_by_name", **named)
        return documents[0] if documents else None

    def documents(self, collection: str) -> Iterator[StoredDocument]:
        """Yield the present versions of all documents of a collection, by name."""
        for batch in self._database.stream_nouns(StoredDocument, "documents", BATCH, collection=clean(collection)):
            yield from batch

    def versions(self, document_id: str) -> tuple[StoredDocument, ...]:
        """Return all versions of a document, newest first; nothing if it is gone."""
        return tuple(self._database.nouns(StoredDocument, "versions", document_id=clean(document_id)))

    def same_source(self, collection: str, fingerprint: str) -> tuple[StoredDocument, ...]:
        """Return the present documents whose source has these bytes, by name."""
        named = {"collection": clean(collection), "fingerprint": clean(fingerprint)}
        return tuple(self._database.nouns(StoredDocument, "same_source", **named))

    def known_vectors(self, keys: Sequence[str]) -> dict[str, Vector]:
        """Return those of the embeddings that are stored."""
        cleaned = {clean(key): key for key in keys}
        if not cleaned:
            return {}
        known = postgres_search.known_vectors(self._database, cleaned)
        return {sentence: known[key] for key, sentence in cleaned.items() if key in known}

    def add_name(self, collection: str, document_id: str, name: str) -> None:
        """Add a name to a document."""
        collection, document_id, name = clean(collection), clean(document_id), clean_name("document", name)
        with self._database.turn() as turn:
            writer = Writer(turn)
            documents = writer.nouns(StoredDocument, "document_by_id", document_id=document_id)
            if not documents or documents[0].collection != collection:
                raise NotFoundError("document", document_id)
            owner = writer.run("name_owner", collection=collection, name=name)
            if not owner:
                writer.run("make_name", collection=collection, name=name, document_id=document_id)
                writer.finish()
            elif owner != [(document_id,)]:
                raise StaleWriteError(f"document {name!r}: another document has this name; try again")

    def put_document(self, write: DocumentWrite) -> Receipt:
        """Write a document's version, or nothing."""
        write = clean_write(write)
        with self._database.turn() as turn:
            writer = Writer(turn)
            collection = writer.collection(write.collection)
            if collection is None:
                raise NotFoundError("collection", write.collection)
            documents = writer.nouns(StoredDocument, "document_by_id", document_id=write.document_id)
            present = documents[0] if documents else None
            if clash := _clash(writer, write, present):
                raise StaleWriteError(f"document {write.name!r}: {clash}; try again")
            before = frozenset(s for (s,) in writer.run("present_segments", document_id=write.document_id))
            if present is not None:
                if (present.fingerprint, present.settings_hash) == (write.fingerprint, write.settings_hash):
                    return Receipt(
                        WriteState.UNCHANGED, present.id, present.version, writer.rev_before, n_unchanged=len(before)
                    )
                write = replace(write, name=present.name)
            version = present.version + 1 if present is not None else 1
            rows = rows_of(write, collection, version, writer.rev, self._clock.now())
            writer.put_version(rows, clean_vectors(write.embeddings, collection.dim))
            writer.count(write.counts)
            writer.finish()
        self._database.refresh_statistics()
        return receipt_of(write, version, writer.rev, before)

    def remove_document(self, collection: str, name: str) -> Receipt:
        """Take a name away, and the document with its last name."""
        with self._database.turn() as turn:
            writer = Writer(turn)
            dropped = writer.run("drop_name", collection=clean(collection), name=clean(name))
            stands_for = writer.collection(clean(collection))
            if not dropped or stands_for is None:
                raise NotFoundError("document", name)
            document_id = str(dropped[0][0])
            ((first, version, left, n_removed),) = writer.run("names_left", document_id=document_id)
            if not left:
                writer.drop_document(document_id, stands_for.model)
            elif first not in left:
                writer.rename(document_id, first, left[0])
            writer.finish()
        return Receipt(WriteState.CHANGED, document_id, version, writer.rev, n_removed=0 if left else n_removed)

    def changes(self, model: str, since: int) -> Iterator[Sequence[VectorRow]]:
        """Yield batches of changed blocks, by (rev, id)."""
        yield from postgres_search.changes(self._database, clean(model), since)

    def scan(self, model: str, query: Vector, limit: int, filters: Filters) -> list[tuple[str, float]]:
        """Return the nearest blocks to a text vector by the database's own exact scan, nearest first, ties by id."""
        return postgres_search.scan(self._database, clean(model), query, limit, clean_filters(filters))

    def lexical(self, terms: Sequence[str], filters: Filters, cap: int) -> LexicalPool:
        """Return the candidates of a lexical search and the statistics to score them."""
        return postgres_search.lexical(self._database, [clean(term) for term in terms], clean_filters(filters), cap)

    def headings(self, query: str, filters: Filters, limit: int) -> list[tuple[str, float]]:
        """Return the blocks whose title or heading path resembles a query by trigrams."""
        return postgres_search.headings(self._database, query, clean_filters(filters), limit)

    def correct(self, terms: Sequence[str], collections: Sequence[str]) -> dict[str, str]:
        """Map each term that no block contains to the most alike term that some block contains."""
        cleaned = {term: clean(term) for term in terms}
        return postgres_search.correct(self._database, cleaned, [clean(name) for name in collections])

    def blocks(self, ids: Sequence[str]) -> dict[str, Block]:
        """Return live blocks with their attributions."""
        return _by_asked_id(ids, lambda cleaned: postgres_search.blocks(self._database, cleaned))

    def block_texts(self, ids: Sequence[str]) -> dict[str, BlockText]:
        """Return the words of live blocks."""
        return _by_asked_id(ids, lambda cleaned: postgres_search.block_texts(self._database, cleaned))

    def find_ids(self, prefix: str) -> tuple[str, ...]:
        """Return the ids of blocks and segments that start with a prefix."""
        rows = self._database.rows("find_ids", prefix=clean(prefix), limit=FOUND_IDS)
        return tuple(each for (each,) in rows)

    def history(self, segment_id: str) -> tuple[SegmentHistory, ...]:
        """Return every version's account of one segment, oldest first."""
        return tuple(self._database.nouns(SegmentHistory, "history", segment_id=clean(segment_id)))

    def counts(self) -> tuple[CollectionCounts, ...]:
        """Return the contents of each collection in numbers, by name."""
        return tuple(self._database.nouns(CollectionCounts, "counts"))

    def marks(self, model: str) -> Marks:
        """Count a model's live blocks and add up their marks."""
        return postgres_search.marks(self._database, clean(model))

    def identity(self) -> str:
        """Name the database and its history."""
        return postgres_search.identity(self._database)

    def add_counters(self, counters: Mapping[str, float]) -> None:
        """Add to the organisation's running counters."""
        cleaned = {clean_name("counter", name): float(value) for name, value in counters.items()}
        if not cleaned:
            return
        with self._database.turn() as turn:
            writer = Writer(turn)
            writer.count(cleaned)
            writer.finish()

    def counters(self) -> dict[str, float]:
        """Return the running counters, by name."""
        return dict(self._database.rows("counters"))

    def segments(self, collection: str) -> Iterator[Sequence[tuple[Segment, str, str]]]:
        """Yield batches of (segment, text key, context key) of all live blocks, by id."""
        for batch in self._database.stream_nouns(KeyedSegment, "segments", BATCH, collection=clean(collection)):
            yield [(row.segment, row.text_key, row.context_key) for row in batch]

    def reembed(
        self, collection: Collection, keys: Mapping[str, tuple[str, str]], vectors: Mapping[str, Vector]
    ) -> None:
        """Switch a collection to another model in one transaction."""
        target = clean_collection(collection)
        clean_rows = clean_vectors(vectors, target.dim)
        with self._database.turn() as turn:
            writer = Writer(turn)
            former = writer.collection(target.name)
            if former is None:
                raise NotFoundError("collection", target.name)
            live = [block_id for block_id, _ in writer.run("blocks_of_collection", collection=target.name)]
            if any(block_id not in keys for block_id in live):
                raise StoreCorruptError(f"a live block of {target.name!r} has no key under the new model")
            needed = {key for block_id in live for key in keys[block_id] if key}
            missing = writer.missing_keys(needed)
            if absent := missing - clean_rows.keys():
                raise StoreCorruptError(f"{len(absent)} embeddings are neither given nor stored")
            writer.add_embeddings(clean_rows, missing)
            rows = writer.nouns(BlockRow, "dump_block", ids=live)
            moved = [b.under(target.model, keys[b.block_id], writer.rev) for b in rows]
            writer.reembed(former, target, moved)
            writer.finish()

    def dump(self) -> Iterator[bytes]:
        """Export the organisation as self-contained JSON lines."""
        with self._database.reading() as connection:
            row = connection.execute("select rev from org where org_id = current_setting('saidonce.org')").fetchone()
            yield from archive.export(row[0] if row else 0, postgres_archive.rows_out(connection))

    def load(self, lines: Iterable[bytes]) -> int:
        """Import an export into an empty organisation, all or nothing."""
        read = archive.Import(lines)
        with self._database.turn() as turn:
            writer = Writer(turn)
            if writer.rev_before or writer.run("holds_conversations") == [(True,)]:
                raise UsageError(f"organisation {self._org!r} is not empty; import into an empty one")
            postgres_archive.rows_in(writer, read.rows())
            writer.finish(read.rev)
        self._database.refresh_statistics()
        return read.n_lines

    def of_org(self, org: str) -> PostgresStore:
        """Return another organisation's store of the same database, over the same connections."""
        other = copy.copy(self)
        other._org = clean_name("organisation", org)
        other._on_close = None
        other._wire(self._database.of_org(other._org))
        return other

    def let_reads_lag(self) -> None:
        """Let what the calling context reads from now on come from a copy of the database."""
        copies.let_reads_lag()

    def replica(self) -> ReplicaState:
        """Say how that copy is."""
        return ReplicaState() if self._database.replica is None else self._database.replica.state()

    def close(self) -> None:
        """Close the connections; the last user of an embedded server stops it."""
        self._database.close()
        if self._on_close is not None:
            self._on_close()


def with_replica(store: PostgresStore, url: str, max_lag_s: float) -> PostgresStore:
    """Name the copy of the database that reads which may lag come from; for all organisations' stores opened later.

    Raises:
        StoreUnavailableError: the URL is malformed.
    """
    store._database.use_replica(url, max_lag_s)
    return store


def _by_asked_id(ids: Sequence[str], read: Callable[[Sequence[str]], Mapping[str, _Read]]) -> dict[str, _Read]:
    """Read what is stored under ids as they are stored, and give it under the ids as they were asked for."""
    asked = {each: clean(each) for each in ids}
    stored = read(list(dict.fromkeys(asked.values()))) if asked else {}
    return {each: stored[cleaned] for each, cleaned in asked.items() if cleaned in stored}


def _clash(writer: Writer, write: DocumentWrite, present: StoredDocument | None) -> str:
    """Say what another writer did since the caller looked; empty if nothing is in the way."""
    owner = writer.run("name_owner", collection=write.collection, name=write.name)
    if owner != ([(present.id,)] if present is not None else []):
        return "the name belongs to another document"
    if present is not None and present.fingerprint == write.fingerprint:
        return ""
    if present is not None and len(present.names) > 1:
        return "it has further names"
    twin = writer.run("twin", collection=write.collection, fingerprint=write.fingerprint, document_id=write.document_id)
    return "its source is stored under another name" if twin else ""
