"""What a store keeps of gates, row by row."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from saidonce.adapters.postgres.clean import clean, clean_name, clean_vectors
from saidonce.errors import StoreCorruptError
from saidonce.foundation.codec import (
    fields_from_json,
    fields_to_json,
    submission_from_json,
    submission_to_json,
    verdict_from_json,
    verdict_to_json,
)
from saidonce.foundation.model import (
    Admission,
    Candidate,
    GateDefinition,
    GateEvent,
    GateFigure,
    GateState,
    GateVerdict,
    Vector,
)


@dataclass(frozen=True, slots=True)
class GateRow:
    """A gate; `parts` is JSON."""

    name: str
    parts: str
    model: str
    dim: int
    made_at: datetime


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


@dataclass(frozen=True, slots=True)
class AdmissionRow:
    """An admission without its vector; `submission` and `shown` are JSON."""

    admission_id: str
    gate: str
    verdict_id: str
    submission: str
    partition: str
    text: str
    content_hash: str
    language: str
    shown: str
    at: datetime
    released_at: datetime | None
    rev: int


@dataclass(frozen=True, slots=True)
class AdmissionVectorRow:
    """The vector of an admission's compared text."""

    admission_id: str
    vector: Vector


@dataclass(frozen=True, slots=True)
class GateEventRow:
    """An entry of the pipeline's log."""

    seq: int
    gate: str
    verdict_id: str
    act: str
    actor: str
    detail: str
    at: datetime


def gate_row(definition: GateDefinition) -> GateRow:
    """Give a gate as its row."""
    name, model = clean_name("gate", definition.name), clean_name("model", definition.model)
    return GateRow(name, fields_to_json(definition.fields), model, definition.dim, definition.made_at.astimezone(UTC))


def definition_of(values: Sequence[Any]) -> GateDefinition:
    """Put a gate together from its row's values."""
    name, parts, model, dim, made_at = values
    return GateDefinition(name, fields_from_json(parts), model, dim, made_at.astimezone(UTC))


def verdict_row(verdict: GateVerdict, due_at: datetime | None) -> GateVerdictRow:
    """Give a verdict, which has its revision, as its row."""
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
    )


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


def verdict_of(record: str) -> GateVerdict:
    """Read a verdict's record."""
    return verdict_from_json(record)


def admission_row(admission: Admission, rev: int) -> AdmissionRow:
    """Give an admission as its row."""
    candidate = admission.candidate
    return AdmissionRow(
        clean_name("admission", admission.id), clean(admission.gate), clean(admission.verdict_id),
        clean(submission_to_json(admission.submission)), clean(admission.partition), clean(candidate.text),
        clean(candidate.content_hash), clean(candidate.language),
        clean(json.dumps(candidate.fields, ensure_ascii=False, separators=(",", ":"))),
        admission.at.astimezone(UTC), None, rev,
    )  # fmt: skip


def admission_of(values: Sequence[Any]) -> Admission:
    """Put an admission together from its row's values, without the revision."""
    (admission_id, gate, verdict_id, submission, partition, text, content_hash, language, shown, at,
     released_at) = values  # fmt: skip
    told = tuple((name, value) for name, value in json.loads(shown))
    candidate = Candidate(text, content_hash, language=language, fields=told)
    released = released_at.astimezone(UTC) if released_at is not None else None
    return Admission(
        admission_id, gate, candidate, submission_from_json(submission), partition, verdict_id, at.astimezone(UTC),
        released,
    )  # fmt: skip


def admission_vector(admission_id: str, vector: Vector, dim: int) -> AdmissionVectorRow:
    """Give the vector of an admission as its row.

    Raises:
        StoreCorruptError: it has another length than the gate's model gives.
    """
    (row,) = clean_vectors({admission_id: vector}, dim).values()
    return AdmissionVectorRow(admission_id, row)


def event_row(event: GateEvent, seq: int) -> GateEventRow:
    """Give an entry of the log as its row."""
    return GateEventRow(
        seq, clean(event.gate), clean(event.verdict_id), event.act.value, clean(event.actor), clean(event.detail),
        event.at.astimezone(UTC),
    )  # fmt: skip


def figure_of(row: GateVerdictRow) -> GateFigure:
    """Give what statistics need of a verdict."""
    return GateFigure(
        row.state, row.reason, row.band, row.asked, row.cached, row.failure, row.override_by, row.similarity,
        row.duration_ms, row.ruling_ms, row.n_tokens, row.cost, verdict_of(row.record).is_through, row.at,
    )  # fmt: skip


def key_taken(key: str) -> StoreCorruptError:
    """Say that two verdicts would have one idempotency key."""
    return StoreCorruptError(f"what was written contradicts what is stored (idempotency key {key[:40]!r})")
