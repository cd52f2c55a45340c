"""The search flow, step by step."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import ParamSpec, TypeVar

from saidonce.errors import ModelMismatchError, NotFoundError, ShardError, UsageError
from saidonce.foundation import text, tracing
from saidonce.foundation.context import Context
from saidonce.foundation.model import Block, Candidate, Collection, Fate, Filters, MediaPlace, Relation, Vector, text_id
from saidonce.foundation.ports import BlockText, LanguageEmbedder, ScriptEmbedder
from saidonce.foundation.settings.policy import Settings
from saidonce.kb.canonical import under_review
from saidonce.kb.pairs import known_guard
from saidonce.kb.search import fusion, relevance
from saidonce.kb.search.dates import by_dated_documents
from saidonce.kb.search.fusion import Fused
from saidonce.kb.search.heard import answering_offset
from saidonce.kb.search.index import SearchIndex
from saidonce.kb.search.properties import IndexedBlock
from saidonce.kb.search.readings import Reading, first_reading, other_readings
from saidonce.kb.search.relevance import Background, Evidence, Scale
from saidonce.kb.search.repeats import RepeatRule, fates_down_to, first_look, places_of_groups
from saidonce.kb.search.report import NOTHING_ANSWERS, HeldApart, Hit, LookAlike, RepeatedBlock, SearchReport, counters
from saidonce.matching.guards import candidate_in_place
from saidonce.matching.ladder import Guard
from saidonce.matching.vectors import all_cosines

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")

HEADINGS_WEIGHT = 0.2
"""Weight of headings matched by trigrams; they are searched only for queries with unknown words."""

MAX_QUERY_CHARS = 4_000

POOL_PER_HIT = 2
"""Least number of ranked blocks for each requested hit, where the setting `pool` is lower."""


LEAST_RANKED = 10
"""Ranked blocks from which a share of repeats says something of the base: of two blocks, one repeat is half."""


@dataclass
class _Timer:
    took_ms: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        start = time.perf_counter()
        with tracing.span("search", name):
            yield
        self.took_ms[name] = round((time.perf_counter() - start) * 1_000, 3)


@dataclass(frozen=True, slots=True)
class _SearchRequest:
    """A query with its vector; `size` blocks are ranked.

    Attributes:
        languages: of the blocks that are searched.
        nearest: the blocks nearest to the vector.
        backgrounds: how near blocks in their languages usually are to it.
        beside: asks the database while something else is done.
    """

    query: str
    vector: Vector
    filters: Filters
    size: int
    languages: Sequence[str]
    nearest: list[tuple[str, float]]
    backgrounds: Mapping[str, Background]
    beside: Executor


@dataclass(frozen=True, slots=True)
class _Judged:
    """The blocks that answer, best first, among all that were ranked, and how they were judged.

    Attributes:
        texts: words of the blocks that may answer, by id.
        vectors: of the texts of those that were ranked, in their order; None where it is not stored.
        answering: the block above the relevance cut that one below it nearly repeats, by the latter's id.
    """

    reading: Reading
    above: list[Fused]
    texts: Mapping[str, BlockText]
    scale: Scale
    cosines: Mapping[str, float]
    ranked: list[Fused]
    vectors: Future[list[Vector | None]]
    answering: Mapping[str, str] = field(default_factory=dict)

    def evidence(self, id_: str) -> Evidence:
        """Return what speaks for and against a block."""
        evidence = self.scale.evidence(self.texts[id_], self.cosines[id_])
        return replace(evidence, beside=self.answering.get(id_, ""))


@dataclass
class _Front:
    """The blocks that answer, read whole as far down the ranking as somebody looks.

    One that went since its words were read is left out.

    Attributes:
        above, vectors: the blocks and the vectors of their texts, best first.
        compared: what the ladder sees of those that were read.
        names: of their texts in the pair table.
    """

    context: Context
    index: SearchIndex
    above: list[Fused]
    vectors: list[Vector | None]
    compared: list[Candidate] = field(default_factory=list)
    names: dict[Candidate, str] = field(default_factory=dict)
    _blocks: list[Block] = field(default_factory=list)

    def first(self, n: int) -> tuple[Sequence[Candidate], Sequence[Vector | None]]:
        """Return the best n of the blocks as texts with their vectors; fewer if there are no more."""
        while len(self._blocks) < min(n, len(self.above)):
            self._read(n)
        return self.compared[:n], self.vectors[:n]

    def block(self, place: int) -> Block:
        """Return the block of a place that was read."""
        return self._blocks[place]

    def _read(self, n: int) -> None:
        """Read the blocks down to place n; take out those that are gone."""
        start = len(self._blocks)
        blocks = self.context.store.blocks([f.id for f in self.above[start:n]])
        live = [place for place in range(start, min(n, len(self.above))) if self.above[place].id in blocks]
        read = [self.above[place] for place in live]
        self.vectors[start:n] = [self.vectors[place] for place in live]
        self.above[start:n] = read
        for fused in read:
            text = candidate_in_place(blocks[fused.id])
            row = self.index.row(fused.id)
            self._blocks.append(blocks[fused.id])
            self.compared.append(text)
            if row is not None and (row.kind, row.language) == (text.kind, text.language):
                self.names[text] = text_id(row.text_key, row.kind, row.language)


def search(context: Context, index: SearchIndex, query: str, filters: Filters, k: int | None = None) -> SearchReport:
    """Search the base: rank by several signals, then list repeats under the hit they repeat.

    The fused score orders the blocks; those whose relevance is below the setting `min_relevance` answer nothing
    and are left out, unless they are as similar as a repeat to one that answers: who reads one edition of a
    statement is shown the others.
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
        ShardError: parts of the index were lost, and again after they were filled anew.
    """
    try:
        return _search_once(context, index, query, filters, k)
    except ShardError:  # what is left is a part of the base, and no answer
        index.drop()
        return _search_once(context, index, query, filters, k)


def _search_once(context: Context, index: SearchIndex, query: str, filters: Filters, k: int | None) -> SearchReport:
    """Search once."""
    n_hits = context.settings.k if k is None else k
    known = _check(context, query, filters, n_hits)
    filters = _within_dates(context, filters, known)
    timer = _Timer()
    with timer.step("embed"):
        vector = context.embedder.embed([query])[0]
    with timer.step("catch_up"):
        index.catch_up(context.store)
    _check_languages(index, filters)
    with ThreadPoolExecutor(1) as beside:
        with timer.step("rank"):
            size = max(context.settings.pool, POOL_PER_HIT * n_hits)
            languages = index.languages(filters.collections)
            reading = _beside(beside, first_reading, context, languages, query, filters)
            nearest = index.nearest(vector, size, filters)
            near = index.backgrounds(vector, filters.collections, languages)
            request = _SearchRequest(query, vector, filters, size, languages, nearest, near, beside)
            judged = _rank_and_select(context, index, request, reading.result())
        with timer.step("fetch"):
            judged, vectors = _with_look_alikes(context, judged)
            above = judged.above
    with timer.step("dedup"):
        above = _diversify(context.settings, above, vectors)
        front = _Front(context, index, list(above), vectors)
        guard = known_guard(context, front.names)
        fates = _fates(n_hits, context.settings, front, guard)
        hits = _hits(front, fates, judged, n_hits, _says_less(front.compared, guard))
    hits = _mark_under_review(context, hits, {c.name for c in known.values() if c.is_canonical})
    n_repeats = sum(f.relation is not Relation.KEPT for f in fates)
    n_below = len(judged.ranked) - len(above)
    corrected = judged.reading.corrected
    report = SearchReport(query, hits, n_below + len(fates), n_below, n_repeats, corrected, timer.took_ms)
    n_held_twice = sum(fate.relation is not Relation.KEPT and _is_held_twice(front, fate) for fate in fates)
    report = _with_warnings(context.settings, report, n_held_twice)
    if context.settings.metrics_enabled:
        context.store.add_counters(counters(report))
    return report


def _check(context: Context, query: str, filters: Filters, n_hits: int) -> Mapping[str, Collection]:
    """Return the collections of the base by name, if the request is one that can be answered."""
    if not query.strip():
        raise UsageError("the query is empty; give a question, such as 'how long do we keep backups?'")
    if len(query) > MAX_QUERY_CHARS:
        raise UsageError(f"the query has {len(query)} characters; at most {MAX_QUERY_CHARS} are allowed")
    if n_hits < 1:
        raise UsageError(f"k must be at least 1, not {n_hits}")
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
    return known


def _within_dates(context: Context, filters: Filters, known: Mapping[str, Collection]) -> Filters:
    """Return filters whose bounds on dates hold for any document of a block, if all searched collections share blocks.

    Beside blocks of single documents, whose names may be the same, the date of a block decides.
    """
    if filters.since is None and filters.until is None:
        return filters
    names = filters.collections or tuple(known)
    if not all(known[name].is_canonical for name in names):
        return filters
    return by_dated_documents(filters, chain.from_iterable(map(context.store.documents, names)))


def _check_languages(index: SearchIndex, filters: Filters) -> None:
    """Refuse a tag that is no language; a language without blocks finds nothing."""
    known = index.languages(filters.collections) if filters.languages else ()
    for language in filters.languages:
        if known and language not in known and language not in text.LANGUAGES:
            raise NotFoundError("language", language, f"there are: {', '.join(known)}")


def _rank_and_select(context: Context, index: SearchIndex, request: _SearchRequest, reading: Reading) -> _Judged:
    """Rank the blocks and keep those that answer; where none does, try other readings that cover more words."""
    scale = _scale(context, request.query, reading)
    cut = context.settings.min_relevance
    first = _judge(context, index, request, reading, scale, cut)
    if first.above or not cut:
        return first
    best = scale.best_rarity
    for other in other_readings(context, request.languages, request.query, request.filters):
        scale = _scale(context, request.query, other)
        if scale.best_rarity > best:
            judged = _judge(context, index, request, other, scale, cut)
            if judged.above:
                return judged
    return first


def _scale(context: Context, query: str, reading: Reading) -> Scale:
    """Return how blocks are judged for a reading, by the scripts and languages that the embedder reads."""
    embedder = context.embedder
    scripts = embedder.scripts if isinstance(embedder, ScriptEmbedder) else None
    languages = embedder.languages if isinstance(embedder, LanguageEmbedder) else None
    scale = relevance.scale(Background(), query, reading.words, reading.pool, scripts, languages)
    return replace(scale, forms=reading.forms)


def _judge(
    context: Context, index: SearchIndex, request: _SearchRequest, reading: Reading, scale: Scale, cut: float
) -> _Judged:
    """Rank the blocks by one reading of the query, and weigh the evidence for each that may answer."""
    rankings, rows = _rankings(context, index, request, reading)
    cosines = dict(rankings["dense"])
    active = {name: ranking for name, ranking in rankings.items() if any(v > 0 for _, v in ranking)}
    ranked = _fuse(context.settings, active, request.size)
    vectors = _beside(request.beside, _text_vectors, context, [rows[f.id].text_key for f in ranked])
    scale = scale.with_backgrounds(request.backgrounds)
    may_answer = [f.id for f in ranked if scale.may_reach(cut, cosines[f.id], rows[f.id].language)]
    texts = context.store.block_texts(may_answer)
    scale = scale.with_pieces(texts)

    def answers(id_: str) -> bool:
        # Most blocks answer by their cosine alone, and need no look at their words.
        words, cosine = texts[id_], cosines[id_]
        return scale.at_least(cosine, words.language) >= cut or scale.relevance(words, cosine) >= cut

    above = [f for f in ranked if f.id in texts and answers(f.id)]
    return _Judged(reading, above, texts, scale, cosines, ranked, vectors)


def _rankings(
    context: Context, index: SearchIndex, request: _SearchRequest, reading: Reading
) -> tuple[dict[str, list[tuple[str, float]]], dict[str, IndexedBlock]]:
    """Return every signal's ranking of the nominated blocks, and what the index knows of these."""
    dense = request.nearest
    headings = context.store.headings(request.query, request.filters, request.size) if reading.has_unknown else []
    others = {id_ for ranking in (dense, headings) for id_, _ in ranking}
    lexical = reading.ranking(request.size, others)
    rows = index.rows(others.union(id_ for id_, _ in lexical[: request.size]))
    similarities = {id_: similarity for id_, similarity in dense if id_ in rows}
    similarities |= index.similarities(request.vector, sorted(rows.keys() - similarities.keys()))
    rows = {id_: row for id_, row in rows.items() if id_ in similarities}  # others went meanwhile
    now, half_life = context.clock.now(), context.settings.freshness_half_life
    dates = {row.authored_at for row in rows.values()}
    fresh = {moment: fusion.freshness(moment, now, half_life) for moment in dates}
    rankings = {
        "dense": _ranking(similarities),
        "lexical": [entry for entry in lexical if entry[0] in rows],
        "salience": _ranking({id_: row.salience for id_, row in rows.items()}),
        "freshness": _ranking({id_: fresh[row.authored_at] for id_, row in rows.items()}),
        "headings": [entry for entry in headings if entry[0] in rows],
    }
    return rankings, rows


def _ranking(values: Mapping[str, float]) -> list[tuple[str, float]]:
    return [(id_, -negative) for negative, id_ in sorted((-value, id_) for id_, value in values.items())]


def _fuse(settings: Settings, rankings: Mapping[str, list[tuple[str, float]]], size: int) -> list[Fused]:
    weights = {
        "dense": settings.dense_weight,
        "lexical": 1.0 - settings.dense_weight,
        "salience": settings.salience_weight,
        "freshness": settings.freshness_weight,
        "headings": HEADINGS_WEIGHT,
    }
    active = {name: ranking for name, ranking in rankings.items() if weights[name] > 0}
    if settings.fusion == "rrf":
        return fusion.rrf(active, weights, settings.rrf_k, size)
    return fusion.minmax(active, weights, size)


def _with_look_alikes(context: Context, judged: _Judged) -> tuple[_Judged, list[Vector | None]]:
    """Add the blocks below the cut that are as similar as a repeat to one above it; return the vectors of all.

    Two editions of a statement have nearly the same relevance, and the cut may fall between them. In a script that the
    model does not read any two texts are alike: there the block must hold a word of the query, too.
    """
    vectors = dict(zip((f.id for f in judged.ranked), judged.vectors.result(), strict=True))
    if not judged.above or len(judged.above) == len(judged.ranked):
        return judged, [vectors[f.id] for f in judged.above]
    above = {f.id for f in judged.above}
    known = {id_: v for id_, v in vectors.items() if v is not None}
    answering = relevance.look_alikes(known, [f.id for f in judged.above], context.settings.dedup_from)
    missing = [id_ for id_ in answering if id_ not in judged.texts]
    texts = {**judged.texts, **context.store.block_texts(missing)} if missing else judged.texts
    scale = judged.scale
    answering = {
        id_: kept
        for id_, kept in answering.items()
        if id_ in texts and (scale.is_read or scale.evidence(texts[id_], judged.cosines[id_]).held)
    }
    shown = [f for f in judged.ranked if f.id in above or f.id in answering]
    return replace(judged, above=shown, texts=texts, answering=answering), [vectors[f.id] for f in shown]


def _beside(
    beside: Executor, do: Callable[_Arguments, _Result], *args: _Arguments.args, **kwargs: _Arguments.kwargs
) -> Future[_Result]:
    """Start something beside; whether its reads may lag is as it is here."""
    here = copy_context()
    return beside.submit(lambda: here.run(do, *args, **kwargs))


def _text_vectors(context: Context, keys: Sequence[str]) -> list[Vector | None]:
    known = context.store.known_vectors(keys)
    return [known.get(key) for key in keys]


def _diversify(settings: Settings, above: list[Fused], vectors: list[Vector | None]) -> list[Fused]:
    """Reorder by MMR where the settings ask for it; `vectors` follow."""
    if settings.mmr_lambda >= 1.0:
        return above

    alike = all_cosines(vectors)
    order = fusion.diversify(above, lambda i, j: float(alike[i, j]), settings.mmr_lambda)
    vectors[:] = [vectors[i] for i in order]
    return [above[i] for i in order]


def _fates(
    n_hits: int,
    settings: Settings,
    front: _Front,
    guard: Guard,
) -> tuple[Fate, ...]:
    """Return the fates of the ranked blocks, down to where enough are kept."""
    if not settings.dedup_enabled:
        ranked, _ = front.first(first_look(n_hits))
        return tuple(Fate(place, Relation.KEPT, place) for place in range(len(ranked)))
    rule = RepeatRule(settings.dedup_from, (guard,), settings.same_from, settings.dedup_keeps == "fuller")
    return fates_down_to(n_hits, front.first, rule)


def _says_less(ranked: Sequence[Candidate], guard: Guard) -> Callable[[Fate], bool]:
    """Return a function that says of a repeat whether the kept text states something that it does not."""

    def says_less(fate: Fate) -> bool:
        repeat, kept = ranked[fate.index], ranked[fate.of]
        return fate.relation is not Relation.EXACT and bool(guard(kept, repeat))

    return says_less


def _hits(
    front: _Front,
    fates: Sequence[Fate],
    judged: _Judged,
    n_hits: int,
    says_less: Callable[[Fate], bool],
) -> tuple[Hit, ...]:
    above = front.above
    places = places_of_groups(fates)
    standing = [fates[place] for place in places]
    kept = standing[:n_hits]
    shown = {fate.index for fate in kept}
    look_alikes: dict[int, list[LookAlike]] = {}
    for fate in standing[n_hits:]:
        if fate.near_miss in shown:
            look_alike = LookAlike(front.block(fate.index), fate.objections)
            look_alikes.setdefault(fate.near_miss, []).append(look_alike)
    repeats: dict[int, list[RepeatedBlock]] = {}
    for fate in fates:
        if fate.relation is not Relation.KEPT and fate.of in shown:
            repeat = above[fate.index]
            repeats.setdefault(fate.of, []).append(
                RepeatedBlock(front.block(fate.index), fate.similarity, repeat.score, says_less(fate))
            )
    return tuple(
        Hit(
            block=front.block(fate.index),
            score=above[fate.index].score,
            relevance=(evidence := judged.evidence(above[fate.index].id)).relevance,
            signals=above[fate.index].signals,
            also_in=tuple(repeats.get(fate.index, ())),
            held_apart=HeldApart(above[fate.near_miss].id, fate.objections) if fate.near_miss is not None else None,
            evidence=evidence,
            place=_place(judged, front.block(fate.index)),
            look_alikes=tuple(look_alikes.get(fate.index, ())),
            in_place_of=above[first].id if (first := places[fate.index]) != fate.index else None,
        )
        for fate in kept
    )


def _place(judged: _Judged, block: Block) -> MediaPlace | None:
    """Return where a block is seen or heard, from the line on that answers the query."""
    if block.place is None or not block.place.lines:
        return block.place
    weights = dict(zip(judged.scale.words.values(), judged.scale.weights, strict=True))
    return block.place.from_offset(answering_offset(block.text, block.place.lines, weights, block.language))


def _mark_under_review(context: Context, hits: tuple[Hit, ...], canonical: Set[str]) -> tuple[Hit, ...]:
    """Return hits with what waits for a person about them; only canonical collections have open pairs."""
    ids = [hit.block.id for hit in hits if hit.block.collection in canonical]
    marks = under_review(context.store, ids) if ids else {}
    return tuple(replace(hit, under_review=marks.get(hit.block.id, ())) for hit in hits) if marks else hits


def _is_held_twice(front: _Front, fate: Fate) -> bool:
    """Return whether a repeat is the kept text's own document, held in another collection."""
    repeat, kept = front.block(fate.index), front.block(fate.of)
    return repeat.document == kept.document and repeat.collection != kept.collection


def _with_warnings(settings: Settings, report: SearchReport, n_held_twice: int) -> SearchReport:
    """Add warnings of an unhealthy search, to which files that two collections hold do not count.

    Source: seed 001, "Debugging Tips".
    """
    warnings = []
    n_repeats = report.n_repeats - n_held_twice
    n_ranked = report.n_pool - report.n_below - n_held_twice
    ratio = n_repeats / n_ranked if n_repeats else 0.0
    if n_ranked >= LEAST_RANKED and ratio > settings.warn_search_ratio:
        warnings.append(
            f"{ratio:.0%} of the ranked blocks repeat others; the query is broad, or many documents are alike"
        )
    if not report.hits:
        warnings.append(NOTHING_ANSWERS)
    return SearchReport(
        report.query, report.hits, report.n_pool, report.n_below, report.n_repeats, report.corrected,
        report.took_ms, tuple(warnings),
    )  # fmt: skip
