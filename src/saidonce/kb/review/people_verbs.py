"""The verbs that say how far a block is trusted and who looks after it: approve, own, dismiss, assign, audit."""

from __future__ import annotations

from collections.abc import Sequence

from saidonce.errors import NotFoundError, UsageError
from saidonce.foundation.context import Context
from saidonce.foundation.model import POLICY, Approval, Block, Decision, DecisionDraft, Detail, Flag, Verb
from saidonce.kb.review.command import By, RequestContent, canonical_block, decided, pairs_of


def approve(context: Context, by: By, block: str, approval: Approval = Approval.APPROVED) -> Decision:
    """Say how far a block is approved; this lapses as soon as its set of texts changes.

    Raises:
        NotFoundError, UsageError, StaleWriteError: as for `merge`.
    """

    def make() -> tuple[DecisionDraft, Sequence[Block]]:
        whole = canonical_block(context, block)
        detail = Detail(because=approval, approval=approval)
        return _draft(Verb.APPROVE, by, whole.collection, whole.members, detail), (whole,)

    return decided(context, by, RequestContent(Verb.APPROVE, (block,)), make)


def own(context: Context, by: By, block: str, owner: str) -> Decision:
    """Say who answers for a block.

    Raises:
        UsageError: the owner's name is empty.
        NotFoundError, StaleWriteError: as for `merge`.
    """
    if not owner.strip():
        raise UsageError("name the owner")

    def make() -> tuple[DecisionDraft, Sequence[Block]]:
        whole = canonical_block(context, block)
        detail = Detail(because="own", owner=owner.strip())
        return _draft(Verb.OWN, by, whole.collection, whole.members, detail), (whole,)

    return decided(context, by, RequestContent(Verb.OWN, (block,)), make)


def dismiss(context: Context, by: By, flag: int) -> Decision:
    """Close a flag without saying that its texts differ; it is not raised again while they stand.

    Raises:
        NotFoundError: there is no such flag.
        StaleWriteError: it was settled already.
    """

    def make() -> tuple[DecisionDraft, Sequence[Block]]:
        found = _flag(context, flag)
        members = _members(context, found)
        there = context.store.ledger.members(members)
        candidate, others = members[0], members[1:]
        pairs = pairs_of((there[m] for m in (candidate,) if m in there), (there[m] for m in others if m in there))
        detail = Detail(because="dismiss", pairs=pairs)
        return _draft(Verb.DISMISS, by, found.collection, members, detail, flag), ()

    return decided(context, _settling(by, flag), RequestContent(Verb.DISMISS, about=flag), make)


def assign(context: Context, by: By, flag: int, to: str) -> Decision:
    """Give an open flag to somebody; an empty name gives it back to all.

    Raises:
        NotFoundError: there is no such flag.
        StaleWriteError: it was settled already.
    """

    def make() -> tuple[DecisionDraft, Sequence[Block]]:
        found = _flag(context, flag)
        detail = Detail(because="assign", owner=to.strip())
        return _draft(Verb.ASSIGN, by, found.collection, _members(context, found), detail, flag), ()

    return decided(context, _settling(by, flag), RequestContent(Verb.ASSIGN, about=flag), make)


def audit(context: Context, by: By, merge: int, wrong: bool) -> Decision:
    """Say whether an automatic merge was right; a wrong one is not undone by this.

    Raises:
        NotFoundError: there is no such decision.
        UsageError: it is no automatic merge, or was judged before.
    """

    def make() -> tuple[DecisionDraft, Sequence[Block]]:
        found = context.store.ledger.decision(merge)
        if found is None:
            raise NotFoundError("decision", str(merge))
        if found.verb is not Verb.MERGE or found.actor != POLICY:
            raise UsageError(f"decision {merge} is no automatic merge")
        if context.store.ledger.rulings_on([merge]):
            raise UsageError(f"decision {merge} was audited before")
        detail = Detail(because="wrong" if wrong else "right", wrong=wrong)
        return _draft(Verb.AUDIT, by, found.collection, found.members, detail, merge), ()

    return decided(context, By(by.actor, by.reason, by.key), RequestContent(Verb.AUDIT, about=merge), make)


def _settling(by: By, flag: int) -> By:
    return By(by.actor, by.reason, by.key, flag, by.seen)


def _flag(context: Context, seq: int) -> Flag:
    found = context.store.ledger.flag(seq)
    if found is None:
        raise NotFoundError("flag", str(seq))
    return found


def _members(context: Context, flag: Flag) -> tuple[str, ...]:
    decision = context.store.ledger.decision(flag.seq)
    assert decision is not None  # a flag is a decision
    return decision.members


def _draft(
    verb: Verb, by: By, collection: str, members: Sequence[str], detail: Detail, flag: int | None = None
) -> DecisionDraft:
    return DecisionDraft(
        verb=verb, collection=collection, members=tuple(members), actor=by.actor, reason=by.reason,
        flag=by.flag if flag is None else flag, detail=detail, key=by.key,
    )  # fmt: skip
