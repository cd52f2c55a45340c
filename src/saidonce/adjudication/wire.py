"""One request over HTTP to a service that is not trusted."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from ssl import SSLContext
from typing import Any

import httpcore  # noqa: F401  httpx would load it in the middle of the first conversation
import httpx

from saidonce.errors import ReplyError, SettingsError
from saidonce.foundation.model import Failure
from saidonce.matching.reply import strict_json

REPLY_BYTES = 200_000
"""Largest reply that is read: as many bytes as the strict reader's characters may take."""

CONNECT_SHARE = 0.95
"""Share of the time that is left in which a connection must stand."""


class ExchangeError(Exception):
    """One request failed; `retry_after_s` is set if the service asks to come again, 0.0 if it does not say when."""

    def __init__(self, failure: Failure, reason: str, retry_after_s: float | None = None) -> None:
        self.failure = failure
        self.reason = reason
        self.retry_after_s = retry_after_s
        super().__init__(reason)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where an operator's service is, and how one speaks to it; a caller never chooses it.

    Attributes:
        base: URL without a slash at its end.
        headers: of every request.
        tls: certificates that are trusted.
    """

    base: str
    host: str
    headers: dict[str, str]
    tls: SSLContext

    def opened(self) -> httpx.AsyncClient:
        """A client for one conversation. Redirects are not followed, and single reads have no timeout of their own.

        The caller sets one deadline around the whole conversation instead.
        """
        return httpx.AsyncClient(
            headers=self.headers,
            follow_redirects=False,
            timeout=None,  # noqa: S113  a timeout of single reads could be stretched for ever
            verify=self.tls,
        )


def endpoint(url: str, key: str, tls: SSLContext | None = None) -> Endpoint:
    """Read an operator's URL and key.

    Raises:
        SettingsError: the URL is malformed, or the key cannot be sent.
    """
    allowed = "http://HOST/PATH or https://HOST/PATH, without user name, query or fragment"
    try:
        parsed = httpx.URL(url.strip())
    except httpx.InvalidURL:
        raise SettingsError("auto_rater_url", "(malformed)", allowed) from None
    if parsed.userinfo or parsed.query or parsed.fragment:
        raise SettingsError("auto_rater_url", "(not shown, it may hold a secret)", allowed)
    if parsed.scheme not in {"http", "https"} or not parsed.host or "%" in parsed.host:
        raise SettingsError("auto_rater_url", url, allowed)
    stripped = key.strip()
    if not (stripped.isascii() and stripped.isprintable()) or " " in stripped:
        raise SettingsError("auto_rater_key", "(not shown)", "printable ASCII characters without spaces")
    headers = {"Accept": "application/json", "Accept-Encoding": "identity", "User-Agent": "saidonce"}
    if stripped:
        headers["Authorization"] = f"Bearer {stripped}"
    return Endpoint(str(parsed).rstrip("/"), parsed.netloc.decode("ascii"), headers, tls or httpx.create_ssl_context())


async def exchanged(
    client: httpx.AsyncClient, method: str, url: str, deadline: float, body: Any = None
) -> dict[str, Any]:
    """Send one request, and read its reply as one JSON object, strictly.

    Connecting ends a little before the deadline of `time.monotonic` by itself: cut off from outside in the middle of
    a handshake, the client would leave its socket open.

    Raises:
        FailedError: anything else came back, or nothing.
    """
    connect_s = CONNECT_SHARE * max(0.0, deadline - time.monotonic())
    try:
        async with client.stream(method, url, json=body, timeout=httpx.Timeout(None, connect=connect_s)) as reply:
            content = await _read(reply)
            _refuse(reply)
    except httpx.TimeoutException:
        raise ExchangeError(Failure.TIMEOUT, "no connection in time") from None
    except httpx.HTTPError as bad:
        raise ExchangeError(Failure.UNREACHABLE, f"the connection failed ({type(bad).__name__})") from None
    try:
        return strict_json(content.decode("utf-8"))
    except UnicodeDecodeError:
        raise ExchangeError(Failure.MALFORMED, "the reply is no UTF-8") from None
    except ReplyError as bad:
        raise ExchangeError(Failure.MALFORMED, bad.reason) from None


async def _read(reply: httpx.Response) -> bytes:
    content = bytearray()
    async for part in reply.aiter_raw():  # never unpacked: a small reply could hold gigabytes
        content += part
        if len(content) > REPLY_BYTES:
            raise ExchangeError(Failure.MALFORMED, f"the reply is larger than {REPLY_BYTES} bytes")
    return bytes(content)


def _refuse(reply: httpx.Response) -> None:
    status = reply.status_code
    if status in {429, 503}:
        asked = _retry_after(reply.headers.get("Retry-After", ""))
        if status == 429 or asked:
            raise ExchangeError(Failure.REFUSED, f"status {status}", asked)
    if status >= 500:
        raise ExchangeError(Failure.UNREACHABLE, f"status {status}")
    if 300 <= status < 400:
        raise ExchangeError(Failure.REFUSED, f"status {status}: a redirect, which is not followed")
    if status not in {200, 201, 202}:
        raise ExchangeError(Failure.REFUSED, f"status {status}")
    if reply.headers.get("Content-Encoding", "identity").casefold() != "identity":
        raise ExchangeError(Failure.MALFORMED, "the reply is packed, which was not asked for")
    kind = reply.headers.get("Content-Type", "").partition(";")[0].strip().casefold()
    if kind != "application/json" and not kind.endswith("+json"):
        raise ExchangeError(Failure.MALFORMED, "the reply says that it is no JSON")


def _retry_after(header: str) -> float:
    """Seconds that a `Retry-After` header asks for, as a number or a date; 0.0 if it says nothing sensible."""
    try:
        seconds = (
            float(header) if header.strip()[:1].isdigit() else parsedate_to_datetime(header).timestamp() - time.time()
        )
    except (ValueError, TypeError, OverflowError):
        return 0.0
    return max(0.0, seconds) if math.isfinite(seconds) else 0.0
