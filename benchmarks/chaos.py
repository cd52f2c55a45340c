"""Races and crashes, with figures: is anything doubled, is anything acknowledged lost?

    python -m benchmarks.chaos [--rounds 200] [--kills 200] [--server-kills 20] [--json]

Races: 16 writers bring 16 wordings of one sentence at once; one block with 16 attributions must come of each round.
Crashes: a worker that ingests documents into a canonical collection, one transaction each, is killed with SIGKILL again
and again, and so is the database server; what it acknowledged must be there, nothing twice, and in the end the base
must equal that of a worker whom nobody killed. Exits with 1 if anything is wrong.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from saidonce.adapters.clock import SystemClock
from saidonce.adapters.embed.hashed import HashedEmbedder
from saidonce.adapters.postgres import open_store
from saidonce.adapters.postgres.embedded import EmbeddedServer
from saidonce.documents.parse import parse
from saidonce.errors import StoreError
from saidonce.foundation.context import Context, Source
from saidonce.foundation.model import Document
from saidonce.foundation.settings.policy import SegmentStyle, Settings
from saidonce.kb.ingest import ingest
from saidonce.kb.review import rebuild
from saidonce.matching.facts.lexicon import known_words

N_WRITERS = 16
MEAN_LIFE_S = 0.25
"""How long a worker lives on average before it is killed; on a slow machine more, until it has written something."""

LONGEST_LIFE_S = 8.0


@dataclass
class Figures:
    """What the run showed; all but the first of each line must be 0."""

    rounds: int = 0
    rounds_with_several_blocks: int = 0
    attributions_missing: int = 0
    worker_kills: int = 0
    server_kills: int = 0
    acknowledged: int = 0
    acknowledged_lost: int = 0
    documents_doubled: int = 0
    texts_doubled: int = 0
    differs_from_undisturbed: int = 0
    log_unsound: int = 0
    took_s: float = 0.0

    @property
    def is_clean(self) -> bool:
        """Whether nothing was lost or doubled, of something: where nothing was written, nothing is shown."""
        wrong = (
            self.rounds_with_several_blocks, self.attributions_missing, self.acknowledged_lost, self.documents_doubled,
            self.texts_doubled, self.differs_from_undisturbed, self.log_unsound,
        )  # fmt: skip
        was_killed = bool(self.worker_kills or self.server_kills)
        shows = (self.rounds or was_killed) and (self.acknowledged or not was_killed)
        return bool(shows) and not any(wrong)


class HereParser:
    """Parses in this process."""

    def map(self, sources: Any) -> Iterator[tuple[str, Document]]:
        """Parse one after the other."""
        for name, content in sources:
            yield name, parse(name, content)


def opened(folder: Path, org: str) -> Context:
    """A base of its own connections on the embedded server of a folder."""
    settings = Settings(
        data_dir=folder,
        org=org,
        collection_use="canonical",
        segment_style=SegmentStyle.WHOLE,
        metrics_enabled=False,
        merge_from=0.88,
    )
    return Context(open_store("", folder, org), HashedEmbedder(256), HereParser(), SystemClock(), settings)


def source(name: str, text: str) -> Source:
    return Source(name, text.encode)


@cache
def _vocabulary() -> list[str]:
    return sorted(word for word in known_words() if 6 <= len(word) <= 9 and word.isalpha())


def words(number: int, n: int) -> str:
    """English words drawn for a number, so that texts of two numbers are not alike and their language is known."""
    return " ".join(random.Random(number).choices(_vocabulary(), k=n))


def wordings(number: int) -> list[str]:
    """Sixteen wordings of one sentence, without a fact between them."""
    options = itertools.product(("every", "each"), ("colour", "color"), ("centre", "center"), ("organise", "organize"))
    return [
        f"The {words(number, 8)} sorts the {words(number + 10_000, 8)} by {colour} at {every} {centre}, puts the "
        f"{words(number + 20_000, 8)} back behind the {words(number + 30_000, 6)}, and leaves them to {organise}."
        for every, colour, centre, organise in options
    ]


def races(folder: Path, rounds: int, figures: Figures) -> None:
    """Let 16 writers bring one sentence at once, again and again."""
    bases = [opened(folder, "races") for _ in range(N_WRITERS)]
    ingest(bases[0], [source("first.md", "Nothing to see here, move along please.")], "main")
    with ThreadPoolExecutor(N_WRITERS) as pool:
        for number in range(rounds):
            texts = wordings(number)
            jobs = [
                pool.submit(ingest, base, [source(f"{number}-{n}.md", texts[n])], "main")
                for n, base in enumerate(bases)
            ]
            documents = [job.result().documents[0].document_id for job in jobs]
            ledger = bases[0].store.ledger
            members = ledger.members(ledger.members_of(documents=documents))
            blocks = {m.block_id for m in members.values()}
            found = bases[0].store.blocks(sorted(blocks))
            figures.rounds += 1
            figures.rounds_with_several_blocks += len(blocks) != 1
            figures.attributions_missing += N_WRITERS - sum(len(b.attributions) for b in found.values())
    figures.log_unsound += not rebuild(bases[0]).is_sound
    for base in bases:
        base.store.close()


def texts_of(number: int) -> str:
    """A document of four paragraphs; three documents each share a sentence, in other words."""
    shared = wordings(number // 3)[number % 16]
    own = [f"The {words(1_000_000 + 3 * number + n, 24)} of this house." for n in range(3)]
    return f"# Document {number}\n\n" + "\n\n".join([shared, *own])


def worker(folder: Path, org: str, numbers: list[int], told: int) -> None:
    """Ingest documents, and tell the number of each after its commit."""
    base = opened(folder, org)
    for number in numbers:
        ingest(base, [source(f"document-{number:05d}.md", texts_of(number))], "main")
        os.write(told, f"{number}\n".encode())
    base.store.close()


@contextmanager
def forked(folder: Path, org: str, numbers: list[int]) -> Iterator[tuple[int, int]]:
    """Run a worker in a child process; gives its pid and what it tells."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reading)
        code = 1
        try:
            worker(folder, org, numbers, writing)
            code = 0
        except StoreError:
            code = 3
        finally:
            os._exit(code)
    os.close(writing)
    yield pid, reading
    os.close(reading)


def acknowledged(reading: int) -> list[int]:
    """Read all that a worker told before it died."""
    told = b""
    while chunk := os.read(reading, 65_536):
        told += chunk
    return [int(line) for line in told.split(b"\n")[:-1] if line]


def crashes(folder: Path, kills: int, server_kills: int, figures: Figures) -> None:
    """Kill workers and servers until enough died, then let one finish and compare."""
    rng = random.Random(20261121)
    server = EmbeddedServer(folder)
    left = [*["worker"] * kills, *["server"] * server_kills]
    rng.shuffle(left)
    done: set[int] = set()
    life_s = MEAN_LIFE_S
    while left:
        undone = itertools.islice((n for n in itertools.count() if n not in done), 30)
        with forked(folder, "crashes", list(undone)) as (pid, reading):
            time.sleep(rng.expovariate(1 / life_s) + 0.05)
            victim = left.pop()
            if victim == "server":
                kill_server(folder)
                figures.server_kills += 1
                time.sleep(0.2)
            else:
                figures.worker_kills += 1
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            told = acknowledged(reading)
            done.update(told)
            life_s = MEAN_LIFE_S if told else min(LONGEST_LIFE_S, 2 * life_s)
    figures.acknowledged = len(done)
    compare(folder, done, figures)
    server.close()


def compare(folder: Path, done: set[int], figures: Figures) -> None:
    """Look for what was lost or doubled; finish the job, and compare with a worker whom nobody killed."""
    base = opened(folder, "crashes")
    present = [d.name for d in base.store.documents("main")]
    figures.acknowledged_lost += sum(f"document-{n:05d}.md" not in present for n in done)
    figures.documents_doubled += len(present) - len(set(present))
    n_last = max([int(name[9:14]) for name in present], default=-1) + 1
    for org in ("crashes", "calm"):
        with forked(folder, org, list(range(n_last))) as (pid, reading):
            told = acknowledged(reading)
            os.waitpid(pid, 0)
            figures.acknowledged_lost += n_last - len(told)
    calm = opened(folder, "calm")
    disturbed, undisturbed = blocks_of(base), blocks_of(calm)
    figures.texts_doubled += len(disturbed) - len(set(disturbed))
    figures.differs_from_undisturbed += len(set(disturbed) ^ set(undisturbed))
    figures.log_unsound += not rebuild(base).is_sound
    base.store.close()
    calm.store.close()


def blocks_of(context: Context) -> list[tuple[Any, ...]]:
    """All blocks, told by the places that support them."""
    ids = [segment.id for batch in context.store.segments("main") for segment, _, _ in batch]
    blocks = context.store.blocks(ids).values()
    return sorted(tuple(sorted((a.document, a.text) for a in b.attributions)) for b in blocks)


def kill_server(folder: Path) -> None:
    """Kill the embedded server's first process, as a machine that runs out of memory would."""
    for pid_file in folder.rglob("postmaster.pid"):
        try:
            os.kill(int(pid_file.read_text().splitlines()[0]), signal.SIGKILL)
        except (ProcessLookupError, ValueError, IndexError):
            continue


def run(rounds: int, kills: int, server_kills: int) -> Figures:
    """Race and crash in a folder of its own."""
    figures = Figures()
    began = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="so-chaos-", dir="/tmp") as folder:
        Path(folder).chmod(0o711)
        races(Path(folder) / "races", rounds, figures)
        crashes(Path(folder) / "crashes", kills, server_kills, figures)
    figures.took_s = round(time.perf_counter() - began, 1)
    return figures


def main() -> int:
    """Run, and print figures; 1 if anything was lost or doubled, or nothing was written at all."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--rounds", type=int, default=200)
    asked.add_argument("--kills", type=int, default=200)
    asked.add_argument("--server-kills", type=int, default=20)
    asked.add_argument("--json", action="store_true")
    given = asked.parse_args()
    figures = run(given.rounds, given.kills, given.server_kills)
    if given.json:
        print(json.dumps(asdict(figures)))
    else:
        for name, value in asdict(figures).items():
            print(f"{name:<28} {value}")
        print("nothing lost, nothing doubled" if figures.is_clean else "SOMETHING IS WRONG, OR NOTHING WAS WRITTEN")
    return int(not figures.is_clean)
    sys.exit(0 if figures.is_clean else 1)


if __name__ == "__main__":
    sys.exit(main())
