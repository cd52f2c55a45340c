"""Flow: what people do: take a conversation over and hand it back, write in it, say who somebody is, move issues."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from saidonce.errors import NotFoundError, StaleWriteError, UsageError
from saidonce.foundation.model.conversation import (
    Alarm,
    Conversation,
    IdentityStatus,
    Issue,
    IssueState,
    OutboxKind,
    OutboxMessage,
    Path,
    Tool,
    Turn,
    TurnWrite,
)
from saidonce.foundation.text import digest
from saidonce.repairs.conversation.deps import ConversationDeps
from saidonce.repairs.conversation.execute import CLOSED
from saidonce.repairs.conversation.identity import Event, confirmed, undone
from saidonce.repairs.conversation.timers import next_wake

MAX_TRIES = 5
APPROVED = "approved"
"""How the reason of a turn begins in which somebody's identity was approved."""


@dataclass(frozen=True, slots=True)
class _Act:
    """What somebody does: the reason that is noted, the change, and what goes along with it."""

    reason: str
    change: Callable[[Conversation], Conversation]
    wakes: bool = False
    text: str = ""
    effects: tuple[str, ...] = ()
    flagged: tuple[str, ...] = ()


def take_over(deps: ConversationDeps, id: str, by: str) -> Turn:
    """Silence the assistant in a conversation; emergencies are still answered."""

    def change(of: Conversation) -> Conversation:
        return replace(of, handed_off_at=of.handed_off_at or deps.clock.now())

    return _written(deps, id, _Act(f"taken_over:{by}", change))


def hand_back(deps: ConversationDeps, id: str, by: str) -> Turn:
    """Let the assistant speak again: it answers at once what came meanwhile, after the person's last message."""

    def change(of: Conversation) -> Conversation:
        return replace(of, handed_off_at=None, parked=_waiting(deps, of))

    return _written(deps, id, _Act(f"handed_back:{by}", change, wakes=True))


def write(deps: ConversationDeps, id: str, text: str, by: str) -> Turn:
    """Send a person's message.

    Raises:
        UsageError: it is empty.
    """
    if not text.strip():
        raise UsageError("the message is empty")
    return _written(deps, id, _Act(f"wrote:{by}", lambda of: of, text=text))


def approve(deps: ConversationDeps, id: str, tenancy_id: str, by: str) -> Turn:
    """Say who writes: the conversation is confirmed for a tenancy, and its channel identity is remembered.

    Raises:
        NotFoundError: no such tenancy.
        UsageError: the conversation is confirmed already.
    """
    home = deps.store.home(tenancy_id)
    if home is None:
        raise NotFoundError("tenancy", tenancy_id)
    held = deps.store.conversation(id)
    if held.identity not in (IdentityStatus.UNIDENTIFIED, IdentityStatus.IDENTIFIED):
        raise UsageError(f"conversation {id!r} is {held.identity} already")
    keys = tuple(dict.fromkeys((*home.resident.external_ids, held.sender.key)))
    deps.store.put_home(home.property, replace(home.resident, external_ids=keys), home.tenancy)
    effects = (f"tenancy:{tenancy_id}",)
    act = _Act(
        f"{APPROVED}:{by}", lambda of: confirmed(of, Event.APPROVED, home, deps.clock.now()), True, effects=effects
    )  # fmt: skip
    return _written(deps, id, act)


def disown(deps: ConversationDeps, id: str, by: str) -> Turn:
    """Undo who writes: the conversation is nobody's, that home is not offered to it again, its issues want a look.

    A channel identity that was remembered because somebody approved it is forgotten.

    Raises:
        UsageError: the conversation is nobody's already.
    """
    held = deps.store.conversation(id)
    home = deps.store.home(held.tenancy_id) if held.tenancy_id else None
    if held.identity not in (IdentityStatus.CONFIRMED, IdentityStatus.ACTIVE) or home is None:
        raise UsageError(f"conversation {id!r} is {held.identity}; there is nothing to undo")
    if any(t.reason.startswith(f"{APPROVED}:") for t in deps.store.turns(id)):
        keys = tuple(k for k in home.resident.external_ids if k != held.sender.key)
        deps.store.put_home(home.property, replace(home.resident, external_ids=keys), home.tenancy)
    mine = [i for i in deps.store.issues(home.property.id) if i.conversation_id == id and i.state not in CLOSED]
    flagged = tuple(i.id for i in mine)
    return _written(deps, id, _Act(f"disowned:{by}", lambda of: undone(of, Event.UNDONE), flagged=flagged))


def move_issue(deps: ConversationDeps, id: str, to: IssueState, by: str, is_looked_at: bool = False) -> Issue:
    """Move an issue on the board, which its history keeps; `is_looked_at` also takes its reason for a look away.

    A move back is a move.

    Raises:
        NotFoundError: there is no such issue.
    """
    return deps.store.move_issue(id, to, by, deps.clock.now(), is_looked_at)


def _waiting(deps: ConversationDeps, of: Conversation) -> tuple[int, ...]:
    """What the assistant has to answer once a conversation is handed back, in the order in which it came.

    What came since the hand-off waits, unless the person wrote after it or it is an emergency, which has its own
    answer. What was put off before the hand-off goes on waiting.
    """
    if of.handed_off_at is None:
        return of.parked
    since = of.handed_off_at
    wrote = [m.made_at for m in deps.store.outbox(of.id) if m.kind is OutboxKind.HUMAN and m.made_at >= since]
    alarms = {e.inbound_seq for e in deps.store.events(of.id) if e.state is not Alarm.DISMISSED}
    came = [i for i in deps.store.inbounds(of.id) if i.received_at >= since]
    kept = set(of.parked) - {i.seq for i in came}
    kept |= {i.seq for i in came if not any(i.received_at <= at for at in wrote) and i.seq not in alarms}
    return tuple(sorted(kept))


def _written(deps: ConversationDeps, id: str, act: _Act) -> Turn:
    """Write a human turn; messages that the assistant has not seen stay unseen."""
    for _ in range(MAX_TRIES):
        before = deps.store.conversation(id)
        unseen = tuple(i.seq for i in deps.store.inbounds(id) if i.seq > before.seen)
        after = act.change(before)
        after = replace(after, parked=tuple(dict.fromkeys((*after.parked, *unseen))))
        now = deps.clock.now()
        wake = now if (act.wakes or unseen) and after.parked else next_wake(after, deps.rules)
        id_ = digest("turn", id, str(before.version + 1))
        turn = Turn(
            id_, id, before.version + 1, now, Path.HUMAN, (), (before.identity, after.identity),
            (before.gathering, after.gathering), Tool.RESPOND if act.text else None, act.reason, effects=act.effects,
        )  # fmt: skip
        said = (
            (OutboxMessage(digest("outbox", id_, "0"), id, id_, OutboxKind.HUMAN, act.text, now),) if act.text else ()
        )
        seen = max((before.seen, *unseen))
        try:
            deps.store.commit(
                TurnWrite(replace(after, wake_at=wake), before.version, seen, turn, said, flagged=act.flagged)
            )
        except StaleWriteError:
            continue
        return turn
    raise StaleWriteError(f"conversation {id!r} keeps changing")
