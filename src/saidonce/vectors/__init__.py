"""Room: similarity of vectors: the canonical cosine, exact nearest rows, all near pairs."""

from saidonce.vectors.canonical import canonical_cosine, canonical_cosines
from saidonce.vectors.index import ExactIndex
from saidonce.vectors.pairs import near_pairs

__all__ = ["ExactIndex", "canonical_cosine", "canonical_cosines", "near_pairs"]
