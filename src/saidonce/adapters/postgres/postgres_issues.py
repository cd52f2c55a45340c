"""Issues and their moves on the board, in PostgreSQL."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from saidonce.adapters.postgres.clean import clean, clean_time, cleaned
from saidonce.adapters.postgres.conversation_steps import after_move, after_step
from saidonce.adapters.postgres.postgres_waiting import PostgresWaiting
from saidonce.adapters.postgres.postgres_write import Statements
from saidonce.errors import NotFoundError
from saidonce.foundation.model.board import IssueMove
from saidonce.foundation.model.conversation import Issue, IssueAdvance, IssueState


class PostgresIssues(PostgresWaiting):
    """Keeps the issues of one organisation; see `saidonce.foundation.ports.Conversations`."""

    def move_issue(self, id: str, to: IssueState, by: str, at: datetime, is_looked_at: bool = False) -> Issue:
        """Move an issue on the board, and keep the move with it; nothing if nothing changes. Give the issue."""
        with self._database.writing() as cursor:
            statements = Statements(cursor)
            known = _held_issue(statements, id)
            ((n_moves,),) = statements.run("n_moves", id=known.id)
            after, move = after_move(known, to, is_looked_at, IssueMove(known.id, n_moves + 1, at, by, known.state, to))
            if move is not None:
                statements.run("move_issue", id=after.id, state=after.state.value, review=after.review)
                statements.put("keep_move", cleaned(move))
            return after

    def issue_moves(self, issue_id: str = "") -> tuple[IssueMove, ...]:
        """Return the moves of one issue or all, by issue, oldest first."""
        return tuple(self._database.nouns(IssueMove, "issue_moves", id=clean(issue_id) or None))

    def issues(self, property_id: str = "") -> tuple[Issue, ...]:
        """Return issues, of one property or all, oldest first, ties by id."""
        return tuple(self._database.nouns(Issue, "issues", property_id=clean(property_id) or None))

    def issue(self, id: str) -> Issue:
        """Return an issue."""
        issues = self._database.nouns(Issue, "issue", id=clean(id))
        if not issues:
            raise NotFoundError("issue", id)
        return issues[0]

    def issues_due(self, now: datetime, limit: int = 100) -> tuple[Issue, ...]:
        """Return issues whose timer has gone off, the longest due first, ties by id."""
        return tuple(self._database.nouns(Issue, "issues_due", now=clean_time(now), limit=limit))


def keep_issue(statements: Statements, issue: Issue | None) -> None:
    """Keep an issue, unless its turn has made one."""
    if issue is not None:
        statements.put("keep_issue", issue)


def extend_issue(statements: Statements, issue: Issue) -> None:
    """Change the content of an issue; its turn, state, review mark and progress stay.

    Raises:
        NotFoundError: there is none of that id.
    """
    held = _held_issue(statements, issue.id)
    statements.put("extend_issue", replace(issue, progress=held.progress))


def advance_issues(statements: Statements, advances: Sequence[IssueAdvance]) -> None:
    """Write steps of issues, each issue locked; callers that also send messages hold the conversations.

    Raises:
        NotFoundError: there is none of that id.
        StaleWriteError: an issue is not as it was read.
    """
    for advance in map(cleaned, advances):
        held = _held_issue(statements, advance.before.id)
        ((n_moves,),) = statements.run("n_moves", id=held.id)
        after, move = after_step(held, advance, n_moves + 1)
        statements.put("advance_issue", after)
        if move is not None:
            statements.put("keep_move", move)


def _held_issue(statements: Statements, id: str) -> Issue:
    issues = statements.nouns(Issue, "hold_issue", id=clean(id))
    if not issues:
        raise NotFoundError("issue", id)
    return issues[0]
