"""Ingest and search a labelled collection; measure rankings and repeats, arm by arm."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

from saidonce.errors import SourceRefusedError
from saidonce.foundation.context import Context, Source
from saidonce.foundation.model import Document, Element, Filters, Kind
from saidonce.foundation.settings.policy import SegmentStyle, Settings
from saidonce.foundation.text import digest, fingerprint
from saidonce.kb.ingest import ingest
from saidonce.kb.search import SearchIndex, SearchReport, search
from saidonce.quality import figures
from saidonce.quality.rows import find, read

DEPTH = 100
"""Hits fetched for each query; recall is measured at this depth."""

ORG = "evaluation"
"""Organisation of all evaluated corpora, so that none mixes with a base and none is embedded twice."""

ARMS: Mapping[str, Mapping[str, object]] = {
    "lexical": {"dense_weight": 0.0, "salience_weight": 0.0, "freshness_weight": 0.0, "dedup_enabled": False},
    "dense": {"dense_weight": 1.0, "salience_weight": 0.0, "freshness_weight": 0.0, "dedup_enabled": False},
    "hybrid": {"dedup_enabled": False},
    "rrf": {"dedup_enabled": False, "fusion": "rrf"},
    "dedup": {},
    "fuller": {"dedup_keeps": "fuller"},
    "search": {},
}
"""Changed settings of each arm; all but the last, which is a search as the settings have it, are without a relevance
cut."""


@dataclass(frozen=True, slots=True)
class RankedHits:
    """Hits of one query in one arm: (document, score, also in), best first."""

    query: str
    arm: str
    hits: tuple[tuple[str, float, tuple[str, ...]], ...]

    @property
    def ids(self) -> list[str]:
        """Documents in ranked order."""
        return [doc for doc, _, _ in self.hits]


@dataclass(frozen=True, slots=True)
class Task:
    """Queries with their relevant documents, and groups of equivalent documents."""

    queries: Mapping[str, str]
    gains: Mapping[str, Mapping[str, float]]
    group_of: Mapping[str, str] = field(default_factory=dict)
    changed: frozenset[str] = frozenset()

    def group(self, document: str) -> str:
        """Return the group of a document; one without a group is its own."""
        return self.group_of.get(document, document)


@dataclass(frozen=True, slots=True)
class RetrievalReport:
    """Metrics by name of arm and metric, averaged over queries.

    Attributes:
        intervals: 95 % intervals of the figures, by resampling queries.
        ahead: mean lead of the hybrid's nDCG over each other arm's, query by query, with its interval.
    """

    k: int
    n_queries: int
    arms: Mapping[str, Mapping[str, float]]
    intervals: Mapping[str, Mapping[str, tuple[float, float]]] = field(default_factory=dict)
    ahead: Mapping[str, tuple[float, float, float]] = field(default_factory=dict)


class RowParser:
    """Parser of corpus rows: a title, and the text as one paragraph."""

    def map(self, sources: Iterable[tuple[str, bytes]]) -> Iterator[tuple[str, Document | SourceRefusedError]]:
        """Read rows; they are trusted to be well formed."""
        for name, content in sources:
            row = json.loads(content)
            body = str(row["text"]).strip() or str(row["title"])
            yield name, Document(str(row["title"]), "row", (Element(Kind.PARAGRAPH, body),), language="en")


def corpus(folder: Path, polluted: bool) -> list[Source]:
    """Return the sources of a corpus file, one for each row, in file order, without empty rows."""
    path = find(folder, "polluted_corpus" if polluted else "corpus")
    rows = read(path, ("_id", "text"))
    return [_source(row) for row in rows if str(row.get("title", "")).strip() or str(row["text"]).strip()]


def _source(row: Mapping[str, object]) -> Source:
    # The id is part of the bytes: an exact copy under another id stays a document of its own.
    content = json.dumps({"id": row["_id"], "title": row.get("title", ""), "text": row["text"]}).encode()
    return Source(str(row["_id"]), lambda: content)


def collection_of(sources: Sequence[Source]) -> str:
    """Return a collection name derived from a corpus's content, so that different corpora never mix."""
    return digest(*(part for s in sources for part in (s.name, fingerprint(s.read()))))[:16]


def task(folder: Path, polluted: bool, split: str, limit: int | None = None) -> Task:
    """Return the queries and relevance judgements of a folder.

    Args:
        split: selects rows; empty takes all.
        limit: of queries, the first of those selected in the order of the file; None takes all.
    """
    splits = {"", split} if split else None
    qrels: dict[str, dict[str, float]] = {}
    for row in read(find(folder, "polluted_qrels" if polluted else "qrels"), ("query", "doc", "score")):
        if splits is None or str(row.get("split", "")) in splits:
            qrels.setdefault(str(row["query"]), {})[str(row["doc"])] = float(row["score"])
    selected = (
        (str(row["_id"]), str(row["text"]))
        for row in read(find(folder, "queries"), ("_id", "text"))
        if str(row["_id"]) in qrels and (splits is None or str(row.get("split", "")) in splits)
    )
    queries = dict(islice(selected, limit))
    gains = {query: qrels[query] for query in queries}
    if not polluted:
        return Task(queries, gains)
    truth = list(read(find(folder, "polluted_truth"), ("_id", "group", "relation")))
    groups = {str(row["_id"]): str(row["group"]) for row in truth}
    return Task(queries, gains, groups, frozenset(str(r["_id"]) for r in truth if r["relation"] == "changed"))


def prepare(context: Context, sources: Sequence[Source], on_document: Callable[[], None]) -> str:
    """Ingest the rows of a corpus that are not stored yet; return the collection's name."""
    collection = collection_of(sources)
    if any(c.collection.name == collection and c.n_documents == len(sources) for c in context.store.counts()):
        return collection  # its name tells its content
    rows = replace(
        context, parser=RowParser(), settings=_settings(context.settings, {"segment_style": SegmentStyle.WHOLE})
    )
    ingest(rows, sources, collection, lambda _report: on_document())
    return collection


def run(
    context: Context, work: Task, collection: str, on_query: Callable[[], None]
) -> tuple[list[RankedHits], dict[str, list[float]]]:
    """Search every query in every arm; return rankings and milliseconds by arm."""
    index = SearchIndex(context.embedder.model, context.embedder.dim)
    index.catch_up(context.store)
    ranked: list[RankedHits] = []
    took: dict[str, list[float]] = {arm: [] for arm in ARMS}
    bases = {arm: replace(context, settings=_arm_settings(context.settings, arm)) for arm in ARMS}
    for query_id, query in work.queries.items():
        for arm, armed in bases.items():
            report = search(armed, index, query, Filters(collections=(collection,)), DEPTH)
            ranked.append(RankedHits(query_id, arm, tuple(_hits(report))))
            took[arm].append(sum(report.took_ms.values()))
        on_query()
    return ranked, took


def measure(work: Task, ranked: Sequence[RankedHits], took: Mapping[str, Sequence[float]], k: int) -> RetrievalReport:
    """Average the figures of each arm; with groups also those of repeats, compared with a perfect deduplication."""
    by_arm: dict[str, dict[str, RankedHits]] = {}
    for one in ranked:
        by_arm.setdefault(one.arm, {})[one.query] = one
    if work.group_of:
        by_arm["perfect"] = {query: _perfect(one, work) for query, one in by_arm["hybrid"].items()}
    arms: dict[str, dict[str, float]] = {}
    intervals: dict[str, dict[str, tuple[float, float]]] = {}
    gained: dict[str, dict[str, float]] = {}
    for arm, rankings in by_arm.items():
        values = {query: _figures(work, query, one, by_arm["hybrid"][query], k) for query, one in rankings.items()}
        columns = {
            name: [v[name] for v in values.values() if name in v]
            for name in sorted({name for v in values.values() for name in v})
        }
        arms[arm] = {name: figures.mean(column) for name, column in columns.items()}
        intervals[arm] = {name: figures.bootstrap(column) for name, column in columns.items()}
        gained[arm] = {query: v[f"ndcg@{k}"] for query, v in values.items()}
        if arm in took:
            arms[arm]["p50_ms"] = figures.percentile(took[arm], 0.50)
            arms[arm]["p95_ms"] = figures.percentile(took[arm], 0.95)
    ahead = {arm: _ahead(gained["hybrid"], other) for arm, other in gained.items() if arm in ("lexical", "dense")}
    return RetrievalReport(k, len(work.queries), arms, intervals, ahead)


def _ahead(ours: Mapping[str, float], theirs: Mapping[str, float]) -> tuple[float, float, float]:
    gaps = [gain - theirs[query] for query, gain in ours.items()]
    return (figures.mean(gaps), *figures.bootstrap(gaps))


def _figures(work: Task, query: str, one: RankedHits, raw: RankedHits, k: int) -> dict[str, float]:
    gains = work.gains[query]
    values = {
        f"ndcg@{k}": figures.ndcg(one.ids, gains, k),
        f"precision@{k}": figures.precision(one.ids, gains, k),
        f"relevance@{k}": figures.relevance(one.ids, gains, k),
        f"recall@{DEPTH}": figures.recall(one.ids, gains, DEPTH),
        f"mrr@{k}": figures.reciprocal_rank(one.ids, gains, k),
        "slots_filled": len(one.ids[:k]) / k,
    }
    if work.group_of:
        values[f"redundancy@{k}"] = figures.redundancy(one.ids, work.group_of, k)
        values[f"distinct_relevant@{k}"] = figures.distinct_relevant(one.ids, gains, work.group_of, k)
        changed = [doc for doc in raw.ids[:k] if doc in work.changed]
        if changed:
            values[f"changed_kept@{k}"] = len(set(changed).intersection(one.ids)) / len(changed)
    return values


def _perfect(one: RankedHits, work: Task) -> RankedHits:
    seen: set[str] = set()
    hits = []
    for hit in one.hits:
        group = work.group(hit[0])
        if group not in seen:
            seen.add(group)
            hits.append(hit)
    return RankedHits(one.query, "perfect", tuple(hits))


def _hits(report: SearchReport) -> Iterator[tuple[str, float, tuple[str, ...]]]:
    for hit in report.hits:
        yield hit.block.document, hit.score, tuple(twin.block.document for twin in hit.also_in)


def _arm_settings(settings: Settings, arm: str) -> Settings:
    changes = {"metrics_enabled": False, "pool": max(settings.pool, 2 * DEPTH), **ARMS[arm]}
    if arm != "search":
        changes["min_relevance"] = 0.0
    return _settings(settings, changes)


def _settings(settings: Settings, changes: Mapping[str, object]) -> Settings:
    return settings.model_copy(update=dict(changes))
