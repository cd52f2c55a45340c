"""Pairs nominated by whole-number products: none is missed, whoever multiplies."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from saidonce.errors import UsageError
from saidonce.foundation.model import Vector
from saidonce.matching.vectors import Pairs, cuda
from saidonce.matching.vectors.join import Tile, near_in_tile
from saidonce.matching.vectors.sketch import Sketch, sketch


def vectors(n: int, dim: int, seed: int, spread: float) -> Vector:
    """Unit rows, of which most lie near one of three others."""
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((3, dim))[rng.integers(3, size=n)] + spread * rng.standard_normal((n, dim))
    unit: Vector = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return unit


def plain(a: NDArray[np.int8], b: NDArray[np.int8]) -> NDArray[np.int32]:
    products: NDArray[np.int32] = a.astype(np.int32) @ b.astype(np.int32).T
    return products


def listed(pairs: Pairs) -> list[tuple[int, int, float]]:
    return sorted(pairs)


def tiles(of: Sketch, threshold: float, most: int | None) -> list[Tile]:
    n = len(of.rows)
    early = np.arange(0, n // 2, 2)
    return [
        Tile(n // 2, n, None, of.short[n // 2 :], threshold, None),
        Tile(n // 2, n, early, of.short[early], threshold, most),
    ]


@settings(deadline=None, max_examples=40)
@given(
    st.integers(2, 60), st.integers(2, 70), st.integers(0, 99), st.sampled_from([0.0, 0.01, 0.2, 1.0]),
    st.sampled_from([0.3, 0.9, 0.97, 1.0]), st.sampled_from([None, 1, 5]),
)  # fmt: skip
def test_codes_nominate_every_near_pair(
    n: int, dim: int, seed: int, spread: float, threshold: float, most: int | None
) -> None:
    of = sketch(vectors(n, dim, seed, spread), threshold)
    for tile in tiles(of, threshold, most):
        found = near_in_tile(of, tile, lambda of, tile: cuda.nominated(of, tile, plain))
        assert listed(found) == listed(near_in_tile(of, tile))


def test_products_are_those_of_a_device() -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed: the CUDA device is NOT tested")
    if not torch.cuda.is_available():
        pytest.skip("there is no CUDA device: it is NOT tested")
    rng = np.random.default_rng(1)
    a, b = (rng.integers(-127, 128, (n, 70)).astype(np.int8) for n in (33, 190))
    assert np.array_equal(cuda.on_device(a, b), plain(a, b))


def test_a_device_that_is_not_there_is_refused() -> None:
    cuda.check_device("cpu")
    with pytest.raises(UsageError, match="no device 'tpu'"):
        cuda.check_device("tpu")
    if find_spec("torch") is None:
        with pytest.raises(UsageError, match=r"saidonce\[cuda\]"):
            cuda.check_device("cuda")
