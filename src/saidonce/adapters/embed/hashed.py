"""Adapter for tests: hashed words and character n-grams, without any model."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np

from saidonce.adapters.embed.rows import distinct, unit_rows
from saidonce.errors import UsageError
from saidonce.foundation.model import Vector

_WORD = re.compile(r"\w+|[^\w\s]")
_WORD_WEIGHT = 4
_NGRAM = 3


class HashedEmbedder:
    """A deterministic stand-in for a model, meant for tests: it knows letters, not meaning.

    Every word and every three characters of a word count towards a place given by a hash, with a
    sign given by the same hash. Texts that share most words come out above 0.9, texts that share
    none near 0.
    """

    def __init__(self, dim: int = 256) -> None:
        if dim < 1:
            raise UsageError(f"a vector needs at least one dimension, not {dim!r}")
        self._dim = dim

    @property
    def model(self) -> str:
        """Fingerprint: the method and its dimension."""
        return f"hashed:{self._dim}"

    @property
    def dim(self) -> int:
        """Length of a vector."""
        return self._dim

    def embed(self, texts: Sequence[str]) -> Vector:
        """Embed texts: shape (n, dim) float32, unit rows, in input order."""
        unique, back = distinct(texts)
        if not unique:
            return np.zeros((0, self._dim), dtype=np.float32)
        counts = np.zeros((len(unique), self._dim))
        for row, text in zip(counts, unique, strict=True):
            for word in _WORD.findall(text.casefold()):
                for place, weight in _features(word):
                    row[place % self._dim] += weight
            if not row.any():
                row[0] = 1.0
        return unit_rows(counts, self.model)[back]

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Count words and punctuation marks."""
        return [len(_WORD.findall(text)) for text in texts]


@lru_cache(maxsize=65_536)
def _features(word: str) -> tuple[tuple[int, int], ...]:
    return tuple(_hash_features(word))


def _hash_features(word: str) -> Iterator[tuple[int, int]]:
    padded = f"<{word}>"
    grams = [padded[at : at + _NGRAM] for at in range(len(padded) - _NGRAM + 1)]
    for feature, weight in [(word, _WORD_WEIGHT), *((gram, 1) for gram in grams)]:
        number = int.from_bytes(hashlib.blake2b(feature.encode(), digest_size=8).digest(), "big")
        yield number >> 1, weight if number & 1 else -weight
