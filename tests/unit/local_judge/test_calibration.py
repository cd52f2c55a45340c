from __future__ import annotations

import math

import numpy as np
import pytest

from saidonce.adjudication.local_judge.calibration import Cuts, PlattScaling, auc, cuts, fitted, reliability


def test_probabilities_fit_what_is_found() -> None:
    rng = np.random.default_rng(1)
    scores = rng.normal(0, 2, 6_000)
    same = rng.random(6_000) < 1 / (1 + np.exp(-(0.7 * scores - 0.4)))
    line = fitted(scores.tolist(), same.tolist())
    assert line.slope == pytest.approx(0.7, abs=0.06)
    assert line.offset == pytest.approx(-0.4, abs=0.06)
    told = [line.probability(s) for s in scores]
    assert all(abs(b.said - b.found) < 0.06 for b in reliability(told, same.tolist()) if b.n > 200)


def test_the_order_of_scores_stays_even_when_labels_turn_it_round() -> None:
    line = fitted([3.0, 2.0, 1.0, 0.0], [False, False, True, True])
    told = [line.probability(s) for s in (3.0, 2.0, 1.0, 0.0)]
    assert told == sorted(told, reverse=True)
    assert len(set(told)) == 4


@pytest.mark.parametrize("score", [-1e6, -40.0, 0.0, 40.0, 1e6])
def test_extreme_scores_have_probabilities(score: float) -> None:
    p = PlattScaling(1.0, 0.0).probability(score)
    assert 0.0 <= p <= 1.0
    assert p == pytest.approx(1 / (1 + math.exp(-max(-700.0, min(700.0, score)))))


def test_one_kind_of_label_is_refused() -> None:
    with pytest.raises(ValueError, match="needs duplicates and distinct"):
        fitted([1.0, 2.0], [True, True])


def test_cuts_are_as_wide_as_the_wrong_ones_allow() -> None:
    told = [n / 200 for n in range(200)]
    same = [n in (5, 9) or (n >= 80 and n % 2 == 0) or n >= 120 for n in range(200)]
    found = cuts(told, same, wrong_high=0.05, wrong_low=0.05)
    top = [s for p, s in zip(told, same, strict=True) if p >= found.high]
    bottom = [s for p, s in zip(told, same, strict=True) if p <= found.low]
    assert 0.35 < found.low < 0.45
    assert 0.55 < found.high < 0.6
    assert sum(top) >= 0.95 * len(top)
    assert sum(bottom) <= 0.05 * len(bottom)


def test_ends_that_would_overlap_meet_in_the_middle() -> None:
    told = [n / 100 for n in range(100)]
    found = cuts(told, [n >= 50 for n in range(100)], wrong_high=0.1, wrong_low=0.1)
    assert found.low == found.high == pytest.approx(0.5, abs=0.02)


def test_ends_with_too_few_pairs_stay_empty() -> None:
    assert cuts([0.1, 0.9], [False, True], 0.05, 0.05) == Cuts(0.0, 1.0)


def test_auc_counts_ties_half() -> None:
    assert auc([0.9, 0.5, 0.5, 0.1], [True, True, False, False]) == 0.875
    assert auc([1.0, 2.0], [True, True]) == 0.5
