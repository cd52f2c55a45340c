"""Flow step: whether anything in the base bears on a query at all; the ranking only tells what bears most."""

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
"""Share of a query's informative words that have to stand together in one block. Source: docs/figures.md."""

_READ = ("en", UNKNOWN_LANGUAGE)
"""Languages whose stems the query is searched by; in the others its words are asked for once more before it is cut."""

_SPACELESS = ("CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN")


def bears(
    context: Context,
    index: SearchIndex,
    query: str,
    filters: Filters,
    pool: LexicalPool | None,
    dense: Sequence[tuple[str, float]],
) -> bool:
    """Tell whether some block may answer a query.

    One does if it holds at least half of the query's informative words, rare ones counting more; or
    if its cosine to the query lies above what the base's own blocks have to each other. Where
    neither can be judged, it may.

    Args:
        pool: candidates of the lexical search, None if the query has no words that are searched for.
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
    """Largest share of the query's words, by weight, that one block holds; 0..1."""
    # A word that nothing contains says no more than one that a single block contains.
    weights = fusion.idf(replace(pool, n_containing=tuple(max(n, 1) for n in pool.n_containing)))
    total = math.fsum(weights)
    held = (math.fsum(w for w, n in zip(weights, row.counts, strict=True) if n) for row in pool.rows)
    return max(held, default=0.0) / total if total > 0 else 1.0


def _covers_in(context: Context, query: str, filters: Filters, language: str) -> bool:
    """The same with the words as another language stems them."""
    terms = sorted(text.terms(query, language))
    return _coverage(context.store.lexical(terms, filters, fusion.LEXICAL_CAP)) >= COVERED_FROM


def _spelled(context: Context, query: str, filters: Filters) -> str:
    """The query with each word that nothing contains in the spelling, one letter off, that most blocks contain."""
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
    """Tell whether a query is written without spaces between words, which are then not found by words."""
    return any(unicodedata.name(c, "").startswith(_SPACELESS) for c in query if c.isalpha() and not c.isascii())
