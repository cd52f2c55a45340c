"""Parse DOCX: the body in order with headings, lists, tables, text boxes and notes."""

from __future__ import annotations

import re
from collections.abc import Iterator

import docx
from docx.opc.constants import RELATIONSHIP_TYPE
from lxml import etree

from saidonce.documents.parse import archive
from saidonce.documents.parse.diagrams import items_of
from saidonce.documents.parse.docx_hidden import without_unseen
from saidonce.documents.parse.docx_lists import ListPlace, depths
from saidonce.documents.parse.docx_struck import StruckStyles, take_out_struck
from saidonce.documents.parse.docx_styles import ParagraphRole, Styles, W, w
from saidonce.documents.parse.docx_titles import bold_titles
from saidonce.documents.parse.draft import DocumentDraft
from saidonce.documents.parse.office import CHART, description_of, parse_xml, read_chart, read_core
from saidonce.documents.parse.source import NamedBytes
from saidonce.documents.parse.spanning import spanning_once

M = "http://schemas.openxmlformats.org/officeDocument/2006/math"
MC = "http://schemas.openxmlformats.org/markup-compatibility/2006"


_BREAKS = {w("tab"): "\t", w("br"): "\n", w("cr"): "\n", w("noBreakHyphen"): "-", w("ptab"): "\t"}
_SKIPPED = frozenset(
    {
        w("del"), w("moveFrom"), w("instrText"), w("delText"), w("pPr"), w("rPr"), w("sdtPr"), w("txbxContent"),
        w("fldData"), w("pict"), w("object"), w("p"),
        f"{{{MC}}}Fallback",
    }
)  # fmt: skip
_FORMULA_MARKS = {
    ("start", f"{{{M}}}num"): "(", ("end", f"{{{M}}}num"): ")/", ("start", f"{{{M}}}den"): "(",
    ("end", f"{{{M}}}den"): ")", ("start", f"{{{M}}}sup"): "^", ("start", f"{{{M}}}sub"): "_",
    ("start", f"{{{M}}}rad"): "√(", ("end", f"{{{M}}}rad"): ")",
}  # fmt: skip
_FORMULA_PARTS = frozenset(f"{{{M}}}{name}" for name in ("d", "nary", "e", "mr", "num", "den", "sup", "sub", "rad"))
_EXPONENT = re.compile(r"[-+\u2212]?\d{1,4}")
_GREEK = {
    **dict(zip(b"abgdezhqiklmnxoprstufcywGDQLXPSFYW", "αβγδεζηθικλμνξοπρστυφχψωΓΔΘΛΞΠΣΦΨΩ", strict=True)),
    0xA3: "≤", 0xA5: "∞", 0xAB: "↔", 0xAC: "←", 0xAD: "↑", 0xAE: "→", 0xAF: "↓", 0xB0: "°", 0xB1: "±", 0xB3: "≥",
    0xB4: "×", 0xB7: "•", 0xB8: "÷", 0xB9: "≠", 0xBB: "≈", 0xD6: "√", 0xE5: "∑",
}  # fmt: skip
_DINGBATS = {
    0x6F: "☐", 0xA7: "▪", 0xA8: "☐", 0xDF: "←", 0xE0: "→", 0xE1: "↑", 0xE2: "↓", 0xE8: "→", 0xF0: "→", 0xFB: "✗",
    0xFC: "✓", 0xFD: "☒", 0xFE: "☑",
}  # fmt: skip
"""Signs of the fonts Symbol and Wingdings by their codes."""

MAX_DEPTH = 40
_WRAPPERS = frozenset(
    w(name) for name in ("sdt", "sdtContent", "customXml", "smartTag", "ins", "moveTo", "body", "docPartBody")
)
_NOTES = (RELATIONSHIP_TYPE.FOOTNOTES, RELATIONSHIP_TYPE.ENDNOTES, RELATIONSHIP_TYPE.COMMENTS)
_WP = "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"
_V = "urn:schemas-microsoft-com:vml"
_VML_SHAPES = ("shape", "rect", "oval", "roundrect", "group", "line")
DIAGRAM = "http://schemas.openxmlformats.org/drawingml/2006/diagram"
DIAGRAM_DATA = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/diagramData"
_DRAWN = (RELATIONSHIP_TYPE.CHART, DIAGRAM_DATA)
_WANTED = frozenset({RELATIONSHIP_TYPE.STYLES, RELATIONSHIP_TYPE.NUMBERING, *_NOTES})
R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def read(source: NamedBytes) -> DocumentDraft:
    """Read a Word document."""
    document = docx.Document(archive.checked(source))
    draft = DocumentDraft(source)
    read_core(document.core_properties, draft)
    inner = [rel for rel in document.part.rels.values() if not rel.is_external]
    related = {rel.reltype: rel.target_part.blob for rel in inner if rel.reltype in _WANTED}
    drawn = {rel.rId: rel.target_part.blob for rel in inner if rel.reltype in _DRAWN}
    styles = Styles(related.get(RELATIONSHIP_TYPE.STYLES, b""), related.get(RELATIONSHIP_TYPE.NUMBERING, b""))
    walk = _DocxWalk(draft, styles, drawn)
    without_unseen(document.element.body, draft)
    notes = [parse_xml(blob) for kind in _NOTES if (blob := related.get(kind, b""))]
    struck = StruckStyles(parse_xml(related[RELATIONSHIP_TYPE.STYLES]) if RELATIONSHIP_TYPE.STYLES in related else None)
    for story in (document.element.body, *_margin_stories(document), *notes):
        draft.strike(take_out_struck(story, struck))
    heads, feet = _margins(document)
    for text in heads:
        draft.paragraph(text)
    walk.read(document.element.body)
    for part in notes:
        for text in notes_of(part):
            draft.paragraph(text)
    for text in feet:
        draft.paragraph(text)
    return draft


def _margins(document: docx.document.Document) -> tuple[list[str], list[str]]:
    """Return the texts of the page headers and of the page footers, each once."""
    texts: dict[str, dict[str, None]] = {"hdr": {}, "ftr": {}}
    for root in _margin_stories(document):
        kind = etree.QName(root).localname
        for paragraph in root.iter(w("p")):
            text = text_of(paragraph).strip()
            if any(c.isalpha() for c in text):
                texts.setdefault(kind, {})[text] = None
    return list(texts["hdr"]), list(texts["ftr"])


def _margin_stories(document: docx.document.Document) -> Iterator[etree._Element]:
    for rel in document.part.rels.values():
        if not rel.is_external and rel.reltype in (RELATIONSHIP_TYPE.HEADER, RELATIONSHIP_TYPE.FOOTER):
            yield rel.target_part.element


class _DocxWalk:
    """One pass over a story in document order; runs of list items and of code lines become one element."""

    def __init__(self, draft: DocumentDraft, styles: Styles, drawn: dict[str, bytes]) -> None:
        self._draft = draft
        self._drawn = drawn
        self._carried = ""
        self._styles = styles
        self._items: list[tuple[ListPlace, str, str]] = []
        self._code: list[str] = []
        self._titles: set[etree._Element] = set()

    def read(self, story: etree._Element) -> None:
        """Add a story to the draft."""
        self._titles = bold_titles(story)
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
            elif child.tag == w("altChunk"):
                self._draft.warn("text included from another file was not read")

    def _paragraph(self, node: etree._Element, depth: int) -> None:
        text = self._carried + text_of(node)
        role = self._styles.role(node)
        self._carried = text if _continues_in_next(node) else ""
        if self._carried:
            return
        if text.strip():
            self._text(node, text, role)
        for box in boxes_of(node):
            self._open()
            self._blocks(box, depth + 1)
            self._open()
        for text in _descriptions(node):
            self._open()
            self._draft.caption(text)
        self._drawings(node)

    def _text(self, node: etree._Element, text: str, role: ParagraphRole) -> None:
        """Add the text of a paragraph by its role."""
        if role.is_code:
            self._open(code=True)
            self._code.append(text)
        elif role.level:
            self._open()
            self._draft.heading(" ".join([role.number, text]) if role.number else text, role.level)
        elif role.place is not None:
            self._open(items=True)
            self._items.append((role.place, text, role.number))
        elif role.is_continued and self._items:
            at, before, number = self._items[-1]
            self._items[-1] = (at, f"{before}\n{text}", number)
        elif role.is_caption:
            self._open()
            self._draft.caption(text)
        elif node in self._titles:
            self._open()
            self._draft.heading(text, 2)
        else:
            self._open()
            self._draft.paragraph(text)

    def _drawings(self, node: etree._Element) -> None:
        """Add the charts of a paragraph as tables, and its diagrams as lists."""
        for reference in node.iter(f"{{{CHART}}}chart", f"{{{DIAGRAM}}}relIds"):
            part = self._drawn.get(reference.get(f"{{{R}}}id") or reference.get(f"{{{R}}}dm") or "")
            if not part:
                continue
            self._open()
            if reference.tag == f"{{{CHART}}}chart":
                read_chart(parse_xml(part), self._draft)
                continue
            self._draft.listing(items_of(parse_xml(part)))

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
        """Close lists and code that the next paragraph does not continue."""
        if not items and self._items:
            deep = depths([place for place, _, _ in self._items])
            self._draft.listing((at, *item[1:]) for at, item in zip(deep, self._items, strict=True))
            self._items.clear()
        if not code and self._code:
            self._draft.code("\n".join(self._code))
            self._code.clear()


def _descriptions(paragraph: etree._Element) -> dict[str, None]:
    """Return the descriptions of the shapes in a paragraph, in DrawingML or VML, each once."""
    shapes = (node for node in paragraph.iter(f"{{{_WP}}}docPr", *(f"{{{_V}}}{name}" for name in _VML_SHAPES)))
    texts = (description_of(shape.get("descr") or shape.get("alt")) for shape in shapes)
    return dict.fromkeys(filter(None, texts))


def _continues_in_next(paragraph: etree._Element) -> bool:
    """Return whether a tracked change deleted the end of a paragraph, so that its text continues in the next one."""
    following = paragraph.getnext()
    is_gone = paragraph.find(f"{w('pPr')}/{w('rPr')}/{w('del')}") is not None
    return is_gone and following is not None and following.tag == w("p")


def _rows(table: etree._Element) -> Iterator[etree._Element]:
    """Yield the rows of a table without those that a tracked change deleted."""
    for child in table:
        if child.tag == w("tr"):
            if child.find(f"{w('trPr')}/{w('del')}") is None:
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
    """Return the rows of a table; the text of a merged cell is repeated where it covers some of the columns."""
    grid: list[list[str]] = []
    lone: set[int] = set()
    for row in _rows(table):
        before = _number(row.find(f"{w('trPr')}/{w('gridBefore')}"), 0)
        cells = [""] * before
        own = list(_cells(row))
        if len(own) == 1 and not before:
            lone.add(len(grid))
        for cell in own:
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
    return spanning_once(grid, lone)


def _cell_text(cell: etree._Element) -> str:
    return " ".join(filter(None, (text_of(paragraph).strip() for paragraph in cell.iter(f"{{{W}}}p"))))


def _number(node: etree._Element | None, default: int) -> int:
    value = node.get(w("val")) if node is not None else None
    return min(int(value), 100) if value and value.isascii() and value.isdigit() and len(value) < 6 else default


def text_of(paragraph: etree._Element) -> str:
    """Return the visible text of a paragraph: insertions, no deletions, no field codes, formulas on one line."""
    return "".join(_texts(paragraph))


def _texts(paragraph: etree._Element) -> Iterator[str]:
    walk = etree.iterwalk(paragraph, events=("start", "end"))
    before = ""
    fields: list[bool] = []
    for event, node in walk:
        tag = node.tag
        if event == "end" or tag in _FORMULA_PARTS:
            yield _formula_mark(event, node)
        elif tag in _SKIPPED and node is not paragraph:
            walk.skip_subtree()
        elif tag == w("fldChar"):
            _update_fields(fields, node.get(w("fldCharType")) or "")
        elif tag in _OF_THEIR_OWN:
            walk.skip_subtree()
            yield _OF_THEIR_OWN[tag](node)
        elif tag == w("t") and not any(fields[:-1]):
            text = node.text or ""
            yield f"^{text}" if before[-1:].isalnum() and _is_exponent(node, text) else text
            before = text
        elif tag == f"{{{M}}}t":
            yield node.text or ""
        elif tag in _BREAKS:
            yield _BREAKS[tag] if node.get(w("type")) != "page" else " "
        elif tag in (w("footnoteReference"), w("endnoteReference")):
            yield f"[{node.get(w('id')) or ''}]"


def _formula_mark(event: str, node: etree._Element) -> str:
    """Return what stands before or after a part of a formula."""
    if node.tag not in _FORMULA_PARTS:
        return ""
    return _FORMULA_MARKS.get((event, node.tag), "") + (_formula_sign(node) if event == "start" else _separator(node))


def _formula_sign(node: etree._Element) -> str:
    """Return the sign that begins a part of a formula: the bracket of a group, the sign of a sum."""
    name, above = etree.QName(node).localname, node.getparent()
    if name not in ("d", "nary"):
        return " " if name == "e" and above is not None and above.tag == f"{{{M}}}nary" else ""
    properties, default = ("dPr/begChr", "(") if name == "d" else ("naryPr/chr", "∫")
    mark = node.find("/".join(f"{{{M}}}{part}" for part in properties.split("/")))
    return default if mark is None else mark.get(f"{{{M}}}val") or ""


def _separator(node: etree._Element) -> str:
    """Return what separates a part of a formula from the next one, such as the cells of a matrix."""
    name, above = etree.QName(node).localname, node.getparent()
    if name == "d":
        mark = node.find(f"{{{M}}}dPr/{{{M}}}endChr")
        return ")" if mark is None else mark.get(f"{{{M}}}val") or ""
    following = node.getnext()
    if above is None or following is None or following.tag != node.tag:
        return ""
    between = {f"{{{M}}}mr": " ", f"{{{M}}}m": "; ", f"{{{M}}}eqArr": "; ", f"{{{M}}}d": ", "}
    return between.get(str(above.tag), "")


def _update_fields(fields: list[bool], mark: str) -> None:
    """Update the stack of open fields: for each, whether its instructions are being read rather than its result.

    The result of a field inside instructions is not text: Word computes with it.
    """
    if mark == "begin":
        fields.append(True)
    elif mark == "separate" and fields:
        fields[-1] = False
    elif mark == "end" and fields:
        fields.pop()


def _with_ruby(ruby: etree._Element) -> str:
    """Return annotated text with its reading (ruby) in brackets."""
    base, aloud = (
        "".join(t.text or "" for part in ruby.iterchildren(w(name)) for t in part.iter(w("t")))
        for name in ("rubyBase", "rt")
    )
    return f"{base}({aloud})" if aloud else base


def _is_exponent(node: etree._Element, text: str) -> bool:
    """Return whether text is a superscript number: 10 to the power of 6 must not become 106."""
    run = node.getparent()
    raised = run.find(f"{w('rPr')}/{w('vertAlign')}") if run is not None else None
    return raised is not None and raised.get(w("val")) == "superscript" and bool(_EXPONENT.fullmatch(text.strip()))


def _symbol(node: etree._Element) -> str:
    """Return a character of a symbol font; a space for an unknown one, so that the words around it stay separate."""
    try:
        code = int(node.get(w("char")) or "", 16)
    except ValueError:
        return " "
    if 0xF000 <= code <= 0xF0FF:  # symbol fonts sit in the private area, where the font says what the code is
        signs = _GREEK if (node.get(w("font")) or "").casefold() == "symbol" else _DINGBATS
        return signs.get(code - 0xF000, " ")
    return " " if 0xE000 <= code <= 0xF8FF or 0xD800 <= code <= 0xDFFF or code > 0x10FFFF else chr(code)


_OF_THEIR_OWN = {w("ruby"): _with_ruby, w("sym"): _symbol}


def boxes_of(node: etree._Element) -> list[etree._Element]:
    """Return the text boxes anchored below a node, outermost only; the fallback copy of a box is left out."""
    boxes = []
    for box in node.iter(w("txbxContent")):
        above = {ancestor.tag for ancestor in _up_to(box, node)}
        if f"{{{MC}}}Fallback" not in above and w("txbxContent") not in above:
            boxes.append(box)
    return boxes


def _up_to(node: etree._Element, top: etree._Element) -> Iterator[etree._Element]:
    for above in node.iterancestors():
        if above is top:
            return
        yield above


def notes_of(root: etree._Element) -> Iterator[str]:
    """Yield the footnotes, endnotes or comments of a part, each as "[id] text", without separators."""
    for note in root:
        if note.get(w("type")) in ("separator", "continuationSeparator", "continuationNotice"):
            continue
        text = " ".join(filter(None, (text_of(p).strip() for p in note.iter(f"{{{W}}}p"))))
        if text and note.tag == w("comment"):
            author = note.get(w("author")) or ""
            yield f"[{author}] {text}" if author else text
        elif text:
            yield f"[{note.get(w('id')) or ''}] {text}"
