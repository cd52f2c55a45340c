"""Data protection in PostgreSQL; see `saidonce.foundation.ports.personal_data`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from saidonce.adapters.postgres.clean import clean, cleaned
from saidonce.adapters.postgres.postgres_call_outs import PostgresCallOuts
from saidonce.adapters.postgres.postgres_homes import put_rented
from saidonce.adapters.postgres.postgres_write import Statements
from saidonce.adapters.postgres.records import LandlordNoticeRow, OutboxRow
from saidonce.errors import NotFoundError
from saidonce.foundation.model.conversation import Issue, LandlordNotice, OutboxMessage, Turn
from saidonce.foundation.model.personal_data import DataAct, Erasure, Expiry
from saidonce.foundation.model.residents import Inbound

_IN_ORDER = ("erase_waiting", "erase_emergencies", "erase_outbox", "erase_messages", "erase_conversations")
"""What of a conversation is removed, each before what it refers to."""


class PostgresPersonalData(PostgresCallOuts):
    """Erases what one organisation keeps about its residents, and keeps the log of it."""

    def erase(self, erasure: Erasure) -> DataAct:
        """Write an erasure; give its act as the log keeps it."""
        with self._database.writing() as cursor:
            statements = Statements(cursor)
            ids = sorted(map(clean, erasure.conversations))
            for id_ in ids:
                statements.run("hold_conversation", id=id_)
            for home in erasure.homes:
                put_rented(statements, cleaned(home.resident))
                put_rented(statements, cleaned(home.tenancy))
            for shell in erasure.shells:
                statements.put("make_conversation", cleaned(shell))
            for issue in erasure.issues:
                _rewrite(statements, issue)
            statements.run("erase_notices", ids=ids, keys=[])
            for query in _IN_ORDER:
                statements.run(query, ids=ids)
            statements.run("erase_tenancies", ids=list(erasure.tenancies))
            statements.run("erase_residents", ids=list(erasure.residents))
            for photo in erasure.photos:
                ((seq,),) = statements.run("next_seq")
                statements.put("keep_inbound", cleaned(replace(photo, seq=seq)))
            return _log(statements, erasure.act)

    def expire(self, expiry: Expiry) -> DataAct:
        """Write a round of retention; give its act as the log keeps it."""
        with self._database.writing() as cursor:
            statements = Statements(cursor)
            for inbound in expiry.inbounds:
                statements.put("rewrite_inbound", cleaned(inbound))
            for message in expiry.outbox:
                statements.put("rewrite_outbox", OutboxRow(cleaned(message), 1, message.made_at))
            for turn in expiry.turns:
                statements.put("rewrite_turn", cleaned(turn))
            for issue in expiry.issues:
                _rewrite(statements, issue)
            statements.run("erase_notices", ids=[], keys=list(expiry.notices))
            return _log(statements, expiry.act)

    def record_act(self, act: DataAct) -> DataAct:
        """Append an act to the log; give it as the log keeps it."""
        with self._database.writing() as cursor:
            return _log(Statements(cursor), act)

    def acts(self) -> tuple[DataAct, ...]:
        """Return the log, oldest first."""
        return tuple(self._database.nouns(DataAct, "data_acts"))

    def files_in_use(self, but_not_of: Sequence[str] = ()) -> frozenset[str]:
        """Return the SHA-256 of every file, thumbnail and original of messages, but of some conversations' ids."""
        rows = self._database.rows("files_in_use", but_not_of=list(map(clean, but_not_of)))
        return frozenset(str(name) for (name,) in rows)

    def aged_inbounds(self, before: datetime, limit: int) -> tuple[Inbound, ...]:
        """Return messages received before a moment that still have words or buttons, oldest first."""
        return tuple(self._database.nouns(Inbound, "aged_inbounds", before=before, limit=limit))

    def aged_media(self, before: datetime, limit: int, after: int = 0) -> tuple[Inbound, ...]:
        """Return messages received before a moment that still have stored files, oldest first."""
        return tuple(self._database.nouns(Inbound, "aged_media", before=before, limit=limit, after=after))

    def aged_outbox(self, before: datetime, limit: int) -> tuple[OutboxMessage, ...]:
        """Return finished messages to residents, made before a moment, that still have words, oldest first."""
        return tuple(r.message for r in self._database.nouns(OutboxRow, "aged_outbox", before=before, limit=limit))

    def aged_turns(self, before: datetime, limit: int) -> tuple[Turn, ...]:
        """Return turns taken before a moment that still have a model's words, oldest first."""
        return tuple(self._database.nouns(Turn, "aged_turns", before=before, limit=limit))

    def aged_notices(self, before: datetime, limit: int) -> tuple[LandlordNotice, ...]:
        """Return notices of before a moment, oldest first."""
        rows = self._database.nouns(LandlordNoticeRow, "aged_notices", before=before, limit=limit)
        return tuple(row.notice for row in rows)


def _rewrite(statements: Statements, issue: Issue) -> None:
    if not statements.put("rewrite_issue", cleaned(issue)):
        raise NotFoundError("issue", issue.id)


def _log(statements: Statements, act: DataAct) -> DataAct:
    statements.run("enter_org")
    statements.run("lock_acts")
    ((n,),) = statements.run("n_acts")
    logged = cleaned(replace(act, n=n + 1))
    statements.insert([logged])
    return logged
