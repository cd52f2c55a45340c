"""Rows of a corpus, and what became of them when its repeats were removed."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from saidonce.foundation.model.nouns import Objection


@dataclass(frozen=True, slots=True)
class CorpusRow:
    """One record of a corpus.

    Attributes:
        number: where it stands, for people: line of a text file (its first), row of a table, from 1.
        identity: SHA-256 of its bytes, 64 hex digits; rows of equal identity are interchangeable.
        text: what is compared; None if it has none.
        id: the caller's own name for it, or empty.
        dated_at: seconds since 1970; None if not known.
        trouble: why it cannot be read; empty if it can.
        vector: the caller's own vector, float32 numbers, little-endian; empty without one.
    """

    number: int
    identity: str
    text: str | None
    id: str = ""
    dated_at: float | None = None
    trouble: str = ""
    vector: bytes = b""


class Ending(StrEnum):
    """What became of a row, and why; a closed list. The last three are not among the kept rows."""

    KEPT = "kept"
    HELD_APART = "held_apart"
    NO_TEXT = "no_text"
    EXACT = "exact"
    NEAR = "near"
    UNREADABLE = "unreadable"

    @property
    def is_kept(self) -> bool:
        """Return whether the row stays in the corpus."""
        return self in (Ending.KEPT, Ending.HELD_APART, Ending.NO_TEXT)


@dataclass(frozen=True, slots=True)
class RowDecision:
    """What became of one row.

    Attributes:
        place: of the row in the corpus, from 0.
        of: place of the kept row that it repeats, or, held apart, of the nearest kept row that it would
            repeat had no guard objected; None without either.
        similarity: canonical cosine of the two texts; 1.0 for exact repeats and without `of`.
        objections: of a row held apart, with it as `a` and the kept one as `b`.
        undecided: kept, but it looks like more kept rows than the guards are asked about, all of the
            nearest of which they hold apart.
    """

    place: int
    ending: Ending
    of: int | None = None
    similarity: float = 1.0
    objections: tuple[Objection, ...] = ()
    undecided: bool = False
