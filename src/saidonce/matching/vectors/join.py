"""Near pairs, exactly: of a few thousand rows at once, or of a whole corpus as a triangle of independent tiles."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from saidonce.errors import UsageError
from saidonce.foundation.model import Vector
from saidonce.matching.vectors import native
from saidonce.matching.vectors.blas import one_thread
from saidonce.matching.vectors.canonical import Exact, margin, unit
from saidonce.matching.vectors.sketch import Sketch, sketch

TILE = 512
"""Rows on each side of a tile of `near_pairs`; its products take 1 MiB."""

BAND = 1_024
"""Rows that are compared with all earlier ones together."""

STRIP = 8_192
"""Earlier rows in one tile; a thread takes one tile at a time."""

_SIDE = 512
"""Rows on each side of one product, which takes 1 MiB and stays in the cache."""

_SIDE_OF_KERNELS = 2_048
"""Earlier rows in one call of native code."""

_PAIRS_AT_ONCE = 1_024

_DENSE = 64
"""Where the bound lets through one pair of so many, one product of whole rows is quicker than picking them."""

_Places = NDArray[np.intp]
_Part = tuple[_Places, _Places, Vector]
_NONE: _Part = (np.zeros(0, np.intp), np.zeros(0, np.intp), np.zeros(0, np.float32))


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Pairs of rows with first < second, and their canonical similarity; arrays of one length."""

    first: _Places
    second: _Places
    similarity: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.first)

    def __iter__(self) -> Iterator[tuple[int, int, float]]:
        return zip(self.first.tolist(), self.second.tolist(), self.similarity.tolist(), strict=True)


@dataclass(frozen=True, slots=True, eq=False)
class Tile:
    """A piece of the work: some later rows against some earlier ones.

    Attributes:
        start, stop: the later rows.
        earlier: places of the earlier rows, ascending, and `short` their short rows; the later rows
            themselves if None, of which every pair counts once.
        most: nearest earlier rows for each later one, ties by place; None for all.
    """

    start: int
    stop: int
    earlier: _Places | None
    short: Vector
    threshold: float
    most: int | None


Run = Callable[[Callable[[Tile], Pairs], Iterable[Tile]], Iterable[Pairs]]
"""Calls a function on each tile and returns the results in the order of the tiles: `map`, or that of a pool."""


class Join:
    """Rows compared band by band, each with the earlier rows that were kept.

    Results depend neither on the size of tiles nor on their threads: the bound only nominates,
    the canonical cosine decides.
    """

    def __init__(self, vectors: Vector, threshold: float, most: int | None = None, run: Run = map) -> None:
        """Take rows, shape (n, dim) float32, unit rows.

        Args:
            threshold: canonical similarity from which two rows are near, -1..1.
            most: nearest kept rows for each row; None for all.

        Raises:
            UsageError: a row does not have length one or is not finite, or the threshold is not a cosine.
        """
        if not -1.0 <= threshold <= 1.0:
            raise UsageError(f"a threshold of {threshold!r} is not a cosine; use one from -1 to 1")
        self._sketch = sketch(vectors, threshold)
        self._threshold = threshold
        self._most = most
        self._run = run
        self._kept = np.empty(len(vectors), dtype=np.intp)
        self._short = np.empty_like(self._sketch.short)
        self._n_kept = 0

    def keep(self, places: _Places) -> None:
        """Compare later rows with these; places ascend from call to call."""
        end = self._n_kept + len(places)
        self._kept[self._n_kept : end] = places
        self._short[self._n_kept : end] = self._sketch.short[places]
        self._n_kept = end

    def pairs(self, start: int, stop: int) -> Pairs:
        """Return the near pairs of rows start..stop by (first, second): all among themselves, `most` with kept rows.

        For each row at least the `most` nearest kept ones are there, ties by place.
        """
        with one_thread():
            tiles = list(self._run(self._near, self._tiles(start, stop)))
        return joined(tiles)

    def nearest(self, place: int, among: _Places, most: int) -> list[tuple[int, float]]:
        """Return (place, similarity) of the `most` nearest of some other rows, of those near enough; ties by place.

        Args:
            among: places of the others, ascending, without the row itself.
        """
        tile = Tile(place, place + 1, among, self._sketch.short[among], self._threshold, most)
        with one_thread():
            near = near_in_tile(self._sketch, tile)
        return list(zip(near.first.tolist(), near.similarity.tolist(), strict=True))

    def _tiles(self, start: int, stop: int) -> Iterator[Tile]:
        yield Tile(start, stop, None, self._sketch.short[start:stop], self._threshold, None)
        for at in range(0, self._n_kept, STRIP):
            end = min(at + STRIP, self._n_kept)
            yield Tile(start, stop, self._kept[at:end], self._short[at:end], self._threshold, self._most)

    def _near(self, tile: Tile) -> Pairs:
        return near_in_tile(self._sketch, tile)


def corpus_pairs(vectors: Vector, threshold: float, run: Run = map, band: int = BAND) -> Pairs:
    """Return every pair of rows whose canonical similarity is at least the threshold, exactly, by (first, second).

    The same as `near_pairs`, for corpora of any size that fits the memory; see `Join` for arguments.

    Raises:
        UsageError: a row does not have length one or is not finite, or the threshold is not a cosine.
    """
    join = Join(vectors, threshold, None, run)
    bands = []
    for start in range(0, len(vectors), band):
        stop = min(start + band, len(vectors))
        bands.append(join.pairs(start, stop))
        join.keep(np.arange(start, stop))
    return joined(bands)


Nominate = Callable[[Sketch, Tile], Iterable[_Part]]
"""Yields (first, second, float32 product) of at least all near pairs of a tile; what else it yields decides nothing."""


def by_numpy(of: Sketch, tile: Tile) -> Iterator[_Part]:
    """Nominate pairs by the products of short rows: the reference of all ways to do it."""
    for top in range(tile.start, tile.stop, _SIDE):
        yield from _possible(of, tile, top)


def by_kernels(kernels: native.Kernels) -> Nominate:
    """Nominate pairs by native code; where it finds one pair in few, by products of whole rows as the reference does."""

    def nominate(of: Sketch, tile: Tile) -> Iterator[_Part]:
        if not native.can_compare(of.rows, tile.short):
            yield from by_numpy(of, tile)
            return
        later = of.short[tile.start : tile.stop]
        sides = native.Sides(
            of.rows, later, tile.short, tile.start, tile.earlier, of.slack, margin(of.rows.shape[1])
        )  # fmt: skip
        comparison = native.Comparison(kernels, sides, tile.threshold)
        for top in range(tile.start, tile.stop, _SIDE):
            yield from _by_kernels(of, tile, comparison, top)

    return nominate


possible = by_kernels(native.INSTALLED) if native.INSTALLED else by_numpy
"""How pairs are nominated here: by native code where it is installed."""


def near_in_tile(of: Sketch, tile: Tile, nominate: Nominate | None = None) -> Pairs:
    """Return the near pairs of one tile; it depends on its arguments only, so tiles may run anywhere, in any order.

    Calls into linear algebra are many and small: keep it on one thread, see `one_thread`.
    """
    parts = [_NONE, *(nominate or possible)(of, tile)]
    first, second, near = (np.concatenate(column) for column in zip(*parts, strict=True))
    if tile.most is not None and len(first):
        chosen = _may_be_nearest(second, near, tile.most, 2 * margin(of.rows.shape[1]))
        first, second = first[chosen], second[chosen]
    if not len(first):
        return Pairs(first, second, np.zeros(0))
    similar = similarities(of.rows, first, second)
    is_near = similar >= tile.threshold
    pairs = Pairs(first[is_near], second[is_near], similar[is_near])
    return pairs if tile.most is None else _nearest(pairs, tile.most)


def _possible(of: Sketch, tile: Tile, top: int) -> Iterator[_Part]:
    """Yield the pairs of a few later rows ruled out neither by the bound nor by the product of whole rows."""
    stop = min(top + _SIDE, tile.stop)
    places = np.arange(tile.start, stop) if tile.earlier is None else tile.earlier
    least = np.full(stop - top, tile.threshold)
    products = np.empty((stop - top, _SIDE), dtype=np.float32)
    for left in range(0, len(places), _SIDE):
        here = places[left : left + _SIDE]
        bounds = np.matmul(of.short[top:stop], tile.short[left : left + len(here)].T, out=products[:, : len(here)])
        hits = bounds >= _floor(least, of.slack)
        n_hits = np.count_nonzero(hits)
        if n_hits * _DENSE > hits.size:
            yield _dense(of.rows, tile, top, here, least)
        elif n_hits:
            yield _sparse(of.rows, tile, top, here, hits)


def _by_kernels(of: Sketch, tile: Tile, comparison: native.Comparison, top: int) -> Iterator[_Part]:
    """Yield the pairs of a few later rows as `_possible` does."""
    stop = min(top + _SIDE, tile.stop)
    places = np.arange(tile.start, stop) if tile.earlier is None else tile.earlier
    least = np.full(stop - top, tile.threshold)
    for left in range(0, len(places), _SIDE_OF_KERNELS):
        here = places[left : left + _SIDE_OF_KERNELS]
        later, earlier = slice(top - tile.start, stop - tile.start), slice(left, left + len(here))
        part = comparison.near(later, earlier, least, len(here) * len(least) // _DENSE)
        yield _dense(of.rows, tile, top, here, least) if part is None else part


def _sparse(rows: Vector, tile: Tile, top: int, here: _Places, hits: NDArray[np.bool_]) -> _Part:
    i, j = np.divmod(np.flatnonzero(hits), len(here))
    return confirmed(rows, tile, here[j], i + top)


def confirmed(rows: Vector, tile: Tile, first: _Places, second: _Places) -> _Part:
    """Return those of a tile's pairs that the products of whole rows leave possible, each pair once."""
    if tile.earlier is None:
        first, second = first[first < second], second[first < second]
    near = np.empty(len(first), dtype=np.float32)
    for at in range(0, len(first), _PAIRS_AT_ONCE):
        part = slice(at, at + _PAIRS_AT_ONCE)
        near[part] = np.einsum("ij,ij->i", rows[first[part]], rows[second[part]])
    possible = near >= _floor(tile.threshold, margin(rows.shape[1]))
    return first[possible], second[possible], near[possible]


def _dense(rows: Vector, tile: Tile, top: int, here: _Places, least: NDArray[np.float64]) -> _Part:
    """Find pairs by one product of whole rows; `least` rises to the product of the k-th nearest row."""
    near = rows[top : top + len(least)] @ rows[here].T
    spread = margin(rows.shape[1])
    if tile.most is not None and len(here) >= tile.most:
        kth = np.partition(near, len(here) - tile.most, axis=1)[:, len(here) - tile.most]
        np.maximum(least, kth - spread, out=least)
    i, j = np.nonzero(near >= _floor(least, spread))
    first, second, products = here[j], i + top, near[i, j]
    if tile.earlier is None:
        earlier = first < second
        return first[earlier], second[earlier], products[earlier]
    return first, second, products


def _floor(least: float | NDArray[np.float64], slack: float) -> NDArray[np.float32]:
    """Return the least float32 product that counts, as a column: rounded down."""
    floor: NDArray[np.float32] = np.nextafter(np.asarray(least - slack, dtype=np.float32), np.float32(-np.inf))
    return floor[:, None] if floor.ndim else floor


def _may_be_nearest(second: _Places, near: Vector, most: int, spread: float) -> _Places:
    """Return the places of pairs that may be among the `most` nearest of their later row."""
    order = np.lexsort((-near, second))
    rank, group = _ranks(second[order])
    kth = np.full(group[-1] + 1, -np.inf)
    at = rank == most - 1
    kth[group[at]] = near[order][at]
    chosen: _Places = np.sort(order[near[order] >= kth[group] - spread])
    return chosen


def _nearest(pairs: Pairs, most: int) -> Pairs:
    if not len(pairs):
        return pairs
    order = np.lexsort((pairs.first, -pairs.similarity, pairs.second))
    chosen = np.sort(order[_ranks(pairs.second[order])[0] < most])
    return Pairs(pairs.first[chosen], pairs.second[chosen], pairs.similarity[chosen])


def _ranks(ordered: _Places) -> tuple[_Places, _Places]:
    """Return for each entry of an ordered array its rank among equal ones, from 0, and the number of its group."""
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    lengths = np.diff(np.append(starts, len(ordered)))
    group = np.repeat(np.arange(len(starts)), lengths)
    return np.arange(len(ordered)) - starts[group], group


def joined(parts: list[Pairs]) -> Pairs:
    """Return the pairs of several tiles as one, by (first, second)."""
    first = np.concatenate([p.first for p in parts]) if parts else np.zeros(0, np.intp)
    second = np.concatenate([p.second for p in parts]) if parts else np.zeros(0, np.intp)
    similar = np.concatenate([p.similarity for p in parts]) if parts else np.zeros(0)
    order = np.lexsort((second, first))
    return Pairs(first[order], second[order], similar[order])


def near_pairs(vectors: Vector, threshold: float) -> list[tuple[int, int, float]]:
    """Return every pair of rows whose canonical similarity is at least the threshold, exactly.

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
        parts = list(_nominated(rows, threshold - margin(rows.shape[1])))
    first = np.concatenate([i for i, _ in parts])
    second = np.concatenate([j for _, j in parts])
    if not len(first):
        return []
    similar = similarities(rows, first, second)
    is_near = similar >= threshold
    pairs = zip(first[is_near].tolist(), second[is_near].tolist(), similar[is_near].tolist(), strict=True)
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
    """Return the canonical similarity of each pair of rows, shape (len(first),) float64; repeated rows count once."""
    named, places = np.unique(np.concatenate([first, second]), return_inverse=True)
    groups: dict[bytes, int] = {}
    members = np.array([groups.setdefault(rows[at].tobytes(), len(groups)) for at in named], dtype=np.intp)
    leaders = np.unique(members, return_index=True)[1]
    a, b = members[places[: len(first)]], members[places[len(first) :]]
    numbers, back = np.unique(np.minimum(a, b) * len(groups) + np.maximum(a, b), return_inverse=True)
    return Exact(rows[named[leaders]]).cosines(*np.divmod(numbers, len(groups)))[back]
