"""Search step: how a query's words are read: as they stand, in other languages of the base, or misspelled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from saidonce.foundation import text
from saidonce.foundation.context import Context
from saidonce.foundation.model import UNKNOWN_LANGUAGE, Filters
from saidonce.foundation.ports import LexicalPool
from saidonce.kb.search import fusion
from saidonce.kb.search.index import SearchIndex

_READ = ("en", UNKNOWN_LANGUAGE)
"""Languages of the stems in the first reading."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A query as the lexical search reads it.

    Attributes:
        counts: how often each term stands in the query.
        words: the query's words by their terms, in the order of the pool's.
        corrected: unknown terms, with those searched instead.
        pool: candidates of the lexical search; None without searchable words.
    """

    counts: Mapping[str, int]
    words: Mapping[str, str]
    corrected: Mapping[str, str]
    pool: LexicalPool | None

    @property
    def ranking(self) -> list[tuple[str, float]]:
        """The BM25 ranking of bodies."""
        return [] if self.pool is None else fusion.bm25(self.pool, [self.counts[term] for term in self.words])


def first_reading(context: Context, query: str, filters: Filters) -> Reading:
    """Read a query as it stands; words that nothing contains are replaced by the most similar known ones."""
    counts: Counter[str] = text.terms(query)
    similar = context.store.correct(sorted(counts), filters.collections) if counts else {}
    corrected = {word: known for word, known in similar.items() if text.is_misspelling(word, known)}
    words = _words(query, UNKNOWN_LANGUAGE)
    for unknown, known in corrected.items():
        counts[known] += counts.pop(unknown)
        words.setdefault(known, known)
    return _make_reading(context, filters, counts, words, corrected)


def other_readings(context: Context, index: SearchIndex, query: str, filters: Filters) -> Iterator[Reading]:
    """Read a query that nothing answers in the other languages of the base, then with its unknown words respelled."""
    for language in index.languages(filters.collections):
        if language not in _READ:
            yield _make_reading(context, filters, text.terms(query, language), _words(query, language), {})
    respelled = _respell(context, query, filters)
    if respelled:
        spelled = " ".join(respelled.get(word, word) for word in text.words(query))
        yield _make_reading(context, filters, text.terms(spelled), _words(spelled, UNKNOWN_LANGUAGE), respelled)


def _make_reading(
    context: Context, filters: Filters, counts: Counter[str], words: Mapping[str, str], corrected: Mapping[str, str]
) -> Reading:
    terms = sorted(counts)
    pool = context.store.lexical(terms, filters, fusion.LEXICAL_CAP) if terms else None
    return Reading(counts, {term: words.get(term, term) for term in terms}, corrected, pool)


def _words(query: str, language: str) -> dict[str, str]:
    """Return the first word of a query for each of its terms."""
    words: dict[str, str] = {}
    for word in text.words(query):
        for term in text.terms(word, language):
            words.setdefault(term, word)
    return words


def _respell(context: Context, query: str, filters: Filters) -> dict[str, str]:
    """Return the most frequent known spelling one letter off for each unknown word that has one."""
    respelled: dict[str, str] = {}
    for word in text.words(query):
        near = [] if _n_containing(context, word, filters) else sorted(text.terms(" ".join(text.one_off(word))))
        counts = context.store.lexical(near, filters, 1).n_containing if near else ()
        n, known = max(zip(counts, near, strict=True), default=(0, word))
        if n:
            respelled[word] = known
    return respelled


def _n_containing(context: Context, word: str, filters: Filters) -> int:
    terms = sorted(text.terms(word))
    return max(context.store.lexical(terms, filters, 1).n_containing) if terms else 1
