"""Room: what stands together on a sheet: merged cells spread out, blocks told apart by empty rows and columns."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from saidonce.documents.parse.draft import MAX_COLUMNS

MAX_SPREAD = 200_000
"""Places of one sheet that merged cells may fill; further merges are left as they are."""

HEADER_ROWS = 3
MAX_PARTS = 40
"""Blocks that may stand beside or below one another inside of one block of rows."""

_MERGE = re.compile(rb"<(?:\w+:)?mergeCell\s[^>]{0,200}?ref=\"([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})\"")

Grid = list[list[str]]


@dataclass(slots=True)
class Merges:
    """Merged cells of a sheet: for each place but the first of a merge, the row and column of the first."""

    origins: dict[tuple[int, int], tuple[int, int]] = field(default_factory=dict)
    _texts: dict[tuple[int, int], str] = field(default_factory=dict)
    _widths: dict[int, int] = field(default_factory=dict)

    @classmethod
    def of(cls, sheet_xml: bytes) -> Merges:
        """Read the merges of a sheet's markup."""
        merges = cls()
        for found in _MERGE.finditer(sheet_xml):
            left, top = _column(found.group(1)), int(found.group(2))
            right, bottom = min(_column(found.group(3)), MAX_COLUMNS), int(found.group(4))
            size = (right - left + 1) * (bottom - top + 1)
            if size < 2 or len(merges.origins) + size > MAX_SPREAD:
                continue
            places = ((row, column) for row in range(top, bottom + 1) for column in range(left, right + 1))
            merges.origins.update(dict.fromkeys(places, (top, left)))
        return merges

    def fill(self, number: int, cells: list[str]) -> None:
        """Write a merge's text into the places it covers in one row; call for each row from the top."""
        for column in range(1, len(cells) + 1):
            origin = self.origins.get((number, column))
            if origin == (number, column) and cells[column - 1]:
                self._texts[origin] = cells[column - 1]
            elif origin and not cells[column - 1]:
                cells[column - 1] = self._texts.get(origin, "")

    def width(self, number: int) -> int:
        """How many columns the merges of a row reach; 0 without merges."""
        if not self.origins:
            return 0
        if not self._widths:
            for row, column in self.origins:
                self._widths[row] = max(self._widths.get(row, 0), column)
        return self._widths.get(number, 0)

    def continues(self, number: int, column: int) -> bool:
        """Whether a place only widens the cell to its left."""
        origin = self.origins.get((number, column))
        return origin is not None and column > 1 and self.origins.get((number, column - 1)) == origin


def blocks(rows: Iterator[tuple[int, list[str]]], merges: Merges) -> Iterator[Grid]:
    """Blocks of cells from top to bottom, then left to right; rows come with their numbers from 1."""
    held: list[tuple[int, list[str]]] = []
    for number, cells in rows:
        if any(cells):
            held.append((number, cells))
        elif held:
            yield from _side_by_side(_narrowed(held, merges))
            held = []
    if held:
        yield from _side_by_side(_narrowed(held, merges))


def _narrowed(held: list[tuple[int, list[str]]], merges: Merges) -> Grid:
    """Rows of equal length without the columns that merges only widen.

    Across, a merge's text is repeated only in the first rows, where it heads several columns, and not
    in a banner that has its row for itself.
    """
    width = max(len(cells) for _, cells in held)
    grid = [cells + [""] * (width - len(cells)) for _, cells in held]
    if not merges.origins:
        return grid
    numbers = [number for number, _ in held]
    for at, (number, cells) in enumerate(zip(numbers, grid, strict=True)):
        shown = [column for column in range(width) if cells[column]]
        widened = [column for column in shown if merges.continues(number, column + 1)]
        if at >= HEADER_ROWS or len(widened) == len(shown) - 1:
            for column in widened:
                cells[column] = ""
    kept = [
        column
        for column in range(width)
        if any(
            row[column] and not merges.continues(number, column + 1) for number, row in zip(numbers, grid, strict=True)
        )
        or not any(row[column] for row in grid)
    ]
    return [[row[column] for column in kept] for row in grid]


def _side_by_side(grid: Grid, depth: int = 0) -> Iterator[Grid]:
    """Part a block at an empty column between two that have at least two columns each."""
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
    """Part what stood beside something else at its own empty rows."""
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
