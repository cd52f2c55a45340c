"""How the equivalence judge's training divides its pairs, alters sentences and counts its figures."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random

import pytest
from rapidfuzz.distance.Indel import normalized_similarity as ratio
from rapidfuzz.process import cdist
from training.judge import pairs
from training.judge.alterations import Alterer
from training.judge.figures import Scored, accepted_at, figures_of
from training.judge.open import Asked, asked
from training.judge.seal import MARGIN, Measured, Weights, canonical_from, fitted, in_use, repeat_from
from training.judge.soft import TARGETS, area, target_of

import shared_data

SENTENCES = [
    "The administrator must verify the identity of every visitor before the audit.",
    "All customers receive a report in order to improve the service.",
    "Members may request additional information from the regional office within thirty days.",
]


def scored(same: list[float], changed: list[float]) -> list[Scored]:
    return [Scored("s", "dev", True, x) for x in same] + [Scored("s", "dev", False, x) for x in changed]


def measured(
    same: bool, logit: float | None, source: str = "paws", label: str = "", *, is_joined: bool = False
) -> Measured:
    """A pair of which one rewording is asked, or none without a logit; the trees say what the network says."""
    answers = () if logit is None else ((float(logit), float(logit)),)
    pair = pairs.Pair("1", source, pairs.DEV, label, same, "", "")
    return Measured(pair, logit, logit or 0.0, Asked(bool(answers), is_joined), answers)


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


class TestOwnPairs:
    """Pairs written for the training: originals, each with re-wordings and with changes that look like re-wordings."""

    def test_no_text_stands_twice_and_no_original_is_in_two_parts(self) -> None:
        own = list(pairs.own())
        parts: dict[str, set[str]] = {}
        for pair in own:
            parts.setdefault(pair.a, set()).add(pair.part)
        assert all(len(of_original) == 1 for of_original in parts.values())
        texts = [*parts, *(pair.b for pair in own)]
        assert [text for text, n in Counter(text.casefold() for text in texts).items() if n > 1] == []

    def test_every_part_has_both_labels(self) -> None:
        shares = Counter((pair.part, pair.label) for pair in pairs.own())
        assert len(shares) == 6
        assert min(shares.values()) >= 90

    def test_a_change_does_not_show_by_its_length(self) -> None:
        def longer(label: str) -> float:
            own = [len(pair.b.split()) / len(pair.a.split()) for pair in pairs.own() if pair.label == label]
            return sum(own) / len(own)

        assert abs(longer("same") - longer("changed")) < 0.1

    def test_what_is_unseen_is_like_nothing_that_was_learned(self) -> None:
        originals = sorted({pair.a for pair in pairs.own() if pair.part == pairs.TRAIN})
        unseen = sorted({pair.a for pair in pairs.unseen()})
        nearest = cdist(unseen, originals, scorer=ratio, score_cutoff=0.75, workers=-1).max(axis=1)
        assert len(unseen) > 1_200
        assert [text for text, score in zip(unseen, nearest, strict=True) if score] == []

    def test_what_is_unseen_is_the_test_part_alone(self) -> None:
        sources = {(pair.source, pair.part) for pair in pairs.unseen()}
        assert sources == {("unseen", pairs.TEST), ("rebuilt", pairs.TEST)}


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

    def test_the_weights_rise_with_network_and_trees(self) -> None:
        weights = fitted([measured(same, n + (4 if same else 0)) for n in range(-6, 3) for same in (True, False)])
        assert weights.network > 0 < weights.likeness
        assert weights.score(-4.0, -4.0) < 0.5 < weights.score(6.0, 6.0)
        assert weights.score(None, 9.0) == 0.0


class TestThresholds:
    WEIGHTS = Weights(1.0, 0.0, 0.0)

    def test_repeats_count_what_the_guards_join_already(self) -> None:
        own = [measured(False, 0.01 * n) for n in range(200)]
        assert repeat_from(own, self.WEIGHTS) == self.WEIGHTS.score(1.98, 0.0)
        by_guards = [measured(False, None, is_joined=True) for _ in range(2)]
        assert repeat_from([*own, *by_guards], self.WEIGHTS) == self.WEIGHTS.score(1.99, 0.0)

    def test_a_set_that_is_easy_does_not_dilute_one_that_is_not(self) -> None:
        hard = [measured(False, 0.01 * n) for n in range(200)]
        easy = [measured(False, -9.0, source="summedits") for _ in range(5_000)]
        assert repeat_from([*hard, *easy], self.WEIGHTS) == repeat_from(hard, self.WEIGHTS)

    def test_labels_that_are_often_wrong_may_be_missed_more_often_only_if_somebody_says_so(self) -> None:
        own = [measured(False, 0.01 * n, source="summedits") for n in range(200)]
        assert repeat_from(own, self.WEIGHTS, 0.005) == self.WEIGHTS.score(1.98, 0.0)
        assert repeat_from(own, self.WEIGHTS, 0.03) == self.WEIGHTS.score(1.93, 0.0)

    def test_one_text_for_both_counts_open_changes_alone(self) -> None:
        own = [measured(False, 0.01 * n) for n in range(100)]
        apart = [measured(False, None) for _ in range(900)]
        assert canonical_from([*own, *apart], self.WEIGHTS) == self.WEIGHTS.score(0.98, 0.0)

    def test_what_only_says_more_is_no_change(self) -> None:
        assert repeat_from([measured(False, 3.0, label="extended")], self.WEIGHTS) == 0.0

    def test_all_that_is_asked_must_be_borne_out(self) -> None:
        pair = replace(measured(True, 2.0), answers=((2.0, 0.0), (-2.0, 0.0)))
        cut = self.WEIGHTS.score(0.0, 0.0) + MARGIN
        assert in_use([pair], self.WEIGHTS, (cut, cut))["dev paws, repeat"]["accepted"] == 0

    def test_a_judge_is_asked_only_about_what_is_open(self) -> None:
        doors = "The doors of the house are locked by the guard on duty at ten in the evening."
        assert len(asked(doors, doors.replace("locked", "shut")).rewordings) == 1
        assert asked(doors, doors.replace("ten", "nine")) == Asked(False, False)
        assert asked(doors, doors).is_joined


class TestTeachers:
    def test_versions_of_one_original_are_put_beside_each_other(self) -> None:
        def version(n: int, original: str, part: str = pairs.TRAIN) -> pairs.Pair:
            return pairs.Pair(f"v{n}", "summedits", part, "same", True, original, f"{original} {n}", original=original)

        versions = [version(1, "x"), version(2, "x"), version(3, "y"), version(4, "x"), version(5, "x", pairs.TEST)]
        beside = list(pairs.recombined(versions))
        assert [(p.id, p.a, p.b) for p in beside] == [
            ("v1+v2", "x 1", "x 2"), ("v1+v4", "x 1", "x 4"), ("v2+v4", "x 2", "x 4"),
        ]  # fmt: skip
        assert {(p.same, p.source, p.original) for p in beside} == {(None, "recombined", "x")}

    @pytest.mark.parametrize(
        ("source", "one", "other", "expected"),
        [
            ("own", True, True, True),
            ("own", True, False, False),
            ("own", False, False, None),
            ("paws", True, True, None),
        ],
    )
    def test_only_sure_labels_give_pairs_of_versions_a_label(
        self, source: str, one: bool, other: bool, expected: bool | None
    ) -> None:
        versions = [
            pairs.Pair(text, source, pairs.TRAIN, "", same, "x", text, original="own/manuals/1")
            for text, same in (("y", one), ("z", other))
        ]
        assert [pair.same for pair in pairs.recombined(versions)] == [expected]

    def test_of_an_original_that_was_written_later_few_pairs_are_drawn(self) -> None:
        versions = [
            pairs.Pair(str(n), "own", pairs.TRAIN, "same", True, "x", str(n), original="later/house/1")
            for n in range(6)
        ]
        drawn = [pair.id for pair in pairs.recombined(versions)]
        assert len(drawn) == len(set(drawn)) == pairs.MOST_RECOMBINED
        assert drawn == [pair.id for pair in pairs.recombined(versions)]

    def test_a_target_is_the_label_or_the_teachers_answer_or_half_of_each(self) -> None:
        soft = {"both": 0.0, "read": 2.0}
        assert target_of({"id": "label", "same": True}, soft) == TARGETS[1]
        assert target_of({"id": "read", "same": None}, soft) == pytest.approx(0.8808, abs=1e-4)
        assert target_of({"id": "both", "same": False}, soft) == pytest.approx((TARGETS[0] + 0.5) / 2)
        with pytest.raises(ValueError, match="'neither' has no label"):
            target_of({"id": "neither", "same": None}, soft)

    def test_the_area_counts_ties_half(self) -> None:
        assert area([0.9, 0.4, 0.4, 0.1], [True, True, False, False]) == 0.875
        assert area([2.0, 1.0], [False, True]) == 0.0
