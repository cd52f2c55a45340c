"""`saidonce dedupe` over Parquet shards with vectors in a column: CPU seconds, peak memory, and what is lost.

    python -m benchmarks.dedupe_files [ROWS ...] [--workers N] [--engine local|ray] [--device cpu|cuda] [--no-guards]
        [--json]

Rows are made up: sentences with a figure. One in twenty repeats an earlier one but for its full stop, one in twenty
repeats it but for its figure; of these what is not found, and what is dropped, is counted. Vectors have the falling
spectrum of sentence models. Times are CPU seconds of this process and its workers, which carry over where wall
time on a busy machine does not.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # read when numpy is imported

import argparse
import json
import resource
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from saidonce.corpus.dedupe import KeepBy
from saidonce.corpus.engines import open_engine
from saidonce.corpus.files import Fields
from saidonce.corpus.run import Corpora, Outputs, RunOptions, WorkFolder, expand, run
from saidonce.foundation.model import Vector

DIM = 384
SHARD = 25_000
EVERY = 20
"""One row in so many is a copy, and one has another figure."""

NEAR = 0.15
WORDS = (
    "office yard ladder caretaker backup invoice parcel window engine garden report meeting kettle bridge tenant"
    " printer harbour museum ticket market"
).split()
PLACES = "Bremen Lisbon Ghent Turin Graz Lyon Cork Bern Oslo Riga Split Porto Siena Leeds Bergen Aarhus".split()


def make(folder: Path, n: int, seed: int = 7, rows_a_file: int = SHARD) -> tuple[dict[int, int], dict[int, int]]:
    """Write shards; return, for each copy and each row with a changed figure, the row it was derived from."""
    import pyarrow as arrow
    from pyarrow import parquet

    rng = np.random.default_rng(seed)
    spectrum = (1.0 / np.sqrt(1.0 + np.arange(DIM) / 8)).astype(np.float32)
    copies: dict[int, int] = {}
    changed: dict[int, int] = {}
    texts: list[str] = []
    first: Vector = np.zeros((0, DIM), dtype=np.float32)
    folder.mkdir(parents=True)
    for at in range(0, n, SHARD):
        size = min(SHARD, n - at)
        vectors = _unit(rng.standard_normal((size, DIM), dtype=np.float32) * spectrum)
        own: list[str] = []
        if not at:
            first, texts = vectors, own
        for place in range(at, at + size):
            kind = place % EVERY if place >= EVERY else 2
            if kind < 2:
                of = int(rng.integers(min(place, len(first)) // EVERY)) * EVERY + 5
                text = texts[of]
                noise = _unit(rng.standard_normal((1, DIM), dtype=np.float32) * spectrum)[0]
                vectors[place - at] = first[of] + NEAR * noise
                figure = str(1_000 + of)
                (copies if kind == 0 else changed)[place] = of
                own.append(text[:-1] + "!" if kind == 0 else text.replace(figure, str(2_000_000 + place)))
            else:
                a, b = rng.integers(len(WORDS), size=2)
                where = PLACES[rng.integers(len(PLACES))]
                own.append(
                    f"The {WORDS[a]} in {where} has the number {1_000 + place} and stands beside the {WORDS[b]}."
                )
        column = arrow.FixedSizeListArray.from_arrays(arrow.array(_unit(vectors).reshape(-1)), DIM)
        table = arrow.table({"id": list(range(at, at + size)), "text": own, "vector": column})
        for begin in range(0, size, rows_a_file):
            name = f"{sum(1 for _ in folder.iterdir()):05d}.parquet"
            parquet.write_table(table.slice(begin, rows_a_file), folder / name)
    return copies, changed


def _unit(rows: Vector) -> Vector:
    unit: Vector = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit


def cpu_s() -> float:
    """Return the CPU seconds of this process and its ended workers."""
    return sum(
        r.ru_utime + r.ru_stime for r in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    )


def measure(folder: Path, n: int, settings: argparse.Namespace) -> dict[str, Any]:
    """Return all figures of one size."""
    shards = folder / f"shards-{n}"
    copies, changed = make(shards, n)
    steps: dict[str, float] = {}

    def note(step: str, _done: int, _total: int) -> None:
        steps[step] = time.perf_counter()

    engine = open_engine(settings.engine, settings.workers)
    work = WorkFolder(folder / f"work-{n}")
    outputs = Outputs(folder / f"kept-{n}", folder / "dropped.parquet", folder / "held.jsonl", is_folder=True)
    fields = Fields(id="id", vector="vector")
    options = RunOptions(0.9, KeepBy.FIRST, not settings.no_guards, fields, device=settings.device)
    cpu, wall = cpu_s(), time.perf_counter()
    finished = run(work, Corpora(expand([str(shards)])), options, (engine, _no_embedder), outputs, note)
    engine.close()
    work.close()
    of, kept = finished.decisions.of, finished.decisions.is_kept
    figures = {
        "rows": n, "engine": settings.engine, "workers": settings.workers, "device": settings.device,
        "guards": not settings.no_guards,
        "cpu_s": round(cpu_s() - cpu, 1), "wall_s": round(time.perf_counter() - wall, 1),
        "stage_ended_after_wall_s": {step: round(at - wall, 1) for step, at in steps.items()},
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1_024,
        "peak_mb_of_a_worker": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1_024,
        "kept": int(kept.sum()), "undecided": finished.summary["undecided"],
        "copies": len(copies), "copies_not_found": sum(bool(kept[at]) for at in copies),
        "other_figures": len(changed), "other_figures_dropped": sum(not kept[at] for at in changed),
        "digest": finished.summary["digest"],
    }  # fmt: skip
    assert all(kept[at] or of[at] >= 0 for at in copies)
    return figures


def _no_embedder() -> Any:
    raise AssertionError("vectors are given")


def main() -> None:
    """Print the figures of every size."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("sizes", type=int, nargs="*", help="rows; 20000 100000 1000000 by default")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--engine", choices=("local", "ray"), default="local")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--no-guards", action="store_true")
    parser.add_argument("--folder", type=Path, help="where files are made; a temporary folder by default")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    for n in options.sizes or (20_000, 100_000, 1_000_000):
        folder = Path(tempfile.mkdtemp(prefix="saidonce-dedupe-", dir=options.folder))
        try:
            figures = measure(folder, n, options)
        finally:
            shutil.rmtree(folder)
        line = json.dumps(figures) if options.json else "  ".join(f"{name}={value}" for name, value in figures.items())
        sys.stdout.write(line + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
