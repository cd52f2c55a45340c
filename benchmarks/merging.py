"""Blocks per second into a canonical collection of 100,000 blocks, and the review page at 10,000 open pairs.

    python -m benchmarks.merging [n_blocks] [--json]

Vectors are synthetic: a text's vector is its topic's, slightly rotated by its wording. One paragraph in twenty rewords
an earlier document's, one in ten states another number. Times are of the whole ingest after parsing; the naive way, for
comparison, queries the database for the five nearest of each block, one by one.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from fastapi.testclient import TestClient

from benchmarks.made_up import words
from saidonce.adapters.clock import SystemClock
from saidonce.adapters.postgres import open_store
from saidonce.app.knowledge_base import KnowledgeBase
from saidonce.foundation.context import Context, Source
from saidonce.foundation.model import Document, Element, Filters, Kind, Vector
from saidonce.foundation.ports import QueueFilter
from saidonce.foundation.settings.policy import SegmentStyle, Settings
from saidonce.interfaces.http import create_app
from saidonce.kb.canonical import BlockIndex
from saidonce.kb.ingest import ingest
from saidonce.quality.figures import percentile

DIM = 384
PER_DOCUMENT = 200
MEASURED = 10
"""Documents at the end that are timed."""


class DocumentMaker:
    """Generates documents, and stores the vector of each text."""

    def __init__(self) -> None:
        self.vectors: dict[str, Vector] = {}
        self.topics = 0

    def document(self, number: int) -> Document:
        """Return a document of paragraphs, some of which other documents have in other words or with another number."""
        rng = np.random.default_rng(number)
        elements = []
        for _ in range(PER_DOCUMENT):
            drawn = rng.random()
            earlier = self.topics > 1_000 and drawn < 0.15
            topic = int(rng.integers(self.topics)) if earlier else self.topics
            self.topics += not earlier
            elements.append(Element(Kind.PARAGRAPH, self._text(topic, int(rng.integers(2, 900)), drawn < 0.05)))
        return Document(f"Document {number}", "made", tuple(elements), "en")

    def _text(self, topic: int, number: int, rewords: bool) -> str:
        rng = np.random.default_rng([7, topic])
        said, own = words(rng, 36), int(rng.integers(2, 900))
        vector = rng.standard_normal(DIM)
        said[12] = str(own if rewords or topic == self.topics - 1 else number)
        text = " ".join(said[:18]) + (". " if rewords else ". The ") + " ".join(said[18:]) + "."
        if text not in self.vectors:
            turned = vector + 0.2 * np.random.default_rng([topic, number]).standard_normal(DIM)
            self.vectors[text] = (turned / np.linalg.norm(turned)).astype(np.float32)
        return text


class GivenVectors:
    """An embedder with known vectors; headings get one each."""

    model, dim = "given", DIM

    def __init__(self, made: DocumentMaker) -> None:
        self._made = made

    def embed(self, texts: Sequence[str]) -> Vector:
        """Look vectors up."""
        rows = [self._made.vectors.get(t, np.eye(1, DIM, len(t) % DIM, dtype=np.float32)[0]) for t in texts]
        return np.stack(rows) if rows else np.zeros((0, DIM), np.float32)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Count words."""
        return [len(t.split()) for t in texts]


class MadeParser:
    """Returns documents by their numbers."""

    def __init__(self, made: DocumentMaker) -> None:
        self._made = made

    def map(self, sources: Any) -> Any:
        """Parse nothing."""
        for name, content in sources:
            yield name, self._made.document(int(content))


def source(number: int) -> Source:
    return Source(f"document-{number:06d}", lambda: str(number).encode())


def run(n_blocks: int) -> dict[str, Any]:
    """Fill a base, time the last documents, then the review pages."""
    figures: dict[str, Any] = {"n_blocks": n_blocks, "growth": []}
    with tempfile.TemporaryDirectory(prefix="so-bench-", dir="/tmp") as folder:
        Path(folder).chmod(0o711)
        settings = Settings(
            data_dir=Path(folder),
            collection_use="canonical",
            segment_style=SegmentStyle.WHOLE,
            metrics_enabled=False,
            repeat_enabled=False,
        )
        made = DocumentMaker()
        kept = KnowledgeBase(settings)
        store = open_store("", Path(folder), settings.org)
        context = Context(store, GivenVectors(made), MadeParser(made), SystemClock(), settings)
        index = BlockIndex("given", DIM)
        n_documents = n_blocks // PER_DOCUMENT
        for start in range(0, n_documents, MEASURED):
            began = time.perf_counter()
            report = ingest(context, [source(n) for n in range(start, start + MEASURED)], "main", None, index)
            took = time.perf_counter() - began
            figures["growth"].append((start * PER_DOCUMENT, round(MEASURED * PER_DOCUMENT / took)))
            if start % (MEASURED * 10) == 0:
                totals = report.totals
                print(figures["growth"][-1], totals["n_merged"], totals["n_flagged"], flush=True)
        figures["blocks_per_s"] = figures["growth"][-1][1]
        figures["naive_blocks_per_s"] = naive(context, made)
        figures["n_open"] = store.ledger.n_flags(QueueFilter())
        figures |= pages(kept)
        store.close()
        kept.close()
    return figures


def naive(context: Context, made: DocumentMaker) -> float:
    """Return blocks per second when each queries the database for its five nearest."""
    vectors = list(made.vectors.values())[:20]
    began = time.perf_counter()
    for vector in vectors:
        context.store.scan("given", vector, 5, Filters())
    return round(len(vectors) / (time.perf_counter() - began), 1)


def pages(kept: KnowledgeBase) -> dict[str, Any]:
    """Return percentiles of the review pages' times in milliseconds."""
    figures = {}
    with TestClient(create_app(kept, local=True), base_url="http://127.0.0.1") as client:
        first = kept.store.ledger.queue(QueueFilter(), None, 400)
        paths = {
            "queue": ["/queue"] * 100,
            "queue_later": [f"/queue?after={f.worth!r},{f.seq}" for f in first[:100]],
            "pair": [f"/queue/{f.seq}" for f in first[:100]],
        }
        for name, wanted in paths.items():
            took = []
            for path in wanted:
                began = time.perf_counter()
                assert client.get(path).status_code == 200
                took.append(1_000 * (time.perf_counter() - began))
            figures[f"{name}_p50_ms"] = round(percentile(took, 0.5), 1)
            figures[f"{name}_p95_ms"] = round(percentile(took, 0.95), 1)
    return figures


def main() -> None:
    """Run, and print figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("n_blocks", type=int, nargs="?", default=100_000)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    figures = run(options.n_blocks)
    if options.json:
        print(json.dumps(figures))
        return
    for name, value in figures.items():
        if name != "growth":
            print(f"{name:<24} {value}")


if __name__ == "__main__":
    main()
