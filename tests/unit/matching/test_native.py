"""Native code and numpy find the same pairs, bit for bit: of random rows, and of rows made to tell them apart."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from saidonce.foundation.model import Vector
from saidonce.matching.vectors import Pairs, native
from saidonce.matching.vectors.join import Nominate, Tile, by_kernels, by_numpy, near_in_tile
from saidonce.matching.vectors.sketch import Sketch, sketch

SOURCE = Path(__file__).parents[3] / "packages" / "saidonce-native" / "src" / "tile.c"
THRESHOLDS = [-1.0, -0.2, 0.0, 0.3, 0.82, 0.9, 0.97, 1.0]


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> native.Kernels:
    """The library of this checkout, compiled anew, whatever is installed."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("there is no C compiler: native code is NOT tested")
    library = tmp_path_factory.mktemp("native") / "tile.so"
    words = [compiler, "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", str(SOURCE), "-o", str(library), "-lm"]
    built = subprocess.run(words, capture_output=True, text=True, check=False)
    if "stdint.h" in built.stderr or "crti.o" in built.stderr:
        pytest.skip("the C compiler here lacks its headers or libraries: native code is NOT tested")
    assert not built.returncode, built.stderr
    try:
        return native.Kernels(library)
    except OSError as failed:
        if "this processor" not in str(failed):
            raise
        pytest.skip(f"{failed}: it is NOT tested")


def unit(rows: Vector) -> Vector:
    rows = rows.astype(np.float64)
    scaled: Vector = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return scaled


def vectors(n: int, dim: int, seed: int, spread: float) -> Vector:
    """Unit rows, of which most lie near one of three others."""
    rng = np.random.default_rng(seed)
    return unit(rng.standard_normal((3, dim))[rng.integers(3, size=n)] + spread * rng.standard_normal((n, dim)))


def tiles(of: Sketch, threshold: float, most: int | None) -> list[Tile]:
    n = len(of.rows)
    early = np.arange(0, n // 2, 2)
    return [
        Tile(n // 2, n, None, of.short[n // 2 :], threshold, None),
        Tile(n // 2, n, early, of.short[early], threshold, most),
    ]


def same(of: Sketch, threshold: float, most: int | None, nominate: Nominate) -> list[Pairs]:
    """Assert that both ways find the same bits, and return them."""
    both = []
    for tile in tiles(of, threshold, most):
        ours, reference = near_in_tile(of, tile, nominate), near_in_tile(of, tile, by_numpy)
        order = [np.lexsort((pairs.first, pairs.second)) for pairs in (ours, reference)]
        for name in ("first", "second", "similarity"):
            a, b = (getattr(p, name)[at] for p, at in zip((ours, reference), order, strict=True))
            assert a.tobytes() == b.tobytes(), (name, tile.threshold, most)
        both.append(ours)
    return both


@settings(deadline=None, max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.integers(1, 90), st.integers(1, 150), st.integers(0, 99), st.sampled_from([0.0, 0.01, 0.2, 1.0, 30.0]),
    st.sampled_from(THRESHOLDS), st.sampled_from([None, 1, 5]),
)  # fmt: skip
def test_random_tiles(
    kernels: native.Kernels, n: int, dim: int, seed: int, spread: float, threshold: float, most: int | None
) -> None:
    same(sketch(vectors(n, dim, seed, spread), threshold), threshold, most, by_kernels(kernels))


def test_pairs_at_the_threshold_itself(kernels: native.Kernels) -> None:
    """Cosines a few float32 steps around the threshold: a bound that is a step too low loses some of them."""
    rng = np.random.default_rng(5)
    for threshold in (0.82, 0.9, 0.97):
        first = unit(rng.standard_normal((400, 384)) / np.sqrt(1 + np.arange(384)))
        aside = rng.standard_normal((400, 384))
        aside -= np.einsum("ij,ij->i", aside, first)[:, None] * first
        aside /= np.linalg.norm(aside, axis=1, keepdims=True)
        cosine = threshold + np.arange(-200, 200)[:, None] * 2.0**-24
        rows = np.concatenate([first, unit(cosine * first + np.sqrt(1 - cosine**2) * aside)])
        of = sketch(rows, threshold)
        tile = Tile(400, 800, np.arange(400), of.short[:400], threshold, None)
        pairs, reference = (near_in_tile(of, tile, way) for way in (by_kernels(kernels), by_numpy))
        assert sorted(pairs) == sorted(reference)
        assert 50 < len(pairs) < 400


def test_rows_that_use_the_whole_range_of_codes(kernels: native.Kernels) -> None:
    """Axes, opposite rows and repeats: products as large as they can be, and none may overflow."""
    eye = np.eye(60, dtype=np.float32)
    signs = np.where(np.random.default_rng(2).random((64, 60)) < 0.5, -1.0, 1.0).astype(np.float32)
    rows = np.concatenate([eye, -eye, eye, unit(signs), unit(-signs), unit(signs)])
    for threshold in (-1.0, 0.0, 0.9, 1.0):
        for most in (None, 2):
            same(sketch(rows, threshold), threshold, most, by_kernels(kernels))


def test_more_repeats_than_there_is_room_for(kernels: native.Kernels) -> None:
    """One row 600 times among others: pieces with too many pairs are compared as the reference does."""
    rows = vectors(1_200, 96, 3, 1.0)
    rows[::2] = rows[0]
    of = sketch(rows, 0.9)
    found = same(of, 0.9, 3, by_kernels(kernels))
    assert len(found[0]) == 300 * 299 // 2
    assert len(found[1]) == 3 * 300


def test_a_tile_of_an_odd_size_loses_no_edge(kernels: native.Kernels) -> None:
    """Later rows in two pieces, the second one short; earlier rows in two pieces, the second one short."""
    rows = vectors(2_100 + 601, 64, 8, 30.0)
    rows[2_100:] = rows[2_100 - 601 : 2_100]
    of = sketch(rows, 0.97)
    tile = Tile(2_100, 2_701, np.arange(2_100), of.short[:2_100], 0.97, None)
    pairs = sorted(near_in_tile(of, tile, by_kernels(kernels)))
    assert [(i, j) for i, j, _ in pairs] == [(1_499 + k, 2_100 + k) for k in range(601)]


def test_rows_that_lie_otherwise_in_memory_are_left_to_numpy() -> None:
    rows = vectors(10, 8, 1, 1.0)
    assert native.can_compare(rows, rows)
    assert not native.can_compare(rows.T, rows)
    assert not native.can_compare(rows.astype(np.float64).astype(">f4"), rows)
    assert not native.can_compare(rows, rows[:0])


def test_a_library_that_is_none_says_so(tmp_path: Path) -> None:
    (tmp_path / "tile.so").write_bytes(b"no library")
    with pytest.raises(OSError, match="tile.so"):
        native.Kernels(tmp_path / "tile.so")


def test_numpy_or_native_code_is_named() -> None:
    assert ("compares" in native.WHY) and (native.INSTALLED is None) == native.WHY.startswith("numpy")
