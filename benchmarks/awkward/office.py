# ruff: noqa: E501
"""PowerPoint, Excel, OpenDocument, RTF and e-books."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from typing import Any

import pptx
import xlsxwriter
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.oxml.ns import qn
from pptx.util import Inches

from benchmarks.awkward.case import AwkwardFile
from benchmarks.mixed.case import zipped
from benchmarks.mixed.office import ODF


def members_of(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _saved(document: Any) -> bytes:
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def _text_slide(deck: Any, text: str) -> Any:
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    slide.shapes.add_textbox(Inches(1), Inches(1), Inches(5), Inches(1)).text_frame.text = text
    return slide


def _deck() -> bytes:
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = "Catch of the season"
    data: Any = CategoryChartData()  # type: ignore[no-untyped-call]
    data.categories = ["April", "May"]
    data.add_series("herring", (412.5, 98.25))
    data.add_series("cod", (7, 1204))
    slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, Inches(1), Inches(2), Inches(5), Inches(3), data)
    hidden = _text_slide(deck, "Hidden slide: the net loft is rented out.")
    hidden._element.set("show", "0")
    outer = _text_slide(deck, "Groups follow.").shapes.add_group_shape()
    inner = outer.shapes.add_group_shape()
    inner.shapes.add_textbox(
        Inches(1), Inches(2), Inches(3), Inches(1)
    ).text_frame.text = "Twice grouped: ice is made on deck."
    linked = _text_slide(deck, "The rules are at the harbour office.")
    linked.notes_slide.notes_text_frame.text = "Tell them about the 1,450 crates."
    columns = deck.slides.add_slide(deck.slide_layouts[6])
    for x, (head, text) in enumerate((("Port", "Red lamp to the left."), ("Starboard", "Green lamp to the right."))):
        frame = columns.shapes.add_textbox(Inches(1 + 4 * x), Inches(1), Inches(3), Inches(3)).text_frame
        frame.text = head
        frame.add_paragraph().text = text
    return _saved(deck)


def _turned_deck() -> bytes:
    """Return a deck whose slides are displayed in another order than numbered."""
    deck = pptx.Presentation()
    for text in ("Shown last: coil the hoses.", "Shown first: open the hydrant.", "Shown second: run the hoses out."):
        _text_slide(deck, text)
    order = deck.slides._sldIdLst
    order.append(order[0])
    return _saved(deck)


def _marked_deck() -> bytes:
    deck = pptx.Presentation()
    slide = _text_slide(deck, "")
    paragraph = slide.shapes[0].text_frame.paragraphs[0]
    for text, raised in (("The dam holds 12 m", False), ("3", True), (" at most.", False)):
        run = paragraph.add_run()
        run.text = text
        if raised:
            run._r.get_or_add_rPr().set("baseline", "30000")
    table = slide.shapes.add_table(3, 3, Inches(1), Inches(3), Inches(6), Inches(1)).table
    for y, row in enumerate((("sluice", "width", "rank"), ("upper", "400.01", "3"), ("", "88", "14"))):
        for x, text in enumerate(row):
            table.cell(y, x).text = text
    table.cell(1, 0).merge(table.cell(2, 0))
    picture = slide.shapes.add_textbox(Inches(1), Inches(6), Inches(3), Inches(1))
    picture._element.find(".//" + qn("p:cNvPr")).set("descr", "Drawing of the sluice wheel")
    return _saved(deck)


def slides() -> list[AwkwardFile]:
    """Return presentations."""
    return [
        AwkwardFile("slides/catch.pptx", _deck(), ("Catch of the season", "April .. 412.5 .. 7", "May .. 98.25 .. 1204", "Hidden slide: the net loft is rented out.", "Twice grouped: ice is made on deck.", "Tell them about the 1,450 crates.", "Red lamp to the left.", "Green lamp to the right."), ("412.57", "PortStarboard")),
        AwkwardFile("slides/order.pptx", _turned_deck(), ("Shown first: open the hydrant.", "Shown second: run the hoses out.", "Shown last: coil the hoses.")),
        AwkwardFile("slides/raised.pptx", _marked_deck(), ("The dam holds 12 m^3 at most.", "upper .. 400.01 .. 3", "upper .. 88 .. 14"), ("12 m3", "400.013")),
        AwkwardFile("slides/show.ppsx", _turned_deck(), ("Shown first: open the hydrant.",), (), None),
    ]  # fmt: skip


def _formats() -> bytes:
    out = io.BytesIO()
    book = xlsxwriter.Workbook(out)
    sheet = book.add_worksheet("Formats")
    rows: tuple[tuple[str, float, str], ...] = (
        ("share", 0.075, "0.0%"), ("loss", -1234.5, "#,##0.00;(#,##0.00)"), ("price", 1204.5, '"kr" #,##0.00'), ("ratio", 0.75, "# ?/?"), ("small", 0.00012, "0.00E+00"),
        ("ssn", 123456789, "000-00-0000"), ("span", 1.53125, "[h]:mm"), ("moment", 45000.75, "yyyy-mm-dd hh:mm"), ("zip", 507, "00000"), ("plain", 0.1 + 0.2, "General"),
    )  # fmt: skip
    for y, (name, value, form) in enumerate(rows):
        sheet.write(y, 0, name)
        sheet.write(y, 1, value, book.add_format({"num_format": form}))
    book.close()
    return out.getvalue()


def _shapes() -> bytes:
    out = io.BytesIO()
    book = xlsxwriter.Workbook(out)
    sheet = book.add_worksheet("Roster")
    sheet.merge_range("A1:C1", "Roster of the pilots")
    for y, row in enumerate((("name", "watch", "hours"), ("Asta", "dawn", 7), ("Bror", "dusk", 14)), 2):
        sheet.write_row(y, 0, row)
    sheet.merge_range("E4:E5", "same cabin")
    for y, line in enumerate((("boat", "draught"), ("Kestrel", 1.75), ("Merlin", 2.25)), 2):
        sheet.write_row(y, 6, line)
    sheet.write_comment("A4", "Asta is on leave in July.")
    sheet.write_rich_string("A8", "Call ", book.add_format({"bold": True}), "channel 12", " first.")
    sheet.write_url("A9", "https://pilots.example", string="Tide tables")
    sheet.set_row(9, None, None, {"hidden": True})
    sheet.write_row(9, 0, ("Hidden row: Cato", "night", 3))
    sheet.write_boolean("A11", True)
    sheet.write("A12", "'0047 911")
    wide = book.add_worksheet("Wide")
    wide.write_row(0, 0, [f"h{n}" for n in range(300)])
    wide.write_row(1, 0, [n * 3 for n in range(300)])
    far = book.add_worksheet("Far")
    far.write("A1", "near")
    far.write(1048575, 16383, "The farthest corner holds a lamp.")
    book.add_worksheet("Empty")
    gone = book.add_worksheet("Very hidden")
    gone.write("A1", "Locked away: the second anchor.")
    gone.very_hidden()
    book.close()
    return out.getvalue()


def _uncomputed() -> bytes:
    out = io.BytesIO()
    book = xlsxwriter.Workbook(out)
    sheet = book.add_worksheet()
    sheet.write_row(0, 0, ("item", "net", "gross"))
    sheet.write_row(1, 0, ("tar", 50))
    sheet.write_formula("C2", "=B2*1.25", None, "")
    book.close()
    parts = members_of(out.getvalue())
    parts["xl/worksheets/sheet1.xml"] = parts["xl/worksheets/sheet1.xml"].replace(b"<v></v>", b"").replace(b"<v/>", b"")
    return zipped(parts)


def _of_1904() -> bytes:
    out = io.BytesIO()
    book = xlsxwriter.Workbook(out, {"date_1904": True})
    sheet = book.add_worksheet()
    sheet.write_row(0, 0, ("event", "day"))
    sheet.write(1, 0, "launch")
    sheet.write_number(1, 1, 40909, book.add_format({"num_format": "yyyy-mm-dd"}))
    book.close()
    return out.getvalue()


def _inline() -> bytes:
    """Return a workbook of a minimal writer: inline strings, no styles, a wrong extent."""
    sheet = '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><dimension ref="A1"/><sheetData><row><c t="inlineStr"><is><t>cask</t></is></c><c t="inlineStr"><is><t>litres</t></is></c></row><row><c t="inlineStr"><is><t>oak</t></is></c><c><v>225</v></c></row><row r="9"><c r="B9" t="str"><v>spilled</v></c><c r="C9" t="e"><v>#DIV/0!</v></c></row></sheetData></worksheet>'
    return zipped({
        "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>',
        "_rels/.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="a" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="Casks" sheetId="1" r:id="a"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="a" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
        "xl/worksheets/sheet1.xml": sheet,
    })  # fmt: skip


def sheets() -> list[AwkwardFile]:
    """Return workbooks of Excel."""
    old = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 4000
    return [
        AwkwardFile("excel/formats.xlsx", _formats(), ("share .. 7.5%", "price .. 1,204.50", "ssn .. 123-45-6789", "span .. 36:45", "zip .. 00507", "plain .. 0.3", "ratio .. 3/4"), ("0.30000000000000004", "45000.75"), or_warned=("loss .. (1,234.50)",)),
        AwkwardFile("excel/shapes.xlsx", _shapes(), ("Roster of the pilots", "Asta .. dawn .. 7", "Bror .. dusk .. 14", "Kestrel .. 1.75", "Merlin .. 2.25", "Asta is on leave in July.", "Call channel 12 first.", "Tide tables", "h299", "897", "The farthest corner holds a lamp.", "Locked away: the second anchor."), ("71.75", "00:00")),
        AwkwardFile("excel/uncomputed.xlsx", _uncomputed(), ("tar .. 50",), (), False, ("formula",)),
        AwkwardFile("excel/of_1904.xlsx", _of_1904(), ("launch .. 2016-01-02",), ("2012-01-01", "40909")),
        AwkwardFile("excel/inline.xlsx", _inline(), ("cask .. litres", "oak .. 225", "spilled")),
        AwkwardFile("excel/old.xls", old, (), (), True),
        AwkwardFile("excel/page_named.xls", b"<html><body><table><tr><th>well</th><th>depth</th></tr><tr><td>W9</td><td>14.5</td></tr></table></body></html>", ("W9 .. 14.5",), ("<td>",), None),
        AwkwardFile("excel/tabs_named.xls", b"well\tdepth\nW8\t31.25\n", ("W8 .. 31.25",), (), None),
    ]  # fmt: skip


def odf_file(kind: str, body: str, more: Mapping[str, bytes | str] | None = None) -> bytes:
    mime = {"text": "text", "spreadsheet": "spreadsheet", "presentation": "presentation"}[kind]
    full = f"application/vnd.oasis.opendocument.{mime}"
    content = f'<?xml version="1.0" encoding="UTF-8"?><office:document-content {ODF} xmlns:form="urn:oasis:names:tc:opendocument:xmlns:form:1.0" xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0" xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0" xmlns:xlink="http://www.w3.org/1999/xlink"><office:body><office:{kind}>{body}</office:{kind}></office:body></office:document-content>'
    manifest = f'<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><manifest:file-entry manifest:full-path="/" manifest:media-type="{full}"/></manifest:manifest>'
    return zipped(
        {"mimetype": full, "content.xml": content, "META-INF/manifest.xml": manifest, **(more or {})}, ("mimetype",)
    )


TEXT = (
    '<text:section text:name="s"><text:p>In a section: the dairy cools to four degrees.</text:p></text:section><text:p>A <text:a>link</text:a> and a <text:bookmark-ref>cross reference</text:bookmark-ref> stay; page <text:page-number>7</text:page-number>.</text:p>'
    '<text:p><draw:frame><draw:text-box><text:p>Framed: cream is skimmed twice.</text:p></draw:text-box></draw:frame></text:p><text:numbered-paragraph><text:p>Numbered: wash the churn.</text:p></text:numbered-paragraph>'
    '<text:list><text:list-header><text:p>Heading of the list</text:p></text:list-header><text:list-item><text:p>butter</text:p></text:list-item></text:list><table:table><table:table-header-rows><table:table-row><table:table-cell><text:p>cow</text:p></table:table-cell><table:table-cell><text:p>litres</text:p></table:table-cell></table:table-row></table:table-header-rows>'
    '<table:table-row><table:table-cell><text:p>Rosa</text:p></table:table-cell><table:table-cell><text:p>24.5</text:p><text:p>and 3 more</text:p></table:table-cell></table:table-row></table:table><text:p>Note<text:note text:note-class="endnote"><text:note-citation>i</text:note-citation><text:note-body><text:p>Weighed with the can.</text:p></text:note-body></text:note> here.</text:p>'
    '<text:p>Water 10<text:span text:style-name="T1">2</text:span> l.</text:p><text:p text:style-name="hid"><text:hidden-text text:string-value="x">HIDDENPART</text:hidden-text>Shown again.</text:p>'
)  # fmt: skip
CELLS = (
    '<table:table table:name="Toll"><table:table-row><table:table-cell office:value-type="string"><text:p>cart</text:p></table:table-cell><table:table-cell office:value-type="currency" office:currency="EUR" office:value="1204.5"><text:p>1.204,50 €</text:p></table:table-cell><table:table-cell office:value-type="float" office:value="-7"><text:p>(7)</text:p></table:table-cell></table:table-row>'
    '<table:table-row table:number-rows-repeated="2"><table:table-cell office:value-type="string"><text:p>mule</text:p></table:table-cell><table:table-cell office:value-type="percentage" office:value="0.125"><text:p>12,5 %</text:p></table:table-cell><table:table-cell><office:annotation><text:p>Mules with foals are free.</text:p></office:annotation></table:table-cell></table:table-row></table:table>'
    '<table:table table:name="Times" table:display="false"><table:table-row><table:table-cell office:value-type="time" office:time-value="PT07H30M00S"/><table:table-cell office:value-type="boolean" office:boolean-value="true"/><table:table-cell office:value-type="float" office:value="31.25"/></table:table-row></table:table>'
)  # fmt: skip
PAGES = '<draw:page draw:name="a"><draw:g><draw:custom-shape><text:p>In a shape: the belfry stairs are steep.</text:p></draw:custom-shape></draw:g><draw:frame><table:table><table:table-row><table:table-cell><text:p>bell</text:p></table:table-cell><table:table-cell><text:p>1,450 kg</text:p></table:table-cell></table:table-row></table:table></draw:frame></draw:page><draw:page draw:name="b"><draw:frame><draw:image/><svg:title>Clock</svg:title><svg:desc>The clock face from the east</svg:desc></draw:frame></draw:page>'


def open_document() -> list[AwkwardFile]:
    """Return OpenDocument files."""
    style = f'<office:document-styles {ODF} xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0"><office:master-styles><style:master-page style:name="M"><style:header><text:p>Dairy of Aby, third edition</text:p></style:header></style:master-page></office:master-styles></office:document-styles>'
    return [
        AwkwardFile("odf/dairy.odt", odf_file("text", TEXT, {"styles.xml": style}), ("In a section: the dairy cools to four degrees.", "A link and a cross reference stay; page 7.", "Framed: cream is skimmed twice.", "Numbered: wash the churn.", "Heading of the list", "Rosa .. 24.5 and 3 more", "Weighed with the can.", "Shown again.", "Dairy of Aby, third edition"), ("24.5and",)),
        AwkwardFile("odf/toll.ods", odf_file("spreadsheet", CELLS), ("cart .. 1.204,50 € .. (7)", "mule .. 12,5 %", "Mules with foals are free.", "31.25"), ("€(7)",)),
        AwkwardFile("odf/belfry.odp", odf_file("presentation", PAGES), ("In a shape: the belfry stairs are steep.", "bell .. 1,450 kg", "The clock face from the east")),
        AwkwardFile("odf/no_mime.odt", zipped({name: content for name, content in members_of(odf_file("text", TEXT)).items() if name != "mimetype"}), ("Framed: cream is skimmed twice.",), (), None),
    ]  # fmt: skip


RTF = (
    rb"{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0 Arial;}{\f1\fcharset204 Arial Cyr;}{\f2\fcharset128 MS Mincho;}}"
    rb"\pard Hidden {\v SECRETV}words stay away.\par {\f1 \'ca\'eb\'fe\'f7 \'f3 \'e4\'e2\'ee\'f0\'ed\'e8\'ea\'e0.}\par "
    rb"\u-10179?\u-8704? grins; na\u239\'efve.\par {\field{\*\fldinst HYPERLINK x}{\fldrslt The by-laws}} hang by the well.\par "
    rb"{\pntext\f0 3.\tab}Third step: rinse.\par {\upr{old}{\*\ud{new form}}}\par The tank holds 12 m{\super 3}.\par "
    rb"{\deleted Struck words.}\trowd\cellx900\cellx1800\intbl hen\cell 400.01\cell 3\cell\row\pard \bullet\tab eggs\line two lines\emdash end\~here.\par}"
)


def rich_text() -> list[AwkwardFile]:
    """Return RTF files."""
    nested = rb"{\rtf1\ansi " + b"{" * 3000 + rb"The pit of braces has a floor." + b"}" * 3000 + b"}"
    return [
        AwkwardFile("rtf/farm.rtf", RTF, ("words stay away.", "Ключ у дворника.", "naïve", "The by-laws hang by the well.", "Third step: rinse.", "hen .. 400.01 .. 3"), ("400.013", "12 m3", "fldinst", "HYPERLINK"), or_warned=("SECRETV",)),
        AwkwardFile("rtf/braces.rtf", nested, ("The pit of braces has a floor.",), (), None),
        AwkwardFile("rtf/cut.rtf", RTF[: len(RTF) // 2], ("words stay away.",), (), None),
        AwkwardFile("rtf/named.doc", RTF, ("Third step: rinse.",), ("\\pard",), None),
    ]  # fmt: skip


def book_file(pages: Mapping[str, str], spine: Sequence[tuple[str, str]], more: str = "", nav: str = "") -> bytes:
    items = "".join(
        f'<item id="i{n}" href="{name}" media-type="application/xhtml+xml"/>' for n, name in enumerate(pages)
    )
    names = list(pages)
    refs = "".join(f'<itemref idref="i{names.index(name)}" {attribute}/>' for name, attribute in spine)
    opf = f'<package xmlns="http://www.idpf.org/2007/opf" version="2.0"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Of moorland</dc:title></metadata><manifest>{items}{more}</manifest><spine>{refs}</spine>{nav}</package>'
    container = '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0"><rootfiles><rootfile full-path="c.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
    return zipped(
        {"mimetype": "application/epub+zip", "META-INF/container.xml": container, "c.opf": opf, **pages}, ("mimetype",)
    )


def books() -> list[AwkwardFile]:
    """Return e-books."""
    xhtml = '<?xml version="1.0" encoding="utf-8"?><!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.1//EN" "http://www.w3.org/TR/xhtml11/DTD/xhtml11.dtd"><html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><head><title>t</title></head><body>{}</body></html>'
    pages = {
        "one.xhtml": xhtml.format(
            "<h1>Peat</h1><p>Peat is cut in May&nbsp;&mdash; never in frost&hellip;</p><svg xmlns='http://www.w3.org/2000/svg'><text>In a drawing: turf stack</text></svg>"
        ),
        "two.xhtml": xhtml.format(
            "<section><h2>Heather</h2><p>Bees reach it by August.<a epub:type='noteref' href='notes.xhtml#n1'>1</a></p></section>"
        ),
        "notes.xhtml": xhtml.format("<aside epub:type='footnote' id='n1'><p>Only in dry years.</p></aside>"),
        "apart.xhtml": xhtml.format("<p>Beside the spine: a list of birds.</p>"),
    }
    return [
        AwkwardFile("epub/moor.epub", book_file(pages, (("one.xhtml", ""), ("two.xhtml", ""), ("notes.xhtml", 'linear="no"'))), ("Peat is cut in May — never in frost…", "Bees reach it by August.", "Only in dry years."), ("&nbsp;", "&mdash;")),
        AwkwardFile("epub/missing.epub", book_file({"one.xhtml": pages["one.xhtml"]}, (("one.xhtml", ""),), '<item id="x" href="gone.xhtml" media-type="application/xhtml+xml"/>').replace(b"</spine>", b"</spine>"), ("Peat is cut in May — never in frost…",)),
    ]  # fmt: skip
