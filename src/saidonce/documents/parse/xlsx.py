"""Parse XLSX: a sheet is a page, its name a heading, each block of rows a table."""

from __future__ import annotations

import html
import re
import warnings
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from typing import Any

import openpyxl
from lxml import etree

from saidonce.documents.parse import archive
from saidonce.documents.parse.draft import MAX_COLUMNS, DocumentDraft, one_line
from saidonce.documents.parse.number_forms import has_unnamed_money, unit_of, with_unit
from saidonce.documents.parse.office import CHART, DRAWING, description_of, parse_xml, read_core
from saidonce.documents.parse.source import NamedBytes
from saidonce.errors import Refusal

MAX_CELLS = 5_000_000
MAX_SPREAD = 200_000
"""Places of one sheet that merged cells may fill; further merges are left as they are."""

MAX_WHOLE = 1e21
"""Larger numbers are written with an exponent."""

HEADER_ROWS = 3
MAX_PARTS = 40
"""Blocks that may stand beside or below one another inside of one block of rows."""

_MERGE = re.compile(rb"<(?:\w+:)?mergeCell\s[^>]{0,200}?ref=\"([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})\"")
_FILTER = re.compile(rb"<(?:\w+:)?autoFilter\s[^>]{0,200}?ref=\"([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})\"")
_UNCOMPUTED = re.compile(
    rb"<(?:\w+:)?c\b(?![^>]{0,200}?\bt=\"str\")[^>]{0,200}>\s*<(?:\w+:)?f\b[^>]{0,200}(?:/>|>[^<]*</(?:\w+:)?f>)"
    rb"\s*+(?:(?:<(?:\w+:)?v\s*/>|<(?:\w+:)?v>\s*</(?:\w+:)?v>)\s*+)?</(?:\w+:)?c>"
)
_DIGITS = re.compile(r'0[0\\" ()/-]*0')
"""Forms of numbers that are names: postcodes, telephones, numbers of people, with their zeros at the front."""

_ESCAPED = re.compile(r"_x(00[01][0-9A-F])_")
"""Signs of control as workbooks write them, such as the line break of a cell."""

_MARGIN = re.compile(rb"<(?:\w+:)?(?:odd|even|first)(?:Header|Footer)>([^<]{1,2000})<")
_SIDE = re.compile(r"&[LCR]")
_PAGE_NUMBER = re.compile(r"(?:\b\w+[ \t])?&P(?:[ \t]?[/\w]+[ \t]?&N)?")
_MARGIN_CODE = re.compile(r'&(?:"[^"]*"|[A-KM-QS-Z]|\d+)')
"""Codes of a sheet's printed header and footer: fonts, sizes, colours, page numbers, dates, names of files."""

_LINKED = "xl/externalLinks/"
Grid = list[list[str]]


def read(source: NamedBytes) -> DocumentDraft:
    """Read a workbook: the last computed values, never formulas."""
    package = archive.checked(source)
    draft = DocumentDraft(source)
    with warnings.catch_warnings(), zipfile.ZipFile(package) as opened:
        warnings.simplefilter("ignore")  # openpyxl warns of extensions that hold no text
        book = openpyxl.load_workbook(package, read_only=True, data_only=True, keep_links=False)
        read_core(book.properties, draft)
        if any(name.startswith(_LINKED) for name in opened.namelist()):
            draft.warn("cells that refer to other workbooks hold the values last computed there")
        if "xl/styles.xml" in opened.namelist() and has_unnamed_money(archive.part(source, opened, "xl/styles.xml")):
            draft.warn("amounts in Excel's own format of money are read as dollars; it names no currency")
        sheets = [sheet for sheet in book.worksheets if hasattr(sheet, "iter_rows")]
        draft.n_pages = len(sheets)
        left, n_uncomputed = MAX_CELLS, 0
        for number, sheet in enumerate(sheets, 1):
            sheet.reset_dimensions()
            markup = archive.part(source, opened, str(getattr(sheet, "_worksheet_path", "")).lstrip("/"))
            n_uncomputed += sum(1 for _ in _UNCOMPUTED.finditer(markup))
            merges = Merges.of(markup)
            left = _read_sheet(sheet, merges, draft, number, left)
            for text in _margins(markup):
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
    spent = 0

    def rows() -> Iterator[tuple[int, list[str]]]:
        nonlocal spent
        for number, row in enumerate(sheet.iter_rows(), 1):
            cells = [_cell_text(cell) for cell in row[:MAX_COLUMNS]]
            if any(cell.value is not None for cell in row[MAX_COLUMNS:]):
                draft.warn(f"columns beyond the first {MAX_COLUMNS} were left out")
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


def _cell_text(cell: Any) -> str:
    """Return a cell's value as plain text: ISO dates, numbers without padding, percentages as such."""
    value = cell.value
    if value is None:
        return ""
    if isinstance(value, str):
        return one_line(_ESCAPED.sub(lambda hit: chr(int(hit.group(1), 16)), value))
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, (int, float)):
        form = str(cell.number_format or "")
        return with_unit(value, _number(value, form), unit_of(cell, form))
    return _moment(value)


def _number(value: float, form: str) -> str:
    if "%" in form and not form.startswith('"'):
        return f"{value * 100:.10g}%"
    if _DIGITS.fullmatch(form) and float(value).is_integer() and value >= 0:
        return _fixed_digits(int(value), form.replace("\\", "").replace('"', ""))
    if isinstance(value, float) and value.is_integer() and abs(value) < MAX_WHOLE:
        return str(int(value))
    return f"{value:.15g}" if isinstance(value, float) else str(value)


def _fixed_digits(value: int, form: str) -> str:
    """Return a number formatted by fixed digits, such as 00507 or 123-45-6789."""
    digits = str(value).rjust(form.count("0"), "0")
    first = len(digits) - form.count("0")
    at = iter(digits[first:])
    return digits[:first] + "".join(next(at) if sign == "0" else sign for sign in form)


def _moment(value: object) -> str:
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time(0) else value.replace(microsecond=0).isoformat(" ")
    if isinstance(value, (date, time)):
        return value.isoformat()
    if isinstance(value, timedelta):
        seconds = round(value.total_seconds())
        sign, seconds = ("-", -seconds) if seconds < 0 else ("", seconds)
        return f"{sign}{seconds // 3600}:{seconds // 60 % 60:02}" + (f":{seconds % 60:02}" if seconds % 60 else "")
    return one_line(str(value))


def _margins(sheet_xml: bytes) -> list[str]:
    """Return the words of the printed headers and footers of a sheet, each once, without page numbers and dates."""
    margins = _MARGIN.findall(sheet_xml)
    parts = (part for text in margins for part in _SIDE.split(html.unescape(text.decode("utf-8", "replace"))))
    plain = (one_line(_MARGIN_CODE.sub("", _PAGE_NUMBER.sub("", part)).replace("&&", "&")) for part in parts)
    return list(dict.fromkeys(text for text in plain if len(text.split()) > 1 and any(map(str.isalpha, text))))


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


def _named(root: etree._Element, names: tuple[str, ...]) -> Iterable[etree._Element]:
    return (node for node in root.iter() if isinstance(node.tag, str) and etree.QName(node).localname in names)


@dataclass(slots=True)
class Merges:
    """Merged cells of a sheet: for each cell but the first of a merge, the row and column of the first."""

    origins: dict[tuple[int, int], tuple[int, int]] = field(default_factory=dict)
    _texts: dict[tuple[int, int], str] = field(default_factory=dict)
    _widths: dict[int, int] = field(default_factory=dict)
    filtered: tuple[int, int, int, int] | None = None
    """First column and row, last column and row that a filter takes for one table."""

    @classmethod
    def of(cls, sheet_xml: bytes) -> Merges:
        """Read the merges of a sheet's markup."""
        merges = cls()
        for match in _MERGE.finditer(sheet_xml):
            left, top = _column(match.group(1)), int(match.group(2))
            right, bottom = min(_column(match.group(3)), MAX_COLUMNS), int(match.group(4))
            size = (right - left + 1) * (bottom - top + 1)
            if size < 2 or len(merges.origins) + size > MAX_SPREAD:
                continue
            places = ((row, column) for row in range(top, bottom + 1) for column in range(left, right + 1))
            merges.origins.update(dict.fromkeys(places, (top, left)))
        if area := _FILTER.search(sheet_xml):
            first, top_row, last, bottom_row = area.groups()
            merges.filtered = (_column(first), int(top_row), _column(last), int(bottom_row))
        return merges

    def is_spacer(self, numbers: list[int], column: int) -> bool:
        """Return whether an empty column stands within the table that a filter names, as all the rows do."""
        if self.filtered is None:
            return False
        left, top, right, bottom = self.filtered
        return left < column < right and top <= numbers[0] and numbers[-1] <= bottom

    def fill(self, number: int, cells: list[str]) -> None:
        """Write a merge's text into the cells it covers in one row; call for each row from the top."""
        for column in range(1, len(cells) + 1):
            origin = self.origins.get((number, column))
            if origin == (number, column) and cells[column - 1]:
                self._texts[origin] = cells[column - 1]
            elif origin and not cells[column - 1]:
                cells[column - 1] = self._texts.get(origin, "")

    def width(self, number: int) -> int:
        """Return the last column covered by the merges of a row; 0 without merges."""
        if not self.origins:
            return 0
        if not self._widths:
            for row, column in self.origins:
                self._widths[row] = max(self._widths.get(row, 0), column)
        return self._widths.get(number, 0)

    def continues(self, number: int, column: int) -> bool:
        """Return whether a cell only extends the cell to its left."""
        origin = self.origins.get((number, column))
        return origin is not None and column > 1 and self.origins.get((number, column - 1)) == origin


def blocks(rows: Iterator[tuple[int, list[str]]], merges: Merges) -> Iterator[Grid]:
    """Yield blocks of cells from top to bottom, then left to right; rows come with their numbers from 1."""
    held: list[tuple[int, list[str]]] = []
    for number, cells in rows:
        if any(cells):
            held.append((number, cells))
        elif held:
            yield from _side_by_side(_without_widening(held, merges))
            held = []
    if held:
        yield from _side_by_side(_without_widening(held, merges))


def _without_widening(held: list[tuple[int, list[str]]], merges: Merges) -> Grid:
    """Return rows of equal length without columns that exist only through merges.

    Horizontally, a merge's text is repeated only in the first rows, where it heads several columns, and not
    in a banner that is alone in its row.
    """
    width = max(len(cells) for _, cells in held)
    grid = [cells + [""] * (width - len(cells)) for _, cells in held]
    if not merges.origins and merges.filtered is None:
        return grid
    numbers = [number for number, _ in held]
    for at, (number, cells) in enumerate(zip(numbers, grid, strict=True)):
        shown = [column for column in range(width) if cells[column]]
        widened = [column for column in shown if merges.continues(number, column + 1)]
        if at >= HEADER_ROWS or len(widened) == len(shown) - 1:
            for column in widened:
                cells[column] = ""
    columns = [
        column
        for column in range(width)
        if any(
            row[column] and not merges.continues(number, column + 1) for number, row in zip(numbers, grid, strict=True)
        )
        or (not any(row[column] for row in grid) and not merges.is_spacer(numbers, column + 1))
    ]
    return [[row[column] for column in columns] for row in grid]


def _side_by_side(grid: Grid, depth: int = 0) -> Iterator[Grid]:
    """Split a block at an empty column between two parts of at least two columns each."""
    used = [any(row[column] for row in grid) for column in range(len(grid[0]))]
    before, whole = 0, sum(used)
    for gap, is_used in enumerate(used):
        before += is_used
        if is_used or before < 2 or whole - before < 2 or depth >= MAX_PARTS:
            continue
        yield from _stacked([row[:gap] for row in grid], depth + 1)
        yield from _stacked([row[gap + 1 :] for row in grid], depth + 1)
        return
    yield grid


def _stacked(grid: Grid, depth: int) -> Iterator[Grid]:
    """Split a block at its own empty rows."""
    held: Grid = []
    for row in [*grid, []]:
        if any(row):
            held.append(row)
        elif held:
            yield from _side_by_side(held, depth)
            held = []


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + letter - 64
    return number
