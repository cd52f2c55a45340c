"""What a person is not asked about, since the candidate's document says it in a place of its own."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from saidonce.foundation.model import Candidate, FactKind, Kind, Match, Objection, Outcome, Span
from saidonce.foundation.settings.policy import CANONICAL
from saidonce.kb.canonical.side_by_side import decide_together
from saidonce.matching.ladder import Case, Guard


def text(words: str, kind: Kind = Kind.PARAGRAPH, section: str = "") -> Candidate:
    return Candidate(words, words, kind, section=section)


def objects(a: Candidate, b: Candidate) -> Sequence[Objection]:
    return (Objection(FactKind.NUMBER, Span(0, 0, a.text), Span(0, 0, b.text)),)


def hesitates(a: Candidate, b: Candidate) -> Sequence[Objection]:
    return (Objection(FactKind.TERM, Span(0, 0, a.text), Span(0, 0, b.text)),)


def case(candidate: Candidate, *matches: tuple[str, float, Candidate], guards: tuple[Guard, ...] = (objects,)) -> Case:
    return Case(candidate, tuple(Match(id_, at, kept) for id_, at, kept in matches), CANONICAL, guards)


def outcomes(*cases: Case) -> list[tuple[Outcome, str]]:
    return [(verdict.outcome, verdict.of) for _, verdict in decide_together(cases)]


OLD, OTHER = text("The lift holds 8 people."), text("The goods lift holds 20 people.")


def test_a_text_that_the_document_has_itself_is_not_asked_about_again() -> None:
    same = case(text(OLD.text), ("old", 1.0, OLD))
    beside = case(text("The small lift holds 4 people."), ("old", 0.93, OLD))

    assert outcomes(same, beside) == [(Outcome.DUPLICATE, "old"), (Outcome.DISTINCT, "")]
    assert outcomes(beside, same) == [(Outcome.DISTINCT, ""), (Outcome.DUPLICATE, "old")]


def test_alone_it_is_asked_about() -> None:
    assert outcomes(case(text("The small lift holds 4 people."), ("old", 0.93, OLD))) == [(Outcome.REVIEW, "old")]


def test_one_that_is_near_enough_to_be_the_same_is_asked_about_even_so() -> None:
    same = case(text(OLD.text), ("old", 1.0, OLD))
    beside = case(text("Eight people fit into the lift."), ("old", 0.95, OLD))

    assert outcomes(same, beside) == [(Outcome.DUPLICATE, "old"), (Outcome.REVIEW, "old")]


def test_other_words_for_what_the_document_has_are_asked_about() -> None:
    same = case(text(OLD.text), ("old", 1.0, OLD))
    beside = case(text("The lift takes 8 people."), ("old", 0.93, OLD), guards=(hesitates,))

    assert outcomes(same, beside) == [(Outcome.DUPLICATE, "old"), (Outcome.REVIEW, "old")]


def test_the_next_near_text_is_asked_about_instead() -> None:
    same = case(text(OLD.text), ("old", 1.0, OLD))
    beside = case(text("The goods lift holds 25 people."), ("old", 0.93, OLD), ("other", 0.92, OTHER))

    assert outcomes(same, beside)[1] == (Outcome.REVIEW, "other")


def test_equal_words_are_always_asked_about() -> None:
    twice = text(OLD.text)

    assert outcomes(
        case(twice, ("old", 1.0, OLD), guards=()),
        case(text(OLD.text, Kind.CAPTION), ("old", 1.0, OLD)),
    ) == [(Outcome.DUPLICATE, "old"), (Outcome.REVIEW, "old")]


@pytest.mark.parametrize(
    ("nearer", "farther", "asked"),
    [
        (0.97, 0.90, Outcome.DISTINCT),
        (0.97, 0.95, Outcome.REVIEW),
        (0.93, 0.90, Outcome.REVIEW),
    ],
)
def test_a_farther_text_is_not_asked_about_where_a_nearer_one_may_be_the_same(
    nearer: float, farther: float, asked: Outcome
) -> None:
    first = case(text("The lift holds 9 people."), ("old", nearer, OLD))
    second = case(text("The lift in the yard holds 9 people."), ("old", farther, OLD))

    assert [outcome for outcome, _ in outcomes(first, second)] == [Outcome.REVIEW, asked]


@pytest.mark.parametrize(
    ("mine", "kept", "similarity", "asked"),
    [
        (text("lift(4)", Kind.CODE, "Small lifts"), text("lift(9)", Kind.CODE, "Goods lifts"), 0.9, Outcome.DISTINCT),
        (text("lift(4)", Kind.CODE, "Small lifts"), text("lift(9)", Kind.CODE, "Goods lifts"), 0.95, Outcome.REVIEW),
        (text("lift(4)", Kind.CODE, "Lifts"), text("lift(9)", Kind.CODE, "lifts"), 0.9, Outcome.REVIEW),
        (text("lift(4)", Kind.CODE), text("lift(9)", Kind.CODE, "Goods lifts"), 0.9, Outcome.REVIEW),
        (text("Four ride.", section="Small"), text("Nine ride.", section="Goods"), 0.9, Outcome.REVIEW),
    ],
)
def test_other_code_elsewhere_is_another_example(
    mine: Candidate, kept: Candidate, similarity: float, asked: Outcome
) -> None:
    assert outcomes(case(mine, ("old", similarity, kept)))[0][0] is asked


def test_code_elsewhere_that_no_guard_objects_to_is_asked_about() -> None:
    mine, kept = text("lift( 4 )", Kind.CODE, "Small lifts"), text("lift(4)", Kind.CODE, "Goods lifts")

    unsure = replace(case(mine, ("old", 0.9, kept), guards=()), policy=replace(CANONICAL, same_from=1.0))
    assert outcomes(unsure) == [(Outcome.REVIEW, "old")]


def test_the_trail_says_that_texts_were_left_out() -> None:
    same = case(text(OLD.text), ("old", 1.0, OLD))
    beside = case(text("The small lift holds 4 people."), ("old", 0.93, OLD))

    (_, (_, verdict)) = decide_together((same, beside))

    assert (verdict.trail[0].rung, verdict.trail[0].of) == ("side_by_side", "old")
