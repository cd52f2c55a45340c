"""Sources that collections are kept in step with, in PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime

from saidonce.adapters.postgres.clean import clean, clean_name, cleaned
from saidonce.adapters.postgres.connection import Database
from saidonce.adapters.postgres.postgres_write import Statements
from saidonce.errors import NotFoundError
from saidonce.foundation.model.syncs import SyncEntry, SyncSource


class PostgresSyncs:
    """Keeps the sources of one organisation; see `saidonce.foundation.ports.syncs.Syncs`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put_source(self, source: SyncSource) -> None:
        """Add a source, or change the one of that id."""
        clean_name("collection", source.collection)
        with self._database.writing() as cursor:
            statements = Statements(cursor)
            statements.run("enter_org")
            statements.put("put_sync_source", cleaned(source))

    def drop_source(self, id: str) -> None:
        """Take a source away, with its entries; documents stay."""
        with self._database.writing() as cursor:
            if not Statements(cursor).run("drop_sync_source", id=clean(id)):
                raise NotFoundError("source", id)

    def sources(self) -> tuple[SyncSource, ...]:
        """Return all sources, by id."""
        return tuple(self._database.nouns(SyncSource, "sync_sources", id=None))

    def source(self, id: str) -> SyncSource | None:
        """Return one source, or None."""
        rows = self._database.nouns(SyncSource, "sync_sources", id=clean(id))
        return rows[0] if rows else None

    def sources_due(self, now: datetime) -> tuple[SyncSource, ...]:
        """Return sources that the worker is to run, the longest due first, ties by id."""
        return tuple(self._database.nouns(SyncSource, "sync_sources_due", now=now))

    def put_entries(self, entries: Sequence[SyncEntry]) -> None:
        """Add entries, or change those of the same source and name."""
        latest = {(each.source, each.name): each for each in map(cleaned, entries)}
        if not latest:
            return
        rows = list(latest.values())
        with self._database.writing() as cursor:
            Statements(cursor).run(
                "put_sync_entries", source_ids=[e.source for e in rows], names=[e.name for e in rows],
                marks=[e.mark for e in rows], fingerprints=[e.fingerprint for e in rows],
                refusals=[e.refused for e in rows], settings=[e.settings for e in rows],
            )  # fmt: skip

    def drop_entries(self, source: str, names: Sequence[str]) -> None:
        """Take entries away; those that are not there are no error."""
        with self._database.writing() as cursor:
            Statements(cursor).run("drop_sync_entries", source=clean(source), names=[clean(n) for n in names])

    def entries(self, source: str) -> tuple[SyncEntry, ...]:
        """Return what was seen of a source, by name."""
        return tuple(self._database.nouns(SyncEntry, "sync_entries", source=clean(source)))

    def also_in(self, source: str, names: Sequence[str]) -> frozenset[str]:
        """Return those of the names that another source of the same collection has an entry of, too."""
        rows = self._database.rows("also_synced", source=clean(source), names=[clean(n) for n in names])
        return frozenset(str(name) for (name,) in rows)

    @contextmanager
    def locked(self, source: str) -> Iterator[bool]:
        """Hold a source's lock for as long as the context is open; it ends with the connection."""
        with self._database.session_lock(f"sync {source}") as is_ours:
            yield is_ours
