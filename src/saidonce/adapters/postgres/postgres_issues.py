"""Issues and their moves on the board, in PostgreSQL."""

from __future__ import annotations

from datetime import datetime

from saidonce.adapters.postgres.clean import clean
from saidonce.adapters.postgres.conversation_records import IssueMoveRow, IssueRow
from saidonce.adapters.postgres.conversation_rows import cleaned, issue_of, issue_row, move_of, move_row, read
from saidonce.adapters.postgres.conversation_steps import move_to
from saidonce.adapters.postgres.postgres_homes import values_of
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
            statements = Statements(cursor)
            found = statements.run("hold_issue", id=clean(id))
            if not found:
                raise NotFoundError("issue", id)
            known = issue_of(read(IssueRow, found[0]))
            ((n_moves,),) = statements.run("n_moves", id=known.id)
            after, move = move_to(known, to, is_looked_at, IssueMove(known.id, n_moves + 1, at, by, known.state, to))
            if move is not None:
                statements.run("move_issue", id=after.id, state=after.state.value, review=after.review)
                statements.run("keep_move", **values_of(move_row(cleaned(move))))
            return after

    def issue_moves(self, issue_id: str = "") -> tuple[IssueMove, ...]:
        """Give the moves of one issue or all, by issue, oldest first."""
        found = self._database.rows("issue_moves", id=clean(issue_id) or None)
        return tuple(move_of(read(IssueMoveRow, row)) for row in found)

    def issues(self, property_id: str = "") -> tuple[Issue, ...]:
        """Give issues, of one property or all, oldest first, ties by id."""
        found = self._database.rows("issues", property_id=clean(property_id) or None)
        return tuple(issue_of(read(IssueRow, row)) for row in found)


def keep_issue(statements: Statements, issue: Issue | None) -> None:
    """Keep an issue, unless its turn has made one."""
    if issue is not None:
        statements.run("keep_issue", **values_of(issue_row(issue)))


def extend_issue(statements: Statements, issue: Issue) -> None:
    """Change what an issue says; its turn, its state and its reason for a look stay.

    Raises:
        NotFoundError: there is none of that id.
    """
    if not statements.run("extend_issue", **values_of(issue_row(issue))):
        raise NotFoundError("issue", issue.id)
