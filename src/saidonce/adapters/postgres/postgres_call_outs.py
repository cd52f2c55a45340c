"""Call-out lists in PostgreSQL."""

from __future__ import annotations

from collections.abc import Sequence

from saidonce.adapters.postgres.clean import cleaned
from saidonce.adapters.postgres.postgres_issues import PostgresIssues
from saidonce.adapters.postgres.postgres_write import Statements
from saidonce.foundation.model.call_outs import CallOutList


class PostgresCallOuts(PostgresIssues):
    """Keeps who is called about emergencies of one organisation; see `saidonce.foundation.ports.Conversations`."""

    def call_outs(self) -> tuple[CallOutList, ...]:
        """Return the call-out lists, by scope and subject."""
        return tuple(self._database.nouns(CallOutList, "call_outs"))

    def set_call_outs(self, lists: Sequence[CallOutList]) -> None:
        """Replace all call-out lists; of several for one subject the last holds."""
        by_subject = {(each.scope, each.subject): each for each in map(cleaned, lists)}
        with self._database.writing() as cursor:
            statements = Statements(cursor)
            statements.run("enter_org")
            statements.run("drop_call_outs")
            if by_subject:
                statements.insert(list(by_subject.values()))
