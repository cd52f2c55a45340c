"""Perceptual hashes, similar for copies that were rescaled, recompressed or re-recorded; they only nominate.

A mark is `picture:HEX` or `sound:HEX`; `saidonce.kb.near_copies` compares marks.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image

_SIDE = 64
_BAND = 16
"""A picture is brought to 64 x 64 grey pixels; the signs of 16 x 16 of its lowest frequencies make 256 bits."""

_FRAME = 4096
_HOP = 1600
_LOW, _HIGH, _BANDS = 300.0, 2000.0, 33
_MOST_S = 120
"""Sound: each tenth of a second gives 32 bits, for at most two minutes.

Source: Haitsma and Kalker, A Highly Robust Audio Fingerprinting System, 2002.
"""


def mark_of_picture(picture: Image.Image) -> str:
    """Return the mark of a picture; empty for one of a single colour."""
    grey = np.asarray(picture.convert("L").resize((_SIDE, _SIDE), Image.Resampling.LANCZOS), np.float64)
    if grey.std() < 1.0:
        return ""
    cosines = _cosines()
    low = (cosines @ grey @ cosines.T)[:_BAND, :_BAND].ravel()[1:]
    bits = np.append(low > np.median(low), False)
    return f"picture:{np.packbits(bits).tobytes().hex()}"


@cache
def _cosines() -> NDArray[np.float64]:
    """Return the basis of the discrete cosine transform, shape (64, 64)."""
    k, n = np.mgrid[0:_SIDE, 0:_SIDE]
    basis: NDArray[np.float64] = np.cos(np.pi * k * (2 * n + 1) / (2 * _SIDE))
    return basis


def mark_of_sound(samples: NDArray[np.int16], rate: int) -> str:
    """Return the mark of a recording of one channel; empty for less than two seconds and for silence."""
    sound = samples[: _MOST_S * rate].astype(np.float64)
    if len(sound) < 2 * rate or np.abs(sound).max() < 64:
        return ""
    starts = range(0, len(sound) - _FRAME, _HOP)
    window = np.hanning(_FRAME)
    power = np.stack([np.abs(np.fft.rfft(sound[at : at + _FRAME] * window)) ** 2 for at in starts])
    edges = (np.geomspace(_LOW, _HIGH, _BANDS + 1) / rate * _FRAME).astype(int)
    bands = np.log(np.add.reduceat(power, edges, axis=1)[:, :_BANDS] + 1.0)
    slopes = np.diff(bands, axis=1)
    bits = np.diff(slopes, axis=0) > 0
    return f"sound:{np.packbits(bits, axis=1).tobytes().hex()}"
