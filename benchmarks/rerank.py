"""Measure the reranker in other pipelines: redundancy, kept facts, and time.

A corpus with planted copies and changed facts is retrieved by vector search, 50 documents for each question, of which
a model reads the first 10: before, and after reranking the 50. Where LangChain and LlamaIndex are installed (`make
integrations`), the same goes through their stores and the clients of Cohere and Jina, over HTTP.

    python -m benchmarks.rerank [--queries 100] [--documents 3000] [--json]
"""

from __future__ import annotations

import argparse
import json
import os
import secrets
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import uvicorn

from benchmarks.evaluation_data import needed
from saidonce.adapters.embed import open_embedder
from saidonce.app.knowledge_base import KnowledgeBase
from saidonce.foundation.model import Role, Scope, Vector
from saidonce.foundation.ports import Embedder
from saidonce.interfaces.http import create_app
from saidonce.interfaces.http.steady import steadied
from saidonce.kb.rerank import rerank
from saidonce.matching.vectors.blas import one_thread
from saidonce.platform import access
from saidonce.quality import figures, retrieval
from saidonce.quality.rows import find, read
from saidonce.testing import MemoryStore

FOLDER = "retrieval/scifact"
RETRIEVED, READ = 50, 10
LIMIT_MS = 20.0
"""Beside embedding, for 50 documents."""

Ranked = Sequence[tuple[str, bool]]
"""Ids in ranked order, each with whether it is given as a repeat."""


class Remembering:
    """An embedder that embeds each text once.

    Args:
        embedder: embeds.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._known: dict[str, Vector] = {}
        self._counts: dict[str, int] = {}
        self.model, self.dim = embedder.model, embedder.dim

    def embed(self, texts: Sequence[str]) -> Vector:
        """Embed texts."""
        if new := [text for text in dict.fromkeys(texts) if text not in self._known]:
            self._known.update(zip(new, self._embedder.embed(new), strict=True))
        return np.stack([self._known[text] for text in texts])

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Count tokens, which is a part of embedding."""
        if new := [text for text in dict.fromkeys(texts) if text not in self._counts]:
            self._counts.update(zip(new, self._embedder.count_tokens(new), strict=True))
        return [self._counts[text] for text in texts]


@dataclass(frozen=True)
class Corpus:
    """Documents by id, and the questions about them."""

    texts: Mapping[str, str]
    work: retrieval.Task
    queries: Mapping[str, str]


def corpus(folder: Path, n_queries: int, n_documents: int) -> Corpus:
    """Read the polluted corpus: the documents of the questions with their copies first, then others in file order."""
    work = retrieval.task(folder, True, "test")
    queries = dict(islice(work.queries.items(), n_queries))
    relevant = {doc for query in queries for doc in work.gains[query]}
    groups = {work.group(doc) for doc in relevant}
    rows = (
        (str(r["_id"]), f"{r.get('title', '')}\n{r['text']}") for r in read(find(folder, "polluted_corpus"), ("_id",))
    )
    ordered = sorted(rows, key=lambda row: work.group(row[0]) not in groups)
    return Corpus(dict(ordered[:n_documents]), work, queries)


def retriever(given: Corpus, embedder: Embedder) -> Callable[[str], list[str]]:
    """Return an exact vector search."""
    ids = list(given.texts)
    vectors = embedder.embed(list(given.texts.values()))

    def retrieve(query: str) -> list[str]:
        with one_thread():  # a second one waits busily after a product, which would count as reranking
            similarities = vectors @ embedder.embed([query])[0]
        order = np.argsort(-similarities, kind="stable")[:RETRIEVED]
        return [ids[at] for at in order]

    return retrieve


def measured(given: Corpus, before: Mapping[str, Ranked], after: Mapping[str, Ranked]) -> dict[str, float]:
    """Average the figures of an arm over the questions."""
    work, rows = given.work, []
    for query, ranked in after.items():
        ids = [id_ for id_, _ in ranked]
        changed = {id_ for id_, _ in before[query]} & work.changed
        row = {
            f"redundancy@{READ}": figures.redundancy(ids, work.group_of, READ),
            f"distinct_relevant@{READ}": figures.distinct_relevant(ids, work.gains[query], work.group_of, READ),
            f"mrr@{READ}": figures.reciprocal_rank(ids, work.gains[query], READ),
        }
        if changed:
            row["facts_kept"] = len(changed - {id_ for id_, is_repeat in ranked if is_repeat}) / len(changed)
        rows.append(row)
    names = sorted({name for row in rows for name in row})
    return {name: round(figures.mean([row[name] for row in rows if name in row]), 4) for name in names}


def directly(given: Corpus, embedder: Embedder) -> tuple[dict[str, dict[str, float]], list[float]]:
    """Measure both arms without a framework; also return the CPU milliseconds of each reranking without embedding."""
    retrieve = retriever(given, embedder)
    steadied()  # as a server is
    before: dict[str, Ranked] = {}
    after: dict[str, Ranked] = {}
    took = []
    for id_, query in given.queries.items():
        ids = retrieve(query)
        texts = [given.texts[each] for each in ids]
        embedder.count_tokens([query, *texts])
        start = time.process_time()
        result = rerank(query, texts, embedder)
        took.append(1_000 * (time.process_time() - start))
        before[id_] = [(each, False) for each in ids]
        after[id_] = [(ids[d.index], d.also_in is not None) for d in result.documents]
    return {"retrieved": measured(given, before, before), "reranked": measured(given, before, after)}, took


@contextmanager
def served(embedder: Embedder) -> Iterator[tuple[str, str]]:
    """Serve a base; yield its address and a key."""
    with tempfile.TemporaryDirectory() as folder, socket.create_server(("127.0.0.1", 0)) as listening:
        base = KnowledgeBase(data_dir=folder, log_enabled=False)
        store = MemoryStore("default")
        base._lazy.opened |= {"store": store, "embedder": embedder}
        now = base.base.clock.now()
        access.add_person(store, "reader", "", Role.READER, now)
        _, key = access.make_key(store, "reader", "benchmark", [Scope.READ], now, secrets.token_bytes)
        server = uvicorn.Server(uvicorn.Config(create_app(base, local=False), log_level="warning"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}", key
        finally:
            server.should_exit = True
            thread.join()
            base.close()


def through_langchain(given: Corpus, embedder: Embedder, url: str, key: str) -> dict[str, dict[str, float]]:
    """Measure an in-memory store of LangChain, and the same with Cohere's reranker behind it."""
    import cohere
    from langchain_cohere import CohereRerank
    from langchain_core.documents import Document
    from langchain_core.vectorstores import InMemoryVectorStore

    from saidonce.interfaces.integrations.langchain import SaidOnceEmbeddings

    store = InMemoryVectorStore(SaidOnceEmbeddings(embedder))
    store.add_documents([Document(id=i, page_content=t, metadata={"id": i}) for i, t in given.texts.items()])
    asking = store.as_retriever(search_kwargs={"k": RETRIEVED})
    client: Any = cohere.ClientV2(api_key=key, base_url=url)
    reranker = CohereRerank(client=client, cohere_api_key=key, model="any", top_n=RETRIEVED)
    before: dict[str, Ranked] = {}
    after: dict[str, Ranked] = {}
    for id_, query in given.queries.items():
        documents = asking.invoke(query)
        before[id_] = [(d.metadata["id"], False) for d in documents]
        results = reranker.compress_documents(documents, query)
        after[id_] = [(d.metadata["id"], d.metadata["relevance_score"] == 0) for d in results]
    return {"LangChain": measured(given, before, before), "LangChain, CohereRerank": measured(given, before, after)}


def through_llama_index(given: Corpus, embedder: Embedder, url: str, key: str) -> dict[str, dict[str, float]]:
    """Measure an in-memory index of LlamaIndex, and the same with Jina's reranker behind it."""
    from llama_index.core import VectorStoreIndex
    from llama_index.core.schema import TextNode
    from llama_index.postprocessor.jinaai_rerank import JinaRerank

    from saidonce.interfaces.integrations.llama_index import SaidOnceEmbedding

    base = KnowledgeBase(log_enabled=False)
    base._lazy.opened |= {"embedder": embedder}
    nodes = [TextNode(id_=id_, text=text) for id_, text in given.texts.items()]
    index = VectorStoreIndex(nodes, embed_model=SaidOnceEmbedding(base))
    asking = index.as_retriever(similarity_top_k=RETRIEVED)
    reranker = JinaRerank(api_key=key, base_url=f"{url}/v1", top_n=RETRIEVED)
    before: dict[str, Ranked] = {}
    after: dict[str, Ranked] = {}
    for id_, query in given.queries.items():
        retrieved = asking.retrieve(query)
        before[id_] = [(each.node.node_id, False) for each in retrieved]
        results = reranker.postprocess_nodes(retrieved, query_str=query)
        after[id_] = [(each.node.node_id, each.score == 0) for each in results]
    return {"LlamaIndex": measured(given, before, before), "LlamaIndex, JinaRerank": measured(given, before, after)}


PIPELINES = {
    ("langchain_cohere", "cohere"): through_langchain,
    ("llama_index", "requests"): through_llama_index,
}
"""Measured where these packages are installed."""


def main(arguments: Sequence[str]) -> int:
    """Print the table; exit with 1 if reranking takes too long."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.rerank", description=__doc__)
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--documents", type=int, default=3_000)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    given = corpus(needed(FOLDER), options.queries, options.documents)
    embedder = Remembering(open_embedder("minilm"))
    arms, took = directly(given, embedder)
    left_out = []
    with served(embedder) as (url, key):
        for packages, run in PIPELINES.items():
            if all(find_spec(name) for name in packages):
                arms |= run(given, embedder, url, key)
            else:
                left_out.append(run.__name__)
    median = figures.percentile(took, 0.5)
    answer = {
        "documents": len(given.texts), "queries": len(given.queries), "arms": arms,
        "rerank_cpu_ms": {"p50": round(median, 1), "p95": round(figures.percentile(took, 0.95), 1)},
        "left_out": left_out,
    }  # fmt: skip
    if options.json:
        sys.stdout.write(json.dumps(answer, indent=1) + "\n")
    else:
        _print(answer, arms)
    if median > LIMIT_MS:
        sys.stderr.write(f"more than {LIMIT_MS:.0f} ms, at a load of {os.getloadavg()[0]:.0f} when it ended\n")
    return int(median > LIMIT_MS)


def _print(answer: Mapping[str, Any], arms: Mapping[str, Mapping[str, float]]) -> None:
    sys.stdout.write(f"{answer['documents']} documents, {answer['queries']} questions, {RETRIEVED} reranked for each\n")
    names = list(next(iter(arms.values())))
    sys.stdout.write(f"{'':<26}{''.join(f'{name:>24}' for name in names)}\n")
    for arm, row in arms.items():
        sys.stdout.write(f"{arm:<26}{''.join(f'{row[name]:>24.3f}' for name in names)}\n")
    took = answer["rerank_cpu_ms"]
    sys.stdout.write(f"CPU ms of one reranking beside embedding: median {took['p50']}, 95th percentile {took['p95']}\n")
    if answer["left_out"]:
        sys.stdout.write(f"not installed ('make integrations'): {', '.join(answer['left_out'])}\n")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
