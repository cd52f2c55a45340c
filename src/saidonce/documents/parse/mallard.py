"""Parse Mallard, the XML of help pages: sections, steps, terms, notes and what is shown on one system only."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from lxml import etree

from saidonce.documents.parse.dates import from_any
from saidonce.documents.parse.draft import DocumentDraft, ListItem, one_line
from saidonce.foundation.model import Kind

NAMESPACE = "http://projectmallard.org/1.0/"

_CONDITIONS = "http://projectmallard.org/if/1.0/"
_DROPPED = frozenset("info comment links cite".split())
_TEXTS = frozenset("p desc".split())
_CODE = frozenset("code screen synopsis".split())
_LISTS = frozenset("list steps terms tree".split())
_NOTES = frozenset("advanced bug danger important sidebar tip warning".split())
_CHOICES = frozenset("if choose when else".split())
_BLOCKS = _TEXTS | _CODE | _LISTS | frozenset("note section table quote figure listing example media title div".split())
MAX_DEPTH = 100


def is_page(root: etree._Element) -> bool:
    """Return whether the root of an XML file is a page of Mallard."""
    return etree.QName(root).namespace == NAMESPACE


def read_page(root: etree._Element, draft: DocumentDraft) -> None:
    """Add a page to a draft."""
    info = _child(root, "info")
    if info is not None:
        _read_info(info, draft)
    draft.title = _words(_child(root, "title"))
    draft.heading(draft.title, 1)
    if info is not None:
        draft.paragraph(_words(_child(info, "desc")))
    _PageWalk(draft).read(root, 1, 0, is_titled=True)


def _read_info(info: etree._Element, draft: DocumentDraft) -> None:
    """Read the first author, and the date of the last revision."""
    for credit in _children(info, "credit"):
        if "author" in (credit.get("type") or "").split():
            draft.author = draft.author or _words(_child(credit, "name"))
    dates = [date for one in _children(info, "revision") if (date := from_any(one.get("date") or ""))]
    draft.authored_at = max(dates, default=None) or draft.authored_at


class _PageWalk:
    """A pass over the blocks of a page in reading order."""

    def __init__(self, draft: DocumentDraft) -> None:
        self._draft = draft

    def read(self, node: etree._Element, level: int, depth: int, *, is_titled: bool = False) -> None:
        """Add the blocks of an element.

        Args:
            is_titled: its title was read already.
        """
        for child in node:
            name = _name(child)
            if depth > MAX_DEPTH:
                self._draft.paragraph(_words(child))
            elif name and name not in _DROPPED and not (name == "title" and is_titled):
                n_before = len(self._draft.elements)
                self._block(child, name, level, depth + 1)
                self._lead(n_before, _condition(child))

    def _lead(self, place: int, word: str) -> None:
        """Put a word before the first text that was added; a list, code or a table gets a paragraph before it."""
        elements = self._draft.elements
        while place < len(elements) and elements[place].kind is Kind.HEADING:
            place += 1
        if not word or place >= len(elements):
            return
        if elements[place].kind is Kind.PARAGRAPH:
            self._draft.lead(place, f"{word}: ")
        elif elements[place].kind is Kind.CAPTION:
            elements[place] = replace(elements[place], text=f"{word}: {elements[place].text}")
        else:
            self._draft.paragraph(word)
            elements.insert(place, elements.pop())

    def _block(self, node: etree._Element, name: str, level: int, depth: int) -> None:
        if name in _TEXTS or name == "title":
            self._draft.paragraph(_words(node))
        elif name in _CODE:
            self._draft.code(_verbatim(node))
        elif name in _LISTS:
            self._draft.paragraph(_words(_child(node, "title")))
            self._draft.listing(_items(node, 0))
        elif name == "section":
            self._draft.heading(_words(_child(node, "title")), level + 1)
            self.read(node, level + 1, depth, is_titled=True)
        elif name == "table":
            self._draft.caption(_words(_child(node, "title")))
            rows = [row for row in node.iter() if _name(row) == "tr"]
            self._draft.table([_words(cell) for cell in row if _name(cell) in ("td", "th")] for row in rows)
        elif name == "note":
            self._note(node, level, depth)
        elif name == "media":
            self._draft.caption(_words(node))
        elif name in ("figure", "listing"):
            self._draft.caption(_words(_child(node, "title")))
            self.read(node, level, depth, is_titled=True)
        else:
            self.read(node, level, depth)
            for cite in _children(node, "cite"):
                self._draft.paragraph(_words(cite))

    def _note(self, node: etree._Element, level: int, depth: int) -> None:
        """Read a box; its kind leads its first text."""
        kinds = [style for style in (node.get("style") or "").split() if style in _NOTES]
        n_before = len(self._draft.elements)
        self.read(node, level, depth)
        self._lead(n_before, (kinds[0] if kinds else "note").capitalize())


def _items(node: etree._Element, depth: int) -> Iterator[ListItem]:
    """Yield the items of a list with their depths; blocks of one item stand on lines of their own."""
    is_numbered = _name(node) == "steps"
    for number, item in enumerate(_children(node, "item"), 1):
        if depth > MAX_DEPTH:
            return
        lists = [child for child in _flow(item) if _name(child) in _LISTS]
        lines = list(_lines(item)) if _name(node) != "tree" else [_words(item, "item")]
        yield depth, "\n".join(lines), f"{number}." if is_numbered else ""
        for inner in [item] if _name(node) == "tree" else lists:
            yield from _items(inner, depth + 1)


def _flow(item: etree._Element) -> Iterator[etree._Element]:
    """Yield the blocks of an item, also those in notes and choices."""
    for child in item:
        name = _name(child)
        if name in _CHOICES | {"note", "div", "example"}:
            yield from _flow(child)
        elif name and name not in _DROPPED:
            yield child


def _lines(item: etree._Element) -> Iterator[str]:
    for child in _flow(item):
        name = _name(child)
        if name in _LISTS:
            continue
        text = _verbatim(child).strip("\n") if name in _CODE else _words(child)
        if text:
            above = child.getparent()
            leads = (_condition(child), _kind_of(above, child))
            yield ": ".join(part for part in (*leads, text) if part)


def _kind_of(above: etree._Element | None, child: etree._Element) -> str:
    """Return what leads the first text of a box or a choice in an item."""
    if above is None or next((one for one in above if _name(one)), None) is not child:
        return ""
    if _name(above) == "note":
        kinds = [style for style in (above.get("style") or "").split() if style in _NOTES]
        return (kinds[0] if kinds else "note").capitalize()
    return _condition(above) if _name(above) in _CHOICES else ""


def _condition(node: etree._Element) -> str:
    """Return the test under which a block is shown; empty without one."""
    if _name(node) == "else" and etree.QName(node).namespace == _CONDITIONS:
        return "otherwise"
    test = (node.get("test") or "") if _name(node) in ("if", "when") else node.get(f"{{{_CONDITIONS}}}test") or ""
    return one_line(test.replace("!", "not "))


def _words(node: etree._Element | None, without: str = "") -> str:
    """Return the text of an element on one line, keys and places of a menu with what stands between them.

    Args:
        without: name of elements within it that are left out.
    """
    return one_line("".join(_pieces(node, without))) if node is not None else ""


def _pieces(node: etree._Element, without: str) -> Iterator[str]:
    name = _name(node)
    between = {"keyseq": "+", "guiseq": " ▸ "}.get(name, "")
    if between:
        parts = [node.text, *(part for one in node for part in (_words(one), one.tail))]
        yield between.join(text for part in parts if (text := one_line(part or "")) and text != between.strip())
        return
    if name == "link" and not len(node) and not (node.text or "").strip():
        yield node.get("xref") or node.get("href") or ""
        return
    yield node.text or ""
    for child in node:
        inner = _name(child)
        if inner and inner != without and inner not in ("comment", "info"):
            is_block = inner in _BLOCKS - {"code", "media"}
            yield from (" " if is_block else "", *_pieces(child, without), " " if is_block else "")
        yield child.tail or ""


def _verbatim(node: etree._Element) -> str:
    return "".join(str(piece) for piece in node.itertext("*"))


def _children(node: etree._Element, name: str) -> Iterator[etree._Element]:
    return (child for child in node if _name(child) == name)


def _child(node: etree._Element, name: str) -> etree._Element | None:
    return next(_children(node, name), None)


def _name(node: etree._Element) -> str:
    return etree.QName(node).localname if isinstance(node.tag, str) else ""
