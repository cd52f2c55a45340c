"""Documents that state one thing and are cut at other places: a list and what follows it, both in one paragraph.

A new document is cut as the kept one is where both state the same there, and nowhere else.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from test_side_by_side_pages import opened

from saidonce.app.knowledge_base import KnowledgeBase
from saidonce.foundation.model import Block
from saidonce.foundation.settings.policy import SegmentStyle
from world import source

__all__ = ["opened"]

FOLDER = Path(__file__).resolve().parents[1] / "cases" / "layouts_of_documents"

LEAD = "Each rowing boat that leaves the jetty carries:"
POINTS = "- two oars\n- a bailer\n- a rope of ten metres"
LISTED = f"{LEAD}\n\n{POINTS}\n"
IN_A_ROW = "Each rowing boat that leaves the jetty carries two oars, a bailer and a rope of ten metres."
CHECKED = "The warden checks all of this in spring, before the first boat of the year is lowered into the water."
NOT_CHECKED = "The warden checks none of this in spring, before the first boat of the year is lowered into the water."
INTRODUCED = "The jetty belongs to the village, which lends its boats to everybody who lives there for a day or two."
BETWEEN = "Boats that were hired from the mill across the lake are moored there, and nobody from the village uses them."
TABLE = "| Hut | Beds | Stove |\n|---|---|---|\n| Arnica | 16 | yes |\n| Gentian | 9 | no |\n"
IN_SENTENCES = "The hut Arnica has 16 beds and a stove. The hut Gentian has 9 beds and no stove."
OPENS = "All huts open in May, once the last of the snow has gone from the path that leads up from the valley."

SAYS_ONCE = [
    ("a list and what follows", f"{LISTED}\n{CHECKED}\n", f"{IN_A_ROW} {CHECKED}\n", 2),
    ("what comes first and a list", f"{INTRODUCED}\n\n{LISTED}", f"{INTRODUCED} {IN_A_ROW}\n", 2),
    (
        "a list between two paragraphs",
        f"{INTRODUCED}\n\n{LISTED}\n{CHECKED}\n",
        f"{INTRODUCED} {IN_A_ROW} {CHECKED}\n",
        3,
    ),
    ("a list before two paragraphs", f"{LISTED}\n{CHECKED}\n\n{BETWEEN}\n", f"{IN_A_ROW} {CHECKED} {BETWEEN}\n", 3),
    ("two paragraphs", f"{CHECKED}\n\n{BETWEEN}\n", f"{CHECKED} {BETWEEN}\n", 2),
    ("a table and what follows", f"{TABLE}\n{OPENS}\n", f"{IN_SENTENCES} {OPENS}\n", 2),
]

STATES_MORE = [
    ("what follows is denied", f"{LISTED}\n{NOT_CHECKED}\n", f"{IN_A_ROW} {CHECKED}\n"),
    ("a point more", f"{LISTED.rstrip()}\n- a lamp\n\n{CHECKED}\n", f"{IN_A_ROW} {CHECKED}\n"),
    ("another number", f"{LISTED.replace('ten', 'six')}\n{CHECKED}\n", f"{IN_A_ROW} {CHECKED}\n"),
    ("one of the points", f"{LISTED.replace('carries', 'carries one of')}\n{CHECKED}\n", f"{IN_A_ROW} {CHECKED}\n"),
    ("a sentence more", f"{LISTED}\n{CHECKED}\n", f"{IN_A_ROW} {CHECKED} {BETWEEN}\n"),
    ("a sentence between", f"{LISTED}\n{BETWEEN}\n\n{CHECKED}\n", f"{IN_A_ROW} {CHECKED}\n"),
    ("the other way round", f"{CHECKED}\n\n{LISTED}", f"{IN_A_ROW} {CHECKED}\n"),
    ("under two headings", f"## Boats\n\n{LISTED}\n## Spring\n\n{CHECKED}\n", f"## Boats\n\n{IN_A_ROW} {CHECKED}\n"),
    ("a condition of all", f"{LISTED}\n{CHECKED}\n", f"In winter, each{IN_A_ROW[4:]} {CHECKED}\n"),
    (
        "another point between",
        f"{INTRODUCED}\n\n{LISTED.replace('two', 'four')}\n{CHECKED}\n",
        f"{INTRODUCED} {IN_A_ROW} {CHECKED}\n",
    ),
    ("nothing between", f"{INTRODUCED}\n\n{LISTED}\n{CHECKED}\n", f"{INTRODUCED} {CHECKED}\n"),
    (
        "the first and the last one changed places",
        f"{INTRODUCED}\n\n{LISTED}\n{CHECKED}\n",
        f"{CHECKED} {IN_A_ROW} {INTRODUCED}\n",
    ),
    ("of another owner", f"{LISTED}\n{CHECKED}\n", f"{IN_A_ROW} The miller{CHECKED[10:]}\n"),
    ("another row", f"{TABLE.replace('16', '15')}\n{OPENS}\n", f"{IN_SENTENCES} {OPENS}\n"),
]


def blocks_in(kb: KnowledgeBase, *texts: str) -> list[Block]:
    for n, text in enumerate(texts):
        kb.ingest([source(f"{n}.md", text)])
    ids = [segment.id for batch in kb.store.segments("main") for segment, _, _ in batch]
    return list(kb.store.blocks(ids).values())


@pytest.fixture
def base(opened: Callable[..., KnowledgeBase]) -> KnowledgeBase:
    return opened(segment_style=SegmentStyle.PARAGRAPH)


@pytest.mark.parametrize(("one", "two", "n_passages"), [c[1:] for c in SAYS_ONCE], ids=[c[0] for c in SAYS_ONCE])
def test_a_document_is_cut_as_the_kept_one_is(base: KnowledgeBase, one: str, two: str, n_passages: int) -> None:
    assert [block.documents for block in blocks_in(base, one, two)] == [("0.md", "1.md")] * n_passages


def test_a_list_and_a_paragraph_are_joined_as_the_kept_document_has_them(base: KnowledgeBase) -> None:
    (block,) = blocks_in(base, f"{IN_A_ROW} {CHECKED}\n", f"{LISTED}\n{CHECKED}\n")
    assert block.documents == ("0.md", "1.md")


@pytest.mark.parametrize(("one", "two"), [c[1:] for c in STATES_MORE], ids=[c[0] for c in STATES_MORE])
@pytest.mark.parametrize("is_turned", [False, True])
def test_what_differs_anywhere_is_not_said_once(base: KnowledgeBase, one: str, two: str, is_turned: bool) -> None:
    blocks = blocks_in(base, *((two, one) if is_turned else (one, two)))
    assert any(len(block.documents) == 1 for block in blocks)


@pytest.mark.parametrize(("one", "two"), [c[1:] for c in STATES_MORE[:4]], ids=[c[0] for c in STATES_MORE[:4]])
def test_a_paragraph_that_states_another_thing_stays_whole(base: KnowledgeBase, one: str, two: str) -> None:
    assert two.strip() in {block.text for block in blocks_in(base, one, two)}


def test_nothing_is_cut_where_merges_wait_for_a_person(opened: Callable[..., KnowledgeBase]) -> None:
    kb = opened(segment_style=SegmentStyle.PARAGRAPH, auto_merge=False)
    texts = {block.text for block in blocks_in(kb, f"{LISTED}\n{CHECKED}\n", f"{IN_A_ROW} {CHECKED}\n")}
    assert f"{IN_A_ROW} {CHECKED}" in texts


def test_elements_that_are_kept_whole_are_not_cut(opened: Callable[..., KnowledgeBase]) -> None:
    kb = opened(segment_style=SegmentStyle.WHOLE)
    texts = {block.text for block in blocks_in(kb, f"{LISTED}\n{CHECKED}\n", f"{IN_A_ROW} {CHECKED}\n")}
    assert f"{IN_A_ROW} {CHECKED}" in texts


def test_the_parts_stay_when_the_other_document_goes(base: KnowledgeBase) -> None:
    before = blocks_in(base, f"{LISTED}\n{CHECKED}\n", f"{IN_A_ROW} {CHECKED}\n")
    base.remove("0.md")
    after = blocks_in(base)
    assert {block.text for block in after} == {IN_A_ROW, CHECKED}
    assert {block.id for block in after} <= {a.segment_id for block in before for a in block.attributions}


def test_a_later_version_stays_cut_as_it_was(base: KnowledgeBase) -> None:
    blocks_in(base, f"{LISTED}\n{CHECKED}\n", f"{IN_A_ROW} {CHECKED}\n")
    base.remove("0.md")
    kept = {block.id for block in blocks_in(base)}
    base.ingest([source("1.md", f"{IN_A_ROW} {CHECKED}\n\n## Huts\n\n{OPENS}\n")])
    assert kept < {block.id for block in blocks_in(base)}


def documents_that(kind: str, language: str) -> list[dict[str, str]]:
    cases: list[dict[str, str]] = tomllib.loads((FOLDER / f"{language}.toml").read_text(encoding="utf-8"))[kind]
    return cases


def is_said_once(kb: KnowledgeBase, case: dict[str, str], order: str = "ab") -> bool:
    collection = f"{case['form']} {order}"
    for side in order:
        kb.ingest([source(f"{side}.{case.get(f'{side}_as', 'md')}", case[side].strip() + "\n")], collection)
    ids = [segment.id for batch in kb.store.segments(collection) for segment, _, _ in batch]
    return all(len(block.documents) > 1 for block in kb.store.blocks(ids).values())


@pytest.mark.parametrize("language", sorted(file.stem for file in FOLDER.glob("*.toml")))
@pytest.mark.parametrize("order", ["ab", "ba"])
def test_no_document_that_differs_is_said_once(base: KnowledgeBase, language: str, order: str) -> None:
    assert not [c["form"] for c in documents_that("differ", language) if is_said_once(base, c, order)]


@pytest.mark.parametrize(("language", "n_once"), [("de", 4), ("en", 3), ("es", 4), ("fr", 3), ("zh", 0)])
def test_documents_in_two_layouts_are_said_once(base: KnowledgeBase, language: str, n_once: int) -> None:
    assert sum(is_said_once(base, case) for case in documents_that("same", language)) == n_once


def test_a_list_that_is_kept_by_itself_is_not_joined_later(opened: Callable[..., KnowledgeBase]) -> None:
    asking = opened(segment_style=SegmentStyle.PARAGRAPH, auto_merge=False)
    before = {block.id for block in blocks_in(asking, f"{IN_A_ROW} {CHECKED}\n", f"{LISTED}\n{CHECKED}\n")}
    merging = opened(segment_style=SegmentStyle.PARAGRAPH)
    merging.ingest([source("1.md", f"{LISTED}\n{CHECKED}\n\n## Huts\n\n{OPENS}\n")])
    assert before < {block.id for block in blocks_in(merging)}


FREE = "Nobody pays for any of this."
CLOSED = "Huts are closed in winter, once the first of the snow has fallen on the path that leads up from the valley."


@pytest.mark.parametrize("style", [SegmentStyle.PARAGRAPH, SegmentStyle.PACKED])
def test_a_part_stands_on_the_page_that_it_begins_on(opened: Callable[..., KnowledgeBase], style: SegmentStyle) -> None:
    kb = opened(segment_style=style)
    kept = f"{FREE}\n\n{CHECKED}\n\n## Later\n\n{OPENS}\n\n{FREE}\n\n{CLOSED}\n"  # said twice, so a passage of its own
    blocks_in(kb, kept)
    kb.ingest([source("new.txt", f"{FREE}\n\f\n{CHECKED}\n")])
    ids = [segment.id for batch in kb.store.segments("main") for segment, _, _ in batch]
    pages = {
        a.page: block.text
        for block in kb.store.blocks(ids).values()
        for a in block.attributions
        if a.document == "new.txt"
    }
    assert pages == {1: FREE, 2: CHECKED}


def test_a_part_that_would_be_set_aside_by_itself_stays_in_its_passage(base: KnowledgeBase) -> None:
    shed, numbers = (
        "These are the numbers of all boats that are in the old shed.",
        ", ".join(map(str, range(4711, 4722))),
    )
    huts = [
        f"The hut with the number {n} stands by the lake, and whoever sleeps there pays before noon." for n in range(20)
    ]
    blocks_in(base, "\n\n".join([shed, f"{numbers} gone.", *huts]), "\n\n".join([*huts, f"{shed} {numbers} gone."]))
    base.remove("0.md")
    assert [block for block in blocks_in(base) if numbers in block.text]
