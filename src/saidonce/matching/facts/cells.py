"""Cells of a table that stand under another heading, or are empty, in another text's table of the same rows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from saidonce.foundation.model import FactKind, Objection, Span
from saidonce.foundation.remembering import remembered
from saidonce.matching.facts.analyse import tokens_of

MOST_ROWS = 2_000
"""Rows of a table up to which they are compared."""

_RULE = re.compile(r"[\s|:+=-]*")
_CELL = re.compile(r"(?:[^|\\\n]|\\.)*")


class PlacedCell(NamedTuple):
    """A cell: where it stands, and what it says."""

    span: Span
    key: tuple[str, ...]


Row = tuple[PlacedCell, ...]


def moved_cells(a: str, b: str, language: str) -> tuple[Objection, ...]:
    """Object to the first cell that stands elsewhere in its row, or is empty, in the other text's table.

    Rows belong together by their first cell, or all of them; columns by their heading where both tables have the same
    headings, else by their place. What a cell says instead, other guards read; rows may stand in any order.
    """
    if a.count("|") < _FEWEST_BARS or b.count("|") < _FEWEST_BARS:
        return ()
    here, there = tables_of(a, language), tables_of(b, language)
    if len(here) != len(there):
        return ()
    first = next((o for one, two in zip(here, there, strict=True) for o in _moved(one, two)), None)
    return (first,) if first else ()


_FEWEST_BARS = 2


def _moved(one: Sequence[Row], two: Sequence[Row]) -> Iterator[Objection]:
    columns = columns_of(one[0], two[0])
    whole = [row for row in reversed(two) if columns and len(row) == len(columns)]
    by_head, by_cells = {row[columns[0]].key: row for row in whole}, {_sorted(row): row for row in whole}
    for row in one:
        other = by_head.get(row[0].key) or by_cells.get(_sorted(row))
        if other is None or len(row) != len(columns):
            continue
        pairs = [(cell, other[at]) for cell, at in zip(row, columns, strict=True) if cell.key != other[at].key]
        keys = {cell.key for cell, _ in pairs}, {cell.key for _, cell in pairs}
        for cell, instead in pairs:
            is_turned = len(pairs) > 1 and cell.key in keys[1] and instead.key in keys[0]
            if is_turned or not cell.key or not instead.key:
                yield Objection(FactKind.ROLE, cell.span, instead.span)


def _sorted(row: Row) -> tuple[tuple[str, ...], ...]:
    return tuple(sorted(cell.key for cell in row))


def columns_of(one: Row, two: Row) -> list[int]:
    """Return the place in the other table of each column; nothing if the two have different numbers of columns."""
    if len(one) != len(two):
        return []
    heads = [cell.key for cell in one], [cell.key for cell in two]
    is_same = sorted(heads[0]) == sorted(heads[1]) and len(set(heads[0])) == len(one)
    return [heads[1].index(key) for key in heads[0]] if is_same else list(range(len(one)))


@remembered(1_024)
def tables_of(text: str, language: str) -> tuple[tuple[Row, ...], ...]:
    """Return the tables of a text: runs of lines with bars, of two rows at least."""
    tables: list[list[Row]] = [[]]
    at = 0
    for line in text.split("\n"):
        if "|" not in line:
            tables += [[]] if tables[-1] else []
        elif not _RULE.fullmatch(line):
            tables[-1].append(tuple(_cells(line, at, language)))
        at += len(line) + 1
    return tuple(tuple(rows) for rows in tables if 1 < len(rows) <= MOST_ROWS)


def _cells(line: str, at: int, language: str) -> Iterator[PlacedCell]:
    bare = line.strip()
    is_framed = len(bare) > 1 and bare[0] == bare[-1] == "|" and bare[-2] != "\\"
    start = line.index(bare) + is_framed
    last = start + len(bare) - 2 * is_framed
    while start <= last:
        hit = _CELL.match(line, start, last)
        end = hit.end() if hit else last
        written = line[start:end].strip()
        start_of = at + (line.index(written, start) if written else start)
        key = tuple(t.key for t in tokens_of(written, language)) if written else ()
        yield PlacedCell(Span(start_of, start_of + len(written), written), key or _unread(written))
        start = end + 1


def _unread(written: str) -> tuple[str, ...]:
    """Return what a cell without words says: nothing if it is empty or a dash."""
    bare = written.strip("-\u2010\u2011\u2012\u2013\u2014\u2015 .")
    return (bare,) if bare else ()
