"""Writes the binary documents of the sample corpus: `uv run python examples/build_handbook.py`.

Running it again gives the same bytes: dates are fixed, and Office packages are packed anew with one
time stamp. The text documents of `handbook/` are files of their own.
"""

from __future__ import annotations

import io
import os
import re
import shutil
import zipfile
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import docx
import openpyxl
import pptx
from handbook_texts import (
    CATALOGUE,
    INCIDENT,
    PRIORITIES,
    PROPOSAL,
    QUESTIONNAIRE,
    SLIDES,
    TERMS,
    About,
    Bullets,
    Grid,
    Heading,
    Part,
    SmallPrint,
)
from openpyxl.styles import Font
from pptx.util import Inches
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import ListFlowable, Paragraph, SimpleDocTemplate, Spacer, Table, TableStyle

HERE = Path(__file__).resolve().parent
HANDBOOK = HERE / "handbook"
BROKEN = HERE / "broken"
PASSWORD = "tarnbrook"  # noqa: S105 - it locks the sample of a locked file
PACKED_AT = (2025, 1, 1, 0, 0, 0)
EPOCH = datetime(1970, 1, 1)


def write_docx(path: Path, about: About, parts: Iterable[Part]) -> None:
    """Write a Word document."""
    document = docx.Document()
    document.add_heading(about.title, 0)
    for part in parts:
        match part:
            case Heading(text, level):
                document.add_heading(text, level)
            case Bullets(items, numbered):
                for item in items:
                    document.add_paragraph(item, style="List Number" if numbered else "List Bullet")
            case Grid(rows):
                table = document.add_table(len(rows), len(rows[0]), style="Table Grid")
                _fill(table, rows)
            case SmallPrint(text):
                document.add_paragraph().add_run(text).italic = True
            case text:
                document.add_paragraph(text)
    _describe(document.core_properties, about)
    packed = io.BytesIO()
    document.save(packed)
    path.write_bytes(repacked(packed.getvalue(), about.written))


def write_pptx(path: Path, about: About) -> None:
    """Write the training: one slide a topic with notes, and a table at the end."""
    deck = pptx.Presentation()
    front = deck.slides.add_slide(deck.slide_layouts[0])
    front.shapes.title.text = about.title
    front.placeholders[1].text = "For everybody who takes a turn as duty engineer; two hours, twice a year"
    for title, bullets, notes in SLIDES:
        slide = deck.slides.add_slide(deck.slide_layouts[1])
        slide.shapes.title.text = title
        slide.placeholders[1].text = "\n".join(bullets)
        slide.notes_slide.notes_text_frame.text = notes
    last = deck.slides.add_slide(deck.slide_layouts[5])
    last.shapes.title.text = "Priorities"
    frame = last.shapes.add_table(len(PRIORITIES), 4, Inches(0.5), Inches(1.8), Inches(9), Inches(3))
    _fill(frame.table, PRIORITIES)
    _describe(deck.core_properties, about)
    packed = io.BytesIO()
    deck.save(packed)
    path.write_bytes(repacked(packed.getvalue(), about.written))


def write_xlsx(path: Path, about: About) -> None:
    """Write the catalogue, one sheet a table."""
    book = openpyxl.Workbook()
    book.remove(book.worksheets[0])
    for name, rows in CATALOGUE.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
        for cell in sheet[1]:
            cell.font = Font(bold=True)
    book.properties.title, book.properties.creator = about.title, about.author
    book.properties.created = about.written
    packed = io.BytesIO()
    book.save(packed)
    path.write_bytes(repacked(packed.getvalue(), about.written))


def write_pdf(path: Path, about: About, parts: Iterable[Part], password: str = "") -> None:
    """Write a PDF, locked if there is a password."""
    styles = getSampleStyleSheet()
    styles["BodyText"].spaceAfter = 10
    small = styles["BodyText"].clone("Small", fontName="Helvetica-Oblique", fontSize=8, leading=9.6)
    flow: list[Any] = [Paragraph(about.title, styles["Title"])]
    for part in parts:
        match part:
            case Heading(text, level):
                flow.append(Paragraph(text, styles[f"Heading{level + 1}"]))
            case Bullets(items, numbered):
                shown = [Paragraph(item, styles["BodyText"]) for item in items]
                flow.append(
                    ListFlowable(
                        shown, bulletType="1" if numbered else "bullet", bulletFormat="%s." if numbered else None
                    )
                )
            case Grid(rows):
                table = Table(rows, hAlign="LEFT", spaceBefore=6, spaceAfter=6)
                ruled = ("GRID", (0, 0), (-1, -1), 0.5, colors.grey)
                table.setStyle(TableStyle([ruled, ("FONTNAME", (0, 0), (-1, 0), "Helvetica-Bold")]))
                flow.extend((table, Spacer(1, 6)))
            case SmallPrint(text):
                flow.append(Paragraph(text, small))
            case text:
                flow.append(Paragraph(text, styles["BodyText"]))
    os.environ["SOURCE_DATE_EPOCH"] = str(int((about.written - EPOCH).total_seconds()))  # reportlab's clock
    SimpleDocTemplate(
        str(path),
        pagesize=A4,
        title=about.title,
        author=about.author,
        invariant=1,
        encrypt=StandardEncryption(password, ownerPassword=password, strength=128) if password else None,
    ).build(flow)


def repacked(package: bytes, modified: datetime) -> bytes:
    """Pack an Office package anew with one time stamp, and set when it was last changed."""
    stamp = re.compile(rb"(<dcterms:modified[^>]*>)[^<]*")
    packed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(package)) as old, zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            content = old.read(name)
            if name == "docProps/core.xml":
                content = stamp.sub(rb"\g<1>" + f"{modified.isoformat()}Z".encode(), content)
            entry = zipfile.ZipInfo(name, PACKED_AT)
            entry.compress_type = zipfile.ZIP_DEFLATED
            new.writestr(entry, content)
    return packed.getvalue()


def _fill(table: Any, rows: Sequence[Sequence[str]]) -> None:
    for r, row in enumerate(rows):
        for c, content in enumerate(row):
            table.cell(r, c).text = content


def _describe(properties: Any, about: About) -> None:
    properties.title, properties.author, properties.last_modified_by = about.title, about.author, about.author
    properties.created = properties.modified = about.written
    properties.comments = ""


def main() -> None:
    """Write everything."""
    for folder in (HANDBOOK / "uploads", BROKEN):
        folder.mkdir(parents=True, exist_ok=True)
    questionnaire = HANDBOOK / "security-questionnaire.docx"
    about = About("Security questionnaire for Ullswater Building Society", "Hesper Rowan", datetime(2025, 4, 2, 10))
    write_docx(questionnaire, about, QUESTIONNAIRE)
    about = About("Proposal to Lowther Parish Council", "Tove Ashby", datetime(2025, 4, 14, 16, 30))
    write_docx(HANDBOOK / "proposal-lowther.docx", about, PROPOSAL)
    about = About("Terms of service", "Lorne Whitcombe", datetime(2024, 1, 15, 9))
    write_pdf(HANDBOOK / "terms-of-service.pdf", about, TERMS)
    shutil.copyfile(HANDBOOK / "terms-of-service.pdf", HANDBOOK / "uploads" / "terms-final-signed.pdf")
    about = About("Report on the outage of 14 March 2025", "Anna Redmayne", datetime(2025, 3, 21, 11))
    write_pdf(HANDBOOK / "incident-report-2025-03.pdf", about, INCIDENT)
    about = About("Service catalogue 2025", "Lorne Whitcombe", datetime(2025, 1, 6, 8, 30))
    write_xlsx(HANDBOOK / "service-catalogue.xlsx", about)
    about = About("Incident training", "Anna Redmayne", datetime(2025, 5, 19, 13))
    write_pptx(HANDBOOK / "incident-training.pptx", about)

    whole = questionnaire.read_bytes()
    (BROKEN / "truncated.docx").write_bytes(whole[: len(whole) // 3])
    (BROKEN / "empty.txt").write_bytes(b"")
    about = About("Salary bands", "Anwen Pryce", datetime(2025, 2, 1, 9))
    write_pdf(BROKEN / "locked.pdf", about, ("Nobody should read this without the password.",), PASSWORD)


if __name__ == "__main__":
    main()
