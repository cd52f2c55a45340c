from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saidonce.adapters.embed.rows import distinct, unit_rows
from saidonce.errors import ModelUnavailableError

numbers = st.floats(allow_nan=False, allow_infinity=False).filter(lambda number: number == 0 or abs(number) > 1e-300)


@settings(deadline=None)
@given(st.lists(st.lists(numbers, min_size=3, max_size=3).filter(any), min_size=1, max_size=5))
def test_any_finite_row_gets_length_one_and_the_same_bits_alone(rows: list[list[float]]) -> None:
    together = unit_rows(np.array(rows), "m")
    assert np.abs(np.linalg.norm(together.astype(np.float64), axis=1) - 1).max() < 1e-6
    for row, expected in zip(rows, together, strict=True):
        assert unit_rows(np.array([row]), "m").tobytes() == expected.tobytes()


@pytest.mark.parametrize("bad", [0.0, math.nan, math.inf])
def test_a_row_without_direction_is_refused(bad: float) -> None:
    with pytest.raises(ModelUnavailableError, match="not finite or has length 0"):
        unit_rows(np.array([[1.0, 0.0], [bad, 0.0]]), "m")


def test_no_rows_stay_no_rows() -> None:
    assert unit_rows(np.zeros((0, 4)), "m").shape == (0, 4)


def test_distinct_texts_keep_the_order_and_lose_lone_surrogates() -> None:
    unique, back = distinct(["b", "a", "b", "x\ud800", "x\udfff"])
    assert unique == ["b", "a", "x\ufffd"]
    assert back.tolist() == [0, 1, 0, 2, 2]
