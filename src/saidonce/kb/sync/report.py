"""Report of one run of a source."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from saidonce.foundation.model.syncs import SyncRun, SyncSource
from saidonce.kb.ingest import DocumentReport, State

MOST_NAMED = 20
"""Refusals that a source remembers by name."""


@dataclass(frozen=True, slots=True)
class SyncReport:
    """Outcome of one run of a source.

    Attributes:
        is_cut: it was stopped before its end; nothing was taken away, and the next run goes on.
        is_dry: nothing was read or written; `to_read` and `gone` say what a run would look at.
        n_listed: files that the source has and that can be read.
        unchanged: names of unchanged files that were not read.
        documents: what became of the files that were read.
        n_same: files about which the source itself said that they are unchanged, when asked one by one.
        moved: former and present name of files that moved, or of which one of several copies went.
        gone: names of documents whose files are gone, sorted; `removed` of them were removed.
        kept_elsewhere: gone here, but still held by another source of the collection.
        refused_before: files that were refused earlier and have not changed since.
        outdated: names of documents that are older than their files, since the files are refused now.
        passed_over: files of no known format, in archives too, or that may not be read.
        unseen: beginnings of names of which nobody could tell whether they are there.
    """

    source: SyncSource
    started_at: datetime
    ended_at: datetime
    n_listed: int
    unchanged: tuple[str, ...] = ()
    to_read: tuple[str, ...] = ()
    documents: tuple[DocumentReport, ...] = ()
    n_same: int = 0
    moved: tuple[tuple[str, str], ...] = ()
    gone: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    kept_elsewhere: tuple[str, ...] = ()
    refused_before: tuple[tuple[str, str], ...] = ()
    outdated: tuple[str, ...] = ()
    passed_over: tuple[str, ...] = ()
    unseen: tuple[str, ...] = ()
    is_dry: bool = False
    is_cut: bool = False

    def count(self, state: State) -> int:
        """Count the files that were read and ended in a state."""
        return sum(d.state is state for d in self.documents)

    @property
    def refused(self) -> tuple[DocumentReport, ...]:
        """Files that were read now and could not be taken in."""
        return tuple(d for d in self.documents if d.state is State.REFUSED)

    @property
    def n_unchanged(self) -> int:
        """Unchanged files that were not read, without those that are still refused."""
        return len({*self.unchanged}.difference(name for name, _ in self.refused_before))

    @property
    def n_refused(self) -> int:
        """Files that are refused, now or before."""
        return len(self.refused) + len(self.refused_before)

    def run(self) -> SyncRun:
        """Return the run in numbers, for the source to remember."""
        refusals = [f"{d.name}: {d.detail}" for d in self.refused]
        refusals += [f"{name}: {why}" for name, why in self.refused_before]
        return SyncRun(
            self.started_at, self.ended_at, self.n_listed, self.n_unchanged + self.n_same,
            self.count(State.UNCHANGED), self.count(State.NEW), self.count(State.CHANGED), len(self.moved),
            self.count(State.SAME_SOURCE), len(self.gone), len(self.removed), self.n_refused,
            len(self.passed_over), tuple(refusals[:MOST_NAMED]),
        )  # fmt: skip
