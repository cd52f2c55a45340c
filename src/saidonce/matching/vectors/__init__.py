"""Similarity of vectors: the canonical cosine, exact nearest rows, all near pairs."""

from saidonce.matching.vectors.canonical import Exact, all_cosines, canonical_cosine, canonical_cosines, margin
from saidonce.matching.vectors.index import Column, ExactIndex
from saidonce.matching.vectors.join import BAND, Join, Pairs, corpus_pairs, near_pairs
from saidonce.matching.vectors.revisions import IndexChange, RevisionIndex

__all__ = [
    "BAND",
    "Column",
    "Exact",
    "ExactIndex",
    "IndexChange",
    "Join",
    "Pairs",
    "RevisionIndex",
    "all_cosines",
    "canonical_cosine",
    "canonical_cosines",
    "corpus_pairs",
    "margin",
    "near_pairs",
]
