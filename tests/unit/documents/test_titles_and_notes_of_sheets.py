"""Sheets of workbooks: a line above a table heads it, and a comment names the sheet and the cell on which it stands."""

from __future__ import annotations

from collections.abc import Sequence

import openpyxl
import pytest
from openpyxl.comments import Comment

import samples
from saidonce.documents.parse import parse
from saidonce.foundation.model import Document, Kind

Cells = Sequence[Sequence[object]]

PRICES = (("Boat", "Price"), ("Punt", 12), ("Kayak", 15))
DEARER = (("Boat", "Price"), ("Punt", 20), ("Kayak", 25))


def workbook(**sheets: Cells) -> openpyxl.Workbook:
    book = openpyxl.Workbook()
    del book["Sheet"]
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(list(row))
    return book


def read(book: openpyxl.Workbook) -> Document:
    return parse("book.xlsx", samples.saved(book))


def headed(document: Document) -> list[tuple[str, str]]:
    """Return what stands in a document, each with the headings over it."""
    path: list[tuple[int, str]] = []
    shown = []
    for element in document.elements:
        if element.kind is Kind.HEADING:
            path = [*((level, text) for level, text in path if level < element.level), (element.level, element.text)]
        else:
            shown.append((" > ".join(text for _, text in path), element.text.split("\n")[-1]))
    return shown


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ((("Juniors",), *PRICES), [("Hire > Juniors", "Kayak | 15")]),
        ((("Juniors",), (), *PRICES), [("Hire > Juniors", "Kayak | 15")]),
        (
            (("Juniors",), *PRICES, (), ("Seniors",), *DEARER),
            [("Hire > Juniors", "Kayak | 15"), ("Hire > Seniors", "Kayak | 25")],
        ),
        (
            (("Juniors",), *PRICES, ("Seniors",), *DEARER),
            [("Hire > Juniors", "Kayak | 15"), ("Hire > Seniors", "Kayak | 25")],
        ),
        (
            (*PRICES, ("Seniors",), *DEARER),
            [("Hire", "Kayak | 15"), ("Hire > Seniors", "Kayak | 25")],
        ),
        (
            (("Juniors",), *PRICES, (), ("Extra", "Price"), ("Paddle", 3)),
            [("Hire > Juniors", "Kayak | 15"), ("Hire", "Paddle | 3")],
        ),
        (
            (("Juniors",), ("All prices exclude VAT",), *PRICES),
            [("Hire > Juniors > All prices exclude VAT", "Kayak | 15")],
        ),
        (
            (
                ("North site", None, None, "South site"),
                ("Shed", "Rent", None, "Shed", "Rent"),
                ("Small", 20, None, "Small", 30),
            ),
            [("Hire > North site", "Small | 20"), ("Hire > South site", "Small | 30")],
        ),
        (
            (*PRICES, (), ("Seniors",), (), *DEARER),
            [("Hire", "Kayak | 15"), ("Hire > Seniors", "Kayak | 25")],
        ),
        (
            (*PRICES, (), ("* Only with a paddle.",), (), *DEARER),
            [("Hire", "Kayak | 15"), ("Hire", "* Only with a paddle."), ("Hire", "Kayak | 25")],
        ),
        ((*PRICES, (), ("Closed on Mondays",)), [("Hire", "Kayak | 15"), ("Hire", "Closed on Mondays")]),
        ((("Only a line",),), [("Hire", "Only a line")]),
        ((("One",), ("Two",), ("Three",)), [("Hire", "Three")]),
        (
            (("Starters:",), ("Brie", 4), ("Desserts:",), ("Sorbet", 5)),
            [("Hire", "Sorbet | 5")],
        ),
        (
            (("Price list",), ("Boat", "Price"), ("Calm water",), ("Punt", 12), ("Sea",), ("Yacht", 90)),
            [("Hire > Price list", "Yacht | 90")],
        ),
        ((*PRICES[:2], ("Rowing:",), ("Skiff", 14)), [("Hire", "Skiff | 14")]),
    ],
    ids=[
        "a title", "a title before an empty row", "two tables with titles", "no empty row between them",
        "the second has a title", "the second has none", "a title and a remark", "side by side",
        "a title between empty rows", "a remark between tables", "a line at the end", "a line alone", "a list",
        "lines that head groups", "a title over groups", "a group in a table",
    ],
)  # fmt: skip
def test_a_line_above_a_table_is_its_heading(rows: Cells, expected: list[tuple[str, str]]) -> None:
    assert headed(read(workbook(Hire=rows))) == expected


LONG = (
    "The hull was looked over by two of us in the yard, and nothing was seen that would keep the boat from the water. "
    * 2
)


@pytest.mark.parametrize(
    "column",
    [
        ("passed", "failed", "passed", "failed", "passed", "passed"),
        ("Ada", "Bob", "Ada", "Cid", "Ada"),
        ("Ada", "Ada", "Ada"),
        ("Result", "failed", "failed", "Result", "passed"),
        (LONG.strip(), "failed", LONG.strip(), "passed", "passed"),
        ("One", "Two", "Three", "Four", "One", "Two"),
    ],
    ids=["results", "names", "one name", "a heading again", "long texts", "a list twice"],
)
def test_a_list_in_one_column_is_one_table_of_all_its_rows(column: tuple[str, ...]) -> None:
    elements = read(workbook(Hire=[(text,) for text in column])).elements
    assert [(e.kind, e.text) for e in elements] == [(Kind.HEADING, "Hire"), (Kind.TABLE, "\n".join(column))]


@pytest.mark.parametrize(
    "rows",
    [
        (("Starters:",), ("Brie", 4), ("Starters:",), ("Starters:",), ("Sorbet", 5)),
        (("A",), ("B",), ("C",), ("D",), ("A",), ("Brie", 4), ("D",), ("A",), ("Sorbet", 5)),
        (("A", 1), ("Calm",), ("Sea",), ("A", 1), ("Calm",), ("A", 1)),
    ],
    ids=["a line before itself", "lines above a table", "two lines before the heading"],
)
def test_no_row_is_lost_where_lines_repeat(rows: Cells) -> None:
    texts = [e.text for e in read(workbook(Hire=rows)).elements]
    shown = [line.removesuffix(" | ") for text in texts for line in text.split("\n") if line != "Hire"]
    assert sorted(shown) == sorted(" | ".join(map(str, row)) for row in rows)


def test_the_same_tables_under_exchanged_titles_are_not_one_document() -> None:
    one, two = (
        read(workbook(Hire=((first,), *PRICES, (), (second,), *DEARER)))
        for first, second in (("Juniors", "Seniors"), ("Seniors", "Juniors"))
    )
    assert headed(one) != headed(two)


def test_comments_stand_on_their_sheet_with_their_cell() -> None:
    book = workbook(Kiel=(("Yacht", "Toll"), ("Winter", 5)), Bonn=(("Barge", "Toll"), ("Winter", 6)))
    for sheet in book:
        sheet["B2"].comment = Comment("By the day.", "Ada")
    assert headed(read(book)) == [
        ("Kiel", "Winter | 5"), ("Kiel", "Kiel!B2 (Winter, Toll): By the day."),
        ("Bonn", "Winter | 6"), ("Bonn", "Bonn!B2 (Winter, Toll): By the day."),
    ]  # fmt: skip


def test_a_comment_on_another_cell_says_something_else() -> None:
    texts = []
    for cell in ("B2", "B3"):
        book = workbook(Hire=PRICES)
        book["Hire"][cell].comment = Comment("Free for members.", "Ada")
        texts.append(headed(read(book))[-1][1])
    assert texts == ["Hire!B2 (Punt, Price): Free for members.", "Hire!B3 (Kayak, Price): Free for members."]


@pytest.mark.parametrize(
    ("cell", "label"),
    [("A1", "Hire!A1 (Price)"), ("A2", "Hire!A2 (12, Boat)"), ("D9", "Hire!D9"), ("AB2", "Hire!AB2 (Punt)")],
)
def test_what_stands_beside_the_cell_is_named_where_there_is_any(cell: str, label: str) -> None:
    book = workbook(Hire=PRICES)
    book["Hire"][cell].comment = Comment("Ask.", "Ada")
    assert headed(read(book))[-1] == ("Hire", f"{label}: Ask.")


def test_a_comment_stands_below_the_sheet_and_not_below_the_title_of_its_last_table() -> None:
    book = workbook(Hire=(("Juniors",), *PRICES))
    book["Hire"]["B3"].comment = Comment("Half in May.", "Ada")
    assert headed(read(book))[-1] == ("Hire", "Hire!B3 (Punt, Price): Half in May.")


def test_a_sheet_with_comments_only_has_its_heading() -> None:
    book = workbook(Hire=PRICES, Bare=())
    book["Bare"]["A1"].comment = Comment("To be filled.", "Ada")
    assert headed(read(book))[-1] == ("Bare", "Bare!A1: To be filled.")


ODS = """<?xml version="1.0" encoding="UTF-8"?>
<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
 xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"
 xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"
 office:mimetype="application/vnd.oasis.opendocument.spreadsheet"><office:body><office:spreadsheet>
<table:table table:name="Hire">
<table:table-row><table:table-cell><text:p>Juniors</text:p></table:table-cell></table:table-row>
<table:table-row><table:table-cell><text:p>Boat</text:p></table:table-cell>
<table:table-cell><text:p>Price</text:p></table:table-cell></table:table-row>
<table:table-row><table:table-cell><text:p>Punt</text:p></table:table-cell>
<table:table-cell><office:annotation><text:p>Half in May.</text:p></office:annotation>
<text:p>12</text:p></table:table-cell>
</table:table-row></table:table></office:spreadsheet></office:body></office:document>"""


def test_sheets_of_opendocument_are_read_alike() -> None:
    document = parse("book.fods", ODS.encode())
    assert headed(document) == [
        ("Hire > Juniors", "Punt | 12"), ("Hire", "Hire!B3 (Punt, Price): Half in May."),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("value", "form", "shown"),
    [
        (1, '"Open";"Shut";"Broken"', "Open"),
        (-1, '"Open";"Shut";"Broken"', "Shut"),
        (0, '"Open";"Shut";"Broken"', "Broken"),
        (0, '"\u2713";;"\u2717"', "\u2717"),
        (7, '[>=5]"high";"low"', "high"),
        (3, '[>=5]"high";"low"', "low"),
        (2500, '#,##0,"k"', "2.5k"),
        (2500000, '0.0,,"M"', "2.5M"),
        (2500, "#,##0,", "2.5"),
        (2500, "#,##0", "2500"),
        (0, '#,##0;-#,##0;"-"', "0"),
        (5, "0;;;@", "5"),
        (1, '#,##0;"minus";"none"', "1"),
    ],
)
def test_a_number_is_read_as_its_format_shows_it(value: float, form: str, shown: str) -> None:
    book = workbook(Hire=(("Valve", value),))
    book["Hire"]["B1"].number_format = form
    assert headed(read(book))[-1][1] == f"Valve | {shown}"
