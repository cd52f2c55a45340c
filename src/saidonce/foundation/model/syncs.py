"""Nouns of staying in step: what is kept in step, what was seen of it, and what the last run found."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class UpstreamKind(StrEnum):
    """What a source is, which decides how it is listed and read."""

    FOLDER = "folder"
    GIT = "git"
    FILES = "files"
    """objects under an address of fsspec: S3, Google Cloud Storage, Azure, SFTP"""
    LISTING = "listing"
    """pages of a web server that list files, such as the index of a folder"""
    SITEMAP = "sitemap"
    URLS = "urls"
    """a text file with one address a line"""
    EXPORT = "export"
    """a ZIP or a folder with pages of a wiki: Confluence or Notion"""


@dataclass(frozen=True, slots=True)
class SyncRun:
    """What one run of a source came to, in numbers.

    Attributes:
        n_listed: files that the source has now and that can be read.
        n_skipped: of those, unchanged ones that were not read.
        n_read_same: read, and the same as before.
        n_gone: documents whose files are gone; `n_removed` of them were removed.
        n_refused: files that could not be taken in; `refusals` names the first ones with the reason.
        error: why the source could not be listed; empty if it could.
    """

    started_at: datetime
    ended_at: datetime
    n_listed: int = 0
    n_skipped: int = 0
    n_read_same: int = 0
    n_new: int = 0
    n_changed: int = 0
    n_moved: int = 0
    n_copies: int = 0
    n_gone: int = 0
    n_removed: int = 0
    n_refused: int = 0
    n_passed_over: int = 0
    refusals: tuple[str, ...] = ()
    error: str = ""


@dataclass(frozen=True, slots=True)
class SyncSource:
    """Something outside that a collection is kept in step with.

    Attributes:
        id: 32 hex digits; the same for the same address in the same collection.
        address: path or URL, without any secret.
        name_as: what names of documents begin with, in place of the address; empty for the address.
        ref: branch, tag or commit of a Git repository; empty for its default branch.
        prune: whether documents whose files are gone are removed.
        every_s: seconds between two runs by the worker; 0 for none.
        next_at: when the worker runs it next; None if it does not.
        last: what the last run came to; None before the first.
        cursor: names the state of the whole source at the last whole run; empty if nothing does.
        is_imported: it came with an export and was not run here yet: no worker runs it until somebody asks for it.
    """

    id: str
    collection: str
    address: str
    kind: UpstreamKind
    added_at: datetime
    name_as: str = ""
    ref: str = ""
    prune: bool = False
    every_s: float = 0.0
    next_at: datetime | None = None
    last: SyncRun | None = None
    cursor: str = ""
    is_imported: bool = False


@dataclass(frozen=True, slots=True)
class SyncEntry:
    """A file of a source as it was seen last.

    Attributes:
        name: of its document.
        mark: tells this state of the file from any other without reading it; empty if it has to be read.
        fingerprint: of the bytes that were read; empty while they are still to be read.
        refused: why it was refused; empty if it was taken in.
        settings: what shaped the refusal: other settings ask for another try.
    """

    source: str
    name: str
    mark: str = ""
    fingerprint: str = ""
    refused: str = ""
    settings: str = ""
