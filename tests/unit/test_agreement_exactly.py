"""Agreement to the letter: what a judge may overrule, which sentences it is asked about, and how they pair."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import pytest

from saidonce.foundation.model import (
    UNKNOWN_LANGUAGE,
    Candidate,
    Equivalence,
    FactKind,
    Kind,
    Objection,
    Rewording,
    Span,
)
from saidonce.foundation.text import content_hash
from saidonce.matching import agreement as module
from saidonce.matching import facts
from saidonce.matching.agreement import MOST_REWORDINGS, Accord, Agreement, agreement, borne_out
from saidonce.matching.compared import ComparedPair
from saidonce.matching.facts import Change, Pairing
from saidonce.matching.guards import adds_nothing, fact_guard, in_read_language, same_grammar

LAMPS = ("The caretaker mends broken lamps.", "Broken lights are repaired by the janitor.")
RULE = "Visitors sign the book at the front desk."
OPERATORS = (FactKind.MODALITY, FactKind.QUANTIFIER, FactKind.FREQUENCY)


def text(content: str, language: str = "en") -> Candidate:
    return Candidate(content, content_hash(content), language=language)


def span(words: str, start: int = 0) -> Span:
    return Span(start, start + len(words), words)


def objection(kind: FactKind, a: str = "", b: str = "") -> Objection:
    return Objection(kind, span(a), span(b))


def change(a: str, b: str, start_a: int, start_b: int, relation: Pairing) -> Change:
    return Change(span(a, start_a), span(b, start_b), relation)


def noting(seen: list[Any], answer: Callable[..., Any], since: int = 0) -> Callable[..., Any]:
    """Answer as another function does, and note what was asked, from an argument on."""

    def note(*values: Any) -> Any:
        seen.append(values[since:])
        return answer(*values)

    return note


A, B = text("a words"), text("b words")
PAIR = ComparedPair(A, B)


@pytest.mark.parametrize("kind", [k for k in FactKind if k not in (FactKind.TERM, FactKind.NEGATION)])
@pytest.mark.parametrize("sides", [("x", "y"), ("x", ""), ("", "y"), ("", "")])
def test_what_may_be_said_in_other_words(kind: FactKind, sides: tuple[str, str]) -> None:
    is_wording = kind is FactKind.ROLE or (kind in OPERATORS and not all(sides))
    said = objection(kind, *sides)
    assert bool(module._Wording(PAIR, True).may_be(fact_guard, said)) is is_wording
    assert module._Wording(PAIR, True).may_be(in_read_language, said) is False
    assert module._Wording(PAIR, False).may_be(fact_guard, said) is False


@pytest.mark.parametrize("is_reworded", [True, False])
@pytest.mark.parametrize("sides", [("x", "y"), ("x", ""), ("", "y")])
def test_a_term_may_be_said_in_other_words_but_not_in_another_grammar(
    is_reworded: bool, sides: tuple[str, str]
) -> None:
    wording = module._Wording(PAIR, is_reworded)
    said = objection(FactKind.TERM, *sides)
    assert wording.may_be(adds_nothing, said)
    assert bool(wording.may_be(same_grammar, said)) is not all(sides)
    assert not wording.may_be(in_read_language, said)


def test_what_denies_is_looked_at_in_both_texts_and_their_language(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(facts, "denies_otherwise", noting(asked, lambda *_: len(asked) == 1))
    monkeypatch.setattr(facts, "is_reworded", noting(asked, lambda *_: True))
    said = objection(FactKind.NEGATION, "not")
    wording = module._Wording(PAIR, True)
    assert (wording.may_be(fact_guard, said), wording.may_be(fact_guard, said)) == (True, False)
    assert not wording.may_be(in_read_language, said)
    assert not module._Wording(PAIR, False).may_be(fact_guard, said)
    assert asked == 2 * [(said, "a words", "b words", "en")]
    asked.clear()
    assert module._Wording.of(PAIR) == module._Wording(PAIR, True)
    assert asked == [("a words", "b words", "en")]


def test_a_contradiction_is_what_a_guard_may_not_word_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each objection is judged by the guard that voiced it."""
    role, number = objection(FactKind.ROLE, "x", "y"), objection(FactKind.NUMBER, "1", "2")

    def of_words(_a: Candidate, _b: Candidate) -> Sequence[Objection]:
        return (role, number, number, objection(FactKind.TERM, "x"))

    def of_others(_a: Candidate, _b: Candidate) -> Sequence[Objection]:
        return (role, objection(FactKind.TERM, "x"))

    monkeypatch.setattr(facts, "is_reworded", lambda *_: True)
    monkeypatch.setattr(module, "_OF_WORDING", (of_words,))
    monkeypatch.setattr(module, "_CONTRADICTING", (of_words,))
    assert module._contradictions(PAIR) == (number,)
    monkeypatch.setattr(module, "_CONTRADICTING", (of_others,))
    assert module._contradictions(PAIR) == (role,)


class Yes:
    """Says yes to everything, and counts what it was asked."""

    name = "yes"

    def __init__(self) -> None:
        self.asked: list[Sequence[Rewording]] = []

    def judge(self, rewordings: Sequence[Rewording]) -> list[Equivalence]:
        self.asked.append(rewordings)
        return [Equivalence(True, 1.0) for _ in rewordings]


@pytest.mark.parametrize(("n", "is_asked"), [(1, True), (MOST_REWORDINGS, True), (MOST_REWORDINGS + 1, False)])
def test_a_judge_is_asked_about_one_sentence_to_a_dozen(
    n: int, is_asked: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    rewordings = [Rewording(f"{number}", "x", "en") for number in range(n)]
    monkeypatch.setattr(module, "_rewordings", lambda *_: (rewordings, Agreement.SAME))
    opened, judge = Accord(Agreement.OPEN), Yes()
    assert (borne_out(A, B, opened, judge) == opened) is not is_asked
    assert judge.asked == ([rewordings] if is_asked else [])


@pytest.mark.parametrize("whose_more", [Agreement.SAME, Agreement.REPEATS_A, Agreement.REPEATS_B])
def test_nobody_is_asked_where_each_sentence_says_the_same(
    whose_more: Agreement, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_rewordings", lambda *_: ([], whose_more))
    for judge in (None, Yes()):
        accord = borne_out(A, B, Accord(Agreement.OPEN), judge)
        assert accord == Accord(whose_more, reasons=(module.BY_SENTENCE,))
        assert judge is None or judge.asked == []


@pytest.mark.parametrize(("languages", "seen"), [(("en", "en"), "en"), (("en", "de"), UNKNOWN_LANGUAGE)])
def test_sentences_are_told_apart_in_the_language_of_both(
    languages: tuple[str, str], seen: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []
    compare, takes_back = facts.compare, facts.takes_back
    monkeypatch.setattr(facts, "compare", noting(asked, compare, 2))
    monkeypatch.setattr(facts, "takes_back", noting(asked, takes_back, 1))
    monkeypatch.setattr(module, "_claims_apart", lambda *_: False)
    longer = f"{LAMPS[1]} They hand in their badge when they leave the building."
    module._rewordings(text(LAMPS[0], languages[0]), text(longer, languages[1]))
    assert asked[:2] == 2 * [(seen,)]


def rewordings_of(paired: list[Change], lone: list[Change], monkeypatch: pytest.MonkeyPatch) -> Any:
    """Rewordings of two texts of which just these sentences are aligned."""
    monkeypatch.setattr(module, "_paired", lambda _: (paired, lone))
    monkeypatch.setattr(module, "_claims_apart", lambda *_: False)
    return module._rewordings(A, B)


def test_who_says_more_says_all_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    both = change(*LAMPS, 0, 0, Pairing.REWORDED)
    gone = change("Old rules stand.", "", 0, 9, Pairing.DELETED)
    came = change("", "New rules stand.", 9, 0, Pairing.INSERTED)
    monkeypatch.setattr(facts, "takes_back", lambda *_: False)
    asked = [Rewording(*LAMPS, "en")]
    assert rewordings_of([both], [], monkeypatch) == (asked, Agreement.SAME)
    assert rewordings_of([both], [gone], monkeypatch) == (asked, Agreement.REPEATS_A)
    assert rewordings_of([both], [came], monkeypatch) == (asked, Agreement.REPEATS_B)
    assert rewordings_of([both], [gone, came], monkeypatch) is None
    monkeypatch.setattr(facts, "takes_back", lambda *_: True)
    assert rewordings_of([both], [gone], monkeypatch) is None


def test_equal_sentences_between_others_are_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    same, both = change(RULE, RULE, 0, 0, Pairing.REWORDED), change(*LAMPS, 50, 50, Pairing.REWORDED)
    assert rewordings_of([same, both, same], [], monkeypatch) == ([Rewording(*LAMPS, "en")], Agreement.SAME)


def test_sentences_of_a_table_are_compared_as_sentences(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Candidate("a | b", content_hash("a | b"), kind=Kind.TABLE, language="en", rows=(("a", "b"),))
    seen: list[Any] = []
    monkeypatch.setattr(module, "_paired", lambda _: ([change(*LAMPS, 0, 0, Pairing.REWORDED)], []))
    monkeypatch.setattr(module, "_claims_apart", lambda *_: False)
    monkeypatch.setattr(module, "_is_wording", noting(seen, lambda *_: False))
    assert module._rewordings(table, table) is None
    sentences = seen[0][0].a, seen[0][0].b
    assert [(c.text, c.rows, c.content_hash) for c in sentences] == [(t, (), content_hash(t)) for t in LAMPS]


def lines(relation: Pairing, *words: str) -> list[Change]:
    """Sentences that stand in one text only, one after the other."""
    starts = range(0, 100 * len(words), 100)
    is_here = relation is Pairing.DELETED
    return [
        change(w if is_here else "", "" if is_here else w, at, at, relation)
        for w, at in zip(words, starts, strict=True)
    ]


def test_sentences_left_over_pair_with_the_nearest() -> None:
    here = lines(Pairing.DELETED, "red lamps glow", "blue doors open", "tall trees grow")
    there = lines(Pairing.INSERTED, "doors of blue open", "lamps of red glow")
    paired, lone = module._paired([*here, *there])
    assert paired == [
        Change(here[0].a, there[1].b, Pairing.REWORDED), Change(here[1].a, there[0].b, Pairing.REWORDED),
    ]  # fmt: skip
    assert lone == [here[2]]
    swapped = lines(Pairing.DELETED, "doors of blue open", "lamps of red glow")
    more = lines(Pairing.INSERTED, "tall trees grow", "red lamps glow", "blue doors open")
    paired, lone = module._paired([*swapped, *more])
    assert [(c.a.text, c.b.text) for c in paired] == [
        ("doors of blue open", "blue doors open"), ("lamps of red glow", "red lamps glow"),
    ]  # fmt: skip
    assert lone == [more[0]]


def test_a_dozen_ways_to_pair_are_tried_and_no_more() -> None:
    here = lines(Pairing.DELETED, "a", "b", "c")
    there = lines(Pairing.INSERTED, "c", "b", "a", "d")
    paired, lone = module._paired([*here, *there])
    assert [(c.a.text, c.b.text) for c in paired] == [("a", "a"), ("b", "b"), ("c", "c")]
    assert lone == [there[3]]
    more = lines(Pairing.INSERTED, "c", "b", "a", "d", "e")
    assert module._paired([*here, *more]) == ([], [*here, *more])


def test_claims_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sentences that stand in one text only have no order; those in both have one, which words may settle."""
    first, second = (change(f"{n}", f"{n}", n, 90 - n, Pairing.EQUAL) for n in (1, 2))
    in_order = [change(f"{n}", f"{n}", n, n, Pairing.EQUAL) for n in (1, 2)]
    alone = [change("x", "", 0, 50, Pairing.DELETED), change("y", "", 9, 20, Pairing.DELETED)]
    order: list[Objection] = []
    asked: list[Any] = []
    monkeypatch.setattr(module, "same_order", noting(asked, lambda *_: tuple(order)))
    monkeypatch.setattr(module, "PLACED_GUARDS", ())
    assert not module._claims_apart(PAIR, [first, second])
    assert asked == [(A, B)]
    order.append(objection(FactKind.ROLE, "x", "y"))
    assert module._claims_apart(PAIR, [first, second])
    assert not module._claims_apart(PAIR, in_order)
    assert not module._claims_apart(PAIR, alone)
    monkeypatch.setattr(module, "PLACED_GUARDS", (lambda *_: order,))
    assert module._claims_apart(PAIR, in_order) is True


def test_both_directions_are_looked_at_from_their_own_side(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []

    def may_be(side: Any, guard: Any, said: Objection) -> bool:
        seen.append((side.pair.a, side.pair.b, side.is_reworded, guard, said))
        return True

    def guard(a: Candidate, b: Candidate) -> Sequence[Objection]:
        return (objection(FactKind.TERM, a.text, b.text),)

    monkeypatch.setattr(module._Wording, "may_be", may_be)
    monkeypatch.setattr(facts, "is_reworded", lambda *_: True)
    monkeypatch.setattr(module, "REPEAT_GUARDS", (guard,))
    assert module._is_wording(PAIR)
    assert seen == [
        (one, two, True, guard, objection(FactKind.TERM, one.text, two.text)) for one, two in pairwise((A, B, A))
    ]


def test_words_are_replaced_only_where_each_side_lacks_some() -> None:
    assert module._replaces_words(ComparedPair(text("red lamps"), text("blue lamps")))
    for one, two in pairwise(("red old lamps", "red lamps", "red old lamps")):
        assert not module._replaces_words(ComparedPair(text(one), text(two)))
    assert not module._replaces_words(ComparedPair(A, A))
    assert agreement(A, A) == Accord(Agreement.SAME)
