"""A ruled table of a page is read by its own rules, beside whatever else stands on the page."""

import io

import pytest
from reportlab.lib import colors
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import Flowable, Paragraph, SimpleDocTemplate, Spacer, Table, TableStyle

from saidonce.documents.parse import parse
from saidonce.foundation.model import Kind

Rows = list[list[str]]
STYLES = getSampleStyleSheet()
GRID = ("GRID", (0, 0), (-1, -1), 0.5, colors.black)
SPANS = (("SPAN", (1, 0), (2, 0)), ("SPAN", (0, 0), (0, 1)))
BOXED = (("BOX", (0, 0), (-1, -1), 0.5, colors.black), ("INNERGRID", (0, 0), (-1, -1), 0.25, colors.grey))
KEYS = [["Key", "Opens"], ["K1", "Plant room"], ["K2", "Boiler house and roof"]]
PHONE = [["Person", "Extension"], ["Mary Ellen Grant", "4410"], ["Jo Ash", "4411"]]
PLANT = [
    ["Plant name", "Pot", "Price"],
    ["Rosa rugosa", "2 l", "£7.50"],
    ["Buxus", "10 l", "£24.00"],
    ["Acer palmatum", "", "£39.00"],
]
BANK = [
    ["Bank detail", "Entry"],
    ["Account name", "Aquasport Ltd"],
    ["Sort code", "20-11-48"],
    ["Account number", "33871096"],
]
CREDIT = [
    ["Returned goods", "Reason", "Credit"],
    ["Goggles, 6 pairs", "strap split", "£41.40"],
    ["Float belt", "wrong size", "£16.00"],
]
RISK = [["Risk", "Likely", "Impact"], ["Flood", "low", "high"], ["Fire", "", "high"], ["Theft", "high", ""]]
FLEET = [
    ["Vehicle", "Fuel", "Annual mileage", "Garage"],
    ["Delivery van, long wheelbase", "Diesel", "18,400", "Mill Street"],
    ["Estate car", "Petrol", "9,250", "Mill Street"],
]
HOURS = [
    ["Day", "Opens", "Closes"],
    ["Monday", "7 am", "9 pm"],
    ["Saturday", "8 am", "6 pm"],
    ["Sunday and holidays", "9 am", "1 pm"],
]
INVOICE = [
    ["Line", "Description", "Qty", "Unit price", "Amount"],
    ["1", "Pool noodle, blue", "12", "£2.10", "£25.20"],
    ["2", "Kickboard, junior", "30", "£4.75", "£142.50"],
    ["3", "Lane rope, 25 m", "2", "£188.00", "£376.00"],
]
RULES = [
    ["Room", "Rule"],
    ["Sauna", "Towels are to be laid under the whole body, and shoes stay outside the door."],
    ["Pool", "No running along the edge, and no jumping from the sides near the steps."],
]
PRICES = [
    ["Hall", "Price", ""],
    ["", "Peak", "Off-peak"],
    ["North hall", "£46.50", "£38.00"],
    ["South hall", "£27.25", "£21.00"],
]
PRICES_READ = [["Hall", "Price", "Price"], ["Hall", "Peak", "Off-peak"], *PRICES[2:]]


def ruled(rows: Rows, *style: tuple[object, ...]) -> Table:
    return Table(rows, style=TableStyle(style or (GRID,)))


def wrapped(rows: Rows) -> Table:
    cells = [[Paragraph(text, STYLES["BodyText"]) for text in row] for row in rows]
    return Table(cells, colWidths=[80, 180], style=TableStyle([GRID]))


def tables_of(*parts: str | Table | Rows) -> list[Rows]:
    """Write a page of headings and tables, and return the tables that are read from it."""
    out = io.BytesIO()
    flow: list[Flowable] = []
    for part in parts:
        if isinstance(part, str):
            flow.append(Paragraph(part, STYLES["Heading2" if len(part) < 40 else "BodyText"]))
        else:
            flow.append(ruled(part) if isinstance(part, list) else part)
        flow.append(Spacer(1, 8))
    SimpleDocTemplate(out, invariant=1).build(flow)
    document = parse("a.pdf", out.getvalue())
    return [[list(row) for row in element.rows] for element in document.elements if element.kind is Kind.TABLE]


@pytest.mark.parametrize(
    "tables",
    [
        [KEYS, PHONE],
        [FLEET, KEYS, PHONE, PLANT, RISK],
        [INVOICE, BANK, CREDIT],
        [PLANT, BANK],
        [CREDIT, RISK, CREDIT],
        [HOURS, KEYS],
        [KEYS],
        [CREDIT],
        [PLANT],
    ],
)
def test_tables_of_one_page_keep_their_own_columns(tables: list[Rows]) -> None:
    with_headings = [part for number, rows in enumerate(tables, 1) for part in (f"Part {number}", rows)]
    assert tables_of(*with_headings) == tables
    assert tables_of(*tables) == tables


def test_text_between_tables_stays_text() -> None:
    text = "The keys hang in the office, and whoever takes one signs the book beside it."
    assert tables_of(text, KEYS, text, PHONE) == [KEYS, PHONE]


def test_wrapped_cells_are_one_cell() -> None:
    assert tables_of("Rules", wrapped(RULES), "Keys", KEYS) == [RULES, KEYS]


def test_thin_rules_within_a_box_are_rules() -> None:
    assert tables_of("Plants", ruled(PLANT, *BOXED), "Phones", ruled(PHONE, *BOXED)) == [PLANT, PHONE]


def test_a_cell_over_several_places_stands_in_each() -> None:
    assert tables_of("Prices", ruled(PRICES, GRID, *SPANS), "Keys", KEYS) == [PRICES_READ, KEYS]


def test_tables_side_by_side_are_two() -> None:
    assert tables_of("Side by side", Table([[ruled(KEYS), ruled(PHONE)]])) == [KEYS, PHONE]


def test_a_table_in_a_cell_is_left_to_the_layout() -> None:
    nested = ruled([["Key", "Phones"], ["K1", ruled(PHONE)]])
    read = " ".join(cell for table in tables_of("Nested", nested) for row in table for cell in row)
    assert all(read.count(word) == 1 for word in ("K1", "4410", "4411"))
