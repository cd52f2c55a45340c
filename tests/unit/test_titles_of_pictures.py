"""Captions and titles of tables in two editions: what only a number, an article or another picture changes."""

from collections.abc import Sequence

import pytest

from saidonce.foundation.model import Candidate, FactKind, Kind
from saidonce.foundation.text import content_hash
from saidonce.kb.canonical.renumbered import are_two_pictures, is_renumbered
from saidonce.matching.agreement import Agreement, agreement
from saidonce.matching.guards import same_heading
from saidonce.matching.ladder.guards import same_section_role, without_number

ROWS = (("Hose", "Length"), ("red", "4 m"), ("blue", "9 m"))
LONGER = (("Hose", "Length"), ("red", "4 m"), ("blue", "12 m"))


@pytest.mark.parametrize(
    ("one", "other", "renumbered"),
    [
        (
            "Water leaves the tank through the lower valve",
            "Figure 3. Water Leaves The Tank Through The Lower Valve",
            True,
        ),
        ("Figure 2. The valves of the tank", "Figure 5. Valves of Tank", True),
        ("Figure 2. Valves before cleaning", "Figure 2. Valves after cleaning", False),
        ("Figure 2. Cleaning the valves at 30 bar", "Figure 3. Cleaning valves at 60 bar", False),
        ("Figure 2. Theatre of the village", "Figure 3. Atre of the village", False),
        ("Figure 2. Output in mW of the pump", "Figure 3. Output in MW of the pump", False),
    ],
)
def test_the_article_inside_a_title_says_nothing(one: str, other: str, renumbered: bool) -> None:
    assert is_renumbered(Kind.CAPTION, "en", one, other) is renumbered
    assert is_renumbered(Kind.CAPTION, "en", other, one) is renumbered


START, STOP, CLEAN = "Figure 1. Starting the pump", "Figure 2. Stopping the pump", "Figure 3. Cleaning the pump"


@pytest.mark.parametrize(
    ("captions", "old", "new", "two"),
    [
        ((START, STOP), [START, STOP], [STOP], True),
        ((START, "Figure 1. Stopping the pump"), [START, STOP], ["Figure 1. Stopping the pump"], True),
        ((START, "Stopping the Pump"), [START, STOP], ["Stopping the Pump"], True),
        ((STOP, CLEAN), [STOP], [STOP, CLEAN], True),
        (("Figure 4. Tank before use", "Figure 9. The Tank After Use"),
         ["Figure 4. Tank before use", "Figure 5. Tank after use"], ["Figure 9. The Tank After Use"], True),
        ((START, STOP), [START], [STOP], False),
        ((START, STOP), [START, CLEAN], [STOP, CLEAN], False),
        ((START, "Figure 7. Starting the pump"), [START], ["Figure 7. Starting the pump"], False),
        ((START, "Table 2. Stopping the pump"), [START, STOP], ["Table 2. Stopping the pump"], False),
        (("Figure 1. Pump at 30 bar", "Figure 1. Pump at 60 bar"), ["Figure 1. Pump at 30 bar"],
         ["Figure 1. Pump at 60 bar", "Figure 2. Pump at 90 bar"], False),
        (("Figure 1. Pump at 30 bar", "Figure 1. Pump at 60 bar"), ["Figure 1. Pump at 30 bar"],
         ["Figure 1. Pump at 60 bar", "Pump at 30 bar"], False),
    ],
)  # fmt: skip
def test_the_captions_of_two_pictures(
    captions: tuple[str, str], old: Sequence[str], new: Sequence[str], two: bool
) -> None:
    assert are_two_pictures("en", captions, (old, new)) is two
    assert are_two_pictures("en", captions[::-1], (new, old)) is two


@pytest.mark.parametrize(
    ("heading", "name"),
    [
        ("Table D.1. Hoses of the garden", "Hoses of the garden"),
        ("Table 4: Hoses of the garden", "Hoses of the garden"),
        ("Tabelle 4.2: Schläuche", "Schläuche"),
        ("Table 4", "Table 4"),
        ("Table 4 seats", "Table 4 seats"),
        ("Tables for 4 people", "Tables for 4 people"),
    ],
)
def test_the_number_of_a_table_is_no_part_of_its_name(heading: str, name: str) -> None:
    assert without_number(heading) == name


def table(section: str, rows: tuple[tuple[str, ...], ...]) -> Candidate:
    text = "\n".join(" | ".join(row) for row in rows)
    return Candidate(text, content_hash(text), Kind.TABLE, "en", rows=rows, section=section)


@pytest.mark.parametrize(
    ("one", "other", "rows", "same"),
    [
        ("Table D.1. Hoses of the garden", "Table B.1. Hoses of the garden", ROWS, True),
        ("Table 3: Hoses of the garden", "Hoses of the garden", ROWS, True),
        ("Table D.1. Hoses of the garden", "Table D.1. Hoses of the cellar", ROWS, False),
        ("Table D.1. Hoses of the garden", "Table B.1. Hoses of the garden", LONGER, False),
    ],
)
def test_tables_that_were_renumbered(one: str, other: str, rows: tuple[tuple[str, ...], ...], same: bool) -> None:
    accord = agreement(table(one, ROWS), table(other, rows))
    assert (accord.agreement is Agreement.SAME) is same
    if rows is LONGER:
        assert not same_heading(table(one, ROWS), table(other, rows))


@pytest.mark.parametrize(("kind", "objects"), [(Kind.CAPTION, False), (Kind.PARAGRAPH, True)])
def test_a_caption_has_one_role_in_each_section(kind: Kind, objects: bool) -> None:
    text = "The pump beside the tank"
    here, there = (
        Candidate(text, content_hash(text), kind, "en", section_role=role, section=section)
        for role, section in (("section_intro", "Pumps"), ("answer_body", "Tanks"))
    )
    objections = same_section_role(here, there)
    assert bool(objections) is objects
    assert all(o.kind is FactKind.SECTION_ROLE for o in objections)
