"""What the pair table holds on one block: the blocks near it, and how their texts agree with its own."""

from __future__ import annotations

from dataclasses import dataclass

from saidonce.foundation.model import Block, Objection
from saidonce.foundation.ports import Store
from saidonce.kb.pairs.comparison import accord_of
from saidonce.matching.agreement import Agreement
from saidonce.matching.guards import candidate, shown_reasons


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A block whose text is near that of the block in question, which is `a` in what is said of the two.

    Attributes:
        n_blocks: how many blocks have this text; `block` is the first of them by id.
        agreement: a value of `Agreement`; empty while the pair waits to be compared.
        objections: differing values.
        unaccounted: what one text states and the other does not account for.
        judge: name of the judge that was heard, None where none was.
        reasons: by which rules texts that are no equal ones say the same, or one says all of the other.
    """

    block: Block
    n_blocks: int
    similarity: float
    agreement: str
    objections: tuple[Objection, ...]
    unaccounted: tuple[Objection, ...]
    judge: str | None
    reasons: tuple[str, ...] = ()


def neighbours_of(store: Store, block_id: str) -> tuple[Neighbour, ...]:
    """Return the blocks near a live one, most similar first, as the pair table has them."""
    near = store.pairs.near_block(block_id)
    blocks = store.blocks([block_id, *(n.block_id for n in near)])
    neighbours = []
    for n in near:
        if n.block_id not in blocks:
            continue
        agreement, objections, unaccounted = "", n.pair.objections, n.pair.unaccounted
        if n.pair.agreement:
            accord = accord_of(n.pair) if n.is_a else accord_of(n.pair).mirrored
            agreement, objections, unaccounted = accord.agreement.value, accord.objections, accord.unaccounted
        reasons = _reasons(blocks.get(block_id), blocks[n.block_id], agreement)
        heard = n.pair.judge if n.pair.answers else None
        row = (n.pair.similarity, agreement, objections, unaccounted, heard, reasons)
        neighbours.append(Neighbour(blocks[n.block_id], n.n_blocks, *row))
    return tuple(neighbours)


def _reasons(block: Block | None, near: Block, agreement: str) -> tuple[str, ...]:
    """Return by which rules of plain words one of two texts stands for the other."""
    if block is None:
        return ()
    if agreement == Agreement.REPEATS_A:
        return shown_reasons(candidate(near), candidate(block))
    joins = agreement in (Agreement.SAME, Agreement.REPEATS_B)
    return shown_reasons(candidate(block), candidate(near)) if joins else ()
