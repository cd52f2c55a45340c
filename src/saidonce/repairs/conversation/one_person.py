"""The conversations of one person on several channels, joined only where each of them was proved by itself."""

from __future__ import annotations

from collections.abc import Collection

from saidonce.foundation.model.conversation import Conversation, EmergencyEvent
from saidonce.repairs.conversation.alarm_life import open_alarms
from saidonce.repairs.conversation.deps import ConversationDeps

PASSABLE = ("window_closed", "no_channel")
"""Obstacles of one channel after which the resident's next one is tried; STOP holds on all of them."""


def joined(deps: ConversationDeps, of: Conversation) -> tuple[Conversation, ...]:
    """Return the conversations of the same resident, with the given one, the last heard of first.

    They are those of its tenancy whose writer was confirmed, by a channel's proof or by the landlord. A tenancy has one
    resident; a claim, a candidate or a lost identity joins nothing.
    """
    if not of.identity.is_known or not of.tenancy_id:
        return (of,)
    same = tuple(c for c in deps.store.conversations_of(of.tenancy_id) if c.identity.is_known)
    return same if any(c.id == of.id for c in same) else (of,)


def alarms_elsewhere(deps: ConversationDeps, of: Conversation, kinds: Collection[str]) -> tuple[EmergencyEvent, ...]:
    """Return the standing alarms of some kinds that the same resident raised on other channels, oldest first.

    An alarm of the same kind is the same alarm, reported twice; one of another kind is another.

    Args:
        deps: the organisation's wired ports.
        of: the conversation; a home that it was recognised for in this very turn counts.
        kinds: classes of danger.
    """
    if not of.identity.is_known or not of.tenancy_id:
        return ()
    alarms: list[EmergencyEvent] = []
    for other in deps.store.conversations_of(of.tenancy_id):
        events = deps.store.events(other.id) if other.id != of.id and other.identity.is_known else ()
        if events:
            turns, issues = deps.store.turns(other.id), deps.store.issues()
            alarms += open_alarms(events, issues, turns, deps.clock.now(), deps.rules.alarm_s)
    return tuple(sorted((e for e in alarms if e.kind in kinds), key=lambda e: (e.at, e.inbound_seq, e.id)))


def last_used(deps: ConversationDeps, of: Conversation) -> Conversation:
    """Return the joined conversation that a person's message goes to: the one used last whose channel takes it."""
    together, now = joined(deps, of), deps.clock.now()
    if deps.outlets is None or len(together) == 1:
        return together[0]
    open_ones = (c for c in together if deps.outlets.obstacle(c, now) not in PASSABLE)
    return next(open_ones, together[0])
