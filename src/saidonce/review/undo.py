"""Every decision can be taken back, and taking it back can be taken back."""

from __future__ import annotations

from collections.abc import Sequence

from saidonce.base import Base
from saidonce.errors import NotFoundError, UsageError
from saidonce.model import Block, Decision, Detail, Draft, Verb
from saidonce.review.command import Asked, By, decided


def revert(base: Base, by: By, seq: int) -> Decision:
    """Take a decision back: blocks and flags are as if it had never been made, whatever came after it.

    Raises:
        NotFoundError: there is no such decision.
        UsageError: it was taken back already.
    """

    def make() -> tuple[Draft, Sequence[Block]]:
        target = base.store.ledger.decision(seq)
        if target is None:
            raise NotFoundError("decision", str(seq), "'saidonce why BLOCK' lists them")
        if not target.live:
            raise UsageError(f"decision {seq} was taken back already")
        return (
            Draft(
                verb=Verb.REVERT, collection=target.collection, members=target.members, actor=by.actor,
                reason=by.reason, reverts=seq, detail=Detail(because=target.verb), key=by.key,
            ),
            (),
        )  # fmt: skip

    return decided(base, By(by.actor, by.reason, by.key), Asked(Verb.REVERT, about=seq), make)
