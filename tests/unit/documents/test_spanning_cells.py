"""A cell that spans all columns of a table stands once; one that spans some of them is repeated."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO

import docx
import pytest

from saidonce.documents.parse import parse

HEADER = ("Room", "Seats", "Key")
ROWS = {
    "a row of its own": ([("Ground floor", 3)], "Ground floor |  | "),
    "two columns of three": ([("Hall", 2), ("K1", 1)], "Hall | Hall | K1"),
    "the last two columns": ([("Hall", 1), ("none", 2)], "Hall | none | none"),
    "no span": ([("Hall", 1), ("40", 1), ("K1", 1)], "Hall | 40 | K1"),
}


def as_html(cells: list[tuple[str, int]]) -> tuple[str, bytes]:
    row = "".join(f"<td colspan='{n}'>{text}</td>" for text, n in cells)
    head = "".join(f"<th>{text}</th>" for text in HEADER)
    return "a.html", f"<table><tr>{head}</tr><tr>{row}</tr><tr><td>Bar<td>9<td>K2</tr></table>".encode()


def as_word(cells: list[tuple[str, int]]) -> tuple[str, bytes]:
    document = docx.Document()
    table = document.add_table(rows=3, cols=3)
    at = 0
    for text, n in cells:
        table.cell(1, at).merge(table.cell(1, at + n - 1)).text = text
        at += n
    for row, texts in ((0, HEADER), (2, ("Bar", "9", "K2"))):
        for n, text in enumerate(texts):
            table.cell(row, n).text = text
    file = BytesIO()
    document.save(file)
    return "a.docx", file.getvalue()


@pytest.mark.parametrize("write", [as_html, as_word])
@pytest.mark.parametrize("case", ROWS)
def test_a_spanning_cell(write: Callable[[list[tuple[str, int]]], tuple[str, bytes]], case: str) -> None:
    cells, line = ROWS[case]
    (table,) = parse(*write(cells)).elements
    assert table.text.split("\n") == [" | ".join(HEADER), line, "Bar | 9 | K2"]


@pytest.mark.parametrize(
    ("rows", "lines"),
    [
        (
            "<tr><td rowspan=2>Hall<td>40<td>K1</tr><tr><td colspan=2>shut</tr>",
            ["Hall | 40 | K1", "Hall | shut | shut"],
        ),
        ("<tr><td colspan=100>Hall</tr><tr><td>40<td>K1</tr>", ["Hall | ", "40 | K1"]),
        ("<tr><td colspan=2>Hall</tr><tr><td colspan=2>Bar</tr>", ["Hall | Hall", "Bar | Bar"]),
        ("<tr><td>Hall</tr><tr><td>Bar</tr>", ["Hall", "Bar"]),
    ],
    ids=["beside a cell from above", "more columns than there are", "in every row", "one column"],
)
def test_a_table_with_spans(rows: str, lines: list[str]) -> None:
    (table,) = parse("a.html", f"<table>{rows}</table>".encode()).elements
    assert table.text.split("\n") == lines
