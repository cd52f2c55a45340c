"""The log of security in PostgreSQL; see `saidonce.foundation.ports.security`."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from saidonce.adapters.postgres.clean import clean, cleaned
from saidonce.adapters.postgres.codec import to_json
from saidonce.adapters.postgres.connection import Database
from saidonce.adapters.postgres.postgres_write import Statements
from saidonce.foundation.model.security import SecurityEvent, SecurityFilter


class PostgresSecurity:
    """Keeps the security log of one organisation."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def append(self, event: SecurityEvent, makes_org: bool = True) -> SecurityEvent | None:
        """Append an entry."""
        with self._database.writing() as cursor:
            statements = Statements(cursor)
            if makes_org:
                statements.run("enter_org")
            elif statements.run("has_org") != [(True,)]:
                return None
            statements.run("lock_events")
            ((n,),) = statements.run("next_event")
            logged = cleaned(replace(event, n=n))
            statements.run(
                "append_event", n=n, at=logged.at, kind=logged.kind.value, person=logged.person,
                address=logged.address, record=to_json(logged),
            )  # fmt: skip
        return logged

    def events(self, security_filter: SecurityFilter) -> tuple[SecurityEvent, ...]:
        """Return entries, newest first; with `after` oldest first."""
        query = "security_events" if security_filter.after is None else "next_security_events"
        values = {
            "kinds": [kind.value for kind in security_filter.kinds] or None, "person": clean(security_filter.person),
            "address": clean(security_filter.address), "since": security_filter.since, "until": security_filter.until,
            "before": security_filter.before, "limit": security_filter.limit,
        }  # fmt: skip
        if security_filter.after is not None:
            values["after"] = security_filter.after
        return tuple(self._database.nouns(SecurityEvent, query, **values))

    def note_key_use(self, key: str, at: datetime) -> bool:
        """Note that a key was used; tell whether it was the first time."""
        with self._database.writing() as cursor:
            return Statements(cursor).run("note_key_use", key=clean(key), at=at) == [(True,)]
