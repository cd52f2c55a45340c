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


class NumpyArrays:
    """Where no device is: the reference."""

    xp = np

    def wide(self, rows: Vector) -> NDArray[np.float64]:
        return rows.astype(np.float64)

    def whole(self, codes: NDArray[np.float64]) -> NDArray[np.int8]:
        return codes.astype(np.int8)

    def products(self, a: NDArray[np.int8], b: NDArray[np.int8]) -> NDArray[np.int32]:
        products: NDArray[np.int32] = a.astype(np.int32) @ b.astype(np.int32).T
        return products

    def back(self, places: NDArray[np.intp]) -> NDArray[np.intp]:
        return places


def device() -> cuda.TorchArrays:
    """Arrays of the CUDA device, or of torch on the processor, which multiplies whole numbers as well."""
    torch = pytest.importorskip("torch", reason="torch is not installed: the CUDA device is NOT tested")
    return cuda.TorchArrays("cuda" if torch.cuda.is_available() else "cpu")


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
        found = near_in_tile(of, tile, lambda of, tile: cuda.nominated(of, tile, NumpyArrays()))
        assert listed(found) == listed(near_in_tile(of, tile))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("threshold", "spread"), [(0.3, 0.2), (0.9, 0.2), (0.9, 0.01), (1.0, 0.0)])
def test_torch_nominates_every_near_pair(seed: int, threshold: float, spread: float) -> None:
    arrays = device()
    of = sketch(vectors(90 + seed, 70, seed, spread), threshold)
    for tile in tiles(of, threshold, 5):
        found = near_in_tile(of, tile, lambda of, tile: cuda.nominated(of, tile, arrays))
        assert listed(found) == listed(near_in_tile(of, tile))


def test_products_of_torch_are_exact() -> None:
    arrays = device()
    rng = np.random.default_rng(1)
    a, b = (rng.integers(-127, 128, (n, 70)) for n in (33, 190))
    on_device = arrays.products(*(arrays.whole(arrays.wide(side.astype(np.float32))) for side in (a, b)))
    assert np.array_equal(arrays.back(on_device)[:33, :190], a @ b.T)


def test_blocks_that_stay_answer_as_new_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cuda, "_SIDE", 16)
    arrays = NumpyArrays()
    blocks = cuda.Blocks(arrays, 2 * 16 * 40)
    for seed in (1, 2, 1):
        of = sketch(vectors(150, 40, seed, 0.1), 0.9)
        for start in (100, 120, 140):
            early = np.arange(0, start, 2)
            tile = Tile(start, start + 10, early, of.short[early], 0.9, 5)
            found = near_in_tile(of, tile, lambda of, tile: cuda.nominated(of, tile, arrays, blocks))
            assert listed(found) == listed(near_in_tile(of, tile))


def test_a_device_that_is_not_there_is_refused() -> None:
    cuda.check_device("cpu")
    with pytest.raises(UsageError, match="no device 'tpu'"):
        cuda.check_device("tpu")
    if find_spec("torch") is None:
        with pytest.raises(UsageError, match=r"saidonce\[cuda\]"):
            cuda.check_device("cuda")
