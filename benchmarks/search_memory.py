"""Memory of the search index per million blocks of 384 numbers: measured at smaller sizes and extrapolated.

    python -m benchmarks.search_memory [BLOCKS ...] [--json]

Every size is filled in a separate process, in batches as from a database: without a copy, as a first start that
writes a copy, and from that copy. What the process had before is taken off. `private` is memory that only this
process has after one search, `mapped` the pages of the copy that are in memory and that the system takes back when it
needs them, `peak` the most of both together until then; `searched` is private memory after twenty searches, as a server
has it.
The figure for a million is the slope between the smallest and the largest size times a million: an extrapolation,
which a jump above the measured sizes, such as an array that is doubled, would not show.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import numpy as np

from saidonce.foundation.model import Filters, Kind
from saidonce.foundation.ports import Marks, Store, VectorRow
from saidonce.kb.search import SearchIndex

DIM = 384
BATCH = 2_000
A_DOCUMENT = 40
"""Blocks of one document; what filters look at is kept once for each."""

SEARCHES = 20
"""More than an index waits for before it looks for the axes of its rows."""

MILLION = 1_000_000


WAYS = {"without a copy": False, "leaving a copy": True, "from its copy": True}
"""How an index is filled, in this order, and whether with the file of a copy."""


class Blocks:
    """A store of generated blocks, none of which stay in memory."""

    def __init__(self, n: int) -> None:
        self._n = n

    def changes(self, _model: str, since: int) -> Iterator[Sequence[VectorRow]]:
        """Yield the blocks after a revision, in batches."""
        for begin in range(since, self._n, BATCH):
            numbers = range(begin, min(self._n, begin + BATCH))
            rows = np.random.default_rng(begin).standard_normal((len(numbers), DIM)).astype(np.float32)
            rows /= np.linalg.norm(rows, axis=1, keepdims=True)
            yield [_block(number, row) for number, row in zip(numbers, rows, strict=True)]

    def marks(self, _model: str) -> Marks:
        """Count the blocks and add up their marks."""
        return Marks(self._n, self._n * (self._n - 1) // 2)

    def identity(self) -> str:
        """Name the database."""
        return "made up"


def _block(number: int, row: Any) -> VectorRow:
    named = hashlib.sha256(str(number).encode()).hexdigest()
    document = f"handbook/part-{number // A_DOCUMENT:06d}.md"
    return VectorRow(
        block_id=named[:32], rev=number + 1, gone=False, collection="main", documents=(document,),
        kind=Kind.PARAGRAPH, language="en", authored_at=datetime(2026, 1, 1, tzinfo=UTC), salience=0.5, tags=(),
        text_key=named[32:], text=row, context=None, mark=number,
    )  # fmt: skip


def memory() -> dict[str, float]:
    """Return MB of this process: private now, the largest ever, and of files that are mapped."""
    lines = Path("/proc/self/status").read_text().splitlines()
    kb = {
        line.split(":")[0]: int(line.split()[1]) for line in lines if line.startswith(("VmHWM", "RssAnon", "RssFile"))
    }
    return {"private": kb["RssAnon"] / 1_000, "peak": kb["VmHWM"] / 1_000, "mapped": kb["RssFile"] / 1_000}


def measure(n: int, copy: Path | None) -> dict[str, float]:
    """Fill an index and search it; return the added memory in MB."""
    query = np.ones(DIM, np.float32) / np.float32(np.sqrt(DIM))
    small = SearchIndex("model", DIM)
    small.catch_up(cast("Store", Blocks(BATCH)))  # what a small base loads too: libraries, threads
    small.nearest(query, 10, Filters())
    del small
    before = memory()
    before |= {"peak": before["private"] + before["mapped"], "searched": before["private"]}
    index = SearchIndex("model", DIM, 1, copy)
    index.catch_up(cast("Store", Blocks(n)))
    assert len(index) == n
    index.nearest(query, 10, Filters())
    after = memory()
    for _ in range(SEARCHES):
        index.nearest(query, 10, Filters())
    after["searched"] = memory()["private"]
    return {name: round(after[name] - before[name], 1) for name in after}


def main() -> None:
    """Print the figures of every size, and of a million."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("sizes", type=int, nargs="*", help="blocks; 25000 50000 100000 by default")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--one", nargs=2, metavar=("BLOCKS", "COPY"), help="fill one index here; for this program")
    options = parser.parse_args()
    if options.one:
        n, copy = options.one
        sys.stdout.write(json.dumps(measure(int(n), Path(copy) if copy else None)))
        return
    sizes = sorted(options.sizes or (25_000, 50_000, 100_000))
    figures: dict[str, dict[int, dict[str, float]]] = {way: {} for way in WAYS}
    with tempfile.TemporaryDirectory(prefix="saidonce-memory-") as folder:
        for n in sizes:
            for way, measured in figures.items():
                copy = f"{folder}/{n}.index" if WAYS[way] else ""
                words = [sys.executable, "-m", "benchmarks.search_memory", "--one", str(n), copy]
                measured[n] = json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)
                _print(options.json, {"blocks": n, "filled": way, **{f"{k}_mb": v for k, v in measured[n].items()}})
    if len(sizes) > 1:
        low, high = sizes[0], sizes[-1]
        for way, measured in figures.items():
            slope = {
                f"{name}_gb": round((measured[high][name] - measured[low][name]) / (high - low) * MILLION / 1_000, 2)
                for name in measured[high]
            }
            _print(options.json, {"blocks": MILLION, "filled": way, "extrapolated from": [low, high], **slope})


def _print(as_json: bool, figures: dict[str, Any]) -> None:
    line = json.dumps(figures) if as_json else "  ".join(f"{name}={value}" for name, value in figures.items())
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
