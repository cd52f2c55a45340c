"""One request to a channel's API under one deadline: no redirects, a bounded answer, and whether anything was sent."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from functools import cache
from ssl import SSLContext
from typing import Any
from urllib.parse import urlsplit

import httpcore  # noqa: F401  httpx would load it in the middle of the first request
import httpx

from saidonce.errors import DeliveryError, SettingsError
from saidonce.foundation.deadline import within

REPLY_BYTES = 1_000_000
"""Largest answer of an API that is read; files have limits of their own."""

CONNECT_SHARE = 0.95
"""Share of the time in which a connection must stand; cut off in a handshake the client would leave a socket open."""

_HEADERS = {"Accept-Encoding": "identity", "User-Agent": "saidonce"}


@dataclass(frozen=True, slots=True)
class HttpReply:
    """What came back, whatever its status."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def retry_after_s(self) -> float:
        """Seconds that `Retry-After` asks for, as a number or a date; 0.0 if it says nothing sensible."""
        said = self.headers.get("Retry-After", "").strip()
        try:
            seconds = float(said) if said[:1].isdigit() else parsedate_to_datetime(said).timestamp() - time.time()
        except (ValueError, TypeError, OverflowError):
            return 0.0
        return min(max(0.0, seconds), 3_600.0)

    @property
    def fields(self) -> dict[str, Any]:
        """The answer's JSON object; empty if it is none."""
        try:
            found = json.loads(self.body)
        except (ValueError, RecursionError):
            return {}
        return found if isinstance(found, dict) else {}


class ChannelError(Exception):
    """There is no whole answer; `sent` tells whether the other side may have read the request."""

    def __init__(self, reason: str, sent: bool) -> None:
        self.reason = reason
        self.sent = sent
        super().__init__(reason)


class TooLargeError(Exception):
    """The answer is larger than allowed."""


class Wire:
    """Asks one API; safe to use from several threads.

    Args:
        timeout_s: for one request as a whole: looking up, connecting, sending, reading; or for several together.
    """

    def __init__(self, timeout_s: float) -> None:
        self._timeout_s = timeout_s

    def deadline(self) -> float:
        """Give the moment of `time.monotonic` by which requests that begin now have to end."""
        return time.monotonic() + self._timeout_s

    def ask(
        self, method: str, url: str, most: int = REPLY_BYTES, until: float | None = None, **request: Any
    ) -> HttpReply:  # fmt: skip
        """Send one request and read the whole answer, never unpacking it.

        Args:
            method: such as GET.
            url: where to.
            most: largest answer that is read, in bytes.
            until: a `deadline` that several requests share.
            request: headers, auth, json or data, as httpx takes them.

        Raises:
            FailedError: no whole answer came in time.
            TooLargeError: the answer is larger than `most`.
        """
        began = _Began()
        seconds = self._timeout_s if until is None else max(0.0, until - time.monotonic())
        request["timeout"] = httpx.Timeout(None, connect=CONNECT_SHARE * seconds)
        try:
            return within(self._asked(method, url, most, began, request), seconds)
        except (TimeoutError, httpx.TimeoutException):
            raise ChannelError("it took too long", began.sent) from None
        except (httpx.HTTPError, httpx.InvalidURL, OSError, UnicodeError) as failed:
            # The message of an error may hold the address or a header, and with it a secret.
            raise ChannelError(f"the connection failed ({type(failed).__name__})", began.sent) from None

    async def _asked(self, method: str, url: str, most: int, began: _Began, request: dict[str, Any]) -> HttpReply:
        headers = {**_HEADERS, **request.pop("headers", {})}
        async with (
            httpx.AsyncClient(follow_redirects=False, verify=_tls()) as client,
            client.stream(method, url, headers=headers, extensions={"trace": began.note}, **request) as reply,
        ):
            body = bytearray()
            if int(reply.headers.get("Content-Length", "0") or 0) > most:
                raise TooLargeError
            async for part in reply.aiter_raw():
                body += part
                if len(body) > most:
                    raise TooLargeError
            return HttpReply(reply.status_code, reply.headers, bytes(body))


def posted(wire: Wire, name: str, url: str, **request: Any) -> HttpReply:
    """Post a message, and give an answer that accepts or refuses it.

    Raises:
        DeliveryError: the message did not reach the API.
        TimeoutError: nobody knows whether it did.
    """
    try:
        answer = wire.ask("POST", url, **request)
    except ChannelError as failed:
        if failed.sent:
            raise TimeoutError(f"{name}: {failed.reason}; it may have been sent") from None
        raise DeliveryError(name, failed.reason) from None
    except TooLargeError:
        raise TimeoutError(f"{name}: the answer is too large; it may have been sent") from None
    if answer.status >= 500 or answer.status == 408:
        raise TimeoutError(f"{name}: status {answer.status}; it may have been sent")
    if 300 <= answer.status < 400:
        raise DeliveryError(name, f"status {answer.status}: a redirect, which is not followed")
    return answer


@cache
def _tls() -> SSLContext:
    """The certificates that are trusted, read once: that takes longer than a request."""
    return httpx.create_ssl_context()


class _Began:
    """Notes when the first byte of a request goes out."""

    def __init__(self) -> None:
        self.sent = False

    async def note(self, event: str, _: Mapping[str, Any]) -> None:
        if event.endswith("send_request_headers.started"):
            self.sent = True


def base_url(key: str, url: str) -> str:
    """Give an operator's base URL without a slash at its end.

    Raises:
        SettingsError: it is malformed, or holds more than scheme, host and path.
    """
    allowed = "https://HOST or http://HOST, without user name, query or fragment"
    try:
        parts = urlsplit(url.strip())
        port = parts.port
    except ValueError:
        raise SettingsError(key, "(malformed)", allowed) from None
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise SettingsError(key, "(not shown, it may hold a secret)", allowed)
    if parts.scheme not in ("http", "https") or not parts.hostname or port == 0:
        raise SettingsError(key, url, allowed)
    return url.strip().rstrip("/")


def secret(key: str, value: str) -> str:
    """Give a secret that can stand in a header.

    Raises:
        SettingsError: it is empty or cannot.
    """
    stripped = value.strip()
    if not stripped or not (stripped.isascii() and stripped.isprintable()) or " " in stripped:
        raise SettingsError(key, "(not shown)", "printable ASCII characters without spaces, and not empty")
    return stripped
