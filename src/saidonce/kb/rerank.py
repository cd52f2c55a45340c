"""Rank documents that somebody else retrieved: the relevant first, repeats last, conflicts named; nothing is stored.

relevance (cosine and BM25) -> order -> repeats by the ladder, down the whole list -> repeats to the end -> the first n
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from saidonce.errors import UsageError
from saidonce.foundation.model import Candidate, FactKind, Fate, Objection, Relation, Vector
from saidonce.foundation.ports import Embedder, LexicalPool, LexicalRow
from saidonce.foundation.remembering import remembered
from saidonce.foundation.settings.policy import GATE, REPEAT, SAME_FROM
from saidonce.foundation.text import content_hash, languages, search_words, terms_of
from saidonce.kb.search.flow import MAX_QUERY_CHARS
from saidonce.kb.search.fusion import BM25_K1, bm25, idf
from saidonce.kb.search.repeats import NearPair, RepeatRule, fates_among
from saidonce.matching import facts
from saidonce.matching.vectors import near_pairs

MOST_DOCUMENTS = 1_000
"""Source: Cohere's documentation, which recommends no more for one request."""

MOST_DOCUMENT_CHARS = 100_000
MOST_WORDS = 200_000
"""Words of all documents together: about a minute of embedding on one processor."""

TOKENS_PER_DOCUMENT = 4_096
"""Tokens of a document that are read for its relevance. Source: the default of Cohere's API."""

LANGUAGE_CHARS = 200
"""Characters of a document from which its language is detected."""

DENSE_WEIGHT = 0.6
"""Source: seed 003, as the setting `dense_weight` of searches."""


ALIKE_FROM = GATE.clear_below
"""Similarity from which two documents are held against each other for facts that contradict."""


@dataclass(frozen=True, slots=True)
class RerankOptions:
    """Options of a reranking.

    Attributes:
        top_n: maximum number of documents in the result; all by default.
        max_tokens_per_doc: tokens of a document that are read for its relevance, about; repeats and conflicts are
            always found in the whole text.
        threshold: canonical similarity from which a lower document may repeat a higher one.
        dense_weight: weight of the meaning (cosine), 0..1; the words (BM25) have the rest.
        same_from: similarity from which it does so, too, if each states all of the other.
    """

    top_n: int | None = None
    max_tokens_per_doc: int = TOKENS_PER_DOCUMENT
    threshold: float = REPEAT.duplicate_from
    dense_weight: float = DENSE_WEIGHT
    same_from: float = SAME_FROM


@dataclass(frozen=True, slots=True)
class RerankedDocument:
    """A document in its place of the ranking.

    Attributes:
        index: place in the request, from 0.
        score: 0..1: of the cosine to the query and of BM25 as a share of what is attainable; 0 of a repeat.
        also_in: place in the request of the document that says all of this one; None if it is no repeat.
        similarity: canonical cosine to that document; 1.0 without one.
        repeated_by: places of the documents that repeat this one, best first.
    """

    index: int
    score: float
    also_in: int | None = None
    similarity: float = 1.0
    repeated_by: tuple[int, ...] = ()

    def __repr__(self) -> str:
        more = "" if self.also_in is None else f", also_in={self.also_in}"
        more += f", repeated_by={self.repeated_by}" if self.repeated_by else ""
        return f"RerankedDocument({self.index}, score={self.score:.2f}{more})"


@dataclass(frozen=True, slots=True)
class DocumentConflict:
    """Two documents of which each states another fact; both stay in the ranking.

    From the similarity of repeats on, every fact that differs is named; below it only pairs whose one difference is a
    value, a negation or an opposite.

    Attributes:
        index: place in the request of the lower ranked one.
        of: place of the higher ranked one.
        objections: the facts that differ; `a` is of `index`, `b` is of `of`.
    """

    index: int
    of: int
    objections: tuple[Objection, ...]


@dataclass(frozen=True, slots=True)
class Reranked:
    """Documents by relevance, best first, then the repeats in the order in which they would have stood.

    Attributes:
        conflicts: by rank of the lower document; those of documents that `top_n` cuts off too.
        n_tokens: tokens of the query and of what was read of the documents.
    """

    documents: tuple[RerankedDocument, ...]
    conflicts: tuple[DocumentConflict, ...]
    n_tokens: int

    def __repr__(self) -> str:
        n_repeats = sum(document.also_in is not None for document in self.documents)
        return f"Reranked(documents={len(self.documents)}, repeats={n_repeats}, conflicts={len(self.conflicts)})"


def rerank(query: str, documents: Sequence[str], embedder: Embedder, options: RerankOptions | None = None) -> Reranked:
    """Rank documents by their relevance to a query; those that repeat a higher one come last.

    The relevance depends on cosine and words alone, ties stand in the order of the request, and what repeats what
    is decided by the guards of searches: a document that states another fact, or more, is never a repeat.

    Args:
        query: the question, in words.
        documents: texts in any order; a blank one has score 0, and repeats nothing.
        embedder: model of the meaning.

    Raises:
        UsageError: the query is empty or too long, there are no or too many documents or words, or an option makes
            no sense.
        ModelUnavailableError: the embedder failed.
    """
    chosen = options or RerankOptions()
    _check(query, documents, chosen)
    tags = languages([text[:LANGUAGE_CHARS] for text in documents])
    read, n_tokens = _truncate(query, documents, embedder, chosen.max_tokens_per_doc)
    vectors = _vectors(query, documents, read, embedder)
    lexical = _lexical(query, read, tags)
    weight = chosen.dense_weight
    scores = [
        weight * (max(0.0, float(row @ vectors.query)) if row is not None else 0.0) + (1.0 - weight) * words_share
        for row, words_share in zip(vectors.read, lexical, strict=True)
    ]
    order = sorted(range(len(documents)), key=lambda place: (-scores[place], place))
    ranked = [Candidate(documents[p], _hashed(documents[p]), language=tags[p]) for p in order]
    near = _near([vectors.whole[p] for p in order], min(chosen.threshold, chosen.same_from, ALIKE_FROM))
    compared = [text if vectors.whole[p] is not None else None for text, p in zip(ranked, order, strict=True)]
    near_from = min(chosen.threshold, chosen.same_from)
    fates = fates_among(compared, [p for p in near if p[2] >= near_from], RepeatRule(chosen.threshold))
    listed = _list_documents(order, [min(1.0, scores[p]) for p in order], fates)
    return Reranked(listed[: chosen.top_n], _conflicts(order, ranked, near, fates), n_tokens)


_hashed = remembered(4_096)(content_hash)
"""Remembered, since documents recur, also long ones, of which fewer are."""


@dataclass(frozen=True, slots=True)
class _Vectors:
    """Unit rows: of the query, of what is read of each document, of each whole document; None where it is blank."""

    query: Vector
    read: list[Vector | None]
    whole: list[Vector | None]


def _check(query: str, documents: Sequence[str], options: RerankOptions) -> None:
    if not query.strip():
        raise UsageError("the query is empty; give a question, such as 'how long are backups kept?'")
    if len(query) > MAX_QUERY_CHARS:
        raise UsageError(f"the query has {len(query)} characters; at most {MAX_QUERY_CHARS} are allowed")
    if not documents:
        raise UsageError("no documents to rank; send at least one")
    if len(documents) > MOST_DOCUMENTS:
        raise UsageError(f"{len(documents)} documents are too many; at most {MOST_DOCUMENTS} are ranked at once")
    for place, text in enumerate(documents):
        if len(text) > MOST_DOCUMENT_CHARS:
            long = f"document {place} has {len(text)} characters, at most {MOST_DOCUMENT_CHARS} are allowed"
            raise UsageError(f"{long}; send its passages as separate documents")
    n_chars = sum(map(len, documents))  # no fewer than words, and quicker to count
    if n_chars > MOST_WORDS and (n_words := sum(len(text.split()) for text in documents)) > MOST_WORDS:
        raise UsageError(f"the documents have {n_words} words, at most {MOST_WORDS} are allowed; send fewer at once")
    if options.top_n is not None and options.top_n < 1:
        raise UsageError(f"top_n must be at least 1, not {options.top_n}; omit it for all")
    if options.max_tokens_per_doc < 1:
        raise UsageError(f"max_tokens_per_doc must be at least 1, not {options.max_tokens_per_doc}")


def _truncate(query: str, documents: Sequence[str], embedder: Embedder, most: int) -> tuple[list[str], int]:
    """Return the beginnings of about `most` tokens, cut after a word, and the number of tokens with the query's."""
    n_query, *counts = embedder.count_tokens([query, *documents])
    read = [text if n <= most else _beginning(text, most / n) for text, n in zip(documents, counts, strict=True)]
    return read, n_query + sum(min(n, most) for n in counts)


def _beginning(text: str, share: float) -> str:
    cut = max(1, math.floor(len(text) * share))
    words_before = text[:cut].rsplit(maxsplit=1)
    return words_before[0] if len(words_before) > 1 and not text[cut].isspace() else text[:cut]


def _vectors(query: str, documents: Sequence[str], read: Sequence[str], embedder: Embedder) -> _Vectors:
    """Embed each different text once."""
    places = {text: place for place, text in enumerate(dict.fromkeys((query, *documents, *read)))}
    named = [text for text in places if text.strip()]
    rows: Mapping[str, Vector] = dict(zip(named, embedder.embed(named), strict=True))
    return _Vectors(rows[query], [rows.get(text) for text in read], [rows.get(text) for text in documents])


def _lexical(query: str, read: Sequence[str], tags: Sequence[str]) -> list[float]:
    """Return BM25 of each text as a share of what is attainable, 0..1; words weigh by their rarity among the texts."""
    query_terms = Counter(word for word in search_words(query) if terms_of((word,)))
    if not query_terms:
        return [0.0] * len(read)
    asked = {tag: _AskedTerms(list(query_terms), tag) for tag in set(tags)}
    counted = [asked[tag].counts(text) for text, tag in zip(read, tags, strict=True)]
    counts = [own for own, _ in counted]
    lengths = [n_words for _, n_words in counted]
    rows = tuple(
        LexicalRow(str(place), length, own) for place, (own, length) in enumerate(zip(counts, lengths, strict=True))
    )
    n_containing = tuple(sum(own[at] > 0 for own in counts) for at in range(len(query_terms)))
    pool = LexicalPool(len(read), float(np.mean(lengths)), n_containing, rows)
    attainable = math.fsum(
        times * weight * (BM25_K1 + 1) for times, weight in zip(query_terms.values(), idf(pool), strict=True)
    )
    scores = dict(bm25(pool, list(query_terms.values())))
    return [min(1.0, scores.get(str(place), 0.0) / attainable) for place in range(len(read))]


class _AskedTerms:
    """Counts the terms that are asked for in texts of one language; of most of their words no stem is needed.

    Args:
        query_terms: different words of the query.
        language: of the texts.
    """

    def __init__(self, query_terms: Sequence[str], language: str) -> None:
        self._language = language
        self._stems = [_stem(word, language) or word for word in query_terms]
        # Where all is ASCII, no stemmer touches a word's beginning.
        self._like = _beginning_like(tuple(query_terms)) if all(map(str.isascii, query_terms)) else None
        self._stem_of: dict[str, str] = {}

    def counts(self, text: str) -> tuple[tuple[int, ...], int]:
        """Return how often each term stands in a text, and the number of its words."""
        spaced, n_words = _spaced(text)
        held: dict[str, int] = {}
        for word in self._like.findall(spaced) if self._like else spaced.split():
            stem = self._stem_of.get(word)
            if stem is None:
                stem = self._stem_of[word] = _stem(word, self._language)
            held[stem] = held.get(stem, 0) + 1
        return tuple([held.get(stem, 0) for stem in self._stems]), n_words


@remembered(65_536)
def _stem(word: str, language: str) -> str:
    """Return the term that a word of a text is; empty if it is none."""
    return next(iter(terms_of((word,), language)), "")


@lru_cache(maxsize=64)
def _beginning_like(query_terms: tuple[str, ...]) -> re.Pattern[str]:
    """Find the words of a spaced text that share two letters at the beginning with one of these, or are one letter."""
    beginnings = sorted({word[:2] for word in query_terms})
    shared = "|".join(re.escape(each) + ("[^ ]*" if len(each) > 1 else "(?![^ ])") for each in beginnings)
    return re.compile(f" ({shared})")


@remembered(4_096)
def _spaced(text: str) -> tuple[str, int]:
    """Return the words of a text, none of which holds a space, with one before each, and their number.

    Remembered, as hashes are.
    """
    text_words = search_words(text)
    return " ".join(("", *text_words)), len(text_words)


def _list_documents(
    order: Sequence[int], scores: Sequence[float], fates: Sequence[Fate]
) -> tuple[RerankedDocument, ...]:
    """Return the kept documents, then the repeats, each in ranked order."""
    repeats: dict[int, list[int]] = {}
    for fate in fates:
        if fate.relation is not Relation.KEPT:
            repeats.setdefault(fate.of, []).append(order[fate.index])
    kept = [
        RerankedDocument(order[f.index], scores[f.index], repeated_by=tuple(repeats.get(f.index, ())))
        for f in fates
        if f.relation is Relation.KEPT
    ]
    last = [
        RerankedDocument(order[f.index], 0.0, order[f.of], f.similarity)
        for f in fates
        if f.relation is not Relation.KEPT
    ]
    return (*kept, *last)


def _conflicts(
    order: Sequence[int], ranked: Sequence[Candidate], near: Sequence[NearPair], fates: Sequence[Fate]
) -> tuple[DocumentConflict, ...]:
    """Return the kept documents of which a higher one states the same with another fact, each with the nearest."""
    kept = {f.index: f for f in fates if f.relation is Relation.KEPT}
    nearest = _nearest_higher(kept.keys(), near)
    conflicts = []
    for place, fate in kept.items():
        higher = nearest.get(place) if fate.near_miss is None else fate.near_miss
        if higher is None:
            continue
        lower = ranked[place]
        texts = (lower.text, ranked[higher].text, lower.language)
        if fate.near_miss is None and facts.speak_of_two_things(*texts):
            continue  # that objection is no contradiction, whatever the others are
        objections = facts.compare(*texts).objections
        if objections and (fate.near_miss is not None or all(_contradicts(o) for o in objections)):
            conflicts.append(DocumentConflict(order[place], order[higher], objections))
    return tuple(conflicts)


def _near(vectors: Sequence[Vector | None], threshold: float) -> list[NearPair]:
    """Return the pairs of places, the higher first, whose vectors are at least so similar; what is blank is in none."""
    places = [place for place, row in enumerate(vectors) if row is not None]
    rows = [row for row in vectors if row is not None]
    near = near_pairs(np.stack(rows), threshold) if len(rows) > 1 else []
    return [(places[i], places[j], similarity) for i, j, similarity in near]


def _nearest_higher(places: Collection[int], near: Sequence[NearPair]) -> dict[int, int]:
    """Return for each place the most similar higher one of them from ALIKE_FROM on, the first of equals."""
    best: dict[int, tuple[float, int]] = {}
    for higher, lower, similarity in near:
        if similarity >= ALIKE_FROM and higher in places and lower in places:
            best[lower] = max(best.get(lower, (similarity, -higher)), (similarity, -higher))
    return {lower: -higher for lower, (_, higher) in best.items()}


def _contradicts(objection: Objection) -> bool:
    """Return whether the difference alone makes two alike texts contradict each other, and not speak of two things."""
    return objection.differs_in_value or objection.kind in (FactKind.NEGATION, FactKind.OPPOSITE)
