"""Struck-out text of OpenDocument: styles of characters, paragraphs and cells, and tracked deletions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lxml import etree

from saidonce.documents.parse.struck import InlineText, take_out

_NS = "urn:oasis:names:tc:opendocument:xmlns:{}:1.0"
_MAX_CHAIN = 12


def _q(space: str, name: str) -> str:
    return f"{{{_NS.format(space)}}}{name}"


_PARAGRAPHS = (_q("text", "p"), _q("text", "h"))
_CELL = _q("table", "table-cell")
_VALUES = (_q("office", "value"), _q("office", "date-value"))
_LINE_THROUGH = (_q("style", "text-line-through-style"), _q("style", "text-line-through-type"))


def take_out_struck(roots: Sequence[etree._Element]) -> int:
    """Take what the styles of a document strike out from its parts; return the number of passages."""
    styles = _StruckStyles(roots)
    n_passages = 0
    for root in roots:
        for paragraph in root.iter(*_PARAGRAPHS):
            n_passages += _take_out(paragraph, styles)
        for deletion in root.iter(_q("text", "deletion")):
            n_passages += bool("".join(map(str, deletion.itertext())).strip())
    return n_passages


def _take_out(paragraph: etree._Element, styles: _StruckStyles) -> int:
    if next(paragraph.iterancestors(_q("text", "tracked-changes")), None) is not None:
        return 0
    cell = next(paragraph.iterancestors(_CELL), None)
    of_cell = styles.of("table-cell", cell.get(_q("table", "style-name"))) if cell is not None else None
    own = styles.of("paragraph", paragraph.get(_q("text", "style-name")))
    n_passages = take_out(_pieces(paragraph, styles, is_struck=bool(of_cell if own is None else own)))
    if n_passages and cell is not None and not "".join(map(str, cell.itertext())).strip():
        for value in _VALUES:  # a cell without text is read by its value
            cell.attrib.pop(value, "")
    return n_passages


def _pieces(node: etree._Element, styles: _StruckStyles, *, is_struck: bool) -> Iterator[InlineText]:
    yield InlineText(node, is_struck)
    for child in node:
        if isinstance(child.tag, str) and child.tag not in _PARAGRAPHS:
            own = styles.of("text", child.get(_q("text", "style-name")))
            yield from _pieces(child, styles, is_struck=is_struck if own is None else own)
        yield InlineText(child, is_struck, is_tail=True)


class _StruckStyles:
    """Whether styles strike their text out, by family and name."""

    def __init__(self, roots: Sequence[etree._Element]) -> None:
        self._own: dict[tuple[str, str], bool | None] = {}
        self._parents: dict[tuple[str, str], str] = {}
        for root in roots:
            for style in root.iter(_q("style", "style")):
                key = (style.get(_q("style", "family")) or "", style.get(_q("style", "name")) or "")
                self._own[key] = _own(style)
                self._parents[key] = style.get(_q("style", "parent-style-name")) or ""

    def of(self, family: str, name: str | None) -> bool | None:
        """Return whether a style strikes its text out; None if neither it nor those it is derived from say so."""
        for _ in range(_MAX_CHAIN):
            if not name or (own := self._own.get((family, name))) is not None:
                return own if name else None
            name = self._parents.get((family, name))
        return None


def _own(style: etree._Element) -> bool | None:
    properties = style.find(_q("style", "text-properties"))
    stated = [] if properties is None else [properties.get(name) for name in _LINE_THROUGH if properties.get(name)]
    return all(value != "none" for value in stated) if stated else None
