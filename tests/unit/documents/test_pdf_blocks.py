# ruff: noqa: E501
"""Blocks of a PDF's layout that the places of their words correct, and hyphens at the ends of lines."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence

import pytest
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen import canvas

from saidonce.documents.parse import parse
from saidonce.documents.parse.pdf_hyphens import compounds
from saidonce.foundation.model import Kind

PROSE = "The keeper writes the level into the book, and the doors are closed at dusk every day. "


def drawn(draw: Callable[[canvas.Canvas], None]) -> list[tuple[Kind, str]]:
    out = io.BytesIO()
    page = canvas.Canvas(out, A4, invariant=1)
    draw(page)
    page.save()
    return [(e.kind, e.text) for e in parse("a.pdf", out.getvalue()).elements]


def lines(page: canvas.Canvas, rows: Sequence[tuple[float, float, str]]) -> None:
    for x, y, text in rows:
        page.drawString(x, y, text)


@pytest.mark.parametrize(
    ("page", "kept"),
    [
        ("A self\x02closing door.", {"selfclosing": "self-closing"}),  # two words that are none together
        ("The dis\x02trict office.", {}),  # a broken word
        ("The bal\x02last tank.", {}),
        ("An un\x02ventilated room.", {}),  # a bound beginning says nothing
        ("The wall\x02paper peels. Wallpaper is old.", {}),  # the document spells it without
        ("A hay\x02gate, and the hay-gate.", {"haygate": "hay-gate"}),  # the document spells it with
        ("The Smith\x02Jones lock.", {"SmithJones": "Smith-Jones"}),
        ("CONTRI\x02BUTION OF ALL", {}),
        ("Open 24\x02hour desk.", {"24hour": "24-hour"}),
    ],
)
def test_a_hyphen_stays_for_a_reason(page: str, kept: dict[str, str]) -> None:
    assert compounds([PROSE, page, PROSE]) == kept


def test_words_of_another_language_need_the_reason_of_their_document() -> None:
    prose = "Der Hausmeister schreibt den Wasserstand in das Buch, und die T\u00fcren werden abends geschlossen. "
    assert compounds([prose, "Der Fahr\x02rad keller und Winter\x02garten.", prose]) == {}


def test_a_compound_broken_at_the_end_of_a_line_keeps_its_hyphen() -> None:
    read = drawn(
        lambda page: lines(
            page,
            (
                (60, 760, "Every day the keeper looks whether the self-"),
                (60, 746, "closing door has been wedged open by the bal-"),
                (60, 732, "last, and writes it down."),
            ),
        )
    )
    assert [text for _, text in read] == [
        "Every day the keeper looks whether the self-closing door has been wedged open by the ballast, and writes it down."
    ]


def test_wrapped_cells_that_are_centred_stay_in_their_row() -> None:
    def draw(page: canvas.Canvas) -> None:
        page.setFont("Helvetica", 10)
        rows: list[tuple[float, float, str]] = [(60, 760, "room"), (120, 760, "key"), (180, 760, "holder")]
        y = 742.0
        for number in range(1, 9):
            if number in (3, 6):
                rows += [
                    (60, y - 6, f"R{number}"),
                    (120, y - 6, f"K{number}"),
                    (180, y, f"the caretaker of house {number}, who"),
                    (180, y - 12, "lends it against a signature"),
                ]
                y -= 30
            else:
                rows += [(60, y, f"R{number}"), (120, y, f"K{number}"), (180, y, "the tenant")]
                y -= 18
        lines(page, rows)

    table = next(text for kind, text in drawn(draw) if kind is Kind.TABLE)
    assert "R2 | K2 | the tenant\n" in table
    assert "R3 | K3 | the caretaker of house 3, who lends it against a signature\n" in table
    assert "R5 | K5 | the tenant\n" in table


def test_a_list_ends_where_its_lines_stand_left_of_its_marks() -> None:
    def draw(page: canvas.Canvas) -> None:
        page.setFont("Helvetica", 11)
        lines(
            page,
            (
                (80, 760, "1. Open the damper of the flue"),
                (80, 746, "2. Light the kindling and keep the door ajar"),
                (60, 732, "Iron waits for no one."),
                (60, 718, "Nor does the tide."),
            ),
        )

    read = drawn(draw)
    listed = next(text for kind, text in read if kind is Kind.LIST)
    assert "Iron" not in listed
    assert any("Iron waits for no one." in text for kind, text in read if kind is Kind.PARAGRAPH)


def test_cells_side_by_side_are_not_read_as_one_sentence() -> None:
    def draw(page: canvas.Canvas) -> None:
        page.setFont("Helvetica", 12)
        lines(
            page,
            (
                (60, 700, "North: Olsen ploughs before five"),
                (330, 700, "East: nobody yet"),
                (60, 682, "South: Berg salts the hill"),
                (330, 682, "West: the school clears its yard"),
            ),
        )

    assert not any("five East" in text for _, text in drawn(draw))


def test_code_keeps_its_indentation() -> None:
    def draw(page: canvas.Canvas) -> None:
        page.setFont("Helvetica", 11)
        page.drawString(60, 780, "Run the tool, and wait until the bar has cooled down to the touch:")
        page.setFont("Courier", 10)
        lines(page, ((60, 750, "if hot:"), (84, 738, "wait(5)"), (60, 726, "bend(bar)")))

    code = [text for kind, text in drawn(draw) if kind is Kind.CODE]
    assert code == ["if hot:\n    wait(5)\nbend(bar)"]


def test_quotes_and_dashes_stay_as_they_are_printed() -> None:
    said = "The sign says \u201cmind the step\u201d \u2013 and the keeper\u2019s book says it too."
    assert [text for _, text in drawn(lambda page: lines(page, ((60, 760, said),)))] == [said]
