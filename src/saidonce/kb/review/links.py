"""Blocks that people said contradict each other: both stay, and each leads to the other."""

from __future__ import annotations

from collections.abc import Sequence

from saidonce.foundation.model import Block, Verb
from saidonce.foundation.ports import Store


def conflicts(store: Store, blocks: Sequence[Block]) -> dict[str, tuple[Block, ...]]:
    """Give, for each of some blocks that contradicts others by a decision that holds, those others as they are now.

    Others whose documents are gone, or that share the block by now, are left out.

    Returns:
        By id of the block, in the order of the decisions.
    """
    mine = {member: block.id for block in blocks for member in block.members}
    said = [d for d in store.ledger.concerning(sorted(mine)) if d.verb is Verb.CONFLICT and d.live]
    now = store.ledger.members(sorted({m for d in said for m in d.members}))
    pairs = [(d.members[0], other) for d in said for other in d.members[1:]]
    found: dict[str, list[str]] = {}
    for a, b in [*pairs, *((b, a) for a, b in pairs)]:
        if a in mine and b in now and now[b].block_id not in ("", mine[a]):
            found.setdefault(mine[a], []).append(now[b].block_id)
    others = store.blocks(sorted({id_ for ids in found.values() for id_ in ids}))
    return {block: tuple(others[id_] for id_ in dict.fromkeys(ids) if id_ in others) for block, ids in found.items()}
