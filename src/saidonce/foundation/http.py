"""Requests to services that are not trusted: one deadline, a bounded answer, nothing followed or unpacked."""

from __future__ import annotations

import asyncio
import json
import logging
import math
import ssl
import time
import weakref
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from functools import cache
from typing import Any

import httpcore2  # noqa: F401  httpx2 would load it in the middle of the first request
import httpx2

from saidonce.errors import SettingsError
from saidonce.foundation.deadline import within

REPLY_BYTES = 1_000_000
"""Largest answer that is read where nothing else is said."""

CONNECT_SHARE = 0.95
"""Share of the time in which a connection must stand; cut off in a handshake the client would leave a socket open."""

LONGEST_PAUSE_S = 3_600.0
"""Longest pause that a service may ask for."""

_HEADERS = {"Accept-Encoding": "identity", "User-Agent": "saidonce"}
_URL = "http://HOST/PATH or https://HOST/PATH, without user name, query or fragment"


@dataclass(frozen=True, slots=True)
class HttpReply:
    """What came back, whatever its status."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def retry_after_s(self) -> float | None:
        """Seconds that `Retry-After` asks for, as a number or a date, an hour at most; None if it makes no sense."""
        header = self.headers.get("Retry-After", "").strip()
        try:
            is_number = header[:1].isdigit()
            seconds = float(header) if is_number else parsedate_to_datetime(header).timestamp() - time.time()
        except (ValueError, TypeError, OverflowError):
            return None
        return min(max(0.0, seconds), LONGEST_PAUSE_S) if math.isfinite(seconds) else None

    @property
    def is_packed(self) -> bool:
        """Return whether the body is compressed, which was not requested; a small one could expand to gigabytes."""
        return self.headers.get("Content-Encoding", "identity").casefold() != "identity"

    @property
    def fields(self) -> dict[str, Any]:
        """The answer's JSON object; empty if it is none."""
        try:
            content = json.loads(self.body)
        except (ValueError, RecursionError):
            return {}
        return content if isinstance(content, dict) else {}


class NoReplyError(Exception):
    """There is no whole answer.

    Attributes:
        reason: names no address, header or content, which may hold secrets.
        is_sent: the other side may have read the request.
        is_late: time ran out.
        tls: what was wrong with TLS, if that was it.
    """

    def __init__(self, reason: str, is_sent: bool, is_late: bool = False, tls: str = "") -> None:
        self.reason = reason
        self.is_sent = is_sent
        self.is_late = is_late
        self.tls = tls
        super().__init__(reason)


class ReplyTooLargeError(Exception):
    """The answer has more bytes than are read."""


class Progress:
    """How far a request came: `is_sent` once its first byte goes out."""

    def __init__(self) -> None:
        self.is_sent = False

    async def note(self, event: str, _: Mapping[str, Any]) -> None:
        """Take an event of the client."""
        if event.endswith("send_request_headers.started"):
            self.is_sent = True


class HttpClient:
    """Asks services of others; for several threads.

    Args:
        timeout_s: for one exchange as a whole: looking up, connecting, sending, reading.
        headers: of every request; they may hold secrets, and are neither logged nor shown.
        tls: certificates that are trusted; None trusts the usual ones.
        uses_proxies: those that the environment names.
        keeps_connections: for the next request, until the client is dropped.
    """

    def __init__(
        self,
        timeout_s: float,
        headers: Mapping[str, str] | None = None,
        tls: ssl.SSLContext | None = None,
        uses_proxies: bool = True,
        keeps_connections: bool = False,
    ) -> None:
        self._timeout_s = timeout_s
        self._headers = {**_HEADERS, **(headers or {})}
        self._tls = tls
        self._uses_proxies = uses_proxies
        self._keeps_connections = keeps_connections
        self._kept: tuple[asyncio.AbstractEventLoop, httpx2.AsyncClient] | None = None

    def deadline(self) -> float:
        """Return the moment of `time.monotonic` by which requests that begin now have to end."""
        return time.monotonic() + self._timeout_s

    def ask(
        self, method: str, url: str, most: int = REPLY_BYTES, until: float | None = None, **request: Any
    ) -> HttpReply:  # fmt: skip
        """Send one request and read the whole answer, never unpacking it; redirects are answers like any other.

        Args:
            method: such as GET.
            url: where to.
            most: largest answer that is read, in bytes; 0 reads status and headers alone.
            until: a `deadline` that several requests share.
            request: headers, auth, json, data, content or extensions, as httpx2 takes them.

        Raises:
            NoReplyError: no whole answer came in time.
            ReplyTooLargeError: the answer is larger than `most`.
        """
        end = self.deadline() if until is None else until
        progress = Progress()
        _trusted_certificates()  # read before the shared loop needs it: that takes longer than a request
        try:
            work = self._asked(progress, method, url, end, most, **request)
            return within(work, max(0.0, end - time.monotonic()))
        except TimeoutError:
            raise NoReplyError("it took too long", progress.is_sent, is_late=True) from None

    def opened(self) -> httpx2.AsyncClient:
        """Return a client for one conversation, for `exchange`.

        It follows no redirect. A timeout of single reads could be stretched for ever, so there is none: the caller
        sets one deadline around the whole conversation.
        """
        tls = self._tls or _trusted_certificates()
        return httpx2.AsyncClient(
            headers=self._headers, follow_redirects=False, timeout=None, verify=tls, trust_env=self._uses_proxies
        )  # fmt: skip

    async def _asked(
        self, progress: Progress, method: str, url: str, until: float, most: int, **request: Any
    ) -> HttpReply:  # fmt: skip
        if self._keeps_connections:
            return await exchange(self._kept_client(), method, url, until, most, progress=progress, **request)
        try:
            async with self.opened() as client:
                return await exchange(client, method, url, until, most, progress=progress, **request)
        except httpx2.InvalidURL:
            raise NoReplyError("the connection failed (InvalidURL)", is_sent=False) from None

    def _kept_client(self) -> httpx2.AsyncClient:
        """Return the client that keeps connections open; a forked process gets its own, with its own event loop."""
        loop = asyncio.get_running_loop()
        if self._kept is None or self._kept[0] is not loop:
            client = self.opened()
            self._kept = (loop, client)
            weakref.finalize(self, _close, loop, client).atexit = False
        return self._kept[1]


async def exchange(
    client: httpx2.AsyncClient,
    method: str,
    url: str,
    until: float,
    most: int = REPLY_BYTES,
    progress: Progress | None = None,
    **request: Any,
) -> HttpReply:
    """Send one request of a conversation, and read its whole answer, never unpacking it.

    Connecting ends a little before the deadline of `time.monotonic` by itself; all else is the caller's to cut off.

    Args:
        most: largest answer that is read, in bytes; 0 reads status and headers alone.
        progress: to be told how far it came.

    Raises:
        NoReplyError: the connection failed, or did not stand in time.
        ReplyTooLargeError: the answer is larger than `most`.
    """
    so_far = progress or Progress()
    timeout = httpx2.Timeout(None, connect=CONNECT_SHARE * max(0.0, until - time.monotonic()))
    extensions = {**request.pop("extensions", {}), "trace": so_far.note}
    try:
        async with client.stream(method, url, timeout=timeout, extensions=extensions, **request) as reply:
            return HttpReply(reply.status_code, reply.headers, await _read_body(reply, most) if most else b"")
    except httpx2.TimeoutException:
        raise NoReplyError("it took too long", so_far.is_sent, is_late=True) from None
    except (httpx2.HTTPError, httpx2.InvalidURL, OSError, UnicodeError) as failed:
        # The message of an error may hold the address or a header, and with it a secret.
        reason = f"the connection failed ({type(failed).__name__})"
        raise NoReplyError(reason, so_far.is_sent, tls=_wrong_with_tls(failed)) from None


async def _read_body(reply: httpx2.Response, most: int) -> bytes:
    length = reply.headers.get("Content-Length", "")
    if length.isdecimal() and int(length) > most:
        raise ReplyTooLargeError
    content = bytearray()
    async for part in reply.aiter_raw():
        content += part
        if len(content) > most:
            raise ReplyTooLargeError
    return bytes(content)


def _wrong_with_tls(failed: BaseException | None) -> str:
    while failed is not None:
        if isinstance(failed, ssl.SSLError):
            return failed.reason or type(failed).__name__
        failed = failed.__cause__ or failed.__context__
    return ""


def _close(loop: asyncio.AbstractEventLoop, client: httpx2.AsyncClient) -> None:
    if loop.is_running():
        asyncio.run_coroutine_threadsafe(client.aclose(), loop)


class _HostsOnly(logging.Filter):
    """Leaves scheme and host of the addresses that the library logs; the rest may hold a secret."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Shorten the addresses of a record, and let it through."""
        if isinstance(record.args, tuple):
            record.args = tuple(f"{a.scheme}://{a.host}" if isinstance(a, httpx2.URL) else a for a in record.args)
        return True


logging.getLogger("httpx2").addFilter(_HostsOnly())


@cache
def _trusted_certificates() -> ssl.SSLContext:
    """Return the certificates that are trusted by default."""
    return httpx2.create_ssl_context()


def bounded_client(most: int) -> httpx2.AsyncClient:
    """Return a client for a library that reads responses itself: uncompressed, no redirects, at most `most` bytes."""
    # A connection of its own for each request: none is left open behind a library that nobody uses any more.
    transport = _BoundedTransport(most)
    return httpx2.AsyncClient(transport=transport, follow_redirects=False)


class _BoundedTransport(httpx2.AsyncHTTPTransport):
    def __init__(self, most: int) -> None:
        super().__init__(verify=_trusted_certificates(), limits=httpx2.Limits(max_keepalive_connections=0))
        self._most = most

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        request.headers["Accept-Encoding"] = "identity"
        reply = await super().handle_async_request(request)
        if reply.headers.get("Content-Encoding", "identity") != "identity":
            await reply.aclose()
            raise httpx2.DecodingError("the reply is compressed, which was not requested")
        return httpx2.Response(
            reply.status_code, headers=reply.headers, stream=_BoundedStream(reply.stream, self._most)
        )  # fmt: skip


class _BoundedStream(httpx2.AsyncByteStream):
    def __init__(self, stream: Any, most: int) -> None:
        self._stream = stream
        self._most = most

    async def __aiter__(self) -> AsyncIterator[bytes]:
        n_read = 0
        async for part in self._stream:
            n_read += len(part)
            if n_read > self._most:
                raise httpx2.ReadError(f"the reply is larger than {self._most} bytes")
            yield part

    async def aclose(self) -> None:
        await self._stream.aclose()


def base_url(setting: str, url: str) -> str:
    """Return an operator's base URL in its normal form, without a slash at its end.

    Raises:
        SettingsError: it is malformed, or holds more than scheme, host and path.
    """
    try:
        parsed = httpx2.URL(url.strip())
    except httpx2.InvalidURL:
        raise SettingsError(setting, "(malformed)", _URL) from None
    if "@" in parsed.netloc.decode("ascii") or parsed.userinfo or parsed.query or parsed.fragment:
        raise SettingsError(setting, "(not shown, it may hold a secret)", _URL)
    is_port = parsed.port is None or 0 < parsed.port < 65_536
    if parsed.scheme not in {"http", "https"} or not parsed.host or "%" in parsed.host or not is_port:
        raise SettingsError(setting, url, _URL)
    return str(parsed).rstrip("/")


def host_of(url: str) -> str:
    """Return host and port of a `base_url`, the port only where it is not the usual one."""
    return httpx2.URL(url).netloc.decode("ascii")


def address_of(url: str) -> str:
    """Return host, port and path of a `base_url`; with its scheme where that is http, since another service may answer.

    What stands under one path of a host is not what stands under another.
    """
    parsed = httpx2.URL(url)
    scheme = "" if parsed.scheme == "https" else f"{parsed.scheme}://"
    return f"{scheme}{host_of(url)}{parsed.path.rstrip('/')}"


def header_secret(setting: str, value: str) -> str:
    """Return a secret as it can stand in a header; empty if there is none.

    Raises:
        SettingsError: it cannot.
    """
    stripped = value.strip()
    if not (stripped.isascii() and stripped.isprintable()) or " " in stripped:
        raise SettingsError(setting, "(not shown)", "printable ASCII characters without spaces")
    return stripped


def bearer(setting: str, key: str) -> dict[str, str]:
    """Return the header that a key is sent by; empty without a key.

    Raises:
        SettingsError: it cannot be sent.
    """
    token = header_secret(setting, key)
    return {"Authorization": f"Bearer {token}"} if token else {}
