"""What all verbs share: who decides and what they saw, and the one way in which a decision takes effect."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from saidonce import text
from saidonce.base import Base
from saidonce.canon import settle
from saidonce.errors import StaleWriteError, UsageError
from saidonce.model import Block, Decision, Draft
from saidonce.review.resolve import present_block


@dataclass(frozen=True, slots=True)
class By:
    """Who decides, and on what ground.

    Attributes:
        key: idempotency key; a decision that comes twice under one key is made once.
        flag: number of the flag that the decision settles.
        seen: what `seen` gave for the blocks when they were shown; empty skips the check.
    """

    actor: str
    reason: str = ""
    key: str = ""
    flag: int | None = None
    seen: str = ""


def seen(*blocks: Block) -> str:
    """Name the state of some blocks, whatever their order; another state has another name."""
    states = sorted(text.digest(b.id, b.approval, b.owner, *b.members) for b in blocks)
    return text.digest(*states)


def canonical_block(base: Base, id: str) -> Block:
    """Give the block that an id stands for now, of a canonical collection.

    Raises:
        NotFoundError: no block holds this text.
        UsageError: its collection keeps each document's blocks apart.
    """
    block = present_block(base.store, id)
    if not any(c.name == block.collection and c.is_canonical for c in base.store.collections()):
        raise UsageError(
            f"collection {block.collection!r} keeps evidence: decide about blocks of canonical collections only"
        )
    return block


def decided(base: Base, by: By, make: Callable[[], tuple[Draft, Sequence[Block]]]) -> Decision:
    """Make a decision inside the organisation's lock, append it, and settle the blocks that it concerns.

    Args:
        base: wired ports.
        by: who decides.
        make: gives the decision and the blocks that were looked at, as they are inside the lock.

    Raises:
        StaleWriteError: a block is not as it was shown.
    """
    ledger = base.store.ledger
    with ledger.exclusive():
        if by.key and (known := ledger.by_key(by.key)) is not None:
            return known
        draft, blocks = make()
        if by.seen and by.seen != seen(*blocks):
            raise StaleWriteError("somebody decided about this in the meantime; look at it again")
        if by.flag is not None:
            _check_open(base, by.flag)
        (decision,) = ledger.append([draft])
        settle(base, draft.collection, draft.members)
        touch(base, by.actor)
    return decision


def touch(base: Base, actor: str) -> None:
    """Note that a known person is active."""
    person = base.store.people.person(actor)
    if person is not None:
        base.store.people.put_person(replace(person, active_at=base.clock.now()))


def _check_open(base: Base, seq: int) -> None:
    flag = base.store.ledger.flag(seq)
    if flag is None:
        raise UsageError(f"there is no flag {seq}")
    if flag.resolved_by is not None:
        raise StaleWriteError(f"flag {seq} was settled by decision {flag.resolved_by}; look again")
