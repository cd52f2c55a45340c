# ruff: noqa: E501
"""Workbooks and slides: hidden parts, formats of money, groups of rows, several tables, formulas, shapes."""

from __future__ import annotations

import io
from datetime import date, datetime, time
from typing import Any

import openpyxl
import pptx
import xlsxwriter
from openpyxl.comments import Comment
from PIL import Image
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.enum.shapes import MSO_SHAPE
from pptx.util import Inches, Pt

from benchmarks.awkward.office import members_of
from benchmarks.everyday.case import EverydayFile
from benchmarks.mixed.case import zipped


def _saved(document: Any) -> bytes:
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def _rows(*rows: tuple[object, ...]) -> tuple[tuple[object, ...], ...]:
    return rows


def _money() -> bytes:
    """Amounts in the built-in formats of money, and in formats of one's own with a locale."""
    out = io.BytesIO()
    book = xlsxwriter.Workbook(out, {"in_memory": True})
    sheet = book.add_worksheet("Offer")
    sheet.write_row(0, 0, ("item", "price"))
    formats: tuple[tuple[str, float, object], ...] = (
        ("desk", 1250.5, 7), ("chair", 80, 5), ("lamp", 19.9, 8), ("rug", 45, 44), ("shelf", 99.5, '_-* #,##0.00 [$€-407]_-;-* #,##0.00 [$€-407]_-'), ("stool", 300, "[$£-809]#,##0"), ("hook", 12, "[$kr-41D] #,##0.00"),
        ("tax", 0.19, 9), ("rebate", 0.025, 10), ("day", 45720, 14), ("hour", 0.75, 20), ("stamp", 45720.5, 22), ("parts", 0.125, 12), ("big", 1234567, 37), ("length", 2.5, '0.00" m²"'), ("thin", 1500000, '0.0,,"M"'), ("text", 7, "@"), ("zero", 0, '0;-0;"none"'), ("red", -5, '0;[Red]-0" owed"'),
    )  # fmt: skip
    for number, (label, value, form) in enumerate(formats, 1):
        sheet.write(number, 0, label)
        sheet.write(number, 1, value, book.add_format({"num_format": form}))
    book.close()
    return out.getvalue()


def _islands() -> bytes:
    """Three tables on one sheet: two beside each other, one below with sums; a title; remarks; outlines of rows."""
    book: Any = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Islands"
    sheet["B2"] = "Traffic of the ferries"
    for row, cells in enumerate(_rows(("ferry", "cars"), ("Alva", 412), ("Bodil", 98)), 4):
        for column, value in enumerate(cells, 2):
            sheet.cell(row, column, value)
    for row, cells in enumerate(_rows(("pier", "depth", "light"), ("north", 3.5, "yes"), ("south", 14, "no")), 4):
        for column, value in enumerate(cells, 6):
            sheet.cell(row, column, value)
    sheet["B9"] = "Counted on the first Sunday; bicycles are not cars."
    for row, cells in enumerate(
        _rows(
            ("month", "Alva", "Bodil", "total"),
            ("May", 400, 31, 431),
            ("June", 1204.5, 3, 1207.5),
            ("Total", 1604.5, 34, 1638.5),
        ),
        11,
    ):
        for column, value in enumerate(cells, 2):
            sheet.cell(row, column, value)
    sheet.row_dimensions.group(12, 13, hidden=True)
    sheet["B6"].comment = Comment("Bodil was in dock until May.", "Ole")
    return _saved(book)


def _planner() -> bytes:
    """A calendar by merged cells, a hidden sheet, dates as heads, long texts, errors, booleans, links."""
    book: Any = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Planner"
    sheet.append(("room", date(2025, 5, 5), date(2025, 5, 6), date(2025, 5, 7)))
    sheet.append(("Attic", "Choir", None, "Scouts"))
    sheet.merge_cells("B2:C2")
    sheet.append(("Hall", "Fair", "Fair", None))
    sheet.append(("Hall", time(17, 30), datetime(2025, 5, 6, 9, 15), True))
    sheet.append(("Store", "#N/A", None, '=HYPERLINK("https://x.example","Key list")'))
    sheet["B5"].data_type = "e"
    sheet.append(("Note", "The choir needs the piano; it is tuned in week 18 and must not be moved before that."))
    secret = book.create_sheet("Old rates")
    secret.append(("room", "rate"))
    secret.append(("Attic", 35))
    secret.sheet_state = "hidden"
    sheet["A8"] = "Total rooms"
    sheet["B8"] = "=COUNTA(A2:A5)"
    return _saved(book)


def _object_table() -> bytes:
    """A table object with a totals row, conditional formats, data bars, filters, header with line breaks; numbers as text."""
    out = io.BytesIO()
    book = xlsxwriter.Workbook(out, {"in_memory": True})
    sheet = book.add_worksheet("Stock")
    data = [["bolt M8", "00417", 1200, 0.04], ["nut M8", "00418", 950, 0.03], ["washer", "00420", 7, 1.5]]
    sheet.add_table(
        1,
        1,
        5,
        4,
        {
            "data": data,
            "total_row": True,
            "columns": [
                {"header": "part", "total_string": "Totals"},
                {"header": "number"},
                {"header": "in\nstock", "total_function": "sum", "total_value": 2157},
                {"header": "price"},
            ],
        },
    )
    sheet.set_header("&LHEADERLEFT&CStock of screws&RPage &P")
    sheet.set_footer("&CCounted by Tor, 3 March")
    sheet.conditional_format("D3:D5", {"type": "data_bar"})
    sheet.write("B9", "Reorder below 10 pieces.")
    sheet.insert_image("H2", "x.png", {"image_data": io.BytesIO(_pixel()), "description": "Photo of the screw cabinet"})
    shape = {"width": 200, "height": 60}
    sheet.insert_textbox("H10", "Key hangs behind the cabinet.", shape)
    book.close()
    return out.getvalue()


def _pixel() -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (40, 20), "white").save(out, "PNG")
    return out.getvalue()


def _strings() -> bytes:
    """Formulas with text results, shared formulas, phonetic runs, escapes, errors, by a writer with prefixes."""
    sheet = '<?xml version="1.0" encoding="utf-8"?><x:worksheet xmlns:x="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><x:sheetData><x:row r="1"><x:c r="A1" t="s"><x:v>0</x:v></x:c><x:c r="B1" t="s"><x:v>1</x:v></x:c></x:row><x:row r="2"><x:c r="A2" t="str"><x:f>A1&amp;"x"</x:f><x:v>gate 7</x:v></x:c><x:c r="B2"><x:f t="shared" ref="B2:B3" si="0">1+1</x:f><x:v>2.5</x:v></x:c></x:row><x:row r="4"><x:c r="A4" t="e"><x:v>#DIV/0!</x:v></x:c><x:c r="B4" t="b"><x:v>1</x:v></x:c></x:row></x:sheetData></x:worksheet>'
    strings = '<?xml version="1.0"?><x:sst xmlns:x="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><x:si><x:t>line_x000D_one</x:t></x:si><x:si><x:r><x:t>東京</x:t></x:r><x:rPh sb="0" eb="2"><x:t>PHONETICトウキョウ</x:t></x:rPh></x:si></x:sst>'
    return zipped({
        "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/><Override PartName="/xl/sharedStrings.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"/></Types>',
        "_rels/.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": '<x:workbook xmlns:x="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><x:sheets><x:sheet name="Gates" sheetId="1" r:id="r1"/></x:sheets></x:workbook>',
        "xl/_rels/workbook.xml.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="/xl/worksheets/sheet1.xml"/><Relationship Id="r2" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/sharedStrings" Target="sharedStrings.xml"/></Relationships>',
        "xl/worksheets/sheet1.xml": sheet, "xl/sharedStrings.xml": strings,
    })  # fmt: skip


def sheets() -> list[EverydayFile]:
    """Return workbooks."""
    return [
        EverydayFile("excel/offer.xlsx", _money(), ("tax .. 19%", "rebate .. 2.5%", "day .. 2025-03-04", "hour .. 18:00", "stamp .. 2025-03-04 12:00", "length .. 2.50 m²", "shelf .. 99.50 €", "stool .. £300", "desk .. $1250.50", "chair .. $80", "lamp .. $19.90", "rug .. $45.00", "hook .. kr 12.00"), ("45720", "0.19", "[$"), or_warned=("red .. -5 owed",), tables=("tax .. 19%",)),
        EverydayFile("excel/islands.xlsx", _islands(), ("Traffic of the ferries", "Alva .. 412", "Bodil .. 98", "north .. 3.5 .. yes", "south .. 14 .. no", "Counted on the first Sunday; bicycles are not cars.", "June .. 1204.5 .. 3 .. 1207.5", "Total .. 1604.5 .. 34 .. 1638.5", "Bodil was in dock until May."), ("983", "9814", "412north"), tables=("Alva .. 412", "May .. 400 .. 31 .. 431"), order=("Traffic", "Alva", "Counted on", "June")),
        EverydayFile("excel/planner.xlsx", _planner(), ("room .. 2025-05-05 .. 2025-05-06 .. 2025-05-07", "Attic .. Choir .. Choir .. Scouts", "Hall .. Fair .. Fair", "Hall .. 17:30 .. 2025-05-06 09:15", "it is tuned in week 18 and must not be moved before that.", "Attic .. 35"), ("45782", "1900-01", "=COUNTA"), warns=("formula",), or_warned=("Key list",)),
        EverydayFile("excel/screws.xlsx", _object_table(), ("bolt M8 .. 00417 .. 1200 .. 0.04", "part .. number .. in stock .. price", "washer .. 00420 .. 7 .. 1.5", "Totals .. 2157", "Reorder below 10 pieces."), ("12000.04", "=SUBTOTAL"), or_warned=("Key hangs behind the cabinet.", "Photo of the screw cabinet", "Counted by Tor, 3 March"), tables=("nut M8 .. 00418",)),
        EverydayFile("excel/gates.xlsx", _strings(), ("gate 7 .. 2.5", "line one .. 東京"), ("PHONETIC", "_x000D_", "A1&")),
    ]  # fmt: skip


def _steps() -> bytes:
    """Shapes in reading order by place, a flow of shapes with connectors, notes with lists, alternative texts, sections."""
    deck: Any = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = "How a parcel travels"
    boxes = (("3. Loaded on the night train", 6.5), ("1. Weighed at the counter", 0.5), ("2. Sorted by postcode", 3.5))
    for text, x in boxes:
        slide.shapes.add_shape(MSO_SHAPE.RECTANGLE, Inches(x), Inches(3), Inches(2.5), Inches(1)).text_frame.text = text
    slide.notes_slide.notes_text_frame.text = "Mention:\n• lost parcels\n• the strike of 2019"
    bullets = deck.slides.add_slide(deck.slide_layouts[1])
    bullets.shapes.title.text = "Rates from June"
    frame = bullets.placeholders[1].text_frame
    frame.text = "Letters"
    for text, level in (
        ("up to 20 g: 0.95", 1),
        ("up to 50 g: 1.10", 1),
        ("Parcels", 0),
        ("up to 2 kg: 5.49", 1),
        ("only with insurance", 2),
    ):
        paragraph = frame.add_paragraph()
        paragraph.text, paragraph.level = text, level
    broken = bullets.shapes.add_textbox(Inches(1), Inches(6), Inches(6), Inches(1)).text_frame.paragraphs[0]
    broken.add_run().text = "Parcels above 31.5 kg"
    broken.add_line_break()
    broken.add_run().text = "are freight."
    table_slide = deck.slides.add_slide(deck.slide_layouts[5])
    table_slide.shapes.title.text = "Zones"
    table = table_slide.shapes.add_table(4, 3, Inches(1), Inches(2), Inches(7), Inches(2)).table
    for y, row in enumerate((("zone", "days", "fee"), ("A", "1", "12.40"), ("A", "2", "9.10"), ("B", "5", "3"))):
        for x, text in enumerate(row):
            table.cell(y, x).text = text
    table.cell(1, 0).merge(table.cell(2, 0))
    table.cell(1, 0).text_frame.text = "A"
    data: Any = CategoryChartData()  # type: ignore[no-untyped-call]
    data.categories = ["zone A", "zone B"]
    data.add_series("share", (0.75, 0.25), "0%")
    chart = table_slide.shapes.add_chart(
        XL_CHART_TYPE.BAR_CLUSTERED, Inches(1), Inches(5), Inches(5), Inches(2), data
    ).chart
    chart.value_axis.has_title = True
    chart.value_axis.axis_title.text_frame.text = "share of parcels"
    picture = table_slide.shapes.add_picture(io.BytesIO(_pixel()), Inches(8), Inches(5))
    picture._element._nvXxPr.cNvPr.set("descr", "Map of the two zones")
    small = table_slide.shapes.add_textbox(Inches(1), Inches(7), Inches(5), Inches(0.4)).text_frame
    small.text = "Source: post office, 2025"
    small.paragraphs[0].runs[0].font.size = Pt(8)
    return _saved(deck)


SMART = '<dgm:dataModel xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><dgm:ptLst><dgm:pt modelId="0" type="doc"/><dgm:pt modelId="1"><dgm:t><a:bodyPr/><a:p><a:r><a:t>Dig the pit</a:t></a:r></a:p></dgm:t></dgm:pt><dgm:pt modelId="2"><dgm:t><a:bodyPr/><a:p><a:r><a:t>Line it </a:t></a:r><a:r><a:t>with clay</a:t></a:r></a:p></dgm:t></dgm:pt><dgm:pt modelId="3" type="pres"><dgm:t><a:p><a:r><a:t>PRESWORD</a:t></a:r></a:p></dgm:t></dgm:pt></dgm:ptLst><dgm:cxnLst><dgm:cxn modelId="9" srcId="0" destId="2" srcOrd="1" destOrd="0"/><dgm:cxn modelId="8" srcId="0" destId="1" srcOrd="0" destOrd="0"/></dgm:cxnLst></dgm:dataModel>'


def _smart() -> bytes:
    """A diagram beside text, modern comments, and a slide whose only words are in a layout."""
    deck: Any = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = "A pond in two days"
    slide.shapes.add_textbox(Inches(1), Inches(6), Inches(5), Inches(1)).text_frame.text = "Frogs come by themselves."
    parts = members_of(_saved(deck))
    frame = '<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="9" name="Diagram"/><p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr><p:xfrm><a:off x="914400" y="1828800"/><a:ext cx="914400" cy="914400"/></p:xfrm><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/diagram"><dgm:relIds xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" r:dm="rIdD1" r:lo="rIdD1" r:qs="rIdD1" r:cs="rIdD1"/></a:graphicData></a:graphic></p:graphicFrame></p:spTree>'
    parts["ppt/slides/slide1.xml"] = parts["ppt/slides/slide1.xml"].replace(b"</p:spTree>", frame.encode())
    rels = "ppt/slides/_rels/slide1.xml.rels"
    parts[rels] = parts[rels].replace(
        b"</Relationships>",
        b'<Relationship Id="rIdD1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/diagramData" Target="../diagrams/data1.xml"/></Relationships>',
    )
    parts["ppt/diagrams/data1.xml"] = SMART.encode()
    parts["[Content_Types].xml"] = parts["[Content_Types].xml"].replace(
        b"</Types>",
        b'<Override PartName="/ppt/diagrams/data1.xml" ContentType="application/vnd.openxmlformats-officedocument.drawingml.diagramData+xml"/></Types>',
    )
    return zipped(parts)


def slides() -> list[EverydayFile]:
    """Return slides."""
    return [
        EverydayFile("slides/parcel.pptx", _steps(), ("1. Weighed at the counter", "the strike of 2019", "up to 50 g: 1.10", "only with insurance", "Parcels above 31.5 kg are freight.", "A .. 1 .. 12.40", "A .. 2 .. 9.10", "B .. 5 .. 3", "zone B", "Map of the two zones", "Source: post office, 2025"), ("12.402", "counter2.", "kgare"), headings=("How a parcel travels", "Rates from June", "Zones"), lists=("up to 2 kg: 5.49",), tables=("B .. 5 .. 3",), order=("1. Weighed", "2. Sorted", "3. Loaded", "Letters", "Parcels", "zone")),
        EverydayFile("slides/pond.pptx", _smart(), ("Dig the pit", "Line it with clay", "Frogs come by themselves."), ("pitLine", "PRESWORD", "Click to add"), headings=("A pond in two days",), order=("Dig the pit", "Line it", "Frogs come")),
    ]  # fmt: skip
