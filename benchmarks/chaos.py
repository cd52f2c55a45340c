"""Races and crashes: is anything duplicated, is anything acknowledged lost?

    python -m benchmarks.chaos [--rounds 200] [--kills 500] [--server-kills 50] [--acknowledged 10500] [--json]
                               [--only races lives inside restarts clock] [--tries 10] [--lanes 3]
                               [--state FILE] [--part 150]

*races*: 16 writers ingest 16 wordings of one sentence at once; each round must end in one block of 16 attributions.
*lives*: workers, every fourth time two at once, ingest documents into a canonical collection, one transaction each, and
are killed with SIGKILL repeatedly, and so is the database server; what they acknowledged must be there, nothing
twice, and in the end the base must equal that of an undisturbed worker. Several lanes, one organisation each, share one
server, so that its crash affects all of them. *inside*: SIGKILL in the middle of a merge, an export, an import, a
migration, a backup, a restoration and a first start. *restarts*: the database dies under `serve`, under the worker and
under an ingest. *clock*: the clock goes back and jumps. Exits with 1 if anything is wrong, or if a required event did
not happen: nothing was acknowledged, no kill hit a process at work.

With `--state` the figures add up over several runs: `lives` goes in parts of so many kills, each compared with an
undisturbed base and then added to the file, so that a run that is cut off loses one part; the next one goes on with
what is left. Failures stay in the file.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

from benchmarks.chaos_base import (
    COULD_NOT,
    Child,
    Tell,
    blocks_of,
    forked,
    kill_server,
    name_of,
    opened,
    side_by_side,
    source,
    text_of,
    wordings,
)
from benchmarks.chaos_clock import clocks
from benchmarks.chaos_inside import inside
from benchmarks.chaos_restarts import restarts
from benchmarks.proof import KILLED, Proof, flaws_of, show
from benchmarks.tally import Tally
from saidonce.adapters.postgres.embedded import EmbeddedServer
from saidonce.kb.ingest import ingest
from saidonce.kb.review import rebuild

N_WRITERS = 16
DONE = "done "
BEGUN = "begun "
WHAT_IS_LEFT = "lives: what is left"
MOST_IN_VAIN = 20
"""Lives in a row whose end another lane's kill of the server may bring about first."""


@dataclass(frozen=True)
class Size:
    """The size of a run."""

    rounds: int = 200
    kills: int = 500
    server_kills: int = 50
    acknowledged: int = 10_500
    tries: int = 10
    lanes: int = 3


def races(folder: Path, size: Size) -> list[Proof]:
    """Let 16 writers ingest one sentence at once, repeatedly."""
    proof = Proof.of("races", "a round of writers was run", "texts were merged into one block")
    bases = [opened(folder, "races") for _ in range(N_WRITERS)]
    ingest(bases[0], [source("first.md", "Nothing to see here, move along please.")], "main")
    with ThreadPoolExecutor(N_WRITERS) as pool:
        for number in range(size.rounds):
            texts = wordings(number)
            jobs = [
                pool.submit(ingest, base, [source(f"{number}-{n}.md", texts[n])], "main")
                for n, base in enumerate(bases)
            ]
            documents = [job.result().documents[0].document_id for job in jobs]
            ledger = bases[0].store.ledger
            members = ledger.members(ledger.members_of(documents=documents))
            blocks = bases[0].store.blocks(sorted({m.block_id for m in members.values()}))
            n_attributions = sum(len(block.attributions) for block in blocks.values())
            proof.happened["a round of writers was run"] += 1
            proof.happened["texts were merged into one block"] += n_attributions - len(blocks)
            proof.check(len(blocks) == 1, f"round {number} made {len(blocks)} blocks")
            proof.check(n_attributions == N_WRITERS, f"round {number} has {n_attributions} attributions")
    proof.check(rebuild(bases[0]).is_sound, "the log does not tell what the base holds")
    for base in bases:
        base.store.close()
    return [proof]


def worker(folder: Path, org: str, numbers: Sequence[int], tell: Tell) -> None:
    """Ingest documents, reporting the number of each before it and after its commit."""
    base = opened(folder, org)
    for number in numbers:
        tell(f"{BEGUN}{number}")
        ingest(base, [source(name_of(number), text_of(number))], "main")
        tell(f"{DONE}{number}")
    base.store.close()


def acknowledged(child: Child) -> list[int]:
    """Return the numbers of the documents whose ingest was acknowledged."""
    return [int(line.removeprefix(DONE)) for line in child.lines if line.startswith(DONE)]


@dataclass
class Lives:
    """Workers that are killed one after another, and their acknowledged documents.

    Attributes:
        org: whose documents they are.
        mean: documents that a worker acknowledges on average before it is killed.
        done: numbers of acknowledged documents.
    """

    folder: Path
    org: str
    mean: float
    rng: random.Random
    done: set[int] = field(default_factory=set)
    proofs: dict[str, Proof] = field(default_factory=dict)

    def proof(self, victim: str) -> Proof:
        """Return the proof of a kind of kill."""
        expected = (KILLED, "a kill came in the middle of a write", "a write was acknowledged")
        return self.proofs.setdefault(victim, Proof.of(f"lives: {victim} killed", *expected))

    def live(self, victim: str) -> None:
        """Let one or two workers run until enough is done, then kill the target."""
        first = list(itertools.islice((n for n in itertools.count() if n not in self.done), int(6 * self.mean) + 20))
        second = self.rng.sample(first[:20], 20) + first[20:]
        n_workers = 2 if victim == "one of two workers" else 1
        proof = self.proof(victim)
        with ExitStack() as stack:
            children = [
                stack.enter_context(forked(lambda tell, n=numbers: worker(self.folder, self.org, n, tell)))  # type: ignore[misc]
                for numbers in (first, second)[:n_workers]
            ]
            self._end(children, victim, proof)
            acked = {number for child in children for number in acknowledged(child)}
        proof.happened["a write was acknowledged"] += len(acked - self.done)
        self.done |= acked

    def _end(self, children: list[Child], victim: str, proof: Proof) -> None:
        enough = 1 + int(self.rng.expovariate(1 / self.mean))
        begun = time.monotonic()
        children[0].wait_for(lambda _: len(acknowledged(children[0])) >= enough)
        each_s = (time.monotonic() - begun) / enough
        time.sleep(self.rng.uniform(0, min(1.0, each_s)))
        if victim == "the server":
            proof.happened[KILLED] += kill_server(self.folder)
            codes = [child.ended() for child in children]
            proof.happened["a kill came in the middle of a write"] += COULD_NOT in codes
            return
        were_alive = [child.kill() for child in children]
        was_alive = were_alive[0]
        is_inside = children[0].lines[-1:] != [] and children[0].lines[-1].startswith(BEGUN)
        proof.happened[KILLED] += was_alive
        proof.happened["a kill came in the middle of a write"] += was_alive and is_inside


def lives(folder: Path, size: Size, seed: int = 0) -> list[Proof]:
    """Kill workers and servers until the required kills and acknowledgements are reached; finish and compare."""
    begun_s = time.monotonic()
    server = EmbeddedServer(folder)
    n = max(1, min(size.lanes, size.kills // 4))  # a lane has kills of each kind
    lanes = [f"crashes-{number}" for number in range(n)]
    shares = [_share(size, number, n) for number in range(n)]
    sums = Tally()

    def live(number: int) -> list[Proof]:
        return _lane(folder, lanes[number], shares[number], f"{20261121 + seed}-{number}")

    def compare(number: int) -> list[Proof]:
        return [compared(folder, lanes[number], done[number])]

    told = side_by_side(folder, live, n)
    done = [{int(at) for at in one[-1].counts} for one in told]
    for one in [*(proofs[:-1] for proofs in told), *side_by_side(folder, compare, n)]:
        sums.add("lives", one)
    whole = sums.by_name[WHAT_IS_LEFT]
    whole.counts["kills"] = sum(one.happened[KILLED] for one in sums.proofs)
    whole.counts["seconds"] = round(time.monotonic() - begun_s, 1)
    server.close()
    return sums.proofs


def _share(size: Size, number: int, n: int) -> Size:
    """Return the share of one of n lanes; the shares add up to the total."""

    def part(whole: int) -> int:
        return whole * (number + 1) // n - whole * number // n

    return replace(
        size, kills=part(size.kills), server_kills=part(size.server_kills), acknowledged=part(size.acknowledged)
    )


def _lane(folder: Path, org: str, size: Size, seed: str) -> list[Proof]:
    """Run a lane until the required kills and acknowledgements are reached; the last proof counts both."""
    n_pairs = size.kills // 4
    left = Counter({"a worker": size.kills - n_pairs, "one of two workers": n_pairs, "the server": size.server_kills})
    run = Lives(folder, org, max(1.0, size.acknowledged / max(1, left.total()) - 1), random.Random(seed))
    n_vain = 0
    while left.total() or len(run.done) < size.acknowledged:
        victim = run.rng.choice(sorted(left.elements())) if left.total() else "a worker"
        before = run.proof(victim).happened[KILLED]
        run.live(victim)
        is_killed = run.proof(victim).happened[KILLED] > before
        left -= Counter({victim: int(is_killed)})
        n_vain = 0 if is_killed else n_vain + 1
        if n_vain > MOST_IN_VAIN:
            raise RuntimeError(f"{victim} was to be killed, and was not, {n_vain} times in a row")
        progress(f"{org}: {left.total()} kills left, {len(run.done):,} acknowledged")
    return [*run.proofs.values(), Proof("done", counts={str(number): 1 for number in run.done})]


def rest(tally: Tally, size: Size, part: int) -> Size | None:
    """Return the next part of `lives`, its share of the remaining size; None if nothing remains."""
    workers = tally.happened(KILLED, "lives: a worker killed", "lives: one of two workers killed")
    kills = max(0, size.kills - workers)
    server_kills = max(0, size.server_kills - tally.happened(KILLED, "lives: the server killed"))
    acknowledged = max(0, size.acknowledged - tally.happened("a write was acknowledged", WHAT_IS_LEFT))
    if not kills + server_kills + acknowledged:
        return None
    share = min(1.0, part / max(1, kills + server_kills)) if kills + server_kills else 1.0
    return replace(
        size, kills=math.ceil(kills * share), server_kills=math.ceil(server_kills * share),
        acknowledged=max(1, math.ceil(acknowledged * share)),
    )  # fmt: skip


def compared(folder: Path, crashed: str, done: set[int]) -> Proof:
    """Check for lost and duplicated documents; finish the job, and compare with an undisturbed worker."""
    proof = Proof.of(WHAT_IS_LEFT, "a write was acknowledged", "texts were merged into one block")
    proof.happened["a write was acknowledged"] = len(done)
    base = opened(folder, crashed)
    present = Counter(d.name for d in base.store.documents("main"))
    lost = sum(name_of(n) not in present for n in done)
    doubled = sum(n - 1 for n in present.values())
    proof.counts |= {"acknowledged and lost": lost, "documents doubled": doubled}
    proof.check(not lost, f"{lost} acknowledged documents are lost")
    proof.check(not doubled, f"{doubled} documents are there twice")
    everything = list(range(max([int(name[9:15]) for name in present], default=-1) + 1))
    calm_org = f"calm-{crashed}"
    for org in (crashed, calm_org):
        with forked(lambda tell, org=org: worker(folder, org, everything, tell)) as child:  # type: ignore[misc]
            while child.more(120):
                progress(f"{org}: {len(child.lines) // 2} of {len(everything)}")
            code = child.ended()
        proof.check(code == 0 and len(acknowledged(child)) == len(everything), f"the worker of {org!r} did not finish")
    calm = opened(folder, calm_org)
    disturbed, undisturbed = blocks_of(base), blocks_of(calm)
    proof.happened["texts were merged into one block"] += sum(len(block) - 1 for block in disturbed)
    n_same = len(disturbed) - len(set(disturbed))
    n_other = len(set(disturbed) ^ set(undisturbed))
    proof.counts |= {"blocks": len(disturbed), "texts doubled": n_same, "blocks unlike an undisturbed base's": n_other}
    proof.check(not n_same, f"{n_same} texts are there twice")
    proof.check(not n_other, f"{n_other} blocks differ from those of a base that nobody disturbed")
    proof.check(rebuild(base).is_sound, "the log does not tell what the base holds")
    base.store.close()
    calm.store.close()
    return proof


def progress(line: str) -> None:
    """Print the progress on a terminal."""
    if sys.stderr.isatty():
        print(f"\r{line:<60}", end="", file=sys.stderr, flush=True)


KINDS: dict[str, Callable[[Path, Size], list[Proof]]] = {
    "races": races,
    "lives": lives,
    "inside": lambda folder, size: inside(folder, size.tries),
    "restarts": lambda folder, size: restarts(folder, size.tries),
    "clock": lambda folder, size: clocks(folder, 10 * size.tries),
}


def run(size: Size, kinds: Sequence[str] = tuple(KINDS), tally: Tally | None = None, part: int = 0) -> list[Proof]:
    """Run each kind in its own folder, one after another.

    Args:
        tally: earlier results, to which this run adds; complete kinds are not run again.
        part: number of kills after which `lives` is compared and added; 0 does all in one.
    """
    sums = tally or Tally()
    for kind in kinds:
        while (chosen := _next_of(kind, sums, size, part)) is not None:
            with tempfile.TemporaryDirectory(prefix="so-chaos-", dir="/tmp") as folder:
                Path(folder).chmod(0o711)
                place, n = Path(folder) / kind, sums.parts[kind]
                sums.add(kind, lives(place, chosen, n) if kind == "lives" else KINDS[kind](place, chosen))
    return sums.proofs


def _next_of(kind: str, sums: Tally, size: Size, part: int) -> Size | None:
    if kind == "lives":
        return rest(sums, size, part or size.kills + size.server_kills)
    return None if sums.parts[kind] else size


def main() -> int:
    """Run, and print figures; return 1 if anything was lost or duplicated, or nothing was proven."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--rounds", type=int, default=Size.rounds)
    options.add_argument("--kills", type=int, default=Size.kills)
    options.add_argument("--server-kills", type=int, default=Size.server_kills)
    options.add_argument("--acknowledged", type=int, default=Size.acknowledged, help="go on until so many writes are")
    options.add_argument("--tries", type=int, default=Size.tries, help="kills inside each operation")
    options.add_argument("--lanes", type=int, default=Size.lanes, help="organisations in which workers live at once")
    options.add_argument("--only", nargs="+", choices=tuple(KINDS), default=tuple(KINDS))
    options.add_argument("--state", type=Path, help="file in which the figures of several runs add up")
    options.add_argument("--part", type=int, default=150, help="with --state, kills after which the file is written")
    options.add_argument("--json", action="store_true", help="print JSON")
    chosen = options.parse_args()
    size = Size(chosen.rounds, chosen.kills, chosen.server_kills, chosen.acknowledged, chosen.tries, chosen.lanes)
    try:
        tally = Tally.at(chosen.state)
    except ValueError as unfit:
        options.error(str(unfit))
    proofs = run(size, chosen.only, tally, chosen.part if chosen.state else 0)
    if chosen.json:
        print(json.dumps([one.as_json() for one in proofs], indent=1))
    else:
        show(proofs)
        print(f"{sum(one.faults for one in proofs):,} faults delivered")
        print("SOMETHING IS WRONG, OR NOT PROVEN" if flaws_of(proofs) else "nothing lost, nothing doubled")
    return int(bool(flaws_of(proofs)))


if __name__ == "__main__":
    sys.exit(main())
