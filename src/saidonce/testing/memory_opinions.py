"""Second opinions in memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager

from saidonce.adapters.postgres.clean import clean_opinion
from saidonce.errors import NotFoundError
from saidonce.foundation.model import SecondOpinion
from saidonce.testing.memory_state import OrgState


class MemoryOpinions:
    """Keeps the second opinions of one organisation in memory; see `saidonce.foundation.ports.Opinions`.

    Args:
        now: gives the organisation's state.
        writing: gives a copy of it that takes its place on leaving.
    """

    def __init__(
        self, now: Callable[[], OrgState], writing: Callable[[], AbstractContextManager[OrgState]]
    ) -> None:  # fmt: skip
        self._now = now
        self._writing = writing

    def add(self, opinions: Sequence[SecondOpinion]) -> tuple[SecondOpinion, ...]:
        """Add opinions in order; return them with their numbers."""
        added = []
        with self._writing() as state:
            for opinion in opinions:
                if opinion.flag not in state.flags:
                    raise NotFoundError("flag", str(opinion.flag))
                added.append(clean_opinion(opinion, len(state.opinions) + 1))
                state.opinions[added[-1].seq] = added[-1]
                state.changed = True
        return tuple(added)

    def latest(self, flags: Sequence[int]) -> dict[int, SecondOpinion]:
        """Return the newest opinion on each of some flags, by flag."""
        return {opinion.flag: opinion for opinion in self.on(flags)}

    def on(self, flags: Sequence[int]) -> tuple[SecondOpinion, ...]:
        """Return all opinions on some flags, oldest first."""
        distinct = set(flags)
        return tuple(row for _, row in sorted(self._now().opinions.items()) if row.flag in distinct)

    def outcomes(self) -> Mapping[str, int]:
        """Count all opinions by outcome."""
        return dict(sorted(Counter(row.outcome for row in self._now().opinions.values()).items()))
