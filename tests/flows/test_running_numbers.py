"""The number of a figure, table or section that only says where it stands in its edition; and its like that is a fact.

All cases were written before the rule; their pages are made up.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from test_side_by_side_pages import GARDEN, KITCHEN, Editions, asked, opened, page, put

from saidonce.app.knowledge_base import KnowledgeBase

__all__ = ["opened"]

SEEN = "The pump of the garden seen from the old wall beside the house"
TITLED = (
    "How the seals of a pump are renewed, and by whom, is shown in {}, and in the drawing that hangs beside the door."
)
NOT_ASKED = [
    ("a figure", f"Figure 4.2. {SEEN}", f"Figure 4.7. {SEEN}"),
    ("a table of an appendix", f"Table D.1. {SEEN}", f"Table B.1. {SEEN}"),
    ("an example with a colon", f"Example 3: {SEEN}", f"Example 5: {SEEN}"),
    (
        "a figure in German",
        "Abbildung 2: Die Pumpe im Garten von der Mauer aus",
        "Abbildung 3: Die Pumpe im Garten von der Mauer aus",
    ),
    (
        "a figure in French",
        "Figure 2 : La pompe du jardin vue du vieux mur",
        "Figure 3 : La pompe du jardin vue du vieux mur",
    ),
    ("a section with its title", TITLED.format("Section 3.1, “Seals”"), TITLED.format("Section 4.1, “Seals”")),
    (
        "a section, the title in straight quotes",
        TITLED.format('Section 3.1, "Seals"'),
        TITLED.format('Section 4, "Seals"'),
    ),
    ("a figure that got a number", f"Figure 4.2. {SEEN}", f'<figure><img alt="{SEEN}"></figure>'),
    (
        "a figure that got a number and an article",
        f"Figure 4.2. {SEEN}",
        f'<figure><img alt="{SEEN.removeprefix("The ")}"></figure>',
    ),
    ("a figure whose title got capitals", f"Figure 4.2. {SEEN}", f"Figure 4.4. {SEEN.title()}."),
    ("a figure that is named", TITLED.format("Figure 4.2, “Worn seals”"), TITLED.format("Figure 4.6, “Worn seals”")),
]
STILL_ASKED = [
    ("another figure", TITLED.format("Figure 4.2"), TITLED.format("Figure 4.6")),
    ("another section", TITLED.format("Section 3.1"), TITLED.format("Section 4.1")),
    ("a chapter whose title nothing sets apart", TITLED.format("Chapter 5, Seals"), TITLED.format("Chapter 6, Seals")),
    ("a section with another title", TITLED.format("Section 3.1, “Seals”"), TITLED.format("Section 4.1, “Hoses”")),
    ("a figure with another value", f"Figure 4.2. {SEEN} in 2021", f"Figure 4.7. {SEEN} in 2024"),
    (
        "a figure that got a number and another title",
        f"Figure 4.2. {SEEN}",
        f'<figure><img alt="{SEEN.replace("old", "new")}"></figure>',
    ),
    (
        "a figure of another unit",
        "Figure 4.2. The power that the pump of the garden takes at night in mW",
        "Figure 4.7. The power that the pump of the garden takes at night in MW",
    ),
    (
        "another spare part of one name",
        TITLED.format("part 417, “Seals”"),
        TITLED.format("part 418, “Seals”"),
    ),
    ("a rule with a number", "Rule 4. Nobody starts the pump alone.", "Rule 7. Nobody starts the pump alone."),
    ("a level", "Level 2: the pump runs with half its power", "Level 3: the pump runs with half its power"),
    (
        "a figure, and a value beside it",
        TITLED.format("Figure 4.2, “Worn seals”, for 30 days"),
        TITLED.format("Figure 4.6, “Worn seals”, for 90 days"),
    ),
    (
        "a sentence about a table",
        "Table 4 beside the old wall is for six guests.",
        "Table 7 beside the old wall is for six guests.",
    ),
    (
        "a section of a law",
        "By section 12 of the garden act the pump is checked each year.",
        "By section 14 of the garden act the pump is checked each year.",
    ),
]


def shown(text: str) -> str:
    """Return a text as it is read: of a picture, what it is described by."""
    return text.split('"')[1] if text.startswith("<figure>") else text


def editions(name: str, old: str, new: str, *, is_asked: bool) -> Editions:
    pair = ((shown(old), shown(new)),)
    return Editions(
        name,
        {"garden.md": page("Garden", GARDEN, old)},
        {"garden.md": page("Garden", KITCHEN, new)},
        pair,
        pair if is_asked else (),
    )


OLD, NEW = f"Figure 4.2. {SEEN}", f"Figure 5.1. {SEEN}"
PLACED = [
    Editions(
        "below a title that names the edition",
        {"garden.md": page("Garden handbook 2024", GARDEN, "## Pumps", OLD)},
        {"garden.md": page("Garden handbook 2025", KITCHEN, "## Pumps", NEW)},
        ((OLD, NEW),),
        (),
    ),
    Editions(
        "a figure that moved below another heading, with its title",
        {"garden.md": page("Garden handbook 2024", GARDEN, "## Pumps", OLD)},
        {"garden.md": page("Garden handbook 2025", KITCHEN, "## Walls", NEW)},
        ((OLD, NEW),),
        (),
    ),
]

CASES = [
    *PLACED,
    *(editions(*case, is_asked=False) for case in NOT_ASKED),
    *(editions(*case, is_asked=True) for case in STILL_ASKED),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_running_numbers(case: Editions, opened: Callable[..., KnowledgeBase]) -> None:
    base = opened()
    put(base, "v1", case.old)
    put(base, "v2", case.new)

    waiting = asked(base)

    [(old, new)] = case.pairs
    is_waiting = any(any(old in t for t in texts) and any(new in t for t in texts) for texts in waiting)
    assert is_waiting is bool(case.asked)
