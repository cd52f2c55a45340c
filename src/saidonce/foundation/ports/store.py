"""Port: what keeps documents and blocks, and what it gives back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from saidonce.foundation.model import (
    Block,
    Collection,
    DocumentWrite,
    Filterable,
    Filters,
    Receipt,
    Segment,
    SegmentFate,
    StoredDocument,
    Vector,
)
from saidonce.foundation.model.base_figures import BaseFigure
from saidonce.foundation.model.call_outs import OrgTroubles
from saidonce.foundation.ports.conversations import Conversations
from saidonce.foundation.ports.gates import Gates, HeldAge
from saidonce.foundation.ports.ledger import Ledger
from saidonce.foundation.ports.lexical import LexicalPool
from saidonce.foundation.ports.media import MediaFiles
from saidonce.foundation.ports.opinions import Opinions
from saidonce.foundation.ports.originals import Originals
from saidonce.foundation.ports.pairs import PairTable
from saidonce.foundation.ports.people import People
from saidonce.foundation.ports.security import SecurityLog
from saidonce.foundation.ports.syncs import Syncs


@dataclass(frozen=True, slots=True)
class BlockText:
    """The words of a block, its own and those over it: what says whether it answers a query."""

    id: str
    title: str
    heading_path: tuple[str, ...]
    text: str
    language: str


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorRow(Filterable):
    """A change of the searchable set: a live block with its vectors, or a block that is gone.

    Attributes:
        gone: the block is no longer searchable; all fields but `block_id` and `rev` are then empty.
        text_key: id of the text's embedding.
        text, context: vectors of the text, and of title and heading path; None where there is none.
        mark: a number that depends on all of it, such that a copy that has other values has another sum of marks.
    """

    block_id: str
    rev: int
    gone: bool
    salience: float
    text_key: str
    text: Vector | None
    context: Vector | None
    mark: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class ReplicaState:
    """The copy of the database that pages may read.

    Attributes:
        is_set: the settings name one.
        is_read: it is read now.
        lag_s: seconds that it is behind at most.
        why: why it is not read; empty if it is, or none is set.
    """

    is_set: bool = False
    is_read: bool = False
    lag_s: float = 0.0
    why: str = ""


@dataclass(frozen=True, slots=True)
class Marks:
    """What a copy of the searchable set of a model is compared with.

    Attributes:
        n: live blocks.
        total: sum of their marks, modulo 2^64.
    """

    n: int
    total: int


@dataclass(frozen=True, slots=True)
class SegmentHistory:
    """All that is known of one segment: where it stands or stood and what became of it."""

    segment: Segment
    document: StoredDocument
    fate: SegmentFate
    live: bool


@dataclass(frozen=True, slots=True)
class CollectionCounts:
    """How much a collection holds.

    Attributes:
        n_exact, n_near, n_set_aside: fates of the `n_segments` segments of its present documents.
        max_boost: highest relative salience boost of its blocks, 0.0 without any.
    """

    collection: Collection
    n_documents: int
    n_segments: int
    n_blocks: int
    n_exact: int
    n_near: int
    n_set_aside: int
    max_boost: float


class Store(Protocol):
    """Keeps everything of all organisations; a store object is bound to one organisation.

    Every write is one transaction that holds the organisation's row lock; a method returns after
    commit. Ids are 32 hex digits. No method shows or changes another organisation's rows.
    """

    @property
    def org(self) -> str:
        """Name of the organisation that this store object is bound to."""
        ...

    @property
    def ledger(self) -> Ledger:
        """The log of decisions about the organisation's blocks."""
        ...

    @property
    def people(self) -> People:
        """The organisation's people, keys and notifications."""
        ...

    @property
    def security(self) -> SecurityLog:
        """The organisation's security log."""
        ...

    @property
    def syncs(self) -> Syncs:
        """The sources that the organisation's collections are kept in step with."""
        ...

    @property
    def conversations(self) -> Conversations:
        """The organisation's conversations with residents, and who lives where."""
        ...

    @property
    def media(self) -> MediaFiles:
        """The files that residents sent."""
        ...

    @property
    def originals(self) -> Originals:
        """Files of evidence and pictures of them."""
        ...

    @property
    def gates(self) -> Gates:
        """The organisation's gates, with admissions and verdicts."""
        ...

    def orgs_to_answer(self, at: datetime) -> tuple[str, ...]:
        """Return the organisations, of all, in whose conversations something may wait at a moment, by name."""
        ...

    def orgs_unreached(self) -> tuple[str, ...]:
        """Return the organisations, of all, that have homes and no channel for notices of residents, by name."""
        ...

    def held_by_org(self) -> tuple[HeldAge, ...]:
        """Return the number of held submissions of all organisations, by name and reason; only non-zero ones."""
        ...

    def figures_by_org(self, at: datetime) -> tuple[BaseFigure, ...]:
        """Return the figures of all organisations at a point in time, by organisation, name and part."""
        ...

    def org_troubles(self, tries: int) -> tuple[OrgTroubles, ...]:
        """Return the alarms and notices of all organisations for which nobody was reached, by name.

        Args:
            tries: failures after which a notice is given up.
        """
        ...

    @property
    def opinions(self) -> Opinions:
        """Second opinions on pairs that wait for a person."""
        ...

    @property
    def pairs(self) -> PairTable:
        """The pair table: what the texts of blocks have to do with their nearest ones."""
        ...

    def rev(self) -> int:
        """Return the organisation's revision: 0 at first, one more with every write."""
        ...

    def ping(self) -> None:
        """Ask the database for a sign of life, however busy this program's connections are.

        Raises:
            StoreUnavailableError: it gives none.
        """
        ...

    def ensure_collection(self, collection: Collection) -> Collection:
        """Create a collection if its name is free; return the collection with this name.

        The caller compares model and policy; an existing collection is not changed.
        """
        ...

    def collections(self) -> tuple[Collection, ...]:
        """Return all collections, by name."""
        ...

    def document(self, collection: str, name: str) -> StoredDocument | None:
        """Return the present version of a document, or None."""
        ...

    def documents(self, collection: str) -> Iterator[StoredDocument]:
        """Yield the present versions of all documents of a collection, by name."""
        ...

    def versions(self, document_id: str) -> tuple[StoredDocument, ...]:
        """Return all versions of a document, newest first, under its present names; nothing if it is gone."""
        ...

    def same_source(self, collection: str, fingerprint: str) -> tuple[StoredDocument, ...]:
        """Return the present documents whose source has these bytes, by name."""
        ...

    def known_vectors(self, keys: Sequence[str]) -> dict[str, Vector]:
        """Return those of the embeddings that are stored; `keys` may repeat."""
        ...

    def add_name(self, collection: str, document_id: str, name: str) -> None:
        """Add a name under which a document's bytes were seen; adding it again is not an error.

        Raises:
            NotFoundError: no such document.
            StaleWriteError: the name belongs to another document.
        """
        ...

    def put_document(self, write: DocumentWrite) -> Receipt:
        """Write a document's version with its segments, fates, blocks and embeddings, or nothing.

        UNCHANGED if the present version has the same fingerprint and settings hash; otherwise
        the document's blocks become exactly those of the write: unchanged ones keep their rows
        and `rev`, gone ones leave a tombstone. Two writers of the same bytes end with one version.

        Raises:
            NotFoundError: no such collection.
            StaleWriteError: since the caller looked, another writer took the name for another
                document, or stored the same source under another name, or the document got
                further names; look again.
            StoreCorruptError: an embedding that a block needs is neither given nor stored.
        """
        ...

    def remove_document(self, collection: str, name: str) -> Receipt:
        """Remove a name; with its last name the document is removed, and everything that nothing else supports.

        The receipt counts the segments that went: none while the document has other names, the
        first of which (by the alphabet) it is then called by.

        Raises:
            NotFoundError: no such document.
        """
        ...

    def changes(self, model: str, since: int) -> Iterator[Sequence[VectorRow]]:
        """Yield batches of the blocks of one embedding model changed after revision `since`, by (rev, id)."""
        ...

    def scan(self, model: str, query: Vector, limit: int, filters: Filters) -> list[tuple[str, float]]:
        """Return the nearest blocks to a text vector by the database's own exact scan, nearest first, ties by id."""
        ...

    def lexical(self, terms: Sequence[str], filters: Filters, cap: int) -> LexicalPool:
        """Return the candidates of a lexical search and the statistics to score them."""
        ...

    def headings(self, query: str, filters: Filters, limit: int) -> list[tuple[str, float]]:
        """Return the blocks whose title or heading path resembles a query by trigrams: most alike first, ties by id."""
        ...

    def correct(self, terms: Sequence[str], collections: Sequence[str]) -> dict[str, str]:
        """Map each term that no block contains to the most alike term that some block contains.

        By trigram similarity of at least 0.5, then by the number of blocks, then by the alphabet;
        a term without such a neighbour is left out. No `collections` means all.
        """
        ...

    def blocks(self, ids: Sequence[str]) -> dict[str, Block]:
        """Return live blocks with their attributions (kept first, then by ordinal)."""
        ...

    def block_texts(self, ids: Sequence[str]) -> dict[str, BlockText]:
        """Return the words of live blocks, at a third of what the blocks themselves cost."""
        ...

    def find_ids(self, prefix: str) -> tuple[str, ...]:
        """Return the ids of blocks and segments, gone ones too, that start with a prefix; 20 at most, sorted."""
        ...

    def history(self, segment_id: str) -> tuple[SegmentHistory, ...]:
        """Return every version's account of one segment, oldest first; empty if there is none."""
        ...

    def counts(self) -> tuple[CollectionCounts, ...]:
        """Return the contents of each collection in numbers, by name."""
        ...

    def marks(self, model: str) -> Marks:
        """Count a model's live blocks and add up the marks that `changes` gives them."""
        ...

    def identity(self) -> str:
        """Name the database and its history: another one, or one restored to an earlier moment, has another name."""
        ...

    def add_counters(self, counters: Mapping[str, float]) -> None:
        """Add to the organisation's running counters; names are the caller's."""
        ...

    def counters(self) -> dict[str, float]:
        """Return the running counters, by name."""
        ...

    def segments(self, collection: str) -> Iterator[Sequence[tuple[Segment, str, str]]]:
        """Yield batches of (segment, text key, context key) of all live blocks, by id."""
        ...

    def reembed(
        self, collection: Collection, keys: Mapping[str, tuple[str, str]], vectors: Mapping[str, Vector]
    ) -> None:
        """Switch a collection to another model in one transaction.

        Args:
            collection: as it shall be, with the new model and dimension.
            keys: (text key, context key) of each live block's id.
            vectors: of all those keys that are not stored yet.

        Raises:
            StoreCorruptError: a live block or a vector is missing.
        """
        ...

    def dump(self) -> Iterator[bytes]:
        """Export the organisation as self-contained JSON lines, in an order that depends on content only."""
        ...

    def load(self, lines: Iterable[bytes]) -> int:
        """Import an export into an empty organisation, all or nothing; give the number of lines.

        Raises:
            StoreCorruptError: a line is damaged or out of place, naming it.
            UsageError: the organisation is not empty.
        """
        ...

    def of_org(self, org: str) -> Store:
        """Return another organisation's store of the same database, over the same connections.

        Nothing is opened or written by this; whether there is such an organisation is not looked up. It works until
        this one is closed, and closing it does nothing.

        Raises:
            UsageError: the organisation's name is empty or too long.
        """
        ...

    def let_reads_lag(self) -> None:
        """Let what the calling context (a request, a task) reads from now on come from a copy of the database.

        People, keys and the security log do not, nor anything that is read within a write.
        """
        ...

    def replica(self) -> ReplicaState:
        """Say how that copy is; nothing is asked of it."""
        ...

    def close(self) -> None:
        """Close the connections; the last user of an embedded server stops it."""
        ...
