"""What every text passes on its way into a store: characters that PostgreSQL cannot keep are replaced.

U+0000 and lone surrogates become U+FFFD, one for one, so that offsets into a text stay true.
This is the only place where a store alters a text.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np

from saidonce.errors import StoreCorruptError, UsageError
from saidonce.foundation.model import (
    BlockDraft,
    Collection,
    DecisionDraft,
    DocumentWrite,
    Filters,
    Near,
    Objection,
    Relation,
    Ruling,
    Segment,
    SegmentFate,
    Span,
    Vector,
)

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")

MAX_NAME = 1_000
"""Longest name of an organisation, a collection or a document, and longest key, in characters."""


def clean(text: str) -> str:
    """Give the text as a store keeps it."""
    return text if text.isascii() and "\0" not in text else _UNSTORABLE.sub("\ufffd", text)


def clean_name(noun: str, name: str) -> str:
    """Give a name as a store keeps it.

    Raises:
        UsageError: it is empty or too long to be a key.
    """
    if not 0 < len(name) <= MAX_NAME:
        raise UsageError(f"a {noun} needs a name of 1 to {MAX_NAME} characters, not {name[:40]!r} ({len(name)})")
    return clean(name)


def clean_time(moment: datetime | None) -> datetime | None:
    """Give a moment in UTC.

    Raises:
        UsageError: it has no time zone.
    """
    if moment is None:
        return None
    if moment.tzinfo is None:
        raise UsageError(f"the moment {moment.isoformat()!r} has no time zone; give aware UTC")
    return moment.astimezone(UTC)


def clean_filters(filters: Filters) -> Filters:
    """Give filters as a store compares them."""
    return replace(
        filters,
        collections=tuple(map(clean, filters.collections)),
        documents=tuple(map(clean, filters.documents)),
        languages=tuple(map(clean, filters.languages)),
        since=clean_time(filters.since),
        until=clean_time(filters.until),
    )


def clean_collection(wanted: Collection) -> Collection:
    """Give a collection as a store keeps it."""
    return Collection(
        clean_name("collection", wanted.name),
        clean(wanted.use),
        clean(wanted.segment_style),
        clean_name("model", wanted.model),
        wanted.dim,
    )


def clean_vectors(vectors: Mapping[str, Vector], dim: int) -> dict[str, Vector]:
    """Give embeddings by cleaned key, as float32 rows of their own.

    Raises:
        StoreCorruptError: a vector has another length than its model, or a number that is none.
    """
    cleaned = {}
    for key, vector in vectors.items():
        row = np.array(vector, dtype=np.float32)
        if row.shape != (dim,) or not np.isfinite(row).all():
            raise StoreCorruptError(f"embedding {key!r} is no vector of {dim} finite numbers; it has shape {row.shape}")
        row.setflags(write=False)
        cleaned[clean_name("embedding", key)] = row
    return cleaned


def clean_write(write: DocumentWrite) -> DocumentWrite:
    """Give a write as a store keeps it; embeddings are left as they are.

    Raises:
        UsageError: the write contradicts itself.
    """
    document = replace(
        write.document,
        title=clean(write.document.title),
        format=clean(write.document.format),
        language=clean(write.document.language),
        author=clean(write.document.author),
        authored_at=clean_time(write.document.authored_at),
        warnings=tuple(map(clean, write.document.warnings)),
        elements=(),
    )
    cleaned = replace(
        write,
        document_id=clean_name("document", write.document_id),
        collection=clean_name("collection", write.collection),
        name=clean_name("document", write.name),
        fingerprint=clean(write.fingerprint),
        settings_hash=clean(write.settings_hash),
        document=document,
        segments=tuple(map(_clean_segment, write.segments)),
        fates=tuple(map(_clean_fate, write.fates)),
        blocks=tuple(map(_clean_draft, write.blocks)),
        counts={clean_name("counter", name): value for name, value in write.counts.items()},
    )
    _check_fates(cleaned)
    _check_numbers(cleaned)
    return cleaned


def clean_draft(draft: DecisionDraft) -> DecisionDraft:
    """Give a decision as a store keeps it.

    Raises:
        UsageError: its key is too long.
    """
    detail = draft.detail
    near = tuple(
        Near(
            n.id,
            float(n.similarity),
            tuple(Objection(o.kind, _clean_span(o.a), _clean_span(o.b)) for o in n.objections),
        )
        for n in detail.near
    )
    return replace(
        draft,
        collection=clean(draft.collection),
        members=tuple(map(clean, draft.members)),
        actor=clean(draft.actor),
        reason=clean(draft.reason),
        key=clean_name("idempotency key", draft.key) if draft.key else "",
        detail=replace(
            detail,
            near=near,
            owner=clean(detail.owner),
            because=clean(detail.because),
            ruling=clean_ruling(detail.ruling) if detail.ruling is not None else None,
        ),
    )


def clean_ruling(ruling: Ruling) -> Ruling:
    """A ruling that reads back as it is written: an int where a float is wanted would not."""
    return replace(
        ruling,
        of=clean(ruling.of),
        reason=clean(ruling.reason),
        adjudicator=clean(ruling.adjudicator),
        confidence=float(ruling.confidence),
        duration_ms=int(ruling.duration_ms),
        cost=float(ruling.cost),
        probability=None if ruling.probability is None else float(ruling.probability),
    )


def _clean_segment(segment: Segment) -> Segment:
    return replace(
        segment,
        id=clean_name("segment", segment.id),
        text=clean(segment.text),
        heading_path=tuple(map(clean, segment.heading_path)),
        language=clean(segment.language),
        section_role=clean(segment.section_role),
        context=clean(segment.context),
        content_hash=clean(segment.content_hash),
        rows=tuple(tuple(map(clean, row)) for row in segment.rows),
    )


def _clean_fate(fate: SegmentFate) -> SegmentFate:
    return replace(
        fate,
        segment_id=clean(fate.segment_id),
        of=clean(fate.of),
        near_miss=clean(fate.near_miss),
        objections=_clean_objections(fate.objections),
    )


def _clean_objections(objections: Iterable[Objection]) -> tuple[Objection, ...]:
    return tuple(Objection(o.kind, _clean_span(o.a), _clean_span(o.b)) for o in objections)


def _clean_span(span: Span) -> Span:
    return Span(span.start, span.end, clean(span.text))


def _clean_draft(draft: BlockDraft) -> BlockDraft:
    return replace(
        draft,
        segment_id=clean(draft.segment_id),
        terms={clean_name("term", term): n for term, n in draft.terms.items() if n > 0},
        text_key=clean_name("embedding", draft.text_key),
        context_key=clean(draft.context_key),
    )


def _check_fates(write: DocumentWrite) -> None:
    """Every segment has one fate, and what repeats another points at a block of this write."""
    segments = {segment.id for segment in write.segments}
    fates = {fate.segment_id: fate for fate in write.fates}
    blocks = {draft.segment_id for draft in write.blocks}
    if len(segments) != len(write.segments) or len(fates) != len(write.fates) or segments != set(fates):
        raise UsageError(f"the segments and fates of {write.name!r} do not correspond one to one")
    if len(blocks) != len(write.blocks):
        raise UsageError(f"two blocks of {write.name!r} have one id")
    kept = {fate.segment_id for fate in write.fates if fate.relation is Relation.KEPT}
    if kept != blocks:
        raise UsageError(f"the kept segments of {write.name!r} are not its blocks: {sorted(kept ^ blocks)[:5]}")
    for fate in write.fates:
        points_at = blocks if fate.relation is not None else {""}
        if fate.of not in points_at or (fate.relation is Relation.KEPT and fate.of != fate.segment_id):
            raise UsageError(f"segment {fate.segment_id!r} of {write.name!r} points at {fate.of!r}, which is no block")


def _check_numbers(write: DocumentWrite) -> None:
    numbers = [fate.similarity for fate in write.fates]
    numbers += [segment.salience for segment in write.segments]
    numbers += [number for draft in write.blocks for number in (draft.salience, draft.boost)]
    numbers += write.counts.values()
    if not all(map(math.isfinite, numbers)):
        raise UsageError(f"the write of {write.name!r} holds a number that is not finite")
