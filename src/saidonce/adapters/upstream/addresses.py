"""Which addresses of the network may be asked: public ones, unless private ones are allowed."""

from __future__ import annotations

import socket

from saidonce.errors import UpstreamError

PRIVATE = "it is a private address; the setting sync_allow_private, or --allow-private, would allow it"


def addresses_of(host: str, port: int, allow_private: bool) -> list[str]:
    """Return all addresses of a host, which may be asked.

    Raises:
        UpstreamError: the name is not known, or one of its addresses is private.
    """
    try:
        rows = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as failed:
        raise UpstreamError(host, "the name of the host is not known") from failed
    from saidonce.adapters.senders.webhook import is_public  # noqa: PLC0415  brings the HTTP client

    addresses = list(dict.fromkeys(str(row[4][0]) for row in rows))
    if not allow_private and not all(map(is_public, addresses)):
        raise UpstreamError(host, PRIVATE)
    return addresses
