"""The held list as answers: what waits for people, one submission beside what is near to it, and decisions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import ClassVar

from saidonce.errors import UsageError
from saidonce.foundation.model import GateVerdict, HeldState, Near, Outcome, Reason
from saidonce.gate import HeldLeft, authorize
from saidonce.gate.held import state_of
from saidonce.interfaces.views.base import At, View
from saidonce.interfaces.views.gate import (
    GateEventView,
    GateVerdictView,
    NearSubmission,
    SubmissionView,
    near_submissions,
    submission_fields,
)

_AGE = re.compile(r"(\d{1,6})\s*([mhdw])", re.IGNORECASE)
_UNITS = {"m": timedelta(minutes=1), "h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}


def age_of(written: str) -> timedelta | None:
    """Read an age such as 90m, 12h, 3d or 2w; None if there is none.

    Raises:
        UsageError: it is another text.
    """
    if not written.strip():
        return None
    read = _AGE.fullmatch(written.strip())
    if read is None:
        raise UsageError(f"{written[:40]!r} is not an age; use a number with m, h, d or w, such as 90m, 12h, 3d or 2w")
    return int(read[1]) * _UNITS[read[2].lower()]


def cursor_to(last: GateVerdict | None) -> str:
    """Write the place after a verdict in the list; empty without one."""
    return f"{last.at.isoformat()}~{last.id}" if last is not None else ""


def cursor_of(written: str) -> tuple[datetime, str] | None:
    """Read a place in the list; None for the beginning.

    Raises:
        UsageError: it is none.
    """
    if not written:
        return None
    at, _, id_ = written.partition("~")
    try:
        moment = datetime.fromisoformat(at)
        if moment.tzinfo is not None and id_:
            return moment.astimezone(UTC), id_
    except (ValueError, OverflowError):
        pass
    raise UsageError(f"{written[:80]!r} is not a valid cursor; use `after` of the previous page")


REASONS: Mapping[str, str] = {
    "no_ruling": "no adjudicator was asked",
    "away": "the adjudicator was unavailable",
    "unsure": "the adjudicator was unsure",
    "canary": "the adjudicator failed a test question",
    "contradiction": "the adjudicator contradicted itself",
    "malformed": "the adjudicator's answer could not be read",
    "overtaken": "others were kept while the adjudicator was ruling",
    "above_threshold": "as similar as a repeat, and no adjudicator was asked",
    "objection": "similar, but a fact differs",
    "ruled_duplicate": "the adjudicator ruled it a repeat",
    "retracted": "the adjudicator retracted its clear",
    "llm_cleared": "the adjudicator cleared it",
    "same_content": "the same content is kept",
    "escape_hatch": "the escape hatch was open",
    "override": "a person let it through",
    "no_matches": "nothing similar was kept",
    "below_threshold": "nothing similar enough was kept",
}
"""Reasons in words."""

BUT_GUARDED = "the adjudicator ruled it a repeat, but a fact differs"
"""Reasons in words where a ruling alone does not settle."""


def reason_in_words(verdict: GateVerdict) -> str:
    """Return in words what happened: why a verdict waits, or how it was settled."""
    if verdict.reason is None:
        return "pending"
    if verdict.reason is Reason.RULED_DUPLICATE and verdict.held is HeldState.OPEN:
        return BUT_GUARDED
    return REASONS.get(verdict.reason.value, verdict.reason.value)


class HeldCountView(View):
    """How many verdicts agree in everything that a filter tells apart."""

    gate: str
    state: HeldState
    reason: str
    judge: str
    assignee: str
    n: int
    oldest_at: At


class HeldEntryView(GateVerdictView):
    """A held submission in the list."""

    DERIVED: ClassVar = {
        **GateVerdictView.DERIVED,
        "submission": lambda verdict: SubmissionView(**submission_fields(verdict.submission)),
        "seen": state_of,
        "key": lambda verdict: verdict.submission.key,
        "retry_of": lambda verdict: verdict.submission.retry_of,
        "submitter": lambda verdict: verdict.submission.submitter,
    }

    held: HeldState
    """open: waits for a person; ruled: settled by a ruling; audit: a clear that was drawn for an audit"""
    seen: str
    """state to send back with a decision, which is refused if the state has changed"""
    submission: SubmissionView
    key: str
    retry_of: str
    submitter: str


class HeldListView(View):
    """What waits for people."""

    n: int
    """number of matches of the filter"""
    held: tuple[HeldEntryView, ...]
    """oldest first"""
    after: str
    """cursor of the next page, to pass as `after`; empty after the last"""
    counts: tuple[HeldCountView, ...]
    """counts of all held submissions, regardless of the filter"""


class HeldPairView(GateVerdictView):
    """A held submission beside what is near to it now."""

    PARTS = ("verdict",)
    DERIVED: ClassVar = {
        "authorized": lambda pair: authorize(pair.verdict),
        "outcome": lambda pair: pair.verdict.verdict and pair.verdict.verdict.outcome,
        "held": lambda pair: pair.verdict.held,
        "submission": lambda pair: SubmissionView(**submission_fields(pair.verdict.submission)),
        "near": lambda pair: near_submissions(pair.near, pair.kept),
        "key": lambda pair: pair.verdict.submission.key,
        "retry_of": lambda pair: pair.verdict.submission.retry_of,
        "submitter": lambda pair: pair.verdict.submission.submitter,
    }

    key: str
    retry_of: str
    submitter: str
    outcome: Outcome | None
    held: HeldState | None
    seen: str
    """state to send back with a decision"""
    submission: SubmissionView
    near: tuple[NearSubmission | Near, ...]
    fresh: tuple[str, ...]
    """ids of near submissions kept after its verdict; a decision to let it through has to name them in `looked_at`"""
    first: GateVerdictView | None
    """verdict on the earlier wording that this one is a retry of"""
    retries: tuple[GateVerdictView, ...]
    """verdicts on later wordings that are retries of this one"""
    events: tuple[GateEventView, ...]


class RecheckView(View):
    """What an auto-rater says later of its clears."""

    n_stand: int
    """clears that the adjudicator confirms"""
    n_unknown: int
    """of these, those that could not be checked: the service was unavailable, or no longer has the review"""
    retracted: tuple[GateVerdictView, ...]
    """clears that the adjudicator retracted; they wait for a person"""


class HeldThroughputView(View):
    """What a person did with what gates held."""

    person: str
    n_decided: int
    """submissions decided, single and in bulk"""
    n_acts: int
    """manual decisions; a bulk decision counts once"""
    n_taken_back: int
    """submissions whose decision was undone"""
    n_by_others: int
    """of these, undone by somebody else"""
    hours: float
    """per hour, not counting pauses of more than five minutes"""
    per_hour: float
    n_audits: int
    """clears of an adjudicator that the person audited"""
    n_wrong: int
    """of these, found wrong"""
    n_audited: int
    """submissions whose decision another person audited"""
    n_agreed: int
    """of these, found right"""
    agreement: float | None
    """share of them; null without an audit"""


class HeldResultView(View):
    """What a decision did."""

    decision: str
    """id with which the decision is undone; empty if no submission was decided"""
    done: tuple[GateVerdictView, ...]
    left: tuple[HeldLeft, ...]
    """skipped submissions, with the reason"""


class HeldUndoView(View):
    """What an undo did."""

    decision: str
    undone: tuple[GateVerdictView, ...]
    withdrawn: tuple[str, ...]
    """ids of submissions that are no longer kept"""
    left: tuple[HeldLeft, ...]
    leaning: tuple[str, ...]
    """verdicts blocked as repeats of withdrawn submissions; they can be submitted again"""
