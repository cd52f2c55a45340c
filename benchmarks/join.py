"""Pairs per second and core of the comparison alone, extrapolated to corpora too large for a benchmark.

    python -m benchmarks.join [ROWS ...] [--tiles N] [--json]

Tiles are measured: 2,048 rows against 16,384, vectors of 384 numbers with the falling spectrum of sentence models, one
row in fifty a near copy of one of the others. The total is computed: all pairs of the rows, none of them dropped early,
over the rate of the measured tiles. CPU seconds of one core; on a CUDA device, where torch sees one, seconds by the
clock, with blocks of earlier rows that stay on it, as in a run.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # read when numpy is imported

import argparse
import json
import sys
import time
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from saidonce.foundation.model import Vector
from saidonce.matching.vectors import cuda, native
from saidonce.matching.vectors.join import Tile, by_kernels, by_numpy, near_in_tile
from saidonce.matching.vectors.sketch import sketch

DIM, LATER, EARLIER = 384, 2_048, 16_384
THRESHOLD = 0.9
NEAR = 0.15
EVERY = 50


def rows(seed: int) -> Vector:
    """Return the rows of one tile, earlier ones first."""
    rng = np.random.default_rng(seed)
    spectrum = (1.0 / np.sqrt(1.0 + np.arange(DIM) / 8)).astype(np.float32)
    matrix = unit(rng.standard_normal((EARLIER + LATER, DIM), dtype=np.float32) * spectrum)
    later = np.arange(EARLIER, EARLIER + LATER, EVERY)
    matrix[later] = unit(matrix[rng.integers(EARLIER, size=len(later))] + NEAR * matrix[later])
    return matrix


def unit(vectors: Vector) -> Vector:
    """Scale to length one."""
    scaled: Vector = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return scaled


def has_device() -> bool:
    """Return whether torch sees a CUDA device."""
    return find_spec("torch") is not None and bool(import_module("torch").cuda.is_available())


def measure(n_tiles: int) -> list[dict[str, Any]]:
    """Rates of both ways on the same tiles, whose results are compared."""
    ways = {"numpy": by_numpy, **({"native": by_kernels(native.INSTALLED)} if native.INSTALLED else {})}
    ways |= {"cuda": cuda.possible} if has_device() else {}
    took = dict.fromkeys(ways, 0.0)
    n_found = 0
    for seed in range(n_tiles):
        of = sketch(rows(seed), THRESHOLD)
        places = np.arange(EARLIER)
        tile = Tile(EARLIER, EARLIER + LATER, places, of.short[places], THRESHOLD, 1)
        results = {}
        for name, way in ways.items():
            if way is cuda.possible:
                near_in_tile(of, tile, way)  # the block stays on the device
            clock = time.perf_counter if way is cuda.possible else time.process_time
            start = clock()
            found = near_in_tile(of, tile, way)
            took[name] += clock() - start
            results[name] = sorted(found)
        assert all(result == results["numpy"] for result in results.values())
        n_found += len(results["numpy"])
    pairs = n_tiles * LATER * EARLIER
    return [{"way": name, "tiles": n_tiles, "pairs_found": n_found, "pairs_per_s": pairs / took[name]} for name in ways]


def main() -> None:
    """Print the rates, and the totals that they come to."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("sizes", type=int, nargs="*", help="rows; 1000000 3000000 10000000 by default")
    parser.add_argument("--tiles", type=int, default=8)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    figures = measure(options.tiles)
    for one in figures:
        for n in options.sizes or (1_000_000, 3_000_000, 10_000_000):
            one[f"computed_minutes_{n}"] = round(n * (n - 1) / 2 / one["pairs_per_s"] / 60, 1)
        line = json.dumps(one) if options.json else "  ".join(f"{name}={value}" for name, value in one.items())
        sys.stdout.write(line + "\n")
    if native.INSTALLED is None:
        sys.stdout.write(f"{native.WHY}\n")


if __name__ == "__main__":
    main()
