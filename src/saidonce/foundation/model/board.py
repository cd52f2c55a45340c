"""Nouns of the issue board: what people did with an issue."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from saidonce.foundation.model.conversation import IssueState


@dataclass(frozen=True, slots=True)
class IssueMove:
    """One move of an issue on the board; appended, never altered: a move back is one more.

    Attributes:
        n: number among the issue's moves, from 1.
        actor: who moved it.
        before, after: states; equal if it was only looked at.
        looked_at: the reason for a look that was taken away, as `Issue.review` had it; empty if none was.
    """

    issue_id: str
    n: int
    at: datetime
    actor: str
    before: IssueState
    after: IssueState
    looked_at: str = ""
