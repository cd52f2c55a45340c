# ruff: noqa: E501
"""PDF: columns, tables without rules, notes, fields, layers of text, encryption, repairs."""

from __future__ import annotations

import io
import re
import shutil
import textwrap
import zlib
from collections.abc import Callable, Sequence

from PIL import Image
from reportlab.lib import colors
from reportlab.lib.enums import TA_JUSTIFY
from reportlab.lib.pagesizes import A4
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.lib.utils import ImageReader
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import CIDFont, UnicodeCIDFont
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen import canvas
from reportlab.platypus import BaseDocTemplate, Frame, PageTemplate, Paragraph, Table, TableStyle

from benchmarks.awkward.case import AwkwardFile
from benchmarks.mixed.paper import PRINT, printed_pages

Drawing = Callable[[canvas.Canvas], None]

BAKERY = (
    "The bakery lights its oven at half past two, long before the market square wakes.",
    "Rye dough rests for eleven hours, whereas the wheat dough is shaped after ninety minutes.",
    "Whoever delivers flour rings at the yard gate, because the shop door stays locked until six.",
    "Crumbs and burnt crusts are collected separately and handed to the poultry farm on Fridays.",
    "An apprentice weighs every twentieth loaf and notes deviations of more than fifteen grams.",
    "During the summer holidays the branch by the station opens only on alternate weekdays.",
    "The steam valve of the second chamber is descaled with citric acid once in a fortnight.",
    "Broken baking sheets are never straightened; the coppersmith exchanges them in spring.",
)
CANAL = (
    "Barges wider than five metres wait above the lock until the basin has emptied.",
    "The keeper raises a yellow pennant whenever the lower gate cannot be closed completely.",
    "Rowing boats are carried around the weir along the gravel path on the northern bank.",
    "Fishing from the sluice walls has been prohibited since the accident of the year before last.",
    "In frost the machinery is turned for ten minutes every hour, by day and by night.",
    "Complaints about the toll are entered in the ledger that hangs beside the counter.",
)


def drawn_page(draw: Drawing, **options: object) -> bytes:
    out = io.BytesIO()
    page = canvas.Canvas(out, A4, invariant=1, **options)
    draw(page)
    page.save()
    return out.getvalue()


def draw_lines(
    page: canvas.Canvas, lines: Sequence[str], at: tuple[float, float] = (60, 760), step: float = 14
) -> None:
    for number, line in enumerate(lines):
        page.drawString(at[0], at[1] - step * number, line)


def _in_columns(sentences: Sequence[str], columns: int, size: float, gap: float = 5 * mm) -> bytes:
    """Return justified text in narrow columns, every sentence a paragraph."""
    out = io.BytesIO()
    width = (A4[0] - 40 * mm - gap * (columns - 1)) / columns
    height = 26 * size * 1.2 / columns * 1.9
    frames = [
        Frame(20 * mm + n * (width + gap), A4[1] - 60 * mm - height, width, height, 0, 0, 0, 0) for n in range(columns)
    ]
    report = BaseDocTemplate(out, pagesize=A4, invariant=1)
    report.addPageTemplates([PageTemplate(frames=frames)])
    style = ParagraphStyle(
        "c", fontName="Times-Roman", fontSize=size, leading=size * 1.2, alignment=TA_JUSTIFY, spaceAfter=size * 0.5
    )
    report.build([Paragraph(sentence, style) for sentence in sentences])
    return out.getvalue()


def columns() -> list[AwkwardFile]:
    """Narrow justified columns, with and without a heading across them, beside a table and a side bar."""
    head = BAKERY[:5]

    def split(page: canvas.Canvas) -> None:
        page.setFont("Helvetica-Bold", 15)
        page.drawString(60, 790, "Notice of the lock")
        page.setFont("Times-Roman", 10)
        for column, rows in enumerate((CANAL[:2], CANAL[2:4])):
            draw_lines(page, _wrapped(rows, 44), (60 + column * 250, 760), 12)
        page.setFont("Helvetica-Bold", 13)
        page.drawString(60, 610, "Winter rules")
        page.setFont("Times-Roman", 10)
        draw_lines(page, _wrapped(CANAL[4:5], 44), (60, 590), 12)
        draw_lines(page, _wrapped(CANAL[5:6], 44), (310, 590), 12)

    def side_bar(page: canvas.Canvas) -> None:
        page.setFont("Times-Roman", 11)
        draw_lines(page, _wrapped(BAKERY[:4], 62), (200, 760))
        page.setFont("Helvetica", 8)
        draw_lines(page, ("Opening hours", "Mon 6-13", "Tue 6-18", "Wed closed"), (60, 760), 11)

    return [
        AwkwardFile("pdf/two_narrow.pdf", _in_columns(BAKERY, 2, 11), BAKERY),
        AwkwardFile("pdf/three_narrow.pdf", _in_columns(BAKERY, 3, 9), BAKERY),
        AwkwardFile("pdf/three_tight.pdf", _in_columns(CANAL + BAKERY, 3, 8, 3 * mm), CANAL + BAKERY),
        AwkwardFile("pdf/four_narrow.pdf", _in_columns(head + CANAL, 4, 8), head + CANAL),
        AwkwardFile("pdf/one_narrow.pdf", _in_columns(CANAL[:3], 4, 10), CANAL[:3]),
        AwkwardFile("pdf/heading_across.pdf", drawn_page(split), CANAL),
        AwkwardFile("pdf/side_bar.pdf", drawn_page(side_bar), (*BAKERY[:4], "Tue 6-18"), ("Mon 6-13 rests",)),
    ]


def _wrapped(sentences: Sequence[str], width: int) -> list[str]:
    return textwrap.wrap(" ".join(sentences), width, break_long_words=False, break_on_hyphens=False)


LEDGER = (
    ("account", "2023", "2024", "change"),
    ("Donations", "12,480", "9,310", "(3,170)"),
    ("Rent of halls", "1,204,500", "1,310,250", "105,750"),
    ("Repairs", "(48,020)", "(7)", "48,013"),
    ("Interest", "-3.5", "0.25", "3.75"),
)
SWISS = (("Kanton", "Betrag", "Anteil"), ("Uri", "1'204'500.05", "3,5 %"), ("Zug", "98'017.40", "12 %"), ("Glarus", "7.00", "0,1 %"))  # fmt: skip
SPACED = (("pays", "tonnes", "rang"), ("Norvège", "1 204 500", "2"), ("Islande", "98 017", "14"), ("Malte", "7", "3"))


def _grid(page: canvas.Canvas, rows: Sequence[Sequence[str]], ends: Sequence[float], top: float) -> None:
    for y, row in enumerate(rows):
        for x, cell in enumerate(row):
            if x == 0:
                page.drawString(60, top - 13 * y, cell)
            else:
                page.drawRightString(ends[x - 1], top - 13 * y, cell)


def tables() -> list[AwkwardFile]:
    """Tables without rules, with merged cells, over pages, with separators and signs of money."""

    def ledger(page: canvas.Canvas) -> None:
        page.setFont("Helvetica", 10)
        page.drawString(60, 800, "Annual accounts of the parish")
        _grid(page, LEDGER, (210, 275, 330), 760)
        page.drawString(60, 660, "Figures in brackets are losses.")

    def swiss(page: canvas.Canvas) -> None:
        page.setFont("Helvetica", 10)
        _grid(page, SWISS, (190, 235), 760)

    def spaced(page: canvas.Canvas) -> None:
        page.setFont("Helvetica", 10)
        _grid(page, SPACED, (170, 195), 760)

    def contents(page: canvas.Canvas) -> None:
        page.setFont("Helvetica", 11)
        for number, (title, at) in enumerate((("1 Pumps", "3"), ("1.1 Starting a pump", "14"), ("2 Valves", "207"))):
            page.drawString(60, 760 - 16 * number, f"{title} {'.' * 60}")
            page.drawRightString(420, 760 - 16 * number, at)

    def invoice(page: canvas.Canvas) -> None:
        page.setFont("Helvetica", 10)
        for number, (label, value) in enumerate(
            (
                ("Invoice no.", "2025-0817"),
                ("Customer", "Dairy Lindholm"),
                ("Due", "14 July 2025"),
                ("Total", "1.204,50 EUR"),
            )
        ):
            page.drawString(60, 760 - 15 * number, label)
            page.drawString(200, 760 - 15 * number, value)

    merged = Table(
        [["shift", "wage", "", "note"], ["", "weekday", "Sunday", ""], ["early", "18.40", "27.60", "breakfast included"], ["late", "19.05", "28.55", "taxi home"]],
        style=TableStyle([("GRID", (0, 0), (-1, -1), 0.5, colors.black), ("SPAN", (0, 0), (0, 1)), ("SPAN", (1, 0), (2, 0)), ("SPAN", (3, 0), (3, 1))]),
    )  # fmt: skip
    long = Table(
        [["tag", "depth m", "flow"], *([f"W{n}", f"{n * 3}.{n % 10}", str(n * 11)] for n in range(1, 91))], repeatRows=1
    )
    wrapped = Table(
        [["tool", "purpose", "fee"], ["auger", Paragraph("for holes of up to thirty centimetres in loam, not in gravel", ParagraphStyle("p", fontSize=9)), "14.00"], ["sledge", Paragraph("for posts", ParagraphStyle("q", fontSize=9)), "6.50"]],
        colWidths=[60, 130, 50],
    )  # fmt: skip

    def built(flow: Table) -> bytes:
        out = io.BytesIO()
        report = BaseDocTemplate(out, pagesize=A4, invariant=1)
        report.addPageTemplates([PageTemplate(frames=[Frame(60, 60, 480, 720)])])
        report.build([flow])
        return out.getvalue()

    return [
        AwkwardFile("pdf/ledger.pdf", drawn_page(ledger), ("Donations .. 12,480 .. 9,310 .. (3,170)", "Rent of halls .. 1,204,500 .. 1,310,250 .. 105,750", "Repairs .. (48,020) .. (7) .. 48,013", "Interest .. -3.5 .. 0.25 .. 3.75", "Figures in brackets are losses."), ("12,4809", "(7)48", "(48,020)(7)")),
        AwkwardFile("pdf/swiss.pdf", drawn_page(swiss), ("Uri .. 1'204'500.05 .. 3,5 %", "Zug .. 98'017.40 .. 12 %", "Glarus .. 7.00 .. 0,1 %"), ("500.053", "7.000")),
        AwkwardFile("pdf/spaced.pdf", drawn_page(spaced), ("Norvège .. 1 204 500 .. 2", "Islande .. 98 017 .. 14", "Malte .. 7 .. 3"), ("5002", "01714", "73")),
        AwkwardFile("pdf/contents.pdf", drawn_page(contents), ("1.1 Starting a pump .. 14", "2 Valves .. 207"), ()),
        AwkwardFile("pdf/invoice.pdf", drawn_page(invoice), ("Invoice no. .. 2025-0817", "Customer .. Dairy Lindholm", "Total .. 1.204,50 EUR"), ()),
        AwkwardFile("pdf/merged_cells.pdf", built(merged), ("early .. 18.40 .. 27.60 .. breakfast included", "late .. 19.05 .. 28.55 .. taxi home"), ("18.4027",)),
        AwkwardFile("pdf/over_pages.pdf", built(long), ("W3 .. 9.3 .. 33", "W60 .. 180.0 .. 660", "W90 .. 270.0 .. 990"), ("9.333", "180.0660")),
        AwkwardFile("pdf/wrapped_cells.pdf", built(wrapped), ("for holes of up to thirty centimetres in loam, not in gravel", "sledge .. for posts .. 6.50"), ()),
    ]  # fmt: skip


def running() -> list[AwkwardFile]:  # noqa: C901, PLR0915 - one small drawing each
    """Running heads, notes, hyphens, ligatures, raised figures, drop capitals, line numbers, draft watermarks."""
    pdfmetrics.registerFont(TTFont("DV", "DejaVuSans.ttf"))

    def heads(page: canvas.Canvas) -> None:
        texts = (
            ("The spare pump of the quarry is started by hand and",),
            ("runs dry after forty seconds unless the foot valve was", "filled. Oil is changed in March."),
            ("The key hangs in hut nine.",),
        )
        for number, lines in enumerate(texts, 1):
            page.setFont("Helvetica", 9)
            page.drawString(60, 815, "Quarry handbook")
            page.drawRightString(540, 815, "Chapter 4: pumps")
            page.drawCentredString(300, 25, f"Page {number} of 3")
            page.setFont("Helvetica", 11)
            draw_lines(page, lines, (60, 80 if number == 1 else 760))
            page.showPage()

    def notes(page: canvas.Canvas) -> None:
        page.setFont("Helvetica", 11)
        page.drawString(60, 760, "Goats may graze on the dyke")
        mark(page, 60 + page.stringWidth("Goats may graze on the dyke", "Helvetica", 11), 760, "1")
        page.drawString(213, 760, "until the first of May, sheep")
        mark(page, 213 + page.stringWidth("until the first of May, sheep", "Helvetica", 11), 760, "2")
        page.drawString(366, 760, "all year.")
        page.line(60, 120, 200, 120)
        page.setFont("Helvetica", 8)
        draw_lines(
            page, ("1 Unless the warden has closed the gate.", "2 Rams are kept behind the fence."), (60, 105), 11
        )

    def mark(page: canvas.Canvas, x: float, y: float, text: str) -> None:
        page.setFont("Helvetica", 6)
        page.drawString(x, y + 4, text)
        page.setFont("Helvetica", 11)

    def raised(page: canvas.Canvas) -> None:
        page.setFont("Helvetica", 11)
        page.drawString(60, 760, "The tank holds 25 m")
        mark(page, 60 + page.stringWidth("The tank holds 25 m", "Helvetica", 11), 760, "3")
        page.drawString(170, 760, "and withstands 10")
        mark(page, 170 + page.stringWidth("and withstands 10", "Helvetica", 11), 760, "6")
        page.drawString(265, 760, "cycles.")
        page.drawString(60, 730, "Its floor measures 12 m² and its roof 14 m².")

    def ligatures(page: canvas.Canvas) -> None:
        page.setFont("DV", 11)
        draw_lines(
            page,
            (
                "The o\ufb03ce of the \ufb01re brigade is on the \ufb01rst \ufb02oor; co\ufb00ee is served there.",
                "A soft hy\u00adphen breaks no word, a re\u00ad",
                "served seat stays empty.",
            ),
        )

    def draft(page: canvas.Canvas) -> None:
        page.setFont("Helvetica", 11)
        draw_lines(page, _wrapped(CANAL[:4], 80))
        page.saveState()
        page.translate(150, 650)
        page.rotate(45)
        page.setFillGray(0.8)
        page.setFont("Helvetica-Bold", 60)
        page.drawString(0, 0, "DRAFT")
        page.restoreState()

    def capital(page: canvas.Canvas) -> None:
        page.setFont("Times-Bold", 34)
        page.drawString(60, 738, "T")
        page.setFont("Times-Roman", 11)
        draw_lines(
            page,
            (
                "he mill race is cleared of branches in October, when the",
                "water is low; the miller lends rakes to all who help.",
            ),
            (84, 752),
            13,
        )
        page.drawString(60, 726, "Boots are brought along.")

    def numbered(page: canvas.Canvas) -> None:
        page.setFont("Courier", 10)
        for number, line in enumerate(
            (
                "The lessee keeps the well covered and",
                "repairs the lid at his own cost. The",
                "lessor may inspect the well twice a",
                "year after giving notice in writing.",
            ),
            1,
        ):
            page.drawRightString(50, 760 - 24 * number, str(number))
            page.drawString(72, 760 - 24 * number, line)

    def bullets(page: canvas.Canvas) -> None:
        for number, line in enumerate(
            (
                "Close the damper before lighting.",
                "Ash goes into the iron bucket only.",
                "Report cracks wider than 2 mm.",
            )
        ):
            page.setFont("Symbol", 11)
            page.drawString(60, 760 - 16 * number, "\u2022")
            page.setFont("Helvetica", 11)
            page.drawString(75, 760 - 16 * number, line)

    def hyphens(page: canvas.Canvas) -> None:
        page.setFont("Helvetica", 11)
        draw_lines(
            page,
            (
                "Ventilation of the seed store is regu-",
                "lated by the humidity; a state-of-the-",
                "art sensor reports every hour. Venti-",
                "lation stops at 55 per cent.",
            ),
        )

    return [
        AwkwardFile("pdf/running_heads.pdf", drawn_page(heads), ("The spare pump of the quarry is started by hand and runs dry after forty seconds unless the foot valve was filled.", "The key hangs in hut nine."), ("Page 1 of 3 runs", "Quarry handbook runs")),
        AwkwardFile("pdf/foot_notes.pdf", drawn_page(notes), ("Unless the warden has closed the gate.", "Rams are kept behind the fence."), ("dyke1", "sheep2")),
        AwkwardFile("pdf/raised.pdf", drawn_page(raised), ("Its floor measures 12 m² and its roof 14 m².",), ("withstands 106", "25 m3")),
        AwkwardFile("pdf/ligatures.pdf", drawn_page(ligatures), ("The office of the fire brigade is on the first floor; coffee is served there.", "A soft hyphen breaks no word, a reserved seat stays empty."), ("\ufb01", "\u00ad")),
        AwkwardFile("pdf/draft.pdf", drawn_page(draft), CANAL[:4]),
        AwkwardFile("pdf/capital.pdf", drawn_page(capital), ("The mill race is cleared of branches in October, when the water is low; the miller lends rakes to all who help.",)),
        AwkwardFile("pdf/line_numbers.pdf", drawn_page(numbered), ("The lessor may inspect the well twice a year after giving notice in writing.",)),
        AwkwardFile("pdf/symbol_bullets.pdf", drawn_page(bullets), ("Close the damper before lighting.", "Report cracks wider than 2 mm.")),
        AwkwardFile("pdf/hyphen_lines.pdf", drawn_page(hyphens), ("Ventilation of the seed store is regulated by the humidity", "Ventilation stops at 55 per cent."), ("Venti-lation",)),
    ]  # fmt: skip


def _raw(objects: Sequence[bytes], root: int = 1, junk: bytes = b"") -> bytes:
    """Return a PDF of numbered objects, with a cross-reference table."""
    out, places = junk + b"%PDF-1.6\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    at = len(out)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    return out + b"xref\n0 %d\n0000000000 65535 f \n%strailer\n<</Size %d/Root %d 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (
        len(objects) + 1,
        table,
        len(objects) + 1,
        root,
        at,
    )


def _stream(content: bytes, more: bytes = b"") -> bytes:
    return b"<</Length %d%s>>\nstream\n%s\nendstream" % (len(content), more, content)


def _plain_objects(
    content: bytes,
    page: bytes = b"",
    catalog: bytes = b"",
    font: bytes = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
) -> list[bytes]:
    return [
        b"<</Type/Catalog/Pages 2 0 R" + catalog + b">>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F 4 0 R>>>>/Contents 5 0 R" + page + b">>",
        font,
        _stream(content),
    ]


def _shown(*lines: str, mode: int = 0) -> bytes:
    return b"BT /F 12 Tf %d Tr 60 760 Td 16 TL %s ET" % (
        mode,
        b" ".join(b"(%s) Tj T*" % line.encode("latin-1") for line in lines),
    )


def _object_streams() -> bytes:
    """Return a PDF with compressed object streams and a cross-reference stream."""
    inner = _plain_objects(b"")[:4]
    offsets, body = [], b""
    for number, content in enumerate(inner, 1):
        offsets.append(b"%d %d" % (number, len(body)))
        body += content + b" "
    head = b" ".join(offsets) + b" "
    packed = zlib.compress(head + body)
    out = b"%PDF-1.5\n"
    place5 = len(out)
    text = zlib.compress(_shown("Compressed objects hold this line about the ferry bell."))
    out += b"5 0 obj\n" + _stream(text, b"/Filter/FlateDecode") + b"\nendobj\n"
    place6 = len(out)
    out += b"6 0 obj\n" + _stream(packed, b"/Type/ObjStm/N 4/First %d/Filter/FlateDecode" % len(head)) + b"\nendobj\n"
    place7 = len(out)
    rows = [
        b"\x00\x00\x00\xff",
        *(b"\x02\x00\x06" + bytes([n]) for n in range(4)),
        *(b"\x01" + place.to_bytes(2, "big") + b"\x00" for place in (place5, place6, place7)),
    ]
    table = zlib.compress(b"".join(rows))
    return (
        out
        + b"7 0 obj\n"
        + _stream(table, b"/Type/XRef/Size 8/W[1 2 1]/Root 1 0 R/Filter/FlateDecode")
        + b"\nendobj\nstartxref\n%d\n%%%%EOF\n" % place7
    )


def _updated() -> bytes:
    """Return a PDF whose text was replaced by an incremental update."""
    old = _raw(_plain_objects(_shown("The old rule: the gate shuts at nine.")))
    place = len(old)
    new = b"5 0 obj\n" + _stream(_shown("The new rule: the gate shuts at eleven.")) + b"\nendobj\n"
    before = re.findall(rb"startxref\n(\d+)", old)[-1]
    return (
        old
        + new
        + b"xref\n5 1\n%010d 00000 n \ntrailer\n<</Size 6/Root 1 0 R/Prev %s>>\nstartxref\n%d\n%%%%EOF\n"
        % (place, before, place + len(new))
    )


def structures() -> list[AwkwardFile]:
    """Return fields, notes, attachments, encryption, broken tables, updates, pages turned, text under and over pictures."""

    def form(page: canvas.Canvas) -> None:
        page.setFont("Helvetica", 11)
        page.drawString(60, 760, "Application for a berth")
        page.drawString(60, 720, "Name of the boat")
        page.acroForm.textfield(name="boat", x=200, y=712, width=200, height=20, value="Petrel of Skagen")
        page.drawString(60, 680, "Length over all")
        page.acroForm.textfield(name="length", x=200, y=672, width=200, height=20, value="9.75 m")
        page.acroForm.checkbox(name="insured", x=200, y=640, checked=True)

    def turned(page: canvas.Canvas) -> None:
        page.setPageRotation(90)
        page.setFont("Helvetica", 11)
        page.translate(560, 60)
        page.rotate(90)
        draw_lines(page, ("This page lies on its side: the crane log is kept in the cabin.",), (0, 400))
        _grid(page, (("load", "kg"), ("stone", "1,450"), ("sand", "980")), (200,), 340)

    def over_picture(page: canvas.Canvas) -> None:
        picture = ImageReader(Image.new("RGB", (200, 120), "navy"))
        page.drawImage(picture, 40, 600, 500, 200)
        page.setFillGray(1)
        page.setFont("Helvetica", 12)
        page.drawString(60, 700, "White on blue: the regatta starts at the second gun.")

    def japanese(page: canvas.Canvas) -> None:
        pdfmetrics.registerFont(UnicodeCIDFont("HeiseiMin-W3"))
        page.setFont("HeiseiMin-W3", 12)
        draw_lines(page, ("温室の窓は午後四時に閉めてください。", "鍵は管理人室の三番の棚にあります。"))

    def vertical(page: canvas.Canvas) -> None:
        pdfmetrics.registerFont(CIDFont("HeiseiMin-W3", "UniJIS-UCS2-V"))
        page.setFont("HeiseiMin-W3-UniJIS-UCS2-V", 12)
        for number, line in enumerate(("温室の窓は午後四時に", "閉めてください。")):
            page.drawString(400 - 20 * number, 760, line.encode("utf-16-be").decode("latin-1"))

    def blanks(page: canvas.Canvas) -> None:
        for _ in range(40):
            page.showPage()
        page.drawString(60, 760, "Only the last leaf says where the seal is kept.")

    plain = drawn_page(
        lambda page: draw_lines(
            page, ("The bell of the chapel is rung by the youngest member.", "Its rope is renewed every seven years.")
        )
    )
    locked = drawn_page(
        lambda page: draw_lines(page, ("Opened without a word: the vault faces north.",)),
        encrypt=StandardEncryption("", "owner", canPrint=0),
    )
    free = b"/Annots[<</Type/Annot/Subtype/FreeText/Rect[60 600 400 640]/Contents(Typed onto the page: order twelve new hinges.)/DA(/Helv 11 Tf)>><</Type/Annot/Subtype/Text/Rect[400 700 420 720]/Contents(Sticky note: ask Vera about the hinges.)>>]"
    kept = _stream(b"The attached list names nine wells.\n", b"/Type/EmbeddedFile/Subtype/text#2Fplain")
    attached = [
        *_plain_objects(
            _shown("The covering letter mentions a list."),
            catalog=b"/Names<</EmbeddedFiles<</Names[(wells.txt) 7 0 R]>>>>",
        ),
        kept,
        b"<</Type/Filespec/F(wells.txt)/UF(wells.txt)/EF<</F 6 0 R>>>>",
    ]
    odd = (
        b"<</Type/Font/Subtype/Type3/FontBBox[0 0 10 10]/FontMatrix[.001 0 0 .001 0 0]/FirstChar 65/LastChar 90/Widths["
        + b"600 " * 26
        + b"]/Encoding<</Differences[65 "
        + b" ".join(b"/g%d" % n for n in range(26))
        + b"]>>/CharProcs<<"
        + b" ".join(b"/g%d 6 0 R" % n for n in range(26))
        + b">>>>"
    )
    nameless = [
        *_plain_objects(_shown("QWERT YUIOP ASDFG HJKLZ", "XCVBN MQWER TYUIO PASDF"), font=odd),
        _stream(b"600 0 d0 0 0 500 500 re f"),
    ]
    scanned = _shown("Recognised long ago: the organ has 1,204 pipes.", mode=3)
    return [
        AwkwardFile("pdf/form_fields.pdf", drawn_page(form), ("Application for a berth", "Petrel of Skagen", "9.75 m")),
        AwkwardFile("pdf/turned.pdf", drawn_page(turned), ("This page lies on its side: the crane log is kept in the cabin.", "stone .. 1,450", "sand .. 980")),
        AwkwardFile("pdf/over_picture.pdf", drawn_page(over_picture), ("White on blue: the regatta starts at the second gun.",)),
        AwkwardFile("pdf/japanese.pdf", drawn_page(japanese), ("温室の窓は午後四時に閉めてください。", "鍵は管理人室の三番の棚にあります。")),
        AwkwardFile("pdf/vertical.pdf", drawn_page(vertical), ("温室の窓は午後四時に閉めてください。",)),
        AwkwardFile("pdf/blank_pages.pdf", drawn_page(blanks), ("Only the last leaf says where the seal is kept.",)),
        AwkwardFile("pdf/empty_password.pdf", locked, ("Opened without a word: the vault faces north.",)),
        AwkwardFile("pdf/no_table.pdf", re.sub(rb"startxref\n\d+", b"startxref\n99999999", plain), ("The bell of the chapel is rung by the youngest member.",)),
        AwkwardFile("pdf/no_end.pdf", plain[: plain.rindex(b"xref\n0")], ("Its rope is renewed every seven years.",), (), None),
        AwkwardFile("pdf/updated.pdf", _updated(), ("The new rule: the gate shuts at eleven.",), ("nine",)),
        AwkwardFile("pdf/object_streams.pdf", _object_streams(), ("Compressed objects hold this line about the ferry bell.",)),
        AwkwardFile("pdf/late_head.pdf", _raw(_plain_objects(_shown("Junk precedes this: the weir is inspected in dry weeks.")), junk=b"HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\n\r\n"), ("Junk precedes this: the weir is inspected in dry weeks.",), (), None),
        AwkwardFile("pdf/annotated.pdf", _raw(_plain_objects(_shown("The door squeaks."), free)), ("The door squeaks.",), or_warned=("Typed onto the page: order twelve new hinges.", "Sticky note: ask Vera about the hinges.")),
        AwkwardFile("pdf/attachment.pdf", _raw(attached), ("The covering letter mentions a list.",), or_warned=("The attached list names nine wells.",)),
        AwkwardFile("pdf/nameless_glyphs.pdf", _raw(nameless), (), ("QWERT",), None, (), ("nothing of this is text",)),
        AwkwardFile("pdf/invisible_layer.pdf", _raw(_plain_objects(scanned)), ("Recognised long ago: the organ has 1,204 pipes.",)),
    ]  # fmt: skip


ARABIC = "<div dir=rtl style=\"font:13pt 'DejaVu Sans'\"><h1>قواعد المسبح</h1><p>يغلق المسبح أبوابه في الساعة التاسعة مساء.</p><p>لا يسمح للأطفال بالسباحة دون مرافق.</p></div>"
MIXED = "<h1>Stock of the barn</h1><div style='columns:3;text-align:justify;hyphens:auto;font-size:9pt'>{}<table><tr><td>hay</td><td>412</td></tr><tr><td>oats</td><td>1,060</td></tr></table>{}</div>"
TERMS = "<dl>{}</dl>".format(
    "".join(
        f"<dt><b>{a}</b></dt><dd>{b}</dd>"
        for a, b in (
            ("Bight", "a bend in a rope"),
            ("Thwart", "a seat across a boat"),
            ("Painter", "a line at the bow"),
        )
    )
)
FLOAT = (
    "<h1>Orchard</h1><div style='float:right;width:45mm;border:1px solid;padding:2mm;font-size:8pt'>Box: ladders are stored lying down.</div>"
    + "".join(f"<p style='text-align:justify'>{s}</p>" for s in BAKERY[:5])
)


def printed() -> list[AwkwardFile]:
    """PDFs that a browser printed; none where there is no browser."""
    if not any(shutil.which(name) for name in ("chromium", "chromium-browser", "google-chrome")):
        return []
    paragraphs = [f"<p>{sentence}</p>" for sentence in BAKERY]
    wanted = (
        ("printed_arabic", ARABIC, "ar", ("يغلق المسبح أبوابه في الساعة التاسعة مساء.", "لا يسمح للأطفال بالسباحة دون مرافق.")),
        ("printed_columns", MIXED.format("".join(paragraphs[:4]), "".join(paragraphs[4:])), "en", (*BAKERY, "hay .. 412", "oats .. 1,060")),
        ("printed_terms", TERMS, "en", ("a bend in a rope", "a line at the bow")),
        ("printed_box", FLOAT, "en", (*BAKERY[:5], "Box: ladders are stored lying down.")),
    )  # fmt: skip
    files = printed_pages([PRINT.format(css="", lang=lang, body=body) for _, body, lang, _ in wanted])
    return [AwkwardFile(f"pdf/{name}.pdf", pdf, keeps) for pdf, (name, _, _, keeps) in zip(files, wanted, strict=True)]
