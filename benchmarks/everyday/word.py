# ruff: noqa: E501
"""Word and OpenDocument as offices write them."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

import docx
from docx.enum.section import WD_ORIENT
from docx.shared import Pt

from benchmarks.awkward.office import odf_file
from benchmarks.awkward.word import paragraph, relation, table_row, word_file, word_part, word_table
from benchmarks.everyday.case import EverydayFile


def _run(text: str, properties: str = "") -> str:
    return f"<w:r><w:rPr>{properties}</w:rPr><w:t xml:space='preserve'>{text}</w:t></w:r>"


def _p(*runs: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr>{''.join(runs)}</w:p>"


def _saved(document: Any) -> bytes:
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def _contract() -> bytes:
    """A contract whose headings are bold paragraphs, with headers and footers that differ by section."""
    document: Any = docx.Document()
    document.sections[0].header.paragraphs[0].text = "Ski club Vemdal"
    document.sections[0].footer.paragraphs[0].text = "Page footer of the club"
    document.add_paragraph().add_run("1. Subject of the agreement").bold = True
    document.add_paragraph("The club lends one pair of skis to the member for the season 2024/25.")
    heading = document.add_paragraph().add_run("2. Deposit")
    heading.bold = True
    heading.font.size = Pt(14)
    document.add_paragraph("The member pays a deposit of EUR 1.250,00 (one thousand two hundred fifty).")
    section = document.add_section()
    section.orientation = WD_ORIENT.LANDSCAPE
    section.header.is_linked_to_previous = False
    section.header.paragraphs[0].text = "Annex A: list of damages"
    document.add_paragraph("Scratches deeper than 2 mm are paid by the member.")
    return _saved(document)


def _minutes() -> bytes:
    """Minutes with lists that are interrupted and go on, and a list in a table."""
    document: Any = docx.Document()
    document.core_properties.title = "Minutes of the allotment board"
    document.add_heading("Agenda", 1)
    for text in ("Opening", "Water meters"):
        document.add_paragraph(text, style="List Number")
    document.add_paragraph("Meters 12 to 18 leak and are replaced in April.")
    document.add_paragraph("Any other business", style="List Number")
    document.add_heading("Tasks", 2)
    table = document.add_table(rows=1, cols=3)
    for cell, text in zip(table.rows[0].cells, ("who", "what", "until"), strict=True):
        cell.text = text
    row = table.add_row().cells
    row[0].text = "Ines"
    row[1].text = "order meters"
    row[1].add_paragraph("call the plumber", style="List Bullet")
    row[2].text = "1 April"
    document.add_paragraph("Quote of the chair", style="Intense Quote")
    document.add_paragraph("The next meeting is on 9 May.", style="Body Text")
    return _saved(document)


NOTES = {
    "word/footnotes.xml": word_part("footnotes", "<w:footnote w:id='-1' w:type='separator'><w:p/></w:footnote><w:footnote w:id='2'><w:p><w:r><w:footnoteRef/></w:r><w:r><w:t xml:space='preserve'> Measured at the sill in 2019.</w:t></w:r></w:p></w:footnote><w:footnote w:id='3'><w:p><w:r><w:t>A second note: the tide adds 40 cm.</w:t></w:r></w:p></w:footnote>"),
    "word/endnotes.xml": word_part("endnotes", "<w:endnote w:id='2'><w:p><w:r><w:t>Endnote: see the almanac of the port.</w:t></w:r></w:p></w:endnote>"),
    "word/comments.xml": word_part("comments", "<w:comment w:id='4' w:author='Leif'><w:p><w:r><w:t>Is 3.5 m still right?</w:t></w:r></w:p><w:p><w:r><w:t>The pilot says 3.2 m.</w:t></w:r></w:p></w:comment>"),
}  # fmt: skip
NOTED = (
    _p(_run("The sill lies 3.5 m under water"), "<w:r><w:footnoteReference w:id='2'/></w:r>", _run(" at low tide"), "<w:r><w:footnoteReference w:id='3'/></w:r>", "<w:commentRangeStart w:id='4'/>", _run("."), "<w:commentRangeEnd w:id='4'/><w:r><w:commentReference w:id='4'/></w:r>"),
    _p(_run("Ships over 60 m take a pilot"), "<w:r><w:endnoteReference w:id='2'/></w:r>", _run(".")),
)  # fmt: skip
EQUATIONS = (
    "<w:p><w:r><w:t xml:space='preserve'>The flow is </w:t></w:r><m:oMath><m:r><m:t>Q=</m:t></m:r><m:nary><m:naryPr><m:chr m:val='∑'/></m:naryPr><m:sub><m:r><m:t>i=1</m:t></m:r></m:sub><m:sup><m:r><m:t>n</m:t></m:r></m:sup><m:e><m:sSub><m:e><m:r><m:t>v</m:t></m:r></m:e><m:sub><m:r><m:t>i</m:t></m:r></m:sub></m:sSub></m:e></m:nary></m:oMath><w:r><w:t xml:space='preserve'> in litres.</w:t></w:r></w:p>",
    "<w:p><m:oMathPara><m:oMath><m:d><m:e><m:f><m:num><m:r><m:t>a+b</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t></m:r></m:den></m:f></m:e></m:d><m:rad><m:radPr><m:degHide m:val='1'/></m:radPr><m:deg/><m:e><m:r><m:t>c</m:t></m:r></m:e></m:rad></m:oMath></m:oMathPara></w:p>",
    "<w:p><m:oMath><m:m><m:mr><m:e><m:r><m:t>11</m:t></m:r></m:e><m:e><m:r><m:t>12</m:t></m:r></m:e></m:mr><m:mr><m:e><m:r><m:t>21</m:t></m:r></m:e><m:e><m:r><m:t>22</m:t></m:r></m:e></m:mr></m:m></m:oMath></w:p>",
)  # fmt: skip
NUMBERING = word_part(
    "numbering",
    "<w:abstractNum w:abstractNumId='3'><w:multiLevelType w:val='multilevel'/><w:lvl w:ilvl='0'><w:start w:val='1'/><w:numFmt w:val='decimal'/><w:lvlText w:val='Article %1'/></w:lvl><w:lvl w:ilvl='1'><w:start w:val='1'/><w:numFmt w:val='decimal'/><w:lvlText w:val='%1.%2'/></w:lvl><w:lvl w:ilvl='2'><w:start w:val='1'/><w:numFmt w:val='bullet'/><w:lvlText w:val=''/></w:lvl></w:abstractNum>"
    "<w:abstractNum w:abstractNumId='4'><w:multiLevelType w:val='singleLevel'/><w:lvl w:ilvl='0'><w:start w:val='5'/><w:numFmt w:val='upperLetter'/><w:lvlText w:val='%1)'/></w:lvl></w:abstractNum><w:num w:numId='31'><w:abstractNumId w:val='3'/></w:num><w:num w:numId='41'><w:abstractNumId w:val='4'/></w:num>",
)


def _numbered(text: str, number: int, level: int = 0) -> str:
    return paragraph(text, f"<w:numPr><w:ilvl w:val='{level}'/><w:numId w:val='{number}'/></w:numPr>")


STATUTES = (
    _numbered("Name of the society", 31), _numbered("The society is called Lantern.", 31, 1), _numbered("Its seat is Turku.", 31, 1),
    _numbered("Members", 31), _numbered("Members are older than fifteen.", 31, 1), _numbered("honorary members too", 31, 2),
    paragraph("The following are not numbered."), _numbered("first exception", 41), _numbered("second exception", 41), _numbered("They pay 20 marks.", 31, 1),
)  # fmt: skip
GRID = word_table(
    table_row("<w:tcPr><w:vMerge w:val='restart'/></w:tcPr>" + paragraph("class"), "<w:tcPr><w:gridSpan w:val='2'/></w:tcPr>" + paragraph("fare"), "<w:tcPr><w:vMerge w:val='restart'/></w:tcPr>" + paragraph("remark")),
    table_row("<w:tcPr><w:vMerge/></w:tcPr>" + paragraph(""), paragraph("single"), paragraph("return"), "<w:tcPr><w:vMerge/></w:tcPr>" + paragraph("")),
    table_row(paragraph("first"), paragraph("14,80"), paragraph("27,50"), paragraph("with meal") + paragraph("and berth")),
    table_row(paragraph("second"), paragraph("9"), paragraph("16,20"), paragraph("")),
)  # fmt: skip
DEEP_TABLE = word_table(
    table_row(paragraph("boat"), paragraph("crew of the boat")),
    table_row(paragraph("Gull"), paragraph("Crew in summer:") + word_table(table_row(paragraph("skipper"), paragraph("1")), table_row(paragraph("deckhand"), paragraph("12"))) + paragraph("Winter crew is halved.")),
)  # fmt: skip
DIAGRAM = '<dgm:dataModel xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><dgm:ptLst><dgm:pt modelId="1"><dgm:t><a:p><a:r><a:t>Sort the mail</a:t></a:r></a:p></dgm:t></dgm:pt><dgm:pt modelId="2"><dgm:t><a:p><a:r><a:t>Weigh the parcels</a:t></a:r></a:p></dgm:t></dgm:pt></dgm:ptLst></dgm:dataModel>'
DIAGRAM_PLACE = "<w:p><w:r><w:t>The steps are drawn below.</w:t></w:r><w:r><w:drawing><wp:inline><a:graphic><a:graphicData uri='http://schemas.openxmlformats.org/drawingml/2006/diagram'><dgm:relIds xmlns:dgm='http://schemas.openxmlformats.org/drawingml/2006/diagram' r:dm='rD1' r:lo='rD1' r:qs='rD1' r:cs='rD1'/></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>"
CONTROLS = (
    "<w:p><w:r><w:t xml:space='preserve'>Applicant: </w:t></w:r><w:sdt><w:sdtPr><w:alias w:val='Name'/><w:showingPlcHdr/></w:sdtPr><w:sdtContent><w:r><w:rPr><w:rStyle w:val='PlaceholderText'/></w:rPr><w:t>Click or tap here to enter text.</w:t></w:r></w:sdtContent></w:sdt></w:p>",
    "<w:p><w:r><w:t xml:space='preserve'>Starts on </w:t></w:r><w:sdt><w:sdtPr><w:date w:fullDate='2025-05-06T00:00:00Z'/></w:sdtPr><w:sdtContent><w:r><w:t>6 May 2025</w:t></w:r></w:sdtContent></w:sdt></w:p>",
    "<w:p><w:r><w:t xml:space='preserve'>Sex </w:t></w:r><w:r><w:fldChar w:fldCharType='begin'><w:ffData><w:checkBox><w:default w:val='1'/></w:checkBox></w:ffData></w:fldChar></w:r><w:r><w:instrText> FORMCHECKBOX </w:instrText></w:r><w:r><w:fldChar w:fldCharType='end'/></w:r><w:r><w:t xml:space='preserve"
    "'> is not asked.</w:t></w:r></w:p>",
    "<w:p><w:hyperlink r:id='rL1'><w:r><w:t>Form 27</w:t></w:r></w:hyperlink><w:r><w:t xml:space='preserve'> is handed in twice.</w:t></w:r></w:p>",
)  # fmt: skip
CONTENTS = (
    "<w:sdt><w:sdtPr><w:docPartObj><w:docPartGallery w:val='Table of Contents'/></w:docPartObj></w:sdtPr><w:sdtContent>" + paragraph("Contents", "<w:pStyle w:val='TOCHeading'/>") + paragraph("Feeding\t7", "<w:pStyle w:val='TOC1'/>") + "</w:sdtContent></w:sdt>",
    paragraph("Feeding", "<w:pStyle w:val='Heading1'/>"), paragraph("Goats get 2 kg of hay."), paragraph("Milking", "<w:pStyle w:val='Heading2'/>"), paragraph("Udders are washed first."),
)  # fmt: skip


def word() -> list[EverydayFile]:
    """Return documents of Word."""
    number = {"word/numbering.xml": NUMBERING}
    related = "".join(relation(f"r{n}", n, f"{n}.xml") for n in ("footnotes", "endnotes", "comments"))
    drawn = relation("rD1", "diagramData", "diagrams/data1.xml")
    return [
        EverydayFile("word/contract.docx", _contract(), ("The member pays a deposit of EUR 1.250,00 (one thousand two hundred fifty).", "Scratches deeper than 2 mm are paid by the member."), or_warned=("Annex A: list of damages",), headings=("1. Subject of the agreement", "2. Deposit"), order=("The club lends one pair", "2. Deposit", "Scratches deeper")),
        EverydayFile("word/minutes.docx", _minutes(), ("Meters 12 to 18 leak and are replaced in April.", "The next meeting is on 9 May.", "Ines .. call the plumber .. 1 April", "3. Any other business"), ("meterscall",), headings=("Agenda", "Tasks", "Minutes of the allotment board"), tables=("Ines .. order meters",), lists=("2. Water meters", "3. Any other business"), order=("Water meters", "Meters 12 to 18", "Any other business", "order meters")),
        EverydayFile("word/sill.docx", word_file(*NOTED, parts=NOTES, relations=related), ("Measured at the sill in 2019.", "A second note: the tide adds 40 cm.", "Endnote: see the almanac of the port.", "The pilot says 3.2 m.", "at low tide"), ("water2", "tide3", "right?The"), prose=("The sill lies 3.5 m under water",)),
        EverydayFile("word/flow.docx", word_file(*EQUATIONS), ("The flow is Q=", "in litres.", "a+b"), ("in1", "1112", "2122", "v i=1")),
        EverydayFile("word/statutes.docx", word_file(*STATUTES, parts=number), ("Article 1 Name of the society", "1.2 Its seat is Turku.", "2.1 Members are older than fifteen.", "honorary members too", "E) first exception", "F) second exception", "2.2 They pay 20 marks."), order=("Its seat is Turku.", "not numbered", "first exception", "They pay 20 marks.")),
        EverydayFile("word/fares.docx", word_file(GRID, DEEP_TABLE), ("first .. 14,80 .. 27,50 .. with meal and berth", "second .. 9 .. 16,20", "skipper .. 1", "deckhand .. 12", "Winter crew is halved."), ("14,8027", "mealand", "112", "deckhand12"), tables=("second .. 9 .. 16,20", "fare")),
        EverydayFile("word/mail_room.docx", word_file(DIAGRAM_PLACE, parts={"word/diagrams/data1.xml": DIAGRAM}, relations=drawn), ("The steps are drawn below.", "Sort the mail", "Weigh the parcels"), ("mailWeigh",)),
        EverydayFile("word/application.docx", word_file(*CONTROLS, relations=relation("rL1", "hyperlink", "https://x.example/27").replace("/>", ' TargetMode="External"/>')), ("Starts on 6 May 2025", "is not asked.", "Form 27 is handed in twice."), ("FORMCHECKBOX", "Click or tap here")),
        EverydayFile("word/goats.docx", word_file(*CONTENTS), ("Goats get 2 kg of hay.", "Udders are washed first."), ("Feeding7",), headings=("Feeding", "Milking")),
    ]  # fmt: skip


LETTER = (
    '<text:h text:outline-level="1">Tenancy of the boathouse</text:h><text:section text:name="s"><text:p>The rent is <text:span>1 200,50</text:span> kr.</text:p></text:section>'
    '<text:list><text:list-header><text:p>Bring along:</text:p></text:list-header><text:list-item><text:p>the key</text:p></text:list-item><text:list-item><text:p>a lamp</text:p></text:list-item></text:list>'
    '<text:p>Seen by<text:bookmark text:name="b"/> <text:a>the harbour master</text:a>.<text:soft-page-break/></text:p>'
    '<text:table-of-content><text:index-body><text:p>Tenancy of the boathouse<text:tab/>1</text:p></text:index-body></text:table-of-content>'
    '<table:table><table:table-header-rows><table:table-row><table:table-cell><text:p>month</text:p></table:table-cell><table:table-cell><text:p>paid</text:p></table:table-cell></table:table-row></table:table-header-rows>'
    '<table:table-row><table:table-cell><text:p>May</text:p></table:table-cell><table:table-cell><text:p>yes</text:p><text:p>in cash</text:p></table:table-cell></table:table-row></table:table>'
    '<text:p><draw:frame draw:name="f"><draw:text-box><text:p>Framed: no open fire.</text:p></draw:text-box></draw:frame></text:p>'
)  # fmt: skip
BOOK = (
    '<table:table table:name="Stock"><table:table-header-rows><table:table-row><table:table-cell><text:p>article</text:p></table:table-cell><table:table-cell><text:p>pieces</text:p></table:table-cell><table:table-cell><text:p>price</text:p></table:table-cell></table:table-row></table:table-header-rows>'
    '<table:table-row><table:table-cell><text:p>oar</text:p></table:table-cell><table:table-cell office:value-type="float" office:value="14"><text:p>14</text:p></table:table-cell><table:table-cell office:value-type="currency" office:currency="EUR" office:value="39.9"><text:p>39,90 €</text:p></table:table-cell></table:table-row>'
    '<table:table-row><table:table-cell><text:p>oarlock</text:p><text:p>brass</text:p></table:table-cell><table:table-cell office:value-type="float" office:value="2"><text:p>2</text:p></table:table-cell><table:table-cell office:value-type="time" office:time-value="PT07H30M00S"><text:p>07:30</text:p></table:table-cell></table:table-row></table:table>'
    '<table:table table:name="Notes"><table:table-row><table:table-cell><office:annotation><text:p>Counted by Pål.</text:p></office:annotation><text:p>Varnish dries for two days.</text:p></table:table-cell></table:table-row></table:table>'
)  # fmt: skip
SLIDES: Mapping[str, str] = {
    "body": '<draw:page draw:name="p1"><draw:frame presentation:class="title"><draw:text-box><text:p>Rescue drill</text:p></draw:text-box></draw:frame><draw:g><draw:custom-shape><text:p>Throw the ring first</text:p></draw:custom-shape><draw:frame><draw:text-box><text:p>then call 112</text:p></draw:text-box></draw:frame></draw:g>'
    '<draw:frame><table:table><table:table-row><table:table-cell><text:p>ring</text:p></table:table-cell><table:table-cell><text:p>25 m</text:p></table:table-cell></table:table-row><table:table-row><table:table-cell><text:p>rope</text:p></table:table-cell><table:table-cell><text:p>40 m</text:p></table:table-cell></table:table-row></table:table></draw:frame>'
    '<presentation:notes><draw:frame presentation:class="notes"><draw:text-box><text:p>Show the whistle.</text:p></draw:text-box></draw:frame></presentation:notes></draw:page>'
}  # fmt: skip


def open_document() -> list[EverydayFile]:
    """Return files of OpenDocument."""
    return [
        EverydayFile("odf/boathouse.odt", odf_file("text", LETTER), ("The rent is 1 200,50 kr.", "Bring along:", "a lamp", "Seen by the harbour master.", "May .. yes in cash", "Framed: no open fire."), ("yesin", "boathouse1"), headings=("Tenancy of the boathouse",), lists=("the key",), tables=("May .. yes",)),
        EverydayFile("odf/stock.ods", odf_file("spreadsheet", BOOK), ("oar .. 14 .. 39,90 €", "oarlock brass .. 2 .. 07:30", "Varnish dries for two days."), ("1439", "oarlockbrass"), or_warned=("Counted by Pål.",), tables=("oar .. 14",)),
        EverydayFile("odf/drill.odp", odf_file("presentation", SLIDES["body"]), ("Throw the ring first", "then call 112", "ring .. 25 m", "rope .. 40 m", "Show the whistle."), ("firstthen",), headings=("Rescue drill",), order=("Throw the ring", "then call 112")),
    ]  # fmt: skip
