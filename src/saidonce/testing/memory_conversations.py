"""Conversations in memory: the shipped fake; see `saidonce.foundation.ports.conversations.Conversations`."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TypeVar

from saidonce.adapters.postgres.clean import clean, clean_time, cleaned
from saidonce.adapters.postgres.conversation_steps import (
    after_dismissal,
    after_move,
    after_report_move,
    after_status,
    after_step,
    after_turn,
    became_alarm,
    called_off,
    conversation_id,
    failure_notice,
    heard,
    last_name,
    numbered_message,
    postcode_key,
    reviews,
    still_open,
    waiting_of,
    waits_for_files,
    with_alarm,
)
from saidonce.errors import NotFoundError, StaleWriteError, StoreCorruptError
from saidonce.foundation.model.board import IssueMove
from saidonce.foundation.model.call_outs import CallOutList
from saidonce.foundation.model.conversation import (
    Conversation,
    EmergencyEvent,
    Issue,
    IssueAdvance,
    IssueState,
    LandlordNotice,
    OutboxKind,
    OutboxMessage,
    OutboxState,
    ReportMove,
    Turn,
    TurnWrite,
)
from saidonce.foundation.model.residents import Home, Inbound, Property, Resident, Tenancy, WaitingMedia
from saidonce.foundation.ports.conversations import Due, Failed
from saidonce.testing.memory_conversation_state import ConversationState
from saidonce.testing.memory_personal_data import MemoryPersonalData

_Noun = TypeVar("_Noun")


class MemoryConversations(MemoryPersonalData):
    """Keeps the conversations of one organisation in memory; safe to use from several threads."""

    def __init__(self, org: str = "default") -> None:
        self._org = org
        self._rows = ConversationState()
        self._last_seq = 0
        self._lock = threading.RLock()

    @property
    def org(self) -> str:
        """The organisation."""
        return self._org

    def rows(self) -> Iterator[object]:
        """Return everything as the rows of an export, as of one moment."""
        with self._lock:
            return self._rows.copy().rows()

    def is_empty(self) -> bool:
        """Return whether nothing is kept."""
        return self._rows.is_empty()

    def load(self, rows: Iterable[object]) -> None:
        """Keep the rows of an export instead of nothing."""
        talk = ConversationState()
        for row in rows:
            talk.add(row)
        with self._lock:
            self._rows = talk
            self._last_seq = max((i.seq for i in talk.inbox.values()), default=0)

    def receive(self, inbound: Inbound, due: Due) -> tuple[Inbound, bool]:
        """Keep a message once for its key, with its conversation; say whether it is new."""
        clean_inbound = cleaned(inbound)
        with self._lock:
            if known := self._rows.inbox.get(clean_inbound.key):
                return known, False
            held = self._of(clean_inbound)
            self._last_seq += 1
            fresh = numbered_message(clean_inbound, held, self._last_seq)
            self._rows.conversations[held.id] = heard(held, fresh, due)
            self._rows.inbox[fresh.key] = fresh
            self._rows.waiting.update({(row.seq, row.media_id): row for row in waits_for_files(fresh)})
            return fresh, True

    def _of(self, inbound: Inbound) -> Conversation:
        """Return the conversation of a message, a new one if there is none."""
        sender, number_id = inbound.sender, inbound.number_id
        for known in self._rows.conversations.values():
            if (known.sender.key, known.number_id) == (sender.key, number_id):
                return known
        return Conversation(conversation_id(self._org, sender, number_id), sender, number_id, inbound.received_at)

    def unscanned(self, conversation_id: str = "", after: int = 0, limit: int = 100) -> tuple[Inbound, ...]:
        """Return messages not yet scanned for emergencies, of one conversation or all, after a seq, by seq."""
        with self._lock:
            fresh = (i for i in self._rows.inbox.values() if not i.scanned and i.seq > after)
            return tuple(i for i in fresh if conversation_id in ("", i.conversation_id))[:limit]

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
            known = self._rows.inbox.get(cleaned(inbound).key)
            if known is None:
                raise NotFoundError("message", inbound.message_id)
            if known.scanned:
                return
            if len(self.events(known.conversation_id)) != n_events:
                raise StaleWriteError(f"conversation {known.conversation_id!r} has another emergency by now")
            self._rows.inbox[known.key] = replace(known, scanned=True)
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

    def leased(self, now: datetime) -> tuple[Conversation, ...]:
        """Return the conversations that a worker has at a moment, by id."""
        with self._lock:
            rows = sorted(self._rows.conversations.items())
            return tuple(c for _, c in rows if c.lease_until is not None and c.lease_until > now)

    def queue(self, message: OutboxMessage) -> None:
        """Keep a message to a resident beside any turn, once for its id."""
        with self._lock:
            self.conversation(message.conversation_id)
            self._keep((), (message,), ())

    def turns_since(self, at: datetime) -> tuple[Turn, ...]:
        """Return the turns of all conversations that were taken at a moment or later, oldest first, ties by id."""
        with self._lock:
            recent = (t for t in self._rows.turns.values() if t.at >= at)
            return tuple(sorted(recent, key=lambda t: (t.at, t.id)))

    def release(self, id: str, worker: str) -> None:
        """Give a lease back; nothing if it is another's by now."""
        with self._lock:
            held = self.conversation(id)
            if held.lease_by == worker:
                self._rows.conversations[id] = replace(held, lease_by="", lease_until=None)

    def commit(self, write: TurnWrite) -> None:
        """Write a turn with everything it did, and end the lease."""
        clean_write = cleaned(write)
        with self._lock:
            id_ = clean_write.conversation.id
            now = self.conversation(id_)
            if now.version != clean_write.expected:
                raise StaleWriteError(f"conversation {id_!r} is at version {now.version}, not {clean_write.expected}")
            if any(i.seq > clean_write.seen for i in self.inbounds(id_)):
                raise StaleWriteError(f"conversation {id_!r} has a message that the turn has not seen")
            if clean_write.turn.id in self._rows.turns:
                raise StoreCorruptError(f"what was written contradicts what is stored (turn {clean_write.turn.id!r})")
            changed = [clean_write.extended] if clean_write.extended else []
            marked = reviews(clean_write)
            for issue_id in (*(issue.id for issue in changed), *(i for i, _ in marked)):
                _there("issue", issue_id, self._rows.issues)
            for each in clean_write.advances:
                after_step(_there("issue", each.before.id, self._rows.issues), each, 0)
            if clean_write.moved is not None:
                self._move_report(clean_write.moved)
            self._rows.conversations[id_] = after_turn(now, clean_write)
            self._rows.turns[clean_write.turn.id] = clean_write.turn
            self._keep(clean_write.events, clean_write.outbox, clean_write.notices)
            self._keep_issue(clean_write.issue)
            for issue in changed:
                known = self._rows.issues[issue.id]
                after = replace(
                    issue, turn_id=known.turn_id, state=known.state, review=known.review, progress=known.progress
                )  # fmt: skip
                self._rows.issues[issue.id] = after
            for flagged, review in marked:
                self._rows.issues[flagged] = replace(self._rows.issues[flagged], review=review)
            for each in clean_write.advances:
                self._advance(each)

    def _move_report(self, move: ReportMove) -> None:
        other = self.conversation(move.conversation.id)
        self._rows.conversations[other.id] = after_report_move(other, move)
        self._rows.turns[move.turn.id] = move.turn

    def _keep(
        self,
        events: Sequence[EmergencyEvent],
        outbox: Sequence[OutboxMessage],
        notices: Sequence[LandlordNotice],
    ) -> None:
        self._rows.events.update({e.id: e for e in map(cleaned, events)})
        for message in map(cleaned, outbox):
            self._rows.outbox.setdefault(message.id, message)
        for notice in map(cleaned, notices):
            self._rows.notices.setdefault(notice.dedupe_key, notice)

    def _keep_issue(self, issue: Issue | None) -> None:
        if issue and issue.turn_id not in {i.turn_id for i in self._rows.issues.values()}:
            self._rows.issues[issue.id] = cleaned(issue)

    def conversation(self, id: str) -> Conversation:
        """Return a conversation."""
        with self._lock:
            return _there("conversation", id, self._rows.conversations)

    def conversations(self, limit: int = 100) -> tuple[Conversation, ...]:
        """Return conversations, the last heard of first, ties by id."""
        with self._lock:
            by_id = sorted(self._rows.conversations.values(), key=lambda c: c.id)
            heard = sorted(by_id, key=lambda c: c.last_inbound_at or c.started_at, reverse=True)
            return tuple(heard[:limit])

    def inbounds(self, conversation_id: str, from_seq: int = 0) -> tuple[Inbound, ...]:
        """Return the messages of a conversation from one seq on, by seq."""
        with self._lock:
            mine = (i for i in self._rows.inbox.values() if i.conversation_id == conversation_id)
            return tuple(i for i in mine if i.seq >= from_seq)

    def turns(self, conversation_id: str) -> tuple[Turn, ...]:
        """Return the turns of a conversation, oldest first."""
        with self._lock:
            return tuple(t for t in self._rows.turns.values() if t.conversation_id == conversation_id)

    def take_outbox(self, now: datetime, until: datetime, limit: int = 20) -> tuple[OutboxMessage, ...]:
        """Lease queued messages for sending, safety first, then oldest first."""
        with self._lock:
            for message in list(self._rows.outbox.values()):
                if message.state is OutboxState.SENDING and message.lease_until and message.lease_until <= now:
                    self._rows.outbox[message.id] = replace(message, state=OutboxState.UNKNOWN, lease_until=None)
            everything = self.outbox()
            later = {m.id for m in everything if m.lease_until is not None and m.lease_until > now}
            busy = {m.conversation_id for m in everything if m.state is OutboxState.SENDING or m.id in later}
            queued = [m for m in everything if m.state is OutboxState.QUEUED and m.id not in later]
            free = [m for m in queued if m.kind is OutboxKind.SAFETY or m.conversation_id not in busy]
            free.sort(key=lambda m: m.kind is not OutboxKind.SAFETY)
            taken = [
                replace(m, state=OutboxState.SENDING, lease_until=until, n_tries=m.n_tries + 1) for m in free[:limit]
            ]
            self._rows.outbox.update({m.id: m for m in taken})
            return tuple(taken)

    def mark_outbox(
        self,
        id: str,
        state: OutboxState,
        external_id: str = "",
        not_before: datetime | None = None,
        if_failed: Failed | None = None,
    ) -> None:
        """Move a message forward; else nothing."""
        with self._lock:
            known = _there("message", id, self._rows.outbox)
            after = after_status(known, state, clean(external_id), clean_time(not_before))
            failure = cleaned(failure_notice(known, after, if_failed))
            self._rows.outbox[id] = after
            self._keep((), (), failure)

    def take_media(
        self, now: datetime, until: datetime, limit: int = 10, but_not_of: Sequence[str] = ()
    ) -> tuple[WaitingMedia, ...]:
        """Lease files to be fetched, one more try each, the longest due first, ties in the order of the inbox."""
        with self._lock:
            messages = {i.seq: i for i in self._rows.inbox.values()}
            due = [row for row in self._rows.waiting.values() if row.due_at <= now]
            due = [row for row in due if messages[row.seq].conversation_id not in but_not_of]
            due.sort(key=lambda row: (row.due_at, row.seq, row.media_id))
            taken = [replace(row, n_tries=row.n_tries + 1, due_at=until) for row in due[:limit]]
            self._rows.waiting.update({(row.seq, row.media_id): row for row in taken})
            return tuple(waiting_of(messages[row.seq], row) for row in taken)

    def put_off_media(self, waiting: WaitingMedia, until: datetime) -> None:
        """Take a file up again, not before a moment; nothing if it does not wait any more."""
        key = (waiting.inbound.seq, waiting.media.id)
        with self._lock:
            if key in self._rows.waiting:
                self._rows.waiting[key] = replace(self._rows.waiting[key], due_at=until)

    def end_media(self, waiting: WaitingMedia) -> None:
        """Let a file wait no more."""
        with self._lock:
            self._rows.waiting.pop((waiting.inbound.seq, waiting.media.id), None)

    def outbox(self, conversation_id: str = "", state: OutboxState | None = None) -> tuple[OutboxMessage, ...]:
        """Return messages to residents, of one conversation or all, in one state or any, oldest first."""
        with self._lock:
            ordered = [self._rows.outbox[id_] for id_ in self._rows.sending_order()]
            mine = (m for m in ordered if conversation_id in ("", m.conversation_id))
            return tuple(m for m in mine if state in (None, m.state))

    def move_issue(self, id: str, to: IssueState, by: str, at: datetime, is_looked_at: bool = False) -> Issue:
        """Move an issue on the board, and keep the move with it; nothing if nothing changes. Give the issue."""
        with self._lock:
            return self._move(IssueMove(id, 0, at, by, to, to), is_looked_at)

    def _move(self, asked: IssueMove, is_looked_at: bool) -> Issue:
        known = _there("issue", asked.issue_id, self._rows.issues)
        n = len(self.issue_moves(known.id)) + 1
        drafted = cleaned(replace(asked, n=n, before=known.state))
        after, move = after_move(known, asked.after, is_looked_at, drafted)
        self._rows.issues[known.id] = after
        if move is not None:
            self._rows.moves[move.issue_id, move.n] = move
        return after

    def advance_issue(
        self,
        advance: IssueAdvance,
        outbox: Sequence[OutboxMessage] = (),
        notices: Sequence[LandlordNotice] = (),
    ) -> Issue:
        """Write a step of an issue with what is sent about it; return the issue as it is then."""
        with self._lock:
            for message in outbox:
                self.conversation(message.conversation_id)
            after = self._advance(cleaned(advance))
            self._keep((), outbox, notices)
            return after

    def _advance(self, advance: IssueAdvance) -> Issue:
        known = _there("issue", advance.before.id, self._rows.issues)
        after, move = after_step(known, advance, len(self.issue_moves(known.id)) + 1)
        self._rows.issues[known.id] = after
        if move is not None:
            self._rows.moves[move.issue_id, move.n] = move
        return after

    def issue(self, id: str) -> Issue:
        """Return an issue."""
        with self._lock:
            return _there("issue", id, self._rows.issues)

    def issues_due(self, now: datetime, limit: int = 100) -> tuple[Issue, ...]:
        """Return issues whose timer has gone off, the longest due first, ties by id."""
        with self._lock:
            times = ((i.progress.wake_at, i.id, i) for i in self._rows.issues.values())
            due = sorted((at, id_) for at, id_, _ in times if at is not None and at <= now)
            return tuple(self._rows.issues[id_] for _, id_ in due[:limit])

    def conversations_of(self, tenancy_id: str) -> tuple[Conversation, ...]:
        """Return the conversations of a tenancy, the last heard of first, ties by id."""
        return tuple(c for c in self.conversations(len(self._rows.conversations)) if c.tenancy_id == tenancy_id)

    def issue_moves(self, issue_id: str = "") -> tuple[IssueMove, ...]:
        """Return the moves of one issue or all, by issue, oldest first."""
        with self._lock:
            return tuple(m for _, m in sorted(self._rows.moves.items()) if issue_id in ("", m.issue_id))

    def issues(self, property_id: str = "") -> tuple[Issue, ...]:
        """Return issues, of one property or all, oldest first, ties by id."""
        with self._lock:
            issues = (i for i in self._rows.issues.values() if property_id in ("", i.property_id))
            return tuple(sorted(issues, key=lambda i: (i.created_at, i.id)))

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
            if self._rows.events.get(before.id) != cleaned(before):
                raise StaleWriteError(f"emergency {before.id!r} has changed")
            self._keep([after], outbox, notices)
            self._keep_issue(issue)
            if called_off(before, after):
                held = self.conversation(before.conversation_id)
                self._rows.conversations[held.id] = after_dismissal(held, before)
            elif became_alarm(before, after):
                held = self.conversation(before.conversation_id)
                self._rows.conversations[held.id] = with_alarm(held, before)

    def events(self, conversation_id: str = "", is_open: bool = False) -> tuple[EmergencyEvent, ...]:
        """Return emergency events, of one conversation or all, oldest first, ties by message and id."""
        with self._lock:
            mine = [e for e in self._rows.events.values() if conversation_id in ("", e.conversation_id)]
            mine.sort(key=lambda e: (e.at, e.inbound_seq, e.id))
            return tuple(e for e in mine if not is_open or still_open(e))

    def call_outs(self) -> tuple[CallOutList, ...]:
        """Return the call-out lists, by scope and subject."""
        with self._lock:
            return tuple(each for _, each in sorted(self._rows.call_outs.items()))

    def set_call_outs(self, lists: Sequence[CallOutList]) -> None:
        """Replace all call-out lists; of several for one subject the last holds."""
        with self._lock:
            self._rows.call_outs = {(each.scope, each.subject): each for each in map(cleaned, lists)}

    def notices(self) -> tuple[LandlordNotice, ...]:
        """Return what landlords were told, in the order in which it was written."""
        with self._lock:
            return tuple(self._rows.notices.values())

    def put_home(self, property: Property, resident: Resident, tenancy: Tenancy) -> None:
        """Add or change a property, a resident and the tenancy that joins them."""
        with self._lock:
            self._rows.properties[property.id] = cleaned(property)
            self._rows.residents[resident.id] = cleaned(resident)
            self._rows.tenancies[tenancy.id] = cleaned(tenancy)

    def homes(self) -> tuple[Home, ...]:
        """Return all tenancies with their properties and residents, ended or not, by tenancy id."""
        with self._lock:
            return tuple(self._home(t) for _, t in sorted(self._rows.tenancies.items()))

    def home(self, tenancy_id: str) -> Home | None:
        """Return a tenancy with its property and resident, ended or not."""
        with self._lock:
            tenancy = self._rows.tenancies.get(tenancy_id)
            return None if tenancy is None else self._home(tenancy)

    def homes_of(self, keys: Sequence[str], phone: str | None, at: datetime) -> tuple[Home, ...]:
        """Return the homes of residents with one of these channel identities or this phone, active, by id."""
        return tuple(
            h
            for h in self._active(at)
            if set(keys) & set(h.resident.external_ids) or (phone and phone in h.resident.phones)
        )

    def homes_named(self, words: Sequence[str], at: datetime, limit: int = 10) -> tuple[Home, ...]:
        """Return active homes whose postcode or whose resident's last name is a word, by id."""
        names = set(words)
        return tuple(
            h
            for h in self._active(at)
            if postcode_key(h.property.postcode) in names or last_name(h.resident.name) in names
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


def _there(noun: str, id: str, rows: dict[str, _Noun]) -> _Noun:
    if id not in rows:
        raise NotFoundError(noun, id)
    return rows[id]
