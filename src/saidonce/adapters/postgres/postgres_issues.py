"""Issues and their moves on the board, in PostgreSQL."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from saidonce.adapters.postgres.clean import clean, cleaned
from saidonce.adapters.postgres.conversation_steps import move_to
from saidonce.adapters.postgres.postgres_waiting import PostgresWaiting
from saidonce.adapters.postgres.postgres_write import Statements
from saidonce.errors import NotFoundError
from saidonce.foundation.model.board import IssueMove
from saidonce.foundation.model.conversation import Issue, IssueState


class PostgresIssues(PostgresWaiting):
    """Keeps the issues of one organisation; see `saidonce.foundation.ports.Conversations`."""

    def move_issue(self, id: str, to: IssueState, by: str, at: datetime, is_looked_at: bool = False) -> Issue:
        """Move an issue on the board, and keep the move with it; nothing if nothing changes. Give the issue."""
        with self._database.writing() as cursor:
            return move_on_board(Statements(cursor), IssueMove(clean(id), 0, at, by, to, to), is_looked_at)

    def issue_moves(self, issue_id: str = "") -> tuple[IssueMove, ...]:
        """Give the moves of one issue or all, by issue, oldest first."""
        return tuple(self._database.nouns(IssueMove, "issue_moves", id=clean(issue_id) or None))

    def issues(self, property_id: str = "") -> tuple[Issue, ...]:
        """Give issues, of one property or all, oldest first, ties by id."""
        return tuple(self._database.nouns(Issue, "issues", property_id=clean(property_id) or None))


def keep_issue(statements: Statements, issue: Issue | None) -> None:
    """Keep an issue, unless its turn has made one."""
    if issue is not None:
        statements.put("keep_issue", issue)


def extend_issue(statements: Statements, issue: Issue) -> None:
    """Change what an issue says; its turn, its state and its reason for a look stay.

    Raises:
        NotFoundError: there is none of that id.
    """
    if not statements.put("extend_issue", issue):
        raise NotFoundError("issue", issue.id)


def move_on_board(statements: Statements, asked: IssueMove, is_looked_at: bool = False, clears: str = "-") -> Issue:
    """Move an issue to the state after a move, and keep the move with it; nothing if nothing changes. Give the issue.

    Args:
        asked: its number and the state before are found out.
        clears: a reason for a look that the move takes away, too.

    Raises:
        NotFoundError: there is no such issue.
    """
    issues = statements.nouns(Issue, "hold_issue", id=asked.issue_id)
    if not issues:
        raise NotFoundError("issue", asked.issue_id)
    known = issues[0]
    is_looked_at = is_looked_at or known.review == clears
    ((n_moves,),) = statements.run("n_moves", id=known.id)
    after, move = move_to(known, asked.after, is_looked_at, replace(asked, n=n_moves + 1, before=known.state))
    if move is not None:
        statements.run("move_issue", id=after.id, state=after.state.value, review=after.review)
        statements.put("keep_move", cleaned(move))
    return after
