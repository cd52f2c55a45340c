"""Rows of a table that sum up the rows above them, in every language: their figures are the sums."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

FEWEST_SUMMED = 2
"""Rows that a sum has above it, at the least."""

_FIGURE = re.compile(r"\W{0,2}(?P<whole>\d[\d.,'\s]{0,15}?)(?:[.,](?P<part>\d{1,2}))?\W{0,2}(?:[A-Z]{3})?")


class RunningSums:
    """Sums of each column, from the first row and from the last sum or heading, as far as the table is read."""

    def __init__(self) -> None:
        self._whole = _ColumnSums()
        self._group = _ColumnSums()

    def begin_group(self) -> None:
        """Begin to sum up anew, as below a row that heads others."""
        self._group = _ColumnSums()

    def is_sum(self, cells: Sequence[str]) -> bool:
        """Take in the next row, and return whether all its figures are sums of the rows above it."""
        figures = {at: figure for at, cell in enumerate(cells) if (figure := _hundredths(cell)) is not None}
        if self._whole.are(figures) or self._group.are(figures):
            self.begin_group()
            return True
        self._whole.add(figures)
        self._group.add(figures)
        return False


class _ColumnSums:
    def __init__(self) -> None:
        self._n_rows = 0
        self._of: Counter[int] = Counter()

    def add(self, figures: dict[int, int]) -> None:
        self._n_rows += 1
        self._of.update(figures)

    def are(self, figures: dict[int, int]) -> bool:
        return self._n_rows >= FEWEST_SUMMED and any(figures.values()) and figures.items() <= self._of.items()


def _hundredths(cell: str) -> int | None:
    """Return the figure of a cell that is nothing else, but for a sign of a currency; None if it is something else."""
    hit = _FIGURE.fullmatch(cell.strip())
    if hit is None:
        return None
    return int("".join(filter(str.isdecimal, hit["whole"])) + (hit["part"] or "").ljust(2, "0"))
