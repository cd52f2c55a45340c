"""Git servers over `git://` and ssh that are silent, slow, endless or wrong: a sync ends in time, with one line."""

from __future__ import annotations

import socket
import stat
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

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
OPTIONS = UpstreamOptions(is_supported=lambda _name: True, max_bytes=MOST_BYTES, allow_private=True, timeout_s=TIMEOUT_S)


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
import socket, sys, threading
server = socket.create_connection(("127.0.0.1", {port}))
while part := server.recv(65536):
    sys.stdout.buffer.write(part)
    sys.stdout.buffer.flush()
"""


def test_no_host_behind_ssh_holds_the_worker_or_fills_it(
    daemon: Daemon, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "ssh"
    program.write_text(SSH.format(python=sys.executable, port=daemon.taken.getsockname()[1]))
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("GIT_SSH_COMMAND", str(program))
    refused = lists("ssh://git@127.0.0.1/docs.git")
    assert len(str(refused)) < 500
    assert daemon.n_sent < MOST_BYTES


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
