"""Deduplication beside other tools on the same rows and vectors: losses and costs as the corpus grows.

    python -m benchmarks.scale [ROWS ...] [--peers PYTHON] [--chart FILE.svg] [--json]

Rows are those of `benchmarks.dedupe_files`: one in twenty is a copy, which should be found, and one in twenty states
another figure, which should be kept. `make bench-scale` makes the environment of the peers. MinHash compares words
and takes no vectors; the others are given theirs. Embedding is in no figure. CPU seconds, since wall time on a busy
machine tells little; text-dedup is not among the peers, for its present release needs Python 3.12.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.dedupe_files import DIM, make

PEERS = ("semhash", "datasketch", "rensa")
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "RAYON_NUM_THREADS": "1"}


def own(n: int, workers: int) -> dict[str, Any]:
    """Return the figures of saidonce, in a separate process."""
    words = [sys.executable, "-m", "benchmarks.dedupe_files", str(n), "--json", "--workers", str(workers)]
    figures = json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)
    peak = max(figures["peak_mb"], figures["peak_mb_of_a_worker"] if workers > 1 else 0)
    return {
        "tool": "saidonce", "rows": n, "cpu_s": figures["cpu_s"], "peak_mb": peak, "kept": figures["kept"],
        "copies_found": figures["copies"] - figures["copies_not_found"], "copies": figures["copies"],
        "changed_kept": figures["other_figures"] - figures["other_figures_dropped"],
        "changed": figures["other_figures"],
    }  # fmt: skip


def peers(n: int, python: str) -> list[dict[str, Any]]:
    """Return the figures of the peers on the rows of `own`."""
    from pyarrow import parquet

    figures = []
    with tempfile.TemporaryDirectory(prefix="saidonce-scale-") as temporary:
        folder = Path(temporary)
        copies, changed = make(folder / "shards", n)
        tables = [parquet.read_table(path) for path in sorted((folder / "shards").iterdir())]
        texts = [text for table in tables for text in table["text"].to_pylist()]
        rows = [table["vector"].combine_chunks().flatten().to_numpy().reshape(-1, DIM) for table in tables]
        np.save(folder / "vectors.npy", np.concatenate(rows))
        (folder / "texts.json").write_text(json.dumps(texts), encoding="utf-8")
        for name in PEERS:
            script = str(Path(__file__).with_name("peers.py"))
            # -P: benchmarks of this folder have names of the standard library, such as queue.
            words = [python, "-P", script, name, f"{folder}/texts.json", f"{folder}/vectors.npy"]
            quiet = {**os.environ, **ONE_THREAD, "PYTHONPATH": ""}
            done = subprocess.run(words, capture_output=True, text=True, env=quiet, check=False)
            if done.returncode:
                last = (done.stderr.strip().splitlines() or ["it ended"])[-1]
                sys.stderr.write(f"{name}: not measured: {last}\n")
                continue
            result = json.loads(done.stdout)
            kept = set(result["kept"])
            figures.append(
                {"tool": name, "rows": n, "cpu_s": round(result["cpu_s"], 1), "peak_mb": result["peak_mb"],
                 "kept": len(kept), "copies_found": sum(at not in kept for at in copies), "copies": len(copies),
                 "changed_kept": sum(at in kept for at in changed), "changed": len(changed)}
            )  # fmt: skip
    return figures


def chart(figures: list[dict[str, Any]]) -> str:
    """Draw CPU seconds over rows, both by powers of ten."""
    import pygal  # type: ignore[import-untyped]

    drawn = pygal.XY(
        title="CPU seconds to deduplicate, vectors given", x_title="rows", logarithmic=True, xrange=(1_000, 1_000_000),
        disable_xml_declaration=True, js=[], no_prefix=True,
    )  # fmt: skip
    drawn.x_labels = [{"label": f"{n:,}", "value": n} for n in (1_000, 10_000, 100_000, 1_000_000)]
    drawn.y_labels = [0.1, 1, 10, 100, 1_000]
    for tool in dict.fromkeys(one["tool"] for one in figures):
        drawn.add(tool, [(one["rows"], one["cpu_s"]) for one in figures if one["tool"] == tool])
    rendered: str = drawn.render(is_unicode=True)
    return rendered


def main() -> None:
    """Print the figures of every size, and draw them if asked to."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("sizes", type=int, nargs="*", help="rows; 20000 100000 1000000 by default")
    parser.add_argument("--workers", type=int, default=1, help="of saidonce; one by default, since each peer has one")
    parser.add_argument(
        "--peers", default="", help="python of an environment with the peers; without it they are left out"
    )
    parser.add_argument("--chart", type=Path)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    figures: list[dict[str, Any]] = []
    for n in options.sizes or (20_000, 100_000, 1_000_000):
        more = [own(n, options.workers), *(peers(n, options.peers) if options.peers else ())]
        for one in more:
            line = json.dumps(one) if options.json else "  ".join(f"{name}={value}" for name, value in one.items())
            sys.stdout.write(line + "\n")
            sys.stdout.flush()
        figures += more
    if options.chart:
        options.chart.write_text(chart(figures), encoding="utf-8")


if __name__ == "__main__":
    main()
