"""The calibrated relevance of hits: fit its constants, and measure the effect of the cut on each kind of question.

    python -m benchmarks.relevance fit           constants, from training questions of SciFact and off-topic ones
    python -m benchmarks.relevance [FOLDER]      figures on test questions; `retrieval/scifact` by default

The questions without an answer are in `tests/cases/relevance`; the constants are fitted on the first half.
"""

from __future__ import annotations

import json
import math
import random
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.evaluation_data import needed
from saidonce.app.knowledge_base import KnowledgeBase
from saidonce.foundation import text
from saidonce.foundation.context import Context
from saidonce.foundation.model import Filters
from saidonce.kb.search import Hit, SearchIndex, SearchReport, search
from saidonce.kb.search.relevance import MOST_RARITY, Background
from saidonce.quality import retrieval

CASES = Path(__file__).parents[1] / "tests" / "cases"
N_TRAINED = 150
N_SHUFFLED = 100
N_WORDS = 100
K = 10
SEED = 7
OTHERS = 3
"""Hits that answer nothing for each relevant one, on the scale of relevance; both sides weigh the same in the fit."""


@dataclass(frozen=True)
class _Base:
    """A labelled collection in its own knowledge base."""

    context: Context
    index: SearchIndex
    collection: str

    def search(self, query: str, cuts: bool = True, k: int = K) -> SearchReport:
        """Search with the default cut, or without a cut and without folding repeats."""
        changes: dict[str, object] = {} if cuts else {"min_relevance": 0.0, "dedup_enabled": False}
        context = replace(self.context, settings=self.context.settings.model_copy(update=changes))
        return search(context, self.index, query, Filters(collections=(self.collection,)), k)

    def n_answered(self, queries: Iterable[str]) -> int:
        """Count the queries that find something."""
        return sum(self.search(query).is_answered for query in queries)


def main(arguments: Sequence[str]) -> int:
    """Fit the constants, or print the figures of a folder."""
    is_fit = bool(arguments) and arguments[0] == "fit"
    folder = needed(arguments[0] if arguments and not is_fit else "retrieval/scifact")
    with KnowledgeBase(org=retrieval.ORG, metrics_enabled=False) as opened:
        context = opened.base
        collection = retrieval.prepare(context, retrieval.corpus(folder, polluted=False), lambda: None)
        index = SearchIndex(context.embedder.model, context.embedder.dim)
        index.catch_up(context.store)
        base = _Base(context, index, collection)
        if is_fit:
            _fit(base, retrieval.task(folder, polluted=False, split="train"))
        else:
            _show(base, retrieval.task(folder, polluted=False, split="test"))
    return 0


def _fit(base: _Base, work: retrieval.Task) -> None:
    """Print the constants of a logistic regression: relevant hits against hits of questions without an answer."""
    questions = [query for query in sorted(work.queries) if any(g > 0 for g in work.gains[query].values())]
    random.Random(SEED).shuffle(questions)
    relevant = [
        _features(hit)
        for query in questions[:N_TRAINED]
        for hit in base.search(work.queries[query], cuts=False, k=base.context.settings.pool // 2).hits
        if work.gains[query].get(hit.block.document, 0) > 0
    ]
    queries = [*_off_topic()[:50], *_older(), *_shuffled()]
    other = [_features(hit) for query in queries for hit in base.search(query, cuts=False).hits]
    bias, cosine, rarity, topic = _logistic(np.array(relevant), np.array(other))
    print(f"{len(relevant)} relevant hits, {len(other)} hits of {len(queries)} questions that nothing answers")
    bias -= math.log(OTHERS)
    print(f"BIAS = {bias:.1f}, COSINE_WEIGHT = {cosine:.1f}, RARITY_WEIGHT = {rarity:.1f}, TOPIC_WEIGHT = {topic:.1f}")


def _features(hit: Hit) -> tuple[float, float, float]:
    evidence = hit.evidence
    assert evidence is not None
    return evidence.above, min(evidence.rarity, MOST_RARITY), Background(evidence.usual, evidence.low).topic


def _logistic(relevant: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.float64]:
    """Fit by Newton's method; both sides have equal weight."""
    rows = np.vstack([relevant, other])
    rows = np.hstack([np.ones((len(rows), 1)), rows])
    labels = np.concatenate([np.ones(len(relevant)), np.zeros(len(other))])
    shares = np.where(labels == 1, 0.5 / len(relevant), 0.5 / len(other))
    fitted: NDArray[np.float64] = np.zeros(4)
    for _ in range(100):
        chance = 1 / (1 + np.exp(-rows @ fitted))
        slope = rows.T @ (shares * (chance - labels))
        bend = (rows * (shares * chance * (1 - chance))[:, None]).T @ rows + 1e-9 * np.eye(4)
        fitted = fitted - np.linalg.solve(bend, slope)
    return fitted


def _show(base: _Base, work: retrieval.Task) -> None:
    n_empty = n_lost = n_relevant = n_hits_lost = 0
    for query, question in work.queries.items():
        hits = base.search(question, cuts=False).hits
        cut = [hit for hit in hits if hit.relevance < base.context.settings.min_relevance]
        relevant = {doc for doc, gain in work.gains[query].items() if gain > 0}
        lost = sum(hit.block.document in relevant for hit in cut)
        n_relevant += sum(hit.block.document in relevant for hit in hits)
        n_hits_lost, n_lost, n_empty = n_hits_lost + lost, n_lost + bool(lost), n_empty + (len(cut) == len(hits))
    print(
        f"{len(work.queries)} questions: {n_lost} lose one or more of the relevant hits among the first {K}"
        f" ({n_hits_lost} of {n_relevant} hits), {n_empty} find nothing"
    )
    queries = _off_topic()
    first, second = base.n_answered(queries[:50]), base.n_answered(queries[50:])
    print(f"100 nonsense and off-topic questions: {first + second} answered, {second} in the half not fitted on")
    print(f"{N_SHUFFLED} shuffled: {base.n_answered(_shuffled())} answered")
    words = _words(work.queries.values())
    where = Filters(collections=(base.collection,))
    known = [w for w in words if any(base.context.store.lexical(sorted(text.terms(w)), where, 1).n_containing)]
    known = known[:N_WORDS]
    print(f"{len(known)} single words that the base holds: {len(known) - base.n_answered(known)} find nothing")
    swapped = [w[:2] + w[3] + w[2] + w[4:] for w in known if len(w) >= 6 and w[2] != w[3]]
    print(f"{len(swapped)} of them, two letters swapped: {len(swapped) - base.n_answered(swapped)} find nothing")


def _off_topic() -> list[str]:
    lines = (CASES / "relevance" / "off_topic.jsonl").read_text(encoding="utf-8").splitlines()
    return [str(json.loads(line)["text"]) for line in lines]


def _older() -> list[str]:
    return (CASES / "off_topic.txt").read_text(encoding="utf-8").splitlines()


def _shuffled() -> list[str]:
    """Return nonsense questions of words drawn from the fitted questions."""
    rng = random.Random(SEED)
    words = [word for question in (*_off_topic()[:50], *_older()) for word in text.words(question)]
    return [" ".join(rng.sample(words, rng.randint(3, 8))) for _ in range(N_SHUFFLED)]


def _words(queries: Iterable[str]) -> list[str]:
    """Return long words of the questions, in an order drawn once."""
    candidates = sorted(
        {w for query in queries for w in text.words(query) if len(w) >= 5 and w.isalpha() and text.terms(w)}
    )
    random.Random(SEED).shuffle(candidates)
    return candidates


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
