"""What the pair table holds on one block: the blocks near it, and how their texts agree with its own."""

from __future__ import annotations

from dataclasses import dataclass

from saidonce.foundation.model import Block, Objection
from saidonce.foundation.ports import Store
from saidonce.kb.pairs.comparison import accord_of


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A block whose text is near that of the block in question, which is `a` in what is said of the two.

    Attributes:
        n_blocks: how many blocks have this text; `block` is the first of them by id.
        agreement: a value of `Agreement`; empty while the pair waits to be compared.
        objections: differing values.
        unaccounted: what one states and nothing in the other bears out.
        judge: name of the judge that was heard, None without one.
    """

    block: Block
    n_blocks: int
    similarity: float
    agreement: str
    objections: tuple[Objection, ...]
    unaccounted: tuple[Objection, ...]
    judge: str | None


def neighbours_of(store: Store, block_id: str) -> tuple[Neighbour, ...]:
    """Return the blocks near a live one, most similar first, as the pair table has them."""
    near = store.pairs.near_block(block_id)
    blocks = store.blocks([n.block_id for n in near])
    neighbours = []
    for n in near:
        if n.block_id not in blocks:
            continue
        agreement, objections, unaccounted = "", n.pair.objections, n.pair.unaccounted
        if n.pair.agreement:
            accord = accord_of(n.pair) if n.is_a else accord_of(n.pair).mirrored
            agreement, objections, unaccounted = accord.agreement.value, accord.objections, accord.unaccounted
        row = (n.pair.similarity, agreement, objections, unaccounted, n.pair.judge)
        neighbours.append(Neighbour(blocks[n.block_id], n.n_blocks, *row))
    return tuple(neighbours)
