"""Tables with rows in another order: free where no row leans on another, held apart where one leans on another row."""

import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from saidonce.foundation.model import Candidate, Kind
from saidonce.foundation.text import content_hash
from saidonce.matching.agreement import Agreement, agreement
from saidonce.matching.guards import CANONICAL_GUARDS
from saidonce.matching.ladder import first_objection

CASES = tomllib.loads(
    (Path(__file__).resolve().parents[2] / "cases" / "table_rows" / "rows.toml").read_text(encoding="utf-8")
)


def _table(written: str, language: str) -> Candidate:
    rows = [tuple(cell.strip() for cell in line.split("|")) for line in written.strip("\n").split("\n")]
    text = "\n".join(" | ".join(row) for row in rows)
    return Candidate(text, content_hash(text), Kind.TABLE, language, rows=tuple(rows))


def _pairs(side: str) -> list[tuple[Candidate, Candidate]]:
    tables = [[_table(case[of], case.get("language", "en")) for of in "ab"] for case in CASES[side]]
    return [(one, two) for a, b in tables for one, two in ((a, b), (b, a))]


@pytest.mark.parametrize(("a", "b"), _pairs("differ"))
def test_a_row_that_leans_on_another_row_is_held_apart(a: Candidate, b: Candidate) -> None:
    assert first_objection(CANONICAL_GUARDS, a, b)
    assert agreement(a, b).agreement in (Agreement.OPEN, Agreement.OBJECTED)


@pytest.mark.parametrize(("a", "b"), _pairs("same"))
def test_rows_that_lean_on_none_may_stand_in_any_order(a: Candidate, b: Candidate) -> None:
    assert not first_objection(CANONICAL_GUARDS, a, b)
    assert agreement(a, b).agreement is Agreement.SAME


@pytest.mark.parametrize(
    ("heading", "holds"),
    [
        ("Start-up sequence", True), ("Escalation", True), ("Finishing order, 10 km", True), ("Ablauf", True),
        ("Ordre de passage", True), ("Pump room", False), ("Orders of the day shift", False), ("", False),
    ],
)  # fmt: skip
def test_below_a_heading_that_says_so_rows_keep_their_order(heading: str, holds: bool) -> None:
    rows = (
        "Do | By",
        "Open the bypass valve | fitter",
        "Start the booster pump | operator",
        "Vent the strainer | fitter",
    )
    one, two = (
        replace(_table("\n".join(order), "en"), section=heading)
        for order in (rows, (rows[0], rows[2], rows[1], rows[3]))
    )
    assert bool(first_objection(CANONICAL_GUARDS, one, two)) is holds


def test_numbered_rows_may_stand_in_any_order_below_any_heading() -> None:
    rows = ("No. | Do", "1 | Rinse", "2 | Soak", "3 | Spin")
    one, two = (replace(_table("\n".join(order), "en"), section="Steps") for order in (rows, (rows[0], *rows[:0:-1])))
    assert not first_objection(CANONICAL_GUARDS, one, two)


def test_a_table_with_a_row_twice_is_in_the_order_of_itself() -> None:
    one = replace(_table("Do | For\nRinse | 5 min\nSpin | 10 min\nRinse | 5 min", "en"), section="Start-up sequence")
    assert not first_objection(CANONICAL_GUARDS, one, replace(one, section="The start-up sequence"))
