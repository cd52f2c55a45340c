# ruff: noqa: E501
"""PDF as programs print it, and manuals as plain text."""

from __future__ import annotations

import io

from reportlab.lib import colors
from reportlab.lib.enums import TA_JUSTIFY
from reportlab.lib.pagesizes import A4, landscape
from reportlab.lib.styles import ParagraphStyle, getSampleStyleSheet
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen import canvas
from reportlab.platypus import (
    BaseDocTemplate,
    Flowable,
    Frame,
    ListFlowable,
    PageTemplate,
    Paragraph,
    SimpleDocTemplate,
    Spacer,
    Table,
)

from benchmarks.awkward.paper import draw_lines, drawn_page
from benchmarks.everyday.case import EverydayFile

ALLEYS = (
    "The bowling alleys are waxed before the shutters are opened, so that no dust settles in the fresh film.",
    "Whoever rents a lane for a birthday pays a deposit of 75 euros, which is returned when the pins are complete.",
    "Between October and March the heating under lanes three and four is switched on at half past two.",
    "Shoes are disinfected after each game; sizes above forty-eight have to be ordered a week in advance.",
    "A jammed pinsetter is stopped with the red button behind the ball return and reported to the caretaker.",
    "Children under eight play with the ramp, and the gutters are closed by the bumpers along the lane.",
)


def _article() -> bytes:
    """Return two columns under a title over both, with a footer, and a note at the foot of the first."""
    out = io.BytesIO()
    width = 240
    report = BaseDocTemplate(out, pagesize=A4, invariant=1)

    def footer(page: canvas.Canvas, doc: BaseDocTemplate) -> None:
        page.setFont("Times-Bold", 18)
        page.drawCentredString(A4[0] / 2, 790, "Care of a bowling alley")
        page.setFont("Times-Roman", 8)
        page.drawString(50, 30, "Journal of small halls 12 (2025)")
        page.drawRightString(A4[0] - 50, 30, str(doc.page))

    frames = [Frame(50 + n * (width + 16), 60, width, 700, 0, 0, 0, 0) for n in (0, 1)]
    report.addPageTemplates([PageTemplate(frames=frames, onPage=footer)])
    body = ParagraphStyle("b", fontName="Times-Roman", fontSize=10, leading=12, alignment=TA_JUSTIFY, spaceAfter=6)
    head = ParagraphStyle("h", fontName="Times-Bold", fontSize=12, leading=16, spaceBefore=8)
    flow: list[Flowable] = []
    for number in range(1, 9):
        flow.append(Paragraph(f"{number}. Hall {number}", head))
        flow += [Paragraph(f"{one} This holds in hall {number}.", body) for one in ALLEYS]
    report.build(flow)
    return out.getvalue()


def _manual() -> bytes:
    """Return a manual with numbered headings, lists, a ruled table with wrapped cells, and a landscape page."""
    out = io.BytesIO()
    styles = getSampleStyleSheet()
    cell = ParagraphStyle("c", fontSize=9, leading=11)
    rows = [["fault", "cause", "remedy"], ["pins stay down", Paragraph("the sweep bar is bent or the belt has slipped off its wheel", cell), Paragraph("call the mechanic; do not reach into the machine", cell)], ["ball lost", "lift off", "restart"]]  # fmt: skip
    table = Table(rows, colWidths=[90, 170, 170], style=[("GRID", (0, 0), (-1, -1), 0.5, colors.black), ("VALIGN", (0, 0), (-1, -1), "TOP")])  # fmt: skip
    sums = Table([["lane", "games", "income"], ["1", "1,204", "4,816.00"], ["2", "987", "3,948.00"], ["total", "2,191", "8,764.00"]], style=[("LINEBELOW", (0, 0), (-1, 0), 1, colors.black), ("ALIGN", (1, 0), (-1, -1), "RIGHT")])  # fmt: skip
    steps = ListFlowable([Paragraph(one, styles["Normal"]) for one in ("Press the red button.", "Open the hood; wait until the belt has come to rest, which takes about twenty seconds in a warm hall.", "Remove the pin.")], bulletType="1")  # fmt: skip
    flow: list[Flowable] = [Paragraph("Pinsetter manual", styles["Title"]), Paragraph("1 Faults", styles["Heading1"]), Paragraph("The table names the usual faults.", styles["Normal"]), Spacer(1, 8), table, Paragraph("1.1 A jam", styles["Heading2"]), steps, Paragraph("2 Income", styles["Heading1"]), sums, Paragraph("All sums are net of tax.", styles["Normal"])]  # fmt: skip
    SimpleDocTemplate(out, pagesize=A4, invariant=1).build(flow)
    return out.getvalue()


def _hyphenated(page: canvas.Canvas) -> None:
    pdfmetrics.registerFont(TTFont("DejaVu", "DejaVuSerif.ttf"))
    page.setFont("DejaVu", 11)
    draw_lines(page, ("The ﬁrst oﬃcer inspects the ﬂoat valves of the bal-", "last tanks each week. A self-", "closing door is not wedged open. The long-term moor-", "ing costs 1.250 euros; pay by 31.12.", "2025 at the latest. E-mail goes to the har-", "bourmaster."))  # fmt: skip


def _form(page: canvas.Canvas) -> None:
    page.drawString(60, 780, "Application for a mooring")
    for y, (label, value) in zip((740, 710, 680), (("Name", "Hedda Moe"), ("Boat", "Skarv 27"), ("Length in metres", "8.25")), strict=True):  # fmt: skip
        page.drawString(60, y, label)
        page.acroForm.textfield(name=label, value=value, x=180, y=y - 4, width=200, height=18)
    page.drawString(60, 650, "Insured")
    page.acroForm.checkbox(name="insured", checked=True, x=180, y=646, size=14)
    page.textAnnotation("Remark: the boat needs pier C.", (300, 600, 320, 620))
    page.linkURL("https://x.example", (60, 600, 120, 612))


def _turned(page: canvas.Canvas) -> None:
    """Draw an upright page, and one that is stored lying and shown upright."""
    draw_lines(page, ("The upright page names the piers.",))
    page.showPage()
    page.setPageRotation(90)
    page.translate(A4[0], 0)
    page.rotate(90)
    draw_lines(page, ("The turned page lists the berths:", "berth 14 is reserved for the pilot."), (60, 500))


def _statement(page: canvas.Canvas) -> None:
    """Draw two blocks of addresses side by side, and a table without rules with sums under each other."""
    page.setFont("Helvetica", 10)
    draw_lines(page, ("Sender", "Nils Rolfsen", "Quay 9", "3187 Horten"), (60, 780))
    draw_lines(page, ("Customer no. 77-120", "Date 5 March 2025", "Due 4 April 2025"), (360, 780))
    for y, (item, count, price, total) in zip(range(650, 570, -16), (("Item", "Count", "Price", "Total"), ("Mooring line 12 mm, black", "2", "34.50", "69.00"), ("Fender", "10", "8.00", "80.00"), ("Shackle, stainless", "4", "3.25", "13.00"), ("Sum", "", "", "162.00")), strict=True):  # fmt: skip
        page.drawString(60, y, item)
        for x, text in ((330, count), (410, price), (500, total)):
            page.drawRightString(x, y, text)
    draw_lines(page, ("Goods remain ours until they are paid in full.",), (60, 540))


def _wide(page: canvas.Canvas) -> None:
    page.setPageSize(landscape(A4))
    page.setFont("Helvetica-Bold", 20)
    page.drawString(60, 540, "Evacuation plan")
    page.setFont("Helvetica", 12)
    for column, rows in enumerate((("1. Keep calm", "Warn the others."), ("2. Leave", "Take the stairs, not the lift."), ("3. Gather", "Meet at the flagpole."))):  # fmt: skip
        draw_lines(page, rows, (60 + 250 * column, 480), 18)


def pdfs() -> list[EverydayFile]:
    """Return PDFs."""
    return [
        EverydayFile("pdf/alley.pdf", _article(), tuple(f"{one} This holds in hall {n}." for n, one in zip((1, 2, 4, 5, 7, 8), ALLEYS, strict=True)), headings=("Care of a bowling alley", "3. Hall 3"), order=("This holds in hall 1.", "This holds in hall 2.", "This holds in hall 4.", "This holds in hall 8.")),
        EverydayFile("pdf/pinsetter.pdf", _manual(), ("the sweep bar is bent or the belt has slipped off its wheel", "call the mechanic; do not reach into the machine", "ball lost .. lift off .. restart", "1 .. 1,204 .. 4,816.00", "total .. 2,191 .. 8,764.00", "wait until the belt has come to rest, which takes about twenty seconds in a warm hall.", "All sums are net of tax."), ("1,2044", "21914"), headings=("Pinsetter manual", "1 Faults", "1.1 A jam", "2 Income"), tables=("2 .. 987 .. 3,948.00",), lists=("Remove the pin.",), order=("names the usual faults", "ball lost", "Press the red button", "All sums")),
        EverydayFile("pdf/harbour.pdf", drawn_page(_hyphenated), ("The first officer inspects the float valves of the ballast tanks each week.", "A self-closing door is not wedged open.", "The long-term mooring costs 1.250 euros; pay by 31.12. 2025 at the latest.", "goes to the harbourmaster."), ("ﬁ", "bal-last")),
        EverydayFile("pdf/mooring.pdf", drawn_page(_form), ("Application for a mooring",), (), or_warned=("Hedda Moe", "Skarv 27", "8.25", "Remark: the boat needs pier C.")),
        EverydayFile("pdf/berths.pdf", drawn_page(_turned), ("The upright page names the piers.", "The turned page lists the berths:", "berth 14 is reserved for the pilot.")),
        EverydayFile("pdf/statement.pdf", drawn_page(_statement), ("Mooring line 12 mm, black .. 2 .. 34.50 .. 69.00", "Fender .. 10 .. 8.00 .. 80.00", "Goods remain ours until they are paid in full.", "Due 4 April 2025", "3187 Horten"), ("34.5069", "108.00", "Rolfsen Date"), tables=("Shackle, stainless .. 4 .. 3.25 .. 13.00",), order=("Nils Rolfsen", "Fender", "Goods remain")),
        EverydayFile("pdf/plan.pdf", drawn_page(_wide), ("Take the stairs, not the lift.", "Meet at the flagpole.", "Warn the others."), headings=("Evacuation plan",), order=("Warn the others.", "Take the stairs", "Meet at")),
    ]  # fmt: skip


GUIDE = """\
SERVICE MANUAL FOR THE SNOW BLOWER SB-40

1. SAFETY
=========

Keep hands away from the chute.  The blade turns
for ten seconds after the key is removed.

1.1 Clothing
------------

  - goggles
  - gloves without loose
    cuffs
  - boots

2. STARTING
===========

1) Open the fuel tap.
2) Pull the choke; below -10 C
   pull it twice.
3) Turn the key.

WARNING: NEVER REFUEL A HOT ENGINE.

3. TECHNICAL DATA
=================

  engine            6.5 hp
  width of clearing   61 cm
  noise            98.5 dB(A)

APPENDIX A

The dealer in Geilo is open on weekdays, 8:00-16:00.
"""
BROCHURE = """\
                    THE LITTLE MUSEUM OF LOCKS

Opening hours

Tuesday to Sunday from ten to five. On Mondays
the house is closed.

Admission

Adults pay 12.50, children nothing.
PLEASE KEEP YOUR TICKET.

House rules
~~~~~~~~~~~
I.   Umbrellas stay in the stand.
II.  Photographs are allowed
     without flash.

Contact: Ida Moen, curator
Tel. 0047 22 11 33 44

                              -- 1 --
"""
MINUTES = "Minutes of 3 March 2025\n\nPresent: Ada, Bo, Cy\n\n1 Heating\n\nThe boiler is replaced in May. Bo asks for three offers.\n\n2 Fees\n\n2.1 Rent\n\nThe rent rises by 2.5 % to 410 euros.\n\n2.2 Parking\n\nA place costs 35 euros.\n\nThe meeting ended at 21:10.\nNext meeting: 7 April\n"
ECHO = "NASA AND THE FAA\n\nNASA AND FAA staff meet on the third floor.\n\nTHE DOORS ARE LOCKED AT SIX. USE THE BELL AFTER THAT TIME, AND WAIT FOR THE GUARD.\n\nTo Do\n\nPaint the rail.\n"


def manuals() -> list[EverydayFile]:
    """Return manuals as plain text."""
    return [
        EverydayFile("plain/blower.txt", GUIDE.encode(), ("Keep hands away from the chute.", "The blade turns for ten seconds after the key is removed.", "gloves without loose cuffs", "2) Pull the choke; below -10 C pull it twice.", "NEVER REFUEL A HOT ENGINE.", "width of clearing 61 cm", "The dealer in Geilo is open on weekdays, 8:00-16:00."), ("====", "----"), headings=("1. SAFETY", "1.1 Clothing", "2. STARTING", "3. TECHNICAL DATA", "APPENDIX A"), prose=("NEVER REFUEL A HOT ENGINE.",), lists=("boots", "3) Turn the key.")),
        EverydayFile("plain/locks.txt", BROCHURE.encode(), ("On Mondays the house is closed.", "Adults pay 12.50, children nothing.", "PLEASE KEEP YOUR TICKET.", "Photographs are allowed without flash.", "Tel. 0047 22 11 33 44"), ("~~~~",), headings=("THE LITTLE MUSEUM OF LOCKS", "Opening hours", "Admission", "House rules"), prose=("PLEASE KEEP YOUR TICKET.",)),
        EverydayFile("plain/march.txt", MINUTES.encode(), ("The boiler is replaced in May.", "The rent rises by 2.5 % to 410 euros.", "A place costs 35 euros.", "Present: Ada, Bo, Cy", "The meeting ended at 21:10."), headings=("1 Heating", "2 Fees", "2.1 Rent", "2.2 Parking"), prose=("Next meeting: 7 April",)),
        EverydayFile("plain/doors.txt", ECHO.encode(), ("NASA AND FAA staff meet on the third floor.", "Paint the rail.", "USE THE BELL AFTER THAT TIME, AND WAIT FOR THE GUARD."), headings=("NASA AND THE FAA",), prose=("THE DOORS ARE LOCKED AT SIX.",)),
    ]  # fmt: skip
