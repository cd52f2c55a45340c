"""Blocks that wait in the review queue, and what each may repeat: the gray zone, seen before the next retrieval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from saidonce.foundation.model import Block, Flag
from saidonce.foundation.ports import Store


@dataclass(frozen=True, slots=True)
class UnderReview:
    """A block that another one may repeat, which nobody has decided yet.

    Attributes:
        flag: number of the flag that waits.
        block: the other block.
        similarity: of the two texts when the flag was raised; None where it was not noted.
        is_later: whether the other block is the later one, which raised the flag.
    """

    flag: int
    block: Block
    similarity: float | None
    is_later: bool

    def in_words(self, document: str) -> str:
        """Return the mark as people read it, with the name of the other block's document as it is shown there."""
        alike = f", similarity {self.similarity:.2f}" if self.similarity is not None else ""
        return f"under review: may repeat {self.block.id[:8]} in {document}{alike}"


def under_review(store: Store, ids: Sequence[str]) -> dict[str, tuple[UnderReview, ...]]:
    """Return what waits for a person about some blocks, by block, flags by number; costs one query where nothing does.

    Args:
        store: of the organisation.
        ids: of present blocks.
    """
    flags = store.ledger.open_on(sorted(set(ids)))
    pairs = [pair for f in flags for pair in ((f.candidate, f.of, False, f), (f.of, f.candidate, True, f))]
    mine = [pair for pair in pairs if pair[0] in ids and pair[0] != pair[1]]
    others = store.blocks(sorted({other for _, other, _, _ in mine}))
    marks: dict[str, tuple[UnderReview, ...]] = {}
    for id_, other, is_later, flag in mine:
        if other in others:
            mark = UnderReview(flag.seq, others[other], _similarity(flag), is_later)
            marks[id_] = (*marks.get(id_, ()), mark)
    return marks


def _similarity(flag: Flag) -> float | None:
    return next((n.similarity for n in flag.near if n.id == flag.of), None)
