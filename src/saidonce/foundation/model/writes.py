"""What one write brings, and what it did."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from saidonce.foundation.model.nouns import Document, Objection, Original, Relation, Segment, Vector


@dataclass(frozen=True, slots=True)
class SegmentFate:
    """What became of a segment at ingestion: kept as a block, attributed to one, or set aside.

    Attributes:
        relation: None when the segment fell below the salience floor.
        of: id of the kept segment; empty when `relation` is None.
        objections: of the guard that held it apart from its nearest kept neighbour.
        near_miss: id of that neighbour, or empty.
    """

    segment_id: str
    relation: Relation | None
    of: str
    similarity: float
    objections: tuple[Objection, ...] = ()
    near_miss: str = ""


@dataclass(frozen=True, slots=True)
class BlockDraft:
    """A block that a document's ingestion wants kept; the store fills in the rest.

    Attributes:
        segment_id: the kept segment; the block has the same id.
        terms: analysed words of context and text, sorted, with their counts; searched by BM25.
        text_key, context_key: ids of the two embeddings; `context_key` is empty without a context.
    """

    segment_id: str
    salience: float
    boost: float
    terms: Mapping[str, int]
    text_key: str
    context_key: str


@dataclass(frozen=True, slots=True)
class DocumentWrite:
    """All that one transaction writes when a document is ingested.

    Attributes:
        originals: of its source, kept unless they are there.
    """

    document_id: str
    collection: str
    name: str
    fingerprint: str
    settings_hash: str
    document: Document
    segments: tuple[Segment, ...]
    fates: tuple[SegmentFate, ...]
    blocks: tuple[BlockDraft, ...]
    embeddings: Mapping[str, Vector] = field(default_factory=dict)
    counts: Mapping[str, float] = field(default_factory=dict)
    originals: tuple[Original, ...] = ()


class WriteState(StrEnum):
    """What a write found."""

    NEW = "new"
    CHANGED = "changed"
    UNCHANGED = "unchanged"


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a write did, given after commit.

    Attributes:
        rev: the organisation's revision after the write.
        n_added, n_removed, n_unchanged: segments, against the document's version before.
    """

    state: WriteState
    document_id: str
    version: int
    rev: int
    n_added: int = 0
    n_removed: int = 0
    n_unchanged: int = 0
