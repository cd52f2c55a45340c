# ruff: noqa: E501
"""Word: changes and notes in tables, controls, fields, lists that begin anew, diagrams, formulas, odd packages."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Mapping
from typing import Any

import docx
from docx.oxml import parse_xml

from benchmarks.awkward.case import AwkwardFile
from benchmarks.mixed.case import zipped

NAMES = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml"'
)


def paragraph(text: str, properties: str = "") -> str:
    return f'<w:p><w:pPr>{properties}</w:pPr><w:r><w:t xml:space="preserve">{text}</w:t></w:r></w:p>'


def table_row(*cells: str, properties: str = "") -> str:
    return f"<w:tr><w:trPr>{properties}</w:trPr>{''.join(f'<w:tc>{cell}</w:tc>' for cell in cells)}</w:tr>"


def word_table(*rows: str) -> str:
    return f"<w:tbl><w:tblPr/><w:tblGrid/>{''.join(rows)}</w:tbl>"


def word_file(
    *markup: str,
    parts: Mapping[str, bytes | str] | None = None,
    relations: str = "",
    replaced: Mapping[str, str] | None = None,
) -> bytes:
    """Return a document of Word of the given markup, with more parts and relations."""
    document = docx.Document()
    for one in markup:
        named = re.sub(r"^<([\w:]+)", rf"<\1 {NAMES}", one.strip(), count=1)
        document.element.body.insert(len(document.element.body) - 1, parse_xml(named))
    out = io.BytesIO()
    document.save(out)
    files = {name: content for name, content in members_of(out.getvalue()).items() if name not in (parts or {})}
    related = files["word/_rels/document.xml.rels"].decode().replace("</Relationships>", relations + "</Relationships>")
    files["word/_rels/document.xml.rels"] = related.encode()
    types = "".join(
        f'<Override PartName="/{name}" ContentType="{_kind(name)}"/>' for name in parts or {} if _kind(name)
    )
    files["[Content_Types].xml"] = (
        files["[Content_Types].xml"].decode().replace("</Types>", types + "</Types>").encode()
    )
    for old, new in (replaced or {}).items():
        files = {name: content.replace(old.encode(), new.encode()) for name, content in files.items()}
    return zipped({**files, **(parts or {})})


def _kind(name: str) -> str:
    base = "application/vnd.openxmlformats-officedocument."
    kinds = {"word/comments.xml": "wordprocessingml.comments", "word/footnotes.xml": "wordprocessingml.footnotes", "word/endnotes.xml": "wordprocessingml.endnotes", "word/numbering.xml": "wordprocessingml.numbering", "word/diagrams/data1.xml": "drawingml.diagramData"}  # fmt: skip
    return f"{base}{kinds[name]}+xml" if name in kinds else "text/html" if name.endswith(".html") else ""


def members_of(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def relation(number: str, kind: str, target: str) -> str:
    return f'<Relationship Id="{number}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/{kind}" Target="{target}"/>'


def word_part(root: str, inside: str) -> str:
    return f'<?xml version="1.0" encoding="UTF-8"?><w:{root} {NAMES}>{inside}</w:{root}>'


CHANGED = word_table(
    table_row(paragraph("rate"), paragraph("crowns")),
    table_row(paragraph("adult"), "<w:p><w:del w:id='1' w:author='x'><w:r><w:delText>80</w:delText></w:r></w:del><w:ins w:id='2' w:author='x'><w:r><w:t>95</w:t></w:r></w:ins></w:p>"),
    table_row(paragraph("senior gone"), paragraph("60"), properties="<w:del w:id='3' w:author='x'/>"),
    table_row(paragraph("child"), paragraph("30"), properties="<w:ins w:id='4' w:author='x'/>"),
)  # fmt: skip
JOINED = ("<w:p><w:pPr><w:rPr><w:del w:id='9' w:author='x'/></w:rPr></w:pPr><w:r><w:t xml:space='preserve'>The sauna is heated on </w:t></w:r></w:p>", paragraph("Thursdays only."))  # fmt: skip
NESTED = word_table(
    table_row(paragraph("ward"), paragraph("beds")),
    table_row(paragraph("North"), word_table(table_row(paragraph("single 4"), paragraph("double 9"))) + paragraph("")),
    table_row(paragraph("South"), paragraph("31")),
)
SPANS = word_table(
    table_row("<w:tcPr><w:gridSpan w:val='2'/></w:tcPr>" + paragraph("yard"), paragraph("tons")),
    table_row(
        "<w:tcPr><w:vMerge w:val='restart'/></w:tcPr>" + paragraph("east"), paragraph("clay"), paragraph("1,450")
    ),
    table_row("<w:tcPr><w:vMerge/></w:tcPr>" + paragraph(""), paragraph("gravel"), paragraph("77")),
)
CONTROLS = (
    f"<w:sdt><w:sdtPr/><w:sdtContent>{paragraph('Block control: the ferry leaves from pier two.')}</w:sdtContent></w:sdt>",
    "<w:p><w:r><w:t xml:space='preserve'>Signed by </w:t></w:r><w:sdt><w:sdtPr><w:text/></w:sdtPr><w:sdtContent><w:r><w:t>Hanna Quist</w:t></w:r></w:sdtContent></w:sdt><w:r><w:t xml:space='preserve"
    "'> in ink.</w:t></w:r></w:p>",
    f"<w:tbl><w:tblPr/><w:tblGrid/><w:sdt><w:sdtContent>{table_row(paragraph('locker'), paragraph('114'))}</w:sdtContent></w:sdt><w:tr><w:tc>{paragraph('size')}</w:tc><w:sdt><w:sdtContent><w:tc>{paragraph('large')}</w:tc></w:sdtContent></w:sdt></w:tr></w:tbl>",
    "<w:p><w:sdt><w:sdtPr><w14:checkbox><w14:checked w14:val='1'/></w14:checkbox></w:sdtPr><w:sdtContent><w:r><w:t>☒</w:t></w:r></w:sdtContent></w:sdt><w:r><w:t xml:space='preserve'> Smoke alarm tested</w:t></w:r></w:p>",
)
FIELDS = (
    "<w:p><w:r><w:t xml:space='preserve'>The lease ends on </w:t></w:r><w:fldSimple w:instr=' DATE '><w:r><w:t>31 May 2027</w:t></w:r></w:fldSimple><w:r><w:t>.</w:t></w:r></w:p>",
    "<w:p><w:r><w:t xml:space='preserve'>See </w:t></w:r><w:r><w:fldChar w:fldCharType='begin'/></w:r><w:r><w:instrText> IF </w:instrText></w:r><w:r><w:fldChar w:fldCharType='begin'/></w:r><w:r><w:instrText> MERGEFIELD sort </w:instrText></w:r>"
    "<w:r><w:fldChar w:fldCharType='separate'/></w:r><w:r><w:t>INNERVALUE</w:t></w:r><w:r><w:fldChar w:fldCharType='end'/></w:r><w:r><w:instrText> = 1 'a' 'b' </w:instrText></w:r><w:r><w:fldChar w:fldCharType='separate'/></w:r><w:r><w:t>annex B</w:t></w:r>"
    "<w:r><w:fldChar w:fldCharType='end'/></w:r><w:r><w:t xml:space='preserve'> for the meters.</w:t></w:r></w:p>",
    "<w:p><w:bookmarkStart w:id='1' w:name='_Ref1'/><w:r><w:t xml:space='preserve'>Table </w:t></w:r><w:fldSimple w:instr=' SEQ Table '><w:r><w:t>7</w:t></w:r></w:fldSimple><w:bookmarkEnd w:id='1'/><w:r><w:t>: Keys per floor</w:t></w:r></w:p>",
    "<w:p><w:r><w:t xml:space='preserve'>Keys are counted as </w:t></w:r><w:r><w:fldChar w:fldCharType='begin'/></w:r><w:r><w:instrText> REF _Ref1 \\h </w:instrText></w:r><w:r><w:fldChar w:fldCharType='separate'/></w:r><w:r><w:t>Table 7</w:t></w:r><w:r><w:fldChar w:fldCharType='end'/></w:r><w:r><w:t xml:space='preserve'> shows.</w:t></w:r></w:p>",
)  # fmt: skip
NUMBERING = word_part("numbering", "<w:abstractNum w:abstractNumId='5'><w:multiLevelType w:val='multilevel'/><w:lvl w:ilvl='0'><w:start w:val='1'/><w:numFmt w:val='decimal'/><w:lvlText w:val='%1.'/></w:lvl><w:lvl w:ilvl='1'><w:start w:val='1'/><w:numFmt w:val='lowerLetter'/><w:lvlText w:val='%1.%2)'/></w:lvl></w:abstractNum><w:num w:numId='51'><w:abstractNumId w:val='5'/></w:num><w:num w:numId='52'><w:abstractNumId w:val='5'/><w:lvlOverride w:ilvl='0'><w:startOverride w:val='1'/></w:lvlOverride></w:num>")  # fmt: skip


def _item(text: str, number: int, level: int = 0) -> str:
    return paragraph(text, f"<w:numPr><w:ilvl w:val='{level}'/><w:numId w:val='{number}'/></w:numPr>")


LISTS = (_item("Drain the boiler", 51), _item("open the lower tap", 51, 1), _item("wait ten minutes", 51, 1), _item("Fill it again", 51), paragraph("Another day:"), _item("Sweep the flue", 52), _item("Sign the card", 52))  # fmt: skip
FORMULAS = (
    "<w:p><w:r><w:t xml:space='preserve'>Area is </w:t></w:r><m:oMath><m:sSup><m:e><m:r><m:t>10</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:oMath><w:r><w:t xml:space='preserve'> acres.</w:t></w:r></w:p>",
    "<w:p><m:oMathPara><m:oMath><m:rad><m:deg/><m:e><m:r><m:t>49</m:t></m:r></m:e></m:rad><m:r><m:t>=7</m:t></m:r></m:oMath></m:oMathPara></w:p>",
    "<w:p><w:r><w:t>Volume 5 m</w:t></w:r><w:r><w:rPr><w:vertAlign w:val='superscript'/></w:rPr><w:t>3</w:t></w:r><w:r><w:t xml:space='preserve'>, see note</w:t></w:r><w:r><w:rPr><w:vertAlign w:val='superscript'/></w:rPr><w:t>4</w:t></w:r></w:p>",
)
DIAGRAM = '<w:p><w:r><w:drawing><wp:inline><wp:docPr id="1" name="d" descr="Order of the shifts"/><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/diagram"><dgm:relIds xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram" r:dm="rIdD"/></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>'
DATA = '<dgm:dataModel xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><dgm:ptLst><dgm:pt modelId="1"><dgm:t><a:bodyPr/><a:p><a:r><a:t>Morning shift unlocks the silo</a:t></a:r></a:p></dgm:t></dgm:pt><dgm:pt modelId="2"><dgm:t><a:bodyPr/><a:p><a:r><a:t>Evening shift locks it</a:t></a:r></a:p></dgm:t></dgm:pt></dgm:ptLst></dgm:dataModel>'
NOTE = "<w:{kind} w:id='{number}'>" + paragraph("{text}") + "</w:{kind}>"
NOTED = "<w:p><w:r><w:t>Canoes are rented by the hour</w:t></w:r><w:r><w:footnoteReference w:id='2'/></w:r><w:r><w:t xml:space='preserve'> and by the day</w:t></w:r><w:r><w:endnoteReference w:id='2'/></w:r><w:r><w:t>.</w:t></w:r></w:p>"
COMMENTED = "<w:p><w:commentRangeStart w:id='0'/><w:r><w:t>The rent is due on the third.</w:t></w:r><w:commentRangeEnd w:id='0'/><w:r><w:commentReference w:id='0'/></w:r></w:p>"
WRAPPED = (
    "<w:p><w:smartTag w:element='place'><w:r><w:t xml:space='preserve'>Ystad harbour </w:t></w:r></w:smartTag><w:customXml w:element='x'><w:r><w:t xml:space='preserve'>closes </w:t></w:r></w:customXml><w:dir w:val='ltr'><w:r><w:t>at dusk</w:t></w:r></w:dir><w:hyperlink><w:r><w:t xml:space='preserve'> in winter.</w:t></w:r></w:hyperlink></w:p>",
    "<w:p><w:r><w:t>Arrow</w:t></w:r><w:r><w:sym w:font='Wingdings' w:char='F0E0'/></w:r><w:r><w:t>door</w:t></w:r></w:p>",
    "<w:p><w:r><w:ruby><w:rt><w:r><w:t>かぎ</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>鍵</w:t></w:r></w:rubyBase></w:ruby></w:r><w:r><w:t>は机の上です。</w:t></w:r></w:p>",
)
TABBED = tuple(
    f"<w:p><w:r><w:t>{a}</w:t><w:tab/><w:t>{b}</w:t><w:tab/><w:t>{c}</w:t></w:r></w:p>"
    for a, b, c in (("pit", "400.01", "3"), ("shaft", "88", "14"))
)


def _sections() -> bytes:
    document = docx.Document()
    document.add_paragraph("Part one is about the nursery.")
    first = document.sections[0]
    first.different_first_page_header_footer = True
    first.first_page_header.paragraphs[0].text = "Cover: approved by the council on 3 March."
    first.header.paragraphs[0].text = "Nursery, binder 12"
    second = document.add_section()
    second.header.is_linked_to_previous = False
    second.header.paragraphs[0].text = "Laundry, binder 13"
    document.add_paragraph("Part two is about the laundry.")
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def _deep() -> bytes:
    inside = paragraph("At the bottom lies the spare fuse.")
    for _ in range(60):
        inside = word_table(table_row(inside)) + paragraph("")
    return word_file(paragraph("A cell in a cell in a cell."), inside[: inside.rindex("</w:tbl>") + 8])


def changed() -> list[AwkwardFile]:
    """Tracked changes, comments, notes, hidden text."""
    boxed = word_table(
        table_row(
            paragraph("bench"),
            "<w:p><w:r><w:pict><v:shape xmlns:v='urn:schemas-microsoft-com:vml'><v:textbox><w:txbxContent>"
            + paragraph("Boxed in a cell: vice 3 is broken.")
            + "</w:txbxContent></v:textbox></v:shape></w:pict></w:r></w:p>",
        )
    )
    notes = {
        kind: word_part(kind, NOTE.format(kind=kind[:-1], number=2, text=text))
        for kind, text in (
            ("footnotes", "Footnote: an hour is fifty minutes."),
            ("endnotes", "Endnote: a day ends at six."),
        )
    }
    hidden = "<w:p><w:pPr><w:rPr><w:vanish/></w:rPr></w:pPr><w:r><w:rPr><w:vanish/></w:rPr><w:t>SECRETDRAFT</w:t></w:r></w:p>"
    return [
        AwkwardFile("word/changed_table.docx", word_file(CHANGED), ("adult .. 95", "child .. 30"), ("8095", "senior gone")),
        AwkwardFile("word/changed_mark.docx", word_file(*JOINED), ("The sauna is heated on Thursdays only.",)),
        AwkwardFile("word/notes_of_both_kinds.docx", word_file(NOTED, parts={f"word/{k}.xml": v for k, v in notes.items()}, relations="".join(relation(f"rIdN{k}", k, f"{k}.xml") for k in notes)), ("Canoes are rented by the hour", "Footnote: an hour is fifty minutes.", "Endnote: a day ends at six."), ("hour2", "day2")),
        AwkwardFile("word/commented.docx", word_file(COMMENTED, parts={"word/comments.xml": word_part("comments", "<w:comment w:id='0' w:author='Per'>" + paragraph("Per: was the second before.") + "</w:comment>")}, relations=relation("rIdC", "comments", "comments.xml")), ("The rent is due on the third.",), ("thirdPer",), or_warned=("Per: was the second before.",)),
        AwkwardFile("word/box_in_cell.docx", word_file(boxed), ("Boxed in a cell: vice 3 is broken.",)),
        AwkwardFile("word/hidden_paragraph.docx", word_file(paragraph("The loft is insulated with hemp."), hidden), ("The loft is insulated with hemp.",), (), or_warned=("SECRETDRAFT",)),
    ]  # fmt: skip


def shaped() -> list[AwkwardFile]:
    """Tables, lists, controls, fields, diagrams, formulas."""
    numbering: dict[str, Any] = {"parts": {"word/numbering.xml": NUMBERING}, "relations": ""}
    return [
        AwkwardFile("word/nested_table.docx", word_file(NESTED), ("single 4 .. double 9", "South .. 31"), ("49", "4double")),
        AwkwardFile("word/spans.docx", word_file(SPANS), ("east .. clay .. 1,450", "east .. gravel .. 77"), ("1,45077",)),
        AwkwardFile("word/deep_tables.docx", _deep(), ("At the bottom lies the spare fuse.",), (), None),
        AwkwardFile("word/tabbed.docx", word_file(*TABBED), ("pit .. 400.01 .. 3", "shaft .. 88 .. 14"), ("400.013", "8814")),
        AwkwardFile("word/restarted.docx", word_file(*LISTS, **numbering), ("1. Drain the boiler", "1.b) wait ten minutes", "2. Fill it again", "1. Sweep the flue", "2. Sign the card"), ("3. Sweep",)),
        AwkwardFile("word/controls.docx", word_file(*CONTROLS), ("Block control: the ferry leaves from pier two.", "Signed by Hanna Quist in ink.", "locker .. 114", "size .. large", "Smoke alarm tested")),
        AwkwardFile("word/fields.docx", word_file(*FIELDS), ("The lease ends on 31 May 2027.", "See annex B for the meters.", "Table 7: Keys per floor", "Keys are counted as Table 7 shows."), ("MERGEFIELD", "INNERVALUE", "SEQ Table", "_Ref1")),
        AwkwardFile("word/formulas.docx", word_file(*FORMULAS), ("Area is 10^2 acres.", "Volume 5 m^3, see note^4"), ("102 acres", "m3,")),
        AwkwardFile("word/diagram.docx", word_file(paragraph("The shifts:"), DIAGRAM, parts={"word/diagrams/data1.xml": DATA}, relations=relation("rIdD", "diagramData", "diagrams/data1.xml")), ("The shifts:",), (), or_warned=("Morning shift unlocks the silo", "Evening shift locks it")),
        AwkwardFile("word/wrapped_runs.docx", word_file(*WRAPPED), ("Ystad harbour closes at dusk in winter.", "は机の上です。"), ("Arrowdoor", "かぎ鍵")),
        AwkwardFile("word/sections.docx", _sections(), ("Part one is about the nursery.", "Part two is about the laundry.", "Cover: approved by the council on 3 March.", "Laundry, binder 13")),
    ]  # fmt: skip


def packaged() -> list[AwkwardFile]:
    """Return documents in odd packages."""
    chunk = word_file(
        "<w:altChunk r:id='rIdA'/>",
        paragraph("Before the chunk."),
        parts={"word/chunk.html": "<html><body><p>Imported: the smithy is leased to two brothers.</p></body></html>"},
        relations=relation("rIdA", "aFChunk", "chunk.html"),
    )
    strict = {
        "http://schemas.openxmlformats.org/wordprocessingml/2006/main": "http://purl.oclc.org/ooxml/wordprocessingml/main",
        "http://schemas.openxmlformats.org/officeDocument/2006/relationships": "http://purl.oclc.org/ooxml/officeDocument/relationships",
    }
    moved = members_of(word_file(paragraph("Renamed parts: the millpond is four metres deep.")))
    moved["word/document2.xml"] = moved.pop("word/document.xml")
    moved["word/_rels/document2.xml.rels"] = moved.pop("word/_rels/document.xml.rels")
    moved = {name: content.replace(b"word/document.xml", b"word/document2.xml") for name, content in moved.items()}
    missing = {
        name: content
        for name, content in members_of(word_file(paragraph("No styles: the sexton winds the clock."))).items()
        if "styles" not in name
    }
    old = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 2000 + "Old binary".encode("utf-16-le") + b"\0" * 3000
    return [
        AwkwardFile("word/chunk.docx", chunk, ("Before the chunk.",), or_warned=("Imported: the smithy is leased to two brothers.",)),
        AwkwardFile("word/strict.docx", word_file(paragraph("Strict form: the forge is swept daily."), replaced=strict), ("Strict form: the forge is swept daily.",), (), None),
        AwkwardFile("word/renamed_part.docx", zipped(moved), ("Renamed parts: the millpond is four metres deep.",)),
        AwkwardFile("word/no_styles.docx", zipped(missing), ("No styles: the sexton winds the clock.",), (), None),
        AwkwardFile("word/old.doc", old, (), (), True),
        AwkwardFile("word/modern.doc", word_file(paragraph("Modern under an old name: the vat holds 900 litres.")), ("Modern under an old name: the vat holds 900 litres.",), (), None),
        AwkwardFile("word/no_extension", word_file(paragraph("Without any ending: the ladder is eleven rungs.")), ("Without any ending: the ladder is eleven rungs.",), (), None),
    ]  # fmt: skip
