"""Whether it says nothing which names of a table head its rows, and which its columns.

A table of huts with their beds states the same with the huts across. A table of who calls whom does not: only the place
of a name says who calls. So either each column (or each row) has cells of a kind of its own, as the beds and floors of
huts do, or all cells are figures or answers, and it is shown what the rows or columns are: by the corner, by one word
before all their names, or as days and years show it; cells of words need both. And no name in a row's head begins as
one over a column does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from saidonce.matching.facts.numerals import months, weekdays
from saidonce.matching.facts.plain.rows import is_answer
from saidonce.matching.facts.plain.stretches import folded

_FIGURE = re.compile(r"[^\w\s]{0,2}\s?\d")
"""How a figure begins, with a sign or currency in front of it."""

_OF_TWO = re.compile(r"\d+(?: ?(?:[:\uff1a](?!\d\d\b)|[-\u2013/\u4e00-\u9fff\uac00-\ud7a3]) ?| [^\W\d_]{1,2} )\d+\W*")
"""Two figures of which the first may be of the row, and the second of the column: a result of 3:1, or 3 to 1."""

_NUMBERED = re.compile(r"\d[\d.:/\u2013-]*[a-z]{0,2}")
"""A year, an hour or a number in a row."""

_EMPTY = re.compile(r"[^\w+\u2713\u2714\u2717\u2718]*")
"""A cell without a word: nothing, or dashes."""


def may_be_turned(rows: Sequence[Sequence[str]], language: str, *, is_headed: bool) -> bool:
    """Return whether a table states the same with its rows as columns; a cell is read under both of its names.

    Args:
        rows: the names of the columns first.
        is_headed: what the rows, or the columns, are is written in the corner, so that they are of one kind.
    """
    names = [row[0] for row in rows[1:]]
    body = [[_kind(cell, language) for cell in row[1:]] for row in rows[1:]]
    are_mixed = _first_words(names) & _first_words(rows[0][1:])
    if are_mixed or any(_OF_TWO.fullmatch(cell.strip()) for row in rows[1:] for cell in row[1:]):
        return False
    if _are_attributes(body) or _are_attributes(zip(*body, strict=True)):
        return True
    are_of_one_kind = _are_of_one_kind(names, language) or _are_of_one_kind(rows[0][1:], language)
    if is_headed and are_of_one_kind:
        return True
    return (is_headed or are_of_one_kind) and "word" not in {kind for row in body for kind in row}


def _are_of_one_kind(names: Sequence[str], language: str) -> bool:
    """Return whether all names are days, months or figures, as years are, or begin with one word: "Hall A"."""
    known = {word for table in (weekdays(language), months(language)) for word in table}
    has_one = len(_first_words(names)) == 1 and all(" " in folded(name) for name in names)
    return has_one or _first_words(names) <= known or all(_NUMBERED.fullmatch(folded(name)) for name in names)


def _first_words(names: Sequence[str]) -> set[str]:
    return {folded(name).split(" ")[0] for name in names}


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
