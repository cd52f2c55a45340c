"""Discover files and folders on disk as sources, in an order that depends on names only."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Literal, TypeAlias

from rapidfuzz import fuzz

from saidonce.errors import NotFoundError, Refusal, SourceRefusedError, UsageError
from saidonce.foundation.context import Source

MAX_NEAREST = 3
ALIKE = 50.0
"""Names less alike than this (0 to 100) are not offered."""

MOUNTS = Path("/proc/self/mounts")
"""Where Linux lists what is mounted; other systems have no file systems of the kinds below."""

KERNEL_FILE_SYSTEMS = frozenset(
    "autofs binfmt_misc bpf cgroup cgroup2 configfs debugfs devpts devtmpfs efivarfs fusectl hugetlbfs mqueue nsfs"
    " proc pstore rpc_pipefs securityfs selinuxfs sysfs tracefs".split()
)
"""Kinds of file systems whose files are views of the kernel: they hold no documents, and some never end."""


@dataclass(frozen=True, slots=True)
class Discovered:
    """The sources found under some paths.

    Attributes:
        passed_over: files skipped because no parser supports them.
        roots: names of the paths.
        unreadable: names of folders that cannot be listed, sorted; what they contain is unknown.
        broken: names of the sources that cannot be looked at, such as links that lead nowhere, sorted; reading
            one is refused with the reason.
        of_the_kernel: names of folders on file systems of the kernel, such as /proc, which are not walked, sorted.
    """

    sources: tuple[Source, ...]
    passed_over: tuple[str, ...]
    roots: tuple[str, ...]
    unreadable: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()
    of_the_kernel: tuple[str, ...] = ()

    @property
    def empty(self) -> tuple[str, ...]:
        """The roots that were listed and have no file."""
        listed = {source.name for source in self.sources} - set(self.broken)
        names = [*listed, *self.passed_over]
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
        UsageError: one cannot be read, is neither a file nor a folder, or is a folder on a file system of the kernel,
            or `name_as` comes with several paths.
    """
    for path in paths:
        try:
            mode = path.stat().st_mode
        except (FileNotFoundError, NotADirectoryError):
            raise NotFoundError("file or folder", str(path)) from None
        except OSError as failed:
            raise UsageError(f"{str(path)!r} cannot be read: {failed.strerror or failed}") from failed
        if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
            raise UsageError(
                f"{str(path)!r} is neither a file nor a folder; write its content to a file and ingest that"
            )
        if stat.S_ISDIR(mode) and _is_of_the_kernel(path.resolve()):
            raise UsageError(f"{str(path)!r} is on a file system of the kernel, which holds no documents")
    if name_as and len(paths) != 1:
        raise UsageError(
            f"the name {name_as!r} (--as) is for one path, not for {len(paths)}: ingest each path by a command of its"
            f" own with a name of its own, or one folder that holds them all"
        )


def find_sources(
    paths: Sequence[Path], is_supported: Callable[[str], bool], max_bytes: int, name_as: str = ""
) -> Discovered:
    """Find the files under paths, sorted; a source is named by its absolute path.

    Hidden files, empty names, links out of their folder, links to folders, and what is no regular file, such as
    sockets, pipes and devices, are skipped; file systems of the kernel below a path are not walked. What
    cannot be looked at, such as a link that leads nowhere, is a source that is refused when it is read. A file given
    by its own path is always a source: in an unknown format it is read as text, or ends in an error.

    Args:
        paths: files and folders.
        is_supported: whether a parser supports a file name.
        max_bytes: larger files are refused when read.
        name_as: name of the single path, in place of its own, so that another copy of a folder counts
            as the same.

    Raises:
        NotFoundError: a path does not exist.
        UsageError: as `check_paths`.
    """
    check_paths(paths, name_as)
    sources: dict[str, Source] = {}
    passed_over: list[str] = []
    roots: list[str] = []
    seen = _Seen(_kernel_folders())
    for path in paths:
        root = path.resolve()
        roots.append(name_as or root.as_posix())
        named = partial(_name, root=root, name_as=name_as)
        is_file = root.is_file()
        for file, trouble in [(root, "")] if is_file else _walk(root, seen, named):
            name = named(file)
            if trouble:
                seen.broken.add(name)
                sources[name] = Source(name, partial(_refuse, name, trouble))
            elif not is_file and not is_supported(file.name):
                passed_over.append(name)
            else:
                sources[name] = Source(name, partial(_read, name, file, max_bytes))
    by_name = tuple(sources[n] for n in sorted(sources))
    return Discovered(
        by_name, tuple(sorted(passed_over)), tuple(roots), tuple(sorted(seen.unlisted)), tuple(sorted(seen.broken)),
        tuple(sorted(seen.of_the_kernel)),
    )  # fmt: skip


@dataclass(slots=True)
class _Seen:
    """What a walk came by that is no file to read: names of folders, and of files that cannot be looked at."""

    kernel_folders: frozenset[str]
    unlisted: list[str] = field(default_factory=list)
    broken: set[str] = field(default_factory=set)
    of_the_kernel: list[str] = field(default_factory=list)


def _mounted() -> dict[str, str]:
    """Return the kind of file system by the folder on which it is mounted; where several are, the last one shows."""
    if not MOUNTS.is_file():
        return {}
    rows = [os.fsdecode(line).split(" ") for line in MOUNTS.read_bytes().splitlines()]
    return {_unescaped(row[1]): row[2] for row in rows}


def _kernel_folders() -> frozenset[str]:
    """Return the folders on which file systems of the kernel are mounted."""
    return frozenset(folder for folder, kind in _mounted().items() if kind in KERNEL_FILE_SYSTEMS)


def _is_of_the_kernel(folder: Path) -> bool:
    mounted = _mounted()
    innermost = next((f for f in map(os.fspath, (folder, *folder.parents)) if f in mounted), "")
    return mounted.get(innermost, "") in KERNEL_FILE_SYSTEMS


def _unescaped(folder: str) -> str:
    """Return a folder of the list of mounts, in which spaces and backslashes stand as octal numbers."""
    for written, meant in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        folder = folder.replace(written, meant)
    return folder


def _walk(root: Path, seen: _Seen, named: Callable[[Path], str]) -> Iterator[tuple[Path, str]]:
    """Yield the files below a folder, at any depth, each with what is wrong with it, or nothing.

    Links out of the folder and links to folders are not followed.
    """
    left = [root]
    while left:
        folder = left.pop()
        if folder != root and os.fspath(folder) in seen.kernel_folders:
            seen.of_the_kernel.append(named(folder))
            continue
        try:
            with os.scandir(folder) as entries:
                present = sorted(entries, key=lambda entry: entry.name)
        except OSError:
            seen.unlisted.append(named(folder))
            continue
        for entry in present:
            sort, trouble = ("skipped", "") if entry.name.startswith(".") else _look_at(entry, root)
            if sort == "folder":
                left.append(Path(entry.path))
            elif sort == "file":
                yield Path(entry.path), trouble


_Sort: TypeAlias = Literal["file", "folder", "skipped"]


def _look_at(entry: os.DirEntry[str], root: Path) -> tuple[_Sort, str]:
    """Return what an entry of a folder is to the walk, and why it cannot be looked at, if so.

    Entries may vanish at any time, and links of /proc cannot be read although they are there.
    """
    try:
        if entry.is_dir(follow_symlinks=False):
            return "folder", ""
        is_file = stat.S_ISREG(Path(entry.path).stat().st_mode)
        leads_out = entry.is_symlink() and not Path(os.path.realpath(entry.path)).is_relative_to(root)
    except OSError as failed:
        return "file", _trouble(entry, failed.strerror or str(failed))
    return ("file" if is_file and not leads_out else "skipped"), ""


def _trouble(entry: os.DirEntry[str], reason: str) -> str:
    """Return why an entry cannot be looked at; of a link, with what it leads to."""
    try:
        target = _printable(os.fspath(Path(entry.path).readlink()))
    except OSError:  # a link that cannot be read, or no link
        return f"a link that cannot be followed: {reason}" if entry.is_symlink() else reason
    return f"a link to {target!r} that cannot be followed: {reason}"


def _name(file: Path, root: Path, name_as: str) -> str:
    if not name_as:
        return _printable(file.as_posix())
    return name_as if file == root else _printable(f"{name_as.rstrip('/')}/{file.relative_to(root).as_posix()}")


def _printable(name: str) -> str:
    """Return a file name as text; bytes outside UTF-8 become escapes."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _refuse(name: str, trouble: str) -> bytes:
    raise SourceRefusedError(name, Refusal.UNREADABLE, trouble)


def _read(name: str, file: Path, max_bytes: int) -> bytes:
    state = file.stat()
    if not stat.S_ISREG(state.st_mode):
        raise SourceRefusedError(name, Refusal.UNREADABLE, "it is no regular file")
    _check_size(name, state.st_size, max_bytes)
    with file.open("rb") as stream:
        content = stream.read(max_bytes + 1)
    _check_size(name, len(content), max_bytes)
    return content


def _check_size(name: str, size: int, max_bytes: int) -> None:
    if size > max_bytes:
        mib = 1024 * 1024
        detail = f"{size / mib:.0f} MiB; at most {max_bytes // mib} MiB are read (setting max_source_mb)"
        raise SourceRefusedError(name, Refusal.TOO_LARGE, detail)


def removed(discovered: Discovered, stored: Iterable[str]) -> list[str]:
    """Return stored names under the roots that are no longer among the sources, sorted.

    Names below what cannot be listed or looked at are left out, since their files may be there.
    """
    present = {source.name for source in discovered.sources}
    under, unknown = _below(discovered.roots), _below((*discovered.unreadable, *discovered.broken))
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
