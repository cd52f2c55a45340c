"""One HTTP exchange with an auto-rater: its reply as strict JSON, or the kind of failure."""

from __future__ import annotations

import re
from typing import Any

import httpx2

from saidonce.errors import ReplyError
from saidonce.foundation.http import HttpReply, NoReplyError, ReplyTooLargeError, exchange
from saidonce.foundation.model import Failure
from saidonce.foundation.reply_headers import against_reply
from saidonce.matching.reply import strict_json

REPLY_BYTES = 200_000
"""Largest reply that is read: as many bytes as the strict reader's characters may take."""


_CHARSET = re.compile(r"charset\s*=\s*[\"']?([\w.:-]+)")
_UTF_8 = ("utf-8", "utf8", "us-ascii", "ascii")


class ExchangeError(Exception):
    """One request failed; `retry_after_s` is set if the service asks for a retry, 0.0 without a time."""

    def __init__(self, failure: Failure, reason: str, retry_after_s: float | None = None) -> None:
        self.failure = failure
        self.reason = reason
        self.retry_after_s = retry_after_s
        super().__init__(reason)


async def exchanged(
    client: httpx2.AsyncClient, method: str, url: str, until: float, oldest_s: float, body: Any = None
) -> dict[str, Any]:
    """Send one request, and read its reply as one JSON object, strictly; a mark of the byte order may precede it.

    Args:
        oldest_s: age in seconds from which on a reply out of a cache is stale.

    Raises:
        ExchangeError: anything else came back, or nothing.
    """
    try:
        reply = await exchange(client, method, url, until, REPLY_BYTES, json=body)
    except NoReplyError as failed:
        if failed.is_late:
            raise ExchangeError(Failure.TIMEOUT, "no connection in time") from None
        raise ExchangeError(Failure.UNREACHABLE, failed.reason) from None
    except ReplyTooLargeError:
        raise ExchangeError(Failure.MALFORMED, f"the reply is larger than {REPLY_BYTES} bytes") from None
    _refuse(reply)
    if _is_stale(reply, oldest_s):
        raise ExchangeError(Failure.CONTRADICTION, "the reply is from a cache and older than the question")
    if against := against_reply(reply.headers, httpx2.URL(url).path if method == "GET" else "", reply.body):
        raise ExchangeError(Failure.CONTRADICTION, f"the reply contradicts itself: {against}")
    try:
        return strict_json(reply.body.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise ExchangeError(Failure.MALFORMED, "the reply is not UTF-8") from None
    except ReplyError as bad:
        raise ExchangeError(Failure.MALFORMED, bad.reason) from None


def _refuse(reply: HttpReply) -> None:
    status = reply.status
    if status in {429, 503}:
        pause_s = reply.retry_after_s or 0.0
        if status == 429 or pause_s:
            raise ExchangeError(Failure.REFUSED, f"status {status}", pause_s)
    if status >= 500:
        raise ExchangeError(Failure.UNREACHABLE, f"status {status}")
    if 300 <= status < 400:
        raise ExchangeError(Failure.REFUSED, f"status {status}: a redirect, which is not followed")
    if status not in {200, 201, 202}:
        raise ExchangeError(Failure.REFUSED, f"status {status}")
    if reply.is_packed:
        raise ExchangeError(Failure.MALFORMED, "the reply is compressed, which was not requested")
    kind, _, parameters = reply.headers.get("Content-Type", "").casefold().partition(";")
    kind = kind.strip()
    charset = _CHARSET.search(parameters)
    if charset is not None and charset[1] not in _UTF_8:
        raise ExchangeError(Failure.MALFORMED, "the reply declares another encoding than UTF-8")
    if kind != "application/json" and not kind.endswith("+json"):
        raise ExchangeError(Failure.MALFORMED, "the reply declares another type than JSON")


def _is_stale(reply: HttpReply, oldest_s: float) -> bool:
    """Return whether a reply is stale by its `Age` header."""
    age = reply.headers.get("Age", "").strip()
    return bool(age) and not (age.isdecimal() and len(age) < 12 and int(age) <= oldest_s)
