"""Parse PPTX: a slide is a page, its title a heading."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pptx
from lxml import etree

from saidonce.documents.parse import archive
from saidonce.documents.parse.diagrams import items_of
from saidonce.documents.parse.draft import DocumentDraft
from saidonce.documents.parse.office import CHART, DRAWING, description_of, number_of, parse_xml, read_chart, read_core
from saidonce.documents.parse.source import NamedBytes
from saidonce.documents.parse.struck import InlineText, take_out
from saidonce.errors import Refusal

P = "http://schemas.openxmlformats.org/presentationml/2006/main"
R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_TITLES = ("title", "ctrTitle")
_FURNITURE = ("dt", "ftr", "sldNum", "hdr")
_BULLETED = ("body", "obj", "")
_EXPONENT = re.compile(r"[-+\u2212]?\d{1,4}")
MAX_DEPTH = 30


def read(source: NamedBytes) -> DocumentDraft:
    """Read a presentation."""
    deck = pptx.Presentation(archive.checked(source))
    draft = DocumentDraft(source)
    read_core(deck.core_properties, draft)
    slides = list(deck.slides)
    if not slides:
        raise source.refuse(Refusal.NO_TEXT, "it has no slides")
    draft.n_pages = len(slides)
    for page, slide in enumerate(slides, 1):
        _Slide(draft, slide.part, page).read(slide.element)
        if slide.has_notes_slide:
            _Slide(draft, slide.notes_slide.part, page).read_notes(slide.notes_slide.element)
        for text in _comments(slide.part):
            draft.paragraph(text, page)
    return draft


def a(name: str) -> str:
    """Return a qualified name in the drawing namespace."""
    return f"{{{DRAWING}}}{name}"


def p(name: str) -> str:
    """Return a qualified name in the presentation namespace."""
    return f"{{{P}}}{name}"


class _Slide:
    def __init__(self, draft: DocumentDraft, part: Any, page: int) -> None:
        self._draft = draft
        self._part = part
        self._page = page

    def read(self, root: etree._Element) -> None:
        """Add a slide: its title, then its shapes from top to bottom."""
        self._draft.strike(_take_out_struck(root))
        tree = root.find(f"{p('cSld')}/{p('spTree')}")
        if tree is None:
            return
        shapes = list(_shapes(tree, 0))
        titles = [shape for shape in shapes if _placeholder(shape) in _TITLES]
        for shape in titles:
            self._draft.heading(" ".join(_lines(shape)), 1, self._page)
        rest = [shape for shape in shapes if _placeholder(shape) not in (*_TITLES, *_FURNITURE)]
        for shape in sorted(rest, key=_place):
            self._shape(shape)

    def read_notes(self, root: etree._Element) -> None:
        """Add the speaker's notes of a slide."""
        self._draft.strike(_take_out_struck(root))
        for shape in root.iter(p("sp")):
            if _placeholder(shape) == "body":
                self._draft.paragraph("\n".join(_lines(shape)), self._page)

    def _shape(self, shape: etree._Element) -> None:
        about = next(shape.iter(p("cNvPr")), None)
        if about is not None and (text := description_of(about.get("descr"))):
            self._draft.caption(text, self._page)
        if shape.tag == p("sp"):
            self._text(shape)
        elif (table := next(shape.iter(a("tbl")), None)) is not None:
            self._draft.table(_grid(table), self._page)
        elif (reference := next(shape.iter(f"{{{CHART}}}chart"), None)) is not None:
            self._chart(reference)
        else:
            self._diagram(shape)

    def _text(self, shape: etree._Element) -> None:
        body = shape.find(p("txBody"))
        if body is None:
            return
        kind = _placeholder(shape)
        default = kind is not None and kind in _BULLETED
        items: list[tuple[int, str, str]] = []
        numbers: dict[int, int] = {}
        for paragraph in body.iterchildren(a("p")):
            text = _paragraph_text(paragraph)
            bulleted, depth = _bullet(paragraph, default=default)
            if not text:
                continue
            if bulleted:
                numbers = {at: number for at, number in numbers.items() if at <= depth}
                start = _numbered_from(paragraph)
                numbers[depth] = 0 if start is None else numbers.get(depth, start - 1) + 1
                items.append((depth, text, f"{numbers[depth]}." if numbers[depth] else ""))
                continue
            numbers = {}
            self._draft.listing(items, self._page)
            items = []
            self._draft.paragraph(text, self._page)
        if len(items) == 1 and default:
            self._draft.paragraph(items[0][1], self._page)
        else:
            self._draft.listing(items, self._page)

    def _chart(self, reference: etree._Element) -> None:
        root = self._related(reference.get(f"{{{R}}}id"))
        if root is not None:
            read_chart(root, self._draft, self._page)

    def _diagram(self, shape: etree._Element) -> None:
        """Add a diagram: the text of SmartArt is in a separate part."""
        for node in shape.iter("{http://schemas.openxmlformats.org/drawingml/2006/diagram}relIds"):
            root = self._related(node.get(f"{{{R}}}dm"))
            if root is not None:
                self._draft.listing(items_of(root), self._page)

    def _related(self, relation: str | None) -> etree._Element | None:
        if not relation or relation not in self._part.rels or self._part.rels[relation].is_external:
            return None
        return parse_xml(self._part.rels[relation].target_part.blob)


def _shapes(parent: etree._Element, depth: int) -> Iterator[etree._Element]:
    """Yield the shapes of a tree; the members of a group take the position of the group."""
    for child in parent:
        if child.tag == p("grpSp") and depth < MAX_DEPTH:
            yield from _shapes(child, depth + 1)
        elif child.tag in (p("sp"), p("graphicFrame"), p("pic")):
            yield child
        elif child.tag == "{http://schemas.openxmlformats.org/markup-compatibility/2006}AlternateContent":
            for choice in list(child)[:1]:
                yield from _shapes(choice, depth + 1)


def _placeholder(shape: etree._Element) -> str | None:
    """Return the type of a placeholder, empty if it has none; None for any other shape."""
    node = next(shape.iter(p("ph")), None)
    return None if node is None else (node.get("type") or "")


def _place(shape: etree._Element) -> tuple[int, int]:
    """Return the top and left edge on a grid of a third of an inch; shapes with an inherited position come first."""
    groups = [above for above in shape.iterancestors() if above.tag == p("grpSp")]
    if groups:
        shape = groups[-1]
    offset = next(shape.iter(a("off")), None)
    if offset is None:
        return (0, 0)
    return (number_of(offset.get("y")) // 304_800, number_of(offset.get("x")))


def _lines(shape: etree._Element) -> list[str]:
    return [text for paragraph in shape.iter(a("p")) if (text := _paragraph_text(paragraph))]


def _paragraph_text(paragraph: etree._Element) -> str:
    parts = [""]
    for node in paragraph.iter(a("t"), a("br"), a("tab")):
        text = {a("br"): "\n", a("tab"): " "}.get(node.tag) or node.text or ""
        is_mark = parts[-1][-1:].isalnum() and _EXPONENT.fullmatch(text.strip()) is not None and _is_raised(node)
        parts.append(f"^{text}" if is_mark else text)
    return "".join(parts).strip()


def _take_out_struck(root: etree._Element) -> int:
    """Take struck runs out of a slide; return the number of passages."""
    return sum(
        take_out([InlineText(t, _is_struck(t)) for t in paragraph.iter(a("t"))]) for paragraph in root.iter(a("p"))
    )


def _is_struck(text: etree._Element) -> bool:
    run = text.getparent()
    properties = run.find(a("rPr")) if run is not None else None
    return properties is not None and (properties.get("strike") or "noStrike") != "noStrike"


def _is_raised(node: etree._Element) -> bool:
    """Return whether a text is superscript: 10 to the power of 6 must not become 106."""
    run = node.getparent()
    properties = run.find(a("rPr")) if run is not None else None
    return properties is not None and number_of(properties.get("baseline")) > 0


def _bullet(paragraph: etree._Element, *, default: bool) -> tuple[bool, int]:
    properties = paragraph.find(a("pPr"))
    if properties is None:
        return default, 0
    depth = min(number_of(properties.get("lvl")), 8)
    if properties.find(a("buNone")) is not None:
        return False, depth
    if any(properties.find(a(name)) is not None for name in ("buChar", "buAutoNum", "buBlip")):
        return True, depth
    return default, depth


def _numbered_from(paragraph: etree._Element) -> int | None:
    """Return the first number of a numbered list; None for bullets."""
    node = next(paragraph.iterfind(f"{a('pPr')}/{a('buAutoNum')}"), None)
    return None if node is None else max(number_of(node.get("startAt")), 1)


def _grid(table: etree._Element) -> list[list[str]]:
    """Return the rows of a table; the text of a merged cell is repeated in every cell that it covers."""
    grid: list[list[str]] = []
    for row in table.iterchildren(a("tr")):
        cells: list[str] = []
        for cell in row.iterchildren(a("tc")):
            if cell.get("hMerge") in ("1", "true") and cells:
                cells.append(cells[-1])
            elif cell.get("vMerge") in ("1", "true") and grid and len(cells) < len(grid[-1]):
                cells.append(grid[-1][len(cells)])
            else:
                cells.append(" ".join(_lines(cell)))
        grid.append(cells)
    return grid


def _comments(part: Any) -> Iterator[str]:
    """Yield the reviewers' comments on a slide, in the old form or the new."""
    for relation in part.rels.values():
        if relation.is_external or not relation.reltype.endswith("/comments"):
            continue
        root = parse_xml(relation.target_part.blob)
        for node in root.iter():
            if not isinstance(node.tag, str) or etree.QName(node).localname not in ("cm", "reply"):
                continue
            for child in node:
                name = etree.QName(child).localname if isinstance(child.tag, str) else ""
                if name == "text":
                    yield child.text or ""
                elif name == "txBody":
                    yield "\n".join(_lines(child))
