# ruff: noqa: E501
"""Word, OpenDocument and RTF: changes, comments, clauses, layout by tables, forms, old habits."""

from __future__ import annotations

import io
from typing import Any

import docx
from docx.enum.text import WD_BREAK
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
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


MOVED = (
    _p(_run("The lease begins on "), "<w:del w:id='1' w:author='A'><w:r><w:delText>1 May</w:delText></w:r></w:del>", "<w:ins w:id='2' w:author='A'>" + _run("15 June") + "</w:ins>", _run(" and runs for ten years.")),
    "<w:p><w:pPr><w:rPr><w:moveFrom w:id='3' w:author='A'/></w:rPr></w:pPr><w:moveFrom w:id='4' w:author='A'>" + _run("The tenant insures the greenhouse against hail.") + "</w:moveFrom></w:p>",
    paragraph("Rent is due on the third working day."),
    "<w:p><w:pPr><w:rPr><w:moveTo w:id='5' w:author='A'/></w:rPr></w:pPr><w:moveTo w:id='6' w:author='A'>" + _run("The tenant insures the greenhouse against hail.") + "</w:moveTo></w:p>",
    _p("<w:del w:id='7' w:author='A'><w:r><w:delText>STRUCKWORD whole paragraph</w:delText></w:r></w:del>"),
    "<w:p><w:pPr><w:pPrChange w:id='8' w:author='A'><w:pPr><w:pStyle w:val='Heading1'/></w:pPr></w:pPrChange></w:pPr>" + _run("This clause was a heading once.") + "</w:p>",
)  # fmt: skip
REPLIES = {
    "word/comments.xml": word_part("comments", "<w:comment w:id='0' w:author='Rut' w:initials='R'><w:p><w:r><w:t>Is the pump included?</w:t></w:r></w:p></w:comment><w:comment w:id='1' w:author='Sven'><w:p><w:r><w:t>Yes, with the spare hose.</w:t></w:r></w:p></w:comment>"),
}  # fmt: skip
ASKED = ("<w:p><w:commentRangeStart w:id='0'/><w:commentRangeStart w:id='1'/><w:r><w:t>The yard is handed over swept.</w:t></w:r><w:commentRangeEnd w:id='0'/><w:commentRangeEnd w:id='1'/><w:r><w:commentReference w:id='0'/></w:r><w:r><w:commentReference w:id='1'/></w:r></w:p>",)  # fmt: skip
CLAUSES = word_part(
    "numbering",
    "<w:abstractNum w:abstractNumId='7'><w:multiLevelType w:val='multilevel'/>"
    "<w:lvl w:ilvl='0'><w:start w:val='1'/><w:numFmt w:val='upperRoman'/><w:pStyle w:val='Heading1'/><w:lvlText w:val='%1.'/></w:lvl>"
    "<w:lvl w:ilvl='1'><w:start w:val='1'/><w:numFmt w:val='decimal'/><w:isLgl/><w:lvlText w:val='%1.%2'/></w:lvl>"
    "<w:lvl w:ilvl='2'><w:start w:val='1'/><w:numFmt w:val='lowerLetter'/><w:lvlText w:val='(%3)'/></w:lvl>"
    "<w:lvl w:ilvl='3'><w:start w:val='1'/><w:numFmt w:val='lowerRoman'/><w:lvlText w:val='(%4)'/></w:lvl></w:abstractNum>"
    "<w:abstractNum w:abstractNumId='8'><w:lvl w:ilvl='0'><w:start w:val='0'/><w:numFmt w:val='decimalZero'/><w:lvlText w:val='§ %1'/></w:lvl></w:abstractNum>"
    "<w:num w:numId='71'><w:abstractNumId w:val='7'/></w:num><w:num w:numId='81'><w:abstractNumId w:val='8'/></w:num>",
)


def _clause(text: str, level: int, number: int = 71) -> str:
    return paragraph(text, f"<w:numPr><w:ilvl w:val='{level}'/><w:numId w:val='{number}'/></w:numPr>")


CONTRACT = (
    _clause("Water rights", 0), _clause("The mill may draw 90 litres a second.", 1), _clause("from October to April", 2), _clause("in dry years only at night", 3), _clause("on written request", 2),
    _clause("Upkeep", 0), _clause("The weir is inspected every spring.", 1), _clause("by the miller", 2), paragraph("Signed at the mill."), _clause("zeroth article", 0, 81), _clause("first article", 0, 81),
)  # fmt: skip


def _letter() -> bytes:
    """A letter laid out by tables, with a letterhead in the header, hand-made bullets, tabs and line breaks."""
    document: Any = docx.Document()
    head = document.sections[0].header
    table = head.add_table(1, 2, document.sections[0].page_width)
    table.cell(0, 0).text, table.cell(0, 1).text = "Dairy of Hemse", "Telephone 0498 480 700"
    layout = document.add_table(rows=1, cols=2)
    layout.cell(0, 0).text = "Mr Gösta Alm\nStationsgatan 4\n623 50 Hemse"
    layout.cell(0, 1).text = "14 March 2025"
    document.add_paragraph("Dear Mr Alm,")
    body = document.add_paragraph("from May on we collect the milk on")
    body.add_run().add_break()
    body.add_run("Mondays\tat 5.30\nThursdays\tat 6.15")
    for mark in ("•\trinse the cans", "•\tkeep the lane free of snow", "–  close the gate"):
        document.add_paragraph(mark)
    signed = document.add_paragraph()
    signed.add_run("Karin ").bold = True
    signed.add_run("Wik")
    document.add_paragraph("P.S. The price is 4").add_run("86").font.superscript = True
    return _saved(document)


def _titles() -> bytes:
    """Headings by outline level, by a style of one's own based on a heading, and a title; all caps; a page break inside."""
    document: Any = docx.Document()
    document.add_paragraph("House rules of the co-op", style="Title")
    own = document.styles.add_style("Kapitel", 1)
    own.base_style = document.styles["Heading 2"]
    document.add_paragraph("Laundry room", style="Kapitel")
    document.add_paragraph("Washing ends at nine in the evening.")
    outlined = document.add_paragraph("Bicycles")
    level = OxmlElement("w:outlineLvl")
    level.set(qn("w:val"), "1")
    outlined._p.get_or_add_pPr().append(level)
    document.add_paragraph("Bicycles stand in the rack, never in the stairwell.")
    capital = document.add_paragraph(style="Heading 2").add_run("Quiet hours")
    capital.font.all_caps = True
    text = document.add_paragraph("Music stops at ten; ")
    text.add_run().add_break(WD_BREAK.PAGE)
    text.add_run("drilling is allowed until eight.")
    small = document.add_paragraph().add_run("Version 3 of these rules replaces all others.")
    small.font.size = Pt(7)
    return _saved(document)


def _roster() -> bytes:
    """A table with a repeated head row, merged cells both ways, an empty column, and a table inside a cell."""
    document: Any = docx.Document()
    document.add_paragraph("Table 4: Watch of the lifeboat", style="Caption")
    table = document.add_table(rows=5, cols=4)
    rows: tuple[tuple[str, ...], ...] = (
        ("watch", "crew", "crew", "phone"),
        ("watch", "helm", "bow", "phone"),
        ("night", "Tuva", "Emil", "11-204"),
        ("night", "Noor", "", "11-207"),
        ("day", "Ravi", "Lou", ""),
    )
    for y, row in enumerate(rows):
        for x, text in enumerate(row):
            table.cell(y, x).text = text
    merges: tuple[tuple[tuple[int, int], tuple[int, int], str], ...] = (
        ((0, 1), (0, 2), "crew"),
        ((0, 0), (1, 0), "watch"),
        ((0, 3), (1, 3), "phone"),
        ((2, 0), (3, 0), "night"),
    )
    for one, two, text in merges:
        cell = table.cell(*one).merge(table.cell(*two))
        cell.text = text
    inner = table.cell(4, 3).add_table(2, 2)
    for y, row in enumerate((("cabin", "11-300"), ("deck", "11-301"))):
        for x, text in enumerate(row):
            inner.cell(y, x).text = text
    document.add_paragraph("Relief comes at six.")
    return _saved(document)


BOXED = (
    "<w:p><w:r><w:t>The kiln is fired on Fridays.</w:t></w:r><w:r><mc:AlternateContent xmlns:mc='http://schemas.openxmlformats.org/markup-compatibility/2006'><mc:Choice xmlns:wps='http://schemas.microsoft.com/office/word/2010/wordprocessingShape' Requires='wps'><w:drawing><wp:anchor><wp:docPr id='3' name='Box'/><a:graphic><a:graphicData uri='x'><wps:wsp><wps:txbx><w:txbxContent>"
    + paragraph("Boxed: never open it above 200 degrees.")
    + "</w:txbxContent></wps:txbx></wps:wsp></a:graphicData></a:graphic></wp:anchor></w:drawing></mc:Choice><mc:Fallback><w:pict><v:shape xmlns:v='urn:schemas-microsoft-com:vml'><v:textbox><w:txbxContent>"
    + paragraph("Boxed: never open it above 200 degrees.")
    + "</w:txbxContent></v:textbox></v:shape></w:pict></mc:Fallback></mc:AlternateContent></w:r></w:p>",
    "<w:p><w:r><w:drawing><wp:inline><wp:docPr id='4' name='Bild 1' descr='Plan of the kiln with two vents' title='TITLEWORD'/><a:graphic><a:graphicData uri='http://schemas.openxmlformats.org/drawingml/2006/picture'/></a:graphic></wp:inline></w:drawing></w:r></w:p>",
    _p(_run("Figure "), "<w:fldSimple w:instr=' SEQ Figure '><w:r><w:t>2</w:t></w:r></w:fldSimple>", _run(": The kiln from above"), properties="<w:pStyle w:val='Caption'/>"),
    _p(_run("temperature: "), _run("SECRETVALUE", "<w:vanish/>"), _run("1 060 °C", "<w:b/>"), _run(", "), _run("held", "<w:strike/>"), _run(" kept for 4"), _run("1", "<w:vertAlign w:val='superscript'/>"), _run("/"), _run("2", "<w:vertAlign w:val='subscript'/>"), _run(" hours")),
)  # fmt: skip
PROMPTS = (
    "<w:p><w:r><w:t xml:space='preserve'>Reported by: </w:t></w:r><w:sdt><w:sdtPr><w:alias w:val='Reporter'/><w:showingPlcHdr/><w:text/></w:sdtPr><w:sdtContent><w:r><w:rPr><w:rStyle w:val='PlaceholderText'/></w:rPr><w:t>Klicken oder tippen Sie hier, um Text einzugeben.</w:t></w:r></w:sdtContent></w:sdt></w:p>",
    "<w:sdt><w:sdtPr><w:showingPlcHdr/><w:dropDownList><w:listItem w:displayText='LISTITEMWORD' w:value='1'/></w:dropDownList></w:sdtPr><w:sdtContent><w:p><w:r><w:t>Choose an item.</w:t></w:r></w:p></w:sdtContent></w:sdt>",
    "<w:p><w:r><w:t xml:space='preserve'>Place: </w:t></w:r><w:sdt><w:sdtPr><w:dropDownList><w:listItem w:displayText='cellar' w:value='1'/></w:dropDownList></w:sdtPr><w:sdtContent><w:r><w:t>cellar, behind the tank</w:t></w:r></w:sdtContent></w:sdt></w:p>",
    word_table(table_row(paragraph("Damage"), "<w:sdt><w:sdtPr><w:showingPlcHdr/></w:sdtPr><w:sdtContent><w:p><w:r><w:t>Describe the damage here.</w:t></w:r></w:p></w:sdtContent></w:sdt>"), table_row(paragraph("Urgent"), "<w:p><w:sdt><w:sdtPr><w14:checkbox><w14:checked w14:val='0'/></w14:checkbox></w:sdtPr><w:sdtContent><w:r><w:t>☐</w:t></w:r></w:sdtContent></w:sdt><w:r><w:t xml:space='preserve'> yes</w:t></w:r></w:p>")),
    "<w:p><w:r><w:t xml:space='preserve'>Answer 24 hours later: Click or tap here to enter text is what the form says.</w:t></w:r></w:p>",
)  # fmt: skip
MERGE = (
    _p(_run("Dear "), "<w:fldSimple w:instr=' MERGEFIELD Name '><w:r><w:t>«Name»</w:t></w:r></w:fldSimple>", _run(", your meter is read on 4 April.")),
    _p("<w:r><w:fldChar w:fldCharType='begin'/></w:r><w:r><w:instrText xml:space='preserve'> HYPERLINK \"https://x.example/TARGETURL\" </w:instrText></w:r><w:r><w:fldChar w:fldCharType='separate'/></w:r>", _run("Form 8"), "<w:r><w:fldChar w:fldCharType='end'/></w:r>", _run(" is enough.")),
    _p("<w:r><w:fldChar w:fldCharType='begin'><w:ffData><w:name w:val='Text1'/><w:textInput><w:default w:val='DEFAULTWORD'/></w:textInput></w:ffData></w:fldChar></w:r><w:r><w:instrText> FORMTEXT </w:instrText></w:r><w:r><w:fldChar w:fldCharType='separate'/></w:r>", _run("Meter 77-B"), "<w:r><w:fldChar w:fldCharType='end'/></w:r>"),
    "<w:p><w:r><w:t>non</w:t></w:r><w:r><w:noBreakHyphen/></w:r><w:r><w:t>return valve, co</w:t></w:r><w:r><w:softHyphen/></w:r><w:r><w:t>operative, 5</w:t><w:tab/><w:t>bar</w:t></w:r></w:p>",
)  # fmt: skip


def word() -> list[EverydayFile]:
    """Return documents of Word."""
    return [
        EverydayFile("word/lease.docx", word_file(*MOVED), ("The lease begins on 15 June and runs for ten years.", "The tenant insures the greenhouse against hail.", "This clause was a heading once."), ("STRUCKWORD", "1 May"), order=("ten years", "Rent is due", "against hail", "a heading once"), prose=("This clause was a heading once.",)),
        EverydayFile("word/yard.docx", word_file(*ASKED, parts=REPLIES, relations=relation("rIdC", "comments", "comments.xml")), ("The yard is handed over swept.", "Is the pump included?", "Yes, with the spare hose."), ("sweptIs", "included?Yes")),
        EverydayFile("word/water.docx", word_file(*CONTRACT, parts={"word/numbering.xml": CLAUSES}), ("I. Water rights", "1.1 The mill may draw 90 litres a second.", "(a) from October to April", "(i) in dry years only at night", "(b) on written request", "II. Upkeep", "2.1 The weir is inspected every spring.", "Signed at the mill.", "§ 00 zeroth article", "§ 01 first article"), ("I.1 The", "(c) by"), order=("from October", "in dry years", "on written", "Upkeep", "by the miller", "Signed", "zeroth")),
        EverydayFile("word/milk.docx", _letter(), ("Dear Mr Alm,", "from May on we collect the milk on", "Thursdays at 6.15", "623 50 Hemse", "P.S. The price is 4^86", "Karin Wik", "keep the lane free of snow", "14 March 2025"), ("onMondays", "5.30Thursdays", "Alm14"), lists=("rinse the cans", "keep the lane free of snow"), order=("Stationsgatan", "Dear Mr Alm", "Mondays", "rinse the cans", "Karin"), or_warned=("Telephone 0498 480 700",)),
        EverydayFile("word/rules.docx", _titles(), ("Washing ends at nine in the evening.", "Bicycles stand in the rack, never in the stairwell.", "Music stops at ten; drilling is allowed until eight.", "Version 3 of these rules replaces all others."), headings=("House rules of the co-op", "Laundry room", "Bicycles"), prose=("Version 3 of these rules",)),
        EverydayFile("word/lifeboat.docx", _roster(), ("night .. Tuva .. Emil .. 11-204", "night .. Noor .. 11-207", "day .. Ravi .. Lou", "cabin .. 11-300", "deck .. 11-301", "Relief comes at six.", "Table 4: Watch of the lifeboat"), ("11-300deck", "11-30011", "helmbow"), tables=("night .. Noor .. 11-207",), order=("Table 4", "Tuva", "deck", "Relief")),
        EverydayFile("word/kiln.docx", word_file(*BOXED), ("The kiln is fired on Fridays.", "Boxed: never open it above 200 degrees.", "Plan of the kiln with two vents", "Figure 2: The kiln from above", "temperature: 1 060 °C,"), ("SECRETVALUE", "Fridays.Boxed"), order=("fired on Fridays", "Figure 2")),
        EverydayFile("word/report_form.docx", word_file(*PROMPTS), ("Reported by:", "Place: cellar, behind the tank", "Click or tap here to enter text is what the form says."), ("Klicken oder tippen", "Choose an item.", "LISTITEMWORD", "Describe the damage here."), or_warned=("Urgent .. ☐ yes",)),
        EverydayFile("word/meters.docx", word_file(*MERGE), ("your meter is read on 4 April.", "Form 8 is enough.", "Meter 77-B", "operative, 5 bar"), ("MERGEFIELD", "TARGETURL", "FORMTEXT", "DEFAULTWORD", "nonreturn", "co operative", "co-operative")),
    ]  # fmt: skip


REPORT = (
    '<text:h text:outline-level="1">Orchard book</text:h>'
    '<text:tracked-changes><text:changed-region text:id="c1"><text:deletion><text:p>DELETEDWORD</text:p></text:deletion></text:changed-region></text:tracked-changes>'
    '<text:p>Trees are sprayed<text:change text:change-id="c1"/> in <text:change-start text:change-id="c2"/>April<text:change-end text:change-id="c2"/>, twice<text:s text:c="3"/>at most.<text:note text:note-class="footnote"><text:note-citation>1</text:note-citation><text:note-body><text:p>Never in wind.</text:p></text:note-body></text:note></text:p>'
    '<text:p><text:span>Variable: </text:span><text:text-input>Cellar 4</text:text-input> and <text:page-number>7</text:page-number>.</text:p>'
    '<text:list><text:list-item><text:p>apples</text:p><text:list><text:list-item><text:p>early: Klarapfel</text:p></text:list-item><text:list-item><text:p>late: Boskoop</text:p></text:list-item></text:list></text:list-item><text:list-item><text:p>pears</text:p></text:list-item></text:list>'
    '<table:table><table:table-row><table:table-cell table:number-columns-spanned="2"><text:p>yield</text:p></table:table-cell><table:covered-table-cell/><table:table-cell><text:p>kg</text:p></table:table-cell></table:table-row>'
    '<table:table-row><table:table-cell table:number-rows-spanned="2"><text:p>east</text:p></table:table-cell><table:table-cell><text:p>2023</text:p></table:table-cell><table:table-cell><text:p>1 204</text:p></table:table-cell></table:table-row>'
    '<table:table-row><table:covered-table-cell/><table:table-cell><text:p>2024</text:p></table:table-cell><table:table-cell><text:p>988</text:p></table:table-cell></table:table-row></table:table>'
    '<text:p><office:annotation><dc:creator>Ida</dc:creator><text:p>Ask the neighbour about bees.</text:p></office:annotation>The press stands in the barn.</text:p>'
    '<text:p text:style-name="x"><text:line-break/>After a break.</text:p>'
)  # fmt: skip
TALLY = (
    '<table:table table:name="Tally"><table:table-row><table:table-cell><text:p>day</text:p></table:table-cell><table:table-cell><text:p>crates</text:p></table:table-cell><table:table-cell><text:p>share</text:p></table:table-cell></table:table-row>'
    '<table:table-row table:number-rows-repeated="2"><table:table-cell office:value-type="date" office:date-value="2025-09-14"><text:p>14.09.25</text:p></table:table-cell><table:table-cell office:value-type="float" office:value="31"><text:p>31</text:p></table:table-cell><table:table-cell office:value-type="percentage" office:value="0.125"><text:p>12,5 %</text:p></table:table-cell></table:table-row>'
    '<table:table-row table:visibility="collapse"><table:table-cell><text:p>hidden day</text:p></table:table-cell><table:table-cell><text:p>9</text:p></table:table-cell><table:table-cell/></table:table-row>'
    '<table:table-row table:number-rows-repeated="1048000"><table:table-cell table:number-columns-repeated="16384"/></table:table-row></table:table>'
    '<table:table table:name="Prices"><table:table-row><table:table-cell table:number-columns-repeated="2"/><table:table-cell><text:p>Boskoop</text:p></table:table-cell><table:table-cell office:value-type="boolean" office:boolean-value="true"><text:p>TRUE</text:p></table:table-cell></table:table-row></table:table>'
)  # fmt: skip
RTF = (
    r"{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0 Arial;}{\f1\fcharset204 Arial;}}{\colortbl;\red0\green0\blue0;}{\stylesheet{\s1 heading 1;}}{\info{\title Kennel rules}{\author B. Lind}}"
    r"{\header\pard Kennel of B. Lind\par}\pard\s1\outlinelevel0\b Feeding\b0\par\pard Dogs get 400\'a0g of feed \emdash  puppies less.\par"
    r"\pard{\pntext\'b7\tab}{\*\pn\pnlvlblt}fresh water\par{\pntext\'b7\tab}a clean bowl\par"
    r"\trowd\cellx2000\cellx4000\pard\intbl dog\cell cage\cell\row\trowd\cellx2000\cellx4000\intbl Rex\cell 14\cell\row\pard "
    r"{\v HIDDENRTF}\f1 \u1050?\u1083?\u1102?\u1095? \u1091? \u1089?\u1090?\u1086?\u1088?\u1086?\u1078?\u1072?.\f0\par"
    r"Deleted: {\deleted OLDRTF}new text.{\*\annotation Vet says no.}\par{\field{\*\fldinst HYPERLINK FIELDRTF}{\fldrslt see the vet}}\line next line\par}"
)


def open_document() -> list[EverydayFile]:
    """Return files of OpenDocument, and RTF."""
    return [
        EverydayFile("odf/orchard_book.odt", odf_file("text", REPORT), ("Trees are sprayed in April, twice at most.", "Never in wind.", "late: Boskoop", "east .. 2023 .. 1 204", "east .. 2024 .. 988", "The press stands in the barn.", "After a break."), ("DELETEDWORD", "most.1", "1 204988"), headings=("Orchard book",), lists=("early: Klarapfel", "pears"), tables=("yield .. kg",), or_warned=("Ask the neighbour about bees.", "Cellar 4"), order=("sprayed", "apples", "pears", "988", "The press")),
        EverydayFile("odf/tally.ods", odf_file("spreadsheet", TALLY), ("14.09.25 .. 31 .. 12,5 %", "Boskoop .. TRUE"), ("0.125",), or_warned=("hidden day .. 9",), tables=("14.09.25 .. 31",)),
        EverydayFile("rtf/kennel.rtf", RTF.encode(), ("Dogs get 400 g of feed — puppies less.", "a clean bowl", "Rex .. 14", "Ключ у сторожа.", "see the vet"), ("HIDDENRTF", "FIELDRTF", "fonttbl", "Rex14"), or_warned=("Vet says no.",), order=("Dogs get", "fresh water", "Rex", "Ключ", "see the vet")),
    ]  # fmt: skip
