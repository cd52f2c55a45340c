"""Room: tables of HTML: rows with spans spread out, and whether a table only lays out the page."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml import etree

MAX_SPAN = 200
MAX_SPREAD = 100_000
"""Places of one table that spans may fill; beyond that a span counts as one place."""
_SPACE = re.compile(r"\s+")
_INLINE = frozenset(
    "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark q rp rt ruby s samp small span"
    " strike strong sub sup time tt u var wbr math mi mo mn mrow msup msub".split()
)
_EXPONENT = re.compile(r"[-+\u2212]?\d{1,4}")
_FILE = re.compile(r"\.(?:png|jpe?g|gif|svg|webp)$", re.I)
_GROUPS = ("thead", "tbody", "tfoot")


def flat_text(node: etree._Element, dropped: frozenset[str] = frozenset()) -> str:
    """All text below a node on one line; a space stands where a block begins or ends."""
    return _SPACE.sub(" ", "".join(_texts(node, dropped))).strip()


def _texts(node: etree._Element, dropped: frozenset[str]) -> Iterator[str]:
    walk = etree.iterwalk(node, events=("start", "end"))
    before = ""
    for event, inner in walk:
        tag = inner.tag if isinstance(inner.tag, str) else ""
        if event == "start" and tag in ("sup", "sub") and inner is not node:
            yield raised(inner, before)
            walk.skip_subtree()
        elif event == "start":
            if tag in dropped and inner is not node:
                walk.skip_subtree()
                continue
            yield "" if tag in _INLINE else " "
            yield described(inner) if tag == "img" else inner.text or ""
            before = inner.text or before
        else:
            yield "" if tag in _INLINE else " "
            if inner is not node:
                yield inner.tail or ""
                before = inner.tail or before


def raised(node: etree._Element, before: str) -> str:
    """Text of a superscript or subscript, such that 10 to the power of 6 does not become 106."""
    text = _SPACE.sub(" ", "".join(str(piece) for piece in node.itertext("*"))).strip()
    if node.tag != "sup" or not _EXPONENT.fullmatch(text):
        return text
    above = node.getparent()
    if next(node.iter("a"), None) is not None or (above is not None and above.tag == "a"):
        return f"[{text}]"
    return f"^{text}" if before[-1:].isalnum() or before[-1:] == ")" else text


def described(image: etree._Element) -> str:
    """A picture's description, if it is one rather than a label or a file name."""
    text = _SPACE.sub(" ", image.get("alt") or "").strip()
    return f" {text} " if len(text.split()) >= 3 and not _FILE.search(text) else ""


def is_layout(table: etree._Element) -> bool:
    """Whether a table only places things on the page: its cells are then read as running text."""
    if (table.get("role") or "") in ("presentation", "none"):
        return True
    rows = list(_rows(table))
    if sum(len(list(_cells(row))) for row in rows) <= 1:
        return True
    if next(table.iter("th"), None) is not None:
        return False
    nested = next(table.iterdescendants("table"), None) is not None
    return nested or any(next(table.iter(tag), None) is not None for tag in ("h1", "h2", "h3"))


def rows_of(table: etree._Element, dropped: frozenset[str]) -> list[list[str]]:
    """Rows of a table, header first as written; a spanning cell's text stands in every place it covers."""
    rows: list[list[str]] = []
    hanging: dict[int, tuple[int, str]] = {}
    left = MAX_SPREAD
    for row in _rows(table):
        cells: list[str] = []
        for cell in _cells(row):
            _place_hanging(cells, hanging)
            text = flat_text(cell, dropped)
            down, across = _span(cell, "rowspan"), _span(cell, "colspan")
            left -= down * across - 1
            if left < 0:
                down, across = 1, 1
            for _ in range(across):
                if down > 1:
                    hanging[len(cells)] = (down - 1, text)
                cells.append(text)
        _place_hanging(cells, hanging)
        rows.append(cells)
    return rows


def _place_hanging(cells: list[str], hanging: dict[int, tuple[int, str]]) -> None:
    """Fill the places that cells of rows above reach down to."""
    while (at := len(cells)) in hanging:
        left, text = hanging.pop(at)
        if left > 1:
            hanging[at] = (left - 1, text)
        cells.append(text)


def _span(cell: etree._Element, name: str) -> int:
    value = (cell.get(name) or "").strip()
    return min(max(int(value), 1), MAX_SPAN) if value.isascii() and value.isdigit() and len(value) < 6 else 1


def _rows(table: etree._Element) -> Iterator[etree._Element]:
    for child in table:
        if child.tag == "tr":
            yield child
        elif child.tag in _GROUPS:
            yield from child.iterchildren("tr")


def _cells(row: etree._Element) -> Iterator[etree._Element]:
    yield from row.iterchildren("td", "th")
