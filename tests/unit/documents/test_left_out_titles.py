"""Titles of tables of contents in reStructuredText, descriptions of pictures in Word and PowerPoint, fields of RTF."""

from __future__ import annotations

import io

import docx
import pptx
import pytest
from docx.oxml import parse_xml
from pptx.util import Inches

from pictures_made import jpeg
from saidonce.documents.parse import parse
from saidonce.foundation.model import Kind

SEEN = "A winch with two speeds beside the weir"
W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
NAMESPACES = (
    f'{W} xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office"'
    ' xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"'
    ' xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
    ' xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
)


def contents(toctree: str) -> list[tuple[Kind, str]]:
    return [(e.kind, e.text) for e in parse("index.rst", f"Guide\n=====\n\n{toctree}\nText.\n".encode()).elements]


def test_titles_of_a_toctree_are_kept_and_file_names_are_not() -> None:
    elements = contents(
        ".. toctree::\n   :maxdepth: 2\n   :caption: First steps\n\n   Unpack the winch <unpack>\n   grease\n"
        "   weir/index\n   The two speeds <weir/speeds>\n"
    )
    assert (Kind.PARAGRAPH, "First steps") in elements
    assert (Kind.LIST, "- Unpack the winch\n- The two speeds") in elements
    assert not any("grease" in text or "unpack" in text for _, text in elements)


def test_a_toctree_of_file_names_alone_says_nothing() -> None:
    assert contents(".. toctree::\n\n   a\n   b\n") == [(Kind.HEADING, "Guide"), (Kind.PARAGRAPH, "Text.")]


def test_a_hidden_toctree_says_nothing() -> None:
    elements = contents(".. toctree::\n   :hidden:\n\n   Unpack the winch <unpack>\n")
    assert elements == [(Kind.HEADING, "Guide"), (Kind.PARAGRAPH, "Text.")]


def word(inner: str) -> list[tuple[Kind, str]]:
    document = docx.Document()
    document.add_paragraph("Before.")
    document.element.body.insert(1, parse_xml(f"<w:p {NAMESPACES}><w:r>{inner}</w:r></w:p>"))
    out = io.BytesIO()
    document.save(out)
    return [(e.kind, e.text) for e in parse("a.docx", out.getvalue()).elements]


DRAWING = '<w:drawing><wp:inline><wp:docPr id="7" name="Picture 7" descr="{}"/></wp:inline></w:drawing>'
VML = '<w:pict><v:shape id="s1" alt="{}" style="width:10pt"/></w:pict>'


@pytest.mark.parametrize("markup", [DRAWING, VML])
def test_the_description_of_a_shape_is_a_caption(markup: str) -> None:
    assert word(markup.format(SEEN)) == [(Kind.PARAGRAPH, "Before."), (Kind.CAPTION, SEEN)]


def test_a_shape_that_is_written_twice_for_old_programs_is_described_once() -> None:
    both = (
        f'<mc:AlternateContent><mc:Choice Requires="wps">{DRAWING.format(SEEN)}</mc:Choice>'
        f"<mc:Fallback>{VML.format(SEEN)}</mc:Fallback></mc:AlternateContent>"
    )
    assert word(both) == [(Kind.PARAGRAPH, "Before."), (Kind.CAPTION, SEEN)]


@pytest.mark.parametrize(
    "label",
    ["Picture 7", "winch_2026.jpg", "A sign on a wall&#10;&#10;Description automatically generated", ""],
)
def test_labels_file_names_and_guesses_of_a_program_are_no_captions(label: str) -> None:
    assert word(DRAWING.format(label)) == [(Kind.PARAGRAPH, "Before.")]


def test_the_description_of_a_picture_on_a_slide_is_a_caption() -> None:
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = "Weirs"
    shown = slide.shapes.add_picture(io.BytesIO(jpeg()), Inches(1), Inches(3))
    shown._element.nvPicPr.cNvPr.set("descr", SEEN)
    out = io.BytesIO()
    deck.save(out)
    elements = [(e.kind, e.text) for e in parse("a.pptx", out.getvalue()).elements]
    assert (Kind.CAPTION, SEEN) in elements


@pytest.mark.parametrize(
    ("field", "shown"),
    [
        (r'{\field{\*\fldinst{HYPERLINK "mailto:ida@mill.example"}}{\fldrslt{ida@mill.example}}}', "ida@mill.example"),
        (r'{\field{\*\fldinst HYPERLINK "http://mill.example/a"}{\fldrslt {\ul the lease}}}', "the lease"),
        (
            r'{\field{\*\fldinst{HYPERLINK "http://mill.example/b"}}{\fldrslt{Ida}}}, '
            r"{\field{\*\fldinst TIME}{\fldrslt 12:30}}",
            "Ida, 12:30",
        ),
        (r"{\field\flddirty{\*\fldinst { MERGEFIELD sum }}{\fldrslt {512.00}}}", "512.00"),
        (r'{\field{\*\fldinst {DATE \\@ "d.M.yyyy"}}{\fldrslt {4.11.2026}}}', "4.11.2026"),
        (r"{\field{\*\fldinst{=SUM(ABOVE) {\field{\*\fldinst PAGE}{\fldrslt 9}}}}{\fldrslt 77}}", "77"),
    ],
)
def test_the_result_of_a_field_stands_where_it_is_and_its_code_nowhere(field: str, shown: str) -> None:
    source = rf"{{\rtf1\ansi Ask for {field} at the mill. Then go.\par}}"
    assert [e.text for e in parse("a.rtf", source.encode()).elements] == [f"Ask for {shown} at the mill. Then go."]
