# ruff: noqa: E501
"""PDF, pictures and recordings."""

from __future__ import annotations

import io
import shutil
import subprocess
import textwrap
from collections.abc import Sequence
from typing import Any

from PIL import Image, ImageDraw, ImageFont
from reportlab.lib.enums import TA_JUSTIFY
from reportlab.lib.pagesizes import A4, landscape
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfgen import canvas
from reportlab.platypus import Paragraph, SimpleDocTemplate, Spacer, Table

from benchmarks.awkward.paper import draw_lines, drawn_page
from benchmarks.mixed.paper import has_browser, printed_pages
from benchmarks.uncommon.case import UncommonFile

REPORT = [
    f"In district {n} the surveyor counted {n * 37} chestnuts, of which {n * 3} were hollow; "
    f"the foreman of district {n} recommends felling before the {n}th of November because the footpath runs directly beneath them."
    for n in range(1, 25)
]
CSS_PAGE = """<html lang="en"><head><style>@page{margin:25mm} body{font:11pt serif} .two{column-count:2;text-align:justify;hyphens:auto} table{border-collapse:collapse} td,th{padding:2px 9px;border-bottom:1px solid} h1{break-before:page} .foot{font-size:8pt}</style></head><body>
<h1>Survey of the avenue</h1><div class="two"><p>Lime trees along the northern carriageway suffer from honey fungus, whereas the southern row, planted two decades later, remains conspicuously healthy.</p><p>Irrigation channels between the trunks were excavated by apprentices; responsibility for their maintenance rests with the parish gardener.</p><p>Compensation for shadow-loving understorey plants is negotiated individually with neighbouring smallholders.</p></div>
<table><tr><th>row</th><th>trees</th><th>sick</th></tr><tr><td>north</td><td>400</td><td>31</td></tr><tr><td>south</td><td>388</td><td>3</td></tr></table>
<ol><li>Mark the trunk<ol type="a"><li>with chalk</li><li>never with nails</li></ol></li><li>Note the number</li></ol>
<h1>Felling</h1><p>Branches thicker than an arm are stacked<sup>4</sup> beside the gate.</p><p class="foot"><sup>4</sup> Firewood is free for pensioners.</p><pre>fell --row north \\
  --after 2025-11-02</pre><blockquote>Nobody fells alone.</blockquote></body></html>"""
HEBREW_PAGE = "<html dir=rtl lang=he><body style='font:14pt serif'><h2>סקר העצים</h2><p>העץ הגדול ליד הגשר נכרת בשנת 1998.</p></body></html>"


def _report() -> bytes:
    """Return a report of several pages, justified, with running head and foot, and a table over two pages."""
    out = io.BytesIO()
    body = ParagraphStyle("b", fontName="Times-Roman", fontSize=11, leading=14, alignment=TA_JUSTIFY, spaceAfter=8)
    head = ParagraphStyle("h", fontName="Helvetica-Bold", fontSize=15, leading=20, spaceBefore=10)

    def running(page: Any, document: Any) -> None:
        page.saveState()
        page.setFont("Helvetica", 8)
        page.drawString(72, 810, "Chestnut survey - confidential")
        page.drawRightString(520, 810, "City gardens")
        page.drawCentredString(300, 30, f"- {document.page} -")
        page.restoreState()

    rows = [["tree", "girth", "age"], *([f"T{n}", f"{n}.5", f"{n + 40}"] for n in range(70))]
    story = [Paragraph("1. Findings", head), *(Paragraph(text, body) for text in REPORT), Paragraph("2. Girths", head), Table(rows, repeatRows=1), Spacer(1, 9), Paragraph("3. Closing", head), Paragraph("The survey is repeated in seven years.", body)]  # fmt: skip
    SimpleDocTemplate(out, pagesize=A4, invariant=1, title="Chestnut survey").build(
        story, onFirstPage=running, onLaterPages=running
    )
    return out.getvalue()


def _letter(page: canvas.Canvas) -> None:
    page.setFont("Helvetica", 10)
    draw_lines(page, ("Orchard Trust", "Cider Lane 9", "Ledbury"), (60, 780), 12)
    draw_lines(page, ("Ref: OT/2025/88", "Date: 4 March 2025"), (400, 780), 12)
    draw_lines(page, ("Dear Mr Perry,", "", "the press you ordered on 2 February is ready. Please collect it before", "the end of the month, since we charge 4.50 a week for storage after that."), (60, 680), 13)  # fmt: skip
    for row, cells in enumerate(
        (("1", "Screw press, oak", "1,204.50"), ("12", "Straining cloth", "88.20"), ("", "Total due", "1,292.70"))
    ):
        page.drawRightString(90, 590 - 15 * row, cells[0])
        page.drawString(120, 590 - 15 * row, cells[1])
        page.drawRightString(480, 590 - 15 * row, cells[2])
    page.setFont("Helvetica", 7)
    draw_lines(page, ("Registered charity 77. Bank: 12-34-56, account 00871204.",), (60, 40))


def _stamped(page: canvas.Canvas) -> None:
    for sheet in (REPORT[:3], REPORT[3:6]):
        page.saveState()
        page.setFont("Helvetica-Bold", 90)
        page.setFillGray(0.85)
        page.translate(120, 250)
        page.rotate(50)
        page.drawString(0, 0, "COPY")
        page.restoreState()
        page.setFont("Times-Roman", 11)
        draw_lines(page, [line for text in sheet for line in (*textwrap.wrap(text, 84), "")], (60, 770))
        page.showPage()


def _wide(page: canvas.Canvas) -> None:
    page.setPageSize(landscape(A4))
    page.setFont("Helvetica", 9)
    rows = [("Orchard", *(f"{m}" for m in ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug")), "Sum"), ("Hereford", "4", "0", "12", "31", "400.01", "3", "7", "88", "545.01"), ("Kent", "1", "2", "3", "4", "5", "6", "7", "8", "36")]  # fmt: skip
    for y, row in enumerate(rows):
        for x, cell in enumerate(row):
            page.drawRightString(120 + 64 * x, 480 - 18 * y, cell)


def _justified() -> bytes:
    """Return two columns under a heading across both, with words broken by hyphens and a note at the foot."""
    left = (
        "Cider is racked when the fer-",
        "mentation has stopped; whoever",
        "racks too early will find the",
        "barrel bubbling again in May.",
        "Perry clears more slowly and is",
    )
    right = (
        "left until the first warm days.",
        "Casks are scalded, never scrub-",
        "bed, because the wood remem-",
        "bers every soap it has met.",
        "Corks are bought by the gross.",
    )

    def draw(page: canvas.Canvas) -> None:
        page.setFont("Helvetica-Bold", 16)
        page.drawString(60, 790, "From apple to cask in two winters")
        page.setFont("Times-Roman", 11)
        draw_lines(page, left, (60, 760))
        draw_lines(page, right, (320, 760))
        page.line(60, 660, 160, 660)
        page.setFont("Times-Roman", 8)
        draw_lines(page, ("1 Measured in the cellar at Much Marcle.",), (60, 645))

    return drawn_page(draw)


def pdfs() -> list[UncommonFile]:
    """Return PDFs."""
    files = [
        UncommonFile("pdf/survey.pdf", _report(), (*REPORT, "T0 .. 0.5 .. 40", "T69 .. 69.5 .. 109", "The survey is repeated in seven years."), ("confidential runs", "69.5109"), headings=("1. Findings", "3. Closing")),
        UncommonFile("pdf/press.pdf", drawn_page(_letter), ("the press you ordered on 2 February is ready.", "since we charge 4.50 a week for storage after that.", "Screw press, oak .. 1,204.50", "Straining cloth .. 88.20", "Total due .. 1,292.70", "account 00871204."), ("1,204.5012",)),
        UncommonFile("pdf/copy.pdf", drawn_page(_stamped), tuple(REPORT[:6])),
        UncommonFile("pdf/months.pdf", drawn_page(_wide), ("Hereford .. 4 .. 0 .. 12 .. 31 .. 400.01 .. 3 .. 7 .. 88 .. 545.01", "Kent .. 1 .. 2 .. 3 .. 4"), ("400.013", "788")),
        UncommonFile("pdf/cask.pdf", _justified(), ("Cider is racked when the fermentation has stopped; whoever racks too early will find the barrel bubbling again in May.", "Perry clears more slowly and is left until the first warm days.", "Casks are scalded, never scrubbed, because the wood remembers every soap it has met.", "Measured in the cellar at Much Marcle."), ("fer-mentation",), headings=("From apple to cask in two winters",)),
    ]  # fmt: skip
    if has_browser():
        survey, hebrew = printed_pages([CSS_PAGE, HEBREW_PAGE])
        files += [
            UncommonFile("pdf/avenue.pdf", survey, ("Lime trees along the northern carriageway suffer from honey fungus, whereas the southern row, planted two decades later, remains conspicuously healthy.", "responsibility for their maintenance rests with the parish gardener.", "Compensation for shadow-loving understorey plants is negotiated individually with neighbouring smallholders.", "north .. 400 .. 31", "south .. 388 .. 3", "never with nails", "Firewood is free for pensioners.", "--after 2025-11-02", "Nobody fells alone."), ("40031", "stacked4"), headings=("Survey of the avenue", "Felling")),
            UncommonFile("pdf/hebrew.pdf", hebrew, ("1998",), (), or_warned=("העץ הגדול ליד הגשר נכרת בשנת",)),
        ]  # fmt: skip
    return files


SIGN = ("Notice of the bath house", "The cold pool is drained on Monday.", "Towels cost 2.50, soap is free.")


def _drawn(lines: Sequence[str], ink: object = 0, ground: object = 255, mode: str = "L", size: int = 34) -> Image.Image:
    picture = Image.new(mode, (1000, 90 + 70 * len(lines)), ground)  # type: ignore[arg-type]
    pen, font = ImageDraw.Draw(picture), ImageFont.truetype("DejaVuSans.ttf", size)
    for number, line in enumerate(lines):
        pen.text((60, 50 + 70 * number), line, fill=ink, font=font)  # type: ignore[arg-type]
    return picture


def _file(picture: Image.Image, form: str, **options: Any) -> bytes:
    out = io.BytesIO()
    picture.save(out, form, **options)
    return out.getvalue()


def pictures() -> list[UncommonFile]:
    """Return pictures and pictures inside PDF."""
    turned = Image.Exif()
    turned[0x0112] = 6  # to be shown turned by a quarter
    sideways = _drawn(SIGN).transpose(Image.Transpose.ROTATE_90)
    pages = [_drawn((f"Sheet {n} of the bath book", f"Boiler {n} heats hall {n}.")).convert("1") for n in (1, 2)]
    scan = io.BytesIO()
    sheet = canvas.Canvas(scan, A4, invariant=1)
    sheet.drawString(60, 780, "Typed on the first page: the key is numbered 44.")
    sheet.showPage()
    sheet.drawInlineImage(_drawn(SIGN).convert("RGB"), 40, 500, 500, 150)
    sheet.showPage()
    sheet.save()
    keeps = ("The cold pool is drained on Monday.",)
    return [
        UncommonFile("pictures/sign.png", _file(_drawn(SIGN), "PNG"), keeps),
        UncommonFile("pictures/inverted.png", _file(_drawn(SIGN, 255, 0), "PNG"), keeps),
        UncommonFile("pictures/clear.png", _file(_drawn(SIGN, (0, 0, 0, 255), (0, 0, 0, 0), "RGBA"), "PNG"), keeps),
        UncommonFile("pictures/turned.jpg", _file(sideways, "JPEG", quality=80, exif=turned), keeps),
        UncommonFile("pictures/press.jpg", _file(_drawn(SIGN).convert("CMYK"), "JPEG"), keeps),
        UncommonFile("pictures/fax.tif", _file(pages[0], "TIFF", save_all=True, append_images=pages[1:], compression="group4"), ("Boiler 1 heats hall 1.", "Boiler 2 heats hall 2.")),
        UncommonFile("pictures/palette.gif", _file(_drawn(SIGN).convert("P"), "GIF"), keeps),
        UncommonFile("pictures/deep.png", _file(_drawn(SIGN).point(lambda v: v * 257, "I").convert("I;16"), "PNG"), keeps),
        UncommonFile("pictures/umlauts.webp", _file(_drawn(("Größe der Übungsräume", "Schlüssel für Gäste: Tür links")), "WEBP", quality=80), ("Schlüssel für Gäste: Tür links",)),
        UncommonFile("pictures/half_scanned.pdf", scan.getvalue(), ("Typed on the first page: the key is numbered 44.", "The cold pool is drained on Monday.")),
    ]  # fmt: skip


SPOKEN = "Good morning. The swimming pool is closed on Monday because the water is changed. Please come back on Tuesday afternoon."


def recordings() -> list[UncommonFile]:
    """Return recordings of a synthetic voice; none where there is none."""
    program = shutil.which("espeak-ng")
    if not program:
        return []
    spoken = subprocess.run(
        [program, "-v", "en-us", "-s", "130", "--stdout", SPOKEN], capture_output=True, check=True
    ).stdout
    return [
        UncommonFile("sound/pool.wav", spoken, ("closed on Monday",)),
        UncommonFile("sound/pool.mp3", _as_mp3(spoken), ("closed on Monday",)),
    ]  # fmt: skip


def _as_mp3(wave: bytes) -> bytes:
    import av

    out = io.BytesIO()
    source: Any
    with av.open(io.BytesIO(wave)) as source, av.open(out, "w", format="mp3") as target:
        stream: Any = target.add_stream("mp3", rate=22050)
        for frame in source.decode(audio=0):
            target.mux(stream.encode(frame))
        target.mux(stream.encode(None))
    return out.getvalue()
