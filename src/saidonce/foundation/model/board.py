"""Nouns of the issue board: what people did with an issue."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from saidonce.foundation.model.conversation import IssueState
from saidonce.foundation.model.progress import IssueStep


@dataclass(frozen=True, slots=True)
class IssueMove:
    """One move or other step of an issue; appended, never altered: a move back is one more.

    Attributes:
        n: number among the issue's moves, from 1.
        actor: who moved it.
        before, after: states; equal if it was only looked at, or is a step of another kind.
        looked_at: the reason for a look that was taken away, as `Issue.review` had it; empty if none was.
        step: what was done beside a plain move.
        note: words about it; `media`: SHA-256 of photos sent with it.
    """

    issue_id: str
    n: int
    at: datetime
    actor: str
    before: IssueState
    after: IssueState
    looked_at: str = ""
    step: IssueStep | None = None
    note: str = ""
    media: tuple[str, ...] = ()
