"""Flow: the outbox is sent; what may or may not have been sent is settled by the channel's own status.

Of a message that has failed for good the landlord is told, once: nobody else knows that a resident waits.
"""

from __future__ import annotations

from datetime import timedelta

from saidonce.errors import DeliveryError
from saidonce.foundation.model.conversation import LandlordEvent, LandlordNotice, OutboxMessage, OutboxState
from saidonce.foundation.ports.conversations import Failed, Messenger
from saidonce.repairs.conversation.deps import ConversationDeps

LEASE_S = 60.0
"""Longer than any messenger may take for one message."""

MAX_TRIES = 5
FIRST_WAIT_S = 5.0
"""Wait after the first refusal; four times as long after each more, so seven minutes in all."""

LONGEST_WAIT_S = 3_600.0

MOST_SAID = 200
"""Characters of a channel's reason that the landlord is told."""


def send(deps: ConversationDeps, messenger: Messenger, limit: int = 20) -> int:
    """Send what waits, safety first; give how many messages the channel took.

    A refused message is tried again after a wait that grows, five times in all, unless the channel says that another
    try is useless. After a time-out a message is `unknown`: a status decides (`settled`), or `again` sends it once
    more.
    """
    n_sent = 0
    for _ in range(limit):
        now = deps.clock.now()
        # One by one: a lease of many would end while the first are sent slowly, and others would send the last again.
        taken = deps.store.take_outbox(now, now + timedelta(seconds=LEASE_S), 1)
        if not taken:
            break
        n_sent += _send_one(deps, messenger, taken[0])
    return n_sent


def settled(deps: ConversationDeps, callback: str, state: OutboxState, external_id: str = "", reason: str = "") -> None:
    """Note a status of the channel; `callback` is the message's id. Statuses move only forward.

    Args:
        reason: the channel's codes of a failure, for the landlord.

    Raises:
        NotFoundError: there is no such message.
    """
    deps.store.mark_outbox(callback, state, external_id, if_failed=_told(deps, f"code {reason}" if reason else ""))


def again(deps: ConversationDeps) -> int:
    """Queue messages of which nothing was heard for too long; twice is better than never. Give how many."""
    late = deps.clock.now() - timedelta(seconds=deps.rules.unknown_again_s)
    waiting = [m for m in deps.store.outbox(state=OutboxState.UNKNOWN) if m.made_at <= late]
    for message in waiting:
        after = OutboxState.QUEUED if message.n_tries < MAX_TRIES else OutboxState.FAILED
        deps.store.mark_outbox(message.id, after, if_failed=_told(deps, f"no status after {message.n_tries} tries"))
    return len(waiting)


def _send_one(deps: ConversationDeps, messenger: Messenger, message: OutboxMessage) -> bool:
    try:
        external = messenger.send(message, deps.store.conversation(message.conversation_id))
    except TimeoutError:
        deps.store.mark_outbox(message.id, OutboxState.UNKNOWN)
        return False
    except DeliveryError as refused:
        if refused.is_final or message.n_tries >= MAX_TRIES:
            deps.store.mark_outbox(message.id, OutboxState.FAILED, if_failed=_told(deps, refused.reason))
        else:
            again_at = deps.clock.now() + timedelta(seconds=_wait_s(refused, message.n_tries))
            deps.store.mark_outbox(message.id, OutboxState.QUEUED, not_before=again_at)
        return False
    deps.store.mark_outbox(message.id, OutboxState.SENT, external)
    return True


def _told(deps: ConversationDeps, reason: str) -> Failed:
    """What the landlord is told if a message fails: its kind and why, none of its words."""

    def notice(message: OutboxMessage) -> LandlordNotice:
        event = LandlordEvent.MESSAGE_FAILED
        detail = ": ".join(filter(None, (message.kind.value, reason[:MOST_SAID])))
        return LandlordNotice(f"{event}:{message.id}", event, message.conversation_id, deps.clock.now(), detail=detail)

    return notice


def _wait_s(refused: DeliveryError, n_tries: int) -> float:
    return min(LONGEST_WAIT_S, max(refused.wait_s, FIRST_WAIT_S * 4.0 ** (n_tries - 1)))
