"""Entries of reference pages in two editions: two that look alike are not asked about, one that changed is.

An entry has its place: a page, the headings over it, and the term that it describes. Where both editions have both
places, neither entry has become the other. Most cases were written before the rules; those of prices, of tables under
ordinary words, of numbers of sections and of lines about rights came after. Their pages are made up.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from test_side_by_side_pages import (
    FOR_30,
    GARDEN,
    KITCHEN,
    Editions,
    asked,
    is_about,
    opened,
    page,
    put,
    was_flagged,
)

from saidonce.app.knowledge_base import KnowledgeBase
from saidonce.foundation.settings.policy import SegmentStyle

__all__ = ["opened"]

PARTS: dict[str, object] = {"segment_style": SegmentStyle.PARAGRAPH}
FOR_90 = FOR_30.replace("30", "90")
FOR_60 = FOR_30.replace("30", "60")
ABOUT = page("About", GARDEN)

LIMIT = "The command sets how many hoses a member may borrow at a time. By default a member may borrow {} hoses."
HOLD = "The command sets how many tanks a member may reserve at a time. By default a member may reserve {} tanks."

COPYRIGHT = "© Copyright {} The Pump Project  \nAll rights reserved."
PRIMED = "A pump that has run dry is primed with a bucket of water before anybody starts it again."


def row(name: str, value: str = "off", kind: str = "binary") -> str:
    return f"### {name}\n\n| type | default | mandatory |\n|---|---|---|\n| {kind} | {value} | no |"


def terms(*described: tuple[str, str]) -> str:
    return "\n".join(f"- {term}\n  - {words}" for term, words in described)


VALVE = (
    "How long the pump waits for the valve before it stops, counted from the moment at which the green key beside the"
    " door is pressed. The default is {} seconds."
)
TANK = VALVE.replace("valve", "tank")


def options(seconds: str, pause: str) -> str:
    """A list of options of one program, two of them with a default; it is long enough to be cut into its items."""
    others = (
        (f"--{name}", PRIMED.replace("bucket", name))
        for name in "barrel basin beaker bottle bowl jug kettle mug pail pan pitcher pot".split()
    )
    return terms(("--wait", VALVE.format(seconds)), ("--pause", TANK.format(pause)), *others)


def many(name: str, value: str, *others: str) -> list[str]:
    """Return rows of attributes of several settings, of which the first has a value of its own."""
    return [row(name, value, "integer"), *(row(other, "none", "word") for other in others)]


def prices(first: int, *names: str) -> list[str]:
    """Return tables of one row, each with the price for some people."""
    return [
        f"## {name}\n\n| Card of the season | Price |\n|---|---|\n| sold at the gate | {price} |"
        for price, name in zip((first, 7, 3), names, strict=True)
    ]


def last_changed(date: str, words: str = PRIMED) -> str:
    return page("Pumps", f"{words}  \nLast modified {date}")


NOT_ASKED = [
    Editions(
        "pages of a manual that two pages lead to, in a row",
        {
            "pump.md": page("Pump", "## See also", "tank.conf(5), hose(8), pump-list(1), pump-mend(1)."),
            "tank.md": page("Tank", "## See also", "pump.conf(5), hose(8), pump-list(1), pump-mend(1)."),
        },
        {
            "pump.md": page("Pump", GARDEN, "## See also", "tank.conf(5), hose(8), pump-list(1), pump-mend(1)."),
            "tank.md": page("Tank", KITCHEN, "## See also", "pump.conf(5), hose(8), pump-list(1), pump-mend(1)."),
        },
        (("tank.conf", "pump.conf"),),
    ),
    Editions(
        "one row of attributes under two names on two pages of both editions",
        {"pump.md": page("Pump", "## Settings", row("dry.run")), "tank.md": page("Tank", "## Settings", row("seal"))},
        {
            "pump.md": page("Pump", GARDEN, "## Settings", row("dry.run")),
            "tank.md": page("Tank", KITCHEN, "## Settings", row("seal")),
        },
        (("binary | off", "binary | off"),),
    ),
    Editions(
        "one row of attributes under two names, one of which is new on the page of the other",
        {"pump.md": page("Pump", "## Settings", row("dry.run")), "about.md": ABOUT},
        {"pump.md": page("Pump", "## Settings", row("dry.run"), row("dry.stop")), "about.md": ABOUT},
        (("binary | off", "binary | off"),),
    ),
    Editions(
        "two rows of attributes under names that end alike, on two pages of both editions",
        {
            "pump.md": page("Pump", "## Settings", row("Interval", "300", "integer")),
            "tank.md": page("Tank", "## Settings", row("RateLimit.Interval", "0", "integer")),
        },
        {
            "pump.md": page("Pump", GARDEN, "## Settings", row("Interval", "300", "integer")),
            "tank.md": page("Tank", KITCHEN, "## Settings", row("RateLimit.Interval", "0", "integer")),
        },
        (("300", "integer | 0"),),
    ),
    Editions(
        "a row of attributes that changed, beside one under another name of both editions",
        {
            "pump.md": page("Pump", "## Settings", row("dry.run", "30", "integer")),
            "tank.md": page("Tank", "## Settings", row("seal.run", "60", "integer")),
        },
        {
            "pump.md": page("Pump", "## Settings", row("dry.run", "90", "integer")),
            "tank.md": page("Tank", "## Settings", row("seal.run", "60", "integer"), GARDEN),
        },
        (("integer | 60", "integer | 90"), ("integer | 30", "integer | 90")),
        (("integer | 30", "integer | 90"),),
    ),
    Editions(
        "two options of one list, one of which has another default now",
        {"pump.md": page("Pump", "## Options", options("5", "10")), "about.md": ABOUT},
        {"pump.md": page("Pump", "## Options", options("7", "10")), "about.md": ABOUT},
        (("is 5 seconds", "is 7 seconds"),),
        (("is 5 seconds", "is 7 seconds"),),
        settings=PARTS,
    ),
    Editions(
        "a passage that ends in when its page was changed",
        {"pumps.md": last_changed("5 November 2017"), "about.md": ABOUT},
        {"pumps.md": last_changed("2 February 2024"), "about.md": ABOUT},
        (("2017", "2024"),),
    ),
    Editions(
        "whose two pages are, and since when",
        {
            "pump.md": page("Pump", GARDEN, COPYRIGHT.format("2000-2005")),
            "tank.md": page("Tank", KITCHEN, COPYRIGHT.format("2015-2019")),
        },
        {
            "pump.md": page("Pump", GARDEN, KITCHEN, COPYRIGHT.format("2000-2005")),
            "tank.md": page("Tank", KITCHEN, FOR_30, COPYRIGHT.format("2015-2019")),
        },
        (("2000-2005", "2015-2019"),),
    ),
    Editions(
        "two rows of attributes under ordinary words, as each page has them for many words",
        {
            "pump.md": page("Pump", "## Settings", *many("Speed", "300", "Interval", "Depth")),
            "tank.md": page("Tank", "## Settings", *many("Threads", "1", "Level", "Size")),
        },
        {
            "pump.md": page("Pump", GARDEN, "## Settings", *many("Speed", "300", "Interval", "Depth")),
            "tank.md": page("Tank", KITCHEN, "## Settings", *many("Threads", "1", "Level", "Size")),
        },
        (("integer | 300", "integer | 1 "),),
    ),
    Editions(
        "a passage under a heading of which the number has changed, and which has parts of its own now",
        {"pumps.md": page("Pumps", "## 4. Priming", PRIMED), "about.md": ABOUT},
        {"pumps.md": page("Pumps", "## 2. Priming", PRIMED, "### 2.1. In winter", KITCHEN), "about.md": ABOUT},
        (),
    ),
    Editions(
        "whose a page is, in the next year",
        {"pump.md": page("Pump", GARDEN, COPYRIGHT.format("2000-2019")), "about.md": ABOUT},
        {"pump.md": page("Pump", GARDEN, COPYRIGHT.format("2000-2024")), "about.md": ABOUT},
        (("2019", "2024"),),
    ),
]

STILL_ASKED = [
    Editions(
        "two prices that two pages have under two names, as each page has them for many",
        {
            "fees.md": page("Fees", *prices(30, "Adults", "Children", "Seniors")),
            "faq.md": page("Questions", *prices(45, "Grown-ups", "Kids", "Pensioners")),
        },
        {
            "fees.md": page("Fees", GARDEN, *prices(30, "Adults", "Children", "Seniors")),
            "faq.md": page("Questions", KITCHEN, *prices(45, "Grown-ups", "Kids", "Pensioners")),
        },
        (("| 30", "| 45"),),
        (("| 30", "| 45"),),
    ),
    Editions(
        "two rows of attributes under ordinary words, of which the one page has only one",
        {
            "pump.md": page("Pump", "## Settings", *many("Speed", "300", "Interval", "Depth")),
            "tank.md": page("Tank", "## Settings", row("Threads", "1", "integer")),
        },
        {
            "pump.md": page("Pump", GARDEN, "## Settings", *many("Speed", "300", "Interval", "Depth")),
            "tank.md": page("Tank", KITCHEN, "## Settings", row("Threads", "1", "integer")),
        },
        (("integer | 300", "integer | 1 "),),
        (("integer | 300", "integer | 1 "),),
    ),
    Editions(
        "a setting that has another name and another default now",
        {"pump.md": page("Pump", "## Settings", row("dry.run", "30", "integer")), "about.md": ABOUT},
        {"pump.md": page("Pump", "## Settings", row("stop.dry", "90", "integer")), "about.md": ABOUT},
        (("integer | 30", "integer | 90"),),
        (("integer | 30", "integer | 90"),),
    ),
    Editions(
        "a setting that has another name now, and the same default",
        {"pump.md": page("Pump", "## Settings", row("dry.run")), "about.md": ABOUT},
        {"pump.md": page("Pump", "## Settings", row("stop.dry")), "about.md": ABOUT},
        (("binary | off", "binary | off"),),
        (("binary | off", "binary | off"),),
    ),
    Editions(
        "a setting that moved to another page under another name, with another default",
        {
            "pump.md": page("Pump", GARDEN, "## Settings", row("dry.run", "30", "integer")),
            "tank.md": page("Tank", KITCHEN, "## Settings"),
        },
        {
            "pump.md": page("Pump", GARDEN, "## Settings"),
            "tank.md": page("Tank", KITCHEN, "## Settings", row("stop.dry", "90", "integer")),
        },
        (("integer | 30", "integer | 90"),),
        (("integer | 30", "integer | 90"),),
    ),
    Editions(
        "one table of what is permitted and of what is prohibited, on two pages of both editions",
        {"may.md": page("May", row("Permitted things")), "never.md": page("Never", row("Prohibited things"))},
        {
            "may.md": page("May", KITCHEN, row("Permitted things")),
            "never.md": page("Never", GARDEN, row("Prohibited things")),
        },
        (("binary | off", "binary | off"),),
        (("binary | off", "binary | off"),),
    ),
    Editions(
        "two options of one list that exchanged their defaults",
        {"pump.md": page("Pump", "## Options", options("5", "10")), "about.md": ABOUT},
        {"pump.md": page("Pump", "## Options", options("10", "5")), "about.md": ABOUT},
        (("is 5 seconds", "is 10 seconds"),),
        (("is 5 seconds", "is 10 seconds"),),
        settings=PARTS,
    ),
    Editions(
        "an option that has another name and another default now",
        {"pump.md": page("Pump", "## Options", options("5", "10")), "about.md": ABOUT},
        {"pump.md": page("Pump", "## Options", options("7", "10").replace("--wait", "--hold")), "about.md": ABOUT},
        (("is 5 seconds", "is 7 seconds"),),
        (("is 5 seconds", "is 7 seconds"),),
        settings=PARTS,
    ),
    Editions(
        "a passage that moved below another heading of its page, with another value",
        {"backup.md": page("Backup", "## Deletion", FOR_30, "## Servers", KITCHEN), "about.md": ABOUT},
        {"backup.md": page("Backup", "## Deletion", GARDEN, "## Servers", KITCHEN, FOR_90), "about.md": ABOUT},
        (("30 days", "90 days"),),
        (("30 days", "90 days"),),
        settings=PARTS,
    ),
    Editions(
        "two places of one page that give one thing two values, of which one changed",
        {"backup.md": page("Backup", "## Deletion", FOR_30, "## Servers", KITCHEN, FOR_60), "about.md": ABOUT},
        {"backup.md": page("Backup", "## Deletion", FOR_30, "## Servers", FOR_90, KITCHEN), "about.md": ABOUT},
        (("60 days", "90 days"),),
        (("60 days", "90 days"),),
        settings=PARTS,
    ),
    Editions(
        "a passage with when its page was changed, in which a word has changed, too",
        {"pumps.md": last_changed("5 November 2017"), "about.md": ABOUT},
        {"pumps.md": last_changed("2 February 2024", PRIMED.replace("bucket", "barrel")), "about.md": ABOUT},
        (("bucket", "barrel"),),
        (("bucket", "barrel"),),
    ),
    Editions(
        "a page that belongs to somebody else now",
        {"pump.md": page("Pump", GARDEN, COPYRIGHT.format("2000-2019")), "about.md": ABOUT},
        {
            "pump.md": page("Pump", GARDEN, COPYRIGHT.format("2000-2024").replace("Pump Project", "Pump Society")),
            "about.md": ABOUT,
        },
        (("2019", "2024"),),
        (("2019", "2024"),),
    ),
    Editions(
        "whose two pages are, with what everybody may do with them",
        {
            "pump.md": page("Pump", GARDEN, COPYRIGHT.format("2005") + " Copies are allowed until 2006."),
            "tank.md": page("Tank", KITCHEN, COPYRIGHT.format("2015") + " Copies are allowed until 2019."),
        },
        {
            "pump.md": page("Pump", GARDEN, KITCHEN, COPYRIGHT.format("2005") + " Copies are allowed until 2006."),
            "tank.md": page("Tank", KITCHEN, FOR_30, COPYRIGHT.format("2015") + " Copies are allowed until 2019."),
        },
        (("2005", "2015"),),
        (("2005", "2015"),),
    ),
    Editions(
        "a command whose page has another name and another number now",
        {"limit.md": page("limit", LIMIT.format("three")), "about.md": ABOUT},
        {"borrow.md": page("borrow", LIMIT.format("five")), "about.md": ABOUT},
        (("three", "five"),),
        (("three", "five"),),
    ),
]


@pytest.mark.parametrize("case", [*NOT_ASKED, *STILL_ASKED], ids=lambda case: case.name)
def test_which_entries_of_two_editions_are_asked(case: Editions, opened: Callable[..., KnowledgeBase]) -> None:
    base = opened(**case.settings)
    put(base, "v1", case.old)
    put(base, "v2", case.new)

    waiting = asked(base)

    assert [words for words in case.pairs if not was_flagged(base, words)] == []
    assert [words for words in case.pairs if any(is_about(texts, words) for texts in waiting)] == list(case.asked)
    assert case.asked or waiting == []
