"""Reverts: any decision can be reverted, and a revert, too."""

from __future__ import annotations

from collections.abc import Sequence

from saidonce.errors import NotFoundError, UsageError
from saidonce.foundation.context import Context
from saidonce.foundation.model import HEADING, POLICY, Block, Decision, DecisionDraft, Detail, Verb
from saidonce.kb import survivorship
from saidonce.kb.review.actions import LEFT_OUT, audit, derived_key
from saidonce.kb.review.bulk import rebuild_all
from saidonce.kb.review.commit import By, RequestContent, commit_decision, mark_active, pairs_of

WITH_NEXT = "with_next"
"""Reason of a revert that goes with the revert of its partner, the next decision."""


def revert(context: Context, by: By, seq: int) -> Decision:
    """Revert a decision: blocks and flags are as if it had never been made, whatever came after it.

    A decision made together with the one before it reverts that one, too. Texts joined by an automatic merge are
    kept apart from then on: a person has decided that they differ. A bulk decision or a rule is reverted with all its
    parts that are live, in one transaction; the revert of that revert brings exactly these back.

    Returns:
        The revert of the decision; the revert of its partner, if any, is the decision before.

    Raises:
        NotFoundError: there is no such decision.
        UsageError: it was reverted already.
    """
    ledger = context.store.ledger
    with ledger.exclusive():
        first = ledger.by_key(by.key) is None if by.key else True
        if first and (parts := parts_of(context, target := _live_decision(context, seq))) is not None:
            return _revert_whole(context, by, target, parts)
        if first and (partner := _partner(context, _live_decision(context, seq))) is not None:
            _append_revert(
                context, By(by.actor, by.reason, f"{by.key} partner" if by.key else ""), partner.seq, WITH_NEXT
            )
        return _append_revert(context, by, seq)


def reject_automatic_merge(context: Context, by: By, automatic: int) -> Decision:
    """Audit a sampled automatic merge as wrong, and revert it.

    Returns:
        The revert; the audit is the decision before it.

    Raises:
        NotFoundError: there is no such decision.
        UsageError: it is no automatic merge, was audited before, or was reverted already. Nothing is changed then.
    """
    with context.store.ledger.exclusive():
        audit(context, By(by.actor, by.reason, derived_key(by.key, "audit")), automatic, True)
        return revert(context, By(by.actor, by.reason, by.key), automatic)


def parts_of(context: Context, whole: Decision) -> tuple[Decision, ...] | None:
    """Return the live parts of a bulk decision, a rule, or the revert of one, newest first; None of any other."""
    if whole.verb not in HEADING and whole.verb is not Verb.REVERT:
        return None
    parts = [d for d in context.store.ledger.within([whole.seq]) if d.live]
    return tuple(reversed(parts)) if parts or whole.verb in HEADING else None


def _revert_whole(context: Context, by: By, whole: Decision, parts: Sequence[Decision]) -> Decision:
    """Revert a decision and its parts, and rebuild once; the parts' reverts are parts of the revert returned."""
    ledger = context.store.ledger
    head = DecisionDraft(
        verb=Verb.REVERT, collection=whole.collection, members=whole.members, actor=by.actor, reason=by.reason,
        reverts=whole.seq, detail=Detail(because=whole.verb), key=by.key,
    )  # fmt: skip
    (reverted,) = ledger.append([head])
    drafts = [
        DecisionDraft(
            verb=Verb.REVERT, collection=part.collection, members=part.members, actor=by.actor, reason=by.reason,
            reverts=part.seq, detail=Detail(because=part.verb, within=reverted.seq),
        )
        for part in parts
    ]  # fmt: skip
    ledger.append(drafts)
    rebuild_all(context, drafts)
    mark_active(context, by.actor)
    return reverted


def _append_revert(context: Context, by: By, seq: int, because: str = "") -> Decision:
    def make() -> tuple[DecisionDraft, Sequence[Block]]:
        target = _live_decision(context, seq)
        detail = Detail(because=because or target.verb, pairs=_separated_pairs(context, target))
        return (
            DecisionDraft(
                verb=Verb.REVERT, collection=target.collection, members=target.members, actor=by.actor,
                reason=by.reason, reverts=seq, detail=detail, key=by.key,
            ),
            (),
        )  # fmt: skip

    return commit_decision(context, By(by.actor, by.reason, by.key), RequestContent(Verb.REVERT, about=seq), make)


def _live_decision(context: Context, seq: int) -> Decision:
    target = context.store.ledger.decision(seq)
    if target is None:
        raise NotFoundError("decision", str(seq), "'saidonce decisions' lists them")
    if not target.live:
        raise UsageError(f"decision {seq} has already been reverted")
    return target


def _partner(context: Context, target: Decision) -> Decision | None:
    """Return the live decision made together with this one, if any: its number is one less."""
    before = context.store.ledger.decision(target.seq - 1) if target.verb in (Verb.MERGE, Verb.REVERT) else None
    if before is None or not before.live or before.actor != target.actor:
        return None
    if target.verb is Verb.MERGE:
        is_partner = before.verb is Verb.SPLIT and before.detail.because == LEFT_OUT
    else:
        is_audit = before.verb is Verb.AUDIT and before.flag == target.reverts and before.detail.wrong is True
        is_partner = is_audit or (before.verb is Verb.REVERT and before.detail.because == WITH_NEXT)
    return before if is_partner else None


def _separated_pairs(context: Context, target: Decision) -> tuple[tuple[str, str], ...]:
    """Return the pairs of texts that the revert of an automatic merge separates; none for decisions of people."""
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
