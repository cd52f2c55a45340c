"""Conversations in memory: the shipped fake; see `saidonce.ports.conversations.Conversations`."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from typing import Any, TypeVar

from saidonce.errors import NotFoundError, StaleWriteError
from saidonce.model.conversation import (
    Alarm,
    Conversation,
    EmergencyEvent,
    Issue,
    LandlordNotice,
    OutboxKind,
    OutboxMessage,
    OutboxState,
    Turn,
    TurnWrite,
)
from saidonce.model.residents import (
    ChannelIdentity,
    Home,
    Inbound,
    InboundKind,
    Property,
    Resident,
    Tenancy,
    WaitingMedia,
)
from saidonce.ports.conversations import Due
from saidonce.store.clean import clean
from saidonce.text import digest

_Noun = TypeVar("_Noun")

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


@dataclass
class _Rows:
    """Everything of one organisation."""

    inbox: dict[tuple[str, str, str], Inbound] = field(default_factory=dict)
    waiting: dict[tuple[str, str, str, str], tuple[datetime, WaitingMedia]] = field(default_factory=dict)
    conversations: dict[str, Conversation] = field(default_factory=dict)
    turns: dict[str, Turn] = field(default_factory=dict)
    outbox: dict[str, OutboxMessage] = field(default_factory=dict)
    issues: dict[str, Issue] = field(default_factory=dict)
    events: dict[str, EmergencyEvent] = field(default_factory=dict)
    notices: dict[str, LandlordNotice] = field(default_factory=dict)
    properties: dict[str, Property] = field(default_factory=dict)
    residents: dict[str, Resident] = field(default_factory=dict)
    tenancies: dict[str, Tenancy] = field(default_factory=dict)


def conversation_id(org: str, sender: ChannelIdentity, number_id: str) -> str:
    """Name the conversation of a sender with one of our numbers by 32 hex digits."""
    return digest("conversation", org, sender.via, sender.external_user_id, number_id)


class MemoryConversations:
    """Keeps the conversations of one organisation in memory; safe to use from several threads."""

    def __init__(self, org: str = "default") -> None:
        self._org = org
        self._rows = _Rows()
        self._lock = threading.RLock()

    @property
    def org(self) -> str:
        """The organisation."""
        return self._org

    def receive(self, inbound: Inbound, due: Due) -> tuple[Inbound, bool]:
        """Keep a message once for its key, with its conversation; say whether it is new."""
        given = _cleaned(inbound)
        with self._lock:
            if known := self._rows.inbox.get(given.key):
                return known, False
            id_ = conversation_id(self._org, given.sender, given.number_id)
            kept = replace(given, seq=len(self._rows.inbox) + 1, conversation_id=id_, scanned=False)
            at = self._rows.conversations.get(id_) or Conversation(id_, kept.sender, kept.number_id, kept.received_at)
            heard = max(filter(None, (at.last_inbound_at, kept.received_at)))
            self._rows.conversations[id_] = replace(
                at,
                sender=replace(at.sender, phone=kept.sender.phone or at.sender.phone, verified=kept.sender.verified),
                waiting_since=at.waiting_since or kept.received_at,
                due_at=due(at.waiting_since, at.due_at, kept),
                last_inbound_at=heard,
            )
            self._rows.inbox[kept.key] = kept
            if kept.kind is InboundKind.MEDIA:
                for media in kept.media:
                    if not media.stored:
                        waiting = WaitingMedia(kept, media, 0)
                        self._rows.waiting[(*kept.key, media.id)] = (kept.received_at, waiting)
            return kept, True

    def unscanned(self, limit: int = 100) -> tuple[Inbound, ...]:
        """Give messages that the emergency scan has not looked at, oldest first."""
        with self._lock:
            return tuple(i for i in self._rows.inbox.values() if not i.scanned)[:limit]

    def record_scan(
        self,
        inbound: Inbound,
        n_events: int,
        events: Sequence[EmergencyEvent],
        outbox: Sequence[OutboxMessage],
        notices: Sequence[LandlordNotice],
    ) -> None:
        """Mark a message as scanned and keep what came of it; nothing if it is marked already."""
        with self._lock:
            known = self._rows.inbox[inbound.key]
            if known.scanned:
                return
            if len(self.events(inbound.conversation_id)) != n_events:
                raise StaleWriteError(f"conversation {inbound.conversation_id!r} has another emergency by now")
            self._rows.inbox[inbound.key] = replace(known, scanned=True)
            self._keep(events, outbox, notices)

    def claim(self, worker: str, now: datetime, until: datetime) -> Conversation | None:
        """Lease the conversation that is due longest; None if none is."""
        with self._lock:
            ready = [(at, c.id) for c in self._rows.conversations.values() if (at := _ready_at(c, now))]
            if not ready:
                return None
            held = replace(self._rows.conversations[min(ready)[1]], lease_by=worker, lease_until=until)
            self._rows.conversations[held.id] = held
            return held

    def release(self, id: str, worker: str) -> None:
        """Give a lease back; nothing if it is another's by now."""
        with self._lock:
            held = self.conversation(id)
            if held.lease_by == worker:
                self._rows.conversations[id] = replace(held, lease_by="", lease_until=None)

    def commit(self, write: TurnWrite) -> None:
        """Write a turn with everything it did, and end the lease."""
        with self._lock:
            id_ = write.conversation.id
            now = self.conversation(id_)
            if now.version != write.expected:
                raise StaleWriteError(f"conversation {id_!r} is at version {now.version}, not {write.expected}")
            if any(i.seq > write.seen for i in self.inbounds(id_)):
                raise StaleWriteError(f"conversation {id_!r} has a message that the turn has not seen")
            self._rows.conversations[id_] = replace(
                write.conversation, version=write.expected + 1, seen=max(now.seen, write.seen),
                waiting_since=None, due_at=None, lease_by="", lease_until=None,
                last_inbound_at=now.last_inbound_at, sender=now.sender,
            )  # fmt: skip
            self._rows.turns[write.turn.id] = write.turn
            self._keep((), write.outbox, write.notices)
            self._keep_issue(write.issue)
            if write.extended:
                self._rows.issues[write.extended.id] = write.extended
            for flagged in write.flagged:
                self._rows.issues[flagged] = replace(self._rows.issues[flagged], review="identity_undone")

    def _keep(
        self,
        events: Sequence[EmergencyEvent],
        outbox: Sequence[OutboxMessage],
        notices: Sequence[LandlordNotice],
    ) -> None:
        self._rows.events.update({e.id: e for e in events})
        for message in outbox:
            self._rows.outbox.setdefault(message.id, _cleaned(message))
        for notice in notices:
            self._rows.notices.setdefault(notice.dedupe_key, notice)

    def _keep_issue(self, issue: Issue | None) -> None:
        if issue and issue.turn_id not in {i.turn_id for i in self._rows.issues.values()}:
            self._rows.issues[issue.id] = issue

    def conversation(self, id: str) -> Conversation:
        """Give a conversation."""
        with self._lock:
            return _there("conversation", id, self._rows.conversations)

    def conversations(self, limit: int = 100) -> tuple[Conversation, ...]:
        """Give conversations, the last heard of first, ties by id."""
        with self._lock:
            by_id = sorted(self._rows.conversations.values(), key=lambda c: c.id)
            heard = sorted(by_id, key=lambda c: c.last_inbound_at or c.started_at, reverse=True)
            return tuple(heard[:limit])

    def inbounds(self, conversation_id: str, from_seq: int = 0) -> tuple[Inbound, ...]:
        """Give the messages of a conversation from one seq on, by seq."""
        with self._lock:
            mine = (i for i in self._rows.inbox.values() if i.conversation_id == conversation_id)
            return tuple(i for i in mine if i.seq >= from_seq)

    def turns(self, conversation_id: str) -> tuple[Turn, ...]:
        """Give the turns of a conversation, oldest first."""
        with self._lock:
            return tuple(t for t in self._rows.turns.values() if t.conversation_id == conversation_id)

    def take_outbox(self, now: datetime, until: datetime, limit: int = 20) -> tuple[OutboxMessage, ...]:
        """Lease queued messages for sending, safety first, then oldest first."""
        with self._lock:
            for message in list(self._rows.outbox.values()):
                if message.state is OutboxState.SENDING and message.lease_until and message.lease_until <= now:
                    self._rows.outbox[message.id] = replace(message, state=OutboxState.UNKNOWN, lease_until=None)
            queued = [m for m in self._rows.outbox.values() if m.state is OutboxState.QUEUED]
            held = {m.conversation_id for m in queued if not _is_free(m, now)}
            queued = [
                m for m in queued if _is_free(m, now) and (m.kind is OutboxKind.SAFETY or m.conversation_id not in held)
            ]
            queued.sort(key=lambda m: (m.kind is not OutboxKind.SAFETY, m.made_at))
            taken = [
                replace(m, state=OutboxState.SENDING, lease_until=until, n_tries=m.n_tries + 1) for m in queued[:limit]
            ]
            self._rows.outbox.update({m.id: m for m in taken})
            return tuple(taken)

    def mark_outbox(
        self, id: str, state: OutboxState, external_id: str = "", not_before: datetime | None = None
    ) -> None:
        """Move a message forward; else nothing."""
        with self._lock:
            known = _there("message", id, self._rows.outbox)
            unsure = known.state in (OutboxState.SENDING, OutboxState.UNKNOWN)
            if known.state is OutboxState.FAILED:
                return
            again = unsure and state is OutboxState.QUEUED
            if state is OutboxState.FAILED or again or _FORWARD[state] > _FORWARD[known.state]:
                self._rows.outbox[id] = replace(
                    known, state=state, external_id=external_id or known.external_id, lease_until=not_before
                )

    def take_media(self, now: datetime, until: datetime, limit: int = 10) -> tuple[WaitingMedia, ...]:
        """Lease files to be fetched, one more try each, the longest due first, ties in the order of the inbox."""
        with self._lock:
            due = [(at, w.inbound.seq, key, w) for key, (at, w) in self._rows.waiting.items() if at <= now]
            taken = []
            for _, _, key, waiting in sorted(due, key=lambda row: row[:3])[:limit]:
                again = replace(waiting, n_tries=waiting.n_tries + 1)
                self._rows.waiting[key] = (until, again)
                taken.append(again)
            return tuple(taken)

    def put_off_media(self, waiting: WaitingMedia, until: datetime) -> None:
        """Take a file up again, not before a moment; nothing if it does not wait any more."""
        with self._lock:
            key = (*waiting.inbound.key, waiting.media.id)
            if key in self._rows.waiting:
                self._rows.waiting[key] = (until, self._rows.waiting[key][1])

    def end_media(self, waiting: WaitingMedia) -> None:
        """Let a file wait no more."""
        with self._lock:
            self._rows.waiting.pop((*waiting.inbound.key, waiting.media.id), None)

    def outbox(self, conversation_id: str = "") -> tuple[OutboxMessage, ...]:
        """Give messages to residents, of one conversation or all, oldest first."""
        with self._lock:
            return tuple(m for m in self._rows.outbox.values() if conversation_id in ("", m.conversation_id))

    def put_issue(self, issue: Issue) -> None:
        """Change an issue; never its turn."""
        with self._lock:
            known = _there("issue", issue.id, self._rows.issues)
            self._rows.issues[issue.id] = replace(issue, turn_id=known.turn_id)

    def issues(self, property_id: str = "") -> tuple[Issue, ...]:
        """Give issues, of one property or all, oldest first, ties by id."""
        with self._lock:
            found = (i for i in self._rows.issues.values() if property_id in ("", i.property_id))
            return tuple(sorted(found, key=lambda i: (i.created_at, i.id)))

    def settle_event(
        self,
        before: EmergencyEvent,
        after: EmergencyEvent,
        issue: Issue | None,
        notices: Sequence[LandlordNotice],
        outbox: Sequence[OutboxMessage],
    ) -> None:
        """Change an emergency event with what that leads to."""
        with self._lock:
            if self._rows.events.get(before.id) != before:
                raise StaleWriteError(f"emergency {before.id!r} has changed")
            self._keep([after], outbox, notices)
            self._keep_issue(issue)
            if after.state is Alarm.DISMISSED and before.state is not Alarm.DISMISSED:
                held = self.conversation(before.conversation_id)
                parked = tuple(sorted({*held.parked, before.inbound_seq}))
                due = held.due_at or before.at
                self._rows.conversations[held.id] = replace(held, parked=parked, due_at=due, version=held.version + 1)

    def events(self, conversation_id: str = "", is_open: bool = False) -> tuple[EmergencyEvent, ...]:
        """Give emergency events, of one conversation or all, oldest first."""
        with self._lock:
            mine = (e for e in self._rows.events.values() if conversation_id in ("", e.conversation_id))
            return tuple(e for e in mine if not is_open or _is_open(e))

    def notices(self) -> tuple[LandlordNotice, ...]:
        """Give what landlords were told, in the order in which it was written."""
        with self._lock:
            return tuple(self._rows.notices.values())

    def put_home(self, property: Property, resident: Resident, tenancy: Tenancy) -> None:
        """Add or change a property, a resident and the tenancy that joins them."""
        with self._lock:
            self._rows.properties[property.id] = property
            self._rows.residents[resident.id] = resident
            self._rows.tenancies[tenancy.id] = tenancy

    def homes(self) -> tuple[Home, ...]:
        """Give all tenancies with their properties and residents, ended or not, by tenancy id."""
        with self._lock:
            return tuple(self._home(t) for _, t in sorted(self._rows.tenancies.items()))

    def home(self, tenancy_id: str) -> Home | None:
        """Give a tenancy with its property and resident, ended or not."""
        with self._lock:
            tenancy = self._rows.tenancies.get(tenancy_id)
            return None if tenancy is None else self._home(tenancy)

    def homes_of(self, keys: Sequence[str], phone: str | None, at: datetime) -> tuple[Home, ...]:
        """Give the homes of residents with one of these channel identities or this phone, active, by id."""
        return tuple(
            h
            for h in self._active(at)
            if set(keys) & set(h.resident.external_ids) or (phone and phone in h.resident.phones)
        )

    def homes_named(self, words: Sequence[str], at: datetime, limit: int = 10) -> tuple[Home, ...]:
        """Give active homes whose postcode or whose resident's last name is a word, by id."""
        said = set(words)
        return tuple(
            h
            for h in self._active(at)
            if h.property.postcode.replace(" ", "").casefold() in said
            or h.resident.name.casefold().split()[-1:] in [[w] for w in said]
        )[:limit]

    def _active(self, at: datetime) -> list[Home]:
        return [
            h
            for h in self.homes()
            if h.tenancy.starts_at <= at and (h.tenancy.ends_at is None or at < h.tenancy.ends_at)
        ]

    def _home(self, tenancy: Tenancy) -> Home:
        return Home(tenancy, self._rows.properties[tenancy.property_id], self._rows.residents[tenancy.resident_id])


def _ready_at(of: Conversation, now: datetime) -> datetime | None:
    if of.lease_until is not None and of.lease_until > now:
        return None
    times = [at for at in (of.due_at, of.wake_at) if at is not None and at <= now]
    return min(times, default=None)


def _is_free(message: OutboxMessage, now: datetime) -> bool:
    return message.lease_until is None or message.lease_until <= now


def _is_open(event: EmergencyEvent) -> bool:
    unfinished = event.alerted_at is None or not event.issue_id
    return event.replied and event.state is not Alarm.DISMISSED and unfinished


def _there(noun: str, id: str, rows: dict[str, _Noun]) -> _Noun:
    if id not in rows:
        raise NotFoundError(noun, id)
    return rows[id]


def _cleaned(noun: Any) -> Any:
    """Give it with every text as a store keeps it."""
    texts = {f.name: clean(v) for f in fields(noun) if isinstance(v := getattr(noun, f.name), str) and type(v) is str}
    return replace(noun, **texts)
