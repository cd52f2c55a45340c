"""Struck-out text of HTML: by its element, its style or its class."""

from __future__ import annotations

from lxml import etree

from saidonce.documents.parse.struck import LINE_THROUGH, remove

_ELEMENTS = frozenset({"del", "s", "strike"})
_CLASSES = frozenset({"line-through", "strikethrough"})
_KEPT = frozenset("td th li dd dt p div section article h1 h2 h3 h4 h5 h6 html body".split())
"""Elements that stay, empty, so that what stands beside them keeps its column or its number."""

_OF_CELLS = frozenset("table thead tbody tfoot tr".split())


def take_out_struck(root: etree._Element) -> int:
    """Take what is struck out from a tree; return the number of passages."""
    struck = [node for node in root.iter(etree.Element) if _is_struck(node)]
    outermost = [node for node in struck if not any(_is_struck(above) for above in node.iterancestors())]
    n_passages = 0
    for node in outermost:
        n_passages += bool("".join(map(str, node.itertext())).strip())
        if node.tag in _OF_CELLS:
            for cell in list(node.iter("td", "th")):
                _empty(cell)
        elif node.tag in _KEPT:
            _empty(node)
        elif next(node.iterancestors("pre"), None) is None:
            remove(node)
        else:
            _empty(node)
    return n_passages


def is_opening(tag: str, attributes: str) -> bool:
    """Return whether a tag with these attributes strikes out what follows it."""
    return tag in _ELEMENTS or LINE_THROUGH.search(attributes) is not None


def _is_struck(node: etree._Element) -> bool:
    if node.tag in _ELEMENTS or LINE_THROUGH.search(node.get("style") or ""):
        return True
    return not _CLASSES.isdisjoint((node.get("class") or "").casefold().split())


def _empty(node: etree._Element) -> None:
    node[:] = []
    node.text = None
