"""Sheets of workbooks, whichever format they come in: cells as text, blocks of cells, merged cells, printed margins."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta

from saidonce.documents.parse.draft import MAX_COLUMNS, DocumentDraft, one_line
from saidonce.documents.parse.number_forms import scale_of, unit_of, with_unit, words_of
from saidonce.errors import Refusal

MAX_CELLS = 5_000_000
MAX_SPREAD = 200_000
"""Places of one sheet that merged cells may fill; further merges are left as they are."""

MAX_WHOLE = 1e21
"""Larger numbers are written with an exponent."""

HEADER_ROWS = 3
MAX_PARTS = 40
"""Blocks that may stand beside or below one another inside of one block of rows."""

LEFT_OUT = f"columns beyond the first {MAX_COLUMNS} were left out"
LINKED = "cells that refer to other workbooks hold the values last computed there"

_DIGITS = re.compile(r'0[0\\" ()/-]*0')
"""Forms of numbers that are names: postcodes, telephones, numbers of people, with their zeros at the front."""

_SIDE = re.compile(r"&[LCR]")
_PAGE_NUMBER = re.compile(r"(?:\b\w+[ \t])?&P(?:[ \t]?[/\w]+[ \t]?&N)?")
_MARGIN_CODE = re.compile(r'&(?:"[^"]*"|[A-KM-QS-Z]|\d+)')
"""Codes of a sheet's printed header and footer: fonts, sizes, colours, page numbers, dates, names of files."""

Grid = list[list[str]]


@dataclass(frozen=True, slots=True)
class CellNote:
    """A comment on a cell: the row and column of the cell, from 1, and what it says."""

    row: int
    column: int
    text: str


@dataclass(slots=True)
class SheetTexts:
    """What stands on a sheet outside its cells."""

    margins: list[str] = field(default_factory=list)
    boxes: list[str] = field(default_factory=list)
    titles: list[str] = field(default_factory=list)
    notes: list[CellNote] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class SheetPlace:
    """Where a sheet goes: the draft, the number of the sheet, and how many cells may still be read."""

    draft: DocumentDraft
    page: int
    left: int


def add_sheet(rows: Iterable[list[str]], name: str, merges: Merges, place: SheetPlace, beside: SheetTexts) -> int:
    """Add the blocks of a sheet under its name, then what stands outside its cells.

    Returns:
        How many cells may still be read.
    """
    spent = 0
    labels = NoteLabels(name, beside.notes)

    def filled() -> Iterator[tuple[int, list[str]]]:
        nonlocal spent
        for number, cells in enumerate(rows, 1):
            cells.extend([""] * (merges.width(number) - len(cells)))
            merges.fill(number, cells)
            while cells and not cells[-1]:
                cells.pop()
            spent += len(cells) + 1
            if spent > place.left:
                raise place.draft.source.refuse(Refusal.TOO_LARGE, f"it has more than {MAX_CELLS} cells")
            labels.row(number, cells)
            yield number, cells

    sections = SheetSections(place.draft, name, place.page)
    for block in blocks(filled(), merges):
        sections.add_block(block)
    sections.end(labels.texts(), beside)
    return place.left - spent


class NoteLabels:
    """Says of comments on which cells they stand: the sheet, the cell, the first cell of its row and its heading."""

    def __init__(self, name: str, notes: Iterable[CellNote]) -> None:
        self._name = name
        self._notes = list(notes)
        self._rows = {note.row for note in self._notes}
        self._shown: dict[int, tuple[list[str], list[str]]] = {}
        self._head: list[str] = []

    def row(self, number: int, cells: list[str]) -> None:
        """Take in a row of the sheet; call for each row from the top."""
        n_filled = sum(map(bool, cells))
        if not n_filled:
            self._head = []
        if number in self._rows:
            self._shown[number] = (list(cells), self._head)
        if n_filled > 1 and not self._head:
            self._head = list(cells)

    def texts(self) -> list[str]:
        """Return the comments, each with the cell on which it stands, in their order."""
        return [f"{self._name}!{cell_name(note)}{self._label(note)}: {note.text}" for note in self._notes]

    def _label(self, note: CellNote) -> str:
        cells, head = self._shown.get(note.row, ([], []))
        at = note.column - 1
        first = next((cell for n, cell in enumerate(cells) if cell and n != at), "")
        above = head[at] if at < len(head) else ""
        shown = ", ".join(dict.fromkeys(text for text in (first, above) if text))
        return f" ({shown})" if shown else ""


def cell_name(note: CellNote) -> str:
    """Return the name of the cell on which a comment stands, such as B2."""
    letters, number = "", note.column
    while number:
        number, digit = divmod(number - 1, 26)
        letters = chr(65 + digit) + letters
    return f"{letters}{note.row}"


class SheetSections:
    """Adds what stands on a sheet: each table below its title, if it has one, and all else below the sheet's name.

    A line of one cell above a table is its title; so is one that stands alone before it, unless it reads as a remark.
    """

    def __init__(self, draft: DocumentDraft, name: str, page: int) -> None:
        self._draft = draft
        self._name = name
        self._page = page
        self._titles: tuple[str, ...] | None = None
        self._lines: list[str] = []

    def add_block(self, block: Grid) -> None:
        """Add a block of rows that stand together."""
        if len(block) == 1 and sum(map(bool, block[0])) == 1:
            self._lines.append("".join(block[0]))
            if not _is_lone_title(self._lines[-1]):
                self._end_lines()
            return
        for titles, rows in _titled(block):
            may_lead = not titles and len(self._lines) <= MAX_TITLES
            lines = tuple(self._lines) if may_lead else ()
            if not lines:
                self._end_lines()
            self._lines = []
            self._begin(lines or titles)
            self._draft.table(rows, self._page)

    def end(self, notes: Iterable[str], beside: SheetTexts) -> None:
        """Add what stands outside the cells."""
        self._end_lines()
        outside = [(self._draft.paragraph, text) for text in (*margin_words(beside.margins), *notes)]
        outside += [(self._draft.caption, text) for text in beside.titles]
        outside += [(self._draft.paragraph, text) for text in beside.boxes]
        for add, text in outside:
            self._begin(())
            add(text, self._page)

    def _end_lines(self) -> None:
        """Add lines that are no titles as paragraphs, where they stand."""
        lines, self._lines = self._lines, []
        for line in lines:
            self._begin(self._titles or ())
            self._draft.paragraph(line, self._page)

    def _begin(self, titles: tuple[str, ...]) -> None:
        """Begin the part below some titles; without any, go on, or go back, to the part below the sheet's name."""
        if titles == self._titles:
            return
        if self._titles is None or not titles:
            self._draft.heading(self._name, 1, self._page)
        for level, title in enumerate(titles, 2):
            self._draft.heading(title, level, self._page)
        self._titles = titles


MAX_TITLES = 3
MAX_TITLE = 120
"""Lines above a table that are its titles, and characters of one; more are a list, longer ones a paragraph."""

_REMARK = re.compile(r"[*\u2020\u2021\u00b9\u00b2\u00b3(\[]|\d{1,2}[).]\s|.*[.!?;]$", re.DOTALL)


def _is_lone_title(line: str) -> bool:
    return len(line) <= MAX_TITLE and any(map(str.isalpha, line)) and not _REMARK.match(line)


def _titled(block: Grid) -> Iterator[tuple[tuple[str, ...], Grid]]:
    """Yield the tables of a block with their titles: lines of one cell above a table, or above its repeated heading.

    A heading has several cells; where each row has one, the block is a list, in which a text may stand twice.
    """
    if not any(map(_has_several, block)):
        yield (), block
        return
    above = 0
    while above < len(block) and _is_line(block[above]):
        above += 1
    if above == len(block) or above > MAX_TITLES or _is_first_of_groups(block, above):
        above = 0
    head = block[above]
    titles = tuple("".join(row) for row in block[:above])
    start = above
    for at in range(above + 1, len(block) - 1):
        if _is_line(block[at]) and block[at + 1] == head and _has_several(head):
            yield titles, block[start:at]
            titles, start = ("".join(block[at]),), at + 1
    yield titles, block[start:]


def _has_several(row: list[str]) -> bool:
    return sum(map(bool, row)) > 1


def _is_line(row: list[str]) -> bool:
    """Return whether a row is one text, as titles are."""
    filled = [cell for cell in row if cell]
    return len(filled) == 1 and len(filled[0]) <= MAX_TITLE


def _is_first_of_groups(block: Grid, above: int) -> bool:
    """Return whether the line above a table heads its first rows only, as further lines within it head others."""
    if above != 1 or _is_line(block[above]):
        return False
    is_group = "".join(block[0]).endswith((":", "\uff1a")) or any(map(str.isdigit, "".join(block[above])))
    lines = (at for at in range(above + 1, len(block) - 1) if _is_line(block[at]))
    return is_group and any(block[at + 1] != block[above] for at in lines)


def number_text(value: float, form: str, form_id: int | None) -> str:
    """Return a number as plain text, with the unit of its format, scaled as it is, and percentages as such.

    A format that shows words instead of the number gives the words.

    Args:
        form_id: number of the format; those below FIRST_OWN are built in.
    """
    if words := words_of(form_id, form, value):
        return words
    scale = scale_of(form_id, form, value)
    scaled = value if scale == 1 else value / scale
    return with_unit(scaled, _plain(scaled, form), unit_of(form_id, form, value))


def _plain(value: float, form: str) -> str:
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


def moment_text(value: object) -> str:
    """Return a date, a time or a duration as plain text in the form of ISO 8601."""
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time(0) else value.replace(microsecond=0).isoformat(" ")
    if isinstance(value, (date, time)):
        return value.isoformat()
    if isinstance(value, timedelta):
        seconds = round(value.total_seconds())
        sign, seconds = ("-", -seconds) if seconds < 0 else ("", seconds)
        return f"{sign}{seconds // 3600}:{seconds // 60 % 60:02}" + (f":{seconds % 60:02}" if seconds % 60 else "")
    return one_line(str(value))


def margin_words(margins: Iterable[str]) -> list[str]:
    """Return the words of the printed headers and footers of a sheet, each once, without page numbers and dates."""
    parts = (part for text in margins for part in _SIDE.split(text))
    plain = (one_line(_MARGIN_CODE.sub("", _PAGE_NUMBER.sub("", part)).replace("&&", "&")) for part in parts)
    return list(dict.fromkeys(text for text in plain if len(text.split()) > 1 and any(map(str.isalpha, text))))


@dataclass(slots=True)
class Merges:
    """Merged cells of a sheet: for each cell but the first of a merge, the row and column of the first."""

    origins: dict[tuple[int, int], tuple[int, int]] = field(default_factory=dict)
    _texts: dict[tuple[int, int], str] = field(default_factory=dict)
    _widths: dict[int, int] = field(default_factory=dict)
    filtered: tuple[int, int, int, int] | None = None
    """First column and row, last column and row that a filter takes for one table."""

    def add(self, top: int, left: int, bottom: int, right: int) -> None:
        """Note a merge by the rows and columns, from 1, of its first and last cell, unless all fill too many places."""
        right = min(right, MAX_COLUMNS)
        size = (right - left + 1) * (bottom - top + 1)
        if size < 2 or len(self.origins) + size > MAX_SPREAD:
            return
        places = ((row, column) for row in range(top, bottom + 1) for column in range(left, right + 1))
        self.origins.update(dict.fromkeys(places, (top, left)))

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
