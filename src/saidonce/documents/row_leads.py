"""What a part of a long table begins with, so that its first row says what it says in the whole table."""

from __future__ import annotations

from collections.abc import Sequence

from saidonce.documents.sums import RunningSums
from saidonce.foundation.model import Row
from saidonce.foundation.rows import heads_rows, is_ditto

MOST_HEADS = 3
"""Rows in a run that head what follows them: the last ones; more are a list whose other cells are empty."""


def row_leads(body: Sequence[Row]) -> list[tuple[Row, ...]]:
    """Return for each row of a table the rows with which a part begins that begins with it.

    The empty cells of a sum are empty on purpose: it is of all the rows above it, and not of what the last one names.
    """
    leads: list[tuple[Row, ...]] = []
    groups: tuple[Row, ...] = ()
    above: Row = ()
    sums = RunningSums()
    for row, is_group in zip(body, _group_heads(body), strict=True):
        if is_group:
            sums.begin_group()
            groups = (row,) if above or not leads else (*groups, row)[-MOST_HEADS:]
        elif sums.is_sum(row) and not any(map(is_ditto, row)):
            leads.append((*groups, row))
            continue
        above = () if is_group else _filled(row, above)
        leads.append(groups if is_group else (*groups, above))
    return leads


def _group_heads(body: Sequence[Row]) -> list[bool]:
    """Return for each row whether it heads a group: it is one text, and a fuller row follows it or its sub-headings."""
    n_in_run, heads = MOST_HEADS, []
    for row in reversed(body):
        n_in_run = n_in_run + 1 if heads_rows(row) else 0
        heads.append(0 < n_in_run <= MOST_HEADS)
    return heads[::-1]


def _filled(row: Row, above: Row) -> Row:
    """Return a row with what is carried down from the row above it into its first cells, or where a mark says so."""
    first = next((n for n, cell in enumerate(row) if cell), 0)
    pairs = enumerate(zip(row, (*above, *[""] * len(row)), strict=False))
    return tuple((over or cell) if n < first or is_ditto(cell) else cell for n, (cell, over) in pairs)
