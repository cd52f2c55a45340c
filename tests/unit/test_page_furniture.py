"""What a page says of itself alone, and passages that were only split elsewhere."""

from collections.abc import Sequence

import pytest

from saidonce.foundation.model import Kind
from saidonce.kb.canonical.cut_elsewhere import is_split_elsewhere
from saidonce.kb.canonical.page_furniture import differ_in_stamps, heading_of, is_contents, is_stamp
from saidonce.kb.canonical.renumbered import is_renumbered
from saidonce.matching.ladder import without_number

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
        ("Last updated on Friday, May 3rd, 2024 at 10:15 AM", True),
        ("Last modified: Fri May 3 10:15:22 CEST 2024", True),
        ("Last edited by Ann Hill on 3 May 2024", True),
        ("Letzte Aktualisierung: 03.05.2024, 10:15 Uhr", True),
        ("Ostatnia aktualizacja: 3 maja 2024 r.", True),
        ("Last updated 2024-05-03T10:15:00Z", True),
        ("Last changed: oil filter at 90,000 km", False),
        ("Last updated price 45 EUR", False),
        ("Last reviewed fee 500 EUR in 2024", False),
        ("Letzte \u00c4nderung: Geb\u00fchr 30 EUR", False),
        ("Laatst gewijzigd: tarief 12 euro", False),
        ("Last revised: version 2.4", False),
        ("Last changed: battery, 3 May 2024", False),
        ("Last reviewed: 3 May 2024, valid until 3 May 2026", False),
        ("Document last revised by decision 12 of the board", False),
        ("Last edited: room 12", False),
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
        (f"{TWO} {ONE}", [f"Except in winter: {TWO}"], [], False),
    ],
)
def test_passages_split_elsewhere(longer: str, before: Sequence[str], behind: Sequence[str], only_split: bool) -> None:
    assert is_split_elsewhere(longer, ONE, before, behind) is only_split


@pytest.mark.parametrize(
    ("language", "one", "other", "renumbered"),
    [
        ("en", "Figure 4.2. The pump of the mill", "Figure 4.4. The Pump Of The Mill.", True),
        ("en", "Figure 4.2. The pump of the mill", "FIGURE 2: THE PUMP OF THE MILL", True),
        ("en", "A pump in a mill", "Figure 2: A Pump in a Mill", True),
        ("en", "Fig. 1. The pump", "Figure 2. Pump", True),
        ("de", "Abbildung 1: Die Pumpe", "Pumpe", True),
        ("en", "Figure 3. Power in mW", "Figure 4. Power in MW", False),
        ("en", "Table 1. Memory in Mb", "Memory in MB", False),
        ("en", "Figure 2. US rules", "Figure 2. us rules", False),
        ("en", "Figure 3. Prices of the mill", "Table 3. Prices of the mill", False),
        ("en", "Figure 1. Die casting of seals", "Figure 1. Casting of seals", False),
    ],
)
def test_captions_that_were_only_renumbered(language: str, one: str, other: str, renumbered: bool) -> None:
    assert is_renumbered(Kind.CAPTION, language, one, other) is renumbered
    assert is_renumbered(Kind.CAPTION, language, other, one) is renumbered


def test_the_number_of_a_part_to_order_is_no_running_number() -> None:
    order = "Order part {} \u201cValve seal\u201d from us.".format
    assert not is_renumbered(Kind.PARAGRAPH, "en", order(417), order(418))


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


@pytest.mark.parametrize(
    ("one", "other", "is_one_page", "alike"),
    [
        ("Last modified 5 May 2017", "Last modified 6 June 2018", True, True),
        ("It rises.\n\nLast modified 5 May 2017", "It rises.\n\nLast modified 6 June 2018", True, True),
        ("It rises.\n\nLast modified 5 May 2017", "It rises.", True, True),
        ("It rises.\n\nLast modified 5 May 2017", "It falls.\n\nLast modified 6 June 2018", True, False),
        ("\u00a9 2019 Ann Lee", "\u00a9 2019-2024 Ann Lee\nAll rights reserved.", True, True),
        ("\u00a9 2019 Ann Lee", "Copyright (C) 2020 The Pump Project, and others.", False, True),
        ("\u00a9 2019 Ann Lee", "\u00a9 2020 Ann Lee and others", True, False),
        (
            "Written by Jo. Copyright 2019 Ann Lee. It is free.",
            "Written by Jo. Copyright 2020 Ann Lee. It is free.",
            True,
            True,
        ),
        ("Copyright 2019 Ann Lee. It is free.", "Copyright 2020 Ann Lee. It is not free.", True, False),
        ("\u00a9 2019 Ann Lee, may be copied", "\u00a9 2019 Ann Lee, may not be copied", False, False),
        ("\u00a9 2019 Ann Lee until 2024", "\u00a9 2019 Ann Lee until 2025", True, False),
        ("\u00a9 2019 Ann Lee: the mill closed in 1920", "\u00a9 2019 Ann Lee: the mill closed in 1921", True, False),
        ("Copyright 2019, 20 hoses", "Copyright 2019, 30 hoses", True, False),
        ("(c) 2000 litres of oil", "(c) 2010 litres of oil", True, False),
        ("(c) 2000 Litres", "(c) 2010 Litres", True, False),
        ("Under copyright, 2000 pages may be copied.", "Under copyright, 2010 pages may be copied.", True, False),
        ("Copyright 2000 pages", "Copyright 2010 pages", True, False),
        ("All rights reserved.", "All rights reserved.", False, False),
    ],
)
def test_passages_that_differ_in_what_they_say_of_their_pages(
    one: str, other: str, is_one_page: bool, alike: bool
) -> None:
    assert differ_in_stamps(one, other, is_one_page=is_one_page) is alike
    assert differ_in_stamps(other, one, is_one_page=is_one_page) is alike
