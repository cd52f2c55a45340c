"""The search flow, step by step."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from saidonce.errors import ModelMismatchError, NotFoundError, UsageError
from saidonce.foundation import text
from saidonce.foundation.context import Context
from saidonce.foundation.model import Block, Fate, Filters, Relation, Vector, text_id
from saidonce.foundation.ports import LexicalPool
from saidonce.foundation.settings.policy import Settings
from saidonce.kb.pairs import known_guard
from saidonce.kb.search import fusion
from saidonce.kb.search.answerability import is_answerable
from saidonce.kb.search.fusion import Fused
from saidonce.kb.search.index import SearchIndex
from saidonce.kb.search.repeats import fates_down_to, first_look
from saidonce.kb.search.report import HeldApart, Hit, SearchReport, Twin, counters
from saidonce.matching.guards import candidate
from saidonce.matching.vectors import canonical_cosine

HEADINGS_WEIGHT = 0.2
"""Weight of headings matched by trigrams; they are searched only for queries with unknown words."""

MAX_QUERY_CHARS = 4_000

POOL_PER_HIT = 2
"""Least number of ranked blocks for each requested hit, where the setting `pool` is lower."""


@dataclass
class _Timer:
    took_ms: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        start = time.perf_counter()
        yield
        self.took_ms[name] = round((time.perf_counter() - start) * 1_000, 3)


def search(context: Context, index: SearchIndex, query: str, filters: Filters, k: int | None = None) -> SearchReport:
    """Search the base: rank by several signals, then list repeats under the hit they repeat.

    A query that no block may answer finds nothing, unless the setting `min_relevance` is 0.
    Removing repeats never changes the order and looks down the pool until k hits stand.

    Args:
        context: wired ports and settings.
        index: search index of the embedder's model.
        query: the question, in words.
        filters: which blocks may be found.
        k: hits wanted; the settings' by default.

    Raises:
        UsageError: the query is empty or longer than MAX_QUERY_CHARS, k is below 1, or a bound on
            dates has no time zone.
        NotFoundError: a collection or a language in the filters is none of the base.
        ModelMismatchError: a searched collection holds vectors of another model.
    """
    n_hits = context.settings.k if k is None else k
    _check(context, query, filters, n_hits)
    timer = _Timer()
    with timer.step("embed"):
        vector = context.embedder.embed([query])[0]
    with timer.step("catch_up"):
        index.catch_up(context.store)
    _check_languages(index, filters)
    with timer.step("rank"):
        size = max(context.settings.pool, POOL_PER_HIT * n_hits)
        rankings, corrected, answerable = _rankings(context, index, query, vector, filters, size)
        ranked = _fused(context.settings, rankings)
    pool = ranked[:size]
    above = [f for f in pool if answerable and f.relevance >= context.settings.min_relevance]
    with timer.step("fetch"):
        blocks = context.store.blocks([f.id for f in above])
        above = [f for f in above if f.id in blocks]
        vectors = _text_vectors(context, index, above)
    with timer.step("dedup"):
        above = _diversified(context.settings, above, vectors)
        fates = _fates(n_hits, context, index, above, blocks, vectors)
    hits = _hits(above, fates, blocks, n_hits)
    n_repeats = sum(f.relation is not Relation.KEPT for f in fates)
    n_below = len(pool) - len(above)
    report = SearchReport(query, hits, n_below + len(fates), n_below, n_repeats, corrected, timer.took_ms)
    report = _warned(context.settings, report)
    if context.settings.metrics_enabled:
        context.store.add_counters(counters(report))
    return report


def _check(context: Context, query: str, filters: Filters, n_hits: int) -> None:
    if not query.strip():
        raise UsageError("the query is empty; ask for something, such as 'how long do we keep backups?'")
    if len(query) > MAX_QUERY_CHARS:
        raise UsageError(f"the query has {len(query)} characters; at most {MAX_QUERY_CHARS} are allowed")
    if n_hits < 1:
        raise UsageError(f"k is {n_hits}; request at least one hit")
    for bound in (filters.since, filters.until):
        if bound is not None and bound.tzinfo is None:
            raise UsageError(
                f"the moment {bound.isoformat()!r} has no time zone; write it with one, such as 2026-01-31T00:00:00Z"
            )
    known = {c.name: c for c in context.store.collections()}
    for name in filters.collections:
        if name not in known:
            raise NotFoundError("collection", name, f"there are: {', '.join(known) or 'none yet'}")
    searched = [known[name] for name in filters.collections] or list(known.values())
    for collection in searched:
        if collection.model != context.embedder.model:
            raise ModelMismatchError(collection.name, collection.model, context.embedder.model)


def _check_languages(index: SearchIndex, filters: Filters) -> None:
    """Refuse a tag that is no language; a language without blocks finds nothing."""
    known = index.languages(filters.collections) if filters.languages else ()
    for language in filters.languages:
        if known and language not in known and language not in text.LANGUAGES:
            raise NotFoundError("language", language, f"there are: {', '.join(known)}")


def _rankings(
    context: Context, index: SearchIndex, query: str, vector: Vector, filters: Filters, size: int
) -> tuple[dict[str, list[tuple[str, float]]], dict[str, str], bool]:
    """Return every signal's ranking of the nominated blocks, spelling corrections, and whether any block may answer."""
    dense = index.nearest(vector, size, filters)
    lexical, corrected, words = _lexical(context, query, filters)
    answerable = context.settings.min_relevance == 0 or is_answerable(context, index, query, filters, words, dense)
    headings = context.store.headings(query, filters, size) if corrected else []
    nominated = {id_ for ranking in (dense, lexical[:size], headings) for id_, _ in ranking}
    nominated = {id_ for id_ in nominated if index.row(id_) is not None}
    similarities = dict(dense)
    similarities |= index.similarities(vector, sorted(nominated - similarities.keys()))
    rankings = {
        "dense": _ranking(similarities),
        "lexical": [entry for entry in lexical if entry[0] in nominated],
        "salience": _ranking({id_: row.salience for id_ in nominated if (row := index.row(id_))}),
        "freshness": _ranking(_freshness(context, index, nominated)),
        "headings": [entry for entry in headings if entry[0] in nominated],
    }
    active = {name: ranking for name, ranking in rankings.items() if any(v > 0 for _, v in ranking)}
    return active, corrected, answerable


def _lexical(
    context: Context, query: str, filters: Filters
) -> tuple[list[tuple[str, float]], dict[str, str], LexicalPool | None]:
    """Return the BM25 ranking of bodies; unknown words are replaced by the most similar known ones."""
    counts: Counter[str] = text.terms(query)
    if not counts:
        return [], {}, None
    similar = context.store.correct(sorted(counts), filters.collections)
    corrected = {word: known for word, known in similar.items() if text.is_misspelling(word, known)}
    for unknown, known in corrected.items():
        counts[known] += counts.pop(unknown)
    terms = sorted(counts)
    pool = context.store.lexical(terms, filters, fusion.LEXICAL_CAP)
    return fusion.bm25(pool, [counts[t] for t in terms]), corrected, pool


def _freshness(context: Context, index: SearchIndex, ids: set[str]) -> dict[str, float]:
    now = context.clock.now()
    half_life = context.settings.freshness_half_life
    return {id_: fusion.freshness(row.authored_at, now, half_life) for id_ in ids if (row := index.row(id_))}


def _ranking(values: Mapping[str, float]) -> list[tuple[str, float]]:
    return sorted(values.items(), key=lambda entry: (-entry[1], entry[0]))


def _fused(settings: Settings, rankings: Mapping[str, list[tuple[str, float]]]) -> list[Fused]:
    weights = {
        "dense": settings.dense_weight,
        "lexical": 1.0 - settings.dense_weight,
        "salience": settings.salience_weight,
        "freshness": settings.freshness_weight,
        "headings": HEADINGS_WEIGHT,
    }
    active = {name: ranking for name, ranking in rankings.items() if weights[name] > 0}
    if settings.fusion == "rrf":
        return fusion.rrf(active, weights, settings.rrf_k)
    return fusion.minmax(active, weights)


def _text_vectors(context: Context, index: SearchIndex, above: Sequence[Fused]) -> list[Vector | None]:
    keys = [row.text_key if (row := index.row(f.id)) else "" for f in above]
    known = context.store.known_vectors([key for key in keys if key])
    return [known.get(key) for key in keys]


def _diversified(settings: Settings, above: list[Fused], vectors: list[Vector | None]) -> list[Fused]:
    """Reorder by MMR where the settings ask for it; `vectors` follow."""
    if settings.mmr_lambda >= 1.0:
        return above

    def similarity(i: int, j: int) -> float:
        a, b = vectors[i], vectors[j]
        return canonical_cosine(a, b) if a is not None and b is not None else 0.0

    order = fusion.diversify(above, similarity, settings.mmr_lambda)
    vectors[:] = [vectors[i] for i in order]
    return [above[i] for i in order]


def _fates(
    n_hits: int,
    context: Context,
    index: SearchIndex,
    above: Sequence[Fused],
    blocks: Mapping[str, Block],
    vectors: Sequence[Vector | None],
) -> tuple[Fate, ...]:
    """Return the fates of the ranked blocks, down to where enough are kept; known pairs are not compared again."""
    if not context.settings.dedup_enabled:
        return tuple(Fate(place, Relation.KEPT, place) for place in range(len(above[: first_look(n_hits)])))
    ranked = [candidate(blocks[f.id]) for f in above]
    rows = [index.row(f.id) for f in above]
    names = {
        text: text_id(row.text_key, row.kind, row.language)
        for text, row in zip(ranked, rows, strict=True)
        if row is not None and (row.kind, row.language) == (text.kind, text.language)
    }
    return fates_down_to(n_hits, ranked, vectors, context.settings.dedup_from, (known_guard(context, names),))


def _hits(above: Sequence[Fused], fates: Sequence[Fate], blocks: Mapping[str, Block], n_hits: int) -> tuple[Hit, ...]:
    twins: dict[int, list[Twin]] = {}
    for fate in fates:
        if fate.relation is not Relation.KEPT:
            repeat = above[fate.index]
            twins.setdefault(fate.of, []).append(Twin(blocks[repeat.id], fate.similarity, repeat.score))
    kept = [fate for fate in fates if fate.relation is Relation.KEPT][:n_hits]
    return tuple(
        Hit(
            block=blocks[above[fate.index].id],
            score=above[fate.index].score,
            relevance=above[fate.index].relevance,
            signals=above[fate.index].signals,
            also_in=tuple(twins.get(fate.index, ())),
            held_apart=HeldApart(above[fate.near_miss].id, fate.objections) if fate.near_miss is not None else None,
        )
        for fate in kept
    )


def _warned(settings: Settings, report: SearchReport) -> SearchReport:
    """Add warnings of an unhealthy search. Source: seed 001, "Debugging Tips"."""
    warnings = []
    if report.n_repeats and report.dedup_ratio > settings.warn_search_ratio:
        warnings.append(
            f"{report.dedup_ratio:.0%} of the ranked blocks repeat others: a broad query, or many alike documents?"
        )
    if report.n_pool and not report.hits:
        warnings.append("nothing in the base answers this")
    return SearchReport(
        report.query, report.hits, report.n_pool, report.n_below, report.n_repeats, report.corrected,
        report.took_ms, tuple(warnings),
    )  # fmt: skip
