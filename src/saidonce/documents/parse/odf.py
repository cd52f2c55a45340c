"""Parse OpenDocument texts, sheets and slides; packages and the flat form in one XML file."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from io import BytesIO

from lxml import etree

from saidonce.documents.parse import archive
from saidonce.documents.parse.counting import counted
from saidonce.documents.parse.dates import from_any
from saidonce.documents.parse.draft import MAX_COLUMNS, DocumentDraft, one_line
from saidonce.documents.parse.odf_struck import take_out_struck
from saidonce.documents.parse.office import author_or_none, parse_xml, title_or_none
from saidonce.documents.parse.sheets import CellNote, NoteLabels, SheetSections, SheetTexts
from saidonce.documents.parse.source import NamedBytes
from saidonce.errors import Refusal

_NS = "urn:oasis:names:tc:opendocument:xmlns:{}:1.0"
_DC = "http://purl.org/dc/elements/1.1/"
MAX_CELLS = 2_000_000
MAX_REPEAT = 1_000
MAX_DEPTH = 60
_CODE = re.compile(r"\b(?:code|preformatted|source|listing)\b", re.I)
_CAPTION = re.compile(r"(?:caption|illustration|figure|drawing|abbildung|tabelle|table)(?:_20_\w+)?$", re.I)


def _q(space: str, name: str) -> str:
    return f"{{{_NS.format(space)}}}{name}"


_TEXT = {name: _q("text", name) for name in (
    "p", "h", "list", "list-item", "list-header", "s", "tab", "line-break", "note", "note-body", "note-citation",
    "span", "a", "outline-level", "style-name", "tracked-changes", "section",
    "start-value", "list-level-style-number", "level",
    "table-of-content", "list-style", "continue-numbering", "index-body", "c", "soft-page-break",
)}  # fmt: skip
_TABLE, _ROW = _q("table", "table"), _q("table", "table-row")
_CELLS = (_q("table", "table-cell"), _q("table", "covered-table-cell"))
_PAGE, _NOTES = _q("drawing", "page"), _q("presentation", "notes")
_ANNOTATION = _q("office", "annotation")
_RUBY = _q("text", "ruby")
_ALT = (f"{{{_NS.format('svg-compatible')}}}title", f"{{{_NS.format('svg-compatible')}}}desc")


def read(source: NamedBytes) -> DocumentDraft:
    """Read an OpenDocument file."""
    draft = DocumentDraft(source)
    parts = _parts(source)
    meta, styles = parts.get("meta.xml"), parts.get("styles.xml")
    content = parts["content.xml"]
    draft.strike(take_out_struck([root for root in (styles, content) if root is not None]))
    _read_meta(meta if meta is not None else content, draft)
    body = next(content.iter(_q("office", "body")), None)
    if body is None:
        raise source.refuse(Refusal.CORRUPT, "it has no body")
    heads, feet = _margins(styles if styles is not None else content)
    for text in heads:
        draft.paragraph(text)
    _OdfWalk(draft, _Styles(*(root for root in (styles, content) if root is not None))).read(body)
    for text in feet:
        draft.paragraph(text)
    return draft


def _margins(styles: etree._Element) -> tuple[list[str], list[str]]:
    """Return the texts of the page headers and of the page footers, each once; none for sheets."""
    texts: dict[str, dict[str, None]] = {"header": {}, "footer": {}}
    for master in styles.iter(_q("style", "master-page")):
        for part in master:
            name = etree.QName(part).localname.partition("-")[0] if isinstance(part.tag, str) else ""
            for paragraph in part.iter(_TEXT["p"]) if name in texts else ():
                text = one_line("".join(map(str, paragraph.itertext())))
                if _has_content(text, paragraph):
                    texts[name][text] = None
    return list(texts["header"]), list(texts["footer"])


def _has_content(text: str, paragraph: etree._Element) -> bool:
    """Return whether a header or footer has content beyond the fields that every new document has."""
    fields = {_q("text", name) for name in ("page-number", "page-count", "sheet-name", "title", "date", "time")}
    of_fields = sum(len("".join(map(str, node.itertext())).strip()) for node in paragraph.iter() if node.tag in fields)
    return len(text) > of_fields + 8 and any(c.isalpha() for c in text)


def _parts(source: NamedBytes) -> dict[str, etree._Element]:
    if not source.content.startswith(b"PK"):
        return {"content.xml": parse_xml(source.content)}
    package = archive.checked(source)
    with zipfile.ZipFile(BytesIO(package.getvalue())) as opened:
        if b"manifest:encryption-data" in archive.part(source, opened, "META-INF/manifest.xml"):
            raise source.refuse(Refusal.LOCKED, "it is encrypted; save it without a password")
        raw = {name: archive.part(source, opened, name) for name in ("content.xml", "styles.xml", "meta.xml")}
    if not raw["content.xml"]:
        raise source.refuse(Refusal.CORRUPT, "its package contains no document")
    return {name: parse_xml(part) for name, part in raw.items() if part}


def _read_meta(root: etree._Element, draft: DocumentDraft) -> None:
    def first(*names: str) -> str:
        texts = (one_line(node.text or "") for name in names for node in root.iter(name))
        return next((text for text in texts if text), "")

    draft.title = title_or_none(first(f"{{{_DC}}}title"))
    draft.author = author_or_none(first(_q("meta", "initial-creator"), f"{{{_DC}}}creator"))
    draft.language = first(f"{{{_DC}}}language")
    draft.authored_at = from_any(first(f"{{{_DC}}}date", _q("meta", "creation-date")))


class _Styles:
    """The styles of paragraphs and lists."""

    def __init__(self, *roots: etree._Element) -> None:
        self._parents: dict[str, str] = {}
        self._forms: dict[tuple[str, int], tuple[str, int]] = {}
        for root in roots:
            for style in root.iter(_q("style", "style")):
                self._parents[style.get(_q("style", "name")) or ""] = style.get(_q("style", "parent-style-name")) or ""
            for style in root.iter(_TEXT["list-style"]):
                self._note_list(style)

    def _note_list(self, style: etree._Element) -> None:
        forms = {"1": "decimal", "a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman"}
        for level in style.iter(_TEXT["list-level-style-number"]):
            form = forms.get(level.get(_q("style", "num-format")) or "", "")
            if form:
                start = level.get(_TEXT["start-value"]) or "1"
                key = (style.get(_q("style", "name")) or "", _whole(level.get(_TEXT["level"]), 1))
                self._forms[key] = (form, _whole(start, 1))

    def names(self, name: str) -> Iterator[str]:
        """Yield the name of a style and of each style that it is derived from."""
        for _ in range(12):
            if not name:
                return
            yield name
            name = self._parents.get(name, "")

    def form(self, list_style: str, depth: int) -> tuple[str, int] | None:
        """Return the number format of a list level and its first number; None for bullets."""
        return self._forms.get((list_style, depth))


class _OdfWalk:
    """One pass over a body in document order."""

    def __init__(self, draft: DocumentDraft, styles: _Styles) -> None:
        self._draft = draft
        self._styles = styles
        self._page: int | None = None
        self._code: list[str] = []
        self._n_cells = 0
        self._counts: dict[tuple[str, int], int] = {}

    def read(self, body: etree._Element) -> None:
        """Add a body to the draft."""
        self._all(body, 0)
        self._end_code()

    def _all(self, parent: etree._Element, depth: int) -> None:
        if depth > MAX_DEPTH:
            self._draft.warn("very deeply nested content was left out")
            return
        for child in parent:
            self._one(child, depth)

    def _one(self, node: etree._Element, depth: int) -> None:
        if node.tag in (_TEXT["tracked-changes"], _TEXT["table-of-content"]) or not isinstance(node.tag, str):
            return
        if node.tag == _TEXT["h"]:
            self._end_code()
            self._draft.heading(_paragraph_text(node), _whole(node.get(_TEXT["outline-level"]), 1), self._page)
        elif node.tag == _TEXT["p"]:
            self._paragraph(node, depth)
        elif node.tag == _TEXT["list"]:
            self._end_code()
            self._list(node)
        elif node.tag == _TABLE:
            self._table(node)
        elif node.tag == _PAGE:
            self._slide(node, depth)
        else:
            self._other(node, depth)

    def _other(self, node: etree._Element, depth: int) -> None:
        if node.tag == _NOTES:
            for paragraph in node.iter(_TEXT["p"]):
                self._draft.paragraph(_paragraph_text(paragraph), self._page)
        elif node.tag in _ALT:
            self._draft.caption(node.text or "", self._page)
        elif node.tag != _q("office", "forms"):
            self._all(node, depth + 1)

    def _slide(self, node: etree._Element, depth: int) -> None:
        self._end_code()
        self._page = (self._page or 0) + 1
        self._draft.n_pages = self._page
        frames = [f for f in node if f.get(_q("presentation", "class")) == "title"]
        for frame in frames:
            text = " ".join(_paragraph_text(p) for p in frame.iter(_TEXT["p"]))
            self._draft.heading(text, 1, self._page)
        for child in node:
            if child not in frames:
                self._one(child, depth + 1)

    def _paragraph(self, node: etree._Element, depth: int) -> None:
        names = list(self._styles.names(node.get(_TEXT["style-name"]) or ""))
        text = _paragraph_text(node)
        if any(_CODE.search(name.replace("_20_", " ")) for name in names):
            self._code.append(text)
        else:
            self._end_code()
            if any(_CAPTION.fullmatch(name) for name in names):
                self._draft.caption(text, self._page)
            else:
                self._draft.paragraph(text, self._page)
        for box in node.iter(_q("drawing", "text-box"), *_ALT):
            self._one(box, depth + 1)

    def _end_code(self) -> None:
        lines, self._code = self._code, []
        self._draft.code("\n".join(lines), self._page)

    def _list(self, node: etree._Element) -> None:
        inner = [child for item in node for child in item]
        if inner and all(child.tag == _TEXT["h"] for child in inner):
            for child in inner:  # numbered headings stand in lists
                self._one(child, 1)
            return
        items = list(self._items(node, node.get(_TEXT["style-name"]) or "", 0))
        self._draft.listing(items, self._page)
        for table in node.iter(_TABLE):
            self._table(table)

    def _items(self, node: etree._Element, style: str, depth: int) -> Iterator[tuple[int, str, str]]:
        if depth > MAX_DEPTH:
            return
        form = self._styles.form(style, depth + 1)
        key = (style, depth)
        goes_on = node.get(_TEXT["continue-numbering"]) == "true"
        number = self._counts.get(key, form[1] if form else 1) if goes_on else form[1] if form else 1
        for item in node.iterchildren(_TEXT["list-item"], _TEXT["list-header"]):
            number = _whole(item.get(_TEXT["start-value"]), number)
            texts = [_paragraph_text(child) for child in item if child.tag in (_TEXT["p"], _TEXT["h"])]
            text = "\n".join(filter(None, texts))
            if text:
                mark = f"{counted(number, form[0])}." if form and item.tag == _TEXT["list-item"] else ""
                yield depth, text, mark
                number += 1
            for inner in item.iterchildren(_TEXT["list"]):
                yield from self._items(inner, inner.get(_TEXT["style-name"]) or style, depth + 1)
        self._counts[key] = number

    def _table(self, node: etree._Element) -> None:
        self._end_code()
        if node.getparent() is not None and node.getparent().tag == _q("office", "spreadsheet"):  # type: ignore[union-attr]
            self._sheet(node)
            return
        self._draft.table([cells for _, cells in self._rows(node)], self._page)
        for note in node.iter(_ANNOTATION):
            self._draft.paragraph(_note_text(note), self._page)

    def _sheet(self, node: etree._Element) -> None:
        self._page = (self._page or 0) + 1
        self._draft.n_pages = self._page
        name = node.get(_q("table", "name")) or ""
        beside = SheetTexts(notes=list(_notes(node)))
        labels = NoteLabels(name, beside.notes)
        rows = list(self._rows(node))
        for number, cells in rows:
            labels.row(number, list(cells))
        sections = SheetSections(self._draft, name, self._page)
        for block in _row_groups([cells for _, cells in rows]):
            sections.add_block(block)
        sections.end(labels.texts(), beside)

    def _rows(self, table: etree._Element) -> Iterator[tuple[int, list[str]]]:
        """Yield the rows of a table with their numbers, from 1; of equal empty ones the first."""
        above: dict[int, str] = {}
        for number, n_times, row in _numbered_rows(table):
            cells = self._cells(row, above)
            self._n_cells += len(cells) + 1
            if self._n_cells > MAX_CELLS:
                raise self._draft.source.refuse(Refusal.TOO_LARGE, f"it has more than {MAX_CELLS} cells")
            for at in range(min(n_times, MAX_REPEAT) if any(cells) else 1):
                yield number + at, cells

    def _cells(self, row: etree._Element, above: dict[int, str]) -> list[str]:
        cells: list[str] = []
        for cell in row.iterchildren(*_CELLS):
            text = _cell_text(cell)
            is_covered = cell.tag == _CELLS[1]
            for _ in range(min(_whole(cell.get(_q("table", "number-columns-repeated")), 1), MAX_COLUMNS)):
                at = len(cells)
                if at >= MAX_COLUMNS:
                    break
                shown = above.get(at, "") if is_covered and not text else text
                cells.append(shown)
                spans = max(_whole(cell.get(_q("table", f"number-{way}-spanned")), 1) for way in ("rows", "columns"))
                if not is_covered:
                    above[at] = text if spans > 1 else ""
                    across = _whole(cell.get(_q("table", "number-columns-spanned")), 1)
                    above.update({at + n: text for n in range(1, min(across, MAX_COLUMNS))})
        while cells and not cells[-1]:
            cells.pop()
        return cells


def _numbered_rows(table: etree._Element) -> Iterator[tuple[int, int, etree._Element]]:
    """Yield the rows of a table itself: the number of each, from 1, how many times it stands, and the row."""
    number = 1
    for row in table.iter(_ROW):
        if next(row.iterancestors(_TABLE)) is table:
            n_times = _whole(row.get(_q("table", "number-rows-repeated")), 1)
            yield number, n_times, row
            number += n_times


def _notes(sheet: etree._Element) -> Iterator[CellNote]:
    """Yield the annotations of a sheet's cells."""
    for number, _, row in _numbered_rows(sheet):
        column = 1
        for cell in row.iterchildren(*_CELLS):
            for note in cell.iterchildren(_ANNOTATION):
                if text := one_line(_note_text(note)):
                    yield CellNote(number, column, text)
            column += _whole(cell.get(_q("table", "number-columns-repeated")), 1)


def _note_text(note: etree._Element) -> str:
    return "\n".join(_paragraph_text(p) for p in note.iter(_TEXT["p"]))


def _cell_text(cell: etree._Element) -> str:
    lines = [
        _paragraph_text(p)
        for p in cell.iter(_TEXT["p"], _TEXT["h"])
        if next(p.iterancestors(_ANNOTATION), None) is None
    ]
    if any(lines):
        return " ".join(filter(None, lines))
    return cell.get(_q("office", "value")) or cell.get(_q("office", "date-value")) or ""


def _row_groups(rows: list[list[str]]) -> Iterator[list[list[str]]]:
    """Yield the groups of rows between empty rows."""
    held: list[list[str]] = []
    for row in [*rows, []]:
        if any(row):
            held.append(row)
        elif held:
            yield held
            held = []


def _paragraph_text(node: etree._Element) -> str:
    """Return the text of a paragraph: notes in brackets and annotations after it, without frames."""
    notes: list[str] = []
    text = "".join(_pieces(node, notes))
    return " ".join([text, *notes])


def _pieces(node: etree._Element, notes: list[str]) -> Iterator[str]:
    yield node.text or ""
    for child in node:
        if child.tag == _TEXT["s"]:
            yield " " * min(_whole(child.get(_TEXT["c"]), 1), 200)
        elif child.tag == _TEXT["tab"]:
            yield "\t"
        elif child.tag == _TEXT["line-break"]:
            yield "\n"
        elif child.tag == _TEXT["note"]:
            number = "".join(str(piece) for c in child.iter(_TEXT["note-citation"]) for piece in c.itertext("*"))
            body = " ".join(_paragraph_text(p) for b in child.iter(_TEXT["note-body"]) for p in b.iter(_TEXT["p"]))
            yield f"[{number}]"
            notes.append(f"[{number}] {body}")
        elif child.tag == _RUBY:
            yield _with_ruby(child)
        elif child.tag == _ANNOTATION and next(child.iterancestors(*_CELLS), None) is None:
            notes.append("\n".join(_paragraph_text(p) for p in child.iter(_TEXT["p"])))
        elif child.tag != _ANNOTATION and isinstance(child.tag, str) and not child.tag.startswith(_DRAWN):
            yield from _pieces(child, notes)
        yield child.tail or ""


def _with_ruby(ruby: etree._Element) -> str:
    """Return annotated text with its reading (ruby) in brackets."""
    base, aloud = (
        "".join(str(piece) for part in ruby.iterchildren(_q("text", name)) for piece in part.itertext("*"))
        for name in ("ruby-base", "ruby-text")
    )
    return f"{base}({aloud})" if aloud else base


_DRAWN = f"{{{_NS.format('drawing')}}}"


def _whole(text: str | None, otherwise: int) -> int:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 8 else otherwise
