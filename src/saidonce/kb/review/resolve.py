"""Ids resolve for ever: whatever block an id once named, the block that holds its text now is found."""

from __future__ import annotations

from saidonce.errors import NotFoundError, StaleWriteError
from saidonce.foundation.model import Block
from saidonce.foundation.ports import Store
from saidonce.kb import survivorship


def present_block(store: Store, id: str) -> Block:
    """Give the block that an id stands for now: its own, or the one that its text was merged into.

    If the document that brought the text is gone, the block of those that it was merged with is given.

    Raises:
        NotFoundError: no block holds this text any more.
        StaleWriteError: it moved to another block while it was looked for.
    """
    if found := store.blocks([id]).get(id):
        return found
    member = store.ledger.members([id]).get(id)
    if member is not None and member.block_id:
        return _block(store, member.block_id)
    standing = survivorship.fold(store.ledger.family([id]))
    group = standing.group_of.get(id)
    mates = [other for other, number in standing.group_of.items() if number == group and group is not None]
    for mate in store.ledger.members(sorted(mates)).values():
        if mate.block_id:
            return _block(store, mate.block_id)
    raise NotFoundError("block", id, "its document was removed and nothing else supports it")


def _block(store: Store, id: str) -> Block:
    found = store.blocks([id]).get(id)
    if found is None:
        raise StaleWriteError("somebody decided about this block just now; look again")
    return found
