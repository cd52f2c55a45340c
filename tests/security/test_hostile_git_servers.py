"""Git servers over `git://` and ssh that are silent, slow, endless or wrong: a sync ends in time, with one line."""

from __future__ import annotations

import hashlib
import io
import os
import random
import socket
import stat
import sys
import threading
import time
import tracemalloc
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from dulwich.object_format import DEFAULT_OBJECT_FORMAT
from dulwich.objects import Blob, Commit, ObjectID, ShaFile, Tree
from dulwich.pack import write_pack_objects

from saidonce.adapters.upstream import git, git_objects, open_upstream
from saidonce.errors import UpstreamError
from saidonce.foundation.model.syncs import SyncSource, UpstreamKind
from saidonce.foundation.ports import UpstreamOptions
from world import NOON

TIMEOUT_S = 0.5
ENDS_S = 12.0
REFS_BYTES = 200_000
MOST_BYTES = 20 * 1024 * 1024
ID = b"1" * 40
OPTIONS = UpstreamOptions(
    is_supported=lambda _name: True, max_bytes=MOST_BYTES, allow_private=True, timeout_s=TIMEOUT_S
)


def line(content: bytes) -> bytes:
    """A line of Git's protocol: its length in four digits, and itself."""
    return b"%04x" % (len(content) + 4) + content


CAPABLE = line(ID + b" HEAD\0multi_ack side-band-64k shallow\n")
REF = line(ID + b" refs/heads/main\n")

BEHAVIOURS: dict[str, tuple[bytes, bytes, float]] = {
    "says nothing": (b"", b"", 0.1),
    "a byte every two tenths of a second": (b"", b"0", 0.2),
    "a letter of a line every two tenths of a second": (b"ffff", b"a", 0.2),
    "lines without end": (CAPABLE, b"".join(line(ID + b" refs/heads/%d\n" % n) for n in range(1_000)), 0.0),
    "a line every two tenths of a second": (CAPABLE, REF, 0.2),
    "bytes without end": (b"", b"z" * 65_536, 0.0),
    "lengths that are none": (b"zzzz", b"", 0.1),
    "names, then nothing": (CAPABLE + b"0000", b"", 0.1),
    "names, then progress without end": (CAPABLE + REF + b"0000", line(b"\x02" + b"p" * 60_000), 0.0),
    "names, then a pack of noise": (CAPABLE + REF + b"0000" + line(b"NAK\n"), line(b"\x01" + b"n" * 60_000), 0.0),
    "names, then a pack a byte at a time": (CAPABLE + REF + b"0000" + line(b"NAK\n"), line(b"\x01P"), 0.2),
    "a version that nobody has": (line(b"version 99\n") + b"0000", b"", 0.1),
    "names of no commit": (line(b"0" * 40 + b" HEAD\0multi_ack\n") + b"0000", b"", 0.1),
}


@dataclass
class Daemon:
    """A server that answers every connection with a beginning and then with more, for as long as it is listened to."""

    beginning: bytes
    more: bytes
    pause_s: float
    n_sent: int = 0
    taken: socket.socket = field(default_factory=lambda: socket.create_server(("127.0.0.1", 0)))

    def serve(self) -> None:
        """Answer until it is closed."""
        while True:
            try:
                connection, _ = self.taken.accept()
            except OSError:
                return
            threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        end = time.monotonic() + 2 * ENDS_S
        with connection, suppress(OSError):
            connection.sendall(self.beginning)
            while time.monotonic() < end:
                connection.sendall(self.more)
                self.n_sent += len(self.more)
                time.sleep(self.pause_s)


@pytest.fixture(autouse=True)
def _shortly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(git, "STEPS", 4)
    monkeypatch.setattr(git, "LONGEST_FETCH_S", 2.0)
    monkeypatch.setattr(git, "REFS_BYTES", REFS_BYTES)
    monkeypatch.setattr(git, "FETCH_BYTES", 10 * REFS_BYTES)


@pytest.fixture(params=list(BEHAVIOURS.values()), ids=list(BEHAVIOURS))
def daemon(request: pytest.FixtureRequest) -> Iterator[Daemon]:
    server = Daemon(*request.param)
    threading.Thread(target=server.serve, daemon=True).start()
    yield server
    server.taken.close()


def lists(address: str) -> UpstreamError:
    """List a repository; return why it could not be."""
    source = SyncSource("a" * 32, "main", address, UpstreamKind.GIT, NOON)
    begun = time.monotonic()
    with closing(open_upstream(source, OPTIONS)) as upstream, pytest.raises(UpstreamError) as refused:
        upstream.listing({})
    assert time.monotonic() - begun < ENDS_S
    return refused.value


def test_no_daemon_holds_the_worker_or_fills_it(daemon: Daemon) -> None:
    refused = lists(f"git://127.0.0.1:{daemon.taken.getsockname()[1]}/docs.git")
    assert len(str(refused)) < 500
    assert daemon.n_sent < MOST_BYTES


SSH = """#!{python}
import os, signal, socket, subprocess, sys, time
open({ran!r}, "a").write("ran")
{first}
server = socket.create_connection(("127.0.0.1", {port}))
while part := server.recv(65536):
    sys.stdout.buffer.write(part)
    sys.stdout.buffer.flush()
"""

PROGRAMS = {
    "as it should be": "pass",
    "a complaint without end": "while True: os.write(2, b'c\\n' * 32768)",
    "a complaint without end, and nothing else": "os.close(1)\nwhile True: os.write(2, b'c\\n' * 32768)",
    "a letter of a complaint every two tenths of a second": (
        "os.close(1)\nwhile True: os.write(2, b'c') and time.sleep(0.2)"
    ),
    "a child that holds on to what it writes to": "subprocess.Popen(['sleep', '25']); sys.exit(1)",
    "no end when it is asked to": "signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(25)",
    "no such host": "os.write(2, b'ssh: connect to host x: no route'); sys.exit(255)",
}


@pytest.fixture
def ssh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[int, str], Path]:
    """Puts a program in the place of ssh; returns the file that says whether it ran."""

    def put(port: int, first: str) -> Path:
        program, ran = tmp_path / "ssh", tmp_path / "ran"
        program.write_text(SSH.format(python=sys.executable, port=port, first=first, ran=str(ran)))
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
        return ran

    return put


def test_no_host_behind_ssh_holds_the_worker_or_fills_it(daemon: Daemon, ssh: Callable[[int, str], Path]) -> None:
    ran = ssh(daemon.taken.getsockname()[1], PROGRAMS["as it should be"])
    refused = lists("ssh://git@127.0.0.1/docs.git")
    assert len(str(refused)) < 500
    assert ran.read_text().startswith("ran")
    assert daemon.n_sent < MOST_BYTES


@pytest.mark.parametrize("first", PROGRAMS.values(), ids=PROGRAMS)
def test_no_program_in_the_place_of_ssh_holds_the_worker_or_fills_it(
    first: str, ssh: Callable[[int, str], Path]
) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as silent:
        ran = ssh(silent.getsockname()[1], first)
        tracemalloc.start()
        try:
            refused = lists("git@127.0.0.1:docs.git")
            most = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert len(str(refused)) < 500
    assert ran.read_text() == "ran"
    assert most < MOST_BYTES


def test_addresses_that_do_not_answer_do_not_add_their_times_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forty addresses of one name, whose server takes nobody: each could be waited for as long as one may take."""
    with closing(socket.create_server(("0.0.0.0", 0), backlog=0)) as full:
        port = full.getsockname()[1]
        waiting = [socket.socket() for _ in range(4)]
        for each in waiting:
            each.setblocking(False)
            each.connect_ex(("127.0.0.1", port))
        find: Callable[..., object] = socket.getaddrinfo
        rows = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (f"127.0.0.{n}", port)) for n in range(1, 41)]
        monkeypatch.setattr(
            socket, "getaddrinfo", lambda host, *args, **more: rows if host == "wiki" else find(host, *args, **more)
        )
        lists(f"git://wiki:{port}/docs.git")
        for each in waiting:
            each.close()


def commit_of(tree: bytes) -> Commit:
    """Return a commit of a tree."""
    commit = Commit()
    commit.tree = ObjectID(tree)
    commit.author = commit.committer = b"a <a@x>"
    commit.author_time = commit.commit_time = commit.author_timezone = commit.commit_timezone = 0
    commit.message = b"m"
    return commit


def pack_of(commit: Commit, *others: ShaFile) -> tuple[bytes, bytes]:
    """Return a commit's name, and it and other objects in a pack as a server sends it."""
    kept = io.BytesIO()
    write_pack_objects(kept, [(each, None) for each in (*others, commit)], object_format=DEFAULT_OBJECT_FORMAT)
    return commit.id, kept.getvalue()


def folder_of(*rows: tuple[bytes, int, bytes]) -> Tree:
    """Return a tree of names, modes and objects, as odd as they may be."""
    body = b"".join(b"%o %s\0%s" % (mode, name, bytes.fromhex(sha.decode())) for name, mode, sha in rows)
    tree = ShaFile.from_raw_string(Tree.type_num, body)
    assert isinstance(tree, Tree)
    return tree


@pytest.fixture(scope="module")
def packed() -> tuple[bytes, bytes]:
    """A commit and its pack."""
    texts = [Blob.from_string(b"Backups are kept for %d days.\n" % n * 40) for n in range(1, 9)]
    tree = folder_of(*((b"%d.txt" % n, 0o100644, blob.id) for n, blob in enumerate(texts)))
    return pack_of(commit_of(tree.id), tree, *texts)


def damaged(pack: bytes, chance: random.Random) -> bytes:
    """Return a pack with some bytes changed, left out or doubled; its sum is right in half of the cases."""
    body = bytearray(pack[:-20])
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(4, len(body))
        act = chance.randrange(4)
        if act == 0:
            body[at] = chance.randrange(256)
        elif act == 1:
            del body[at : at + chance.randint(1, 30)]
        elif act == 2:
            body[at:at] = body[at : at + chance.randint(1, 30)]
        else:
            body[8:12] = chance.choice([0, 1, 9, 11, 2**31, 2**32 - 1]).to_bytes(4, "big")
    return bytes(body) + (hashlib.sha1(body).digest() if chance.random() < 0.5 else pack[-20:])


def answers(server: socket.socket, commit: bytes, pack: bytes) -> None:
    """Answer once as a server with one commit does."""
    connection, _ = server.accept()
    with connection, suppress(OSError):
        connection.settimeout(ENDS_S)
        connection.sendall(line(commit + b" HEAD\0side-band-64k ofs-delta shallow\n"))
        connection.sendall(line(commit + b" refs/heads/main\n") + b"0000")
        heard = bytearray()
        hears(connection, heard, b"deepen 1")
        connection.sendall(line(b"shallow " + commit) + b"0000")
        hears(connection, heard, b"done")
        connection.sendall(line(b"NAK\n"))
        for n in range(0, len(pack), 900):
            connection.sendall(line(b"\x01" + pack[n : n + 900]))
        connection.sendall(b"0000")


def hears(connection: socket.socket, heard: bytearray, word: bytes) -> None:
    """Wait until the other side has said a word.

    Raises:
        ConnectionError: it said no more.
    """
    while word not in heard:
        if not (part := connection.recv(65_536)):
            raise ConnectionError
        heard += part


def fetched(commit: bytes, pack: bytes) -> list[str]:
    """Return the paths that a repository of one commit lists."""
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        for _ in range(2):
            threading.Thread(target=answers, args=(server, commit, pack), daemon=True).start()
        address = f"git://127.0.0.1:{server.getsockname()[1]}/docs.git"
        source = SyncSource("a" * 32, "main", address, UpstreamKind.GIT, NOON)
        with closing(open_upstream(source, OPTIONS)) as upstream:
            return [file.name.removeprefix(f"{upstream.root}/") for file in upstream.listing({}).files]


def test_a_whole_pack_is_read(packed: tuple[bytes, bytes]) -> None:
    assert len(fetched(*packed)) == 8


@pytest.mark.parametrize("n_packs", [60, pytest.param(500, marks=pytest.mark.slow)])
def test_a_damaged_pack_is_refused_or_read_whole(packed: tuple[bytes, bytes], n_packs: int) -> None:
    chance, refusals = random.Random(7), list[str]()
    for _ in range(n_packs):
        try:
            assert len(fetched(packed[0], damaged(packed[1], chance))) == 8
        except UpstreamError as refused:
            refusals.append(str(refused))
    assert len(refusals) > n_packs // 2
    assert max(map(len, refusals)) < 500


def size_of(kind: int, size: int) -> bytes:
    """How the header of a packed object is written."""
    written, size = bytearray([kind << 4 | size & 15]), size >> 4
    while size:
        written[-1] |= 0x80
        written.append(size & 0x7F)
        size >>= 7
    return bytes(written)


def number(value: int) -> bytes:
    """How a size in a difference is written."""
    written = bytearray()
    while value > 0x7F:
        written.append(0x80 | value & 0x7F)
        value >>= 7
    return bytes([*written, value])


ZEROS = zlib.compress(bytes(64 * 1024 * 1024))
COPY = b"\xff\0\0\0\0\xff\xff\xff"
"""Sixteen million bytes of the other object once more."""

BOMBS = {
    "a file of zeros": size_of(3, 64 * 1024 * 1024) + ZEROS,
    "a file that is larger than it says": size_of(3, 1_000) + ZEROS,
    "a file that says it is larger than anything": size_of(3, 2**50) + ZEROS,
    "a size without end": b"\xb0" + b"\x80" * 100_000,
    "a difference that repeats": (
        size_of(7, 6 + 10 + 8 * 400) + bytes(20) + zlib.compress(number(2**24) + number(400 * (2**24 - 1)) + COPY * 400)
    ),
    "a difference without sizes": size_of(7, 50) + bytes(20) + zlib.compress(b"\xff" * 50),
    "a difference of nothing": size_of(7, 0) + bytes(20) + zlib.compress(b""),
    "a thousand files": (size_of(3, 500_000) + zlib.compress(bytes(500_000))) * 1_000,
}


@pytest.mark.parametrize("name", BOMBS)
def test_no_pack_unpacks_to_more_than_a_repository_has(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(git_objects, "LARGEST_OBJECT", 1024 * 1024)
    monkeypatch.setattr(git_objects, "MOST_BYTES", 8 * 1024 * 1024)
    n_objects = 1_000 if name == "a thousand files" else 1
    pack = b"PACK\0\0\0\x02" + n_objects.to_bytes(4, "big") + BOMBS[name]
    pack += hashlib.sha1(pack).digest()
    begun = time.monotonic()
    tracemalloc.start()
    try:
        with pytest.raises(UpstreamError, match="Git says"):
            fetched(b"1" * 40, pack)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < MOST_BYTES
    assert time.monotonic() - begun < ENDS_S


@pytest.mark.parametrize("n_files", [0, 10])
def test_folders_in_folders_do_not_name_files_without_end(monkeypatch: pytest.MonkeyPatch, n_files: int) -> None:
    """Twelve small objects that name a thousand million folders, with files or with nothing in the last."""
    monkeypatch.setattr(git, "LISTING_BYTES", 2_000_000)
    blob = Blob.from_string(b"Keys.")
    trees = [folder_of(*((b"%d.txt" % n, 0o100644, blob.id) for n in range(n_files)))]
    for _ in range(9):
        trees.append(folder_of(*((b"%d" % n, 0o40000, trees[-1].id) for n in range(10))))
    begun = time.monotonic()
    with pytest.raises(UpstreamError, match="more files than a repository has"):
        fetched(*pack_of(commit_of(trees[-1].id), blob, *trees))
    assert time.monotonic() - begun < ENDS_S


KEYS = Blob.from_string(b"Keys are handed out at the desk.")
ODD: dict[str, tuple[int | None, tuple[Tree, ...]]] = {
    "a name that climbs": (None, (folder_of((b"../../etc/x.txt", 0o100644, KEYS.id)),)),
    "a folder called ..": (None, (folder_of((b"..", 0o40000, folder_of((b"a.txt", 0o100644, KEYS.id)).id)),)),
    "a name from the root": (None, (folder_of((b"/etc/x.txt", 0o100644, KEYS.id)),)),
    "a name of no letters": (None, (folder_of((b"", 0o100644, KEYS.id)),)),
    "a file that is said to be a folder": (None, (folder_of((b"a.txt", 0o40000, KEYS.id)),)),
    "a folder that is nowhere": (None, (folder_of((b"a", 0o40000, b"2" * 40)),)),
    "a file that is nowhere": (1, (folder_of((b"a.txt", 0o100644, b"2" * 40)),)),
    "a link": (0, (folder_of((b"a.txt", 0o120000, KEYS.id)),)),
    "another repository": (0, (folder_of((b"a.txt", 0o160000, KEYS.id)),)),
    "a mode that is none": (None, (folder_of((b"a.txt", 0o7777777777, KEYS.id)),)),
    "the same name twice": (None, (folder_of((b"a.txt", 0o100644, KEYS.id), (b"a.txt", 0o100644, KEYS.id)),)),
}
"""By name the files that are listed, if there must be a number, and the trees, the last of which is the commit's."""


@pytest.mark.parametrize("name", ODD)
def test_odd_trees_are_refused_or_list_what_stays_below_their_repository(name: str) -> None:
    n_files, trees = ODD[name]
    try:
        listed = fetched(*pack_of(commit_of(trees[-1].id), KEYS, *trees))
    except UpstreamError as refused:
        assert n_files is None
        assert len(str(refused)) < 500  # noqa: PT017
        return
    assert n_files is None or len(listed) == n_files
    assert not {"", ".."} & {part for path in listed for part in path.split("/")}


def test_a_daemon_of_a_private_address_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its name leads to a public address when it is looked up first, and to a private one when it is asked."""
    server = Daemon(b"", b"", 0.1)
    port = server.taken.getsockname()[1]
    find: Callable[..., object] = socket.getaddrinfo
    answers = iter([[(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("93.184.215.14", port))]])
    monkeypatch.setattr(socket, "getaddrinfo", lambda *args, **more: next(answers, None) or find(*args, **more))
    source = SyncSource("a" * 32, "main", f"git://localhost:{port}/docs.git", UpstreamKind.GIT, NOON)
    options = replace(OPTIONS, allow_private=False)
    with closing(open_upstream(source, options)) as upstream, pytest.raises(UpstreamError, match="private address"):
        upstream.listing({})
    server.taken.close()
