"""Room: DOCX -> draft: the body in order with headings, lists, tables, text boxes and notes."""

from __future__ import annotations

from collections.abc import Iterator

import docx
from docx.opc.constants import RELATIONSHIP_TYPE
from lxml import etree

from saidonce.documents.parse import archive, chart
from saidonce.documents.parse.docx_style import PARSER, Styles, W, w
from saidonce.documents.parse.docx_text import boxes_of, notes_of, text_of
from saidonce.documents.parse.draft import DocumentDraft
from saidonce.documents.parse.office import read_core
from saidonce.documents.parse.source import NamedBytes

MAX_DEPTH = 40
_WRAPPERS = frozenset(
    w(name) for name in ("sdt", "sdtContent", "customXml", "smartTag", "ins", "moveTo", "body", "docPartBody")
)
_NOTES = (RELATIONSHIP_TYPE.FOOTNOTES, RELATIONSHIP_TYPE.ENDNOTES, RELATIONSHIP_TYPE.COMMENTS)
_WANTED = frozenset({RELATIONSHIP_TYPE.STYLES, RELATIONSHIP_TYPE.NUMBERING, *_NOTES})
R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def read(source: NamedBytes) -> DocumentDraft:
    """Read a Word document."""
    document = docx.Document(archive.checked(source))
    draft = DocumentDraft(source)
    read_core(document.core_properties, draft)
    inner = [rel for rel in document.part.rels.values() if not rel.is_external]
    related = {rel.reltype: rel.target_part.blob for rel in inner if rel.reltype in _WANTED}
    charts = {rel.rId: rel.target_part.blob for rel in inner if rel.reltype == RELATIONSHIP_TYPE.CHART}
    styles = Styles(related.get(RELATIONSHIP_TYPE.STYLES, b""), related.get(RELATIONSHIP_TYPE.NUMBERING, b""))
    walk = _DocxWalk(draft, styles, charts)
    heads, feet = _margins(document)
    for text in heads:
        draft.paragraph(text)
    walk.read(document.element.body)
    for kind in _NOTES:
        for text in notes_of(related.get(kind, b"")):
            draft.paragraph(text)
    for text in feet:
        draft.paragraph(text)
    return draft


def _margins(document: docx.document.Document) -> tuple[list[str], list[str]]:
    """Texts of the running headers and of the running footers, each once."""
    texts: dict[str, dict[str, None]] = {"hdr": {}, "ftr": {}}
    for rel in document.part.rels.values():
        if rel.is_external or rel.reltype not in (RELATIONSHIP_TYPE.HEADER, RELATIONSHIP_TYPE.FOOTER):
            continue
        root = rel.target_part.element
        kind = etree.QName(root).localname
        for paragraph in root.iter(w("p")):
            text = text_of(paragraph).strip()
            if any(c.isalpha() for c in text):
                texts.setdefault(kind, {})[text] = None
    return list(texts["hdr"]), list(texts["ftr"])


class _DocxWalk:
    """One pass over a story in document order; runs of list items and of code lines become one element."""

    def __init__(self, draft: DocumentDraft, styles: Styles, charts: dict[str, bytes]) -> None:
        self._draft = draft
        self._charts = charts
        self._styles = styles
        self._items: list[tuple[int, str]] = []
        self._code: list[str] = []

    def read(self, story: etree._Element) -> None:
        """Add a story to the draft."""
        self._blocks(story, 0)
        self._open()

    def _blocks(self, parent: etree._Element, depth: int) -> None:
        if depth > MAX_DEPTH:
            self._draft.warn("very deeply nested content was left out")
            return
        for child in parent:
            if child.tag == w("p"):
                self._paragraph(child, depth)
            elif child.tag == w("tbl"):
                self._table(child, depth)
            elif child.tag in _WRAPPERS:
                self._blocks(child, depth + 1)

    def _paragraph(self, node: etree._Element, depth: int) -> None:
        text = text_of(node)
        role = self._styles.role(node)
        if not text.strip():
            pass
        elif role.is_code:
            self._open(code=True)
            self._code.append(text)
        elif role.level:
            self._open()
            self._draft.heading(" ".join([role.number, text]) if role.number else text, role.level)
        elif role.is_item:
            self._open(items=True)
            self._items.append((role.depth, text))
        elif role.is_caption:
            self._open()
            self._draft.caption(text)
        else:
            self._open()
            self._draft.paragraph(text)
        for box in boxes_of(node):
            self._open()
            self._blocks(box, depth + 1)
            self._open()
        for reference in node.iter(f"{{{chart.C}}}chart"):
            part = self._charts.get(reference.get(f"{{{R}}}id") or "")
            if part:
                self._open()
                chart.read(etree.fromstring(part, PARSER), self._draft)

    def _table(self, node: etree._Element, depth: int) -> None:
        self._open()
        cells = [cell for row in _rows(node) for cell in _cells(row)]
        if len(cells) == 1:
            self._blocks(cells[0], depth + 1)
            self._open()
            return
        self._draft.table(_grid(node))
        for cell in cells:
            for box in boxes_of(cell):
                self._blocks(box, depth + 1)
                self._open()

    def _open(self, *, items: bool = False, code: bool = False) -> None:
        """Close what the next paragraph does not continue."""
        if not items and self._items:
            self._draft.listing(self._items)
            self._items.clear()
        if not code and self._code:
            self._draft.code("\n".join(self._code))
            self._code.clear()


def _rows(table: etree._Element) -> Iterator[etree._Element]:
    for child in table:
        if child.tag == w("tr"):
            yield child
        elif child.tag in _WRAPPERS:
            yield from _rows(child)


def _cells(row: etree._Element) -> Iterator[etree._Element]:
    for child in row:
        if child.tag == w("tc"):
            yield child
        elif child.tag in _WRAPPERS:
            yield from _cells(child)


def _grid(table: etree._Element) -> list[list[str]]:
    """Rows of a table; the text of a merged cell stands in every place it covers."""
    grid: list[list[str]] = []
    for row in _rows(table):
        before = _number(row.find(f"{w('trPr')}/{w('gridBefore')}"), 0)
        cells = [""] * before
        for cell in _cells(row):
            properties = cell.find(w("tcPr"))
            merge = properties.find(w("vMerge")) if properties is not None else None
            above = grid[-1] if grid else []
            if merge is not None and merge.get(w("val"), "continue") == "continue" and len(cells) < len(above):
                text = above[len(cells)]
            else:
                text = _cell_text(cell)
            span = _number(properties.find(w("gridSpan")), 1) if properties is not None else 1
            cells.extend([text] * span)
        grid.append(cells)
    return grid


def _cell_text(cell: etree._Element) -> str:
    return " ".join(filter(None, (text_of(paragraph).strip() for paragraph in cell.iter(f"{{{W}}}p"))))


def _number(node: etree._Element | None, default: int) -> int:
    value = node.get(w("val")) if node is not None else None
    return min(int(value), 100) if value and value.isascii() and value.isdigit() and len(value) < 6 else default
