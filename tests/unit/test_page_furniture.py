"""What a page says of itself alone, and passages that were only split elsewhere."""

from collections.abc import Sequence

import pytest

from saidonce.kb.canonical.cut_elsewhere import is_split_elsewhere
from saidonce.kb.canonical.page_furniture import heading_of, is_contents, is_stamp
from saidonce.matching.guards import without_number

HEADINGS = frozenset(map(heading_of, ("8. Pumps", "8.1. Starting a pump", "8.2. Stopping a pump", "Tape", "Lamps")))
ONE, TWO, THREE = "The pump stops by itself.", "A lamp is lit until then.", "Nobody starts it while the well is dry."


@pytest.mark.parametrize(
    ("text", "stamp"),
    [
        ("This page last modified on 2024-04-16 17:22:18 UTC", True),
        ("Last reviewed: 3 May 2024", True),
        ("Diese Seite wurde zuletzt am 3. Mai 2024 ge\u00e4ndert.", True),
        ("Derni\u00e8re mise \u00e0 jour de cette page le 3 mai 2024.", True),
        ("Laatst bijgewerkt op 3 mei 2024", True),
        ("Ultimo aggiornamento: 3 maggio 2024", True),
        ("Last updated: 3 May 2024. Hoses are brought back on that day.", False),
        ("Last updated 2022. Fees rise.", False),
        ("The fees were last updated on 3 May 2024.", False),
        ("Last updated by the board, which meets in the hall every month.", False),
        ("This page lists what was modified on 3 May 2024.", False),
    ],
)
def test_stamps(text: str, stamp: bool) -> None:
    assert is_stamp(text) is stamp


@pytest.mark.parametrize(
    ("text", "contents"),
    [
        ("- 8. Pumps\n- 8.1. Starting a pump\n- 8.2. Stopping a pump", True),
        ("8. Pumps\n8.1. Starting a pump\n8.2. Stopping a pump\nTape", True),
        ("- 8. Pumps\n- 8.1. Starting a pump\n- 8.3. Stopping a pump", False),
        ("- 8. Pumps\n- 8.1. Starting a pump\n- 8.2. Stopping a pump\n- a ladder", False),
        ("- Tape\n- Lamps\n- 8. Pumps", False),
        ("- 8. Pumps\n- 8.1. Starting a pump", False),
    ],
)
def test_lists_of_contents(text: str, contents: bool) -> None:
    assert is_contents(text, HEADINGS) is contents


@pytest.mark.parametrize(
    ("longer", "before", "behind", "only_split"),
    [
        (f"{ONE} {TWO}", [], [TWO], True),
        (f"{TWO} {ONE}", [TWO], [], True),
        (f"{THREE} {ONE} {TWO}", [THREE], [TWO], True),
        (f"{ONE} {TWO}", [], [f"{TWO} {THREE}"], True),
        (f"{TWO} {ONE}", [f"{THREE} {TWO}"], [THREE], True),
        (f"{ONE} {TWO}", [TWO], [], False),
        (f"{ONE} {TWO}", [], [THREE, TWO], False),
        (f"{ONE} {TWO}", [], [TWO.replace("lit", "out")], False),
        (f"{ONE} {TWO}", [], [], False),
        (f"{ONE} A lamp is lit", [], [TWO], False),
        (f"is lit until then. {ONE}", [TWO], [], False),
        (ONE, [], [TWO], False),
    ],
)
def test_passages_split_elsewhere(longer: str, before: Sequence[str], behind: Sequence[str], only_split: bool) -> None:
    assert is_split_elsewhere(longer, ONE, before, behind) is only_split


@pytest.mark.parametrize(
    ("heading", "name"),
    [
        ("C.4. Sizes", "Sizes"),
        ("10.2 Sizes", "Sizes"),
        ("Chapter 3. Sizes", "Sizes"),
        ("Anhang B. Ma\u00dfe", "Ma\u00dfe"),
        ("A) Sizes", "Sizes"),
        ("B-2 tanks", "B-2 tanks"),
        ("A list", "A list"),
        ("2024", "2024"),
    ],
)
def test_names_of_headings_without_numbers(heading: str, name: str) -> None:
    assert without_number(heading) == name
