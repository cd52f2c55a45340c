"""The rows of one organisation in memory, and the writes that change them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import date
from typing import Any

import numpy as np

from saidonce.adapters.postgres.people_rows import BudgetRow, RulingRow
from saidonce.adapters.postgres.records import (
    AdmissionRow,
    AdmissionVectorRow,
    BlockRow,
    CounterRow,
    DocumentRow,
    EmbeddingRow,
    FlagRow,
    GateVerdictRow,
    GoneRow,
    MemberRow,
    NameRow,
    OriginalRow,
    PlacementRow,
    SegmentRow,
    UseRow,
    VersionRow,
    WriteRows,
    stored_document,
)
from saidonce.adapters.postgres.tables import BY_NOUN
from saidonce.errors import StoreCorruptError
from saidonce.foundation.codec import ruling_from_json, ruling_to_json
from saidonce.foundation.model import (
    Collection,
    Decision,
    GateDefinition,
    GateEvent,
    ReviewNote,
    Ruling,
    SecondOpinion,
    StoredDocument,
    Vector,
)


@dataclass
class OrgState:
    """One organisation's rows by their keys; never altered once it is in place."""

    rev: int = 0
    changed: bool = False
    collections: dict[str, Collection] = field(default_factory=dict)
    documents: dict[str, DocumentRow] = field(default_factory=dict)
    names: dict[tuple[str, str], str] = field(default_factory=dict)
    versions: dict[tuple[str, int], VersionRow] = field(default_factory=dict)
    segments: dict[str, SegmentRow] = field(default_factory=dict)
    placements: dict[tuple[str, int], dict[str, PlacementRow]] = field(default_factory=dict)
    embeddings: dict[str, Vector] = field(default_factory=dict)
    uses: set[tuple[str, str]] = field(default_factory=set)
    blocks: dict[str, BlockRow] = field(default_factory=dict)
    gone: dict[tuple[str, str], int] = field(default_factory=dict)
    counters: dict[str, float] = field(default_factory=dict)
    decisions: dict[int, Decision] = field(default_factory=dict)
    members: dict[str, MemberRow] = field(default_factory=dict)
    flags: dict[int, FlagRow] = field(default_factory=dict)
    opinions: dict[int, SecondOpinion] = field(default_factory=dict)
    gates: dict[str, GateDefinition] = field(default_factory=dict)
    gate_verdicts: dict[str, GateVerdictRow] = field(default_factory=dict)
    admissions: dict[str, AdmissionRow] = field(default_factory=dict)
    admission_vectors: dict[str, Vector] = field(default_factory=dict)
    gate_events: dict[int, GateEvent] = field(default_factory=dict)
    gate_rulings: dict[str, Ruling] = field(default_factory=dict)
    gate_reviews: dict[str, ReviewNote] = field(default_factory=dict)
    gate_budgets: dict[date, tuple[int, float]] = field(default_factory=dict)
    originals: dict[tuple[str, int], OriginalRow] = field(default_factory=dict)

    def copy(self) -> OrgState:
        """Return a state that can be changed without changing this one."""
        duplicate = OrgState(rev=self.rev)
        for each in fields(self):
            value = getattr(self, each.name)
            if isinstance(value, dict | set):
                setattr(duplicate, each.name, value.copy())
        return duplicate

    def present(self, document_id: str) -> StoredDocument:
        """Return the present version of a document."""
        return self.version(document_id, self.documents[document_id].version)

    def version(self, document_id: str, number: int) -> StoredDocument:
        """Return one version of a document."""
        names = self.names_of(document_id)
        return stored_document(self.documents[document_id], self.versions[document_id, number], names)

    def names_of(self, document_id: str) -> list[str]:
        """Return all names of a document, sorted."""
        return sorted(name for (_, name), of in self.names.items() if of == document_id)

    def placed(self, document_id: str) -> dict[str, PlacementRow]:
        """Return the placements of a document's present version by segment id; empty if there is none."""
        document = self.documents.get(document_id)
        return self.placements.get((document_id, document.version), {}) if document else {}

    def put(self, rows: WriteRows, vectors: dict[str, Vector]) -> None:
        """Write a version of a document.

        Raises:
            StoreCorruptError: an embedding is missing, or a segment belongs to another document.
        """
        document_id = rows.document.document_id
        missing = rows.needed_keys - vectors.keys() - self.embeddings.keys()
        if missing:
            raise StoreCorruptError(f"{len(missing)} embeddings are neither given nor stored, such as {min(missing)!r}")
        for segment in rows.segments:
            kept = self.segments.setdefault(segment.segment_id, segment)
            if kept.document_id != document_id:
                raise StoreCorruptError(f"segment {segment.segment_id!r} belongs to another document")
        self.documents[document_id] = rows.document
        self.names[rows.document.collection, rows.document.name] = document_id
        self.versions[document_id, rows.version.version] = rows.version
        self.placements[document_id, rows.version.version] = {p.segment_id: p for p in rows.placements}
        for original in rows.originals:
            self.originals.setdefault((original.sha256, original.part), original)
        for key, vector in vectors.items():
            self.embeddings.setdefault(key, vector)
        self.uses.update((document_id, key) for key in {*rows.needed_keys, *vectors})
        if rows.blocks is not None:
            self.replace_blocks(self._blocks_of(document_id), rows.blocks)
        self.changed = True

    def rename(self, document_id: str, name: str) -> None:
        """Call a document by another of its names."""
        former = self.documents[document_id].name
        self.documents[document_id] = replace(self.documents[document_id], name=name)
        supported = {m.block_id for m in self.members.values() if m.document_id == document_id}
        for block in [b for b in self.blocks.values() if b.document_id == document_id or b.block_id in supported]:
            own = name if block.document_id == document_id else block.document
            names = tuple(sorted({*block.documents, name} - {former}))
            self.blocks[block.block_id] = replace(block, document=own, documents=names, rev=self.rev + 1)

    def remove(self, document_id: str) -> None:
        """Remove a document with all its versions; its names are gone already."""
        del self.documents[document_id]
        self.replace_blocks(self._blocks_of(document_id), ())
        self.versions = {key: row for key, row in self.versions.items() if key[0] != document_id}
        sources = {row.fingerprint for row in self.versions.values()}
        self.originals = {key: row for key, row in self.originals.items() if key[0] in sources}
        self.placements = {key: rows for key, rows in self.placements.items() if key[0] != document_id}
        self.segments = {key: row for key, row in self.segments.items() if row.document_id != document_id}
        self._release(keys={key for of, key in self.uses if of == document_id}, documents={document_id})
        self.changed = True

    def reembed(self, collection: Collection, blocks: Iterable[BlockRow], vectors: dict[str, Vector]) -> None:
        """Put blocks of a collection in place of those of its former model."""
        former = self.collections[collection.name].model
        documents = {d.document_id for d in self.documents.values() if d.collection == collection.name}
        keys = {key for of, key in self.uses if of in documents}
        self.collections[collection.name] = collection
        self.uses = {(of, key) for of, key in self.uses if of not in documents}
        for block in blocks:
            self.blocks[block.block_id] = block
            needed = [key for key in (block.text_key, block.context_key) if key]
            self.uses.update((block.document_id, key) for key in needed)
            for key in needed:
                self.embeddings.setdefault(key, vectors.get(key, np.empty(0, np.float32)))
            if former != collection.model:
                self.gone[former, block.block_id] = self.rev + 1
                self.gone.pop((collection.model, block.block_id), None)
        self._release(keys, documents=set())
        self.changed = True

    def count(self, counters: Iterable[tuple[str, float]]) -> None:
        """Add to the running counters."""
        for name, value in counters:
            self.counters[name] = self.counters.get(name, 0.0) + value
            self.changed = True

    def rows(self) -> Iterator[object]:
        """Yield all rows."""
        yield from (NameRow(collection, name, of) for (collection, name), of in self.names.items())
        yield from (row for rows in self.placements.values() for row in rows.values())
        yield from (EmbeddingRow(key, vector) for key, vector in self.embeddings.items())
        yield from (UseRow(*use) for use in self.uses)
        yield from (GoneRow(model, block_id, rev) for (model, block_id), rev in self.gone.items())
        yield from (CounterRow(name, value) for name, value in self.counters.items())
        yield from (AdmissionVectorRow(admission_id, vector) for admission_id, vector in self.admission_vectors.items())
        yield from (RulingRow(key, ruling_to_json(ruling)) for key, ruling in self.gate_rulings.items())
        yield from (BudgetRow(day, *spent) for day, spent in self.gate_budgets.items())
        for table in self._tables().values():
            yield from table.values()

    def _tables(self) -> dict[type, dict[Any, Any]]:
        """Return what is kept by the key of its table."""
        return {
            Collection: self.collections, DocumentRow: self.documents, VersionRow: self.versions,
            SegmentRow: self.segments, BlockRow: self.blocks, Decision: self.decisions, MemberRow: self.members,
            FlagRow: self.flags, GateDefinition: self.gates, GateVerdictRow: self.gate_verdicts,
            AdmissionRow: self.admissions, GateEvent: self.gate_events, SecondOpinion: self.opinions,
            OriginalRow: self.originals,
        }  # fmt: skip

    def add(self, row: object) -> None:
        """Take in one row of an export."""
        match row:
            case PlacementRow():
                self.placements.setdefault((row.document_id, row.version), {})[row.segment_id] = row
            case UseRow():
                self.uses.add((row.document_id, row.key))
            case NameRow():
                self.names[row.collection, row.name] = row.document_id
            case EmbeddingRow():
                self.embeddings[row.key] = row.vector
            case GoneRow():
                self.gone[row.model, row.block_id] = row.rev
            case CounterRow():
                self.counters[row.name] = row.value
            case RulingRow():
                self.gate_rulings.setdefault(row.key, ruling_from_json(row.ruling))
            case BudgetRow():
                self.gate_budgets.setdefault(row.day, (row.n_calls, row.cost))
            case AdmissionVectorRow():
                self.admission_vectors[row.admission_id] = row.vector
            case _:
                key = BY_NOUN[type(row)].key_of(row)
                self._tables()[type(row)][key if len(key) > 1 else key[0]] = row

    def replace_blocks(self, before: Mapping[str, BlockRow], after: Iterable[BlockRow]) -> None:
        """Put blocks in place of others; those that stay as they are keep their revision."""
        going = dict(before)
        for block in after:
            former = going.pop(block.block_id, None)
            if former is None or former.digest != block.digest:
                self.blocks[block.block_id] = block
            self.gone.pop((block.model, block.block_id), None)
        for block in going.values():
            del self.blocks[block.block_id]
            self.gone[block.model, block.block_id] = self.rev + 1

    def _blocks_of(self, document_id: str) -> dict[str, BlockRow]:
        return {b.block_id: b for b in self.blocks.values() if b.document_id == document_id}

    def _release(self, keys: set[str], documents: set[str]) -> None:
        self.uses = {(of, key) for of, key in self.uses if of not in documents}
        for key in keys - {key for _, key in self.uses}:
            del self.embeddings[key]
