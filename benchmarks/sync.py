"""Measure a sync of 10,000 files of which 10 changed: time without embedding, and memory.

Seconds are those of this process's own work, so that other programs on the machine do not count; the database works
beside it, and what it takes stands in the seconds by the clock.

python -m benchmarks.sync [FILES] [CHANGED]
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from pathlib import Path
from typing import Any

from saidonce.adapters.embed.hashed import HashedEmbedder
from saidonce.app import knowledge_base
from saidonce.app.knowledge_base import KnowledgeBase
from saidonce.app.syncing import SyncWish
from saidonce.foundation.model import Vector
from saidonce.kb.ingest import State

SETTLED_S = 2.5
"""Files changed later than this before a sync are read again, whatever their dates say."""


def main() -> None:
    """Print the seconds of the first sync, of one without a change, and of one with a few changes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="?", type=int, default=10_000)
    parser.add_argument("changed", nargs="?", type=int, default=10)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="so-sync-") as name:
        Path(name).chmod(0o711)
        folder = Path(name, "docs")
        for n in range(options.files):
            path = folder / f"{n // 100:03}" / f"{n}.txt"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"Machine {n} is oiled every {n % 50 + 2} weeks.")
        time.sleep(SETTLED_S)
        # Embedding is left out of the figure; a cheap embedder keeps the first sync short.
        setattr(knowledge_base, "open_embedder", lambda *_: HashedEmbedder())  # noqa: B010
        with KnowledgeBase(data_dir=Path(name, "base"), pairs_enabled=False) as base:
            _run(base, folder, "all new")
            for n in range(options.changed):
                of = n * (options.files // options.changed)
                (folder / f"{of // 100:03}" / f"{of}.txt").write_text(f"Machine {of} was replaced.")
            time.sleep(SETTLED_S)
            _run(base, folder, f"{options.changed} changed")
            _run(base, folder, "none changed")
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"peak memory of this process: {peak:.0f} MiB")


def _run(base: KnowledgeBase, folder: Path, what: str) -> None:
    embedder: Any = base.embedder
    spent = spent_here = 0.0
    embed = embedder.embed

    def timed(texts: list[str]) -> Vector:
        nonlocal spent, spent_here
        start, start_here = time.perf_counter(), time.process_time()
        vectors: Vector = embed(texts)
        spent += time.perf_counter() - start
        spent_here += time.process_time() - start_here
        return vectors

    embedder.embed = timed
    start, start_here = time.perf_counter(), time.process_time()
    report = base.syncs.run(base.syncs.wished(SyncWish(str(folder), "bench")))
    seconds, here = time.perf_counter() - start, time.process_time() - start_here
    embedder.embed = embed
    n = report.count(State.NEW) + report.count(State.CHANGED)
    took = f"{here - spent_here:.2f} s of CPU here, {seconds - spent:.2f} s by the clock"
    print(
        f"{what}: {report.n_listed:,} files, {len(report.unchanged):,} not read, {n:,} written:"
        f" {took}, beside {spent:.2f} s of embedding"
    )


if __name__ == "__main__":
    main()
