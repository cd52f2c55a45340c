"""Room: what the headers of a reply say against it.

A reply may be whole, in time and status 200, and its headers may still say that it is a part, stale, altered, of
another resource, or what a failed function left behind.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Iterator, Mapping
from urllib.parse import urljoin, urlsplit

_PART = re.compile(r"[A-Za-z]+")
_TROUBLE = frozenset(
    "error errors errortype exception exceptions fault faults failure failures failed fallback degraded partial"
    " truncated incomplete warning warnings refusal refused retracted superseded".split()
)
_NOTHING = frozenset({"", "0", "false", "no", "none", "null", "-"})
_HARMLESS_TRAILERS = frozenset({"server-timing", "expires", "etag", "date"})
_STALE = re.compile(r"(?:^|[;\s])(?:ttl\s*=\s*-\d|fwd\s*=\s*(?:stale|partial)|detail\s*=\s*\"?stale)", re.IGNORECASE)
_DIGEST = re.compile(r"(sha-256|sha-512)\s*=\s*:?([A-Za-z0-9+/=]+):?", re.IGNORECASE)


def against_reply(headers: Mapping[str, str], path: str, body: bytes) -> str:
    """Return why a reply should not be believed, by its headers; empty if they say nothing against it.

    Values are not quoted. Unknown headers say nothing: every proxy adds its own.

    Args:
        path: of the request; empty where its reply may be the content of another address, as that of a POST.
        body: as it came.
    """
    return next(_objections({name.casefold(): value.strip() for name, value in headers.items()}, path, body), "")


def _objections(headers: Mapping[str, str], path: str, body: bytes) -> Iterator[str]:
    for name, value in headers.items():
        if value.casefold() not in _NOTHING and not _TROUBLE.isdisjoint(_PART.findall(name)):
            yield f"its header {name[:40]!r} reports trouble"
    if headers.get("grpc-status", "0") != "0":
        yield "its header 'grpc-status' reports trouble"
    if "content-range" in headers:
        yield "it is a part of an answer"
    if path and urlsplit(urljoin(path, headers.get("content-location", path))).path != path:
        yield "it is the content of another address"
    if any(_STALE.search(headers.get(name, "")) for name in ("cache-status", "x-cache")):
        yield "it comes from a cache, which calls it stale"
    if any(name.strip().casefold() not in _HARMLESS_TRAILERS for name in _listed(headers.get("trailer", ""))):
        yield "something is announced behind it, which is not read"
    if any(not _fits(headers.get(name, ""), body) for name in ("content-digest", "repr-digest", "digest")):
        yield "its content is not what its digest says"


def _listed(value: str) -> list[str]:
    return value.split(",") if value else []


def _fits(stated: str, body: bytes) -> bool:
    """Return whether content has every digest that is stated; one by another algorithm says nothing."""
    return all(_decoded(value) == hashlib.new(name.replace("-", ""), body).digest() for name, value in _digests(stated))


def _digests(stated: str) -> list[tuple[str, str]]:
    return [(name.casefold(), value) for name, value in _DIGEST.findall(stated)]


def _decoded(value: str) -> bytes:
    try:
        return base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        return b""
