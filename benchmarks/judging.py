"""Measure the gate with a slow judge: `python -m benchmarks.judging [parallel] [killed] [repeats]`.

A real worker (`saidonce worker`, a process of its own) on an embedded PostgreSQL, and a real auto-rater over HTTP in
this process, which counts paid reviews:

- parallel: 24 pending submissions, 6 s a ruling, 8 at once: the time from the first question to the last verdict;
- killed: 50 pending submissions; the worker is killed (SIGKILL) after 15 rulings and another one goes on: what was paid
  twice;
- repeats: 400 tasks with 100 repeats (labelled pairs of the evaluation data): the local judge, then an auto-rater that
  is right 9 times of 10: precision and recall of what is blocked, and what was asked twice.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.evaluation_data import needed
from benchmarks.rater_server import Rater
from saidonce import KnowledgeBase
from saidonce.foundation.model import GateState, GateVerdict, Submission
from saidonce.foundation.text import digest
from saidonce.gate import authorize

AT_ONCE = 8
SOURCES = ("checklist-qqp",)
WRONG_OF = 10
TOO_LONG_S = 400.0


@dataclass(frozen=True)
class Size:
    """The size of a trial: pending submissions and seconds of a ruling of the first two, pairs of each label."""

    n_parallel: int = 24
    seconds: float = 6.0
    n_killed: int = 50
    killed_after: int = 15
    killed_seconds: float = 1.0
    n_pairs: int = 100


SMALL = Size(4, 0.5, 6, 2, 0.3, 6)
"""Enough to see that it runs: `--small`."""

APART = 0.6
"""Tasks of the first two trials lie below this similarity to each other: each is a question of its own."""


def environment(folder: Path, rater: Rater, adjudicator: str) -> dict[str, str]:
    return {
        "SAIDONCE_DATA_DIR": str(folder / "data"),
        "SAIDONCE_GATE_LLM_ENABLED": "true",
        "SAIDONCE_GATE_ADJUDICATOR": adjudicator,
        "SAIDONCE_GATE_AUTO_RATER_URL": rater.url,
        "SAIDONCE_GATE_RULINGS_AT_ONCE": str(AT_ONCE),
        "NO_PROXY": "127.0.0.1",
    }


def tasks(base: KnowledgeBase, n: int) -> list[str]:
    """Return a number of sentences, none of them near another."""
    topics = tomllib.loads(Path(__file__).with_name("own_wordings.toml").read_text(encoding="utf-8"))["topic"]
    asks = [
        ask.split(" / ")[0].replace("{x}", x.split(" ~ ")[0])
        for topic in topics
        for x in topic["x"]
        for ask in topic["asks"]
    ]
    rows = base.embedder.embed(asks)
    chosen: list[int] = []
    for at in range(len(asks)):
        if len(chosen) < n and (not chosen or float((rows[chosen] @ rows[at]).max()) < APART):
            chosen.append(at)
    if len(chosen) < n:
        sys.exit(f"only {len(chosen)} of {n} sentences are apart")
    return [asks[at] for at in chosen]


def waiting(base: KnowledgeBase, n: int) -> None:
    """Return a number of admitted tasks, each with a near one that waits for a ruling."""
    texts = tasks(base, n)
    gate = base.gate("main")
    list(gate.import_([Submission(text) for text in texts]))
    pending = gate.submit_many([Submission(f"{text} Thank you.", key=f"k{at}") for at, text in enumerate(texts)])
    n_pending = sum(v.state is GateState.PENDING for v in pending)
    if n_pending != n:
        sys.exit(f"{n_pending} of {n} are pending")


def worker(given: dict[str, str]) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "saidonce", "worker"]
    return subprocess.Popen(command, env={**os.environ, **given}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def until(reached: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + TOO_LONG_S
    while not reached():
        if time.monotonic() > end:
            sys.exit(f"not after {TOO_LONG_S:.0f} s: {what}")
        time.sleep(0.02)


def stopped(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    process.send_signal(number)
    with suppress(subprocess.TimeoutExpired):
        process.wait(60)
    if process.poll() is None:
        process.kill()
        process.wait()


def distinct(_payload: dict[str, Any]) -> str:
    return "distinct"


def parallel(folder: Path, size: Size) -> None:
    rater = Rater(size.seconds, distinct)
    variables = environment(folder, rater, "auto-rater")
    with opened(variables) as base:
        waiting(base, size.n_parallel)
        process = worker(variables)
        try:
            until(lambda: bool(rater.paid), "the first question")
            start = time.monotonic()
            until(lambda: base.store.gates.n_pending("main") == 0, "the last verdict")
            took = time.monotonic() - start
        finally:
            stopped(process, signal.SIGTERM)
        waits = sorted(v.ruling.duration_ms for v in base.store.gates.verdicts("main") if v.ruling is not None)
    rater.close()
    sys.stdout.write(
        f"parallel: {size.n_parallel} pending, {size.seconds:g} s a ruling, {AT_ONCE} at once: {took:.1f} s from the"
        f" first question to the last verdict; most at once {rater.most_inside}; a ruling took"
        f" {waits[len(waits) // 2] / 1000:.1f} s\n"
    )


def killed(folder: Path, size: Size) -> None:
    rater = Rater(size.killed_seconds, distinct)
    variables = environment(folder, rater, "auto-rater")
    with opened(variables) as base:
        waiting(base, size.n_killed)
        first = worker(variables)
        until(lambda: base.store.gates.n_pending("main") <= size.n_killed - size.killed_after, "the first rulings")
        first.kill()
        first.wait()
        n_ruled, n_paid = size.n_killed - base.store.gates.n_pending("main"), rater.paid.total()
        second = worker(variables)
        try:
            until(lambda: base.store.gates.n_pending("main") == 0, "the last verdict")
        finally:
            stopped(second, signal.SIGTERM)
        cleared = sum(map(authorize, base.store.gates.verdicts("main")))
    rater.close()
    twice = sum(n - 1 for n in rater.paid.values())
    sys.stdout.write(
        f"killed: {n_ruled} of {size.n_killed} ruled and {n_paid} sent when the worker was killed; {cleared} cleared in"
        f" the end, {rater.paid.total()} rulings paid, {twice} of them twice\n"
    )


def labelled(n_pairs: int) -> tuple[list[str], dict[str, str]]:
    """Return tasks ordered by hash, and a map from each repeat to its original."""
    with gzip.open(needed("pairs.jsonl.gz"), "rt", encoding="utf-8") as file:
        rows = [row for row in map(json.loads, file) if row["source"] in SOURCES]
    rows.sort(key=lambda row: digest("judging", row["id"]))
    texts: dict[str, None] = {}
    repeats: dict[str, str] = {}
    left = {"duplicate": n_pairs, "distinct": n_pairs}
    for row in rows:
        a, b = row["a"].strip(), row["b"].strip()
        if left.get(row["label"], 0) and a not in texts and b not in texts and a != b:
            left[row["label"]] -= 1
            texts.update({a: None, b: None})
            if row["label"] == "duplicate":
                repeats.update({a: b, b: a})
    return sorted(texts, key=lambda text: digest("order", text)), repeats


def repeats(folder: Path, size: Size) -> None:
    texts, twin = labelled(size.n_pairs)

    def decides(payload: dict[str, Any]) -> str:
        text = payload["candidate"]["text"]
        is_repeat = twin.get(text) in {match["text"] for match in payload["matches"]}
        is_wrong = int(digest("wrong", text), 16) % WRONG_OF == 0
        return "duplicate" if is_repeat != is_wrong else "distinct"

    rater = Rater(0.0, decides)
    with opened(environment(folder, rater, "local,auto-rater")) as base:
        gate = base.gate("main")
        verdicts = gate.check_many([Submission(text, key=digest(text)) for text in texts])
    rater.close()
    seen: set[str] = set()
    true: list[bool] = []
    for text in texts:
        true.append(twin.get(text) in seen)
        seen.add(text)
    print_figures(verdicts, true, rater)


def print_figures(verdicts: Sequence[GateVerdict], true: Sequence[bool], rater: Rater) -> None:
    blocked = np.array([v.blocked for v in verdicts])
    right = np.array(true)
    hits = int((blocked & right).sum())
    by_rater = sum(v.ruling is not None and "auto-rater" in v.ruling.adjudicator for v in verdicts)
    n_asked = sum(v.ruling is not None for v in verdicts)
    unasked = sum(v.ruling is None and r and not v.blocked for v, r in zip(verdicts, true, strict=True))
    twice = sum(n - 1 for n in rater.paid.values())
    sys.stdout.write(
        f"repeats: {len(verdicts)} tasks, {sum(true)} repeats: {int(blocked.sum())} blocked, precision"
        f" {hits / max(1, int(blocked.sum())):.3f}, recall {hits / max(1, sum(true)):.3f}; {n_asked} ruled on,"
        f" {by_rater} of them by the auto-rater, {twice} asked twice; {unasked} repeats below the band, which nobody is"
        " asked about\n"
    )
    for what, label in (("blocked", False), ("let through", True)):
        errors = [v for v, r in zip(verdicts, true, strict=True) if v.blocked != label and r == label]
        wrong = Counter(str(v.reason) for v in errors)
        sys.stdout.write(f"repeats: wrongly {what}: {', '.join(f'{name} {n}' for name, n in wrong.most_common())}\n")


def opened(given: dict[str, str]) -> KnowledgeBase:
    os.environ.update(given)
    return KnowledgeBase()


TRIALS: dict[str, Callable[[Path, Size], None]] = {"parallel": parallel, "killed": killed, "repeats": repeats}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trials", nargs="*", metavar="trial", help=f"of {', '.join(TRIALS)}; all by default")
    parser.add_argument("--small", action="store_true", help="a few submissions, to see that it runs")
    options = parser.parse_args()
    if unknown := sorted(set(options.trials) - set(TRIALS)):
        parser.error(f"{unknown[0]} is no trial: name some of {', '.join(TRIALS)}")
    size = SMALL if options.small else Size()
    for name in options.trials or TRIALS:
        folder = Path(tempfile.mkdtemp(prefix="so-", dir="/tmp"))
        folder.chmod(0o711)
        try:
            TRIALS[name](folder, size)
        finally:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
