"""Deduplication with precomputed vectors: segments of a document, ranked pools, and corpora of templates.

The first two are compared with the naive algorithm: every text against every kept one, one by one. A corpus of
templates is the worst case with guards: all rows of one template are near each other, and only the guards tell them
apart. One row in 200 repeats an earlier one of its template; what is lost of those is counted.

    python -m benchmarks.dedup [--json] [--templates]
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable

import numpy as np

from benchmarks.made_up import near_vectors, paragraph, words
from saidonce.corpus.dedupe import DedupeOptions, KeepBy, dedupe
from saidonce.documents.salience import rated
from saidonce.foundation import text
from saidonce.foundation.model import Candidate, CorpusRow, Kind, Segment, Vector
from saidonce.foundation.settings.policy import Settings
from saidonce.kb.ingest.repeats import remove_repeats
from saidonce.matching.guards import REPEAT_GUARDS as GUARDS
from saidonce.matching.ladder import keep_first
from saidonce.matching.vectors import near_pairs

RUNS = 7
TEMPLATES = {
    "with figures": "Order {n} of the {noun} was packed in {town} and left the {noun} depot after {d} days.",
    "without figures": "The {noun} office in {town} is open on weekdays and lends the {noun} to all residents.",
}
CORPORA = (("with figures", 4_000, 20), ("with figures", 2_000, 1), ("without figures", 500, 20))
"""Kind of template, rows, and how many templates they share."""

REPEATED = 200


def median_ms(run: Callable[[], object]) -> float:
    """Return the median CPU milliseconds of several runs after a warm-up run."""
    run()
    took = []
    for _ in range(RUNS):
        start = time.process_time()
        run()
        took.append(1_000 * (time.process_time() - start))
    return sorted(took)[RUNS // 2]


def segments(n: int) -> tuple[Segment, ...]:
    """Return segments of one document; their near texts differ in wording, so that the guard has work."""
    texts = []
    for i in range(n):
        content = paragraph("bench", i)
        texts.append(
            Segment(f"{i:032x}", i, Kind.PARAGRAPH, content, (), None, "en", "", 90, text.content_hash(content))
        )
    return rated(texts)


def naive(vectors: Vector, threshold: float) -> int:
    """Return the result of the naive loop: each text compared with every kept one."""
    kept: list[int] = []
    for i in range(len(vectors)):
        if not any(float(np.dot(vectors[i], vectors[j])) >= threshold for j in kept):
            kept.append(i)
    return len(kept)


def corpus(template: str, n: int, n_templates: int) -> tuple[list[CorpusRow], Vector, dict[int, int]]:
    """Return rows of a corpus of templates, their vectors, and of each true copy the place of its original."""
    rng = np.random.default_rng(7)
    nouns = words(rng, n_templates)
    centres = rng.standard_normal((n_templates, 384))
    centres /= np.linalg.norm(centres, axis=1, keepdims=True)
    rows: list[CorpusRow] = []
    copies: dict[int, int] = {}
    for at in range(n):
        noun = nouns[at % n_templates]
        says = TEMPLATES[template].format(n=1_000 + at, d=2 + at % 88, noun=noun, town="".join(words(rng, 3)).title())
        if at >= n // 2 and at % REPEATED < n_templates:
            copies[at] = int(rng.integers(n // 2 // n_templates)) * n_templates + at % n_templates
            says = (rows[copies[at]].text or "").replace(".", "!")
        rows.append(CorpusRow(at + 1, f"{at:064x}", says))
    spread = centres[np.arange(n) % n_templates] + 0.012 * rng.standard_normal((n, 384))
    vectors: Vector = (spread / np.linalg.norm(spread, axis=1, keepdims=True)).astype(np.float32)
    return rows, vectors, copies


def templates() -> dict[str, dict[str, float]]:
    """Return CPU seconds of a deduplication with guards, copies lost, and rows left undecided, for each corpus."""
    figures: dict[str, dict[str, float]] = {}
    for template, n, n_templates in CORPORA:
        rows, vectors, copies = corpus(template, n, n_templates)
        start = time.process_time()
        decisions = dedupe(rows, vectors, DedupeOptions(0.9, KeepBy.FIRST)).decisions
        figures[f"{n} rows of {n_templates} templates {template}"] = {
            "cpu_s": round(time.process_time() - start, 2),
            "copies": len(copies),
            "lost": sum(decisions[at].of != of for at, of in copies.items()),
            "undecided": sum(d.undecided for d in decisions),
        }
    return figures


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--templates", action="store_true", help="corpora of templates instead")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if options.templates:
        by_corpus = templates()
        if options.json:
            sys.stdout.write(json.dumps(by_corpus, indent=2) + "\n")
            return
        for name, f in by_corpus.items():
            sys.stdout.write(
                f"{name}: {f['cpu_s']:.1f} s of CPU with guards; {f['lost']:.0f} of {f['copies']:.0f} copies not found,"
                f" {f['undecided']:.0f} rows undecided\n"
            )
        return
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
    if options.json:
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
