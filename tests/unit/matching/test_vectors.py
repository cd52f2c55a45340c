"""Every search equals a brute-force scan by the canonical cosine, bit for bit."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saidonce.errors import UsageError
from saidonce.foundation.model import Vector
from saidonce.matching.vectors import ExactIndex, all_cosines, canonical_cosine, canonical_cosines, near_pairs
from saidonce.matching.vectors import canonical as canonical_module
from saidonce.matching.vectors import codes as codes_module
from saidonce.matching.vectors import index as index_module
from saidonce.matching.vectors.canonical import UNIT_TOLERANCE, margin, unit
from saidonce.matching.vectors.codes import Codes, Leading

Hits = list[tuple[str, float]]

seeds = st.integers(0, 2**32 - 1)
dims = st.sampled_from([1, 2, 3, 8, 31, 64, 384])
relaxed = settings(deadline=None, max_examples=60)


def unit_rows(rng: np.random.Generator, n: int, dim: int, n_centres: int = 0) -> Vector:
    """Rows that cluster around a few centres, some of them repeated or very close to each other."""
    rows = rng.standard_normal((n, dim))
    if n_centres and n:
        centres = rng.standard_normal((n_centres, dim))
        rows = centres[rng.integers(0, n_centres, n)] + rows * rng.choice([0.0, 1e-7, 1e-3, 0.1, 1.0], (n, 1))
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / lengths, dtype=np.float32)


def ranked(ids: list[str], rows: Vector, query: Vector) -> Hits:
    scored = [(id, canonical_cosine(query, row)) for id, row in zip(ids, rows, strict=True)]
    return sorted(scored, key=lambda hit: (-hit[1], hit[0]))


def brute(ids: list[str], rows: Vector, query: Vector, k: int) -> Hits:
    return ranked(ids, rows, query)[:k]


def ids_for(rng: np.random.Generator, n: int) -> list[str]:
    return [f"{number:06x}" for number in rng.permutation(n)]


@pytest.fixture(params=["codes", "products"])
def kernel(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "products":
        monkeypatch.setattr(codes_module, "_kernels", None)
    return str(request.param)


class TestCanonicalCosine:
    @relaxed
    @given(seeds, dims)
    def test_has_the_same_bits_in_any_order_and_from_either_side(self, seed: int, dim: int) -> None:
        rng = np.random.default_rng(seed)
        a, b = unit_rows(rng, 2, dim, n_centres=1)
        order = rng.permutation(dim)
        assert canonical_cosine(a, b) == canonical_cosine(b, a) == canonical_cosine(a[order], b[order])

    @relaxed
    @given(seeds, dims)
    def test_is_one_for_a_vector_and_itself_and_never_more(self, seed: int, dim: int) -> None:
        a, b = unit_rows(np.random.default_rng(seed), 2, dim, n_centres=1) * np.float32(0.37)
        assert canonical_cosine(a, a) == 1.0
        assert canonical_cosine(a, -a) == -1.0
        assert -1.0 <= canonical_cosine(a, b) <= 1.0

    @relaxed
    @given(
        st.lists(
            st.tuples(
                st.floats(width=32, allow_nan=False, allow_infinity=False),
                st.floats(width=32, allow_nan=False, allow_infinity=False),
            ),
            min_size=1,
            max_size=40,
        )
    )
    def test_many_at_once_give_the_bits_of_one_for_any_finite_numbers(self, pairs: list[tuple[float, float]]) -> None:
        a, b = np.array(pairs, dtype=np.float32).T
        a, b = np.ascontiguousarray(a), np.ascontiguousarray(b)
        rows = np.stack([b, a, -b, b * np.float32(0.5)])
        one_by_one = [canonical_cosine(a, row) for row in rows]
        assert canonical_cosines(a, rows).tolist() == one_by_one  # Few are summed as they are, many are sliced.
        assert canonical_cosines(a, np.repeat(rows, 3, axis=0)).tolist() == np.repeat(one_by_one, 3).tolist()

    @relaxed
    @given(seeds, dims)
    def test_many_at_once_give_the_bits_of_one_over_wide_ranges(self, seed: int, dim: int) -> None:
        rng = np.random.default_rng(seed)
        rows = (rng.standard_normal((30, dim)) * 2.0 ** rng.integers(-40, 3, (30, dim))).astype(np.float32)
        assert canonical_cosines(rows[0], rows).tolist() == [canonical_cosine(rows[0], row) for row in rows]

    @pytest.mark.parametrize("n_wide", [0, 1, 5, 64])
    def test_many_at_once_give_the_bits_of_one_whether_few_or_many_rows_need_a_third_slice(self, n_wide: int) -> None:
        rng = np.random.default_rng(n_wide)
        rows = unit_rows(rng, 64, 48)
        rows[:n_wide, 3] *= np.float32(1e-9)
        query = rows[0] if n_wide else rows[1]
        assert canonical_cosines(query, rows).tolist() == [canonical_cosine(query, row) for row in rows]
        places = np.arange(64)
        found = canonical_module.Exact(rows).cosines(places, places[::-1])
        assert found.tolist() == [canonical_cosine(a, b) for a, b in zip(rows, rows[::-1], strict=True)]

    @pytest.mark.parametrize("how", ["any", "near a half", "near a power of two"])
    def test_a_sum_that_is_sure_is_the_double_nearest_to_all_that_it_may_be(self, how: str) -> None:
        rng = np.random.default_rng(3)
        terms = np.ldexp(rng.integers(-(2**42), 2**42, (5, 2_000)).astype(float), -21 * np.arange(5)[:, None])
        if how != "any":
            terms[1:] = np.ldexp(rng.integers(-1, 2, (4, 2_000)).astype(float), rng.integers(-60, -5, (4, 2_000)))
        if how == "near a power of two":
            terms[0] = np.ldexp(1.0, rng.integers(0, 42, 2_000))
        spread = np.where(rng.random(2_000) < 0.5, 0.0, np.ldexp(1.0, rng.integers(-90, -50, 2_000)))
        sums, is_sure = canonical_module._rounded(terms, spread)
        assert is_sure.mean() > 0.5
        for place in np.flatnonzero(is_sure):
            exact, off = sum(map(Fraction, terms[:, place].tolist())), Fraction(spread[place])
            assert float(exact - off) == sums[place] == float(exact + off)

    def test_is_zero_beside_a_vector_without_length(self) -> None:
        a, zero = np.array([1, 0], np.float32), np.zeros(2, np.float32)
        assert canonical_cosine(a, zero) == canonical_cosine(zero, zero) == 0.0
        assert canonical_cosines(zero, np.stack([a, zero])).tolist() == [0.0, 0.0]

    @pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
    def test_refuses_what_is_not_finite(self, bad: float) -> None:
        a, b = np.array([bad, 1], np.float32), np.array([1, 1], np.float32)
        for first, second in ((a, b), (b, a)):
            with pytest.raises(UsageError, match="not finite"):
                canonical_cosine(first, second)
        with pytest.raises(UsageError, match="not finite"):
            canonical_cosines(b, a[None, :])

    def test_refuses_vectors_of_different_dimensions(self) -> None:
        with pytest.raises(UsageError, match="no cosine"):
            canonical_cosine(np.ones(2, np.float32), np.ones(3, np.float32))
        with pytest.raises(UsageError, match="no cosines"):
            canonical_cosines(np.ones(2, np.float32), np.ones((1, 3), np.float32))

    @relaxed
    @given(seeds, dims)
    def test_a_float32_product_is_never_further_off_than_the_margin(self, seed: int, dim: int) -> None:
        rng = np.random.default_rng(seed)
        rows = unit_rows(rng, 40, dim, n_centres=3) * rng.uniform(1 - 9e-6, 1 + 9e-6, (40, 1)).astype(np.float32)
        products = rows @ rows.T
        exact = np.stack([canonical_cosines(row, rows) for row in rows])
        assert np.abs(products - exact).max() <= margin(dim)


class TestAllCosines:
    @relaxed
    @given(seeds, dims, st.integers(0, 12))
    def test_have_the_bits_of_each_pair(self, seed: int, dim: int, n: int) -> None:
        rng = np.random.default_rng(seed)
        rows = [row if rng.random() < 0.8 else None for row in unit_rows(rng, n, dim, 2)]
        cosines = all_cosines(rows)
        assert cosines.shape == (n, n)
        for i, j in np.ndindex(n, n):
            a, b = rows[i], rows[j]
            assert cosines[i, j] == (canonical_cosine(a, b) if i != j and a is not None and b is not None else 0.0)


class TestUnitRows:
    @pytest.mark.parametrize("row", [[0, 0], [math.nan, 1], [math.inf, 0], [1, 1e-2], [3e38, 3e38], [1 + 3e-5, 0]])
    def test_other_rows_are_refused_everywhere(self, row: list[float]) -> None:
        bad = np.array([[1, 0], row], dtype=np.float32)
        index = ExactIndex(2)
        index.add(["a"], bad[:1])
        calls: list[Callable[[], object]] = [
            lambda: index.add(["b", "c"], bad),
            lambda: index.nearest(bad[1], 1),
            lambda: index.nearest_batch(bad, 1),
            lambda: near_pairs(bad, 0.5),
        ]
        for call in calls:
            with pytest.raises(UsageError, match="length one"):
                call()
        assert len(index) == 1

    def test_lengths_within_the_tolerance_pass(self) -> None:
        row = np.array([[1 + UNIT_TOLERANCE / 2, 0]], dtype=np.float32)
        assert unit(row, 2).shape == (1, 2)

    def test_another_dimension_is_refused(self) -> None:
        with pytest.raises(UsageError, match="dimension 3"):
            ExactIndex(3).add(["a"], np.array([[1, 0]], np.float32))


@pytest.mark.usefixtures("kernel")
class TestExactIndex:
    @pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 4))])
    @pytest.mark.parametrize(("n", "dim", "n_centres"), [(1, 3, 0), (7, 1, 2), (60, 8, 2), (300, 64, 0), (300, 384, 5)])
    def test_equals_a_brute_force_scan(self, seed: int, n: int, dim: int, n_centres: int) -> None:
        rng = np.random.default_rng(seed)
        rows, ids = unit_rows(rng, n, dim, n_centres), ids_for(rng, n)
        index = ExactIndex(dim)
        index.add(ids, rows)
        queries = np.concatenate([unit_rows(rng, 6, dim), rows[rng.integers(0, n, 6)]])
        truth = [ranked(ids, rows, query) for query in queries]
        for k in (1, 3, n, n + 5):
            batch = index.nearest_batch(queries, k)
            for query, found, every in zip(queries, batch, truth, strict=True):
                assert index.nearest(query, k) == found == every[:k]
        for threshold in (-1.0, 0.3, 0.9, 1.0):
            batch = index.nearest_batch(queries, 2, threshold)
            for query, found, every in zip(queries, batch, truth, strict=True):
                high = [hit for hit in every if hit[1] >= threshold]
                assert index.above(query, threshold) == high
                assert index.nearest(query, 2, threshold) == found == high[:2]

    def test_equals_a_brute_force_scan_while_rows_come_and_go(self) -> None:
        rng = np.random.default_rng(7)
        index, truth = ExactIndex(16), dict[str, Vector]()
        for _ in range(60):
            ids = [f"{number:03d}" for number in rng.choice(80, rng.integers(1, 12), replace=False)]
            if rng.random() < 0.4:
                index.remove(ids)
                for id in ids:
                    truth.pop(id, None)
            else:
                rows = unit_rows(rng, len(ids), 16, n_centres=3)
                index.add(ids, rows)
                truth.update(zip(ids, rows, strict=True))
            query = unit_rows(rng, 9, 16)
            assert len(index) == len(truth)
            expected = [brute(list(truth), np.array(list(truth.values())), q, 4) for q in query] if truth else [[]] * 9
            assert [index.nearest(q, 4) for q in query] == index.nearest_batch(query, 4) == expected

    def test_a_threshold_equal_to_a_similarity_lets_it_in(self) -> None:
        rng = np.random.default_rng(3)
        rows = unit_rows(rng, 200, 384, n_centres=1)
        index = ExactIndex(384)
        index.add(ids_for(rng, 200), rows)
        for id, similarity in index.nearest(rows[0], 200)[:50]:
            assert id in dict(index.above(rows[0], similarity))
            assert id not in dict(index.above(rows[0], math.nextafter(similarity, 2)))

    def test_ties_go_by_id_also_among_thousands_of_repeats(self) -> None:
        row = unit_rows(np.random.default_rng(1), 1, 8)
        index = ExactIndex(8)
        ids = ids_for(np.random.default_rng(2), 9_000)
        index.add(ids, np.repeat(row, 9_000, axis=0))
        expected = [(id, 1.0) for id in sorted(ids)[:5]]
        assert index.nearest(row[0], 5) == expected
        assert index.nearest_batch(np.repeat(row, 10, axis=0), 5) == [expected] * 10

    @pytest.mark.parametrize("share", [0.0, 0.03, 0.5, 1.0])
    def test_a_mask_restricts_to_slots(self, share: float) -> None:
        rng = np.random.default_rng(11)
        rows, ids = unit_rows(rng, 500, 16, n_centres=4), ids_for(rng, 500)
        index = ExactIndex(16)
        slots = index.add(ids, rows)
        index.remove(ids[:50])
        mask = rng.random(index.n_slots) < share
        left = [at for at in range(50, 500) if mask[slots[at]]]
        queries = unit_rows(rng, 10, 16)
        expected = [brute([ids[at] for at in left], rows[left], query, 7) for query in queries]
        assert [index.nearest(query, 7, mask=mask) for query in queries] == expected
        assert index.nearest_batch(queries, 7, mask=mask) == expected
        with pytest.raises(UsageError, match="does not fit"):
            index.nearest(queries[0], 1, mask=mask[1:])

    @pytest.mark.parametrize("n_centres", [0, 3])
    @pytest.mark.parametrize("share", [0.004, 0.3, 1.0])
    def test_the_nearest_of_many_rows_are_those_of_a_scan(self, n_centres: int, share: float) -> None:
        rng = np.random.default_rng(5)
        rows, ids = unit_rows(rng, 3_000, 24, n_centres), ids_for(rng, 3_000)
        rows[100:140] = rows[0]
        index = ExactIndex(24)
        slots = index.add(ids, rows)
        index.remove(ids[50:150])
        mask = rng.random(index.n_slots) < share
        left = [at for at in (*range(50), *range(150, 3_000)) if mask[slots[at]]]
        for query in np.concatenate([rows[:2], unit_rows(rng, 3, 24)]):
            for k in (20, 30, 46):
                expected = brute([ids[at] for at in left], rows[left], query, k)
                assert index.nearest(query, k, mask=mask) == expected

    def test_many_tiles_give_what_one_gives(self, monkeypatch: pytest.MonkeyPatch) -> None:
        rng = np.random.default_rng(5)
        rows, ids = unit_rows(rng, 2_000, 24, n_centres=30), ids_for(rng, 2_000)
        index = ExactIndex(24)
        index.add(ids, rows)
        queries = unit_rows(rng, 40, 24, n_centres=30)
        calls: list[Callable[[], list[Hits]]] = [
            lambda: index.nearest_batch(queries, 5),
            lambda: index.nearest_batch(queries, 200, 0.2),
        ]
        whole = [call() for call in calls]
        monkeypatch.setattr(index_module, "TILE", 64)
        monkeypatch.setattr(index_module, "QUERY_TILE", 7)
        assert [call() for call in calls] == whole

    def test_an_empty_index_answers_nothing(self) -> None:
        index = ExactIndex(2)
        queries = np.array([[1, 0]] * 9, np.float32)
        assert index.nearest(queries[0], 3) == []
        assert index.above(queries[0], -1.0) == []
        assert index.nearest_batch(queries, 3) == [[]] * 9
        assert index.nearest_batch(queries[:0], 3) == []
        assert index.add([], np.zeros((0, 2), np.float32)).tolist() == []
        assert index.n_slots == 0

    def test_fewer_than_one_row_wanted_is_none(self) -> None:
        index = ExactIndex(2)
        index.add(["a"], np.array([[1, 0]], np.float32))
        assert index.nearest(np.array([1, 0], np.float32), 0) == []

    def test_slots_stay_until_removal_and_are_given_again(self) -> None:
        rows = unit_rows(np.random.default_rng(1), 4, 8)
        index = ExactIndex(8)
        first = index.add(["a", "b", "c"], rows[:3])
        assert index.add(["b"], rows[3:]).tolist() == [first[1]]
        assert np.array_equal(index.vectors(["b"])[0], rows[3])
        index.remove(["a", "unknown"])
        assert "a" not in index
        assert index.add(["d"], rows[:1]).tolist() == [first[0]]
        assert index.n_slots == 3
        assert index.slots(["d", "c"]).tolist() == [first[0], first[2]]

    def test_ids_and_rows_must_fit(self) -> None:
        rows = unit_rows(np.random.default_rng(1), 2, 8)
        for ids in (["a"], ["a", "a"], ["a", "b", "c"]):
            with pytest.raises(UsageError, match="different ids"):
                ExactIndex(8).add(ids, rows)

    def test_rows_survive_growth(self) -> None:
        rng = np.random.default_rng(1)
        rows, ids = unit_rows(rng, 5_000, 8), ids_for(rng, 5_000)
        index = ExactIndex(8)
        for at in range(0, 5_000, 700):
            index.add(ids[at : at + 700], rows[at : at + 700])
        assert np.array_equal(index.vectors(ids), rows)


class TestBounds:
    @relaxed
    @given(seeds, dims)
    def test_the_codes_bound_every_canonical_similarity(self, seed: int, dim: int) -> None:
        rng = np.random.default_rng(seed)
        rows = unit_rows(rng, 50, dim, n_centres=3) * rng.uniform(1 - 9e-6, 1 + 9e-6, (50, 1)).astype(np.float32)
        codes = Codes(dim)
        codes.grow(50)
        codes.put(np.arange(50), rows)
        query = unit_rows(rng, 1, dim)[0]
        middle, spread = codes.bounds(query, slice(0, 50))
        assert (np.abs(middle - canonical_cosines(query, rows)) <= spread).all()

    def test_the_codes_cover_the_whole_range_of_a_byte(self) -> None:
        rows = np.full((3, 384), 1 / math.sqrt(384), np.float32) * np.array([[1], [-1], [1]], np.float32)
        codes = Codes(384)
        codes.grow(3)
        codes.put(np.arange(3), rows)
        middle, spread = codes.bounds(rows[0], slice(0, 3))
        assert np.abs(middle - [1, -1, 1]).max() < 1e-6
        assert spread.max() < 1e-4

    @relaxed
    @given(seeds, st.sampled_from([3, 8, 31, 64, 384]), st.sampled_from([1, 2, 7]))
    def test_the_leading_coordinates_bound_every_canonical_similarity(self, seed: int, dim: int, n_axes: int) -> None:
        rng = np.random.default_rng(seed)
        n_axes = min(n_axes, dim - 1)
        rows = unit_rows(rng, 60, dim, n_centres=3) * rng.uniform(1 - 9e-6, 1 + 9e-6, (60, 1)).astype(np.float32)
        leading = Leading(rows[:40], n_axes)
        leading.grow(60)
        leading.put(np.arange(40, 60), rows[40:])  # The axes know nothing of these.
        for query in (rows[0], -rows[50], unit_rows(rng, 1, dim)[0]):
            assert (leading.upper(query, 60) >= canonical_cosines(query, rows)).all()


class TestLeadingCoordinates:
    """Searches that look at the leading coordinates first find what a full scan finds."""

    @pytest.fixture(autouse=True)
    def small(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for name, number in {"LEAST_TO_LEAD": 600, "N_LEADING": 6, "LEAST_ASKED": 0, "_FEW": 1}.items():
            monkeypatch.setattr(index_module, name, number)

    @pytest.mark.parametrize("seed", range(4))
    @pytest.mark.parametrize("k", [1, 5, 16, 17])
    @pytest.mark.parametrize("threshold", [None, 0.3, 0.9])
    def test_equal_a_scan_while_rows_come_and_go(self, seed: int, k: int, threshold: float | None) -> None:
        rng = np.random.default_rng(seed)
        rows, ids = unit_rows(rng, 3_000, 24, n_centres=30), ids_for(rng, 3_000)
        index = ExactIndex(24)
        index.add(ids[:700], rows[:700])
        index.nearest(rows[0], k)  # Axes of the first 700; those of all come when they are four times as many.
        index.add(ids[700:], rows[700:])
        gone = set(ids[::7])
        index.remove(sorted(gone))
        mask = rng.random(index.n_slots) < 0.7
        slots = dict(zip(ids, index_slots(index, ids, gone), strict=True))
        for query in (rows[0], rows[5], *unit_rows(rng, 3, 24)):
            for allowed in (None, mask):
                left = [n for n, i in enumerate(ids) if i not in gone and (allowed is None or allowed[slots[i]])]
                wanted = [hit for hit in ranked([ids[n] for n in left], rows[left], query)
                          if threshold is None or hit[1] >= threshold][:k]  # fmt: skip
                assert index.nearest(query, k, threshold, allowed) == wanted

    def test_a_search_that_they_do_not_help_is_right_too(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(index_module, "_FEW", 3_000)
        rng = np.random.default_rng(3)
        rows, ids = unit_rows(rng, 2_000, 24), ids_for(rng, 2_000)
        index = ExactIndex(24)
        index.add(ids, rows)
        for query in unit_rows(rng, 20, 24):
            assert index.nearest(query, 5) == brute(ids, rows, query, 5)

    def test_one_search_that_they_do_not_help_takes_nothing_from_the_next_ones_and_many_do(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        looked: list[int] = []
        upper = Leading.upper

        def counted(*given: Any) -> Any:
            looked.append(1)
            return upper(*given)

        monkeypatch.setattr(Leading, "upper", counted)
        rng = np.random.default_rng(4)
        rows, ids = unit_rows(rng, 2_000, 24, n_centres=20), ids_for(rng, 2_000)
        index = ExactIndex(24)
        index.add(ids, rows)

        def looks(few: int, n: int) -> int:
            monkeypatch.setattr(index_module, "_FEW", few)
            looked.clear()
            for query in rows[:n]:
                index.nearest(query, 5)
            return len(looked)

        helps, helps_not = 1, 3_000
        assert [looks(few, 1) for few in (helps, helps_not, helps, helps_not, helps, helps)] == [1] * 6
        assert looks(helps_not, 60) == 7
        assert looks(helps, 30) >= 30 - 14

    def test_they_are_looked_for_once_an_index_was_searched_often(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(index_module, "LEAST_ASKED", 3)
        rng = np.random.default_rng(6)
        rows, ids = unit_rows(rng, 2_000, 24, n_centres=20), ids_for(rng, 2_000)
        index = ExactIndex(24)
        index.add(ids, rows)
        has_axes = []
        for query in rows[:5]:
            assert index.nearest(query, 5) == brute(ids, rows, query, 5)
            has_axes.append(cast("Any", index)._leading is not None)
        assert has_axes == [False, False, False, True, True]

    def test_equal_rows_by_the_hundred_are_told_apart_by_id(self) -> None:
        rng = np.random.default_rng(5)
        rows, ids = np.repeat(unit_rows(rng, 3, 24), 400, axis=0), ids_for(rng, 1_200)
        index = ExactIndex(24)
        index.add(ids, rows)
        assert index.nearest(rows[0], 5) == [(i, 1.0) for i in sorted(ids[:400])[:5]]

    @pytest.mark.parametrize("n_threads", [2, 3, 5])
    def test_any_number_of_threads_gives_the_same_bits(self, n_threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
        rng = np.random.default_rng(7)
        codes = Codes(24)
        codes.grow(1_000)
        codes.put(np.arange(1_000), unit_rows(rng, 1_000, 24))
        query = unit_rows(rng, 1, 24)[0]
        alone = codes.bounds(query, slice(0, 997))
        monkeypatch.setattr(codes_module, "N_THREADS", n_threads)
        monkeypatch.setattr(codes_module, "_SHARE", 1_000)
        codes_module._threads.cache_clear()
        together = codes.bounds(query, slice(0, 997))
        assert [a.tobytes() for a in alone] == [b.tobytes() for b in together]


def index_slots(index: ExactIndex, ids: list[str], gone: set[str]) -> list[int]:
    return [-1 if i in gone else int(index.slots([i])[0]) for i in ids]


class TestNearPairs:
    @pytest.mark.parametrize("seed", range(3))
    @pytest.mark.parametrize(("n", "dim", "n_centres"), [(0, 4, 0), (1, 4, 0), (2, 1, 1), (40, 8, 2), (120, 384, 6)])
    def test_equals_all_pairs(self, seed: int, n: int, dim: int, n_centres: int) -> None:
        rows = unit_rows(np.random.default_rng(seed), n, dim, n_centres)
        pairs = [(i, j, canonical_cosine(rows[i], rows[j])) for i in range(n) for j in range(i + 1, n)]
        for threshold in (-1.0, 0.5, 0.9, 1.0):
            assert near_pairs(rows, threshold) == [pair for pair in pairs if pair[2] >= threshold]

    def test_repeated_rows_are_one_and_cost_little(self) -> None:
        rows = unit_rows(np.random.default_rng(9), 3, 384, n_centres=1)[[0, 1, 0, 2, 1] * 80]
        found = near_pairs(rows, -1.0)
        assert len(found) == 400 * 399 // 2
        assert all(similarity == canonical_cosine(rows[i], rows[j]) for i, j, similarity in found[::97])
        assert {similarity for i, j, similarity in found if i % 5 == j % 5} == {1.0}

    def test_many_tiles_give_what_one_gives(self, monkeypatch: pytest.MonkeyPatch) -> None:
        rows = unit_rows(np.random.default_rng(4), 400, 16, n_centres=20)
        whole = near_pairs(rows, 0.8)
        monkeypatch.setattr("saidonce.matching.vectors.join.TILE", 37)
        assert near_pairs(rows, 0.8) == whole
