"""Pairs of a tile nominated by whole-number products, on a CUDA device with torch (extra `cuda`).

The products of int8 codes are exact, and a bound covers what the codes leave out, so that every near pair is nominated
whatever computes them; which pairs are near is decided by exact sums, as after every other nomination.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from saidonce.errors import UsageError
from saidonce.foundation import extras
from saidonce.foundation.model import Vector
from saidonce.matching.vectors.canonical import margin
from saidonce.matching.vectors.join import Tile, confirmed
from saidonce.matching.vectors.sketch import Sketch

_Places = NDArray[np.intp]

_SIDE = 16_384
"""Earlier rows of one product; a whole block of so many stays on the device."""

_MULTIPLE = 32
"""`_int_mm` wants sides that are multiples of eight, and more than sixteen rows."""


def check_device(device: str) -> None:
    """Refuse a device that is not there.

    Raises:
        UsageError: it is unknown, or torch sees no CUDA device.
        MissingExtraError: torch is not installed.
    """
    if device == "cpu":
        return
    if device != "cuda":
        raise UsageError(f"no device {device!r}; there are cpu, cuda")
    extras.need("cuda", "the device 'cuda'")
    if not import_module("torch").cuda.is_available():
        raise UsageError("torch sees no CUDA device on this machine; leave --device out to compare on its processor")


class Arrays(Protocol):
    """Where rows are coded and multiplied.

    Attributes:
        xp: numpy, or torch, whose functions of these names do the same.
    """

    xp: Any

    def wide(self, rows: Vector) -> Any:
        """Return rows as float64, shape (n, dim)."""
        ...

    def whole(self, codes: Any) -> Any:
        """Return whole numbers of -127..127 as int8, as `products` takes them."""
        ...

    def products(self, a: Any, b: Any) -> Any:
        """Return the exact products of all rows of one array of codes with all rows of another; rows may be added."""
        ...

    def back(self, places: Any) -> _Places:
        """Return places as an array of numpy."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Coded:
    """Rows as int8 codes: a row is its codes times its scale, and a rest of at most this length."""

    n: int
    codes: Any
    scales: Any
    rests: Any


def coded(rows: Vector, arrays: Arrays) -> Coded:
    """Code rows, shape (n, dim)."""
    xp, wide = arrays.xp, arrays.wide(rows)
    scales = xp.clip(xp.amax(xp.abs(wide), axis=1), 1e-30, None) / 127.0
    codes = xp.round(wide / scales[:, None])
    rest = wide - codes * scales[:, None]
    rests = xp.sqrt(xp.einsum("ij,ij->i", rest, rest)) * (1.0 + 1e-9) + 1e-12
    return Coded(len(rows), arrays.whole(codes), scales, rests)


def near(later: Coded, earlier: Coded, least: float, arrays: Arrays) -> tuple[_Places, _Places]:
    """Return (later, earlier) of at least all pairs whose product is `least` or more."""
    products = arrays.products(later.codes, earlier.codes)[: later.n, : earlier.n]
    estimate = products * (later.scales[:, None] * earlier.scales[None, :])
    # |ab - a'b'| <= |a - a'||b| + |a'||b - b'|, and |a'| <= 1 + |a - a'|.
    estimate += later.rests[:, None] + (1.0 + later.rests[:, None]) * earlier.rests[None, :]
    i, j = arrays.xp.where(estimate >= least)
    return arrays.back(i), arrays.back(j)


def nominated(
    of: Sketch, tile: Tile, arrays: Arrays, blocks: Blocks | None = None
) -> Iterator[tuple[_Places, _Places, Vector]]:
    """Nominate pairs by products of int8 codes, wherever these are computed.

    Args:
        blocks: earlier rows that are coded already.
    """
    later = coded(of.rows[tile.start : tile.stop], arrays)
    places = np.arange(tile.start, tile.stop) if tile.earlier is None else tile.earlier
    least = tile.threshold - margin(of.rows.shape[1]) - 1e-6
    for left in range(0, len(places), _SIDE):
        here = places[left : left + _SIDE]
        earlier = coded(of.rows[here], arrays) if blocks is None else blocks.at(of, here)
        i, j = near(later, earlier, least, arrays)
        yield confirmed(of.rows, tile, here[j], i + tile.start)


class Blocks:
    """Blocks of coded rows that meet one stripe after another: the ones asked for last, of one corpus."""

    def __init__(self, arrays: Arrays, most_bytes: int) -> None:
        self._arrays = arrays
        self._most_bytes = most_bytes
        self._of: Sketch | None = None
        self._blocks: OrderedDict[bytes, Coded] = OrderedDict()

    def at(self, of: Sketch, places: _Places) -> Coded:
        """Return the rows at some places; what is no whole block is coded anew."""
        if len(places) < _SIDE:
            return coded(of.rows[places], self._arrays)
        if of is not self._of:
            self._blocks.clear()
            self._of = of
        key = places.tobytes()
        block = self._blocks.pop(key, None) or coded(of.rows[places], self._arrays)
        self._blocks[key] = block
        while len(self._blocks) > max(1, self._most_bytes // (_SIDE * of.rows.shape[1])):
            self._blocks.popitem(last=False)
        return block


def possible(of: Sketch, tile: Tile) -> Iterator[tuple[_Places, _Places, Vector]]:
    """Nominate pairs on the CUDA device; see `Nominate`."""
    arrays, blocks = _device()
    yield from nominated(of, tile, arrays, blocks)


class TorchArrays:
    """Arrays of torch on a device."""

    def __init__(self, device: str) -> None:
        self.xp = import_module("torch")
        self._device = device

    def wide(self, rows: Vector) -> Any:
        """See the protocol."""
        return self.xp.from_numpy(np.ascontiguousarray(rows)).to(self._device).double()

    def whole(self, codes: Any) -> Any:
        """See the protocol; both sides are filled up with zeros, which change no product."""
        n, dim = codes.shape
        return self.xp.nn.functional.pad(codes.to(self.xp.int8), (0, -dim % _MULTIPLE, 0, -n % _MULTIPLE))

    def products(self, a: Any, b: Any) -> Any:
        """See the protocol."""
        return self.xp._int_mm(a, b.t())

    def back(self, places: Any) -> _Places:
        """See the protocol."""
        found: _Places = places.cpu().numpy()
        return found


@lru_cache(maxsize=1)
def _device() -> tuple[TorchArrays, Blocks]:
    """Return the device's arrays, and blocks in half of the memory that is free there."""
    arrays = TorchArrays("cuda")
    return arrays, Blocks(arrays, arrays.xp.cuda.mem_get_info()[0] // 2)
