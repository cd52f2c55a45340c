"""What a store keeps, row by row, and how the nouns are taken apart into rows and put together again."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from saidonce.foundation.model import (
    Attribution,
    Block,
    BlockDraft,
    Collection,
    DocumentWrite,
    FactKind,
    Kind,
    Objection,
    Receipt,
    Relation,
    Segment,
    SegmentFate,
    Span,
    StoredDocument,
    Vector,
    WriteState,
)
from saidonce.foundation.ports import SegmentHistory
from saidonce.foundation.text import digest


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """A document with its first name and the number of its present version."""

    document_id: str
    collection: str
    name: str
    version: int


@dataclass(frozen=True, slots=True)
class NameRow:
    """A name under which a document's bytes were seen; a document's own name is one of them."""

    collection: str
    name: str
    document_id: str


@dataclass(frozen=True, slots=True)
class VersionRow:
    """One version of a document."""

    document_id: str
    version: int
    fingerprint: str
    settings_hash: str
    title: str
    format: str
    language: str
    authored_at: datetime | None
    author: str
    n_pages: int
    warnings: tuple[str, ...]
    ingested_at: datetime
    n_segments: int
    n_blocks: int


@dataclass(frozen=True, slots=True)
class SegmentRow:
    """What never changes about a segment; its id follows from it."""

    segment_id: str
    document_id: str
    kind: Kind
    text: str
    heading_path: tuple[str, ...]
    content_hash: str
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class PlacementRow:
    """Where a segment stands in one version of its document, and what became of it there."""

    segment_id: str
    version: int
    document_id: str
    ordinal: int
    page: int | None
    language: str
    context: str
    n_tokens: int
    salience: float
    relation: Relation | None
    of: str
    similarity: float
    objections: tuple[Objection, ...]
    near_miss: str
    section_role: str


@dataclass(frozen=True, slots=True)
class EmbeddingRow:
    """A vector by the fingerprint of model and text."""

    key: str
    vector: Vector


@dataclass(frozen=True, slots=True)
class UseRow:
    """A document that needs an embedding, so that the last one to go takes it along."""

    document_id: str
    key: str


@dataclass(frozen=True, slots=True)
class BlockRow:
    """A searchable block with everything that its searches read.

    Attributes:
        terms: with their counts, sorted.
        documents: names of all documents that support it, sorted.
        members: ids of its members, sorted.
    """

    block_id: str
    collection: str
    model: str
    document_id: str
    document: str
    title: str
    heading_path: tuple[str, ...]
    kind: Kind
    language: str
    authored_at: datetime | None
    salience: float
    boost: float
    text_key: str
    context_key: str
    terms: tuple[tuple[str, int], ...]
    rev: int
    documents: tuple[str, ...]
    members: tuple[str, ...]
    approval: str
    owner: str

    @property
    def n_terms(self) -> int:
        """Length of the block in terms."""
        return sum(n for _, n in self.terms)

    @property
    def digest(self) -> str:
        """Name of everything but revision and document names; equal if a new version left the block as it was."""
        moment = self.authored_at.isoformat() if self.authored_at else ""
        numbers = (self.salience.hex(), self.boost.hex())
        words = (f"{term}\0{n}" for term, n in self.terms)
        place = (self.collection, self.model, self.title, str(len(self.heading_path)))
        state = (str(len(self.members)), *self.members, self.approval, self.owner)
        return digest(
            *place, *self.heading_path, self.kind, self.language, moment, *numbers,
            self.text_key, self.context_key, *state, *words,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class GoneRow:
    """A tombstone: a block that is no longer searchable by a model."""

    model: str
    block_id: str
    rev: int


@dataclass(frozen=True, slots=True)
class CounterRow:
    """A running counter."""

    name: str
    value: float


@dataclass(frozen=True, slots=True)
class WriteRows:
    """The rows that a write wants to be there.

    Attributes:
        blocks: of the document; None in a canonical collection, where blocks are settled apart from documents.
    """

    document: DocumentRow
    version: VersionRow
    segments: tuple[SegmentRow, ...]
    placements: tuple[PlacementRow, ...]
    blocks: tuple[BlockRow, ...] | None
    needed_keys: frozenset[str]


def rows_of(write: DocumentWrite, collection: Collection, version: int, rev: int, now: datetime) -> WriteRows:
    """Take a cleaned write apart.

    Args:
        collection: that the document belongs to.
        version: number that this write becomes.
        rev: of the organisation after this write.
    """
    by_id = {segment.id: segment for segment in write.segments}
    fates = {fate.segment_id: fate for fate in write.fates}
    return WriteRows(
        DocumentRow(write.document_id, write.collection, write.name, version),
        VersionRow(
            write.document_id, version, write.fingerprint, write.settings_hash, write.document.title,
            write.document.format, write.document.language, write.document.authored_at, write.document.author,
            write.document.n_pages, write.document.warnings, now, len(write.segments), len(write.blocks),
        ),
        tuple(
            SegmentRow(s.id, write.document_id, s.kind, s.text, s.heading_path, s.content_hash, s.rows)
            for s in write.segments
        ),
        tuple(_placement(write.document_id, version, s, fates[s.id]) for s in write.segments),
        None if collection.is_canonical
        else tuple(_block_row(write, draft, by_id[draft.segment_id], collection.model, rev) for draft in write.blocks),
        frozenset(key for draft in write.blocks for key in (draft.text_key, draft.context_key) if key),
    )  # fmt: skip


def _block_row(write: DocumentWrite, draft: BlockDraft, segment: Segment, model: str, rev: int) -> BlockRow:
    return BlockRow(
        draft.segment_id, write.collection, model, write.document_id, write.name, write.document.title,
        segment.heading_path, segment.kind, segment.language, write.document.authored_at, float(draft.salience),
        float(draft.boost), draft.text_key, draft.context_key, tuple(sorted(draft.terms.items())), rev,
        (write.name,), (draft.segment_id,), "draft", "",
    )  # fmt: skip


def _placement(document_id: str, version: int, segment: Segment, fate: SegmentFate) -> PlacementRow:
    return PlacementRow(
        segment.id, version, document_id, segment.ordinal, segment.page, segment.language, segment.context,
        segment.n_tokens, float(segment.salience), fate.relation, fate.of, float(fate.similarity),
        fate.objections, fate.near_miss, segment.section_role,
    )  # fmt: skip


def stored_document(document: DocumentRow, version: VersionRow, names: Iterable[str]) -> StoredDocument:
    """Put a version together; names are ordered here."""
    others = sorted(name for name in names if name != document.name)
    return StoredDocument(
        document.document_id, document.collection, document.name, version.fingerprint, version.version,
        version.title, version.format, version.language, version.authored_at, version.ingested_at,
        version.n_segments, version.n_blocks, version.settings_hash, (document.name, *others),
    )  # fmt: skip


def segment_of(row: SegmentRow, at: PlacementRow) -> Segment:
    """Put a segment together as it stands in one version."""
    return Segment(
        id=row.segment_id, ordinal=at.ordinal, kind=row.kind, text=row.text, heading_path=row.heading_path,
        page=at.page, language=at.language, context=at.context, n_tokens=at.n_tokens, content_hash=row.content_hash,
        rows=row.rows, salience=at.salience, section_role=at.section_role,
    )  # fmt: skip


def history_of(row: SegmentRow, at: PlacementRow, document: StoredDocument, live: bool) -> SegmentHistory:
    """Put one version's account of a segment together."""
    fate = SegmentFate(row.segment_id, at.relation, at.of, at.similarity, at.objections, at.near_miss)
    return SegmentHistory(segment_of(row, at), document, fate, live)


def attribution_of(row: SegmentRow, at: PlacementRow, document: str, title: str) -> Attribution:
    """Put an attribution together; `at` must have a relation."""
    assert at.relation is not None
    return Attribution(
        row.segment_id, row.document_id, document, title, at.relation, at.similarity, at.ordinal, at.page,
        row.heading_path, row.text,
    )  # fmt: skip


def in_order(attributions: Iterable[Attribution]) -> tuple[Attribution, ...]:
    """Order attributions: the kept text, what was merged with it, repeats; each by document and place."""
    rank = {Relation.KEPT: 0, Relation.MERGED: 1, Relation.EXACT: 2, Relation.NEAR: 2}
    return tuple(sorted(attributions, key=lambda a: (rank[a.relation], a.document, a.ordinal, a.segment_id)))


def block_of(block: BlockRow, segment: SegmentRow, page: int | None, attributions: Iterable[Attribution]) -> Block:
    """Put a block together; attributions are ordered here."""
    ordered = in_order(attributions)
    return Block(
        block.block_id, block.collection, block.document_id, block.document, block.title, segment.kind, segment.text,
        segment.heading_path, page, block.language, block.salience, block.boost, block.authored_at,
        segment.content_hash, segment.rows, tuple(ordered), block.documents, block.members, block.approval,
        block.owner,
    )  # fmt: skip


def receipt_of(write: DocumentWrite, version: int, rev: int, before: frozenset[str]) -> Receipt:
    """Say what a write changed, against the segments of the version before."""
    now = {segment.id for segment in write.segments}
    state = WriteState.CHANGED if version > 1 else WriteState.NEW
    return Receipt(state, write.document_id, version, rev, len(now - before), len(before - now), len(now & before))


def objections_to_json(objections: Iterable[Objection]) -> str:
    """Write objections as JSON: kind, then both spans as start, end and text."""
    spans = [[o.kind.value, [o.a.start, o.a.end, o.a.text], [o.b.start, o.b.end, o.b.text]] for o in objections]
    return json.dumps(spans, ensure_ascii=False, separators=(",", ":"))


def objections_from_json(written: str) -> tuple[Objection, ...]:
    """Read objections that `objections_to_json` wrote."""
    return tuple(Objection(FactKind(kind), Span(*a), Span(*b)) for kind, a, b in json.loads(written))


def table_to_json(rows: Iterable[Iterable[str]]) -> str:
    """Write a table's cells as JSON."""
    return json.dumps([list(row) for row in rows], ensure_ascii=False, separators=(",", ":"))


def table_from_json(written: str) -> tuple[tuple[str, ...], ...]:
    """Read a table's cells that `table_to_json` wrote."""
    return tuple(tuple(row) for row in json.loads(written))


def rare_terms(terms: Iterable[str], n_containing: Mapping[str, int], cap: int) -> list[str]:
    """Choose the rarest terms whose `n_containing` add up to the cap, always at least the rarest.

    Terms that no block contains are left out; ties are broken by the alphabet.
    """
    ranked = sorted((n_containing[t], t) for t in set(terms) if n_containing.get(t, 0) > 0)
    chosen: list[str] = []
    total = 0
    for n, term in ranked:
        total += n
        if chosen and total > cap:
            break
        chosen.append(term)
    return chosen
