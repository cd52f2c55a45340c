"""Pages of web servers: a sitemap, a list of addresses, or the index of a folder."""

from __future__ import annotations

import gzip
import io
import json
import mimetypes
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

import lxml.html
from lxml import etree

from saidonce.adapters.upstream.names import MAX_NAME, printable, too_large
from saidonce.adapters.upstream.web import WebClient, joined_url, site_of, without_secrets
from saidonce.errors import Refusal, SourceRefusedError, UpstreamError
from saidonce.foundation.http import HttpReply, ReplyTooLargeError
from saidonce.foundation.ports import Fetched, FileGoneError, UpstreamFile, UpstreamListing, UpstreamOptions

MAP_BYTES = 50 * 1024 * 1024
"""Largest sitemap, packed or not, as sitemaps.org has it."""

MOST_PAGES = 50_000
MOST_MAPS = 500
MOST_FOLDERS = 5_000
GONE = (404, 410)


class WebPages:
    """Pages whose addresses a function lists; a document is named by its page's address.

    A page that was read before is asked for by its entity tag or its date: a server that knows either does not send
    it again.

    Args:
        address: of the source, for messages.
        addresses: gives the pages, given the client.
        options: how.
        root: what the names begin with; empty if they share nothing.
    """

    def __init__(
        self, address: str, addresses: Callable[[WebClient], Iterable[str]], options: UpstreamOptions, root: str = ""
    ) -> None:
        self._address = address
        self._addresses = addresses
        self._options = options
        self._web = WebClient(options)
        self.root = root

    def listing(self, known: Mapping[str, str]) -> UpstreamListing:
        """List the pages that may be read."""
        del known
        pages: dict[str, str] = {}
        passed_over: list[str] = []
        for url in self._addresses(self._web):
            page = urldefrag(joined_url(url, "")).url
            name = printable(page)
            if name in pages:
                continue
            if len(pages) >= MOST_PAGES:
                raise UpstreamError(self._address, f"it lists more than {MOST_PAGES:,} pages; name a part of it")
            if len(name) > MAX_NAME or not self._is_read(page) or not self._web.may_fetch(page):
                passed_over.append(name[:MAX_NAME])
            else:
                pages[name] = page
        files = [UpstreamFile(name, "", partial(self._fetch, name, page)) for name, page in sorted(pages.items())]
        return UpstreamListing(tuple(files), tuple(sorted(set(passed_over))))

    def close(self) -> None:
        """Do nothing: the connections end with the client."""

    def _is_read(self, url: str) -> bool:
        """Return whether a page may be a document: pictures and the like are no pages unless a parser knows them."""
        path = urlsplit(url).path
        kind = (mimetypes.guess_type(path)[0] or "text/html").partition("/")[0]
        is_page = kind in ("text", "application")
        return self._options.is_supported(path.rpartition("/")[2]) or (is_page and not path.endswith((".css", ".js")))

    def _fetch(self, name: str, url: str, mark: str) -> Fetched | None:
        try:
            reply = self._web.get(url, self._options.max_bytes, _conditions(mark))
        except ReplyTooLargeError:
            raise too_large(name, "it is larger than what is read", self._options.max_bytes) from None
        except UpstreamError as failed:
            raise SourceRefusedError(name, Refusal.UNREADABLE, failed.reason) from failed
        if reply.status == 304:
            return None
        if reply.status in GONE:
            raise FileGoneError
        if reply.status != 200:
            raise SourceRefusedError(name, Refusal.UNREADABLE, f"the server answered {reply.status}")
        return Fetched(reply.body, _mark(reply))


def _mark(reply: HttpReply) -> str:
    """Return what a page is asked for by the next time; empty if the server names neither tag nor date."""
    tags = {"etag": reply.headers.get("ETag", ""), "at": reply.headers.get("Last-Modified", "")}
    return json.dumps({name: value for name, value in tags.items() if value}) if any(tags.values()) else ""


def _conditions(mark: str) -> dict[str, str]:
    """Return the headers that ask for a page unless it is as it was."""
    if not mark:
        return {}
    tags = json.loads(mark)
    headers = {"If-None-Match": tags.get("etag", ""), "If-Modified-Since": tags.get("at", "")}
    if headers["If-None-Match"]:
        headers.pop("If-Modified-Since")  # a date is coarser than a tag, and must not speak beside it
    return {name: value for name, value in headers.items() if value}


def sitemap_pages(address: str) -> Callable[[WebClient], Iterable[str]]:
    """Return what lists the pages of a sitemap, and of those that it names; only pages of its own site."""

    def pages(web: WebClient) -> Iterable[str]:
        site, waiting, seen = site_of(address), [address], {address}
        while waiting:
            url = waiting.pop(0)
            root = _parsed_map(url, _body(web, url))
            is_index = etree.QName(root).localname == "sitemapindex"
            for loc in root.iter("{*}loc"):
                entry = (loc.text or "").strip()
                parent = loc.getparent()
                is_page = parent is not None and etree.QName(parent).localname in ("url", "sitemap")
                if not is_page or not entry or not _is_of(entry, site):
                    continue
                if not is_index:
                    yield entry
                elif entry not in seen:
                    seen.add(entry)
                    waiting.append(entry)
            if len(seen) > MOST_MAPS:
                raise UpstreamError(address, f"it names more than {MOST_MAPS} sitemaps")

    return pages


def _parsed_map(url: str, body: bytes) -> etree._Element:
    if body.startswith(b"\x1f\x8b"):
        try:
            with gzip.open(io.BytesIO(body)) as stream:
                body = stream.read(MAP_BYTES + 1)
        except (OSError, EOFError) as bad:
            raise UpstreamError(url, "its packed sitemap is damaged") from bad
        if len(body) > MAP_BYTES:
            raise UpstreamError(url, "its sitemap is too large")
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        root = etree.fromstring(body, parser)
    except (etree.XMLSyntaxError, ValueError) as bad:
        raise UpstreamError(without_secrets(url), "it is no sitemap: its XML cannot be read") from bad
    if b"<!doctype" in body.lower() or etree.QName(root).localname not in ("urlset", "sitemapindex"):
        raise UpstreamError(without_secrets(url), "it is no sitemap: that begins with <urlset> or <sitemapindex>")
    return root


def listed_pages(address: str) -> Callable[[WebClient], Iterable[str]]:
    """Return what reads a list of addresses, one a line, from a file or a web server; # begins a remark."""

    def pages(web: WebClient) -> Iterable[str]:
        if "://" in address:
            text = _body(web, address).decode("utf-8-sig", "replace")
        else:
            try:
                text = Path(address).read_text(encoding="utf-8-sig")
            except (OSError, UnicodeDecodeError) as failed:
                raise UpstreamError(address, f"the list of addresses cannot be read ({failed})") from failed
        for number, line in enumerate(text.splitlines(), start=1):
            url = line.split(" #")[0].strip()
            if not url or url.startswith("#"):
                continue
            if not url.startswith(("http://", "https://")):
                raise UpstreamError(address, f"line {number} is no address of the web: {url[:80]!r}")
            yield url

    return pages


def folder_pages(address: str, options: UpstreamOptions) -> Callable[[WebClient], Iterable[str]]:
    """Return what lists the files below a web server's index of a folder, and of the folders in it."""

    def pages(web: WebClient) -> Iterable[str]:
        waiting, seen = [address], {address}
        while waiting:
            url = waiting.pop(0)
            for link in _links(url, _body(web, url)):
                if not link.startswith(address) or link in seen or unquote(link).rsplit("/", 1)[-1].startswith("."):
                    continue
                seen.add(link)
                if not link.endswith("/"):
                    if options.is_supported(link.rpartition("/")[2]):
                        yield link
                    continue
                waiting.append(link)
                if len(waiting) > MOST_FOLDERS:
                    raise UpstreamError(address, f"it has more than {MOST_FOLDERS:,} folders")

    return pages


def _links(url: str, body: bytes) -> list[str]:
    """Return the addresses that an index links to, without queries, which sort it in another way."""
    try:
        page = lxml.html.document_fromstring(body)
    except (etree.ParserError, ValueError) as bad:
        raise UpstreamError(url, "it is no page with links") from bad
    targets = (str(each.get("href") or "") for each in page.iter("a"))
    links = []
    for target in targets:
        if target and "?" not in target:
            with suppress(UpstreamError):  # one malformed link is none, and the others are there nevertheless
                links.append(urldefrag(joined_url(url, target)).url)
    return links


def _is_of(entry: str, site: str) -> bool:
    """Return whether an address is well formed and of a site."""
    try:
        return site_of(joined_url(entry, "")) == site
    except UpstreamError:
        return False


def _body(web: WebClient, url: str) -> bytes:
    if not web.may_fetch(url):
        raise UpstreamError(without_secrets(url), "robots.txt does not allow it to be read")
    try:
        reply = web.get(url, MAP_BYTES)
    except ReplyTooLargeError:
        raise UpstreamError(without_secrets(url), "it is too large") from None
    if reply.status != 200:
        raise UpstreamError(without_secrets(url), f"the server answered {reply.status}")
    return reply.body
