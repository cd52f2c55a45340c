"""Data protection in memory: the shipped fake; see `saidonce.foundation.ports.personal_data`."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from saidonce.adapters.postgres.clean import cleaned
from saidonce.errors import NotFoundError
from saidonce.foundation.model.conversation import Issue, LandlordNotice, OutboxMessage, OutboxState, Turn
from saidonce.foundation.model.personal_data import DataAct, Erasure, Expiry
from saidonce.foundation.model.residents import Inbound
from saidonce.testing.memory_conversation_state import ConversationState

_WAITING = (OutboxState.QUEUED, OutboxState.SENDING, OutboxState.UNKNOWN)


class MemoryPersonalData:
    """Erases what one organisation keeps about its residents, and keeps the log of it."""

    _rows: ConversationState
    _lock: threading.RLock
    _last_seq: int

    def erase(self, erasure: Erasure) -> DataAct:
        """Write an erasure; return its act as the log keeps it."""
        with self._lock:
            for issue in erasure.issues:
                self._there(issue)
            rows, gone = self._rows, set(erasure.conversations)
            rows.issues.update({issue.id: cleaned(issue) for issue in erasure.issues})
            seqs = {i.seq for i in rows.inbox.values() if i.conversation_id in gone}
            rows.waiting = {key: row for key, row in rows.waiting.items() if row.seq not in seqs}
            rows.events = {key: e for key, e in rows.events.items() if e.conversation_id not in gone}
            rows.outbox = {key: m for key, m in rows.outbox.items() if m.conversation_id not in gone}
            rows.notices = {key: n for key, n in rows.notices.items() if n.conversation_id not in gone}
            rows.turns = {key: t for key, t in rows.turns.items() if t.conversation_id not in gone}
            rows.inbox = {key: i for key, i in rows.inbox.items() if i.seq not in seqs}
            rows.conversations = {key: c for key, c in rows.conversations.items() if key not in gone}
            rows.conversations.update({shell.id: cleaned(shell) for shell in erasure.shells})
            rows.tenancies = {key: t for key, t in rows.tenancies.items() if key not in erasure.tenancies}
            rows.residents = {key: r for key, r in rows.residents.items() if key not in erasure.residents}
            for home in erasure.homes:
                rows.residents[home.resident.id] = cleaned(home.resident)
                rows.tenancies[home.tenancy.id] = cleaned(home.tenancy)
            for photo in erasure.photos:
                self._last_seq += 1
                rows.inbox[photo.key] = cleaned(replace(photo, seq=self._last_seq))
            return self._log(erasure.act)

    def expire(self, expiry: Expiry) -> DataAct:
        """Write a round of retention; return its act as the log keeps it."""
        with self._lock:
            for issue in expiry.issues:
                self._there(issue)
            self._rows.inbox.update({i.key: cleaned(i) for i in expiry.inbounds})
            self._rows.outbox.update({m.id: cleaned(m) for m in expiry.outbox})
            self._rows.turns.update({t.id: cleaned(t) for t in expiry.turns})
            self._rows.issues.update({i.id: cleaned(i) for i in expiry.issues})
            for key in expiry.notices:
                self._rows.notices.pop(key, None)
            return self._log(expiry.act)

    def record_act(self, act: DataAct) -> DataAct:
        """Append an act to the log; return it as the log keeps it."""
        with self._lock:
            return self._log(act)

    def acts(self) -> tuple[DataAct, ...]:
        """Return the log, oldest first."""
        with self._lock:
            return tuple(act for _, act in sorted(self._rows.acts.items()))

    def files_in_use(self, but_not_of: Sequence[str] = ()) -> frozenset[str]:
        """Return the SHA-256 of every file, thumbnail and original of messages, but of some conversations' ids."""
        with self._lock:
            others = (i for i in self._rows.inbox.values() if i.conversation_id not in but_not_of)
            return frozenset(name for i in others for m in i.media for name in m.hashes)

    def aged_inbounds(self, before: datetime, limit: int) -> tuple[Inbound, ...]:
        """Return messages received before a moment that still have words or buttons, oldest first."""
        return tuple(i for i in self._received_before(before) if i.text or i.button)[:limit]

    def aged_media(self, before: datetime, limit: int, after: int = 0) -> tuple[Inbound, ...]:
        """Return messages received before a moment that still have stored files, oldest first."""
        old = (i for i in self._received_before(before) if i.seq > after and any(m.stored for m in i.media))
        return tuple(old)[:limit]

    def aged_outbox(self, before: datetime, limit: int) -> tuple[OutboxMessage, ...]:
        """Return finished messages to residents, made before a moment, that still have words, oldest first."""
        with self._lock:
            ordered = [self._rows.outbox[id_] for id_ in self._rows.sending_order()]
            return tuple(m for m in ordered if m.made_at < before and m.state not in _WAITING and m.text)[:limit]

    def aged_turns(self, before: datetime, limit: int) -> tuple[Turn, ...]:
        """Return turns taken before a moment that still have a model's words, oldest first."""
        with self._lock:
            old = (t for t in self._rows.turns.values() if t.at < before and t.calls)
            return tuple(sorted(old, key=lambda t: (t.at, t.id)))[:limit]

    def aged_notices(self, before: datetime, limit: int) -> tuple[LandlordNotice, ...]:
        """Return notices of before a moment, oldest first."""
        with self._lock:
            return tuple(n for n in self._rows.notices.values() if n.at < before)[:limit]

    def _received_before(self, before: datetime) -> list[Inbound]:
        with self._lock:
            old = [i for i in self._rows.inbox.values() if i.received_at < before]
        return sorted(old, key=lambda i: i.seq)

    def _there(self, issue: Issue) -> None:
        if issue.id not in self._rows.issues:
            raise NotFoundError("issue", issue.id)

    def _log(self, act: DataAct) -> DataAct:
        logged = cleaned(replace(act, n=len(self._rows.acts) + 1))
        self._rows.acts[logged.n] = logged
        return logged
