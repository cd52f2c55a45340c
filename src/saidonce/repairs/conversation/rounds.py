"""From messages to turns, the only way, shared by the service, the console and the evaluation.

messages -> take_in (all stored, then scanned) -> once: scan, due turns, alarms, outbox
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

from saidonce.errors import StoreUnavailableError, where
from saidonce.foundation import tracing
from saidonce.foundation.model.conversation import Turn
from saidonce.foundation.model.residents import Inbound
from saidonce.foundation.ports.conversations import Messenger
from saidonce.repairs.conversation import alarm, outbox, progress
from saidonce.repairs.conversation import turn as turns
from saidonce.repairs.conversation.deps import ConversationDeps

MOST_TURNS = 50
"""Most turns of one organisation before the next one's."""

_log = logging.getLogger("saidonce")

OnFailure = Callable[[str, str, Exception], None]
"""Called with the failed step, its conversation's id, and the error, inside the handler; its own errors propagate."""


def logged(what: str, conversation_id: str, failed: Exception) -> None:
    """Log a failure and continue, as the service does: one bad conversation never stops the rest."""
    _log.error("%s=%s at=%s", what, conversation_id, where(failed))


def take_in(deps: ConversationDeps, inbounds: Sequence[Inbound], on_failure: OnFailure = logged) -> tuple[Inbound, ...]:
    """Store messages, all before the first scan; return the stored ones.

    A failed scan is left to the next round; otherwise the sender would post the message again for days.

    Raises:
        StoreUnavailableError: the store is away.
    """
    stored = tuple(turns.keep(deps, each) for each in inbounds)
    for inbound in stored:
        try:
            alarm.scan_message(deps, inbound)
        except StoreUnavailableError:
            raise
        except Exception as failed:  # noqa: BLE001  a door: the message is kept, and a round scans it again
            on_failure("scan.failed conversation", inbound.conversation_id, failed)
    return stored


def take_turns(
    deps: ConversationDeps,
    worker: str,
    is_stopping: Callable[[], bool] = lambda: False,
    on_failure: OnFailure = logged,
    most: int = MOST_TURNS,
) -> tuple[Turn, ...]:
    """Take due turns, longest waiting first; a failed one waits for the end of its lease.

    Each turn scans the messages of its own conversation first, so that a failing scan delays no other conversation.

    Raises:
        StoreUnavailableError: the store is away.
    """
    taken: list[Turn] = []
    for _ in range(most):
        conversation = None if is_stopping() else turns.claim(deps, worker)
        if conversation is None:
            break
        try:
            with tracing.span("turn") as span:
                turn = turns.take(deps, conversation, worker)
                span.set(path=turn.path if turn is not None else "none")
        except StoreUnavailableError:
            raise
        except Exception as failed:  # noqa: BLE001  a worker loop: one bad conversation never stops the rest
            on_failure("conversation.failed id", conversation.id, failed)
            continue
        if turn is None:
            break
        taken.append(turn)
        _log.info("conversation.turn id=%s n=%d path=%s ms=%.0f", conversation.id, turn.n, turn.path, turn.took_ms)
    return tuple(taken)


def once(
    deps: ConversationDeps,
    messenger: Messenger,
    worker: str,
    on_failure: OnFailure = logged,
    most: int = MOST_TURNS,
) -> tuple[Turn, ...]:
    """Do all due work, and return the turns taken.

    Raises:
        Exception: the first error of a scan, after all other work.
    """
    taken: tuple[Turn, ...] = ()
    try:
        alarm.scan(deps)
    finally:
        taken = take_turns(deps, worker, on_failure=on_failure, most=most)
        alarm.tend(deps)
        progress.tend_issues(deps)
        outbox.send(deps, messenger)
        outbox.requeue_unknown(deps)
    return taken
