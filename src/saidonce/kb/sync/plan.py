"""Decide what a run of a source has to read, and what is gone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from saidonce.documents.parse.formats import container_of, extensions, is_recognised
from saidonce.foundation import extras, text
from saidonce.foundation.context import Context
from saidonce.foundation.model import Collection, StoredDocument
from saidonce.foundation.model.syncs import SyncEntry
from saidonce.foundation.ports import UpstreamFile, UpstreamListing
from saidonce.kb.ingest import hash_of_documents, settings_hash
from saidonce.kb.sync import archives

_READERS = (extras.PDF, extras.OFFICE, extras.IMAGES, extras.AUDIO)
"""Extras without which files are refused."""


@dataclass(frozen=True, slots=True)
class Known:
    """What the base knows of a source before a run.

    Attributes:
        entries: what was seen of its files, by name.
        documents: the collection's documents by each of their names.
        fresh: ids of the documents that the settings in force would shape in the same way.
        shaping: names the settings that decide whether a file is refused.
        inside: what was seen of the members of each archive, by the archive's name.
    """

    entries: Mapping[str, SyncEntry]
    documents: Mapping[str, StoredDocument]
    fresh: frozenset[str]
    shaping: str
    inside: Mapping[str, tuple[SyncEntry, ...]] = field(default_factory=dict)

    def mark(self, name: str) -> str:
        """Return the mark that a file has if it need not be read; empty if it has to be."""
        entry = self.entries.get(name)
        if entry is None or not entry.mark:
            return ""
        return entry.mark if self._is_settled(entry) or self.is_whole(name) else ""

    def is_known(self, name: str) -> bool:
        """Return whether documents came from a file before."""
        return name in self.documents or name in self.inside

    def is_whole(self, archive: str, fingerprint: str = "") -> bool:
        """Return whether an archive was read to its end, and all that it held is still there in the very bytes.

        Args:
            archive: its name.
            fingerprint: of its bytes now; empty if its mark tells that they are the same.
        """
        entry = self.entries.get(archive)
        members = archives.read_members(self.inside.get(archive, ()))
        if entry is None or not members or fingerprint not in ("", entry.fingerprint):
            return False
        is_read = entry.settings == archives.state_of(self.shaping, members)
        return is_read and archive not in self.documents and all(map(self._is_settled, members))

    def _is_settled(self, entry: SyncEntry) -> bool:
        """Return whether a file that is unchanged needs no reading."""
        if entry.refused:
            return entry.settings == self.shaping
        document = self.documents.get(entry.name)
        return document is not None and document.id in self.fresh and document.fingerprint == entry.fingerprint


@dataclass(frozen=True, slots=True)
class SyncPlan:
    """What a run does.

    Attributes:
        to_read: files that may have changed: pictures and recordings last, for their words have to be recognised first;
            of each, those without a document first, so that a moved file gives its document the new name before the
            old one is given away; then by name.
        unchanged: names of files that need not be read.
        refused_before: of those, and of members of unchanged archives, names of files that were refused when they
            were read last.
        gone: names of documents of this source whose files are not listed any more, sorted.
        forgotten: names that were seen, are gone, and have no document.
        inside: names of documents that came from archives and mailboxes which may have changed; only who opens these
            can say whether they are gone.
        passed_over: members of no known format, of archives that are not opened.
    """

    to_read: tuple[UpstreamFile, ...]
    unchanged: tuple[str, ...]
    refused_before: tuple[str, ...]
    gone: tuple[str, ...]
    forgotten: tuple[str, ...]
    inside: tuple[str, ...] = ()
    passed_over: tuple[str, ...] = ()


def source_id(address: str, ref: str, collection: str) -> str:
    """Return the id of a source: the same for the same address, at the same ref, in the same collection."""
    return text.digest("sync source", address, ref, collection)


def known_of(context: Context, source: str, collection: Collection) -> Known:
    """Read what the base knows of a source."""
    documents: dict[str, StoredDocument] = {}
    hash_of = hash_of_documents(context, collection)
    fresh: set[str] = set()
    for document in context.store.documents(collection.name):
        documents.update(dict.fromkeys((document.name, *document.names), document))
        if document.settings_hash == hash_of(document):
            fresh.add(document.id)
    entries = {entry.name: entry for entry in context.store.syncs.entries(source)}
    inside: defaultdict[str, list[SyncEntry]] = defaultdict(list)
    for entry in entries.values():
        if archive := archives.archive_of(entry.name, entries):
            inside[archive].append(entry)
    members = {archive: tuple(each) for archive, each in inside.items()}
    return Known(entries, documents, frozenset(fresh), _refusal_conditions(context, collection), members)


def plan_of(listing: UpstreamListing, known: Known, root: str) -> SyncPlan:
    """Compare a source's listing with the stored documents."""
    to_read: list[UpstreamFile] = []
    unchanged: list[str] = []
    for file in listing.files:
        mark = known.mark(file.name)
        if mark and mark == file.mark:
            unchanged.append(file.name)
        else:
            to_read.append(file)
    to_read.sort(key=lambda file: (is_recognised(file.name), known.is_known(file.name), file.name))
    skipped = {name: archives.read_members(known.inside.get(name, ())) for name in unchanged if container_of(name)}
    refused = [name for name in unchanged if known.entries[name].refused]
    refused += [e.name for members in skipped.values() for e in members if e.refused not in ("", archives.NO_PARSER)]
    missing = _missing_names(listing, known, root)
    opened = {file.name for file in to_read if container_of(file.name)}
    inside = {name for name in missing if archives.archive_of(name, opened)} | _kept_inside(missing, skipped)
    gone = tuple(sorted(name for name in missing - inside if name in known.documents))
    forgotten = tuple(sorted(name for name in missing - inside if name not in known.documents))
    to_open = tuple(sorted(name for name in inside if name in known.documents and archives.archive_of(name, opened)))
    passed_over = tuple(e.name for each in skipped.values() for e in each if e.refused == archives.NO_PARSER)
    return SyncPlan(tuple(to_read), tuple(unchanged), tuple(sorted(refused)), gone, forgotten, to_open, passed_over)


def _kept_inside(names: Iterable[str], skipped: Mapping[str, Iterable[SyncEntry]]) -> set[str]:
    """Return the names that unchanged archives hold, or that lie in what was refused there."""
    held = {archive: {entry.name for entry in members} for archive, members in skipped.items()}
    placed = ((name, archives.archive_of(name, held)) for name in names)
    return {name for name, archive in placed if archive and archives.is_among(name, held[archive])}


def _missing_names(listing: UpstreamListing, known: Known, root: str) -> set[str]:
    """Return names that belong to the source and are not listed, as far as the listing could tell."""
    listed = {file.name for file in listing.files} | set(listing.passed_over)
    below = f"{root.rstrip('/')}/"
    names = set(known.entries)
    if root:
        names |= {name for name in known.documents if name.startswith(below)}
    return {name for name in names - listed if not is_at_or_below(name, listing.unseen)}


def is_at_or_below(name: str, places: Iterable[str]) -> bool:
    """Return whether a name is one of some places, or lies below one."""
    return any(name == each or name.startswith(f"{each.rstrip('/')}/") for each in places)


def _refusal_conditions(context: Context, collection: Collection) -> str:
    """Name the settings, formats and extras under which a file that was refused would be refused again."""
    limits = context.settings.model_dump_json(
        include={"max_source_mb", "max_text_mb", "parse_memory_mb", "parse_timeout_s", "recognise"}
    )
    formats = text.digest(*sorted(extensions()), "", *(name for name in _READERS if not extras.missing(name)))
    return text.digest(settings_hash(context, collection), limits, formats)
