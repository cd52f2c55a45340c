"""What is noted of archives and mailboxes, so that an unchanged one is not opened again.

An archive has a note of its own: its mark, the fingerprint of its bytes, and a digest of the notes of all its members.
It is written after the last of these. Whoever finds the digest to be that of the members' notes knows that the archive
was read to its end, and what it holds.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field, replace
from itertools import chain

from saidonce.documents.parse.formats import container_of
from saidonce.errors import SourceRefusedError
from saidonce.foundation import text
from saidonce.foundation.context import Source
from saidonce.foundation.model.syncs import SyncEntry
from saidonce.foundation.ports import Parser
from saidonce.kb.ingest import members

NO_PARSER = "no parser for this kind of file"


def archive_of(name: str, archives: Set[str] | Mapping[str, object]) -> str:
    """Return the outermost of some archives that a name lies in; empty if it lies in none."""
    place = name.find("/")
    while place >= 0:
        if container_of(name[:place]) and name[:place] in archives:
            return name[:place]
        place = name.find("/", place + 1)
    return ""


def is_among(name: str, places: Set[str]) -> bool:
    """Return whether a name is one of some places, or lies below one."""
    return name in places or any(name[:at] in places for at, sign in enumerate(name) if sign == "/")


def read_members(notes: Iterable[SyncEntry]) -> tuple[SyncEntry, ...]:
    """Return the notes of members that were read; of those that are to be read, or are gone, nothing is noted."""
    return tuple(note for note in notes if note.fingerprint or note.refused)


def state_of(shaping: str, notes: Iterable[SyncEntry]) -> str:
    """Name the members of an archive with their bytes and refusals, under the settings that shape them."""
    rows = sorted((note.name, note.fingerprint, note.refused) for note in read_members(notes))
    return text.digest("archive", shaping, *(part for row in rows for part in row))


@dataclass(slots=True)
class _Opened:
    """An archive that is being read.

    Attributes:
        waiting: members of which no note was written so far.
        notes: what is noted of the others, by name.
        is_lasting: whether all of them are read for good; else the archive is opened again by the next run.
    """

    note: SyncEntry
    waiting: set[str]
    notes: dict[str, SyncEntry] = field(default_factory=dict)
    is_lasting: bool = True


class OpenedArchives:
    """The archives that one run opened, and what they held.

    Args:
        source: id of the source.
        shaping: names the settings that decide whether a file is refused.
    """

    def __init__(self, source: str, shaping: str) -> None:
        self._source = source
        self._shaping = shaping
        self._open: dict[str, _Opened] = {}
        self._archive_of: dict[str, str] = {}
        self._held: dict[str, set[str]] = {}
        self._passed_over: set[str] = set()

    def opened(self, parser: Parser, archive: Source, note: SyncEntry) -> deque[Source]:
        """Open an archive; return its members, or what refuses in its place.

        Args:
            note: of the archive, as it shall be once all members are noted.
        """
        passed_over: list[str] = []
        within = deque(members(parser, [archive], passed_over.append))
        names = {member.name for member in within}
        if archive.name not in names:  # else it is refused as a whole, or a document under a name of archives
            self._held[archive.name] = names | set(passed_over)
            self._passed_over.update(passed_over)
            self._archive_of.update(dict.fromkeys(names, archive.name))
            self._open[archive.name] = opened = _Opened(note, names)
            for name in passed_over:
                opened.notes[name] = SyncEntry(self._source, name, refused=NO_PARSER, settings=self._shaping)
        return within

    def archive(self, member: str) -> str:
        """Return the archive that a member of which no note was taken so far came from; empty if none did."""
        return self._archive_of.get(member, "")

    def vanished(self, archive: str) -> None:
        """Note that an archive is not there any more, with all that it held."""
        self._held[archive] = set()

    def unchanged(self, archive: str, notes: Iterable[SyncEntry]) -> None:
        """Record that an archive is unchanged."""
        notes = read_members(notes)
        self._held[archive] = {note.name for note in notes}
        self._passed_over.update(note.name for note in notes if note.refused == NO_PARSER)

    @property
    def passed_over(self) -> frozenset[str]:
        """Names of members of no known format, in the archives that were opened or are as they were."""
        return frozenset(self._passed_over)

    def present(self) -> frozenset[str]:
        """Return the names of all that the archives hold."""
        return frozenset(chain.from_iterable(self._held.values()))

    def noted(self, note: SyncEntry, before: Iterable[SyncEntry], is_lasting: bool) -> tuple[SyncEntry, ...]:
        """Take the note of a member.

        Args:
            note: of any file; of those that are no members nothing follows.
            before: what was known of the members of its archive.
            is_lasting: whether it is read for good.

        Returns:
            Once it is the last of its archive: notes of what the archive does not hold any more, and of the archive.
        """
        archive = self._archive_of.pop(note.name, "")
        opened = self._open.get(archive)
        if opened is None:
            return ()
        opened.waiting.discard(note.name)
        opened.notes[note.name] = note
        opened.is_lasting &= is_lasting
        if opened.waiting:
            return ()
        del self._open[archive]
        left = [SyncEntry(self._source, each.name) for each in before if each.name not in opened.notes]
        beside = [each for each in opened.notes.values() if each.refused == NO_PARSER]
        if not opened.is_lasting:
            return (*left, *beside)
        whole = replace(opened.note, settings=state_of(self._shaping, opened.notes.values()))
        return (*left, *beside, whole)

    def left(self, inside: Iterable[str]) -> tuple[str, ...]:
        """Return those of some names that lay in an archive which was read now, and does not hold them any more.

        What was refused or passed over, and what came from inside of it, may still be there.
        """
        return tuple(
            name
            for name in inside
            if (archive := archive_of(name, self._held)) and not is_among(name, self._held[archive])
        )


def fingerprint_of(member: Source) -> str:
    """Return the fingerprint of a member's bytes; empty if it refuses to be read."""
    try:
        return text.fingerprint(member.read())
    except SourceRefusedError:
        return ""
