"""Cells that span a table: "Ground floor" over all columns heads the rows below it, and is no value of each column."""

from __future__ import annotations

from collections.abc import Collection, Sequence


def spanning_once(rows: Sequence[Sequence[str]], lone: Collection[int]) -> list[list[str]]:
    """Return rows in which a cell that spans the whole width stands once, with empty cells behind it, as in Markdown.

    Args:
        rows: of a table, the text of a spanning cell repeated wherever it covers.
        lone: indices of the rows that have one cell only, however many columns it spans. Beside a cell that hangs down
            from a row above, such a cell covers some of the columns and is left as it is.
    """
    width = max((len(row) for n, row in enumerate(rows) if n not in lone), default=0)
    return [
        [row[0], *[""] * (width - 1)] if n in lone and len(row) >= width > 1 else list(row)
        for n, row in enumerate(rows)
    ]
