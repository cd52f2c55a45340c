"""Documents for tests of stores, small and deterministic, and everything that a store answers about them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import numpy as np

from saidonce.foundation.model import (
    BlockDraft,
    Collection,
    Document,
    DocumentWrite,
    FactKind,
    Filters,
    Kind,
    Objection,
    Relation,
    Segment,
    SegmentFate,
    Span,
    Vector,
)
from saidonce.foundation.ports import Store
from saidonce.foundation.text import digest, terms

DIM = 8
MODEL = "model-a"
KINDS = tuple(Kind)


@dataclass(frozen=True)
class Piece:
    """One segment to be: `relation` "kept", "exact", "near" or "aside"; repeats point at the last kept one."""

    text: str
    relation: str = "kept"
    heading: tuple[str, ...] = ()
    salience: float = 0.5
    kind: Kind = Kind.PARAGRAPH


@dataclass(frozen=True)
class Draft:
    """A document to be."""

    name: str
    pieces: tuple[Piece, ...]
    collection: str = "main"
    title: str = ""
    settings: str = "s1"
    document_id: str = ""
    authored_at: datetime | None = None
    language: str = "en"
    counts: dict[str, float] = field(default_factory=dict)


def collection(name: str = "main", model: str = MODEL, dim: int = DIM) -> Collection:
    return Collection(name, "evidence", "paragraph", model, dim)


def vector_of(key: str, dim: int = DIM) -> Vector:
    rng = np.random.default_rng(int(digest(key)[:12], 16))
    row = rng.normal(size=dim)
    return (row / np.linalg.norm(row)).astype(np.float32)


def key_of(text: str, model: str = MODEL) -> str:
    return digest(model, text)


def document_id(name: str, collection_name: str = "main") -> str:
    return digest("document", collection_name, name)


def write_of(draft: Draft) -> DocumentWrite:
    of = draft.document_id or document_id(draft.name, draft.collection)
    title = draft.title or draft.name
    segments: list[Segment] = []
    fates: list[SegmentFate] = []
    blocks: list[BlockDraft] = []
    seen: dict[tuple[Any, ...], int] = {}
    kept = ""
    for place, piece in enumerate(draft.pieces):
        same = (piece.kind, piece.heading, piece.text)
        seen[same] = seen.get(same, -1) + 1
        segment_id = digest(of, piece.kind, *piece.heading, "\0", piece.text, str(seen[same]))
        context = " / ".join((title, *piece.heading))
        rows = (("a", piece.text), ("b", "c | d")) if piece.kind is Kind.TABLE else ()
        segments.append(
            Segment(
                id=segment_id, ordinal=place, kind=piece.kind, text=piece.text, heading_path=piece.heading,
                page=place // 2 + 1 if place % 3 else None, language=draft.language, context=context,
                n_tokens=len(piece.text.split()), content_hash=digest(piece.text), rows=rows, salience=piece.salience,
            )
        )  # fmt: skip
        relation = piece.relation if kept or piece.relation == "aside" else "kept"
        if relation == "kept":
            kept = segment_id
            counted = dict(sorted(terms(f"{context}\n{piece.text}", draft.language).items()))
            blocks.append(BlockDraft(segment_id, piece.salience, 0.25, counted, key_of(piece.text), key_of(context)))
            fates.append(SegmentFate(segment_id, Relation.KEPT, segment_id, 1.0))
        elif relation == "aside":
            fates.append(SegmentFate(segment_id, None, "", 0.0))
        else:
            spans = Span(0, 1, piece.text[:1]), Span(2, 2, "")
            objections = (Objection(FactKind.NUMBER, *spans),) if relation == "near" else ()
            fates.append(SegmentFate(segment_id, Relation(relation), kept, 0.9375, objections, kept))
    keys = {key for block in blocks for key in (block.text_key, block.context_key)} | {
        key_of(segment.text) for segment in segments
    }
    return DocumentWrite(
        document_id=of, collection=draft.collection, name=draft.name,
        fingerprint=digest("source", draft.title, *(f"{p!r}" for p in draft.pieces), draft.collection, draft.language),
        settings_hash=draft.settings,
        document=Document(title, "md", (), draft.language, draft.authored_at, "An Author", 2, ("a warning",)),
        segments=tuple(segments), fates=tuple(fates), blocks=tuple(blocks),
        embeddings={key: vector_of(key) for key in sorted(keys)}, counts=draft.counts,
    )  # fmt: skip


def simple(name: str, *texts: str, **more: Any) -> DocumentWrite:
    """A document of kept paragraphs."""
    return write_of(Draft(name, tuple(Piece(text) for text in texts), **more))


def folded(store: Store, model: str = MODEL, since: int = 0) -> dict[str, Any]:
    """The live set, told by the changes from a revision on; checks their order."""
    live: dict[str, Any] = {}
    last = (0, "")
    for batch in store.changes(model, since):
        for row in batch:
            assert (row.rev, row.block_id) > last
            last = (row.rev, row.block_id)
            assert row.rev > since
            live.pop(row.block_id, None)
            if not row.gone:
                assert row.text is not None
                context = None if row.context is None else row.context.tobytes()
                live[row.block_id] = (
                    row.rev, row.collection, row.documents, row.kind, row.language, row.authored_at, row.salience,
                    row.text_key, row.text.tobytes(), context,
                )  # fmt: skip
    return live


def answers(store: Store, queries: Sequence[str], filters: Sequence[Filters]) -> dict[str, Any]:
    """Everything that a store tells, in a form that can be compared."""
    found: dict[str, Any] = {
        "rev": store.rev(), "collections": store.collections(), "counts": store.counts(),
        "counters": store.counters(), "ids": store.find_ids(""), "dump": list(store.dump()),
    }  # fmt: skip
    for each in store.collections():
        documents = list(store.documents(each.name))
        found[f"documents {each.name}"] = documents
        found[f"by name {each.name}"] = [store.document(each.name, n) for d in documents for n in d.names]
        found[f"sources {each.name}"] = [store.same_source(each.name, d.fingerprint) for d in documents]
        found[f"segments {each.name}"] = [row for batch in store.segments(each.name) for row in batch]
        found[f"live {each.model}"] = folded(store, each.model)
    ids = [key for each in {c.model for c in store.collections()} for key in folded(store, each)]
    found["blocks"] = store.blocks(sorted(ids))
    found["block_texts"] = store.block_texts(sorted(ids))
    found["versions"] = {d.id: store.versions(d.id) for c in store.collections() for d in store.documents(c.name)}
    found["history"] = {each: store.history(each) for each in store.find_ids("")}
    for query in queries:
        asked = list(terms(query, "en"))
        found[f"correct {query}"] = store.correct(asked, ())
        for place, one in enumerate(filters):
            found[f"headings {query} {place}"] = store.headings(query, one, 7)
            found[f"lexical {query} {place}"] = [store.lexical(asked, one, cap) for cap in (1, 3, 1000)]
    return found
