"""What writes do to conversations and messages, the same in every store; pure."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from saidonce.adapters.postgres.clean import clean
from saidonce.adapters.postgres.records import WaitingMediaRow
from saidonce.errors import StaleWriteError, StoreCorruptError
from saidonce.foundation.model.board import IssueMove
from saidonce.foundation.model.conversation import (
    WITHDRAWN,
    Alarm,
    Conversation,
    EmergencyEvent,
    Issue,
    IssueAdvance,
    IssueState,
    LandlordNotice,
    OutboxMessage,
    OutboxState,
    ReportMove,
    TurnWrite,
)
from saidonce.foundation.model.residents import ChannelIdentity, Inbound, InboundKind, WaitingMedia
from saidonce.foundation.ports.conversations import Due, Failed
from saidonce.foundation.text import digest

_FORWARD = {
    state: n
    for n, state in enumerate(
        (
            OutboxState.QUEUED,
            OutboxState.SENDING,
            OutboxState.UNKNOWN,
            OutboxState.SENT,
            OutboxState.DELIVERED,
            OutboxState.READ,
        )
    )
}


def conversation_id(org: str, sender: ChannelIdentity, number_id: str) -> str:
    """Name a new conversation of a sender with one of our numbers by 32 hex digits."""
    return digest("conversation", org, sender.via, sender.external_user_id, number_id)


def numbered_message(inbound: Inbound, of: Conversation, seq: int) -> Inbound:
    """Return a message as it is kept: numbered, of its conversation, and not scanned."""
    return replace(inbound, seq=seq, conversation_id=of.id, scanned=False)


def heard(before: Conversation, inbound: Inbound, due: Due) -> Conversation:
    """Return a conversation as it is with one more message."""
    phone = inbound.sender.phone or before.sender.phone
    return replace(
        before,
        sender=replace(before.sender, phone=phone, verified=inbound.sender.verified),
        waiting_since=before.waiting_since or inbound.received_at,
        due_at=due(before.waiting_since, before.due_at, inbound),
        last_inbound_at=max(filter(None, (before.last_inbound_at, inbound.received_at))),
    )


def after_turn(now: Conversation, write: TurnWrite) -> Conversation:
    """Return a conversation as a turn leaves it; what messages alone move stays as it is."""
    return replace(
        write.conversation, version=write.expected + 1, seen=max(now.seen, write.seen), waiting_since=None, due_at=None,
        lease_by="", lease_until=None, last_inbound_at=now.last_inbound_at, sender=now.sender,
    )  # fmt: skip


def after_report_move(now: Conversation, move: ReportMove) -> Conversation:
    """Return the other conversation of a report that moves; its messages, its timers of a turn and its lease stay.

    Raises:
        StaleWriteError: it is not at the version that was read.
    """
    if now.version != move.expected:
        raise StaleWriteError(f"conversation {now.id!r} is at version {now.version}, not {move.expected}")
    return replace(
        move.conversation, version=move.expected + 1, seen=now.seen, waiting_since=now.waiting_since, due_at=now.due_at,
        lease_by=now.lease_by, lease_until=now.lease_until, last_inbound_at=now.last_inbound_at, sender=now.sender,
    )  # fmt: skip


def reviews(write: TurnWrite) -> tuple[tuple[str, str], ...]:
    """Return the issues that a turn puts before a person, with the reasons."""
    return (*((id_, "identity_undone") for id_ in write.flagged), *((id_, WITHDRAWN) for id_ in write.withdrawn))


def called_off(event: EmergencyEvent, after: EmergencyEvent) -> bool:
    """Say whether an emergency becomes dismissed by a change; what an issue was made of is dealt with there."""
    return not after.issue_id and after.state is Alarm.DISMISSED and event.state is not Alarm.DISMISSED


def after_dismissal(now: Conversation, event: EmergencyEvent) -> Conversation:
    """Return a conversation whose emergency was dismissed: its message waits again."""
    parked = tuple(sorted({*now.parked, event.inbound_seq}))
    return replace(now, parked=parked, due_at=now.due_at or event.at, version=now.version + 1)


def became_alarm(event: EmergencyEvent, after: EmergencyEvent) -> bool:
    """Say whether what was only possible becomes an alarm by a change."""
    return event.state is Alarm.POSSIBLE and after.state in (Alarm.SUSPECTED, Alarm.VALIDATED)


def with_alarm(now: Conversation, event: EmergencyEvent) -> Conversation:
    """Return a conversation with a new alarm: a turn is due at once, to find out whose home it is."""
    return replace(now, due_at=now.due_at or event.at, version=now.version + 1)


def waits_for_files(of: Inbound) -> tuple[WaitingMediaRow, ...]:
    """Return the files of a kept message that are to be fetched."""
    if of.kind is not InboundKind.MEDIA:
        return ()
    ids = dict.fromkeys(m.id for m in of.media if not m.stored)
    return tuple(WaitingMediaRow(of.seq, id_, 0, of.received_at) for id_ in ids)


def waiting_of(of: Inbound, row: WaitingMediaRow) -> WaitingMedia:
    """Put together a file that waits, from its message.

    Raises:
        StoreCorruptError: its message has no such file.
    """
    media = next((m for m in of.media if m.id == row.media_id), None)
    if media is None:
        raise StoreCorruptError(f"message {row.seq} has no file {row.media_id!r}")
    return WaitingMedia(of, media, row.n_tries)


def after_status(
    known: OutboxMessage, state: OutboxState, external_id: str, not_before: datetime | None = None
) -> OutboxMessage:
    """Return a message as a status leaves it: forward, back to be sent again, or as it was."""
    if known.state is OutboxState.FAILED:
        return known
    unsure = known.state in (OutboxState.SENDING, OutboxState.UNKNOWN)
    again = unsure and state is OutboxState.QUEUED
    if state is OutboxState.FAILED or again or _FORWARD[state] > _FORWARD[known.state]:
        held = not_before if again else None
        return replace(known, state=state, external_id=external_id or known.external_id, lease_until=held)
    return known


def failure_notice(known: OutboxMessage, after: OutboxMessage, if_failed: Failed | None) -> tuple[LandlordNotice, ...]:
    """Return the landlord notice about a message that has just failed for good; None if it had failed before."""
    has_ended = after.state is OutboxState.FAILED and known.state is not OutboxState.FAILED
    return (if_failed(after),) if has_ended and if_failed is not None else ()


def after_move(known: Issue, to: IssueState, is_looked_at: bool, move: IssueMove) -> tuple[Issue, IssueMove | None]:
    """Return an issue after a move, and the move with the cleared review mark; None if nothing changes."""
    after = replace(known, state=to, review="" if is_looked_at else known.review)
    return after, replace(move, looked_at=known.review if is_looked_at else "") if after != known else None


def after_step(known: Issue, advance: IssueAdvance, n: int) -> tuple[Issue, IssueMove | None]:
    """Return an issue after a step, and the step as move `n` of its history; None if it leaves nothing there.

    Raises:
        StaleWriteError: the issue is not as it was read.
    """
    before, after = advance.before, advance.after
    if (known.state, known.review, known.progress) != (before.state, before.review, before.progress):
        raise StaleWriteError(f"issue {known.id!r} has changed")
    result = replace(known, state=after.state, review=after.review, progress=after.progress)
    looked_at = known.review if known.review and not after.review else ""
    move = IssueMove(
        known.id, n, advance.at, advance.actor, known.state, after.state, looked_at, advance.step, advance.note,
        advance.media,
    )  # fmt: skip
    is_kept = advance.step is not None or (known.state, known.review) != (after.state, after.review)
    return result, move if is_kept else None


def still_open(event: EmergencyEvent) -> bool:
    """Say whether something is left to be done about an emergency that was answered."""
    unfinished = event.alerted_at is None or not event.issue_id or event.acknowledged_at is None
    return event.replied and event.state is not Alarm.DISMISSED and unfinished


def postcode_key(postcode: str) -> str:
    """Return a postcode as it is looked for: no spaces, lower case."""
    return clean(postcode.replace(" ", "").casefold())


def last_name(name: str) -> str | None:
    """Return the last word of a name in lower case, or None."""
    words = name.casefold().split()
    return clean(words[-1]) if words else None
