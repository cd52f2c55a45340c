"""The store in memory: for tests, and honest about everything a store promises but durability."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from itertools import chain

from saidonce.adapters.clock import SystemClock
from saidonce.adapters.postgres import archive
from saidonce.adapters.postgres.clean import (
    clean,
    clean_collection,
    clean_filters,
    clean_name,
    clean_vectors,
    clean_write,
)
from saidonce.adapters.postgres.records import MediaRow, history_of, receipt_of, rows_of, segment_of
from saidonce.adapters.postgres.tables import place_of
from saidonce.errors import NotFoundError, StaleWriteError, StoreBusyError, StoreCorruptError, UsageError
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
from saidonce.foundation.model.conversation import Alarm
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
from saidonce.testing import memory_search
from saidonce.testing.memory_conversation_state import CONVERSATION_NOUNS
from saidonce.testing.memory_conversations import MemoryConversations
from saidonce.testing.memory_figures import org_figures
from saidonce.testing.memory_gates import MemoryGates, held_ages
from saidonce.testing.memory_ledger import MemoryLedger
from saidonce.testing.memory_media import MemoryMedia
from saidonce.testing.memory_opinions import MemoryOpinions
from saidonce.testing.memory_originals import MemoryOriginals
from saidonce.testing.memory_pairs import MemoryPairs, PairState
from saidonce.testing.memory_people import PEOPLE_NOUNS, MemoryPeople
from saidonce.testing.memory_security import MemorySecurity
from saidonce.testing.memory_state import OrgState
from saidonce.testing.memory_syncs import SYNC_NOUNS, MemorySyncs

BATCH = 1_000


class MemoryDatabase:
    """What several stores in memory share: the organisations, and one lock."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.orgs: dict[str, OrgState] = {}
        self.people: dict[str, MemoryPeople] = {}
        self.syncs: dict[str, MemorySyncs] = {}
        self.conversations: dict[str, MemoryConversations] = {}
        self.media: dict[str, MemoryMedia] = {}
        self.pairs: dict[str, PairState] = {}


class MemoryStore:
    """Keeps one organisation's base in memory.

    Args:
        database: shared with the stores of other organisations; a new one by default.
        clock: gives `ingested_at`.
    """

    def __init__(self, org: str, database: MemoryDatabase | None = None, clock: Clock | None = None) -> None:
        self._org = clean_name("organisation", org)
        self._database = database if database is not None else MemoryDatabase()
        self._clock = clock if clock is not None else SystemClock()
        self._people = self._database.people.setdefault(self._org, MemoryPeople())
        self._syncs = self._database.syncs.setdefault(self._org, MemorySyncs())
        self._conversations = self._database.conversations.setdefault(self._org, MemoryConversations(self._org))
        self._media = self._database.media.setdefault(self._org, MemoryMedia())
        self._security = MemorySecurity(self._people, self._database.lock, self._is_begun)
        self._ledger = MemoryLedger(lambda: self._now, self._writing, self._exclusive, self._clock)
        self._originals = MemoryOriginals(lambda: self._now)
        self._gates = MemoryGates(lambda: self._now, self._writing, self._exclusive)
        self._opinions = MemoryOpinions(lambda: self._now, self._writing)
        pairs = self._database.pairs.setdefault(self._org, PairState())
        self._pairs = MemoryPairs(lambda: self._now, pairs, self._database.lock)

    def _is_begun(self) -> bool:
        """Return whether anything is kept of the organisation."""
        return bool(self._now.rev or self._people.people())

    @property
    def ledger(self) -> Ledger:
        """The log of decisions."""
        return self._ledger

    @property
    def gates(self) -> Gates:
        """What the organisation's gates keep, and what they said."""
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
        """The organisation's people, their keys and what they are told."""
        return self._people

    @property
    def security(self) -> SecurityLog:
        """The organisation's security log."""
        return self._security

    @property
    def syncs(self) -> Syncs:
        """The sources that the organisation's collections are kept in step with."""
        return self._syncs

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
    def org(self) -> str:
        """Name of the organisation."""
        return self._org

    @property
    def _now(self) -> OrgState:
        return self._database.orgs.get(self._org, OrgState())

    @contextmanager
    def _writing(self) -> Iterator[OrgState]:
        """Change a copy of the organisation's state, and put it in place if all went well."""
        with self._database.lock:
            state = self._now.copy()
            yield state
            if state.changed:
                state.rev += 1
                self._database.orgs[self._org] = state

    @contextmanager
    def _exclusive(self, wait_s: float | None = None) -> Iterator[None]:
        """Hold the lock; on an error the organisation is as it was."""
        if not self._database.lock.acquire(timeout=-1 if wait_s is None else wait_s):
            raise StoreBusyError(self._org, wait_s or 0.0)
        before, people = self._database.orgs.get(self._org), self._people.snapshot()
        try:
            yield
        except BaseException:  # as a database does, whatever ends the transaction
            self._people.restore(people)
            self._database.orgs.pop(self._org, None)
            if before is not None:
                self._database.orgs[self._org] = before
            raise
        finally:
            self._database.lock.release()

    def ping(self) -> None:
        """Do nothing: memory is always there."""

    def orgs_to_answer(self, at: datetime) -> tuple[str, ...]:
        """Return the organisations, of all, in whose conversations something may wait at a moment, by name."""
        del at
        return tuple(org for org, kept in sorted(self._database.conversations.items()) if kept.conversations(1))

    def orgs_unreached(self) -> tuple[str, ...]:
        """Return the organisations, of all, that have homes and no channel for notices of residents, by name."""
        reached = {org for org, kept in self._database.people.items() if any(not c.owner for c in kept.channels())}
        housed = {org for org, kept in self._database.conversations.items() if kept.homes()}
        return tuple(sorted(housed - reached))

    def held_by_org(self) -> tuple[HeldAge, ...]:
        """Return what gates hold for people in organisations, of all, by name and reason; none where nothing waits."""
        return tuple(each for org, state in sorted(self._database.orgs.items()) for each in held_ages(org, state))

    def figures_by_org(self, at: datetime) -> tuple[BaseFigure, ...]:
        """Return what organisations hold, of all, in numbers as of a moment, by organisation, name and part."""
        database = self._database
        orgs = sorted({*database.orgs, *database.syncs, *database.conversations})
        return tuple(
            figure
            for org in orgs
            for figure in org_figures(
                org, at, database.orgs.get(org, OrgState()), database.syncs.get(org), database.conversations.get(org)
            )
        )

    def org_troubles(self, tries: int) -> tuple[OrgTroubles, ...]:
        """Return what waits in organisations, of all, because nobody was reached, by name; none where nothing waits."""
        orgs = sorted({*self._database.conversations, *self._database.people})
        return tuple(each for org in orgs if (each := self._troubles(org, tries)) != OrgTroubles(org))

    def _troubles(self, org: str, tries: int) -> OrgTroubles:
        talk, people = self._database.conversations.get(org), self._database.people.get(org)
        events = talk.events() if talk is not None else ()
        waiting = [
            e for e in events
            if e.replied and e.acknowledged_at is None and e.state in (Alarm.SUSPECTED, Alarm.VALIDATED)
        ]  # fmt: skip
        notices = people.snapshot()["_notices"].values() if people is not None else ()
        return OrgTroubles(
            org, len(waiting), min((e.at for e in waiting), default=None),
            sum(e.exhausted_at is not None for e in waiting),
            sum(n.n_tries >= tries and n.delivered_at is None for n in notices),
        )  # fmt: skip

    def rev(self) -> int:
        """Return the organisation's revision."""
        return self._now.rev

    def ensure_collection(self, collection: Collection) -> Collection:
        """Create a collection if its name is free; return what the name stands for now."""
        collection = clean_collection(collection)
        with self._writing() as state:
            if collection.name not in state.collections:
                state.collections[collection.name] = collection
                state.changed = True
            return state.collections[collection.name]

    def collections(self) -> tuple[Collection, ...]:
        """Return all collections, by name."""
        return tuple(c for _, c in sorted(self._now.collections.items()))

    def document(self, collection: str, name: str) -> StoredDocument | None:
        """Return the present version of a document, or None."""
        state = self._now
        document_id = state.names.get((clean(collection), clean(name)))
        return state.present(document_id) if document_id is not None else None

    def documents(self, collection: str) -> Iterator[StoredDocument]:
        """Yield the present versions of all documents of a collection, by name."""
        state = self._now
        documents = [d for d in state.documents.values() if d.collection == clean(collection)]
        for document in sorted(documents, key=lambda d: d.name):
            yield state.present(document.document_id)

    def versions(self, document_id: str) -> tuple[StoredDocument, ...]:
        """Return all versions of a document, newest first; nothing if it is gone."""
        state, id_ = self._now, clean(document_id)
        last = state.documents[id_].version if id_ in state.documents else 0
        return tuple(state.version(id_, number) for number in range(last, 0, -1) if (id_, number) in state.versions)

    def same_source(self, collection: str, fingerprint: str) -> tuple[StoredDocument, ...]:
        """Return the present documents whose source has these bytes, by name."""
        return tuple(d for d in self.documents(collection) if d.fingerprint == clean(fingerprint))

    def known_vectors(self, keys: Sequence[str]) -> dict[str, Vector]:
        """Return those of the embeddings that are stored."""
        embeddings = self._now.embeddings
        return {key: embeddings[clean(key)] for key in keys if clean(key) in embeddings}

    def put_document(self, write: DocumentWrite) -> Receipt:
        """Write a document's version, or nothing."""
        write = clean_write(write)
        with self._writing() as state:
            collection = _found(state, write.collection)
            present = state.documents.get(write.document_id)
            before = frozenset(state.placed(write.document_id))
            if clash := _clash(state, write):
                raise StaleWriteError(f"document {write.name!r}: {clash}; look again")
            if present is not None:
                last = state.present(write.document_id)
                if (last.fingerprint, last.settings_hash) == (write.fingerprint, write.settings_hash):
                    return Receipt(WriteState.UNCHANGED, last.id, last.version, state.rev, n_unchanged=len(before))
                write = replace(write, name=last.name)
            version = present.version + 1 if present is not None else 1
            rows = rows_of(write, collection, version, state.rev + 1, self._clock.now())
            state.put(rows, clean_vectors(write.embeddings, collection.dim))
            state.count(write.counts.items())
            return receipt_of(write, version, state.rev + 1, before)

    def add_name(self, collection: str, document_id: str, name: str) -> None:
        """Give a document one more name."""
        place = (clean(collection), clean_name("document", name))
        with self._writing() as state:
            document = state.documents.get(clean(document_id))
            if document is None or document.collection != place[0]:
                raise NotFoundError("document", document_id)
            if state.names.setdefault(place, document.document_id) != document.document_id:
                raise StaleWriteError(f"document {name!r}: another document has the name; look again")
            state.changed = place not in self._now.names

    def remove_document(self, collection: str, name: str) -> Receipt:
        """Take a name away, and the document with its last name."""
        with self._writing() as state:
            document_id = state.names.pop((clean(collection), clean(name)), None)
            if document_id is None:
                raise NotFoundError("document", name)
            state.changed = True
            document = state.documents[document_id]
            n_removed = 0
            names = state.names_of(document_id)
            if not names:
                n_removed = len(state.placed(document_id))
                state.remove(document_id)
            elif document.name not in names:
                state.rename(document_id, names[0])
            return Receipt(WriteState.CHANGED, document_id, document.version, state.rev + 1, n_removed=n_removed)

    def changes(self, model: str, since: int) -> Iterator[Sequence[VectorRow]]:
        """Return batches of changed blocks, by (rev, id)."""
        rows = memory_search.changes(self._now, clean(model), since)
        return memory_search.batches(rows, BATCH)

    def scan(self, model: str, query: Vector, limit: int, filters: Filters) -> list[tuple[str, float]]:
        """Return nearest blocks to a text vector, nearest first, ties by id."""
        return memory_search.scan(self._now, clean(model), query, limit, clean_filters(filters))

    def lexical(self, terms: Sequence[str], filters: Filters, cap: int) -> LexicalPool:
        """Return the candidates of a lexical search and the statistics to score them."""
        return memory_search.lexical(self._now, [clean(term) for term in terms], clean_filters(filters), cap)

    def headings(self, query: str, filters: Filters, limit: int) -> list[tuple[str, float]]:
        """Return blocks whose title or heading path resembles a query by trigrams."""
        return memory_search.headings(self._now, query, clean_filters(filters), limit)

    def correct(self, terms: Sequence[str], collections: Sequence[str]) -> dict[str, str]:
        """Map each term that no block contains to the most alike term that some block contains."""
        return memory_search.correct(self._now, [clean(t) for t in terms], [clean(c) for c in collections])

    def blocks(self, ids: Sequence[str]) -> dict[str, Block]:
        """Return live blocks with their attributions."""
        state = self._now
        return {key: memory_search.block(state, state.blocks[clean(key)]) for key in ids if clean(key) in state.blocks}

    def block_texts(self, ids: Sequence[str]) -> dict[str, BlockText]:
        """Return the words of live blocks."""
        state = self._now
        live = {key: state.blocks[clean(key)] for key in ids if clean(key) in state.blocks}
        blocks = [(key, memory_search.block(state, each)) for key, each in live.items()]
        return {key: BlockText(b.id, b.title, b.heading_path, b.text, b.language) for key, b in blocks}

    def find_ids(self, prefix: str) -> tuple[str, ...]:
        """Return the ids of blocks and segments that start with a prefix."""
        state = self._now
        decided = (member for row in state.decisions.values() for member in row.members)
        ids = {*state.segments, *decided, *(block_id for _, block_id in state.gone)}
        return tuple(sorted(each for each in ids if each.startswith(clean(prefix)))[:20])

    def history(self, segment_id: str) -> tuple[SegmentHistory, ...]:
        """Return every version's account of one segment, oldest first."""
        state = self._now
        segment = state.segments.get(clean(segment_id))
        if segment is None:
            return ()
        last = state.documents[segment.document_id].version
        return tuple(
            history_of(segment, at, state.version(segment.document_id, number), number == last)
            for number in range(1, last + 1)
            if (at := state.placements.get((segment.document_id, number), {}).get(segment.segment_id))
        )

    def counts(self) -> tuple[CollectionCounts, ...]:
        """Return how much each collection holds, by name."""
        state = self._now
        return tuple(memory_search.counted(state, collection) for collection in self.collections())

    def marks(self, model: str) -> Marks:
        """Count a model's live blocks and add up their marks."""
        rows = [row for row in memory_search.changes(self._now, clean(model), 0) if not row.gone]
        return Marks(len(rows), sum(row.mark for row in rows) % 2**64)

    def identity(self) -> str:
        """Name this memory."""
        return f"memory-{id(self._database):x}"

    def add_counters(self, counters: Mapping[str, float]) -> None:
        """Add to the organisation's running counters."""
        with self._writing() as state:
            state.count((clean_name("counter", name), value) for name, value in counters.items())

    def counters(self) -> dict[str, float]:
        """Return the running counters, by name."""
        return dict(sorted(self._now.counters.items()))

    def segments(self, collection: str) -> Iterator[Sequence[tuple[Segment, str, str]]]:
        """Yield batches of (segment, text key, context key) of all live blocks, by id."""
        state = self._now
        rows = sorted((b for b in state.blocks.values() if b.collection == clean(collection)), key=lambda b: b.block_id)
        for start in range(0, len(rows), BATCH):
            yield [
                (
                    segment_of(state.segments[b.block_id], state.placed(b.document_id)[b.block_id]),
                    b.text_key,
                    b.context_key,
                )
                for b in rows[start : start + BATCH]
            ]

    def reembed(
        self, collection: Collection, keys: Mapping[str, tuple[str, str]], vectors: Mapping[str, Vector]
    ) -> None:
        """Switch a collection to another model."""
        target = clean_collection(collection)
        clean_rows = clean_vectors(vectors, target.dim)
        with self._writing() as state:
            _found(state, target.name)
            live = [b for b in state.blocks.values() if b.collection == target.name]
            if any(b.block_id not in keys for b in live):
                raise StoreCorruptError(f"a live block of {target.name!r} has no key under the new model")
            blocks = [b.under(target.model, keys[b.block_id], state.rev + 1) for b in live]
            needed = {key for b in blocks for key in (b.text_key, b.context_key) if key}
            if missing := needed - clean_rows.keys() - state.embeddings.keys():
                raise StoreCorruptError(f"{len(missing)} embeddings are neither given nor stored")
            state.reembed(target, blocks, clean_rows)

    def dump(self) -> Iterator[bytes]:
        """Export the organisation as self-contained JSON lines."""
        with self._database.lock:
            state, talk, files = self._now, self._conversations.rows(), self._media.rows()
        return archive.export(
            state.rev, sorted(chain(state.rows(), talk, files, self._people.rows(), self._syncs.rows()), key=place_of)
        )

    def load(self, lines: Iterable[bytes]) -> int:
        """Import an export into an empty organisation, all or nothing."""
        read = archive.Import(lines)
        with self._writing() as state:
            if state.rev or not (self._conversations.is_empty() and self._media.is_empty()):
                raise UsageError(f"organisation {self._org!r} is not empty; import into another one")
            rows = list(read.rows())
            for row in rows:
                if not isinstance(row, (*CONVERSATION_NOUNS, *PEOPLE_NOUNS, *SYNC_NOUNS, MediaRow)):
                    state.add(row)
            self._conversations.load(row for row in rows if isinstance(row, CONVERSATION_NOUNS))
            self._media.load(row for row in rows if isinstance(row, MediaRow))
            self._people.load(row for row in rows if isinstance(row, PEOPLE_NOUNS))
            self._syncs.load(row for row in rows if isinstance(row, SYNC_NOUNS))
            state.rev = read.rev - 1
            state.changed = True
        return read.n_lines

    def of_org(self, org: str) -> MemoryStore:
        """Return another organisation's store of the same database."""
        return MemoryStore(org, self._database, self._clock)

    def let_reads_lag(self) -> None:
        """Let reads be as they are: there is no copy."""

    def replica(self) -> ReplicaState:
        """Say that there is no copy."""
        return ReplicaState()

    def close(self) -> None:
        """Give back nothing; the database lives as long as somebody holds it."""


def _found(state: OrgState, name: str) -> Collection:
    try:
        return state.collections[name]
    except KeyError:
        raise NotFoundError("collection", name) from None


def _clash(state: OrgState, write: DocumentWrite) -> str:
    """Return what another writer did since the caller looked; empty if nothing is in the way."""
    present = state.documents.get(write.document_id)
    owner = state.names.get((write.collection, write.name))
    if owner != (present.document_id if present else None):
        return "the name belongs to another document"
    if present is not None:
        if state.present(write.document_id).fingerprint == write.fingerprint:
            return ""
        if len(state.names_of(write.document_id)) > 1:
            return "it has further names"
    others = (d.document_id for d in state.documents.values() if d.collection == write.collection and d != present)
    twins = (state.present(document_id) for document_id in others)
    return "its source is stored under another name" if any(t.fingerprint == write.fingerprint for t in twins) else ""
