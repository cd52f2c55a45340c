"""Rows that sum up the rows above them are told by their figures, whatever they are called."""

import pytest

from saidonce.documents.sums import RunningSums


@pytest.mark.parametrize(
    ("column", "sums"),
    [
        (("300", "200", "500"), (2,)),
        (("300", "200", "501"), ()),
        (("12.50", "7.50", "20.00"), (2,)),
        (("12,5", "7,5", "20"), (2,)),
        (("1.200 €", "800 €", "2.000 €"), (2,)),
        (("CHF", "1'200", "800", "2'000 CHF"), (3,)),
        (("10", "5", "15", "20", "10", "30", "45"), (2, 5, 6)),
        (("0", "0", "0"), ()),
        (("7", "7"), ()),
        (("open", "open", "open"), ()),
        (("", "", ""), ()),
        (("9" * 5_000,) * 2, ()),
    ],
    ids=[
        "a sum", "no sum", "hundredths", "a comma", "a currency", "a unit over it", "sums of groups and of all",
        "nothing", "one row", "words", "empty cells", "no figure",
    ],
)  # fmt: skip
def test_a_row_is_a_sum_if_its_figures_are(column: tuple[str, ...], sums: tuple[int, ...]) -> None:
    running = RunningSums()
    assert tuple(n for n, cell in enumerate(column) if running.is_sum(("x", cell))) == sums


def test_all_figures_of_the_row_are_sums() -> None:
    rows = (("Punt", "2", "10"), ("Skiff", "3", "15"), ("Both", "5", "25"), ("Yacht", "5", "90"))
    running = RunningSums()
    assert [running.is_sum(row) for row in rows] == [False, False, True, False]


def test_a_group_is_summed_up_from_its_heading() -> None:
    running = RunningSums()
    running.is_sum(("Punt", "2"))
    running.begin_group()
    assert [running.is_sum(("x", n)) for n in ("10", "15", "25")] == [False, False, True]
