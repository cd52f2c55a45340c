"""A ZIP with pages of a wiki, as Confluence and Notion export them."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

from saidonce.adapters.upstream.names import check_size, contents_pages, is_hidden, joined, printable
from saidonce.errors import UpstreamError
from saidonce.foundation.ports import Fetched, UpstreamFile, UpstreamListing, UpstreamOptions

MOST_PAGES = 100_000
MOST_BYTES = 20 * 1024**3
"""All pages of an export together, unpacked."""

PART_BYTES = 1024**3
"""Largest ZIP in a ZIP: Notion packs an export into parts."""

DAMAGED = (zipfile.BadZipFile, zlib.error, OSError, EOFError, NotImplementedError, RuntimeError)


class PackedExport:
    """The pages in a ZIP, and in ZIPs in it; nothing is unpacked to disk."""

    def __init__(self, path: Path, name_as: str, options: UpstreamOptions) -> None:
        self._path = path.resolve()
        self._options = options
        self._opened: list[zipfile.ZipFile] = []
        self.root = name_as or printable(self._path.as_posix())

    def listing(self, known: Mapping[str, str]) -> UpstreamListing:
        """List the pages."""
        del known
        self.close()
        try:
            package = zipfile.ZipFile(self._path)
            self._opened.append(package)
            members = {printable(path): (holder, info) for path, holder, info in self._members(package, 0)}
        except DAMAGED as bad:
            raise UpstreamError(str(self._path), f"the ZIP cannot be read ({bad})") from bad
        if sum(info.file_size for _, info in members.values()) > MOST_BYTES or len(members) > MOST_PAGES:
            raise UpstreamError(str(self._path), f"it holds more than {MOST_PAGES:,} pages or 20 GiB")
        skipped = contents_pages(list(members))
        files: list[UpstreamFile] = []
        passed_over: list[str] = []
        for path, (holder, info) in sorted(members.items()):
            name = joined(self.root, path)
            if path in skipped or not self._options.is_supported(path.rpartition("/")[2]):
                passed_over.append(name)
            else:
                files.append(UpstreamFile(name, "", partial(self._fetch, name, holder, info)))
        return UpstreamListing(tuple(files), tuple(passed_over))

    def close(self) -> None:
        """Close the ZIPs."""
        while self._opened:
            self._opened.pop().close()

    def _members(
        self, package: zipfile.ZipFile, depth: int
    ) -> Iterator[tuple[str, zipfile.ZipFile, zipfile.ZipInfo]]:  # fmt: skip
        for info in package.infolist():
            path = info.filename.replace("\\", "/").lstrip("/")
            if info.is_dir() or is_hidden(path) or "__MACOSX" in path.split("/"):
                continue
            if depth == 0 and path.casefold().endswith(".zip"):
                if info.file_size > PART_BYTES:
                    raise zipfile.BadZipFile(f"the part {path[:80]!r} is larger than 1 GiB")
                inner = zipfile.ZipFile(io.BytesIO(package.read(info)))
                self._opened.append(inner)
                yield from self._members(inner, depth + 1)
            else:
                yield path, package, info

    def _fetch(self, name: str, package: zipfile.ZipFile, info: zipfile.ZipInfo, _known: str) -> Fetched:
        check_size(name, info.file_size, self._options.max_bytes)
        try:
            with package.open(info) as stream:
                content = stream.read(self._options.max_bytes + 1)
        except DAMAGED as bad:
            raise OSError(f"its entry in the ZIP is damaged or locked ({bad})") from bad
        check_size(name, len(content), self._options.max_bytes)
        return Fetched(content, "")
