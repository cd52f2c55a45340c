"""How two texts agree, whatever their similarity."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saidonce.foundation.model import Candidate, FactKind
from saidonce.foundation.text import content_hash
from saidonce.matching.agreement import Accord, Agreement, agreement

RULE = "Visitors sign the book at the front desk."
MORE = f"{RULE} They hand in their badge when they leave the building."

CASES = [
    (RULE, RULE, Agreement.SAME),
    (RULE, "Visitors  sign the book at the front desk", Agreement.SAME),
    (MORE, RULE, Agreement.REPEATS_A),
    (RULE, MORE, Agreement.REPEATS_B),
    ("The lease runs for 12 months.", "The lease runs for 18 months.", Agreement.OBJECTED),
    ("Guests may use the pool.", "Guests may not use the pool.", Agreement.OBJECTED),
    ("Call the office before the visit.", "Call the office after the visit.", Agreement.OBJECTED),
    ("The caretaker mends broken lamps.", "Broken lights are repaired by the janitor.", Agreement.OPEN),
    ("Open `main.toml` first.", "Open `site.toml` first.", Agreement.OBJECTED),
]


def text(content: str, language: str = "en") -> Candidate:
    return Candidate(content, content_hash(content), language=language)


@pytest.mark.parametrize(("a", "b", "agrees"), CASES)
def test_how_two_texts_agree(a: str, b: str, agrees: Agreement) -> None:
    assert agreement(text(a), text(b)).agreement is agrees


def test_a_contradiction_quotes_both_values() -> None:
    accord = agreement(text("The lease runs for 12 months."), text("The lease runs for 18 months."))
    assert [(o.a.text, o.b.text) for o in accord.objections] == [("12 months", "18 months")]
    assert all(o.kind is not FactKind.TERM for o in accord.objections)


def test_what_nothing_bears_out_is_quoted() -> None:
    accord = agreement(text(MORE), text(RULE))
    assert accord.unaccounted[0].a.text
    assert accord.unaccounted[0].a.text in MORE


def test_a_language_that_nobody_reads_is_open_unless_its_words_are_equal() -> None:
    one, other = "Kopi simpan selama tiga puluh hari.", "Kopi simpan selama sembilan puluh hari."
    assert agreement(text(one, "id"), text(other, "id")).agreement is Agreement.OPEN
    assert agreement(text(one, "id"), text(f" {one}", "id")).agreement is Agreement.SAME


SENTENCES = st.lists(
    st.sampled_from(
        [RULE, "The book lies open.", "Keys cost 30 euro.", "Keys cost 90 euro.", "Nobody may smoke here.", "Ask Ann."]
    ),
    min_size=1,
    max_size=4,
).map(" ".join)
MIRROR = {Agreement.REPEATS_A: Agreement.REPEATS_B, Agreement.REPEATS_B: Agreement.REPEATS_A}


@given(SENTENCES, SENTENCES)
def test_swapping_the_texts_swaps_the_answer(a: str, b: str) -> None:
    one, other = agreement(text(a), text(b)), agreement(text(b), text(a))
    assert other.agreement is MIRROR.get(one.agreement, one.agreement)
    assert isinstance(one, Accord)


@given(SENTENCES)
def test_a_text_agrees_with_itself(a: str) -> None:
    assert agreement(text(a), text(f"{a} ")).agreement is Agreement.SAME
