"""The feed of automatic decisions, page by page, reverted ones included."""

from __future__ import annotations

from dataclasses import dataclass

from saidonce.foundation.context import Context
from saidonce.foundation.model import POLICY, Decision, Verb
from saidonce.platform.notifications.audience import PAGE, owners_of

MOST_LOOKED_AT = 10_000
"""Most decisions examined for one page of a feed."""


@dataclass(frozen=True, slots=True)
class Feed:
    """A page of automatic decisions, newest first; `before` finds the next page, and is None on the last."""

    decisions: tuple[Decision, ...]
    before: int | None


def feed(context: Context, owner: str = "", before: int | None = None, limit: int = 50) -> Feed:
    """Return automatic merges and flags, and dismissals by a second opinion, newest first.

    Args:
        context: wired ports.
        owner: only decisions that concern this owner; see `audience.owners_of`.
        before: only decisions with smaller numbers.
        limit: at most so many.
    """
    decisions: list[Decision] = []
    n_looked_at = 0
    while page := context.store.ledger.decisions([Verb.MERGE, Verb.FLAG, Verb.DISMISS], before, PAGE):
        fitting = [d for d in page if d.actor == POLICY]
        owners = owners_of(context, fitting) if owner else {}
        decisions += [d for d in fitting if not owner or owner in owners[d.seq]]
        if len(decisions) > limit:
            return Feed(tuple(decisions[:limit]), decisions[limit - 1].seq)
        before = page[-1].seq
        n_looked_at += len(page)
        if n_looked_at >= MOST_LOOKED_AT:
            return Feed(tuple(decisions), before)
    return Feed(tuple(decisions), None)
