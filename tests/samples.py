"""Small real files, built when a test asks for them."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from datetime import UTC, datetime
from email.message import EmailMessage
from io import BytesIO
from typing import Any

import docx
import openpyxl
import pptx
from docx.enum.text import WD_BREAK
from docx.oxml import parse_xml
from pptx.chart import data as chart_data
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches
from reportlab.lib.pagesizes import A4
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen import canvas

WHEN = datetime(2024, 5, 17, 8, 30, tzinfo=UTC)
W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
PROSE = "The boiler of the house is checked once a year by a licensed engineer, who leaves a signed report."

CHANGED = f"""<w:p xmlns:w="{W}"><w:r><w:t>Rent is </w:t></w:r>
<w:del w:id="1" w:author="x"><w:r><w:delText>500</w:delText></w:r></w:del>
<w:ins w:id="2" w:author="x"><w:r><w:t>600 euros.</w:t></w:r></w:ins></w:p>"""
CONTROLLED = f"""<w:sdt xmlns:w="{W}"><w:sdtContent>
<w:p><w:r><w:t>Inside a control.</w:t></w:r></w:p></w:sdtContent></w:sdt>"""
BOXED = f"""<w:p xmlns:w="{W}"><w:r><w:pict><v:shape xmlns:v="urn:schemas-microsoft-com:vml"><v:textbox><w:txbxContent>
<w:p><w:r><w:t>Inside a box.</w:t></w:r></w:p></w:txbxContent></v:textbox></v:shape></w:pict></w:r></w:p>"""


def word() -> bytes:
    """Headings, lists, a merged table, code, a caption, a text box, tracked changes and a content control."""
    document = docx.Document()
    core = document.core_properties
    core.title, core.author, core.modified = "Heating rules", "Ada Example", WHEN.replace(tzinfo=None)
    document.add_heading("Heating", 1)
    document.add_paragraph(PROSE)
    document.add_heading("Radiators", 2)
    document.add_paragraph("open the valve", style="List Bullet")
    document.add_paragraph("wait an hour", style="List Bullet")
    table = document.add_table(rows=3, cols=3)
    for row, cells in enumerate((("Room", "Winter", ""), ("Bath", "22", "24"), ("", "20", "21"))):
        for column, text in enumerate(cells):
            table.cell(row, column).text = text
    table.cell(0, 1).merge(table.cell(0, 2))
    table.cell(1, 0).merge(table.cell(2, 0))
    document.add_paragraph("Figure 1: the valve", style="Caption")
    paragraph = document.add_paragraph("Pressure is ")
    paragraph.add_run("10")
    paragraph.add_run("5").font.superscript = True
    paragraph.add_run(" Pa.")
    paragraph.add_run().add_break(WD_BREAK.PAGE)
    body = document.element.body
    for markup in (CHANGED, CONTROLLED, BOXED):
        body.insert_element_before(parse_xml(markup), "w:sectPr")
    return saved(document)


def slides() -> bytes:
    """A title, bullets on two levels, a table, a chart and notes."""
    deck = pptx.Presentation()
    deck.core_properties.title, deck.core_properties.modified = "House meeting", WHEN.replace(tzinfo=None)
    first = deck.slides.add_slide(deck.slide_layouts[1])
    first.shapes.title.text = "Agenda"
    frame = first.placeholders[1].text_frame
    frame.text = "Roof"
    frame.add_paragraph().text = "Lift"
    inner = frame.add_paragraph()
    inner.text, inner.level = "new cable", 1
    first.notes_slide.notes_text_frame.text = "Mention the price of the roof."
    second = deck.slides.add_slide(deck.slide_layouts[5])
    second.shapes.title.text = "Costs"
    table = second.shapes.add_table(2, 2, Inches(1), Inches(2), Inches(4), Inches(1)).table
    for at, text in enumerate(("Item", "Euros", "Roof", "9000")):
        table.cell(at // 2, at % 2).text = text
    numbers: Any = chart_data.CategoryChartData()  # type: ignore[no-untyped-call]
    numbers.categories = ["2023", "2024"]
    numbers.add_series("Rent", (500, 600))
    second.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, Inches(1), Inches(4), Inches(4), Inches(2), numbers)
    return saved(deck)


def workbook() -> bytes:
    """Two blocks of rows on one sheet, another sheet, dates, a percentage and a formula without a value."""
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Rents"
    for row in (
        ("Rents by flat",),
        ("Flat", "Rent", "Since"),
        ("A1", 512.5, datetime(2024, 3, 1)),
        ("A2", 600.0, None),
    ):
        sheet.append(row)
    sheet["A7"], sheet["B7"], sheet["A8"], sheet["B8"] = "Share", "Paid", 0.125, True
    sheet["A8"].number_format = "0.0%"
    book.create_sheet("Empty")
    book.create_sheet("Notes")["B2"] = "Only one cell"
    return saved(book)


def pdf(*pages: tuple[str, ...], title: str = "", password: str = "") -> bytes:
    """Pages of lines; the first line of each is set larger."""
    out = BytesIO()
    lock = StandardEncryption(password, ownerPassword="owner") if password else None
    sheet = canvas.Canvas(out, pagesize=A4, encrypt=lock, invariant=True)
    if title:
        sheet.setTitle(title)
    for lines in pages:
        for at, line in enumerate(lines):
            sheet.setFont("Helvetica-Bold" if at == 0 else "Helvetica", 20 if at == 0 else 11)
            sheet.drawString(72, 770 - 30 * at, line)
        if not lines:
            sheet.rect(100, 100, 200, 200, fill=1)
        sheet.showPage()
    sheet.save()
    return out.getvalue()


def mail(*attachments: tuple[str, bytes]) -> bytes:
    """A message in two forms with attachments."""
    message = EmailMessage()
    message["Subject"] = "Lift – out of order"
    message["From"] = "Zoë Resident <zoe@example.org>"
    message["To"] = "office@example.org"
    message["Date"] = "Fri, 17 May 2024 10:30:00 +0200"
    message.set_content("Hello,\n\nthe lift stands still since 9 o'clock.\n\n> we will send somebody\n")
    message.add_alternative("<p>the lift <b>stands still</b></p>", subtype="html")
    for name, content in attachments:
        message.add_attachment(content, maintype="application", subtype="octet-stream", filename=name)
    return bytes(message)


def package(parts: Mapping[str, bytes], level: int = 9) -> bytes:
    """A ZIP of the given entries."""
    out = BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=level) as opened:
        for name, content in parts.items():
            opened.writestr(name, content)
    return out.getvalue()


def repacked(source: bytes, changes: Mapping[str, bytes]) -> bytes:
    """A package with some entries replaced or added."""
    with zipfile.ZipFile(BytesIO(source)) as opened:
        parts = {name: opened.read(name) for name in opened.namelist()}
    return package({**parts, **changes})


def saved(document: object) -> bytes:
    """Bytes of whatever has a `save`."""
    out = BytesIO()
    document.save(out)  # type: ignore[attr-defined]
    return out.getvalue()
