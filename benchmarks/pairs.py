"""Blocks per second with and without the pair table, its rows per block, and how long a search takes with it.

    python -m benchmarks.pairs [n_blocks] [--workers N] [--json]

Vectors are synthetic, as in `benchmarks.merging`: one paragraph in twenty rewords an earlier one, one in ten
states another number; and one in twenty is a record similar to all others, so that lists of near texts are full. The
base is filled without the table, the table is built for all of it, and the last documents are ingested with it and
without. Searches ask for ten hits, with vectors of paragraphs in the base; embedding is not timed.

Rates are per second of CPU, of this process and of the server together, so that a loaded machine gives them too;
searches are timed on the clock, and in CPU time of this process. Garbage is collected as the command line has it.
With `--workers`, so many processes compare, as by `saidonce ingest`; then rates are per second on the clock, and the
machine must be idle. The processes start while the table is built.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.merging import DIM, PER_DOCUMENT, DocumentMaker, GivenVectors, MadeParser, source
from saidonce.adapters.clock import SystemClock
from saidonce.adapters.postgres import open_store
from saidonce.foundation.context import Context, Workers
from saidonce.foundation.model import Document, Element, Filters, Kind
from saidonce.foundation.settings.policy import SegmentStyle, Settings
from saidonce.foundation.workers import LocalEngine
from saidonce.interfaces.cli import COLLECTED_AFTER
from saidonce.kb.ingest import DocumentReport, ingest
from saidonce.kb.pairs import NearTexts, PairsAtIngest, catch_up, rule_in_force
from saidonce.kb.search import SearchIndex, search
from saidonce.quality.figures import percentile

MEASURED = 10
"""Documents at the end that are timed."""

N_QUERIES = 100
ALIKE = 0.05
"""Share of paragraphs that are records of one form."""


class WithRecords(DocumentMaker):
    """Documents with some paragraphs that are similar records."""

    def document(self, number: int) -> Document:
        """Replace some paragraphs by records."""
        made = super().document(number)
        rng = np.random.default_rng([11, number])
        elements = tuple(
            Element(Kind.PARAGRAPH, self._record(number * PER_DOCUMENT + place)) if rng.random() < ALIKE else element
            for place, element in enumerate(made.elements)
        )
        return Document(made.title, made.format, elements, made.language)

    def _record(self, n: int) -> str:
        text = (
            f"Device {n} of rack {n % 97} was checked by the operations team and has {n % 7} open tickets since March."
        )
        shared, own = np.random.default_rng(1).standard_normal(DIM), np.random.default_rng([13, n]).standard_normal(DIM)
        row = shared + 0.2 * own
        self.vectors[text] = (row / np.linalg.norm(row)).astype(np.float32)
        return text


def run(n_blocks: int, n_workers: int = 1, steps: bool = False) -> dict[str, Any]:
    """Fill a base, build its table, ingest more with and without it, and search."""
    figures: dict[str, Any] = {"n_blocks": n_blocks, "n_workers": n_workers}
    with tempfile.TemporaryDirectory(prefix="so-bench-", dir="/tmp") as folder:
        Path(folder).chmod(0o711)
        settings = Settings(
            data_dir=Path(folder), segment_style=SegmentStyle.WHOLE, metrics_enabled=False, repeat_enabled=False
        )
        made = WithRecords()
        store = open_store("", Path(folder), settings.org)
        workers = Workers(LocalEngine(n_workers), _no_judge) if n_workers > 1 else None
        context = Context(store, GivenVectors(made), MadeParser(made), SystemClock(), settings, workers=workers)
        n_documents = n_blocks // PER_DOCUMENT
        spent = perf_counter if workers else Cpu(Path(folder)).spent
        figures["filled_blocks_per_s"] = rate(context, spent, 0, n_documents, None)
        figures |= table(context, spent)
        near = NearTexts("given", DIM)
        rate(context, spent, n_documents, MEASURED, near)
        figures["without_blocks_per_s"] = rate(context, spent, n_documents + MEASURED, MEASURED, None)
        catch_up(context, near)
        figures["with_blocks_per_s"] = rate(context, spent, n_documents + 2 * MEASURED, MEASURED, near)
        catch_up(context, near)
        if workers:
            workers.close()
        figures |= searches(context, made, steps)
        store.close()
    return figures


def _no_judge() -> None:
    """Workers open this, as the base has no judge."""


class Cpu:
    """CPU seconds of this process and of the embedded server."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def spent(self) -> float:
        """Return seconds until now; those of connections that were closed are counted with their parent."""
        (postmaster,) = (int(p.read_text().split()[0]) for p in self._folder.rglob("postmaster.pid"))
        ticks = 0
        for stat in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = stat.read_text().rpartition(")")[2].split()
            except OSError:  # It ended meanwhile.
                continue
            if int(fields[1]) == postmaster or int(stat.parent.name) == postmaster:
                ticks += sum(map(int, fields[11:15] if int(stat.parent.name) == postmaster else fields[11:13]))
        return time.process_time() + ticks / os.sysconf("SC_CLK_TCK")


def rate(context: Context, spent: Callable[[], float], start: int, n_documents: int, near: NearTexts | None) -> int:
    """Return the ingested blocks per CPU second for some documents."""
    comparing = PairsAtIngest(context, near) if near is not None else None

    def note(document: DocumentReport) -> None:
        if comparing is not None:
            comparing.written(document.n_kept)

    began = spent()
    ingest(context, [source(n) for n in range(start, start + n_documents)], "main", note)
    if comparing is not None:
        comparing.finish()
    return round(n_documents * PER_DOCUMENT / (spent() - began))


def table(context: Context, spent: Callable[[], float]) -> dict[str, Any]:
    """Build the table of a base that has none, as after an upgrade."""
    began = spent()
    near = NearTexts("given", DIM)
    near.catch_up(context.store)
    read_s = spent() - began
    steps = {"listing near texts": 0.0, "comparing pairs": 0.0}
    last = spent()

    def on_step(what: str, _done: int, _all: int) -> None:
        nonlocal last
        now = spent()
        steps[what] += now - last
        last = now

    done = catch_up(context, near, on_step=on_step)
    counts = context.store.pairs.counts(rule_in_force(context))
    return {
        "vectors_read_s": round(read_s, 2),
        "texts_listed_per_s": round(done.n_listed / max(steps["listing near texts"], 1e-6)),
        "pairs_compared_per_s": round(done.n_compared / max(steps["comparing pairs"], 1e-6)),
        "pairs_per_block": round(counts.n_pairs / counts.n_texts, 2),
    }


def searches(context: Context, made: WithRecords, steps: bool) -> dict[str, Any]:
    """Return the milliseconds of a search without embedding, with and without the table."""
    index = SearchIndex("given", DIM)
    index.catch_up(context.store)
    rng = np.random.default_rng(5)
    texts = sorted(made.vectors)
    queries = []
    for place in rng.choice(len(texts), 2 * N_QUERIES, replace=False):
        query = " ".join(texts[place].split()[:8])
        made.vectors.setdefault(query, made.vectors[texts[place]])
        queries.append(query)
    figures: dict[str, Any] = {}
    pairs = context.store.pairs
    for name, timed in (("with", queries[:N_QUERIES]), ("without", queries[N_QUERIES:])):
        if name == "without":
            pairs.drop()
        search(context, index, timed[0], Filters(), 10)
        reports, spent = [], []
        for query in timed:
            began = time.process_time()
            reports.append(search(context, index, query, Filters(), 10))
            spent.append(1_000 * (time.process_time() - began))
        figures[f"search_{name}_cpu_p50_ms"] = round(percentile(spent, 0.5), 1)
        whole = [sum(ms for step, ms in r.took_ms.items() if step != "embed") for r in reports]
        figures[f"search_{name}_p50_ms"] = round(percentile(whole, 0.5), 1)
        figures[f"search_{name}_p95_ms"] = round(percentile(whole, 0.95), 1)
        dedup = [r.took_ms["dedup"] for r in reports]
        figures[f"dedup_{name}_p50_ms"] = round(percentile(dedup, 0.5), 1)
        figures[f"dedup_{name}_p95_ms"] = round(percentile(dedup, 0.95), 1)
        if steps:
            for step in reports[0].took_ms:
                figures[f"{step}_{name}_p50"] = round(percentile([r.took_ms[step] for r in reports], 0.5), 1)
    return figures


def main() -> None:
    """Run, and print figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("n_blocks", type=int, nargs="?", default=100_000)
    parser.add_argument("--workers", type=int, default=1, help="processes that compare; rates are then on the clock")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--steps", action="store_true", help="time of each step of a search, too")
    options = parser.parse_args()
    gc.set_threshold(*COLLECTED_AFTER)
    figures = run(options.n_blocks, options.workers, options.steps)
    if options.json:
        print(json.dumps(figures))
        return
    for name, value in figures.items():
        print(f"{name:<24} {value}")


if __name__ == "__main__":
    main()
