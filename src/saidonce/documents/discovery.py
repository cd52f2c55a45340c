"""Discover files and folders on disk as sources, in an order that depends on names only."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from rapidfuzz import fuzz

from saidonce.errors import NotFoundError, Refusal, SourceRefusedError, UsageError
from saidonce.foundation.context import Source

MAX_NEAREST = 3
ALIKE = 50.0
"""Names less alike than this (0 to 100) are not offered."""


@dataclass(frozen=True, slots=True)
class Discovered:
    """The sources found under some paths.

    Attributes:
        passed_over: files skipped because no parser supports them.
        roots: names of the paths.
        unreadable: names of folders that cannot be listed, sorted; what they contain is unknown.
    """

    sources: tuple[Source, ...]
    passed_over: tuple[str, ...]
    roots: tuple[str, ...]
    unreadable: tuple[str, ...] = ()

    @property
    def empty(self) -> tuple[str, ...]:
        """The roots that were listed and have no file."""
        names = [*(source.name for source in self.sources), *self.passed_over]
        filled = {root for root in self.roots if any(n == root or n.startswith(_below([root])) for n in names)}
        return tuple(root for root in self.roots if root not in filled and root not in self.unreadable)


def why_nothing_is_removed(n_gone: int) -> str:
    """Return in words why the documents of a folder or source stay that lists no files any more."""
    documents = "1 document" if n_gone == 1 else f"{n_gone} documents"
    return (
        f"lists no files, but {documents} came from it. That may be a fault, such as a disk that is not mounted; to"
        " remove what came from it, run it again with --allow-empty"
    )


def check_paths(paths: Sequence[Path], name_as: str = "") -> None:
    """Refuse paths that cannot be read as files and folders under their name.

    Raises:
        NotFoundError: a path does not exist; the first one is named.
        UsageError: one is neither a file nor a folder, or `name_as` comes with several paths.
    """
    for path in paths:
        if not path.exists():
            raise NotFoundError("file or folder", str(path))
        if not path.is_file() and not path.is_dir():
            raise UsageError(
                f"{str(path)!r} is neither a file nor a folder; write its content to a file and ingest that"
            )
    if name_as and len(paths) != 1:
        raise UsageError(
            f"the name {name_as!r} (--as) is for one path, not for {len(paths)}: ingest each path by a command of its"
            f" own with a name of its own, or one folder that holds them all"
        )


def find_sources(
    paths: Sequence[Path], is_supported: Callable[[str], bool], max_bytes: int, name_as: str = ""
) -> Discovered:
    """Find the files under paths, sorted; a source is named by its absolute path.

    Hidden files, empty names and links out of their folder are skipped. A file given by its own path
    is always a source: in an unknown format it is read as text, or ends in an error.

    Args:
        paths: files and folders.
        is_supported: whether a parser supports a file name.
        max_bytes: larger files are refused when read.
        name_as: name of the single path, in place of its own, so that another copy of a folder counts
            as the same.

    Raises:
        NotFoundError: a path does not exist.
        UsageError: a path is neither a file nor a folder, or `name_as` comes with several paths.
    """
    check_paths(paths, name_as)
    sources: dict[str, Source] = {}
    passed_over: list[str] = []
    roots: list[str] = []
    unreadable: list[str] = []
    for path in paths:
        root = path.resolve()
        roots.append(name_as or root.as_posix())
        unlisted: list[Path] = []
        for file in [root] if root.is_file() else _walk(root, unlisted):
            name = _name(file, root, name_as)
            if root.is_dir() and not is_supported(file.name):
                passed_over.append(name)
            else:
                sources[name] = Source(name, partial(_read, name, file, max_bytes))
        unreadable += [_name(folder, root, name_as) for folder in unlisted]
    by_name = tuple(sources[n] for n in sorted(sources))
    return Discovered(by_name, tuple(sorted(passed_over)), tuple(roots), tuple(sorted(unreadable)))


def _walk(root: Path, unlisted: list[Path]) -> Iterator[Path]:
    """Yield the files below a folder, at any depth; links out of it and links to folders are not followed.

    Folders that cannot be listed are added to `unlisted`.
    """
    left = [root]
    while left:
        folder = left.pop()
        try:
            with os.scandir(folder) as entries:
                present = sorted(entries, key=lambda entry: entry.name)
        except OSError:
            unlisted.append(folder)
            continue
        for entry in present:
            file = Path(entry.path)
            if entry.name.startswith("."):
                continue
            if entry.is_dir(follow_symlinks=False):
                left.append(file)
            elif (not entry.is_symlink() or Path(os.path.realpath(file)).is_relative_to(root)) and file.is_file():
                yield file


def _name(file: Path, root: Path, name_as: str) -> str:
    if not name_as:
        return _printable(file.as_posix())
    return name_as if file == root else _printable(f"{name_as.rstrip('/')}/{file.relative_to(root).as_posix()}")


def _printable(name: str) -> str:
    """Return a file name as text; bytes outside UTF-8 become escapes."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _read(name: str, file: Path, max_bytes: int) -> bytes:
    size = file.stat().st_size
    if size > max_bytes:
        mib = 1024 * 1024
        detail = f"{size / mib:.0f} MiB; at most {max_bytes // mib} MiB are read (setting max_source_mb)"
        raise SourceRefusedError(name, Refusal.TOO_LARGE, detail)
    with file.open("rb") as stream:
        return stream.read(max_bytes + 1)


def removed(discovered: Discovered, stored: Iterable[str]) -> list[str]:
    """Return stored names under the roots that are no longer among the sources, sorted.

    Names below a folder that cannot be listed are left out, since their files may be there.
    """
    present = {source.name for source in discovered.sources}
    under, unknown = _below(discovered.roots), _below(discovered.unreadable)
    return sorted(
        name for name in stored if name.startswith(under) and not name.startswith(unknown) and name not in present
    )


def _below(folders: Iterable[str]) -> tuple[str, ...]:
    return tuple(f"{folder.rstrip('/')}/" for folder in folders)


def resolved(name: str, stored: Iterable[str], here: Path) -> str:
    """Return the stored name of a name or of a path relative to a folder; empty if neither is stored."""
    names = {name, _printable(os.path.normpath(here / name))}
    matches = sorted(names.intersection(stored), key=lambda n: n != name)
    return matches[0] if matches else ""


def ending(name: str, stored: Iterable[str]) -> list[str]:
    """Return the stored names whose last path parts are the given name, sorted."""
    return sorted(n for n in set(stored) if n.rstrip("/").endswith(f"/{name.strip('/')}"))


def nearest(name: str, stored: Iterable[str]) -> list[str]:
    """Return up to MAX_NEAREST stored names similar to the given one, most similar first, ties by name."""
    base = name.rstrip("/").rpartition("/")[2].casefold()
    alike = [(fuzz.ratio(base, n.rpartition("/")[2].casefold()), n) for n in set(stored)]
    return [n for share, n in sorted(alike, key=lambda pair: (-pair[0], pair[1])) if share >= ALIKE][:MAX_NEAREST]
