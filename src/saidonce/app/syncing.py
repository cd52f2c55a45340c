"""Door: the sources that an organisation's collections are kept in step with."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from saidonce.adapters.upstream import kind_of, open_upstream
from saidonce.documents.parse import is_supported
from saidonce.documents.parse.formats import extensions
from saidonce.errors import NotFoundError, SaidonceError, StoreError, UpstreamError, UsageError, where
from saidonce.foundation import text, tracing
from saidonce.foundation.context import Context
from saidonce.foundation.model.syncs import SyncSource, UpstreamKind
from saidonce.foundation.ports import UpstreamOptions
from saidonce.foundation.settings.policy import Settings
from saidonce.kb import ingest
from saidonce.kb import sync as staying

LEAST_EVERY_S = 10.0
MOST_EVERY_S = 366 * 86_400.0

_log = logging.getLogger("saidonce")


@dataclass(frozen=True, slots=True)
class SyncWish:
    """A source as somebody asks for it.

    Attributes:
        address: path or URL.
        collection: by default that of the settings.
        kind: what it is, where the address does not tell.
        name_as: what names begin with, in place of the address; "" keeps what was set before.
        ref: branch, tag or commit of a Git repository.
        prune: remove documents whose files are gone; None keeps what was set before.
        every_s: seconds between runs by the worker, 0 for none; None keeps what was set before.
    """

    address: str
    collection: str = ""
    kind: UpstreamKind | None = None
    name_as: str = ""
    ref: str = ""
    prune: bool | None = None
    every_s: float | None = None


class Syncing:
    """Adds, lists, runs and removes sources.

    Args:
        settings: of the program.
        wired: returns the base, called when it is needed.
        take_in: ingests sources; see `KnowledgeBase.take_in`.
        roots: folders below which local sources have to lie; None allows all.
    """

    def __init__(
        self,
        settings: Settings,
        wired: Callable[[], Context],
        take_in: Callable[..., ingest.IngestReport],
        roots: tuple[str, ...] | None = None,
    ) -> None:
        self._settings = settings
        self._wired = wired
        self._take_in = take_in
        self._roots = roots

    def within(self, roots: tuple[str, ...]) -> Syncing:
        """Return the same for callers from outside, whose local sources have to lie below some folders."""
        return Syncing(self._settings, self._wired, self._take_in, roots)

    def wished(self, wish: SyncWish) -> SyncSource:
        """Return the source that somebody asks for, with what is known of it; nothing is written or looked at.

        Raises:
            UsageError: the address or the interval makes no sense.
        """
        kind, address = kind_of(wish.address, wish.ref, wish.kind)
        if wish.every_s is not None and wish.every_s and not LEAST_EVERY_S <= wish.every_s <= MOST_EVERY_S:
            raise UsageError(f"a source is synced every {LEAST_EVERY_S:g} seconds at most, and once a year at least")
        collection = wish.collection or self._settings.collection
        id_ = staying.source_id(address, wish.ref, collection)
        known = self._wired().store.syncs.source(id_)
        source = known or SyncSource(id_, collection, address, kind, self._wired().clock.now(), ref=wish.ref)
        return replace(
            source, kind=kind, name_as=wish.name_as or source.name_as,
            prune=source.prune if wish.prune is None else wish.prune,
            every_s=source.every_s if wish.every_s is None else wish.every_s,
        )  # fmt: skip

    def add(self, wish: SyncWish) -> SyncSource:
        """Add a source, or change it, for the worker to run; due at once if it has an interval.

        Raises:
            UsageError, UpstreamError: as `wished` and `run`.
        """
        source = self.wished(wish)
        open_upstream(source, self._options()).close()
        now = self._wired().clock.now()
        source = replace(source, next_at=now if source.every_s else None, is_imported=False)
        self._wired().store.syncs.put_source(source)
        return source

    def run(
        self,
        source: SyncSource,
        options: staying.SyncOptions | None = None,
        on_step: ingest.OnStep | None = None,
        allow_private: bool = False,
    ) -> staying.SyncReport:
        """Bring the source's collection in step with it.

        Raises:
            UpstreamError: it cannot be listed, or somebody else runs it; nothing was changed.
            ModelMismatchError: the collection holds vectors of another model.
        """
        context = self._wired()
        options = options or staying.SyncOptions(prune=source.prune)
        upstream = open_upstream(source, self._options(allow_private))

        def take_in(sources: Any, on_document: ingest.OnDocument) -> ingest.IngestReport:
            return self._take_in(sources, source.collection, on_document, on_step)

        try:
            with tracing.span("sync", kind=source.kind) as span:
                report = staying.run_sync(context, source, upstream, take_in, options)
                span.set(listed=report.n_listed, unchanged=len(report.unchanged), removed=len(report.removed))
        finally:
            upstream.close()
        if self._settings.log_enabled:
            counts = (report.n_listed, len(report.unchanged), len(report.documents), len(report.removed))
            _log.info("sync.done source=%s listed=%d unchanged=%d read=%d removed=%d", source.id, *counts)
        return report

    def run_due(self, is_stopped: Callable[[], bool]) -> int:
        """Run the sources that are due, for the worker; what fails is noted with its source, and tried again later.

        Raises:
            StoreError: the database failed.
        """
        n_run = 0
        for source in self._wired().store.syncs.sources_due(self._wired().clock.now()):
            if is_stopped():
                break
            self._run_one(source, staying.SyncOptions(prune=source.prune, is_stopped=is_stopped))
            n_run += 1
        return n_run

    def _run_one(self, source: SyncSource, options: staying.SyncOptions) -> None:
        started_at = self._wired().clock.now()
        try:
            self.run(source, options)
        except StoreError:
            raise
        except UpstreamError as failed:
            _log.warning("sync.failed source=%s at=%s", source.id, where(failed))
        except SaidonceError as failed:
            _log.warning("sync.failed source=%s at=%s", source.id, where(failed))
            staying.note_failure(self._wired(), source, started_at, str(failed))

    def hurry(self, source: SyncSource) -> SyncSource:
        """Have the worker run a source at once.

        Raises:
            UpstreamError: it came with an import, and may not be named from where this is asked.
        """
        if source.is_imported:
            open_upstream(source, self._options()).close()
        hurried = replace(source, next_at=self._wired().clock.now(), is_imported=False)
        self._wired().store.syncs.put_source(hurried)
        return hurried

    def sources(self) -> tuple[SyncSource, ...]:
        """Return all sources, by collection and address."""
        sources = self._wired().store.syncs.sources()
        return tuple(sorted(sources, key=lambda s: (s.collection, s.address, s.ref)))

    def find(self, id_or_address: str, collection: str = "") -> SyncSource:
        """Return a source by its id, the beginning of it, or its address.

        Raises:
            NotFoundError: there is none.
            UsageError: several are meant.
        """
        meant = [s for s in self.sources() if not collection or s.collection == collection]
        matches = [s for s in meant if s.id == id_or_address or id_or_address in (s.address, s.name_as)]
        matches = matches or [s for s in meant if len(id_or_address) >= 4 and s.id.startswith(id_or_address)]
        matches = matches or [s for s in meant if s.address == _normal(id_or_address)]
        if not matches:
            raise NotFoundError("source", id_or_address, "'saidonce sources list' lists them")
        if len(matches) > 1:
            listed = ", ".join(f"{s.id[:8]} ({s.collection})" for s in matches)
            raise UsageError(f"several sources are called {id_or_address!r}: {listed}; give the id of one")
        return matches[0]

    def remove(self, source: SyncSource) -> None:
        """Stop keeping a source in step; its documents stay."""
        self._wired().store.syncs.drop_source(source.id)

    def _options(self, allow_private: bool = False) -> UpstreamOptions:
        s = self._settings
        return UpstreamOptions(
            is_supported, s.max_source_mb * 1024 * 1024, allow_private or s.sync_allow_private,
            s.sync_requests_per_s, self._roots, s.sync_timeout_s, text.digest(*sorted(extensions())),
        )  # fmt: skip


def _normal(address: str) -> str:
    try:
        return kind_of(address)[1]
    except UsageError:
        return address
