"""Submissions tried again in other words: each names the verdict that held or blocked the try before it."""

from __future__ import annotations

from collections.abc import Sequence

from saidonce.errors import NotFoundError, UsageError
from saidonce.foundation.model import GateState, Submission
from saidonce.foundation.ports import Store


def check_first_tries(store: Store, gate: str, submissions: Sequence[Submission]) -> None:
    """Refuse submissions that name, as their first try, what is none of theirs.

    Raises:
        NotFoundError: a named verdict is not there, or is of another gate.
        UsageError: it let its submission through, is pending, or is of somebody else's submission.
    """
    for submission in submissions:
        if submission.retry_of:
            _check(store, gate, submission)


def _check(store: Store, gate: str, submission: Submission) -> None:
    first = store.gates.verdict(submission.retry_of)
    if first is None or first.gate != gate:
        raise NotFoundError("verdict", submission.retry_of, f"retry_of must be a verdict of gate {gate!r}")
    if first.state is GateState.PENDING:
        raise UsageError(f"{first.id} is pending; wait for its verdict before you retry")
    if not first.blocked:
        raise UsageError(f"{first.id} is not blocked ({first.reason}); there is nothing to retry")
    submitter = first.submission.submitter
    if submitter and submission.submitter and submitter != submission.submitter:
        raise UsageError(f"{first.id} was submitted by {submitter!r}; only they can retry it in other words")
