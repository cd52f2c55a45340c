from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saidonce.documents import salience
from saidonce.foundation.model import Kind, Segment

FULL = " ".join(f"word{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(40))


def made(content: str, kind: Kind = Kind.PARAGRAPH) -> Segment:
    return Segment("0", 0, kind, content, (), None, "en", "", 1, "0")


class TestFirst:
    def test_a_full_paragraph_at_the_beginning_counts_in_full(self) -> None:
        assert salience.first(Kind.PARAGRAPH, FULL, 0, 10) == 1.0

    @pytest.mark.parametrize(
        ("kind", "factor"),
        [
            (Kind.PARAGRAPH, 1.0),
            (Kind.LIST, 0.95),
            (Kind.TABLE, 0.95),
            (Kind.CODE, 0.8),
            (Kind.CAPTION, 0.7),
            (Kind.HEADING, 0.6),
        ],
    )
    def test_each_kind_has_its_factor(self, kind: Kind, factor: float) -> None:
        assert salience.first(kind, FULL, 0, 1) == pytest.approx(factor)

    def test_the_last_segment_has_four_fifths_of_the_first(self) -> None:
        assert salience.first(Kind.PARAGRAPH, FULL, 10, 11) == pytest.approx(0.8)
        assert salience.first(Kind.PARAGRAPH, FULL, 5, 11) == pytest.approx(0.9)

    def test_fewer_words_count_less_and_one_word_a_third(self) -> None:
        assert salience.first(Kind.PARAGRAPH, "keys", 0, 1) == pytest.approx(0.3 + 0.7 / 40)

    def test_repeated_filler_falls_to_nearly_nothing(self) -> None:
        assert salience.first(Kind.PARAGRAPH, "blah " * 100, 0, 1) < 0.05

    @pytest.mark.parametrize("filler", ["", "   ", "--------", "* * *", "17", "- 4 -", "....... 12"])
    def test_rules_and_page_numbers_fall_to_nothing(self, filler: str) -> None:
        assert salience.first(Kind.PARAGRAPH, filler, 0, 1) < 0.05

    def test_the_figures_of_a_table_are_its_substance(self) -> None:
        figures = "year | sum\n2021 | 17\n2022 | 23\n2023 | 31"
        assert salience.first(Kind.TABLE, figures, 0, 1) > salience.first(Kind.PARAGRAPH, figures, 0, 1)

    @given(st.sampled_from(Kind), st.text(), st.integers(0, 500), st.integers(1, 500))
    def test_lies_between_0_and_1(self, kind: Kind, content: str, ordinal: int, n_segments: int) -> None:
        assert 0.0 <= salience.first(kind, content, ordinal, max(n_segments, ordinal + 1)) <= 1.0


def test_rating_changes_nothing_but_the_salience_and_goes_by_place() -> None:
    rated = salience.rated([made(FULL), made(FULL), made("12")])
    assert [s.salience for s in rated] == [1.0, pytest.approx(0.9), 0.0]
    assert [s.text for s in rated] == [FULL, FULL, "12"]
    assert salience.rated([]) == ()


class TestBoost:
    @pytest.mark.parametrize(("n", "relative"), [(0, 0.0), (1, 0.15), (2, 0.30), (3, 0.45)])
    def test_linear_decay_adds_the_same_for_each_repeat(self, n: int, relative: float) -> None:
        assert salience.boost(n, 0.15, "linear", 2.0) == pytest.approx(relative)

    @pytest.mark.parametrize(("n", "relative"), [(0, 0.0), (1, 0.15), (2, 0.238), (3, 0.30), (7, 0.45)])
    def test_logarithmic_decay_adds_less_each_time(self, n: int, relative: float) -> None:
        assert salience.boost(n, 0.15, "logarithmic", 2.0) == pytest.approx(relative, abs=5e-4)

    def test_is_relative_to_the_first_salience(self) -> None:
        assert salience.boosted(0.5, 0.30, 1.0) == pytest.approx(0.65)

    def test_never_lifts_above_the_cap(self) -> None:
        assert salience.boosted(0.9, 0.30, 1.0) == 1.0
        assert salience.boosted(0.5, 0.30, 0.6) == 0.6

    def test_a_cap_lowers_nothing_that_was_above_it(self) -> None:
        assert salience.boosted(0.8, 0.30, 0.6) == 0.8

    @given(st.floats(0, 1), st.floats(0, 10), st.floats(0, 1))
    def test_never_lowers(self, first: float, relative: float, cap: float) -> None:
        assert salience.boosted(first, relative, cap) >= round(first, 6)
