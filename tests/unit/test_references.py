"""Numbers of sections in passages and in headings."""

from __future__ import annotations

import pytest

from saidonce.kb.canonical import numbers_of, without_references


@pytest.mark.parametrize(
    ("text", "plain", "numbers"),
    [
        ("See section 48.17.", "See section #.", "section 48.17"),
        ("(see Sections 4 and 5.1)", "(see Sections # and #)", "section 4, section 5.1"),
        ("It is in Kapitel 4, und in Anhang B.2.", "It is in Kapitel #, und in Anhang #.", "chapter 4, appendix B.2"),
        ("as chapters 3, 4, and 12 say", "as chapters #, #, and # say", "chapter 3, chapter 4, chapter 12"),
        ("Late. Section 4 applies.", "Late. Section # applies.", "section 4"),
        ("See section 4 of the act.", "See section 4 of the act.", ""),
        ("RFC 5321, section 4.5, says so.", "RFC 5321, section 4.5, says so.", ""),
        ("Under the Housing Act (section 4)", "Under the Housing Act (section 4)", ""),
        ("sections 4 to 6", "sections 4 to 6", ""),
        ("sections 4-6", "sections 4-6", ""),
        ("section 4a and section 4(b)", "section 4a and section 4(b)", ""),
        ("section 2024", "section 2024", ""),
        ("intersection 4", "intersection 4", ""),
        ("section A is closed at night", "section # is closed at night", "section A"),
    ],
)
def test_numbers_that_a_passage_refers_to(text: str, plain: str, numbers: str) -> None:
    found, references = without_references(text)
    assert (found, ", ".join(map(str, references))) == (plain.replace("#", "\0"), numbers)


@pytest.mark.parametrize(
    ("path", "number"),
    [
        (("Manual", "Chapter 48 - Messages"), "chapter 48"),
        (("Manual", "Chapter 48 - Messages", "11. The sender"), "section 48.11"),
        (("Manual", "Chapter 48 - Messages", "5. Lines", "5.7. The sender"), "section 48.5.7"),
        (("Manual", "48.11 The sender"), "section 48.11"),
        (("4. Fees", "4.1 Cards", "4.1.2 Cash"), "section 4.1.2"),
        (("Anhang B: Preise",), "appendix B"),
        (("\u00a7 4 Miete",), "section 4"),
        (("A.1. Sizes",), "section A.1"),
        (("A list",), ""),
        (("2024 in figures",), ""),
        (("4. These may enter:",), ""),
        (("4. Fees", "Cards"), ""),
    ],
)
def test_numbers_that_headings_have(path: tuple[str, ...], number: str) -> None:
    assert ", ".join(map(str, numbers_of(path))) == number
