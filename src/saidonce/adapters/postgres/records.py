"""Rows of a store that are not nouns themselves, and how nouns become rows and are composed of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import MISSING, dataclass, replace
from datetime import UTC, datetime
from typing import Any, TypeVar

from saidonce.adapters.postgres.clean import clean, clean_name, clean_vectors
from saidonce.adapters.postgres.codec import StoredBytes, StoredVector
from saidonce.errors import NotFoundError
from saidonce.foundation.audit_log import hash_of
from saidonce.foundation.codec import verdict_from_json, verdict_to_json
from saidonce.foundation.model import (
    Activity,
    Admission,
    Attribution,
    BlockDraft,
    Collection,
    Decision,
    DecisionDraft,
    DocumentWrite,
    Filterable,
    Flag,
    GateState,
    GateVerdict,
    Golden,
    Kind,
    MediaPlace,
    Objection,
    Original,
    Person,
    Receipt,
    Relation,
    Segment,
    SegmentFate,
    StoredDocument,
    Vector,
    WriteState,
)
from saidonce.foundation.model.conversation import LandlordNotice, OutboxMessage
from saidonce.foundation.ports import Search, SegmentHistory
from saidonce.foundation.text import digest

_Noun = TypeVar("_Noun")


def compose(noun: type[_Noun], *parts: object, **values: Any) -> _Noun:
    """Return a noun whose fields have these values, or else those of the first part with a field of that name.

    So a field that is added to a noun and to its rows needs no line of its own to travel between them.
    """
    for name in noun.__dataclass_fields__:  # type: ignore[attr-defined]
        if name not in values:
            for part in parts:
                if (value := getattr(part, name, MISSING)) is not MISSING:
                    values[name] = value
                    break
    return noun(**values)


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
    tags: tuple[str, ...] = ()


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
    place: MediaPlace | None = None


@dataclass(frozen=True, slots=True)
class EmbeddingRow:
    """A vector by the fingerprint of model and text."""

    key: str
    vector: StoredVector


@dataclass(frozen=True, slots=True)
class UseRow:
    """A document that needs an embedding, so that the last one to go takes it along."""

    document_id: str
    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockRow(Filterable):
    """A searchable block with everything that its searches read.

    Attributes:
        terms: with their counts, sorted.
        members: ids of its members, sorted.
    """

    block_id: str
    model: str
    document_id: str
    document: str
    title: str
    heading_path: tuple[str, ...]
    salience: float
    boost: float
    text_key: str
    context_key: str
    terms: tuple[tuple[str, int], ...]
    rev: int
    members: tuple[str, ...]
    approval: str
    owner: str

    def under(self, model: str, keys: tuple[str, str], rev: int) -> BlockRow:
        """Return the block as it is under another model."""
        return replace(self, model=model, text_key=keys[0], context_key=keys[1], rev=rev)

    @property
    def counts(self) -> tuple[int, ...]:
        """Counts of the terms, in their order."""
        return tuple(n for _, n in self.terms)

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
        state = (str(len(self.members)), *self.members, self.approval, self.owner, *(f"tag {tag}" for tag in self.tags))
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
class KeyedSegment:
    """A kept segment with the keys of its embeddings."""

    segment: Segment
    text_key: str
    context_key: str


@dataclass(frozen=True, slots=True)
class MemberRow:
    """A member without what its segment says."""

    segment_id: str
    collection: str
    document_id: str
    content_hash: str
    salience: float
    boost: float
    owner: str
    dated_at: datetime
    block_id: str = ""
    similarity: float = 1.0


@dataclass(frozen=True, slots=True)
class FlagRow:
    """A flag as it is kept: by members, without its shortlist."""

    seq: int
    collection: str
    candidate: str
    of: str
    because: str
    worth: float
    is_open: bool
    assignee: str
    resolved_by: int | None


@dataclass(frozen=True, slots=True)
class GateVerdictRow:
    """A verdict: `record` tells everything, the rest is what is searched and counted."""

    verdict_id: str
    gate: str
    key: str
    state: str
    reason: str
    band: str
    asked: bool
    cached: bool
    failure: str
    override_by: str
    similarity: float
    duration_ms: int
    ruling_ms: int
    n_tokens: int
    cost: float
    at: datetime
    due_at: datetime | None
    rev: int
    record: str
    judge: str = ""
    held: str = ""
    assignee: str = ""
    decision_id: str = ""
    retry_of: str = ""


@dataclass(frozen=True, slots=True)
class AdmissionRow:
    """An admission without its vector, with the revision that changed it last."""

    admission: Admission
    rev: int


@dataclass(frozen=True, slots=True)
class AdmissionVectorRow:
    """The vector of an admission's compared text."""

    admission_id: str
    vector: StoredVector


@dataclass(frozen=True, slots=True)
class OutboxRow:
    """A message to a resident.

    Attributes:
        seq: number among the conversation's messages, from 1, as they were written.
        order_at: the latest `made_at` of the conversation's messages up to this one.
    """

    message: OutboxMessage
    seq: int
    order_at: datetime


@dataclass(frozen=True, slots=True)
class LandlordNoticeRow:
    """A notice to the landlord; `seq` numbers those of the organisation as they were written, from 1."""

    seq: int
    notice: LandlordNotice


@dataclass(frozen=True, slots=True)
class WaitingMediaRow:
    """A file that is still to be fetched; `seq` is that of its message."""

    seq: int
    media_id: str
    n_tries: int
    due_at: datetime


@dataclass(frozen=True, slots=True)
class MediaRow:
    """A file that a resident sent."""

    sha256: str
    mime: str
    content: StoredBytes


@dataclass(frozen=True, slots=True)
class OriginalRow:
    """A file of evidence, or a picture of it."""

    sha256: str
    part: int
    mime: str
    content: StoredBytes
    mark: str

    @property
    def original(self) -> Original:
        """The noun."""
        return Original(self.sha256, self.part, self.mime, bytes(self.content), self.mark)


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
    originals: tuple[OriginalRow, ...] = ()


def rows_of(write: DocumentWrite, collection: Collection, version: int, rev: int, now: datetime) -> WriteRows:
    """Take a cleaned write apart.

    Args:
        collection: that the document belongs to.
        version: number that this write becomes.
        rev: of the organisation after this write.
    """
    by_id = {segment.id: segment for segment in write.segments}
    fates = {fate.segment_id: fate for fate in write.fates}
    at = {"document_id": write.document_id, "version": version}
    return WriteRows(
        compose(DocumentRow, write, version=version),
        compose(
            VersionRow, write, write.document, version=version, ingested_at=now, n_segments=len(write.segments),
            n_blocks=len(write.blocks),
        ),
        tuple(compose(SegmentRow, s, segment_id=s.id, document_id=write.document_id) for s in write.segments),
        tuple(compose(PlacementRow, fates[s.id], s, salience=float(s.salience), **at) for s in write.segments),
        None if collection.is_canonical
        else tuple(_block_row(write, draft, by_id[draft.segment_id], collection.model, rev) for draft in write.blocks),
        frozenset(key for draft in write.blocks for key in (draft.text_key, draft.context_key) if key),
        tuple(compose(OriginalRow, each) for each in write.originals),
    )  # fmt: skip


def _block_row(write: DocumentWrite, draft: BlockDraft, segment: Segment, model: str, rev: int) -> BlockRow:
    return compose(
        BlockRow, draft, segment, write.document, block_id=segment.id, collection=write.collection, model=model,
        document_id=write.document_id, document=write.name, salience=float(draft.salience), boost=float(draft.boost),
        terms=tuple(sorted(draft.terms.items())), rev=rev, documents=(write.name,), members=(segment.id,),
        approval="draft", owner="",
    )  # fmt: skip


def golden_row(golden: Golden, search: Search, collection: Collection, rev: int) -> BlockRow:
    """Return a joined block as the row that is searched."""
    text_of = golden.text_of
    return compose(
        BlockRow, golden, search, text_of, text_of.segment, block_id=golden.id, collection=collection.name,
        model=collection.model, terms=tuple(sorted(search.terms.items())), rev=rev,
        documents=tuple(sorted({m.document for m in golden.members})), members=tuple(m.id for m in golden.members),
        approval=golden.approval.value,
    )  # fmt: skip


def stored_document(document: DocumentRow, version: VersionRow, names: Iterable[str]) -> StoredDocument:
    """Compose a version; names are ordered here."""
    others = sorted(name for name in names if name != document.name)
    return compose(StoredDocument, version, document, id=document.document_id, names=(document.name, *others))


def segment_of(row: SegmentRow, at: PlacementRow) -> Segment:
    """Compose a segment as it stands in one version."""
    return compose(Segment, at, row, id=row.segment_id)


def history_of(row: SegmentRow, at: PlacementRow, document: StoredDocument, live: bool) -> SegmentHistory:
    """Compose one version's account of a segment."""
    return SegmentHistory(segment_of(row, at), document, compose(SegmentFate, at), live)


def in_order(attributions: Iterable[Attribution]) -> tuple[Attribution, ...]:
    """Order attributions: the kept text, what was merged with it, repeats; each by document and place."""
    rank = {Relation.KEPT: 0, Relation.MERGED: 1, Relation.EXACT: 2, Relation.NEAR: 2}
    return tuple(sorted(attributions, key=lambda a: (rank[a.relation], a.document, a.ordinal, a.segment_id)))


def receipt_of(write: DocumentWrite, version: int, rev: int, before: frozenset[str]) -> Receipt:
    """Say what a write changed, against the segments of the version before."""
    now = {segment.id for segment in write.segments}
    state = WriteState.CHANGED if version > 1 else WriteState.NEW
    return Receipt(state, write.document_id, version, rev, len(now - before), len(before - now), len(now & before))


def append_decision(draft: DecisionDraft, seq: int, at: datetime, previous: str) -> Decision:
    """Return a draft its place in the log; times are kept to the microsecond in UTC.

    Raises:
        NotFoundError: it names a decision that is not before it.
    """
    for named in (draft.flag, draft.reverts):
        if named is not None and not 0 < named < seq:
            raise NotFoundError("decision", str(named))
    moment = at.astimezone(UTC)
    hashed = hash_of(draft, seq, moment, previous)
    return compose(Decision, draft, seq=seq, at=moment, live=True, previous=previous, hash=hashed)


def present(flag: Flag, block_of: Mapping[str, str]) -> Flag:
    """Return a flag by the present blocks of its members; a member that is gone keeps its own id."""
    near = tuple(replace(n, id=block_of.get(n.id, n.id)) for n in flag.near)
    candidate, of = (block_of.get(each, each) for each in (flag.candidate, flag.of))
    return replace(flag, candidate=candidate, of=of, near=near)


def activity_of(name: str, person: Person | None) -> Activity:
    """Say how active a person is."""
    if person is None:
        return Activity(name)
    at = person.active_at.isoformat() if person.active_at else ""
    return Activity(name, at, person.left_at is not None)


def verdict_row(verdict: GateVerdict, due_at: datetime | None) -> GateVerdictRow:
    """Return a verdict, which has its revision, as its row."""
    ruling = verdict.ruling
    submission = verdict.submission
    is_pending = verdict.state is GateState.PENDING
    return GateVerdictRow(
        verdict_id=clean_name("verdict", verdict.id),
        gate=clean(verdict.gate),
        key=clean_name("idempotency key", submission.key) if submission.key else "",
        state=verdict.state.value,
        reason=verdict.reason.value if verdict.reason is not None else "",
        band=band_of(verdict),
        asked=ruling is not None,
        cached=ruling is not None and ruling.cached,
        failure=ruling.failure.value if ruling is not None and ruling.failure is not None else "",
        override_by=clean(verdict.override.by) if verdict.override is not None else "",
        similarity=verdict.similarity,
        duration_ms=verdict.duration_ms,
        ruling_ms=ruling.duration_ms if ruling is not None else 0,
        n_tokens=ruling.n_tokens if ruling is not None else 0,
        cost=float(ruling.cost) if ruling is not None else 0.0,
        at=verdict.at.astimezone(UTC),
        due_at=(due_at or verdict.at).astimezone(UTC) if is_pending else None,
        rev=verdict.rev,
        record=clean(verdict_to_json(verdict)),
        judge=clean(ruling.adjudicator) if ruling is not None else "",
        held=verdict.held or "",
        assignee=clean(verdict.assignee),
        decision_id=clean(_decision_on(verdict)),
        retry_of=clean(submission.retry_of),
    )


def with_columns(row: GateVerdictRow) -> GateVerdictRow:
    """Return a row of an export of an older version, which lacks columns or names reasons otherwise, as of today."""
    today = verdict_row(verdict_from_json(row.record), row.due_at)
    return replace(row, reason=today.reason, judge=today.judge, held=today.held)


def _decision_on(verdict: GateVerdict) -> str:
    """Return the id of the person's decision that stands on a verdict; empty if there is none."""
    standing = verdict.decision or verdict.audit
    return standing.id if standing is not None else ""


def band_of(verdict: GateVerdict) -> str:
    """Say where the nearest match lay: none, below, band or above; empty while pending."""
    rules = verdict.rules
    if rules is None or verdict.verdict is None:
        return ""
    if not verdict.near:
        return "none"
    if verdict.similarity < rules.clear_below:
        return "below"
    return "band" if verdict.similarity < rules.duplicate_from else "above"


def admission_vector(admission_id: str, vector: Vector, dim: int) -> AdmissionVectorRow:
    """Return the vector of an admission as its row.

    Raises:
        StoreCorruptError: it has another length than the gate's model gives.
    """
    (row,) = clean_vectors({admission_id: vector}, dim).values()
    return AdmissionVectorRow(admission_id, row)


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
