from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saidonce.foundation.ports import LexicalPool, LexicalRow
from saidonce.kb.search import fusion
from saidonce.kb.search.fusion import Fused

Rankings = dict[str, list[tuple[str, float]]]


def brute_bm25(documents: Mapping[str, list[str]], query: list[str]) -> dict[str, float]:
    """The textbook formula, counted word by word."""
    mean = sum(map(len, documents.values())) / len(documents)
    scores = {}
    for name, words in documents.items():
        score = 0.0
        for term in query:
            n = words.count(term)
            holding = sum(term in other for other in documents.values())
            idf = math.log(1 + (len(documents) - holding + 0.5) / (holding + 0.5))
            score += idf * n * 2.2 / (n + 1.2 * (0.25 + 0.75 * len(words) / mean))
        scores[name] = score
    return scores


def pooled(documents: Mapping[str, list[str]], terms: list[str]) -> LexicalPool:
    rows = tuple(LexicalRow(name, len(ws), tuple(ws.count(t) for t in terms)) for name, ws in documents.items())
    holding = tuple(sum(t in ws for ws in documents.values()) for t in terms)
    return LexicalPool(len(documents), sum(map(len, documents.values())) / len(documents), holding, rows)


corpora = st.dictionaries(
    st.text("abc", min_size=1, max_size=3), st.lists(st.sampled_from("wxyz"), min_size=1, max_size=12), min_size=1
)


class TestBM25:
    @given(corpora, st.lists(st.sampled_from("wxyzq"), min_size=1, max_size=6))
    def test_equals_the_formula_counted_by_hand(self, documents: dict[str, list[str]], query: list[str]) -> None:
        terms = sorted(set(query))
        found = dict(fusion.bm25(pooled(documents, terms), [query.count(t) for t in terms]))
        assert found == {name: pytest.approx(s) for name, s in brute_bm25(documents, query).items() if s > 0}

    @given(corpora, st.lists(st.sampled_from("wxyzq"), min_size=1, max_size=6), st.integers(1, 4))
    def test_the_best_and_some_others_have_their_places_among_all(
        self, documents: dict[str, list[str]], query: list[str], size: int
    ) -> None:
        terms, also = sorted(set(query)), sorted(documents)[::2]
        pool, counts = pooled(documents, terms), [query.count(t) for t in terms]
        every, some = fusion.bm25(pool, counts), fusion.bm25(pool, counts, size, also)
        assert some == [entry for entry in every if entry in some]
        assert set(some) >= {*every[:size], *(entry for entry in every if entry[0] in also)}

    def test_puts_the_best_first_and_ties_by_id(self) -> None:
        rows = (LexicalRow("b", 4, (1,)), LexicalRow("a", 4, (1,)), LexicalRow("c", 4, (2,)), LexicalRow("d", 4, (0,)))
        assert [id_ for id_, _ in fusion.bm25(LexicalPool(9, 4.0, (3,), rows), [1])] == ["c", "a", "b"]

    def test_a_word_that_everything_holds_still_counts_a_little(self) -> None:
        assert fusion.bm25(LexicalPool(1, 4.0, (1,), (LexicalRow("a", 4, (1,)),)), [1])[0][1] > 0

    def test_an_empty_base_has_no_hits(self) -> None:
        assert fusion.bm25(LexicalPool(0, 0.0, (0,), ()), [1]) == []


WEIGHTS = {"dense": 0.6, "lexical": 0.4, "salience": 0.02, "freshness": 0.02}
TWO: Rankings = {
    "dense": [("a", 0.9), ("b", 0.7), ("c", 0.1)],
    "lexical": [("b", 8.0), ("d", 4.0), ("a", 2.0)],
}


def by_id(fused: list[Fused]) -> dict[str, Fused]:
    return {f.id: f for f in fused}


class TestReciprocalRankFusion:
    def test_gives_the_numbers_one_gets_by_hand(self) -> None:
        found = by_id(fusion.rrf(TWO, WEIGHTS, 60))
        assert found["a"].score == pytest.approx(0.6 / 61 + 0.4 / 63)
        assert found["b"].score == pytest.approx(0.6 / 62 + 0.4 / 61)
        assert found["c"].score == pytest.approx(0.6 / 63)
        assert found["d"].score == pytest.approx(0.4 / 62)

    def test_puts_the_best_first(self) -> None:
        assert [f.id for f in fusion.rrf(TWO, WEIGHTS, 60)] == ["b", "a", "c", "d"]

    def test_relevance_is_the_share_of_first_place_everywhere(self) -> None:
        first = fusion.rrf({"dense": [("a", 0.2)], "lexical": [("a", 1.0)]}, WEIGHTS, 60)
        assert first[0].attained == 1.0
        assert by_id(fusion.rrf(TWO, WEIGHTS, 60))["c"].attained == pytest.approx((0.6 / 63) / (1.0 / 61))

    def test_a_ranking_that_holds_nothing_takes_nothing_from_relevance(self) -> None:
        assert fusion.rrf({"dense": [("a", 0.9)], "lexical": []}, WEIGHTS, 60)[0].attained == 1.0


class TestMinMax:
    def test_scales_each_ranking_between_its_lowest_and_highest_value(self) -> None:
        found = by_id(fusion.minmax(TWO, WEIGHTS))
        assert found["a"].score == pytest.approx(0.6)
        assert found["b"].score == pytest.approx(0.6 * 0.6 / 0.8 + 0.4)
        assert found["c"].score == 0.0
        assert found["d"].score == pytest.approx(0.4 * 2 / 6)

    def test_equal_values_each_get_the_full_weight(self) -> None:
        found = fusion.minmax({"dense": [("a", 0.5), ("b", 0.5)]}, WEIGHTS)
        assert [(f.id, f.score, f.attained) for f in found] == [("a", 0.6, 1.0), ("b", 0.6, 1.0)]

    def test_an_empty_ranking_takes_nothing_from_relevance(self) -> None:
        assert fusion.minmax({"dense": [("a", 0.9)], "lexical": []}, WEIGHTS)[0].attained == 1.0

    def test_nothing_fused_is_nothing(self) -> None:
        assert fusion.minmax({}, WEIGHTS) == fusion.rrf({}, WEIGHTS, 60) == []


@st.composite
def rankings(draw: st.DrawFn) -> Rankings:
    made: Rankings = {}
    for name in draw(st.sets(st.sampled_from(sorted(WEIGHTS)), min_size=1)):
        values = draw(st.dictionaries(st.text("abcdef", min_size=1, max_size=2), st.floats(0, 1)))
        made[name] = sorted(values.items(), key=lambda item: (-item[1], item[0]))
    return made


class TestEveryFusion:
    @given(rankings(), st.booleans())
    def test_parts_add_up_to_the_score_and_relevance_lies_between_0_and_1(self, made: Rankings, ranks: bool) -> None:
        found = fusion.rrf(made, WEIGHTS, 60) if ranks else fusion.minmax(made, WEIGHTS)
        assert {f.id for f in found} == {id_ for ranking in made.values() for id_, _ in ranking}
        for one in found:
            assert one.score == pytest.approx(math.fsum(s.part for s in one.signals))
            assert 0.0 <= one.attained <= 1.0

    @given(rankings(), st.booleans())
    def test_is_sorted_by_score_with_ties_by_id(self, made: Rankings, ranks: bool) -> None:
        found = fusion.rrf(made, WEIGHTS, 60) if ranks else fusion.minmax(made, WEIGHTS)
        assert found == sorted(found, key=lambda f: (-f.score, f.id))

    def test_says_where_an_item_stood_in_each_ranking(self) -> None:
        signals = {s.name: s for s in by_id(fusion.rrf(TWO, WEIGHTS, 60))["d"].signals}
        assert (signals["dense"].rank, signals["dense"].part) == (None, 0.0)
        assert (signals["lexical"].rank, signals["lexical"].value) == (2, 4.0)


class TestFreshness:
    NOW = datetime(2026, 1, 17, tzinfo=UTC)

    @pytest.mark.parametrize(("age", "fresh"), [(0, 1.0), (365, 0.5), (730, 0.25), (-10, 1.0)])
    def test_halves_with_every_half_life(self, age: int, fresh: float) -> None:
        assert fusion.freshness(self.NOW - timedelta(days=age), self.NOW, 365.0) == pytest.approx(fresh)

    def test_without_a_date_is_none(self) -> None:
        assert fusion.freshness(None, self.NOW, 365.0) == 0.0


def ranked(*relevances: float) -> list[Fused]:
    return [Fused(str(place), r, r) for place, r in enumerate(relevances)]


class TestDiversify:
    def test_a_trade_of_one_keeps_the_order(self) -> None:
        assert fusion.diversify(ranked(0.9, 0.8, 0.7), lambda _i, _j: 1.0, 1.0) == [0, 1, 2]

    def test_puts_a_repeat_behind_something_else(self) -> None:
        alike = {frozenset((0, 1))}
        near = fusion.diversify(ranked(0.9, 0.8, 0.7), lambda i, j: float(frozenset((i, j)) in alike), 0.5)
        assert near == [0, 2, 1]

    def test_ties_go_to_the_better_ranked(self) -> None:
        assert fusion.diversify(ranked(0.5, 0.5, 0.5), lambda _i, _j: 0.3, 0.5) == [0, 1, 2]

    @given(st.lists(st.floats(0, 1), max_size=12), st.floats(0, 1))
    def test_loses_nothing_and_the_best_stays_first(self, relevances: list[float], trade: float) -> None:
        items = ranked(*sorted(relevances, reverse=True))
        order = fusion.diversify(items, lambda i, j: 1.0 / (1 + i + j), trade)
        assert sorted(order) == list(range(len(items)))
        assert order[:1] == list(range(len(items)))[:1]
