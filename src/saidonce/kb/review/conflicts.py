"""Contradictions between blocks, as decided by people: both blocks stay, and each links to the other."""

from __future__ import annotations

from collections.abc import Sequence

from saidonce.foundation.model import Block, Verb
from saidonce.foundation.ports import Store


def conflicts(store: Store, blocks: Sequence[Block]) -> dict[str, tuple[Block, ...]]:
    """Return, for each of some blocks, the present blocks that contradict it by a live decision.

    Blocks whose documents are gone, or that share the block by now, are left out.

    Returns:
        By id of the block, in the order of the decisions.
    """
    mine = {member: block.id for block in blocks for member in block.members}
    decisions = [d for d in store.ledger.concerning(sorted(mine)) if d.verb is Verb.CONFLICT and d.live]
    now = store.ledger.members(sorted({m for d in decisions for m in d.members}))
    pairs = [(d.members[0], other) for d in decisions for other in d.members[1:]]
    linked: dict[str, list[str]] = {}
    for a, b in [*pairs, *((b, a) for a, b in pairs)]:
        if a in mine and b in now and now[b].block_id not in ("", mine[a]):
            linked.setdefault(mine[a], []).append(now[b].block_id)
    others = store.blocks(sorted({id_ for ids in linked.values() for id_ in ids}))
    return {block: tuple(others[id_] for id_ in dict.fromkeys(ids) if id_ in others) for block, ids in linked.items()}
