"""Changes between two editions that a rule about look-alikes could take for two things, a cut or a stamp.

Each change was found by somebody who looked for them, and did not wait before its rule was narrowed. The pages are
made up.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from test_side_by_side_pages import (
    AMBER_CODE,
    FOR_30,
    GARDEN,
    KEEPS_90,
    KITCHEN,
    PRESSED,
    Editions,
    Pages,
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
ABOUT = page("About", GARDEN)
FILTER = "The filter of the pump is in the cellar behind the tank.  \nLast changed: {}"
HANDBOOK = "Only the handbook of the river school counts in the exam, Copyright {} River School."
MARKED = "In the exam only copies of the handbook count that are marked with © {}."
TERMS = "The drawings of the pump are shown on this page, with all of its seals and hoses.  \n© 2019 {}"
WELCOME = "These things are welcome on the lawn, as the board decided in its last meeting."
TURNED_BACK = "These things are turned back at the gate, as the board decided in its last meeting."
BROUGHT = (
    "Towels of the house that hang beside the pool door",
    "Chairs made of light wood or of plain metal pipes",
    "Radios that are played at a low volume until noon",
    "Bottles made of clear glass with a firm round lid",
    "Dogs that are kept on a short lead by grown people",
)
STEPS = "- {} the main valve\n- Call the porter\n- Wait at the gate"
FIRE = f"# Fire\n\n{KITCHEN}\n\n"
OTHERS = {"fire.md": FIRE, "pumps.md": page("Pumps", PRESSED)}
ANIMALS = "towel chair radio bottle dog cat bird horse goat sheep duck goose swan crow heron stork eagle hawk".split()


def attributes(name: str, default: int) -> str:
    return f"### {name}\n\n- Type: number of seconds\n- Default: {default}\n- Needed: no"


def row(name: str, default: int) -> str:
    return f"### {name}\n\n| type | default | mandatory |\n|---|---|---|\n| integer | {default} | no |"


def settings(*described: str) -> Pages:
    return {"pump.md": page("Pump", "## Settings", *described), "about.md": ABOUT}


def listed(n_welcome: int) -> Pages:
    """A list of what is welcome and one of what is turned back, under one heading."""
    items = [f"- {item}" for item in BROUGHT]
    lists = WELCOME, "\n".join(items[:n_welcome]), TURNED_BACK, "\n".join(items[n_welcome:])
    return {"pool.md": page("Pool", *lists), "about.md": ABOUT}


def rows(n_welcome: int) -> Pages:
    """The same as two tables."""
    head = "| Thing | Number |\n|---|---|\n"
    lines = [f"| {item} | {n} |" for n, item in enumerate(BROUGHT, 4)]
    tables = WELCOME, head + "\n".join(lines[:n_welcome]), TURNED_BACK, head + "\n".join(lines[n_welcome:])
    return {"pool.md": page("Pool", *tables), "about.md": ABOUT}


def grouped(n_welcome: int) -> Pages:
    """A long table of two groups, each below a row with its name."""
    lines = [
        f"| {name} | the {name} is kept beside the old wall of the house until the evening, and everybody who comes by"
        " may look at it as long as the gate is open |"
        for name in ANIMALS
    ]
    parts = "| **Welcome** | |", *lines[:n_welcome], "| **Turned back** | |", *lines[n_welcome:]
    return {"pool.md": page("Pool", "| Thing | Where |\n|---|---|\n" + "\n".join(parts)), "about.md": ABOUT}


def bulleted(heading: str, *items: str) -> Pages:
    return {"list.md": page("Prices", GARDEN, f"## {heading}", "\n".join(f"- {item}" for item in items))}


def alone(old: str, new: str) -> tuple[Pages, Pages]:
    return (
        {"page.md": page("Page", "## Part", old, "## More", KITCHEN), "about.md": ABOUT},
        {"page.md": page("Page", "## Part", new, "## More", KITCHEN), "about.md": ABOUT},
    )


def changed(name: str, editions: tuple[Pages, Pages], one: str, two: str, **options: object) -> Editions:
    return Editions(name, *editions, ((one, two),), ((one, two),), options)


CHANGES = [
    changed(
        "the second of two settings with one list of attributes has another default",
        (
            settings(attributes("seal", 30), attributes("wait", 30)),
            settings(attributes("seal", 30), attributes("wait", 45)),
        ),
        "Default: 30",
        "Default: 45",
    ),
    changed(
        "the first of two settings with one list of attributes has another default",
        (
            settings(attributes("seal", 30), attributes("wait", 30)),
            settings(attributes("seal", 45), attributes("wait", 30)),
        ),
        "Default: 30",
        "Default: 45",
    ),
    changed(
        "one of two settings with one list of attributes has another name and default",
        (
            settings(attributes("seal", 30), attributes("wait", 30)),
            settings(attributes("seal", 30), attributes("hold", 45)),
        ),
        "Default: 30",
        "Default: 45",
    ),
    changed(
        "one of two places with the same code has another value",
        (
            settings("### Seal", AMBER_CODE, "### Wait", AMBER_CODE),
            settings("### Seal", AMBER_CODE, "### Wait", AMBER_CODE.replace("20", "50")),
        ),
        "length: 20",
        "length: 50",
    ),
    changed(
        "one of three settings with one row of attributes has another default",
        (
            settings(row("speed.low", 5), row("pause.low", 5), row("turn.low", 5)),
            settings(row("speed.low", 5), row("pause.low", 10), row("turn.low", 5)),
        ),
        "integer | 5",
        "integer | 10",
    ),
    changed(
        "one of three settings with one row of attributes has another name and default",
        (
            settings(row("speed.low", 5), row("pause.low", 5), row("turn.low", 5)),
            settings(row("speed.low", 5), row("halt.low", 10), row("turn.low", 5)),
        ),
        "integer | 5",
        "integer | 10",
    ),
    changed(
        "one of two places with the same sentence says it in other words, with another value",
        (settings("### Files", FOR_30, "### Mails", FOR_30), settings("### Files", FOR_30, "### Mails", KEEPS_90)),
        "for 30 days",
        "for 90 days",
    ),
    changed(
        "what to do next moved to another page, and one step is turned round",
        (
            {"alarm.md": page("Alarm", GARDEN, "## Next steps", STEPS.format("Close")), **OTHERS},
            {"alarm.md": page("Alarm", GARDEN), **OTHERS, "fire.md": FIRE + "## Next steps\n\n" + STEPS.format("Open")},
        ),
        "Close the",
        "Open the",
    ),
    changed(
        "an item moved from what is welcome to what is turned back",
        (listed(3), listed(2)),
        "Radios that",
        "Chairs made",
        **PARTS,
    ),
    changed(
        "a row moved from the table of what is welcome to that of what is turned back",
        (rows(3), rows(2)),
        "Radios that",
        "Chairs made",
        **PARTS,
    ),
    changed(
        "a row moved below the name of the other group of its table",
        (grouped(9), grouped(8)),
        "horse | ",
        "Turned back",
        **PARTS,
    ),
    changed(
        "when a filter was changed, in the middle of a page",
        alone(FILTER.format("3 May 2023"), FILTER.format("7 June 2024")),
        "3 May 2023",
        "7 June 2024",
    ),
    changed(
        "which edition of a book counts, by its year of rights",
        alone(HANDBOOK.format(2019), HANDBOOK.format(2023)),
        "2019",
        "2023",
    ),
    changed("which copies of a book count", alone(MARKED.format(2019), MARKED.format(2023)), "2019", "2023"),
    changed(
        "a page that is under a licence no more",
        alone(TERMS.format("Creative Commons Licence"), TERMS.format("").removesuffix("  \n© 2019 ")),
        "Creative Commons",
        "seals and hoses.",
    ),
    changed(
        "a price in a list of procedures",
        (
            {
                **bulleted("List of procedures", "One eye: 300 euros", "Knee: 900 euros", "Hip: 1200 euros"),
                "a.md": ABOUT,
            },
            {
                **bulleted("List of procedures", "One eye: 400 euros", "Knee: 900 euros", "Hip: 1200 euros"),
                "a.md": ABOUT,
            },
        ),
        "300 euros",
        "400 euros",
    ),
    changed(
        "the seats in a list of tables",
        (
            {
                **bulleted("List of tables", "Window, six guests", "Door, four guests", "Stage, two guests"),
                "a.md": ABOUT,
            },
            {
                **bulleted("List of tables", "Window, five guests", "Door, four guests", "Stage, two guests"),
                "a.md": ABOUT,
            },
        ),
        "six guests",
        "five guests",
    ),
]


@pytest.mark.parametrize("case", CHANGES, ids=lambda case: case.name)
def test_a_change_is_asked_about(case: Editions, opened: Callable[..., KnowledgeBase]) -> None:
    base = opened(**case.settings)
    put(base, "v1", case.old)
    put(base, "v2", case.new)

    waiting = asked(base)

    assert [words for words in case.pairs if not was_flagged(base, words)] == []
    assert [words for words in case.pairs if any(is_about(texts, words) for texts in waiting)] == list(case.asked)
    assert base.rebuild().is_sound


FEE = "Valid since the spring of {}, the yearly fee of a member is fifty euros and is paid by card at the gate."
FEE_TOO = "The yearly fee of a member since the spring of {} is fifty euros, to be paid by card at the gate."


@pytest.mark.parametrize("title", ["Club", "Club {}"])
def test_the_year_of_an_edition_names_no_difference(title: str, opened: Callable[..., KnowledgeBase]) -> None:
    """A page that was left as it was contradicts one that was revised, whichever years the folders have."""
    base = opened()
    for year, fees, more in (("2024", "2024", KITCHEN), ("2025", "2025", "")):
        pages = {"fees.md": FEE.format(fees), "faq.md": FEE_TOO.format("2024"), "about.md": f"{GARDEN}\n\n{more}"}
        put(base, year, {name: page(title.format(year), text) for name, text in pages.items()})

    reasons = [d.reason for d in base.decisions() if "names the difference" in d.reason]
    assert reasons == []


def test_a_later_change_of_another_setting_is_asked(opened: Callable[..., KnowledgeBase]) -> None:
    """Rows of two settings are two things where they stand; that says nothing of a third setting's rows."""
    base = opened()
    put(base, "v1", settings(row("speed.low", 5), row("pause.low", 10), row("turn.low", 5)))
    put(base, "v2", settings(row("speed.low", 5), row("pause.low", 10), row("turn.low", 10)))

    waiting = [pair for pair in base.queue() if pair.candidate.section == pair.kept.section == "turn.low"]
    assert [(pair.kept.text.split(" | ")[-2], pair.candidate.text.split(" | ")[-2]) for pair in waiting] == [
        ("5", "10")
    ]


def test_both_values_are_found(opened: Callable[..., KnowledgeBase]) -> None:
    base = opened()
    put(base, "v1", settings(attributes("seal", 30), attributes("wait", 30)))
    put(base, "v2", settings(attributes("seal", 30), attributes("wait", 45)))

    found = [hit.block.text for hit in base.search("default number of seconds of wait").hits]
    assert all(any(f"Default: {n}" in text for text in found) for n in (30, 45))
