"""What a store keeps of decisions, row by row, and the hash that chains them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from datetime import UTC, datetime

from saidonce.adapters.postgres.records import BlockRow
from saidonce.errors import NotFoundError
from saidonce.foundation.audit_log import detail_from_json, detail_to_json, hash_of
from saidonce.foundation.model import JOINING, Activity, Decision, DecisionDraft, Flag, Golden, Near, Person, Verb
from saidonce.foundation.ports import Search


@dataclass(frozen=True, slots=True)
class DecisionRow:
    """A decision as it is kept; `detail` is JSON."""

    seq: int
    verb: Verb
    collection: str
    members: tuple[str, ...]
    actor: str
    reason: str
    at: datetime
    flag: int | None
    reverts: int | None
    detail: str
    policy: str
    certificate: str
    key: str
    live: bool
    previous: str
    hash: str

    @property
    def joins(self) -> bool:
        """Whether it says who shares a block."""
        return self.verb in JOINING


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
    block_id: str
    similarity: float


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


def row_of(draft: DecisionDraft, seq: int, at: datetime, previous: str) -> DecisionRow:
    """Give a draft its place in the log; times are kept to the microsecond in UTC.

    Raises:
        NotFoundError: it names a decision that is not before it.
    """
    for named in (draft.flag, draft.reverts):
        if named is not None and not 0 < named < seq:
            raise NotFoundError("decision", str(named))
    moment = at.astimezone(UTC)
    hashed = hash_of(draft, seq, moment, previous)
    detail = detail_to_json(draft.detail)
    return DecisionRow(
        seq, draft.verb, draft.collection, draft.members, draft.actor, draft.reason, moment, draft.flag, draft.reverts,
        detail, draft.policy, draft.certificate, draft.key, True, previous, hashed,
    )  # fmt: skip


def decision_of(row: DecisionRow) -> Decision:
    """Give a row as the event that it keeps."""
    values = {each.name: getattr(row, each.name) for each in fields(row)}
    return Decision(**{**values, "detail": detail_from_json(row.detail)})


def flag_of(row: FlagRow, near: Iterable[Near], block_of: Mapping[str, str]) -> Flag:
    """Give a flag by the present blocks of its members; a member that is gone keeps its own id."""
    return Flag(
        row.seq, row.collection, block_of.get(row.candidate, row.candidate), block_of.get(row.of, row.of),
        tuple(Near(block_of.get(n.id, n.id), n.similarity, n.objections) for n in near),
        row.because, row.worth, row.is_open, row.assignee, row.resolved_by,
    )  # fmt: skip


def golden_row(golden: Golden, search: Search, collection: str, model: str, rev: int) -> BlockRow:
    """Give a joined block as the row that is searched."""
    text_of = golden.text_of
    return BlockRow(
        golden.id, collection, model, text_of.document_id, text_of.document, text_of.title,
        text_of.segment.heading_path, text_of.segment.kind, text_of.segment.language, golden.authored_at,
        golden.salience, golden.boost, search.text_key, search.context_key, tuple(sorted(search.terms.items())), rev,
        tuple(sorted({m.document for m in golden.members})), tuple(m.id for m in golden.members),
        golden.approval.value, golden.owner,
    )  # fmt: skip


def activity_of(name: str, person: Person | None) -> Activity:
    """Say how active a person is."""
    if person is None:
        return Activity(name)
    at = person.active_at.isoformat() if person.active_at else ""
    return Activity(name, at, person.left_at is not None)
