"""Parse XLS, the workbooks of Excel 2 to 2003, as the newer ones are: a sheet is a page, each block of rows a table."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import xlrd
from openpyxl.styles.numbers import is_date_format, is_timedelta_format
from openpyxl.utils.datetime import CALENDAR_MAC_1904, CALENDAR_WINDOWS_1900, from_excel

from saidonce.documents.parse.draft import MAX_COLUMNS, DocumentDraft, one_line
from saidonce.documents.parse.number_forms import FIRST_OWN, MONEY, UNNAMED_MONEY
from saidonce.documents.parse.office import read_core
from saidonce.documents.parse.ole import WORKBOOKS, CompoundFile, core_properties
from saidonce.documents.parse.sheets import (
    LEFT_OUT,
    LINKED,
    MAX_CELLS,
    CellNote,
    Merges,
    SheetPlace,
    SheetTexts,
    add_sheet,
    moment_text,
    number_text,
)
from saidonce.documents.parse.source import NamedBytes
from saidonce.documents.parse.xls_records import OutsideCells, outside_cells
from saidonce.errors import Refusal

BEGINS = (b"\x09\x00", b"\x09\x02", b"\x09\x04", b"\x09\x08")
"""First bytes of the oldest workbooks, which are no compound files."""

_EXCEL_97 = 80


def read(source: NamedBytes) -> DocumentDraft:
    """Read a workbook: the last computed values, never formulas."""
    draft = DocumentDraft(source)
    stream = source.content
    if not stream.startswith(BEGINS):
        package = CompoundFile(source)
        stream = next((records for name in WORKBOOKS if (records := package.stream(name)) is not None), b"")
        read_core(core_properties(package), draft)
    book = _opened(source, stream)
    outside = outside_cells(stream) if book.biff_version >= _EXCEL_97 else OutsideCells()
    cells = _Cells(book)
    draft.n_pages, left = book.nsheets, MAX_CELLS
    for number, sheet in enumerate(book.sheets(), 1):
        beside = outside.sheets[number - 1] if number <= len(outside.sheets) else SheetTexts()
        beside.notes += _notes(sheet)
        place = SheetPlace(draft, number, left)
        left = add_sheet(_rows(sheet, cells, draft), sheet.name, _merges(book, sheet), place, beside)
    draft.strike(cells.n_struck)
    if cells.has_unnamed_money:
        draft.warn(UNNAMED_MONEY)
    if outside.is_linked:
        draft.warn(LINKED)
    if outside.has_pictures:
        draft.warn("its pictures were not read; save it as XLSX to have their words read")
    return draft


def _opened(source: NamedBytes, stream: bytes) -> Any:
    try:
        return xlrd.open_workbook(file_contents=stream, formatting_info=True, ragged_rows=True, logfile=io.StringIO())
    except xlrd.XLRDError as bad:
        if "encrypted" in str(bad):
            raise source.refuse(Refusal.LOCKED, "it is encrypted; save it without a password") from bad
        raise


class _Cells:
    """Cells as text, by the formats of their workbook.

    Attributes:
        has_unnamed_money: a cell has a built-in format of money for which the workbook names no currency.
        n_struck: cells that were left out, because they are struck out.
    """

    def __init__(self, book: Any) -> None:
        self._book = book
        self._epoch = CALENDAR_MAC_1904 if book.datemode else CALENDAR_WINDOWS_1900
        self._own = {form.format_key for form in book.format_list}
        self.has_unnamed_money = False
        self.n_struck = 0

    def text(self, cell: Any) -> str:
        """Return a cell's value as plain text, as in the newer format."""
        if cell.value != "" and self._is_struck(cell.xf_index):
            self.n_struck += 1
            return ""
        match cell.ctype:
            case xlrd.XL_CELL_TEXT:
                return one_line(str(cell.value))
            case xlrd.XL_CELL_BOOLEAN:
                return "TRUE" if cell.value else "FALSE"
            case xlrd.XL_CELL_ERROR:
                return str(xlrd.error_text_from_code.get(cell.value, ""))
            case xlrd.XL_CELL_NUMBER | xlrd.XL_CELL_DATE:
                return self._number(cell.value, *self._form(cell.xf_index))
        return ""

    def _is_struck(self, xf_index: int | None) -> bool:
        if xf_index is None or not 0 <= xf_index < len(self._book.xf_list):
            return False
        font = self._book.xf_list[xf_index].font_index
        return font < len(self._book.font_list) and bool(self._book.font_list[font].struck_out)

    def _number(self, value: float, form_id: int | None, form: str) -> str:
        if not is_date_format(form):
            self.has_unnamed_money |= form_id in MONEY
            return number_text(value, form, form_id)
        try:
            return moment_text(from_excel(value, self._epoch, timedelta=is_timedelta_format(form)))
        except (OverflowError, ValueError):  # no day of the calendar; Excel shows a row of signs
            return number_text(value, "General", None)

    def _form(self, xf_index: int | None) -> tuple[int | None, str]:
        """Return the number and the text of a format; those that the workbook itself writes are its own."""
        if xf_index is None or not 0 <= xf_index < len(self._book.xf_list):
            return None, "General"
        key = self._book.xf_list[xf_index].format_key
        form = self._book.format_map.get(key)
        if form is None:
            return None, "General"
        return (max(key, FIRST_OWN) if key in self._own else key), form.format_str


def _rows(sheet: Any, cells: _Cells, draft: DocumentDraft) -> Iterator[list[str]]:
    for row in range(sheet.nrows):
        shown = sheet.row(row)
        if any(cell.value != "" for cell in shown[MAX_COLUMNS:]):
            draft.warn(LEFT_OUT)
        yield [cells.text(cell) for cell in shown[:MAX_COLUMNS]]


def _merges(book: Any, sheet: Any) -> Merges:
    merges = Merges()
    for top, bottom, left, right in sheet.merged_cells:
        merges.add(top + 1, left + 1, bottom, right)
    named = book.name_and_scope_map.get(("_filterdatabase", sheet.number))
    areas = named.result.value if named is not None and named.result is not None else None
    if isinstance(areas, list) and len(areas) == 1:
        _, _, top, bottom, left, right = areas[0].coords
        merges.filtered = (left + 1, top + 1, right, bottom)
    return merges


def _notes(sheet: Any) -> Iterator[CellNote]:
    for (row, column), note in sorted(sheet.cell_note_map.items()):
        if text := one_line(note.text):
            yield CellNote(row + 1, column + 1, text)
