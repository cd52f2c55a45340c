"""All near pairs of a few thousand rows."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from saidonce.foundation.model import Vector
from saidonce.matching.vectors.blas import one_thread
from saidonce.matching.vectors.canonical import Exact, margin, unit

TILE = 512
"""Rows on each side of a tile; a tile of products takes 1 MiB."""

_Places = NDArray[np.intp]


def near_pairs(vectors: Vector, threshold: float) -> list[tuple[int, int, float]]:
    """Every pair of rows whose canonical similarity is at least the threshold, exactly.

    Args:
        vectors: shape (n, dim) float32, unit rows.

    Returns:
        (i, j, similarity) with i < j, by (i, j).

    Raises:
        UsageError: a row does not have length one or is not finite.
    """
    if len(vectors) < 2:
        return []
    rows = unit(vectors, vectors.shape[1])
    with one_thread():
        found = list(_nominated(rows, threshold - margin(rows.shape[1])))
    first = np.concatenate([i for i, _ in found])
    second = np.concatenate([j for _, j in found])
    if not len(first):
        return []
    similar = similarities(rows, first, second)
    kept = similar >= threshold
    pairs = zip(first[kept].tolist(), second[kept].tolist(), similar[kept].tolist(), strict=True)
    return sorted(pairs)


def _nominated(rows: Vector, lowest: float) -> Iterator[tuple[_Places, _Places]]:
    for top in range(0, len(rows), TILE):
        block = rows[top : top + TILE]
        for left in range(top, len(rows), TILE):
            products = block @ rows[left : left + TILE].T
            i, j = np.divmod(np.flatnonzero(products >= lowest), products.shape[1])
            if left == top:
                i, j = i[i < j], j[i < j]
            yield i + top, j + left


def similarities(rows: Vector, first: _Places, second: _Places) -> NDArray[np.float64]:
    """Canonical similarity of each pair of rows, shape (len(first),) float64; repeated rows are compared once."""
    named, places = np.unique(np.concatenate([first, second]), return_inverse=True)
    groups: dict[bytes, int] = {}
    members = np.array([groups.setdefault(rows[at].tobytes(), len(groups)) for at in named], dtype=np.intp)
    leaders = np.unique(members, return_index=True)[1]
    a, b = members[places[: len(first)]], members[places[len(first) :]]
    asked, back = np.unique(np.minimum(a, b) * len(groups) + np.maximum(a, b), return_inverse=True)
    return Exact(rows[named[leaders]]).cosines(*np.divmod(asked, len(groups)))[back]
