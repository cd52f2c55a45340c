"""`saidonce dedupe` against semhash 0.5.0 on the same vectors in one run, both checked by brute force.

    OPENBLAS_NUM_THREADS=1 python -m benchmarks.corpus [SIZE ...] [--json] [--no-peer]

Texts are sentences of the evaluation data (see benchmarks/corpus_texts.py). `static` vectors are weighted means of the
built-in model's vectors of single words; `minilm` ones are of the built-in model itself, and `mixed` ones are made from
18,000 of those as benchmarks/exact_search.py makes them: a tenth are near-repeats. Times are CPU seconds of one thread,
which carry over where wall time on a busy machine does not; both get the same vectors.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # read when numpy is imported
os.environ.setdefault("OMP_NUM_THREADS", "1")

import argparse
import json
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np

from benchmarks.corpus_texts import CACHE, real_texts, real_vectors, static_vectors, with_edits
from benchmarks.exact_search import expanded
from saidonce.corpus.dedupe import Deduped, DedupeOptions, KeepBy, dedupe
from saidonce.corpus.files.fields import Fields
from saidonce.foundation.model import CorpusRow, Ending, Vector
from saidonce.matching.vectors import Pairs, canonical_cosine, corpus_pairs
from saidonce.matching.vectors.blas import one_thread
from saidonce.matching.vectors.canonical import margin
from saidonce.matching.vectors.join import similarities

THRESHOLD = 0.90
LARGEST_BRUTE = 100_000
LARGEST_GUARDED = 10_000
TILE = 1_024
LARGEST = 250_000
N_MIXED = 18_000
Figures = dict[str, Any]


def timed(run: Callable[[], Any]) -> tuple[Any, float, float]:
    """Return a result with its CPU and wall seconds."""
    wall, cpu = time.perf_counter(), time.process_time()
    result = run()
    return result, round(time.process_time() - cpu, 3), round(time.perf_counter() - wall, 3)


def corpus(n: int, model: str) -> tuple[list[CorpusRow], Vector]:
    """Return the first n rows with their vectors; beyond the real texts copies with small edits."""
    whole = with_edits(real_texts(10**9), LARGEST)
    texts = whole[:n]
    if model == "minilm":
        vectors = real_vectors(texts)
    elif model == "mixed":
        vectors = expanded(real_vectors(real_texts(N_MIXED)), n, np.random.default_rng(20))
    else:
        path = CACHE / "static.npy"
        if not path.exists():
            np.save(path, static_vectors(whole))
        vectors = np.load(path, mmap_mode="r")[:n].copy()
    fields = Fields()
    return [fields.row(at, text.encode(), {"text": text}) for at, text in enumerate(texts, 1)], vectors


def brute_force(vectors: Vector) -> Pairs:
    """Return every near pair: by float32 products, and by the canonical cosine close to the threshold."""
    firsts, seconds = [], []
    floor = np.float32(THRESHOLD - margin(vectors.shape[1]) - 1e-7)
    with one_thread():
        for top in range(0, len(vectors), TILE):
            for left in range(top, len(vectors), TILE):
                i, j = np.nonzero(vectors[top : top + TILE] @ vectors[left : left + TILE].T >= floor)
                firsts.append((i + top)[i + top < j + left])
                seconds.append((j + left)[i + top < j + left])
    first, second = np.concatenate(firsts), np.concatenate(seconds)
    similar = similarities(vectors, first, second)
    near = np.flatnonzero(similar >= THRESHOLD)
    near = near[np.lexsort((second[near], first[near]))]
    return Pairs(first[near], second[near], similar[near])


def lost(n: int, kept: set[int], pairs: Pairs) -> tuple[int, int]:
    """Return the numbers of removals without a kept record at or above the threshold, and of kept near pairs."""
    covered, n_missed = set(kept), 0
    for i, j, _ in pairs:
        n_missed += i in kept and j in kept
        covered |= {j} if i in kept else set()
        covered |= {i} if j in kept else set()
    return n - len(covered), n_missed


def peer(rows: list[CorpusRow], vectors: Vector) -> tuple[set[int], float, float]:
    """Return the rows that semhash keeps, with CPU and wall seconds."""
    from semhash import SemHash

    records = [{"text": row.text or "", "at": str(at)} for at, row in enumerate(rows)]

    def run() -> Any:
        semhash = SemHash.from_embeddings(vectors, records, model=None, columns=["text"])  # type: ignore[arg-type]
        return semhash.self_deduplicate(threshold=THRESHOLD)

    result, cpu, wall = timed(run)
    return {int(record["at"]) for record in result.selected}, cpu, wall


def check(deduped: Deduped, vectors: Vector) -> int:
    """Return the number of dropped rows whose kept row is not kept or less similar than reported.

    Exact repeats are one text.
    """
    wrong = 0
    for d in deduped.decisions:
        if d.ending is Ending.NEAR:
            assert d.of is not None
            similarity = canonical_cosine(vectors[d.place], vectors[d.of])
            wrong += not (deduped.decisions[d.of].ending.is_kept and similarity == d.similarity >= THRESHOLD)
    return wrong


def measure(n: int, model: str, with_peer: bool) -> Figures:
    """Return all figures of one size."""
    rows, vectors = corpus(n, model)
    plain = DedupeOptions(THRESHOLD, KeepBy.FIRST, guards=())
    found, cpu, wall = timed(lambda: dedupe(rows, vectors, plain))
    two, _, wall_of_two = timed(lambda: dedupe(rows, vectors, DedupeOptions(THRESHOLD, KeepBy.FIRST, (), 2, 777)))
    figures: Figures = {
        "model": model, "rows": n, "dim": vectors.shape[1], "kept": sum(found.kept),
        "cpu_s": cpu, "wall_s": wall, "wall_s_of_two_threads": wall_of_two,
        "digest": found.digest, "digest_equal_for_two_threads": two.digest == found.digest,
        "drops_without_a_kept_row": check(found, vectors),
    }  # fmt: skip
    if n <= LARGEST_GUARDED:
        guarded, figures["cpu_s_with_guards"], _ = timed(lambda: dedupe(rows, vectors, DedupeOptions(THRESHOLD)))
        figures["kept_with_guards"] = sum(guarded.kept)
    pairs: Pairs | None = None
    if n <= LARGEST_BRUTE:
        pairs, figures["brute_force_cpu_s"], _ = timed(lambda: brute_force(vectors))
        joined, figures["all_pairs_cpu_s"], _ = timed(lambda: corpus_pairs(vectors, THRESHOLD))
        same = set(joined) & set(pairs)
        figures |= {"pairs": len(pairs), "recall": len(same) / max(1, len(pairs)), "surplus": len(joined) - len(same)}
        figures["lost_distinct"], figures["missed_pairs"] = lost(n, {at for at, k in enumerate(found.kept) if k}, pairs)
    if with_peer:
        kept, figures["semhash_cpu_s"], figures["semhash_wall_s"] = peer(rows, vectors)
        figures["times_faster"] = round(figures["semhash_cpu_s"] / cpu, 2)
        figures["semhash_kept"] = len(kept)
        if pairs is not None:
            figures["semhash_lost_distinct"], figures["semhash_missed_pairs"] = lost(n, kept, pairs)
    return figures


def main() -> None:
    """Print the figures of every size."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sizes", type=int, nargs="*", help="rows; 10000 50000 100000 250000 by default")
    parser.add_argument("--model", choices=("static", "minilm", "mixed"), default="mixed")
    parser.add_argument("--no-peer", action="store_true", help="without semhash")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if not options.no_peer and find_spec("semhash") is None:
        sys.stderr.write("measured without the peer: semhash is not installed, `uv sync --group bench` does it\n")
        options.no_peer = True
    for n in options.sizes or (10_000, 50_000, 100_000, 250_000):
        figures = measure(n, options.model, with_peer=not options.no_peer and n <= LARGEST_BRUTE)
        line = json.dumps(figures) if options.json else "  ".join(f"{name}={value}" for name, value in figures.items())
        sys.stdout.write(line + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
