"""Search step: how a query's words are read: as they stand, in other languages of the base, or misspelled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from rapidfuzz.distance import OSA

from saidonce.foundation import text
from saidonce.foundation.context import Context
from saidonce.foundation.model import UNKNOWN_LANGUAGE, Filters
from saidonce.foundation.ports import LexicalColumns, LexicalPool
from saidonce.kb.search import fusion
from saidonce.kb.search.asked_language import asked_languages, content_words
from saidonce.matching import facts

_READ = ("en", UNKNOWN_LANGUAGE)
"""Languages of the stems in the first reading."""

_BLOCKS_READ = 20
"""Blocks in which the written form of a term is looked up; more would show the same few forms."""


@dataclass(frozen=True, slots=True)
class AskedWord:
    """A word of a query, as the lexical search looks for it.

    Attributes:
        word: as the query has it.
        count: how often it stands there.
        forms: terms that stand for it, in any of which a block may hold it: those of several languages, for instance.
    """

    word: str
    count: int
    forms: frozenset[str]


@dataclass(frozen=True, slots=True)
class Reading:
    """A query as the lexical search reads it.

    Attributes:
        asked: the query's words by their terms, in the order of the pool's.
        corrected: unknown words of the query, with the words of the base searched instead.
        pool: candidates of the lexical search; None without searchable words.
        has_unknown: whether a word that stands nowhere by its English stem was replaced.
    """

    asked: Mapping[str, AskedWord]
    corrected: Mapping[str, str]
    pool: LexicalPool | None
    has_unknown: bool = False

    @property
    def words(self) -> dict[str, str]:
        """The query's words by their terms."""
        return {term: asked.word for term, asked in self.asked.items()}

    @property
    def forms(self) -> dict[str, frozenset[str]]:
        """The terms that stand for each of them."""
        return {term: asked.forms for term, asked in self.asked.items()}

    def ranking(self, size: int, also: Collection[str]) -> list[tuple[str, float]]:
        """Return the BM25 ranking of bodies: the best, and some others by their ids."""
        n_query = [asked.count for asked in self.asked.values()]
        return [] if self.pool is None else fusion.bm25(self.pool, n_query, size, also)


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
        for block in self.context.store.block_texts([row.block_id for row in rows[:_BLOCKS_READ]]).values():
            searched = " ".join((block.title, *block.heading_path, block.text))
            forms.update(w for w in text.search_words(searched) if term in text.terms_of((w,), block.language))
        return min(forms, key=lambda form: (OSA.distance(form, like), -forms[form], form), default="")


def first_reading(context: Context, languages: Sequence[str], query: str, filters: Filters) -> Reading:
    """Read a query as it stands; words that nothing contains are replaced by the most similar known ones.

    A word is looked for by its English stem and by those of the languages in which the question seems to be asked.

    Args:
        context: wired ports and settings.
        languages: of the blocks that are searched, sorted.
        query: the question, in words.
        filters: which blocks may be found.
    """
    asked = _asked(query, (UNKNOWN_LANGUAGE, *asked_languages(query, languages)))
    pool = _pool(context, filters, asked)
    n_containing = dict(zip(_forms(asked), pool.n_containing, strict=True)) if pool is not None else {}
    unknown = [term for term, each in sorted(asked.items()) if not any(n_containing[form] for form in each.forms)]
    similar = context.store.correct(unknown, filters.collections) if unknown else {}
    spelling = _spelling(context, languages, filters)
    replaced: dict[str, _Replacement] = {}
    for term, known in similar.items():
        if text.is_misspelling(term, known) and (instead := spelling.replacement(asked[term].word, known)):
            replaced[term] = instead
    if not replaced:
        return _reading(asked, pool)
    asked = _replace(asked, replaced)
    return _reading(asked, _pool(context, filters, asked), replaced.values())


def other_readings(context: Context, languages: Sequence[str], query: str, filters: Filters) -> Iterator[Reading]:
    """Read a query that nothing answers in the other languages of the base, then with its unknown words respelled."""
    for language in languages:
        if language not in _READ:
            asked = _asked(query, (language,))
            yield _reading(asked, _pool(context, filters, asked))
    respelled = _respell(_spelling(context, languages, filters), query)
    if respelled:
        asked = _replace(_asked(query, (UNKNOWN_LANGUAGE,)), respelled)
        yield _reading(asked, _pool(context, filters, asked), respelled.values())


def _asked(query: str, languages: Sequence[str]) -> dict[str, AskedWord]:
    """Return the words of a query by their terms in the first of some languages, each with its terms in all of them."""
    asked: dict[str, AskedWord] = {}
    for word in content_words(query, languages):
        forms = [tuple(text.terms_of((word,), language)) for language in languages]
        if not forms[0]:
            continue
        term = forms[0][0]
        before = asked.get(term, AskedWord(word, 0, frozenset()))
        every = before.forms.union(*forms)
        asked[term] = AskedWord(before.word, before.count + 1, every)
    return asked


def _replace(asked: Mapping[str, AskedWord], replaced: Mapping[str, _Replacement]) -> dict[str, AskedWord]:
    """Return the words with the replacements of some of their terms."""
    changed = dict(asked)
    for term, instead in replaced.items():
        before = changed.pop(term)
        there = changed.get(instead.term, AskedWord(instead.written, 0, frozenset((instead.term,))))
        changed[instead.term] = replace(there, count=there.count + before.count)
    return changed


def _spelling(context: Context, languages: Sequence[str], filters: Filters) -> _Spelling:
    return _Spelling(context, filters, tuple(sorted({UNKNOWN_LANGUAGE, *languages})))


def _forms(asked: Mapping[str, AskedWord]) -> list[str]:
    """Return all terms that stand for the words, in the order of their pool."""
    return sorted({form for each in asked.values() for form in each.forms})


def _pool(context: Context, filters: Filters, asked: Mapping[str, AskedWord]) -> LexicalPool | None:
    terms = _forms(asked)
    return context.store.lexical(terms, filters, fusion.LEXICAL_CAP) if terms else None


def _reading(
    asked: Mapping[str, AskedWord], pool: LexicalPool | None, replaced: Collection[_Replacement] = ()
) -> Reading:
    ordered = {term: asked[term] for term in sorted(asked)}
    forms = [each.forms for each in ordered.values()]
    joined = _join_forms(pool, _forms(asked), forms) if pool is not None else None
    corrected = {each.word: each.written for each in replaced if each.written != each.word}
    return Reading(ordered, corrected, joined, bool(replaced))


def _join_forms(pool: LexicalPool, terms: Sequence[str], forms: Sequence[Collection[str]]) -> LexicalPool:
    """Return a pool with a column for each word, in which the terms that stand for it are one.

    A block is in one language, so that it hardly holds a word by two of them.
    """
    if [[term] for term in terms] == [list(each) for each in forms]:
        return pool
    places = {term: place for place, term in enumerate(terms)}
    columns = [[places[term] for term in each] for each in forms]
    n_containing = tuple(min(pool.n_blocks, sum(pool.n_containing[at] for at in column)) for column in columns)
    rows = pool.columns
    if not len(rows):
        return replace(pool, n_containing=n_containing)
    counts = np.stack([rows.counts[:, column].max(axis=1) for column in columns], axis=1)
    return replace(pool, n_containing=n_containing, rows=LexicalColumns(rows.block_ids, rows.n_terms, counts))


def _respell(spelling: _Spelling, query: str) -> dict[str, _Replacement]:
    """Return the most frequent known spelling one letter off for each unknown word that has one, by the word's term."""
    respelled: dict[str, _Replacement] = {}
    for term, asked in _asked(query, (UNKNOWN_LANGUAGE,)).items():
        known = "" if spelling.own_term(asked.word) else _one_letter_off(spelling, asked.word)
        if known and (instead := spelling.replacement(asked.word, known)):
            respelled[term] = instead
    return respelled


def _one_letter_off(spelling: _Spelling, word: str) -> str:
    return spelling.most_frequent(sorted(text.terms(" ".join(text.one_off(word)))))
