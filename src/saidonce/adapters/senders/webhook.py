"""Webhooks: one signed POST, to public addresses only, without following anything."""

from __future__ import annotations

import hashlib
import hmac
import http.client
import ipaddress
import json
import socket
import ssl
import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future
from typing import Any
from urllib.parse import urlsplit

from saidonce.errors import DeliveryError
from saidonce.foundation.model import Channel
from saidonce.foundation.ports.sending import Message

NOTICE_HEADER = "X-Saidonce-Notice"
SIGNATURE_HEADER = "X-Saidonce-Signature"

_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_RELAYS = ipaddress.IPv4Network("192.88.99.0/24")
"""Whoever is near takes what is sent there: former relays into IPv6."""

_Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def signature(secret: str, at: int, body: bytes) -> str:
    """Give the signature header: `t=<unix seconds>,v1=<HMAC-SHA256 of "t.body", hex>`."""
    signed = hmac.new(secret.encode(), b"%d." % at + body, hashlib.sha256).hexdigest()
    return f"t={at},v1={signed}"


def is_public(address: str) -> bool:
    """Tell whether an IP address is one of the public internet; a public one that leads to a private one is not."""
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


def _inner(ip: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    """Give the IPv4 address that an IPv6 address stands for, if it does."""
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
        body = json.dumps(message.fields, ensure_ascii=False, separators=(",", ":")).encode()
        headers = {
            "Content-Type": "application/json; charset=utf-8",
            "User-Agent": "saidonce",
            "Connection": "close",
            "Idempotency-Key": message.notice,
            NOTICE_HEADER: message.notice,
            SIGNATURE_HEADER: signature(channel.secret, int(time.time()), body),
        }
        try:
            status = self._posted(channel.target, body, headers)
        except _RefusedError as refused:
            raise DeliveryError(channel.id, str(refused)) from None
        except TimeoutError:
            raise DeliveryError(channel.id, "the receiver took too long") from None
        except ssl.SSLError as failed:
            raise DeliveryError(channel.id, f"TLS failed ({failed.reason or type(failed).__name__})") from None
        except socket.gaierror:
            raise DeliveryError(channel.id, "the receiver's name is not known") from None
        except (OSError, http.client.HTTPException, ValueError) as failed:
            # The message of an error may hold the address, and with it a secret.
            raise DeliveryError(channel.id, f"the connection failed ({type(failed).__name__})") from None
        if not 200 <= status < 300:
            what = "a redirect, which is not followed" if 300 <= status < 400 else "no acceptance"
            raise DeliveryError(channel.id, f"the receiver answered {status}: {what}")

    def _posted(self, target: str, body: bytes, headers: dict[str, str]) -> int:
        url = urlsplit(target)
        if url.scheme not in ("http", "https") or not url.hostname:
            raise _RefusedError("webhooks go to http and https only")
        port = url.port or (443 if url.scheme == "https" else 80)
        deadline = time.monotonic() + self._timeout_s
        connected = self._connected(url.hostname, port, deadline)
        if url.scheme == "https":
            context = ssl.create_default_context()
            connected = context.wrap_socket(connected, server_hostname=url.hostname, do_handshake_on_connect=False)
        with connected:
            # A receiver that answers letter by letter would outlast every timeout of a single read.
            watch = threading.Timer(max(0.0, deadline - time.monotonic()), _cut, [connected])
            watch.daemon = True
            watch.start()
            try:
                if isinstance(connected, ssl.SSLSocket):
                    connected.do_handshake()
                return _asked(connected, target, body, headers)
            except (OSError, http.client.HTTPException, ValueError):
                if time.monotonic() >= deadline:
                    raise TimeoutError from None
                raise
            finally:
                watch.cancel()

    def _connected(self, host: str, port: int, deadline: float) -> socket.socket:
        found = _looked_up(host, port, deadline)
        addresses = [str(place[4][0]) for place in found]
        if not self._allow_private and not all(map(is_public, addresses)):
            raise _RefusedError("the address is private; the setting webhook_allow_private would allow it")
        failed: OSError = TimeoutError()
        for family, kind, protocol, _, place in found:
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError
            connection = socket.socket(family, kind, protocol)
            try:
                connection.settimeout(left)
                connection.connect(place)
            except OSError as refused:
                connection.close()
                failed = refused
            else:
                return connection
        raise failed


_Place = tuple[socket.AddressFamily, socket.SocketKind, int, str, tuple[Any, ...]]


def _looked_up(host: str, port: int, deadline: float) -> Sequence[_Place]:
    """Look a name up, in time; a look-up that hangs cannot be stopped, so it is left behind.

    Raises:
        TimeoutError: the deadline came first.
        OSError: the name is not known.
    """
    found: Future[Sequence[_Place]] = Future()

    def look() -> None:
        try:
            found.set_result(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        except (OSError, UnicodeError) as failed:
            found.set_exception(failed)

    threading.Thread(target=look, name="look-up", daemon=True).start()
    return found.result(max(0.0, deadline - time.monotonic()))


class _RefusedError(Exception):
    """We do not send there."""


def _cut(connection: socket.socket) -> None:
    try:
        # Not TLS's own: that forgets the session under a handshake which is about to begin.
        socket.socket.shutdown(connection, socket.SHUT_RDWR)
    except OSError:
        return  # It was over already.


def _asked(connected: socket.socket, target: str, body: bytes, headers: dict[str, str]) -> int:
    """Send one request over a connection that stands, and give the answer's status."""
    url = urlsplit(target)
    path = (url.path or "/") + (f"?{url.query}" if url.query else "")
    request = http.client.HTTPConnection(url.netloc)
    request.sock = connected
    request.request("POST", path, body, headers)
    return request.getresponse().status
