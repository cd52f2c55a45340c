"""Two tables of the same cells, a table whose language does not show, and points that weigh."""

from __future__ import annotations

from itertools import permutations

import pytest

from saidonce.foundation.model import Candidate, Kind
from saidonce.foundation.text import content_hash
from saidonce.matching.guards import CANONICAL_GUARDS, TURNED, shown_reasons
from saidonce.matching.ladder import first_objection

ACROSS = (("Room", "Seats", "Floor"), ("Room A", "12", "first"), ("Room B", "30", "second"))
DOWN = (("", "Room A", "Room B"), ("Seats", "12", "30"), ("Floor", "first", "second"))
CELLS_EXCHANGED = (("", "Room A", "Room B"), ("Seats", "30", "12"), ("Floor", "first", "second"))
OTHER_CELL = (("", "Room A", "Room B"), ("Seats", "12", "31"), ("Floor", "first", "second"))
OTHER_LETTERS = (("", "Room A", "Room B"), ("Seats", "12", "30"), ("Floor", "First", "second"))
OTHER_CORNER = (("Hut", "Seats", "Floor"), ("Room A", "12", "first"), ("Room B", "30", "second"))
OTHER_ORDER = (("", "Room B", "Room A"), ("Seats", "30", "12"), ("Floor", "second", "first"))
LEANING = (("Cost", "May", "June"), ("Power", "120", "90"), ("of which garage", "9", "8"))
LEANING_DOWN = (("", "Power", "of which garage"), ("May", "120", "9"), ("June", "90", "8"))
DITTO = (("Room", "Seats", "Floor"), ("Room A", "12", "first"), ("Room B", "30", "ditto"))
DITTO_DOWN = (("", "Room A", "Room B"), ("Seats", "12", "30"), ("Floor", "first", "ditto"))


OF_TWO_GROUPS = [
    ("who calls whom", (("", "Carl", "Dora"), ("Anna", "calls", "writes"), ("Ben", "writes", "calls"))),
    ("who owes whom", (("", "Carl", "Dora"), ("Anna", "owes 5 euros", "owes 7 euros"), ("Ben", "owes 8", "owes 2"))),
    ("results", (("", "Bears", "Wolves"), ("Lions", "3:1", "2:2"), ("Otters", "2:0", "1:4"))),
    (
        "results in words",
        (("", "B\u00e4ren", "W\u00f6lfe"), ("L\u00f6wen", "3 zu 1", "2 zu 2"), ("Otter", "2 zu 0", "1 zu 4")),
    ),
    ("results with dashes", (("", "Bears", "Wolves"), ("Lions", "3-1", "2-2"), ("Otters", "2-0", "1-4"))),
    ("from and to", (("", "Lyon", "Nice"), ("Lyon", "-", "12 euros"), ("Nice", "15 euros", "-"))),
    (
        "there and back, in characters",
        (("", "\u5317\u4eac", "\u4e0a\u6d77"), ("\u5317\u4eac", "-", "12"), ("\u4e0a\u6d77", "15", "-")),
    ),
    ("nothing shows what they are", (("", "Mill", "Lake"), ("Hill", "5 boats", "7 boats"), ("Moor", "8", "2"))),
    ("one kind across and down", (("", "Club A", "Club B"), ("Club C", "5 boats", "7 boats"), ("Club D", "8", "2"))),
    ("one name of rows in both", (("Person", "Carl", "Dora"), ("Anna", "5 euros", "7 euros"), ("Ben", "8", "2"))),
]
"""Tables in which the place of a name says who does what to whom, or where something begins."""


def turned(rows: tuple[tuple[str, ...], ...]) -> tuple[tuple[str, ...], ...]:
    return tuple(zip(*rows, strict=True))


def table(rows: tuple[tuple[str, ...], ...], language: str = "en") -> Candidate:
    written = "\n".join(" | ".join(row) for row in rows)
    return Candidate(written, content_hash(written), Kind.TABLE, language, rows=rows)


def listed(written: str, language: str = "en") -> Candidate:
    return Candidate(written, content_hash(written), Kind.LIST, language)


def is_one(a: Candidate, b: Candidate) -> bool:
    return not any(first_objection(CANONICAL_GUARDS, *pair) for pair in permutations((a, b)))


@pytest.mark.parametrize("language", ["en", "und"])
def test_a_table_states_each_cell_under_its_row_and_column(language: str) -> None:
    assert is_one(table(ACROSS), table(DOWN, language))
    assert shown_reasons(table(ACROSS), table(DOWN, language)) == (TURNED,)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        *((ACROSS, other) for other in (CELLS_EXCHANGED, OTHER_CELL, OTHER_LETTERS, OTHER_CORNER, OTHER_ORDER)),
        (LEANING, LEANING_DOWN),
        (DITTO, DITTO_DOWN),
    ],
)
def test_another_cell_letter_or_order_is_another_table(
    one: tuple[tuple[str, ...], ...], two: tuple[tuple[str, ...], ...]
) -> None:
    assert not is_one(table(one), table(two))
    assert not shown_reasons(table(one), table(two))


@pytest.mark.parametrize("rows", [case[1] for case in OF_TWO_GROUPS], ids=[case[0] for case in OF_TWO_GROUPS])
@pytest.mark.parametrize("language", ["en", "de", "fr", "zh", "und"])
def test_a_table_of_who_does_what_to_whom_is_another_one_turned_round(
    rows: tuple[tuple[str, ...], ...], language: str
) -> None:
    assert not is_one(table(rows, language), table(turned(rows), language))


@pytest.mark.parametrize(
    "rows",
    [
        (("", "May", "June"), ("Tea", "3", "4"), ("Milk", "1", "2")),
        (("", "Area", "Open"), ("Hall A", "12 m2", "9:00 to 17:30"), ("Hall B", "1 200 m2", "8:15 to 20:00")),
        (("", "Beds", "Owner"), ("Arnica", "16", "the village"), ("Gentian", "9", "the mill")),
    ],
)
def test_a_table_of_figures_answers_or_attributes_states_the_same_turned_round(
    rows: tuple[tuple[str, ...], ...],
) -> None:
    assert is_one(table(rows), table(turned(rows)))


STEPS = "1.\n  - Fill the tank.\n  - Close it.\n2.\n  - Light the flame."


@pytest.mark.parametrize(
    ("other", "language"),
    [
        ("1.\n  - Light the flame.\n2.\n  - Fill the tank.\n  - Close it.", "en"),
        ("1.\n  - Fill the tank.\n2.\n  - Close it.\n  - Light the flame.", "en"),
        ("1.\n  - Fill the tank.\n2.\n  - Close it.\n  - Light the flame.", "de"),
        ("1.\n  - Light the flame.\n2.\n  - Fill the tank.\n  - Close it.", "und"),
    ],
)
def test_points_stay_below_the_number_of_their_step(other: str, language: str) -> None:
    assert not is_one(listed(STEPS, language), listed(other, language))
    assert is_one(listed(STEPS, language), listed(f"{STEPS} ", language))


def test_a_table_is_read_in_the_language_of_what_stands_beside_it() -> None:
    points = "- Martes: piscina 9:00 a 13:00, sauna cerrado\n- Viernes: piscina cerrado, sauna 14:00 a 18:00"
    rows = (
        ("D\u00eda", "Piscina", "Sauna"),
        ("Martes", "9:00 a 13:00", "cerrado"),
        ("Viernes", "cerrado", "14:00 a 18:00"),
    )
    for of_table, of_points in (("es", "und"), ("und", "es")):
        assert is_one(table(rows, of_table), listed(points, of_points))
    other = (*rows[:2], ("Viernes", "14:00 a 18:00", "cerrado"))
    assert not is_one(table(other, "und"), listed(points, "es"))


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("- + quiet\n- \u2212 dear", "- + quiet\n- \u2212 dear", True),
        ("- + quiet\n- \u2212 dear", "- \u2212 quiet\n- + dear", False),
        ("- + quiet\n- + dear", "- + quiet\n- \u2212 dear", False),
        ("- + quiet\n- \u2212 dear", "- quiet\n- dear", False),
    ],
)
def test_signs_of_points_weigh(a: str, b: str, expected: bool) -> None:
    assert is_one(listed(a), listed(b)) is expected
