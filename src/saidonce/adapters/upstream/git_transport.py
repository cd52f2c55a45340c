"""How servers of repositories are asked: over HTTP, `git://` and ssh, with bounds on what they send, and how long."""

from __future__ import annotations

import contextlib
import os
import selectors
import socket
import struct
import time
import zlib
from collections.abc import Callable, Iterator
from subprocess import TimeoutExpired
from typing import IO, Any, TypeVar, cast
from urllib.parse import urlsplit

import urllib3
from dulwich import errors
from dulwich.client import GitClient, SSHGitClient, SubprocessSSHVendor, SubprocessWrapper, TCPGitClient
from dulwich.client import get_transport_and_path as client_of
from dulwich.pack import UnresolvedDeltas
from dulwich.protocol import DEFAULT_GIT_PROTOCOL_VERSION_FETCH, Protocol
from urllib3.connection import HTTPConnection, HTTPSConnection

from saidonce.adapters.senders.webhook import is_public
from saidonce.adapters.upstream.addresses import PRIVATE, addresses_of
from saidonce.errors import UpstreamError
from saidonce.foundation.deadline import ConnectionDeadline
from saidonce.foundation.ports import UpstreamOptions

DEFAULT_PORTS = {"git": 9418, "ssh": 22}
HTTP_PORTS = {"http": 80, "https": 443}
PART_BYTES = 65_536

COMPLAINT_BYTES, COMPLAINT_S = 65_536, 2.0
"""What is read of the complaints of ssh after it ended, and how long."""

END_S = 5.0
"""How long ssh may take to end when it is asked to."""

Kind = TypeVar("Kind", bound=HTTPConnection)
Read = Callable[[int], bytes]
Connected = tuple[Protocol, Callable[[], bool], IO[bytes] | None]

FAILURES = (
    errors.GitProtocolError,
    errors.NotGitRepository,
    errors.ChecksumMismatch,
    errors.WrongObjectException,
    errors.MissingCommitError,
    errors.ObjectMissing,
    errors.ApplyDeltaError,
    errors.FileFormatException,
    errors.RefFormatError,
    UnresolvedDeltas,
    OSError,
    LookupError,
    ValueError,
    TypeError,
    EOFError,
    AssertionError,
    RecursionError,
    struct.error,
    zlib.error,
    urllib3.exceptions.HTTPError,
)
"""What the library raises for a server that does not answer as it should, and for a repository that is damaged."""


class GitGuard:
    """Bounds what a server of repositories sends, and how long."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._deadline = ConnectionDeadline()
        self._answers: list[Any] = []
        self._closes: list[Callable[[], None]] = []
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

    @property
    def left_s(self) -> float:
        """The seconds that a server still has.

        Raises:
            TimeoutError: none.
        """
        if not (left := self._deadline.left_s):
            raise TimeoutError
        return left

    def closed_at_last(self, close: Callable[[], None]) -> None:
        """Close a connection at the end, also one that failed and that nobody gave back."""
        self._closes.append(close)

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
            while part := self._checked(bytes(read(PART_BYTES if amount is None else amount, *args, **more))):
                whole += part
                if amount is not None:
                    break
            return bytes(whole)

        response.read = bounded
        self._answers.append(response)
        return response

    def counted_read(self, read: Read) -> Read:
        """Return a way to read whose bytes are counted."""
        return lambda n: self._checked(read(n))

    def pipe_read(self, pipe: IO[bytes]) -> Read:
        """Return a way to read so many bytes of what a program writes: counted, and no longer than the server has time.

        A program that was ended may leave others behind that hold its pipe.
        """

        def read(n: int) -> bytes:
            whole = bytearray()
            while len(whole) < n:
                if not _is_readable(pipe, self.left_s):
                    raise TimeoutError
                part = self._checked(os.read(pipe.fileno(), min(n - len(whole), PART_BYTES)))
                if not part:
                    break
                whole += part
            return bytes(whole)

        return read

    def _checked(self, part: bytes) -> bytes:
        self._n_left -= len(part)
        if self._n_left < 0:
            raise UpstreamError(self._address, "the server sends more than a repository has")
        return part

    def _close(self) -> None:
        for answer in self._answers:
            answer.__dict__.pop("read", None)  # which holds the answer in turn
            answer.close()
        for close in self._closes:
            close()
        self._answers.clear()
        self._closes.clear()


def guarded_client(address: str, options: UpstreamOptions, guard: GitGuard) -> tuple[GitClient, str]:
    """Return the client of an address, whose connections a guard watches, and the path there.

    Raises:
        UpstreamError: the host is not known, or a private one.
    """
    parsed = urlsplit(address)
    host = address.partition(":")[0].rpartition("@")[2] if is_scp(address) else parsed.hostname or ""
    port = parsed.port if not is_scp(address) else None
    if parsed.scheme in ("http", "https"):
        return client_of(address, pool_manager=_checked_manager(host, options, guard))
    addresses_of(host, port or DEFAULT_PORTS.get(parsed.scheme, 22), options.allow_private)
    client, path = client_of(address)
    if isinstance(client, TCPGitClient):
        return _WatchedTcp(host, port or DEFAULT_PORTS["git"], options, guard), path
    if isinstance(client, SSHGitClient):
        return _WatchedSsh(client, guard), path
    raise UpstreamError(address, "no repository is read in this way")


class _WatchedTcp(TCPGitClient):
    """A client of `git://` whose connections a guard watches."""

    def __init__(self, host: str, port: int, options: UpstreamOptions, guard: GitGuard) -> None:
        super().__init__(host, port)
        self._at = host, port
        self._options = options
        self._guard = guard

    def _connect(self, cmd: bytes, path: str | bytes, protocol_version: int | None = None) -> Connected:
        connected = self._guard.watched(self._connected())
        self.protocol_version = DEFAULT_GIT_PROTOCOL_VERSION_FETCH if protocol_version is None else protocol_version
        stream = connected.makefile("rb")

        def close() -> None:
            stream.close()
            connected.close()

        def sent(part: bytes) -> int:
            connected.sendall(part)
            return len(part)

        proto = Protocol(self._guard.counted_read(stream.read), sent, close)
        self._guard.closed_at_last(proto.close)
        asked = b"\0\0version=2\0" if self.protocol_version == 2 else b""
        proto.send_cmd(
            b"git-" + cmd, path if isinstance(path, bytes) else path.encode(), b"host=" + self._host.encode() + asked
        )
        return proto, lambda: _is_readable(connected, 0.0), None

    def _connected(self) -> socket.socket:
        """Connect to the first address that answers, of those that may be asked; no name is looked up again after."""
        failed: OSError = TimeoutError()
        for address in addresses_of(*self._at, self._options.allow_private):
            timeout_s = min(self._options.timeout_s, self._guard.left_s)
            try:
                connected = socket.create_connection((address, self._at[1]), timeout_s)
            except OSError as silent:
                failed = silent
                continue
            connected.settimeout(self._options.timeout_s)
            return connected
        raise failed


class _WatchedSsh(SSHGitClient):
    """A client of ssh whose program a guard watches."""

    def __init__(self, of: SSHGitClient, guard: GitGuard) -> None:
        super().__init__(of.host, of.port, of.username, _SshPrograms(guard))
        self._guard = guard

    def _connect(self, cmd: bytes, path: str | bytes, protocol_version: int | None = None) -> Connected:
        proto, can_read, complaints = super()._connect(cmd, path, protocol_version)
        self._guard.closed_at_last(proto.close)
        return proto, can_read, complaints


class _SshPrograms(SubprocessSSHVendor):
    """Starts ssh."""

    def __init__(self, guard: GitGuard) -> None:
        self._guard = guard

    def run_command(self, *args: Any, **options: Any) -> Any:
        """Run a command of Git at a host."""
        return _Ssh(super().run_command(*args, **options), self._guard)


class _Ssh:
    """A running ssh: what it writes is bounded, and it ends when nobody listens to it any more."""

    def __init__(self, started: SubprocessWrapper, guard: GitGuard) -> None:
        self._started = started  # which closes the pipe that is read here when it goes
        self._program = started.proc
        self.read = guard.pipe_read(cast("IO[bytes]", started.proc.stdout))
        self.write = started.write
        self.can_read = started.can_read

    @property
    def stderr(self) -> _Ssh:
        """What it complains into."""
        return self

    def readlines(self) -> list[bytes]:
        """Return what it complained about in its end."""
        pipe, whole, until = cast("IO[bytes]", self._program.stderr), b"", time.monotonic() + COMPLAINT_S
        while len(whole) < COMPLAINT_BYTES and _is_readable(pipe, max(0.0, until - time.monotonic())):
            if not (part := os.read(pipe.fileno(), PART_BYTES)):
                break
            whole += part
        return whole.splitlines(keepends=True)

    def close(self) -> None:
        """End it, and wait for its end."""
        self._program.terminate()
        for pipe in (self._program.stdin, self._program.stdout, self._program.stderr):
            cast("IO[bytes]", pipe).close()
        try:
            self._program.wait(END_S)
        except TimeoutExpired:
            self._program.kill()
            self._program.wait()


def _is_readable(stream: IO[bytes] | socket.socket, seconds: float) -> bool:
    """Return whether something can be read without waiting, now or after so many seconds."""
    with selectors.DefaultSelector() as selector:
        selector.register(stream, selectors.EVENT_READ)
        return bool(selector.select(seconds))


def is_scp(address: str) -> bool:
    """Return whether an address is of the short form that ssh has: USER@HOST:PATH."""
    head = address.partition(":")[0]
    return "://" not in address and ":" in address and "@" in head and "/" not in head


def _watched_kind(kind: type[Kind], guard: GitGuard, check: Callable[[Any], None]) -> type[Kind]:
    """Return a kind of connections that a guard watches, and that are checked when they stand."""

    class WatchedConnection(kind):  # type: ignore[misc, valid-type]
        def _new_conn(self) -> socket.socket:
            return guard.watched(super()._new_conn())

        def connect(self) -> None:
            guard.closed_at_last(self.close)
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
