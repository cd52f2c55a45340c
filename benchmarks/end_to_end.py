"""Documents and segments per second from bytes to committed blocks, with the share of each stage.

    python -m benchmarks.end_to_end [n_documents]

And, with --growth, how the cost of a document grows while the base grows to 100,000 blocks (vectors from hashed words,
so that the store is what is measured; words of a large vocabulary, so that documents differ as real ones do). CPU is of
this process; the database server's is not in it.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.made_up import document, varied_document, words
from saidonce.adapters.clock import SystemClock
from saidonce.adapters.embed import open_embedder
from saidonce.adapters.embed.hashed import HashedEmbedder
from saidonce.adapters.postgres import open_store
from saidonce.documents.parse import Sandbox, parse
from saidonce.errors import SourceRefusedError
from saidonce.foundation.context import Context, Source
from saidonce.foundation.model import Document, Filters
from saidonce.foundation.ports import Embedder, Parser
from saidonce.foundation.settings.policy import Settings
from saidonce.kb import ingest as flow
from saidonce.kb.search import SearchIndex, search


class Timed:
    """A port wrapper that adds up the wall time of calls."""

    def __init__(self, inner: Any, name: str, took: dict[str, float]) -> None:
        self._inner, self._name, self._took = inner, name, took

    def __getattr__(self, attribute: str) -> Any:
        value = getattr(self._inner, attribute)
        if not callable(value):
            return value

        def call(*given: Any) -> Any:
            start = time.perf_counter()
            result = value(*given)
            self._took[self._name] = self._took.get(self._name, 0.0) + time.perf_counter() - start
            return self._waited(result) if attribute == "map" else result

        return call

    def _waited(self, results: Iterator[Any]) -> Iterator[Any]:
        while True:
            start = time.perf_counter()
            result = next(results, None)
            self._took[self._name] = self._took.get(self._name, 0.0) + time.perf_counter() - start
            if result is None:
                return
            yield result


class HereParser:
    """Parses in this process, to measure the later stages."""

    def map(self, sources: Iterable[tuple[str, bytes]]) -> Iterator[tuple[str, Document | SourceRefusedError]]:
        """Parse one after the other."""
        for name, content in sources:
            yield name, parse(name, content)


def sources(start: int, n: int, made: Callable[[int], bytes] = document) -> list[Source]:
    """Return made-up documents as sources."""

    def reader(number: int) -> Callable[[], bytes]:
        return lambda: made(number)

    return [Source(f"document-{i:06d}.md", reader(i)) for i in range(start, start + n)]


def opened(folder: str, embedder: Embedder, parser: Parser, took: dict[str, float]) -> Context:
    """Return a base on a new embedded database, its ports timed."""
    store: Any = Timed(open_store("", Path(folder), "bench"), "store", took)
    timed: Any = (Timed(embedder, "embed", took), Timed(parser, "parse", took))
    return Context(store, timed[0], timed[1], SystemClock(), Settings(metrics_enabled=False))


def throughput(n: int) -> dict[str, float]:
    """Ingest n documents with the real components."""
    took: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder, Sandbox() as sandbox:
        base = opened(folder, open_embedder("minilm", "", "", 0), sandbox, took)
        base.embedder.embed(["warm"])
        list(sandbox.map([("warm.md", b"# warm\n\nup")]))
        took.clear()
        start, cpu = time.perf_counter(), time.process_time()
        report = flow.ingest(base, sources(0, n), "main")
        seconds, cpu_seconds = time.perf_counter() - start, time.process_time() - cpu
        base.store.close()
    n_segments = report.totals["n_segments"]
    shares = {f"share_{name}": t / seconds for name, t in sorted(took.items())}
    rates = {
        "documents_per_s": n / seconds, "segments_per_s": n_segments / seconds, "n_segments": n_segments,
        "segments_per_cpu_s": n_segments / cpu_seconds,
    }  # fmt: skip
    return {**rates, **shares, "share_own": 1 - sum(shares.values())}


def growth(most: int) -> list[dict[str, float]]:
    """Cost of one more document, and of a search, at growing sizes of the base."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        took: dict[str, float] = {}
        base = opened(folder, HashedEmbedder(384), HereParser(), took)
        index = SearchIndex(base.embedder.model, 384)
        n_documents, n_blocks = 0, 0
        for size in (*(size for size in (1_000, 10_000, 30_000) if size < most), most):
            while n_blocks < size:
                n_blocks += int(_ingested(base, n_documents, 100))
                n_documents += 100
            took.clear()
            start, cpu = time.perf_counter(), time.process_time()
            n_more = _ingested(base, n_documents, 50)
            seconds, cpu_seconds = time.perf_counter() - start, time.process_time() - cpu
            n_documents += 50
            index.catch_up(base.store)
            start = time.perf_counter()
            for n in range(10):
                search(base, index, " ".join(words(np.random.default_rng([5, n]), 6)), Filters(), 10)
            per_search = 1_000 * (time.perf_counter() - start) / 10
            rows.append(
                {"n_blocks": n_blocks, "ms_per_document": 20 * seconds, "cpu_ms_per_document": 20 * cpu_seconds,
                 "store_ms_per_document": 20 * took["store"], "ms_per_search": per_search}
            )  # fmt: skip
            n_blocks += int(n_more)
            sys.stderr.write(f"{rows[-1]}\n")
        base.store.close()
    return rows


def _ingested(context: Context, start: int, n: int) -> float:
    """Ingest n documents of a large vocabulary; return the number of kept blocks."""
    return flow.ingest(context, sources(start, n, varied_document), "main").totals["n_kept"]


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("n", type=int, nargs="?", help="documents (100), or blocks to grow to (100,000)")
    parser.add_argument("--growth", action="store_true", help="the cost of a document while the base grows")
    options = parser.parse_args()
    figures = growth(options.n or 100_000) if options.growth else throughput(options.n or 100)
    print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main()
