# ruff: noqa: E501
"""PDF of several producers: a browser, a library of reports, streams as a typesetter writes them."""

from __future__ import annotations

import io

from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle, getSampleStyleSheet
from reportlab.pdfgen import canvas
from reportlab.platypus import Flowable, Indenter, ListFlowable, Paragraph, Preformatted, SimpleDocTemplate, Table
from reportlab.platypus.tableofcontents import TableOfContents

from benchmarks.awkward.paper import _plain_objects as plain_objects
from benchmarks.awkward.paper import _raw as raw
from benchmarks.awkward.paper import draw_lines, drawn_page
from benchmarks.everyday.case import EverydayFile
from benchmarks.mixed.paper import has_browser, printed_pages

PAGE = "<html lang={lang}><meta charset=utf-8><style>@page{{size:A4;margin:22mm}} body{{font:11pt 'Liberation Serif'}} h1,h2{{font-family:'Liberation Sans'}} {css}</style><body>{body}</body></html>"
JOURNAL = (
    "<h1>On the drying of peat</h1><p class=by>Åsa Holm, Bog Institute</p><div class=cols><h2>1 Introduction</h2><p>Peat dries slowly because its fibres hold water<sup>1</sup>; a well-known remedy is turning. In our experience the well-known remedy works only in wind, and a brick that was turned four times in a fortnight weighs a third of its former weight.</p>"
    "<p>Measurements were repeated on twelve experimental plots over consecutive summers, and the hygrometers recalibrated whenever thunderstorms interrupted the observation.</p><h2>2 Results</h2><p>Bricks from the northern cutting lost 61 per cent within nine days, whereas those from the embankment, protected by birches, needed seventeen.</p>"
    "<p>Self-heating was observed once, in an unventilated stack of considerable height; self-heating stacks are dismantled at once.</p><h2>3 Conclusion</h2><p>Turning is worthwhile only where the wind reaches the lowest layer.</p></div><p class=note><sup>1</sup> Up to nine times their own weight.</p>"
)
INVOICE = (
    "<div class=top><div>Smithy Ltd<br>Forge Lane 3<br>Ribe</div><div class=r>Invoice 2025-117<br>Date: 4 March 2025</div></div><h2>Invoice</h2><table><thead><tr><th class=l>Description</th><th>Qty</th><th>Unit price</th><th>VAT</th><th>Amount</th></tr></thead>"
    "<tr><td class=l>Gate hinge, forged, pair,<br>galvanised</td><td>2</td><td>1,204.50</td><td>25 %</td><td>2,409.00</td></tr><tr><td class=l>Fitting</td><td>3.5 h</td><td>48.00</td><td>25 %</td><td>168.00</td></tr><tr><td class=l>Bolts M12</td><td>14</td><td>0.75</td><td></td><td>10.50</td></tr>"
    "<tr><td class=l colspan=4>Net</td><td>2,587.50</td></tr><tr><td class=l colspan=4><b>Total due</b></td><td><b>3,231.75</b></td></tr></table><p>Payable within 30 days to account 0071 42 11.</p>"
)
LONG = "<h1>Keys by room</h1><table><thead><tr><th>room</th><th>key</th><th>holder and remark</th></tr></thead>" + "".join(f"<tr><td>R{n}</td><td>K{n * 7}</td><td>{'the caretaker, who lends it against a signature in the green book beside the door' if n % 5 == 0 else 'the tenant'}</td></tr>" for n in range(1, 61)) + "</table><p>Lost keys are reported the same day.</p>"  # fmt: skip
MANUAL = (
    "<h1>Forge control</h1><p>Run the tool:</p><pre>forge --heat 800 \\\n      --hold 12\n# cools by itself\nif hot:\n    wait(5)</pre><h2>Steps</h2><ol><li>Open the damper<ul><li>the lever points down</li><li>wait for draught</li></ul></li><li>Light the kindling, and keep the door ajar until the first coals glow and the smoke has turned white</li></ol>"
    "<dl><dt>Damper</dt><dd>a flap in the flue</dd></dl><blockquote>Iron waits for no one.</blockquote><p>Area 3 m<sup>2</sup>, CO<sub>2</sub> below 0.5&nbsp;%, angle 45°, 3 × 4 ≤ 12, “quoted” – dash — em… €5 ½ fi: office, waffle, final, flour.</p>"
)
ARABIC = "<div dir=rtl lang=ar style=\"font:15pt 'DejaVu Sans'\"><h1>قواعد الورشة</h1><p>يغلق الباب في الساعة 18:30 كل يوم.</p><table><tr><th>الأداة</th><th>العدد</th></tr><tr><td>مطرقة</td><td>14</td></tr><tr><td>منشار</td><td>3</td></tr></table></div>"
SLIDES = "<style>@page{size:280mm 158mm;margin:0} section{height:157mm;padding:12mm;box-sizing:border-box;break-after:page;font:20pt 'Liberation Sans'} .two{display:flex;gap:20mm}</style><section><h1>Winter service</h1><p>Road office, 2025</p></section><section><h2>Who does what</h2><div class=two><ul><li>North: Olsen ploughs before five</li><li>South: Berg salts the hill</li></ul><ul><li>East: nobody yet</li><li>West: the school clears its yard</li></ul></div></section><section><h2>Costs</h2><table><tr><td>salt</td><td>41 t</td><td>12,300</td></tr><tr><td>fuel</td><td>9 m³</td><td>14,040</td></tr></table></section>"
CSS = ".cols{columns:2;column-gap:8mm;text-align:justify;hyphens:auto} .note{font-size:8pt;border-top:1px solid;width:40%} .top{display:flex;justify-content:space-between} .r{text-align:right} table{width:100%;border-collapse:collapse} th,td{text-align:right;padding:1mm 2mm;font-weight:normal} .l{text-align:left}"
PRINTED: tuple[tuple[str, str, str, str, dict[str, tuple[str, ...]]], ...] = (
    ("pdf/peat.pdf", JOURNAL, CSS, "en", {"keeps": ("a well-known remedy is turning.", "In our experience the well-known remedy works only in wind, and a brick that was turned four times in a fortnight weighs a third of its former weight.", "Measurements were repeated on twelve experimental plots over consecutive summers, and the hygrometers recalibrated whenever thunderstorms interrupted the observation.", "Bricks from the northern cutting lost 61 per cent within nine days, whereas those from the embankment, protected by birches, needed seventeen.", "self-heating stacks are dismantled at once.", "Turning is worthwhile only where the wind reaches the lowest layer.", "Up to nine times their own weight."), "never": ("water1", "wellknown", "selfheating"), "headings": ("On the drying of peat", "1 Introduction", "2 Results", "3 Conclusion"), "order": ("Peat dries", "Measurements", "Bricks", "Self-heating", "Turning is")}),
    ("pdf/smithy.pdf", INVOICE, CSS, "en", {"keeps": ("Fitting .. 3.5 h .. 48.00 .. 25 % .. 168.00", "Bolts M12 .. 14 .. 0.75 .. 10.50", "2 .. 1,204.50 .. 25 % .. 2,409.00", "Total due .. 3,231.75", "Payable within 30 days to account 0071 42 11.", "Forge Lane 3", "Date: 4 March 2025"), "never": ("0.7510.50", "140.75", "21,204", "Ltd Invoice"), "tables": ("Fitting .. 3.5 h",), "order": ("Forge Lane", "Fitting", "Total due", "Payable")}),
    ("pdf/keys.pdf", LONG, "td,th{text-align:left;padding:1mm 3mm} table{border-collapse:collapse}", "en", {"keeps": ("R1 .. K7 .. the tenant", "R44 .. K308 .. the tenant", "R60 .. K420 .. the caretaker", "Lost keys are reported the same day."), "never": ("R44K", "tenant R"), "headings": ("Keys by room",), "tables": ("R59 .. K413",), "order": ("R2 ", "R31 ", "R60 ", "Lost keys")}),
    ("pdf/forge_control.pdf", MANUAL, "pre{font:9pt 'Liberation Mono'}", "en", {"keeps": ("Open the damper", "the lever points down", "Light the kindling, and keep the door ajar until the first coals glow and the smoke has turned white", "a flap in the flue", "Iron waits for no one.", "“quoted” – dash — em… €5 ½ fi: office, waffle, final, flour.", "Area 3 m^2,"), "never": ("wafﬂe", "m2, CO"), "headings": ("Forge control", "Steps"), "code": ("if hot:\n    wait(5)",), "lists": ("1. Open the damper", "2. Light the kindling")}),
    ("pdf/werkstatt_ar.pdf", ARABIC, "", "ar", {"keeps": ("يغلق الباب في الساعة 18:30 كل يوم.", "مطرقة .. 14", "منشار .. 3"), "never": ("143",)}),
    ("pdf/winter.pdf", SLIDES, "", "en", {"keeps": ("North: Olsen ploughs before five", "South: Berg salts the hill", "West: the school clears its yard", "salt .. 41 t .. 12,300", "fuel .. 9 m³ .. 14,040"), "never": ("five East", "41 t12"), "headings": ("Winter service", "Who does what", "Costs"), "order": ("Road office", "Olsen", "Berg", "nobody yet", "salt")}),
)  # fmt: skip

TEX_LINES = (
    rb"BT /F 17 Tf 60 780 Td [(T)83(ides)-333(of)-334(the)-333(inner)-333(ba)28(y)]TJ ET",
    rb"BT /F 10 Tf 60 750 Td [(The)-287(gauge)-287(w)28(as)-287(in-)]TJ 0 -12 Td [(stalled)-333(in)-334(1931)-333(by)-333(a)-333(self-)]TJ 0 -12 Td [(taugh)28(t)-333(keeper.)-500(T)83(o)-28(da)28(y)-333(a)-333(w)27(a)28(v)28(e-)]TJ 0 -12 Td [(driv)28(en)-333(coun)28(ter)-333(reads)-333(ev)28(ery)-333(ten)-333(min-)]TJ 0 -12 Td [(utes;)-333(a)-333(w)27(a)28(v)28(e-driv)28(en)-333(coun)28(ter)-333(is)-333(c)28(heap.)]TJ ET",
    rb"BT /F 10 Tf 60 660 Td [(Harb)-28(our)-1500(Mean)-1500(Spring)]TJ 0 -12 Td [(Horten)-2150(0.42)-2050(1.10)]TJ 0 -12 Td [(Moss)-2960(0.38)-2050(0.97)]TJ ET",
    rb"BT /F 7 Tf 60 40 Td [(1)-300(All)-333(heigh)28(ts)-333(are)-333(in)-333(metres.)]TJ ET",
)


def _compounds(page: canvas.Canvas) -> None:
    """Lines that end in the hyphen of a compound word, and in that of a broken word."""
    page.setFont("Times-Roman", 11)
    draw_lines(page, ("Every self-closing door has a green plate. Never wedge a self-", "closing door, and report a fire-", "resistant panel that is scratched. The fire-resistant kind costs", "more. A two-year-old inspection does not count; the cross-", "border permit is issued by the dis-", "trict office. Twenty-", "three rooms and a Smith-", "Jones lock are left, and the 24-", "hour desk helps; pre- and post-", "war keys differ. Mail to a-", "b@x.example."))  # fmt: skip


def _fields(page: canvas.Canvas) -> None:
    page.setFont("Helvetica", 11)
    page.drawString(60, 780, "Booking of the hall")
    for y, label in zip((740, 710, 680, 650), ("Day", "Purpose", "Kitchen", "Remarks"), strict=True):
        page.drawString(60, y, label)
    form = page.acroForm
    form.choice(name="Day", value="Saturday", options=["Friday", "Saturday"], x=180, y=736, width=150, height=18)
    form.textfield(name="Purpose", value="Wedding of the Lunds", x=180, y=706, width=200, height=18)
    form.radio(name="Kitchen", value="yes", selected=True, x=180, y=676, size=14)
    form.radio(name="Kitchen", value="no", selected=False, x=220, y=676, size=14)
    form.textfield(name="Remarks", value="Chairs for 120, no music after two.", x=180, y=640, width=300, height=24)
    page.freeTextAnnotation("Approved, B. Moe", "/Helv 10 Tf 0 g", [60, 560, 200, 590])
    page.highlightAnnotation("Check the deposit.", [60, 776, 150, 790], QuadPoints=[60, 790, 150, 790, 60, 776, 150, 776])  # fmt: skip


def _book() -> bytes:
    """Contents with leaders, chapters, running heads that change, a listing, a table over two columns of text, nested lists."""
    out = io.BytesIO()
    styles = getSampleStyleSheet()
    body = ParagraphStyle("b", parent=styles["Normal"], fontName="Times-Roman", fontSize=11, leading=14, spaceAfter=6)
    contents = TableOfContents(dotsMinLevel=0)
    table = Table([["mesh", "herring", "sprat"], ["32 mm", "yes", "no"], ["16 mm", "no", "yes, from\nMay on"]], style=[("GRID", (0, 0), (-1, -1), 0.4, colors.grey)])  # fmt: skip
    flow: list[Flowable] = [Paragraph("Nets and knots", styles["Title"]), contents]
    for number, (title, text) in enumerate((("Mending", "A torn mesh is cut back to three sound bars before the needle is filled."), ("Tarring", "Tar is warmed in a double boiler; it must never see an open flame."), ("Storing", "Dry nets hang from pegs so that mice cannot climb them.")), 1):  # fmt: skip
        flow += [Paragraph(f"Chapter {number}", styles["Heading3"]), Paragraph(title, styles["Heading1"])]
        flow += [Paragraph(f"{text} This is said of net number {n}." if n > 1 else text, body) for n in range(1, 22)]
        if number == 1:
            flow += [table, Preformatted("needle --fill 12\n    twine.dat", styles["Code"])]
        if number == 2:
            inner = ListFlowable([Paragraph("to forty degrees", body), Paragraph("stirring all the while", body)], bulletType="bullet")  # fmt: skip
            flow += [ListFlowable([Paragraph("Warm the tar", body), inner, Paragraph("Dip the net", body)], bulletType="1"), Indenter(left=20), Paragraph("Indented remark: gloves are burnt afterwards.", body), Indenter(left=-20)]  # fmt: skip

    class Report(SimpleDocTemplate):  # type: ignore[misc]
        chapter = ""

        def afterFlowable(self, flowable: Flowable) -> None:  # noqa: N802 - the name of the library
            if isinstance(flowable, Paragraph) and flowable.style.name == "Heading1":
                self.chapter = flowable.getPlainText()
                self.notify("TOCEntry", (0, self.chapter, self.page))

    def running(page: canvas.Canvas, doc: Report) -> None:
        page.setFont("Helvetica", 8)
        page.drawString(72, 800, f"Nets and knots | {doc.chapter}")
        page.drawCentredString(300, 30, f"Page {doc.page}")

    Report(out, pagesize=A4, invariant=1).multiBuild(flow, onFirstPage=running, onLaterPages=running)
    return out.getvalue()


def _mixed(page: canvas.Canvas) -> None:
    """A page upside down for the printer, a watermark across, a page number in the margin, text in white, margin notes."""
    page.setFont("Times-Roman", 11)
    draw_lines(page, ("The ice is measured at three holes each morning.", "Below twelve centimetres the rink stays closed, and the flag is taken down."), (160, 760))  # fmt: skip
    page.setFont("Times-Italic", 8)
    draw_lines(page, ("see also", "chapter 4"), (60, 760), 10)
    page.setFillColorRGB(1, 1, 1)
    page.setFont("Times-Roman", 11)
    page.drawString(60, 500, "WHITEWORD on white")
    page.setFillColorRGB(0, 0, 0)
    page.showPage()
    page.setPageRotation(180)
    page.translate(A4[0], A4[1])
    page.rotate(180)
    page.setFont("Times-Roman", 11)
    draw_lines(
        page, ("The second page stands on its head for the binder.", "Skates are lent for 2.50 an hour."), (60, 760)
    )


def _cards(page: canvas.Canvas) -> None:
    """Labels on a sheet: three columns of addresses, and a form of labels with values far to the right."""
    page.setFont("Helvetica", 9)
    people = (("Ada Berg", "Pier 1", "Moss"), ("Bo Lie", "Quay 22", "Horten"), ("Cy Ask", "Mole 3", "Larvik"))
    for y in (780, 700):
        for x, lines in zip((50, 230, 410), people, strict=True):
            draw_lines(page, lines, (x, y), 12)
    for row, (label, value) in enumerate((("Engine no.", "88-1204"), ("Length", "8.25 m"), ("Built", "1987"))):
        page.drawString(50, 600 - 14 * row, label)
        page.drawString(320, 600 - 14 * row, value)


def pdfs() -> list[EverydayFile]:
    """Return PDFs; those of a browser only where there is one."""
    bodies = [PAGE.format(lang=lang, css=css, body=body) for _, body, css, lang, _ in PRINTED]
    of_browser = [EverydayFile(name, content, wanted["keeps"], wanted["never"], headings=wanted.get("headings", ()), code=wanted.get("code", ()), tables=wanted.get("tables", ()), lists=wanted.get("lists", ()), order=wanted.get("order", ())) for (name, *_, wanted), content in zip(PRINTED, printed_pages(bodies), strict=True)] if has_browser() else []  # fmt: skip
    return [
        *of_browser,
        EverydayFile("pdf/tides.pdf", raw(plain_objects(b"\n".join(TEX_LINES), font=b"<</Type/Font/Subtype/Type1/BaseFont/Times-Roman>>")), ("The gauge was installed in 1931 by a self-taught keeper.", "Today a wave-driven counter reads every ten minutes;", "Horten .. 0.42 .. 1.10", "Moss .. 0.38 .. 0.97", "All heights are in metres."), ("in-stalled", "0.421.10", "wavedriven"), headings=("Tides of the inner bay",)),
        EverydayFile("pdf/closing.pdf", drawn_page(_compounds), ("Never wedge a self-closing door, and report a fire-resistant panel that is scratched.", "the cross-border permit is issued by the district office.", "Twenty-three rooms and a Smith-Jones lock are left, and the 24-hour desk helps; pre- and post-war keys differ."), ("selfclosing", "fireresistant", "24hour", "dis-trict", "SmithJones", "Twentythree")),
        EverydayFile("pdf/booking.pdf", drawn_page(_fields), ("Booking of the hall", "Remarks"), (), or_warned=("Wedding of the Lunds", "Saturday", "Chairs for 120, no music after two.", "Approved, B. Moe", "Check the deposit.")),
        EverydayFile("pdf/nets.pdf", _book(), ("A torn mesh is cut back to three sound bars before the needle is filled.", "Tar is warmed in a double boiler; it must never see an open flame.", "32 mm .. yes .. no", "Dip the net", "to forty degrees", "Indented remark: gloves are burnt afterwards.", "Dry nets hang from pegs so that mice cannot climb them. This is said of net number 21."), (". . . .", "| Tarring This"), headings=("Nets and knots", "Mending", "Tarring", "Storing"), tables=("16 mm .. no",), code=("needle --fill 12",), order=("A torn mesh", "32 mm", "Tar is warmed", "Warm the tar", "Dry nets hang")),
        EverydayFile("pdf/rink.pdf", drawn_page(_mixed), ("Below twelve centimetres the rink stays closed, and the flag is taken down.", "The second page stands on its head for the binder.", "Skates are lent for 2.50 an hour."), ("also The ice", "see also Below"), order=("Below twelve", "second page")),
        EverydayFile("pdf/labels.pdf", drawn_page(_cards), ("Engine no. .. 88-1204", "Length .. 8.25 m", "Quay 22", "Larvik"), ("no.88", "m1987"), order=("Ada Berg", "Engine no.")),
    ]  # fmt: skip
