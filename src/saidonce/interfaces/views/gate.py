"""The gate: verdicts and figures as answers, and submissions as programs give them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from pydantic import AliasPath, Field

from saidonce.errors import UsageError
from saidonce.foundation.codec import fingerprint_of
from saidonce.foundation.model import (
    Admission,
    GateAct,
    GateFields,
    GateRules,
    GateState,
    HeldChoice,
    Near,
    Objection,
    Outcome,
    Reason,
    Ruling,
    Submission,
    SubmissionStanding,
)
from saidonce.foundation.text import digest
from saidonce.gate import AuditCount, authorize
from saidonce.interfaces.views.base import At, Number, View

_PARTS = frozenset({"text", "title", "fields", "key", "id", "retry_of"})


def submission_of(data: object, place: int = 0) -> Submission:
    """Read a submission: text, title, `fields`, an idempotency key as `key` or `id`, and `retry_of`.

    Other values count as fields.

    Args:
        data: a JSON value.
        place: of the line in its file, which with the content makes the key of one that has none; 0 makes none.

    Raises:
        UsageError: it is no object of that shape.
    """
    if not isinstance(data, dict):
        raise UsageError("a submission must be an object with a text")
    named = data.get("fields", {})
    if not isinstance(named, dict):
        raise UsageError("fields must be an object of names and values")
    rest = {name: value for name, value in data.items() if name not in _PARTS}
    fields = {name: _plain(name, value) for name, value in {**rest, **named}.items()}
    if clash := sorted(set(rest) & set(named)):
        raise UsageError(f"the field {clash[0]!r} appears twice")
    if "key" in data and "id" in data:
        raise UsageError("the key appears twice, as 'key' and as 'id'")
    text, title = _plain("text", data.get("text", "")), _plain("title", data.get("title", ""))
    submission = Submission(text, title, tuple(fields.items()))
    key = _plain("key", data.get("key", data.get("id", "")))
    if not key and place:
        key = "line-" + digest("line", str(place), fingerprint_of(submission))
    first = _plain("retry_of", data.get("retry_of", ""))
    return Submission(submission.text, submission.title, submission.fields, key, first)


def _plain(name: str, value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or value is None or isinstance(value, int | float):
        return json.dumps(value) if value is not None else ""
    raise UsageError(f"{name!r} is neither a string nor a number")


class OverrideView(View):
    """Who let a blocked submission through, and why."""

    by: str
    why: str
    at: At


class ClearAuditView(View):
    """What a person found who looked at an adjudicator's clear, or at another person's decision."""

    id: str
    right: bool
    by: str
    why: str
    at: At


class HeldDecisionView(View):
    """What a person decided about a held submission."""

    id: str
    """id with which the decision is undone, together with all others in it"""
    choice: HeldChoice
    by: str
    why: str
    at: At
    of: str
    """id of the admitted submission that it repeats or rewords"""
    wording: str
    """id under which a linked submission is kept as another wording"""
    audit: ClearAuditView | None
    """result of an audit by another person"""


class RetractionView(View):
    """An adjudicator that took its clear back."""

    by: str
    why: str
    at: At


class GateVerdictView(View):
    """A verdict without the ladder's trail."""

    DERIVED: ClassVar = {"authorized": authorize}

    id: str
    gate: str
    key: str = Field(validation_alias=AliasPath("submission", "key"))
    """idempotency key of the submission"""
    state: GateState
    authorized: bool
    """create it"""
    outcome: Outcome | None = Field(None, validation_alias=AliasPath("verdict", "outcome"))
    """null while pending"""
    standing: SubmissionStanding
    """state in one word: pending, cleared, let_through, held (for a person), blocked (a repeat) or released"""
    reason: Reason | None
    of: str
    """id of the admitted submission that it repeats"""
    similarity: float
    admitted: str
    """id under which it was admitted; empty if it was not"""
    released_at: At | None
    ruling: Ruling | None
    override: OverrideView | None
    retry_of: str = Field(validation_alias=AliasPath("submission", "retry_of"))
    """id of the verdict on an earlier wording, as named by the submitter"""
    submitter: str = Field(validation_alias=AliasPath("submission", "submitter"))
    assignee: str
    """person assigned to decide it"""
    decision: HeldDecisionView | None
    sampled: bool
    """an adjudicator's clear that was drawn for an audit"""
    audit: ClearAuditView | None
    retraction: RetractionView | None
    """the adjudicator retracted its clear after the submission was admitted"""
    duration_ms: int
    at: At
    rev: int


class _OfFile(View):
    line: int
    """line number in the file"""


class GateCheckLine(GateVerdictView, _OfFile):
    """A line of `gate check --json`."""


class SubmissionView(View):
    """What was submitted."""

    title: str
    text: str
    fields: dict[str, str]


class NearSubmission(View):
    """An admitted submission that one was compared with."""

    id: str
    similarity: float
    objections: tuple[Objection, ...]
    title: str
    text: str
    fields: dict[str, str]


class StepView(View):
    """One rung's entry in the trail of a verdict."""

    rung: str
    finding: str
    of: str
    similarity: float | None


class GateEventView(View):
    """An entry of the gate's log."""

    gate: str
    verdict_id: str
    act: GateAct
    actor: str
    detail: str
    at: At
    seq: int
    decision: str
    """id of the decision that it belongs to; empty if no person decided"""


def near_submissions(near: Sequence[Near], kept: Mapping[str, Admission]) -> list[NearSubmission | Near]:
    """Return the near submissions that a submission was compared with, with their contents if still stored."""
    rows: list[NearSubmission | Near] = []
    for each in near:
        admission = kept.get(each.id)
        rows.append(
            NearSubmission.show(each, **submission_fields(admission.submission)) if admission is not None else each
        )
    return rows


def submission_fields(submission: Submission) -> dict[str, Any]:
    """Return the parts of a submission as a view shows them."""
    return {"title": submission.title, "text": submission.text, "fields": dict(submission.fields)}


class GateAccountView(GateVerdictView):
    """A verdict with its whole trail, what it was compared with, and what happened to it."""

    PARTS = ("verdict",)
    DERIVED: ClassVar = {
        "authorized": lambda account: authorize(account.verdict),
        "outcome": lambda account: account.verdict.verdict and account.verdict.verdict.outcome,
        "submission": lambda account: SubmissionView(**submission_fields(account.verdict.submission)),
        "near": lambda account: near_submissions(account.verdict.near, account.kept),
        "trail": lambda account: account.verdict.verdict.trail if account.verdict.verdict is not None else (),
    }

    key: str = Field(validation_alias=AliasPath("verdict", "submission", "key"))
    retry_of: str = Field(validation_alias=AliasPath("verdict", "submission", "retry_of"))
    submitter: str = Field(validation_alias=AliasPath("verdict", "submission", "submitter"))
    outcome: Outcome | None
    submission: SubmissionView
    near: tuple[NearSubmission | Near, ...]
    trail: tuple[StepView, ...]
    rules: GateRules | None
    policy: str
    """hash of the rules"""
    events: tuple[GateEventView, ...]


class GateIdentity(View):
    """What a gate compares, and by which embedding model."""

    name: str
    fields: GateFields
    model: str


class GateView(View):
    """A gate as it was made."""

    name: str
    fields: GateFields
    model: str
    dim: int
    made_at: At


class GateStatsView(View):
    """The figures of a gate over its newest verdicts."""

    gate: GateIdentity = Field(validation_alias="definition")
    clear_rate: float
    """share cleared by the gate, 0..1, without those let through by people"""
    asked_share: float
    """share sent to an adjudicator, 0..1"""
    n_kept: int
    n_pending: int
    n: int
    n_cleared: int
    n_asked: int
    n_cached: int
    n_let_through: int
    """by the operator's escape hatch"""
    n_overridden: int
    """let through by people"""
    n_held: int
    """submissions of the whole gate that wait for a person"""
    held_since: At | None
    """when the oldest held submission was submitted"""
    held_for: dict[str, int]
    """number of held submissions by reason"""
    decided: dict[str, int]
    """what people have decided and what is open"""
    audits: tuple[AuditCount, ...]
    """results of audits of clears, by adjudicator"""
    reasons: dict[str, int]
    cleared_for: dict[str, int]
    bands: dict[str, int]
    failures: dict[str, int]
    overrides: dict[str, int]
    days: tuple[tuple[str, int, int, int], ...]
    """(day, cleared, blocked, let through by a person or the hatch), oldest first"""
    check_ms: tuple[Number, Number, Number]
    """median, 95th percentile, maximum"""
    ruling_ms: tuple[Number, Number, Number]
    n_tokens: int
    cost: Number
    """in US dollars"""
    hatch_open: bool
