"""The words of a text with their places, their weights, and their embeddings."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources

import numpy as np
import Stemmer
from numpy.typing import NDArray

from saidonce.foundation.model import Vector
from saidonce.foundation.remembering import remembered

Pieces = tuple[NDArray[np.intp], Vector]
"""Offsets and rows of a text's pieces, from `PieceEmbedder`."""

_WORD = re.compile(r"\d+(?:[.,:/-]\d+)*|[^\W\d_]+|[^\W_]+")
_STEMMER = Stemmer.Stemmer("english")
_NUMBER_WEIGHT = 0.6
_LIGHT_BELOW = 0.28
"""Weight under which a word carries little meaning: that of about the hundred most frequent words."""


@dataclass(frozen=True, slots=True)
class ComparedWord:
    """A word as it is compared.

    Attributes:
        start, end: half-open character offsets.
        weight: 0 for the most frequent word of English to 1 for an unknown one.
    """

    start: int
    end: int
    written: str
    stem: str
    weight: float

    @property
    def is_heavy(self) -> bool:
        """Whether it is more than a word of grammar."""
        return self.weight >= _LIGHT_BELOW

    @property
    def is_number(self) -> bool:
        """Whether it starts with a digit."""
        return self.written[0].isdigit()

    @property
    def is_capital(self) -> bool:
        """Whether it starts with a capital letter."""
        return self.written[0].isupper()


@remembered(4_096)
def words_of(text: str) -> tuple[ComparedWord, ...]:
    """Return the words and joined numbers of a text, in order."""
    return tuple(_word(match) for match in _WORD.finditer(text))


def _word(match: re.Match[str]) -> ComparedWord:
    written = match.group()
    folded = written.casefold()
    weight = _NUMBER_WEIGHT if written[0].isdigit() else weight_of(folded)
    return ComparedWord(match.start(), match.end(), written, _stem(folded), weight)


@lru_cache(maxsize=65_536)
def _stem(word: str) -> str:
    return str(_STEMMER.stemWord(word))


def weight_of(word: str) -> float:
    """Return the weight of a word: its surprisal in English, as a share of that of an unknown word."""
    return _weights().get(word, 1.0)


@cache
def _weights() -> dict[str, float]:
    rows = (resources.files("symspellpy") / "frequency_dictionary_en_82_765.txt").read_text("utf-8-sig").splitlines()
    counts = {word: int(n) for word, n in (row.split(" ") for row in rows)}
    most, least = math.log(max(counts.values())), math.log(min(counts.values()))
    return {word: round((most - math.log(n)) / (most - least), 4) for word, n in counts.items()}


def nearness(a: str, b: str, pieces_a: Pieces, pieces_b: Pieces) -> NDArray[np.float64]:
    """Return the cosine of every word of a text to every word of another, as embedded in their places.

    Returns:
        shape (n words of a, n words of b); 0 for a word without pieces. The transposed matrix for texts turned round.
    """
    if a > b:
        return nearness(b, a, pieces_b, pieces_a).T
    # No BLAS: its sums depend on the number of threads.
    near: NDArray[np.float64] = np.einsum("id,jd->ij", rows_of(words_of(a), pieces_a), rows_of(words_of(b), pieces_b))
    return near


def rows_of(words: Sequence[ComparedWord], pieces: Pieces) -> NDArray[np.float64]:
    """Return the embedding of each word: the mean over its pieces, unit rows; zeros for a word without pieces.

    Args:
        words: of one text, in order.
        pieces: offsets and rows of the same text's pieces, in order, from `PieceEmbedder`.
    """
    offsets, rows = pieces
    means = np.zeros((len(words), rows.shape[1]))
    firsts = np.searchsorted(offsets[:, 1], np.array([w.start for w in words], dtype=np.intp), side="right")
    for n, first in enumerate(firsts.tolist()):
        last = first
        while last < len(offsets) and offsets[last, 0] < words[n].end:
            last += 1
        if last > first:
            means[n] = rows[first:last].astype(np.float64).sum(axis=0)
    lengths = np.sqrt(np.einsum("ij,ij->i", means, means))
    means[lengths > 0] /= lengths[lengths > 0, None]
    return means
