"""Searches over the rows of one organisation in memory, by plain counting."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from saidonce.adapters.postgres.records import BlockRow, compose, in_order, rare_terms
from saidonce.adapters.postgres.trigrams import CORRECTION_FROM, HEADING_FROM, heading_texts, letters, similarity
from saidonce.foundation.filters import passes
from saidonce.foundation.model import Attribution, Block, Collection, Filters, Kind, Relation, Vector
from saidonce.foundation.ports import CollectionCounts, LexicalPool, LexicalRow, VectorRow
from saidonce.testing.memory_state import OrgState


def changes(state: OrgState, model: str, since: int) -> list[VectorRow]:
    """Return the changes of a model's blocks after a revision, by (rev, id)."""
    rows = [
        compose(
            VectorRow, b, gone=False, text=state.embeddings[b.text_key],
            context=state.embeddings[b.context_key] if b.context_key else None, mark=_mark(b),
        )
        for b in state.blocks.values()
        if b.model == model and b.rev > since
    ]  # fmt: skip
    rows += [gone_row(block_id, rev) for (of, block_id), rev in state.gone.items() if of == model and rev > since]
    return sorted(rows, key=lambda row: (row.rev, row.block_id))


def _mark(b: BlockRow) -> int:
    values = (
        b.block_id, b.rev, b.text_key, b.context_key, b.kind, b.documents, b.collection, b.language, b.authored_at,
        b.salience, b.tags,
    )  # fmt: skip
    return int.from_bytes(hashlib.sha256(repr(values).encode()).digest()[:8], "big", signed=True)


def scan(state: OrgState, model: str, query: Vector, limit: int, filters: Filters) -> list[tuple[str, float]]:
    """Return nearest blocks to a text vector."""
    vector = np.asarray(query, np.float32)
    rows = [
        (b.block_id, float(state.embeddings[b.text_key] @ vector))
        for b in state.blocks.values()
        if b.model == model and passes(b, filters)
    ]
    return sorted(rows, key=lambda pair: (-pair[1], pair[0]))[:limit]


def lexical(state: OrgState, terms: Sequence[str], filters: Filters, cap: int) -> LexicalPool:
    """Return the candidates of a lexical search."""
    searched = [b for b in state.blocks.values() if not filters.collections or b.collection in filters.collections]
    containing = _n_containing(searched)
    rare = set(rare_terms(terms, containing, cap))
    rows = []
    for block in sorted(searched, key=lambda b: b.block_id):
        counts = dict(block.terms)
        nominated = not rare.isdisjoint(counts) or (terms and all(term in counts for term in terms))
        if nominated and passes(block, filters):
            rows.append(LexicalRow(block.block_id, block.n_terms, tuple(counts.get(term, 0) for term in terms)))
    n_terms = sum(block.n_terms for block in searched)
    mean = n_terms / len(searched) if searched else 0.0
    return LexicalPool(len(searched), mean, tuple(containing[term] for term in terms), tuple(rows))


def headings(state: OrgState, query: str, filters: Filters, limit: int) -> list[tuple[str, float]]:
    """Return blocks whose title or heading path resembles a query."""
    query_letters = letters(query)
    rows = []
    for block in state.blocks.values():
        if passes(block, filters):
            best = max(similarity(text, query_letters) for text in heading_texts(block.title, block.heading_path))
            if best >= HEADING_FROM:
                rows.append((block.block_id, best))
    return sorted(rows, key=lambda pair: (-pair[1], pair[0]))[:limit]


def correct(state: OrgState, terms: Sequence[str], collections: Sequence[str]) -> dict[str, str]:
    """Map each unknown term to the most alike known one."""
    counts = _n_containing(b for b in state.blocks.values() if not collections or b.collection in collections)
    corrected = {}
    for term in terms:
        if term in counts:
            continue
        term_letters = letters(term)
        alike = [(similarity(letters(other), term_letters), n, other) for other, n in counts.items()]
        near = [entry for entry in alike if entry[0] >= CORRECTION_FROM]
        if near:
            corrected[term] = min(near, key=lambda entry: (-entry[0], -entry[1], entry[2]))[2]
    return corrected


def gone_row(block_id: str, rev: int) -> VectorRow:
    """Return a tombstone as a change."""
    return VectorRow(
        block_id=block_id, rev=rev, gone=True, collection="", documents=(), kind=Kind.PARAGRAPH, language="",
        authored_at=None, salience=0.0, text_key="", text=None, context=None,
    )  # fmt: skip


def batches(rows: Sequence[VectorRow], size: int) -> Iterator[Sequence[VectorRow]]:
    """Cut a list of changes into batches."""
    for start in range(0, len(rows), size):
        yield rows[start : start + size]


def _n_containing(blocks: Iterable[BlockRow]) -> Counter[str]:
    return Counter(term for block in blocks for term, _ in block.terms)


def block(state: OrgState, row: BlockRow) -> Block:
    """Put a live block together."""
    placed = state.placed(row.document_id)
    attributions = [each for member in row.members for each in _attributions(state, row.block_id, member)]
    segment, page = state.segments[row.block_id], placed[row.block_id].page
    return compose(Block, row, segment, id=row.block_id, page=page, attributions=in_order(attributions))


def _attributions(state: OrgState, block_id: str, member: str) -> Iterator[Attribution]:
    """Yield the places where a member of a block stands, and what repeats it in its document."""
    document = state.present(state.segments[member].document_id)
    for at in state.placed(document.id).values():
        if at.of != member:
            continue
        attribution = compose(Attribution, at, state.segments[at.segment_id], document, document=document.name)
        if at.segment_id == member != block_id:
            attribution = replace(attribution, relation=Relation.MERGED, similarity=state.members[member].similarity)
        yield attribution


def counted(state: OrgState, collection: Collection) -> CollectionCounts:
    """Return how much a collection holds."""
    documents = [d.document_id for d in state.documents.values() if d.collection == collection.name]
    relations = [at.relation for document_id in documents for at in state.placed(document_id).values()]
    return CollectionCounts(
        collection, len(documents), len(relations), sum(b.collection == collection.name for b in state.blocks.values()),
        relations.count(Relation.EXACT), relations.count(Relation.NEAR), relations.count(None),
        max((b.boost for b in state.blocks.values() if b.collection == collection.name), default=0.0),
    )  # fmt: skip
