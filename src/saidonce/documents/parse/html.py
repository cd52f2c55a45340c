"""Parse HTML: the main content in reading order, without navigation, scripts and page furniture."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from lxml import etree

from saidonce.documents.parse.dates import from_any
from saidonce.documents.parse.decode import decode
from saidonce.documents.parse.draft import DocumentDraft, one_line, printable
from saidonce.documents.parse.html_admonitions import set_admonitions
from saidonce.documents.parse.html_captions import is_note, set_captions
from saidonce.documents.parse.html_forms import CONTROLS, Controls, value_of
from saidonce.documents.parse.html_furniture import (
    INLINE,
    is_furniture,
    is_handle,
    is_hidden,
    is_label,
    is_line_number,
    leads_elsewhere,
    link_share,
)
from saidonce.documents.parse.html_leads import Leads
from saidonce.documents.parse.html_line import OpenLine
from saidonce.documents.parse.html_marks import marks_of
from saidonce.documents.parse.html_notes import set_notes
from saidonce.documents.parse.html_shown import ARIA_CELLS, BLOCKS, write_out
from saidonce.documents.parse.html_stamp import stamp_in
from saidonce.documents.parse.html_struck import take_out_struck
from saidonce.documents.parse.html_terms import set_terms
from saidonce.documents.parse.mathml import formula
from saidonce.documents.parse.source import NamedBytes
from saidonce.documents.parse.spanning import spanning_once

MAX_DEPTH = 120
"""Deeper markup is read as one run of text; real pages stay below 60."""

DROPPED = frozenset(
    "script style noscript template svg iframe object embed canvas audio video map head nav input button select"
    " textarea datalist progress meter dialog link meta base".split()
)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_LISTS = frozenset({"ul", "ol", "menu", "dir"})
_CHARSET = re.compile(rb"""(?:charset|encoding)\s*+=\s*+(?:["']\s*+)?([\w.:-]{2,40})""", re.I)
_DATE_NAMES = (
    "article:modified_time", "dcterms.modified", "dc.date.modified", "last-modified", "og:updated_time", "datemodified",
    "article:published_time", "dcterms.date", "dc.date", "dcterms.issued", "date", "datepublished", "pubdate",
)  # fmt: skip
_SPACE = re.compile(r"\s+")
MAX_SPAN = 200
MAX_SPREAD = 100_000
"""Places of one table that spans may fill; beyond that a span counts as one place."""

_BOXES = frozenset({"span", "a", "label", "time", "data", "output"})
_EXPONENT = re.compile(r"[-+\u2212]?\d{1,4}")
_GROUPS = ("thead", "tbody", "tfoot")
_TEXTS = frozenset((*_HEADINGS, "p", "table", "ul", "ol", "dl", "pre", "blockquote", "figure"))
_WRAPPERS = frozenset({"form", "center", "div", "font", "span", "fieldset"})
_OF_TABLES = frozenset(("caption", "colgroup", "col", "tr", "td", "th", *_GROUPS))


def read(source: NamedBytes) -> DocumentDraft:
    """Read an HTML page."""
    declared = _CHARSET.search(source.content[:2048])
    text = decode(source.content, declared.group(1).decode("ascii", "replace") if declared else "")
    draft = DocumentDraft(source)
    if text.guessed and text.encoding != "utf-8":
        draft.warn(f"no encoding is declared; {text.note}")
    root = _root(text.text, draft)
    if root is None:
        return draft
    _read_head(root, draft)
    _HtmlWalk(draft).read(_main_content(root))
    if not draft.elements:
        _HtmlWalk(draft, keep_furniture=True).read(root)
    return draft


def read_fragment(
    markup: str,
    draft: DocumentDraft,
    page: int | None = None,
    prepare: Callable[[etree._Element], None] = lambda _: None,
) -> None:
    """Add the content of a piece of HTML to a draft; what the caller has to mark in its tree is marked before."""
    root = _root(markup, draft)
    if root is None:
        return
    prepare(root)
    n_before = len(draft.elements)
    _HtmlWalk(draft, page).read(root)
    if len(draft.elements) == n_before:
        _HtmlWalk(draft, page, keep_furniture=True).read(root)


def text_within(markup: str, draft: DocumentDraft) -> str:
    """Return the text of a piece of HTML of a draft on one line."""
    root = _root(markup, draft)
    return flat_text(root, DROPPED) if root is not None else ""


def read_chapter(markup: str, draft: DocumentDraft) -> None:
    """Add a chapter of a book: its whole body, including elements that are page furniture on the web."""
    root = _root(markup, draft)
    body = root.find("body") if root is not None else None
    if body is not None:
        _HtmlWalk(draft, keep_furniture=True).read(body)


def _root(markup: str, draft: DocumentDraft) -> etree._Element | None:
    parser = etree.HTMLParser(
        encoding="utf-8", no_network=True, recover=True, remove_comments=True, remove_pis=True, huge_tree=False
    )
    text = printable(markup)
    if not text.strip():
        return None
    try:
        root = etree.fromstring(text.encode("utf-8", "replace"), parser)
    except etree.XMLSyntaxError:
        return None
    if root is not None:
        draft.strike(take_out_struck(root))
        set_notes(root)
        write_out(root, is_layout)
        set_admonitions(root)
        set_captions(root)
        set_terms(root)
    return root


def _read_head(root: etree._Element, draft: DocumentDraft) -> None:
    draft.language = root.get("lang") or root.get("{http://www.w3.org/XML/1998/namespace}lang") or ""
    title = root.find(".//head/title")
    metas: dict[str, str] = {}
    for meta in root.iter("meta"):
        name = meta.get("property") or meta.get("name") or meta.get("itemprop") or meta.get("http-equiv") or ""
        metas.setdefault(name.casefold(), meta.get("content") or "")
    full = one_line("".join(str(piece) for piece in title.itertext())) if title is not None else ""
    draft.title = _short_title(root, full or one_line(metas.get("og:title", "")))
    draft.author = one_line(metas.get("author", "") or metas.get("dc.creator", ""))
    dates = (from_any(metas.get(name, "")) for name in _DATE_NAMES)
    draft.authored_at = next((date for date in dates if date), None) or stamp_in(root)


def _short_title(root: etree._Element, title: str) -> str:
    """Return the page's only h1 if the title merely adds the site's name to it, else the title."""
    tops = [one_line(flat_text(top)) for top in root.iter("h1")]
    if len(tops) == 1 and tops[0] and title.casefold().startswith(tops[0].casefold()):
        return tops[0]
    return title


def _main_content(root: etree._Element) -> etree._Element:
    body = root.find("body")
    if body is None:
        return root
    whole = _length(body)
    for path in (".//main", ".//*[@role='main']", ".//article"):
        nodes = body.findall(path)
        if len(nodes) == 1 and _length(nodes[0]) >= whole * 0.5:
            return _with_text_beside(nodes[0], body)
    return body


def _with_text_beside(main: etree._Element, body: etree._Element) -> etree._Element:
    """Return the main content of a page, with the headings, paragraphs and tables that stand beside it, in no part."""
    path = [main, *(above for above in main.iterancestors() if next(above.iterancestors("body"), None) is not None)]
    beside = [one for part in path for one in part.itersiblings(*_TEXTS)]
    beside += [one for part in path for one in part.itersiblings(*_TEXTS, preceding=True)]
    kept = {one for one in beside if _length(one) and not is_furniture(one, _tag(one)) and link_share(one) <= 0.5}
    if not kept:
        return main
    for part in path:
        for one in [*part.itersiblings(), *part.itersiblings(preceding=True)]:
            if one not in kept:
                one.tag, one.text, one[:] = "template", None, []
    return body


def _length(node: etree._Element) -> int:
    return len(flat_text(node, DROPPED))


def _tag(node: etree._Element) -> str:
    return node.tag.casefold() if isinstance(node.tag, str) else ""


class _HtmlWalk:
    """One pass over a tree in document order."""

    def __init__(self, draft: DocumentDraft, page: int | None = None, *, keep_furniture: bool = False) -> None:
        self._draft = draft
        self._page = page
        self._keep = keep_furniture
        self._line = OpenLine()
        self._items: list[tuple[int, str, str]] = []
        self._depth = 0
        self._lists = 0
        self._mark = ""
        self._controls = Controls()
        self._leads: Leads | None = None
        self._rows: list[str] = []

    def read(self, root: etree._Element) -> None:
        """Add everything below a node to the draft."""
        self._controls = Controls.of(root)
        self._leads = Leads(root, self._draft.source.name)
        self._flow(root)
        self._flush()

    def _is_out(self, node: etree._Element, tag: str) -> bool:
        if tag == "dialog" and node.get("open") is not None:
            return False
        if not tag or tag in (DROPPED - {"nav"} if self._keep else DROPPED):
            return True
        if self._keep:
            return leads_elsewhere(node, tag)
        return is_furniture(node, tag) or (tag in BLOCKS and self._leads is not None and self._leads.is_out(node))

    def _flow(self, node: etree._Element) -> None:
        self._say(node.text)
        for child in node:
            if separates_numbers(child, self._line.last):
                self._line.append(" ")
            self._one(child)
            if not self._controls.takes_tail(child):
                self._say(child.tail)

    def _one(self, node: etree._Element) -> None:
        tag = _tag(node)
        if tag in CONTROLS and not is_hidden(node):
            self._control(node)
            return
        if is_label(node, tag):
            self._flush()
            self._draft.paragraph(flat_text(node), self._page)
            return
        if self._is_out(node, tag) or self._controls.is_spoken(node):
            return
        if self._depth >= MAX_DEPTH:
            self._draft.warn("very deeply nested markup was read as plain text")
            self._say(flat_text(node, DROPPED))
            return
        self._depth += 1
        self._open(node, tag)
        self._depth -= 1

    def _control(self, node: etree._Element) -> None:
        """Add a form control as a row; text before it on its line is its label if it has no other."""
        row = self._controls.row(node, self._line)
        if row is None:
            return
        is_in_item = bool(self._lists and self._items)
        if is_in_item and row.takes_line and not row.label:
            self._line.say_behind(row.value)
            return
        text = row.text(one_line(self._line.take()) if row.takes_line else "")
        if is_in_item:
            self._line.append(f" {text} ")
            return
        if self._line.has_text():
            self._flush_line()
        self._line.take()
        self._rows.append(text)

    def _end_rows(self) -> None:
        rows, self._rows = self._rows, []
        self._draft.record(rows, self._page)

    def _open(self, node: etree._Element, tag: str) -> None:
        if tag == "br":
            self._line.append("\n")
        elif tag in ("sup", "sub"):
            self._line.append(raised(node, self._line.last))
        elif tag in _WRITTEN:
            self._say(_WRITTEN[tag](node))
        elif tag in _HEADINGS:
            self._flush()
            self._draft.heading(f"{self._taken_mark()}{_heading_text(node)}", _HEADINGS[tag], self._page)
        elif tag in ("pre", "listing", "xmp"):
            self._flush()
            self._draft.code(_verbatim(node), self._page)
        elif (tag == "table" and not is_layout(node)) or _has_aria_rows(node):
            self._table(node)
        elif tag in _LISTS or tag == "dl":
            self._list(node)
        elif tag in ("figcaption", "caption"):
            self._flush()
            self._draft.caption(flat_text(node, DROPPED), self._page)
        elif tag in BLOCKS:
            self._flush_line()
            self._flow(node)
            self._flush_line()
        else:
            self._flow(node)

    def _table(self, node: etree._Element) -> None:
        self._flush()
        for caption in node.iterchildren("caption"):
            self._draft.caption(flat_text(caption, DROPPED), self._page)
        rows = rows_of(node, DROPPED) if _tag(node) == "table" else _aria_rows(node)
        self._draft.table(rows, self._page)
        for stray in _strays(node) if _tag(node) == "table" else ():
            if isinstance(stray, str):
                self._say(stray)
            else:
                self._one(stray)
        self._flush_line()

    def _list(self, node: etree._Element) -> None:
        if any(next(node.iter(tag), None) is not None for tag in _HEADINGS):
            self._flush()
            self._sections(node)
            self._flush()
            return
        self._flush_line()
        self._end_rows()
        self._say(node.text)  # what stands between items belongs to none, or to the one before it
        self._flush_line()
        self._lists += 1
        marks = marks_of(node)
        for child in node:
            self._member(child, marks)
            self._say(child.tail)
            self._flush_line()
        self._lists -= 1
        if self._lists == 0:
            self._flush()

    def _member(self, child: etree._Element, marks: Iterator[str]) -> None:
        """Add an item of a list, or a list within it."""
        if self._is_out(child, _tag(child)):
            return
        if _tag(child) not in (*_LISTS, "dl"):
            depth = self._lists if _tag(child) == "dd" else self._lists - 1
            self._items.append((depth, "", next(marks) if _tag(child) == "li" else ""))
        self._one(child)

    def _sections(self, node: etree._Element) -> None:
        """Read a list whose items are sections with headings; the number is put before an item's first text."""
        marks = marks_of(node)
        self._say(node.text)
        for child in node:
            self._mark = next(marks) if _tag(child) == "li" else ""
            self._one(child)
            self._say(child.tail)

    def _taken_mark(self) -> str:
        mark, self._mark = self._mark, ""
        return f"{mark} " if mark else ""

    def _say(self, text: str | None) -> None:
        if text:
            self._line.append(_SPACE.sub(" ", text))

    def _flush_line(self) -> None:
        """End a paragraph or a line of a list item."""
        text = self._line.take().strip()
        if not text:
            return
        if self._lists and self._items:
            depth, before, mark = self._items[-1]
            self._items[-1] = (depth, f"{before}\n{text}" if before else text, mark)
        else:
            self._end_rows()
            self._draft.paragraph(f"{self._taken_mark()}{text}", self._page)

    def _flush(self) -> None:
        """End all open elements, so that the next one follows in reading order."""
        self._flush_line()
        self._end_rows()
        self._draft.listing(self._items, self._page)
        self._items.clear()


def _heading_text(node: etree._Element) -> str:
    """Return the text of a heading; one that is nothing but a button unfolds the text below it."""
    return flat_text(node, DROPPED) or flat_text(node, DROPPED - {"button"})


def _verbatim(node: etree._Element) -> str:
    return "".join(_pieces(node))


def _pieces(node: etree._Element) -> Iterator[str]:
    walk = etree.iterwalk(node, events=("start", "end"))
    for event, inner in walk:
        if event == "start" and is_line_number(inner):
            walk.skip_subtree()
        elif event == "start":
            yield "\n" if _tag(inner) == "br" else ""
            yield inner.text or ""
        elif inner is not node:
            yield inner.tail or ""


def flat_text(node: etree._Element, dropped: frozenset[str] = frozenset()) -> str:
    """Return all text below a node on one line, with a space where a block begins or ends."""
    return _SPACE.sub(" ", "".join(_texts(node, dropped))).strip()


def _texts(node: etree._Element, dropped: frozenset[str]) -> Iterator[str]:
    walk = etree.iterwalk(node, events=("start", "end"))
    before = ""
    for event, inner in walk:
        tag = inner.tag if isinstance(inner.tag, str) else ""
        if event == "start" and tag in ("ruby", "math"):
            yield _WRITTEN[tag](inner)
            walk.skip_subtree()
        elif event == "start" and tag in ("sup", "sub") and inner is not node:
            yield raised(inner, before)
            walk.skip_subtree()
        elif event == "start":
            if inner is not node and _is_left_out(inner, tag, dropped):
                yield f" {value_of(inner)} " if tag in CONTROLS and tag in dropped else ""
                walk.skip_subtree()
                continue
            yield "" if tag in INLINE and not separates_numbers(inner, before) else " "
            yield inner.text or ""
            before = inner.text or before
        else:
            yield "" if tag in INLINE else " "
            if inner is not node:
                yield inner.tail or ""
                before = inner.tail or before


def _is_left_out(node: etree._Element, tag: str, dropped: frozenset[str]) -> bool:
    if tag == "dialog" and node.get("open") is not None:
        return False
    return tag in dropped or is_handle(node) or (bool(dropped) and is_hidden(node))


def separates_numbers(node: etree._Element, before: str) -> bool:
    """Return whether a number begins right where another element with a number ends: they are two numbers.

    Pages place the numbers of a row in adjacent boxes that only their style separates.
    """
    sibling = node.getprevious()
    is_edge = sibling is not None and not sibling.tail and {node.tag, sibling.tag} <= _BOXES
    return is_edge and before[-1:].isdigit() and next(node.itertext(), "")[:1].isdigit()


def raised(node: etree._Element, before: str) -> str:
    """Return the text of a superscript or subscript, so that 10 to the power of 6 does not become 106."""
    text = _SPACE.sub(" ", "".join(str(piece) for piece in node.itertext("*"))).strip()
    if node.tag != "sup" or not _EXPONENT.fullmatch(text):
        return text
    above = node.getparent()
    if next(node.iter("a"), None) is not None or (above is not None and above.tag == "a"):
        return f"[{text}]"
    return f"^{text}" if before[-1:].isalnum() or before[-1:] == ")" else text


def annotated(ruby: etree._Element) -> str:
    """Return annotated text with its reading (ruby) in brackets."""
    aloud = "".join(str(piece) for rt in ruby.iter("rt") for piece in rt.itertext("*"))
    base = "".join(str(piece) for piece in _base_texts(ruby)).strip()
    return f"{base}({_SPACE.sub(' ', aloud).strip()})" if aloud.strip() else base


def _base_texts(node: etree._Element) -> Iterator[str]:
    yield node.text or ""
    for child in node:
        if child.tag not in ("rt", "rp", "rtc"):
            yield from _base_texts(child)
        yield child.tail or ""


def _formula(node: etree._Element) -> str:
    return f" {formula(node)} "


_WRITTEN: Mapping[str, Callable[[etree._Element], str]] = {"ruby": annotated, "math": _formula}
"""Elements that are one piece of text, and what writes it."""


def is_layout(table: etree._Element) -> bool:
    """Return whether a table is only used for page layout; its cells are then read as running text."""
    if (table.get("role") or "") in ("presentation", "none") or is_note(table):
        return True
    rows = list(_rows(table))
    if sum(len(list(_cells(row))) for row in rows) <= 1:
        return True
    if next(table.iter("th"), None) is not None:
        return False
    if any(is_line_number(cell) for row in rows for cell in _cells(row)):
        return True
    nested = next(table.iterdescendants("table"), None) is not None
    return nested or any(next(table.iter(tag), None) is not None for tag in ("h1", "h2", "h3"))


def rows_of(table: etree._Element, dropped: frozenset[str]) -> list[list[str]]:
    """Return the rows of a table, header first as written; a cell's text is repeated where it spans some columns."""
    rows: list[list[str]] = []
    lone: set[int] = set()
    hanging: dict[int, tuple[int, str]] = {}
    left = MAX_SPREAD
    for row in _rows(table):
        cells: list[str] = []
        own = list(_cells(row))
        if len(own) == 1 and not hanging:
            lone.add(len(rows))
        for cell in own:
            _fill_spanned(cells, hanging)
            text = flat_text(cell, dropped)
            down, across = _span(cell, "rowspan"), _span(cell, "colspan")
            left -= down * across - 1
            if left < 0:
                down, across = 1, 1
            for _ in range(across):
                if down > 1:
                    hanging[len(cells)] = (down - 1, text)
                cells.append(text)
        _fill_spanned(cells, hanging)
        rows.append(cells)
    return spanning_once(rows, lone)


def _has_aria_rows(node: etree._Element) -> bool:
    """Return whether an element that is no table declares itself one, with rows."""
    return node.get("role") in ("table", "grid") and _tag(node) != "table" and len(_aria_rows(node)) > 1


def _aria_rows(node: etree._Element) -> list[list[str]]:
    rows = [row for row in node.iterdescendants() if row.get("role") == "row"]
    return [
        [flat_text(cell, DROPPED) for cell in row.iterdescendants() if cell.get("role") in ARIA_CELLS] for row in rows
    ]


def _fill_spanned(cells: list[str], hanging: dict[int, tuple[int, str]]) -> None:
    """Fill the cells that are spanned from rows above."""
    while (at := len(cells)) in hanging:
        left, text = hanging.pop(at)
        if left > 1:
            hanging[at] = (left - 1, text)
        cells.append(text)


def _span(cell: etree._Element, name: str) -> int:
    value = (cell.get(name) or "").strip()
    return min(max(int(value), 1), MAX_SPAN) if value.isascii() and value.isdigit() and len(value) < 6 else 1


def _rows(table: etree._Element) -> Iterator[etree._Element]:
    if next(_cells(table), None) is not None:  # cells that stand in no row make one
        yield table
    for child in table:
        if child.tag == "tr":
            yield child
        elif child.tag in _GROUPS or _wraps_rows(child):
            yield from _rows(child)


def _wraps_rows(node: etree._Element) -> bool:
    """Return whether an element that may not stand in a table, such as a form, holds rows of it."""
    return node.tag in _WRAPPERS and next(node.iterchildren("tr", *_GROUPS), None) is not None


def _strays(table: etree._Element) -> Iterator[etree._Element | str]:
    """Yield what stands in a table, but in no cell of it; a browser shows it beside the table."""
    yield table.text or ""
    for child in table:
        if child.tag in ("tr", *_GROUPS) or _wraps_rows(child):
            yield " "
            yield from _strays(child)
            yield " "
        elif child.tag in _OF_TABLES:
            yield " "
        else:
            yield child
        yield child.tail or ""


def _cells(row: etree._Element) -> Iterator[etree._Element]:
    yield from row.iterchildren("td", "th")
