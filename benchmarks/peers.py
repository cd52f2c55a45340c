"""Run other tools on the same rows and vectors, in a separate environment; saidonce is not imported.

    python benchmarks/peers.py semhash|datasketch|rensa TEXTS.json VECTORS.npy

Prints the places that are kept, CPU and wall seconds, and the peak memory.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

COSINE = 0.9
JACCARD = 0.7
PERMUTATIONS = 128
SHINGLE = 3
"""Words of a shingle: those of the examples of both MinHash libraries."""

Load = Callable[[], Any]


def semhash(texts: list[str], vectors: Load) -> list[int]:
    """Return the rows kept by an approximate index over the given vectors."""
    from semhash import SemHash

    records = [{"text": text, "at": str(at)} for at, text in enumerate(texts)]
    index = SemHash.from_embeddings(vectors(), records, model=None, columns=["text"])
    return [int(record["at"]) for record in index.self_deduplicate(threshold=COSINE).selected]


def shingles(text: str) -> list[str]:
    """Return the shingles: groups of consecutive words."""
    words = text.lower().split()
    return [" ".join(words[at : at + SHINGLE]) for at in range(max(1, len(words) - SHINGLE + 1))]


def datasketch(texts: list[str], _vectors: Load) -> list[int]:
    """Return the rows that share no bucket with an earlier kept row."""
    from datasketch import MinHash, MinHashLSH

    index, kept = MinHashLSH(threshold=JACCARD, num_perm=PERMUTATIONS), []
    for at, text in enumerate(texts):
        sketch = MinHash(num_perm=PERMUTATIONS)
        sketch.update_batch([shingle.encode() for shingle in shingles(text)])
        if not index.query(sketch):
            index.insert(at, sketch)
            kept.append(at)
    return kept


def rensa(texts: list[str], _vectors: Load) -> list[int]:
    """Return the same by rensa's MinHash, whose candidates are compared, as in its examples."""
    from rensa import RMinHash, RMinHashLSH

    index, kept = RMinHashLSH(threshold=JACCARD, num_perm=PERMUTATIONS, num_bands=16), []
    hashes: dict[int, Any] = {}
    for at, text in enumerate(texts):
        sketch = RMinHash(num_perm=PERMUTATIONS, seed=42)
        sketch.update(shingles(text))
        if not any(hashes[other].jaccard(sketch) >= JACCARD for other in index.query(sketch)):
            index.insert(at, sketch)
            hashes[at] = sketch
            kept.append(at)
    return kept


PEERS = {"semhash": semhash, "datasketch": datasketch, "rensa": rensa}


def main() -> None:
    """Print the results of a peer."""
    name, texts_at, vectors_at = sys.argv[1:]
    texts = json.loads(Path(texts_at).read_text(encoding="utf-8"))
    cpu, wall = time.process_time(), time.perf_counter()
    kept = PEERS[name](texts, lambda: np.load(vectors_at))
    sys.stdout.write(
        json.dumps(
            {
                "kept": kept, "cpu_s": time.process_time() - cpu, "wall_s": time.perf_counter() - wall,
                "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1_024,
            }
        )
    )  # fmt: skip


if __name__ == "__main__":
    main()
