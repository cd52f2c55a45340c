"""Two decisions made in one stroke: both take effect or neither, and taking the second back takes both back."""

from __future__ import annotations

from collections.abc import Sequence

from saidonce.errors import StaleWriteError
from saidonce.foundation.context import Context
from saidonce.foundation.model import Decision, Keep, Verb
from saidonce.kb.review.command import By, RequestContent, canonical_block, repeated, seen
from saidonce.kb.review.people_verbs import audit
from saidonce.kb.review.undo import LEFT_OUT, revert
from saidonce.kb.review.verbs import merge, split


def merge_without(
    context: Context, by: By, blocks: tuple[str, str], leaving: Sequence[str], keep: Keep = Keep.NEWEST
) -> Decision:
    """Make one block of two without some texts of the first, which get a block of their own.

    Texts that people wrote for the first block stay in it, unless they are named themselves.

    Args:
        base: wired ports.
        by: who decides; `seen` is of the two blocks as they were shown, whole.
        blocks: ids of the kept block, which has several texts, and of the one that joins it.
        leaving: ids of the first block's members that are left out, some but not all of them.
        keep: as for `merge`; a is what is left of the first block.

    Returns:
        The merge; the split is the decision before it.

    Raises:
        NotFoundError: an id stands for nothing.
        UsageError: what leaves is nobody, everybody or not of the block; the key stands for another decision.
        StaleWriteError: a block is not as it was shown, or the flag was settled. Nothing is split then.
    """
    ledger = context.store.ledger
    with ledger.exclusive():
        if (known := repeated(context, by, RequestContent(Verb.MERGE, blocks))) is not None:
            return known
        whole, joining = canonical_block(context, blocks[0]), canonical_block(context, blocks[1])
        if by.seen and by.seen != seen(whole, joining):
            raise StaleWriteError("somebody decided about this in the meantime; look at it again")
        split(context, By(by.actor, by.reason, _derived(by.key, "split")), whole.id, leaving, "stay", LEFT_OUT)
        rest = whole.id if whole.id not in leaving else min(set(whole.members) - set(leaving))
        return merge(context, By(by.actor, by.reason, by.key, by.flag), rest, joining.id, keep)


def disown(context: Context, by: By, automatic: int) -> Decision:
    """Say that an automatic merge that was drawn for the audit was wrong, and take it back.

    Returns:
        The revert; the audit is the decision before it.

    Raises:
        NotFoundError: there is no such decision.
        UsageError: it is no automatic merge, was audited before, or was taken back already. Nothing is said then.
    """
    with context.store.ledger.exclusive():
        audit(context, By(by.actor, by.reason, _derived(by.key, "audit")), automatic, True)
        return revert(context, By(by.actor, by.reason, by.key), automatic)


def _derived(key: str, what: str) -> str:
    return f"{key} {what}" if key else ""
