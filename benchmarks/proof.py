"""A proof: required events, each of which must have happened, and errors, of which there must be none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

KILLED, INSIDE = "a kill was delivered", "a kill came in the middle"
DIED = "the database died in the middle"
FAULTS = frozenset({KILLED, INSIDE, DIED, "a worker was killed", "the clock went back", "the clock jumped"})
"""What counts as a fault that was delivered."""


@dataclass
class Proof:
    """One proof.

    Attributes:
        happened: number of each required event; the proof is empty if one never happened.
        wrong: the errors found, as sentences.
        counts: other figures, without requirements.
    """

    name: str
    happened: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    counts: dict[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, name: str, *expected: str) -> Proof:
        """Begin a proof with these required events."""
        return cls(name, Counter(dict.fromkeys(expected, 0)))

    def check(self, holds: bool, sentence: str) -> None:
        """Record an error unless a condition holds."""
        if not holds:
            self.wrong.append(sentence)

    @property
    def faults(self) -> int:
        """Count the injected faults: kills, crashes of the database, jumps of the clock."""
        return sum(n for what, n in self.happened.items() if what in FAULTS)

    def flaws(self) -> list[str]:
        """Return why the proof fails; empty if it holds."""
        never = [what for what, n in self.happened.items() if n <= 0]
        empty = [f"nothing is shown: it never happened that {what}" for what in never]
        if not self.happened:
            empty = ["nothing is shown: nothing happened at all"]
        return [f"{self.name}: {sentence}" for sentence in [*empty, *self.wrong]]

    def as_json(self) -> dict[str, Any]:
        """Return the JSON form of the proof."""
        happened = dict(self.happened)
        return {"name": self.name, "faults": self.faults, "happened": happened, "wrong": self.wrong, **self.counts}


def flaws_of(proofs: Sequence[Proof]) -> list[str]:
    """Return why these proofs fail; an empty list of proofs fails too."""
    return [flaw for one in proofs for flaw in one.flaws()] if proofs else ["no proof was run"]


def show(proofs: Sequence[Proof]) -> None:
    """Print proofs and their figures."""
    for one in proofs:
        print(f"{one.name}{'' if not one.flaws() else '   FAILED'}")
        for what, n in [*one.happened.items(), *one.counts.items()]:
            print(f"    {n:>9,}  {what}")
    for flaw in flaws_of(proofs):
        print(flaw)
