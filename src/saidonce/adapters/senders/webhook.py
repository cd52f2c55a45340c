"""Webhooks: one signed POST, to public addresses only, without following anything."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import json
import socket
import ssl
import threading
import time
from concurrent.futures import Future

import httpx2

from saidonce.errors import DeliveryError
from saidonce.foundation.http import HttpClient, NoReplyError
from saidonce.foundation.model import Channel
from saidonce.foundation.ports.sending import Message

NOTICE_HEADER = "X-Saidonce-Notice"
SIGNATURE_HEADER = "X-Saidonce-Signature"

_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_RELAYS = ipaddress.IPv4Network("192.88.99.0/24")
"""Whoever is near takes what is sent there: former relays into IPv6."""

_Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def signature(secret: str, at: int, body: bytes) -> str:
    """Return the signature header: `t=<unix seconds>,v1=<HMAC-SHA256 of "t.body", hex>`."""
    signed = hmac.new(secret.encode(), b"%d." % at + body, hashlib.sha256).hexdigest()
    return f"t={at},v1={signed}"


def is_public(address: str) -> bool:
    """Return whether an IP address is one of the public internet; a public one that leads to a private one is not."""
    ip: _Address = ipaddress.ip_address(address.split("%", 1)[0])
    if isinstance(ip, ipaddress.IPv6Address):
        inner = _inner(ip)
        if inner is not None:
            return is_public(str(inner))
        if ip.is_site_local:
            return False
    elif ip in _RELAYS:
        return False
    return ip.is_global and not ip.is_multicast and not ip.is_reserved


def names_private(target: str) -> bool:
    """Return whether the URL of a webhook names a private address itself; other names are looked up when it is sent."""
    try:
        host = httpx2.URL(target).host
        return host == "localhost" or not is_public(host)
    except (ValueError, httpx2.InvalidURL):  # a name, or what the sender will refuse with a reason
        return False


def _inner(ip: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    """Return the IPv4 address that an IPv6 address stands for, if it does."""
    if ip in _NAT64:
        return ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
    return ip.ipv4_mapped or ip.sixtofour or (ip.teredo[1] if ip.teredo else None)


class WebhookSender:
    """Posts messages as JSON; see `saidonce.foundation.ports.sending.Sender`.

    A name is looked up once, all its addresses are checked, and the connection goes to one of those checked.
    Redirects are failures, and proxies of the environment are not used.

    Args:
        allow_private: private and loopback addresses too.
        timeout_s: for one send as a whole.
    """

    def __init__(self, allow_private: bool, timeout_s: float) -> None:
        self._allow_private = allow_private
        self._timeout_s = timeout_s

    def send(self, channel: Channel, message: Message) -> None:
        """Post a message; any answer 2xx accepts it."""
        if not channel.secret:
            reason = "it was imported without its secret and full address; add it again"
            raise DeliveryError(channel.id, reason, is_final=True)
        body = json.dumps(message.fields, ensure_ascii=False, separators=(",", ":")).encode()
        headers = {
            "Content-Type": "application/json; charset=utf-8",
            "Connection": "close",
            "Idempotency-Key": message.notice,
            NOTICE_HEADER: message.notice,
            SIGNATURE_HEADER: signature(channel.secret, int(time.time()), body),
        }
        try:
            status = self._post_to_first(channel.target, body, headers)
        except _RefusedError as refused:
            raise DeliveryError(channel.id, str(refused)) from None
        except httpx2.InvalidURL:
            raise DeliveryError(channel.id, "the address is malformed") from None
        except TimeoutError:
            raise DeliveryError(channel.id, "the receiver took too long") from None
        except NoReplyError as failed:
            if failed.is_late:
                raise DeliveryError(channel.id, "the receiver took too long") from None
            raise DeliveryError(channel.id, f"TLS failed ({failed.tls})" if failed.tls else failed.reason) from None
        if not 200 <= status < 300:
            what = "a redirect, which is not followed" if 300 <= status < 400 else "no acceptance"
            raise DeliveryError(channel.id, f"the receiver answered {status}: {what}")

    def _post_to_first(self, target: str, body: bytes, headers: dict[str, str]) -> int:
        """Post to the first of a name's addresses that takes it, and return the answer's status."""
        url = httpx2.URL(target)
        if url.scheme not in ("http", "https") or not url.host:
            raise _RefusedError("webhooks go to http and https only")
        # Certificates are read anew: a worker that runs for months takes in those that are renewed.
        client = HttpClient(self._timeout_s, tls=ssl.create_default_context(), uses_proxies=False)
        until, name = client.deadline(), url.raw_host.decode("ascii")
        addresses = _looked_up(name, url.port or (443 if url.scheme == "https" else 80), until)
        if not self._allow_private and not all(map(is_public, addresses)):
            raise _RefusedError("the address is private; allow it with the setting webhook_allow_private")
        request = {
            "content": body,
            "headers": {**headers, "Host": url.netloc.decode("ascii")},
            "extensions": {"sni_hostname": name},
        }
        for address in addresses[:-1]:
            try:
                return client.ask("POST", str(url.copy_with(host=address)), 0, until, **request).status
            except NoReplyError as failed:
                if failed.is_sent or failed.is_late or failed.tls:
                    raise
        return client.ask("POST", str(url.copy_with(host=addresses[-1])), 0, until, **request).status


def _looked_up(host: str, port: int, until: float) -> list[str]:
    """Look a name up, in time; a look-up that hangs cannot be stopped, so it is left behind.

    Raises:
        TimeoutError: the deadline came first.
        _RefusedError: the name is not known.
    """
    places: Future[list[str]] = Future()

    def look() -> None:
        try:
            rows = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            places.set_result(list(dict.fromkeys(str(row[4][0]) for row in rows)))
        except (OSError, UnicodeError):
            places.set_exception(_RefusedError("the receiver's host name cannot be resolved"))

    threading.Thread(target=look, name="look-up", daemon=True).start()
    return places.result(max(0.0, until - time.monotonic()))


class _RefusedError(Exception):
    """We do not send there."""
