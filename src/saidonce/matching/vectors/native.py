"""The comparison of short rows in native code, from the distribution `saidonce-native`; numpy's is the reference.

Native code nominates pairs by a bound of its own and decides nothing: which pairs are near, and how similar they are,
is said by exact sums, so that results are the same bits with it and without it.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saidonce.foundation.model import Vector

DISTRIBUTION = "saidonce-native"
ABI = 1
"""Version of the library's functions that this module speaks."""

WIDTHS = (16, 20, 24, 28, 32, 40, 48, 64, 96, 128)
"""Numbers in a code that are tried on a sample, fewest first; without effect on results."""

_STEP = 2.0**-14
_SLACK = 2.2 * _STEP / 2
"""Times the root of the leading numbers: what rounding both rows' numbers can take from a product."""

_LOOK = 3_000
"""What looking at one pair costs, in numbers of its code that could be multiplied meanwhile. Source: measured."""

_COMPARE = 22
"""What comparing the sums with the floors costs, likewise."""

_LATER_TRIED, _EARLIER_TRIED = 64, 512
_PANEL = 8

Part = tuple[NDArray[np.intp], NDArray[np.intp], Vector]
"""Earlier and later places of pairs, and their float32 products."""


class _Call(ctypes.Structure):
    """Arguments of one call, in the order of the library."""

    _fields_ = [
        *[(name, ctypes.c_void_p) for name in (
            "later", "earlier", "later_short", "earlier_short", "rows", "places", "floors", "short_floors",
        )],
        *[(name, ctypes.c_int64) for name in (
            "n_later", "n_earlier", "w", "width", "dim", "first_place", "start", "triangle", "most",
        )],
        ("floor", ctypes.c_double),
        *[(name, ctypes.c_void_p) for name in ("first", "second", "near")],
        ("n_bounded", ctypes.c_int64),
    ]  # fmt: skip


class Kernels:
    """The functions of one library."""

    def __init__(self, library: Path) -> None:
        """Open a library.

        Raises:
            OSError: it cannot be loaded, speaks another version, or has no kernel for this processor.
        """
        self._library = ctypes.CDLL(str(library))
        for name in ("saidonce_abi", "saidonce_is_fast", "saidonce_near"):
            getattr(self._library, name).restype = ctypes.c_int64
        if (version := self._library.saidonce_abi()) != ABI:
            raise OSError(f"{library} has functions of version {version}, not {ABI}")
        if not self._library.saidonce_is_fast():
            raise OSError(f"{library} has no kernel for this processor; it needs AVX2")

    def encode(self, short: Vector, width: int) -> NDArray[np.int16]:
        """Return codes of so many numbers, shape (n, width) int16, of short rows, C-contiguous float32."""
        codes = np.empty((len(short), width), dtype=np.int16)
        self._library.saidonce_encode(
            _at(short), ctypes.c_int64(len(short)), ctypes.c_int64(short.shape[1]), ctypes.c_int64(width), _at(codes)
        )
        return codes

    def panels(self, codes: NDArray[np.int16]) -> NDArray[np.int16]:
        """Return codes in panels of eight rows, shape (panels, 8 * width)."""
        n, width = codes.shape
        panels = np.empty((-(-n // _PANEL), _PANEL * width), dtype=np.int16)
        self._library.saidonce_panels(_at(codes), ctypes.c_int64(n), ctypes.c_int64(width), _at(panels))
        return panels

    def near(self, call: _Call) -> int:
        """Run a prepared call; return the number of pairs, -1 if there is no room for all."""
        return int(self._library.saidonce_near(ctypes.byref(call)))


@dataclass(frozen=True, slots=True, eq=False)
class Sides:
    """Some later rows and the earlier rows of a tile.

    Attributes:
        rows: all rows, shape (n, dim) float32.
        later, earlier: short rows, shape (.., width) float32.
        start: place of the first later row.
        places: of the earlier rows among all, ascending; None if they are the later rows, and each pair counts once.
        slack: how far a float32 product of short rows may be below the cosine of the rows.
        margin: how far one of whole rows may be.
    """

    rows: Vector
    later: Vector
    earlier: Vector
    start: int
    places: NDArray[np.intp] | None
    slack: float
    margin: float


class Comparison:
    """The later rows of a tile against its earlier ones, piece by piece."""

    def __init__(self, kernels: Kernels, sides: Sides, threshold: float) -> None:
        """Make the codes of both sides.

        Args:
            threshold: cosine from which two rows are near; decides with a sample how long codes are.
        """
        self._kernels, self._sides, self._threshold = kernels, sides, threshold
        self._later, self._earlier = _contiguous(sides.later), _contiguous(sides.earlier)
        self._places = None if sides.places is None else np.ascontiguousarray(sides.places, dtype=np.int64)
        self.width = self._cheapest()
        self._later_codes = kernels.encode(self._later, self.width)
        self._panels = kernels.panels(kernels.encode(self._earlier, self.width))

    def near(self, later: slice, earlier: slice, least: NDArray[np.float64], most: int) -> Part | None:
        """Return the pairs of a piece that may be near; None if there are more than `most`.

        Args:
            later: which of the later rows.
            earlier: which of the earlier rows; starts at a multiple of eight.
            least: the cosine that counts for each of these later rows, shape (n,).
        """
        call, kept = self._call(later, earlier, least, most)
        n = self._kernels.near(call)
        if n < 0:
            return None
        first, second, near = (column[:n] for column in kept[-3:])
        return first.astype(np.intp), second.astype(np.intp), near

    def _call(
        self, later: slice, earlier: slice, least: NDArray[np.float64], most: int
    ) -> tuple[_Call, tuple[NDArray[Any], ...]]:
        """Return the arguments of a call, and the arrays that have to live as long as it does."""
        sides = self._sides
        first, second, near = np.empty(most, np.int64), np.empty(most, np.int64), np.empty(most, np.float32)
        floors, short_floors = _code_floors(least - sides.slack, self.width), _floors(least - sides.slack)
        places = None if self._places is None else self._places[earlier]
        call = _Call(
            later=_at(self._later_codes[later.start :]), earlier=_at(self._panels[earlier.start // _PANEL :]),
            later_short=_at(self._later[later.start :]), earlier_short=_at(self._earlier[earlier.start :]),
            rows=_at(sides.rows), places=None if places is None else _at(places), floors=_at(floors),
            short_floors=_at(short_floors), n_later=later.stop - later.start, n_earlier=earlier.stop - earlier.start,
            w=self.width, width=self._later.shape[1], dim=sides.rows.shape[1],
            first_place=sides.start + earlier.start, start=sides.start + later.start,
            triangle=int(places is None), most=most, floor=self._threshold - sides.margin,
            first=_at(first), second=_at(second), near=_at(near),
        )  # fmt: skip
        return call, (floors, short_floors, *(() if places is None else (places,)), first, second, near)

    def _cheapest(self) -> int:
        """Return the length of codes that costs least on a sample of the pairs."""
        sides = self._sides
        full = self._later.shape[1]
        widths = [*(width for width in WIDTHS if width < full), full + full % 2]
        step = max(1, len(self._later) // _LATER_TRIED), max(1, len(self._earlier) // _EARLIER_TRIED)
        later, earlier = self._later[:: step[0]], self._earlier[:: step[1]]
        costs = []
        for width in widths:
            a, b = (self._kernels.encode(_contiguous(side), width).astype(np.float64) for side in (later, earlier))
            floor = _code_floors(np.array([self._threshold - sides.slack]), width)[0]
            costs.append(_COMPARE + width + _LOOK * np.count_nonzero(a @ b.T >= floor) / (len(later) * len(earlier)))
        return widths[int(np.argmin(costs))]


def can_compare(rows: Vector, short: Vector) -> bool:
    """Return whether rows lie in memory as native code reads them."""
    return bool(
        rows.dtype == np.dtype("=f4") and rows.flags.c_contiguous and short.dtype == np.dtype("=f4") and short.size
    )


def _code_floors(least: NDArray[np.float64], width: int) -> NDArray[np.int32]:
    """Return the least product of codes that counts for each least product of short rows."""
    lowest = np.floor((least - _SLACK * np.sqrt(width - 1)) / _STEP**2) - 1
    floors: NDArray[np.int32] = np.clip(lowest, -(2.0**30), 2.0**30).astype(np.int32)
    return floors


def _floors(least: NDArray[np.float64]) -> NDArray[np.float32]:
    floors: NDArray[np.float32] = np.nextafter(least.astype(np.float32), np.float32(-np.inf))
    return floors


def _contiguous(rows: Vector) -> Vector:
    same: Vector = np.ascontiguousarray(rows)
    return same


def _at(array: NDArray[Any]) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


def _opened() -> tuple[Kernels | None, str]:
    """Open the installed library, and say what was opened, or why nothing was."""
    if find_spec("saidonce_native") is None:
        return None, f"numpy compares; {DISTRIBUTION} does it sooner, see docs/how-to/scale.md"
    try:
        kernels = Kernels(import_module("saidonce_native").library())
    except (OSError, AttributeError) as failed:
        return None, f"numpy compares, since {DISTRIBUTION} cannot be used: {failed}"
    return kernels, f"{DISTRIBUTION} compares, by its kernel for AVX2"


INSTALLED, WHY = _opened()
"""The functions of the installed distribution, None without it; and a sentence about it. Chosen at import."""
