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
from itertools import pairwise
from urllib.parse import urljoin, urlsplit

_PART = re.compile(r"[A-Za-z]+")
_NAME_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_TROUBLE = frozenset(
    "error errors errortype exception exceptions fault faults failure failures failed fallback degraded partial"
    " truncated incomplete warning warnings refusal refused retracted superseded duplicate duplicates cancelled"
    " canceled aborted stale expired overridden disputed preliminary provisional interim draft mock mocked simulated"
    " simulation stub stubbed fake placeholder dryrun timedout".split()
)
_TROUBLE_IN_TWO = (("dry", "run"), ("timed", "out"), ("time", "out"))
_PROBLEM = frozenset({"problem", "error", "fault"})
_NOTHING = frozenset({"", "0", "false", "no", "none", "null", "-"})
_RELATIONS = re.compile(r"rel\s*=\s*(?:\"([^\"]*)\"|([^\s;,]+))", re.IGNORECASE)
_LEADS_ON = frozenset("next duplicate latest-version successor-version".split())
"""Relations of links by which an answer is not the whole, the last or the only one. Source: RFC 5829, 6249, 8288."""
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
        if value.casefold() not in _NOTHING and names_trouble(name):
            yield f"its header {name[:40]!r} reports trouble"
    yield from _of_another_page(headers)
    if headers.get("grpc-status", "0") != "0":
        yield "its header 'grpc-status' reports trouble"
    if "content-range" in headers:
        yield "it is a part of an answer"
    if path and urlsplit(urljoin(path, headers.get("content-location", path))).path != path:
        yield "it is the content of another address"
    if any(_STALE.search(headers.get(name, "")) for name in ("cache-status", "x-cache")):
        yield "it comes from a cache, which calls it stale"
    if any(name.strip().casefold() not in _HARMLESS_TRAILERS for name in _list_of(headers.get("trailer", ""))):
        yield "something is announced behind it, which is not read"
    if any(not _fits(headers.get(name, ""), body) for name in ("content-digest", "repr-digest", "digest")):
        yield "its content is not what its digest says"


def _of_another_page(headers: Mapping[str, str]) -> Iterator[str]:
    """Yield why an answer is a page to log in, the report of a problem, or leads on."""
    if "www-authenticate" in headers or "proxy-authenticate" in headers:
        yield "it asks to log in"
    if "refresh" in headers:
        yield "it leads to another page"
    if not _PROBLEM.isdisjoint(_PART.findall(headers.get("content-type", "").casefold())):
        yield "it calls itself the report of a problem"
    if not _LEADS_ON.isdisjoint(_relations(headers.get("link", ""))):
        yield "it links to more, or to what it repeats"


def names_trouble(name: str) -> bool:
    """Return whether a header or a member of an answer has a name that reports trouble, unless its value denies it."""
    parts = [part.casefold() for part in _NAME_PART.findall(name)]
    return not _TROUBLE.isdisjoint(parts) or any(two in pairwise(parts) for two in _TROUBLE_IN_TWO)


def _relations(value: str) -> frozenset[str]:
    return frozenset(one for quoted, bare in _RELATIONS.findall(value) for one in (quoted or bare).casefold().split())


def _list_of(value: str) -> list[str]:
    return value.split(",") if value else []


def _fits(stated: str, body: bytes) -> bool:
    """Return whether content has every digest that is stated; one by another algorithm says nothing."""
    return all(_decode(value) == hashlib.new(name.replace("-", ""), body).digest() for name, value in _digests(stated))


def _digests(stated: str) -> list[tuple[str, str]]:
    return [(name.casefold(), value) for name, value in _DIGEST.findall(stated)]


def _decode(value: str) -> bytes:
    try:
        return base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        return b""
