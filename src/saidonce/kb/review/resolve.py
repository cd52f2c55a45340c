"""Resolve ids for ever: from any former id of a block to the block that holds its text now."""

from __future__ import annotations

from saidonce.errors import NotFoundError, StaleWriteError
from saidonce.foundation.model import Block
from saidonce.foundation.ports import Store
from saidonce.kb import survivorship


def current_block(store: Store, id: str) -> Block:
    """Return the present block of an id: its own, or the one that its text was merged into.

    If the document of the text is gone, return the block of the texts that it was merged with.

    Raises:
        NotFoundError: no block holds this text any more.
        StaleWriteError: it moved to another block during the look-up.
    """
    if block := store.blocks([id]).get(id):
        return block
    member = store.ledger.members([id]).get(id)
    if member is not None and member.block_id:
        return _block(store, member.block_id)
    standing = survivorship.fold(store.ledger.family([id]))
    group = standing.group_of.get(id)
    mates = [other for other, number in standing.group_of.items() if number == group and group is not None]
    for mate in store.ledger.members(sorted(mates)).values():
        if mate.block_id:
            return _block(store, mate.block_id)
    raise NotFoundError("block", id, "if it ever was one, its document was removed and nothing else supports it")


def _block(store: Store, id: str) -> Block:
    block = store.blocks([id]).get(id)
    if block is None:
        raise StaleWriteError("the block has just changed; reload and try again")
    return block
