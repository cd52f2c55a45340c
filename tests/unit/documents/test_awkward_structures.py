# ruff: noqa: E501
"""Structures that a folder of awkward files showed: what is kept of each, and what is said of the rest."""

from __future__ import annotations

import bz2
import io
import lzma
import tarfile
import textwrap
from collections.abc import Sequence

import docx
import openpyxl
import pptx
import pytest
from docx.oxml import parse_xml
from openpyxl.worksheet.worksheet import Worksheet
from reportlab.lib.pagesizes import A4
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen import canvas

from saidonce.documents.parse import is_supported, parse
from saidonce.documents.parse.containers import unpack
from saidonce.documents.parse.decode import decode
from saidonce.documents.parse.source import Limits, NamedBytes
from saidonce.errors import SourceRefusedError
from saidonce.foundation.model import Document, Kind

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
SENTENCES = (
    "Whoever opens the upper sluice tells the keeper of the lower one beforehand by telephone.",
    "The chain of the second gate is oiled twice a year, but never in frost or heavy rain.",
    "Barges that carry gravel wait below until the water between both gates has come to rest.",
    "Rowing clubs may use the slipway on weekdays, provided that nobody trains for a regatta.",
)


def texts(document: Document) -> list[str]:
    return [element.text for element in document.elements]


def drawn(*pages: Sequence[tuple[float, float, float, str]]) -> bytes:
    """Return a PDF of strings, each with its place and size."""
    out = io.BytesIO()
    sheet = canvas.Canvas(out, A4, invariant=1)
    for page in pages:
        for x, y, size, text in page:
            sheet.setFont("Helvetica", size)
            sheet.drawString(x, y, text)
        sheet.showPage()
    sheet.save()
    return out.getvalue()


def column(x: float, top: float, sentences: tuple[str, ...], width: int) -> list[tuple[float, float, float, str]]:
    lines = textwrap.wrap(" ".join(sentences), width, break_long_words=False, break_on_hyphens=False)
    return [(x, top - 9.5 * at, 8.0, one) for at, one in enumerate(lines)]


class TestPagesOfPdf:
    @pytest.mark.parametrize("gutter", [4.0, 6.0, 10.0])
    def test_narrow_columns_are_read_one_after_the_other(self, gutter: float) -> None:
        width = 26 * 8.0 * 0.5 + gutter
        page = [row for at, one in enumerate(SENTENCES) for row in column(40 + at * width, 780, (one,), 26)]
        whole = " ".join(texts(parse("lock.pdf", drawn(page))))
        assert all(sentence in whole for sentence in SENTENCES)

    def test_labels_stay_beside_their_values(self) -> None:
        rows = (("Tenant", "Ada Holm"), ("Paid", "14 May"), ("Room", "North wing"))
        page = [
            (x, 780 - 15 * y, 10.0, text) for y, row in enumerate(rows) for x, text in zip((60, 220), row, strict=True)
        ]
        lines = "\n".join(texts(parse("bill.pdf", drawn(page)))).split("\n")
        for label, value in rows:
            assert any(label in line and line.index(label) < line.index(value) for line in lines if value in line)

    def test_a_sentence_that_goes_on_over_a_page_is_one(self) -> None:
        def page(number: int, *lines: str) -> list[tuple[float, float, float, str]]:
            body = [(60.0, 760.0 - 14 * at, 11.0, line) for at, line in enumerate(lines)]
            return [(60, 815, 9, "Rules of the mill"), *body, (280, 30, 9, f"{number}")]

        content = drawn(
            page(1, "The race is cleared by the", "miller and"),
            page(2, "his neighbours in turn."),
            page(3, "Oak is used."),
        )
        found = texts(parse("mill.pdf", content))
        assert "The race is cleared by the miller and his neighbours in turn." in found
        assert "Oak is used." in found
        assert not any("Rules of the mill his" in text for text in found)

    def test_a_small_raised_figure_is_a_mark(self) -> None:
        page = [
            (60, 760, 11, "It holds 25 m"),
            (60 + stringWidth("It holds 25 m", "Helvetica", 11), 764, 6.5, "3"),
            (150, 760, 11, "of tar."),
        ]
        assert "25 m^3" in " ".join(texts(parse("vat.pdf", drawn(page))))
        assert "25 m3" in " ".join(texts(parse("vat.pdf", drawn([(60, 760, 11, "It holds 25 m3 of tar.")]))))

    def test_an_initial_is_joined_to_its_word(self) -> None:
        page = [
            (60, 738, 34, "T"),
            (84, 752, 11, "he weir is closed in March, and the"),
            (84, 739, 11, "pool is drained in May."),
        ]
        assert any("The weir is closed in March" in text for text in texts(parse("weir.pdf", drawn(page))))

    def test_what_stands_before_a_pdf_does_not_harm_it(self) -> None:
        content = b"HTTP/1.1 200 OK\r\n\r\n" + drawn([(60, 760, 11, "The bell is rung at six.")])
        assert "The bell is rung at six." in " ".join(texts(parse("bell.pdf", content)))


def word(*markup: str) -> bytes:
    document = docx.Document()
    for one in markup:
        document.element.body.insert(len(document.element.body) - 1, parse_xml(one))
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def run(text: str) -> str:
    return f"<w:r><w:t xml:space='preserve'>{text}</w:t></w:r>"


class TestWord:
    @pytest.mark.parametrize(
        ("markup", "kept", "never"),
        [
            pytest.param(
                f"<w:tbl {W}><w:tr><w:tc><w:p>{run('oak')}</w:p></w:tc><w:tc><w:p>{run('7')}</w:p></w:tc></w:tr><w:tr><w:trPr><w:del w:id='1'/></w:trPr>"
                f"<w:tc><w:p>{run('elm')}</w:p></w:tc><w:tc><w:p>{run('9')}</w:p></w:tc></w:tr></w:tbl>",
                "oak | 7", "elm", id="a row that was deleted",
            ),
            pytest.param(
                f"<w:p {W}><w:r><w:fldChar w:fldCharType='begin'/></w:r><w:r><w:fldChar w:fldCharType='begin'/></w:r><w:r><w:fldChar w:fldCharType='separate'/></w:r>{run('INNER')}"
                f"<w:r><w:fldChar w:fldCharType='end'/></w:r><w:r><w:fldChar w:fldCharType='separate'/></w:r>{run('annex B')}<w:r><w:fldChar w:fldCharType='end'/></w:r></w:p>",
                "annex B", "INNER", id="a field inside of a field",
            ),
            pytest.param(f"<w:p {W}>{run('at most')}<w:r><w:sym w:font='Symbol' w:char='F0B1'/></w:r>{run('3')}</w:p>", "at most±3", "most3", id="a sign of a font"),
            pytest.param(
                f"<w:p {W}><w:r><w:ruby><w:rt>{run('かぎ')}</w:rt><w:rubyBase>{run('鍵')}</w:rubyBase></w:ruby></w:r></w:p>",
                "鍵(かぎ)", "かぎ鍵", id="words with how they are read",
            ),
        ],
    )  # fmt: skip
    def test_keeps_what_is_seen(self, markup: str, kept: str, never: str) -> None:
        found = "\n".join(texts(parse("a.docx", word(markup))))
        assert kept in found
        assert never not in found

    def test_a_deleted_end_of_a_paragraph_joins_it_with_the_next(self) -> None:
        first = f"<w:p {W}><w:pPr><w:rPr><w:del w:id='1'/></w:rPr></w:pPr>{run('The loft is dry ')}</w:p>"
        assert texts(parse("a.docx", word(first, f"<w:p {W}>{run('in May.')}</w:p>"))) == ["The loft is dry in May."]


def test_a_raised_figure_of_a_slide_is_a_mark() -> None:
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    paragraph = slide.shapes.add_textbox(0, 0, 999_999, 999_999).text_frame.paragraphs[0]
    for text, raised in (("12 m", False), ("3", True), (" of tar", False)):
        piece = paragraph.add_run()
        piece.text = text
        if raised:
            piece._r.get_or_add_rPr().set("baseline", "30000")
    out = io.BytesIO()
    deck.save(out)
    assert texts(parse("a.pptx", out.getvalue())) == ["12 m^3 of tar"]


@pytest.mark.parametrize(
    ("value", "form", "shown"),
    [(507, "00000", "00507"), (123456789, "000-00-0000", "123-45-6789"), (12, "0", "12"), (0.5, "0.0%", "50%"), (1204.5, "#,##0.00", "1204.5")],
)  # fmt: skip
def test_figures_with_places_of_their_own_keep_them(value: float, form: str, shown: str) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert isinstance(sheet, Worksheet)
    sheet.append(("name", value))
    sheet["B1"].number_format = form
    out = io.BytesIO()
    book.save(out)
    assert texts(parse("a.xlsx", out.getvalue()))[-1] == f"name | {shown}"


@pytest.mark.parametrize(
    ("name", "content", "kept"),
    [
        ("a.json", b'{"n": 1.10, "n": 2}', "n: 1.10\nn (2): 2"),
        ("a.md", b"a | b\n--|--\n1 | 2 | 3\n", "1 | 2 | 3"),
        ("a.html", b"<p><span>400.01</span><span>3</span></p>", "400.01 3"),
        ("a.html", b"<p><b>4</b>00.01</p>", "400.01"),
        ("a.ics", b"BEGIN:VEVENT\r\nSUMMARY:Walk along\r\n  the dyke\\, east\r\nDTSTART:20250714T090000Z\r\nEND:VEVENT\r\n", "summary: Walk along the dyke, east\nstart: 2025-07-14 09:00 UTC"),
        ("a.vcf", b"BEGIN:VCARD\nFN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:J=C3=B6rg\nORG:Mill;Race\nEND:VCARD\n", "name: Jörg\norganisation: Mill, Race"),
        ("a.ass", b"[Events]\nDialogue: 0,0:00:01.00,0:00:03.00,Default,Maj,0,0,0,,{\\i1}Mind, the\\Nstep\n", "Mind, the step"),
        ("a.eml", b"From: a@x\nSubject: s\nContent-Type: text/plain; format=flowed\n\nThe reed is \ncut in May.\n", "The reed is cut in May."),
        ("a.rtf", rb"{\rtf1\ansi\ansicpg1252{\fonttbl{\f0 Arial;}{\f1\fcharset204 Arial;}}\pard {\f1 \'ca\'eb\'fe\'f7} m{\super 3}\par}", "Ключ m^3"),
    ],
)  # fmt: skip
def test_text_that_was_lost_or_bent(name: str, content: bytes, kept: str) -> None:
    assert kept in "\n".join(texts(parse(name, content)))


@pytest.mark.parametrize(
    ("content", "text"),
    [
        pytest.param("Der Steg ist grün.\n".encode() + "Das Wehr ist schön.\n".encode("cp1252"), "Der Steg ist grün.\nDas Wehr ist schön.\n", id="two in one"),
        *[pytest.param(t.encode(name), t, id=name) for t in ["Ключ от шлюза висит у дежурного. Лодки сдаются до вечера.\n"] for name in ("koi8-r", "cp1251", "iso8859-5", "cp866")],
        pytest.param("창고 열쇠는 사무실에 있습니다. 배는 해가 지기 전에 반납해야 합니다.\n".encode("euc-kr"), "창고 열쇠는 사무실에 있습니다. 배는 해가 지기 전에 반납해야 합니다.\n", id="euc-kr"),
        pytest.param("超过五百公斤的货物需要提前两天预约，签收人是仓库管理员。\n".encode("gb18030"), "超过五百公斤的货物需要提前两天预约，签收人是仓库管理员。\n", id="gb18030"),
    ],
)  # fmt: skip
def test_encodings_of_a_line_or_of_an_alphabet(content: bytes, text: str) -> None:
    assert decode(content).text == text


@pytest.mark.parametrize(
    ("name", "pack"), [("a.txt.xz", lzma.compress), ("a.txt.bz2", bz2.compress)], ids=["xz", "bz2"]
)  # fmt: skip
def test_other_packers_are_opened(name: str, pack: object) -> None:
    assert callable(pack)
    assert unpack(NamedBytes(name, pack(b"The mill."), Limits())).members == ((f"{name}/a.txt", b"The mill."),)
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        entry = tarfile.TarInfo("b.txt")
        entry.size = 4
        archive.addfile(entry, io.BytesIO(b"Race"))
    packed = name.replace("txt", "tar")
    assert unpack(NamedBytes(packed, pack(out.getvalue()), Limits())).members == ((f"{packed}/b.txt", b"Race"),)


@pytest.mark.parametrize("name", ["old.doc", "old.xls", "mail.msg", "a.7z", "a.rar"])
def test_what_cannot_be_read_is_refused_and_not_passed_over(name: str) -> None:
    assert is_supported(name)
    with pytest.raises(SourceRefusedError):
        parse(name, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600)


def test_a_number_is_no_extension() -> None:
    assert is_supported("winch.1")
    assert is_supported("pump.log.3")
    assert not is_supported("libpump.so.3")
    assert parse("pump.log.3", b"valve 88 shut\n").elements[0].kind is Kind.PARAGRAPH
