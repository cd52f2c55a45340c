"""Whoever waits for a slow model hears, once a turn, that somebody looks into it."""

from __future__ import annotations

from datetime import timedelta

from saidonce.foundation.model.conversation import Alarm, Conversation, OutboxKind
from saidonce.foundation.text import digest
from saidonce.repairs.conversation import wording
from saidonce.repairs.conversation.deps import ConversationDeps
from saidonce.repairs.conversation.rendering import beside_turns
from saidonce.repairs.conversation.rules import Orchestration


def reassure(deps: ConversationDeps) -> int:
    """Send a word to each resident whose turn has taken longer than `patience_s`; return the number of words.

    Nothing is sent where no model is asked, where something was sent since the message, during an alarm, or to a
    conversation that a person has.
    """
    if deps.chat is None or deps.rules.orchestration is not Orchestration.ON:
        return 0
    now, rules = deps.clock.now(), deps.rules
    began_by = now + timedelta(seconds=rules.claim_s - rules.patience_s)
    slow = [c for c in deps.store.leased(now) if c.lease_until is not None and c.lease_until <= began_by]
    waiting = [c for c in slow if _waits(deps, c)]
    for of in waiting:
        turn_id = digest("turn", of.id, str(of.version + 1))
        id_ = digest("outbox", turn_id, "patience")
        deps.store.queue(beside_turns(id_, of, OutboxKind.REPLY, wording.LOOKING_INTO_IT, now, turn_id))
    return len(waiting)


def _waits(deps: ConversationDeps, of: Conversation) -> bool:
    """Return whether a resident has written something that a model may be asked about, and has read nothing since."""
    if of.handed_off_at is not None or of.opted_out_at is not None:
        return False
    unseen = [i for i in deps.store.inbounds(of.id) if i.seq > of.seen or i.seq in of.parked]
    if not any(i.text.strip() for i in unseen):
        return False
    if any(e.state is not Alarm.DISMISSED and not e.issue_id for e in deps.store.events(of.id)):
        return False
    since = min(i.received_at for i in unseen)
    return not any(m.made_at >= since for m in deps.store.outbox(of.id))
