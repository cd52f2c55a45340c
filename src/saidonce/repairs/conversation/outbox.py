"""Send the outbox; the channel's status settles messages of unknown fate.

The landlord gets one notice of a finally failed message: nobody else knows that a resident waits.
"""

from __future__ import annotations

from datetime import timedelta

from saidonce.errors import DeliveryError
from saidonce.foundation.model.conversation import LandlordEvent, LandlordNotice, OutboxMessage, OutboxState
from saidonce.foundation.ports.conversations import Failed, Messenger
from saidonce.repairs.conversation.deps import ConversationDeps

LEASE_S = 60.0
"""Longer than any messenger takes for one message."""

MAX_TRIES = 5
FIRST_WAIT_S = 5.0
"""Wait after the first refusal, quadrupled after each further one: seven minutes in all."""

LONGEST_WAIT_S = 3_600.0

MAX_REASON_CHARS = 200
"""Characters of a channel's reason in the landlord's notice."""


def send(deps: ConversationDeps, messenger: Messenger, limit: int = 20) -> int:
    """Send waiting messages, safety first; return the number accepted by the channel.

    A refused message is retried after growing waits, five tries in all, unless the channel calls a retry useless. After
    a time-out a message is `unknown`: a status settles it (`record_status`), or `requeue_unknown` sends it once more.
    """
    n_sent = 0
    for _ in range(limit):
        now = deps.clock.now()
        # One by one: a lease of many could end during slow sends, and another worker would send the last ones again.
        taken = deps.store.take_outbox(now, now + timedelta(seconds=LEASE_S), 1)
        if not taken:
            break
        n_sent += _send_one(deps, messenger, taken[0])
    return n_sent


def record_status(
    deps: ConversationDeps, callback: str, state: OutboxState, external_id: str = "", reason: str = ""
) -> None:
    """Record a status of the channel, which only moves forward; `callback` is the message's id.

    Args:
        reason: the channel's codes of a failure, for the landlord.

    Raises:
        NotFoundError: there is no such message.
    """
    deps.store.mark_outbox(
        callback, state, external_id, if_failed=_failure_notice(deps, f"code {reason}" if reason else "")
    )


def requeue_unknown(deps: ConversationDeps) -> int:
    """Queue messages without a status for too long once more, rather twice than never; return their number."""
    late = deps.clock.now() - timedelta(seconds=deps.rules.unknown_again_s)
    waiting = [m for m in deps.store.outbox(state=OutboxState.UNKNOWN) if m.made_at <= late]
    for message in waiting:
        after = OutboxState.QUEUED if message.n_tries < MAX_TRIES else OutboxState.FAILED
        deps.store.mark_outbox(
            message.id, after, if_failed=_failure_notice(deps, f"no status after {message.n_tries} tries")
        )
    return len(waiting)


def _send_one(deps: ConversationDeps, messenger: Messenger, message: OutboxMessage) -> bool:
    try:
        external = messenger.send(message, deps.store.conversation(message.conversation_id))
    except TimeoutError:
        deps.store.mark_outbox(message.id, OutboxState.UNKNOWN)
        return False
    except DeliveryError as refused:
        if refused.is_final or message.n_tries >= MAX_TRIES:
            deps.store.mark_outbox(message.id, OutboxState.FAILED, if_failed=_failure_notice(deps, refused.reason))
        else:
            again_at = deps.clock.now() + timedelta(seconds=_wait_s(refused, message.n_tries))
            deps.store.mark_outbox(message.id, OutboxState.QUEUED, not_before=again_at)
        return False
    deps.store.mark_outbox(message.id, OutboxState.SENT, external)
    return True


def _failure_notice(deps: ConversationDeps, reason: str) -> Failed:
    """Return the landlord's notice for a failed message: its kind and the reason, none of its words."""

    def notice(message: OutboxMessage) -> LandlordNotice:
        event = LandlordEvent.MESSAGE_FAILED
        detail = ": ".join(filter(None, (message.kind.value, reason[:MAX_REASON_CHARS])))
        return LandlordNotice(f"{event}:{message.id}", event, message.conversation_id, deps.clock.now(), detail=detail)

    return notice


def _wait_s(refused: DeliveryError, n_tries: int) -> float:
    return min(LONGEST_WAIT_S, max(refused.wait_s, FIRST_WAIT_S * 4.0 ** (n_tries - 1)))
