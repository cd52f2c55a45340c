"""Door: a base as one person works on it; every verb of review, by the actor's name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from saidonce.app import metrics
from saidonce.foundation.context import Context
from saidonce.foundation.model import Approval, Copies, Decision, ReviewRule
from saidonce.kb import review
from saidonce.kb.review import By, Keep


@dataclass(frozen=True, slots=True)
class Reviewer:
    """Decides about blocks in the name of a person; ids may be former ones.

    Args:
        wired: returns the base, called on first use.
        by: the person, and on what ground.
    """

    wired: Callable[[], Context]
    by: By

    def because(self, reason: str = "", key: str = "", flag: int | None = None, seen: str = "") -> Reviewer:
        """Return the same person with a reason, an idempotency key, the flag to settle, and the state shown."""
        return replace(self, by=By(self.by.actor, reason, key, flag, seen))

    def merge(self, a: str, b: str, keep: Keep | str = Keep.NEWEST) -> Decision:
        """Make one block of two, with the newest text, that of a, or that of b."""
        return review.merge(self.wired(), self.by, a, b, Keep(keep))

    def merge_without(self, a: str, b: str, leaving: Sequence[str], keep: Keep | str = Keep.NEWEST) -> Decision:
        """Make one block of two without some texts of a, in one stroke."""
        return review.merge_without(self.wired(), self.by, (a, b), leaving, Keep(keep))

    def decide_in_bulk(self, request: review.BulkRequest, shown: Sequence[tuple[int, str]]) -> review.BulkOutcome:
        """Decide about many pairs at once: flags, each with the state of its blocks as it was shown."""
        return review.decide_in_bulk(self.wired(), self.by, request, shown)

    def add_rule(self, collection: str, rule: ReviewRule) -> tuple[Decision, int]:
        """Keep apart, from now on, all pairs that a rule is about; return it and the number of pairs decided."""
        return review.add_rule(self.wired(), self.by, collection, rule)

    def keep_apart(self, a: str, *others: str) -> Decision:
        """Mark a block as different from others."""
        return review.keep_apart(self.wired(), self.by, a, others)

    def conflict(self, a: str, *others: str) -> Decision:
        """Mark a block as contradicting others; all stay, linked."""
        return review.conflict(self.wired(), self.by, a, others)

    def split(
        self, block: str, leaving: Sequence[str], edits: str = "", copies: Copies | str | None = None
    ) -> Decision:
        """Take members out of a block.

        `edits` says whether what people wrote since stays or goes, `copies` where a later copy of an equal text goes.
        """
        return review.split(self.wired(), self.by, block, leaving, edits, Copies(copies) if copies else None)

    def edit(self, block: str, text: str) -> Decision:
        """Replace the text of a block by one that a person wrote."""
        return review.edit(self.wired(), self.by, block, text)

    def approve(self, block: str, approval: Approval | str = Approval.APPROVED) -> Decision:
        """Set the approval of a block."""
        return review.approve(self.wired(), self.by, block, Approval(approval))

    def own(self, block: str, owner: str) -> Decision:
        """Set the owner of a block."""
        return review.set_owner(self.wired(), self.by, block, owner)

    def dismiss(self, flag: int) -> Decision:
        """Close a flag without saying that its texts differ."""
        return review.dismiss(self.wired(), self.by, flag)

    def assign(self, flag: int, to: str, due: str = "") -> Decision:
        """Assign a flag to a person, with the day by which a decision is wanted."""
        return review.assign(self.wired(), self.by, flag, to, due)

    def audit(self, merge: int, wrong: bool) -> Decision:
        """Record whether an automatic merge, or another person's decision, was right."""
        return review.audit(self.wired(), self.by, merge, wrong)

    def disown(self, merge: int) -> Decision:
        """Record that an automatic merge was wrong, and revert it."""
        return review.reject_automatic_merge(self.wired(), self.by, merge)

    def revert(self, decision: int) -> Decision:
        """Take a decision back."""
        base = self.wired()
        done = review.revert(base, self.by, decision)
        if base.settings.metrics_enabled:
            metrics.record_taken_back(base.store.ledger.decision(decision))
        return done
