from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest

from saidonce.foundation.model import Candidate, FactKind, Fate, Kind, Objection, Relation, Span
from saidonce.matching.ladder import STRUCTURAL_GUARDS, Guard, keep_first
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

    def test_are_asked_about_a_bounded_number_of_neighbours(self) -> None:
        n_asked = 0

        def objecting(_a: Candidate, _b: Candidate) -> Sequence[Objection]:
            nonlocal n_asked
            n_asked += 1
            return (OBJECTION,)

        n = 40
        pairs = [(i, j, 0.95) for j in range(n) for i in range(j)]
        fates = keep_first([text(str(place)) for place in range(n)], pairs, [objecting])
        assert relations(fates) == "k" * n
        assert n_asked <= 5 * n
