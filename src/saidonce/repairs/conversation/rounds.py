"""Flow: the one way from a message to a turn, of the service, of the console and of evaluation.

messages -> take_in (all are kept, then scanned) -> once: scan, turns that are due, alarms, outbox
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

from saidonce.errors import StoreUnavailableError, where
from saidonce.foundation.model.conversation import Turn
from saidonce.foundation.model.residents import Inbound
from saidonce.foundation.ports.conversations import Messenger
from saidonce.repairs.conversation import alarm
from saidonce.repairs.conversation import send as sending
from saidonce.repairs.conversation import turn as turns
from saidonce.repairs.conversation.deps import ConversationDeps

MOST_TURNS = 50
"""Turns of one organisation before the others are looked at."""

_log = logging.getLogger("saidonce")

OnFailure = Callable[[str, str, Exception], None]
"""Takes what failed, the id of its conversation, and the error, while that is handled; what it raises goes out."""


def logged(what: str, conversation_id: str, failed: Exception) -> None:
    """Log a failure and go on: the service's way, where one bad conversation never stops the rest."""
    _log.error("%s=%s at=%s", what, conversation_id, where(failed))


def take_in(deps: ConversationDeps, inbounds: Sequence[Inbound], on_failure: OnFailure = logged) -> tuple[Inbound, ...]:
    """Keep messages, all of them before the first is scanned; return them as they were kept.

    A scan that fails is left to the next round: whoever posted the message would post it again for days.

    Raises:
        StoreUnavailableError: the store is away.
    """
    kept = tuple(turns.keep(deps, each) for each in inbounds)
    for inbound in kept:
        try:
            alarm.look_at(deps, inbound)
        except StoreUnavailableError:
            raise
        except Exception as failed:  # noqa: BLE001  a door: the message is kept, and a round scans it again
            on_failure("scan.failed conversation", inbound.conversation_id, failed)
    return kept


def take_turns(
    deps: ConversationDeps,
    worker: str,
    is_stopping: Callable[[], bool] = lambda: False,
    on_failure: OnFailure = logged,
    most: int = MOST_TURNS,
) -> tuple[Turn, ...]:
    """Take the turns that are due, longest waiting first; one that fails is left to its lease's end.

    Each scans the messages of its own conversation first, so that one that cannot be scanned holds up no other.

    Raises:
        StoreUnavailableError: the store is away.
    """
    taken: list[Turn] = []
    for _ in range(most):
        held = None if is_stopping() else turns.claim(deps, worker)
        if held is None:
            break
        try:
            turn = turns.take(deps, held, worker)
        except StoreUnavailableError:
            raise
        except Exception as failed:  # noqa: BLE001  a worker loop: one bad conversation never stops the rest
            on_failure("conversation.failed id", held.id, failed)
            continue
        if turn is None:
            break
        taken.append(turn)
        _log.info("conversation.turn id=%s n=%d path=%s ms=%.0f", held.id, turn.n, turn.path, turn.took_ms)
    return tuple(taken)


def once(
    deps: ConversationDeps,
    messenger: Messenger,
    worker: str,
    on_failure: OnFailure = logged,
    most: int = MOST_TURNS,
) -> tuple[Turn, ...]:
    """Do what is due now, and return the turns that were taken.

    Raises:
        Exception: what scanning a message raised first, after everything else was done.
    """
    taken: tuple[Turn, ...] = ()
    try:
        alarm.scan(deps)
    finally:
        taken = take_turns(deps, worker, on_failure=on_failure, most=most)
        alarm.tend(deps)
        sending.send(deps, messenger)
        sending.again(deps)
    return taken
