"""Passages of two editions that nobody need be asked about, since the pages show why; and their like that wait.

What a page says of its own last change, lists of contents, tables under a heading whose number alone has changed, and
passages that were cut elsewhere. All cases were written before the rules; their pages are made up.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from test_side_by_side_pages import FOR_30, FOR_90, GARDEN, KITCHEN, Editions, asked, is_about, opened, page, put

from saidonce.app.knowledge_base import KnowledgeBase
from saidonce.foundation.settings.policy import SegmentStyle

__all__ = ["opened"]

LEADS_IN: dict[str, object] = {"segment_style": SegmentStyle.PARAGRAPH}
SIZES = [
    f"| {name} | what the {name} hose carries from the upper tank to the beds behind the house | {width} mm |"
    for name, width in zip(
        "amber basalt cedar daisy ember fern garnet heron ivory jasper kelp larch maple nettle".split(),
        range(11, 25),
        strict=True,
    )
]
HEAD = "| Hose | Use | Width |\n|---|---|---|\n"
OTHER_LAST = [*SIZES[:-1], SIZES[-1].replace("24", "25")]
OTHER_FIRST = [SIZES[0].replace("11", "12"), *SIZES[1:]]
NEW_FIRST = ["| alder | what the alder hose carries from the well to the trough in the yard | 9 mm |", *SIZES]
STOP = "The pump stops by itself when the upper tank is full, and a lamp beside the door is lit until then."
RESTART = "It is started again with the green key, after the lamp beside the door has gone out."
RESTART_RED = RESTART.replace("green", "red")
DRY = "Nobody starts the pump while the well is dry, because its seals would burn within a minute."
CONTENTS_OLD = "- 8. Pumps\n- 8.1. Starting a pump\n- 8.2. Stopping a pump\n- 9. Hoses\n- 9.1. Mending a hose"
CONTENTS_NEW = (
    "- 9. Pumps\n- 9.1. Starting a pump\n- 9.2. Priming a pump\n- 9.3. Stopping a pump\n- 10. Hoses\n"
    "- 10.1. Mending a hose"
)
PARTS_OLD = ("## 8. Pumps", "### 8.1. Starting a pump", DRY, "### 8.2. Stopping a pump", STOP)
HOSES_OLD = ("## 9. Hoses", "### 9.1. Mending a hose", "A hose is mended with tape.")
PARTS_NEW = ("## 9. Pumps", "### 9.1. Starting a pump", DRY, "### 9.2. Priming a pump", "A pump is primed with water.")
STOPPING_NEW = ("### 9.3. Stopping a pump", STOP)
HOSES_NEW = ("## 10. Hoses", "### 10.1. Mending a hose", "A hose is mended with tape.")
TOOLS_OLD = "Bring along:\n\n- the green key of the pump house\n- two rolls of tape\n- the long ladder\n- a lamp"
TOOLS_NEW = TOOLS_OLD.replace("\n- the long ladder", "")

CELLAR = page("Cellar", DRY)
"""A page that both editions have as it is: by it they are known for editions."""


def table(*rows: str) -> str:
    return HEAD + "\n".join(rows)


def on_two_pages(name: str, stamp: str, first: str, second: str, *, is_asked: bool = False) -> Editions:
    """Two pages that both editions have; the newer edition of each says something of this form."""
    pair = ((first, second),)
    return Editions(
        name,
        {"garden.md": page("Garden", GARDEN), "kitchen.md": page("Kitchen", KITCHEN), "cellar.md": CELLAR},
        {
            "cellar.md": CELLAR,
            "garden.md": page("Garden", GARDEN, stamp.format(first)),
            "kitchen.md": page("Kitchen", KITCHEN, stamp.format(second)),
        },
        pair,
        pair if is_asked else (),
    )


NOT_ASKED = [
    on_two_pages(
        "when each page was last changed",
        "This page last modified on {} UTC",
        "2024-04-16 17:22:18",
        "2022-04-18 02:55:50",
    ),
    on_two_pages("when each was last reviewed", "Last reviewed: {}", "3 May 2024", "18 April 2022"),
    on_two_pages("the same in German", "Diese Seite wurde zuletzt am {} geändert.", "3. Mai 2024", "18. April 2022"),
    on_two_pages("the same in French", "Dernière mise à jour de cette page le {}.", "3 mai 2024", "18 avril 2022"),
    on_two_pages("the same in Spanish", "Última actualización: {}", "3 de mayo de 2024", "18 de abril de 2022"),
    Editions(
        "a list of contents whose sections got other numbers",
        {"index.md": page("Manual", CONTENTS_OLD, GARDEN), "parts.md": page("Parts", *PARTS_OLD, *HOSES_OLD)},
        {
            "index.md": page("Manual", CONTENTS_NEW, KITCHEN),
            "parts.md": page("Parts", *PARTS_NEW, *STOPPING_NEW, *HOSES_NEW),
        },
        (("8.1. Starting", "9.2. Priming"),),
    ),
    Editions(
        "a table under a heading of which the number alone has changed",
        {"hoses.md": page("Hoses", "## C.2. Sizes", table(*SIZES[:4]), GARDEN)},
        {"hoses.md": page("Hoses", "## C.4. Sizes", table(*SIZES[:4]), KITCHEN)},
        (),
    ),
    Editions(
        "a table under a numbered chapter of which the number alone has changed",
        {"hoses.md": page("Hoses", "## Chapter 2. Sizes", table(*SIZES[:4]), GARDEN)},
        {"hoses.md": page("Hoses", "## Chapter 4. Sizes", table(*SIZES[:4]), KITCHEN)},
        (),
    ),
    Editions(
        "a paragraph that is two now",
        {"pumps.md": page("Pumps", f"{STOP} {RESTART}", GARDEN)},
        {"pumps.md": page("Pumps", STOP, RESTART, KITCHEN)},
        ((RESTART, "until then.$"),),
        settings=LEADS_IN,
    ),
    Editions(
        "two paragraphs that are one now, under a heading with another number",
        {"pumps.md": page("Pumps", "## 3. Stopping", STOP, RESTART, GARDEN)},
        {"pumps.md": page("Pumps", "## 4. Stopping", f"{STOP} {RESTART}", KITCHEN)},
        ((RESTART, "until then.$"),),
        settings=LEADS_IN,
    ),
]

STILL_ASKED = [
    on_two_pages(
        "a rule of two pages that give it two dates",
        "Whoever borrows a hose brings it back by {} at the latest.",
        "3 May 2024",
        "18 April 2022",
        is_asked=True,
    ),
    on_two_pages(
        "two dates for one thing beside the word last",
        "The last pump was modified on {} by the firm that built it.",
        "3 May 2024",
        "18 April 2022",
        is_asked=True,
    ),
    on_two_pages(
        "a stamp with a rule behind it",
        "Last updated: {}. Hoses are brought back on that day.",
        "3 May 2024",
        "18 April 2022",
        is_asked=True,
    ),
    Editions(
        "a stamp that changed on its own page",
        {"garden.md": page("Garden", GARDEN, "The table of fees was last updated on 3 May 2022 by the board.")},
        {"garden.md": page("Garden", GARDEN, "The table of fees was last updated on 9 May 2024 by the board.")},
        (("2022", "2024"),),
        (("2022", "2024"),),
    ),
    Editions(
        "a list that lost an entry",
        {"tools.md": page("Tools", TOOLS_OLD, GARDEN)},
        {"tools.md": page("Tools", TOOLS_NEW, KITCHEN)},
        (("ladder", "lamp"),),
        (("ladder", "lamp"),),
        settings=LEADS_IN,
    ),
    Editions(
        "a numbered list of steps, one of which has changed, with headings of the same names elsewhere",
        {
            "steps.md": page("Steps", "1. Open the tap.\n2. Press the green key.\n3. Wait for ten minutes.", GARDEN),
            "parts.md": page("Parts", "## 1. Open the tap", KITCHEN),
        },
        {
            "steps.md": page("Steps", "1. Open the tap.\n2. Press the green key.\n3. Wait for five minutes.", GARDEN),
            "parts.md": page("Parts", "## 1. Open the tap", KITCHEN),
        },
        (("ten minutes", "five minutes"),),
        (("ten minutes", "five minutes"),),
    ),
    Editions(
        "one table under two headings with other names",
        {"hoses.md": page("Hoses", "## C.2. Sizes in summer", table(*SIZES[:4]), GARDEN)},
        {"hoses.md": page("Hoses", "## C.2. Sizes in winter", table(*SIZES[:4]), KITCHEN)},
        (("amber", "amber"),),
        (("amber", "amber"),),
    ),
    Editions(
        "a table with another value under a heading of which the number has changed",
        {"hoses.md": page("Hoses", "## C.2. Sizes", table(*SIZES[:4]), GARDEN)},
        {"hoses.md": page("Hoses", "## C.4. Sizes", table(*OTHER_FIRST[:4]), KITCHEN)},
        (("| 11 mm", "| 12 mm"),),
        (("| 11 mm", "| 12 mm"),),
    ),
    Editions(
        "a paragraph that is two now, one of which has changed",
        {"pumps.md": page("Pumps", f"{STOP} {RESTART}", GARDEN)},
        {"pumps.md": page("Pumps", STOP, RESTART_RED, KITCHEN)},
        (("green key", "until then.$"),),
        (("green key", "until then.$"),),
        settings=LEADS_IN,
    ),
    Editions(
        "a paragraph that lost its second sentence",
        {"pumps.md": page("Pumps", f"{STOP} {RESTART}", GARDEN)},
        {"pumps.md": page("Pumps", STOP, KITCHEN)},
        (("green key", "until then.$"),),
        (("green key", "until then.$"),),
        settings=LEADS_IN,
    ),
    Editions(
        "a paragraph whose second sentence stands under another heading now",
        {"pumps.md": page("Pumps", "## Everyone", f"{STOP} {RESTART}", GARDEN)},
        {"pumps.md": page("Pumps", "## Everyone", STOP, "## The caretaker", RESTART, KITCHEN)},
        (("green key", "until then.$"),),
        (("green key", "until then.$"),),
        settings=LEADS_IN,
    ),
    Editions(
        "another value for one thing on one page",
        {"backup.md": page("Backup", FOR_30, GARDEN)},
        {"backup.md": page("Backup", FOR_90, KITCHEN)},
        (("30 days", "90 days"),),
        (("30 days", "90 days"),),
    ),
]


def is_pair(texts: frozenset[str], words: tuple[str, str]) -> bool:
    """Return whether a pair is the one of some words; a "$" at the end of these means that a text ends there."""
    if not words[1].endswith("$"):
        return is_about(texts, words)
    one, two = words[0], words[1].removesuffix("$")
    return any({a, b} == texts and one in a and b.endswith(two) for a in texts for b in texts if a != b)


@pytest.mark.parametrize("case", [*NOT_ASKED, *STILL_ASKED], ids=lambda case: case.name)
def test_what_two_editions_ask(case: Editions, opened: Callable[..., KnowledgeBase]) -> None:
    base = opened(**case.settings)
    put(base, "v1", case.old)
    put(base, "v2", case.new)

    waiting = asked(base)

    assert [words for words in case.pairs if any(is_pair(texts, words) for texts in waiting)] == list(case.asked)
    assert case.asked or waiting == []


def test_a_table_that_was_cut_elsewhere_though_one_row_changed(opened: Callable[..., KnowledgeBase]) -> None:
    """A row more in front moves the cuts; what is asked is where a row itself is new or was changed."""
    wide = [row.replace("beds", "long beds of beans and of peas and of roses by the old wall") for row in SIZES]
    last = wide[-1].replace("24 mm", "25 mm")
    first = NEW_FIRST[0].replace("trough", "long trough of stone that stands beside the old wall of beans and roses")
    base = opened(segment_style=SegmentStyle.PARAGRAPH)
    put(base, "v1", {"hoses.md": page("Hoses", table(*wide)), "about.md": page("About", GARDEN)})
    put(base, "v2", {"hoses.md": page("Hoses", table(first, *wide[:-1], last)), "about.md": page("About", GARDEN)})

    waiting = asked(base)

    assert waiting
    assert all(any("alder" in text or "nettle" in text for text in texts) for texts in waiting)
