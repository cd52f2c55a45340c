"""Flow: nominate near copies of a picture or a recording by its mark: rescaled, recompressed, recorded again.

A mark proves nothing: near copies are listed under each other, and nothing is merged or folded because of one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from saidonce.foundation.model import Original, StoredDocument
from saidonce.foundation.ports import Store

PICTURE_FROM = 0.9
"""Share of equal bits of 256 from which two pictures are nominated; of different pictures about half are equal."""

SOUND_FROM = 0.65
"""The same of two recordings. Source: Haitsma and Kalker, bit error rate 0.35."""

_MOST_SHIFT = 100
"""Tenths of a second by which two recordings may begin apart."""

_LEAST = 20


@dataclass(frozen=True, slots=True)
class NearCopy:
    """A document with a picture or a recording that looks or sounds like another.

    Attributes:
        part: number of the picture there; 0 for the sound.
        similarity: share of equal bits of the marks, 0..1.
    """

    document: StoredDocument
    part: int
    similarity: float


def near_copies(store: Store, sha256: str, part: int) -> tuple[NearCopy, ...]:
    """Return the near copies of a kept picture, or of a recording (part 0), most alike first, ties by name.

    Copies of the same bytes are names of one document, and no near copies.
    """
    own = next((each for each in store.originals.marks(sha256) if each.part == part), None)
    if own is None:
        return ()
    best: dict[str, tuple[float, int]] = {}
    for other in store.originals.marks():
        if other.sha256 != sha256 and (alike := likeness(own, other)):
            best[other.sha256] = max(best.get(other.sha256, (0.0, 0)), (alike, other.part))
    documents = store.originals.documents(sorted(best))
    copies = [NearCopy(d, best[d.fingerprint][1], best[d.fingerprint][0]) for d in documents]
    return tuple(sorted(copies, key=lambda c: (-c.similarity, c.document.collection, c.document.name)))


def likeness(a: Original, b: Original) -> float:
    """Return the share of equal bits of two marks of one kind; 0.0 below the threshold of the kind."""
    kind_a, _, hex_a = a.mark.partition(":")
    kind_b, _, hex_b = b.mark.partition(":")
    if kind_a != kind_b or not hex_a or not hex_b:
        return 0.0
    bits_a, bits_b = _bits(hex_a), _bits(hex_b)
    if kind_a == "picture":
        share = float((bits_a == bits_b).mean()) if bits_a.shape == bits_b.shape else 0.0
        return round(share, 3) if share >= PICTURE_FROM else 0.0
    share = _best_alignment(bits_a.reshape(-1, 32), bits_b.reshape(-1, 32)) if kind_a == "sound" else 0.0
    return round(share, 3) if share >= SOUND_FROM else 0.0


def _bits(written: str) -> NDArray[np.uint8]:
    return np.unpackbits(np.frombuffer(bytes.fromhex(written), np.uint8))


def _best_alignment(a: NDArray[np.uint8], b: NDArray[np.uint8]) -> float:
    """Return the highest share of equal bits over all shifts at which at least half of the shorter one overlaps."""
    least = max(_LEAST, min(len(a), len(b)) // 2)
    best = 0.0
    for shift in range(-_MOST_SHIFT, _MOST_SHIFT + 1):
        one, two = a[max(0, shift) :], b[max(0, -shift) :]
        n = min(len(one), len(two))
        if n >= least:
            best = max(best, float((one[:n] == two[:n]).mean()))
    return best
