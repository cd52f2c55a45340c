"""What a search cuts because nothing bears on it: real questions, nonsense, other topics, one word, misspellings.

Run as `python -m benchmarks.bearing [FOLDER] [SPLIT]` on a folder of the evaluation data, or any that `saidonce
evaluate retrieval` takes; `retrieval/scifact` by default.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from benchmarks.evaluation_data import needed
from saidonce.app.knowledge_base import KnowledgeBase
from saidonce.foundation import text
from saidonce.foundation.model import Filters
from saidonce.kb.search import SearchIndex, search
from saidonce.quality import retrieval

OFF_TOPIC = Path(__file__).parents[1] / "tests" / "cases" / "off_topic.txt"
N_WORDS = 200
K = 10


def main(arguments: Sequence[str]) -> int:
    """Print how many queries of each kind find nothing, and how many of them lose a relevant hit by it."""
    folder = needed(arguments[0] if arguments else "retrieval/scifact")
    split = arguments[1] if len(arguments) > 1 else ""
    with KnowledgeBase(org=retrieval.ORG, metrics_enabled=False) as opened:
        base = opened.base
        collection = retrieval.prepare(base, retrieval.corpus(folder, polluted=False), lambda: None)
        work = retrieval.task(folder, polluted=False, split=split)
        index = SearchIndex(base.embedder.model, base.embedder.dim)
        where = Filters(collections=(collection,))

        def empty(queries: Iterable[str]) -> list[str]:
            return [query for query in queries if not search(base, index, query, where, K).hits]

        cut = set(empty(work.queries.values()))
        lost = [name for name, query in work.queries.items() if query in cut and work.gains[name]]
        print(f"{len(work.queries)} questions: {len(cut)} find nothing, {len(lost)} of them have relevant documents")
        asked = OFF_TOPIC.read_text(encoding="utf-8").splitlines()
        print(f"{len(asked)} nonsense and off-topic questions: {len(empty(asked))} find nothing")
        words = _words(work.queries.values())
        held = [w for w in words if any(base.store.lexical(sorted(text.terms(w)), where, 1).n_containing)][:N_WORDS]
        print(f"{len(held)} single words of the questions that the base holds: {len(empty(held))} find nothing")
        swapped = [w[:2] + w[3] + w[2] + w[4:] for w in held if len(w) >= 6 and w[2] != w[3]]
        print(f"{len(swapped)} of them with two letters swapped: {len(empty(swapped))} find nothing")
    return 0


def _words(queries: Iterable[str]) -> list[str]:
    """Long words of the questions, in an order drawn once."""
    found = sorted({w for query in queries for w in text.words(query) if len(w) >= 5 and w.isalpha() and text.terms(w)})
    random.Random(7).shuffle(found)
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
