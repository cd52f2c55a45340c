"""Flow: what people do in a conversation: take it over, hand it back, write in it, and say who somebody is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from saidonce.converse.desk import Desk
from saidonce.converse.identity import Event, confirmed
from saidonce.converse.timers import next_wake
from saidonce.errors import NotFoundError, StaleWriteError, UsageError
from saidonce.model.conversation import (
    Conversation,
    Identity,
    OutboxKind,
    OutboxMessage,
    Path,
    Tool,
    Turn,
    TurnWrite,
)
from saidonce.text import digest

MAX_TRIES = 5


def take_over(desk: Desk, id: str, by: str) -> Turn:
    """Silence the assistant in a conversation; emergencies are still answered."""
    return _written(desk, id, f"taken_over:{by}", lambda of: replace(of, handed_off_at=desk.clock.now()))


def hand_back(desk: Desk, id: str, by: str) -> Turn:
    """Let the assistant speak again; what waits for it is due at once."""
    return _written(desk, id, f"handed_back:{by}", lambda of: replace(of, handed_off_at=None), wakes=True)


def write(desk: Desk, id: str, text: str, by: str) -> Turn:
    """Send a person's message.

    Raises:
        UsageError: it is empty.
    """
    if not text.strip():
        raise UsageError("the message is empty")
    return _written(desk, id, f"wrote:{by}", lambda of: of, text=text)


def approve(desk: Desk, id: str, tenancy_id: str, by: str) -> Turn:
    """Say who writes: the conversation is confirmed for a tenancy, and its channel identity is remembered.

    Raises:
        NotFoundError: no such tenancy.
        UsageError: the conversation is confirmed already.
    """
    home = desk.store.home(tenancy_id)
    if home is None:
        raise NotFoundError("tenancy", tenancy_id)
    held = desk.store.conversation(id)
    if held.identity not in (Identity.UNIDENTIFIED, Identity.IDENTIFIED):
        raise UsageError(f"conversation {id!r} is {held.identity} already")
    keys = tuple(dict.fromkeys((*home.resident.external_ids, held.sender.key)))
    desk.store.put_home(home.property, replace(home.resident, external_ids=keys), home.tenancy)
    return _written(
        desk, id, f"approved:{by}", lambda of: confirmed(of, Event.APPROVED, home, desk.clock.now()), wakes=True
    )


def _written(
    desk: Desk,
    id: str,
    reason: str,
    act: Callable[[Conversation], Conversation],
    wakes: bool = False,
    text: str = "",
) -> Turn:
    """Write a human turn; messages that the assistant has not seen stay unseen."""
    for _ in range(MAX_TRIES):
        before = desk.store.conversation(id)
        unseen = tuple(i.seq for i in desk.store.inbounds(id) if i.seq > before.seen)
        after = act(before)
        after = replace(after, parked=tuple(dict.fromkeys((*after.parked, *unseen))))
        now = desk.clock.now()
        wake = now if (wakes or unseen) and after.parked else next_wake(after, desk.rules)
        id_ = digest("turn", id, str(before.version + 1))
        turn = Turn(
            id_, id, before.version + 1, now, Path.HUMAN, (), (before.identity, after.identity),
            (before.gathering, after.gathering), Tool.RESPOND if text else None, reason,
        )  # fmt: skip
        said = (OutboxMessage(digest("outbox", id_, "0"), id, id_, OutboxKind.HUMAN, text, now),) if text else ()
        seen = max((before.seen, *unseen))
        try:
            desk.store.commit(TurnWrite(replace(after, wake_at=wake), before.version, seen, turn, said))
        except StaleWriteError:
            continue
        return turn
    raise StaleWriteError(f"conversation {id!r} keeps changing")
