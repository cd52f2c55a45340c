"""A lower text that states all of a higher one, and more, is kept instead of it, in its place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from saidonce.foundation.model import Candidate, FactKind, Objection, Relation, Span
from saidonce.kb.search.repeats import NearPair, RepeatRule, fates_among, fates_down_to, front, places_of_groups
from saidonce.matching.ladder import Guard

ALIKE, UNLIKE = 0.95, 0.85


def text(letters: str) -> Candidate:
    """A text that states a fact by each of its letters, and nothing by a full stop."""
    return Candidate(letters, letters, language="und")


def states_more(candidate: Candidate, kept: Candidate) -> Sequence[Objection]:
    """Objects to letters that the kept text lacks."""
    missing = sorted(set(candidate.text) - set(kept.text) - {"."})
    return tuple(Objection(FactKind.NUMBER, Span(0, 1, letter), Span(0, 0, "")) for letter in missing)


def rule(*guards: Guard, keeps_fuller: bool = True, same_from: float = 1.0) -> RepeatRule:
    return RepeatRule(0.90, guards or (states_more,), same_from, keeps_fuller)


def all_near(n: int, similarity: float = ALIKE) -> list[NearPair]:
    return [(i, j, similarity) for i in range(n) for j in range(i + 1, n)]


def shown(ranked: Sequence[str], near: Sequence[NearPair] | None = None, by: RepeatRule | None = None) -> list[str]:
    """The kept texts in the order in which they stand, each with those that repeat it in brackets."""
    fates = fates_among([text(t) for t in ranked], all_near(len(ranked)) if near is None else near, by or rule())
    assert [fate.index for fate in fates] == list(range(len(ranked)))
    under: dict[int, list[str]] = {}
    for fate in fates:
        if fate.relation is not Relation.KEPT:
            under.setdefault(fate.of, []).append(ranked[fate.index])
    return [f"{ranked[p]}({' '.join(under[p])})" if p in under else ranked[p] for p in places_of_groups(fates)]


@dataclass(frozen=True)
class Ranking:
    about: str
    ranked: tuple[str, ...]
    shown: tuple[str, ...]

    def __str__(self) -> str:
        return self.about


RANKINGS = [
    Ranking("what says the same stays where it is", ("ab", "ba"), ("ab(ba)",)),
    Ranking("a lower text that says less is a repeat, as ever", ("abc", "ab"), ("abc(ab)",)),
    Ranking("a lower text that says more takes the place", ("ab", "abc"), ("abc(ab)",)),
    Ranking("each states what the other does not", ("ab", "ac"), ("ab", "ac")),
    Ranking("it moves past what has nothing to do with it", ("x", "ab", "y", "abc"), ("x", "abc(ab)", "y")),
    Ranking("the fullest of three", ("a", "ab", "abc"), ("abc(a ab)",)),
    Ranking("the fullest of three, whatever their order", ("ab", "a", "abc"), ("abc(ab a)",)),
    Ranking("two that say more, each something else", ("a", "ab", "ac"), ("ab(a)", "ac")),
    Ranking("repeats of the text that gives way follow it", ("ab", "ba", "abc"), ("abc(ab ba)",)),
    Ranking("what lies between and says less goes under it", ("ab", "bc", "abc"), ("abc(ab bc)",)),
    Ranking("two texts give way to one each", ("a", "x", "ab", "xy"), ("ab(a)", "xy(x)")),
    Ranking("one text takes the places of two, and stands in the higher", ("a", "b", "ab"), ("ab(a b)",)),
]


@pytest.mark.parametrize("case", RANKINGS, ids=str)
def test_who_stands_where(case: Ranking) -> None:
    assert shown(case.ranked) == list(case.shown)


@pytest.mark.parametrize("case", RANKINGS, ids=str)
def test_with_the_highest_kept_no_text_stands_above_a_higher_one(case: Ranking) -> None:
    fates = fates_among([text(t) for t in case.ranked], all_near(len(case.ranked)), rule(keeps_fuller=False))
    assert all(fate.of <= fate.index for fate in fates)
    assert list(places_of_groups(fates)) == [fate.index for fate in fates if fate.relation is Relation.KEPT]


def test_a_fuller_text_less_alike_than_a_repeat_moves_nowhere() -> None:
    assert shown(("ab", "abc"), [(0, 1, UNLIKE)], rule(same_from=0.82)) == ["ab", "abc"]


def test_the_nearest_of_two_fuller_texts_takes_the_place() -> None:
    near = [(0, 1, 0.91), (0, 2, 0.97), (1, 2, 0.95)]
    assert shown(("a", "ab", "ac"), near) == ["ac(a)", "ab"]


def test_of_equally_near_fuller_texts_the_higher_takes_the_place() -> None:
    assert shown(("a", "ac", "ab")) == ["ac(a)", "ab"]


def test_a_text_that_nothing_is_known_of_keeps_its_place() -> None:
    fates = fates_among([None, text("a"), text("ab")], all_near(3), rule())
    assert places_of_groups(fates) == {0: 0, 2: 1}


def test_three_texts_that_each_seem_to_state_the_next_come_to_an_end() -> None:
    covers = {("b", "a"), ("c", "b"), ("a", "c")}

    def in_a_circle(candidate: Candidate, kept: Candidate) -> Sequence[Objection]:
        pair = kept.text, candidate.text
        return () if pair in covers else (Objection(FactKind.NUMBER, Span(0, 1, "?"), Span(0, 0, "")),)

    fates = fates_among([text("a"), text("b"), text("c")], all_near(3), rule(in_a_circle))
    assert sum(fate.relation is Relation.KEPT for fate in fates) >= 1


def test_a_free_place_is_filled_from_below() -> None:
    letters = [chr(ord("A") + n) for n in range(26)] + [chr(ord("a") + n) for n in range(26)]
    ranked = [text("1"), text("12"), *(text(letter) for letter in letters)]
    vectors = np.eye(len(ranked), dtype=np.float32)
    vectors[1] = vectors[0] * 0.95 + vectors[1] * np.float32(np.sqrt(1 - 0.95**2))

    fates = fates_down_to(10, front(ranked, list(vectors)), rule())

    standing = [ranked[place].text for place in places_of_groups(fates)][:10]
    assert standing == ["12", *letters[:9]]


def test_guards_are_asked_once_of_a_pair_however_far_down_the_list_is_read() -> None:
    asked: Counter[tuple[str, str]] = Counter()

    def counting(candidate: Candidate, kept: Candidate) -> Sequence[Objection]:
        asked[candidate.text, kept.text] += 1
        return states_more(candidate, kept)

    ranked = [text("a" + "." * n) for n in range(130)]
    fates_down_to(10, front(ranked, [np.ones(1, dtype=np.float32)] * len(ranked)), rule(counting))

    assert asked[ranked[1].text, ranked[0].text] == 1
    assert max(asked.values()) == 1


@given(st.lists(st.text("abcd.", min_size=1, max_size=4), min_size=1, max_size=7))
def test_nothing_that_is_stated_goes_and_nothing_stands_twice(ranked: list[str]) -> None:
    texts = [text(letters) for letters in ranked]
    fates = fates_among(texts, all_near(len(texts)), rule())
    kept = [texts[fate.index] for fate in fates if fate.relation is Relation.KEPT]
    for fate in fates:
        assert fates[fate.of].relation is Relation.KEPT
        assert not states_more(texts[fate.index], texts[fate.of])
    for n, one in enumerate(kept):
        assert all(states_more(one, other) for other in kept[:n] + kept[n + 1 :])
    first = places_of_groups(fates)
    assert list(first.values()) == sorted(first.values())
    assert min(first.values()) == 0
