"""Ports of staying in step: what is known of sources, and the sources themselves."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from saidonce.foundation.model.syncs import SyncEntry, SyncSource


class Syncs(Protocol):
    """Keeps the sources of one organisation, and what was seen of their files.

    Nothing of this counts as a change of the base: the organisation's revision stays.
    """

    def put_source(self, source: SyncSource) -> None:
        """Add a source, or change the one of that id."""
        ...

    def drop_source(self, id: str) -> None:
        """Take a source away, with its entries; documents stay.

        Raises:
            NotFoundError: there is none.
        """
        ...

    def sources(self) -> tuple[SyncSource, ...]:
        """Return all sources, by id."""
        ...

    def source(self, id: str) -> SyncSource | None:
        """Return one source, or None."""
        ...

    def sources_due(self, now: datetime) -> tuple[SyncSource, ...]:
        """Return sources that the worker is to run, the longest due first, ties by id."""
        ...

    def put_entries(self, entries: Sequence[SyncEntry]) -> None:
        """Add entries, or change those of the same source and name."""
        ...

    def drop_entries(self, source: str, names: Sequence[str]) -> None:
        """Take entries away; those that are not there are no error."""
        ...

    def entries(self, source: str) -> tuple[SyncEntry, ...]:
        """Return what was seen of a source, by name."""
        ...

    def also_in(self, source: str, names: Sequence[str]) -> frozenset[str]:
        """Return those of the names that another source of the same collection has an entry of, too."""
        ...

    def locked(self, source: str) -> AbstractContextManager[bool]:
        """Hold a source's lock while the context is open; it is released if the program ends.

        Gives False, and holds nothing, if somebody else holds it.
        """
        ...


@dataclass(frozen=True, slots=True)
class Fetched:
    """The bytes of a file with what tells this state of it from others."""

    content: bytes
    mark: str


@dataclass(frozen=True, slots=True)
class UpstreamFile:
    """A file of a source.

    Attributes:
        name: of its document.
        mark: as in `SyncEntry`; empty if only asking or reading tells.
        fetch: reads it, given the mark of the last time; None if it is unchanged since.
    """

    name: str
    mark: str
    fetch: Callable[[str], Fetched | None]


@dataclass(frozen=True, slots=True)
class UpstreamListing:
    """All files of a source at one moment.

    Attributes:
        files: by name; each name once.
        passed_over: names of files of no known format, or that may not be read.
        unseen: beginnings of names of which nobody could tell whether they are there: a folder that may not be read.
        cursor: names this state of the whole source; empty if nothing does.
    """

    files: tuple[UpstreamFile, ...]
    passed_over: tuple[str, ...] = ()
    unseen: tuple[str, ...] = ()
    cursor: str = ""


class FileGoneError(Exception):
    """A file that was listed is not there any more."""


class Upstream(Protocol):
    """A source as it is now."""

    @property
    def root(self) -> str:
        """Prefix of the names of all its documents, and of no others; empty if there is none."""
        ...

    def listing(self, known: Mapping[str, str]) -> UpstreamListing:
        """List all files; `known` gives marks of the last time, by name.

        Raises:
            UpstreamError: the source cannot be listed as a whole; nothing may be concluded from that.
        """
        ...

    def close(self) -> None:
        """Let go of connections and temporary files."""
        ...


@dataclass(frozen=True, slots=True)
class UpstreamOptions:
    """How sources are opened.

    Attributes:
        is_supported: whether a parser knows a file, by its name.
        max_bytes: larger files are refused.
        allow_private: addresses of private networks may be asked.
        per_s: requests a second at most, for web servers.
        roots: folders below which local sources have to lie; None allows all.
        timeout_s: of one request.
        formats: names the formats that are read, all of them.
    """

    is_supported: Callable[[str], bool]
    max_bytes: int
    allow_private: bool = False
    per_s: float = 2.0
    roots: tuple[str, ...] | None = None
    timeout_s: float = 30.0
    formats: str = ""
