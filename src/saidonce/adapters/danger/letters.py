"""The letters of a text as hashed features; they carry the languages whose words the encoder's vocabulary lacks."""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from saidonce.foundation.text import folded

N_PLACES = 32_768
"""Places of hashed words and pieces of words; two may share one."""

PIECES = (3, 4, 5)
"""Lengths of the pieces of a word, its ends marked."""

UNSPACED_PIECES = (1, 2, 3)
"""Lengths of the pieces where no spaces stand between words."""

_TOKEN = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\u0e00-\u0e7f]")


def letter_features(text: str) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return the places of a text's letters and their values, each of shape (n,); the values have length one.

    A place that counts n times has 1 + log(n) before that. Places stand in the order in which the text has them.
    """
    counts = Counter(map(_place, _pieces(text)))
    places = np.fromiter(counts, dtype=np.intp, count=len(counts))
    values = 1.0 + np.log(np.fromiter(counts.values(), dtype=np.float64, count=len(counts)))
    return places, values / max(float(np.linalg.norm(values)), 1e-9)


def _pieces(text: str) -> Iterator[str]:
    tokens = _TOKEN.findall(folded(text))
    for token in tokens:
        if _UNSPACED.search(token):
            yield from (token[at : at + n] for n in UNSPACED_PIECES for at in range(len(token) - n + 1))
            continue
        marked = f"<{token}>"
        yield "w" + marked
        yield from (marked[at : at + n] for n in PIECES for at in range(len(marked) - n + 1))
    yield from (f"b{a} {b}" for a, b in pairwise(tokens))


@lru_cache(maxsize=65_536)
def _place(piece: str) -> int:
    return zlib.crc32(piece.encode()) % N_PLACES
