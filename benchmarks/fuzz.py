"""Fuzz with millions of hostile inputs: nothing may raise other errors than saidonce's, hang, or exhaust memory.

    python -m benchmarks.fuzz [--inputs 1000000] [--seed 0] [--only documents manuals texts replies posts api]
                              [--jobs 2] [--state FILE] [--json]

*documents*: real files of every format, changed, through the parsing process into a base. *manuals*, *texts*: those
that are text with marks, read in this process; none of them may be refused as damaged. *replies*: of adjudicators.
*posts*: of residents' channels, signed. *api*: every route of the OpenAPI description, in this process, one after
another and in sequences that follow from each other. The same seed gives the same inputs for any number of parallel
jobs. With `--state` the figures add up over several runs, a part at a time, and each goes on with the inputs that
follow. An input that crashes is kept in `tests/cases/crashers`, where the tests run it again. Exits with 1 after a
crash, and if the run proves nothing: fewer inputs than requested, or a required outcome did not occur.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from benchmarks.chaos_base import side_by_side
from benchmarks.fuzz_targets import MOST_S, TARGETS, LimitPassedError, Take, Target
from benchmarks.mutating import Input, mutated
from benchmarks.proof import Proof, flaws_of, show
from benchmarks.tally import Tally
from saidonce.errors import SaidonceError, where

KEPT = Path(__file__).resolve().parents[1] / "tests/cases/crashers"
MOST_MB = 1_024
"""How much the peak of this process's memory may grow."""

MOST_ADDRESSED = 6 << 30
"""Bytes of address space, so that an input that would eat the machine's memory is caught."""

HUNG_S = 60
API_SHARE = 0.02
TAKEN = "an input was taken in"
PART = 4_000
"""Inputs after which the figures are added up."""

MOST_CRASHES = 25
"""After so many a target is given up: they are one crash, or there is much to do."""


@contextmanager
def watched() -> Iterator[None]:
    """Interrupt an input that exceeds the time limit."""

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        raise LimitPassedError(f"it took longer than {HUNG_S} s")

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.alarm(HUNG_S)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def outcome(take: Take, given: Input) -> tuple[str, str]:
    """Process an input; return its outcome, and the flaw, if any."""
    begun = time.process_time()
    try:
        with watched():
            word = take(given)
    except LimitPassedError as passed:
        return "limit passed", str(passed)
    except SaidonceError as refused:
        word = type(refused).__name__
    except MemoryError:
        return "out of memory", "it took more memory than there is"
    except Exception as crashed:  # noqa: BLE001  that is what is looked for
        return "crash", f"{where(crashed)}: {crashed!r}"[:300]
    took_s = time.process_time() - begun
    return word, f"it took {took_s:.1f} s of CPU time" if took_s > MOST_S else ""


def keep(target: str, given: Input) -> Path:
    """Store an input that crashed as a test case."""
    name = hashlib.sha256(given.name.encode() + given.data).hexdigest()[:12]
    file = KEPT / target / f"{name}-{Path(given.name).name}"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(given.data)
    return file


def kept() -> list[tuple[str, Input]]:
    """Return the inputs that once crashed, by target and name."""
    files = sorted(file for file in KEPT.glob("*/*") if file.is_file())
    return [(file.parent.name, Input(file.name.partition("-")[2], file.read_bytes())) for file in files]


def fuzz(target: Target, n: int, seed: int, keeps: bool = True, first: int = 0) -> Proof:
    """Process n mutated inputs, from number `first` on."""
    proof = Proof.of(f"fuzz: {target.name}", TAKEN, *sorted(target.expected))
    seeds = target.seeds()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    longest_s = 0.0
    with target.open() as take:
        for given in seeds:
            word, wrong = outcome(take, given)
            proof.check(not wrong, f"an unchanged input of {given.name}: {wrong}")
        for number in range(first, first + n):
            given = mutated(seeds, random.Random(f"{seed}-{target.name}-{number}"))
            begun = time.perf_counter()
            word, wrong = outcome(take, given)
            longest_s = max(longest_s, time.perf_counter() - begun)
            proof.happened[TAKEN] += 1
            proof.happened[word] += 1
            if wrong:
                proof.check(False, f"{wrong}; kept in {keep(target.name, given) if keeps else 'nothing'}")
            if len(proof.wrong) >= MOST_CRASHES:
                break
            if sys.stderr.isatty() and number % 100 == 0:
                print(f"\r{target.name}: {number - first:,} of {n:,}", end="", file=sys.stderr, flush=True)
    grown_mb = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    proof.counts |= {"longest, ms": round(1000 * longest_s), "memory grew by, MiB": round(grown_mb)}
    proof.check(grown_mb <= MOST_MB, f"the peak of memory grew by {grown_mb:.0f} MiB")
    return proof


def run(n: int, seed: int, only: list[str], jobs: int = 1, tally: Tally | None = None) -> list[Proof]:
    """Fuzz the targets until each had its share of the inputs.

    Args:
        tally: earlier results, to which this run adds.
    """
    sums = tally or Tally()
    shares = {name: target.share for name, target in TARGETS.items() if name in only}
    if "api" in only:
        shares["api"] = API_SHARE
    whole = sum(shares.values())
    for name, share in shares.items():
        n_inputs = max(1, round(n * share / whole))
        while (done := sums.happened(TAKEN, f"fuzz: {name}")) < n_inputs:
            sums.add(name, _part(name, seed, done, min(PART, n_inputs - done), jobs))
            if sums.by_name[f"fuzz: {name}"].wrong:
                break
    return sums.proofs


def _part(name: str, seed: int, first: int, n: int, jobs: int) -> list[Proof]:
    """Process the next inputs of a target by several processes at once."""

    def job(number: int) -> list[Proof]:
        begin, end = first + n * number // jobs, first + n * (number + 1) // jobs
        if name != "api":
            return [fuzz(TARGETS[name], end - begin, seed, first=begin)]
        from benchmarks.fuzz_api import fuzz_api

        return [fuzz_api(end - begin, seed + begin)]

    if jobs == 1:
        return job(0)
    with tempfile.TemporaryDirectory(prefix="so-") as folder:
        parts = Tally()
        for proofs in side_by_side(Path(folder) / "jobs", job, jobs):
            parts.add(name, proofs)
    return parts.proofs


def main() -> int:
    """Fuzz, and print figures; return 1 after a crash, or if nothing was proven."""
    names = [*TARGETS, "api"]
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--inputs", type=int, default=1_000_000)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--only", nargs="+", choices=names, default=names)
    options.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes that take inputs in at once")
    options.add_argument("--state", type=Path, help="file in which the figures of several runs add up")
    options.add_argument("--json", action="store_true", help="print JSON")
    chosen = options.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (MOST_ADDRESSED, resource.getrlimit(resource.RLIMIT_AS)[1]))
    begun = time.monotonic()
    try:
        tally = Tally.at(chosen.state)
    except ValueError as unfit:
        options.error(str(unfit))
    proofs = run(chosen.inputs, chosen.seed, chosen.only, max(1, chosen.jobs), tally)
    n_taken = sum(one.happened[TAKEN] for one in proofs)
    if chosen.json:
        print(json.dumps([one.as_json() for one in proofs], indent=1))
    else:
        show(proofs)
        print(f"{n_taken:,} inputs in {time.monotonic() - begun:.0f} s")
    return int(bool(flaws_of(proofs)) or n_taken < chosen.inputs)


if __name__ == "__main__":
    sys.exit(main())
