"""Two documents that lay one thing out as a paragraph, a list or a table: what they state is said once.

A page's lists and tables are kinds of their own once it is parsed; these cases go through parser, segments and merging.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from test_side_by_side_pages import opened

from saidonce.app.knowledge_base import KnowledgeBase
from saidonce.foundation.model import Block
from world import source

__all__ = ["opened"]

FOLDER = Path(__file__).resolve().parents[1] / "cases" / "layouts"

SAYS_ONCE = [
    ("a list, a sentence", "Bring:\n\n- a torch\n- a rope\n- two hooks\n", "Bring a torch, a rope and two hooks.\n"),
    (
        "steps, sentences",
        "1. Stop the pump.\n2. Open the lid.\n3. Take the filter out.\n",
        "Stop the pump. Open the lid. Take the filter out.\n",
    ),
    (
        "a table, points",
        "| Day | Pool | Sauna |\n|---|---|---|\n| Monday | 9 to 17 | closed |\n| Friday | 10 to 18 | 12 to 20 |\n",
        "- Monday: pool 9 to 17, sauna closed\n- Friday: pool 10 to 18, sauna 12 to 20\n",
    ),
]

STATES_TWO_THINGS = [
    ("an item more", "Bring:\n\n- a torch\n- a rope\n- two hooks\n", "Bring a torch and two hooks.\n"),
    ("another number", "Bring:\n\n- a torch\n- a rope\n- two hooks\n", "Bring a torch, a rope and three hooks.\n"),
    (
        "steps in another order",
        "1. Stop the pump.\n2. Open the lid.\n3. Take the filter out.\n",
        "Open the lid. Stop the pump. Take the filter out.\n",
    ),
    ("a ban of all points", "Do not bring:\n\n- knives\n- glass\n", "Do not bring knives. Bring glass.\n"),
    ("a ban of all points, the first one alone", "Never use:\n\n- bleach\n- acid\n", "Never use bleach. Acid.\n"),
    ("points that run on", "We need:\n\n- olive\n- oil\n- salt\n", "We need olive oil, salt.\n"),
    (
        "a point behind a preposition",
        "Free are:\n\n- rooms with bath\n- breakfast\n",
        "Free are rooms with bath and breakfast.\n",
    ),
    (
        "who does it, to whom it is done",
        "| Action | Who |\n|---|---|\n| Feed | Anna |\n| Wash | Ben |\n",
        "- Feed Anna\n- Wash Ben\n",
    ),
    (
        "a condition of all points",
        "If it beeps:\n\n- stop the pump\n- open the lid\n",
        "If it beeps, stop the pump. Open the lid.\n",
    ),
    (
        "one of several, all of them",
        "One of these is enough:\n\n- a passport\n- a licence\n",
        "A passport and a licence are enough.\n",
    ),
    (
        "another cell",
        "| Day | Pool | Sauna |\n|---|---|---|\n| Monday | 9 to 17 | closed |\n| Friday | 10 to 18 | 12 to 20 |\n",
        "- Monday: pool 9 to 17, sauna closed\n- Friday: pool 10 to 19, sauna 12 to 20\n",
    ),
    (
        "cells exchanged",
        "| Room | Seats | Projector |\n|---|---|---|\n| Oak | 12 | yes |\n| Elm | 30 | no |\n",
        "The room Oak has 30 seats and a projector. The room Elm has 12 seats and no projector.\n",
    ),
    (
        "a table without what its column is of",
        "| Day | Pool |\n|---|---|\n| Monday | 9 to 17 |\n",
        "- Monday: 9 to 17\n",
    ),
]


def blocks_of(opened: Callable[..., KnowledgeBase], *texts: str) -> list[Block]:
    kb = opened(merge_investigate_from=0.5, segment_style="packed")
    for n, text in enumerate(texts):
        kb.ingest([source(f"{n}.md", text)])
    ids = [segment.id for batch in kb.store.segments("main") for segment, _, _ in batch]
    return list(kb.store.blocks(ids).values())


@pytest.mark.parametrize(("one", "two"), [case[1:] for case in SAYS_ONCE], ids=[case[0] for case in SAYS_ONCE])
@pytest.mark.parametrize("is_turned", [False, True])
def test_a_layout_states_nothing(opened: Callable[..., KnowledgeBase], one: str, two: str, is_turned: bool) -> None:
    (block,) = blocks_of(opened, *((two, one) if is_turned else (one, two)))
    assert block.documents == ("0.md", "1.md")


@pytest.mark.parametrize(
    ("one", "two"), [case[1:] for case in STATES_TWO_THINGS], ids=[case[0] for case in STATES_TWO_THINGS]
)
def test_what_is_stated_otherwise_stays(opened: Callable[..., KnowledgeBase], one: str, two: str) -> None:
    assert sorted(block.documents for block in blocks_of(opened, one, two)) == [("0.md",), ("1.md",)]


@pytest.mark.parametrize("language", sorted(file.stem for file in FOLDER.glob("*.toml")))
def test_no_passage_that_differs_is_said_once(opened: Callable[..., KnowledgeBase], language: str) -> None:
    for case in tomllib.loads((FOLDER / f"{language}.toml").read_text(encoding="utf-8"))["differ"]:
        blocks = blocks_of(opened, case["a"].strip() + "\n", case["b"].strip() + "\n")
        assert any(len(block.documents) == 1 for block in blocks), case
