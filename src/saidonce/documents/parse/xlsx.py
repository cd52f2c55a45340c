"""Room: XLSX -> draft: a sheet is a page, its name a heading, each block of rows a table."""

from __future__ import annotations

import warnings
import zipfile
from collections.abc import Iterable, Iterator
from datetime import date, datetime, time, timedelta
from typing import Any

import openpyxl
from lxml import etree

from saidonce.documents.parse import archive
from saidonce.documents.parse.draft import MAX_COLUMNS, DocumentDraft, one_line
from saidonce.documents.parse.office import read_core
from saidonce.documents.parse.source import NamedBytes
from saidonce.documents.parse.xlsx_grid import Merges, blocks
from saidonce.errors import Refusal

MAX_CELLS = 5_000_000
_PARSER = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)


def read(source: NamedBytes) -> DocumentDraft:
    """Read a workbook: values as they were last computed, never formulas."""
    package = archive.checked(source)
    draft = DocumentDraft(source)
    with warnings.catch_warnings(), zipfile.ZipFile(package) as opened:
        warnings.simplefilter("ignore")  # openpyxl warns of extensions that hold no text
        book = openpyxl.load_workbook(package, read_only=True, data_only=True)
        read_core(book.properties, draft)
        sheets = [sheet for sheet in book.worksheets if hasattr(sheet, "iter_rows")]
        draft.n_pages = len(sheets)
        left = MAX_CELLS
        for number, sheet in enumerate(sheets, 1):
            sheet.reset_dimensions()
            merges = Merges.of(archive.part(source, opened, str(getattr(sheet, "_worksheet_path", "")).lstrip("/")))
            left = _read_sheet(sheet, merges, draft, number, left)
        for text in _comments(source, opened):
            draft.paragraph(text)
    return draft


def _read_sheet(sheet: Any, merges: Merges, draft: DocumentDraft, page: int, left: int) -> int:
    """Add the blocks of a sheet under its name; give how many cells may still be read."""
    spent = 0

    def rows() -> Iterator[tuple[int, list[str]]]:
        nonlocal spent
        for number, row in enumerate(sheet.iter_rows(), 1):
            cells = [_shown(cell) for cell in row[:MAX_COLUMNS]]
            cells.extend([""] * (merges.width(number) - len(cells)))
            merges.fill(number, cells)
            while cells and not cells[-1]:
                cells.pop()
            spent += len(cells) + 1
            if spent > left:
                raise draft.source.refuse(Refusal.TOO_LARGE, f"it has more than {MAX_CELLS} cells")
            yield number, cells

    for at, block in enumerate(blocks(rows(), merges)):
        if at == 0:
            draft.heading(sheet.title, 1, page)
        _add_region(block, draft, page)
    return left - spent


def _add_region(region: list[list[str]], draft: DocumentDraft, page: int) -> None:
    """Add a block of rows; lines of one cell above a wider table are its caption."""
    above = 0
    while above < len(region) and sum(1 for cell in region[above] if cell) == 1:
        above += 1
    if above == len(region) or above > 3:
        above = 0 if len(region) > 1 else 1
    for row in region[:above]:
        draft.paragraph("".join(row), page)
    draft.table(region[above:], page)


def _shown(cell: Any) -> str:
    """A cell's value as plain text: ISO dates, numbers without padding, percentages as such."""
    value = cell.value
    if value is None:
        return ""
    if isinstance(value, str):
        return one_line(value)
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, (int, float)):
        return _number(value, str(cell.number_format or ""))
    return _moment(value)


def _number(value: float, form: str) -> str:
    if "%" in form and not form.startswith('"'):
        return f"{value * 100:.10g}%"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return f"{value:.15g}" if isinstance(value, float) else str(value)


def _moment(value: object) -> str:
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time(0) else value.replace(microsecond=0).isoformat(" ")
    if isinstance(value, (date, time)):
        return value.isoformat()
    if isinstance(value, timedelta):
        return str(value)
    return one_line(str(value))


def _comments(source: NamedBytes, package: zipfile.ZipFile) -> Iterator[str]:
    """Comments on cells, by sheet and place."""
    for name in sorted(package.namelist()):
        if not name.startswith(("xl/comments", "xl/threadedComments/")) or not name.endswith(".xml"):
            continue
        root = etree.fromstring(archive.part(source, package, name), _PARSER)
        for node in _named(root, ("comment", "threadedComment")):
            text = one_line("".join(piece.text or "" for piece in _named(node, ("t", "text"))))
            if text and not text.startswith("[Threaded comment]"):
                yield f"{node.get('ref') or ''}: {text}"


def _named(root: etree._Element, names: tuple[str, ...]) -> Iterable[etree._Element]:
    return (node for node in root.iter() if isinstance(node.tag, str) and etree.QName(node).localname in names)
