"""Every decision can be taken back, and taking it back can be taken back."""

from __future__ import annotations

from collections.abc import Sequence

from saidonce.errors import NotFoundError, UsageError
from saidonce.foundation.context import Context
from saidonce.foundation.model import POLICY, Block, Decision, DecisionDraft, Detail, Verb
from saidonce.kb import survivorship
from saidonce.kb.review.command import By, RequestContent, decided, pairs_of

LEFT_OUT = "left_out"
"""Why a split was made that the merge after it needed."""

WITH_NEXT = "with_next"
"""Why a decision was taken back whose partner is taken back by the next one."""


def revert(context: Context, by: By, seq: int) -> Decision:
    """Take a decision back: blocks and flags are as if it had never been made, whatever came after it.

    A decision that was made in one stroke with the one before it takes that one along. Texts that an automatic
    merge had joined are kept apart from then on: a person has said that they are not the same.

    Returns:
        The revert of the decision named; that of its partner, if it has one, is the decision before.

    Raises:
        NotFoundError: there is no such decision.
        UsageError: it was taken back already.
    """
    ledger = context.store.ledger
    with ledger.exclusive():
        first = ledger.by_key(by.key) is None if by.key else True
        if first and (partner := _partner(context, _standing(context, seq))) is not None:
            _taken_back(context, By(by.actor, by.reason, f"{by.key} partner" if by.key else ""), partner.seq, WITH_NEXT)
        return _taken_back(context, by, seq)


def _taken_back(context: Context, by: By, seq: int, because: str = "") -> Decision:
    def make() -> tuple[DecisionDraft, Sequence[Block]]:
        target = _standing(context, seq)
        detail = Detail(because=because or target.verb, pairs=_parted(context, target))
        return (
            DecisionDraft(
                verb=Verb.REVERT, collection=target.collection, members=target.members, actor=by.actor,
                reason=by.reason, reverts=seq, detail=detail, key=by.key,
            ),
            (),
        )  # fmt: skip

    return decided(context, By(by.actor, by.reason, by.key), RequestContent(Verb.REVERT, about=seq), make)


def _standing(context: Context, seq: int) -> Decision:
    target = context.store.ledger.decision(seq)
    if target is None:
        raise NotFoundError("decision", str(seq), "'saidonce why BLOCK' lists them")
    if not target.live:
        raise UsageError(f"decision {seq} was taken back already")
    return target


def _partner(context: Context, target: Decision) -> Decision | None:
    """Give the decision that was made in one stroke with this one, if it holds: its number is one less."""
    before = context.store.ledger.decision(target.seq - 1) if target.verb in (Verb.MERGE, Verb.REVERT) else None
    if before is None or not before.live or before.actor != target.actor:
        return None
    if target.verb is Verb.MERGE:
        is_partner = before.verb is Verb.SPLIT and before.detail.because == LEFT_OUT
    else:
        is_audit = before.verb is Verb.AUDIT and before.flag == target.reverts and before.detail.wrong is True
        is_partner = is_audit or (before.verb is Verb.REVERT and before.detail.because == WITH_NEXT)
    return before if is_partner else None


def _parted(context: Context, target: Decision) -> tuple[tuple[str, str], ...]:
    """Pairs of texts that taking an automatic merge back brings apart; none for what people decided."""
    if target.verb is not Verb.MERGE or target.actor != POLICY:
        return ()
    ledger = context.store.ledger
    candidate = ledger.members([target.members[0]]).get(target.members[0])
    if candidate is None:
        return ()
    block = ledger.members(ledger.members_of(blocks=[candidate.block_id]))
    without = survivorship.fold(d for d in ledger.family(sorted(block)) if d.seq != target.seq)
    mine = next(
        group for group in survivorship.groups(without, block.values()) if candidate.id in {m.id for m in group}
    )
    staying = {m.id for m in mine}
    return pairs_of(mine, [m for m in block.values() if m.id not in staying])
