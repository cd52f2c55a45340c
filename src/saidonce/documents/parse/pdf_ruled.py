"""Tables of a PDF page whose cells are ruled: the rules say where a cell ends.

The layout library looks for columns over the whole page, so that a table beside others of other widths is torn at its
blanks, or into two. So each ruled table is read by its own rules.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from pypdfium2 import raw

from saidonce.documents.parse.pdf_blocks import Cell, PageBlock
from saidonce.documents.parse.pdf_lines import characters_of
from saidonce.foundation.text import words

THIN = 2.0
"""Points across a rule, at most."""

NEAR = 2.0
"""Points between rules that meet, or are one, at most."""

MIN_LENGTH = 8.0
MOST_OBJECTS = 20_000
MOST_RULES = 1_500
MOST_CELLS = 4_000
MOST_SEGMENTS = 600
"""Objects and rules of a page, cells of a table and segments of a path that are looked at; more is a drawing."""

_WORDS = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class _RuledLine:
    """A line across the page or down it.

    Attributes:
        at: its height, or its place from the left.
        start: where it begins, on the other axis.
    """

    at: float
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class _PlacedWord:
    text: str
    left: float
    foot: float
    right: float
    top: float


@dataclass(frozen=True, slots=True)
class RuledTable:
    """A table by its rules, measured from the foot of its page.

    Attributes:
        rows: texts of its cells, from the top; a cell that covers several places stands in each.
    """

    left: float
    foot: float
    right: float
    top: float
    rows: tuple[tuple[str, ...], ...]


def ruled_tables(page: Any, letters: Any) -> list[RuledTable]:
    """Return the ruled tables of a page, from the top.

    Args:
        letters: the page's text, with the place of each character.
    """
    is_moved = page.get_rotation() or max(map(abs, page.get_bbox()[:2])) > NEAR
    if is_moved or raw.FPDFPage_CountObjects(page.raw) > MOST_OBJECTS:
        return []
    across, down = _rules(page)
    grids = [grid for grid in _grids(across, down) if len(grid[0]) > 2 and len(grid[1]) > 2]
    if not grids:
        return []
    placed = list(_words_of(letters))
    tables = [one for grid in grids if (one := _table(*grid, placed)) is not None]
    apart = [one for one in tables if not any(_overlap(one, other) for other in tables if other is not one)]
    return sorted(apart, key=lambda one: (-one.top, one.left))


def _overlap(a: RuledTable, b: RuledTable) -> bool:
    """Return whether a table lies in another or across it."""
    across = min(a.right, b.right) - max(a.left, b.left)
    return across > NEAR and min(a.top, b.top) - max(a.foot, b.foot) > NEAR


def with_ruled(blocks: Sequence[Any], tables: Sequence[RuledTable], height: float) -> list[Any]:
    """Return the blocks of a page's layout, with ruled tables in the place of what the layout read there.

    A table stays as the layout has it if a block in its place has words that the table lacks, or the other way round.

    Args:
        height: height of the page, as blocks are measured from its top.
    """
    groups: list[tuple[list[RuledTable], list[int]]] = []
    for table in tables:
        group = ([table], [at for at, block in enumerate(blocks) if _is_within(block, table, height)])
        for other in [one for one in groups if set(one[1]) & set(group[1])]:
            groups.remove(other)
            group = ([*other[0], *group[0]], sorted({*other[1], *group[1]}))
        groups.append(group)
    instead: dict[int, list[PageBlock]] = {}
    for of_place, places in groups:
        if places and _same_words([blocks[at] for at in places], of_place):
            instead |= {at: [] for at in places}
            instead[places[0]] = [_block(table) for table in of_place]
    return [one for at, block in enumerate(blocks) for one in instead.get(at, [block])]


def _block(table: RuledTable) -> PageBlock:
    return PageBlock("table", rows=[[Cell(text) for text in row] for row in table.rows])


def _is_within(block: Any, table: RuledTable, height: float) -> bool:
    """Return whether a block has text and lies in a table with a quarter of either, at least."""
    box = block.bbox
    if box is None or not _block_words(block):
        return False
    across = min(box.x + box.width, table.right) - max(box.x, table.left)
    down = min(box.y + box.height, height - table.foot) - max(box.y, height - table.top)
    area = min(box.width * box.height, (table.right - table.left) * (table.top - table.foot))
    return across > 0 and down > 0 and bool(across * down * 4 >= area)


def _same_words(blocks: Sequence[Any], tables: Sequence[RuledTable]) -> bool:
    of_blocks = {word for block in blocks for word in _block_words(block)}
    return of_blocks == {word for table in tables for row in table.rows for text in row for word in words(text)}


def _block_words(block: Any) -> list[str]:
    cells = [cell.text for row in [block.header or [], *(block.rows or [])] for cell in row]
    return words(" ".join([block.text or "", *(block.lines or ()), *cells]).replace("\\", ""))


def _rules(page: Any) -> tuple[list[_RuledLine], list[_RuledLine]]:
    """Return the rules across a page and down it; none for a page with more than a table has."""
    across: list[_RuledLine] = []
    down: list[_RuledLine] = []
    for item in page.get_objects(filter=[raw.FPDF_PAGEOBJ_PATH], max_depth=1):
        for left, foot, right, top in _strokes(item):
            if top - foot <= THIN and right - left >= MIN_LENGTH:
                across.append(_RuledLine((foot + top) / 2, left, right))
            elif right - left <= THIN and top - foot >= MIN_LENGTH:
                down.append(_RuledLine((left + right) / 2, foot, top))
        if len(across) + len(down) > MOST_RULES:
            return [], []
    return _joined(across), _joined(down)


def _strokes(item: Any) -> Iterator[tuple[float, float, float, float]]:
    """Yield the boxes of the lines that a path draws: of the path itself if it is thin, else of its segments."""
    left, foot, right, top = item.get_bounds()
    if min(right - left, top - foot) <= THIN:
        yield left, foot, right, top
        return
    fill, stroke = ctypes.c_int(), ctypes.c_int()
    n_segments = raw.FPDFPath_CountSegments(item.raw)
    if not raw.FPDFPath_GetDrawMode(item.raw, fill, stroke) or not stroke.value or n_segments > MOST_SEGMENTS:
        return
    matrix = item.get_matrix()
    begun: tuple[float, float] | None = None
    last: tuple[float, float] | None = None
    for at in range(n_segments):
        segment = raw.FPDFPath_GetPathSegment(item.raw, at)
        x, y = ctypes.c_float(), ctypes.c_float()
        raw.FPDFPathSegment_GetPoint(segment, x, y)
        point = matrix.on_point(x.value, y.value)
        kind = raw.FPDFPathSegment_GetType(segment)
        if kind == raw.FPDF_SEGMENT_LINETO and last is not None:
            yield _box_of(last, point)
        begun = point if kind == raw.FPDF_SEGMENT_MOVETO else begun
        last = point
        if raw.FPDFPathSegment_GetClose(segment) and begun is not None:
            yield _box_of(point, begun)


def _box_of(a: tuple[float, float], b: tuple[float, float]) -> tuple[float, float, float, float]:
    return min(a[0], b[0]), min(a[1], b[1]), max(a[0], b[0]), max(a[1], b[1])


def _joined(rules: list[_RuledLine]) -> list[_RuledLine]:
    """Return rules with those in one line that touch as one."""
    done: list[_RuledLine] = []
    for rule in sorted(rules, key=lambda one: (one.start, one.at)):
        same = next((at for at, other in enumerate(done) if _goes_on(other, rule)), None)
        if same is None:
            done.append(rule)
        else:
            done[same] = replace(done[same], end=max(done[same].end, rule.end))
    return done


def _goes_on(before: _RuledLine, rule: _RuledLine) -> bool:
    return abs(before.at - rule.at) <= THIN / 2 and rule.start <= before.end + NEAR


def _grids(across: list[_RuledLine], down: list[_RuledLine]) -> list[tuple[list[_RuledLine], list[_RuledLine]]]:
    """Return the rules that cross one another, each group the rules across and down of one table."""
    groups: list[tuple[list[_RuledLine], list[_RuledLine]]] = [([], [rule]) for rule in down]
    for rule in across:
        crossed = [group for group in groups if any(_meet(rule, other) for other in group[1])]
        if crossed:
            groups = [group for group in groups if group not in crossed]
            groups.append(([rule, *(r for g in crossed for r in g[0])], [r for g in crossed for r in g[1]]))
    return groups


def _meet(across: _RuledLine, down: _RuledLine) -> bool:
    return across.start - NEAR <= down.at <= across.end + NEAR and down.start - NEAR <= across.at <= down.end + NEAR


def _words_of(letters: Any) -> Iterator[_PlacedWord]:
    """Yield the words of a page with their boxes."""
    text = characters_of(letters)
    for match in _WORDS.finditer(text):
        first, last = letters.get_charbox(match.start()), letters.get_charbox(match.end() - 1)
        yield _PlacedWord(match.group(), first[0], min(first[1], last[1]), last[2], max(first[3], last[3]))


def _table(across: list[_RuledLine], down: list[_RuledLine], placed: Sequence[_PlacedWord]) -> RuledTable | None:
    """Return the table between rules; None if a word lies across a rule, or rules seem to be missing."""
    lefts, heights = _places(down), _places(across)[::-1]
    n_columns, n_rows = len(lefts) - 1, len(heights) - 1
    if n_columns * n_rows > MOST_CELLS:
        return None
    held: dict[tuple[int, int], list[_PlacedWord]] = {}
    for word in placed:
        middle = (word.foot + word.top) / 2
        if not (lefts[0] < word.right and word.left < lefts[-1] and heights[-1] < middle < heights[0]):
            continue
        row = next(at for at, (top, foot) in enumerate(pairwise(heights)) if foot <= middle <= top)
        column = next((at for at, (a, b) in enumerate(pairwise(lefts)) if a - NEAR <= word.left <= b), None)
        if column is None:
            return None
        held.setdefault((row, column), []).append(word)
    cells = _covering(lefts, heights, across, down)
    if not _are_rectangles(cells):
        return None
    whole: dict[int, list[_PlacedWord]] = {}
    for place, of_place in held.items():
        whole.setdefault(cells[place], []).extend(of_place)
    ends = {cell: max(column for (_, column), of in cells.items() if of == cell) for cell in whole}
    if any(word.right > lefts[ends[cell] + 1] + NEAR for cell, own in whole.items() for word in own):
        return None
    if _lacks_rules(cells, whole):
        return None
    texts = {cell: " ".join(word.text for word in own) for cell, own in whole.items()}
    rows = tuple(tuple(texts.get(cells[row, column], "") for column in range(n_columns)) for row in range(n_rows))
    return RuledTable(lefts[0], heights[-1], lefts[-1], heights[0], rows)


def _places(rules: list[_RuledLine]) -> list[float]:
    """Return the places of rules in order, those of one line once."""
    places: list[float] = []
    for at in sorted(rule.at for rule in rules):
        if not places or at - places[-1] > NEAR:
            places.append(at)
    return places


def _covering(
    lefts: list[float], heights: list[float], across: list[_RuledLine], down: list[_RuledLine]
) -> dict[tuple[int, int], int]:
    """Return the number of the cell at each place of a grid; places without a rule between them are one cell."""
    cells: dict[tuple[int, int], int] = {}
    for row, (top, foot) in enumerate(pairwise(heights)):
        for column, (left, right) in enumerate(pairwise(lefts)):
            of_above = cells.get((row - 1, column))
            of_left = cells.get((row, column - 1))
            if of_left is not None and not _parts(down, left, (top + foot) / 2):
                cells[row, column] = of_left
            elif of_above is not None and not _parts(across, top, (left + right) / 2):
                cells[row, column] = of_above
            else:
                cells[row, column] = len(cells)
    return cells


def _are_rectangles(cells: dict[tuple[int, int], int]) -> bool:
    """Return whether each cell is a rectangle; one that is not holds a table of its own."""
    places: dict[int, list[tuple[int, int]]] = {}
    for place, cell in cells.items():
        places.setdefault(cell, []).append(place)
    for own in places.values():
        rows, columns = {row for row, _ in own}, {column for _, column in own}
        if len(own) != len(rows) * len(columns):
            return False
    return True


def _parts(rules: list[_RuledLine], at: float, middle: float) -> bool:
    return any(abs(rule.at - at) <= NEAR and rule.start <= middle <= rule.end for rule in rules)


def _lacks_rules(cells: dict[tuple[int, int], int], whole: dict[int, list[_PlacedWord]]) -> bool:
    """Return whether most rows have several lines in each cell: they are rows without rules between them."""
    rows: dict[int, set[int]] = {}
    for (row, _), cell in cells.items():
        if cell in whole:
            rows.setdefault(row, set()).add(cell)
    full = [own for own in rows.values() if len(own) > 1]
    n_several = sum(all(_n_lines(whole[cell]) > 1 for cell in own) for own in full)
    return 2 * n_several >= max(len(full), 1)


def _n_lines(own: list[_PlacedWord]) -> int:
    return 1 + sum(b.top < a.foot for a, b in pairwise(own))
