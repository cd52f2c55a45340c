"""Actions of the landlord's team: take over, hand back, write, approve or undo an identity."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

from saidonce.errors import NotFoundError, StaleWriteError, UsageError
from saidonce.foundation.model.conversation import (
    Alarm,
    Conversation,
    Gathering,
    IdentityStatus,
    IssueDraft,
    OutboxKind,
    OutboxMessage,
    Path,
    Tool,
    Turn,
    TurnWrite,
    Way,
)
from saidonce.foundation.text import digest
from saidonce.repairs.conversation.acknowledging import acknowledge_all
from saidonce.repairs.conversation.deps import ConversationDeps
from saidonce.repairs.conversation.executor import CLOSED
from saidonce.repairs.conversation.identity import Event, confirm, undo
from saidonce.repairs.conversation.one_person import joined, last_used
from saidonce.repairs.conversation.one_report import with_report_back
from saidonce.repairs.conversation.timers import next_wake

MAX_TRIES = 5
APPROVED = "approved"
"""Beginning of the reason of a turn that approved an identity."""


@dataclass(frozen=True, slots=True)
class _Action:
    """An action: its reason for the log, its change, and its side effects."""

    reason: str
    change: Callable[[Conversation], Conversation]
    wakes: bool = False
    text: str = ""
    effects: tuple[str, ...] = ()
    flagged: tuple[str, ...] = ()


def take_over(deps: ConversationDeps, id: str, by: str) -> Turn:
    """Silence the assistant in a conversation, on all channels of its resident; emergencies still get replies.

    Whoever does so during an alarm has seen it: that acknowledges it.
    """

    def change(of: Conversation) -> Conversation:
        return replace(of, handed_off_at=of.handed_off_at or deps.clock.now())

    turn = _on_all_channels(deps, id, _Action(f"taken_over:{by}", change))
    acknowledge_all(deps, id, by, Way.TAKE_OVER)
    return turn


def hand_back(deps: ConversationDeps, id: str, by: str) -> Turn:
    """Resume the assistant, on all channels: it answers the messages since the person's last one at once.

    If the person wrote to the resident meanwhile, the open report is theirs: the old question is not asked again.
    """
    before = deps.store.conversation(id)
    effects = ("draft_closed:settled_by_person",) if before.draft.since and _wrote(deps, before) else ()

    def change(of: Conversation) -> Conversation:
        after = replace(of, handed_off_at=None, parked=_waiting(deps, of))
        return _without_draft(after) if _wrote(deps, of) else after

    return _on_all_channels(deps, id, _Action(f"handed_back:{by}", change, wakes=True, effects=effects))


def write_as_staff(deps: ConversationDeps, id: str, text: str, by: str) -> Turn:
    """Send a person's message, on the channel that the resident used last.

    Raises:
        UsageError: it is empty.
    """
    if not text.strip():
        raise UsageError("the message is empty")
    to = last_used(deps, deps.store.conversation(id))
    return _commit(deps, to.id, _Action(f"wrote:{by}", lambda of: of, text=text))


def approve_identity(deps: ConversationDeps, id: str, tenancy_id: str, by: str) -> Turn:
    """Approve the writer: confirm the conversation for a tenancy, and remember its channel identity.

    Raises:
        NotFoundError: no such tenancy.
        UsageError: the conversation is confirmed already.
    """
    home = deps.store.home(tenancy_id)
    if home is None:
        raise NotFoundError("tenancy", tenancy_id)
    conversation = deps.store.conversation(id)
    if conversation.identity not in (IdentityStatus.UNIDENTIFIED, IdentityStatus.IDENTIFIED):
        raise UsageError(f"conversation {id!r} is already {conversation.identity}")
    keys = tuple(dict.fromkeys((*home.resident.external_ids, conversation.sender.key)))
    deps.store.put_home(home.property, replace(home.resident, external_ids=keys), home.tenancy)
    effects = (f"tenancy:{tenancy_id}",)
    act = _Action(
        f"{APPROVED}:{by}", lambda of: confirm(of, Event.APPROVED, home, deps.clock.now()), True, effects=effects
    )  # fmt: skip
    return _commit(deps, id, act)


def undo_identity(deps: ConversationDeps, id: str, by: str) -> Turn:
    """Undo the identity of a conversation: its home is not offered again, and its issues are flagged for a check.

    A channel identity remembered by an approval is forgotten.

    Raises:
        UsageError: the conversation has no identity to undo.
    """
    conversation = deps.store.conversation(id)
    home = deps.store.home(conversation.tenancy_id) if conversation.tenancy_id else None
    if not conversation.identity.is_known or home is None:
        raise UsageError(f"conversation {id!r} is {conversation.identity}; there is nothing to undo")
    if any(t.reason.startswith(f"{APPROVED}:") for t in deps.store.turns(id)):
        keys = tuple(k for k in home.resident.external_ids if k != conversation.sender.key)
        deps.store.put_home(home.property, replace(home.resident, external_ids=keys), home.tenancy)
    mine = [i for i in deps.store.issues(home.property.id) if i.conversation_id == id and i.state not in CLOSED]
    flagged = tuple(i.id for i in mine)
    return _commit(deps, id, _Action(f"disowned:{by}", lambda of: undo(of, Event.UNDONE), flagged=flagged))


def _wrote(deps: ConversationDeps, of: Conversation) -> tuple[datetime, ...]:
    """Return when persons wrote to the resident since the hand-off."""
    since = of.handed_off_at
    if since is None:
        return ()
    return tuple(m.made_at for m in deps.store.outbox(of.id) if m.kind is OutboxKind.HUMAN and m.made_at >= since)


def _without_draft(of: Conversation) -> Conversation:
    """Return the conversation without its open report and those that wait."""
    gathering = Gathering.IDLE if of.draft.since else of.gathering
    return replace(
        of, draft=IssueDraft(), more_drafts=(), told_on=(), gathering=gathering, draft_expires_at=None,
        is_nudged=False,
    )  # fmt: skip


def _waiting(deps: ConversationDeps, of: Conversation) -> tuple[int, ...]:
    """Return the seqs of messages to answer after a hand-back, in order of arrival.

    Messages since the hand-off wait, except those before a reply of the person, and emergencies, which have their own
    reply. Messages parked before the hand-off go on waiting.
    """
    if of.handed_off_at is None:
        return of.parked
    since = of.handed_off_at
    wrote = _wrote(deps, of)
    alarms = {e.inbound_seq for e in deps.store.events(of.id) if e.state is not Alarm.DISMISSED}
    came = [i for i in deps.store.inbounds(of.id) if i.received_at >= since]
    seqs = set(of.parked) - {i.seq for i in came}
    seqs |= {i.seq for i in came if not any(i.received_at <= at for at in wrote) and i.seq not in alarms}
    return tuple(sorted(seqs))


def _on_all_channels(deps: ConversationDeps, id: str, act: _Action) -> Turn:
    """Act on all conversations of a resident; return the turn of the one that is named."""
    for other in joined(deps, deps.store.conversation(id)):
        if other.id != id:
            _commit(deps, other.id, act)
    return _commit(deps, id, act)


def _commit(deps: ConversationDeps, id: str, act: _Action) -> Turn:
    """Write a turn of a person; messages unseen by the assistant stay unseen."""
    for _ in range(MAX_TRIES):
        before = deps.store.conversation(id)
        unseen = tuple(i.seq for i in deps.store.inbounds(id) if i.seq > before.seen)
        after, moved, effects = with_report_back(deps, before, act.change(before))
        after = replace(after, parked=tuple(dict.fromkeys((*after.parked, *unseen))))
        now = deps.clock.now()
        wake = now if (act.wakes or unseen) and after.parked else next_wake(after, deps.rules)
        id_ = digest("turn", id, str(before.version + 1))
        turn = Turn(
            id_, id, before.version + 1, now, Path.HUMAN, (), (before.identity, after.identity),
            (before.gathering, after.gathering), Tool.RESPOND if act.text else None, act.reason,
            effects=(*act.effects, *effects),
        )  # fmt: skip
        outbox = (
            (OutboxMessage(digest("outbox", id_, "0"), id, id_, OutboxKind.HUMAN, act.text, now),) if act.text else ()
        )
        seen = max((before.seen, *unseen))
        try:
            deps.store.commit(
                TurnWrite(
                    replace(after, wake_at=wake), before.version, seen, turn, outbox, flagged=act.flagged, moved=moved
                )
            )
        except StaleWriteError:
            continue
        return turn
    raise StaleWriteError(f"conversation {id!r} keeps changing")
