"""Check that a misbehaving auto-rater never clears a candidate, and never exceeds the deadline.

    python -m benchmarks.faults [--trials 40] [--deadline-ms 1000] [--at-once 6] [--json]

Each fault is tried repeatedly against a real HTTP server, and the ladder uses the ruling under the gate's
policy. Prints the results, and exits with 1 if anything was cleared or a deadline was missed by
more than 10 % and 100 ms. Times are wall time. On a busy machine some are late because this program was not
scheduled: `unexplained` are those still late without the stalls measured by a sleeping thread.
Stalls caused by this program would be hidden there, so both are printed. The replies of `tests/cases/replies` follow,
each once, by kind. The last lines are a control: services that work, which must clear.
"""

from __future__ import annotations

import argparse
import json
import os
import ssl
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path

from benchmarks.faulty import DELIVERED, Fault, answers, faults, holds, in_turn, resets, serving, status
from benchmarks.replies import ASKING, CASE, Play, plays, rated, rater_stage, task
from saidonce.adjudication import AutoRater, RaterOptions
from saidonce.foundation.model import Failure, Outcome, Ruling
from saidonce.matching.ladder import ask, decide

__all__ = ["ASKING", "CASE", "task"]

SLACK = 0.10
"""Share of the deadline by which it may be exceeded."""

NAP_S = 0.01
CONSTANT_S = 0.1
"""On top of it, for starting and ending a trial."""

PATIENT_MS = 20_000
"""Deadline for services that work: whether they clear is the question, not when."""


WORKING = (
    Fault("works: answers at the first poll"),
    Fault("works: one failed poll", poll=in_turn(status("502 Bad Gateway"), answers)),
    Fault("works: one reset poll", poll=in_turn(resets, answers)),
    Fault("works: asked once to come again", submit=in_turn(
        status("429 Too Many Requests", Retry_After="0.05"), status("202 Accepted"))),
    Fault("works: done at once", submit=answers),
    Fault("works: a bare word", poll=holds(review_feedback="Softlines and hardlines differ.")),
)  # fmt: skip


@dataclass
class Line:
    """The results of all trials of one fault."""

    fault: str
    trials: int = 0
    cleared: int = 0
    longest_ms: int = 0
    late: int = 0
    unexplained: int = 0
    causes: Counter[str] = field(default_factory=Counter)


@cache
def certificate() -> ssl.SSLContext:
    """Return an untrusted server certificate."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    made = x509.CertificateBuilder(name, name, key.public_key(), 1, now, now + timedelta(days=1))
    pem = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    ) + made.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "server.pem"
        path.write_bytes(pem)
        context.load_cert_chain(path)
    return context


class Stalls:
    """Measures when this process was not scheduled, by sleeps that lasted too long."""

    def __init__(self) -> None:
        self._stalls: list[tuple[float, float]] = []
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self) -> None:
        while True:
            slept_at = time.monotonic()
            time.sleep(NAP_S)
            late_s = time.monotonic() - slept_at - NAP_S
            if late_s > NAP_S:
                self._stalls.append((slept_at, late_s))

    def between(self, start: float, end: float) -> float:
        """Return the seconds lost between two times."""
        time.sleep(2 * NAP_S)
        return sum(late_s for at, late_s in self._stalls if start - late_s <= at <= end)


def tried(fault: Fault, deadline_ms: int) -> tuple[Ruling, bool, float]:
    """Return the result of a trial: the ruling, whether the gate let the candidate pass, and the seconds taken."""
    question = ask(CASE)
    assert question is not None
    with serving(fault, certificate() if fault.tls else None) as url:
        options = RaterOptions(deadline_ms, min(50, deadline_ms // 20), tls=TRUST)
        rater = AutoRater(url, b"a secret", options)
        started = time.monotonic()
        (ruling,) = rater.rule([question])
        took_s = time.monotonic() - started
    verdict = decide(replace(CASE, ruling=ruling))
    return ruling, verdict.outcome is Outcome.DISTINCT, took_s


TRUST = ssl.create_default_context()


def timed(fault: Fault, deadline_ms: int, stalls: Stalls) -> tuple[Ruling, bool, float, float]:
    """Return the result of a trial, with the seconds taken and those of them in which this program was stalled."""
    started = time.monotonic()
    ruling, cleared, took_s = tried(fault, deadline_ms)
    return ruling, cleared, took_s, stalls.between(started, time.monotonic())


def run(tries: Sequence[Fault], trials: int, deadline_ms: int, at_once: int) -> list[Line]:
    """Try every fault; lines in the order of the faults."""
    stalls = Stalls()
    lines = [Line(fault.name) for fault in tries]
    jobs = [(line, fault) for line, fault in zip(lines, tries, strict=True) for _ in range(trials)]
    with ThreadPoolExecutor(at_once) as pool:
        for (line, _), (ruling, cleared, took_s, stalled_s) in zip(
            jobs, pool.map(lambda job: timed(job[1], deadline_ms, stalls), jobs), strict=True
        ):
            line.trials += 1
            line.cleared += cleared
            line.longest_ms = max(line.longest_ms, round(took_s * 1000))
            late_s = took_s - deadline_ms / 1000 * (1 + SLACK) - CONSTANT_S
            line.late += late_s > 0
            line.unexplained += late_s > stalled_s
            line.causes[str(ruling.failure or ruling.opinion)] += 1
            if line.trials == trials:
                print(f"\r{lines.index(line) + 1} of {len(lines)}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=40)
    parser.add_argument("--deadline-ms", type=int, default=1000)
    parser.add_argument("--at-once", type=int, default=6)
    parser.add_argument("--most", type=int, default=None, help="try no more than the first so many faults")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    os.environ["NO_PROXY"] = "127.0.0.1,no-such-host.invalid"
    tried(WORKING[0], PATIENT_MS)  # what is loaded at first use is no part of a deadline
    chosen = faults(options.deadline_ms / 1000)[: options.most]
    bad = run(chosen, options.trials, options.deadline_ms, options.at_once)
    good = run(WORKING, options.trials, PATIENT_MS, options.at_once)
    kinds = play_replies(plays("auto_rater")[: options.most])
    if options.json:
        print(json.dumps([asdict(line) for line in [*bad, *good, *kinds]], indent=1))
    else:
        print_lines(bad, good, options.deadline_ms)
        for kind in kinds:
            print(f"{kind.fault:40} {kind.trials:4} replies, {kind.cleared:4} cleared, {kind.late} not as they must be")
    empty = unshown(chosen, bad) + unshown(WORKING, good)
    print("\n".join(empty), file=sys.stderr)
    wrong = any(line.cleared or line.unexplained for line in bad) or any(line.late for line in kinds)
    return int(wrong or any(line.cleared < line.trials for line in good) or bool(empty))


def play_replies(replies: Sequence[Play]) -> list[Line]:
    """Play each reply once; return a line for each kind, where `late` counts wrong results."""
    lines: dict[str, Line] = {}
    with rater_stage() as stage:
        for play in replies:
            ruling, cleared = rated(stage, play)
            line = lines.setdefault(f"{play.must}: {play.kind}", Line(f"{play.must}: {play.kind}"))
            line.trials += 1
            line.cleared += cleared
            line.late += cleared != (play.must == "clear")
            line.causes[str(ruling.failure or ruling.opinion)] += 1
    return list(lines.values())


def unshown(tries: Sequence[Fault], lines: Sequence[Line]) -> list[str]:
    """Return the faults that were not tested: never tried, or no client connected to the service."""
    if not lines:
        return ["nothing is shown: no fault was tried"]
    never = [line.fault for line in lines if not line.trials]
    unmet = [fault.name for fault in tries if not fault.url and not DELIVERED[fault.name]]
    return [f"nothing is shown of {name!r}: it was never met" for name in dict.fromkeys([*never, *unmet])]


def print_lines(bad: Sequence[Line], good: Sequence[Line], deadline_ms: int) -> None:
    print(f"{'fault':58} {'trials':>6} {'cleared':>7} {'longest ms':>10} {'late':>4}  causes")
    for line in [*bad, *good]:
        causes = ", ".join(f"{cause} {n}" for cause, n in sorted(line.causes.items()))
        print(f"{line.fault:58} {line.trials:6} {line.cleared:7} {line.longest_ms:10} {line.late:4}  {causes}")
    n = sum(line.trials for line in bad)
    none = sum(line.causes[failure] for line in bad for failure in Failure)
    cleared, late = sum(line.cleared for line in bad), sum(line.late for line in bad)
    unexplained = sum(line.unexplained for line in bad)
    print(f"\n{len(bad)} faults, {n} trials: {cleared} cleared, {late} later than {deadline_ms} ms + {SLACK:.0%} + "
          f"{CONSTANT_S * 1000:.0f} ms "
          f"({unexplained} of them unexplained); {none} ended in no ruling")  # fmt: skip
    cleared = sum(line.cleared for line in good)
    print(f"{len(good)} services that work, {sum(line.trials for line in good)} trials: {cleared} cleared")


if __name__ == "__main__":
    sys.exit(main())
