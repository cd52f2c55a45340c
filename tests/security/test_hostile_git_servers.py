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
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from dulwich.object_format import DEFAULT_OBJECT_FORMAT
from dulwich.objects import Blob, Commit, Tree
from dulwich.pack import write_pack_objects

from saidonce.adapters.upstream import git, open_upstream
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


@pytest.fixture(params=BEHAVIOURS.values(), ids=BEHAVIOURS)
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


@pytest.fixture(scope="module")
def packed() -> tuple[bytes, bytes]:
    """A commit and its pack, as a server sends them."""
    made = [Blob.from_string(b"Backups are kept for %d days.\n" % n * 40) for n in range(1, 9)]
    tree, commit = Tree(), Commit()
    for n, blob in enumerate(made):
        tree.add(b"%d.txt" % n, 0o100644, blob.id)
    commit.tree = tree.id
    commit.author = commit.committer = b"a <a@x>"
    commit.author_time = commit.commit_time = commit.author_timezone = commit.commit_timezone = 0
    commit.message = b"m"
    kept = io.BytesIO()
    write_pack_objects(kept, [(each, None) for each in (*made, tree, commit)], object_format=DEFAULT_OBJECT_FORMAT)
    return commit.id, kept.getvalue()


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


def fetched(commit: bytes, pack: bytes) -> int:
    """Return how many files a repository of one commit lists."""
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        for _ in range(2):
            threading.Thread(target=answers, args=(server, commit, pack), daemon=True).start()
        address = f"git://127.0.0.1:{server.getsockname()[1]}/docs.git"
        source = SyncSource("a" * 32, "main", address, UpstreamKind.GIT, NOON)
        with closing(open_upstream(source, OPTIONS)) as upstream:
            return len(upstream.listing({}).files)


def test_a_whole_pack_is_read(packed: tuple[bytes, bytes]) -> None:
    assert fetched(*packed) == 8


@pytest.mark.parametrize("n_packs", [60, pytest.param(2_000, marks=pytest.mark.slow)])
def test_a_damaged_pack_is_refused_or_read_whole(packed: tuple[bytes, bytes], n_packs: int) -> None:
    chance, refusals = random.Random(7), list[str]()
    for _ in range(n_packs):
        try:
            assert fetched(packed[0], damaged(packed[1], chance)) == 8
        except UpstreamError as refused:
            refusals.append(str(refused))
    assert len(refusals) > n_packs // 2
    assert max(map(len, refusals)) < 500


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
