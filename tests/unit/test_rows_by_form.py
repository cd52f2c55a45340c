"""Rows of tables by their form: those that head others, and marks that stand for what is above them."""

import pytest

from saidonce.foundation.rows import heads_rows, is_ditto


@pytest.mark.parametrize(
    ("cells", "holds"),
    [
        (("Cold store", "", ""), True),
        (("2024", ""), True),
        (("Cold store", "Cold store"), True),
        (("yes", "yes"), False),
        (("12000", "12000"), False),
        (("", "Cold store"), False),
        (("Cold store", "2"), False),
        (("Cold store",), False),
        (("\u3003", ""), False),
        (("", ""), False),
        ((), False),
    ],
)
def test_a_row_of_one_text_heads_rows(cells: tuple[str, ...], holds: bool) -> None:
    assert heads_rows(cells) is holds


@pytest.mark.parametrize("cell", ['"', "''", "\u201d", "\u2033", "\u3003", "- \u201d -", ",,"])
def test_a_mark_stands_for_what_is_above(cell: str) -> None:
    assert is_ditto(cell)


@pytest.mark.parametrize("cell", ["", "-", '2"', "'", "as above"])
def test_all_else_does_not(cell: str) -> None:
    assert not is_ditto(cell)
