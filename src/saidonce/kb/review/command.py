"""What all verbs share: who decides and what they saw, and the one way in which a decision takes effect."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from saidonce.errors import NotFoundError, StaleWriteError, UsageError
from saidonce.foundation import text
from saidonce.foundation.context import Context
from saidonce.foundation.model import Block, Decision, DecisionDraft, Member, Verb
from saidonce.kb.canonical import settle
from saidonce.kb.review.resolve import present_block


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


def canonical_block(context: Context, id: str) -> Block:
    """Give the block that an id stands for now, of a canonical collection.

    Raises:
        NotFoundError: no block holds this text.
        UsageError: its collection keeps each document's blocks apart.
    """
    block = present_block(context.store, id)
    if not any(c.name == block.collection and c.is_canonical for c in context.store.collections()):
        raise UsageError(
            f"collection {block.collection!r} keeps evidence: decide about blocks of canonical collections only"
        )
    return block


@dataclass(frozen=True, slots=True)
class RequestContent:
    """What a request asks for, by which a second one under its key is known to be the same.

    Attributes:
        ids: of blocks or members, as the request names them.
        about: number of the flag or decision that it is about.
    """

    verb: Verb
    ids: tuple[str, ...] = ()
    about: int | None = None


def decided(
    context: Context, by: By, asked: RequestContent, make: Callable[[], tuple[DecisionDraft, Sequence[Block]]]
) -> Decision:
    """Make a decision inside the organisation's lock, append it, and settle the blocks that it concerns.

    Args:
        base: wired ports.
        by: who decides.
        asked: a decision of the same key must have been asked for by the same words.
        make: gives the decision and the blocks that were looked at, as they are inside the lock.

    Raises:
        StaleWriteError: a block is not as it was shown.
        UsageError: the key was used for another decision.
    """
    ledger = context.store.ledger
    with ledger.exclusive():
        if (known := repeated(context, by, asked)) is not None:
            return known
        draft, blocks = make()
        if by.seen and by.seen != seen(*blocks):
            raise StaleWriteError("somebody decided about this in the meantime; look at it again")
        if by.flag is not None:
            _check_open(context, by.flag)
        (decision,) = ledger.append([draft])
        settle(context, draft.collection, draft.members)
        touch(context, by.actor)
    return decision


def repeated(context: Context, by: By, asked: RequestContent) -> Decision | None:
    """Give the decision that was made under the key already, or None.

    Raises:
        UsageError: it is another one than asked for.
    """
    known = context.store.ledger.by_key(by.key) if by.key else None
    if known is None:
        return None
    is_same = (known.verb, known.actor) == (asked.verb, by.actor)
    is_same = is_same and asked.about in (None, known.flag, known.reverts) and by.flag in (None, known.flag)
    # What a flag asks about moves on when it is settled; who settles the same flag again means the same texts.
    if not is_same or (by.flag is None and not all(_names(context, known, id_) for id_ in asked.ids)):
        raise UsageError(f"the key {by.key!r} was used for decision {known.seq} already, which is another one")
    return known


def _names(context: Context, known: Decision, id_: str) -> bool:
    """Whether a decision is about an id, present or former."""
    if id_ in known.members:
        return True
    try:
        return bool(set(known.members).intersection(present_block(context.store, id_).members))
    except NotFoundError:
        return False


def pairs_of(these: Iterable[Member], those: Iterable[Member]) -> tuple[tuple[str, str], ...]:
    """Sorted pairs of content hashes of the texts of two sides; of equal texts the hash twice."""
    sides = [{m.segment.content_hash for m in side} for side in (these, those)]
    return tuple(sorted({(min(a, b), max(a, b)) for a in sides[0] for b in sides[1]}))


def touch(context: Context, actor: str) -> None:
    """Note that a known person is active."""
    person = context.store.people.person(actor)
    if person is not None:
        context.store.people.put_person(replace(person, active_at=context.clock.now()))


def _check_open(context: Context, seq: int) -> None:
    flag = context.store.ledger.flag(seq)
    if flag is None:
        raise UsageError(f"there is no flag {seq}")
    if flag.resolved_by is not None:
        raise StaleWriteError(f"flag {seq} was settled by decision {flag.resolved_by}; look again")
