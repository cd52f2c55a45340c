"""Search step: how a query's words are read: as they stand, in other languages of the base, or misspelled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from rapidfuzz.distance import OSA

from saidonce.foundation import text
from saidonce.foundation.context import Context
from saidonce.foundation.model import UNKNOWN_LANGUAGE, Filters
from saidonce.foundation.ports import LexicalPool
from saidonce.kb.search import fusion
from saidonce.kb.search.index import SearchIndex
from saidonce.matching import facts

_READ = ("en", UNKNOWN_LANGUAGE)
"""Languages of the stems in the first reading."""

_BLOCKS_READ = 20
"""Blocks in which the written form of a term is looked up; more would show the same few forms."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A query as the lexical search reads it.

    Attributes:
        counts: how often each term stands in the query.
        words: the query's words by their terms, in the order of the pool's.
        corrected: unknown words of the query, with the words of the base searched instead.
        pool: candidates of the lexical search; None without searchable words.
        has_unknown: whether a word that stands nowhere by its English stem was replaced.
    """

    counts: Mapping[str, int]
    words: Mapping[str, str]
    corrected: Mapping[str, str]
    pool: LexicalPool | None
    has_unknown: bool = False

    @property
    def ranking(self) -> list[tuple[str, float]]:
        """The BM25 ranking of bodies."""
        return [] if self.pool is None else fusion.bm25(self.pool, [self.counts[term] for term in self.words])


@dataclass(frozen=True, slots=True)
class _Replacement:
    """What is searched for a word that stands nowhere as it is.

    Attributes:
        term: the term searched.
        written: the word as the base writes it; the query's own word if only its stem is of another language.
    """

    word: str
    term: str
    written: str


@dataclass(frozen=True, slots=True)
class _Spelling:
    """What decides how the unknown words of a query are read."""

    context: Context
    filters: Filters
    languages: tuple[str, ...]

    def replacement(self, word: str, known: str) -> _Replacement | None:
        """Return what is searched for a word that is like a known term.

        A word that the base has under the stem of another language is read by that stem. An ordinary English word
        is not misspelt: only its other spelling ("color", "facade") stands for it.
        """
        if own := self.own_term(word):
            return _Replacement(word, own, word)
        written = self.written(known, word)
        is_other = facts.one_spelling(written) != facts.one_spelling(word) and text.folded(written) != text.folded(word)
        if not written or (is_other and word.removesuffix("'s") in facts.known_words()):
            return None
        return _Replacement(word, known, written)

    def own_term(self, word: str) -> str:
        """Return the most frequent term of the base that is the word itself, by the stems of any of its languages."""
        terms = sorted({term for language in self.languages for term in text.terms(word, language)})
        return self.most_frequent(terms)

    def most_frequent(self, terms: list[str]) -> str:
        """Return the term that most blocks have; empty if none has any."""
        counts = self.context.store.lexical(terms, self.filters, 1).n_containing if terms else ()
        n, term = max(zip(counts, terms, strict=True), default=(0, ""))
        return term if n else ""

    def written(self, term: str, like: str) -> str:
        """Return the word nearest to another one that the base writes for a term; empty if no block may be searched."""
        rows = self.context.store.lexical([term], self.filters, fusion.LEXICAL_CAP).rows
        forms: Counter[str] = Counter()
        for block in self.context.store.blocks([row.block_id for row in rows[:_BLOCKS_READ]]).values():
            searched = " ".join((block.title, *block.heading_path, block.text))
            forms.update(w for w in text.words(searched) if term in text.terms(w, block.language))
        return min(forms, key=lambda form: (OSA.distance(form, like), -forms[form], form), default="")


def first_reading(context: Context, index: SearchIndex, query: str, filters: Filters) -> Reading:
    """Read a query as it stands; words that nothing contains are replaced by the most similar known ones."""
    counts = text.terms(query)
    similar = context.store.correct(sorted(counts), filters.collections) if counts else {}
    words = _words(query, UNKNOWN_LANGUAGE)
    spelling = _spelling(context, index, filters)
    replaced: dict[str, _Replacement] = {}
    for term, known in similar.items():
        if text.is_misspelling(term, known) and (instead := spelling.replacement(words[term], known)):
            replaced[term] = instead
    return _make_reading(context, filters, query, replaced)


def other_readings(context: Context, index: SearchIndex, query: str, filters: Filters) -> Iterator[Reading]:
    """Read a query that nothing answers in the other languages of the base, then with its unknown words respelled."""
    for language in index.languages(filters.collections):
        if language not in _READ:
            counts = text.terms(query, language)
            yield _reading(context, filters, counts, _words(query, language))
    respelled = _respell(_spelling(context, index, filters), query)
    if respelled:
        yield _make_reading(context, filters, query, respelled)


def _spelling(context: Context, index: SearchIndex, filters: Filters) -> _Spelling:
    languages = {UNKNOWN_LANGUAGE, *index.languages(filters.collections)}
    return _Spelling(context, filters, tuple(sorted(languages)))


def _make_reading(context: Context, filters: Filters, query: str, replaced: Mapping[str, _Replacement]) -> Reading:
    """Return the reading of a query with some of its terms replaced."""
    counts, words = text.terms(query), _words(query, UNKNOWN_LANGUAGE)
    for term, instead in replaced.items():
        counts[instead.term] += counts.pop(term)
        words.setdefault(instead.term, instead.written)
    return _reading(context, filters, counts, words, replaced.values())


def _reading(
    context: Context,
    filters: Filters,
    counts: Counter[str],
    words: Mapping[str, str],
    replaced: Collection[_Replacement] = (),
) -> Reading:
    terms = sorted(counts)
    pool = context.store.lexical(terms, filters, fusion.LEXICAL_CAP) if terms else None
    corrected = {each.word: each.written for each in replaced if each.written != each.word}
    return Reading(counts, {term: words.get(term, term) for term in terms}, corrected, pool, bool(replaced))


def _words(query: str, language: str) -> dict[str, str]:
    """Return the first word of a query for each of its terms."""
    words: dict[str, str] = {}
    for word in text.words(query):
        for term in text.terms(word, language):
            words.setdefault(term, word)
    return words


def _respell(spelling: _Spelling, query: str) -> dict[str, _Replacement]:
    """Return the most frequent known spelling one letter off for each unknown word that has one, by the word's term."""
    respelled: dict[str, _Replacement] = {}
    for term, word in _words(query, UNKNOWN_LANGUAGE).items():
        known = "" if spelling.own_term(word) else _one_letter_off(spelling, word)
        if known and (instead := spelling.replacement(word, known)):
            respelled[term] = instead
    return respelled


def _one_letter_off(spelling: _Spelling, word: str) -> str:
    return spelling.most_frequent(sorted(text.terms(" ".join(text.one_off(word)))))
