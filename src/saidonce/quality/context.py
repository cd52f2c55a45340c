"""Compare arms by the relevant and distinct content of a context at equal token budgets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from saidonce.foundation.context import Context
from saidonce.foundation.model import Filters
from saidonce.kb.packed_context import CountTokens, PackedContext, PackedPassage, lines_of, origin_of, pack
from saidonce.kb.search import SearchIndex, SearchReport, search
from saidonce.quality import figures
from saidonce.quality.retrieval import Task

BUDGETS = (500, 1_000, 2_000)

DEPTH = 50
"""Hits looked at for each query, in every arm."""

ARMS: Mapping[str, Mapping[str, object]] = {
    "top-k": {"dedup_enabled": False},
    "mmr": {"dedup_enabled": False, "mmr_lambda": 0.5},
    "dedup": {},
    "packed": {},
}
"""What each arm changes of the settings; all but `packed` put whole hits into the budget, best first."""

IDEAL = "ideal"
"""What is reachable: the hits of top-k in the order of someone who knows the answers, relevant ones first, and each
group once, by its highest hit."""


@dataclass(frozen=True, slots=True)
class ContextReport:
    """Figures of each arm and budget, averaged over queries.

    Attributes:
        values: by budget, arm and metric. `relevant` counts distinct relevant groups in the context,
            `distinct` distinct groups, `redundancy` the share of passages whose group is already in the
            context, `lost` the distinct groups that plain top-k has and this arm lacks, `lost_above` those of them
            that it ranks above the last passage of this arm.
        intervals: 95 % intervals of `relevant` and `distinct`, by resampling queries.
    """

    n_queries: int
    values: Mapping[int, Mapping[str, Mapping[str, float]]]
    intervals: Mapping[int, Mapping[str, Mapping[str, tuple[float, float]]]] = field(default_factory=dict)


def run(
    context: Context, work: Task, collection: str, on_query: Callable[[], None], budgets: Sequence[int] = BUDGETS
) -> ContextReport:
    """Search every query in every arm, fill every budget, and count the content of each context.

    Args:
        work: queries, relevant documents, and groups of equivalent documents; a document without a
            group is its own group.
        collection: name of the prepared corpus.
        on_query: called after each query.
    """
    index = SearchIndex(context.embedder.model, context.embedder.dim)
    index.catch_up(context.store)
    columns: dict[tuple[int, str, str], list[float]] = {}
    armed = {arm: _armed(context, arm) for arm in ARMS if arm != "packed"}
    for query_id, query in work.queries.items():
        count_tokens = _counting_once(context.embedder.count_tokens)
        reports = {
            arm: search(wired, index, query, Filters(collections=(collection,)), DEPTH) for arm, wired in armed.items()
        }
        reports["packed"] = reports["dedup"]  # the same hits, packed
        reports[IDEAL] = _ideal(reports["top-k"], work, query_id)
        ranks = {hit.block.document: rank for rank, hit in enumerate(reports["top-k"].hits)}
        for budget in budgets:
            contexts = {arm: _filled(arm, report, budget, count_tokens) for arm, report in reports.items()}
            for arm, filled in contexts.items():
                values = _figures(filled, work, query_id) | _losses(filled, contexts["top-k"], ranks, work)
                for name, value in values.items():
                    columns.setdefault((budget, arm, name), []).append(value)
        on_query()
    return _report(len(work.queries), columns)


def _armed(context: Context, arm: str) -> Context:
    changes = {
        "metrics_enabled": False,
        "pool": max(context.settings.pool, 2 * DEPTH),
        "min_relevance": 0.0,
        **ARMS[arm],
    }
    return replace(context, settings=context.settings.model_copy(update=changes))


def _ideal(report: SearchReport, work: Task, query: str) -> SearchReport:
    relevant = _relevant(work, query)
    firsts = {work.group(hit.block.document): hit for hit in reversed(report.hits)}
    hits = [hit for hit in report.hits if firsts[work.group(hit.block.document)] is hit]
    return replace(report, hits=tuple(sorted(hits, key=lambda hit: work.group(hit.block.document) not in relevant)))


def _relevant(work: Task, query: str) -> set[str]:
    return {work.group(document) for document, gain in work.gains[query].items() if gain > 0}


def _counting_once(count_tokens: CountTokens) -> CountTokens:
    """Return a function that counts the tokens of a text once: arms and budgets show the same passages."""
    known: dict[str, int] = {}

    def counted(texts: Sequence[str]) -> list[int]:
        new = [text for text in dict.fromkeys(texts) if text not in known]
        known.update(zip(new, count_tokens(new), strict=True))
        return [known[text] for text in texts]

    return counted


def _filled(arm: str, report: SearchReport, budget: int, count_tokens: CountTokens) -> PackedContext:
    if arm == "packed":
        return pack(report, budget, count_tokens)
    passages: list[PackedPassage] = []
    used = 0
    whole = [PackedPassage(n, origin_of(hit.block), hit.block.text) for n, hit in enumerate(report.hits, 1)]
    for passage, n_tokens in zip(whole, count_tokens([lines_of(p) for p in whole]), strict=True):
        if used + n_tokens <= budget:
            used += n_tokens
            passages.append(replace(passage, n_tokens=n_tokens))
    return PackedContext(report.query, budget, tuple(passages))


def _groups(filled: PackedContext, work: Task) -> list[str]:
    """Return the groups of the passages that contribute words; an additional source contributes none."""
    return [work.group(p.origin.document) for p in filled.passages]


def _figures(filled: PackedContext, work: Task, query: str) -> dict[str, float]:
    groups = _groups(filled, work)
    return {
        "relevant": float(len(_relevant(work, query).intersection(groups))),
        "distinct": float(len(set(groups))),
        "redundancy": 1 - len(set(groups)) / len(groups) if groups else 0.0,
        "tokens": float(filled.n_tokens),
    }


def _losses(filled: PackedContext, plain: PackedContext, ranks: Mapping[str, int], work: Task) -> dict[str, float]:
    """Return how many groups an arm lacks that plain top-k has: everywhere, and above the arm's last passage."""
    of_plain = list(zip(_groups(plain, work), plain.passages, strict=True))
    has = set(_groups(filled, work))
    last = max((ranks.get(p.origin.document, -1) for p in filled.passages), default=-1)
    above = {group for group, passage in of_plain if ranks[passage.origin.document] < last}
    return {"lost": float(len({group for group, _ in of_plain} - has)), "lost_above": float(len(above - has))}


def _report(n_queries: int, columns: Mapping[tuple[int, str, str], Sequence[float]]) -> ContextReport:
    values: dict[int, dict[str, dict[str, float]]] = {}
    intervals: dict[int, dict[str, dict[str, tuple[float, float]]]] = {}
    for (budget, arm, name), column in columns.items():
        values.setdefault(budget, {}).setdefault(arm, {})[name] = figures.mean(column)
        if name in ("relevant", "distinct"):
            intervals.setdefault(budget, {}).setdefault(arm, {})[name] = figures.bootstrap(column)
    return ContextReport(n_queries, values, intervals)
