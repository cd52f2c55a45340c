"""Write out what a page of HTML shows without text of its own: pictures and bars in a text, quotation marks.

A picture inside a text or a cell is a word of it: "Raft 1 is <img alt="closed">", a tick in the column "heated". One
that stands alone is an illustration, a logo or a badge, and one in a heading a badge, too; their captions are read, and
descriptions of several words.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from lxml import etree

from saidonce.documents.parse.html_captions import DESCRIBED

BLOCKS = frozenset(
    "address article aside blockquote body center details div dd dl dt fieldset figure footer form header hgroup hr"
    " html legend li main ol p section summary table tbody td tfoot th thead tr ul menu dir".split()
)
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_EDGES = BLOCKS | frozenset(("caption", "figcaption", "option", *_HEADINGS))
"""Elements at whose edges a run of text ends."""

ARIA_CELLS = frozenset({"cell", "gridcell", "columnheader", "rowheader"})
_ITEMS = frozenset({"li", "dt", "dd"})
_SILENT = frozenset("pre listing xmp script style noscript template head button select textarea math".split())
_ICONS = frozenset("i span em b strong div".split())
_BARS = frozenset({"progress", "meter"})
_ARIA_BARS = frozenset({"progressbar", "meter"})
_ARIA_PICTURES = frozenset({"img", "image"})
_ORNAMENTAL = frozenset({"presentation", "none"})
_GENERIC = frozenset("image img icon logo picture photo bullet spacer placeholder".split())
"""Alternative texts that only say that there is a picture."""

_FILE = re.compile(r"\.(?:png|jpe?g|gif|svg|webp)$", re.I)
HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.I)
_SPACE = re.compile(r"\s+")
_WORD = re.compile(r"\w+")
_OPENING = frozenset("([{“‘„«\"'/-–")
_QUOTES = frozenset("\"'“”‘’„«»‹›「」")
_ENDS = frozenset(".,;:!?。；")
MIN_DESCRIPTION = 3
"""Words of an alternative text from which it describes a picture that stands alone."""

MOST_OF_AN_ICON = 80
"""Characters of the longest title of an icon; longer ones of empty elements are for programs, such as references."""

NEAR = 200
"""Characters beside a picture in which its words may stand already."""

MOST_SEEN = 20_000
"""Characters of the longest block that is searched for what its abbreviations are short for."""

_AROUND = 12
"""Pieces of a line on each side that are looked at for the text beside a picture."""


def write_out(root: etree._Element, is_layout: Callable[[etree._Element], bool]) -> None:
    """Replace what a page shows or says without text by that text.

    Args:
        is_layout: returns whether a table only places its content, so that its cells are no cells.
    """
    layouts = {table for table in root.iter("table") if is_layout(table)}
    whole_items: dict[etree._Element, bool] = {}
    for run in list(_runs(root, layouts)):
        run.write(whole_items)
    _write_quotes(root)
    _write_abbreviations(root)
    for cell in root.iter(etree.Element):
        if _is_cell(cell, layouts) and next(cell.iter("li"), None) is not None:
            _separate_items(cell)


_Piece: TypeAlias = str | tuple[etree._Element, str]
"""A text, or a picture with what it says."""


@dataclass(slots=True)
class _ShownLine:
    """Text and pictures on one line, between the edges of blocks; a cell is one run.

    Attributes:
        is_cell: it is the content of a cell, where a picture says something even alone.
    """

    is_cell: bool
    pieces: list[_Piece] = field(default_factory=list)

    def write(self, whole_items: dict[etree._Element, bool]) -> None:
        """Replace the pictures that say something here by their words.

        Args:
            whole_items: known items of lists, and whether they hold nothing but pictures.
        """
        has_text = any(isinstance(piece, str) and _WORD.search(piece) for piece in self.pieces)
        for at, piece in enumerate(self.pieces):
            if not isinstance(piece, str):
                node, text = piece
                is_read = self._is_read(node, text, has_text) or _is_whole_item(node, whole_items)
                self.pieces[at] = self._put(at, node, text) if is_read and not self._stands_beside(at, text) else ""
                if self.pieces[at] and not (has_text or self.is_cell or _is_whole_item(node, whole_items)):
                    node.set(DESCRIBED, "")

    def _is_read(self, node: etree._Element, text: str, has_text: bool) -> bool:
        if len(text.split()) >= MIN_DESCRIPTION and node.tag == "img":
            return True
        in_line = self.is_cell or (has_text and _says_something(text))
        return in_line and next(node.iterancestors("figure", *_HEADINGS), None) is None

    def _stands_beside(self, at: int, text: str) -> bool:
        """Return whether the words of a picture are the text right before or after it, too."""
        own = _words(text)
        if not own:
            return False
        before = next((p for p in self._before(at) if isinstance(p, str) and p.strip()), "")
        after = next((p for p in self._after(at) if isinstance(p, str) and p.strip()), "")
        return own in (_words(before[-NEAR:])[-len(own) :], _words(after[:NEAR])[: len(own)])

    def _before(self, at: int) -> Sequence[_Piece]:
        return self.pieces[max(at - _AROUND, 0) : at][::-1]

    def _after(self, at: int) -> Sequence[_Piece]:
        return self.pieces[at + 1 : at + 1 + _AROUND]

    def _put(self, at: int, node: etree._Element, text: str) -> str:
        before = next(filter(None, self._before(at)), "")
        after = next(filter(None, self._after(at)), "")
        tail = node.tail
        node.clear()
        node.tag, node.tail = "span", tail
        lead = " " if isinstance(before, str) and before and not _opens(before[-1]) else ""
        gap = " " if not isinstance(after, str) or after[:1].isalnum() else ""
        node.text = f"{lead}{text}{gap}"
        return node.text


def _opens(sign: str) -> bool:
    return sign.isspace() or sign in _OPENING


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _says_something(text: str) -> bool:
    """Return whether an alternative text in a line is more than a bullet: it has a letter, or a sign such as a tick."""
    return _WORD.search(text) is not None or any(unicodedata.category(sign)[0] == "S" for sign in text)


def _is_whole_item(node: etree._Element, known: dict[etree._Element, bool]) -> bool:
    """Return whether a picture is all that an item of a list holds."""
    for above in node.iterancestors():
        if above.tag in _ITEMS:
            if above not in known:
                known[above] = not _WORD.search(_text_of(above))
            return known[above]
        if above.tag in ("figure", "table", "ul", "ol", "dl"):
            return False
    return False


def _text_of(node: etree._Element) -> str:
    """Return the text below a node, without the titles in its drawings."""
    texts = []
    walk = etree.iterwalk(node, events=("start", "end"))
    for event, inner in walk:
        if event == "end":
            texts.append(inner.tail if inner is not node else "")
        elif inner.tag in ("svg", "script", "style", *_BARS):
            walk.skip_subtree()
        else:
            texts.append(inner.text)
    return "".join(text or "" for text in texts)


def _runs(root: etree._Element, layouts: set[etree._Element]) -> Iterator[_ShownLine]:
    """Yield the runs of a page that have a picture."""
    cells: list[etree._Element] = []
    bare_links: dict[etree._Element, bool] = {}
    run = _ShownLine(is_cell=False)
    walk = etree.iterwalk(root, events=("start", "end"))
    for event, node in walk:
        is_cell = _is_cell(node, layouts)
        if is_cell or (node.tag in _EDGES and not cells):
            yield from _with_pictures(run)
            cells = [*cells, node] if is_cell and event == "start" else cells[:-1] if is_cell else cells
            run = _ShownLine(is_cell=bool(cells))
        elif node.tag in _EDGES or node.tag == "br":
            run.pieces.append(" ")
        if event == "end":
            run.pieces.append(node.tail or "")
        elif node.tag in _SILENT:
            walk.skip_subtree()
        elif text := _alternative(node, bare_links):
            run.pieces.append((node, text))
            walk.skip_subtree()
        elif node.tag in ("svg", *_BARS) or _is_out_of_line(node):
            walk.skip_subtree()
        else:
            run.pieces.append(node.text or "")
    yield from _with_pictures(run)


def _with_pictures(run: _ShownLine) -> Iterator[_ShownLine]:
    if any(not isinstance(piece, str) for piece in run.pieces):
        yield run


def _is_cell(node: etree._Element, layouts: set[etree._Element]) -> bool:
    if node.tag in ("td", "th"):
        return next(node.iterancestors("table"), None) not in layouts
    return node.get("role") in ARIA_CELLS


def _is_out_of_line(node: etree._Element) -> bool:
    """Return whether an element is hidden from a reader within its line; hidden blocks are left out later."""
    if node.get("aria-hidden") == "true":
        return True
    is_hidden = node.get("hidden") is not None or HIDDEN_STYLE.search(node.get("style") or "") is not None
    return is_hidden and node.tag not in _EDGES


def _alternative(node: etree._Element, bare_links: dict[etree._Element, bool]) -> str:
    """Return what an element that shows something else than text says; empty if it shows text or says nothing.

    Args:
        bare_links: known links, and whether they lead to their own place and hold no text.
    """
    role = (node.get("role") or "").casefold()
    text = ""
    if node.tag == "img":
        text = node.get("alt") or ""
    elif node.tag == "svg":
        text = node.findtext("title") or node.get("aria-label") or ""
    elif node.tag in _BARS:
        text = _bar(node)
    elif role in _ARIA_BARS and not _WORD.search(_text_of(node)):
        text = node.get("aria-valuetext") or node.get("aria-valuenow") or ""
    elif role in _ARIA_PICTURES and not _WORD.search(_text_of(node)):
        text = node.get("aria-label") or node.get("title") or ""
    elif node.tag in _ICONS and (title := node.get("title") or node.get("aria-label")) and _is_empty(node):
        text = title if len(title) <= MOST_OF_AN_ICON else ""
    text = _line(text)
    is_silent = not text or _FILE.search(text) or text.casefold() in _GENERIC or role in _ORNAMENTAL
    return "" if is_silent or _is_out_of_line(node) or _leads_here(node, bare_links) else text


def _line(text: str) -> str:
    return _SPACE.sub(" ", text).strip()


def _is_empty(node: etree._Element) -> bool:
    """Return whether nothing stands in an element, neither text nor a picture."""
    is_blank = not any(str(piece).strip() for piece in node.itertext())
    return is_blank and next(node.iter("img", "svg", *_BARS), None) is None


def _leads_here(node: etree._Element, known: dict[etree._Element, bool]) -> bool:
    """Return whether an element is the sign of a link to its own place, as beside headings."""
    link = next(node.iterancestors("a"), None)
    if link is None:
        return False
    if link not in known:
        known[link] = (link.get("href") or "").startswith("#") and not _text_of(link).strip()
    return known[link]


def _bar(node: etree._Element) -> str:
    """Return the text within a bar that browsers without bars show, else its value: "30/100"."""
    if _WORD.search(within := "".join(str(piece) for piece in node.itertext())):
        return _line(within)
    value, most = (node.get("value") or "").strip(), (node.get("max") or "").strip()
    return f"{value}/{most}" if value and most else value


def _write_quotes(root: etree._Element) -> None:
    """Put the quotation marks around `q` that a browser shows, unless the author has typed some."""
    for node in list(root.iter("q")):
        above = node.getparent()
        if next(node.iterancestors(*_SILENT), None) is not None or above is None:
            continue
        previous = node.getprevious()
        before = (above.text if previous is None else previous.tail) or ""
        inside = "".join(str(piece) for piece in node.itertext()).strip()
        is_inner = next(node.iterancestors("q"), None) is not None
        if not inside or inside[0] in _QUOTES or (before[-1:] in _QUOTES and before and not is_inner):
            continue
        opening, closing = "‘’" if is_inner else "“”"
        node.text = f"{opening}{node.text or ''}"
        _append(node, closing)


def _append(node: etree._Element, text: str) -> None:
    """Add a text at the end of an element."""
    if len(node):
        node[-1].tail = f"{node[-1].tail or ''}{text}"
    else:
        node.text = f"{node.text or ''}{text}"


def _write_abbreviations(root: etree._Element) -> None:
    """Put what an abbreviation is short for behind it, once in a block, unless the block says so itself."""
    known: dict[etree._Element, str] = {}
    for node in list(root.iter("abbr", "acronym")):
        title, short = _line(node.get("title") or ""), _line("".join(str(piece) for piece in node.itertext()))
        if not title or not short or next(node.iterancestors(*_SILENT), None) is not None:
            continue
        block = next((above for above in node.iterancestors() if above.tag in _EDGES), root)
        if block not in known:
            known[block] = f" {' '.join(_words(_text_of(block)[:MOST_SEEN]))} "
        spelled = f" {' '.join(_words(title))} "
        if spelled not in known[block]:
            known[block] += spelled
            _append(node, f" ({title})")


def _separate_items(cell: etree._Element) -> None:
    """End the items of lists in a cell with a semicolon: "Day; Week; Month" are three, "Day Week Month" may be one."""
    items = list(cell.iter("li"))
    for item, following in zip(items, [*items[1:], None], strict=True):
        own = (item.text or "").strip() if following is not None and item in following.iterancestors() else ""
        whole = own or _text_of(item).strip()
        if not whole or whole[-1] in _ENDS or (following is None and not _has_text_after(item, cell)):
            continue
        if own:
            item.text = f"{(item.text or '').rstrip()}; "
        else:
            _append_visibly(item, ";")


def _append_visibly(item: etree._Element, sign: str) -> None:
    """Add a sign behind the last text of an item."""
    last = item
    while len(last) and not (last[-1].tail or "").strip():
        last = last[-1]
    if len(last):
        last[-1].tail = f"{(last[-1].tail or '').rstrip()}{sign} "
    else:
        last.text = f"{(last.text or '').rstrip()}{sign} "


def _has_text_after(item: etree._Element, cell: etree._Element) -> bool:
    node = item
    while node is not cell:
        after = [node.tail or "", *(_text_of(one) + (one.tail or "") for one in node.itersiblings())]
        if "".join(after).strip():
            return True
        above = node.getparent()
        if above is None:
            return False
        node = above
    return False
