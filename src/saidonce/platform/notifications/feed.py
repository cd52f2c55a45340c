"""What happened by itself, page by page: the same decisions that notices tell of, and those taken back since."""

from __future__ import annotations

from dataclasses import dataclass

from saidonce.foundation.context import Context
from saidonce.foundation.model import POLICY, Decision, Verb
from saidonce.platform.notifications.audience import PAGE, owners_of

MOST_LOOKED_AT = 10_000
"""Decisions that are looked through for one page of a feed."""


@dataclass(frozen=True, slots=True)
class Feed:
    """A page of what happened by itself, newest first; `before` finds the next page, and is None on the last."""

    decisions: tuple[Decision, ...]
    before: int | None


def feed(context: Context, owner: str = "", before: int | None = None, limit: int = 50) -> Feed:
    """Give what was merged, flagged and, by a second opinion, dismissed without a person, newest first.

    Args:
        context: wired ports.
        owner: only what concerns an owner; see `notify.concern`.
        before: only decisions with smaller numbers.
        limit: at most so many.
    """
    found: list[Decision] = []
    n_looked_at = 0
    while page := context.store.ledger.decisions([Verb.MERGE, Verb.FLAG, Verb.DISMISS], before, PAGE):
        fitting = [d for d in page if d.actor == POLICY]
        owners = owners_of(context, fitting) if owner else {}
        found += [d for d in fitting if not owner or owner in owners[d.seq]]
        if len(found) > limit:
            return Feed(tuple(found[:limit]), found[limit - 1].seq)
        before = page[-1].seq
        n_looked_at += len(page)
        if n_looked_at >= MOST_LOOKED_AT:
            return Feed(tuple(found), before)
    return Feed(tuple(found), None)
