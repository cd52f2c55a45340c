"""Measure whether a static model could select, without a loss, the texts that need no embedding.

A static vector is the mean of the vectors of a text's tokens, each embedded alone by the model itself, as model2vec
distils one. Of labelled pairs that the model puts at or above the threshold, the lowest static similarity is the
bound that would lose none of them. Printed beside it: the share of all pairs of these texts at or above the
bound, and of the texts that have one there beside their own pair, so that the model has to read them all the same.

    python -m benchmarks.static_pass [PAIRS] [--threshold 0.9] [--json]
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np

from benchmarks.evaluation_data import needed
from saidonce.adapters.embed import open_embedder
from saidonce.foundation.model import Vector
from saidonce.foundation.ports import Embedder
from saidonce.foundation.text import words

SEED = 29
SHARES = (0.5, 0.99, 1.0)
"""Shares of the near pairs that a bound is to keep."""


def static(texts: Sequence[str], embedder: Embedder) -> Vector:
    """Embed texts by the mean of their words' own vectors, without the mean of all words: shape (n, dim), unit rows."""
    held = [words(text) or [text] for text in texts]
    known = sorted({word for each in held for word in each})
    table = embedder.embed(known)
    table = table - table.mean(axis=0)
    place = {word: at for at, word in enumerate(known)}
    rows = np.stack([table[[place[word] for word in each]].mean(axis=0) for each in held])
    unit: Vector = (rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)).astype(np.float32)
    return unit


def main(arguments: Sequence[str]) -> int:
    """Print the bounds and the share of texts above them."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.static_pass", description=__doc__)
    parser.add_argument("pairs", type=int, nargs="?", default=1_500)
    parser.add_argument("--threshold", type=float, default=0.9)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    with gzip.open(needed("pairs.jsonl.gz"), "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    rows = Random(SEED).sample(rows, min(options.pairs, len(rows)))
    texts = list(dict.fromkeys(text for row in rows for text in (row["a"], row["b"])))
    place = {text: at for at, text in enumerate(texts)}
    embedder = open_embedder("minilm")
    exact, cheap = embedder.embed(texts), static(texts, embedder)
    a, b = (np.array([place[row[side]] for row in rows]) for side in "ab")
    near = np.sum(exact[a] * exact[b], axis=1) >= options.threshold
    similar = np.sort(np.sum(cheap[a] * cheap[b], axis=1)[near])[::-1]
    grid = cheap @ cheap.T
    others = grid[np.triu_indices(len(texts), 1)]
    np.fill_diagonal(grid, -1.0)
    grid[a, b] = grid[b, a] = -1.0  # whatever a text has beside its own pair
    nearest = grid.max(axis=1)
    answer: dict[str, Any] = {"pairs": len(rows), "near": len(similar), "threshold": options.threshold, "bounds": []}
    for share in SHARES if len(similar) else ():
        bound = float(similar[min(len(similar) - 1, round(share * len(similar)) - 1)])
        above, read = float(np.mean(others >= bound)), float(np.mean(nearest >= bound))
        answer["bounds"].append(
            {"keeps": share, "bound": round(bound, 3), "pairs_above": round(above, 5), "texts_above": round(read, 4)}
        )
    if options.json:
        sys.stdout.write(json.dumps(answer) + "\n")
        return 0
    sys.stdout.write(f"{answer['near']} of {answer['pairs']} pairs are at or above {options.threshold}\n")
    for row in answer["bounds"]:
        kept = (
            f"a bound of {row['bound']:.3f} keeps {row['keeps']:.0%} of them and {row['pairs_above']:.3%} of all pairs"
        )
        sys.stdout.write(f"{kept}; {row['texts_above']:.1%} of {len(texts)} texts have another one above it\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
