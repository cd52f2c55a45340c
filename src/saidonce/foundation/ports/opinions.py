"""Port: second opinions on pairs that wait for a person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from saidonce.foundation.model import SecondOpinion


class Opinions(Protocol):
    """Keeps the second opinions of one organisation; they are added, and never altered.

    Writes are transactions under the organisation's row lock; inside `Ledger.exclusive` they are one.
    """

    def add(self, opinions: Sequence[SecondOpinion]) -> tuple[SecondOpinion, ...]:
        """Add opinions in order; give them with their numbers.

        Raises:
            NotFoundError: an opinion is on a flag that is not there.
        """
        ...

    def latest(self, flags: Sequence[int]) -> dict[int, SecondOpinion]:
        """Return the newest opinion on each of some flags, a failure too, by flag; those without one are left out."""
        ...

    def on(self, flags: Sequence[int]) -> tuple[SecondOpinion, ...]:
        """Return all opinions on some flags, oldest first."""
        ...

    def outcomes(self) -> Mapping[str, int]:
        """Count all opinions by outcome: what they say, or why there is none."""
        ...
