"""How servers of repositories are asked: over HTTP, `git://` and ssh, with bounds on what they send, and how long."""

from __future__ import annotations

import contextlib
import select
import socket
from collections.abc import Callable, Iterator
from typing import Any, TypeVar
from urllib.parse import urlsplit

import urllib3
from dulwich.client import (
    GitClient,
    SSHGitClient,
    SubprocessSSHVendor,
    SubprocessWrapper,
    TCPGitClient,
    get_transport_and_path,
)
from dulwich.errors import GitProtocolError, NotGitRepository
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

Kind = TypeVar("Kind", bound=HTTPConnection)
Read = Callable[..., bytes]

FAILURES = (
    GitProtocolError,
    NotGitRepository,
    OSError,
    KeyError,
    ValueError,
    AssertionError,
    urllib3.exceptions.HTTPError,
)
"""What the library raises for a server that does not answer as it should."""


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

        def bounded(n: int) -> bytes:
            return self._checked(read(n))

        return bounded

    def ended(self, started: SubprocessWrapper) -> None:
        """Take a program that is to end with the time."""
        self._deadline.ended(started.proc)

    def _checked(self, part: bytes) -> bytes:
        self._n_left -= len(part)
        if self._n_left < 0:
            raise UpstreamError(self._address, "the server sends more than a repository has")
        return part

    def _close(self) -> None:
        for answer in self._answers:
            answer.__dict__.pop("read", None)  # which holds the answer in turn
            answer.close()
        for connection in self._connections:
            connection.close()
        self._answers.clear()
        self._connections.clear()


def guarded_client(address: str, options: UpstreamOptions, guard: GitGuard) -> tuple[GitClient, str]:
    """Return the client of an address, whose connections a guard watches, and the path there.

    Raises:
        UpstreamError: the host is not known, or a private one.
    """
    parsed = urlsplit(address)
    host = address.partition(":")[0].rpartition("@")[2] if is_scp(address) else parsed.hostname or ""
    port = parsed.port if not is_scp(address) else None
    if parsed.scheme in ("http", "https"):
        return get_transport_and_path(address, pool_manager=_checked_manager(host, options, guard))
    addresses_of(host, port or DEFAULT_PORTS.get(parsed.scheme, 22), options.allow_private)
    client, path = get_transport_and_path(address)
    if isinstance(client, TCPGitClient):
        return _WatchedTcp(host, port or DEFAULT_PORTS["git"], options, guard), path
    if isinstance(client, SSHGitClient):
        client.ssh_vendor = _WatchedSsh(guard)
    return client, path


class _WatchedTcp(TCPGitClient):
    """A client of `git://` whose connections a guard watches."""

    def __init__(self, host: str, port: int, options: UpstreamOptions, guard: GitGuard) -> None:
        super().__init__(host, port)
        self._at = host, port
        self._options = options
        self._guard = guard

    def _connect(
        self, cmd: bytes, path: str | bytes, protocol_version: int | None = None
    ) -> tuple[Protocol, Callable[[], bool], None]:
        connected = self._guard.watched(socket.create_connection(self._at, self._options.timeout_s))
        if not self._options.allow_private and not is_public(str(connected.getpeername()[0])):
            connected.close()
            raise UpstreamError(self._at[0], PRIVATE)
        self.protocol_version = DEFAULT_GIT_PROTOCOL_VERSION_FETCH if protocol_version is None else protocol_version
        stream = connected.makefile("rb")

        def close() -> None:
            stream.close()
            connected.close()

        def sent(part: bytes) -> int:
            connected.sendall(part)
            return len(part)

        proto = Protocol(self._guard.counted_read(stream.read), sent, close)
        asked = b"\0\0version=2\0" if self.protocol_version == 2 else b""
        proto.send_cmd(
            b"git-" + cmd, path if isinstance(path, bytes) else path.encode(), b"host=" + self._host.encode() + asked
        )
        return proto, lambda: bool(select.select([connected], [], [], 0)[0]), None


class _WatchedSsh(SubprocessSSHVendor):
    """Runs ssh, and ends it with the time of a guard."""

    def __init__(self, guard: GitGuard) -> None:
        self._guard = guard

    def run_command(self, *args: Any, **options: Any) -> SubprocessWrapper:
        """Run a command of Git at a host."""
        started = super().run_command(*args, **options)
        self._guard.ended(started)
        started.read = self._guard.counted_read(started.read)
        return started


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
