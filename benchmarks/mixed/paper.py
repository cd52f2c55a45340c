# ruff: noqa: E501
"""PDF, printed by a browser and drawn by hand, and pictures of text."""

from __future__ import annotations

import io
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont
from reportlab.lib.pagesizes import A4
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen import canvas

from benchmarks.mixed.case import MixedFile

PRINT = "<meta charset=utf-8><style>@page{{size:A4;margin:20mm}} body{{font:11pt 'Liberation Serif'}} {css}</style><body lang={lang}>{body}"
FILLER = "The crew checks ropes, hooks and lamps before each shift, and writes into the green book whatever is worn. "
COLUMNS = (
    "<h1>Harbour bulletin</h1><div style='columns:2;text-align:justify;hyphens:auto'><p>The dredger works in the outer basin from Monday until the end of the month, and small boats keep to the eastern "
    f"channel meanwhile. {FILLER}</p><p>Administration of the warehouses is transferred to the superintendent in November. {FILLER * 3}</p><p>Extraordinarily heavy "
    f"consignments are announced twenty-four hours beforehand at the weighbridge. {FILLER * 3}</p><p>The last paragraph stands at the foot of the second column.</p></div>"
)
FIGURES = "<h1>Readings</h1><table><tr><th>gauge</th><th>May</th><th>June</th><th>sum</th></tr>{}</table><p>All readings are in litres.</p>"
ROWS = "".join(
    f"<tr><td>G{n}</td><td>{n * 137.03:.2f}</td><td>{n}</td><td>{n * 1000 + n}</td></tr>" for n in range(1, 13)
)
MERGED = (
    "<h1>Wages</h1><table border=1 style='border-collapse:collapse'><tr><th rowspan=2>grade</th><th colspan=2>hour</th></tr><tr><th>day</th><th>night</th></tr><tr><td>fitter</td><td>18.40</td><td>22.10</td></tr>"
    "<tr><td>welder with a certificate of the second class, tested once a year</td><td>21.05</td><td>25.30</td></tr></table>"
)
NOTES = "".join(
    f"<div style='page-break-after:always'><p>Page {n} of the manual tells about valve V{n}{n}. {FILLER * 2}</p><p style='position:absolute;bottom:0;font-size:8pt'><sup>{n}</sup> Valve V{n}{n} was built in 19{n}4.</p></div>"
    for n in (5, 6, 7)
)
PRINTED = (
    ("columns.pdf", COLUMNS, "", "en", ("The dredger works in the outer basin from Monday until the end of the month, and small boats keep to the eastern channel meanwhile.",
        "Administration of the warehouses is transferred to the superintendent in November.", "Extraordinarily heavy consignments are announced twenty-four hours beforehand at the weighbridge.",
        "The last paragraph stands at the foot of the second column."), ()),
    ("figures.pdf", FIGURES.format(ROWS), "td,th{padding:0 3pt;text-align:right}", "en", ("G3 .. 411.09 .. 3 .. 3003", "G12 .. 1644.36 .. 12 .. 12012", "All readings are in litres."), ("411.093", "33003", "1644.3612", "1212012")),
    ("tight.pdf", FIGURES.format(ROWS), "td,th{padding:0 1pt;text-align:right} table{border-spacing:0}", "en", ("G7 .. 959.21 .. 7 .. 7007",), ("959.217", "77007")),
    ("merged.pdf", MERGED, "td,th{padding:2pt 6pt} td{max-width:60mm}", "en", ("fitter .. 18.40 .. 22.10", "21.05 .. 25.30"), ("18.4022", "21.0525")),
    ("notes.pdf", NOTES, "", "en", ("Page 6 of the manual tells about valve V66.", "Valve V66 was built in 1964."), ("6Valve",)),
    ("german.pdf", "<div style='width:52mm;hyphens:auto;text-align:justify'><p>Die Wohnungsgenossenschaft erneuert im Frühjahr sämtliche Heizungsanlagen der Lindenstraße. Während der Bauarbeiten bleibt der Durchgang zum Fahrradkeller gesperrt.</p></div>", "", "de",
        ("Die Wohnungsgenossenschaft erneuert im Frühjahr sämtliche Heizungsanlagen der Lindenstraße.", "Während der Bauarbeiten bleibt der Durchgang zum Fahrradkeller gesperrt."), ("genossen-schaft",)),
    ("hebrew.pdf", "<div dir=rtl style=\"font:14pt 'DejaVu Sans'\"><h1>הודעה לדיירים</h1><p>המעלית תושבת ביום שלישי לצורך בדיקה שנתית.</p></div>", "", "he", ("המעלית תושבת ביום שלישי לצורך בדיקה שנתית.",), ()),
    ("lists.pdf", "<h1>Leaving</h1><ol><li>Shut the stopcock<ul><li>it is behind the boiler</li></ul></li><li>Hand in the keys</li></ol><pre>lock --all\n  --force</pre><h2>See also</h2><p>Chapter 4, <sup>2</sup>⁄<sub>3</sub> of it; CO<sub>2</sub> alarm; office fi ﬂ ligatures: office, flow.</p>", "", "en",
        ("Shut the stopcock", "it is behind the boiler", "Hand in the keys", "lock --all"), ()),
)  # fmt: skip


def has_browser() -> bool:
    """Return whether a browser can print pages."""
    return bool(_chromium())


def _chromium() -> str:
    return next((p for name in ("chromium", "chromium-browser", "google-chrome") if (p := shutil.which(name))), "")


def printed_pages(pages: Sequence[str]) -> list[bytes]:
    """Return HTML pages as a browser prints them to PDF."""
    done = []
    with tempfile.TemporaryDirectory() as folder:
        for number, page in enumerate(pages):
            html, pdf = Path(folder, f"{number}.html"), Path(folder, f"{number}.pdf")
            html.write_text(page, "utf-8")
            subprocess.run(
                [_chromium(), "--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer", f"--user-data-dir={folder}/profile", f"--print-to-pdf={pdf}", html.as_uri()],
                check=True, capture_output=True, timeout=120,
            )  # fmt: skip
            done.append(pdf.read_bytes())
    return done


def printed() -> list[MixedFile]:
    """PDFs that a browser printed; none where there is no browser."""
    if not _chromium():
        return []
    files = printed_pages([PRINT.format(css=css, lang=lang, body=body) for _, body, css, lang, _, _ in PRINTED])
    return [
        MixedFile(f"pdf/{name}", pdf, keeps, never)
        for pdf, (name, _, _, _, keeps, never) in zip(files, PRINTED, strict=True)
    ]


def _drawn(password: str = "") -> bytes:
    out = io.BytesIO()
    lock = StandardEncryption(password, canPrint=0) if password else None
    page = canvas.Canvas(out, A4, encrypt=lock, invariant=1)
    for number in (1, 2, 3):
        page.setFont("Helvetica", 8)
        page.drawString(60, 810, "Rules of the ski club - edition 2025")
        page.drawString(280, 30, f"{number} / 3")
        page.setFont("Helvetica", 11)
        lines = (f"Rule {number}: the lift stops when the wind exceeds {number}0 metres a", "second, and nobody may ride up on foot, not even the pa-", f"trol. Hut {number} stays open for {number + 4} hours.")  # fmt: skip
        for at, line in enumerate(lines):
            page.drawString(60, 760 - 14 * at, line)
        for at, row in enumerate(
            (("piste", "km", "rank"), (f"P{number}", f"{number}.75", "8"), ("Total", "400.01", "3"))
        ):
            for x, cell in zip((60, 120, 152), row, strict=True):
                page.drawRightString(x + 30, 690 - 14 * at, cell)
        page.saveState()
        page.translate(560, 300)
        page.rotate(90)
        page.drawString(0, 0, f"Sideways remark number {number}.")
        page.restoreState()
        page.showPage()
    page.save()
    return out.getvalue()


def drawn() -> list[MixedFile]:
    """PDFs drawn by hand, whole, locked and cut."""
    whole = _drawn()
    return [
        MixedFile(
            "pdf/club.pdf",
            whole,
            (
                "Rule 2: the lift stops when the wind exceeds 20 metres a second, and nobody may ride up on foot, not even the patrol.",
                "Hut 3 stays open for 7 hours.",
                "P2 .. 2.75 .. 8",
                "Sideways remark number 1.",
            ),
            ("2.758", "400.013"),
        ),
        MixedFile("pdf/locked.pdf", _drawn("open sesame"), (), (), True),
        MixedFile("pdf/cut.pdf", whole[: len(whole) // 3], (), (), None),
        MixedFile("pdf/really.txt", whole, ("Hut 3 stays open for 7 hours.",), ("%PDF", "endobj"), None),
    ]


def _picture(lines: Sequence[str], size: tuple[int, int] = (1240, 700)) -> Image.Image:
    picture = Image.new("RGB", size, "white")
    font = ImageFont.truetype("DejaVuSans.ttf", 30)
    for at, line in enumerate(lines):
        ImageDraw.Draw(picture).text((80, 80 + at * 52), line, fill=(20, 20, 30), font=font)
    return picture


def _saved(picture: Image.Image, form: str, **options: object) -> bytes:
    out = io.BytesIO()
    picture.copy().save(out, form, **options)
    return out.getvalue()


def pictures() -> list[MixedFile]:
    """Pictures of text, and a scanned PDF."""
    notice = _picture(
        ("To all tenants", "The chimney sweep comes on Thursday", "between eight and ten in the morning.")
    )
    second = _picture(("Page two of the letter", "The rent rises by 14 crowns in July."))
    return [
        MixedFile(
            "pictures/notice.png",
            _saved(notice, "PNG"),
            ("The chimney sweep comes on Thursday between eight and ten in the morning.",),
        ),
        MixedFile("pictures/really_png.jpg", _saved(second, "PNG"), ("The rent rises by 14 crowns in July.",)),
        MixedFile(
            "pictures/letter.tiff",
            _saved(notice, "TIFF", save_all=True, append_images=[second.copy()]),
            ("The chimney sweep comes on Thursday", "The rent rises by 14 crowns in July."),
        ),
        MixedFile(
            "pictures/scan.pdf",
            _saved(notice, "PDF", save_all=True, append_images=[second.copy()], resolution=150),
            ("The chimney sweep comes on Thursday", "The rent rises by 14 crowns in July."),
        ),
        MixedFile("pictures/blank.png", _saved(Image.new("RGB", (600, 400), "ivory"), "PNG"), (), (), True),
        MixedFile("pictures/cut.png", _saved(notice, "PNG")[:400], (), (), True),
    ]
