"""Small real files, built when a test asks for them."""

from __future__ import annotations

import struct
import zipfile
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from email.message import EmailMessage
from io import BytesIO
from typing import Any

import docx
import openpyxl
import pptx
import xlwt
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


_FREE, _END, _FAT = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD
_SECTOR, _MINI, _CUTOFF = 512, 64, 4096


def compound(streams: Mapping[str, bytes]) -> bytes:
    """A compound file (OLE2) of streams by their path; `/` separates the storages."""
    entries: list[list[object]] = [["Root Entry", 5, None, [], b""]]
    storages = {"": 0}
    for path, content in streams.items():
        above = ""
        for part in path.split("/")[:-1]:
            inner = f"{above}/{part}" if above else part
            if inner not in storages:
                storages[inner] = len(entries)
                entries.append([part, 1, storages[above], [], b""])
            above = inner
        entries.append([path.rpartition("/")[2], 2, storages[above], [], content])
    for at, (_, _, holder, *_) in enumerate(entries):
        if isinstance(holder, int):
            children = entries[holder][3]
            assert isinstance(children, list)
            children.append(at)
    return _laid_out(entries)


def _laid_out(entries: list[list[object]]) -> bytes:
    small, body = bytearray(), bytearray()
    mini_fat: list[int] = []
    fat: list[int] = []
    places: list[tuple[int, int]] = []

    def chain(table: list[int], n: int) -> int:
        first = len(table)
        table.extend([*range(first + 1, first + n), _END] if n else [])
        return first if n else _END

    def put(content: bytes) -> int:
        body.extend(content.ljust(-(-len(content) // _SECTOR) * _SECTOR, b"\0"))
        return chain(fat, -(-len(content) // _SECTOR))

    for _, _, _, _, content in entries:
        assert isinstance(content, bytes)
        if 0 < len(content) < _CUTOFF:
            first = chain(mini_fat, -(-len(content) // _MINI))
            small.extend(content.ljust(-(-len(content) // _MINI) * _MINI, b"\0"))
        else:
            first = put(content)
        places.append((first, len(content)))
    places[0] = (put(bytes(small)), len(small))
    mini = put(struct.pack(f"<{len(mini_fat)}I", *mini_fat).ljust(1, b"\xff"))
    directory = put(_directory(entries, places))
    n_fat = next(n for n in range(1, 109) if n * 128 >= len(fat) + n)
    first_fat = len(fat)
    fat += [_FAT] * n_fat
    fat += [_FREE] * (n_fat * 128 - len(fat))
    body += struct.pack(f"<{len(fat)}I", *fat)
    n_mini = max(1, -(-len(mini_fat) * 4 // _SECTOR))
    head = struct.pack(
        "<8s16xHHHHH6x9I", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", 0x3E, 3, 0xFFFE, 9, 6, 0, n_fat, directory,
        0, _CUTOFF, mini, n_mini, _END, 0,
    )  # fmt: skip
    shown = [*range(first_fat, first_fat + n_fat), *([_FREE] * (109 - n_fat))]
    return head + struct.pack("<109I", *shown) + bytes(body)


def _directory(entries: list[list[object]], places: list[tuple[int, int]]) -> bytes:
    links = [[_FREE, _FREE, _FREE] for _ in entries]

    def balanced(ordered: list[int]) -> int:
        if not ordered:
            return _FREE
        middle = len(ordered) // 2
        links[ordered[middle]][:2] = balanced(ordered[:middle]), balanced(ordered[middle + 1 :])
        return ordered[middle]

    for at, (_, _, _, children, _) in enumerate(entries):
        assert isinstance(children, list)
        links[at][2] = balanced(sorted(children, key=lambda n: (len(str(entries[n][0])), str(entries[n][0]).upper())))
    written = bytearray()
    for (name, kind, *_), link, (first, size) in zip(entries, links, places, strict=True):
        label = str(name).encode("utf-16-le")
        written += struct.pack(
            "<64sHBB3I16xI16xIQ", label, len(label) + 2, kind, 1, *link, 0, first if kind != 1 else 0, size
        )
    return bytes(written)


FILE_TIME = datetime(1601, 1, 1, tzinfo=UTC)


def outlook(
    *,
    texts: Mapping[int, str] | None = None,
    binaries: Mapping[int, bytes] | None = None,
    numbers: Mapping[int, int] | None = None,
    times: Mapping[int, datetime] | None = None,
    files: Sequence[tuple[str, bytes]] = (),
    messages: Sequence[Mapping[str, bytes]] = (),
    encoding: str = "utf-16-le",
    names: Mapping[int, int] | None = None,
) -> dict[str, bytes]:
    """The streams of an Outlook message by their path: properties by their number, attached files and messages.

    Args:
        encoding: of texts; another than UTF-16 makes texts of the older type.
        names: numbers of named properties by the number from 0x8000 under which they are stored.
    """
    kind = "001F" if encoding == "utf-16-le" else "001E"
    streams = {f"__substg1.0_{n:04X}{kind}": text.encode(encoding) for n, text in (texts or {}).items()}
    streams |= {f"__substg1.0_{n:04X}0102": content for n, content in (binaries or {}).items()}
    fixed = b"".join(struct.pack("<HHIII", 3, n, 6, value, 0) for n, value in (numbers or {}).items())
    for n, moment in (times or {}).items():
        fixed += struct.pack("<HHIQ", 0x40, n, 6, int((moment - FILE_TIME).total_seconds()) * 10_000_000)
    streams["__properties_version1.0"] = bytes(32) + fixed
    if names:
        listed = b"".join(struct.pack("<IHH", names[stored], 0, stored - 0x8000) for stored in sorted(names))
        streams |= {"__nameid_version1.0/__substg1.0_00020102": b"", "__nameid_version1.0/__substg1.0_00030102": listed}
    for at, (name, content) in enumerate(files):
        above = f"__attach_version1.0_#{at:08X}"
        streams[f"{above}/__properties_version1.0"] = bytes(8) + struct.pack("<HHIII", 3, 0x3705, 6, 1, 0)
        streams[f"{above}/__substg1.0_3707{kind}"] = name.encode(encoding)
        streams[f"{above}/__substg1.0_37010102"] = content
    for at, inner in enumerate(messages, len(files)):
        above = f"__attach_version1.0_#{at:08X}"
        streams[f"{above}/__properties_version1.0"] = bytes(8) + struct.pack("<HHIII", 3, 0x3705, 6, 5, 0)
        for path, content in inner.items():
            cut = content[8:] if path == "__properties_version1.0" else content  # an inner message has 24 bytes here
            streams[f"{above}/__substg1.0_3701000D/{path}"] = cut
    return streams


def outlook_message() -> bytes:
    """A message with two attached files, as Outlook saves it."""
    texts = {
        0x001A: "IPM.Note",
        0x0037: "Boiler in the cellar",
        0x0C1A: "Ada Example",
        0x1000: PROSE + "\r\n\r\nAda\r\n",
    }
    files = [("a.md", b"# Attached\n\nText."), ("b.csv", b"a,b\n1,2\n")]
    return compound(outlook(texts=texts, times={0x0039: WHEN}, files=files))


def old_workbook() -> bytes:
    """A workbook of Excel 97: a caption over a table with dates and money, merged cells, and a second sheet."""
    book = xlwt.Workbook()
    sheet = book.add_sheet("Rents")
    sheet.write(0, 0, "Rents by flat")
    for column, head in enumerate(("Flat", "Rent", "Since", "Paid")):
        sheet.write(1, column, head)
    day = xlwt.easyxf(num_format_str="YYYY-MM-DD")
    rows = (("A1", 512.5, datetime(2024, 3, 1), True), ("A2", 600.0, None, False))
    for row, (flat, rent, since, paid) in enumerate(rows, 2):
        sheet.write(row, 0, flat)
        sheet.write(row, 1, rent, xlwt.easyxf(num_format_str='0.00 "€"'))
        if since is not None:
            sheet.write(row, 2, since, day)
        sheet.write(row, 3, paid)
    sheet.write_merge(6, 7, 0, 0, "Share")
    sheet.write(6, 1, 0.125, xlwt.easyxf(num_format_str="0.0%"))
    sheet.write(7, 1, 7)
    book.add_sheet("Notes").write(1, 1, "Only one cell")
    out = BytesIO()
    book.save(out)
    return out.getvalue()
