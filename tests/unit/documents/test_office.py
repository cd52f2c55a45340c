"""Word, PowerPoint and Excel files keep their structure."""

from __future__ import annotations

import zipfile
from io import BytesIO

import docx
import openpyxl
import pytest

import samples
from saidonce.documents.parse import parse
from saidonce.errors import Refusal, SourceRefusedError
from saidonce.foundation.model import Kind


def test_word_keeps_order_and_kinds() -> None:
    document = parse("rules.docx", samples.word())
    assert (document.title, document.author, document.format) == ("Heating rules", "Ada Example", "docx")
    assert document.authored_at == samples.WHEN
    assert document.language == "en"
    seen = [(element.kind, element.level, element.text) for element in document.elements]
    assert seen[:4] == [
        (Kind.HEADING, 1, "Heating"),
        (Kind.PARAGRAPH, 0, samples.PROSE),
        (Kind.HEADING, 2, "Radiators"),
        (Kind.LIST, 0, "- open the valve\n- wait an hour"),
    ]
    assert (Kind.CAPTION, 0, "Figure 1: the valve") in seen


def test_word_merged_cells_stand_in_every_place_they_cover() -> None:
    (table,) = (e for e in parse("a.docx", samples.word()).elements if e.kind is Kind.TABLE)
    assert table.rows == (("Room", "Winter", "Winter"), ("Bath", "22", "24"), ("Bath", "20", "21"))
    assert table.text == "Room | Winter | Winter\nBath | 22 | 24\nBath | 20 | 21"


def test_word_takes_insertions_controls_and_boxes_but_no_deletions() -> None:
    text = "\n".join(e.text for e in parse("a.docx", samples.word()).elements)
    assert "Rent is 600 euros." in text
    assert "Inside a control." in text
    assert "Inside a box." in text
    assert "500" not in text


def test_word_raised_numbers_stay_numbers() -> None:
    assert any("10^5 Pa" in e.text for e in parse("a.docx", samples.word()).elements)


def test_word_headings_by_outline_level_and_numbering() -> None:
    document = docx.Document()
    style = document.styles.add_style("Kapitel", 1)
    style.element.get_or_add_pPr().append(docx.oxml.parse_xml(f'<w:outlineLvl xmlns:w="{samples.W}" w:val="1"/>'))
    document.add_paragraph("Zweites", style="Kapitel")
    document.add_paragraph("Text.")
    first = parse("a.docx", samples.saved(document)).elements[0]
    assert (first.kind, first.level) == (Kind.HEADING, 2)


def test_word_strict_namespaces_are_read() -> None:
    with zipfile.ZipFile(BytesIO(samples.word())) as opened:
        parts = {name: opened.read(name) for name in opened.namelist()}
    usual = b"http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    parts = {n: c.replace(usual, b"http://purl.oclc.org/ooxml/wordprocessingml/main") for n, c in parts.items()}
    assert parse("s.docx", samples.package(parts)).elements == parse("u.docx", samples.word()).elements


def test_slides_are_pages_with_headings_lists_tables_charts_and_notes() -> None:
    document = parse("deck.pptx", samples.slides())
    assert (document.title, document.n_pages) == ("House meeting", 2)
    seen = [(e.page, e.kind, e.text) for e in document.elements]
    assert seen == [
        (1, Kind.HEADING, "Agenda"),
        (1, Kind.LIST, "- Roof\n- Lift\n  - new cable"),
        (1, Kind.PARAGRAPH, "Mention the price of the roof."),
        (2, Kind.HEADING, "Costs"),
        (2, Kind.TABLE, "Item | Euros\nRoof | 9000"),
        (2, Kind.TABLE, " | Rent\n2023 | 500\n2024 | 600"),
    ]


def test_workbook_is_split_at_empty_rows() -> None:
    document = parse("rents.xlsx", samples.workbook())
    assert document.n_pages == 3
    assert [(e.page, e.kind, e.text) for e in document.elements] == [
        (1, Kind.HEADING, "Rents"),
        (1, Kind.HEADING, "Rents by flat"),
        (1, Kind.TABLE, "Flat | Rent | Since\nA1 | 512.5 | 2024-03-01\nA2 | 600 | "),
        (1, Kind.HEADING, "Rents"),
        (1, Kind.TABLE, "Share | Paid\n12.5% | TRUE"),
        (3, Kind.HEADING, "Notes"),
        (3, Kind.PARAGRAPH, "Only one cell"),
    ]


def test_workbook_merges_head_every_column_they_cover() -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for row in (
        ("Rents of all flats",),
        ("Flat", "2023", None),
        (None, "cold", "warm"),
        ("A1", 500, 600),
        ("A2", 510, 620),
    ):
        sheet.append(row)
    for merge in ("A1:C1", "B2:C2", "A2:A3"):
        sheet.merge_cells(merge)
    _, banner, table = parse("m.xlsx", samples.saved(book)).elements
    assert (banner.kind, banner.text) == (Kind.HEADING, "Rents of all flats")
    assert table.rows[:3] == (("Flat", "2023", "2023"), ("Flat", "cold", "warm"), ("A1", "500", "600"))


def test_workbook_tables_side_by_side_are_apart() -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for row in (("a", "b", None, "x", "y"), (1, 2, None, 3, 4), (5, None, None, None, 6)):
        sheet.append(row)
    tables = [e.text for e in parse("s.xlsx", samples.saved(book)).elements if e.kind is Kind.TABLE]
    assert tables == ["a | b\n1 | 2\n5 | ", "x | y\n3 | 4\n | 6"]


def test_workbook_with_very_many_tables_side_by_side_is_read() -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for _ in range(3):
        sheet.append(("a", "b", None) * 600)
    text = " ".join(e.text for e in parse("w.xlsx", samples.saved(book)).elements)
    assert text.count("a") >= 1_800


def test_workbook_with_cells_far_apart_is_read_without_filling_the_space() -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet["A1"], sheet["A1000000"] = "first", "last"
    document = parse("far.xlsx", samples.saved(book))
    assert [e.text for e in document.elements][-1] == "last"


@pytest.mark.parametrize("build", [samples.word, samples.slides, samples.workbook])
def test_a_truncated_package_is_corrupt(build: object) -> None:
    assert callable(build)
    whole = build()
    with pytest.raises(SourceRefusedError) as refused:
        parse("a.docx", whole[: len(whole) // 2])
    assert refused.value.reason is Refusal.CORRUPT


def test_a_document_without_text_is_refused() -> None:
    with pytest.raises(SourceRefusedError) as refused:
        parse("blank.docx", samples.saved(docx.Document()))
    assert refused.value.reason is Refusal.NO_TEXT
