"""Lists of Word keep what their members belong to, however their levels are stated."""

from __future__ import annotations

import io

import docx
import pytest
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Pt
from docx.text.paragraph import Paragraph

from saidonce.documents.parse import parse
from saidonce.foundation.model import Kind

Item = tuple[str, str] | tuple[str, str, int, int] | tuple[str, str, int, int, int]
"""Style and text; number of the list and level in it; points from the left margin."""


def _listed(paragraph: Paragraph, number: int, level: int) -> None:
    properties = paragraph._p.get_or_add_pPr()
    numbering = OxmlElement("w:numPr")
    for name, value in (("w:ilvl", level), ("w:numId", number)):
        part = OxmlElement(name)
        part.set(qn("w:val"), str(value))
        numbering.append(part)
    properties.append(numbering)


def texts(*items: Item) -> list[str]:
    """Return the texts of a document with these paragraphs."""
    document = docx.Document()
    for item in items:
        paragraph = document.add_paragraph(item[1], style=item[0])
        if len(item) >= 4:
            _listed(paragraph, item[2], item[3])
        if len(item) == 5:
            paragraph.paragraph_format.left_indent = Pt(item[4])
    written = io.BytesIO()
    document.save(written)
    return [e.text for e in parse("a.docx", written.getvalue()).elements if e.kind in (Kind.LIST, Kind.PARAGRAPH)]


B, B2, B3 = "List Bullet", "List Bullet 2", "List Bullet 3"
N, N2, P = "List Number", "List Number 2", "List Paragraph"

NESTED: dict[str, tuple[list[Item], str]] = {
    "bullets by style": (
        [(B, "Kitchen"), (B2, "Stove"), (B3, "Oven"), (B2, "Sink"), (B, "Bath")],
        "- Kitchen\n  - Stove\n    - Oven\n  - Sink\n- Bath",
    ),
    "numbers by style": (
        [(N, "Kitchen"), (N2, "Stove"), (N2, "Sink"), (N, "Bath")],
        "1. Kitchen\n  1. Stove\n  2. Sink\n2. Bath",
    ),
    "bullets below numbers": (
        [(N, "Kitchen"), (B2, "Stove"), (N, "Bath"), (B2, "Tub"), (B2, "Basin")],
        "1. Kitchen\n  - Stove\n2. Bath\n  - Tub\n  - Basin",
    ),
    "levels of one list": (
        [(P, "Kitchen", 1, 0), (P, "Stove", 1, 1), (P, "Oven", 1, 2), (P, "Bath", 1, 0)],
        "- Kitchen\n  - Stove\n    - Oven\n- Bath",
    ),
    "two lists, one farther from the margin": (
        [(P, "Kitchen", 8, 0, 18), (P, "Stove", 9, 0, 54), (P, "Sink", 9, 0, 54), (P, "Bath", 8, 0, 18)],
        "1. Kitchen\n  1. Stove\n  2. Sink\n2. Bath",
    ),
    "the last of all is deep": ([(B, "Kitchen"), (B3, "Oven")], "- Kitchen\n  - Oven"),
    "it begins deep": ([(B2, "Stove"), (B, "Bath")], "  - Stove\n- Bath"),
    "a level alone": ([(B2, "Stove"), (B2, "Sink")], "- Stove\n- Sink"),
    "one level": ([(B, "Kitchen"), (B, "Bath")], "- Kitchen\n- Bath"),
    "two lists at one margin": ([(B, "Kitchen"), (N, "Bath")], "- Kitchen\n1. Bath"),
    "levels at one margin": (
        [(P, "Kitchen", 1, 0, 18), (P, "Stove", 1, 1, 18), (P, "Bath", 1, 0, 18)],
        "- Kitchen\n  - Stove\n- Bath",
    ),
    "a paragraph of a member": (
        [(B, "Kitchen"), ("List Continue", "The cook decides."), (B2, "Stove"), ("List Continue 2", "It is hot.")],
        "- Kitchen\n  The cook decides.\n  - Stove\n    It is hot.",
    ),
}


@pytest.mark.parametrize("name", NESTED)
def test_a_member_lies_below_what_it_belongs_to(name: str) -> None:
    items, shown = NESTED[name]
    assert texts(*items) == [shown.strip("\n")]


def test_a_paragraph_that_continues_no_member_is_text() -> None:
    assert texts(("List Continue", "The cook decides."), (B, "Kitchen")) == ["The cook decides.", "- Kitchen"]


def test_a_paragraph_between_two_lists_parts_them() -> None:
    assert texts((B, "Kitchen"), ("Normal", "And then:"), (B2, "Stove")) == ["- Kitchen", "And then:", "- Stove"]
