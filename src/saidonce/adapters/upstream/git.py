"""A Git repository at a branch, a tag or a commit; read by dulwich, so that no program called git is needed."""

from __future__ import annotations

import contextlib
import shutil
import stat
import tempfile
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

from dulwich.errors import NotGitRepository
from dulwich.object_store import peel_sha
from dulwich.objects import Blob, Commit, ObjectID, Tree
from dulwich.refs import Ref
from dulwich.repo import Repo

from saidonce.adapters.upstream.git_objects import check_sizes
from saidonce.adapters.upstream.git_transport import FAILURES, GitGuard, guarded_client, is_scp
from saidonce.adapters.upstream.names import check_size, is_hidden, joined
from saidonce.errors import Refusal, SourceRefusedError, UpstreamError
from saidonce.foundation.ports import Fetched, FileGoneError, UpstreamFile, UpstreamListing, UpstreamOptions

STEPS = 10
"""The names of a repository may take as long to come as so many requests."""

LONGEST_FETCH_S = 3_600.0
REFS_BYTES = 32 * 1024 * 1024
FETCH_BYTES = 4 * 1024**3
"""One commit of a repository, packed."""

LISTING_BYTES, ENTRY_BYTES = 256 * 1024 * 1024, 100
"""The names of all files of a commit, and what each takes beside: folders in folders can name any number of them."""

LFS = b"version https://git-lfs.github.com/spec/"


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
        return "://" not in self._address and not is_scp(self._address)

    def _tree(self, cursor: str) -> UpstreamListing:
        files: list[UpstreamFile] = []
        passed_over: list[str] = []
        for path, mode, sha in self._entries():
            if is_hidden(path) or "" in path.split("/") or not stat.S_ISREG(mode):
                continue
            name = joined(self.root, path)
            if not self._options.is_supported(path.rpartition("/")[2]):
                passed_over.append(name)
            else:
                files.append(UpstreamFile(name, sha, partial(self._fetch, name, sha)))
        return UpstreamListing(tuple(sorted(files, key=lambda file: file.name)), tuple(passed_over), cursor=cursor)

    def _entries(self) -> Iterator[tuple[str, int, str]]:
        """Give path, mode and name of each file of the commit, and of what else is no folder.

        Raises:
            UpstreamError: the folders name more than a repository has; a few can name each other over and over.
        """
        objects = self._opened().object_store
        _, commit = peel_sha(objects, ObjectID(self._commit))
        if not isinstance(commit, Commit):
            raise UpstreamError(self._address, f"{self._ref!r} names no commit")
        folders, n_left = [(b"", commit.tree)], LISTING_BYTES
        while folders:
            above, id = folders.pop()
            tree = objects[id]
            if not isinstance(tree, Tree):
                raise UpstreamError(self._address, "a folder of it is none")
            for entry in tree.items():
                path = b"%s/%s" % (above, entry.path) if above else entry.path
                n_left -= len(path) + ENTRY_BYTES
                if n_left < 0:
                    raise UpstreamError(self._address, "it lists more files than a repository has")
                if stat.S_ISDIR(entry.mode):
                    folders.append((path, entry.sha))
                else:
                    yield path.decode("utf-8", "surrogateescape"), entry.mode, entry.sha.decode("ascii")

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
        client, path = guarded_client(self._address, self._options, self._guard)
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
        with contextlib.ExitStack() as undone:
            repo = Repo.init_bare(self._folder)
            undone.callback(repo.close)
            self._fetch_commit(repo, self._folder)
            undone.pop_all()
        self._repo = repo
        return repo

    def _fetch_commit(self, repo: Repo, folder: Path) -> None:
        client, path = guarded_client(self._address, self._options, self._guard)
        with tempfile.TemporaryFile(dir=folder) as pack:
            with self._guard.bounded(FETCH_BYTES, LONGEST_FETCH_S):
                came = client.fetch_pack(path, self._wants, repo.get_graph_walker(), pack.write, depth=1)
            pack.seek(0)
            check_sizes(pack)
            pack.seek(0)
            repo.object_store.add_thin_pack(pack.read, None)
        repo.update_shallow(came.new_shallow, came.new_unshallow)

    def _wants(self, refs: Mapping[Ref, ObjectID], depth: int | None = None) -> list[ObjectID]:
        del refs, depth
        return [ObjectID(self._commit)]


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


def _reason(failed: BaseException) -> str:
    text = " ".join(str(failed).split())[:200]
    if isinstance(failed, NotGitRepository):
        return "there is no repository, or it needs a login; use ssh, or a clone of your own"
    return type(failed).__name__ if not text or "://" in text else text
