"""Search step: whether any block may answer a query at all; the ranking only orders the blocks."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence
from dataclasses import replace

from saidonce.foundation import text
from saidonce.foundation.context import Context
from saidonce.foundation.model import UNKNOWN_LANGUAGE, Filters
from saidonce.foundation.ports import LexicalPool
from saidonce.kb.search import fusion
from saidonce.kb.search.index import SearchIndex

COVERED_FROM = 0.5
"""Share of a query's informative words that one block must hold. Source: docs/figures.md."""

_READ = ("en", UNKNOWN_LANGUAGE)
"""Languages of the stems in the query; words are stemmed for the others before a query is called unanswerable."""

_SPACELESS = ("CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN")


def is_answerable(
    context: Context,
    index: SearchIndex,
    query: str,
    filters: Filters,
    pool: LexicalPool | None,
    dense: Sequence[tuple[str, float]],
) -> bool:
    """Return whether some block may answer a query.

    A block may if it holds at least half of the query's informative words, rare ones counting more; or
    if its cosine to the query exceeds the usual one between blocks of the base. Without evidence either
    way, the answer is True.

    Args:
        pool: candidates of the lexical search; None for a query without searchable words.
        dense: nearest blocks with their cosines, best first.
    """
    if not dense or pool is None or _is_spaceless(query):
        return True
    if _coverage(pool) >= COVERED_FROM:
        return True
    bar = index.background(filters.collections)
    if dense[0][1] >= (context.settings.answer_from if bar is None else bar):
        return True
    others = (language for language in index.languages(filters.collections) if language not in _READ)
    if any(_covers_in(context, query, filters, language) for language in others):
        return True
    spelled = _spelled(context, query, filters)
    return spelled != query and _covers_in(context, spelled, filters, UNKNOWN_LANGUAGE)


def _coverage(pool: LexicalPool) -> float:
    """Return the largest share of the query's words, by weight, held by one block; 0..1."""
    # A word that nothing contains says no more than one that a single block contains.
    weights = fusion.idf(replace(pool, n_containing=tuple(max(n, 1) for n in pool.n_containing)))
    total = math.fsum(weights)
    held = (math.fsum(w for w, n in zip(weights, row.counts, strict=True) if n) for row in pool.rows)
    return max(held, default=0.0) / total if total > 0 else 1.0


def _covers_in(context: Context, query: str, filters: Filters, language: str) -> bool:
    """Return whether one block covers the query, with its words stemmed for another language."""
    terms = sorted(text.terms(query, language))
    return _coverage(context.store.lexical(terms, filters, fusion.LEXICAL_CAP)) >= COVERED_FROM


def _spelled(context: Context, query: str, filters: Filters) -> str:
    """Return the query with each unknown word replaced by its most frequent spelling one letter off."""
    spelled = []
    for word in text.words(query):
        near = sorted(text.terms(" ".join(text.one_off(word)))) if not _n_containing(context, word, filters) else []
        counts = context.store.lexical(near, filters, 1).n_containing if near else ()
        n, known = max(zip(counts, near, strict=True), default=(0, word))
        spelled.append(known if n else word)
    return " ".join(spelled)


def _n_containing(context: Context, word: str, filters: Filters) -> int:
    terms = sorted(text.terms(word))
    return max(context.store.lexical(terms, filters, 1).n_containing) if terms else 1


def _is_spaceless(query: str) -> bool:
    """Return whether a query is in a script without spaces between words, where search by words fails."""
    return any(unicodedata.name(c, "").startswith(_SPACELESS) for c in query if c.isalpha() and not c.isascii())
