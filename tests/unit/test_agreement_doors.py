"""What `borne_out` and `says_the_same` ask a judge, and what they make of its answers."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from saidonce.foundation.model import UNKNOWN_LANGUAGE, Candidate, Equivalence, FactKind, Rewording
from saidonce.foundation.text import content_hash
from saidonce.matching.agreement import MOST_REWORDINGS, Accord, Agreement, agreement, borne_out, says_the_same

LAMPS = ("The caretaker mends broken lamps.", "Broken lights are repaired by the janitor.")
RULE = "Visitors sign the book at the front desk."
MORE = "They hand in their badge when they leave the building."


class Recording:
    """Says yes to everything, or no to what holds a word, and notes what it was asked."""

    name = "recording"

    def __init__(self, no_to: str = "\0", n_answers: int | None = None) -> None:
        self.asked: list[Rewording] = []
        self._no_to = no_to
        self._n_answers = n_answers

    def judge(self, rewordings: Sequence[Rewording]) -> list[Equivalence]:
        self.asked += rewordings
        return [Equivalence(self._no_to not in r.a, 0.9) for r in rewordings][: self._n_answers]


def text(content: str, language: str = "en") -> Candidate:
    return Candidate(content, content_hash(content), language=language)


def heard(a: str, b: str, judge: Recording, languages: tuple[str, str] = ("en", "en")) -> Accord:
    one, other = text(a, languages[0]), text(b, languages[1])
    return borne_out(one, other, agreement(one, other), judge)


def test_a_judge_is_asked_about_the_sentences_in_their_language_and_named() -> None:
    judge = Recording()
    accord = heard(*LAMPS, judge)
    asked = Rewording(*LAMPS, "en")
    assert judge.asked == [asked]
    assert accord == Accord(Agreement.SAME, (), (), ((asked, Equivalence(True, 0.9)),), "recording")


def test_texts_in_two_languages_are_asked_about_in_none() -> None:
    judge = Recording()
    heard(*LAMPS, judge, ("en", "de"))
    assert {r.language for r in judge.asked} <= {UNKNOWN_LANGUAGE}


def test_a_no_leaves_the_pair_open_and_says_who_said_it() -> None:
    before = agreement(text(LAMPS[0]), text(LAMPS[1]))
    accord = heard(*LAMPS, Recording("caretaker"))
    assert accord == Accord(
        Agreement.OPEN, before.objections, before.unaccounted,
        ((Rewording(*LAMPS, "en"), Equivalence(False, 0.9)),), "recording",
    )  # fmt: skip


def test_equal_sentences_are_not_asked_about() -> None:
    judge = Recording()
    accord = heard(f"{RULE} {LAMPS[0]}", f"{RULE} {LAMPS[1]}", judge)
    assert judge.asked == [Rewording(*LAMPS, "en")]
    assert accord.agreement is Agreement.SAME


@pytest.mark.parametrize("longer", [0, 1])
def test_a_text_with_a_sentence_more_says_more_and_which(longer: int) -> None:
    sides = [f"{side} {MORE}" if n == longer else side for n, side in enumerate(LAMPS)]
    accord = heard(sides[0], sides[1], Recording())
    assert accord.agreement is (Agreement.REPEATS_A, Agreement.REPEATS_B)[longer]
    assert accord.objections == ()
    assert accord.unaccounted


def test_one_no_among_yeses_is_a_no() -> None:
    two = ("Rents are due on the first day.", "The first day is when tenants have to pay.")
    judge = Recording("caretaker")
    accord = heard(f"{LAMPS[0]} {two[0]}", f"{LAMPS[1]} {two[1]}", judge)
    assert accord.agreement is not Agreement.SAME


def test_a_judge_that_leaves_a_question_out_is_not_believed() -> None:
    with pytest.raises(ValueError, match="argument"):
        heard(*LAMPS, Recording(n_answers=0))


@pytest.mark.parametrize(("a", "b"), [(RULE, RULE), ("The lease runs for 12 months.", "The lease runs for 18 months.")])
def test_nobody_is_asked_about_what_is_not_open(a: str, b: str) -> None:
    judge = Recording()
    assert heard(a, b, judge) == agreement(text(a), text(b))
    assert judge.asked == []


def test_nobody_is_asked_about_more_than_a_dozen_sentences() -> None:
    colours = "red blue green grey pink gold black white brown lilac teal ruby jade".split()
    assert len(colours) == MOST_REWORDINGS + 1
    one, other = (" ".join(f"{side[:-1]} of the {colour} house." for colour in colours) for side in LAMPS)
    judge = Recording()
    assert heard(one, other, judge).agreement is not Agreement.SAME
    assert judge.asked == []


def test_a_guard_of_what_says_the_same_lets_through_only_what_is_borne_out() -> None:
    one, other = text(LAMPS[0]), text(LAMPS[1])
    assert says_the_same()(one, one) == ()
    assert says_the_same(Recording())(one, other) == ()
    assert says_the_same()(one, other) == agreement(one, other).unaccounted != ()
    assert says_the_same(Recording("caretaker"))(one, other) != ()


def test_a_guard_of_what_says_the_same_quotes_the_contradiction() -> None:
    one, other = text("The lease runs for 12 months."), text("The lease runs for 18 months.")
    objections = says_the_same(Recording())(one, other)
    assert objections == agreement(one, other).objections
    assert {o.kind for o in objections} & {FactKind.NUMBER, FactKind.AMOUNT, FactKind.UNIT}


def test_a_sentence_that_only_adds_words_is_no_rewording() -> None:
    judge = Recording()
    heard("The caretaker mends lamps in the hall.", "The caretaker quickly mends old lamps in the hall today.", judge)
    assert judge.asked == []
