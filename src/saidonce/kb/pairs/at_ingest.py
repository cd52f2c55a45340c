"""Keeps the pair table up with an ingest, as far as that is cheap; what is left over is for a worker."""

from __future__ import annotations

from dataclasses import dataclass

from saidonce.foundation.context import Context
from saidonce.kb.pairs.catch_up import OnStep, catch_up
from saidonce.kb.pairs.near_texts import NearTexts

TEXTS_AT_ONCE = 512
"""New blocks after which their near texts are listed: so many share the matrix products."""

READ_FREELY = 20_000
"""Texts whose vectors are read, where none have been, whatever was written: about a second's work."""

READ_PER_BLOCK = 100
"""Texts of a larger base that are read for each block that was written; for fewer blocks a worker does it."""

LEAST = 64
PAIRS_PER_BLOCK = 2
"""Pairs that are compared for each new block, on average. Source: benchmarks/pairs.py, three milliseconds a pair."""


@dataclass(slots=True)
class PairsAtIngest:
    """Lists and compares what was written, after each few documents and at the end.

    Each call costs a bounded time for each block that was written, however many blocks of earlier times wait.
    """

    context: Context
    near_texts: NearTexts
    on_step: OnStep | None = None
    _n_waiting: int = 0

    def written(self, n_blocks: int) -> None:
        """Take note of blocks that were written, and catch up if they are many."""
        self._n_waiting += n_blocks
        if self._n_waiting >= TEXTS_AT_ONCE:
            self.finish()

    def finish(self) -> None:
        """Catch up with what was written since the last time."""
        if self._n_waiting and self._is_worth_reading():
            most = max(LEAST, PAIRS_PER_BLOCK * self._n_waiting)
            self._n_waiting = 0
            catch_up(self.context, self.near_texts, most, self.on_step)

    def _is_worth_reading(self) -> bool:
        """Return whether the vectors of all texts are at hand, or are few beside what was written."""
        if not self.near_texts.is_cold:
            return True
        return self.context.store.pairs.n_texts() <= max(READ_FREELY, READ_PER_BLOCK * self._n_waiting)
