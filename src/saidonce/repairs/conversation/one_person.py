"""Flow: the conversations of one person on several channels, joined only where each of them was proved by itself."""

from __future__ import annotations

from saidonce.foundation.model.conversation import Conversation, IdentityStatus
from saidonce.repairs.conversation.deps import ConversationDeps

KNOWN = (IdentityStatus.CONFIRMED, IdentityStatus.ACTIVE)
PASSABLE = ("window_closed", "no_channel")
"""Obstacles of one channel after which the resident's next one is tried; STOP holds on all of them."""


def joined(deps: ConversationDeps, of: Conversation) -> tuple[Conversation, ...]:
    """Return the conversations of the same resident, with the given one, the last heard of first.

    They are those of its tenancy whose writer was confirmed, by a channel's proof or by the landlord. A tenancy has one
    resident; a claim, a candidate or a lost identity joins nothing.
    """
    if of.identity not in KNOWN or not of.tenancy_id:
        return (of,)
    same = tuple(c for c in deps.store.conversations_of(of.tenancy_id) if c.identity in KNOWN)
    return same if any(c.id == of.id for c in same) else (of,)


def last_used(deps: ConversationDeps, of: Conversation) -> Conversation:
    """Return the joined conversation that a person's message goes to: the one used last whose channel takes it."""
    together, now = joined(deps, of), deps.clock.now()
    if deps.outlets is None or len(together) == 1:
        return together[0]
    open_ones = (c for c in together if deps.outlets.obstacle(c, now) not in PASSABLE)
    return next(open_ones, together[0])
