"""What labelled pairs prove: known values, exact coverage on small samples, simulated coverage with fixed seeds."""

from __future__ import annotations

import json
import math
import random
import re
import statistics
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saidonce.errors import UsageError
from saidonce.foundation.certificate import (
    FRACTIONS,
    Audit,
    Certificate,
    ThresholdStep,
    binomial_cdf,
    certificate_json,
    clear_line,
    fixed_sequence,
    grid,
    labels_needed,
    read_certificate,
    record_audit,
    upper_bound,
    why_stale,
)

DELTA = 0.05
SHARES = st.floats(0.001, 0.999)


def exact_cdf(k: int, n: int, p: Fraction) -> Fraction:
    return sum((math.comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(k + 1)), Fraction(0))


class TestBinomial:
    @given(st.integers(0, 40), st.integers(0, 40), st.fractions(0, 1, max_denominator=50))
    def test_agrees_with_exact_arithmetic(self, k: int, n: int, p: Fraction) -> None:
        assert binomial_cdf(min(k, n), n, float(p)) == pytest.approx(float(exact_cdf(min(k, n), n, p)), abs=1e-13)

    def test_holds_where_powers_vanish(self) -> None:
        assert binomial_cdf(10_000, 20_000, 0.5) == pytest.approx(0.5, abs=0.003)
        assert binomial_cdf(0, 100_000, 0.01) == pytest.approx(math.exp(100_000 * math.log1p(-0.01)), rel=1e-9)

    def test_ends(self) -> None:
        assert binomial_cdf(-1, 5, 0.5) == 0.0
        assert binomial_cdf(5, 5, 0.5) == binomial_cdf(0, 0, 0.5) == binomial_cdf(3, 5, 0.0) == 1.0
        assert binomial_cdf(3, 5, 1.0) == 0.0


class TestUpperBound:
    @pytest.mark.parametrize(
        ("k", "n", "per_100"), [(12, 600, 3.2), (0, 600, 0.50), (3, 150, 5.1), (0, 150, 2.0)]
    )  # fmt: skip
    def test_of_the_seeds_table(self, k: int, n: int, per_100: float) -> None:
        assert 100 * upper_bound(k, n, DELTA) == pytest.approx(per_100, abs=0.05)

    def test_of_nothing_and_of_all_is_1(self) -> None:
        assert upper_bound(0, 0, DELTA) == upper_bound(7, 7, DELTA) == 1.0

    @given(st.integers(1, 300), st.integers(0, 300), SHARES)
    def test_is_where_so_few_become_improbable(self, n: int, k: int, delta: float) -> None:
        k = min(k, n - 1)
        assert binomial_cdf(k, n, upper_bound(k, n, delta)) == pytest.approx(delta, abs=1e-9)

    @given(st.integers(1, 300), st.integers(0, 299), SHARES)
    def test_grows_with_errors_and_confidence_and_shrinks_with_labels(self, n: int, k: int, delta: float) -> None:
        k = min(k, n - 1)
        bound = upper_bound(k, n, delta)
        assert k / n <= upper_bound(k, n, min(delta, 0.5)) <= 1.0
        assert bound < upper_bound(k + 1, n, delta)
        assert bound > upper_bound(k, n + 1, delta)
        assert bound <= upper_bound(k, n, delta / 2)

    @given(st.integers(1, 60), SHARES, st.sampled_from([0.01, 0.05, 0.2]))
    def test_is_too_low_with_probability_delta_at_most(self, n: int, p: float, delta: float) -> None:
        too_low = [k for k in range(n + 1) if upper_bound(k, n, delta) < p]
        assert sum(binomial_cdf(k, n, p) - binomial_cdf(k - 1, n, p) for k in too_low) <= delta + 1e-9

    @pytest.mark.parametrize(("k", "n", "delta"), [(-1, 5, 0.05), (6, 5, 0.05), (1, 5, 0.0), (1, 5, 1.0)])
    def test_refuses_what_is_no_count_or_probability(self, k: int, n: int, delta: float) -> None:
        with pytest.raises(UsageError):
            upper_bound(k, n, delta)


class TestLabelsNeeded:
    @pytest.mark.parametrize(("alpha", "n"), [(0.02, 149), (0.01, 299), (0.005, 598), (0.002, 1497)])
    def test_without_an_error(self, alpha: float, n: int) -> None:
        assert labels_needed(alpha, DELTA) == n

    def test_are_as_the_guide_says(self) -> None:
        guide = Path(__file__).parents[2] / "docs" / "how-to" / "calibrate.md"
        table = re.findall(r"^\| ([\d.]+) \|(.*)\|$", guide.read_text(encoding="utf-8"), re.M)
        assert [row[0] for row in table] == ["2", "1", "0.5", "0.2"]
        for per_100, cells in table:
            told = [int(cell.replace(",", "")) for cell in cells.split("|")]
            assert told == [labels_needed(float(per_100) / 100, DELTA, k) for k in range(4)]

    @given(st.floats(0.01, 0.9), st.floats(0.01, 0.9), st.integers(0, 4))
    def test_is_the_fewest_that_do(self, alpha: float, delta: float, k: int) -> None:
        n = labels_needed(alpha, delta, k)
        assert binomial_cdf(k, n, alpha) <= delta < binomial_cdf(k, n - 1, alpha)


class TestFixedSequence:
    def test_keeps_the_last_before_the_first_that_fails(self) -> None:
        steps = [
            ThresholdStep(0.98, 700, 0),
            ThresholdStep(0.96, 1000, 1),
            ThresholdStep(0.94, 1100, 30),
            ThresholdStep(0.92, 9000, 1),
        ]
        assert fixed_sequence(steps, 0.005, DELTA) == steps[1]

    def test_certifies_nothing_if_the_first_fails(self) -> None:
        assert fixed_sequence([ThresholdStep(0.98, 597, 0), ThresholdStep(0.96, 5000, 0)], 0.005, DELTA) is None
        assert fixed_sequence([], 0.005, DELTA) is None

    def test_refuses_steps_that_do_not_fall(self) -> None:
        with pytest.raises(UsageError, match="must decrease"):
            fixed_sequence([ThresholdStep(0.9, 600, 0), ThresholdStep(0.9, 600, 0)], 0.005, DELTA)

    @given(st.integers(0, 40), st.integers(1, 2000), SHARES, SHARES)
    def test_a_step_holds_just_where_its_bound_does(self, k: int, n: int, alpha: float, delta: float) -> None:
        step = ThresholdStep(0.9, n, min(k, n))
        bound = upper_bound(step.k, n, delta)
        if abs(bound - alpha) > 1e-9:
            assert (fixed_sequence([step], alpha, delta) is step) is (bound < alpha)

    def test_breaks_its_bound_seldom_where_the_empirical_rate_breaks_it_often(self) -> None:
        alpha, runs, chance = 0.02, 300, random.Random(20261121)
        broken = by_rate = certified = 0
        for _ in range(runs):
            steps = simulated_steps(chance, 2000)
            best = fixed_sequence(steps, alpha, DELTA)
            certified += best is not None
            broken += best is not None and true_risk(best.threshold) > alpha
            tempting = min((s.threshold for s in steps if s.k <= alpha * s.n), default=1.0)
            by_rate += true_risk(tempting) > alpha
        assert certified > 0.5 * runs
        assert broken <= (DELTA + 0.03) * runs
        assert by_rate > 0.3 * runs


def true_risk(threshold: float) -> float:
    """Share of wrong pairs from a threshold on, where a pair of score s is wrong with probability 0.3 (1 - s)."""
    return 0.15 * (1.0 - threshold)


def simulated_steps(chance: random.Random, n: int) -> list[ThresholdStep]:
    """Scores evenly between .8 and 1; the true risk crosses 2 % between two thresholds."""
    pairs = [(s := chance.uniform(0.8, 1.0), chance.random() < 0.3 * (1.0 - s)) for _ in range(n)]
    thresholds = [0.95, 0.93, 0.91, 0.89, 0.875, 0.866, 0.86, 0.85, 0.83, 0.80]
    return [ThresholdStep(t, sum(s >= t for s, _ in pairs), sum(w for s, w in pairs if s >= t)) for t in thresholds]


class TestGrid:
    def test_lets_in_as_many_more_at_each_step(self) -> None:
        scores = [place / 1000 for place in range(1, 1001)]
        assert grid(scores, most=5, at_least=200) == (0.801, 0.601, 0.401, 0.201, 0.001)

    def test_is_rounded_down_and_without_repeats(self) -> None:
        assert grid([0.98766, 0.98764, 0.5], most=3) == (0.9876, 0.5)

    def test_of_too_few_is_empty(self) -> None:
        assert grid([], most=3) == grid([0.9, 0.8], at_least=3) == grid([0.9], most=0) == ()

    @given(st.lists(st.floats(-1, 1), min_size=1, max_size=60), st.integers(1, 12), st.integers(1, 60), st.randoms())
    def test_falls_and_lets_enough_in_whatever_the_order(
        self, scores: list[float], most: int, at_least: int, chance: random.Random
    ) -> None:
        at_least = min(at_least, len(scores))
        found = grid(scores, most, at_least)
        assert 1 <= len(found) <= most
        assert list(found) == sorted(set(found), reverse=True)
        assert sum(score >= found[0] for score in scores) >= at_least
        chance.shuffle(scores)
        assert grid(scores, most, at_least) == found


class TestClearLine:
    def test_of_too_few_is_none(self) -> None:
        assert clear_line([0.9] * 58, 0.05, DELTA) is None
        assert clear_line([0.9] * 59, 0.05, DELTA) == 0.9

    @given(st.integers(60, 2000))
    def test_is_the_highest_that_is_certain(self, n: int) -> None:
        line = clear_line([float(place) for place in range(1, n + 1)], 0.05, DELTA)
        assert line is not None
        assert binomial_cdf(int(line) - 1, n, 0.05) <= DELTA < binomial_cdf(int(line), n, 0.05)

    def test_clears_more_than_its_share_of_duplicates_seldom(self) -> None:
        chance, runs = random.Random(7), 1000
        lines = [clear_line([chance.random() for _ in range(200)], 0.05, DELTA) for _ in range(runs)]
        broken = sum(line is not None and line > 0.05 for line in lines)  # a share of 5 % lies under 0.05
        assert 0 < broken <= (DELTA + 0.02) * runs


def alarm_after(chance: random.Random, share: float, most: int) -> int | None:
    audit = Audit()
    for _ in range(most):
        audit = record_audit(audit, chance.random() < share, 0.01)
        if audit.alarmed(DELTA):
            return audit.n
    return None


class TestAudit:
    def test_starts_without_evidence(self) -> None:
        assert Audit().evidence == 1.0
        assert not Audit().alarmed(DELTA)

    def test_evidence_is_the_mean_of_the_bets(self) -> None:
        audit = record_audit(record_audit(Audit(), True, 0.01), False, 0.01)
        bets = [share / 0.01 for share in FRACTIONS]
        assert audit.evidence == pytest.approx(
            statistics.fmean((1 + bet * (1 - 0.01)) * (1 + bet * (0 - 0.01)) for bet in bets)
        )
        assert (audit.n, audit.n_wrong) == (2, 1)

    @given(st.floats(0.001, 0.5), st.lists(st.sampled_from([1, 0]), max_size=5))
    def test_is_a_fair_game_at_the_bound_itself(self, alpha: float, before: list[int]) -> None:
        audit = Audit()
        for wrong in before:
            audit = record_audit(audit, bool(wrong), alpha)
        expected = (
            alpha * record_audit(audit, True, alpha).evidence + (1 - alpha) * record_audit(audit, False, alpha).evidence
        )
        assert expected == pytest.approx(audit.evidence)

    def test_an_alarm_stays(self) -> None:
        audit = Audit()
        for _ in range(5):
            audit = record_audit(audit, True, 0.01)
        assert audit.alarmed(DELTA)
        for _ in range(3000):
            audit = record_audit(audit, False, 0.01)
        assert audit.evidence < 20
        assert audit.alarmed(DELTA)

    def test_a_thousand_wrong_ones_do_not_overflow(self) -> None:
        audit = Audit()
        for _ in range(1000):
            audit = record_audit(audit, True, 0.001)
        assert math.isfinite(audit.evidence)

    def test_finds_five_times_the_bound_after_about_83_merges(self) -> None:
        chance = random.Random(83)
        found = [alarm_after(chance, 0.05, 2000) for _ in range(400)]
        assert 65 <= statistics.median(after or 2000 for after in found) <= 100

    @pytest.mark.parametrize("share", [0.005, 0.01])
    def test_alarms_falsely_in_a_share_of_delta_at_most(self, share: float) -> None:
        chance = random.Random(5)
        assert sum(alarm_after(chance, share, 500) is not None for _ in range(200)) <= DELTA * 200


HELD = Certificate(
    dataset="d" * 32, model="minilm:1", guards="g" * 32, prompt="", n=700, k=0, alpha=0.005, delta=0.05,
    duplicate_from=0.94, clear_below=0.8, upper=upper_bound(0, 700, 0.05),
)  # fmt: skip


def changed(**fields: object) -> str:
    return json.dumps({**json.loads(certificate_json(HELD)), **fields})


class TestCertificate:
    def test_is_read_as_it_was_written(self) -> None:
        assert read_certificate(certificate_json(HELD)) == HELD
        assert read_certificate(certificate_json(HELD)).digest == HELD.digest

    def test_has_another_name_with_any_other_figure(self) -> None:
        assert read_certificate(changed(duplicate_from=0.95)).digest != HELD.digest
        assert read_certificate(changed(dataset="e" * 32)).digest != HELD.digest

    def test_a_whole_number_is_a_float_too(self) -> None:
        assert read_certificate(changed(duplicate_from=1)).duplicate_from == 1.0

    @pytest.mark.parametrize("name", sorted(json.loads(certificate_json(HELD))))
    def test_every_field_is_needed_and_typed(self, name: str) -> None:
        rest = {key: value for key, value in json.loads(certificate_json(HELD)).items() if key != name}
        with pytest.raises(UsageError, match=f"{name} is missing"):
            read_certificate(json.dumps(rest))
        mistyped: tuple[object, ...] = (None, True, [], 3 if isinstance(getattr(HELD, name), str) else "3")
        for wrong in mistyped:
            with pytest.raises(UsageError, match=f"{name} is .*not of type"):
                read_certificate(changed(**{name: wrong}))

    @pytest.mark.parametrize(
        "written",
        ["", "[]", "{", changed(made_at="today"), changed(n=10**400 + 1)[:-1], '{"n": 1, "n": 1}'],
    )
    def test_refuses_what_is_none(self, written: str) -> None:
        with pytest.raises(UsageError):
            read_certificate(written)

    @pytest.mark.parametrize(
        "fields",
        [
            {"upper": 0.001}, {"k": 1}, {"n": 600}, {"alpha": 0.001}, {"alpha": 0.0}, {"delta": 1.0}, {"k": -1},
            {"clear_below": 0.95}, {"duplicate_from": 1.5}, {"clear_below": -0.1}, {"upper": math.nan},
            {"duplicate_from": math.nan}, {"dataset": ""}, {"model": ""}, {"guards": ""}, {"delta": 0.04},
        ],
        ids=str,
    )  # fmt: skip
    def test_refuses_figures_that_do_not_add_up(self, fields: dict[str, object]) -> None:
        with pytest.raises(UsageError):
            read_certificate(changed(**fields))

    def test_refuses_a_field_that_stands_twice(self) -> None:
        written = certificate_json(HELD).replace('"k": 0', '"k": 0,\n  "k": 0')
        with pytest.raises(UsageError, match="occurs twice"):
            read_certificate(written)

    def test_of_the_old_form_is_told_apart(self) -> None:
        old = replace(HELD, guards="0123456789abcdef" * 2)
        assert "from an older version" in why_stale(old, "minilm:1", "2-" + "0" * 32)

    def test_is_stale_with_another_model_guard_or_prompt(self) -> None:
        assert why_stale(HELD, "minilm:1", "g" * 32) == ""
        assert "minilm:2" in why_stale(HELD, "minilm:2", "g" * 32)
        assert "guards" in why_stale(HELD, "minilm:1", "h" * 32)
        assert "prompt" in why_stale(HELD, "minilm:1", "g" * 32, "p")
