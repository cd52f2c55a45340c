"""Posting a message to a channel's API: accepted, refused, or nobody knows."""

from __future__ import annotations

from typing import Any

from saidonce.errors import DeliveryError, SettingsError
from saidonce.foundation.http import HttpClient, HttpReply, NoReplyError, ReplyTooLargeError, header_secret


def posted(client: HttpClient, name: str, url: str, **request: Any) -> HttpReply:
    """Post a message, and return an answer that accepts or refuses it.

    Raises:
        DeliveryError: the message did not reach the API.
        TimeoutError: nobody knows whether it did.
    """
    try:
        reply = client.ask("POST", url, **request)
    except NoReplyError as failed:
        if failed.is_sent:
            raise TimeoutError(f"{name}: {failed.reason}; it may have been sent") from None
        raise DeliveryError(name, failed.reason) from None
    except ReplyTooLargeError:
        raise TimeoutError(f"{name}: the answer is too large; it may have been sent") from None
    if reply.status >= 500 or reply.status == 408:
        raise TimeoutError(f"{name}: status {reply.status}; it may have been sent")
    if 300 <= reply.status < 400:
        raise DeliveryError(name, f"status {reply.status}: a redirect, which is not followed")
    return reply


def secret(setting: str, value: str) -> str:
    """Return a secret that can stand in a header.

    Raises:
        SettingsError: it is empty or cannot.
    """
    stripped = header_secret(setting, value)
    if not stripped:
        raise SettingsError(setting, "(not shown)", "printable ASCII characters without spaces, and not empty")
    return stripped
