"""A Git repository at a branch, a tag or a commit; read by dulwich, so that no program called git is needed."""

from __future__ import annotations

import contextlib
import shutil
import socket
import stat
import tempfile
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import urllib3
from dulwich.client import GitClient, get_transport_and_path
from dulwich.errors import GitProtocolError, NotGitRepository
from dulwich.object_store import peel_sha
from dulwich.objects import Blob, Commit, ObjectID
from dulwich.refs import Ref
from dulwich.repo import Repo
from urllib3.connection import HTTPConnection, HTTPSConnection

from saidonce.adapters.senders.webhook import is_public
from saidonce.adapters.upstream.addresses import PRIVATE, addresses_of
from saidonce.adapters.upstream.names import check_size, is_hidden, joined
from saidonce.errors import Refusal, SourceRefusedError, UpstreamError
from saidonce.foundation.deadline import ConnectionDeadline
from saidonce.foundation.ports import Fetched, FileGoneError, UpstreamFile, UpstreamListing, UpstreamOptions

DEFAULT_PORTS = {"git": 9418, "ssh": 22}
HTTP_PORTS = {"http": 80, "https": 443}
STEPS = 10
"""The names of a repository may take as long to come as so many requests."""

LONGEST_FETCH_S = 3_600.0
REFS_BYTES = 32 * 1024 * 1024
PART_BYTES = 65_536
FETCH_BYTES = 4 * 1024**3
"""One commit of a repository, packed."""

Kind = TypeVar("Kind", bound=HTTPConnection)

LFS = b"version https://git-lfs.github.com/spec/"
FAILURES = (
    GitProtocolError,
    NotGitRepository,
    OSError,
    KeyError,
    ValueError,
    AssertionError,
    urllib3.exceptions.HTTPError,
)


class GitGuard:
    """Bounds what a server of repositories sends, and how long."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._deadline = ConnectionDeadline()
        self._connections: list[HTTPConnection] = []
        self._answers: list[Any] = []
        self._n_left = 0

    @contextlib.contextmanager
    def bounded(self, most: int, seconds: float) -> Iterator[None]:
        """Let a server send so many bytes, in so many seconds.

        Raises:
            UpstreamError: it took longer.
        """
        self._n_left = most
        try:
            with self._deadline.after(seconds):
                yield
        except FAILURES:
            if self._deadline.is_over:
                raise UpstreamError(self._address, f"the server did not come to an end in {seconds:g} s") from None
            raise
        finally:
            self._close()

    def closed_at_last(self, connection: HTTPConnection) -> None:
        """Close a connection with the time, also one that failed and that nobody gave back."""
        self._connections.append(connection)

    def watched(self, connected: socket.socket) -> socket.socket:
        """Take a connection that is to end with the time, and return it."""
        return self._deadline.watched(connected)

    def counted(self, response: Any) -> Any:
        """Return an answer whose bytes are counted as they are read.

        Raises:
            UpstreamError: it is packed, which was not asked for.
        """
        if response.headers.get("Content-Encoding", "identity").casefold() != "identity":
            response.close()
            raise UpstreamError(self._address, "the answer is packed, which was not asked for")
        read = response.read

        def bounded(amount: int | None = None, *args: Any, **more: Any) -> bytes:
            whole = bytearray()
            while part := bytes(read(PART_BYTES if amount is None else amount, *args, **more)):
                self._n_left -= len(part)
                if self._n_left < 0:
                    response.close()
                    raise UpstreamError(self._address, "the server sends more than a repository has")
                whole += part
                if amount is not None:
                    break
            return bytes(whole)

        response.read = bounded
        self._answers.append(response)
        return response

    def _close(self) -> None:
        for answer in self._answers:
            answer.__dict__.pop("read", None)  # which holds the answer in turn
            answer.close()
        for connection in self._connections:
            connection.close()
        self._answers.clear()
        self._connections.clear()


class GitRepository:
    """The files of one commit; a file's mark is the name of its content, so that nothing unchanged is ever read.

    A remote repository is asked for its commit first: if that is the one of the last whole run, nothing is fetched.
    Else the one commit is, without its history, into a temporary folder.

    Args:
        address: path or URL.
        ref: branch, tag or commit; empty for the default branch.
        name_as: what names begin with; empty for address and ref.
        cursor: that of the last whole run.
        options: how.
    """

    def __init__(self, address: str, ref: str, name_as: str, cursor: str, options: UpstreamOptions) -> None:
        self._address = address
        self._ref = ref
        self._cursor = cursor
        self._options = options
        self._folder: Path | None = None
        self._repo: Repo | None = None
        self._commit = b""
        self._guard = GitGuard(address)
        self.root = name_as or f"{address}@{ref or 'HEAD'}"

    def listing(self, known: Mapping[str, str]) -> UpstreamListing:
        """List the files of the commit."""
        try:
            self._commit = self._head()
            cursor = f"{self._commit.decode('ascii')} {self._options.formats}"
            is_whole = bool(known) and all(known.values()) and all(n.startswith(f"{self.root}/") for n in known)
            if cursor == self._cursor and is_whole:
                files = [UpstreamFile(name, mark, partial(self._fetch, name, mark)) for name, mark in known.items()]
                return UpstreamListing(tuple(sorted(files, key=lambda file: file.name)), cursor=cursor)
            return self._tree(cursor)
        except FAILURES as failed:
            raise UpstreamError(self._address, f"Git says: {_reason(failed)}") from failed

    def close(self) -> None:
        """Remove what was fetched."""
        if self._repo is not None:
            self._repo.close()
            self._repo = None
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None

    @property
    def _is_local(self) -> bool:
        return "://" not in self._address and not _is_scp(self._address)

    def _tree(self, cursor: str) -> UpstreamListing:
        files: list[UpstreamFile] = []
        passed_over: list[str] = []
        for path, mode, sha in self._entries():
            if is_hidden(path) or not stat.S_ISREG(mode):
                continue
            name = joined(self.root, path)
            if not self._options.is_supported(path.rpartition("/")[2]):
                passed_over.append(name)
            else:
                files.append(UpstreamFile(name, sha, partial(self._fetch, name, sha)))
        return UpstreamListing(tuple(sorted(files, key=lambda file: file.name)), tuple(passed_over), cursor=cursor)

    def _entries(self) -> Iterator[tuple[str, int, str]]:
        repo = self._opened()
        _, commit = peel_sha(repo.object_store, ObjectID(self._commit))
        if not isinstance(commit, Commit):
            raise UpstreamError(self._address, f"{self._ref!r} names no commit")
        for entry in repo.object_store.iter_tree_contents(commit.tree):
            if entry.path is not None and entry.mode is not None and entry.sha is not None:
                yield entry.path.decode("utf-8", "surrogateescape"), entry.mode, entry.sha.decode("ascii")

    def _fetch(self, name: str, sha: str, _known: str) -> Fetched:
        try:
            blob = self._opened()[ObjectID(sha.encode("ascii"))]
        except KeyError as gone:
            raise FileGoneError from gone
        except FAILURES as failed:
            raise OSError(_reason(failed)) from failed
        if not isinstance(blob, Blob):
            raise SourceRefusedError(name, Refusal.CORRUPT, "it is no file in the repository")
        content = blob.data
        check_size(name, len(content), self._options.max_bytes)
        if content.startswith(LFS):
            detail = "the repository holds only a pointer to it (Git LFS); clone it with git-lfs, and sync the folder"
            raise SourceRefusedError(name, Refusal.UNREADABLE, detail)
        return Fetched(content, sha)

    def _head(self) -> bytes:
        """Return the commit, or the tag, that the ref names now."""
        if self._is_local:
            repo = self._opened()
            return _named({bytes(n): bytes(s) for n, s in repo.get_refs().items()}, self._ref) or _object_of(
                repo, self._ref
            )
        client, path = self._client()
        with self._guard.bounded(REFS_BYTES, STEPS * self._options.timeout_s):
            listed = client.get_refs(path.encode()).refs
        refs = {bytes(name): bytes(sha) for name, sha in listed.items() if sha is not None}
        commit = _named(refs, self._ref)
        if not commit and not _is_sha(self._ref):
            raise UpstreamError(self._address, f"there is no branch, tag or commit {self._ref or 'HEAD'!r}")
        return commit or self._ref.encode()

    def _opened(self) -> Repo:
        """Return the repository, fetched if it is remote."""
        if self._repo is not None:
            return self._repo
        if self._is_local:
            self._repo = Repo(self._address)
            return self._repo
        self._folder = Path(tempfile.mkdtemp(prefix="saidonce-git-"))
        repo = Repo.init_bare(self._folder)
        client, path = self._client()
        with self._guard.bounded(FETCH_BYTES, LONGEST_FETCH_S):
            client.fetch(path, repo, determine_wants=self._wants, depth=1)
        self._repo = repo
        return repo

    def _wants(self, refs: Mapping[Ref, ObjectID], depth: int | None = None) -> list[ObjectID]:
        del refs, depth
        return [ObjectID(self._commit)]

    def _client(self) -> tuple[GitClient, str]:
        options = self._options
        parsed = urlsplit(self._address)
        host = self._address.partition(":")[0].rpartition("@")[2] if _is_scp(self._address) else parsed.hostname or ""
        port = parsed.port if not _is_scp(self._address) else None
        if parsed.scheme in ("http", "https"):
            manager = _checked_manager(host, options, self._guard)
            return get_transport_and_path(self._address, pool_manager=manager)
        addresses_of(host, port or DEFAULT_PORTS.get(parsed.scheme, 22), options.allow_private)
        return get_transport_and_path(self._address)


def _named(refs: Mapping[bytes, bytes], ref: str) -> bytes:
    """Return what a short or a whole name of a ref stands for; empty if there is none."""
    if not ref:
        return refs.get(b"HEAD", b"")
    name = ref.encode()
    names = (b"refs/tags/" + name + b"^{}", b"refs/heads/" + name, b"refs/tags/" + name, name)
    return next((refs[each] for each in names if each in refs), b"")


def _object_of(repo: Repo, ref: str) -> bytes:
    if _is_sha(ref) and ObjectID(ref.encode()) in repo.object_store:
        return ref.encode()
    raise UpstreamError(str(repo.path), f"there is no branch, tag or commit {ref or 'HEAD'!r}")


def _is_sha(ref: str) -> bool:
    return len(ref) == 40 and all(c in "0123456789abcdef" for c in ref)


def _is_scp(address: str) -> bool:
    """Return whether an address is of the short form that ssh has: USER@HOST:PATH."""
    head = address.partition(":")[0]
    return "://" not in address and ":" in address and "@" in head and "/" not in head


def _reason(failed: BaseException) -> str:
    text = " ".join(str(failed).split())[:200]
    if isinstance(failed, NotGitRepository):
        return "there is no repository, or it needs a login; use ssh, or a clone of your own"
    return type(failed).__name__ if not text or "://" in text else text


def _watched_kind(kind: type[Kind], guard: GitGuard, check: Callable[[Any], None]) -> type[Kind]:
    """Return a kind of connections that a guard watches, and that are checked when they stand."""

    class WatchedConnection(kind):  # type: ignore[misc, valid-type]
        def _new_conn(self) -> socket.socket:
            return guard.watched(super()._new_conn())

        def connect(self) -> None:
            guard.closed_at_last(self)
            super().connect()
            check(self)

        def getresponse(self) -> Any:
            return guard.counted(super().getresponse())

    return WatchedConnection


def _checked_manager(host: str, options: UpstreamOptions, guard: GitGuard) -> urllib3.PoolManager:
    """Return connections that stay on one host and, unless private ones are allowed, on public addresses.

    The address is checked when the connection stands, before a byte is sent: no name can be looked up twice with
    two answers.
    """

    def check(connection: Any) -> None:
        peer = connection.sock.getpeername()[0]
        if not options.allow_private and not is_public(str(peer)):
            connection.close()
            raise UpstreamError(host, PRIVATE)

    class PlainPool(urllib3.HTTPConnectionPool):
        ConnectionCls = _watched_kind(HTTPConnection, guard, check)

    class SecurePool(urllib3.HTTPSConnectionPool):
        ConnectionCls = _watched_kind(HTTPSConnection, guard, check)

    class OneHost(urllib3.PoolManager):
        def connection_from_host(
            self, host: str | None, port: int | None = None, scheme: str | None = "http", *more: Any, **others: Any
        ) -> Any:
            site = (scheme, port or HTTP_PORTS.get(scheme or "http", 0))
            sites.append(site)
            if host != only or site not in (sites[0], ("https", HTTP_PORTS["https"])):
                raise UpstreamError(only, "a redirect leads to another site, which is not followed")
            return super().connection_from_host(host, port, scheme, *more, **others)

    only, sites = host, list[tuple[str | None, int]]()
    # How long to wait is not the server's to say.
    retries = urllib3.Retry(2, redirect=5, respect_retry_after_header=False)
    manager = OneHost(timeout=urllib3.Timeout(options.timeout_s), retries=retries)
    manager.pool_classes_by_scheme = {"http": PlainPool, "https": SecurePool}
    return manager
