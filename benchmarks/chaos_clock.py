"""A clock that goes back and jumps: merges must not depend on it.

The newest of several texts does depend on it if documents have no date, so it is not compared.
"""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from pathlib import Path

from benchmarks.chaos_base import blocks_of, name_of, opened, source, text_of
from benchmarks.proof import Proof
from saidonce.foundation.context import Context
from saidonce.kb import review
from saidonce.kb.ingest import ingest, remove
from saidonce.kb.review import By, rebuild

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


class WildClock:
    """A clock that advances by a second, and every third time jumps by up to forty years either way."""

    def __init__(self, seed: int) -> None:
        self._rng = random.Random(seed)
        self._at = NOON
        self.n_back = 0
        self.n_jumps = 0

    def now(self) -> datetime:
        """Return the next, unpredictable time."""
        before = self._at
        leap_s = self._rng.choice([1, 1, self._rng.uniform(-40, 40) * 365 * 86_400])
        self._at = min(max(before + timedelta(seconds=leap_s), NOON.replace(year=1971)), NOON.replace(year=2200))
        self.n_back += self._at < before
        self.n_jumps += abs((self._at - before).total_seconds()) > 1
        return self._at


class SteadyClock:
    """A clock that advances by a second on each call."""

    def __init__(self) -> None:
        self._at = NOON

    def now(self) -> datetime:
        """Return the next time."""
        self._at += timedelta(seconds=1)
        return self._at


def _worked(base: Context, n_documents: int) -> list[str]:
    """Ingest, change, remove, merge and undo; return the verbs of all decisions, sorted."""
    for n in range(n_documents):
        ingest(base, [source(name_of(n), text_of(n))], "main")
        if n % 5 == 4:
            ingest(base, [source(name_of(n - 1), text_of(n + 500_000))], "main")
        if n % 11 == 10:
            remove(base, "main", name_of(n - 2))
    blocks = sorted(_all(base), key=lambda b: sorted((a.document, a.text) for a in b.attributions))
    for n, (one, other) in enumerate(zip(blocks[::7], blocks[3::7], strict=False)):
        decision = review.merge(base, By("ann", key=f"{n}"), one.id, other.id, review.Keep.A)
        if n % 2:
            review.revert(base, By("ann"), decision.seq)
    return sorted(str(decision.verb) for decision in base.store.ledger.log())


def _all(base: Context) -> list[review.Block]:  # type: ignore[name-defined]
    ids = [segment.id for batch in base.store.segments("main") for segment, _, _ in batch]
    return list(base.store.blocks(ids).values())


def clocks(folder: Path, n_documents: int) -> list[Proof]:
    """Do the same work under a steady clock and under a wild one, and compare."""
    proof = Proof.of(
        "clock: goes back and jumps", "the clock went back", "the clock jumped", "a decision was compared",
        "a block was compared",
    )  # fmt: skip
    steady, wild = opened(folder, "steady", SteadyClock()), opened(folder, "wild", clock := WildClock(7))
    decided = [_worked(base, n_documents) for base in (steady, wild)]
    proof.happened["the clock went back"] += clock.n_back
    proof.happened["the clock jumped"] += clock.n_jumps
    proof.happened["a decision was compared"] += len(decided[0])
    blocks = blocks_of(steady)
    proof.happened["a block was compared"] += len(blocks)
    proof.check(decided[0] == decided[1], "other decisions were made than under a steady clock")
    proof.check(blocks == blocks_of(wild), "blocks differ from those under a steady clock")
    proof.check(rebuild(wild).is_sound, "the log does not tell what the base holds")
    steady.store.close()
    wild.store.close()
    return [proof]
