"""The flow that brings a collection in step with a source; killed at any point, the next run completes it.

The order of writes makes that so. A name is noted before its document is written, so that no document is ever without
a note of where it came from. A file's mark is noted after its document was committed, so that whatever is marked is
there. A moved file gives its document the new name before the old one is taken away. And nothing is believed of marks
alone: a file is skipped only if the document that it stands for still has the very bytes that were noted, and an
archive only if all that it held is still there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from saidonce.documents.discovery import why_nothing_is_removed
from saidonce.documents.parse.formats import container_of
from saidonce.errors import NotFoundError, Refusal, SourceRefusedError, UpstreamError
from saidonce.foundation import text
from saidonce.foundation.context import Context, Source
from saidonce.foundation.model import StoredDocument
from saidonce.foundation.model.syncs import SyncEntry, SyncRun, SyncSource
from saidonce.foundation.ports import Fetched, FileGoneError, Upstream, UpstreamFile, UpstreamListing
from saidonce.kb.ingest import DocumentReport, IngestReport, OnDocument, State, open_collection, remove
from saidonce.kb.sync.archives import OpenedArchives, fingerprint_of
from saidonce.kb.sync.plan import Known, SyncPlan, known_of, plan_of
from saidonce.kb.sync.report import SyncReport

NOTED_AT_ONCE = 64
"""Files whose marks are written together; after a kill so many are read again at most."""

TRIED_AGAIN = frozenset({Refusal.UNREADABLE, Refusal.TIMEOUT, Refusal.FAILED})
"""Refusals that say nothing lasting about a file: it is read again by the next run."""

TakeIn = Callable[[Iterable[Source], OnDocument], IngestReport]


@dataclass(frozen=True, slots=True)
class SyncOptions:
    """How a source is run.

    Attributes:
        prune: remove documents whose files are gone.
        is_dry: say what would be read and removed; nothing is read or written.
        allow_empty: remove everything if the source lists nothing at all.
        is_stopped: asked before each file; once it is so, the run ends early: nothing is taken away, and a worker runs
            the source again at once.
        on_plan: called with the number of files that will be read, before the first is.
        on_read: called with the name of each file or member that is handed on to be read, before many are written.
        on_file: called after each of them.
    """

    prune: bool = False
    is_dry: bool = False
    allow_empty: bool = False
    is_stopped: Callable[[], bool] = lambda: False
    on_plan: Callable[[int], None] = lambda _n: None
    on_read: Callable[[str], None] = lambda _name: None
    on_file: Callable[[str, DocumentReport | None], None] = lambda _name, _report: None


def run_sync(
    context: Context, source: SyncSource, upstream: Upstream, take_in: TakeIn, options: SyncOptions
) -> SyncReport:
    """Bring a collection in step with a source.

    Args:
        context: wired ports and settings.
        source: what is known of it is looked up by its id; it is kept unless the run is dry.
        upstream: the source as it is now.
        take_in: ingests sources into the source's collection, and reports each as soon as it is committed.
        options: how.

    Raises:
        UpstreamError: the source cannot be listed, lists nothing although documents came from it, or somebody else
            runs it now. Nothing was changed.
        ModelMismatchError, ModelUnavailableError, StoreUnavailableError: as `ingest`.
    """
    with context.store.syncs.locked(source.id) as is_ours:
        if not is_ours:
            raise UpstreamError(source.address, "another sync of it is running; wait until it ends, or stop it")
        started_at = context.clock.now()
        try:
            return _Running(context, source, upstream, options, started_at).sync(take_in)
        except UpstreamError as failed:
            if not options.is_dry:
                note_failure(context, source, started_at, failed.reason)
            raise


def note_failure(context: Context, source: SyncSource, started_at: datetime, reason: str) -> None:
    """Note with a source why its run failed, and when the worker tries again."""
    kept = context.store.syncs.source(source.id)
    if kept is not None:
        ended_at = context.clock.now()
        failed = SyncRun(started_at, ended_at, error=reason)
        context.store.syncs.put_source(with_next_run(replace(kept, last=failed), ended_at))


def with_next_run(source: SyncSource, now: datetime) -> SyncSource:
    """Return a source with the time of its next run by the worker."""
    next_at = now + timedelta(seconds=source.every_s) if source.every_s else None
    return replace(source, next_at=next_at, is_imported=False)


class _Running:
    """One run of a source."""

    def __init__(
        self, context: Context, source: SyncSource, upstream: Upstream, options: SyncOptions, started_at: datetime
    ) -> None:
        self._context = context
        self._syncs = context.store.syncs
        self._source = source
        self._upstream = upstream
        self._options = options
        self._started_at = started_at
        self._read: dict[str, tuple[str, str]] = {}  # mark and fingerprint of what was read, until it is noted
        self._to_note: list[SyncEntry] = []
        self._vanished: list[str] = []
        self._n_same = 0
        self._known = Known({}, {}, frozenset(), "")
        self._archives = OpenedArchives(source.id, "")
        self._is_cut = False

    def sync(self, take_in: TakeIn) -> SyncReport:
        """List a source, ingest its changes, and remove documents whose files are gone."""
        is_there = self._source.collection in {c.name for c in self._context.store.collections()}
        if is_there or not self._options.is_dry:
            collection = open_collection(self._context, self._source.collection)
            self._known = known_of(self._context, self._source.id, collection)
        known = self._known
        self._archives = OpenedArchives(self._source.id, known.shaping)
        listing = self._upstream.listing({name: entry.mark for name, entry in known.entries.items()})
        plan = plan_of(listing, known, self._upstream.root)
        if self._options.is_dry:
            return self._report(listing, plan, known, is_dry=True)
        self._check_not_empty(listing, plan)
        self._syncs.put_source(self._source)
        unnoted = [SyncEntry(self._source.id, f.name) for f in plan.to_read if f.name not in known.entries]
        self._syncs.put_entries(unnoted)
        self._options.on_plan(len(plan.to_read))
        report = take_in(self._sources(plan), self._note_file)
        self._write_notes()
        if self._is_cut:
            self._keep(lambda kept: replace(kept, next_at=self._context.clock.now(), is_imported=False))
            return replace(self._report(listing, plan, known), documents=report.documents, is_cut=True)
        self._syncs.drop_entries(self._source.id, plan.forgotten)
        vanished = (name for name in self._vanished if self._document(name) is not None)
        missing = (*plan.gone, *vanished, *self._archives.left(plan.inside))
        moved, gone, removed, elsewhere = self._take_away(missing, listing)
        done = replace(
            self._report(listing, plan, known), documents=report.documents, moved=moved, gone=gone, removed=removed,
            kept_elsewhere=elsewhere, outdated=self._outdated_names(report), ended_at=self._context.clock.now(),
        )  # fmt: skip
        cursor = listing.cursor if set(gone) == set(removed) else ""  # else what is gone has to be seen again
        self._keep(lambda kept: with_next_run(replace(kept, last=done.run(), cursor=cursor), done.ended_at))
        return done

    def _keep(self, change: Callable[[SyncSource], SyncSource]) -> None:
        """Change what is kept of the source, which somebody may have changed or removed meanwhile."""
        kept = self._syncs.source(self._source.id)
        if kept is not None:
            self._syncs.put_source(change(kept))

    def _check_not_empty(self, listing: UpstreamListing, plan: SyncPlan) -> None:
        """Refuse to conclude from an empty listing that everything was deleted: a disk may not be mounted."""
        if plan.gone and not listing.files and self._options.prune and not self._options.allow_empty:
            raise UpstreamError(self._source.address, f"it {why_nothing_is_removed(len(plan.gone))}")

    def _sources(self, plan: SyncPlan) -> Iterator[Source]:
        """Yield what has to be read, in its turn; files that turn out to be unchanged or gone are left out."""
        for file in plan.to_read:
            if self._options.is_stopped():
                self._is_cut = True
                return
            try:
                fetched = file.fetch(self._known.mark(file.name))
            except FileGoneError:
                self._vanished.append(file.name)
                self._archives.vanished(file.name)
                self._options.on_file(file.name, None)
                continue
            except Exception as failed:  # noqa: BLE001  the fail-closed point for one file: it is refused
                if isinstance(failed, SourceRefusedError):
                    self._read[file.name] = (file.mark, "")
                yield Source(file.name, _raiser_of(file, failed))
                continue
            if fetched is None:
                self._n_same += 1
                self._options.on_file(file.name, None)
                continue
            fingerprint = text.fingerprint(fetched.content)
            if container_of(file.name):
                yield from self._members(file, fetched, fingerprint)
                continue
            self._read[file.name] = (fetched.mark, fingerprint)
            self._options.on_read(file.name)
            yield _source_of(file, fetched)

    def _members(self, file: UpstreamFile, fetched: Fetched, fingerprint: str) -> Iterator[Source]:
        """Yield the members of an archive in its place; nothing if its bytes and its members are as they were."""
        if self._known.is_whole(file.name, fingerprint):
            self._note(replace(self._known.entries[file.name], mark=fetched.mark))
            self._archives.unchanged(file.name, self._known.inside[file.name])
            self._n_same += 1
            self._options.on_file(file.name, None)
            return
        note = SyncEntry(self._source.id, file.name, fetched.mark, fingerprint)
        within = self._archives.opened(self._context.parser, _source_of(file, fetched), note)
        new = sorted({member.name for member in within} - set(self._known.entries))
        if new:
            self._syncs.put_entries([SyncEntry(self._source.id, name) for name in new])
        while within:
            member = within.popleft()
            is_itself = member.name == file.name
            self._read[member.name] = (fetched.mark, fingerprint) if is_itself else ("", fingerprint_of(member))
            self._options.on_read(member.name)
            yield member

    def _note_file(self, report: DocumentReport) -> None:
        """Note a file whose document was committed, or refused."""
        mark, fingerprint = self._read.pop(report.name, ("", ""))
        is_refused = report.state is State.REFUSED
        is_lasting = not (is_refused and report.reason in TRIED_AGAIN)
        refused = report.detail or str(report.reason) if is_refused else ""
        shaping = self._known.shaping if is_refused else ""
        note = SyncEntry(self._source.id, report.name, mark if is_lasting else "", fingerprint, refused, shaping)
        before = self._known.inside.get(self._archives.archive(report.name), ())
        self._note(note, *self._archives.noted(note, before, is_lasting))
        self._options.on_file(report.name, report)

    def _note(self, *notes: SyncEntry) -> None:
        self._to_note.extend(notes)
        if len(self._to_note) >= NOTED_AT_ONCE:
            self._write_notes()

    def _write_notes(self) -> None:
        self._syncs.put_entries(self._to_note)
        self._to_note = []

    def _take_away(
        self, missing: Iterable[str], listing: UpstreamListing
    ) -> tuple[tuple[tuple[str, str], ...], tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
        """Take away names whose files are gone: of documents that live on under another name, and of others if asked.

        Returns:
            Names that moved with their present ones, names that are gone, those that were removed, and those that
            another source of the collection still holds.
        """
        missing = tuple(missing)
        elsewhere = self._syncs.also_in(self._source.id, missing)
        listed = {file.name for file in listing.files}.difference(self._vanished) | self._archives.present()
        moved: list[tuple[str, str]] = []
        gone: list[str] = []
        removed: list[str] = []
        done: list[str] = [name for name in self._vanished if name not in missing]
        for name in missing:
            document = self._document(name)
            present = next((n for n in document.names if n != name and n in listed), "") if document else ""
            if document is None or name in elsewhere:
                done.append(name)
                continue
            if not present:
                gone.append(name)
            if present or self._options.prune:
                with suppress(NotFoundError):  # somebody else was faster
                    remove(self._context, self._source.collection, name)
                moved += [(name, present)] * bool(present)
                removed += [name] * (not present)
                done.append(name)
        self._syncs.drop_entries(self._source.id, done)
        return tuple(moved), tuple(gone), tuple(removed), tuple(sorted(elsewhere))

    def _document(self, name: str) -> StoredDocument | None:
        return self._context.store.document(self._source.collection, name)

    def _outdated_names(self, report: IngestReport) -> tuple[str, ...]:
        return tuple(d.name for d in report.refused if self._document(d.name) is not None)

    def _report(
        self, listing: UpstreamListing, plan: SyncPlan, known: Known, is_dry: bool = False
    ) -> SyncReport:  # fmt: skip
        before = tuple((name, known.entries[name].refused) for name in plan.refused_before)
        inside = {*plan.passed_over, *self._archives.passed_over}
        return SyncReport(
            self._source, self._started_at, self._context.clock.now(), len(listing.files), plan.unchanged,
            tuple(f.name for f in plan.to_read), n_same=self._n_same, gone=plan.gone, refused_before=before,
            passed_over=(*listing.passed_over, *sorted(inside)), unseen=listing.unseen, is_dry=is_dry,
        )  # fmt: skip


def _source_of(file: UpstreamFile, fetched: Fetched) -> Source:
    return Source(file.name, lambda: fetched.content)


def _raiser_of(file: UpstreamFile, failed: Exception) -> Callable[[], bytes]:
    """Return what reads a file that could not be read: it says why, as the refusal of this one file."""

    def read() -> bytes:
        if isinstance(failed, SourceRefusedError | OSError):
            raise failed
        raise SourceRefusedError(file.name, Refusal.UNREADABLE, str(failed) or type(failed).__name__) from failed

    return read
