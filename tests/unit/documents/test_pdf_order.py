"""The order of words on PDF pages: written from right to left, in tables without rules, under headings."""

from __future__ import annotations

import io

import pypdfium2
import pytest
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen import canvas

from right_to_left import page, visual
from saidonce.documents.parse import parse
from saidonce.documents.parse.pdf_figures import mending
from saidonce.foundation.model import Document, Kind

RULES = "הדיירים מתבקשים לשמור על השקט בשעות הלילה"
MORE = "ולסגור את דלת הכניסה אחרי השעה עשר בערב"
LIFT = "המעלית מדגם Otis Gen2 נבדקת בכל יום שני"
RAIN = "אם הגשם חזק, סגרו את החלונות, ואחר כך את הדלת."
YARD = "החדר (בקצה המסדרון) סגור בלילה"
YEARS = "החוזה נחתם לשנים 2024 עד 2026 בלבד"


def texts(content: bytes) -> list[str]:
    return [element.text for element in parse("page.pdf", content).elements]


def written(*lines: str, top: float = 760.0) -> list[str]:
    return texts(page(*((0.0, top - 16 * at, 11.0, line) for at, line in enumerate(lines))))


def drawn(*pieces: tuple[float, float, float, str]) -> bytes:
    out = io.BytesIO()
    drawing = canvas.Canvas(out)
    for x, y, size, text in pieces:
        drawing.setFont("Helvetica", size)
        drawing.drawString(x, y, text)
    drawing.save()
    return out.getvalue()


def typed(*pieces: tuple[float, float, float, str]) -> Document:
    return parse("page.pdf", drawn(*pieces))


def test_the_helper_turns_what_is_written_from_right_to_left() -> None:
    assert visual("אב Otis גד") == "דג Otis בא"
    assert visual("א (ב)") == "(ב) א"


class TestPagesFromRightToLeft:
    def test_latin_words_stay_where_the_sentence_has_them(self) -> None:
        assert any(LIFT in text for text in written(RULES, LIFT, MORE))

    def test_a_latin_word_is_a_word_of_its_own(self) -> None:
        joined = " ".join(written(RULES, LIFT, MORE)).split()
        assert {"Otis", "Gen2", "מדגם", "נבדקת"} <= set(joined)

    def test_commas_follow_their_words(self) -> None:
        assert any(RAIN in text for text in written(RULES, RAIN))

    def test_brackets_open_before_what_they_hold(self) -> None:
        assert any(YARD in text for text in written(RULES, YARD))

    def test_figures_keep_their_order(self) -> None:
        assert any(YEARS in text for text in written(RULES, YEARS))

    def test_a_sentence_goes_on_in_the_next_line(self) -> None:
        assert any(f"{RULES} {MORE}" in text for text in written(RULES, MORE, LIFT))

    def test_a_label_comes_before_its_value(self) -> None:
        rows = [("טלפון", "030-1234"), ("רחוב", "Lindenweg 4"), ("קומה", "שלישית")]
        places = [
            place
            for at, (label, value) in enumerate(rows)
            for place in ((0.0, 700.0 - 18 * at, 11.0, label), (180.0, 700.0 - 18 * at, 11.0, value))
        ]
        found = texts(page((0.0, 760.0, 11.0, RULES), *places))
        for label, value in rows:
            assert any(f"{label} | {value}" in text for text in found), found

    def test_a_large_line_above_the_text_is_a_heading(self) -> None:
        content = page((0.0, 780.0, 22.0, "כללי הבית"), *((0.0, 740.0 - 16 * at, 11.0, RULES) for at in range(6)))
        headings = [e.text for e in parse("page.pdf", content).elements if e.kind is Kind.HEADING]
        assert headings == ["כללי הבית"]


STORKS = [("Year", "Storks"), *((str(2011 + at), str(140 + 7 * at)) for at in range(6))]


def counts(top: float, right_aligned: bool) -> list[tuple[float, float, float, str]]:
    """Return the rows of a table without rules, its figures below the beginnings or the ends of its titles."""
    pieces = []
    for at, row in enumerate(STORKS):
        for x, cell in zip((60.0, 124.0), row, strict=True):
            shift = 64.0 - stringWidth(cell, "Helvetica", 10) if right_aligned and at else 0.0
            pieces.append((x + shift, top - 13 * at, 10.0, cell))
    return pieces


@pytest.mark.parametrize("right_aligned", [False, True])
@pytest.mark.parametrize("gap", [13.0, 26.0])
def test_rows_of_a_table_without_rules_stay_rows_and_its_title_a_text_of_its_own(
    right_aligned: bool, gap: float
) -> None:
    title = (60.0, 740.0, 10.0, "Storks counted at the mill every spring")
    found = [element.text for element in typed(title, *counts(740.0 - gap, right_aligned)).elements]
    assert "Storks counted at the mill every spring" in found
    assert any("2012 | 147\n2013 | 154" in text for text in found)
    assert any(text.startswith("Year | Storks") for text in found)


def test_labels_and_values_stay_side_by_side() -> None:
    rows = [("Owner", "Ida Boll"), ("Street", "Mill Lane 4"), ("Floor", "third"), ("Rent", "512.00")]
    pieces = [(60.0, 760.0, 10.0, "The lease was signed in the office of the house, as every year.")]
    pieces += [
        (x, 730.0 - 14 * at, 10.0, cell)
        for at, row in enumerate(rows)
        for x, cell in zip((60.0, 200.0), row, strict=True)
    ]
    found = "\n".join(element.text for element in typed(*pieces).elements)
    assert all(f"{label} | {value}" in found for label, value in rows)


@pytest.mark.parametrize("right_aligned", [False, True])
def test_a_page_that_is_read_by_lines_keeps_its_headings(right_aligned: bool) -> None:
    document = typed(
        (60.0, 780.0, 22.0, "Birds of the mill"),
        (60.0, 740.0, 10.0, "Every spring the storks are counted by the neighbours of the mill, who write"),
        (60.0, 727.0, 10.0, "down what they see from the bridge, and send it to the office in the town."),
        *counts(690.0, right_aligned),
    )
    assert [e.text for e in document.elements if e.kind is Kind.HEADING] == ["Birds of the mill"]
    assert any("2012 | 147" in e.text for e in document.elements)


def test_words_that_a_layout_runs_together_are_two() -> None:
    letters = pypdfium2.PdfDocument(
        drawn((60.0, 700.0, 12.0, "True"), (60.0, 660.0, 12.0, "With a note"), (60.0, 620.0, 12.0, "from McDonald"))
    )[0].get_textpage()
    assert mending(letters).mended("TrueWith a note") == "True With a note"
    assert mending(letters).mended("from McDonald") == "from McDonald"
    assert mending(letters).mended("TrueType") == "TrueType"
