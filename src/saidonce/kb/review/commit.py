"""The shared frame of all review actions: author, optimistic lock, idempotency, commit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from saidonce.errors import NotFoundError, StaleWriteError, UsageError
from saidonce.foundation import text
from saidonce.foundation.context import Context
from saidonce.foundation.model import Block, Decision, DecisionDraft, Member, Verb
from saidonce.kb.canonical import rebuild_blocks
from saidonce.kb.review.resolve import current_block


@dataclass(frozen=True, slots=True)
class By:
    """Author and grounds of a decision.

    Attributes:
        key: idempotency key; a request repeated under one key makes one decision.
        flag: number of the flag that the decision settles.
        seen: `state_token` of the blocks as they were shown; empty skips the check.
        within: number of the bulk decision that the decision is a part of.
    """

    actor: str
    reason: str = ""
    key: str = ""
    flag: int | None = None
    seen: str = ""
    within: int | None = None


def state_token(*blocks: Block) -> str:
    """Return the name of the state of some blocks, in whatever order; any other state has another name."""
    states = sorted(text.digest(b.id, b.approval, b.owner, *b.members) for b in blocks)
    return text.digest(*states)


def check_unchanged(by: By, *blocks: Block) -> None:
    """Refuse a decision about blocks that have changed since they were shown.

    Raises:
        StaleWriteError: a block has changed.
    """
    if by.seen and by.seen != state_token(*blocks):
        raise StaleWriteError("the block has changed since it was shown; reload and try again")


def canonical_block(context: Context, id: str) -> Block:
    """Return the present block of an id, in a canonical collection.

    Raises:
        NotFoundError: no block holds this text.
        UsageError: its collection keeps each document's blocks apart.
    """
    block = current_block(context.store, id)
    if not any(c.name == block.collection and c.is_canonical for c in context.store.collections()):
        raise UsageError(
            f"collection {block.collection!r} keeps evidence; review applies to canonical collections only"
        )
    return block


@dataclass(frozen=True, slots=True)
class RequestContent:
    """Content of a request, which a repetition under its key must match.

    Attributes:
        ids: of blocks or members, as named in the request.
        about: number of the flag or decision concerned.
    """

    verb: Verb
    ids: tuple[str, ...] = ()
    about: int | None = None


def commit_decision(
    context: Context, by: By, request: RequestContent, make_draft: Callable[[], tuple[DecisionDraft, Sequence[Block]]]
) -> Decision:
    """Make a decision under the organisation's lock, append it, and rebuild the blocks concerned.

    Args:
        context: wired ports.
        by: who decides.
        request: an earlier decision under the same key must have the same content.
        make_draft: returns the decision and the blocks shown for it, as read under the lock.

    Raises:
        StaleWriteError: a block has changed since it was shown.
        UsageError: the key was used for another decision.
    """
    ledger = context.store.ledger
    with ledger.exclusive():
        if (known := previous_decision(context, by, request)) is not None:
            return known
        draft, blocks = make_draft()
        check_unchanged(by, *blocks)
        if by.flag is not None:
            _check_open(context, by.flag)
        (decision,) = ledger.append([draft])
        rebuild_blocks(context, draft.collection, draft.members)
        mark_active(context, by.actor)
    return decision


def previous_decision(context: Context, by: By, request: RequestContent) -> Decision | None:
    """Return the decision already made under the key, or None.

    Raises:
        UsageError: that decision has another content than the request.
    """
    known = context.store.ledger.by_key(by.key) if by.key else None
    if known is None:
        return None
    is_same = (known.verb, known.actor) == (request.verb, by.actor)
    is_same = is_same and request.about in (None, known.flag, known.reverts) and by.flag in (None, known.flag)
    # The ids of a flag's blocks change when it is settled; the same flag means the same texts.
    if not is_same or (by.flag is None and not all(_names(context, known, id_) for id_ in request.ids)):
        raise UsageError(f"the idempotency key {by.key!r} was already used for another request (decision {known.seq})")
    return known


def _names(context: Context, known: Decision, id_: str) -> bool:
    """Return whether a decision is about an id, present or former."""
    if id_ in known.members:
        return True
    try:
        return bool(set(known.members).intersection(current_block(context.store, id_).members))
    except NotFoundError:
        return False


def pairs_of(these: Iterable[Member], those: Iterable[Member]) -> tuple[tuple[str, str], ...]:
    """Return sorted pairs of content hashes of the texts of two sides; for equal texts, the hash twice."""
    sides = [{m.segment.content_hash for m in side} for side in (these, those)]
    return tuple(sorted({(min(a, b), max(a, b)) for a in sides[0] for b in sides[1]}))


def mark_active(context: Context, actor: str) -> None:
    """Note that a known person is active."""
    person = context.store.people.person(actor)
    if person is not None:
        context.store.people.put_person(replace(person, active_at=context.clock.now()))


def _check_open(context: Context, seq: int) -> None:
    flag = context.store.ledger.flag(seq)
    if flag is None:
        raise UsageError(f"no pair {seq}")
    if flag.resolved_by is not None:
        raise StaleWriteError(f"pair {seq} was decided in the meantime, by decision {flag.resolved_by}")
