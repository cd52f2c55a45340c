from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from saidonce.foundation.model import Candidate, FactKind, Fate, Kind, Objection, Relation, Span
from saidonce.matching.ladder import STRUCTURAL_GUARDS, FactKey, Guard, keep_first
from saidonce.matching.vectors import near_pairs

OBJECTION = Objection(FactKind.NUMBER, Span(0, 2, "30"), Span(0, 2, "90"))


def text(content: str, kind: Kind = Kind.PARAGRAPH, language: str = "und") -> Candidate:
    return Candidate(content, content.casefold(), kind, language)


def apart(*names: str) -> Guard:
    """A guard that objects where both texts are among the names."""

    def guard(a: Candidate, b: Candidate) -> Sequence[Objection]:
        return (OBJECTION,) if {a.text, b.text} <= set(names) else ()

    return guard


def at_degrees(*degrees: float) -> list[tuple[int, int, float]]:
    rows = np.array([[math.cos(math.radians(d)), math.sin(math.radians(d))] for d in degrees], dtype=np.float32)
    return near_pairs(rows, 0.90)


def relations(fates: Sequence[Fate]) -> str:
    return "".join(f.relation[0] for f in fates)


class TestKeeping:
    def test_nothing_gives_nothing(self) -> None:
        assert keep_first([], [], ()) == ()

    def test_texts_without_near_pairs_are_all_kept(self) -> None:
        fates = keep_first([text("a"), text("b")], [], ())
        assert fates == (Fate(0, Relation.KEPT, 0), Fate(1, Relation.KEPT, 1))

    def test_the_first_of_a_pair_is_kept_and_the_second_points_at_it(self) -> None:
        fates = keep_first([text("a"), text("b")], [(0, 1, 0.93)], ())
        assert fates == (Fate(0, Relation.KEPT, 0), Fate(1, Relation.NEAR, 0, 0.93))

    def test_no_chains_texts_at_0_25_and_50_degrees_keep_the_first_and_the_third(self) -> None:
        fates = keep_first([text("a"), text("b"), text("c")], at_degrees(0, 25, 50), ())
        assert relations(fates) == "knk"
        assert fates[1].of == 0
        assert fates[1].similarity == pytest.approx(math.cos(math.radians(25)))

    def test_no_chains_however_long(self) -> None:
        fates = keep_first([text(str(d)) for d in range(0, 180, 20)], at_degrees(*range(0, 180, 20)), ())
        assert relations(fates) == "knknknknk"

    def test_a_text_points_at_the_most_similar_kept_one(self) -> None:
        fates = keep_first([text("a"), text("b"), text("c")], [(0, 2, 0.91), (1, 2, 0.97)], ())
        assert fates[2] == Fate(2, Relation.NEAR, 1, 0.97)

    def test_equally_similar_ones_give_way_to_the_first(self) -> None:
        fates = keep_first([text("a"), text("b"), text("c")], [(1, 2, 0.95), (0, 2, 0.95)], ())
        assert fates[2].of == 0

    def test_fates_come_in_input_order(self) -> None:
        fates = keep_first([text(str(n)) for n in range(20)], [(n, n + 1, 0.95) for n in range(19)], ())
        assert [f.index for f in fates] == list(range(20))


class TestExactRepeats:
    def test_point_at_the_first_without_a_pair(self) -> None:
        fates = keep_first([text("Ask us"), text("b"), text("ASK US")], [], ())
        assert fates[2] == Fate(2, Relation.EXACT, 0, 1.0)

    def test_need_no_guard(self) -> None:
        fates = keep_first([text("a"), text("A")], [(0, 1, 1.0)], [apart("a", "A")])
        assert relations(fates) == "ke"

    def test_of_another_kind_are_not_exact(self) -> None:
        fates = keep_first([text("Keys", Kind.HEADING), text("Keys")], [(0, 1, 1.0)], STRUCTURAL_GUARDS)
        assert relations(fates) == "kk"
        assert fates[1].near_miss == 0

    def test_of_a_dropped_text_point_at_what_is_kept(self) -> None:
        fates = keep_first([text("a"), text("b"), text("b")], [(0, 1, 0.95), (0, 2, 0.95), (1, 2, 1.0)], ())
        assert relations(fates) == "knn"
        assert [f.of for f in fates] == [0, 0, 0]


class TestTextsWithoutEmbedding:
    def test_are_kept_and_compared_with_nothing(self) -> None:
        fates = keep_first([None, text("a"), None, text("a")], [], ())
        assert relations(fates) == "kkke"
        assert fates[0] == Fate(0, Relation.KEPT, 0)


class TestGuards:
    def test_an_objection_keeps_the_text_and_is_remembered(self) -> None:
        fates = keep_first([text("30 days"), text("90 days")], [(0, 1, 0.99)], [apart("30 days", "90 days")])
        assert fates[1] == Fate(1, Relation.KEPT, 1, 1.0, (OBJECTION,), near_miss=0)

    def test_the_next_nearest_may_still_be_repeated(self) -> None:
        ranked = [text("a"), text("b"), text("c")]
        fates = keep_first(ranked, [(0, 2, 0.99), (1, 2, 0.95)], [apart("a", "c")])
        assert fates[2] == Fate(2, Relation.NEAR, 1, 0.95)

    def test_the_nearest_objected_one_is_the_near_miss(self) -> None:
        ranked = [text("a"), text("b"), text("c")]
        fates = keep_first(ranked, [(0, 2, 0.95), (1, 2, 0.99)], [apart("a", "b", "c")])
        assert (fates[2].relation, fates[2].near_miss) == (Relation.KEPT, 1)

    def test_a_text_that_was_held_apart_can_be_repeated_itself(self) -> None:
        ranked = [text("30 days"), text("90 days"), text("ninety days")]
        fates = keep_first(ranked, [(0, 1, 0.99), (0, 2, 0.98), (1, 2, 0.95)], [apart("30 days", "90 days", "ninety")])
        assert relations(fates) == "kkn"

    def test_dropped_texts_are_never_asked_about(self) -> None:
        asked: list[tuple[str, str]] = []

        def listening(a: Candidate, b: Candidate) -> Sequence[Objection]:
            asked.append((a.text, b.text))
            return ()

        keep_first([text("a"), text("b"), text("c")], [(0, 1, 0.95), (1, 2, 0.95)], [listening])
        assert asked == [("b", "a")]

    def test_a_later_guard_is_not_asked_after_an_objection(self) -> None:
        def never(_a: Candidate, _b: Candidate) -> Sequence[Objection]:
            raise AssertionError("asked in vain")

        fates = keep_first([text("a"), text("b")], [(0, 1, 0.95)], [apart("a", "b"), never])
        assert relations(fates) == "kk"

    def test_are_asked_about_every_kept_text_that_is_near_enough_nearest_first(self) -> None:
        n = 40
        pairs = [(i, n, 0.99 - i / 1_000) for i in range(n)]
        others = [str(place) for place in range(n)]
        asked: list[str] = []

        def only_the_farthest(_a: Candidate, b: Candidate) -> Sequence[Objection]:
            asked.append(b.text)
            return (OBJECTION,) if b.text != others[-1] else ()

        fates = keep_first([text(name) for name in (*others, "newcomer")], pairs, [only_the_farthest])
        assert fates[n] == Fate(n, Relation.NEAR, n - 1, 0.99 - (n - 1) / 1_000)
        assert asked == others

    def test_what_a_bound_leaves_unasked_is_undecided(self) -> None:
        def objecting(_a: Candidate, _b: Candidate) -> Sequence[Objection]:
            return (OBJECTION,)

        ranked = [text(name) for name in "abcdef"]
        pairs = [(i, j, 0.95) for j in range(6) for i in range(j)]
        fates = keep_first(ranked, pairs, [objecting], most_asked=3)
        assert relations(fates) == "k" * 6
        assert [f.undecided for f in fates] == [False, False, False, False, True, True]
        assert not any(f.undecided for f in keep_first(ranked, pairs, [objecting], most_asked=5))


def digits(content: str, _language: str) -> frozenset[str]:
    return frozenset(sign for sign in content if sign.isdigit())


def adds_digits(a: Candidate, b: Candidate) -> Sequence[Objection]:
    return (OBJECTION,) if digits(a.text, "") - digits(b.text, "") else ()


class TestTheFactKey:
    def test_spares_the_guards_what_cannot_win(self) -> None:
        asked: list[str] = []

        def objecting(a: Candidate, b: Candidate) -> Sequence[Objection]:
            asked.append(b.text)
            return adds_digits(a, b)

        ranked = [text(content) for content in ("1", "2", "3", "34", "4")]
        pairs = [(i, 4, 0.99 - i / 100) for i in range(4)]
        fates = keep_first(ranked, pairs, [objecting], key=FactKey(digits))
        assert (fates[4].relation, fates[4].of) == (Relation.NEAR, 3)
        assert asked == ["1", "34"]

    def test_leaves_nothing_undecided_that_cannot_win(self) -> None:
        ranked = [text(content) for content in "123456"]
        pairs = [(i, j, 0.95) for j in range(6) for i in range(j)]
        fates = keep_first(ranked, pairs, [adds_digits], 2, FactKey(digits))
        assert relations(fates) == "k" * 6
        assert not any(f.undecided for f in fates)

    def test_what_holds_the_nearest_apart_is_told_whether_it_could_win_or_not(self) -> None:
        ranked = [text(content) for content in "12"]
        fates = keep_first(ranked, [(0, 1, 0.95)], [adds_digits], key=FactKey(digits))
        assert (fates[1].near_miss, fates[1].objections) == (0, (OBJECTION,))


@given(st.lists(st.tuples(st.text("12345", max_size=4), st.sampled_from(["en", "de", "und"])), max_size=30))
def test_the_fact_key_names_exactly_the_kept_texts_that_state_all_figures(contents: list[tuple[str, str]]) -> None:
    candidates = [text(content, language=tag) for content, tag in contents]
    for across in (True, False):
        key = FactKey(digits, across_languages=across)
        for place, candidate in enumerate(candidates):
            readable = [
                i
                for i, kept in enumerate(candidates[:place])
                if across or candidate.language == kept.language or "und" in (candidate.language, kept.language)
            ]
            assert key.places(candidate).tolist() == [i for i in readable if not adds_digits(candidate, candidates[i])]
            free = [i for i in range(place) if key.may_win(candidate, candidates[i])]
            assert free == [i for i in range(place) if not adds_digits(candidate, candidates[i])]
            key.add(place, candidate)
