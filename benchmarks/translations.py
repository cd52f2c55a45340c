"""Measure the recognition of translations: `python -m benchmarks.translations [--every N]`.

Reads the pairs of the evaluation data in two languages, labelled translation, or distinct if a text on the same
subject states something else.
"""

from __future__ import annotations

import argparse
import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.evaluation_data import needed
from saidonce.adapters.embed import open_embedder
from saidonce.kb.translations import LEAST_FACTOR
from saidonce.matching import facts


def rows_of(path: Path, every: int) -> list[dict[str, Any]]:
    rows = [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]
    labels = ("translation", "distinct")
    return [r for r in rows if r.get("lang_a") != r.get("lang_b") and r["label"] in labels][::every]


def area(scores: NDArray[np.float64], is_translation: NDArray[np.bool_]) -> float:
    """Return share of (translation, other) pairs that scores order rightly; ties count half."""
    yes, no = scores[is_translation][:, None], scores[~is_translation][None, :]
    return float(((yes > no) + 0.5 * (yes == no)).mean())


def factor(row: dict[str, Any]) -> float:
    ours, theirs = facts.figures(row["a"], row["lang_a"]), facts.figures(row["b"], row["lang_b"])
    return LEAST_FACTOR + (1 - LEAST_FACTOR) * (len(ours & theirs) / len(ours | theirs) if ours | theirs else 1.0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=1, help="only each N-th pair")
    parser.add_argument("--embedder", default="multilingual")
    parser.add_argument("--least", type=float, default=0.5, help="as translation_from")
    options = parser.parse_args()
    rows = rows_of(needed("pairs.jsonl.gz"), options.every)
    embedder = open_embedder(options.embedder)
    a, b = (embedder.embed([r[side] for r in rows]).astype(np.float64) for side in "ab")
    truth = np.array([r["label"] == "translation" for r in rows])
    cosines, lowered = (a * b).sum(axis=1), np.array([factor(r) for r in rows])
    print(f"{len(rows)} pairs, {truth.sum()} of them translations; model {embedder.model}")
    print("| language | translations | each other's nearest | and named | nearest wrong one, median and largest |")
    print("|---|---|---|---|---|")
    for language in sorted({r["lang_b"] for r in rows}):
        at = [n for n, r in enumerate(rows) if truth[n] and r["lang_b"] == language]
        products = a[at] @ b[at].T
        own = np.arange(len(at))
        mutual = (products.argmax(axis=1) == own) & (products.argmax(axis=0) == own)
        named = mutual & (products[own, own] * lowered[at] >= options.least)
        products[own, own] = -1
        wrong = products.max(axis=1)
        shares = f"{mutual.mean():.3f} | {named.mean():.3f} | {np.median(wrong):.2f}, {wrong.max():.2f}"
        print(f"| {language} | {len(at)} | {shares} |")
    print(f"translations told from texts that change one thing: area {area(cosines, truth):.3f} by the model,")
    print(f"{area(cosines * lowered, truth):.3f} with figures; figures lower {(lowered[truth] < 1).mean():.3f} of the")
    print(f"translations and {(lowered[~truth] < 1).mean():.3f} of the others")


if __name__ == "__main__":
    main()
