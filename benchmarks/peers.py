"""What other tools keep of the same rows and vectors, in an environment of their own: nothing of saidonce is imported.

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
    """Keep by an approximate index over the given vectors."""
    from semhash import SemHash

    records = [{"text": text, "at": str(at)} for at, text in enumerate(texts)]
    index = SemHash.from_embeddings(vectors(), records, model=None, columns=["text"])
    return [int(record["at"]) for record in index.self_deduplicate(threshold=COSINE).selected]


def shingles(text: str) -> list[str]:
    """Return the groups of words that follow each other."""
    words = text.lower().split()
    return [" ".join(words[at : at + SHINGLE]) for at in range(max(1, len(words) - SHINGLE + 1))]


def datasketch(texts: list[str], _vectors: Load) -> list[int]:
    """Keep what no earlier kept text shares a bucket with."""
    from datasketch import MinHash, MinHashLSH

    index, kept = MinHashLSH(threshold=JACCARD, num_perm=PERMUTATIONS), []
    for at, text in enumerate(texts):
        made = MinHash(num_perm=PERMUTATIONS)
        made.update_batch([shingle.encode() for shingle in shingles(text)])
        if not index.query(made):
            index.insert(at, made)
            kept.append(at)
    return kept


def rensa(texts: list[str], _vectors: Load) -> list[int]:
    """Keep likewise, with rensa's MinHash; its candidates are compared, as its examples do."""
    from rensa import RMinHash, RMinHashLSH

    index, kept = RMinHashLSH(threshold=JACCARD, num_perm=PERMUTATIONS, num_bands=16), []
    hashes: dict[int, Any] = {}
    for at, text in enumerate(texts):
        made = RMinHash(num_perm=PERMUTATIONS, seed=42)
        made.update(shingles(text))
        if not any(hashes[other].jaccard(made) >= JACCARD for other in index.query(made)):
            index.insert(at, made)
            hashes[at] = made
            kept.append(at)
    return kept


PEERS = {"semhash": semhash, "datasketch": datasketch, "rensa": rensa}


def main() -> None:
    """Print what a peer does."""
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
