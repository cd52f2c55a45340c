"""Requests to web servers: polite, bounded, and to public addresses only."""

from __future__ import annotations

import ssl
import time
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urljoin

import httpx2
from protego import Protego

from saidonce.adapters.upstream.addresses import addresses_of
from saidonce.errors import UpstreamError
from saidonce.foundation.http import HttpClient, HttpReply, NoReplyError, ReplyTooLargeError
from saidonce.foundation.ports import UpstreamOptions

AGENT = "saidonce"
MOST_REDIRECTS = 5
LONGEST_PAUSE_S = 60.0
ROBOTS_BYTES = 512 * 1024
BUSY = (429, 503)
TRIES = 3


class WebClient:
    """Asks web servers as their robots.txt allows, at most so often, and follows redirects on the same site only.

    A name is looked up for each request, all its addresses are checked, and the connection goes to one of those.
    """

    def __init__(self, options: UpstreamOptions, sleep: Callable[[float], None] = time.sleep) -> None:
        self._options = options
        self._sleep = sleep
        tls = ssl.create_default_context()
        self._http = HttpClient(options.timeout_s, tls=tls, uses_proxies=False, keeps_connections=True)
        self._next_at: dict[str, float] = {}
        self._robots: dict[str, Protego] = {}

    def may_fetch(self, url: str) -> bool:
        """Return whether the server's robots.txt lets us fetch an address.

        Raises:
            UpstreamError: it cannot be read, which means that nothing may be fetched.
        """
        return self._rules(url).can_fetch(url, AGENT)

    def get(self, url: str, most: int, headers: Mapping[str, str] | None = None) -> HttpReply:
        """Get an address; redirects on the same site are followed, and any other answer is returned.

        Raises:
            UpstreamError: there is no whole answer, it leads to another site, or it may not be asked.
            ReplyTooLargeError: the answer is larger than `most`.
        """
        site = site_of(url)
        for _ in range(MOST_REDIRECTS):
            reply = self._patient(url, most, headers or {})
            location = reply.headers.get("Location", "")
            if reply.status not in (301, 302, 303, 307, 308) or not location:
                return reply
            url = joined_url(url, location)
            if site_of(url) != site:
                raise UpstreamError(without_secrets(url), "a redirect leads to another site, which is not followed")
            if not self.may_fetch(url):
                raise UpstreamError(without_secrets(url), "robots.txt does not allow where a redirect leads")
        raise UpstreamError(without_secrets(url), f"more than {MOST_REDIRECTS} redirects follow each other")

    def _rules(self, url: str) -> Protego:
        site = site_of(url)
        if site not in self._robots:
            self._robots[site] = self._read_rules(site)
        return self._robots[site]

    def _read_rules(self, site: str) -> Protego:
        url = f"{site}/robots.txt"
        for _ in range(MOST_REDIRECTS):
            try:
                reply = self._patient(url, ROBOTS_BYTES, {}, has_rules=False)
            except ReplyTooLargeError:
                raise UpstreamError(url, "robots.txt is too large to be obeyed") from None
            location = reply.headers.get("Location", "")
            if not 300 <= reply.status < 400 or not location or site_of(joined_url(url, location)) != site:
                break
            url = joined_url(url, location)
        if reply.status >= 500:
            raise UpstreamError(url, f"robots.txt cannot be read (status {reply.status}), so nothing may be fetched")
        return Protego.parse(reply.body.decode("utf-8", "replace") if reply.status == 200 else "")

    def _patient(self, url: str, most: int, headers: Mapping[str, str], has_rules: bool = True) -> HttpReply:
        """Ask, and ask again after the pause that a busy server asks for."""
        for n_left in range(TRIES - 1, -1, -1):
            self._wait_turn(url, has_rules)
            reply = self._ask(url, most, headers)
            if reply.status not in BUSY or not n_left:
                return reply
            self._sleep(min(reply.retry_after_s or 2.0, LONGEST_PAUSE_S))
        raise AssertionError("the last try returns")

    def _wait_turn(self, url: str, has_rules: bool) -> None:
        """Wait until the server may be asked again."""
        site = site_of(url)
        asked = float(self._robots[site].crawl_delay(AGENT) or 0.0) if has_rules and site in self._robots else 0.0
        now = time.monotonic()
        at = max(now, self._next_at.get(site, now))
        self._next_at[site] = at + max(1.0 / self._options.per_s, min(asked, LONGEST_PAUSE_S))
        if at > now:
            self._sleep(at - now)

    def _ask(self, url: str, most: int, headers: Mapping[str, str]) -> HttpReply:
        try:
            parsed = httpx2.URL(url)
        except httpx2.InvalidURL:
            raise UpstreamError(url[:200], "the address is malformed") from None
        name = parsed.raw_host.decode("ascii")
        if parsed.scheme not in ("http", "https") or not name:
            raise UpstreamError(url[:200], "only http and https are read here")
        port = parsed.port or (443 if parsed.scheme == "https" else 80)
        addresses = addresses_of(name, port, self._options.allow_private)
        request: dict[str, Any] = {
            "headers": {**headers, "Host": parsed.netloc.decode("ascii"), "User-Agent": AGENT},
            "extensions": {"sni_hostname": name},
        }
        failed: NoReplyError | None = None
        for address in addresses:
            try:
                reply = self._http.ask("GET", str(parsed.copy_with(host=address)), most, **request)
            except NoReplyError as reason:
                failed = reason
                continue
            if reply.is_packed and reply.status == 200:
                raise UpstreamError(without_secrets(url), "the answer is packed, which was not asked for")
            return reply
        raise UpstreamError(without_secrets(url), failed.tls or failed.reason if failed else "no address") from failed


def site_of(url: str) -> str:
    """Return scheme, host and port of an address, in lower case.

    Raises:
        UpstreamError: it is malformed.
    """
    try:
        parsed = httpx2.URL(url)
    except httpx2.InvalidURL:
        raise UpstreamError(url[:200], "the address is malformed") from None
    return f"{parsed.scheme}://{parsed.netloc.decode('ascii')}"


def joined_url(base: str, target: str) -> str:
    """Return what an address that a page or an answer names leads to.

    Raises:
        UpstreamError: it is malformed.
    """
    try:
        return urljoin(base, target)
    except ValueError:
        raise UpstreamError(target[:200], "the address is malformed") from None


def without_secrets(url: str) -> str:
    """Return an address without user name, password and query, any of which may hold a secret."""
    try:
        parsed = httpx2.URL(url)
    except httpx2.InvalidURL:
        return "(malformed)"
    return str(parsed.copy_with(userinfo=b"", query=None, fragment=None))
