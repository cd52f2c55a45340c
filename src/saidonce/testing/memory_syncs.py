"""Sources that collections are kept in step with, in memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime

from saidonce.adapters.postgres.clean import clean, clean_name, cleaned
from saidonce.errors import NotFoundError, StoreCorruptError
from saidonce.foundation.model.syncs import SyncEntry, SyncSource

SYNC_NOUNS = (SyncSource, SyncEntry)


class MemorySyncs:
    """Keeps the sources of one organisation in memory; see `saidonce.foundation.ports.syncs.Syncs`."""

    def __init__(self) -> None:
        self._sources: dict[str, SyncSource] = {}
        self._entries: dict[tuple[str, str], SyncEntry] = {}
        self._held: set[str] = set()

    def rows(self) -> Iterator[object]:
        """Yield everything as rows of an export."""
        yield from self._sources.values()
        yield from self._entries.values()

    def load(self, rows: Iterable[object]) -> None:
        """Take in rows of an export; what is there already stays."""
        for row in rows:
            match row:
                case SyncSource():
                    self._sources.setdefault(row.id, row)
                case SyncEntry():
                    self._entries.setdefault((row.source, row.name), row)

    def put_source(self, source: SyncSource) -> None:
        """Add a source, or change the one of that id."""
        clean_name("collection", source.collection)
        self._sources[clean(source.id)] = cleaned(source)

    def drop_source(self, id: str) -> None:
        """Take a source away, with its entries; documents stay."""
        if self._sources.pop(clean(id), None) is None:
            raise NotFoundError("source", id)
        self._entries = {key: entry for key, entry in self._entries.items() if entry.source != id}

    def sources(self) -> tuple[SyncSource, ...]:
        """Return all sources, by id."""
        return tuple(source for _, source in sorted(self._sources.items()))

    def source(self, id: str) -> SyncSource | None:
        """Return one source, or None."""
        return self._sources.get(clean(id))

    def sources_due(self, now: datetime) -> tuple[SyncSource, ...]:
        """Return sources that the worker is to run, the longest due first, ties by id."""
        due = [(s.next_at, s.id, s) for s in self._sources.values() if s.next_at is not None and s.next_at <= now]
        return tuple(source for _, _, source in sorted(due, key=lambda row: row[:2]))

    def put_entries(self, entries: Sequence[SyncEntry]) -> None:
        """Add entries, or change those of the same source and name."""
        rows = [cleaned(entry) for entry in entries]
        if any(row.source not in self._sources for row in rows):
            raise StoreCorruptError("what was written contradicts what is stored (an entry without its source)")
        self._entries.update({(row.source, row.name): row for row in rows})

    def drop_entries(self, source: str, names: Sequence[str]) -> None:
        """Take entries away; those that are not there are no error."""
        for name in names:
            self._entries.pop((clean(source), clean(name)), None)

    def entries(self, source: str) -> tuple[SyncEntry, ...]:
        """Return what was seen of a source, by name."""
        return tuple(entry for _, entry in sorted(self._entries.items()) if entry.source == clean(source))

    def also_in(self, source: str, names: Sequence[str]) -> frozenset[str]:
        """Return those of the names that another source of the same collection has an entry of, too."""
        own = self._sources.get(clean(source))
        beside = {s.id for s in self._sources.values() if own and s.collection == own.collection and s.id != own.id}
        clean_names = {clean(name) for name in names}
        return frozenset(e.name for e in self._entries.values() if e.source in beside and e.name in clean_names)

    @contextmanager
    def locked(self, source: str) -> Iterator[bool]:
        """Hold a source's lock for as long as the context is open."""
        if source in self._held:
            yield False
            return
        self._held.add(source)
        try:
            yield True
        finally:
            self._held.discard(source)
