# ruff: noqa: E501
"""Word, Excel, PowerPoint, OpenDocument, RTF and e-books."""

from __future__ import annotations

import io
from datetime import date, time
from typing import Any

import docx
import openpyxl
import pptx
from docx.oxml import parse_xml
from openpyxl.comments import Comment
from pptx.util import Inches

from benchmarks.mixed.case import MixedFile, zipped

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
TRACKED = f"""<w:p {W}><w:r><w:t xml:space="preserve">The deposit is </w:t></w:r><w:del w:id="1" w:author="a"><w:r>
<w:delText>300</w:delText></w:r></w:del><w:ins w:id="2" w:author="a"><w:r><w:t>450</w:t></w:r></w:ins><w:r>
<w:t xml:space="preserve"> crowns.</w:t></w:r></w:p>"""
MOVED = f"""<w:p {W}><w:moveFrom w:id="3" w:author="a"><w:r><w:t>Old place of this line.</w:t></w:r></w:moveFrom><w:moveTo w:id="4"
 w:author="a"><w:r><w:t>Dogs wait at the gate.</w:t></w:r></w:moveTo></w:p>"""
SIGNS = f"""<w:p {W}><w:r><w:t>Check</w:t><w:noBreakHyphen/><w:t>in ends at 18:00; the re</w:t><w:softHyphen/><w:t>ception is</w:t><w:tab/>
<w:t>closed</w:t><w:br/><w:t>on Sundays.</w:t></w:r></w:p>"""
LINKED = f"""<w:p {W}><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> HYPERLINK "https://x.example" </w:instrText></w:r>
<w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>The house rules</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>
<w:r><w:t xml:space="preserve"> hang in the hall.</w:t></w:r></w:p>"""
HIDDEN = f"""<w:p {W}><w:r><w:t xml:space="preserve">The cellar is dry. </w:t></w:r><w:r><w:rPr><w:vanish/></w:rPr><w:t>Draft remark of the editor.</w:t></w:r></w:p>"""
CHOICE = f"""<w:p {W} xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"
 xmlns:v="urn:schemas-microsoft-com:vml"><w:r><mc:AlternateContent><mc:Choice Requires="wps"><wps:txbx><w:txbxContent><w:p><w:r><w:t>Boxed: ring the brass bell.</w:t></w:r></w:p>
</w:txbxContent></wps:txbx></mc:Choice><mc:Fallback><w:pict><v:textbox><w:txbxContent><w:p><w:r><w:t>Boxed: ring the brass bell.</w:t></w:r></w:p></w:txbxContent></v:textbox></w:pict>
</mc:Fallback></mc:AlternateContent></w:r></w:p>"""
FORMULA = f"""<w:p {W} xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"><w:r><w:t xml:space="preserve">Load is </w:t></w:r><m:oMath><m:f><m:num>
<m:r><m:t>9</m:t></m:r></m:num><m:den><m:r><m:t>16</m:t></m:r></m:den></m:f></m:oMath><w:r><w:t xml:space="preserve"> of the limit.</w:t></w:r></w:p>"""


def _saved(document: Any) -> bytes:
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def _word(*markup: str) -> bytes:
    document = docx.Document()
    for one in markup:
        document.element.body.insert(len(document.element.body) - 1, parse_xml(one))
    return _saved(document)


def _word_tables() -> bytes:
    document = docx.Document()
    document.add_heading("Moorings", 1)
    rows = (
        ("berth", "fee", "", "depth"),
        ("", "day", "week", ""),
        ("A", "400.01", "3", "2.5"),
        ("B", "512.5", "7", "1.75"),
    )
    table = document.add_table(rows=4, cols=4)
    for y, row in enumerate(rows):
        for x, text in enumerate(row):
            table.cell(y, x).text = text
    table.cell(0, 1).merge(table.cell(0, 2))
    table.cell(0, 0).merge(table.cell(1, 0))
    inner = table.cell(3, 3).add_table(1, 2)
    inner.cell(0, 0).text, inner.cell(0, 1).text = "low 1.1", "high 3.3"
    document.add_paragraph("Ropes are doubled in autumn.")
    section = document.sections[0]
    section.header.paragraphs[0].text = "Harbour office, edition 9"
    section.footer.paragraphs[0].text = "Questions to desk 14."
    return _saved(document)


def _word_lists() -> bytes:
    document = docx.Document()
    document.add_heading("Closing the kiln", 2)
    for text, style in (
        ("Let the kiln cool", "List Number"),
        ("below 90 degrees", "List Bullet 2"),
        ("Open the damper", "List Number"),
    ):
        document.add_paragraph(text, style=style)
    document.add_paragraph("Table 2: firing times", style="Caption")
    document.add_paragraph("Ein Wort mit Tür und Ofen.", style="Quote")
    return _saved(document)


def _word_notes() -> bytes:
    plain = docx.Document()
    plain.add_paragraph("The archive opens on request")
    reference = f'<w:r {W}><w:footnoteReference w:id="2"/></w:r>'
    plain.paragraphs[0]._p.append(parse_xml(reference))
    source = zipped_parts(_saved(plain))
    notes = f'<w:footnotes {W}><w:footnote w:id="0" w:type="separator"><w:p/></w:footnote><w:footnote w:id="2"><w:p><w:r><w:t>Ask Mr Quill two days before.</w:t></w:r></w:p></w:footnote></w:footnotes>'
    source["word/footnotes.xml"] = notes.encode()
    source["word/_rels/document.xml.rels"] = source["word/_rels/document.xml.rels"].replace(
        b"</Relationships>", b'<Relationship Id="rIdN" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/footnotes" Target="footnotes.xml"/></Relationships>')  # fmt: skip
    source["[Content_Types].xml"] = source["[Content_Types].xml"].replace(
        b"</Types>", b'<Override PartName="/word/footnotes.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.footnotes+xml"/></Types>')  # fmt: skip
    return zipped(source)


def zipped_parts(package: bytes) -> dict[str, bytes]:
    """Return the members of a ZIP."""
    import zipfile

    with zipfile.ZipFile(io.BytesIO(package)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def word() -> list[MixedFile]:
    """Word documents."""
    rtl = f"<w:p {W}><w:pPr><w:bidi/></w:pPr><w:r><w:rPr><w:rtl/></w:rPr><w:t>يبدأ الدوام في الساعة السابعة والنصف صباحا.</w:t></w:r></w:p>"
    return [
        MixedFile(
            "word/tables.docx",
            _word_tables(),
            (
                "A .. 400.01 .. 3 .. 2.5",
                "B .. 512.5 .. 7",
                "low 1.1",
                "high 3.3",
                "Ropes are doubled in autumn.",
                "Questions to desk 14.",
            ),
            ("400.013", "512.57", "1.75low", "32.5"),
        ),
        MixedFile(
            "word/lists.docx",
            _word_lists(),
            ("Let the kiln cool", "below 90 degrees", "Open the damper", "Table 2: firing times"),
            ("coolbelow",),
        ),
        MixedFile(
            "word/tracked.docx",
            _word(TRACKED, MOVED),
            ("The deposit is 450 crowns.", "Dogs wait at the gate."),
            ("300", "Old place"),
        ),
        MixedFile(
            "word/signs.docx",
            _word(SIGNS, LINKED),
            ("in ends at 18:00; the reception is closed on Sundays.", "The house rules hang in the hall."),
            ("HYPERLINK", "closedon", "isclosed", "Checkin"),
        ),
        MixedFile(
            "word/hidden.docx",
            _word(HIDDEN, CHOICE),
            ("The cellar is dry.", "Boxed: ring the brass bell."),
            ("Boxed: ring the brass bell. Boxed",),
        ),
        MixedFile("word/formula.docx", _word(FORMULA), ("Load is (9)/(16) of the limit.",), ("916",)),
        MixedFile("word/notes.docx", _word_notes(), ("The archive opens on request", "Ask Mr Quill two days before.")),
        MixedFile("word/rtl.docx", _word(rtl), ("يبدأ الدوام في الساعة السابعة والنصف صباحا.",)),
        MixedFile("word/empty.docx", _saved(docx.Document()), (), (), True),
        MixedFile("word/cut.docx", _word_tables()[:9000], (), (), True),
        MixedFile("word/really.pdf", _word_tables(), ("Ropes are doubled in autumn.",), (), None),
    ]


def _workbook() -> bytes:
    book: Any = openpyxl.Workbook()
    fees = book.active
    fees.title = "Fees"
    fees["A1"], fees["B1"] = "Fees of the marina", None
    fees.merge_cells("A1:D1")
    for row in (
        ("berth", "from", "share", "sum"),
        ("N1", date(2025, 3, 9), 0.125, 1234.5),
        ("N2", date(2025, 11, 30), 1, 400.01),
    ):
        fees.append(row)
    for y in (3, 4):
        fees.cell(y, 2).number_format, fees.cell(y, 3).number_format, fees.cell(y, 4).number_format = (
            "dd/mm/yyyy",
            "0.0%",
            '#,##0.00 "EUR"',
        )
    fees["D4"].comment = Comment("paid in two parts", "Ida")
    fees["A7"], fees["B7"] = "phone", "0041 44 5550"
    fees["A8"], fees["B8"] = "opens", time(7, 30)
    fees["A9"], fees["B9"] = "heated", True
    fees["A10"], fees["B10"] = "big", 123456789012345
    store = book.create_sheet("Store")
    for part in (
        ("part", "count", "remark"),
        ("rope", 12, "two lines\nof remark"),
        ("buoy", 3, None),
        (None, None, None),
        ("second", "table", "here"),
        ("x", 1.0, "#N/A"),
    ):
        store.append(part)
    store.merge_cells("A2:A3")
    secret = book.create_sheet("Hidden")
    secret["A1"] = "The spare lamp is in crate 8."
    secret.sheet_state = "hidden"
    return _saved(book)


def _computed() -> bytes:
    book: Any = openpyxl.Workbook()
    book.active.append(("item", "net", "gross"))
    book.active.append(("oil", 100, "=B2*1.19"))
    parts = zipped_parts(_saved(book))
    sheet = parts["xl/worksheets/sheet1.xml"]
    parts["xl/worksheets/sheet1.xml"] = sheet.replace(b"<f>B2*1.19</f><v></v>", b"<f>B2*1.19</f><v>119</v>").replace(
        b"<f>B2*1.19</f><v />", b"<f>B2*1.19</f><v>119</v>"
    )
    return zipped(parts)


def _uncomputed() -> bytes:
    book: Any = openpyxl.Workbook()
    book.active.append(("item", "net", "gross"))
    book.active.append(("tar", 50, "=B2*1.19"))
    return _saved(book)


def sheets() -> list[MixedFile]:
    """Return workbooks of Excel."""
    return [
        MixedFile(
            "excel/marina.xlsx",
            _workbook(),
            (
                "Fees of the marina",
                "N1 .. 12.5%",
                "N2 .. 400.01",
                "0041 44 5550",
                "rope .. 12 .. two lines of remark",
                "rope .. 3",
                "The spare lamp is in crate 8.",
                "paid in two parts",
                "7:30",
                "123456789012345",
            ),
            ("1.23457e", "1.2345678901234568e", "45725"),
        ),
        MixedFile("excel/computed.xlsx", _computed(), ("oil .. 100 .. 119",), ("=B2",)),
        MixedFile("excel/uncomputed.xlsx", _uncomputed(), ("tar .. 50",), (), False, ("formula",)),
        MixedFile("excel/really.csv", _computed(), ("oil .. 100 .. 119",), ("PK",), None),
        MixedFile("excel/empty.xlsx", _saved(openpyxl.Workbook()), (), (), True),
    ]


def _slides() -> bytes:
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    slide.shapes.title.text = "Ferry in winter"
    body = slide.placeholders[1].text_frame
    body.text = "Sails at 6:10"
    body.add_paragraph().text = "Carries 40 cars"
    body.paragraphs[1].level = 1
    slide.notes_slide.notes_text_frame.text = "Say that the ramp is icy."
    table = slide.shapes.add_table(3, 3, Inches(1), Inches(3), Inches(5), Inches(1)).table
    for y, row in enumerate((("ship", "knots", "crew"), ("Alma", "14.5", "6"), ("Brit", "12", "4"))):
        for x, text in enumerate(row):
            table.cell(y, x).text = text
    table.cell(0, 1).merge(table.cell(0, 2))
    group = slide.shapes.add_group_shape()
    group.shapes.add_textbox(
        Inches(1), Inches(5), Inches(3), Inches(1)
    ).text_frame.text = "Grouped: vests lie under the bench."
    blank = deck.slides.add_slide(deck.slide_layouts[6])
    box = blank.shapes.add_textbox(Inches(1), Inches(1), Inches(5), Inches(1)).text_frame
    box.text = "First\vsecond line of a box"
    return _saved(deck)


def slides() -> list[MixedFile]:
    """Presentations."""
    return [
        MixedFile(
            "slides/ferry.pptx",
            _slides(),
            (
                "Ferry in winter",
                "Sails at 6:10",
                "Carries 40 cars",
                "Say that the ramp is icy.",
                "Alma .. 14.5 .. 6",
                "Grouped: vests lie under the bench.",
                "second line of a box",
            ),
            ("14.56", "Firstsecond", "6:10Carries"),
        )
    ]


ODF = ('xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" '
       'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:dc="http://purl.org/dc/elements/1.1/" '
       'xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:presentation="urn:oasis:names:tc:opendocument:xmlns:presentation:1.0"')  # fmt: skip
ODT_BODY = (
    '<text:tracked-changes><text:changed-region text:id="c"><text:deletion><text:p>Deleted: 999 crowns.</text:p></text:deletion></text:changed-region></text:tracked-changes>'
    '<text:h text:outline-level="1">Orchard</text:h><text:p>Apples<text:s text:c="2"/>are<text:tab/>picked<text:line-break/>in <text:span>Sept</text:span>ember<text:note text:note-class="footnote">'
    '<text:note-citation>1</text:note-citation><text:note-body><text:p>Pears follow in October.</text:p></text:note-body></text:note>.</text:p>'
    '<text:list><text:list-item><text:p>ladder</text:p><text:list><text:list-item><text:p>with eight rungs</text:p></text:list-item></text:list></text:list-item></text:list>'
    '<table:table><table:table-row><table:table-cell table:number-columns-spanned="2"><text:p>row of trees</text:p></table:table-cell><table:covered-table-cell/></table:table-row>'
    '<table:table-row><table:table-cell><text:p>400.01</text:p></table:table-cell><table:table-cell><text:p>3</text:p></table:table-cell></table:table-row></table:table>'
    '<text:p><office:annotation><dc:creator>Jo</dc:creator><text:p>a remark</text:p></office:annotation>Crates hold 18 kg.</text:p>'
)  # fmt: skip
ODS_BODY = (
    '<table:table table:name="Yield"><table:table-row><table:table-cell table:number-rows-spanned="2"><text:p>south</text:p></table:table-cell><table:table-cell office:value-type="float" office:value="1200.45"><text:p>1,200.45</text:p></table:table-cell>'
    '<table:table-cell table:number-columns-repeated="2"><text:p>7</text:p></table:table-cell></table:table-row><table:table-row><table:covered-table-cell/><table:table-cell office:value-type="percentage" office:value="0.5"><text:p>50 %</text:p></table:table-cell>'
    '<table:table-cell office:value-type="date" office:date-value="2025-06-01"><text:p>1 June 2025</text:p></table:table-cell></table:table-row><table:table-row table:number-rows-repeated="1048570"><table:table-cell table:number-columns-repeated="16384"/></table:table-row></table:table>'
)  # fmt: skip
ODP_BODY = '<draw:page draw:name="p1"><draw:frame presentation:class="title"><draw:text-box><text:p>Cider press</text:p></draw:text-box></draw:frame><draw:frame><draw:text-box><text:list><text:list-item><text:p>Press at 40 bar</text:p></text:list-item></text:list></draw:text-box></draw:frame><presentation:notes><draw:frame><draw:text-box><text:p>Mention the spare sieve.</text:p></draw:text-box></draw:frame></presentation:notes></draw:page>'


def _odf(mime: str, kind: str, body: str) -> bytes:
    content = f'<?xml version="1.0" encoding="UTF-8"?><office:document-content {ODF}><office:body><office:{kind}>{body}</office:{kind}></office:body></office:document-content>'
    manifest = f'<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><manifest:file-entry manifest:full-path="/" manifest:media-type="{mime}"/></manifest:manifest>'
    return zipped({"mimetype": mime, "content.xml": content, "META-INF/manifest.xml": manifest}, ("mimetype",))


def open_document() -> list[MixedFile]:
    """OpenDocument."""
    base = "application/vnd.oasis.opendocument."
    flat = f'<?xml version="1.0"?><office:document {ODF} office:mimetype="{base}text"><office:body><office:text>{ODT_BODY}</office:text></office:body></office:document>'
    locked = zipped({
        "mimetype": base + "text", "content.xml": b"\x8f\x11\x02" * 300,
        "META-INF/manifest.xml": '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml" manifest:size="2000"><manifest:encryption-data manifest:checksum="x"/></manifest:file-entry></manifest:manifest>',
    }, ("mimetype",))  # fmt: skip
    text = (
        "are picked in September",
        "Pears follow in October.",
        "with eight rungs",
        "400.01 .. 3",
        "Crates hold 18 kg.",
    )
    return [
        MixedFile("odf/orchard.odt", _odf(base + "text", "text", ODT_BODY), text, ("999", "400.013", "pickedin")),
        MixedFile("odf/flat.fodt", flat.encode(), text, ("999", "400.013")),
        MixedFile(
            "odf/yield.ods",
            _odf(base + "spreadsheet", "spreadsheet", ODS_BODY),
            ("south .. 1,200.45 .. 7 .. 7", "south .. 50 % .. 1 June 2025"),
            ("77", "1,200.457"),
        ),
        MixedFile(
            "odf/cider.odp",
            _odf(base + "presentation", "presentation", ODP_BODY),
            ("Cider press", "Press at 40 bar", "Mention the spare sieve."),
        ),
        MixedFile("odf/locked.odt", locked, (), (), True),
    ]


def others() -> list[MixedFile]:
    """RTF and e-books."""
    rtf = (
        rb"{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0 Arial;}}{\info{\title Saddles}}\pard Saddles are gr\'e4sed in spring; that costs 12 \u8364? each.\par "
        rb"{\b The stable} closes at dusk.{\footnote\pard Dusk is at 16:40 in December.}\par\trowd\cellx1000\cellx2000\intbl horse\cell box\cell\row\trowd\cellx1000\cellx2000\intbl Freya\cell 14\cell\row\pard{\*\generator Riched20;}}"
    )
    opf = '<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Tides</dc:title><dc:creator>M. Reef</dc:creator><dc:language>en</dc:language></metadata><manifest><item id="b" href="two.xhtml" media-type="application/xhtml+xml"/><item id="a" href="one%20a.xhtml" media-type="application/xhtml+xml"/><item id="n" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/></manifest><spine><itemref idref="a"/><itemref idref="b"/></spine></package>'
    page = '<html xmlns="http://www.w3.org/1999/xhtml"><body>{}</body></html>'
    book = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0"><rootfiles><rootfile full-path="OEBPS/c.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
        "OEBPS/c.opf": opf,
        "OEBPS/one a.xhtml": page.format(
            "<h1>Ebb</h1><p>At ebb the ford is passable for two hours.<a href='#n1'><sup>1</sup></a></p><aside id='n1'><p>Not at spring tide.</p></aside>"
        ),
        "OEBPS/two.xhtml": page.format("<h1>Flood</h1><table><tr><td>Mon</td><td>4.2</td><td>9</td></tr></table>"),
        "OEBPS/nav.xhtml": page.format("<nav><ol><li>Ebb</li></ol></nav>"),
    }
    return [
        MixedFile(
            "rtf/saddles.rtf",
            rtf,
            (
                "Saddles are gräsed in spring; that costs 12 € each.",
                "The stable closes at dusk.",
                "Dusk is at 16:40 in December.",
                "Freya .. 14",
            ),
            ("Riched20", "Arial"),
        ),
        MixedFile(
            "epub/tides.epub",
            zipped(book, ("mimetype",)),
            ("At ebb the ford is passable for two hours.", "Not at spring tide.", "Mon .. 4.2 .. 9"),
            ("4.29",),
        ),
        MixedFile(
            "epub/no_spine.epub",
            zipped({"mimetype": "application/epub+zip", "a.xhtml": "<p>x</p>"}, ("mimetype",)),
            (),
            (),
            True,
        ),
    ]
