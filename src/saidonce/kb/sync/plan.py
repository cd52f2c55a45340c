"""Decide what a run of a source has to read, and what is gone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from saidonce.documents.parse.formats import container_of
from saidonce.foundation import text
from saidonce.foundation.context import Context
from saidonce.foundation.model import Collection, StoredDocument
from saidonce.foundation.model.syncs import SyncEntry
from saidonce.foundation.ports import UpstreamFile, UpstreamListing
from saidonce.kb.ingest import settings_hash


@dataclass(frozen=True, slots=True)
class Known:
    """What the base knows of a source before a run.

    Attributes:
        entries: what was seen of its files, by name.
        documents: the collection's documents by each of their names.
        fresh: ids of the documents that the settings in force would shape in the same way.
        shaping: names the settings that decide whether a file is refused.
    """

    entries: Mapping[str, SyncEntry]
    documents: Mapping[str, StoredDocument]
    fresh: frozenset[str]
    shaping: str

    def mark(self, name: str) -> str:
        """Return the mark that a file has if it need not be read; empty if it has to be."""
        entry = self.entries.get(name)
        if entry is None or not entry.mark:
            return ""
        if entry.refused:
            return entry.mark if entry.settings == self.shaping else ""
        document = self.documents.get(name)
        is_kept = document is not None and document.id in self.fresh and document.fingerprint == entry.fingerprint
        return entry.mark if is_kept else ""


@dataclass(frozen=True, slots=True)
class SyncPlan:
    """What a run does.

    Attributes:
        to_read: files that may have changed: those without a document first, so that a moved file gives its document
            the new name before the old one is given away; then by name.
        unchanged: names of files that need not be read.
        refused_before: of those, names of files that were refused when they were read last.
        gone: names of documents of this source whose files are not listed any more, sorted.
        forgotten: names that were seen, are gone, and have no document.
        inside: names of documents that came from listed archives and mailboxes; only who opens these can say whether
            they are gone.
    """

    to_read: tuple[UpstreamFile, ...]
    unchanged: tuple[str, ...]
    refused_before: tuple[str, ...]
    gone: tuple[str, ...]
    forgotten: tuple[str, ...]
    inside: tuple[str, ...] = ()


def source_id(address: str, ref: str, collection: str) -> str:
    """Return the id of a source: the same for the same address, at the same ref, in the same collection."""
    return text.digest("sync source", address, ref, collection)


def known_of(context: Context, source: str, collection: Collection) -> Known:
    """Read what the base knows of a source."""
    documents: dict[str, StoredDocument] = {}
    hashes: dict[tuple[str, ...], str] = {}
    fresh: set[str] = set()
    for document in context.store.documents(collection.name):
        documents.update(dict.fromkeys((document.name, *document.names), document))
        if document.tags not in hashes:
            hashes[document.tags] = settings_hash(context, collection, document.tags)
        if document.settings_hash == hashes[document.tags]:
            fresh.add(document.id)
    entries = {entry.name: entry for entry in context.store.syncs.entries(source)}
    return Known(entries, documents, frozenset(fresh), _shaping(context, collection))


def plan_of(listing: UpstreamListing, known: Known, root: str) -> SyncPlan:
    """Compare what a source lists with what the base knows."""
    to_read: list[UpstreamFile] = []
    unchanged: list[str] = []
    for file in listing.files:
        mark = known.mark(file.name)
        if mark and mark == file.mark:
            unchanged.append(file.name)
        else:
            to_read.append(file)
    to_read.sort(key=lambda file: (file.name in known.documents, file.name))
    refused = tuple(name for name in unchanged if known.entries[name].refused)
    missing = _missing(listing, known, root)
    archives = [f"{file.name}/" for file in listing.files if container_of(file.name)]
    inside = {name for name in missing if name.startswith(tuple(archives))}
    missing -= inside
    gone = tuple(sorted(name for name in missing if name in known.documents))
    forgotten = tuple(sorted(name for name in missing if name not in known.documents))
    held = tuple(sorted(name for name in inside if name in known.documents))
    return SyncPlan(tuple(to_read), tuple(unchanged), refused, gone, forgotten, held)


def _missing(listing: UpstreamListing, known: Known, root: str) -> set[str]:
    """Return names that belong to the source and are not listed, as far as the listing could tell."""
    listed = {file.name for file in listing.files} | set(listing.passed_over)
    below = f"{root.rstrip('/')}/"
    names = set(known.entries)
    if root:
        names |= {name for name in known.documents if name.startswith(below)}
    return {name for name in names - listed if not is_at_or_below(name, listing.unseen)}


def is_at_or_below(name: str, places: Iterable[str]) -> bool:
    """Whether a name is one of some places, or lies below one."""
    return any(name == each or name.startswith(f"{each.rstrip('/')}/") for each in places)


def _shaping(context: Context, collection: Collection) -> str:
    """Name the settings under which a file that was refused would be refused again."""
    limits = context.settings.model_dump_json(
        include={"max_source_mb", "max_text_mb", "parse_memory_mb", "parse_timeout_s"}
    )
    return text.digest(settings_hash(context, collection), limits)
