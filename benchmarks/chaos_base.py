"""Common parts of the chaos programs: a separate base, generated texts, and child processes that report progress."""

from __future__ import annotations

import itertools
import json
import os
import random
import select
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.proof import Proof
from benchmarks.tally import proof_of, row_of
from saidonce.adapters.clock import SystemClock
from saidonce.adapters.embed.hashed import HashedEmbedder
from saidonce.adapters.postgres import open_store
from saidonce.documents.parse import parse
from saidonce.errors import StoreError
from saidonce.foundation.context import Context, Source
from saidonce.foundation.model import Document
from saidonce.foundation.ports import Clock
from saidonce.foundation.settings.policy import SegmentStyle, Settings

PATIENCE_S = 120.0
"""How long a child may be silent before the proof gives up on it."""

COULD_NOT = 3
"""Exit code of a child whose database was gone."""


class HereParser:
    """Parses in this process."""

    def map(self, sources: Any) -> Iterator[tuple[str, Document]]:
        """Parse one after the other."""
        for name, content in sources:
            yield name, parse(name, content)


def opened(folder: Path, org: str, clock: Clock | None = None) -> Context:
    """Open a base with its own connections on the embedded server of a folder."""
    settings = Settings(
        data_dir=folder, org=org, collection_use="canonical", segment_style=SegmentStyle.WHOLE, metrics_enabled=False,
        merge_from=0.88,
    )  # fmt: skip
    return Context(open_store("", folder, org), HashedEmbedder(256), HereParser(), clock or SystemClock(), settings)


def source(name: str, text: str) -> Source:
    """Return a document to ingest."""
    return Source(name, text.encode)


@cache
def _vocabulary() -> list[str]:
    from saidonce.matching.facts.lexicon import known_words

    return sorted(word for word in known_words() if 6 <= len(word) <= 9 and word.isalpha())


def words(number: int, n: int) -> str:
    """Return English words for a number, so that texts of two numbers differ and their language is known."""
    return " ".join(random.Random(number).choices(_vocabulary(), k=n))


def wordings(number: int) -> list[str]:
    """Return sixteen wordings of one sentence, without a fact between them."""
    options = itertools.product(("every", "each"), ("colour", "color"), ("centre", "center"), ("organise", "organize"))
    return [
        f"The {words(number, 8)} sorts the {words(number + 10_000, 8)} by {colour} at {every} {centre}, puts the "
        f"{words(number + 20_000, 8)} back behind the {words(number + 30_000, 6)}, and leaves them to {organise}."
        for every, colour, centre, organise in options
    ]


def text_of(number: int) -> str:
    """Return a document of two paragraphs; three documents share a sentence in different words."""
    shared = wordings(number // 3)[number % 16]
    return f"# Document {number}\n\n{shared}\n\nThe {words(1_000_000 + number, 24)} of this house.\n"


def name_of(number: int) -> str:
    """Return the name of a document."""
    return f"document-{number:06d}.md"


def blocks_of(context: Context) -> list[tuple[Any, ...]]:
    """Return all blocks, identified by their attributions."""
    ids = [segment.id for batch in context.store.segments("main") for segment, _, _ in batch]
    blocks = context.store.blocks(ids).values()
    return sorted(tuple(sorted((a.document, a.text) for a in b.attributions)) for b in blocks)


Tell = Callable[[str], None]


@dataclass
class Child:
    """A child process, and the lines that it reported."""

    pid: int
    reading: int
    lines: list[str] = field(default_factory=list)
    _rest: bytes = b""
    _is_over: bool = False

    def more(self, within_s: float | None) -> bool:
        """Read new lines, with a timeout or none; return whether there were any."""
        if self._is_over or not select.select([self.reading], [], [], within_s)[0]:
            return False
        chunk = os.read(self.reading, 65_536)
        self._is_over = not chunk
        *whole, self._rest = (self._rest + chunk).split(b"\n")
        self.lines += [line.decode() for line in whole]
        return bool(whole)

    def wait_for(self, is_enough: Callable[[list[str]], bool]) -> bool:
        """Wait until it has reported enough; return false if it ended or went silent before."""
        while not is_enough(self.lines):
            if not self.more(PATIENCE_S):
                return is_enough(self.lines)
        return True

    def kill(self, is_group: bool = False) -> bool:
        """Kill it, and read its remaining lines; return whether the kill ended it."""
        (os.killpg if is_group else os.kill)(self.pid, signal.SIGKILL)
        return self.ended() == -signal.SIGKILL

    def ended(self, patience_s: float | None = PATIENCE_S) -> int:
        """Wait for its end, read all its lines, and return its exit code; negative for a signal."""
        while self.more(patience_s):
            pass
        _, status = os.waitpid(self.pid, 0)
        return os.waitstatus_to_exitcode(status)


@contextmanager
def forked(run: Callable[[Tell], None], is_group: bool = False) -> Iterator[Child]:
    """Run a function in a child process, optionally in its own process group; the caller waits for its end."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reading)
        code = 1
        try:
            if is_group:
                os.setpgid(0, 0)
            os.set_inheritable(writing, False)
            run(lambda line: (os.write(writing, f"{line}\n".encode()), None)[1])
            code = 0
        except StoreError:
            code = COULD_NOT
        except BaseException as failed:  # noqa: BLE001  a child has nobody above it to tell
            os.write(2, f"the child failed: {failed!r}\n".encode())
        finally:
            os._exit(code)
    os.close(writing)
    try:
        yield Child(pid, reading)
    finally:
        os.close(reading)


def side_by_side(folder: Path, run: Callable[[int], list[Proof]], n: int) -> list[list[Proof]]:
    """Run a function for each number in its own child process, concurrently, and return the proofs of each.

    Raises:
        RuntimeError: a child failed.
    """
    notes = [folder.parent / f"lane-{number}.json" for number in range(n)]

    def noted(number: int) -> None:
        notes[number].write_text(json.dumps([row_of(one) for one in run(number)]), encoding="utf-8")

    with ExitStack() as stack:
        children = [stack.enter_context(forked(lambda _, n=number: noted(n))) for number in range(n)]  # type: ignore[misc]
        codes = [child.ended(None) for child in children]
    if any(codes):
        raise RuntimeError(f"lanes ended with {codes}")
    return [[proof_of(row) for row in json.loads(note.read_text(encoding="utf-8"))] for note in notes]


def kill_server(folder: Path) -> bool:
    """Kill the main process of a folder's embedded server, as the out-of-memory killer would."""
    for note in folder.rglob("postmaster.pid"):
        try:
            pid = int(note.read_text().splitlines()[0])
            os.kill(pid, signal.SIGKILL)
        except (ProcessLookupError, ValueError, IndexError, FileNotFoundError):
            continue
        until = time.monotonic() + 30
        while time.monotonic() < until and Path(f"/proc/{pid}/cmdline").exists() and _lives(pid):
            time.sleep(0.01)
        return True
    return False


def _lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (OSError, IndexError):
        return False
