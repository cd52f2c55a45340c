"""What the embedders share: distinct texts, safe Unicode and unit rows."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from saidonce.errors import ModelUnavailableError
from saidonce.foundation.model import Vector

_SURROGATE = re.compile("[\ud800-\udfff]")


def distinct(texts: Sequence[str]) -> tuple[list[str], NDArray[np.intp]]:
    """Return the different texts in order of first appearance, and for each input the place of its text.

    Lone surrogates, which no tokenizer or wire format takes, become U+FFFD.
    """
    places: dict[str, int] = {}
    back = [places.setdefault(_SURROGATE.sub("\ufffd", text), len(places)) for text in texts]
    return list(places), np.array(back, dtype=np.intp)


def unit_rows(rows: NDArray[np.float64], model: str) -> Vector:
    """Scale rows to length one: shape (n, dim) float64 in, float32 out, the same bits for a row in any company.

    Raises:
        ModelUnavailableError: a row is not finite or has no length.
    """
    peaks = np.abs(rows).max(axis=1, initial=0.0)
    if not (np.isfinite(peaks).all() and (peaks > 0).all()):
        raise ModelUnavailableError(model, "it returned a vector that is not finite or has length 0")
    scaled = rows / peaks[:, None]
    # Exact sums: the order in which numpy adds depends on the processor and on the number of rows.
    lengths = np.sqrt([math.fsum(row) for row in (scaled * scaled).tolist()])
    rows_of_one: Vector = (scaled / lengths[:, None]).astype(np.float32)
    return rows_of_one
