"""References that look as if they lead to one section in two editions, and do not: each is asked about.

Each case was written to break the rule about the numbers of sections; its pages are made up.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from test_references_of_two_editions import ABOUT, book, case
from test_side_by_side_pages import FOR_30, GARDEN, KITCHEN, Editions, asked, is_about, opened, page, put, was_flagged

from saidonce.app.knowledge_base import KnowledgeBase

__all__ = ["opened"]

OLD, NEW = ("1. Loans", "2. Fees"), ("1. Loans", "2. Hours", "3. Fees")
SAYS = "A member who brings the pump back late pays {}, and may not borrow another one until then."


def elsewhere(name: str, text: str, kind: str = "section") -> Editions:
    """A reference to another work, whose number changed as that of a section of the own page did."""
    one, two = (text.format(f"{kind} {n}") for n in "23")
    return case(name, book("", *OLD, text=one), book("", *NEW, text=two), (f"{kind} 2", f"{kind} 3"), is_asked=True)


NUMBERS = ("section 2", "section 3")
TEN = "Adults pay ten euros a day."


def parts(number: str, *parts: str, title: str = "# Pumps") -> dict[str, str]:
    """A page with a reference below its title, and parts of some headings."""
    return {"pumps.md": "\n\n".join([title, SAYS.format(f"what section {number} says"), *parts]), "about.md": ABOUT}


def boats(number: str, *sections: str) -> dict[str, str]:
    """A page with a reference and no section, and another page that counts its own sections."""
    return {**parts(number), "boats.md": page("Boats", GARDEN, *sections)}


def below(part: str, reference: str, *headings: str) -> dict[str, str]:
    """A page of two parts with a heading of one name, of which one part has the passage with a reference."""
    texts = {"Adults": GARDEN, "Children": KITCHEN, part: SAYS.format(f"what {reference} says")}
    halves = [f"# {name}\n\n## Late\n\n{text}" for name, text in texts.items()]
    sections = [f"{heading}\n\n{text}" for heading, text in zip(headings[::-1], (FOR_30, TEN), strict=False)]
    return {"pumps.md": "\n\n".join([*halves, *sections[::-1]]), "about.md": ABOUT}


def two_books(reference: str, *chapters: str, section: str = "1. Bread") -> dict[str, str]:
    """A book whose chapters have no numbers, with a reference, and another one whose chapters have some."""
    chapter = f"## {section}\n\n{KITCHEN}"
    others = {f"boats/{title.split()[-1].casefold()}.md": page(title, chapter) for title in chapters}
    return {
        "lending/pumps.md": page("Pumps", SAYS.format(f"what {reference} says")),
        "lending/about.md": ABOUT,
        **others,
    }


CODE = "```yaml\n# see {}\npumps:\n  door: open\n{}lamp: red\n  tank: full\n```"
POINTS = "- Pay what {} says for each day.\n{}- Bring the pump back.\n- Close the door of the shed."

ASKED = [
    elsewhere("statutes named before it", SAYS.format("as the statutes say in {}")),
    elsewhere("a manual named before it", SAYS.format("what the operator manual, {}, says")),
    elsewhere("a list named before it", SAYS.format("what the price list, {}, says")),
    elsewhere("a law named behind it", SAYS.format("as {} Housing Act says")),
    elsewhere("a law named behind its paragraph", SAYS.format("as {} paragraph 1 of the act says")),
    elsewhere("a law named behind two sections", SAYS.format("as {} or section 9 of the act says")),
    elsewhere("a law in short in front of it, at the beginning", "HGB {} says what a member pays who is late again."),
    elsewhere("a law in short in front of it, in a new sentence", SAYS.format("more") + " RFC {} says how much."),
    elsewhere("a part of a section, behind a space", SAYS.format("what {} (2) says")),
    elsewhere("a part of a section, in words", SAYS.format("what {}, paragraph 2, says")),
    elsewhere("what follows a section", SAYS.format("what {} and following say")),
    elsewhere("a German law behind it", "Wer die Pumpe spät bringt, zahlt nach {} BetrKV, was dort steht.", "§"),
    elsewhere("a German law before it", "Wer die Pumpe spät bringt, zahlt, was die Satzung in {} sagt.", "Abschnitt"),
    elsewhere("a French law before it", "Qui rend la pompe en retard paie ce que dit la loi au {}.", "chapitre"),
    case(
        "the section of the name stands under another heading now",
        parts("2", "## Children", "### 1. Loans", GARDEN, "### 2. Fees", KITCHEN, "## Adults", "### 3. Rules", FOR_30),
        parts("3", "## Children", "### 1. Loans", GARDEN, "## Adults", "### 2. Rules", FOR_30, "### 3. Fees", TEN),
        NUMBERS,
        is_asked=True,
    ),
    case(
        "the section of the name stands under another heading now, on a page without a title",
        parts("2", "# Children", "## 1. Loans", GARDEN, "## 2. Fees", KITCHEN, "# Adults", FOR_30, title="Pumps"),
        parts("3", "# Children", "## 1. Loans", GARDEN, "# Adults", "## 3. Fees", TEN, title="Pumps"),
        NUMBERS,
        is_asked=True,
    ),
    case(
        "the passage stands below another part now, under a heading of the same name",
        below("Adults", "section 2", "# 2. Fees"),
        below("Children", "section 3", "# 2. Hours", "# 3. Fees"),
        NUMBERS,
        is_asked=True,
    ),
    case(
        "terms of somebody else",
        book("", *OLD, text=SAYS.format("as the terms of the shop say in section 2")),
        book("", *NEW, text=SAYS.format("as the terms of the shop say in section 3")),
        NUMBERS,
        is_asked=True,
    ),
    case(
        "a chapter of another book, in a folder of its own",
        two_books("chapter 2", "Chapter 2 - Fees"),
        two_books("chapter 3", "Chapter 3 - Fees", "Chapter 2 - Hours"),
        ("chapter 2", "chapter 3"),
        is_asked=True,
    ),
    case(
        "a section of a chapter of another book, in a folder of its own",
        two_books("section 2.1", "Chapter 2 - Boats", section="1. Fees"),
        two_books("section 2.2", "Chapter 2 - Boats", section="2. Fees"),
        ("section 2.1", "section 2.2"),
        is_asked=True,
    ),
    case(
        "a sign stands where the number has to go",
        book("section 2", *OLD),
        book("section #", *NEW),
        ("section 2", "section #"),
        is_asked=True,
    ),
    case(
        "two sections of one page have the number and the name",
        book("section 2", "1. Loans", "2. Fees", "1. Boats", "2. Fees"),
        book("section 3", "1. Loans", "2. Hours", "3. Fees", "1. Boats", "2. Fees"),
        NUMBERS,
        is_asked=True,
    ),
    case(
        "a step of an example is a part of another one now",
        book("", *OLD, text=CODE.format("section 2", "  ")),
        book("", *NEW, text=CODE.format("section 3", "    ")),
        NUMBERS,
        is_asked=True,
    ),
    case(
        "a point of a list is a part of another one now",
        book("", *OLD, text=POINTS.format("section 2", "")),
        book("", *NEW, text=POINTS.format("section 3", "  ")),
        NUMBERS,
        is_asked=True,
    ),
    case(
        "no section of the own page, and one of a page that counts for itself",
        boats("2", "## 1. Loans", KITCHEN, "## 2. Fees", FOR_30),
        boats("3", "## 1. Loans", KITCHEN, "## 2. Hours", "We are open.", "## 3. Fees", FOR_30),
        NUMBERS,
        is_asked=True,
    ),
]


@pytest.mark.parametrize("case", ASKED, ids=lambda case: case.name)
def test_what_may_lead_elsewhere_is_asked_about(case: Editions, opened: Callable[..., KnowledgeBase]) -> None:
    base = opened(**case.settings)
    put(base, "v1", case.old)
    put(base, "v2", case.new)

    waiting = asked(base)

    assert [words for words in case.pairs if not was_flagged(base, words)] == []
    assert [words for words in case.pairs if any(is_about(texts, words) for texts in waiting)] == list(case.asked)
