"""Whether it says nothing which names of a table head its rows, and which its columns.

A table of huts with their beds states the same with the huts across. A table of who calls whom does not: only the place
of a name says who calls. So either all cells are figures or answers, or each column (or each row) has cells of a kind
of its own, as beds and floors of huts have; and no name stands both in a row's head and over a column.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from saidonce.matching.facts.plain.rows import is_answer
from saidonce.matching.facts.plain.stretches import folded

_FIGURE = re.compile(r"[^\w\s]{0,2}\s?\d")
"""How a figure begins, with a sign or currency in front of it."""

_OF_TWO = re.compile(r"\d+(?: ?(?:[:\uff1a](?!\d\d\b)|[-\u2013/\u4e00-\u9fff\uac00-\ud7a3]) ?| [^\W\d_]{1,2} )\d+\W*")
"""Two figures of which the first may be of the row, and the second of the column: a result of 3:1, or 3 to 1."""

_EMPTY = re.compile(r"[^\w+\u2713\u2714\u2717\u2718]*")
"""A cell without a word: nothing, or dashes."""


def may_be_turned(rows: Sequence[Sequence[str]], language: str) -> bool:
    """Return whether a table states the same with its rows as columns; a cell is read under both of its names."""
    names = {folded(row[0]) for row in rows[1:]} & {folded(label) for label in rows[0][1:]}
    body = [[_kind(cell, language) for cell in row[1:]] for row in rows[1:]]
    if names or any(_OF_TWO.fullmatch(cell.strip()) for row in rows[1:] for cell in row[1:]):
        return False
    return (
        "word" not in {kind for row in body for kind in row}
        or _are_attributes(body)
        or _are_attributes(zip(*body, strict=True))
    )


def _are_attributes(lines: Iterable[Iterable[str]]) -> bool:
    """Return whether the cells of each line are of one kind, and not of the same kind in all lines."""
    kinds = [frozenset(filter(None, line)) for line in lines]
    return all(len(of) <= 1 for of in kinds) and len(frozenset().union(*kinds)) > 1


def _kind(cell: str, language: str) -> str:
    if _EMPTY.fullmatch(cell.strip()):
        return ""
    if _FIGURE.match(cell.strip()):
        return "figure"
    return "answer" if is_answer(folded(cell), language) else "word"
