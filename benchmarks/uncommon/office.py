# ruff: noqa: E501
"""Office files: Word, Excel, PowerPoint, OpenDocument, RTF, e-books."""

from __future__ import annotations

import io
from typing import Any

import openpyxl
import pptx
from openpyxl.comments import Comment
from openpyxl.worksheet.table import Table
from pptx.util import Inches

from benchmarks.awkward.office import book_file, members_of, odf_file
from benchmarks.awkward.word import paragraph, relation, table_row, word_file, word_part, word_table
from benchmarks.mixed.case import zipped
from benchmarks.uncommon.case import UncommonFile

MOVED = (
    "<w:p><w:moveFromRangeStart w:id='1' w:name='m1'/><w:moveFrom w:id='2' w:author='x'><w:r><w:t>MOVEDAWAY the gong is struck at six.</w:t></w:r></w:moveFrom><w:moveFromRangeEnd w:id='1'/></w:p>",
    "<w:p><w:moveToRangeStart w:id='3' w:name='m1'/><w:moveTo w:id='4' w:author='x'><w:r><w:t>The gong is struck at six.</w:t></w:r></w:moveTo><w:moveToRangeEnd w:id='3'/></w:p>",
    "<w:p><w:r><w:t xml:space='preserve'>The fee is </w:t></w:r><w:del w:id='5' w:author='x'><w:r><w:delText>40</w:delText></w:r></w:del><w:ins w:id='6' w:author='x'><w:r><w:t>45</w:t></w:r></w:ins><w:r><w:t xml:space='preserve'> crowns</w:t></w:r><w:commentRangeStart w:id='0'/><w:r><w:t> a year.</w:t></w:r><w:commentRangeEnd w:id='0'/><w:r><w:commentReference w:id='0'/></w:r></w:p>",
    "<w:p><w:r><w:t>The rota</w:t><w:softHyphen/><w:t>tion is weekly; room 12</w:t><w:noBreakHyphen/><w:t>B is shut.</w:t><w:tab/><w:t>End</w:t><w:br/><w:t>of line.</w:t></w:r></w:p>",
    "<w:p><w:r><w:ruby><w:rubyPr/><w:rt><w:r><w:t>かね</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>鐘</w:t></w:r></w:rubyBase></w:ruby></w:r><w:r><w:t>は六時に鳴ります。</w:t></w:r></w:p>",
    "<w:p><w:pPr><w:bidi/></w:pPr><w:r><w:rPr><w:rtl/></w:rPr><w:t>הגונג מצלצל בשש.</w:t></w:r></w:p>",
    "<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>HIDDENRUN</w:t></w:r><w:r><w:rPr><w:caps/></w:rPr><w:t>Silence after ten.</w:t></w:r></w:p>",
)  # fmt: skip
COMMENTS = word_part(
    "comments",
    "<w:comment w:id='0' w:author='Pia'><w:p><w:r><w:t>Ask the board whether pensioners pay.</w:t></w:r></w:p></w:comment>",
)
LEGAL = word_part(
    "numbering",
    "<w:abstractNum w:abstractNumId='7'><w:multiLevelType w:val='multilevel'/><w:lvl w:ilvl='0'><w:start w:val='1'/><w:numFmt w:val='upperRoman'/><w:lvlText w:val='%1.'/></w:lvl><w:lvl w:ilvl='1'><w:start w:val='1'/><w:numFmt w:val='decimal'/><w:isLgl/><w:lvlText w:val='%1.%2'/></w:lvl><w:lvl w:ilvl='2'><w:start w:val='3'/><w:numFmt w:val='lowerRoman'/><w:lvlText w:val='(%3)'/></w:lvl></w:abstractNum><w:num w:numId='71'><w:abstractNumId w:val='7'/></w:num>",
)
FORM = word_table(
    table_row("<w:tcPr><w:gridSpan w:val='3'/></w:tcPr>" + paragraph("Lending of instruments")),
    table_row("<w:tcPr><w:vMerge w:val='restart'/></w:tcPr>" + paragraph("brass"), paragraph("tuba"), paragraph("400.01")),
    table_row("<w:tcPr><w:vMerge/></w:tcPr>" + paragraph(""), paragraph("horn"), paragraph("3")),
    table_row(paragraph("notes"), "<w:tcPr><w:gridSpan w:val='2'/></w:tcPr>" + word_table(table_row(paragraph("valve oil"), paragraph("7.50")), table_row(paragraph("mute"), paragraph("12"))) + paragraph("Ask the caretaker for the case.")),
)  # fmt: skip
BOXED = """<w:p xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" xmlns:v="urn:schemas-microsoft-com:vml"><w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wp:inline><wp:docPr id="9" name="Box" descr="A map of the rehearsal rooms"/><a:graphic><a:graphicData uri="x"><wps:wsp><wps:txbx><w:txbxContent><w:p><w:r><w:t>In the box: chairs are stacked by six.</w:t></w:r></w:p></w:txbxContent></wps:txbx></wps:wsp></a:graphicData></a:graphic></wp:inline></w:drawing></mc:Choice><mc:Fallback><w:pict><v:shape><v:textbox><w:txbxContent><w:p><w:r><w:t>In the box: chairs are stacked by six.</w:t></w:r></w:p></w:txbxContent></v:textbox></v:shape></w:pict></mc:Fallback></mc:AlternateContent></w:r><w:r><w:t>Beside the box.</w:t></w:r></w:p>"""
FIELDS = (
    "<w:p><w:pPr><w:pStyle w:val='Heading1'/></w:pPr><w:r><w:t>Hire of the hall</w:t></w:r></w:p>",
    "<w:p><w:r><w:fldChar w:fldCharType='begin'/></w:r><w:r><w:instrText> HYPERLINK \"https://x.example\" </w:instrText></w:r><w:r><w:fldChar w:fldCharType='separate'/></w:r><w:r><w:t>The price list</w:t></w:r><w:r><w:fldChar w:fldCharType='end'/></w:r><w:r><w:t xml:space='preserve'> is renewed in June.</w:t></w:r></w:p>",
    "<w:p><w:r><w:t xml:space='preserve'>Choose </w:t></w:r><w:sdt><w:sdtPr><w:dropDownList><w:listItem w:value='NOTCHOSEN'/></w:dropDownList></w:sdtPr><w:sdtContent><w:r><w:t>the small hall</w:t></w:r></w:sdtContent></w:sdt><w:r><w:t>.</w:t></w:r><w:smartTag w:element='x'><w:r><w:t xml:space='preserve"
    "'> In Bergen too.</w:t></w:r></w:smartTag></w:p>",
    "<w:p><m:oMathPara><m:oMath><m:r><m:t>A=</m:t></m:r><m:f><m:num><m:r><m:t>1</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t></m:r></m:den></m:f><m:sSup><m:e><m:r><m:t>d</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:oMath></m:oMathPara></w:p>",
    "<w:p><w:r><w:t>Fire door </w:t><w:sym w:font='Wingdings' w:char='F0E0'/><w:t xml:space='preserve'> yard</w:t></w:r><w:r><w:rPr><w:vertAlign w:val='superscript'/></w:rPr><w:t>7</w:t></w:r></w:p>",
)  # fmt: skip


def _legal(level: int, text: str) -> str:
    return paragraph(text, f"<w:numPr><w:ilvl w:val='{level}'/><w:numId w:val='71'/></w:numPr>")


def word() -> list[UncommonFile]:
    """Return documents of Word."""
    clauses = (_legal(0, "Use of the hall"), _legal(0, "Cleaning"), _legal(1, "The floor is swept."), _legal(1, "Windows:"), _legal(2, "inside monthly"), _legal(2, "outside in May"))  # fmt: skip
    return [
        UncommonFile("word/moved.docx", word_file(*MOVED, parts={"word/comments.xml": COMMENTS}, relations=relation("rC", "comments", "comments.xml")), ("The gong is struck at six.", "The fee is 45 crowns a year.", "Ask the board whether pensioners pay.", "room 12-B is shut.", "of line.", "は六時に鳴ります。", "הגונג מצלצל בשש."), ("MOVEDAWAY", "4045", "鐘かね", "かね鐘", "shut.End", "Endof"), or_warned=("HIDDENRUN",)),
        UncommonFile("word/legal.docx", word_file(*clauses, parts={"word/numbering.xml": LEGAL}), ("II. Cleaning", "2.1 The floor is swept.", "(iii) inside monthly", "(iv) outside in May")),
        UncommonFile("word/instruments.docx", word_file(FORM, BOXED), ("brass .. tuba .. 400.01", "brass .. horn .. 3", "valve oil .. 7.50", "Ask the caretaker for the case.", "Lending of instruments", "In the box: chairs are stacked by six.", "Beside the box.", "A map of the rehearsal rooms"), ("400.013", "7.50mute", "six.In the box")),
        UncommonFile("word/hall.docx", word_file(*FIELDS), ("The price list is renewed in June.", "Choose the small hall. In Bergen too.", "yard"), ("HYPERLINK", "NOTCHOSEN", "12d"), headings=("Hire of the hall",)),
    ]  # fmt: skip


def _book() -> bytes:
    book = openpyxl.Workbook()
    rota: Any = book.active
    rota.title = "Rota ☂"
    rota["C7"], rota["D7"], rota["E7"] = "guard", "shift", "hours"
    for number, row in enumerate((("Eva", "dawn", 7.5), ("Finn", "dusk", 12), ("Gro", None, True)), 8):
        for letter, value in zip("CDE", row, strict=True):
            rota[f"{letter}{number}"] = value
    rota.merge_cells("C3:E3")
    rota["C3"] = "Watch of the lighthouse"
    rota["E8"].comment = Comment("Eva leaves early on Fridays.", "x")
    rota["H7"], rota["I7"], rota["H8"], rota["I8"] = "lamp", "watts", "main", 400.01
    rota["H9"], rota["I9"] = "spare", 3
    for name, state, text in (("Old", "hidden", "The fog horn was sold in 1999."), ("Deep", "veryHidden", "The cistern holds nine thousand litres.")):  # fmt: skip
        sheet = book.create_sheet(name)
        sheet.sheet_state = state
        sheet["A1"] = text
    notes = book.create_sheet("Notes")
    notes["A1"] = "First paragraph about the lens.\n\nSecond paragraph: it is wiped with chamois."
    notes["A2"], notes["A3"], notes["A4"] = "00071", "=1+1", "#N/A"
    notes.append(["boat", "crew"])
    notes.append(["Tern", 4])
    notes.add_table(Table(displayName="Boats", ref="A5:B6"))
    notes.row_dimensions[6].hidden = True
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def _rich_strings() -> bytes:
    """Return a workbook with runs, phonetic marks, cached formulas, errors and a drawing with text."""
    files = dict(members_of(_plain_book()))
    sheet = '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c></row><row r="2"><c r="A2" t="str"><f>A1&amp;"x"</f><v>computed words</v></c><c r="B2"><f t="shared" ref="B2:B3" si="0">1+2</f><v>41.5</v></c><c r="C2" t="e"><f>1/0</f><v>#DIV/0!</v></c></row><row r="3"><c r="A3" t="inlineStr"><is><r><t>Written </t></r><r><t>in line</t></r></is></c><c r="B3"><f t="shared" si="0"/><v>42.5</v></c><c r="C3" t="b"><v>1</v></c></row></sheetData></worksheet>'
    strings = '<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" count="2" uniqueCount="2"><si><t>東京</t><rPh sb="0" eb="2"><t>トウキョウ</t></rPh></si><si><r><t xml:space="preserve">Lamp </t></r><r><rPr><b/></rPr><t>room</t></r></si></sst>'
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"
    override = f'<Override PartName="/xl/sharedStrings.xml" ContentType="{kind}"/></Types>'.encode()
    files["[Content_Types].xml"] = files["[Content_Types].xml"].replace(b"</Types>", override)
    files["xl/worksheets/sheet1.xml"], files["xl/sharedStrings.xml"] = sheet.encode(), strings.encode()
    return zipped(files)


def _plain_book() -> bytes:
    book = openpyxl.Workbook()
    sheet: Any = book.active
    sheet["A1"] = "x"
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def sheets() -> list[UncommonFile]:
    """Return workbooks."""
    return [
        UncommonFile("excel/lighthouse.xlsx", _book(), ("Eva .. dawn .. 7.5", "Finn .. dusk .. 12", "Watch of the lighthouse", "Eva leaves early on Fridays.", "main .. 400.01", "spare .. 3", "The fog horn was sold in 1999.", "The cistern holds nine thousand litres.", "Second paragraph: it is wiped with chamois.", "00071", "Tern .. 4"), ("400.013",), None),
        UncommonFile("excel/rich.xlsx", _rich_strings(), ("東京 .. Lamp room", "computed words .. 41.5", "Written in line .. 42.5"), ("トウキョウ", "41.542.5")),
    ]  # fmt: skip


def _slides() -> bytes:
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    slide.shapes.title.text = "Apprentices"
    body = slide.placeholders[1].text_frame
    body.text = "Two start in August"
    more = body.add_paragraph()
    more.text, more.level = "one in the dye house", 2
    slide.notes_slide.notes_text_frame.text = "Mention that the hostel has three beds."
    table = (
        deck.slides.add_slide(deck.slide_layouts[6])
        .shapes.add_table(3, 3, Inches(1), Inches(1), Inches(6), Inches(2))
        .table
    )
    for row, cells in enumerate((("vat", "dye", "kg"), ("V1", "madder", "400.01"), ("V2", "woad", "3"))):
        for column, cell in enumerate(cells):
            table.cell(row, column).text = cell
    table.cell(1, 0).merge(table.cell(2, 0))
    empty = deck.slides.add_slide(deck.slide_layouts[1])
    empty.shapes.title.text = "Questions?\vAsk at the vat"
    line = empty.shapes.add_textbox(Inches(1), Inches(3), Inches(3), Inches(1)).text_frame.paragraphs[0]
    for text, bold in (("Woad ", False), ("stinks", True), (" in summer.", False)):
        run = line.add_run()
        run.text, run.font.bold = text, bold
    out = io.BytesIO()
    deck.save(out)
    return out.getvalue()


def slides() -> list[UncommonFile]:
    """Return presentations."""
    return [
        UncommonFile("slides/dyers.pptx", _slides(), ("Two start in August", "one in the dye house", "Mention that the hostel has three beds.", "V1 .. madder .. 400.01", "woad .. 3", "Woad stinks in summer.", "Ask at the vat"), ("400.013", "Click to", "Questions?Ask"), headings=("Apprentices",)),
    ]  # fmt: skip


ODT = (
    '<text:tracked-changes><text:changed-region text:id="c1"><text:deletion><text:p>DELETEDWORDS of the past.</text:p></text:deletion></text:changed-region></text:tracked-changes>'
    '<text:h text:outline-level="1">The <text:span>weaving</text:span> shed</text:h><text:p>Looms<text:s text:c="3"/>run<text:tab/>until <text:line-break/>dusk.<text:change text:change-id="c1"/></text:p>'
    '<text:p><text:ruby><text:ruby-base>織</text:ruby-base><text:ruby-text>おり</text:ruby-text></text:ruby>機は四台あります。</text:p>'
    '<text:p>Wool is weighed<office:annotation><text:p>On the scale by the door.</text:p></office:annotation> twice<text:note text:note-class="footnote"><text:note-citation>1</text:note-citation><text:note-body><text:p>Wet and dry.</text:p></text:note-body></text:note>.</text:p>'
    '<text:list><text:list-item><text:p>card the wool</text:p><text:list><text:list-item><text:p>by hand only</text:p></text:list-item></text:list></text:list-item><text:list-item><text:p>spin it</text:p></text:list-item></text:list>'
    '<table:table><table:table-column/><table:table-row><table:table-cell table:number-rows-spanned="2"><text:p>loom 1</text:p></table:table-cell><table:table-cell><text:p>warp</text:p></table:table-cell><table:table-cell><text:p>400.01</text:p></table:table-cell></table:table-row>'
    '<table:table-row><table:covered-table-cell/><table:table-cell><text:p>weft</text:p></table:table-cell><table:table-cell><table:table><table:table-row><table:table-cell><text:p>inner red</text:p></table:table-cell><table:table-cell><text:p>3</text:p></table:table-cell></table:table-row></table:table></table:table-cell></table:table-row></table:table>'
    '<text:table-of-content><text:index-body><text:p>TOCENTRY 4</text:p></text:index-body></text:table-of-content><text:soft-page-break/><text:p>The last loom is <text:bookmark-start text:name="b"/>for learners<text:bookmark-end text:name="b"/>.</text:p>'
)  # fmt: skip
ODS = (
    '<table:table table:name="Yarn"><table:table-row table:number-rows-repeated="1000"><table:table-cell table:number-columns-repeated="1024"/></table:table-row><table:table-row><table:table-cell table:number-columns-repeated="2"/><table:table-cell office:value-type="string"><text:p>blue</text:p></table:table-cell><table:table-cell office:value-type="float" office:value="400.01" table:formula="of:=[.A1]*2"><text:p>400.01</text:p></table:table-cell><table:table-cell office:value-type="date" office:date-value="2025-03-04"><text:p>04.03.25</text:p></table:table-cell></table:table-row>'
    '<table:table-row table:visibility="collapse"><table:table-cell/><table:table-cell/><table:table-cell><text:p>grey</text:p></table:table-cell><table:table-cell office:value-type="float" office:value="3"><text:p>3</text:p></table:table-cell></table:table-row><table:table-row table:number-rows-repeated="1047000"><table:table-cell table:number-columns-repeated="16000"/></table:table-row></table:table>'
)  # fmt: skip
ODP = '<draw:page draw:name="p1"><draw:frame presentation:class="title"><draw:text-box><text:p>Weavers wanted</text:p></draw:text-box></draw:frame><draw:frame><draw:text-box><text:list><text:list-item><text:p>mornings only</text:p></text:list-item></text:list></draw:text-box></draw:frame><presentation:notes><draw:frame><draw:text-box><text:p>Say that lunch is free.</text:p></draw:text-box></draw:frame></presentation:notes></draw:page>'
FLAT = '<?xml version="1.0"?><office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" office:mimetype="application/vnd.oasis.opendocument.text"><office:body><office:text><text:p>Flat: the fulling mill is roofless.</text:p></office:text></office:body></office:document>'


def open_document() -> list[UncommonFile]:
    """Return OpenDocument files."""
    locked = '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"><manifest:encryption-data/></manifest:file-entry></manifest:manifest>'
    return [
        UncommonFile("odf/shed.odt", odf_file("text", ODT), ("until", "機は四台あります。", "On the scale by the door.", "Wet and dry.", "by hand only", "loom 1 .. warp .. 400.01", "inner red .. 3", "The last loom is for learners."), ("DELETEDWORDS", "TOCENTRY", "織おり", "untildusk"), headings=("The weaving shed",)),
        UncommonFile("odf/yarn.ods", odf_file("spreadsheet", ODS), ("blue .. 400.01", "grey .. 3"), ("400.0104",)),
        UncommonFile("odf/weavers.odp", odf_file("presentation", ODP.replace("<draw:page", '<draw:page xmlns:presentation="urn:oasis:names:tc:opendocument:xmlns:presentation:1.0"')), ("Weavers wanted", "mornings only", "Say that lunch is free."), ("wantedmornings",)),
        UncommonFile("odf/mill.fodt", FLAT.encode(), ("Flat: the fulling mill is roofless.",)),
        UncommonFile("odf/locked.odt", odf_file("text", "<text:p/>", {"META-INF/manifest.xml": locked, "content.xml": b"\x17\x99" * 40}), (), (), True, refusal="encrypted"),
    ]  # fmt: skip


RTF = (
    rb"{\rtf1\ansi\ansicpg1250\uc1{\fonttbl{\f0\fcharset238 Times;}{\f1\fcharset128 Gothic;}{\f2\fcharset177 David;}}{\stylesheet{\s1 heading 1;}}{\info{\title Rules of the ferry}{\author M. P}}"
    rb"{\header Header: ferry rules, page \chpgn}\pard\s1\b Boarding\b0\par\pard P\'f8evoz kol je zdarma; kl\'ed\'e8n\'edk \rquote n\'e1sto.\par"
    rb"{\f1 \'8c\'ae\'82\'cd\'8e\'96\'96\'b1\'8f\'8a\'81\'42}\par \u1488?\u1489?\u8364 ?12\par"
    rb"{\*\revtbl{Unknown;}}The fare is {\deleted 40}{\revised 45} crowns.{\footnote\pard\plain \chftn Children ride free.}\par"
    rb"{\listtext\f3 \'b7\tab}Hold the rail.\par{\listtext 2)\tab}Mind the gap.\par"
    rb"\trowd\cellx1000\cellx2000\cellx3000\intbl\b cart\cell two\line lines\cell 400.01\cell\row\trowd\cellx1000\cellx2000\cellx3000\intbl mule\cell\cell 3\cell\row\pard"
    rb"{\pict\pngblip 89504e470d0a1a0a}{\object{\*\objclass Word}{\result The result of an object.}}\bin5 "
    + b"\x00\x01}{\x02"
    + rb" After the bytes.\par}"
)


def rich_text() -> list[UncommonFile]:
    """Return RTF and e-books."""
    xhtml = '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><head><title>t</title></head><body>{}</body></html>'
    chapters = {
        "cover.xhtml": xhtml.format('<img src="c.jpg" alt="Cover"/>'),
        "text/ch 1.xhtml": xhtml.format("<h2>Chapter one</h2><p>Lamps are filled on<span>&#160;</span>Saturdays.</p><table><tr><td>oil</td><td>400.01</td><td>3</td></tr></table>"),
        "text/ch2.xhtml": xhtml.format("<h2>Chapter one</h2><p><ruby>灯<rt>ひ</rt></ruby>を消してください。</p><hr/><p class='calibre1'>The wick is trimmed; soot is swept.</p>"),
    }  # fmt: skip
    book = book_file(chapters, (("cover.xhtml", ""), ("text/ch 1.xhtml", ""), ("text/ch2.xhtml", "")))
    parts = dict(members_of(book))
    parts["c.opf"] = parts["c.opf"].replace(b"ch 1.xhtml", b"ch%201.xhtml")
    obfuscated = '<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container" xmlns:enc="http://www.w3.org/2001/04/xmlenc#"><enc:EncryptedData><enc:EncryptionMethod Algorithm="http://www.idpf.org/2008/embedding"/><enc:CipherData><enc:CipherReference URI="fonts/a.otf"/></enc:CipherData></enc:EncryptedData></encryption>'
    moved: dict[str, bytes | str] = {"mimetype": parts["mimetype"], "META-INF/container.xml": parts["META-INF/container.xml"].replace(b'"c.opf"', b'"OEBPS/c.opf"'), "META-INF/encryption.xml": obfuscated, **{f"OEBPS/{name}": part for name, part in parts.items() if "/container" not in name and name != "mimetype"}}  # fmt: skip
    return [
        UncommonFile("rtf/ferry.rtf", RTF, ("Převoz kol je zdarma;", "鍵は事務所。", "אב€12", "The fare is 45 crowns.", "Children ride free.", "Hold the rail.", "2) Mind the gap.", "cart .. two", "400.01", "After the bytes.", "The result of an object."), ("4045", "400.013", "89504e", "revtbl"), headings=("Rules of the ferry",)),
        UncommonFile("epub/lamps.epub", zipped(moved, ("mimetype",)), ("Lamps are filled on Saturdays.", "oil .. 400.01 .. 3", "を消してください。", "The wick is trimmed; soot is swept."), ("400.013", "灯ひ"), headings=("Chapter one",)),
    ]  # fmt: skip
