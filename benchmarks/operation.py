"""Kill an operation in its middle, repeatedly, and check the state after each kill."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass

from benchmarks.chaos_base import Tell, forked
from benchmarks.proof import INSIDE, Proof

WHOLE = "it was done again, and was whole"
MOST_TRIES = 6
"""Tries for each kill that has to come in the middle."""


@dataclass(frozen=True)
class Operation:
    """An operation to be killed in its middle.

    Attributes:
        run: runs it, given the number of the try.
        check: checks the state after a kill, runs it again, and records errors.
        is_group: its child processes are killed too, as by a power failure.
    """

    name: str
    run: Callable[[int], None]
    check: Callable[[int, Proof], None]
    is_group: bool = False


def tried(operation: Operation, tries: int) -> Proof:
    """Kill an operation until enough kills came in its middle."""
    proof = Proof.of(f"inside: {operation.name}", INSIDE, WHOLE)
    rng = random.Random(operation.name)
    longest_s = 0.0
    for n in range(tries * MOST_TRIES):
        if n and proof.happened[INSIDE] >= tries:
            break
        with forked(lambda tell, n=n: _telling(operation, n, tell), operation.is_group) as child:  # type: ignore[misc]
            if not child.wait_for(bool):
                proof.check(False, f"it did not begin, and ended with {child.ended()}")
                return proof
            begun = time.monotonic()
            if n == 0:
                proof.check(child.ended() == 0, "it fails though nobody kills it")
                longest_s = time.monotonic() - begun
                continue
            time.sleep(rng.uniform(0, longest_s))
            was_killed = child.kill(operation.is_group) and child.lines == ["begun"]
        proof.happened[INSIDE] += was_killed
        operation.check(n, proof)
    return proof


def _telling(operation: Operation, n: int, tell: Tell) -> None:
    tell("begun")
    operation.run(n)
    tell("done")
