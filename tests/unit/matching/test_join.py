"""The join of a whole corpus gives what brute force gives, whatever the vectors and however it is cut."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import combinations
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saidonce.errors import UsageError
from saidonce.foundation.model import Vector
from saidonce.matching.vectors import Join, canonical_cosine, corpus_pairs, near_pairs
from saidonce.matching.vectors import join as module
from saidonce.matching.vectors.sketch import sketch


def unit(rows: np.ndarray) -> Vector:
    scaled: Vector = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return scaled


def brute(rows: Vector, threshold: float) -> list[tuple[int, int, float]]:
    found = ((i, j, canonical_cosine(rows[i], rows[j])) for i, j in combinations(range(len(rows)), 2))
    return [pair for pair in found if pair[2] >= threshold]


@st.composite
def crowds(draw: st.DrawFn) -> Vector:
    """Rows around a few centres: near copies, identical ones, and some that lie in few of the dimensions only."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, dim = draw(st.integers(1, 40)), draw(st.sampled_from([2, 5, 47, 48, 49, 96, 140]))
    centres = rng.standard_normal((draw(st.integers(1, 5)), dim))
    if draw(st.booleans()):
        centres[:, 1:] = 0.0  # nothing is left beside the leading axis
        centres[:, 0] = 1.0
    noise = rng.choice([0.0, 0.0, 1e-7, 0.05, 0.3, 0.6], (n, 1)) * rng.standard_normal((n, dim))
    return unit(centres[rng.integers(0, len(centres), n)] + noise + 1e-30)


@settings(deadline=None, max_examples=60)
@given(crowds(), st.sampled_from([0.5, 0.9, 0.99, 1.0]), st.sampled_from([1, 7, 1024]))
def test_every_near_pair_is_found_with_its_canonical_similarity(rows: Vector, threshold: float, band: int) -> None:
    assert list(corpus_pairs(rows, threshold, band=band)) == brute(rows, threshold)


@settings(deadline=None, max_examples=30)
@given(crowds(), st.integers(0, 2**32 - 1))
def test_a_threshold_on_the_very_similarity_of_a_pair_keeps_it(rows: Vector, chance: int) -> None:
    if len(rows) > 1:
        i, j = sorted(Random(chance).sample(range(len(rows)), 2))
        edge = canonical_cosine(rows[i], rows[j])
        assert (i, j, edge) in list(corpus_pairs(rows, edge))
        above = float(np.nextafter(edge, 2.0))
        if above <= 1.0:
            assert (i, j, edge) not in list(corpus_pairs(rows, above))


@settings(deadline=None, max_examples=40)
@given(crowds())
def test_a_short_row_bounds_from_above(rows: Vector) -> None:
    found = sketch(rows, 0.9)
    bounds = found.short @ found.short.T + found.slack
    for i, j in combinations(range(len(rows)), 2):
        assert bounds[i, j] >= canonical_cosine(rows[i], rows[j])


def test_the_bound_rules_out_nearly_all_pairs_of_rows_with_a_spectrum() -> None:
    rng = np.random.default_rng(1)
    rows = unit(rng.standard_normal((2_000, 384)) * (1.0 / np.arange(1, 385)))
    found = sketch(rows, 0.9)
    n_through = np.count_nonzero(found.short @ found.short.T >= 0.9) - 2_000
    n_near = 2 * len(corpus_pairs(rows, 0.9))
    assert n_near <= n_through <= n_near + 0.005 * 2_000**2


@pytest.fixture(scope="module")
def crowd() -> Vector:
    """More rows than a product has, in dense clusters and alone."""
    rng = np.random.default_rng(7)
    rows = rng.standard_normal((1_500, 80))
    rows[:700] = rows[0] + 0.2 * rng.standard_normal((700, 80))
    rows[700:900] = rows[700]
    return unit(rows)


def test_dense_and_sparse_products_threads_and_bands_give_the_same(crowd: Vector) -> None:
    expected = near_pairs(crowd, 0.9)
    assert len(expected) > 20_000
    with ThreadPoolExecutor(2) as pool:
        for band in (200, 1024):
            assert list(corpus_pairs(crowd, 0.9, pool.map, band)) == expected


def test_the_order_in_which_tiles_are_done_changes_nothing(crowd: Vector, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "STRIP", 100)

    def backwards(near: object, tiles: object) -> object:
        given = list(tiles)  # type: ignore[call-overload]
        return [near(tile) for tile in reversed(given)][::-1]  # type: ignore[operator]

    assert list(corpus_pairs(crowd, 0.9, backwards, 300)) == near_pairs(crowd, 0.9)  # type: ignore[arg-type]


@pytest.mark.parametrize("most", [1, 5])
def test_the_nearest_kept_rows_of_each_later_row_are_there_ties_by_place(crowd: Vector, most: int) -> None:
    join = Join(crowd, 0.8, most)
    kept = np.arange(0, 1_000, 2)
    join.keep(kept)
    found = list(join.pairs(1_000, 1_500))
    for j in range(1_000, 1_500, 50):
        near = [(-canonical_cosine(crowd[i], crowd[j]), int(i)) for i in kept]
        wanted = [(i, -s) for s, i in sorted(near)[:most] if -s >= 0.8]
        assert set(wanted) <= {(i, s) for i, second, s in found if second == j}


def test_among_equally_near_kept_rows_the_first_ones_are_given(crowd: Vector) -> None:
    join = Join(crowd, 0.9, 2)
    join.keep(np.arange(700, 800))
    found = [(i, j) for i, j, _ in join.pairs(800, 801)]
    assert found == [(700, 800), (701, 800)]


@pytest.mark.parametrize("n", [0, 1])
def test_too_few_rows_make_no_pair(n: int) -> None:
    assert len(corpus_pairs(np.ones((n, 1), dtype=np.float32), 0.9)) == 0


@pytest.mark.parametrize("threshold", [1.5, float("nan")])
def test_a_threshold_that_is_no_cosine_is_refused(threshold: float) -> None:
    with pytest.raises(UsageError, match="not a cosine"):
        corpus_pairs(np.eye(2, dtype=np.float32), threshold)


def test_rows_that_are_not_unit_are_refused() -> None:
    with pytest.raises(UsageError, match="length one"):
        corpus_pairs(np.full((2, 2), 3.0, dtype=np.float32), 0.9)
