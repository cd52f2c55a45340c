"""The gate beside embedding: `python -m benchmarks.gate [KEPT] [CHECKS] [--folder DIR]`; vectors are precomputed.

Prints the time of a check on the embedded PostgreSQL with so many kept submissions (100,000 by default), with and
without keeping what is cleared, and how often an adjudicator was asked. With --folder the base stays, is not filled
again and keeps nothing more, so that the first check is one after a start. The vectors are those of real sentences
(see benchmarks/corpus_texts.py; the first run embeds them, which takes a quarter of an hour and is kept), those that
are checked lie below the band. Exact search is timed with random unit vectors too, of which no bound rules any out.
Beside the wall clock stands the processor time of this process, which a busy machine does not stretch, and how often
the process waits at the socket of the database, which no machine stretches.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from collections.abc import Generator, Iterator, Sequence
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
from psycopg import Connection
from psycopg.rows import TupleRow

from benchmarks.corpus_texts import real_texts, real_vectors
from saidonce.adapters.postgres import open_store
from saidonce.documents.parse import Limits, Sandbox
from saidonce.foundation.context import Context
from saidonce.foundation.model import Admission, Candidate, Question, Ruling, Submission, Vector
from saidonce.foundation.ports import GateWrite
from saidonce.foundation.settings.policy import load_settings
from saidonce.foundation.text import digest
from saidonce.gate import AdmittedIndex, Gate, define
from saidonce.gate.admitted import AdmittedQuery
from saidonce.gate.flow import BATCH as FLOW_BATCH

BATCH = 2_000
PARTITION = digest()
"""What nothing parts."""

BELOW = 0.74
SPARE = 4
"""Sentences that are looked at for each one that lies below the band."""

N_WARM = 20
N_TOGETHER = 2_000


class ReadyVectors:
    """Returns the vectors of real sentences, one after the other, in negligible time."""

    model = "ready"

    def __init__(self, rows: Vector) -> None:
        self._rows = rows
        self._at = 0
        self.dim = rows.shape[1]

    def embed(self, texts: Sequence[str]) -> Vector:
        self._at += len(texts)
        return self._rows[self._at - len(texts) : self._at]

    def skip(self, n: int) -> None:
        self._at += n

    def last(self, n: int) -> Vector:
        return self._rows[self._at - n : self._at]

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) for text in texts]


def rows_of(n: int, n_checked: int) -> Vector:
    """Return rows to be kept, then others whose similarity to all before is below the band."""
    texts = real_texts(n + SPARE * n_checked)
    rows = real_vectors(texts)[np.random.default_rng(7).permutation(len(texts))]
    kept, chosen = rows[:n], rows[:0]
    for at in range(n, len(rows), BATCH):
        if len(chosen) >= n_checked:
            break
        others = rows[at : at + BATCH]
        near = np.maximum((others @ kept.T).max(axis=1), (others @ chosen.T).max(axis=1, initial=0))
        near = np.maximum(near, np.tril(others @ others.T, -1).max(axis=1))
        chosen = np.concatenate([chosen, others[near < BELOW]])
    if len(chosen) < n_checked:
        sys.exit(f"only {len(chosen)} of {n_checked} sentences lie below the band: fewer kept or fewer checks")
    return np.concatenate([kept, chosen[:n_checked]])


class CountingAdjudicator:
    """An adjudicator that counts its questions."""

    name = "nobody"
    n_asked = 0

    def rule(self, questions: Sequence[Question]) -> tuple[Ruling, ...]:
        self.n_asked += len(questions)
        raise AssertionError("asked below the band")


class Clock:
    def now(self) -> datetime:
        return datetime.now(UTC)


def text_of(number: int) -> str:
    return (
        f"Task {number}: count what the stock room of the shop holds, compare it with the sheet, note what is missing."
    )


def fill(context: Context, n: int, embedder: ReadyVectors) -> None:
    now = datetime.now(UTC)
    for at in range(0, n, BATCH):
        numbers = range(at, min(n, at + BATCH))
        vectors = embedder.embed([""] * len(numbers))
        admissions = tuple(
            (
                Admission(
                    digest("a", str(i)), "main", Candidate(text_of(i), digest(str(i)), language="en"),
                    Submission(text_of(i)), PARTITION, "", now,
                ),
                vector,
            )
            for i, vector in zip(numbers, vectors, strict=True)
        )  # fmt: skip
        context.store.gates.write(GateWrite(admissions=admissions))


Took = list[tuple[float, float]]
"""Milliseconds by the wall clock and of the processor."""


def timed(gate: Gate, numbers: Sequence[int], reserve: bool) -> Took:
    took = []
    for number in numbers:
        submission = Submission(text_of(number), key=f"{reserve} {number}")
        start, busy = time.perf_counter(), time.process_time()
        verdict = gate.check(submission, reserve)
        took.append((1_000 * (time.perf_counter() - start), 1_000 * (time.process_time() - busy)))
        assert gate.authorize(verdict)
    return took


def timed_together(gate: Gate, numbers: Sequence[int], at_once: int) -> Took:
    """Return the time per submission of many that are checked at once, as in a batch or a file."""
    took = []
    for at in range(0, len(numbers), at_once):
        batch = [Submission(text_of(number), key=f"at once {number}") for number in numbers[at : at + at_once]]
        start, busy = time.perf_counter(), time.process_time()
        verdicts = gate.check_many(batch)
        spent = time.perf_counter() - start, time.process_time() - busy
        took.append((1_000 * spent[0] / len(batch), 1_000 * spent[1] / len(batch)))
        assert all(map(gate.authorize, verdicts))
    return took


def searched(kept: AdmittedIndex, queries: Vector) -> Took:
    took = []
    for query in queries:
        start, busy = time.perf_counter(), time.process_time()
        kept.pools([AdmittedQuery(query, PARTITION, "")], 5)
        took.append((1_000 * (time.perf_counter() - start), 1_000 * (time.process_time() - busy)))
    return took


def random_rows(n: int, dim: int) -> Vector:
    rows = np.random.default_rng(8).standard_normal((n, dim)).astype(np.float32)
    unit: Vector = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit


def printed(name: str, took: Took, n_waits: float | None = None) -> None:
    wall, busy = (
        "  ".join(f"p{share} {np.percentile(column, share):6.2f} ms" for share in (50, 95, 99))
        for column in map(np.array, zip(*took, strict=True))
    )
    waits = "" if n_waits is None else f"   {n_waits:.2f} waits"
    sys.stdout.write(f"{name:40} {wall}   processor {busy}{waits}\n")


class SocketWaits:
    """Counts waits at the socket of the database; a pipeline waits several times in one round trip."""

    def __init__(self, monitored: type[Connection[TupleRow]]) -> None:
        self._monitored = monitored
        self._wait = monitored.wait
        self.n = 0

    def __enter__(self) -> SocketWaits:
        def wait(connection: Connection[TupleRow], gen: Generator[Any, Any, Any], *args: Any, **kwargs: Any) -> Any:
            return self._wait(connection, self._counted(gen), *args, **kwargs)

        setattr(self._monitored, "wait", wait)  # noqa: B010 - a method of another's class
        return self

    def __exit__(self, *_failed: object) -> None:
        setattr(self._monitored, "wait", self._wait)  # noqa: B010

    def _counted(self, gen: Generator[Any, Any, Any]) -> Generator[Any, Any, Any]:
        try:
            ready = yield next(gen)
            self.n += 1
            while True:
                ready = yield gen.send(ready)
        except StopIteration as end:
            return end.value


def printed_checks(name: str, gate: Gate, numbers: Sequence[int], reserve: bool) -> None:
    with SocketWaits(Connection) as waits:
        took = timed(gate, numbers, reserve)
    printed(name, took, waits.n / len(took))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kept", nargs="?", type=int, default=100_000)
    parser.add_argument("checks", nargs="?", type=int, default=300)
    parser.add_argument("--folder", type=Path, help="where the base is made, and stays; a temporary one by default")
    options = parser.parse_args()
    if options.folder:
        options.folder.mkdir(parents=True, exist_ok=True)
        measure(options.folder, options.kept, options.checks, is_lasting=True)
        return
    folder = Path(tempfile.mkdtemp(prefix="so-", dir="/tmp"))
    folder.chmod(0o711)
    try:
        measure(folder, options.kept, options.checks, is_lasting=False)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def measure(folder: Path, n: int, n_checks: int, is_lasting: bool) -> None:
    """Fill a base if it is not, and print the figures of its checks; one that lasts keeps no more."""
    settings = load_settings(gate_llm_enabled=True)
    embedder, judge = ReadyVectors(rows_of(n, 1 + N_WARM + 2 * n_checks + N_TOGETHER)), CountingAdjudicator()
    store = open_store("", folder / "data", "bench")
    try:
        context = Context(store, embedder, Sandbox(Limits(1, 1, 128, 1.0)), Clock(), settings)
        definition = define(context, "main")
        if store.gates.n_admitted("main"):
            embedder.skip(n)
        else:
            fill(context, n, embedder)
        numbers = count(n + int(time.time()) if is_lasting else n)  # of no earlier run
        kept = AdmittedIndex("main", definition.model, definition.dim)
        gate = Gate(context, definition, kept, judge)
        start, busy = time.perf_counter(), time.process_time()
        gate.check(Submission(text_of(number := next(numbers)), key=f"the first {number}"), False)
        sys.stdout.write(
            f"first check after a start {time.perf_counter() - start:.2f} s, processor"
            f" {time.process_time() - busy:.2f} s; then the cache is loaded beside it\n"
        )
        start = time.perf_counter()
        kept.catch_up(store)
        sys.stdout.write(f"{len(kept)} kept submissions taken into the cache in {time.perf_counter() - start:.1f} s\n")
        timed(gate, [next(numbers) for _ in range(N_WARM)], not is_lasting)
        printed_checks("check, verdict stored", gate, [next(numbers) for _ in range(n_checks)], False)
        if not is_lasting:
            printed_keeping(gate, numbers, n_checks)
        printed("of which exact search", searched(kept, embedder.last(n_checks)))
        printed("exact search, random vectors", searched(kept, random_rows(n_checks, embedder.dim)))
        sys.stdout.write(f"adjudicator asked {judge.n_asked} times\n")
    finally:
        store.close()


def printed_keeping(gate: Gate, numbers: Iterator[int], n_checks: int) -> None:
    printed_checks("check, verdict stored, submission kept", gate, [next(numbers) for _ in range(n_checks)], True)
    together = timed_together(gate, [next(numbers) for _ in range(N_TOGETHER)], FLOW_BATCH)
    printed(f"{FLOW_BATCH} at once, each its share", together)


if __name__ == "__main__":
    main()
