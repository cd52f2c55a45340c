# ruff: noqa: E501
"""What follows an entity, folded text, formulas, units and rows with a gap are kept where they stand."""

import io

import docx
import openpyxl
import pytest
import xlsxwriter
from reportlab.pdfgen import canvas

from saidonce.documents.parse import parse
from saidonce.documents.parse.decode import decode
from saidonce.foundation.model import Kind


def texts(name: str, content: str) -> list[str]:
    return [element.text for element in parse(name, content.encode()).elements]


def test_text_after_an_entity_of_xml_stays() -> None:
    page = '<!DOCTYPE article [<!ENTITY deg "&#176;"><!ENTITY model "T-800">]><article><title>&model;</title><para>Below 5&deg;C, preheat for 30 s<footnote><para>Longer in frost.</para></footnote>.</para></article>'
    document = parse("a.xml", page.encode())
    assert [e.text for e in document.elements] == ["&model;", "Below 5°C, preheat for 30 s.", "Longer in frost."]
    assert document.warnings


def test_formulas_of_pages_keep_their_fractions() -> None:
    page = "<p>Sag <math><mfrac><mrow><mi>w</mi><msup><mi>L</mi><mn>2</mn></msup></mrow><mn>8</mn></mfrac></math> m</p><p><math><semantics><mrow><mi>x</mi><mo>=</mo><msqrt><mn>2</mn></msqrt></mrow><annotation>TEX</annotation></semantics></math></p><p><math><mtable><mtr><mtd><mn>11</mn></mtd><mtd><mn>12</mn></mtd></mtr><mtr><mtd><mn>21</mn></mtd><mtd><mn>22</mn></mtd></mtr></mtable></math></p>"
    assert texts("a.html", page) == ["Sag (w L^2)/8 m", "x=√(2)", "11 12; 21 22"]


def test_text_that_a_button_unfolds_is_kept_and_a_menu_is_not() -> None:
    page = "<h2><button aria-expanded=false>Why wet?</button></h2><div hidden><p>The tray is full.</p></div><button aria-expanded=false>Why loud?</button><div style='display:none'>Leaves block the fan.</div><button aria-expanded=false aria-haspopup=true>More</button><ul hidden><li>MENU</li></ul><p hidden>GONE</p>"
    assert texts("a.html", page) == ["Why wet?", "The tray is full.", "Why loud?", "Leaves block the fan."]


def test_numbers_of_lines_are_no_code_and_declared_tables_are_tables() -> None:
    page = "<pre><span class=lineno>1</span>a = 4\n<span class=lineno>2</span>b = 5</pre><table class=highlighttable><tr><td class=linenos><pre>1</pre></td><td class=code><pre>c = 6</pre></td></tr></table><div role=table><div role=row><span role=cell>B7</span><span role=cell>green</span></div><div role=row><span role=cell>B8</span><span role=cell>red</span></div></div>"
    document = parse("a.html", page.encode())
    assert [(e.kind, e.text) for e in document.elements] == [
        (Kind.CODE, "a = 4\nb = 5"), (Kind.CODE, "c = 6"), (Kind.TABLE, "B7 | green\nB8 | red"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("form", "value", "wanted"),
    [('0.0 "kg"', 12.5, "12.5 kg"), ('#,##0.00 "€"', 3.5, "3.50 €"), ('#,##0.00\\ [$€-407]', 1204.5, "1204.50 €"), ("$#,##0.00", -2, "-$2.00"), ('0.0 "kg"', 12.345, "12.345 kg"), ('0.0,,"M"', 12_500_000, "12.5M"), ('0.00E+00"m"', 0.5, "0.5"), ("#,##0.00_);(#,##0.00)", 7.25, "7.25"), ('"No. "0', 7, "No. 7"), ("0.00%", 0.125, "12.5%")],
)  # fmt: skip
def test_units_of_cells_are_kept_and_nothing_is_invented(form: str, value: float, wanted: str) -> None:
    out = io.BytesIO()
    book = xlsxwriter.Workbook(out, {"in_memory": True})
    sheet = book.add_worksheet()
    sheet.write(0, 0, "what")
    sheet.write(0, 1, value, book.add_format({"num_format": form}))
    book.close()
    assert parse("a.xlsx", out.getvalue()).elements[-1].text == f"what | {wanted}"


def test_a_filter_holds_a_table_with_an_empty_column_together() -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for row in (("no", "name", None, "since", "fee"), (1, "Ada", None, 1998, 120), (2, "Bo", None, 2021, 80.5)):
        sheet.append(row)
    out = io.BytesIO()
    book.save(out)
    assert len(parse("a.xlsx", out.getvalue()).elements) == 3
    sheet.auto_filter.ref = "A1:E3"
    out = io.BytesIO()
    book.save(out)
    assert parse("a.xlsx", out.getvalue()).elements[-1].text == "no | name | since | fee\n1 | Ada | 1998 | 120\n2 | Bo | 2021 | 80.5"  # fmt: skip


def test_a_declared_encoding_is_the_larger_one_of_its_name() -> None:
    assert decode("השער ננעל".encode("iso-8859-8"), "iso-8859-8-i").text == "השער ננעל"
    assert decode("深圳市镕基".encode("gb18030"), "gb2312").text == "深圳市镕基"
    assert decode("①番".encode("cp932"), "Shift_JIS").text == "①番"


def test_short_lines_over_prose_are_titles_if_there_are_several() -> None:
    text = "Opening hours\n\nThe house is open from ten to five.\n\nAdmission\n\nAdults pay twelve, children pay nothing.\n"
    assert [e.kind for e in parse("a.txt", text.encode()).elements] == [Kind.HEADING, Kind.PARAGRAPH] * 2
    greeting = "Dear Ada\n\nThe house is open from ten to five.\n\nYours\nBo\n"
    assert [e.kind for e in parse("a.txt", greeting.encode()).elements] == [Kind.PARAGRAPH] * 3
    dated = "15 March 2025\n\nThe roof leaks over the stage.\n\n12 Mill Lane\n\nThe gutter is broken and drips.\n"
    assert {e.kind for e in parse("a.txt", dated.encode()).elements} == {Kind.PARAGRAPH}


def test_markup_in_values_of_json_is_text() -> None:
    assert texts("a.json", '{"note": "<p>To the <b>back</b> door.</p>", "sum": "a < b"}') == ["note: To the back door.\nsum: a < b"]  # fmt: skip


def _word(*paragraphs: tuple[str, bool]) -> bytes:
    document = docx.Document()
    for text, is_bold in paragraphs:
        document.add_paragraph().add_run(text).bold = is_bold
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def test_bold_lines_over_text_are_titles_if_there_are_several() -> None:
    first, second = ("1. Loan", True), ("2. Deposit", True)
    text = ("The club lends skis to its members.", False)
    kinds = [e.kind for e in parse("a.docx", _word(first, text, second, text)).elements]
    assert kinds == [Kind.HEADING, Kind.PARAGRAPH, Kind.HEADING, Kind.PARAGRAPH]
    assert {e.kind for e in parse("a.docx", _word(first, text)).elements} == {Kind.PARAGRAPH}
    shouted = ("The slide is shut.", True)
    assert {e.kind for e in parse("a.docx", _word(shouted, text, shouted, text)).elements} == {Kind.PARAGRAPH}


def test_a_numbered_line_of_larger_letters_is_a_heading_of_a_pdf() -> None:
    out = io.BytesIO()
    page = canvas.Canvas(out, invariant=1)
    for top, number in ((780, 1), (640, 2)):
        page.setFont("Times-Bold", 14)
        page.drawString(60, top, f"{number}. Hall {number}")
        page.setFont("Times-Roman", 10)
        for at in range(5):
            page.drawString(
                60,
                top - 24 - 12 * at,
                f"The floor of hall {number} is swept and waxed in the {at + 2}th week of the year,",
            )
    page.save()
    headings = [e.text for e in parse("a.pdf", out.getvalue()).elements if e.kind is Kind.HEADING]
    assert headings == ["1. Hall 1", "2. Hall 2"]
