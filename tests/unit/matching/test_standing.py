"""How a sentence stands by what it claims, beside the cases of `tests/cases/agreement`: nothing too much."""

from __future__ import annotations

import pytest

from saidonce.matching.facts.standing import other_standing

ONE_DIFFERENCE = {
    "a noun like a verb beside a participle of the same meaning": (
        "The archive keeps signed contracts for 3 years after they end.",
        "The archive keeps signed contracts for 14 years after they end.",
    ),
    "the same with another subject": (
        "The office files signed contracts for the mayor.",
        "The office files signed contracts for the council.",
    ),
}


@pytest.mark.parametrize("name", ONE_DIFFERENCE)
def test_words_that_both_sentences_hold_are_no_other_time(name: str) -> None:
    a, b = ONE_DIFFERENCE[name]
    assert other_standing(a, b, "en") == ()
    assert other_standing(b, a, "en") == ()


def test_a_tense_is_still_heard_behind_a_synonym() -> None:
    (objection,) = other_standing("The firm mended the gate.", "The company mends the gate.", "en")
    assert (objection.a.text, objection.b.text) == ("mended", "mends")
