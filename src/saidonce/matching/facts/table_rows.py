"""Rows of a table that lean on the rows above them, so that they say something else in another place.

An empty cell, a ditto mark or "as above" takes what stands above it; "of which" is a part of the row above; a row of
one cell heads the rows below it, and a subtotal sums up those before it. All other rows may stand in any order, in
every language.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from saidonce.foundation.model import FactKind, Objection, Span
from saidonce.foundation.rows import DITTO, NOTE, heads_rows
from saidonce.matching.facts.cells import PlacedCell, Row, columns_of, tables_of
from saidonce.matching.facts.lexicon import TAGS, language_table, lines

Key = tuple[str, ...]
Words = Callable[[PlacedCell], Key]


class _Lean(NamedTuple):
    """What a row takes from others: what its cells repeat, the rows that head it, the row it points to, its sum."""

    repeated: tuple[Key, ...]
    headed: tuple[Key, ...] = ()
    above: tuple[Key, ...] = ()
    summed: tuple[Key, ...] = ()

    @property
    def leans_on(self) -> frozenset[tuple[object, ...]]:
        """The cells and rows that it names."""
        return frozenset((*self.repeated, *self.headed, self.above, self.summed)) - {()}


_ALONE = _Lean(())


class _Placed(NamedTuple):
    """A row: where it stands, what its cells say, what they say with what they repeat, and what it leans on."""

    span: Span
    cells: tuple[Key, ...]
    resolved: tuple[Key, ...]
    lean: _Lean

    @property
    def says(self) -> tuple[tuple[Key, ...], _Lean]:
        """What the row says by itself and by its place, whichever of its cells say it."""
        return tuple(sorted(self.resolved)), self.lean._replace(repeated=())


def moved_rows(a: str, b: str, language: str) -> tuple[Objection, ...]:
    """Object to the first row that leans on another row in the other text's table; and to steps in another order."""
    if "|" not in a or "|" not in b:
        return ()
    for one, two in zip(tables_of(a, language), tables_of(b, language), strict=False):
        here, there = (_placed(rows, lambda cell: cell.key) for rows in (one, two))
        if hit := _leaning_elsewhere(here, there) or _turned_steps((one, two), here, there):
            return (Objection(FactKind.ROLE, hit[0].span, hit[1].span),)
    return ()


def stand_alone(table: str, language: str) -> bool:
    """Return whether a text is one table of which no row leans on another one: each states the same wherever it is."""
    of = tables_of(table, language)
    return len(of) == 1 and all(row.lean == _ALONE for row in _placed(of[0], lambda cell: cell.key))


def same_rows(a: str, b: str, language: str) -> bool:
    """Return whether two texts are tables of the same rows, word for word, in an order that says nothing.

    Columns may stand in another order, too, under their headings. The notes that end a table are equal, in order.
    """
    if "|" not in a or a.count("|") != b.count("|"):
        return False
    (a, notes), (b, other_notes) = map(_without_notes, (a, b))
    tables = [tables_of(text, language) for text in (a, b)]
    is_whole = (len(of) == 1 and len(of[0]) == text.count("\n") + 1 for of, text in zip(tables, (a, b), strict=True))
    if notes != other_notes or not all(is_whole):
        return False
    one, two = tables[0][0], tables[1][0]
    columns = columns_of(one[0], two[0])
    if not columns or any(len(row) != len(columns) for row in (*one, *two)):
        return False
    if [cell.span.text for cell in one[0]] != [two[0][at].span.text for at in columns]:
        return False
    here, there = (_placed(rows, lambda cell: (cell.span.text,)) for rows in (one, two))
    if _turned_steps((one, two), here, there):
        return False
    kept = [(row.resolved, row.lean._replace(repeated=())) for row in here]
    turned = [(tuple(row.resolved[at] for at in columns), row.lean._replace(repeated=())) for row in there]
    return Counter(kept) == Counter(_in_columns(turned, columns))


def _without_notes(table: str) -> tuple[str, list[str]]:
    """Return a table, and the lines at its end that are no rows but begin with a mark, as what a cell refers to does.

    Any other line may say something of the place of rows, as "The last one only in June." does.
    """
    lines = table.split("\n")
    n_rows = len(lines)
    while "|" not in lines[n_rows - 1] and _NOTE.match(lines[n_rows - 1]):
        n_rows -= 1
    return "\n".join(lines[:n_rows]), lines[n_rows:]


def _in_columns(
    rows: Sequence[tuple[tuple[Key, ...], _Lean]], columns: Sequence[int]
) -> Iterator[tuple[tuple[Key, ...], _Lean]]:
    """Write the rows that others lean on in the same order of columns."""
    for cells, lean in rows:
        above = tuple(lean.above[at] for at in columns) if lean.above else ()
        summed = tuple(lean.summed[at] for at in columns) if lean.summed else ()
        yield cells, lean._replace(above=above, summed=summed)


def _leaning_elsewhere(here: Sequence[_Placed], there: Sequence[_Placed]) -> tuple[_Placed, _Placed] | None:
    """Return the first two rows that belong together, but lean on other rows.

    What all of them lean on may be worded otherwise, one for one, if it does not stand in the other table.
    """
    if all(row.lean == _ALONE for row in (*here, *there)):
        return None
    stated = [_stated(rows) for rows in (here, there)]
    renamed: dict[_Lean, _Lean] = {}
    for one, two in _pairs(_unmatched(here, there), _unmatched(there, here)):
        x, y = one.lean, two.lean
        if x == y or (sorted(one.resolved) == sorted(two.resolved) and x[1:] == y[1:]):
            continue
        is_worded = bool(x.leans_on) and x.leans_on.isdisjoint(stated[1]) and y.leans_on.isdisjoint(stated[0])
        if not is_worded or renamed.setdefault(x, y) != y:
            return one, two
    return None


def _stated(rows: Sequence[_Placed]) -> frozenset[tuple[object, ...]]:
    """Return what the cells of a table say, and its rows."""
    return frozenset(key for row in rows for key in row.cells) | {row.cells for row in rows}


def _unmatched(rows: Sequence[_Placed], others: Sequence[_Placed]) -> list[_Placed]:
    left = Counter(row.says for row in others)
    unmatched = []
    for row in rows:
        if left[row.says]:
            left[row.says] -= 1
        else:
            unmatched.append(row)
    return unmatched


def _pairs(one: Sequence[_Placed], two: Sequence[_Placed]) -> Iterator[tuple[_Placed, _Placed]]:
    """Yield the rows of two tables that belong together: those of the same cells, the rest in their order."""
    rest = dict(enumerate(two))
    by_cells: dict[tuple[Key, ...], list[int]] = {}
    for at, row in reversed(rest.items()):
        by_cells.setdefault(tuple(sorted(row.cells)), []).append(at)
    left: list[_Placed] = []
    for row in one:
        if places := by_cells.get(tuple(sorted(row.cells))):
            yield row, rest.pop(places.pop())
        else:
            left.append(row)
    yield from zip(left, rest.values(), strict=False)


def _placed(rows: Sequence[Row], words: Words) -> list[_Placed]:
    """Return the rows below the heading of a table, with what each leans on."""
    reading = _RowReader()
    placed = [reading.row(row, tuple(words(cell) for cell in row)) for row in rows[1:]]
    summed: tuple[Key, ...] = ()
    done = []
    for row, written in zip(reversed(placed), reversed(rows[1:]), strict=True):
        if _first_of(_words_of("subtotal"), written):
            summed = row.cells
        done.append(row._replace(lean=row.lean._replace(summed=summed)))
    return done[::-1]


class _RowReader:
    """Reads the rows of a table from the top."""

    def __init__(self) -> None:
        self._last: dict[int, Key] = {}
        self._heads: tuple[Key, ...] = ()
        self._new_heads: tuple[Key, ...] = ()
        self._above: tuple[Key, ...] = ()
        self._whole: tuple[Key, ...] = ()

    def row(self, row: Row, cells: tuple[Key, ...]) -> _Placed:
        span = row[0].span
        where = Span(span.start, row[-1].span.end, " | ".join(cell.span.text for cell in row))
        if _heads_a_group(row):
            self._new_heads = (*self._new_heads, next(filter(None, cells), ()))
            self._last, self._above, self._whole = {}, (), ()
            return _Placed(where, cells, cells, _ALONE)
        if self._new_heads:
            n_kept = max(0, len(self._heads) - len(self._new_heads))
            self._heads, self._new_heads = (*self._heads[:n_kept], *self._new_heads), ()
        resolved = self._resolved(row, cells)
        repeated = tuple(sorted(new for old, new in zip(cells, resolved, strict=True) if old != new))
        is_part = _first_of(_words_of("part"), row)
        above = self._whole if is_part else self._above if self._points_back(row, cells, resolved) else ()
        self._above = cells
        self._whole = self._whole if is_part else cells
        return _Placed(where, cells, resolved, _Lean(repeated, self._heads, above))

    def _resolved(self, row: Row, cells: tuple[Key, ...]) -> tuple[Key, ...]:
        """Return what the cells say, with what is carried down into them; remember it for the rows below."""
        resolved = list(cells)
        leads = True
        for at, cell in enumerate(row):
            leads = leads and not cell.span.text
            if leads or _ditto().fullmatch(cell.span.text):
                resolved[at] = self._last.get(at, cells[at])
            elif cell.span.text:
                self._last[at] = cells[at]
            else:
                self._last.pop(at, None)
        return tuple(resolved)

    def _points_back(self, row: Row, cells: tuple[Key, ...], resolved: tuple[Key, ...]) -> bool:
        pairs = zip(row, cells, resolved, strict=True)
        return any(old == new and _words_of("back").search(cell.span.text) for cell, old, new in pairs)


def _heads_a_group(row: Row) -> bool:
    """Return whether a row has one text, which is neither a sum nor stands for what is above it."""
    texts = [cell.span.text for cell in row]
    return heads_rows(texts) and not _first_of(_words_of("subtotal"), row) and not _ditto().fullmatch(texts[0])


def _first_of(pattern: re.Pattern[str], row: Row) -> bool:
    return bool(pattern.match(next((cell.span.text for cell in row if cell.span.text), "")))


def counts_in_order(heading: str) -> bool:
    """Return whether a heading says that the order of what stands below it counts: a sequence, steps, a ranking."""
    return bool(_words_of("ordered").search(heading))


def turned_rows(a: str, b: str, language: str) -> tuple[Objection, ...]:
    """Object to the first rows of two tables that have changed places, unless a column says their place."""
    for one, two in zip(tables_of(a, language), tables_of(b, language), strict=False):
        here, there = (_placed(rows, lambda cell: cell.key) for rows in (one, two))
        if hit := _turned((one, two), here, there):
            return (Objection(FactKind.ROLE, hit[0].span, hit[1].span),)
    return ()


def _turned_steps(
    tables: tuple[Sequence[Row], Sequence[Row]], here: Sequence[_Placed], there: Sequence[_Placed]
) -> tuple[_Placed, _Placed] | None:
    """Return the first rows that have changed places where a column is headed as steps are."""
    if any(counts_in_order(cell.span.text) for rows in tables for cell in rows[0]):
        return _turned(tables, here, there)
    return None


def _turned(
    tables: tuple[Sequence[Row], Sequence[Row]], here: Sequence[_Placed], there: Sequence[_Placed]
) -> tuple[_Placed, _Placed] | None:
    """Return the first rows that have changed places; of a row that stands several times the first is the first."""
    if any(map(_is_numbered, tables)):
        return None
    places: dict[object, deque[int]] = {}
    for at, row in enumerate(there):
        places.setdefault(row.says, deque()).append(at)
    kept = [(row, places[row.says].popleft()) for row in here if places.get(row.says)]
    return next(((x, there[at]) for (x, at), (_, after) in pairwise(kept) if at > after), None)


def _is_numbered(rows: Sequence[Row]) -> bool:
    """Return whether a column of a table counts its rows from 1, or says when each is: its dates or times rise."""
    columns = zip(*(row for row in rows[1:] if len(row) == len(rows[0])), strict=True)
    figures = ([_figures(cell.span.text) for cell in column] for column in columns)
    return any(
        [*column] == [(n,) for n in range(1, len(column) + 1)] or all(len(x) > 1 and x < y for x, y in pairwise(column))
        for column in figures
    )


def _figures(written: str) -> tuple[int, ...]:
    """Return the figures with which a cell begins: of 9:30 both."""
    hit = _FIGURES.match(written)
    return tuple(map(int, re.findall(r"\d+", hit.group()))) if hit else ()


_FIGURES = re.compile(r"\d{1,4}(?:[.:-]\d{1,4}){0,2}(?!\d)")

_NOTE = re.compile(NOTE)

_LETTER = r"[^\W\u3040-\u30ff\u4e00-\u9fff]"
_BEGINS, _ENDS = rf"(?<!{_LETTER})", rf"(?!{_LETTER})"
"""Ends of words; none where words are written without spaces."""


def _listed(name: str) -> list[str]:
    """Return the expressions of all languages; tables are short, and often of no language that can be told."""
    return [row for tag in TAGS for row in lines(language_table(tag).get("rows", {}).get(name, ""))]


@cache
def _ditto() -> re.Pattern[str]:
    return re.compile(rf"{DITTO}|(?:{'|'.join(_listed('ditto'))})[.]?", re.IGNORECASE)


_IN_FRONT = {"back": _BEGINS, "ordered": _BEGINS, "part": r"[-\u2010-\u2015\s(]*", "subtotal": ""}
"""What may stand before the words of each list."""


@cache
def _words_of(name: str) -> re.Pattern[str]:
    """Return the expression for the words of a list, in all languages."""
    return re.compile(rf"{_IN_FRONT[name]}(?:{'|'.join(_listed(name))}){_ENDS}", re.IGNORECASE)
