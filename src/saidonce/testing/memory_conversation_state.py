"""Everything of one organisation's conversations in memory, and as the rows of an export."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any

from saidonce.adapters.postgres.records import LandlordNoticeRow, OutboxRow, WaitingMediaRow
from saidonce.foundation.model.board import IssueMove
from saidonce.foundation.model.call_outs import CallOutList
from saidonce.foundation.model.conversation import (
    Conversation,
    EmergencyEvent,
    Issue,
    LandlordNotice,
    OutboxMessage,
    Turn,
)
from saidonce.foundation.model.personal_data import DataAct
from saidonce.foundation.model.residents import Inbound, Property, Resident, Tenancy

CONVERSATION_NOUNS = (
    Property, Resident, Tenancy, Conversation, Inbound, Turn, Issue, IssueMove, EmergencyEvent, OutboxRow,
    LandlordNoticeRow, WaitingMediaRow, CallOutList, DataAct,
)  # fmt: skip
"""What an export holds of conversations and of who lives where."""


@dataclass
class ConversationState:
    """Conversations and who lives where, each in the order in which it was written."""

    inbox: dict[tuple[str, str, str], Inbound] = field(default_factory=dict)
    conversations: dict[str, Conversation] = field(default_factory=dict)
    turns: dict[str, Turn] = field(default_factory=dict)
    outbox: dict[str, OutboxMessage] = field(default_factory=dict)
    issues: dict[str, Issue] = field(default_factory=dict)
    moves: dict[tuple[str, int], IssueMove] = field(default_factory=dict)
    events: dict[str, EmergencyEvent] = field(default_factory=dict)
    notices: dict[str, LandlordNotice] = field(default_factory=dict)
    waiting: dict[tuple[int, str], WaitingMediaRow] = field(default_factory=dict)
    call_outs: dict[tuple[str, str], CallOutList] = field(default_factory=dict)
    properties: dict[str, Property] = field(default_factory=dict)
    residents: dict[str, Resident] = field(default_factory=dict)
    tenancies: dict[str, Tenancy] = field(default_factory=dict)
    acts: dict[int, DataAct] = field(default_factory=dict)

    def copy(self) -> ConversationState:
        """Return a state that can be changed without changing this one."""
        return ConversationState(**{each.name: dict(getattr(self, each.name)) for each in fields(self)})

    def is_empty(self) -> bool:
        """Return whether nothing is kept."""
        return not any(getattr(self, each.name) for each in fields(self))

    def sending_order(self) -> dict[str, OutboxRow]:
        """Return the messages to residents by id as the rows that say in which order they go out, oldest first."""
        last: dict[str, tuple[int, datetime]] = {}
        rows = []
        for message in self.outbox.values():
            seq, order_at = last.get(message.conversation_id, (0, message.made_at))
            last[message.conversation_id] = (seq + 1, max(order_at, message.made_at))
            rows.append(OutboxRow(message, *last[message.conversation_id]))
        rows.sort(key=lambda r: (r.order_at, r.message.conversation_id, r.seq))
        return {row.message.id: row for row in rows}

    def rows(self) -> Iterator[object]:
        """Yield all rows."""
        kept = (
            self.properties, self.residents, self.tenancies, self.conversations, self.inbox, self.turns, self.issues,
            self.moves, self.events, self.sending_order(), self.waiting, self.call_outs,
        )  # fmt: skip
        for table in kept:
            yield from table.values()
        yield from (LandlordNoticeRow(n, notice) for n, notice in enumerate(self.notices.values(), 1))
        yield from self.acts.values()

    def add(self, row: Any) -> None:
        """Take in one row of an export."""
        match row:
            case DataAct():
                self.acts[row.n] = row
            case WaitingMediaRow():
                self.waiting[row.seq, row.media_id] = row
            case CallOutList():
                self.call_outs[row.scope, row.subject] = row
            case Inbound():
                self.inbox[row.key] = row
            case IssueMove():
                self.moves[row.issue_id, row.n] = row
            case LandlordNoticeRow():
                self.notices[row.notice.dedupe_key] = row.notice
            case OutboxRow():
                self.outbox[row.message.id] = row.message
            case _:
                tables: dict[type, dict[str, Any]] = {
                    Property: self.properties, Resident: self.residents, Tenancy: self.tenancies,
                    Conversation: self.conversations, Turn: self.turns, Issue: self.issues,
                    EmergencyEvent: self.events,
                }  # fmt: skip
                tables[type(row)][row.id] = row
