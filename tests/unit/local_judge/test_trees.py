from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from saidonce.matching.likeness.trees import forest, from_lightgbm, unplanted

STUMP: dict[str, list[Any]] = {
    "feature": [1, -1, -1], "threshold": [0.5, -1.0, 2.0], "left": [1, 1, 2], "right": [2, 1, 2],
}  # fmt: skip


def grown(n: int = 600, n_features: int = 6) -> tuple[Any, np.ndarray[Any, Any]]:
    lightgbm = pytest.importorskip("lightgbm")
    rng = np.random.default_rng(3)
    rows = np.round(rng.random((n, n_features)), 4)
    rows[:, 5] = np.where(rng.random(n) < 0.3, -1.0, rng.integers(0, 5, n))
    same = (rows[:, 0] + rows[:, 1] * rows[:, 2] + 0.1 * rows[:, 5] + 0.2 * rng.random(n) > 1).astype(float)
    options = {"objective": "binary", "num_leaves": 15, "verbosity": -1, "num_threads": 1, "min_data_in_leaf": 5}
    return lightgbm.train(options, lightgbm.Dataset(rows, same), num_boost_round=40), rows


def test_the_evaluator_gives_what_lightgbm_predicts() -> None:
    booster, rows = grown()
    trees = forest(from_lightgbm(booster.dump_model()), 6)
    expected = booster.predict(rows, raw_score=True)
    assert np.allclose([trees.score(row) for row in rows], expected, atol=1e-5)
    assert float(np.ptp(expected)) > 2


def test_a_forest_becomes_the_lists_it_was_made_of() -> None:
    booster, rows = grown(200)
    lists = from_lightgbm(booster.dump_model())
    again = forest(unplanted(forest(lists, 6)), 6)
    assert [again.score(row) for row in rows] == [forest(lists, 6).score(row) for row in rows]
    assert unplanted(again) == lists


def test_a_value_at_the_threshold_goes_left() -> None:
    trees = forest([STUMP, STUMP], 2)
    assert [trees.score((0.0, x)) for x in (0.4, 0.5, 0.5001)] == [-2.0, -2.0, 4.0]


def test_a_tree_may_be_one_leaf_beside_deeper_ones() -> None:
    leaf: dict[str, list[Any]] = {"feature": [-1], "threshold": [0.25], "left": [0], "right": [0]}
    assert forest([leaf, STUMP], 2).score((0.0, 1.0)) == 2.25


@pytest.mark.parametrize(
    "broken",
    [
        {**STUMP, "feature": [2, -1, -1]},
        {**STUMP, "left": [0, 1, 2]},
        {**STUMP, "right": [3, 1, 2]},
        {**STUMP, "left": [1.0, 1, 2]},
        {**STUMP, "threshold": [float("nan"), 1.0, 2.0]},
        {**STUMP, "threshold": ["0.5", 1.0, 2.0]},
        {**STUMP, "threshold": [True, 1.0, 2.0]},
        {**STUMP, "threshold": [0.5, 1.0]},
        {**STUMP, "left": 1},
        {**STUMP, "more": []},
        {"feature": [], "threshold": [], "left": [], "right": []},
    ],
)
def test_malformed_trees_are_refused(broken: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="tree 1"):
        forest([STUMP, broken], 2)


def test_no_trees_are_refused() -> None:
    with pytest.raises(ValueError, match="0 trees"):
        forest([], 2)
