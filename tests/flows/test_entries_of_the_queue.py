"""Entries of the queue that would ask once about what may be answered otherwise in each place.

Each case was written to make a person decide about a pair unawares; its texts are made up.
"""

from __future__ import annotations

import pytest
from test_review_in_bulk import ANN, BOB, NAMES, entries_of, flags, renamed, shown

from open_pairs import doubting
from saidonce.foundation.model import Verb
from saidonce.kb import review
from saidonce.kb.review import BulkRequest, Differs
from saidonce.kb.review.differences import is_of_one_thing
from world import World

ENGLISH = (
    "Among the pumps of the house {} may be used by all who live there, and the list in the hall says so.",
    "The valves are turned before the winter by hand, and {} is brought by those who do it with the oil of the maker.",
    "When nobody lives in the house the boilers are shut, and {} is left there until somebody moves in again.",
)
GERMAN = (
    "Die Kosten der Pumpen im Haus trägt {} für alle, die dort wohnen, und die Liste hängt im Flur.",
    "Die Ventile werden vor dem Winter geölt, und das Öl dafür kauft {} im Laden am Markt ein.",
    "Wenn niemand im Haus wohnt, schaltet {} den Kessel für einige Zeit ab und schließt die Tür.",
)
IS_SO = (
    "Among the pumps of the house the region is {}, as the list in the hall says to all who live there.",
    "The valves are turned before the winter by hand; the colour is {}, with the oil of the maker on it.",
    "When nobody lives in the house the boilers are shut, and the owner is {} until somebody moves in again.",
)


def changed(old: str, new: str, texts: tuple[str, ...]) -> World:
    """Two editions of a page in which some words were replaced in each of its parts."""
    w = doubting(merge_investigate_from=0.8)
    for edition, words in (("one", old), ("two", new)):
        w.put(f"{edition}.md", "\n\n".join(f"# Part {n}\n\n{text.format(words)}" for n, text in enumerate(texts)))
    return w


@pytest.mark.parametrize(
    ("old", "new", "texts"),
    [
        ("der Hausmeister", "der Beirat", GERMAN),
        ("die Schule", "die Gemeinde", GERMAN),
        ("the lamp set ON", "the lamp set OFF", ENGLISH),
        ("the read/write key", "the read key", ENGLISH),
        ("a part-time help", "a full-time help", ENGLISH),
        ("a pre-paid card", "a post-paid card", ENGLISH),
        ("Red", "Green", IS_SO),
        ("EU", "US", IS_SO),
        ("Ann", "Jo", IS_SO),
    ],
)
def test_a_value_by_any_form_is_asked_about_in_each_place(old: str, new: str, texts: tuple[str, ...]) -> None:
    w = changed(old, new, texts)
    assert len(flags(w)) >= len(texts)
    assert all(n == 1 for n, _ in entries_of(w)), entries_of(w)


@pytest.mark.parametrize(
    ("old", "new", "texts"),
    [
        ("pump_hall", "pump_room", ENGLISH),
        ("the Main Hall", "the Old Hall", ENGLISH),
        ("Pumpe-7b", "Pumpe-8b", GERMAN),
        ("Ann", "Jo", ENGLISH),
    ],
)
def test_what_is_called_otherwise_is_asked_about_once(old: str, new: str, texts: tuple[str, ...]) -> None:
    assert [n for n, _ in entries_of(changed(old, new, texts))] == [len(texts)]


@pytest.mark.parametrize(
    ("old", "new", "language", "is_one"),
    [
        ("in the EU, and", "in the US, and", "en", True),
        ("in the GET form", "in the POST form", "en", False),
        ("a well-lit hall", "an unlit hall", "en", False),
        ("in --all mode", "in --some mode", "en", True),
        ("bei der Bahn hier", "bei der Post hier", "de", False),
        ("bei der Bahn hier", "bei der Post hier", "und", False),
        ("mit `halle` hier", "mit `saal` hier", "de", False),
        ("mit MaxJobs hier", "mit MaxRuns hier", "de", True),
        ("et l'école le dit", "et l'État le dit", "fr", True),
    ],
)
def test_names_by_their_form(old: str, new: str, language: str, is_one: bool) -> None:
    assert is_of_one_thing(Differs.WORDING, old, new, language) is is_one


def test_two_pages_that_never_were_one_are_another_question_than_two_editions() -> None:
    """One house has another manager than the next; from one edition to the next the manager was renamed."""
    w = renamed()
    for house, name in (("houses/north", "Brodo Services"), ("houses/south", "Brodo Living")):
        w.put(f"{house}.md", f"# Garden\n\nThe garden is watered by {name} in summer, and the hose hangs in the shed.")
    assert sorted(entries_of(w)) == [(1, ""), (3, "Services -> Living")]


def test_pairs_of_two_people_are_two_entries() -> None:
    w = renamed()
    first, *_ = flags(w)
    review.assign(w.base, BOB, first, "ann")
    assert sorted(entries_of(w)) == [(1, ""), (2, "Services -> Living")]


def test_a_version_since_which_something_is_so_is_another_question_than_one_that_is_needed() -> None:
    w = doubting(merge_investigate_from=0.8)
    for edition, number in (("one", "2.4.1"), ("two", "2.8.3")):
        parts = [
            f"The pumps report their state to the hall, supported since release {number} of the house.",
            f"The valves have been opened by the lamp in the shed, supported since release {number} of the house.",
            f"All boilers send what they burn in a winter, and this requires release {number} or a later one.",
        ]
        w.put(f"{edition}.md", "\n\n".join(parts))
    assert sorted(entries_of(w)) == [(1, ""), (2, "2.4.1 -> 2.8.3")]


def test_the_preview_shows_of_each_pair_which_text_a_merge_shows() -> None:
    """One page of the old edition was changed after the new one had come out."""
    w = doubting(merge_investigate_from=0.8)
    for edition, name, day in (("one", "Brodo Services", "2025-01-01"), ("two", "Brodo Living", "2025-06-01")):
        for kind, text in NAMES.items():
            dated = "2026-01-01" if (kind, edition) == ("boilers", "one") else day
            w.put(f"{edition}/{kind}.md", f"---\ndate: {dated}\n---\n\n# The {kind}\n\n{text.format(name)}")
    items = review.bulk_preview(w.base, flags(w))
    texts = {(i.shown.pair.candidate if i.is_newer else i.shown.pair.kept).text for i in items}
    review.decide_in_bulk(w.base, ANN, BulkRequest(Verb.MERGE, with_objections=True), shown(w))
    assert {b.text for b in w.blocks()} == texts
    assert sorted(i.is_newer for i in items) == [False, True, True]
