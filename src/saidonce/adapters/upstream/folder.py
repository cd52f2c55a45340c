"""A folder on disk, such as one of documents or an unpacked export of a wiki."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from saidonce.adapters.upstream.names import check_size, contents_pages, is_hidden, joined, printable
from saidonce.errors import UpstreamError
from saidonce.foundation.ports import Fetched, FileGoneError, UpstreamFile, UpstreamListing, UpstreamOptions

SETTLED_NS = 2_000_000_000
"""A file changed less than this before it was listed may change again without another time of change: it is read."""


@dataclass(frozen=True, slots=True)
class _Row:
    path: str
    state: os.stat_result


class Folder:
    """The files below a folder; hidden ones and links that lead out of it are left out.

    A file's mark is made of its size, its inode, and the times of its last change as the file system has them; none of
    these is changed back by a tool that sets the date of a file.
    """

    def __init__(self, path: Path, name_as: str, options: UpstreamOptions, is_export: bool = False) -> None:
        self._path = path.resolve()
        self._options = options
        self._is_export = is_export
        self._unseen: list[str] = []
        self.root = name_as or printable(self._path.as_posix())

    def listing(self, known: Mapping[str, str]) -> UpstreamListing:
        """List all files below the folder."""
        del known
        self._unseen = []
        now = time.time_ns()
        if not self._path.is_dir():
            raise UpstreamError(printable(str(self._path)), "there is no such folder; is its disk mounted?")
        rows = sorted(self._rows(), key=lambda row: row.path)
        skipped = contents_pages([row.path for row in rows]) if self._is_export else frozenset()
        files: list[UpstreamFile] = []
        passed_over: list[str] = []
        for row in rows:
            name = joined(self.root, row.path)
            if row.path in skipped or not self._options.is_supported(row.path.rpartition("/")[2]):
                passed_over.append(name)
            else:
                files.append(UpstreamFile(name, _mark(row.state, now), partial(self._fetch, name, row, now)))
        return UpstreamListing(tuple(files), tuple(passed_over), tuple(self._unseen))

    def close(self) -> None:
        """Do nothing: no file stays open."""

    def _rows(self) -> Iterator[_Row]:
        """Yield the files below the folder, however deep; what may not be looked at is noted as unseen."""
        left = [""]
        while left:
            below = left.pop()
            for entry in self._entries(below):
                path = f"{below}/{entry.name}" if below else entry.name
                if is_hidden(entry.name):
                    continue
                try:
                    state = self._state_inside(entry)
                except OSError:
                    self._unseen.append(joined(self.root, path))
                    continue
                if state is not None and stat.S_ISREG(state.st_mode):
                    yield _Row(path, state)
                elif state is not None and stat.S_ISDIR(state.st_mode) and not entry.is_symlink():
                    left.append(path)

    def _entries(self, below: str) -> list[os.DirEntry[str]]:
        """Return the entries of a folder below this one.

        Raises:
            UpstreamError: this folder itself may not be looked at.
        """
        folder = self._path / below
        try:
            with os.scandir(folder) as entries:
                return list(entries)
        except OSError as failed:
            if not below:
                raise UpstreamError(printable(str(folder)), failed.strerror or str(failed)) from failed
            self._unseen.append(joined(self.root, below))
            return []

    def _state_inside(self, entry: os.DirEntry[str]) -> os.stat_result | None:
        """Return the state of an entry; None of a link that leads out of the folder.

        Raises:
            OSError: it cannot be looked at, as a link that leads to itself and some links of /proc cannot.
        """
        if entry.is_symlink() and not Path(os.path.realpath(entry.path)).is_relative_to(self._path):
            return None
        return entry.stat()

    def _fetch(self, name: str, row: _Row, listed_at: int, _known: str) -> Fetched:
        check_size(name, row.state.st_size, self._options.max_bytes)
        try:
            with (self._path / row.path).open("rb") as stream:
                content = stream.read(self._options.max_bytes + 1)
        except FileNotFoundError as gone:
            raise FileGoneError from gone
        check_size(name, len(content), self._options.max_bytes)
        return Fetched(content, _mark(row.state, listed_at))


def _mark(state: os.stat_result, listed_at: int) -> str:
    """Return a file's mark; empty if it was changed so lately that another change might leave it the same."""
    if max(state.st_mtime_ns, state.st_ctime_ns) > listed_at - SETTLED_NS:
        return ""
    return f"{state.st_size}-{state.st_mtime_ns}-{state.st_ctime_ns}-{state.st_ino}"
