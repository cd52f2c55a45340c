"""The blocks of a page that only lead to places: to its own headings, or to the pages before and after it."""

from __future__ import annotations

import re
from functools import cached_property

from lxml import etree

from saidonce.documents.parse.draft import one_line

_LEADS_ON = frozenset({"navheader", "navfooter"})
"""Classes of what DocBook puts around each page: its title, and links to the pages before and after it."""

_CONTENTS = re.compile(r"(?:^|[\s_-])(?:toc|(?:table-of-)?contents)(?:$|\s)", re.I)
_TITLES = frozenset("title h1 h2 h3 h4 h5 h6".split())
_CELLS = frozenset({"td", "th"})
_NUMBERED = re.compile(r"(?:[^\W\d_]+\s)?(?:(?:\d{1,3}|[A-Z])(?:\.\d{1,3})*|[IVX]+)\.\s\S.{0,80}(?<![.!?:;])")
"""The title of another page: "Chapter 3. Hoses"."""

_NEARLY_ALL = 0.9


class Leads:
    """What a page says of its places, each looked for once."""

    def __init__(self, node: etree._Element, name: str) -> None:
        self._root = node.getroottree().getroot()
        self._name = re.split(r"[/\\]", name)[-1]

    def is_out(self, node: etree._Element) -> bool:
        """Return whether a block repeats headings of its own page, or titles and links of the pages around it."""
        names = f"{node.get('class') or ''} {node.get('id') or ''}"
        if not _LEADS_ON.isdisjoint(names.casefold().split()):
            return self._leads_on(node)
        return _CONTENTS.search(names) is not None and self._leads_within(node)

    def _leads_within(self, node: etree._Element) -> bool:
        """Return whether a block is little more than links to headings of its own page, which repeat them.

        A page of a manual may name itself before each "#"; then all that its links lead to stands on it.
        """
        links = [link.get("href") or "" for link in node.iter("a") if link.get("href") or not link.get("onclick")]
        if not links or _n_linked(node) <= 0.5 * _n_letters(_text(node)):
            return False
        if all(link.startswith("#") for link in links):
            return True
        parts = [link.partition("#") for link in links]
        return all(page in ("", self._name) and place in self._places for page, _, place in parts)

    def _leads_on(self, node: etree._Element) -> bool:
        """Return whether nearly all words of a block are links, or titles beside them."""
        n_known = _n_linked(node)
        if not n_known:
            return not _text(node)
        for cell in node.iter(*_CELLS):
            text = _text(cell)
            is_title = next(cell.iter("a"), None) is None and (text in self._titles or _NUMBERED.fullmatch(text))
            n_known += _n_letters(text) if is_title else 0
        return n_known >= _NEARLY_ALL * _n_letters(_text(node))

    @cached_property
    def _places(self) -> frozenset[str]:
        named = (link.get("name") for link in self._root.iter("a"))
        return frozenset(place for place in (*(each.get("id") for each in self._root.iter()), *named) if place)

    @cached_property
    def _titles(self) -> frozenset[str]:
        linked = (one_line(link.get("title") or "") for link in self._root.iter("link"))
        return frozenset((*(_text(title) for title in self._root.iter(*_TITLES)), *linked))


def _n_linked(node: etree._Element) -> int:
    return sum(_n_letters(_text(link)) for link in node.iter("a"))


def _n_letters(text: str) -> int:
    return len(text.replace(" ", ""))


def _text(node: etree._Element) -> str:
    return one_line(" ".join(str(piece) for piece in node.itertext()))
