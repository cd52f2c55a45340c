from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saidonce.quality import figures

GAINS = {"a": 2.0, "b": 1.0, "z": 0.0}


class TestRate:
    def test_is_per_hundred_with_its_wilson_interval(self) -> None:
        found = figures.rate(1, 10)
        assert found.per_100 == pytest.approx(10.0)
        assert [found.low, found.high] == pytest.approx([1.788, 40.415], abs=1e-3)

    def test_of_nothing_says_nothing(self) -> None:
        assert figures.rate(0, 0) == figures.Rate(0, 0, None, 0.0, 100.0)

    @given(st.integers(0, 500), st.integers(1, 500))
    def test_lies_in_its_own_interval_which_lies_in_0_to_100(self, n: int, of: int) -> None:
        found = figures.rate(min(n, of), of)
        assert found.per_100 is not None
        assert 0.0 <= found.low <= found.per_100 + 1e-9
        assert found.per_100 - 1e-9 <= found.high <= 100.0

    def test_no_error_in_a_hundred_is_not_certainty(self) -> None:
        assert figures.rate(0, 100).low == pytest.approx(0.0)
        assert figures.rate(0, 100).high == pytest.approx(3.70, abs=0.01)


class TestRankings:
    def test_ndcg_by_hand(self) -> None:
        best = 2.0 + 1.0 / math.log2(3)
        assert figures.ndcg(["b", "x", "a"], GAINS, 3) == pytest.approx((1.0 + 2.0 / 2.0) / best)
        assert figures.ndcg(["a", "b"], GAINS, 10) == pytest.approx(1.0)

    def test_ndcg_looks_at_k_places_only(self) -> None:
        assert figures.ndcg(["x", "a"], GAINS, 1) == 0.0
        assert figures.ndcg(["a"], GAINS, 1) == 1.0

    def test_recall_counts_relevant_items_only(self) -> None:
        assert figures.recall(["b", "z", "x"], GAINS, 3) == 0.5

    def test_reciprocal_rank_of_the_first_relevant(self) -> None:
        assert figures.reciprocal_rank(["z", "x", "b"], GAINS, 10) == pytest.approx(1 / 3)
        assert figures.reciprocal_rank(["z", "x", "b"], GAINS, 2) == 0.0

    def test_redundancy_is_the_share_of_places_that_say_it_again(self) -> None:
        groups = {"a1": "a", "a2": "a", "a3": "a"}
        assert figures.redundancy(["a1", "a2", "x", "a3"], groups, 4) == 0.5
        assert figures.redundancy(["a1", "x"], groups, 4) == 0.0

    def test_distinct_relevant_counts_groups_once(self) -> None:
        groups = {"a1": "a", "a2": "a"}
        gains = {"a1": 1.0, "a2": 1.0, "b": 1.0}
        assert figures.distinct_relevant(["a1", "a2"], gains, groups, 2) == 0.5
        assert figures.distinct_relevant(["a1", "b"], gains, groups, 10) == 1.0

    def test_without_relevant_items_all_are_0(self) -> None:
        assert figures.ndcg(["a"], {}, 3) == figures.recall(["a"], {}, 3) == 0.0
        assert figures.reciprocal_rank([], GAINS, 3) == figures.redundancy([], {}, 3) == 0.0
        assert figures.distinct_relevant(["a"], {}, {}, 3) == 0.0

    @given(st.permutations(["a", "b", "c", "d", "z"]), st.integers(1, 6))
    def test_all_lie_between_0_and_1(self, order: list[str], k: int) -> None:
        gains = {"a": 3.0, "b": 1.0, "z": 0.0}
        groups = {"a": "g", "b": "g"}
        found = [
            figures.ndcg(order, gains, k),
            figures.recall(order, gains, k),
            figures.reciprocal_rank(order, gains, k),
            figures.redundancy(order, groups, k),
            figures.distinct_relevant(order, gains, groups, k),
        ]
        assert all(0.0 <= one <= 1.0 + 1e-12 for one in found)


class TestSummaries:
    def test_percentile_is_a_value_that_occurred(self) -> None:
        assert figures.percentile([4.0, 1.0, 3.0, 2.0], 0.5) == 2.0
        assert figures.percentile([4.0, 1.0, 3.0, 2.0], 0.95) == 4.0
        assert figures.percentile([7.0], 0.0) == 7.0

    def test_of_no_values_are_0(self) -> None:
        assert figures.percentile([], 0.5) == figures.mean([]) == 0.0

    def test_mean(self) -> None:
        assert figures.mean([1.0, 2.0, 6.0]) == 3.0
