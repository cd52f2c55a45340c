"""Parse XLSX: a sheet is a page, its name a heading, each block of rows a table."""

from __future__ import annotations

import html
import posixpath
import re
import warnings
import zipfile
from collections.abc import Iterable, Iterator
from typing import Any

import openpyxl
from lxml import etree
from openpyxl.cell.rich_text import CellRichText, TextBlock

from saidonce.documents.parse import archive
from saidonce.documents.parse.draft import MAX_COLUMNS, DocumentDraft, one_line
from saidonce.documents.parse.number_forms import UNNAMED_MONEY, has_unnamed_money
from saidonce.documents.parse.office import CHART, DRAWING, description_of, parse_xml, read_core
from saidonce.documents.parse.sheets import (
    LEFT_OUT,
    LINKED,
    MAX_CELLS,
    CellNote,
    Merges,
    SheetPlace,
    SheetTexts,
    add_sheet,
    cell_name,
    moment_text,
    number_text,
)
from saidonce.documents.parse.source import NamedBytes
from saidonce.documents.parse.struck import MARK

_MERGE = re.compile(rb"<(?:\w+:)?mergeCell\s[^>]{0,200}?ref=\"([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})\"")
_FILTER = re.compile(rb"<(?:\w+:)?autoFilter\s[^>]{0,200}?ref=\"([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})\"")
_UNCOMPUTED = re.compile(
    rb"<(?:\w+:)?c\b(?![^>]{0,200}?\bt=\"str\")[^>]{0,200}>\s*<(?:\w+:)?f\b[^>]{0,200}(?:/>|>[^<]*</(?:\w+:)?f>)"
    rb"\s*+(?:(?:<(?:\w+:)?v\s*/>|<(?:\w+:)?v>\s*</(?:\w+:)?v>)\s*+)?</(?:\w+:)?c>"
)
_ESCAPED = re.compile(r"_x(00[01][0-9A-F])_")
"""Signs of control as workbooks write them, such as the line break of a cell."""

_MARGIN = re.compile(rb"<(?:\w+:)?(?:odd|even|first)(?:Header|Footer)>([^<]{1,2000})<")
_MARKS = re.compile(f"{MARK}+")
_LINKED = "xl/externalLinks/"


def read(source: NamedBytes) -> DocumentDraft:
    """Read a workbook: the last computed values, never formulas."""
    package = archive.checked(source)
    draft = DocumentDraft(source)
    with warnings.catch_warnings(), zipfile.ZipFile(package) as opened:
        warnings.simplefilter("ignore")  # openpyxl warns of extensions that hold no text
        book = openpyxl.load_workbook(package, read_only=True, data_only=True, keep_links=False, rich_text=True)
        read_core(book.properties, draft)
        if any(name.startswith(_LINKED) for name in opened.namelist()):
            draft.warn(LINKED)
        if "xl/styles.xml" in opened.namelist() and has_unnamed_money(archive.part(source, opened, "xl/styles.xml")):
            draft.warn(UNNAMED_MONEY)
        sheets = [sheet for sheet in book.worksheets if hasattr(sheet, "iter_rows")]
        draft.n_pages = len(sheets)
        left, n_uncomputed, parts = MAX_CELLS, 0, _PartsOfSheets(source, opened)
        for number, sheet in enumerate(sheets, 1):
            sheet.reset_dimensions()
            path = str(getattr(sheet, "_worksheet_path", "")).lstrip("/")
            markup = archive.part(source, opened, path)
            n_uncomputed += sum(1 for _ in _UNCOMPUTED.finditer(markup))
            merges = _merges(markup)
            margins = [html.unescape(text.decode("utf-8", "replace")) for text in _MARGIN.findall(markup)]
            beside = parts.beside(path)
            beside.margins += margins
            left = _read_sheet(sheet, merges, SheetPlace(draft, number, left), beside)
        if n_uncomputed:
            draft.warn(
                f"formulas without a value, since no program computed them: {n_uncomputed}; open it in one and save it"
            )
        parts.add_rest(draft)
    return draft


def _read_sheet(sheet: Any, merges: Merges, place: SheetPlace, beside: SheetTexts) -> int:
    """Add the blocks of a sheet under its name; return the remaining number of cells that may be read."""

    def rows() -> Iterator[list[str]]:
        for row in sheet.iter_rows():
            if any(cell.value is not None for cell in row[MAX_COLUMNS:]):
                place.draft.warn(LEFT_OUT)
            yield [_cell_text(cell, place.draft) for cell in row[:MAX_COLUMNS]]

    return add_sheet(rows(), sheet.title, merges, place, beside)


def _cell_text(cell: Any, draft: DocumentDraft) -> str:
    """Return a cell's value as plain text: ISO dates, numbers without padding, percentages as such, nothing struck."""
    value = cell.value
    if value is None:
        return ""
    if cell.font.strike:
        draft.strike(1)
        return ""
    if isinstance(value, CellRichText):
        value = draft.without_struck(_MARKS.sub(MARK, "".join(map(_shown, value))))
    if isinstance(value, str):
        return one_line(_ESCAPED.sub(lambda hit: chr(int(hit.group(1), 16)), value))
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, (int, float)):
        form = str(cell.number_format or "")
        style = getattr(cell, "style_array", None)
        return number_text(value, form, None if style is None else style.numFmtId)
    return moment_text(value)


def _shown(piece: str | TextBlock) -> str:
    return MARK if isinstance(piece, TextBlock) and piece.font.strike else str(piece)


class _PartsOfSheets:
    """The parts of a workbook with comments, drawings and charts, by the sheets that name them."""

    def __init__(self, source: NamedBytes, package: zipfile.ZipFile) -> None:
        self._source = source
        self._package = package
        self._left = sorted(name for name in package.namelist() if _BESIDE.fullmatch(name))

    def beside(self, sheet: str) -> SheetTexts:
        """Return what a sheet's comments, drawings and charts say, by the path of the sheet."""
        texts = SheetTexts()
        parts = self._named_by(sheet)
        for name in [*parts, *(chart for part in parts for chart in self._named_by(part))]:
            if name in self._left:
                self._left.remove(name)
                self._read(name, texts)
        return texts

    def add_rest(self, draft: DocumentDraft) -> None:
        """Add what stands in parts that no sheet names."""
        texts = SheetTexts()
        for name in self._left:
            self._read(name, texts)
        for note in texts.notes:
            draft.paragraph(f"{cell_name(note)}: {note.text}")
        for title in texts.titles:
            draft.caption(title)
        for text in texts.boxes:
            draft.paragraph(text)

    def _named_by(self, part: str) -> list[str]:
        """Return the parts that a part refers to, in the order of their names."""
        folder, _, name = part.rpartition("/")
        markup = archive.part(self._source, self._package, f"{folder}/_rels/{name}.rels")
        targets = (node.get("Target") or "" for node in _named(parse_xml(markup), ("Relationship",))) if markup else ()
        return sorted({posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/") for target in targets})

    def _read(self, name: str, texts: SheetTexts) -> None:
        root = parse_xml(archive.part(self._source, self._package, name))
        if name.startswith("xl/charts/"):
            titles = root.iter(f"{{{CHART}}}title")
            texts.titles += ["".join(node.text or "" for node in title.iter(f"{{{DRAWING}}}t")) for title in titles]
        elif name.startswith("xl/drawings/"):
            texts.titles += [description_of(picture.get("descr")) for picture in _named(root, ("cNvPr",))]
            texts.boxes += map(_text_of_box, _named(root, ("txBody",)))
        else:
            texts.notes += _comments(root)


_BESIDE = re.compile(
    r"xl/(?:comments[^/]*|comments/.+|threadedComments/.+|(?:drawings|charts)/(?:drawing|chart)\d+)\.xml"
)
"""Paths of parts with what stands on a sheet outside its cells; charts repeat the numbers of cells."""


def _comments(root: etree._Element) -> Iterator[CellNote]:
    """Yield the comments on cells, in their order."""
    for node in _named(root, ("comment", "threadedComment")):
        text = one_line("".join(piece.text or "" for piece in _named(node, ("t", "text"))))
        cell = _CELL.match((node.get("ref") or "A1").encode())
        if cell and text and not text.startswith("[Threaded comment]"):
            yield CellNote(int(cell[2]), _column(cell[1]), text)


_CELL = re.compile(rb"\$?([A-Z]{1,3})\$?(\d{1,7})")


def _text_of_box(box: etree._Element) -> str:
    lines = ("".join(t.text or "" for t in p.iter(f"{{{DRAWING}}}t")) for p in box.iter(f"{{{DRAWING}}}p"))
    return "\n".join(lines)


def _merges(sheet_xml: bytes) -> Merges:
    """Read the merges and the filter of a sheet's markup."""
    merges = Merges()
    for match in _MERGE.finditer(sheet_xml):
        merges.add(int(match.group(2)), _column(match.group(1)), int(match.group(4)), _column(match.group(3)))
    if area := _FILTER.search(sheet_xml):
        first, top_row, last, bottom_row = area.groups()
        merges.filtered = (_column(first), int(top_row), _column(last), int(bottom_row))
    return merges


def _named(root: etree._Element, names: tuple[str, ...]) -> Iterable[etree._Element]:
    return (node for node in root.iter() if isinstance(node.tag, str) and etree.QName(node).localname in names)


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + letter - 64
    return number
