"""Exact search in process against numpy and against the database's own exact scan, in CPU time.

    python benchmarks/exact_search.py [--full] [--json]

Rows are vectors of real English sentences (the language reference that comes with Python), mixed
and perturbed up to the wanted number. Every figure is CPU time on one core, the database's
backend included; ratios within one run carry over to other machines, milliseconds do not.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # read when numpy is imported

import argparse
import json
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from pydoc_data.topics import topics
from typing import Any

import numpy as np
import psycopg

from saidonce.adapters.embed.minilm import DIM, MiniLM
from saidonce.adapters.postgres.embedded import EmbeddedServer
from saidonce.foundation.model import Vector
from saidonce.foundation.text import sentences
from saidonce.matching.vectors import ExactIndex, canonical_cosines, near_pairs

K = 5
THRESHOLD = 0.82
N_SENTENCES = 1_000
N_SEGMENTS = 200
TICK_MS = 1_000 / os.sysconf("SC_CLK_TCK")

Figures = dict[str, float]


def sentence_vectors(n: int) -> Vector:
    """Return vectors of n real sentences."""
    spans = (span.text for topic in sorted(topics) for span in sentences(topics[topic]))
    found = list(dict.fromkeys(" ".join(text.split()) for text in spans if 40 <= len(text) <= 160))
    return MiniLM().embed(found[:: len(found) // n][:n])


def expanded(base: Vector, n: int, rng: np.random.Generator) -> Vector:
    """Return rows that each mix a sentence, part of another one, and noise; a tenth are near-repeats."""
    rows = np.empty((n, DIM), dtype=np.float32)
    for at in range(0, n, 10_000):
        size = min(10_000, n - at)
        share = np.where(rng.random((size, 1)) < 0.1, 0.05, rng.uniform(0.2, 0.9, (size, 1)))
        mixed = base[rng.integers(0, len(base), size)] + share * base[rng.integers(0, len(base), size)]
        mixed += share * rng.standard_normal((size, DIM)) * 0.5 / DIM**0.5
        rows[at : at + size] = mixed / np.linalg.norm(mixed, axis=1, keepdims=True)
    return rows


def own_ms() -> float:
    """Return the CPU time of this process so far."""
    return time.process_time() * 1e3


def cpu_ms(call: Callable[[Any], object], inputs: list[Any], clock: Callable[[], float] = own_ms) -> float:
    """Return the CPU time of one call, averaged over all inputs after a warm-up."""
    call(inputs[0])
    before = clock()
    for given in inputs:
        call(given)
    return (clock() - before) / len(inputs)


class Database:
    """A table of vectors in a temporary server, scanned exactly by one backend."""

    def __init__(self, url: str) -> None:
        self._connection = psycopg.connect(url, autocommit=True)
        self._connection.execute("create extension if not exists vector")
        self._connection.execute("set max_parallel_workers_per_gather = 0")
        self._pid = self._connection.info.backend_pid

    def load(self, rows: Vector) -> None:
        """Replace the table's rows by binary COPY; a row's id is its place."""
        self._connection.execute("drop table if exists bench")
        self._connection.execute(f"create table bench (id int4 not null, v vector({DIM}) not null)")
        self._connection.execute("alter table bench alter v set storage plain")
        shape = [("n", ">i2"), ("l1", ">i4"), ("id", ">i4"), ("l2", ">i4"), ("dim", ">i2"), ("zero", ">i2")]
        with self._connection.cursor() as cursor, cursor.copy("copy bench from stdin (format binary)") as copy:
            copy.write(b"PGCOPY\n\xff\r\n\0" + bytes(8))
            for at in range(0, len(rows), 10_000):
                part = rows[at : at + 10_000]
                wire = np.zeros(len(part), dtype=[*shape, ("v", ">f4", DIM)])
                wire["n"], wire["l1"], wire["l2"], wire["dim"] = 2, 4, 4 + 4 * DIM, DIM
                wire["id"], wire["v"] = np.arange(at, at + len(part)), part
                copy.write(wire.tobytes())
            copy.write(b"\xff\xff")
        self._connection.execute("vacuum analyze bench")

    def nearest(self, query: Vector) -> list[int]:
        """Return the ids of the k nearest rows by an exact scan."""
        vector = "[" + ",".join(map(repr, query.tolist())) + "]"
        asked = "select id from bench order by v <=> %s::vector limit %s"
        return [id for (id,) in self._connection.execute(asked, (vector, K), prepare=True).fetchall()]

    def cpu_ms(self) -> float:
        """Return the CPU time of this process and of the backend so far."""
        fields = Path(f"/proc/{self._pid}/stat").read_text().rsplit(")", 1)[1].split()
        return own_ms() + (int(fields[11]) + int(fields[12])) * TICK_MS

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


@contextmanager
def throw_away_database() -> Iterator[Database]:
    """Start a server in a temporary folder and remove both afterwards."""
    with tempfile.TemporaryDirectory(prefix="saidonce-bench-") as folder:
        server = EmbeddedServer(Path(folder))
        try:
            database = Database(server.url)
            try:
                yield database
            finally:
                database.close()
        finally:
            server.close()


def built(rows: Vector) -> ExactIndex:
    """Return an index over rows whose ids sort like their positions."""
    index = ExactIndex(DIM)
    for at in range(0, len(rows), 5_000):
        index.add([f"{place:08d}" for place in range(at, min(at + 5_000, len(rows)))], rows[at : at + 5_000])
    return index


def check(index: ExactIndex, rows: Vector, queries: Vector) -> None:
    """Compare answers with a scan of every row by the canonical cosine."""
    for query in queries:
        every = np.concatenate([canonical_cosines(query, rows[at : at + 5_000]) for at in range(0, len(rows), 5_000)])
        nearest = np.lexsort((np.arange(len(rows)), -every))[:K]
        expected = [(f"{place:08d}", float(every[place])) for place in nearest]
        if not index.nearest(query, K) == index.nearest_batch(np.repeat(query[None], 20, axis=0), K)[7] == expected:
            raise SystemExit("an answer differs from the full scan")


def compare(rows: Vector, queries: Vector, database: Database) -> Figures:
    """Return the CPU milliseconds of a query over the same rows, for each way to search."""
    index, singles = built(rows), list(queries[:50])
    check(index, rows, queries[:3])
    database.load(rows)
    return {
        "rows": len(rows),
        "exact, threshold and k": cpu_ms(lambda query: index.nearest(query, K, THRESHOLD), singles),
        "exact, k": cpu_ms(lambda query: index.nearest(query, K), singles),
        "exact, document": cpu_ms(lambda all: index.nearest_batch(all, K, THRESHOLD), [queries] * 2) / len(queries),
        "numpy float32": cpu_ms(lambda query: np.argpartition(rows @ query, -K)[-K:], singles[:20]),
        "pgvector exact": cpu_ms(database.nearest, singles[:20], database.cpu_ms),
    }


def show(figures: Figures) -> None:
    """Print one size: milliseconds, and how many times the CPU of pgvector's scan that is."""
    print(f"\n{figures['rows']:,.0f} rows x {DIM}, CPU ms a query (x less than pgvector's exact scan)")
    for name, value in figures.items():
        if name != "rows":
            print(f"  {name:24s} {value:9.2f}  {figures['pgvector exact'] / value:7.1f}x")


def main() -> None:
    """Run the comparison and print it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sizes", type=int, nargs="*", help="rows; 10000 100000 by default")
    parser.add_argument("--full", action="store_true", help="500,000 rows too (2 GB of memory, minutes)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    options = parser.parse_args()
    rng = np.random.default_rng(20)
    base = sentence_vectors(N_SENTENCES)
    queries = expanded(base, N_SEGMENTS, rng)
    found = []
    with throw_away_database() as database:
        for n in options.sizes or ((10_000, 100_000, 500_000) if options.full else (10_000, 100_000)):
            found.append(compare(expanded(base, n, rng), queries, database))
            if not options.json:
                show(found[-1])
    document = expanded(base, 500, rng)
    pairs_ms = cpu_ms(lambda rows: near_pairs(rows, 0.90), [document] * 20)
    if options.json:
        print(json.dumps({"search": found, "near_pairs_500_ms": pairs_ms}, indent=2))
    else:
        print(f"\nall near pairs of 500 rows at 0.90: {pairs_ms:.2f} CPU ms, {len(near_pairs(document, 0.90))} pairs")


if __name__ == "__main__":
    main()
