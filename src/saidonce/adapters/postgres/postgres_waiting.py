"""Files of residents that are still to be fetched, in PostgreSQL."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from saidonce.adapters.postgres.conversation_steps import waiting_of
from saidonce.adapters.postgres.postgres_homes import PostgresHomes
from saidonce.adapters.postgres.postgres_write import Statements
from saidonce.adapters.postgres.records import WaitingMediaRow
from saidonce.foundation.model.residents import Inbound, WaitingMedia


class PostgresWaiting(PostgresHomes):
    """Keeps which files wait, of one organisation; see `saidonce.foundation.ports.Conversations`."""

    def take_media(
        self, now: datetime, until: datetime, limit: int = 10, but_not_of: Sequence[str] = ()
    ) -> tuple[WaitingMedia, ...]:
        """Lease files to be fetched, one more try each, the longest due first, ties in the order of the inbox."""
        with self._database.writing() as cursor:
            statements = Statements(cursor)
            rows = statements.nouns(
                WaitingMediaRow, "take_media", now=now, until=until, limit=limit, but_not_of=list(but_not_of)
            )
            return tuple(_waiting(statements, row) for row in rows)

    def put_off_media(self, waiting: WaitingMedia, until: datetime) -> None:
        """Take a file up again, not before a moment; nothing if it does not wait any more."""
        with self._database.writing() as cursor:
            Statements(cursor).run(
                "put_off_media", seq=waiting.inbound.seq, media_id=waiting.media.id, until=until
            )  # fmt: skip

    def end_media(self, waiting: WaitingMedia) -> None:
        """Let a file wait no more."""
        with self._database.writing() as cursor:
            Statements(cursor).run("end_media", seq=waiting.inbound.seq, media_id=waiting.media.id)


def _waiting(statements: Statements, row: WaitingMediaRow) -> WaitingMedia:
    (inbound,) = statements.nouns(Inbound, "inbound_of_seq", seq=row.seq)
    return waiting_of(inbound, row)
