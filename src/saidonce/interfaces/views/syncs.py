"""Sources that collections are kept in step with, and what became of a run."""

from __future__ import annotations

from typing import Any, Self

from saidonce.foundation.model.syncs import SyncSource, UpstreamKind
from saidonce.interfaces.views.base import At, View
from saidonce.interfaces.views.kb import DocumentReportView
from saidonce.kb.ingest import State
from saidonce.kb.sync import SyncReport


class SyncRunView(View):
    """What one run of a source came to, in numbers."""

    started_at: At
    ended_at: At
    n_listed: int
    n_skipped: int
    """unchanged files that were not read, without those that are still refused"""
    n_read_same: int
    n_new: int
    n_changed: int
    n_moved: int
    n_copies: int
    n_gone: int
    n_removed: int
    n_refused: int
    n_passed_over: int
    refusals: tuple[str, ...]
    """the first refused files, each with the reason"""
    error: str
    """error while listing the source; empty if there was none"""


class SourceView(View):
    """A source that a collection is kept in step with."""

    id: str
    collection: str
    address: str
    kind: UpstreamKind
    name_as: str
    """prefix of the documents' names; empty: the address"""
    ref: str
    """branch, tag or commit of a Git repository; empty for the default branch"""
    prune: bool
    """whether documents whose files are gone are removed"""
    every_s: float
    """seconds between two runs by the worker; 0: none"""
    next_at: At | None
    last: SyncRunView | None
    """result of the last run"""
    is_imported: bool
    """it was imported: no worker runs it until somebody requests a run"""


class SourceRemoved(View):
    """A source that is not kept in step with any more; its documents stay."""

    removed: str


class SyncView(View):
    """What one run of a source came to."""

    source: SourceView
    is_dry: bool
    """nothing was read or written; `to_read` and `gone` show what a run would do"""
    n_listed: int
    n_unchanged: int
    """unchanged files that were not read, without those that are still refused"""
    n_new: int
    n_changed: int
    n_same: int
    """unchanged files that were read or checked one by one"""
    n_copies: int
    """files with the same bytes as another document"""
    n_refused: int
    to_read: tuple[str, ...]
    documents: tuple[DocumentReportView, ...]
    moved: tuple[tuple[str, str], ...]
    """former and present name of files that moved, or of which one of several copies went"""
    gone: tuple[str, ...]
    """names of documents whose files are gone"""
    removed: tuple[str, ...]
    """of those, what was removed"""
    kept_elsewhere: tuple[str, ...]
    """gone here, but still held by another source of the collection"""
    refused_before: tuple[tuple[str, str], ...]
    """files that were refused earlier and have not changed since, with the reason"""
    outdated: tuple[str, ...]
    """documents that are older than their files, since these are refused now"""
    passed_over: tuple[str, ...]
    unseen: tuple[str, ...]
    """beginnings of names of which nobody could tell whether they are there"""

    @classmethod
    def of(cls, report: SyncReport, source: SyncSource) -> Self:
        """Return the view of a report, with the source as it is after the run."""
        counts: dict[str, Any] = {
            "source": SourceView.show(source), "n_unchanged": report.n_unchanged, "n_new": report.count(State.NEW),
            "n_changed": report.count(State.CHANGED), "n_same": report.n_same + report.count(State.UNCHANGED),
            "n_copies": report.count(State.SAME_SOURCE),
        }  # fmt: skip
        return cls.show(report, **counts)
