"""What every text passes on its way into a store: characters that PostgreSQL cannot keep are replaced.

U+0000 and lone surrogates become U+FFFD, one for one, so that offsets into a text stay true.
This is the only place where a store alters a text.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from datetime import UTC, datetime
from typing import Any, TypeVar

import numpy as np

from saidonce.errors import StoreCorruptError, UsageError
from saidonce.foundation.model import (
    Admission,
    BlockDraft,
    Collection,
    DecisionDraft,
    DocumentWrite,
    Filters,
    GateDefinition,
    Relation,
    Ruling,
    SecondOpinion,
    Vector,
)

_Noun = TypeVar("_Noun")

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")

MAX_NAME = 1_000
"""Longest name of an organisation, a collection or a document, and longest key, in characters."""


def clean(text: str) -> str:
    """Return the text as a store keeps it."""
    return text if text.isascii() and "\0" not in text else _UNSTORABLE.sub("\ufffd", text)


def clean_name(noun: str, name: str) -> str:
    """Return a name as a store keeps it.

    Raises:
        UsageError: it is empty or too long to be a key.
    """
    if not 0 < len(name) <= MAX_NAME:
        raise UsageError(f"a {noun} needs a name of 1 to {MAX_NAME} characters, not {name[:40]!r} ({len(name)})")
    return clean(name)


def clean_time(moment: datetime | None) -> datetime | None:
    """Return a moment in UTC.

    Raises:
        UsageError: it has no time zone.
    """
    if moment is None:
        return None
    if moment.tzinfo is None:
        raise UsageError(f"the moment {moment.isoformat()!r} has no time zone; give aware UTC")
    return moment.astimezone(UTC)


def cleaned(noun: _Noun) -> _Noun:
    """Return a noun with every text as a store keeps it and every moment in UTC, however deep they lie.

    Raises:
        UsageError: a moment has no time zone.
    """
    result: Any = noun
    if isinstance(noun, datetime):
        result = clean_time(noun)
    elif type(noun) is str:
        result = clean(str(noun))
    elif isinstance(noun, tuple):
        result = tuple(map(cleaned, noun))
    elif is_dataclass(noun) and not isinstance(noun, type):
        result = replace(noun, **{each.name: cleaned(getattr(noun, each.name)) for each in fields(noun) if each.init})
    typed: _Noun = result
    return typed


def clean_filters(filters: Filters) -> Filters:
    """Return filters as a store compares them."""
    return cleaned(filters)


def clean_collection(collection: Collection) -> Collection:
    """Return a collection as a store keeps it."""
    clean_name("collection", collection.name)
    clean_name("model", collection.model)
    return cleaned(collection)


def clean_vectors(vectors: Mapping[str, Vector], dim: int) -> dict[str, Vector]:
    """Return embeddings by cleaned key, as float32 rows of their own.

    Raises:
        StoreCorruptError: a vector has another length than its model, or a number that is none.
    """
    cleaned = {}
    for key, vector in vectors.items():
        row = np.array(vector, dtype=np.float32)
        if row.shape != (dim,) or not np.isfinite(row).all():
            raise StoreCorruptError(
                f"embedding {key!r} is not a vector of {dim} finite numbers; it has shape {row.shape}"
            )
        row.setflags(write=False)
        cleaned[clean_name("embedding", key)] = row
    return cleaned


def clean_write(write: DocumentWrite) -> DocumentWrite:
    """Return a write as a store keeps it; embeddings are left as they are.

    Raises:
        UsageError: the write contradicts itself.
    """
    for noun, name in (("document", write.document_id), ("collection", write.collection), ("document", write.name)):
        clean_name(noun, name)
    for segment in write.segments:
        clean_name("segment", segment.id)
    result = replace(
        write,
        document_id=clean(write.document_id),
        collection=clean(write.collection),
        name=clean(write.name),
        fingerprint=clean(write.fingerprint),
        settings_hash=clean(write.settings_hash),
        document=cleaned(replace(write.document, elements=(), pictures=())),
        originals=cleaned(write.originals),
        segments=cleaned(write.segments),
        fates=cleaned(write.fates),
        blocks=tuple(map(_clean_draft, write.blocks)),
        counts={clean_name("counter", name): value for name, value in write.counts.items()},
    )
    _check_fates(result)
    _check_numbers(result)
    return result


def clean_draft(draft: DecisionDraft) -> DecisionDraft:
    """Return a decision as a store keeps it.

    Raises:
        UsageError: its key is too long.
    """
    if draft.key:
        clean_name("idempotency key", draft.key)
    near = tuple(replace(n, similarity=float(n.similarity)) for n in draft.detail.near)
    ruling = clean_ruling(draft.detail.ruling) if draft.detail.ruling is not None else None
    return cleaned(replace(draft, detail=replace(draft.detail, near=near, ruling=ruling)))


def clean_ruling(ruling: Ruling) -> Ruling:
    """Return a ruling with the types that it has when it is read back, such as float instead of int."""
    return replace(
        cleaned(ruling),
        confidence=float(ruling.confidence),
        duration_ms=int(ruling.duration_ms),
        cost=float(ruling.cost),
        probability=None if ruling.probability is None else float(ruling.probability),
    )


def clean_opinion(opinion: SecondOpinion, seq: int) -> SecondOpinion:
    """Return an opinion as a store keeps it, with its number."""
    return replace(cleaned(opinion), ruling=clean_ruling(opinion.ruling), seq=seq)


def clean_gate(definition: GateDefinition) -> GateDefinition:
    """Return a gate as a store keeps it."""
    clean_name("gate", definition.name)
    clean_name("model", definition.model)
    return cleaned(definition)


def clean_admission(admission: Admission) -> Admission:
    """Return an admission as a store keeps it when it comes in."""
    clean_name("admission", admission.id)
    return replace(cleaned(admission), released_at=None)


def _clean_draft(draft: BlockDraft) -> BlockDraft:
    return replace(
        draft,
        segment_id=clean(draft.segment_id),
        terms={clean_name("term", term): n for term, n in draft.terms.items() if n > 0},
        text_key=clean_name("embedding", draft.text_key),
        context_key=clean(draft.context_key),
    )


def _check_fates(write: DocumentWrite) -> None:
    """Check that every segment has one fate, and that repeats point at a block of this write."""
    segments = {segment.id for segment in write.segments}
    fates = {fate.segment_id: fate for fate in write.fates}
    blocks = {draft.segment_id for draft in write.blocks}
    if len(segments) != len(write.segments) or len(fates) != len(write.fates) or segments != set(fates):
        raise UsageError(f"the segments and fates of {write.name!r} do not correspond one to one")
    if len(blocks) != len(write.blocks):
        raise UsageError(f"two blocks of {write.name!r} have the same id")
    kept = {fate.segment_id for fate in write.fates if fate.relation is Relation.KEPT}
    if kept != blocks:
        raise UsageError(f"the kept segments of {write.name!r} are not its blocks: {sorted(kept ^ blocks)[:5]}")
    for fate in write.fates:
        points_at = blocks if fate.relation is not None else {""}
        if fate.of not in points_at or (fate.relation is Relation.KEPT and fate.of != fate.segment_id):
            raise UsageError(
                f"segment {fate.segment_id!r} of {write.name!r} points at {fate.of!r}, which is not a block"
            )


def _check_numbers(write: DocumentWrite) -> None:
    numbers = [fate.similarity for fate in write.fates]
    numbers += [segment.salience for segment in write.segments]
    numbers += [number for draft in write.blocks for number in (draft.salience, draft.boost)]
    numbers += write.counts.values()
    if not all(map(math.isfinite, numbers)):
        raise UsageError(f"the write of {write.name!r} holds a number that is not finite")
