"""Parse XLSX: a sheet is a page, its name a heading, each block of rows a table."""

from __future__ import annotations

import html
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
    Merges,
    SheetPlace,
    add_sheet,
    margin_words,
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
        left, n_uncomputed = MAX_CELLS, 0
        for number, sheet in enumerate(sheets, 1):
            sheet.reset_dimensions()
            markup = archive.part(source, opened, str(getattr(sheet, "_worksheet_path", "")).lstrip("/"))
            n_uncomputed += sum(1 for _ in _UNCOMPUTED.finditer(markup))
            merges = _merges(markup)
            left = _read_sheet(sheet, merges, draft, number, left)
            margins = (html.unescape(text.decode("utf-8", "replace")) for text in _MARGIN.findall(markup))
            for text in margin_words(margins):
                draft.paragraph(text, number)
        if n_uncomputed:
            draft.warn(
                f"formulas without a value, since no program computed them: {n_uncomputed}; open it in one and save it"
            )
        for text in _comments(source, opened):
            draft.paragraph(text)
        _read_drawings(source, opened, draft)
    return draft


def _read_sheet(sheet: Any, merges: Merges, draft: DocumentDraft, page: int, left: int) -> int:
    """Add the blocks of a sheet under its name; return the remaining number of cells that may be read."""

    def rows() -> Iterator[list[str]]:
        for row in sheet.iter_rows():
            if any(cell.value is not None for cell in row[MAX_COLUMNS:]):
                draft.warn(LEFT_OUT)
            yield [_cell_text(cell, draft) for cell in row[:MAX_COLUMNS]]

    return add_sheet(rows(), sheet.title, merges, SheetPlace(draft, page, left))


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


def _comments(source: NamedBytes, package: zipfile.ZipFile) -> Iterator[str]:
    """Yield the comments on cells, by sheet and place."""
    for name in sorted(package.namelist()):
        if not name.startswith(("xl/comments", "xl/threadedComments/")) or not name.endswith(".xml"):
            continue
        root = parse_xml(archive.part(source, package, name))
        for node in _named(root, ("comment", "threadedComment")):
            text = one_line("".join(piece.text or "" for piece in _named(node, ("t", "text"))))
            if text and not text.startswith("[Threaded comment]"):
                yield f"{node.get('ref') or ''}: {text}"


def _read_drawings(source: NamedBytes, package: zipfile.ZipFile, draft: DocumentDraft) -> None:
    """Add the texts of the boxes drawn on sheets, and the titles of charts; charts repeat the numbers of cells."""
    for name in sorted(package.namelist()):
        if not re.fullmatch(r"xl/(?:drawings|charts)/(?:drawing|chart)\d+\.xml", name):
            continue
        root = parse_xml(archive.part(source, package, name))
        if name.startswith("xl/charts/"):
            for title in root.iter(f"{{{CHART}}}title"):
                draft.caption("".join(node.text or "" for node in title.iter(f"{{{DRAWING}}}t")))
            continue
        for picture in _named(root, ("cNvPr",)):
            draft.caption(description_of(picture.get("descr")))
        for box in _named(root, ("txBody",)):
            lines = ("".join(t.text or "" for t in p.iter(f"{{{DRAWING}}}t")) for p in box.iter(f"{{{DRAWING}}}p"))
            draft.paragraph("\n".join(lines))


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
