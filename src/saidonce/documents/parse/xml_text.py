"""Parse XML: DocBook, DITA, Mallard and feeds by their structure, other XML as records."""

from __future__ import annotations

import re
from collections.abc import Iterator
from copy import deepcopy
from html.entities import html5
from typing import Any

from lxml import etree

from saidonce.documents.parse import struck as struck_out
from saidonce.documents.parse.draft import DocumentDraft, one_line
from saidonce.documents.parse.html import read_fragment, text_within
from saidonce.documents.parse.mallard import is_page, read_page
from saidonce.documents.parse.mathml import formula
from saidonce.documents.parse.source import NamedBytes
from saidonce.errors import Refusal

_PARSER = etree.XMLParser(
    resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, remove_comments=True, remove_pis=True
)
_TITLES = frozenset("title head bridgehead refname".split())
_SECTIONS = frozenset(
    "section sect1 sect2 sect3 sect4 sect5 chapter appendix article book part preface topic concept task reference"
    " refsect1 refsect2 refsection simplesect glossary bibliography div body conbody taskbody refbody".split()
)
_PARAGRAPHS = frozenset("para simpara formalpara p shortdesc abstract summary blockquote caption cmd note".split())
_CODE = frozenset("programlisting screen literallayout codeblock pre synopsis msgblock".split())
_LISTS = frozenset("itemizedlist orderedlist simplelist ul ol steps variablelist procedure steps-unordered".split())
_ITEMS = frozenset("listitem member li step varlistentry".split())
_ORDERED = frozenset({"orderedlist", "ol", "steps", "procedure"})
_TABLES = frozenset({"table", "informaltable", "simpletable"})
_ROWS = frozenset({"row", "tr", "strow", "sthead"})
_CELLS = frozenset({"entry", "td", "th", "stentry"})
_PROSE_ROOTS = _SECTIONS | {"dita", "map", "bookmap", "TEI", "tei"}
_XHTML = "http://www.w3.org/1999/xhtml"
_ENTITY = re.compile(r"&(?:#\d{1,6}|#x[\da-fA-F]{1,6}|[a-zA-Z]{2,10});")
_STRUCK = frozenset({"line-through", "strike", "del"})
_FEEDS = frozenset({"rss", "feed", "RDF"})
_MARKUP = re.compile(r"<\w++[^<>]*+>|&lt;\w+|&\w+;")
_NOTES = ("{*}footnote", "{*}fn", "{*}note")
MAX_DEPTH = 100
MAX_LINES = 60
"""Lines of one record; a larger element is cut into the records of its children."""


def read(source: NamedBytes) -> DocumentDraft:
    """Read an XML file."""
    draft = DocumentDraft(source)
    try:
        root = etree.fromstring(source.content, _PARSER)
    except etree.XMLSyntaxError as bad:
        if "huge" in str(bad).casefold() or "depth" in str(bad).casefold():
            raise source.refuse(Refusal.TOO_LARGE, f"it exceeds a limit of its parser: {bad}") from bad
        raise source.refuse(Refusal.CORRUPT, f"it is not well-formed XML: {one_line(str(bad))[:200]}") from bad
    if _name_entities(root):
        draft.warn("it declares entities, which are never expanded; they stand as their names")
    for node in list(root.iter("{http://www.w3.org/1998/Math/MathML}math")):
        written = formula(node)
        node[:] = []
        node.text = written
    _join_keys(root)
    draft.language = root.get("{http://www.w3.org/XML/1998/namespace}lang") or ""
    if is_page(root):
        read_page(root, draft)
    elif _name(root) in _FEEDS:
        _read_feed(root, draft)
    elif _name(root) in _PROSE_ROOTS:
        draft.strike(_take_out_struck(root))
        _Prose(draft).read(root)
    if not draft.elements:
        _read_records(root, draft, 0)
    return draft


def _name(node: etree._Element) -> str:
    return etree.QName(node).localname if isinstance(node.tag, str) else ""


def _flat(node: etree._Element) -> str:
    return one_line("".join(str(piece) for piece in node.itertext("*")))


def _name_entities(root: etree._Element) -> bool:
    """Write standard names as their characters and all others as they stand; return whether there are others.

    No declared entity is expanded: a few lines of them can grow without bound, or name files of the machine.
    """
    dtd: Any = root.getroottree().docinfo.internalDTD
    declared = {str(one.name): str(one.content or "") for one in dtd.entities()} if dtd is not None else {}
    is_any_left = False
    for node in list(root.iter(etree.Entity)):
        name = str(node.text or "").strip("&;")
        sign = html5.get(f"{name};", "")
        if not sign or declared.get(name, sign) != sign:
            sign, is_any_left = f"&{name};", True
        _replace(node, sign)
    return is_any_left


def _join_keys(root: etree._Element) -> None:
    """Write keys that are pressed together as "Ctrl+C", and the places of a menu as "File ▸ Open"."""
    for node in list(root.iter("{*}keycombo", "{*}menuchoice", "{*}menucascade")):
        keys = [_flat(one) for one in node if _name(one) == "shortcut"]
        parts = [text for one in node if _name(one) != "shortcut" and (text := _flat(one))]
        is_menu = _name(node) != "keycombo"
        between = " ▸ " if is_menu else " " if node.get("action") == "seq" else "+"
        if parts:
            node[:] = []
            node.text = between.join(parts) + "".join(f" ({key})" for key in keys if key)


def _take_out_struck(root: etree._Element) -> int:
    """Take out what is struck out; return the number of passages."""
    struck = [n for n in root.iter(etree.Element) if _name(n) in _STRUCK or n.get("role") in struck_out.NAMES]
    every = set(struck)
    outermost = [node for node in struck if every.isdisjoint(node.iterancestors())]
    n_passages = sum(bool(_flat(node)) for node in outermost)
    for node in outermost:
        struck_out.remove(node)
    return n_passages


def _replace(node: etree._Element, text: str) -> None:
    """Replace a node by text; what follows it stays."""
    above, before = node.getparent(), node.getprevious()
    if above is None:
        return
    text += node.tail or ""
    node.tail = None
    if before is not None:
        before.tail = (before.tail or "") + text
    else:
        above.text = (above.text or "") + text
    above.remove(node)


def _taken_notes(node: etree._Element) -> list[str]:
    """Take the footnotes out of a paragraph and return their texts."""
    notes = [one for one in node.iter(*_NOTES) if one is not node and (_name(one) != "note" or one.get("place"))]
    texts = [_flat(one) for one in notes]
    for one in notes:
        _replace(one, "")
    return texts


class _Prose:
    """Reads documents in DocBook, DITA and similar formats."""

    def __init__(self, draft: DocumentDraft) -> None:
        self._draft = draft

    def read(self, node: etree._Element, level: int = 1, depth: int = 0) -> None:
        """Add the content of a node."""
        if depth > MAX_DEPTH:
            self._draft.paragraph(_flat(node))
            return
        if (node.text or "").strip():
            self._draft.paragraph(node.text or "")
        for child in node:
            self._one(child, level, depth + 1)
            if (child.tail or "").strip():
                self._draft.paragraph(child.tail or "")

    def _one(self, node: etree._Element, level: int, depth: int) -> None:
        name = _name(node)
        if name in _TITLES:
            if _name(node.getparent()) in ("figure", "table", "example", "fig"):  # type: ignore[arg-type]
                self._draft.caption(_flat(node))
            else:
                self._draft.heading(_flat(node), level)
        elif name in _CODE:
            self._draft.code("".join(str(piece) for piece in node.itertext("*")))
        elif name in _LISTS:
            self._draft.listing(self._items(node, 0))
        elif name in _TABLES:
            for title in node.iter("{*}title", "{*}caption"):
                self._draft.caption(_flat(title))
            rows = [row for row in node.iter() if _name(row) in _ROWS]
            self._draft.table([_flat(cell) for cell in row if _name(cell) in _CELLS] for row in rows)
        elif name in _PARAGRAPHS and not any(_name(inner) in _CODE | _LISTS | _TABLES for inner in node.iter()):
            notes = _taken_notes(node)
            self._draft.paragraph(_flat(node))
            for note in notes:
                self._draft.paragraph(note)
        elif name:
            self.read(node, level + (name in _SECTIONS and not name.endswith("body")), depth)

    def _items(self, node: etree._Element, depth: int) -> Iterator[tuple[int, str, str]]:
        number = 0
        for item in node:
            if _name(item) not in _ITEMS or depth > MAX_DEPTH:
                continue
            number += 1
            inner = [n for n in item.iter() if _name(n) in _LISTS and n is not item]
            nested = {piece for one in inner for piece in one.iter()}
            text = (
                "".join(f"{n.text or ''}" if n not in nested else "" for n in item.iter() if isinstance(n.tag, str))
                if inner
                else _flat(item)
            )
            yield depth, one_line(text), f"{number}." if _name(node) in _ORDERED else ""
            for one in inner:
                if not any(above in inner for above in one.iterancestors()):
                    yield from self._items(one, depth + 1)


def _read_feed(root: etree._Element, draft: DocumentDraft) -> None:
    """Add the entries of a feed: title, text, and the rest as a record."""
    for entry in root.iter("{*}item", "{*}entry"):
        rest = []
        texts: dict[str, str] = {}
        for child in entry:
            name, text = _name(child), _markup_of(child) or _flat(child)
            if name in ("title", "description", "summary", "content", "encoded"):
                texts.setdefault(name, text)
            elif text or child.get("href"):
                rest.append(f"{name}: {text or child.get('href')}")
        title = texts.pop("title", "")
        draft.heading(text_within(title, draft) if _MARKUP.search(title) or _ENTITY.search(title) else title, 1)
        for text in texts.values():
            if _MARKUP.search(text):
                read_fragment(text, draft)
            else:
                draft.paragraph(text)
        draft.record(rest)


def _markup_of(node: etree._Element) -> str:
    """Return the XHTML within an element of a feed as HTML; empty if there is none."""
    if not any(isinstance(child.tag, str) and etree.QName(child).namespace == _XHTML for child in node):
        return ""
    inside = deepcopy(node)
    for one in inside.iter():
        if isinstance(one.tag, str):
            one.tag = etree.QName(one).localname
    return "".join(etree.tostring(child, encoding="unicode", method="html") for child in inside)


def _read_records(node: etree._Element, draft: DocumentDraft, depth: int) -> None:
    """Add an element as one record, or its children as records if it is large."""
    lines = list(_lines(node, "", draft, depth))
    if len(lines) <= MAX_LINES or depth > MAX_DEPTH or not len(node):
        draft.record(lines)
        return
    own = [f"{_name(node)}.{key}: {value}" for key, value in _attributes(node)]
    if text := one_line(node.text or ""):
        own.append(f"{_name(node)}: {text}")
    draft.record(own)
    held: list[str] = []
    for child in node:
        if len(child):
            draft.record(held)
            held = []
            _read_records(child, draft, depth + 1)
        else:
            held += list(_lines(child, "", draft, depth + 1))
        if len(held) >= MAX_LINES:
            draft.record(held)
            held = []
    draft.record(held)


def _lines(node: etree._Element, path: str, draft: DocumentDraft, depth: int) -> Iterator[str]:
    """Yield lines "path: value" of an element, its attributes and all below it."""
    if depth > MAX_DEPTH:
        raise draft.source.refuse(Refusal.HOSTILE, f"its elements are nested deeper than {MAX_DEPTH}")
    if not isinstance(node.tag, str):
        return
    here = f"{path}.{_name(node)}" if path else _name(node)
    for key, value in _attributes(node):
        yield f"{here}.{key}: {value}"
    if _is_running(node):
        yield f"{here}: {_flat(node)}"
        for inner in node.iterdescendants():
            yield from (f"{here}.{_name(inner)}.{key}: {value}" for key, value in _attributes(inner))
        return
    if text := one_line(node.text or ""):
        yield f"{here}: {text}"
    for child in node:
        yield from _lines(child, here, draft, depth + 1)
        if tail := one_line(child.tail or ""):
            yield f"{here}: {tail}"


def _is_running(node: etree._Element) -> bool:
    """Return whether an element has mixed content: text beside its children, which have no children."""
    beside = one_line(node.text or "") or any(one_line(child.tail or "") for child in node)
    return bool(len(node) and beside) and not any(len(child) for child in node)


def _attributes(node: etree._Element) -> Iterator[tuple[str, str]]:
    for key, value in node.attrib.items():
        name = str(key)
        if value and not name.startswith("{http://www.w3.org/2001/XMLSchema-instance}"):
            yield etree.QName(name).localname, one_line(str(value))
