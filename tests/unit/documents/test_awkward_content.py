"""Content that folders of real files hold and that was lost or bent: each is kept, or warned of."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import openpyxl
import pytest
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen import canvas

from saidonce.documents.parse import parse
from saidonce.foundation.model import Document


def lines(document: Document) -> list[str]:
    return [element.text for element in document.elements]


def read(name: str, content: str) -> list[str]:
    return lines(parse(name, content.encode()))


def test_a_word_broken_at_a_hyphen_is_whole_and_loses_the_hyphen_only_where_it_stands_without_one() -> None:
    wrapped = (
        "The pressure of the plant is read by the care-\ntaker every week. The pumps have an air-\nvent, and whoever is"
        " the caretaker opens it.\n"
    )
    (text,) = read("a.txt", wrapped)
    assert "by the caretaker every week" in text
    assert "have an air-vent, and" in text


@pytest.mark.parametrize("name", ["a.log", "a.txt"])
def test_orders_to_a_terminal_are_no_text(name: str) -> None:
    assert read(name, "\x1b[1;31merror\x1b[0m: valve 12\x1b]0;title\x07 is stuck\n") == ["error: valve 12 is stuck"]


def test_the_delimiter_that_a_spreadsheet_names_is_used_and_is_no_row() -> None:
    document = parse("a.csv", b"sep=;\r\nroom;price\r\nOak;30,5\r\n")
    assert (lines(document), document.warnings) == (["room | price\nOak | 30,5"], ())


def test_footnotes_of_markdown_are_text_even_those_of_one_word() -> None:
    source = (
        "Sweep.[^a] Wash.[^2]\n\n[^a]: https://soap.example\n[^2]: Monthly, and\n  in May twice.\n\n    [^x]: code\n"
    )
    assert read("a.md", source) == [
        "Sweep.[a] Wash.[2]", "[a] https://soap.example", "[2] Monthly, and in May twice.", "[^x]: code",
    ]  # fmt: skip


def test_figures_beside_marks_of_emphasis_stay_apart() -> None:
    assert read("a.md", "Crates: 2*3*4, *7* and **8**9.\n") == ["Crates: 2*3*4, 7 and 8**9."]


def test_deleted_text_of_a_page_is_left_out_and_noted() -> None:
    document = parse("a.html", b"<p>Fare <del>20</del><ins>25</ins> crowns.</p>")
    assert lines(document) == ["Fare 25 crowns."]
    assert document.warnings == ("struck-out passages left out: 1",)


def test_cells_without_a_row_are_a_row() -> None:
    assert read("a.html", "<table><td>x1<td>y2</table>") == ["x1 | y2"]


def test_running_text_in_xml_is_one_value_and_keeps_attributes() -> None:
    source = "<order><note>Ring <b at='7'>twice</b> please.</note><sum>12</sum></order>"
    assert read("a.xml", source) == ["order.note: Ring twice please.\norder.note.b.at: 7\norder.sum: 12"]


def test_notes_headers_and_footers_of_rtf_are_kept() -> None:
    source = (
        r"{\rtf1\ansi{\header\pard Stable rules\par}\pard The stable closes at dusk."
        r"{\footnote\pard Dusk is at 16:40, \{see\} the board.} Keys hang at the door.\par}"
    )
    assert read("a.rtf", source) == [
        "The stable closes at dusk. Keys hang at the door.", "Stable rules", "Dusk is at 16:40, {see} the board.",
    ]  # fmt: skip


def workbook(*rows: Sequence[object]) -> bytes:
    book: Any = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def test_formulas_that_nobody_computed_are_warned_of() -> None:
    document = parse("a.xlsx", workbook(("item", "net", "gross"), ("tar", 50, "=B2*2"), ("oil", 60, "=B3*2")))
    assert document.warnings == (
        "formulas without a value, since no program computed them: 2; open it in one and save it",
    )
    assert parse("b.xlsx", workbook(("item", "net"), ("tar", 50))).warnings == ()


def test_large_whole_numbers_are_written_out() -> None:
    assert (
        "big | 1234567890123456000"
        in lines(parse("a.xlsx", workbook(("what", "n"), ("big", 1.234567890123456e18))))[-1]
    )


def page_of(*strings: tuple[float, float, str], upwards: str = "") -> bytes:
    out = io.BytesIO()
    sheet = canvas.Canvas(out, A4, invariant=1)
    for x, y, text in strings:
        sheet.drawString(x, y, text)
    if upwards:
        sheet.translate(570, 300)
        sheet.rotate(90)
        sheet.drawString(0, 0, upwards)
    sheet.save()
    return out.getvalue()


def test_lines_that_the_layout_leaves_out_are_kept() -> None:
    prose = [(60, 700 - 16 * n, f"Rule {n}: the lift stops in wind, and nobody rides up on foot.") for n in range(6)]
    document = parse("a.pdf", page_of(*prose, upwards="Print number 4471 of the club."))
    assert lines(document)[-1] == "Print number 4471 of the club."
    assert sum(text.count("4471") for text in lines(document)) == 1


def test_rows_of_figures_without_lines_between_them_stay_rows() -> None:
    out = io.BytesIO()
    sheet = canvas.Canvas(out, A4, invariant=1)
    rows = [("gauge", "May", "June", "sum")]
    rows += [(f"G{n}", f"{n * 137.03:.2f}", str(n), str(n * 1001)) for n in range(1, 13)]
    for at, row in enumerate(rows):
        for x, cell in zip((86, 125, 149, 178), row, strict=True):
            sheet.setFont("Times-Roman", 11)
            sheet.drawRightString(x, 740 - 15.2 * at, cell)
    sheet.save()
    document = parse("a.pdf", out.getvalue())
    assert "G7 959.21 7 7007" in [line for text in lines(document) for line in text.split("\n")]
    assert document.warnings == (
        "its layout mixes columns; read line by line, with fewer headings and tables, on page 1",
    )
