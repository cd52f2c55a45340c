"""Which kind of source an address names, and how it is opened."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from saidonce.adapters.upstream.files import PACKAGES, RemoteFiles
from saidonce.adapters.upstream.folder import Folder
from saidonce.adapters.upstream.packed import PackedExport
from saidonce.errors import UpstreamError, UsageError
from saidonce.foundation import extras
from saidonce.foundation.model.syncs import SyncSource, UpstreamKind
from saidonce.foundation.ports import Upstream, UpstreamOptions

_GIT_SCHEMES = ("git", "ssh", "git+https", "git+http", "git+ssh", "git+file")
_SCP = re.compile(r"[\w.-]+@[\w.-]+:(?!//)\S+")


def kind_of(address: str, ref: str = "", kind: UpstreamKind | None = None) -> tuple[UpstreamKind, str]:
    """Return what an address names, and the address in its normal form.

    Args:
        address: path or URL, as somebody wrote it.
        ref: given for Git only, so that it makes a path one of a repository.
        kind: what it is, if somebody said so.

    Raises:
        UsageError: it holds a password, or nobody can tell what it is.
    """
    address = address.strip()
    if not address or "\0" in address:
        raise UsageError("a source needs a path or a URL, without a null character")
    parsed = _split(address) if "://" in address else None
    if parsed is not None and (parsed.password or (parsed.scheme.startswith("http") and parsed.username)):
        raise UsageError("a source's address may hold no password; give it to the environment, or use ssh with a key")
    if kind is None:
        kind = _guessed(address, parsed.scheme if parsed else "", ref)
    if kind is UpstreamKind.FILES and (parsed is None or parsed.scheme not in PACKAGES):
        raise UsageError(f"files are read from {', '.join(sorted(PACKAGES))}, not from {address!r}")
    if ref and kind is not UpstreamKind.GIT:
        raise UsageError(f"--ref names a branch of a Git repository; {address!r} is a source of kind {kind}")
    return kind, _normal(address, kind)


def _split(address: str) -> SplitResult:
    try:
        return urlsplit(address)
    except ValueError:
        raise UsageError(f"{address[:200]!r} is malformed") from None


def _guessed(address: str, scheme: str, ref: str) -> UpstreamKind:
    path = urlsplit(address).path.casefold() if scheme else address.casefold()
    if ref or scheme in _GIT_SCHEMES or path.endswith(".git") or _SCP.fullmatch(address):
        return UpstreamKind.GIT
    if scheme in ("http", "https"):
        return _guessed_page(address, path)
    if scheme in PACKAGES:
        return UpstreamKind.FILES
    if not scheme or scheme == "file":
        return _guessed_local(Path(address.removeprefix("file://")).expanduser(), address)
    known = sorted({"http", "https", "git", "ssh", *PACKAGES})
    raise UsageError(f"addresses that begin with {scheme}:// cannot be synced; others can: {', '.join(known)}")


def _guessed_page(address: str, path: str) -> UpstreamKind:
    if path.endswith((".xml", ".xml.gz")):
        return UpstreamKind.SITEMAP
    if path.endswith(".txt"):
        return UpstreamKind.URLS
    if path.endswith("/") or not path:
        return UpstreamKind.LISTING
    raise UsageError(
        f"what is {address!r}? Say --kind sitemap, urls, listing or git; for a single page, write its address into a"
        " text file and sync that with --kind urls"
    )


def _guessed_local(path: Path, address: str) -> UpstreamKind:
    if path.is_dir():
        is_bare = (path / "HEAD").is_file() and (path / "objects").is_dir()
        return UpstreamKind.GIT if is_bare else UpstreamKind.FOLDER
    if path.suffix.casefold() == ".zip":
        return UpstreamKind.EXPORT
    if path.is_file():
        raise UsageError(
            f"{address!r} is a file; a list of addresses needs --kind urls, and single files 'saidonce ingest'"
        )
    return UpstreamKind.FOLDER  # a run says that it is not there, and removes nothing


def _normal(address: str, kind: UpstreamKind) -> str:
    address = address.removeprefix("git+")
    if "://" in address and not address.startswith("file://"):
        return (
            address if kind in (UpstreamKind.LISTING, UpstreamKind.SITEMAP, UpstreamKind.URLS) else address.rstrip("/")
        )
    if _SCP.fullmatch(address) and kind is UpstreamKind.GIT:
        return address
    return Path(address.removeprefix("file://")).expanduser().resolve().as_posix()


def is_local(source: SyncSource) -> bool:
    """Return whether a source lies on this machine."""
    return "://" not in source.address and not _SCP.fullmatch(source.address)


def open_upstream(source: SyncSource, options: UpstreamOptions) -> Upstream:
    """Open a source.

    Raises:
        UpstreamError: an extra is missing, or the source lies where none may lie.
    """
    if options.roots is not None and is_local(source):
        _check_root(source, options.roots)
    if options.roots is not None and _uses_credentials(source):
        _check_beginning(source, options.roots)
    kind, address, name_as = source.kind, source.address, source.name_as
    if kind is UpstreamKind.FOLDER or (kind is UpstreamKind.EXPORT and Path(address).is_dir()):
        return Folder(Path(address), name_as, options, kind is UpstreamKind.EXPORT)
    if kind is UpstreamKind.EXPORT:
        return PackedExport(Path(address), name_as, options)
    if kind is UpstreamKind.FILES:
        return RemoteFiles(address, name_as, options)
    try:
        return _of_extra(source, options)
    except ImportError as missing:
        raise UpstreamError(address, str(extras.error("sync", f"reading a {kind}", missing.name or ""))) from None


def _of_extra(source: SyncSource, options: UpstreamOptions) -> Upstream:
    """Open what needs packages of the extra."""
    if source.kind is UpstreamKind.GIT:
        from saidonce.adapters.upstream.git import GitRepository  # noqa: PLC0415  an extra

        return GitRepository(source.address, source.ref, source.name_as, source.cursor, options)
    from saidonce.adapters.upstream import pages  # noqa: PLC0415  an extra

    if source.kind is UpstreamKind.SITEMAP:
        return pages.WebPages(source.address, pages.sitemap_pages(source.address), options)
    if source.kind is UpstreamKind.URLS:
        return pages.WebPages(source.address, pages.listed_pages(source.address), options)
    address = source.address if source.address.endswith("/") else f"{source.address}/"
    return pages.WebPages(address, pages.folder_pages(address, options), options, address.rstrip("/"))


def _uses_credentials(source: SyncSource) -> bool:
    """Return whether a source is read with keys of this server's account, which are not those of who names it."""
    is_ssh = source.kind is UpstreamKind.GIT and (
        _SCP.fullmatch(source.address) is not None or source.address.startswith("ssh://")
    )
    return source.kind is UpstreamKind.FILES or is_ssh


def _check_beginning(source: SyncSource, roots: tuple[str, ...]) -> None:
    address, allowed = f"{source.address.rstrip('/')}/", [f"{root.rstrip('/')}/" for root in roots if root]
    if ".." in address or not any(address.startswith(root) for root in allowed):
        raise UpstreamError(
            source.address, "it is read with the keys of this server, and the setting sync_roots does not name it"
        )


def _check_root(source: SyncSource, roots: tuple[str, ...]) -> None:
    path = Path(source.address).resolve()
    if not any(path.is_relative_to(Path(root).expanduser().resolve()) for root in roots if root):
        raise UpstreamError(
            source.address, "it lies on this server, outside of the folders that the setting sync_roots names"
        )
