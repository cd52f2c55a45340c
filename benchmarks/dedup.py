"""Removing repeats, vectors given: 500 segments of a document, and ranked pools of 100 and 400.

Beside it, the way the algorithm is written down: every text against every kept one, one by one.

    python -m benchmarks.dedup [--json]
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable

import numpy as np

from benchmarks.made_up import near_vectors, paragraph
from saidonce.documents.salience import rated
from saidonce.foundation import text
from saidonce.foundation.model import Candidate, Kind, Segment, Vector
from saidonce.foundation.settings.policy import Settings
from saidonce.kb.ingest.repeats import remove_repeats
from saidonce.matching.guards import REPEAT_GUARDS as GUARDS
from saidonce.matching.ladder import keep_first
from saidonce.matching.vectors import near_pairs

RUNS = 7


def median_ms(run: Callable[[], object]) -> float:
    """Median CPU milliseconds of several runs after one that is not counted."""
    run()
    took = []
    for _ in range(RUNS):
        start = time.process_time()
        run()
        took.append(1_000 * (time.process_time() - start))
    return sorted(took)[RUNS // 2]


def segments(n: int) -> tuple[Segment, ...]:
    """Segments of one document; their near texts differ in wording, so that the guard has work."""
    made = []
    for i in range(n):
        content = paragraph("bench", i)
        made.append(
            Segment(f"{i:032x}", i, Kind.PARAGRAPH, content, (), None, "en", "", 90, text.content_hash(content))
        )
    return rated(made)


def naive(vectors: Vector, threshold: float) -> int:
    """The plain loop: compare each with every kept one."""
    kept: list[int] = []
    for i in range(len(vectors)):
        if not any(float(np.dot(vectors[i], vectors[j])) >= threshold for j in kept):
            kept.append(i)
    return len(kept)


def main() -> None:
    """Print the figures."""
    figures: dict[str, dict[str, float]] = {}
    vectors = near_vectors(500, 384, 0.2, 1)
    parts, settings = segments(500), Settings()
    ours = median_ms(lambda: remove_repeats(parts, list(vectors), settings))
    loop = median_ms(lambda: naive(vectors, 0.9))
    figures["ingest 500 segments"] = {"ours_ms": ours, "naive_ms": loop, "bound_ms": 100}
    for n in (100, 400):
        pool = near_vectors(n, 384, 0.2, n)
        ranked = [Candidate(p.text, p.content_hash, language="en") for p in parts[:n]]

        def run(ranked: list[Candidate] = ranked, pool: Vector = pool) -> object:
            return keep_first(ranked, near_pairs(pool, 0.9), GUARDS)

        loop = median_ms(lambda pool=pool: naive(pool, 0.9))  # type: ignore[misc]
        figures[f"search pool of {n}"] = {"ours_ms": median_ms(run), "naive_ms": loop}
    figures["search pool of 100"]["bound_ms"] = 10
    for f in figures.values():
        f["naive_over_ours"] = f["naive_ms"] / f["ours_ms"]
    if "--json" in sys.argv:
        sys.stdout.write(json.dumps(figures, indent=2) + "\n")
        return
    for name, f in figures.items():
        bound = f", bound {f['bound_ms']:.0f} ms" if "bound_ms" in f else ""
        sys.stdout.write(
            f"{name}: {f['ours_ms']:.1f} ms of CPU with guards{bound}; "
            f"loop without guards {f['naive_ms']:.1f} ms ({f['naive_over_ours']:.1f}x)\n"
        )


if __name__ == "__main__":
    main()
