"""How the equivalence judge's training divides its pairs, alters sentences and counts its figures."""

from __future__ import annotations

from random import Random

import pytest
from training.judge import pairs
from training.judge.alterations import Alterer
from training.judge.figures import Scored, accepted_at, figures_of
from training.judge.seal import fitted, threshold

import shared_data

SENTENCES = [
    "The administrator must verify the identity of every visitor before the audit.",
    "All customers receive a report in order to improve the service.",
    "Members may request additional information from the regional office within thirty days.",
]


def scored(same: list[float], changed: list[float]) -> list[Scored]:
    return [Scored("s", "dev", True, x) for x in same] + [Scored("s", "dev", False, x) for x in changed]


class TestParts:
    def test_few_originals_are_divided_in_exact_shares(self) -> None:
        parts = pairs.parts_by_rank("s", [f"original {n}" for n in range(24)])
        counts = [list(parts.values()).count(part) for part in (pairs.TEST, pairs.DEV, pairs.TRAIN)]
        assert counts == [6, 3, 15]

    def test_an_original_is_in_the_same_part_every_time(self) -> None:
        originals = [f"original {n}" for n in range(200)]
        assert [pairs.part_of("s", o) for o in originals] == [pairs.part_of("s", o) for o in originals]
        assert pairs.parts_by_rank("s", originals) == pairs.parts_by_rank("s", originals[::-1])

    def test_only_what_differs_is_compared(self) -> None:
        a, b = "We are open. The key opens the door.", "We are open. The key unlocks the door."
        assert pairs.without_common(a, b) == ("The key opens the door.", "The key unlocks the door.")

    def test_a_side_without_own_sentences_stays_whole(self) -> None:
        a, b = "We are open. The key opens the door.", "We are open."
        assert pairs.without_common(a, b) == (a, b)

    def test_no_original_of_real_pairs_is_in_two_parts(self) -> None:
        data = shared_data.shared("summedits.jsonl.gz").parent
        if pairs.missing(data):
            pytest.skip("needs all tables of the training")
        parts: dict[tuple[str, str], set[str]] = {}
        for pair in pairs.read(data):
            if pair.source == "summedits":
                parts.setdefault((pair.source, pair.a), set()).add(pair.part)
        assert parts
        assert all(len(of_original) == 1 for of_original in parts.values())


class TestAlterations:
    def test_the_same_seed_gives_the_same_alterations(self) -> None:
        made = [[list(Alterer(Random(3)).altered(s, 2)) for s in SENTENCES] for _ in range(2)]
        assert made[0] == made[1]

    def test_both_kinds_are_made_and_every_copy_differs(self) -> None:
        made = [x for s in SENTENCES for x in Alterer(Random(5)).altered(s, 4)]
        assert {x.same for x in made} == {True, False}
        assert all(x.altered != x.original for x in made)


class TestFigures:
    def test_a_perfect_judge(self) -> None:
        figures = figures_of(scored([0.8, 0.9], [0.1, 0.2]), cut=0.5)
        assert (figures.auc, figures.balanced, figures.caught, figures.let_through) == (1.0, 1.0, 1.0, 1.0)

    def test_a_judge_that_says_the_same_of_all(self) -> None:
        assert figures_of(scored([0.5] * 3, [0.5] * 3), cut=0.5).auc == 0.5

    def test_rewordings_are_accepted_only_above_what_must_be_caught(self) -> None:
        figures = figures_of(scored([0.3, 0.6, 0.9], [0.01 * n for n in range(100)]), cut=2.0)
        assert figures.accepted == (0.0, 0.0, 0.0)
        figures = figures_of(scored([0.3, 0.6, 0.985], [0.01 * n for n in range(100)]), cut=2.0)
        assert figures.accepted[2] == pytest.approx(1 / 3, abs=1e-4)

    def test_a_set_with_one_label_has_no_curve(self) -> None:
        assert figures_of(scored([], [0.2, 0.7]), cut=0.5).as_json()["auc"] is None

    def test_nothing_is_accepted_where_all_changes_may_be_missed_by_none(self) -> None:
        import numpy as np

        assert accepted_at(np.array([0.5]), np.array([0.5]), 0.99) == 0.0

    def test_the_threshold_leaves_at_most_the_share(self) -> None:
        cut = threshold(scored([], [0.001 * n for n in range(1000)]), 0.99)
        assert cut == pytest.approx(0.989)

    def test_the_calibration_is_a_rising_line(self) -> None:
        line = fitted([-3.0, -2.0, -1.0, 0.5, -0.5, 1.0, 2.0, 3.0], [False] * 4 + [True] * 4)
        assert line.slope > 0
        assert line.score(-3.0) < 0.5 < line.score(3.0)
