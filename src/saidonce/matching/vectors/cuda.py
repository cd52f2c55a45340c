"""Pairs of a tile nominated by whole-number products, on a CUDA device with torch (extra `cuda`).

The products of int8 codes are exact, and a bound covers what the codes leave out, so that every near pair is nominated
whatever computes them; which pairs are near is decided by exact sums, as after every other nomination.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saidonce.errors import UsageError
from saidonce.foundation import extras
from saidonce.foundation.model import Vector
from saidonce.matching.vectors.canonical import margin
from saidonce.matching.vectors.join import Tile, confirmed
from saidonce.matching.vectors.sketch import Sketch

Products = Callable[[NDArray[np.int8], NDArray[np.int8]], NDArray[np.int32]]
"""Returns the products of all rows of one array of codes with all rows of another, exactly."""

_SIDE = 16_384
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


def possible(of: Sketch, tile: Tile) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp], Vector]]:
    """Nominate pairs by products of codes on the CUDA device; see `Nominate`."""
    yield from nominated(of, tile, on_device)


def nominated(
    of: Sketch, tile: Tile, products: Products
) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp], Vector]]:
    """Nominate pairs by products of int8 codes, from wherever these come."""
    later = Int8Rows(of.rows[tile.start : tile.stop])
    places = np.arange(tile.start, tile.stop) if tile.earlier is None else tile.earlier
    slack = margin(of.rows.shape[1]) + 1e-6
    for left in range(0, len(places), _SIDE):
        here = places[left : left + _SIDE]
        earlier = Int8Rows(of.rows[here])
        estimate = products(later.codes, earlier.codes) * (later.scales[:, None] * earlier.scales[None, :])
        # |ab - a'b'| <= |a - a'||b| + |a'||b - b'|, and |a'| <= 1 + |a - a'|.
        spread = later.rests[:, None] + (1.0 + later.rests[:, None]) * earlier.rests[None, :]
        i, j = np.nonzero(estimate + spread >= tile.threshold - slack)
        yield confirmed(of.rows, tile, here[j], i + tile.start)


class Int8Rows:
    """Rows as int8 codes, shape (n, dim): a row is its codes times its scale, and a rest of at most this length."""

    def __init__(self, rows: Vector) -> None:
        wide = np.asarray(rows, dtype=np.float64)
        self.scales = np.maximum(np.abs(wide).max(axis=1, initial=0.0), 1e-30) / 127.0
        codes = np.rint(wide / self.scales[:, None])
        self.codes: NDArray[np.int8] = codes.astype(np.int8)
        rest = wide - codes * self.scales[:, None]
        self.rests = np.sqrt(np.einsum("ij,ij->i", rest, rest)) * (1.0 + 1e-9) + 1e-12


def on_device(a: NDArray[np.int8], b: NDArray[np.int8]) -> NDArray[np.int32]:
    """Return the products of all rows of two arrays of codes, computed by torch on the CUDA device."""
    torch = _torch()
    left, right = torch.from_numpy(_filled(a)).cuda(), torch.from_numpy(_filled(b)).cuda()
    products: NDArray[np.int32] = torch._int_mm(left, right.t()).cpu().numpy()[: len(a), : len(b)]
    return products


def _filled(codes: NDArray[np.int8]) -> NDArray[np.int8]:
    """Fill both sides up with zeros, which change no product."""
    n, dim = codes.shape
    return np.pad(codes, ((0, -n % _MULTIPLE), (0, -dim % _MULTIPLE)))


@lru_cache(maxsize=1)
def _torch() -> Any:
    return import_module("torch")
