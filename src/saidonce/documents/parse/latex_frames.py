"""An open environment of LaTeX: the text that was read last, the items or the rows that it has so far."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from saidonce.documents.parse.latex_signs import with_apostrophes

MAX_SPAN = 200
_BLANKS = re.compile(r"[ \t]+")


@dataclass(slots=True)
class Frame:
    """An environment that is open.

    Attributes:
        kind: "block", "list", "table", or "argument" for what a command takes.
        text: what was read since the last paragraph or cell.
        hanging: cells that span rows, by column: the rows that are left, and the text.
    """

    name: str = ""
    kind: str = "block"
    text: list[str] = field(default_factory=list)
    n_items: int = 0
    rows: list[list[str]] = field(default_factory=list)
    row: list[str] = field(default_factory=list)
    hanging: dict[int, tuple[int, str]] = field(default_factory=dict)

    def taken(self) -> str:
        """Return the text that was read last, and forget it."""
        text = _BLANKS.sub(" ", "".join(self.text)).strip()
        self.text.clear()
        return with_apostrophes(re.sub(r" ?\n ?", "\n", text))

    def end_cell(self) -> None:
        """Add a cell; one that is empty below a cell that spans rows has its text."""
        at = len(self.row)
        if at in self.hanging and not "".join(self.text).strip():
            left, text = self.hanging.pop(at)
            if left > 1:
                self.hanging[at] = (left - 1, text)
            self.text[:] = [text]
        self.row.append(self.taken())

    def end_row(self) -> None:
        """Add a row, unless it is empty."""
        if self.row or "".join(self.text).strip():
            self.end_cell()
        if any(self.row):
            self.rows.append(self.row)
        self.row = []

    def span_columns(self, count: str, text: str) -> None:
        """Add cells that span columns, all but the last, which is still open."""
        self.text.append(text)
        for _ in range(min(int(count), MAX_SPAN) - 1 if count.strip().isdecimal() else 0):
            self.end_cell()
            self.text.append(text)

    def span_rows(self, count: str, text: str) -> None:
        """Keep a cell for the rows below that it spans."""
        if count.isdecimal() and int(count[:3]) > 1:
            self.hanging[len(self.row)] = (int(count[:3]) - 1, text)
