"""What an author struck out is retracted: it is no text of the document, and a note says that it was left out."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable

import docx
import openpyxl
import pptx
import pytest
from docx.enum.style import WD_STYLE_TYPE
from docx.oxml import parse_xml
from openpyxl.styles import Font

from saidonce.documents.parse import parse
from saidonce.foundation.model import Document

KEPT = "El kayak requiere fianza y casco."
W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def texts(document: Document) -> list[str]:
    return [element.text for element in document.elements]


def note(n: int) -> str:
    return f"struck-out passages left out: {n}"


MARKUP = [
    ("a.md", "El kayak requiere fianza ~~de 50 euros~~ y casco."),
    ("a.md", "El kayak requiere fianza ~~de *50* [euros](#x)~~ y casco."),
    ("a.md", "El kayak requiere fianza <del>de 50 euros</del> y casco."),
    ("a.md", 'El kayak requiere fianza <span style="text-decoration: line-through">de 50'
             "</span> y casco."),
    ("a.mdx", "El kayak requiere fianza ~~de 50 euros~~ y casco."),
    ("a.html", "<p>El kayak requiere fianza <del>de 50 euros</del> y casco.</p>"),
    ("a.html", "<p>El kayak requiere fianza <s>de <b>50</b> euros</s> y casco.</p>"),
    ("a.html", "<p>El kayak requiere fianza <strike>de 50 euros</strike> y casco.</p>"),
    ("a.html", "<p>El kayak requiere fianza <span style='color:red;text-decoration:line-through'>de 50"
               "</span> y casco.</p>"),
    ("a.html", "<p>El kayak requiere fianza <span class='line-through'>de 50 euros</span> y casco.</p>"),
    ("a.rst", ".. role:: strike\n\nEl kayak requiere fianza :strike:`de 50 euros` y casco."),
    ("a.rst", "El kayak requiere fianza :del:`de 50 euros` y casco."),
    ("a.adoc", "El kayak requiere fianza [line-through]#de 50 euros# y casco."),
    ("a.adoc", "El kayak requiere fianza [.line-through]#de 50 euros# y casco."),
    ("a.adoc", "El kayak requiere fianza [.red.line-through]##de 50 euros## y casco."),
    ("a.org", "El kayak requiere fianza +de 50 euros+ y casco."),
    ("a.org", "*El kayak requiere fianza +de 50 euros+ y casco.*"),
    ("a.wiki", "'''El kayak''' requiere fianza <s>de 50 euros</s> y casco."),
    ("a.wiki", "'''El kayak''' requiere fianza <del>de [[euro|50 euros]]</del> y casco."),
    ("a.tex", "\\begin{document}El kayak requiere fianza \\sout{de 50 \\emph{euros}} y casco.\\end{document}"),
    ("a.tex", "\\begin{document}El kayak requiere fianza \\st{de 50 euros} y casco.\\end{document}"),
    ("a.rtf", r"{\rtf1\ansi\pard El kayak requiere fianza {\strike de 50 euros} y casco.\par}"),
    ("a.rtf", r"{\rtf1\ansi\pard El kayak requiere fianza \strike de 50 \b euros\b0\strike0  y casco.\par}"),
    ("a.rtf", r"{\rtf1\ansi\pard El kayak requiere fianza {\striked1 de 50 \'80}\plain  y casco.\par}"),
    ("a.eml", "Subject: x\nContent-Type: text/html\n\n<p>El kayak requiere fianza <s>de 50</s> y casco.</p>"),
    ("a.xml", "<article><para>El kayak requiere fianza <emphasis role='strikethrough'>de 50</emphasis> y"
              " casco.</para></article>"),
    ("a.dita", "<topic><title>x</title><body><p>El kayak requiere fianza <line-through>de 50</line-through> y"
               " casco.</p></body></topic>"),
    ("a.json", '{"body": "<p>El kayak requiere fianza <s>de 50 euros</s> y casco.</p><p>Otro.</p>", "id": 1}'),
]  # fmt: skip


@pytest.mark.parametrize(("name", "markup"), MARKUP)
def test_what_is_struck_out_is_left_out_and_noted(name: str, markup: str) -> None:
    document = parse(name, markup.encode())
    assert any(text.removeprefix("body: ").startswith(KEPT) for text in texts(document)), texts(document)
    assert not any("50" in text for text in texts(document))
    assert document.warnings == (note(1),)


WHOLE = [
    ("a.md", "Uno.\n\n~~Dos, *tres*.~~\n\nCuatro.\n", ["Uno.", "Cuatro."]),
    ("a.md", "- uno\n- ~~dos~~\n- tres\n", ["- uno\n- tres"]),
    ("a.md", "1. uno\n2. ~~dos~~\n3. tres\n", ["1. uno\n3. tres"]),
    ("a.md", "|a|b|\n|-|-|\n|1|~~2~~|\n|~~3~~|4|\n", ["a | b\n1 | \n | 4"]),
    ("a.md", "<del>\n\nDos.\n\n</del>\n\nTres.\n", ["Tres."]),
    ("a.html", "<p>Uno.</p><p><s>Dos.</s></p><p>Tres.</p>", ["Uno.", "Tres."]),
    ("a.html", "<p>Uno.</p><del><p>Dos.</p><p>Tres.</p></del><p>Cuatro.</p>", ["Uno.", "Cuatro."]),
    ("a.html", "<ol><li>uno<li><s>dos</s><li>tres</ol>", ["1. uno\n3. tres"]),
    ("a.html", "<ol><li>uno<li style='text-decoration: line-through'>dos<li>tres</ol>", ["1. uno\n3. tres"]),
    ("a.html", "<table><tr><th>a<th>b<tr><td>1<td style='text-decoration:line-through'>2<tr><td><s>3</s><td>4</table>",
               ["a | b\n1 | \n | 4"]),
    ("a.html", "<table><tr><th>a<th>b<tr style='text-decoration:line-through'><td>1<td>2<tr><td>3<td>4</table>",
               ["a | b\n3 | 4"]),
    ("a.org", "- uno\n- +dos+\n- tres\n", ["- uno\n- tres"]),
    ("a.adoc", "* uno\n* [line-through]#dos#\n* tres\n", ["- uno\n- tres"]),
    ("a.wiki", "== T ==\n* uno\n* <s>dos</s>\n* tres\n", ["T", "- uno\n- tres"]),
    ("a.rst", "Uno.\n\n:strike:`Dos.`\n\nTres.\n", ["Uno.", "Tres."]),
    ("a.rtf", r"{\rtf1\ansi\pard Uno.\par {\strike Dos.\par }Tres.\par}", ["Uno.", "Tres."]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "markup", "left"), WHOLE)
def test_a_paragraph_an_item_or_a_cell_that_is_all_struck_out_is_left_out(
    name: str, markup: str, left: list[str]
) -> None:
    document = parse(name, markup.encode())
    assert texts(document) == left
    assert any(warning.startswith("struck-out passages left out: ") for warning in document.warnings)


CLOSED = [
    ("Fianza ~~de 50 euros~~, casco.", "Fianza, casco."),
    ("Fianza (~~50 euros~~) y casco.", "Fianza y casco."),
    ("~~Hoy~~ Mañana.", "Mañana."),
    ("Cuesta ~~50~~60 euros.", "Cuesta 60 euros."),
    ("Código 1~~2~~3.", "Código 1 3."),
    ("Mañana ~~a las 9~~ ~~a las 10~~ a las 11.", "Mañana a las 11."),
]


@pytest.mark.parametrize(("markup", "left"), CLOSED)
def test_the_words_around_it_close_up(markup: str, left: str) -> None:
    assert texts(parse("a.md", markup.encode())) == [left]


NOT_STRUCK = [
    ("a.md", "Run `a ~~b~~ c` now.", "Run a ~~b~~ c now."),
    ("a.md", "    a ~~b~~ c\n", "a ~~b~~ c"),
    ("a.md", "~~~\na ~~b~~ c\n~~~\n", "a ~~b~~ c"),
    ("a.md", "About ~5~ kg and ~6 kg.", "About ~5~ kg and ~6 kg."),
    ("a.md", "Fee <s>unclosed until here.", "Fee unclosed until here."),
    ("a.org", "The sum 1 + 2 + 3, C++ and D++, =+x+= too.", "The sum 1 + 2 + 3, C++ and D++, +x+ too."),
    ("a.org", "Between a+5+b and +34 600 000.", "Between a+5+b and +34 600 000."),
    ("a.adoc", "A `[line-through]#b#` and a #mark#.", "A [line-through]#b# and a mark."),
    ("a.adoc", "Press a[line-through]#b#c.", "Press a[line-through]#b#c."),
    ("a.html", "<p>Fee <ins>60</ins> <span style='text-decoration: underline'>euros</span>.</p>", "Fee 60 euros."),
    ("a.wiki", "== T ==\nA <nowiki><s>b</s></nowiki> c.", "A <s>b</s> c."),
    ("a.rtf", r"{\rtf1\ansi\pard\strike0 One fee.\par}", "One fee."),
]


@pytest.mark.parametrize(("name", "markup", "kept"), NOT_STRUCK)
def test_signs_that_strike_nothing_out_stay_text(name: str, markup: str, kept: str) -> None:
    document = parse(name, markup.encode())
    assert texts(document)[-1] == kept
    assert document.warnings == ()


def word(build: Callable[[docx.document.Document], None]) -> Document:
    made, out = docx.Document(), io.BytesIO()
    build(made)
    made.save(out)
    return parse("a.docx", out.getvalue())


def test_struck_runs_of_word_are_left_out() -> None:
    def build(made: docx.document.Document) -> None:
        paragraph = made.add_paragraph("El kayak requiere fianza ")
        paragraph.add_run("de 50 ").font.strike = True
        paragraph.add_run("euros").font.double_strike = True
        paragraph.add_run(" y casco.")
        made.add_paragraph().add_run("Cerrado el lunes.").font.strike = True
        made.add_paragraph().add_run("Abierto.").font.strike = False
        cells = made.add_table(rows=2, cols=2).rows
        cells[0].cells[0].text, cells[0].cells[1].text, cells[1].cells[1].text = "a", "b", "4"
        cells[1].cells[0].paragraphs[0].add_run("3").font.strike = True

    document = word(build)
    assert texts(document) == [KEPT, "Abierto.", "a | b\n | 4"]
    assert document.warnings == (note(3),)


def test_struck_styles_of_word_are_left_out_unless_a_run_says_otherwise() -> None:
    def build(made: docx.document.Document) -> None:
        retracted = made.styles.add_style("Retracted", WD_STYLE_TYPE.CHARACTER)
        retracted.font.strike = True
        derived = made.styles.add_style("Derived", WD_STYLE_TYPE.CHARACTER)
        derived.base_style = retracted
        old = made.styles.add_style("Old", WD_STYLE_TYPE.PARAGRAPH)
        old.font.strike = True
        paragraph = made.add_paragraph("El kayak requiere fianza ")
        paragraph.add_run("de 50", style="Derived")
        paragraph.add_run(" y casco.")
        made.add_paragraph("Cerrado el lunes.", style="Old")
        made.add_paragraph(style="Old").add_run("Abierto.").font.strike = False

    document = word(build)
    assert texts(document) == [KEPT, "Abierto."]
    assert document.warnings == (note(2),)


def test_tracked_deletions_of_word_are_left_out_and_insertions_stay() -> None:
    def build(made: docx.document.Document) -> None:
        made.element.body.insert(
            0,
            parse_xml(
                f'<w:p xmlns:w="{W}"><w:r><w:t xml:space="preserve">Fianza de </w:t></w:r>'
                '<w:del w:id="1" w:author="x"><w:r><w:delText>50</w:delText></w:r></w:del>'
                '<w:ins w:id="2" w:author="x"><w:r><w:t>60</w:t></w:r></w:ins>'
                "<w:r><w:t> euros.</w:t></w:r></w:p>"
            ),
        )

    document = word(build)
    assert texts(document) == ["Fianza de 60 euros."]
    assert document.warnings == (note(1),)


def test_struck_runs_of_slides_are_left_out() -> None:
    deck, out = pptx.Presentation(), io.BytesIO()
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    slide.shapes.title.text = "Kayak"
    frame = slide.placeholders[1].text_frame
    for at, (text, strike) in enumerate(
        (("El kayak requiere fianza ", ""), ("de 50", "sngStrike"), (" y casco.", "noStrike"))
    ):
        run = frame.paragraphs[0].add_run()
        run.text = text
        if strike:
            run.font._element.set("strike", strike)
        assert at < 3
    gone = frame.add_paragraph().add_run()
    gone.text = "Cerrado."
    gone.font._element.set("strike", "dblStrike")
    deck.save(out)
    document = parse("a.pptx", out.getvalue())
    assert texts(document) == ["Kayak", KEPT]
    assert document.warnings == (note(2),)


RICH = (
    '<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><si>'
    '<r><t xml:space="preserve">fianza </t></r>'
    '<r><rPr><strike/></rPr><t xml:space="preserve">de 50 </t></r><r><rPr><strike/><b/></rPr><t>euros</t></r>'
    '<r><rPr><b/></rPr><t xml:space="preserve"> y casco</t></r></si></sst>'
)
TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"
RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/sharedStrings"


def with_rich_text(workbook: bytes) -> bytes:
    """Write a text of several fonts into C3, as Excel does: as the first of the shared strings."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(workbook)) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            part = old.read(name).decode()
            part = re.sub(r'<c r="C3"[^>]*>.*?</c>', '<c r="C3" t="s"><v>0</v></c>', part)
            part = part.replace(
                "</Types>", f'<Override PartName="/xl/sharedStrings.xml" ContentType="{TYPE}"/></Types>'
            )
            if name == "xl/_rels/workbook.xml.rels":
                target = f'<Relationship Id="rS" Type="{RELATION}" Target="/xl/sharedStrings.xml"/></Relationships>'
                part = part.replace("</Relationships>", target)
            if name != "xl/sharedStrings.xml":
                new.writestr(name, part)
        new.writestr("xl/sharedStrings.xml", RICH)
    return out.getvalue()


def test_struck_cells_of_a_workbook_are_left_out() -> None:
    book, out = openpyxl.Workbook(), io.BytesIO()
    sheet = book.create_sheet("fees", 0)
    for row in (("item", "fee", "note"), ("kayak", 50, "a"), ("casco", 5, "b")):
        sheet.append(row)
    sheet["B2"].font = Font(strike=True)
    book.save(out)
    document = parse("a.xlsx", with_rich_text(out.getvalue()))
    assert texts(document)[-1] == "item | fee | note\nkayak |  | a\ncasco | 5 | fianza y casco"
    assert document.warnings == (note(2),)


ODT = """<?xml version="1.0"?><office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
 xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0"
 xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"
 xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0"
 xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"><office:automatic-styles>
<style:style style:name="T1" style:family="text"><style:text-properties
 style:text-line-through-style="solid"/></style:style>
<style:style style:name="T2" style:family="text"><style:text-properties
 style:text-line-through-style="none"/></style:style>
<style:style style:name="T3" style:family="text" style:parent-style-name="T1"/>
<style:style style:name="P1" style:family="paragraph"><style:text-properties style:text-line-through-type="single"
 style:text-line-through-style="solid"/></style:style>
<style:style style:name="C1" style:family="table-cell"><style:text-properties style:text-line-through-style="solid"/>
</style:style></office:automatic-styles><office:body>{}</office:body></office:document-content>"""


def odf(name: str, body: str) -> Document:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as package:
        kind = {"odt": "text", "ods": "spreadsheet"}[name.rpartition(".")[2]]
        package.writestr("mimetype", f"application/vnd.oasis.opendocument.{kind}")
        package.writestr("content.xml", ODT.format(f"<office:{kind}>{body}</office:{kind}>"))
    return parse(name, out.getvalue())


def test_struck_spans_of_open_document_are_left_out() -> None:
    document = odf(
        "a.odt",
        "<text:p>El kayak requiere fianza <text:span text:style-name='T1'>de <text:a>50</text:a></text:span>"
        " y casco.</text:p><text:p text:style-name='P1'>Cerrado.</text:p>"
        "<text:p text:style-name='P1'>No: <text:span text:style-name='T2'>abierto.</text:span></text:p>"
        "<text:list><text:list-item><text:p>uno</text:p></text:list-item><text:list-item><text:p>"
        "<text:span text:style-name='T3'>dos</text:span></text:p></text:list-item></text:list>",
    )
    assert texts(document) == [KEPT, "abierto.", "- uno"]
    assert document.warnings == (note(4),)


def test_tracked_deletions_of_open_document_are_left_out() -> None:
    document = odf(
        "a.odt",
        "<text:tracked-changes><text:changed-region><text:deletion><text:p>de 50 euros</text:p></text:deletion>"
        "</text:changed-region></text:tracked-changes>"
        "<text:p>El kayak requiere fianza <text:change/>y casco.</text:p>",
    )
    assert texts(document) == [KEPT]
    assert document.warnings == (note(1),)


def test_struck_cells_of_an_open_document_sheet_are_left_out() -> None:
    row = "<table:table-row>{}</table:table-row>"
    cell = "<table:table-cell{}><text:p>{}</text:p></table:table-cell>"
    struck = ' table:style-name="C1"'
    document = odf(
        "a.ods",
        "<table:table table:name='S'>"
        + row.format(cell.format("", "item") + cell.format("", "fee"))
        + row.format(cell.format("", "kayak") + cell.format(struck, "50"))
        + row.format(cell.format("", "casco") + cell.format("", "5"))
        + "</table:table>",
    )
    assert texts(document)[-1] == "item | fee\nkayak | \ncasco | 5"
    assert document.warnings == (note(1),)


def test_struck_text_of_a_book_is_left_out() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as package:
        package.writestr("mimetype", "application/epub+zip")
        package.writestr(
            "META-INF/container.xml",
            '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
            '<rootfile full-path="a.opf"/></rootfiles></container>',
        )
        package.writestr(
            "a.opf",
            '<package xmlns="http://www.idpf.org/2007/opf"><manifest>'
            '<item id="c" href="c.xhtml" media-type="application/xhtml+xml"/></manifest>'
            '<spine><itemref idref="c"/></spine></package>',
        )
        package.writestr("c.xhtml", "<html><body><p>El kayak requiere fianza <s>de 50</s> y casco.</p></body></html>")
    document = parse("a.epub", out.getvalue())
    assert texts(document) == [KEPT]
    assert document.warnings == (note(1),)


def test_passages_are_counted_over_the_whole_document() -> None:
    document = parse("a.md", b"~~a~~ b ~~c~~ d\n\n<p>e <s>f</s></p>\n")
    assert document.warnings == (note(3),)
