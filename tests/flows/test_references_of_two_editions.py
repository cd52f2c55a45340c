"""References to sections whose numbers changed between two editions: only what leads to another section is asked about.

A number leads to the heading that has it in its own edition. Each case was written before the rule; its pages are made
up.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from test_side_by_side_pages import (
    FOR_30,
    GARDEN,
    KITCHEN,
    PRESSED,
    Editions,
    Pages,
    asked,
    is_about,
    opened,
    page,
    put,
    told_apart,
    was_flagged,
)

from saidonce.app.knowledge_base import KnowledgeBase
from saidonce.foundation.settings.policy import SegmentStyle

__all__ = ["opened"]

PARTS: dict[str, object] = {"segment_style": SegmentStyle.PARAGRAPH}
ABOUT = page("About", PRESSED)
SEE = "A member who brings the pump back late pays what {} says, and may not borrow another one until then."
TEXTS = (GARDEN, KITCHEN, FOR_30, PRESSED)


def book(reference: str, *headings: str, text: str = SEE) -> dict[str, str]:
    """A page with a reference below its title, and sections under some headings; beside it one that never changes."""
    sections = [f"## {heading}\n\n{words}" for heading, words in zip(headings, TEXTS * 3, strict=False)]
    return {"pumps.md": page("Pumps", text.format(reference), *sections), "about.md": ABOUT}


def chapters(reference: str, *titles: str, sections: Sequence[str] = ()) -> Pages:
    """A page with a reference, and a page for each chapter; the first chapter has some sections."""
    pages = {"pumps.md": page("Pumps", SEE.format(reference)), "about.md": ABOUT}
    parts = [f"## {heading}\n\n{words}" for heading, words in zip(sections, TEXTS, strict=False)]
    for n, (title, words) in enumerate(zip(titles, TEXTS[::-1], strict=False)):
        pages[f"{title.split()[-1].casefold()}.md"] = page(title, words, *(parts if n == 0 else ()))
    return pages


def case(name: str, old: Pages, new: Pages, words: tuple[str, str], *, is_asked: bool) -> Editions:
    return Editions(name, old, new, (words,), (words,) if is_asked else (), PARTS)


NOT_ASKED = [
    case(
        "a section before it is new",
        book("section 2", "1. Loans", "2. Fees"),
        book("section 3", "1. Loans", "2. Hours", "3. Fees"),
        ("section 2", "section 3"),
        is_asked=False,
    ),
    case(
        "two sections, named together",
        book("sections 1 and 2", "1. Loans", "2. Fees"),
        book("sections 2 and 3", "1. Hours", "2. Loans", "3. Fees"),
        ("sections 1", "sections 2"),
        is_asked=False,
    ),
    case(
        "a chapter on a page of its own",
        chapters("chapter 2", "Chapter 2 - Fees", "Chapter 1 - Loans"),
        chapters("chapter 3", "Chapter 3 - Fees", "Chapter 1 - Loans", "Chapter 2 - Hours"),
        ("chapter 2", "chapter 3"),
        is_asked=False,
    ),
    case(
        "a section of a chapter on another page, which counts its sections by itself",
        chapters("section 2.3", "Chapter 2 - Fees", sections=("1. Bread", "2. Cards", "3. Late pumps")),
        chapters("section 2.2", "Chapter 2 - Fees", sections=("1. Bread", "2. Late pumps")),
        ("section 2.3", "section 2.2"),
        is_asked=False,
    ),
    case(
        "an appendix",
        book("Appendix A", "1. Loans", "Appendix A. Fees"),
        book("Appendix B", "1. Loans", "Appendix A. Hours", "Appendix B. Fees"),
        ("Appendix A", "Appendix B"),
        is_asked=False,
    ),
    case(
        "a section in German",
        book("Abschnitt 2", "1. Ausleihe", "2. Preise"),
        book("Abschnitt 3", "1. Ausleihe", "2. Zeiten", "3. Preise"),
        ("Abschnitt 2", "Abschnitt 3"),
        is_asked=False,
    ),
    case(
        "a section in French, behind its article",
        book("section 2", "1. Prêts", "2. Tarifs", text="Qui rend la pompe en retard paie ce que dit la {}."),
        book(
            "section 3", "1. Prêts", "2. Heures", "3. Tarifs", text="Qui rend la pompe en retard paie ce que dit la {}."
        ),
        ("section 2", "section 3"),
        is_asked=False,
    ),
]

STILL_ASKED = [
    case(
        "it leads to another section now",
        book("section 2", "1. Loans", "2. Fees", "3. Fines"),
        book("section 3", "1. Loans", "2. Fees", "3. Fines"),
        ("section 2", "section 3"),
        is_asked=True,
    ),
    case(
        "one of two leads to another section now",
        book("sections 1 and 2", "1. Loans", "2. Fees", "3. Fines"),
        book("sections 2 and 4", "1. Hours", "2. Loans", "3. Fees", "4. Fines"),
        ("sections 1", "sections 2"),
        is_asked=True,
    ),
    case(
        "nothing has the number in the new edition",
        book("section 2", "1. Loans", "2. Fees"),
        book("section 3", "1. Loans", "2. Fees"),
        ("section 2", "section 3"),
        is_asked=True,
    ),
    case(
        "the section has another name, too",
        book("section 2", "1. Loans", "2. Fees"),
        book("section 3", "1. Loans", "2. Hours", "3. Fines"),
        ("section 2", "section 3"),
        is_asked=True,
    ),
    case(
        "another number changes, too",
        book("section 2", "1. Loans", "2. Fees", text=SEE + " The fee is 2 euros."),
        book("section 3", "1. Loans", "2. Hours", "3. Fees", text=SEE + " The fee is 3 euros."),
        ("section 2", "section 3"),
        is_asked=True,
    ),
    case(
        "another word changes, too",
        book("section 2", "1. Loans", "2. Fees"),
        book("section 3", "1. Loans", "2. Hours", "3. Fees", text=SEE.replace("may not", "may")),
        ("section 2", "section 3"),
        is_asked=True,
    ),
    case(
        "two sections have the name, below two headings",
        book("section 2.1", "1. Children", "1.1. Fees", "2. Adults", "2.1. Fees"),
        book("section 1.1", "1. Children", "1.1. Fees", "2. Adults", "2.1. Fees"),
        ("section 2.1", "section 1.1"),
        is_asked=True,
    ),
    case(
        "a section of another work",
        book("section 2 of the law of loans", "1. Loans", "2. Fees"),
        book("section 3 of the law of loans", "1. Loans", "2. Hours", "3. Fees"),
        ("section 2", "section 3"),
        is_asked=True,
    ),
    case(
        "a section of another work, named before it",
        book("the Loans Act, section 2,", "1. Loans", "2. Fees"),
        book("the Loans Act, section 3,", "1. Loans", "2. Hours", "3. Fees"),
        ("section 2", "section 3"),
        is_asked=True,
    ),
    case(
        "a part of a section",
        book("section 2(a)", "1. Loans", "2. Fees"),
        book("section 3(b)", "1. Loans", "2. Hours", "3. Fees"),
        ("section 2", "section 3"),
        is_asked=True,
    ),
    case(
        "all sections up to one, with a new one among them",
        book("sections 1 to 2", "1. Loans", "2. Fees"),
        book("sections 1 to 3", "1. Loans", "2. Hours", "3. Fees"),
        ("1 to 2", "1 to 3"),
        is_asked=True,
    ),
    case(
        "a number of something else than a section",
        book("fee 2", "1. Loans", "2. Fees"),
        book("fee 3", "1. Loans", "2. Hours", "3. Fees"),
        ("fee 2", "fee 3"),
        is_asked=True,
    ),
    case(
        "two chapters of two books have the number",
        {
            **chapters("chapter 2", "Chapter 2 - Fees", "Chapter 1 - Loans"),
            "boats.md": page("Chapter 2 - Boats", FOR_30),
        },
        {
            **chapters("chapter 3", "Chapter 3 - Fees", "Chapter 1 - Loans"),
            "boats.md": page("Chapter 2 - Boats", FOR_30),
        },
        ("chapter 2", "chapter 3"),
        is_asked=True,
    ),
]


def exchanged(first: str, second: str, *headings: str) -> Pages:
    """Two sections with the same words, each with a reference of its own, and the sections these lead to."""
    parts = [SEE.format(first), "## 2. Keys", SEE.format(second)]
    return {
        "pumps.md": page(
            "Pumps", "## 1. Loans", *parts, *(f"## {h}\n\n{w}" for h, w in zip(headings, TEXTS, strict=False))
        ),
        "about.md": ABOUT,
    }


STILL_ASKED += [
    case(
        "two references were exchanged, each beside the same words",
        exchanged("section 3", "section 4", "3. Fees", "4. Fines"),
        exchanged("section 6", "section 5", "3. Hours", "4. Weather", "5. Fees", "6. Fines"),
        ("section 4", "section 6"),
        is_asked=True,
    ),
    case(
        "the passage stands under another heading now",
        book("section 3", "1. Loans", "2. Keys", "3. Fees", text=GARDEN)
        | {"pumps.md": page("Pumps", "## 1. Adults", SEE.format("section 2"), "## 2. Fees", KITCHEN)},
        book("section 3", "1. Loans", "2. Keys", "3. Fees", text=GARDEN)
        | {
            "pumps.md": page(
                "Pumps", "## 1. Children", SEE.format("section 3"), "## 2. Adults", FOR_30, "## 3. Fees", KITCHEN
            )
        },
        ("section 2", "section 3"),
        is_asked=True,
    ),
]


@pytest.mark.parametrize("case", [*NOT_ASKED, *STILL_ASKED], ids=lambda case: case.name)
def test_which_references_are_asked_about(case: Editions, opened: Callable[..., KnowledgeBase]) -> None:
    base = opened(**case.settings)
    put(base, "v1", case.old)
    put(base, "v2", case.new)

    waiting = asked(base)

    assert [words for words in case.pairs if not was_flagged(base, words)] == []
    assert [words for words in case.pairs if any(is_about(texts, words) for texts in waiting)] == list(case.asked)
    assert base.rebuild().is_sound


def test_the_reason_names_both_numbers_and_the_title(opened: Callable[..., KnowledgeBase]) -> None:
    base = opened(**PARTS)
    put(base, "v1", NOT_ASKED[0].old)
    put(base, "v2", NOT_ASKED[0].new)

    (decision,) = [d for d in told_apart(base) if "lead" in d.reason]
    assert decision.reason == (
        "v1/pumps.md and v2/pumps.md have the same words and lead to the same place: section 2 and section 3 are “Fees”"
    )


def test_a_third_edition_whose_number_leads_elsewhere_is_asked_about(opened: Callable[..., KnowledgeBase]) -> None:
    """A decision about two numbers holds for the editions that it was made about."""
    base = opened(**PARTS)
    put(base, "v1", book("section 2", "1. Loans", "2. Fees", "3. Fines"))
    put(base, "v2", book("section 3", "1. Loans", "2. Hours", "3. Fees", "4. Fines"))
    assert not [texts for texts in asked(base) if is_about(texts, ("section 2", "section 3"))]
    put(base, "v3", book("section 4", "1. Loans", "2. Hours", "3. Fees", "4. Fines"))
    assert [texts for texts in asked(base) if any("section 4" in text for text in texts)]
